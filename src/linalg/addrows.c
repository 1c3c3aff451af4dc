/* Signed sums of rows, in two ways: a sum gathers its rows, or rows (or a column) are scattered to their sums. */
#include "linalg/addrows.h"

#include "linalg/hot.h"
#include "linalg/terms.h"

/* The factor of a row in the sums: its sign, and the square root of its weight. */
static inline double factor_of(double sign, const double *weights, int64_t row) {
    return weights ? sign * sqrt(weights[row]) : sign;
}

/* Four rows at a time: the running sum is then loaded and stored once for four rows, and four streams of memory are
 * read at once. Meanwhile the first cache lines of the next four rows are prefetched; the hardware prefetches the rest
 * of a row once it has begun (prefetching whole rows was slower: 1.7 reads of A instead of 1.34 at 1000 columns). The
 * order of the additions is the same as row by row. */
enum { ROWS_AT_ONCE = 4, LINE_BYTES = 64, PREFETCHED_LINES = 2 };

#define DEFINE_GATHER(name, type)                                                                                      \
    GPIS_HOT static void name(const type *restrict a, int64_t stride, int64_t cols, const double *weights,             \
                              const uint32_t *restrict terms, int64_t count, const uint32_t *limit,                    \
                              double *restrict sum) {                                                                  \
        const int64_t last = limit - terms - 1;                                                                        \
        int64_t e = 0;                                                                                                 \
        for (; e + ROWS_AT_ONCE <= count; e += ROWS_AT_ONCE) {                                                         \
            const type *r[ROWS_AT_ONCE];                                                                               \
            double sign[ROWS_AT_ONCE];                                                                                 \
            for (int q = 0; q < ROWS_AT_ONCE; q++) {                                                                   \
                const type *next = a + gpis_code_number(terms[gpis_min64(e + q + ROWS_AT_ONCE, last)]) * stride;       \
                for (int l = 0; l < PREFETCHED_LINES; l++) __builtin_prefetch((const char *)next + l * LINE_BYTES);    \
                r[q] = a + gpis_code_number(terms[e + q]) * stride;                                                    \
                sign[q] = factor_of(gpis_code_sign(terms[e + q]), weights, gpis_code_number(terms[e + q]));            \
            }                                                                                                          \
            for (int64_t j = 0; j < cols; j++)                                                                         \
                sum[j] = (((sum[j] + sign[0] * r[0][j]) + sign[1] * r[1][j]) + sign[2] * r[2][j]) + sign[3] * r[3][j]; \
        }                                                                                                              \
        for (; e < count; e++) {                                                                                       \
            const type *row = a + gpis_code_number(terms[e]) * stride;                                                 \
            const double sign = factor_of(gpis_code_sign(terms[e]), weights, gpis_code_number(terms[e]));              \
            for (int64_t j = 0; j < cols; j++) sum[j] += sign * row[j];                                                \
        }                                                                                                              \
    }
DEFINE_GATHER(gather_double, double)
DEFINE_GATHER(gather_float, float)

#define DEFINE_GATHER_CSR(name, type)                                                                   \
    static void name(const gpis_block *b, const uint32_t *terms, int64_t count, double *restrict sum) { \
        const type *values = b->values;                                                                 \
        for (int64_t e = 0; e < count; e++) {                                                           \
            const int64_t i = gpis_code_number(terms[e]), end = b->indptr[i + 1];                       \
            const double sign = factor_of(gpis_code_sign(terms[e]), b->weights, i);                     \
            for (int64_t p = b->indptr[i]; p < end; p++) sum[b->indices[p]] += sign * values[p];        \
        }                                                                                               \
    }
DEFINE_GATHER_CSR(gather_csr_double, double)
DEFINE_GATHER_CSR(gather_csr_float, float)

void gpis_gather_rows(const gpis_block *b, const uint32_t *terms, int64_t count, const uint32_t *limit, double *sum) {
    const bool wide = b->type == GPIS_FLOAT64;
    for (int64_t e = 0; b->constant && e < count; e++)
        sum[b->d] += factor_of(gpis_code_sign(terms[e]), b->weights, gpis_code_number(terms[e]));
    if (b->kind == GPIS_BLOCK_CSR) {
        if (wide)
            gather_csr_double(b, terms, count, sum);
        else
            gather_csr_float(b, terms, count, sum);
    } else if (wide) {
        gather_double(b->values, b->row_stride, b->d, b->weights, terms, count, limit, sum);
    } else {
        gather_float(b->values, b->row_stride, b->d, b->weights, terms, count, limit, sum);
    }
}

#define DEFINE_SCATTER_ROWS(name, type)                                                                               \
    GPIS_HOT static void name(const type *restrict a, int64_t stride, int64_t nrows, int64_t cols,                    \
                              const double *weights, const uint32_t *restrict codes, int each, double *restrict sums, \
                              int64_t ld) {                                                                           \
        for (int64_t i = 0; i < nrows; i++, a += stride)                                                              \
            for (int t = 0; t < each; t++, codes++) {                                                                 \
                double *restrict sum = sums + gpis_code_number(*codes) * ld;                                          \
                const double sign = factor_of(gpis_code_sign(*codes), weights, i);                                    \
                for (int64_t j = 0; j < cols; j++) sum[j] += sign * a[j];                                             \
            }                                                                                                         \
    }
DEFINE_SCATTER_ROWS(scatter_rows_double, double)
DEFINE_SCATTER_ROWS(scatter_rows_float, float)

/* The column of ones: sums[code * ld] += the factor of each row. */
static void scatter_ones(const gpis_block *b, const uint32_t *codes, int each, double *sums, int64_t ld) {
    for (int64_t i = 0; i < b->nrows; i++)
        for (int t = 0; t < each; t++, codes++)
            sums[gpis_code_number(*codes) * ld] += factor_of(gpis_code_sign(*codes), b->weights, i);
}

void gpis_scatter_rows(const gpis_block *b, int64_t col0, int64_t cols, const uint32_t *codes, int each, double *sums) {
    const int64_t stored = gpis_min64(cols, b->d - col0), ld = gpis_block_width(b);
    if (b->type == GPIS_FLOAT64)
        scatter_rows_double((const double *)b->values + col0, b->row_stride, b->nrows, stored, b->weights, codes, each,
                            sums + col0, ld);
    else
        scatter_rows_float((const float *)b->values + col0, b->row_stride, b->nrows, stored, b->weights, codes, each,
                           sums + col0, ld);
    if (cols > stored) scatter_ones(b, codes, each, sums + b->d, ld);
}

#define DEFINE_SCATTER(name, type)                                                                               \
    static void name(const type *restrict a, int64_t stride, int64_t nrows, const double *weights,               \
                     const uint32_t *codes, int each, double *restrict sums) {                                   \
        for (int64_t i = 0; i < nrows; i++)                                                                      \
            for (int t = 0; t < each; t++, codes++)                                                              \
                sums[gpis_code_number(*codes)] += factor_of(gpis_code_sign(*codes), weights, i) * a[i * stride]; \
    }
DEFINE_SCATTER(scatter_double, double)
DEFINE_SCATTER(scatter_float, float)

void gpis_scatter_column(const gpis_block *b, int64_t j, const uint32_t *codes, int each, double *sums) {
    const int64_t first = j * b->col_stride;
    if (j == b->d) {
        scatter_ones(b, codes, each, sums, 1);
    } else if (b->type == GPIS_FLOAT64) {
        scatter_double((const double *)b->values + first, b->row_stride, b->nrows, b->weights, codes, each, sums);
    } else {
        scatter_float((const float *)b->values + first, b->row_stride, b->nrows, b->weights, codes, each, sums);
    }
}
