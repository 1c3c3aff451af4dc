/* The Gram kernels in two doubles: for every instruction set, storage and shape the errors are within what gram_two.h
 * promises, exact data give exact sums, and nothing but W is written. */
#include "linalg/gram_two.h"

#include "linalg/dd.h"
#include "linalg/simd_level.h"
#include "quad.h"
#include "sketch/matrices.h"

enum { PAD = 24 };
#define MARK -7.0

/* [A Y]'[A Y] of the block, p x p high parts and as many low parts, which the caller frees. */
static double *summary(int level, const gpis_block *b, const double *Y, int64_t k) {
    const gpis_bordered rows = {.rows = b, .k = k, .Y = Y};
    const int64_t p = gpis_bordered_columns(&rows), size = 2 * p * p, scratch = gpis_gram_two_scratch(b->kind, p);
    double *W = malloc((size_t)(size + 2 * PAD) * sizeof *W), *work = malloc((size_t)(scratch + PAD) * sizeof *work);
    for (int64_t i = 0; i < size + 2 * PAD; i++) W[i] = i < PAD || i >= size + PAD ? MARK : 0.0;
    for (int64_t i = 0; i < scratch + PAD; i++) work[i] = i < scratch ? NAN : MARK;
    gpis_gram_two_add_at(level, &rows, (gpis_ahead){NULL, 0}, work, W + PAD);
    for (int64_t i = 0; i < PAD; i++)
        assert_true(W[i] == MARK && W[PAD + size + i] == MARK && work[scratch + i] == MARK);
    memmove(W, W + PAD, (size_t)size * sizeof *W);
    free(work);
    return W;
}

/* The lower triangle, normalised and mirrored. */
static void complete(double *W, int64_t p) {
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = 0; j <= i; j++) {
            const gpis_dd sum = gpis_dd_two_sum(W[i * p + j], W[p * p + i * p + j]);
            W[i * p + j] = W[j * p + i] = sum.high;
            W[p * p + i * p + j] = W[p * p + j * p + i] = sum.low;
        }
}

/* Normal numbers on scales from 1e-8 to 1e8, a third of them zero; or, if `whole`, small whole numbers. Floats hold
 * both. */
static double *numbers(int64_t n, int64_t d, bool whole) {
    double *a = calloc((size_t)(n * d) + 1, sizeof *a);
    gpis_random_normal(7, 0, 0, n * d, a);
    for (int64_t i = 0; i < n * d; i++) {
        const uint32_t bits = gpis_random_bits(8, 0, (uint64_t)i).v[0];
        a[i] = bits % 3 == 0 ? 0.0
               : whole       ? (double)(bits >> 8 & 31) - 15.0
                             : a[i] * pow(10.0, (double)(bits >> 8 & 15) - 8.0);
        a[i] = (float)a[i];
    }
    return a;
}

static void check_shape(int64_t n, int64_t d, int64_t k, bool whole) {
    const int64_t p = d + k;
    double *a = numbers(n, d, whole), *Y = numbers(n, k, whole);
    quad *exact = quad_summary(a, Y, n, d, k);
    for (int stored_as = 0; stored_as < STORAGES; stored_as++)
        for (int level = 0; level < GPIS_SIMD_LEVELS; level++) {
            if (!gpis_simd_runs(level)) continue;
            matrix stored = store(a, n, d, stored_as);
            double *W = summary(level, &stored.block, k ? Y : NULL, k);
            complete(W, p);
            const double roundings =
                             stored.block.kind == GPIS_BLOCK_CSR ? (double)n + 1.0 : (double)gpis_gram_two_roundings(n),
                         N = (double)n + 1.0;
            const double bound = whole ? 0.0 : (roundings + 1.0) * 0x1p-53 + 6.0 * N * N * 0x1p-106;
            if (n > 0 && !(quad_error(exact, W, p) <= bound))
                fail_msg("%lld rows, %lld + %lld columns, storage %d, level %d: an error of %.3g, and a bound of %.3g",
                         (long long)n, (long long)d, (long long)k, stored_as, level, quad_error(exact, W, p), bound);
            free(W);
            matrix_clear(&stored);
        }
    free(a), free(Y), free(exact);
}

static void every_shape(void **state) {
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 600}, responses[] = {0, 1, 3, 9};
    for (int64_t d = 1; d <= 70; d += d < 26 ? 1 : 11)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            check_shape(counts[c], d, responses[(d + (int64_t)c) % 4], false);
            check_shape(counts[c], d, responses[(d + (int64_t)c) % 4], true);
        }
}

/* With weights whose square roots are exact, 0 among them, and a column of ones: as if the rows had been multiplied. */
static void weights_and_the_constant_column(void **state) {
    (void)state;
    static const double roots[] = {1.0, 0.5, 2.0, 0.0, 4.0};
    enum { N = 300, K = 2 };
    for (int64_t d = 1; d <= 20; d++) {
        const int64_t p = d + 1 + K;
        double *a = numbers(N, d, true), *Y = numbers(N, K, true), weights[N];
        double *rows = calloc((size_t)(N * (d + 1)), sizeof *rows), *responses = calloc(N * K, sizeof *responses);
        for (int64_t i = 0; i < N; i++) {
            const double root = roots[i % 5];
            weights[i] = root * root;
            for (int64_t j = 0; j <= d; j++) rows[i * (d + 1) + j] = root * (j < d ? a[i * d + j] : 1.0);
            for (int64_t c = 0; c < K; c++) responses[i * K + c] = root * Y[i * K + c];
        }
        quad *exact = quad_summary(rows, responses, N, d + 1, K);
        for (int stored_as = 0; stored_as < STORAGES; stored_as++)
            for (int level = 0; level < GPIS_SIMD_LEVELS; level++) {
                if (!gpis_simd_runs(level)) continue;
                matrix stored = store(a, N, d, stored_as);
                stored.block.weights = weights;
                stored.block.constant = true;
                double *W = summary(level, &stored.block, Y, K);
                complete(W, p);
                assert_true(quad_error(exact, W, p) == 0.0);
                free(W);
                matrix_clear(&stored);
            }
        free(a), free(Y), free(rows), free(responses), free(exact);
    }
}

/* A sum of blocks that cancel: what is left is in the low parts of the sums before. */
static void blocks_that_cancel(void **state) {
    (void)state;
    for (int level = 0; level < GPIS_SIMD_LEVELS; level++) {
        if (!gpis_simd_runs(level)) continue;
        const int64_t room = GPIS_GRAM_TWO_ROWS, n = 3 * room;
        double *a = calloc((size_t)(2 * n), sizeof *a);
        a[0] = 0x1p60, a[1] = 1.0;                    /* 2^60 */
        a[2 * room] = a[2 * room + 1] = 1.0;          /* + 1, which the high part cannot hold */
        a[4 * room] = -0x1p60, a[4 * room + 1] = 1.0; /* - 2^60 */
        const gpis_block rows = gpis_block_dense(GPIS_FLOAT64, 0, n, 2, a);
        double *W = summary(level, &rows, NULL, 0);
        complete(W, 2);
        assert_true(W[1] == 1.0 && W[5] == 0.0);
        free(W), free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_shape), cmocka_unit_test(weights_and_the_constant_column),
                                       cmocka_unit_test(blocks_that_cancel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
