/*
 * Least squares without a constraint where normal equations lose everything: A with condition numbers up to 1e12, its
 * singular vectors far from the axes. f must be that of a QR decomposition in quadruple precision, to 10 digits,
 * whether the model is the Gram matrix or a sketch. (In long double that of condition 1e12 is itself off by 5e-11.)
 */
#include <omp.h>

#include "calls.h"
#include "set/world.h"

enum { N = 1200, D = 30 };

__extension__ typedef __float128 quad;

/* To 30 digits and more: the root of long double, and one step of Newton's. */
static quad root(quad x) {
    const quad s = sqrtl((long double)x);
    return (s + x / s) / 2;
}

/* Orthonormal columns of n x d, by Gram-Schmidt twice, in long double. */
static long double *orthonormal(int64_t n, int64_t d, uint64_t seed) {
    double *start = new_vector(n * d);
    long double *Q = calloc((size_t)(n * d), sizeof *Q);
    fill_normal(start, n * d, seed, 1.0);
    for (int64_t j = 0; j < d; j++) {
        long double *q = Q + j * n;
        for (int64_t i = 0; i < n; i++) q[i] = start[j * n + i];
        for (int64_t t = 0; t < 2 * j; t++) {
            const long double *other = Q + t % j * n;
            long double along = 0;
            for (int64_t i = 0; i < n; i++) along += other[i] * q[i];
            for (int64_t i = 0; i < n; i++) q[i] -= along * other[i];
        }
        long double norm = 0;
        for (int64_t i = 0; i < n; i++) norm += q[i] * q[i];
        for (int64_t i = 0; i < n; i++) q[i] /= sqrtl(norm);
    }
    free(start);
    return Q;
}

/* U diag(from 1 down to 1 / cond) V', rounded to double. */
static double *matrix_of_condition(const long double *U, const long double *V, double cond) {
    double *A = new_vector(N * D);
    long double sigma[D];
    for (int t = 0; t < D; t++) sigma[t] = powl(cond, -t / (D - 1.0L));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++) {
            long double sum = 0;
            for (int t = 0; t < D; t++) sum += U[t * N + i] * sigma[t] * V[t * D + j];
            A[i * D + j] = (double)sum;
        }
    return A;
}

/* min ||A x - y||^2 for two y: what is left of them when the columns of A, made orthonormal, are taken out. */
static void least(const double *A, double y[2][N], long double f[2]) {
    quad *Q = calloc((size_t)(N * (D + 2)), sizeof *Q);
    for (int j = 0; j < D + 2; j++) {
        const int known = j < D ? j : D;
        quad *q = Q + j * N, norm = 0;
        for (int i = 0; i < N; i++) q[i] = j < D ? A[i * D + j] : y[j - D][i];
        for (int t = 0; t < 2 * known; t++) { /* twice: columns are nearly dependent */
            const quad *other = Q + t % known * N;
            quad along = 0;
            for (int i = 0; i < N; i++) along += other[i] * q[i];
            for (int i = 0; i < N; i++) q[i] -= along * other[i];
        }
        for (int i = 0; i < N; i++) norm += q[i] * q[i];
        if (j >= D) f[j - D] = (long double)norm;
        const quad length = root(norm);
        for (int i = 0; i < N; i++) q[i] /= length;
    }
    free(Q);
}

/* At condition 1e12 the terms of a row cancel to 12 digits: in quadruple precision, too. */
static long double value_at(const double *A, const double *y, const double *x) {
    quad f = 0;
    for (int i = 0; i < N; i++) {
        quad r = -(quad)y[i];
        for (int j = 0; j < D; j++) r += (quad)A[i * D + j] * x[j];
        f += r * r;
    }
    return (long double)f;
}

static double relative_error(const double *A, const double *y, long double best, int64_t m, double tol, double cond) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.method = "newton";
    settings.m = m;
    settings.tol = tol;
    settings.max_passes = 300;
    assert_ok(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &source));
    assert_ok(context, test_set(context, "none", D, 1, &set));
    assert_ok(context, test_solve(context, source, y, 1, set, &settings, &result));
    const long double f = value_at(A, y, result->x);
    const double error = (double)((f - best) / best);
    print_message("cond %.0e, %s: relative error of f %8.1e; %s after %d passes, %s gap %.1e\n", cond,
                  m ? "sketch" : "Gram  ", error, gpis_outcome_text(result->outcome), (int)result->passes,
                  gpis_gap_kind_text(result->gap_kind), gpis_relative_gap(result));
    assert_true(result->objective - result->gap <= best);
    gpis_result_destroy(result);
    gpis_set_destroy(set);
    gpis_source_destroy(source);
    test_context_end(context, &memory);
    return error;
}

/* The worst relative error of f over all conditions, for solutions of size cond and of size 1. */
static double worst_of_seed(uint64_t seed) {
    static const double conditions[] = {1e4, 1e8, 1e10, 1e12};
    static double y[2][N];
    double truth[D], worst = 0.0;
    long double *U = orthonormal(N, D, 100 * seed + 1), *V = orthonormal(D, D, 100 * seed + 2), best[2];
    fill_normal(truth, D, 100 * seed + 3, 1.0);
    for (int c = 0; c < 4; c++) {
        double *A = matrix_of_condition(U, V, conditions[c]);
        fill_normal(y[0], N, 100 * seed + 4, 1.0);
        fill_normal(y[1], N, 100 * seed + 5, 0.01);
        for (int i = 0; i < N; i++) y[1][i] += dot(A + i * D, truth, D);
        least(A, y, best);
        for (int which = 0; which < 2; which++)
            for (int sketched = 0; sketched < 2; sketched++)
                worst = fmax(worst, relative_error(A, y[which], best[which], sketched * 8 * D, 1e-12, conditions[c]));
        free(A);
    }
    free(U), free(V);
    return worst;
}

static void as_good_as_qr(void **state) {
    (void)state;
    enum { SEEDS = 4 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) assert_true(worst_of_seed(seed) <= 5e-11); /* 1e-10 is promised */
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library: BLAS has no threads of its own */
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_good_as_qr)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
