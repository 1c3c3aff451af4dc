/*
 * Eigenvalues and spectral norms in double-double, against quadruple precision: Q diag(w) Q' from exact rotations must
 * give back w, however graded it is, and ||M x|| <= norm ||x|| must hold for every x that is tried, with equality, but
 * for some 1e-29, for one of them.
 */
#include "linalg/dd_spectral.h"

#include "set/world.h"

typedef __float128 quad;

enum { K = 4, D = 9 };

static quad size_of(quad a) { return a < 0 ? -a : a; }

/* Newton's method, from the root in double. */
static quad root(quad a) {
    quad r = sqrt((double)a);
    for (int i = 0; i < 3; i++) r = (r + a / r) / 2;
    return r;
}

static gpis_dd split(quad a) {
    const double high = (double)a;
    return (gpis_dd){high, (double)(a - high)};
}

static quad join(gpis_dd a) { return (quad)a.high + a.low; }

/* A = S B S, with B near the identity and S from 1 to `least`; its eigenvalues by the trace and the determinant. */
static void eigenvalues_of_graded_matrices(void **state) {
    (void)state;
    for (double least = 1.0; least > 1e-14; least *= 1e-3) {
        gpis_dd A[K * K], V[K * K], before[K * K];
        for (int i = 0; i < K; i++)
            for (int j = 0; j < K; j++) {
                const double scale = pow(least, i + j);
                before[i * K + j] = A[i * K + j] = gpis_dd_of(scale * (i == j ? 1.0 : 0.1 / (double)(i + j + 1)));
                V[i * K + j] = gpis_dd_of(i == j ? 1.0 : 0.0);
            }
        gpis_dd_eigen(K, A, V);
        for (int c = 0; c < K; c++) { /* A v = w v, relative to the size of each entry's own row */
            for (int i = 0; i < K; i++) {
                quad sum = -join(A[c * K + c]) * join(V[i * K + c]), size = size_of(sum);
                for (int j = 0; j < K; j++) {
                    sum += join(before[i * K + j]) * join(V[j * K + c]);
                    size += size_of(join(before[i * K + j]) * join(V[j * K + c]));
                }
                assert_true(size_of(sum) <= (quad)1e-29 * size);
            }
            for (int b = 0; b < K; b++) { /* the columns of V are orthonormal */
                quad sum = b == c ? -1 : 0;
                for (int i = 0; i < K; i++) sum += join(V[i * K + b]) * join(V[i * K + c]);
                assert_true(size_of(sum) <= (quad)1e-30);
            }
        }
    }
}

static quad stretch(const double *high, const double *low, const quad *x) {
    quad top = 0, bottom = 0;
    for (int i = 0; i < D; i++) {
        quad sum = 0;
        for (int j = 0; j < K; j++) sum += ((quad)high[i * K + j] + low[i * K + j]) * x[j];
        top += sum * sum;
    }
    for (int j = 0; j < K; j++) bottom += x[j] * x[j];
    return root(top / bottom);
}

/* x := M'M x, scaled: the power method, which ends at the largest singular value. */
static void iterate(const double *high, const double *low, quad *x) {
    quad y[K] = {0}, most = 0;
    for (int i = 0; i < D; i++) {
        quad sum = 0;
        for (int j = 0; j < K; j++) sum += ((quad)high[i * K + j] + low[i * K + j]) * x[j];
        for (int j = 0; j < K; j++) y[j] += ((quad)high[i * K + j] + low[i * K + j]) * sum;
    }
    for (int j = 0; j < K; j++) most = size_of(y[j]) > most ? size_of(y[j]) : most;
    for (int j = 0; j < K; j++) x[j] = y[j] / most;
}

static void norms_are_sharp_upper_bounds(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        double high[D * K], low[D * K];
        gpis_dd work[4 * K * K];
        const double unit = seed % 3 == 0 ? 1e-140 : seed % 3 == 1 ? 1.0 : 1e140;
        fill_normal(high, D * K, seed, unit);
        fill_normal(low, D * K, seed + 100, 1e-17 * unit);
        for (int i = 0; i < D; i++) high[i * K] *= 5.0; /* one singular value stands out: the power method is quick */
        for (int i = 0; i < D * K; i++) {
            const gpis_dd both = split((quad)high[i] + low[i]);
            high[i] = both.high, low[i] = both.low;
        }
        const quad norm = join(gpis_dd_spectral_norm(D, K, high, low, work));
        quad x[K] = {1, 1, 1, 1};
        for (int i = 0; i < 200; i++) iterate(high, low, x);
        const quad reached = stretch(high, low, x);
        assert_true(reached <= norm);
        assert_true(norm <= reached * (1 + (quad)1e-26));
    }
}

static void zeros_and_what_is_not_finite(void **state) {
    (void)state;
    double high[D * K] = {0}, low[D * K] = {0};
    gpis_dd work[4 * K * K];
    assert_true(gpis_dd_spectral_norm(D, K, high, low, work).high == 0.0);
    high[3] = NAN;
    assert_true(isinf(gpis_dd_spectral_norm(D, K, high, low, work).high));
    high[3] = -INFINITY;
    high[D * K - 1] = 1.0;
    assert_true(isinf(gpis_dd_spectral_norm(D, K, high, low, work).high));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(eigenvalues_of_graded_matrices),
                                       cmocka_unit_test(norms_are_sharp_upper_bounds),
                                       cmocka_unit_test(zeros_and_what_is_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
