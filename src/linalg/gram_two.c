/* W += [A 1 Y]'[A 1 Y] in two doubles: rows are packed for the kernel (gram_two_kernel.h), and the kernel is chosen. */
#include "linalg/gram_two.h"

#include "linalg/simd_level.h"

enum {
    TILE_VECTORS = 3, /* with AVX-512, 8 x 3 sums, the vectors, and a factor fill the registers */
    LINE_BYTES = 64,  /* of a cache line */
    /* Rows that a panel has room for: one more, so that panels do not fall on the same sets of the cache. */
    ROOM = GPIS_GRAM_TWO_ROWS + 1
};

/* A block of packed rows. */
typedef struct task {
    int64_t rows, p, room;
    const double *packed;
    double *W;
} task;

#define SIMD_BODY "linalg/gram_two_kernel.h"
#include "linalg/simd.h"

typedef void (*kernel)(const task *g, gpis_ahead ahead);

static const kernel kernels[] = {tiles_plain,
#if GPIS_X86_DISPATCH
                                 tiles_avx2, tiles_avx512
#endif
};

/* The product, the additions of a short sum, and those of the short sums. */
int64_t gpis_gram_two_roundings(int64_t rows) {
    const int64_t block = gpis_min64(rows, GPIS_GRAM_TWO_ROWS);
    return 1 + gpis_min64(block, GPIS_GRAM_TWO_SHORT) + (block + GPIS_GRAM_TWO_SHORT - 1) / GPIS_GRAM_TWO_SHORT;
}

int64_t gpis_gram_two_scratch(gpis_block_kind kind, int64_t p) {
    return kind == GPIS_BLOCK_CSR ? 0 : gpis_panels_of(p) * GPIS_PANEL * ROOM;
}

static void add_dense(kernel tiles, const gpis_bordered *b, gpis_ahead ahead, double *scratch, double *W) {
    const int64_t p = gpis_bordered_columns(b), room = ROOM;
    const int64_t all = gpis_bordered_rows(b), bytes = ahead.from ? ahead.bytes : 0;
    for (int64_t i = 0; i < all; i += GPIS_GRAM_TWO_ROWS) {
        const int64_t rows = gpis_min64(GPIS_GRAM_TWO_ROWS, all - i);
        gpis_pack(b, i, rows, room, scratch);
        const task block = {.rows = rows, .p = p, .room = room, .packed = scratch, .W = W};
        /* Where there is nothing to prefetch, the rows are named, since NULL allows no arithmetic. */
        const gpis_ahead part = {bytes ? ahead.from + bytes / all * i : (const char *)scratch, bytes / all * rows};
        tiles(&block, part);
    }
}

/* row[j] += factor times entry j, for the entries of a compressed row up to number `end`. */
GPIS_INLINE void add_scaled(const gpis_block *b, int64_t begin, int64_t end, double factor, bool single,
                            double *restrict row) {
    const int32_t *restrict indices = b->indices;
    const float *floats = b->values;
    const double *doubles = b->values;
#pragma GCC unroll 4
    for (int64_t t = begin; t < end; t++) row[indices[t]] += factor * (single ? (double)floats[t] : doubles[t]);
}

/* Row i of the block: the products of its entries with each other, with the 1, and with those of Y. */
GPIS_INLINE void add_row(const gpis_bordered *from, int64_t i, bool single, int64_t p, double *restrict W) {
    const gpis_block *b = from->rows;
    const double weight = b->weights ? b->weights[i] : 1.0, *Y = from->Y ? from->Y + i * from->k : NULL;
    const int64_t begin = b->indptr[i], end = b->indptr[i + 1], y0 = gpis_block_width(b);
    for (int64_t s = begin; s < end; s++)
        add_scaled(b, begin, s + 1, weight * gpis_block_entry(b, i, s), single, W + b->indices[s] * p);
    if (b->constant) {
        add_scaled(b, begin, end, weight, single, W + b->d * p);
        W[b->d * p + b->d] += weight;
    }
    for (int64_t c = 0; Y && c < from->k; c++) {
        double *restrict row = W + (y0 + c) * p;
        const double factor = weight * Y[c];
        add_scaled(b, begin, end, factor, single, row);
        if (b->constant) row[b->d] += factor;
        for (int64_t e = 0; e <= c; e++) row[y0 + e] += factor * Y[e];
    }
}

GPIS_HOT static void add_compressed(const gpis_bordered *from, double *W) {
    const int64_t p = gpis_bordered_columns(from), count = gpis_bordered_rows(from), *picked = from->picked;
    const bool single = from->rows->type == GPIS_FLOAT32;
    for (int64_t i = 0; single && i < count; i++) add_row(from, picked ? picked[i] : i, true, p, W);
    for (int64_t i = 0; !single && i < count; i++) add_row(from, picked ? picked[i] : i, false, p, W);
}

void gpis_gram_two_add_at(int level, const gpis_bordered *b, gpis_ahead ahead, double *scratch, double *W) {
    if (b->rows->kind == GPIS_BLOCK_CSR)
        add_compressed(b, W);
    else
        add_dense(kernels[level], b, ahead, scratch, W);
}

void gpis_gram_two_add(const gpis_bordered *b, gpis_ahead ahead, double *scratch, double *W) {
    gpis_gram_two_add_at(gpis_simd_best(), b, ahead, scratch, W);
}
