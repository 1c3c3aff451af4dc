/* Triangles and symmetric matrices, by loops and by BLAS: multiplied back, below and above the size where they change.
 */
#include "linalg/small.h"

#include "support.h"

enum { MOST = 40, ROOM = MOST + 5 };
static const int64_t SIZES[] = {1, 2, 3, 10, 31, 32, 33, 40};
enum { COUNT = sizeof SIZES / sizeof *SIZES };

/* A positive definite matrix, column-major with columns `stride` apart, and 7 above the diagonal, where nobody looks.
 */
static void make(int64_t d, int64_t stride, double *T) {
    double B[MOST * MOST];
    gpis_random_normal(7, (uint64_t)d, 0, d * d, B);
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < d; i++) {
            double sum = i == j ? 0.1 : 0.0;
            for (int64_t r = 0; r < d; r++) sum += B[r * d + i] * B[r * d + j];
            T[j * stride + i] = i >= j ? sum : 7.0;
        }
}

/* The size of the terms that entry i of a product with this matrix is the sum of. */
static double size_of(const double *row, const double *v, int64_t d) {
    double sum = 0.0;
    for (int64_t j = 0; j < d; j++) sum += fabs(row[j] * v[j]);
    return sum;
}

/* Backward stable: (L + E) x = v with |E| <= d eps |L|. */
static void solves_multiply_back(void **state) {
    (void)state;
    double T[MOST * ROOM], v[MOST], x[MOST], row[MOST];
    for (int c = 0; c < 2 * COUNT; c++) {
        const int64_t d = SIZES[c / 2], stride = d + 5 * (c % 2);
        make(d, stride, T);
        assert_true(gpis_lower_factor(d, 0, T, stride));
        gpis_random_normal(8, 1, 0, d, v);
        for (int transposed = 0; transposed < 2; transposed++) {
            memcpy(x, v, sizeof x);
            gpis_lower_solve(d, T, stride, transposed, x);
            for (int64_t i = 0; i < d; i++) {
                double sum = 0.0;
                for (int64_t j = 0; j < d; j++) {
                    const int64_t low = transposed ? j : i, high = transposed ? i : j; /* L_(low, high) */
                    row[j] = low >= high ? T[high * stride + low] : 0.0;
                    sum += row[j] * x[j];
                }
                assert_close(sum, v[i], 4.0 * (double)d * 0x1p-52 * size_of(row, x, d));
            }
        }
    }
}

/* L L' is the matrix, from wherever the factor is completed; nothing above the diagonal is touched. */
static void factors_multiply_back(void **state) {
    (void)state;
    double T[MOST * ROOM], L[MOST * ROOM];
    for (int c = 0; c < COUNT; c++)
        for (int64_t from = 0; from <= SIZES[c]; from += 1 + SIZES[c] / 3) {
            const int64_t d = SIZES[c], stride = d;
            make(d, stride, T);
            memcpy(L, T, sizeof L);
            assert_true(gpis_lower_factor(from, 0, L, stride));
            assert_true(gpis_lower_factor(d, from, L, stride));
            for (int64_t j = 0; j < d; j++)
                for (int64_t i = 0; i < d; i++) {
                    double sum = 0.0;
                    for (int64_t k = 0; k <= j; k++) sum += L[k * stride + i] * L[k * stride + j];
                    if (i < j)
                        assert_true(L[j * stride + i] == 7.0);
                    else
                        assert_close(sum, T[j * stride + i],
                                     (double)(d + 4) * 0x1p-52 * sqrt(T[i * (stride + 1)] * T[j * (stride + 1)]));
                }
        }
}

/* A matrix that is not positive definite in row `bad` has no factor, new or completed. (OpenBLAS overlooks NaN.) */
static void what_has_no_factor(void **state) {
    (void)state;
    double L[MOST * ROOM];
    for (int c = 0; c < COUNT; c++)
        for (int64_t bad = 0; bad < SIZES[c]; bad++)
            for (int nan = 0; nan <= (SIZES[c] <= GPIS_SMALL); nan++) {
                make(SIZES[c], SIZES[c], L);
                L[bad * (SIZES[c] + 1)] = nan ? NAN : -1.0;
                assert_true(gpis_lower_factor(bad, 0, L, SIZES[c]));
                assert_false(gpis_lower_factor(SIZES[c], bad, L, SIZES[c]));
            }
}

/* ||L^-1||_F^2 from the solutions of L x = e_j. */
static void norms_of_inverses(void **state) {
    (void)state;
    double L[MOST * ROOM], work[MOST * MOST], x[MOST];
    for (int c = 0; c < COUNT && SIZES[c] <= GPIS_SMALL; c++) {
        const int64_t d = SIZES[c];
        double sum = 0.0;
        make(d, d, L);
        assert_true(gpis_lower_factor(d, 0, L, d));
        for (int64_t j = 0; j < d; j++) {
            for (int64_t i = 0; i < d; i++) x[i] = i == j;
            gpis_lower_solve(d, L, d, false, x);
            for (int64_t i = 0; i < d; i++) sum += x[i] * x[i];
        }
        assert_close(gpis_lower_inverse_norm2(d, L, d, work), sum, 1e-12 * sum);
    }
}

static void products(void **state) {
    (void)state;
    double H[MOST * MOST], v[MOST], Hv[MOST];
    for (int c = 0; c < COUNT; c++) {
        const int64_t d = SIZES[c];
        make(d, d, H);
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j < i; j++) H[i * d + j] = H[j * d + i];
        gpis_random_normal(9, 1, 0, d, v);
        v[d / 2] = 0.0;
        gpis_symmetric_apply(d, H, v, Hv);
        for (int64_t i = 0; i < d; i++) {
            double sum = 0.0;
            for (int64_t j = 0; j < d; j++) sum += H[i * d + j] * v[j];
            assert_close(Hv[i], sum, (double)d * 0x1p-52 * size_of(H + i * d, v, d));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_multiply_back),
        cmocka_unit_test(factors_multiply_back),
        cmocka_unit_test(what_has_no_factor),
        cmocka_unit_test(norms_of_inverses),
        cmocka_unit_test(products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
