/* Kernels over a chunk of dense rows that is small enough to stay in cache from A x to A'r. */
#ifndef GPIS_DENSE_H
#define GPIS_DENSE_H

#include "linalg/block.h"

/*
 * For one vector x (d entries) and one chunk:
 *     r = A x - y          (x NULL: r = -y; y NULL: r = A x)
 *     g += A'r             (g NULL: not wanted)
 * Returns ||r||^2. r has as many entries as the chunk has rows; y is read with stride y_stride.
 * A chunk with weights w and a column of ones (block.h): x and g have one entry more, r is [A 1] x - y first, the sum
 * of w r^2 is returned, and r is w r in the end, so that g += [A 1]' r as before. The order of every sum depends only
 * on the shape and storage of the chunk.
 */
double gpis_dense_gradient(const gpis_block *chunk, const double *x, const double *y, int64_t y_stride, double *r,
                           double *g);

/*
 * The same for `count` vectors at once, which are the rows of X; X and G are count x width. y, and the squared norm
 * that is returned, are for the first vector only. Each row of A is loaded once for all vectors. r is scratch.
 */
enum { GPIS_DENSE_VECTORS = 5 };
double gpis_dense_gradients(const gpis_block *chunk, int count, const double *X, const double *y, int64_t y_stride,
                            double *r, double *G);

/* The kernels for one instruction set, as above (`gradients`: row-major chunks only, without scratch). */
typedef struct gpis_dense_kernels {
    double (*gradient)(const gpis_block *, const double *, const double *, int64_t, double *, double *);
    double (*gradients)(const gpis_block *, int, const double *, const double *, int64_t, double *);
    void (*norms)(const gpis_block *chunk, double *norms2); /* row-major */
    int lanes;                                              /* independent sums of a dot product */
} gpis_dense_kernels;

/* The kernels of a level (simd_level.h); NULL if this machine cannot run them. */
const gpis_dense_kernels *gpis_dense_kernels_at(int level);

/* The number of independent sums in which this machine computes a dot product of contiguous numbers. */
int gpis_dense_lanes(void);
/* An upper bound on the roundings that a term of such a product of `length` terms goes through, in so many lanes. */
int64_t gpis_dense_dot_roundings(int64_t length, int lanes);
/* The same for the squares that the functions above add up to ||r||^2, for a row-major chunk of so many rows. */
int64_t gpis_dense_square_roundings(int64_t rows);

/* norms2[j] += sum of squares of column j of the chunk, each times the weight of its row. */
void gpis_dense_column_norms(const gpis_block *chunk, double *norms2);

#endif
