/* Kernels over a dense chunk of rows small enough to stay in cache between their two halves, A x and A'r. */
#ifndef GPIS_DENSE_H
#define GPIS_DENSE_H

#include "linalg/block.h"

/*
 * For one vector x (d entries) and one chunk:
 *     r = A x - y          (x NULL: r = -y; y NULL: r = A x)
 *     g += A'r             (g NULL: not wanted)
 * Returns ||r||^2. r has room for the chunk's rows; y is read with stride y_stride.
 * The order of every sum depends on the chunk's shape and storage alone.
 */
double gpis_dense_gradient(const gpis_block *chunk, const double *x, const double *y, int64_t y_stride, double *r,
                           double *g);

/*
 * The same for `count` vectors at once, X and G of count x d, each row of X a vector; y belongs to the first alone, and
 * so does the squared norm returned. Rows are loaded once for all: cheaper than one by one. r is scratch.
 */
enum { GPIS_DENSE_VECTORS = 5 };
double gpis_dense_gradients(const gpis_block *chunk, int count, const double *X, const double *y, int64_t y_stride,
                            double *r, double *G);

/* The kernels for one instruction set, as above (gradients: row-major chunks alone, and no scratch). */
typedef struct gpis_dense_kernels {
    double (*gradient)(const gpis_block *, const double *, const double *, int64_t, double *, double *);
    double (*gradients)(const gpis_block *, int, const double *, const double *, int64_t, double *);
    void (*norms)(const gpis_block *chunk, double *norms2); /* row-major */
    int lanes;                                              /* sums that a dot product runs side by side */
} gpis_dense_kernels;

/* Those of a level (simd_level.h); NULL where this machine cannot run them. */
const gpis_dense_kernels *gpis_dense_kernels_at(int level);

/* Roundings, at most, that a term of <a_i, x> goes through for a row of d entries, row-major. */
int64_t gpis_dense_dot_roundings(int64_t d);

/* norms2[j] += sum of squares of column j of the chunk. */
void gpis_dense_column_norms(const gpis_block *chunk, double *norms2);

#endif
