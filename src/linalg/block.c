/* Blocks of rows: slicing, unpacking to plain doubles, finding entries that are not finite. */
#include "linalg/block.h"

#include <math.h>

#include "linalg/hot.h"
#include "linalg/terms.h"

gpis_block gpis_block_rows(const gpis_block *block, int64_t first, int64_t count) {
    gpis_block part = *block;
    part.row0 += first;
    part.nrows = count;
    if (block->weights) part.weights += first;
    if (block->kind == GPIS_BLOCK_CSR) {
        part.indptr += first;
    } else {
        const size_t width = block->type == GPIS_FLOAT64 ? sizeof(double) : sizeof(float);
        part.values = (const char *)block->values + (size_t)(first * block->row_stride) * width;
    }
    return part;
}

static void unpack_csr(const gpis_block *b, int64_t ld, double *rows) {
    for (int64_t i = 0; i < b->nrows; i++) {
        double *row = rows + i * ld;
        for (int64_t j = 0; j < b->d; j++) row[j] = 0.0;
        for (int64_t p = b->indptr[i]; p < b->indptr[i + 1]; p++) row[b->indices[p]] = gpis_block_entry(b, i, p);
    }
}

/* Column-major blocks are transposed in tiles, so that source and result stay in cache. */
#define DEFINE_UNPACK(name, type)                                                                               \
    static void name(const gpis_block *b, int64_t ld, double *rows) {                                           \
        enum { TILE = 16 };                                                                                     \
        const type *a = b->values;                                                                              \
        const int64_t rs = b->row_stride, cs = b->col_stride, d = b->d;                                         \
        if (cs == 1) {                                                                                          \
            for (int64_t i = 0; i < b->nrows; i++)                                                              \
                for (int64_t j = 0; j < d; j++) rows[i * ld + j] = a[i * rs + j];                               \
            return;                                                                                             \
        }                                                                                                       \
        for (int64_t i0 = 0; i0 < b->nrows; i0 += TILE)                                                         \
            for (int64_t j = 0; j < d; j++)                                                                     \
                for (int64_t i = i0; i < i0 + TILE && i < b->nrows; i++) rows[i * ld + j] = a[i * rs + j * cs]; \
    }
DEFINE_UNPACK(unpack_double, double)
DEFINE_UNPACK(unpack_float, float)

/* Row-major rows of doubles with their weights, in one go: a part of every pass with a Gram matrix. */
GPIS_HOT static void unpack_weighted(const double *restrict a, int64_t stride, int64_t nrows, int64_t d, bool constant,
                                     const double *restrict weights, int64_t ld, double *restrict rows) {
    for (int64_t i = 0; i < nrows; i++, a += stride, rows += ld) {
        const double root = gpis_root_weight(weights, i);
        for (int64_t j = 0; j < d; j++) rows[j] = root * a[j];
        if (constant) rows[d] = root;
    }
}

/* Applies the weights to rows that have been unpacked, and adds the column of ones. */
static void add_terms(const gpis_block *b, int64_t ld, double *rows) {
    for (int64_t i = 0; i < b->nrows; i++, rows += ld) {
        const double root = gpis_root_weight(b->weights, i);
        for (int64_t j = 0; b->weights && j < b->d; j++) rows[j] *= root;
        if (b->constant) rows[b->d] = root;
    }
}

void gpis_block_unpack_apart(const gpis_block *block, int64_t ld, double *rows) {
    const bool terms = block->weights || block->constant;
    if (terms && gpis_block_is_row_major(block) && block->type == GPIS_FLOAT64) {
        unpack_weighted(block->values, block->row_stride, block->nrows, block->d, block->constant, block->weights, ld,
                        rows);
        return;
    }
    if (block->kind == GPIS_BLOCK_CSR)
        unpack_csr(block, ld, rows);
    else if (block->type == GPIS_FLOAT64)
        unpack_double(block, ld, rows);
    else
        unpack_float(block, ld, rows);
    if (terms) add_terms(block, ld, rows);
}

void gpis_block_unpack(const gpis_block *block, double *rows) {
    gpis_block_unpack_apart(block, gpis_block_width(block), rows);
}

#define DEFINE_COLUMNS(name, type)                                                                           \
    static void name(const gpis_block *b, const int64_t *columns, int64_t count, int64_t ld, double *rows) { \
        const type *a = b->values;                                                                           \
        const int64_t rs = b->row_stride, cs = b->col_stride;                                                \
        for (int64_t i = 0; cs == 1 && i < b->nrows; i++)                                                    \
            for (int64_t c = 0; c < count; c++) rows[i * ld + c] = a[i * rs + columns[c]];                   \
        for (int64_t c = 0; cs != 1 && c < count; c++)                                                       \
            for (int64_t i = 0; i < b->nrows; i++) rows[i * ld + c] = a[i * rs + columns[c] * cs];           \
    }
DEFINE_COLUMNS(columns_double, double)
DEFINE_COLUMNS(columns_float, float)

/* Columns increase, so that the one of ones is the last of them, if it is one of them. */
void gpis_block_columns(const gpis_block *block, const int64_t *columns, int64_t count, double *rows) {
    const bool constant = count > 0 && columns[count - 1] == block->d;
    const int64_t stored = count - constant;
    if (block->type == GPIS_FLOAT64)
        columns_double(block, columns, stored, count, rows);
    else
        columns_float(block, columns, stored, count, rows);
    for (int64_t i = 0; (block->weights || constant) && i < block->nrows; i++, rows += count) {
        const double root = gpis_root_weight(block->weights, i);
        for (int64_t c = 0; block->weights && c < stored; c++) rows[c] *= root;
        if (constant) rows[stored] = root;
    }
}

bool gpis_block_find_nonfinite(const gpis_block *block, int64_t *row, int64_t *col, double *value) {
    for (int64_t i = 0; i < block->nrows; i++) {
        const bool csr = block->kind == GPIS_BLOCK_CSR;
        const int64_t begin = csr ? block->indptr[i] : 0, end = csr ? block->indptr[i + 1] : block->d;
        for (int64_t p = begin; p < end; p++) {
            const double v = gpis_block_entry(block, i, p);
            if (isfinite(v)) continue;
            *row = block->row0 + i;
            *col = csr ? block->indices[p] : p;
            *value = v;
            return true;
        }
    }
    return false;
}

void gpis_block_count_nonzeros(const gpis_block *b, double *counts) {
    for (int64_t i = 0; i < b->nrows; i++) {
        const bool sparse = b->kind == GPIS_BLOCK_CSR;
        const int64_t begin = sparse ? b->indptr[i] : 0, end = sparse ? b->indptr[i + 1] : b->d;
        if (b->weights && b->weights[i] == 0.0) continue;
        if (b->constant) counts[b->d] += 1.0;
        for (int64_t p = begin; p < end; p++) counts[sparse ? b->indices[p] : p] += gpis_block_entry(b, i, p) != 0.0;
    }
}
