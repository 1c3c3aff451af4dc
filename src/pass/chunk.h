/* What one chunk of rows adds to the sums of its strip. */
#ifndef GPIS_CHUNK_H
#define GPIS_CHUNK_H

#include "pass/pass.h"

/* Few responses go one by one through the fused kernel, more through BLAS; both read the chunk from cache. */
enum { GPIS_FEW_RESPONSES = 8 };

/* The sums of one strip. G is d x k and AAV, right behind it, d x probes; k x d and probes x d when `transposed`.
 * NULL: not wanted. In extended precision G + low is the sum. */
typedef struct gpis_sums {
    double objective, AP2, Y2;
    double *G, *AAV, *norms2, *gram, *misses, *low;
} gpis_sums;

/* What is the same for all chunks of a pass. */
typedef struct gpis_chunk_plan {
    const gpis_pass *pass;
    bool transposed;            /* dense data and few vectors: XT, PT, VT and the strips' G and AAV are transposed */
    const double *XT, *VT, *PT; /* k x d and, right behind it, probes x d; k x d */
    bool zero;                  /* dense data and X = 0: the residual is -Y */
    bool unpack;                /* BLAS needs row-major doubles and the blocks are not */
    const int32_t *position;    /* of each column among those of the Gram matrix, -1: none; NULL: all are */
    int64_t part_rows;          /* all but the Gram matrix goes through so many rows at a time, which stay in cache */
    bool gram_by_parts;         /* the Gram matrix too */
    /* where in the scratch: R is at its beginning, nrows x k; unpacked rows; columns of the Gram matrix */
    int64_t unpacked_at, columns_at;
} gpis_chunk_plan;

void gpis_chunk_add(const gpis_chunk_plan *plan, const gpis_block *chunk, double *scratch, gpis_sums *sums);

#endif
