/* The Gram kernels in double-double: the same bits for every instruction set and storage, errors within what gram_dd.h
 * promises, and nothing but W written. */
#include "linalg/gram_dd.h"

#include "linalg/dd.h"
#include "linalg/simd_level.h"
#include "quad.h"
#include "sketch/matrices.h"

enum { PAD = 24 };
#define MARK -7.0

/* [A Y]'[A Y] of the block, p x p high parts and as many low parts, which the caller frees. */
static double *summary(int level, const gpis_block *b, const double *Y, int64_t k) {
    const int64_t p = b->d + k, size = 2 * p * p, scratch = gpis_gram_dd_scratch(b->kind, p, false);
    double *W = malloc((size_t)(size + 2 * PAD) * sizeof *W), *work = malloc((size_t)(scratch + PAD) * sizeof *work);
    for (int64_t i = 0; i < size + 2 * PAD; i++) W[i] = i < PAD || i >= size + PAD ? MARK : 0.0;
    for (int64_t i = 0; i < scratch + PAD; i++) work[i] = i < scratch ? NAN : MARK;
    gpis_gram_dd_add_at(level, b, Y, k, work, W + PAD);
    for (int64_t i = 0; i < PAD; i++)
        assert_true(W[i] == MARK && W[PAD + size + i] == MARK && work[scratch + i] == MARK);
    memmove(W, W + PAD, (size_t)size * sizeof *W);
    free(work);
    return W;
}

/* Normal numbers on scales from 1e-8 to 1e8, a third of them zero. `single`: only numbers that float32 holds. */
static double *ill_scaled(int64_t n, int64_t d, bool single) {
    double *a = calloc((size_t)(n * d) + 1, sizeof *a);
    gpis_random_normal(7, 0, 0, n * d, a);
    for (int64_t i = 0; i < n * d; i++) {
        const uint32_t bits = gpis_random_bits(8, 0, (uint64_t)i).v[0];
        a[i] = bits % 3 == 0 ? 0.0 : a[i] * pow(10.0, (double)(bits >> 8 & 15) - 8.0);
        if (single) a[i] = (float)a[i];
    }
    return a;
}

static void check_equal(const double *W, const double *other, int64_t p, const char *what, int64_t n) {
    for (int part = 0; part < 2; part++)
        for (int64_t i = 0; i < p; i++)
            for (int64_t j = 0; j <= i; j++) {
                const int64_t at = part * p * p + i * p + j;
                if (W[at] != other[at])
                    fail_msg("%s: %lld rows, entry (%lld, %lld) of %lld columns: %a and %a", what, (long long)n,
                             (long long)i, (long long)j, (long long)p, W[at], other[at]);
            }
}

/* All instruction sets and all dense storages of the same numbers have the same bits, and so have all compressed ones.
 */
static void check_bits(int64_t n, int64_t d, int64_t k) {
    double *a = ill_scaled(n, d, true), *Y = calloc((size_t)(n * k) + 1, sizeof *Y), *first[2] = {NULL, NULL};
    gpis_random_normal(9, 0, 0, n * k, Y);
    for (int stored_as = 0; stored_as < STORAGES; stored_as++)
        for (int level = 0; level < GPIS_SIMD_LEVELS; level++) {
            if (!gpis_simd_runs(level)) continue;
            matrix stored = store(a, n, d, stored_as);
            const int kind = stored.block.kind == GPIS_BLOCK_CSR;
            double *W = summary(level, &stored.block, k ? Y : NULL, k);
            if (first[kind]) {
                check_equal(W, first[kind], d + k, "storages or instruction sets", n);
                free(W);
            } else {
                first[kind] = W;
            }
            matrix_clear(&stored);
        }
    free(a), free(Y), free(first[0]), free(first[1]);
}

static void same_bits_everywhere(void **state) {
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 63, 64, 65, 130}, responses[] = {0, 1, 3, 9};
    for (int64_t d = 1; d <= 70; d += d < 26 ? 1 : 11)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            check_bits(counts[c], d, responses[(d + (int64_t)c) % 4]);
}

/* A block of dense rows has an error of m (m + 3) u^2, and each addition in double-double at most GPIS_DD_UNIT. */
static void check_error(int64_t n, int64_t d, int64_t k) {
    const int64_t m = gpis_min64(n, GPIS_GRAM_DD_ROWS), blocks = (n + m - 1) / m;
    double *a = ill_scaled(n, d, false), *Y = calloc((size_t)(n * k) + 1, sizeof *Y);
    gpis_random_normal(9, 0, 0, n * k, Y);
    quad *exact = quad_summary(a, Y, n, d, k);
    for (int stored_as = 0; stored_as < STORAGES; stored_as++) {
        if (stored_as != ROW_64 && stored_as != CSR_64) continue;
        const double bound = stored_as == CSR_64 ? (double)n * GPIS_DD_UNIT
                                                 : (double)(m * (m + 3)) * 0x1p-106 + (double)blocks * GPIS_DD_UNIT;
        matrix stored = store(a, n, d, stored_as);
        double *W = summary(gpis_simd_best(), &stored.block, Y, k);
        const double error = quad_error(exact, W, d + k);
        if (!(error <= bound)) fail_msg("storage %d, %lld rows: %.3g > %.3g", stored_as, (long long)n, error, bound);
        free(W);
        matrix_clear(&stored);
    }
    free(a), free(Y), free(exact);
}

static void errors_are_small(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {{1, 3, 1}, {2, 8, 0}, {3, 17, 2}, {64, 5, 1}, {65, 20, 1}, {1000, 9, 3}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) check_error(shapes[i][0], shapes[i][1], shapes[i][2]);
}

/*
 * Sums that are exact in double-double although terms and partial sums are not in double: the error of a product, the
 * error of a sum, and both after a cancellation.
 */
static void nothing_is_lost(void **state) {
    (void)state;
    const double e = 0x1p-30;
    const struct {
        double a[4], b[4], high, low;
    } cases[] = {
        {{1 + e, 0, 0, 0}, {1 - e, 0, 0, 0}, 1.0, -e * e},
        {{1, e, 0, 0}, {1, e * e, 0, 0}, 1.0, e * e * e},
        {{0x1p20, 1 + e, -0x1p20, 0}, {0x1p20, 1 - e, 0x1p20, 0}, 1.0, -e * e},
        {{0x1p20, 1 + e, -0x1p20, -1}, {0x1p20, 1 - e, 0x1p20, 1}, -e * e, 0.0},
        {{1 + e, -1, 0, 0}, {1 + e, 1 + 2 * e, 0, 0}, e * e, 0.0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double rows[8];
        for (int i = 0; i < 4; i++) rows[2 * i] = cases[c].a[i], rows[2 * i + 1] = cases[c].b[i];
        for (int level = 0; level < GPIS_SIMD_LEVELS; level++)
            for (int stored_as = 0; gpis_simd_runs(level) && stored_as < STORAGES; stored_as++) {
                if (stored_as == ROW_32 || stored_as == COLUMN_32 || stored_as == CSR_32) continue;
                matrix stored = store(rows, 4, 2, stored_as);
                double *W = summary(level, &stored.block, NULL, 0);
                if (W[2] != cases[c].high || W[6] != cases[c].low)
                    fail_msg("case %zu, storage %d, instruction set %d: %a + %a in the place of %a + %a", c, stored_as,
                             level, W[2], W[6], cases[c].high, cases[c].low);
                free(W);
                matrix_clear(&stored);
            }
    }
}

/* What is already in W stays there, rows are added to it, and a missing Y counts as zeros. */
static void rows_are_added(void **state) {
    (void)state;
    enum { N = 200, D = 11, K = 2, P = D + K };
    double *a = ill_scaled(N, D, false), *Y = ill_scaled(N, K, false);
    for (int stored_as = ROW_64; stored_as < STORAGES; stored_as += CSR_64 - ROW_64) {
        matrix stored = store(a, N, D, stored_as);
        double *work = malloc((size_t)gpis_gram_dd_scratch(stored.block.kind, P, false) * sizeof *work);
        double *whole = summary(gpis_simd_best(), &stored.block, Y, K), *pieces = calloc(2 * P * P, sizeof *pieces);
        for (int64_t i = 0; i < N; i += GPIS_GRAM_DD_ROWS) {
            const gpis_block part = gpis_block_rows(&stored.block, i, gpis_min64(GPIS_GRAM_DD_ROWS, N - i));
            gpis_gram_dd_add(&part, Y + i * K, K, work, pieces);
        }
        check_equal(pieces, whole, P, "pieces", N);
        double *without = summary(gpis_simd_best(), &stored.block, NULL, K);
        for (int64_t i = 0; i < P; i++)
            for (int64_t j = 0; j <= i; j++) assert_true(without[i * P + j] == (i < D ? whole[i * P + j] : 0.0));
        free(work), free(whole), free(pieces), free(without);
        matrix_clear(&stored);
    }
    free(a), free(Y);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_everywhere), cmocka_unit_test(errors_are_small),
                                       cmocka_unit_test(nothing_is_lost), cmocka_unit_test(rows_are_added)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
