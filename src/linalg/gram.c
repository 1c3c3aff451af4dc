/*
 * H += A'A, by a kernel of our own for few columns and by BLAS for many.
 *
 * dsyrk first copies its operands into the order of its kernel. With some hundred columns that takes a third as long as
 * the products, and the copies push the rows out of cache. Here a block of rows is used where it is, for one tile of H
 * after the other; while it is in cache, the next block is prefetched.
 */
#include "linalg/gram.h"

#include <cblas.h>

#include "linalg/simd_level.h"

enum {
    TILE_VECTORS = 3,      /* with AVX-512, 8 x 3 sums, the vectors, and a factor fill the registers */
    LINE_BYTES = 64,       /* of a cache line */
    BLOCK_BYTES = 1 << 18, /* of a block of rows, so that it stays in the second-level cache */
    MIN_BLOCK_ROWS = 64    /* of shorter blocks, loading and storing the tiles takes too long */
};

/* A block of rows. */
typedef struct task {
    int64_t rows, d, stride;
    const double *a;
    double *H;
} task;

#define SIMD_BODY "linalg/gram_kernel.h"
#include "linalg/simd.h"

typedef struct kernel {
    const char *(*tiles)(const task *g, const char *ahead, const char *stop);
    int64_t max_columns; /* up to which it is not slower than BLAS, measured with the same instruction set */
} kernel;

static const kernel kernels[] = {{tiles_plain, 32},
#if GPIS_X86_DISPATCH
                                 {tiles_avx2, 384},
                                 {tiles_avx512, 384}
#endif
};

int64_t gpis_gram_block_rows(int64_t d) { return gpis_max64(MIN_BLOCK_ROWS, BLOCK_BYTES / (8 * d)); }

void gpis_gram_add_at(int level, const gpis_block *b, gpis_ahead ahead, double *H) {
    const int64_t most = gpis_gram_block_rows(b->d);
    /* If there is nothing to prefetch, the range is empty and begins at the rows, since NULL allows no arithmetic. */
    const char *from = ahead.from ? ahead.from : (const char *)b->values;
    const char *stop = ahead.from ? from + ahead.bytes : from;
    for (int64_t i = 0; i < b->nrows; i += most) {
        const task block = {.rows = gpis_min64(most, b->nrows - i),
                            .d = b->d,
                            .stride = b->row_stride,
                            .a = (const double *)b->values + i * b->row_stride,
                            .H = H};
        from = kernels[level].tiles(&block, from, stop);
    }
}

bool gpis_gram_by_blocks(int64_t d) { return d <= kernels[gpis_simd_best()].max_columns; }

void gpis_gram_add(const gpis_block *b, gpis_ahead ahead, double *H) {
    if (gpis_gram_by_blocks(b->d))
        gpis_gram_add_at(gpis_simd_best(), b, ahead, H);
    else
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)b->d, (int)b->nrows, 1.0, b->values, (int)b->row_stride,
                    1.0, H, (int)b->d);
}
