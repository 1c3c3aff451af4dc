/* W += [A Y]'[A Y] in two doubles: rows are packed for the kernel (gram_two_kernel.h), and the kernel is chosen. */
#include "linalg/gram_two.h"

#include "linalg/simd_level.h"

enum {
    TILE_VECTORS = 3,      /* with AVX-512, 8 x 3 sums, the vectors, and a factor fill the registers */
    LINE_BYTES = 64,       /* of a cache line */
    BLOCK_BYTES = 1 << 19, /* of a packed block, so that it stays in the second-level cache */
    MAX_ROWS = 256,        /* of a block: longer ones cost roundings */
    MIN_ROWS = 128         /* of shorter ones, loading and storing W takes too long */
};

/* A block of packed rows. */
typedef struct task {
    int64_t rows, p, room;
    const double *packed;
    double *W;
} task;

#define SIMD_BODY "linalg/gram_two_kernel.h"
#include "linalg/simd.h"

typedef struct kernel {
    const char *(*tiles)(const task *g, const char *ahead, const char *stop);
    void (*pairs)(const double *values, const int32_t *columns, int64_t count, int64_t p, double *W);
} kernel;

static const kernel kernels[] = {{tiles_plain, pairs_plain},
#if GPIS_X86_DISPATCH
                                 {tiles_avx2, pairs_avx2},
                                 {tiles_avx512, pairs_avx512}
#endif
};

int64_t gpis_gram_two_rows(int64_t p) { return p * MAX_ROWS * 8 <= BLOCK_BYTES ? MAX_ROWS : MIN_ROWS; }

/* The product, the additions of a short sum, and those of the short sums. */
int64_t gpis_gram_two_roundings(gpis_block_kind kind, int64_t rows, int64_t p) {
    const int64_t block = gpis_min64(rows, gpis_gram_two_rows(p));
    const int64_t sums = (block + GPIS_GRAM_TWO_SHORT - 1) / GPIS_GRAM_TWO_SHORT;
    return kind == GPIS_BLOCK_CSR ? 1 : 1 + gpis_min64(block, GPIS_GRAM_TWO_SHORT) + sums;
}

/* For compressed rows: the values of one row of [A Y] and their columns. */
int64_t gpis_gram_two_scratch(gpis_block_kind kind, int64_t p) {
    return kind == GPIS_BLOCK_CSR ? p + p / 2 + 1 : gpis_panels_of(p) * GPIS_PANEL * gpis_gram_two_rows(p);
}

static void add_dense(const kernel *by, const gpis_bordered *b, gpis_ahead ahead, double *scratch, double *W) {
    const int64_t p = gpis_bordered_columns(b), room = gpis_gram_two_rows(p);
    /* If there is nothing to prefetch, the range is empty and begins at the rows, since NULL allows no arithmetic. */
    const char *from = ahead.from ? ahead.from : (const char *)scratch;
    const char *stop = ahead.from ? from + ahead.bytes : from;
    for (int64_t i = 0; i < b->rows->nrows; i += room) {
        const int64_t rows = gpis_min64(room, b->rows->nrows - i);
        gpis_pack(b, i, rows, room, scratch);
        const task block = {.rows = rows, .p = p, .room = room, .packed = scratch, .W = W};
        from = by->tiles(&block, from, stop);
    }
}

static void add_compressed(const kernel *by, const gpis_bordered *from, double *values, double *W) {
    const gpis_block *b = from->rows;
    const int64_t p = gpis_bordered_columns(from), k = from->k;
    int32_t *columns = (int32_t *)(values + p);
    for (int64_t i = 0; i < b->nrows; i++) {
        int64_t count = 0;
        for (int64_t e = b->indptr[i]; e < b->indptr[i + 1]; e++) {
            values[count] = gpis_block_entry(b, i, e);
            columns[count++] = b->indices[e];
        }
        for (int64_t c = 0; from->Y && c < k; c++) {
            values[count] = from->Y[i * k + c];
            columns[count++] = (int32_t)(p - k + c);
        }
        by->pairs(values, columns, count, p, W);
    }
}

void gpis_gram_two_add_at(int level, const gpis_bordered *b, gpis_ahead ahead, double *scratch, double *W) {
    if (b->rows->kind == GPIS_BLOCK_CSR)
        add_compressed(&kernels[level], b, scratch, W);
    else
        add_dense(&kernels[level], b, ahead, scratch, W);
}

void gpis_gram_two_add(const gpis_bordered *b, gpis_ahead ahead, double *scratch, double *W) {
    gpis_gram_two_add_at(gpis_simd_best(), b, ahead, scratch, W);
}
