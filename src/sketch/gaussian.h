/* Products with a Gaussian matrix whose entries are generated when they are used: shared by gaussian and count-gauss.
 */
#ifndef GPIS_SKETCH_GAUSSIAN_H
#define GPIS_SKETCH_GAUSSIAN_H

#include "base/base.h"

/* Columns of G taken at a time: divides GPIS_SKETCH_QUANTUM. */
enum { GPIS_GAUSSIAN_CHUNK = 256 };

/* G is m x (any), entries independent N(0, 1/m); entry (r, i) is a function of (seed, stream, m, r, i). */
typedef struct gpis_gaussian {
    int64_t m;
    uint64_t seed, stream;
} gpis_gaussian;

/* Doubles of scratch that gpis_gaussian_add needs for that many threads. */
int64_t gpis_gaussian_scratch(int threads);

/* out (m x d) += G[:, i0 .. i0 + count) X and, where k > 0, out2 (m x k) += G[...] X2, for X of count x d, X2 of
 * count x k, all row-major; count <= GPIS_GAUSSIAN_CHUNK. */
void gpis_gaussian_add(const gpis_gaussian *g, int64_t i0, int64_t count, const double *X, int64_t d, double *out,
                       const double *X2, int64_t k, double *out2, double *scratch, int threads);

/* Refuses more columns than an int of BLAS can count. */
gpis_status gpis_gaussian_check(gpis_context *context, int64_t d, int64_t k);

#endif
