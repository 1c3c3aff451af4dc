/*
 * H += A'A, by a kernel of our own for few columns and by BLAS for many.
 *
 * dsyrk copies its operands to where they are contiguous in the order of its kernel. With some hundred columns that
 * takes as long as a third of the products, and the copies push the rows out of cache. Here a block of rows is read
 * where it lies, tile after tile of H; while it is in cache memory brings the next one.
 */
#include "linalg/gram.h"

#include <cblas.h>

#include "linalg/simd_level.h"

enum {
    WIDE = 3,  /* vectors of a tile: with AVX-512 8 x 3 sums, the vectors, and a factor fill the registers */
    LINE = 64, /* bytes that memory brings at once */
    BLOCK_BYTES = 1 << 18, /* a block of rows stays in the second-level cache */
    LEAST_ROWS = 64        /* of a block, or tiles come and go too often */
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
    int64_t most; /* columns for which it is no slower than BLAS, measured with the same instruction set */
} kernel;

static const kernel kernels[] = {{tiles_plain, 32},
#if GPIS_X86_DISPATCH
                                 {tiles_avx2, 384},
                                 {tiles_avx512, 384}
#endif
};

void gpis_gram_add_at(int level, const gpis_block *b, gpis_ahead ahead, double *H) {
    const int64_t most = gpis_max64(LEAST_ROWS, BLOCK_BYTES / (8 * b->d));
    /* Where nothing lies ahead, the rows themselves stand for it: there is no arithmetic with NULL. */
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

bool gpis_gram_by_blocks(int64_t d) { return d <= kernels[gpis_simd_best()].most; }

void gpis_gram_add(const gpis_block *b, gpis_ahead ahead, double *H) {
    if (gpis_gram_by_blocks(b->d))
        gpis_gram_add_at(gpis_simd_best(), b, ahead, H);
    else
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)b->d, (int)b->nrows, 1.0, b->values, (int)b->row_stride,
                    1.0, H, (int)b->d);
}
