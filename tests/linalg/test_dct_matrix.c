/*
 * The matrix of the DCT in double-double. Its rows are the eigenvectors of the second difference with reflecting ends,
 * which has n different eigenvalues: a matrix is the DCT, up to signs, if and only if it is orthogonal and turns the
 * second difference into a diagonal matrix. Both are tried in quadruple precision, and the signs by the transform in
 * double.
 */
#include "linalg/dct.h"
#include "linalg/dd.h"
#include "support.h"

typedef __float128 quad;

enum { MAX_LENGTH = 40 };

static double size_of(quad a) { return fabs((double)a); }

/* Entry j of the second difference of a row. */
static quad second_difference(const quad *row, int64_t n, int64_t j) {
    return row[j > 0 ? j - 1 : 0] - 2 * row[j] + row[j + 1 < n ? j + 1 : n - 1];
}

static void check(gpis_context *context, int64_t n) {
    static double U[MAX_LENGTH * MAX_LENGTH], low[MAX_LENGTH * MAX_LENGTH];
    static quad Q[MAX_LENGTH * MAX_LENGTH];
    gpis_dct *dct;
    const double error = gpis_dct_matrix(n, U, low) * GPIS_DD_UNIT, allowed = 16.0 * (double)n * error;
    assert_ok(context, gpis_dct_create(context, n, &dct));
    for (int64_t i = 0; i < n * n; i++) Q[i] = (quad)U[i] + low[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++) {
            quad dot = 0, bent = 0;
            for (int64_t j = 0; j < n; j++) {
                dot += Q[i * n + j] * Q[k * n + j];
                bent += Q[i * n + j] * second_difference(Q + k * n, n, j);
            }
            assert_true(size_of(dot - (i == k)) <= allowed);
            if (i != k) assert_true(size_of(bent) <= allowed);
        }
    for (int64_t j = 0; j < n; j++) {
        double x[MAX_LENGTH] = {0}, z[MAX_LENGTH];
        x[j] = 1.0;
        gpis_dct_forward(dct, x, z);
        for (int64_t i = 0; i < n; i++) assert_close(U[i * n + j], z[i], 1e-14);
    }
    gpis_dct_destroy(dct);
}

static void is_the_transform(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t n = 1; n <= MAX_LENGTH; n++) check(context, n);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_the_transform)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
