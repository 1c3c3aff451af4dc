/* A few columns of a block as plain doubles. */
#include "linalg/panel.h"

#include <string.h>

#include "linalg/terms.h"

/* The first position in [begin, end) whose column is at least `column`; columns increase along a row. */
static int64_t lower_bound(const int32_t *indices, int64_t begin, int64_t end, int64_t column) {
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (indices[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static void unpack_csr_columns(const gpis_block *b, int64_t col0, int64_t cols, double *panel) {
    memset(panel, 0, (size_t)(b->nrows * cols) * sizeof *panel);
    for (int64_t i = 0; i < b->nrows; i++, panel += cols) {
        const int64_t end = b->indptr[i + 1];
        for (int64_t p = lower_bound(b->indices, b->indptr[i], end, col0); p < end; p++) {
            if (b->indices[p] >= col0 + cols) break;
            panel[b->indices[p] - col0] =
                b->type == GPIS_FLOAT64 ? ((const double *)b->values)[p] : (double)((const float *)b->values)[p];
        }
    }
}

/* The columns that are stored. */
static void unpack_stored(const gpis_block *block, int64_t col0, int64_t cols, double *panel) {
    if (block->kind == GPIS_BLOCK_CSR) {
        unpack_csr_columns(block, col0, cols, panel);
        return;
    }
    const size_t width = block->type == GPIS_FLOAT64 ? sizeof(double) : sizeof(float);
    gpis_block part = *block;
    part.values = (const char *)block->values + (size_t)(col0 * block->col_stride) * width;
    part.d = cols;
    part.weights = NULL;
    part.constant = false;
    gpis_block_unpack(&part, panel);
}

/* The stored columns are unpacked first, close together, and then moved apart from the last row on to make room for the
 * column of ones. */
void gpis_block_unpack_columns(const gpis_block *block, int64_t col0, int64_t cols, double *panel) {
    const bool constant = block->constant && col0 + cols > block->d;
    const int64_t stored = cols - constant;
    if (stored > 0) unpack_stored(block, col0, stored, panel);
    for (int64_t i = block->nrows - 1; (constant || block->weights) && i >= 0; i--) {
        const double root = gpis_root_weight(block->weights, i);
        if (constant) panel[i * cols + stored] = root;
        for (int64_t j = stored - 1; j >= 0; j--) panel[i * cols + j] = root * panel[i * stored + j];
    }
}
