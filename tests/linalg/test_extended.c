/* The gradient in extended precision: R and, for dense rows, A'R are those of long doubles, rounded once. */
#include "linalg/extended.h"

#include <float.h>
#include <math.h>

#include "support.h"

enum { N = 700, D = 7, K = 2 };

/* Rows come in pairs that nearly cancel, so that sums in doubles lose the difference. */
static void fill(double *A, double *Y) {
    gpis_random_normal(1, 1, 0, N * D, A);
    gpis_random_normal(1, 2, 0, N * K, Y);
    for (int i = N / 2; i < N; i++)
        for (int j = 0; j < D; j++) A[i * D + j] = A[(i - N / 2) * D + j] * (1.0 + 1e-13 * j);
    for (int i = N / 2; i < N; i++)
        for (int c = 0; c < K; c++) Y[i * K + c] = -Y[(i - N / 2) * K + c];
}

static void sums_are_rounded_once(void **state) {
    (void)state;
    static double A[N * D], columns[N * D], X[D * K], Y[N * K], R[N * K], G[D * K];
    fill(A, Y);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++) columns[j * N + i] = A[i * D + j];
    const gpis_block by_rows = {.kind = GPIS_BLOCK_DENSE,
                                .type = GPIS_FLOAT64,
                                .nrows = N,
                                .d = D,
                                .values = A,
                                .row_stride = D,
                                .col_stride = 1};
    gpis_block by_columns = by_rows;
    by_columns.values = columns;
    by_columns.row_stride = 1;
    by_columns.col_stride = N;
    const gpis_block *const blocks[] = {&by_rows, &by_columns};
    for (int b = 0; b < 2; b++) {
        for (int i = 0; i < D * K; i++) G[i] = 0.0;
        gpis_extended_gradient(blocks[b], K, X, Y, R, G, NULL);
        for (int i = 0; i < N * K; i++) assert_true(R[i] == -Y[i]);
        for (int j = 0; j < D; j++)
            for (int c = 0; c < K; c++) {
                long double sum = 0;
                for (int i = 0; i < N; i++) sum += (long double)A[i * D + j] * R[i * K + c];
                assert_true(fabsl(G[j * K + c] - sum) <= DBL_EPSILON * fabsl(sum));
            }
    }
}

/* Over several chunks, two doubles hold more digits of the sum than one. */
static void nothing_is_lost_between_chunks(void **state) {
    (void)state;
    static double A[N * D], X[D * K], Y[N * K], R[N * K], G[D * K], low[D * K];
    fill(A, Y);
    for (int csr = 0; csr < 2; csr++) {
        static int64_t indptr[N + 1];
        static int32_t indices[N * D];
        for (int i = 0; i < N * D; i++) indices[i] = i % D;
        for (int i = 0; i <= N; i++) indptr[i] = (int64_t)i * D;
        gpis_block all = gpis_block_dense(GPIS_FLOAT64, 0, N, D, A);
        if (csr)
            all = (gpis_block){.kind = GPIS_BLOCK_CSR,
                               .type = GPIS_FLOAT64,
                               .nrows = N,
                               .d = D,
                               .values = A,
                               .indptr = indptr,
                               .indices = indices};
        for (int i = 0; i < D * K; i++) G[i] = low[i] = 0.0;
        for (int first = 0; first < N; first += 50) {
            const gpis_block chunk = gpis_block_rows(&all, first, 50);
            gpis_extended_gradient(&chunk, K, X, Y + first * K, R + first * K, G, low);
        }
        for (int j = 0; j < D; j++)
            for (int c = 0; c < K; c++) {
                long double sum = 0, size = 0;
                for (int i = 0; i < N; i++) {
                    sum += (long double)A[i * D + j] * R[i * K + c];
                    size += fabsl((long double)A[i * D + j] * R[i * K + c]);
                }
                assert_true(fabsl((long double)G[j * K + c] + low[j * K + c] - sum) <= 20.0L * LDBL_EPSILON * size);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_rounded_once),
                                       cmocka_unit_test(nothing_is_lost_between_chunks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
