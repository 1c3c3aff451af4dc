/* A block of rows as it is stored: the one currency between sources, sketches and the pass. */
#ifndef GPIS_BLOCK_H
#define GPIS_BLOCK_H

#include "base/base.h"

typedef enum gpis_block_kind { GPIS_BLOCK_DENSE, GPIS_BLOCK_CSR } gpis_block_kind;

typedef struct gpis_block {
    gpis_block_kind kind;
    gpis_type type;
    int64_t row0, nrows, d; /* rows row0 .. row0 + nrows - 1 of the whole matrix */
    const void *values;     /* dense: the block's element (0, 0); CSR: the whole array of values */
    /* dense: element (i, j) is values[i * row_stride + j * col_stride]; one of the two strides is 1 */
    int64_t row_stride, col_stride;
    /* CSR: row i of the block is values[p], indices[p] for p in [indptr[i], indptr[i + 1]) */
    const int64_t *indptr;
    const int32_t *indices;
    /* What a pass adds to the rows of a source (terms.h). */
    const double *weights; /* of the rows of the block, nrows of them; NULL: each is 1 */
    bool constant;         /* a column of ones follows the d columns that are stored */
} gpis_block;

/* The columns of a row, with that of ones. */
static inline int64_t gpis_block_width(const gpis_block *b) { return b->d + b->constant; }

/* A block of contiguous row-major rows of d entries at `values`; the first is row row0 of the whole matrix. */
static inline gpis_block gpis_block_dense(gpis_type type, int64_t row0, int64_t nrows, int64_t d, const void *values) {
    return (gpis_block){.kind = GPIS_BLOCK_DENSE,
                        .type = type,
                        .row0 = row0,
                        .nrows = nrows,
                        .d = d,
                        .values = values,
                        .row_stride = d,
                        .col_stride = 1};
}

/* The rows [first, first + count) of a block, themselves a block. */
gpis_block gpis_block_rows(const gpis_block *block, int64_t first, int64_t count);

static inline bool gpis_block_is_row_major(const gpis_block *b) {
    return b->kind == GPIS_BLOCK_DENSE && b->col_stride == 1;
}

/* Entry p of row i as a double: for dense rows, column p; for compressed rows, values[p] with p from indptr[i] on. */
static inline double gpis_block_entry(const gpis_block *b, int64_t i, int64_t p) {
    const int64_t at = b->kind == GPIS_BLOCK_CSR ? p : i * b->row_stride + p * b->col_stride;
    return b->type == GPIS_FLOAT64 ? ((const double *)b->values)[at] : (double)((const float *)b->values)[at];
}

/* Writes the block as row-major doubles, nrows x width with leading dimension width: row i times the square root of its
 * weight, and that square root in the column of ones. */
void gpis_block_unpack(const gpis_block *block, double *rows);
/* The same with rows `ld` numbers apart. */
void gpis_block_unpack_apart(const gpis_block *block, int64_t ld, double *rows);

/* The same for `count` selected columns, nrows x count; column d is the one of ones. Dense blocks only. */
void gpis_block_columns(const gpis_block *block, const int64_t *columns, int64_t count, double *rows);

/* counts[j] += entries of column j that are not zero, in rows whose weight is not zero; `width` columns. */
void gpis_block_count_nonzeros(const gpis_block *block, double *counts);

/* Row and column (from 0, row of the whole matrix) of the first entry that is not finite; false if there is none. */
bool gpis_block_find_nonfinite(const gpis_block *block, int64_t *row, int64_t *col, double *value);

#endif
