/* Blocks of rows: slicing, unpacking to plain doubles, finding entries that are not finite. */
#include "linalg/block.h"

#include <math.h>

gpis_block gpis_block_rows(const gpis_block *block, int64_t first, int64_t count) {
    gpis_block part = *block;
    part.row0 += first;
    part.nrows = count;
    if (block->kind == GPIS_BLOCK_CSR) {
        part.indptr += first;
    } else {
        const size_t width = block->type == GPIS_FLOAT64 ? sizeof(double) : sizeof(float);
        part.values = (const char *)block->values + (size_t)(first * block->row_stride) * width;
    }
    return part;
}

static void unpack_csr(const gpis_block *b, double *rows) {
    for (int64_t i = 0; i < b->nrows; i++) {
        double *row = rows + i * b->d;
        for (int64_t j = 0; j < b->d; j++) row[j] = 0.0;
        for (int64_t p = b->indptr[i]; p < b->indptr[i + 1]; p++) row[b->indices[p]] = gpis_block_entry(b, i, p);
    }
}

/* Column-major blocks are transposed in tiles, so that source and result stay in cache. */
#define DEFINE_UNPACK(name, type)                                                                              \
    static void name(const gpis_block *b, double *rows) {                                                      \
        enum { TILE = 16 };                                                                                    \
        const type *a = b->values;                                                                             \
        const int64_t rs = b->row_stride, cs = b->col_stride, d = b->d;                                        \
        if (cs == 1) {                                                                                         \
            for (int64_t i = 0; i < b->nrows; i++)                                                             \
                for (int64_t j = 0; j < d; j++) rows[i * d + j] = a[i * rs + j];                               \
            return;                                                                                            \
        }                                                                                                      \
        for (int64_t i0 = 0; i0 < b->nrows; i0 += TILE)                                                        \
            for (int64_t j = 0; j < d; j++)                                                                    \
                for (int64_t i = i0; i < i0 + TILE && i < b->nrows; i++) rows[i * d + j] = a[i * rs + j * cs]; \
    }
DEFINE_UNPACK(unpack_double, double)
DEFINE_UNPACK(unpack_float, float)

void gpis_block_unpack(const gpis_block *block, double *rows) {
    if (block->kind == GPIS_BLOCK_CSR)
        unpack_csr(block, rows);
    else if (block->type == GPIS_FLOAT64)
        unpack_double(block, rows);
    else
        unpack_float(block, rows);
}

#define DEFINE_COLUMNS(name, type)                                                                    \
    static void name(const gpis_block *b, const int64_t *columns, int64_t count, double *rows) {      \
        const type *a = b->values;                                                                    \
        const int64_t rs = b->row_stride, cs = b->col_stride;                                         \
        for (int64_t i = 0; cs == 1 && i < b->nrows; i++)                                             \
            for (int64_t c = 0; c < count; c++) rows[i * count + c] = a[i * rs + columns[c]];         \
        for (int64_t c = 0; cs != 1 && c < count; c++)                                                \
            for (int64_t i = 0; i < b->nrows; i++) rows[i * count + c] = a[i * rs + columns[c] * cs]; \
    }
DEFINE_COLUMNS(columns_double, double)
DEFINE_COLUMNS(columns_float, float)

void gpis_block_columns(const gpis_block *block, const int64_t *columns, int64_t count, double *rows) {
    if (block->type == GPIS_FLOAT64)
        columns_double(block, columns, count, rows);
    else
        columns_float(block, columns, count, rows);
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
        for (int64_t p = begin; p < end; p++) counts[sparse ? b->indices[p] : p] += gpis_block_entry(b, i, p) != 0.0;
    }
}
