/* The factor and the norm of its inverse, for sizes around the blocks: against LAPACK's own, by multiplying back, and
 * the same bits for any number of threads. */
#include "linalg/cholesky.h"

#include <lapacke.h>
#include <omp.h>

#include "support.h"

/* A positive definite matrix with a condition number of about 1e6; `broken`: not quite. */
static double *matrix_of(int64_t d, bool broken) {
    double *B = calloc((size_t)(2 * d * d), sizeof *B), *T = calloc((size_t)(d * d), sizeof *T);
    gpis_random_normal(5, 3, 0, 2 * d * d, B);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            double sum = i == j ? 1e-3 : 0.0;
            for (int64_t r = 0; r < 2 * d; r++) sum += B[r * d + i] * B[r * d + j];
            T[i * d + j] = sum * pow(10.0, -(double)(i + j) / (double)d);
        }
    if (broken) T[(d - 1) * (d + 1)] = -1.0;
    free(B);
    return T;
}

static void check(int64_t d) {
    double *T = matrix_of(d, false), *L = calloc((size_t)(3 * d * d), sizeof *L), *again = L + d * d,
           *work = again + d * d;
    memcpy(L, T, (size_t)(d * d) * sizeof *T);
    memcpy(again, T, (size_t)(d * d) * sizeof *T);
    assert_true(gpis_cholesky_factor(1, d, L));
    assert_true(gpis_cholesky_factor(3, d, again));
    assert_memory_equal(L, again, (size_t)(d * d) * sizeof *L);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int64_t k = 0; k <= j; k++) sum += L[k * d + i] * L[k * d + j];
            assert_close(sum, T[j * d + i], 1e-12 * sqrt(T[i * (d + 1)] * T[j * (d + 1)]));
        }
    const double one = gpis_cholesky_inverse_norm2(1, d, L, work), three = gpis_cholesky_inverse_norm2(3, d, L, work);
    assert_true(one == three);
    memcpy(work, L, (size_t)(d * d) * sizeof *L);
    assert_int_equal(LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'L', 'N', (lapack_int)d, work, (lapack_int)d), 0);
    double sum = 0.0;
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = j; i < d; i++) sum += work[j * d + i] * work[j * d + i];
    assert_close(one, sum, 1e-9 * sum);
    free(T), free(L);
}

static void around_the_blocks(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 127, 128, 129, 256, 300, 385, 450};
    omp_set_num_threads(1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) check(sizes[i]);
}

static void what_has_no_factor(void **state) {
    (void)state;
    for (int64_t d = 1; d < 500; d += 133) {
        double *T = matrix_of(d, true);
        assert_false(gpis_cholesky_factor(2, d, T));
        free(T);
    }
    double zero[4] = {1.0, 0.5, 0.0, 0.0}, work[4];
    assert_true(gpis_cholesky_inverse_norm2(1, 2, zero, work) == INFINITY);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(around_the_blocks), cmocka_unit_test(what_has_no_factor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
