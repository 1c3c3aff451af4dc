/* A few rows at a time, in any order, as stochastic methods need them. Only for resident sources. */
#ifndef GPIS_BATCH_H
#define GPIS_BATCH_H

#include "linalg/terms.h"
#include "source/source.h"

typedef struct gpis_batches {
    gpis_source *A;   /* borrowed */
    const double *Y;  /* borrowed: n x k */
    gpis_terms terms; /* weights and the constant column; the ridge does not count here */
    int64_t k, rows;  /* rows of a batch */
    int64_t count;    /* batches 0 .. count - 1; the last may be shorter */
    double *unpacked; /* owned: rows x d, when the storage is not plain row-major doubles or the rows have terms */
} gpis_batches;

gpis_status gpis_batches_start(gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                               const gpis_terms *terms, int64_t rows, gpis_batches *out);
void gpis_batches_end(gpis_context *context, gpis_batches *b);

/* Fetches batch `index`, which is borrowed until the next call. Dense rows come with their terms (gpis_block_unpack),
 * compressed ones keep them apart; in what follows A_j and Y_j have them, and d counts the constant column. */
void gpis_batch_take(gpis_batches *b, int64_t index, gpis_block *out);
/* R = A_j X - Y_j, rows x k. */
void gpis_batch_residual(const gpis_batches *b, const gpis_block *rows, const double *X, double *R);
/* G += A_j' R, d x k. */
void gpis_batch_adjoint(const gpis_batches *b, const gpis_block *rows, const double *R, double *G);
/* The largest eigenvalue of A_j'A_j, or the sum of all of them where LAPACK has no memory or A_j is not finite (then
 * the sum is not, either). `work` has rows (rows + 1) doubles. */
double gpis_batch_norm2(const gpis_batches *b, const gpis_block *rows, double *work);

#endif
