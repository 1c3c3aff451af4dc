/*
 * Equations that are nearly dependent, and equations behind a matrix U that is nearly orthogonal: there the computed
 * projection is one on a slightly different set. What is claimed must hold for the set that was asked for. The
 * reference is the KKT system, solved in __float128 (34 digits):
 *
 *     A'A x + C'lambda = A'y,   C x = b.
 */
#include "calls.h"
#include "set/world.h"

enum { N = 30, D = 6, ROWS = 2, SIZE = D + ROWS, SEEDS = 12 };
typedef __float128 quad;

static quad size_of(quad v) { return v < 0 ? -v : v; }

/* Solves M z = r in place by elimination with pivots; both are overwritten. */
static void eliminate(quad M[SIZE][SIZE], quad r[SIZE]) {
    for (int p = 0; p < SIZE; p++) {
        int best = p;
        for (int i = p + 1; i < SIZE; i++)
            if (size_of(M[i][p]) > size_of(M[best][p])) best = i;
        for (int j = 0; j < SIZE; j++) {
            const quad t = M[p][j];
            M[p][j] = M[best][j], M[best][j] = t;
        }
        const quad t = r[p];
        r[p] = r[best], r[best] = t;
        for (int i = 0; i < SIZE; i++) {
            if (i == p) continue;
            const quad factor = M[i][p] / M[p][p];
            for (int j = p; j < SIZE; j++) M[i][j] -= factor * M[p][j];
            r[i] -= factor * r[p];
        }
    }
    for (int p = 0; p < SIZE; p++) r[p] /= M[p][p];
}

static quad objective_of(const double *A, const double *y, const quad *x) {
    quad sum = 0;
    for (int i = 0; i < N; i++) {
        quad r = -(quad)y[i];
        for (int j = 0; j < D; j++) r += (quad)A[i * D + j] * x[j];
        sum += r * r;
    }
    return sum;
}

/* The best objective over {x : C x = b}. */
static quad best_objective(const double *A, const double *y, quad C[ROWS][D], const double *b) {
    quad M[SIZE][SIZE] = {{0}}, z[SIZE] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++) {
            z[j] += (quad)A[i * D + j] * y[i];
            for (int l = 0; l < D; l++) M[j][l] += (quad)A[i * D + j] * A[i * D + l];
        }
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < D; j++) M[D + i][j] = M[j][D + i] = C[i][j];
        z[D + i] = b[i];
    }
    eliminate(M, z);
    return objective_of(A, y, z);
}

static void check_claim(gpis_context *context, const double *A, const double *y, gpis_set *set, quad best, double tol) {
    gpis_source *source;
    gpis_settings settings = gpis_settings_default();
    gpis_result *result = NULL;
    settings.tol = tol;
    assert_ok(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &source));
    assert_ok(context, test_solve(context, source, y, 1, set, &settings, &result));
    quad x[D];
    for (int j = 0; j < D; j++) x[j] = result->x[j];
    const double above = (double)(objective_of(A, y, x) - best);
    if (above > result->gap)
        fail_msg("the objective is %g above the best, which a gap of %g excludes", above, result->gap);
    gpis_result_destroy(result);
    gpis_source_destroy(source);
}

/* C = [c; c + eps w]. */
static void nearly_dependent_rows(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (double eps = 1e-3; eps > 1e-10; eps *= 1e-3) {
            double A[N * D], y[N], C[ROWS * D], b[ROWS], w[D];
            quad exact[ROWS][D];
            gpis_set *set;
            fill_normal(A, N * D, 10 * seed, 1.0);
            fill_normal(y, N, 10 * seed + 1, 1.0);
            fill_normal(C, D, 10 * seed + 2, 1.0);
            fill_normal(w, D, 10 * seed + 3, 1.0);
            fill_normal(b, ROWS, 10 * seed + 4, 1.0);
            b[1] = b[0] + eps * b[1];
            for (int j = 0; j < D; j++) C[D + j] = C[j] + eps * w[j];
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < D; j++) exact[i][j] = C[i * D + j];
            assert_ok(context, gpis_set_affine(context, C, b, ROWS, D, &set));
            check_claim(context, A, y, set, best_objective(A, y, exact, b), 1e-10);
            gpis_set_destroy(set);
        }
    test_context_end(context, &memory);
}

/* K = {x : C U x = b} for U = a reflection, with every entry off by about 1e-13. The members of K are large, so that a
 * small error of U moves K by much. */
static void nearly_orthogonal_matrix(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        double A[N * D], y[N], C[ROWS * D], b[ROWS], U[D * D], v[D], noise[D * D], large[D], norm2 = 0;
        quad exact[ROWS][D] = {{0}};
        gpis_set *base, *set;
        fill_normal(A, N * D, 10 * seed + 5, 1.0);
        fill_normal(y, N, 10 * seed + 6, 1.0);
        fill_normal(C, ROWS * D, 10 * seed + 7, 1.0);
        fill_normal(b, ROWS, 10 * seed + 8, 1.0);
        fill_normal(v, D, 10 * seed + 9, 1.0);
        fill_normal(large, D, 10 * seed + 11, 1e4);
        fill_normal(noise, D * D, 10 * seed + 10, 1e-13);
        for (int j = 0; j < D; j++) norm2 += v[j] * v[j];
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++) U[i * D + j] = (i == j) - 2.0 * v[i] * v[j] / norm2 + noise[i * D + j];
        for (int r = 0; r < ROWS; r++)
            for (int j = 0; j < D; j++)
                for (int i = 0; i < D; i++) exact[r][j] += (quad)C[r * D + i] * U[i * D + j];
        for (int j = 0; j < D; j++) {
            for (int r = 0; r < ROWS; r++) b[r] += (double)exact[r][j] * large[j];
            for (int i = 0; i < N; i++) y[i] += A[i * D + j] * large[j];
        }
        assert_ok(context, gpis_set_affine(context, C, b, ROWS, D, &base));
        assert_ok(context, gpis_set_transform(context, base, U, &set));
        check_claim(context, A, y, set, best_objective(A, y, exact, b), 1e-13);
        gpis_set_destroy(set);
        gpis_set_destroy(base);
    }
    test_context_end(context, &memory);
}

/* The squares of these numbers overflow, and the numbers themselves do not: a bound is as good as for small ones. */
static void large_multipliers(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double U[D * D] = {0}, small[D], large[D], near_small, near_large, slack;
    gpis_set *base, *sets[3];
    for (int i = 0; i < D; i++) U[i * D + (i + 1) % D] = 1.0;
    assert_ok(context, gpis_set_simplex(context, 1.5, D, &base));
    assert_ok(context, gpis_set_dct(context, base, &sets[0]));
    assert_ok(context, gpis_set_transform(context, base, U, &sets[1]));
    assert_ok(context, gpis_set_affine(context, U, U, D, D, &sets[2])); /* one point */
    fill_normal(small, D, 3, 1.0);
    for (int j = 0; j < D; j++) large[j] = small[j] * 1e200;
    for (int i = 0; i < 3; i++) {
        assert_ok(context, gpis_set_support_near(sets[i], small, &near_small, &slack));
        assert_ok(context, gpis_set_support_near(sets[i], large, &near_large, &slack));
        assert_true(isfinite(near_large) && slack == 0.0);
        assert_close(near_large * 1e-200, near_small, 1e-12);
        gpis_set_destroy(sets[i]);
    }
    gpis_set_destroy(base);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nearly_dependent_rows),
                                       cmocka_unit_test(nearly_orthogonal_matrix), cmocka_unit_test(large_multipliers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
