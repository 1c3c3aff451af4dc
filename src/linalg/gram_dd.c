/* W += [A Y]'[A Y] in double-double: rows are packed for the kernel (gram_dd_kernel.h), and the kernel is chosen. */
#include "linalg/gram_dd.h"

#include "linalg/dd.h"
#include "linalg/packed.h"
#include "linalg/simd_level.h"

/* A block of packed rows. */
typedef struct task {
    int64_t rows, p;
    const double *packed;      /* the entries a_ri */
    const double *left, *rest; /* w_r a_ri as a double, and what that leaves out; without weights `packed` and NULL */
    double *W;
} task;

/* Where entry (row, column) of the block is in the panels. */
static inline int64_t packed_at(int64_t row, int64_t column) { return gpis_packed_at(GPIS_GRAM_DD_ROWS, row, column); }

#define SIMD_BODY "linalg/gram_dd_kernel.h"
#include "linalg/simd.h"

typedef struct kernel {
    void (*tiles)(const task *g);
    void (*pairs)(const double *values, const int32_t *columns, int64_t count, double weight, int64_t p, double *W);
} kernel;

static const kernel kernels[] = {{tiles_plain, pairs_plain},
#if GPIS_X86_DISPATCH
                                 {tiles_avx2, pairs_avx2},
                                 {tiles_avx512, pairs_avx512}
#endif
};

static int64_t packed_size(int64_t p) { return gpis_panels_of(p) * GPIS_PANEL * GPIS_GRAM_DD_ROWS; }

/* For compressed rows: the values of one row of [A Y] and their columns. */
int64_t gpis_gram_dd_scratch(gpis_block_kind kind, int64_t p, bool weighted) {
    return kind == GPIS_BLOCK_CSR ? p + p / 2 + 1 : packed_size(p) * (weighted ? 3 : 1);
}

double gpis_gram_dd_products(int64_t p) {
    const double panels = (double)(p / GPIS_PANEL), rest = (double)(p % GPIS_PANEL);
    return GPIS_PANEL * (panels + 1.0) * (0.5 * GPIS_PANEL * panels + rest);
}

/* ---- dense rows -------------------------------------------------------------------------------------------------- */

/* left + rest = w_r a_ri exactly, for packed rows. */
static void weigh(const gpis_block *b, int64_t p, const double *packed, double *left, double *rest) {
    for (int64_t j0 = 0; j0 < p; j0 += GPIS_PANEL)
        for (int64_t i = 0; i < b->nrows; i++)
            for (int64_t at = packed_at(i, j0); at < packed_at(i, j0) + GPIS_PANEL; at++) {
                const gpis_dd product = gpis_dd_two_product(b->weights[i], packed[at]);
                left[at] = product.high;
                rest[at] = product.low;
            }
}

static void add_dense(const kernel *by, const gpis_block *b, const double *Y, int64_t k, double *scratch, double *W) {
    gpis_block rows = *b;
    const gpis_bordered plain = {.rows = &rows, .k = k, .Y = Y};
    rows.weights = NULL; /* they are held exactly, beside the rows */
    const int64_t p = gpis_block_width(b) + k;
    double *left = b->weights ? scratch + packed_size(p) : scratch, *rest = b->weights ? left + packed_size(p) : NULL;
    for (int64_t i = 0; i < b->nrows; i += GPIS_GRAM_DD_ROWS) {
        const gpis_block block = gpis_block_rows(b, i, gpis_min64(GPIS_GRAM_DD_ROWS, b->nrows - i));
        gpis_pack(&plain, i, block.nrows, GPIS_GRAM_DD_ROWS, scratch);
        if (rest) weigh(&block, p, scratch, left, rest);
        const task g = {.rows = block.nrows, .p = p, .packed = scratch, .left = left, .rest = rest, .W = W};
        by->tiles(&g);
    }
}

/* ---- compressed rows --------------------------------------------------------------------------------------------- */

static void add_compressed(const kernel *by, const gpis_block *b, const double *Y, int64_t k, double *values,
                           double *W) {
    const int64_t d = gpis_block_width(b), p = d + k;
    int32_t *columns = (int32_t *)(values + p);
    for (int64_t i = 0; i < b->nrows; i++) {
        int64_t count = 0;
        for (int64_t e = b->indptr[i]; e < b->indptr[i + 1]; e++) {
            values[count] = gpis_block_entry(b, i, e);
            columns[count++] = b->indices[e];
        }
        if (b->constant) {
            values[count] = 1.0;
            columns[count++] = (int32_t)b->d;
        }
        for (int64_t c = 0; Y && c < k; c++) {
            values[count] = Y[i * k + c];
            columns[count++] = (int32_t)(d + c);
        }
        by->pairs(values, columns, count, b->weights ? b->weights[i] : 1.0, p, W);
    }
}

void gpis_gram_dd_add_at(int level, const gpis_block *b, const double *Y, int64_t k, double *scratch, double *W) {
    if (b->kind == GPIS_BLOCK_CSR)
        add_compressed(&kernels[level], b, Y, k, scratch, W);
    else
        add_dense(&kernels[level], b, Y, k, scratch, W);
}

void gpis_gram_dd_add(const gpis_block *b, const double *Y, int64_t k, double *scratch, double *W) {
    gpis_gram_dd_add_at(gpis_simd_best(), b, Y, k, scratch, W);
}
