/* Signed sums of rows and panels of columns, in every storage, against sums written out. */
#include "linalg/addrows.h"

#include "linalg/panel.h"
#include "sketch/matrices.h"

enum { N = 40, D = 19, BUCKETS = 6, EACH = 3 };

static void gather_adds_named_rows(void **state) {
    (void)state;
    double *a = small_numbers(N * D, 1);
    uint32_t terms[N];
    for (uint32_t e = 0; e < N; e++) terms[e] = gpis_signed_code(e * 7 % N, e % 3 == 0);
    for (int how = 0; how < STORAGES; how++) {
        if (how == COLUMN_64 || how == COLUMN_32) continue;
        matrix A = store(a, N, D, (storage)how);
        for (int64_t count = 0; count <= 11; count++) {
            double want[D], got[D];
            for (int j = 0; j < D; j++) want[j] = got[j] = 0.1 * j;
            for (int64_t e = 0; e < count; e++)
                for (int j = 0; j < D; j++) want[j] += (e % 3 ? 1.0 : -1.0) * a[e * 7 % N * D + j];
            gpis_gather_rows(&A.block, terms, count, terms + N, got);
            assert_memory_equal(want, got, sizeof want);
            for (int j = 0; j < D; j++) got[j] = 0.1 * j;
            gpis_gather_rows(&A.block, terms, count, terms + count, got); /* nothing comes after */
            assert_memory_equal(want, got, sizeof want);
        }
        matrix_clear(&A);
    }
    free(a);
}

static void scatter_adds_to_named_sums(void **state) {
    (void)state;
    double *a = small_numbers(N * D, 2);
    uint32_t codes[N * EACH];
    for (uint32_t e = 0; e < N * EACH; e++) codes[e] = gpis_signed_code(e * 5 % BUCKETS, e % 4 == 0);
    for (int how = ROW_64; how <= COLUMN_32; how++) {
        matrix A = store(a, N, D, (storage)how);
        for (int j = 0; j < D; j++) {
            double want[BUCKETS] = {0}, got[BUCKETS] = {0};
            for (int e = 0; e < N * EACH; e++) want[e * 5 % BUCKETS] += (e % 4 ? 1.0 : -1.0) * a[e / EACH * D + j];
            gpis_scatter_column(&A.block, j, codes, EACH, got);
            assert_memory_equal(want, got, sizeof want);
        }
        matrix_clear(&A);
    }
    free(a);
}

static void panels_hold_their_columns(void **state) {
    (void)state;
    double *a = small_numbers(N * D, 3), panel[N * D];
    for (int how = 0; how < STORAGES; how++) {
        matrix A = store(a, N, D, (storage)how);
        for (int64_t col0 = 0; col0 < D; col0 += 5)
            for (int64_t cols = 1; col0 + cols <= D; cols += 3) {
                gpis_block_unpack_columns(&A.block, col0, cols, panel);
                for (int64_t p = 0; p < N * cols; p++) assert_true(panel[p] == a[p / cols * D + col0 + p % cols]);
            }
        matrix_clear(&A);
    }
    free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gather_adds_named_rows),
        cmocka_unit_test(scatter_adds_to_named_sums),
        cmocka_unit_test(panels_hold_their_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
