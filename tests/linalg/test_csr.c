/* The kernels of compressed rows against long double, and blocks: slicing, unpacking, entries that are not finite. */
#include "linalg/csr.h"
#include "linalg/panel.h"
#include "sketch/matrices.h"

static double *normals(int64_t count, uint64_t stream) {
    double *v = malloc((size_t)count * sizeof *v);
    gpis_random_normal(11, stream, 0, count, v);
    return v;
}

static void check_gradient(const double *a, const gpis_block *block, int64_t k, bool with_y, bool with_g) {
    const int64_t n = block->nrows, d = block->d;
    double *X = normals(d * k, 1), *Y = normals(n * k, 2), *G = normals(d * k, 3), *G0 = normals(d * k, 3);
    double *R = malloc((size_t)(n * k) * sizeof *R);
    const double norm2 = gpis_csr_gradient(block, k, X, with_y ? Y : NULL, R, with_g ? G : NULL);
    long double expected = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) {
            long double sum = with_y ? -(long double)Y[i * k + c] : 0, size = fabsl(sum);
            for (int64_t j = 0; j < d; j++) {
                sum += (long double)a[i * d + j] * X[j * k + c];
                size += fabsl((long double)a[i * d + j] * X[j * k + c]);
            }
            assert_close(R[i * k + c], (double)sum, (double)((d + 2) * size) * 1.2e-16);
            expected += (long double)R[i * k + c] * R[i * k + c];
        }
    assert_close(norm2, (double)expected, (double)((n * k + 2) * expected) * 1.2e-16);
    for (int64_t j = 0; j < d; j++)
        for (int64_t c = 0; c < k; c++) {
            long double sum = G0[j * k + c], size = fabsl(sum);
            for (int64_t i = 0; with_g && i < n; i++) {
                sum += (long double)a[i * d + j] * R[i * k + c];
                size += fabsl((long double)a[i * d + j] * R[i * k + c]);
            }
            assert_close(G[j * k + c], (double)sum, (double)((n + 2) * size) * 1.2e-16);
        }
    free(X), free(Y), free(G), free(G0), free(R);
}

/* Sums of multiples of 1/64 are exact. Only the upper triangle is computed; the lower one must not change. */
static void check_gram_and_norms(const double *a, const gpis_block *block) {
    const int64_t n = block->nrows, d = block->d;
    double *H = malloc((size_t)(d * d) * sizeof *H), *norms2 = calloc((size_t)d, sizeof *norms2);
    for (int64_t i = 0; i < d * d; i++) H[i] = 0.25;
    gpis_csr_gram(block, H);
    gpis_csr_column_norms(block, norms2);
    for (int64_t p = 0; p < d; p++)
        for (int64_t q = 0; q < d; q++) {
            double sum = 0.25;
            for (int64_t i = 0; q >= p && i < n; i++) sum += a[i * d + p] * a[i * d + q];
            assert_true(H[p * d + q] == sum);
            if (p == q) assert_true(norms2[p] == sum - 0.25);
        }
    free(H), free(norms2);
}

static void kernels(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 1}, {1, 9}, {7, 1}, {3, 4}, {8, 8}, {17, 33}, {64, 20}, {40, 5}};
    static const int64_t responses[] = {1, 2, 3, 8, 9};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const int64_t n = shapes[s][0], d = shapes[s][1];
        double *a = small_numbers(n * d, s);
        for (int64_t j = 0; j < d; j++) a[n / 2 * d + j] = 0.0; /* an empty row */
        for (int single = 0; single < 2; single++) {
            matrix m = store(a, n, d, single ? CSR_32 : CSR_64);
            for (size_t i = 0; i < sizeof responses / sizeof *responses; i++) {
                check_gradient(a, &m.block, responses[i], true, true);
                check_gradient(a, &m.block, responses[i], false, true);
                check_gradient(a, &m.block, responses[i], true, false);
            }
            check_gram_and_norms(a, &m.block);
            if (n > 3) { /* a slice: indptr no longer begins at 0 */
                const gpis_block part = gpis_block_rows(&m.block, 2, n - 3);
                check_gradient(a + 2 * d, &part, 1, true, true);
                check_gradient(a + 2 * d, &part, 3, true, true);
                check_gram_and_norms(a + 2 * d, &part);
            }
            matrix_clear(&m);
        }
        free(a);
    }
}

static void unpacking_slices_and_panels(void **state) {
    (void)state;
    enum { N = 37, D = 19 };
    double *a = small_numbers(N * D, 5), rows[N * D], panel[N * D];
    for (int how = 0; how < STORAGES; how++) {
        matrix m = store(a, N, D, how);
        for (int64_t first = 0; first < N; first += 6)
            for (int64_t count = 1; first + count <= N; count += 5) {
                const gpis_block part = gpis_block_rows(&m.block, first, count);
                assert_int_equal(part.row0, first);
                assert_int_equal(part.nrows, count);
                gpis_block_unpack(&part, rows);
                assert_memory_equal(rows, a + first * D, (size_t)(count * D) * sizeof *rows);
                for (int64_t col0 = 0; col0 < D; col0 += 4) {
                    const int64_t cols = gpis_min64(5, D - col0);
                    gpis_block_unpack_columns(&part, col0, cols, panel);
                    for (int64_t i = 0; i < count; i++)
                        assert_memory_equal(panel + i * cols, rows + i * D + col0, (size_t)cols * sizeof *panel);
                }
            }
        matrix_clear(&m);
    }
    free(a);
}

static void first_nonfinite_entry_is_found(void **state) {
    (void)state;
    enum { N = 11, D = 6 };
    for (int how = 0; how < STORAGES; how++)
        for (int place = 0; place < N * D; place++) {
            double *a = small_numbers(N * D, 6), value;
            a[place] = place % 2 ? NAN : -INFINITY;
            if (place + 2 < N * D) a[place + 2] = INFINITY;
            matrix m = store(a, N, D, how);
            int64_t row = -1, col = -1;
            assert_true(gpis_block_find_nonfinite(&m.block, &row, &col, &value));
            assert_int_equal(row, place / D);
            assert_int_equal(col, place % D);
            assert_true(place % 2 ? isnan(value) : value == -INFINITY);
            const gpis_block before = gpis_block_rows(&m.block, 0, place / D);
            assert_false(gpis_block_find_nonfinite(&before, &row, &col, &value));
            matrix_clear(&m);
            free(a);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels), cmocka_unit_test(unpacking_slices_and_panels),
                                       cmocka_unit_test(first_nonfinite_entry_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
