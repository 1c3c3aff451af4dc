/*
 * The Gram matrix of dense rows in single precision: half the time of double, for a model that is an estimate anyway.
 *
 * Columns are scaled to unit norm first, so that neither their units nor the small range of a float matter. The error
 * is about 1e-7 of the largest eigenvalue of the scaled matrix, which does not matter to a preconditioner unless the
 * smallest eigenvalue is about as small.
 */
#ifndef GPIS_COARSE_H
#define GPIS_COARSE_H

#include "base/base.h"

/* H = B'B, d x d, both triangles, for B of m x d, row-major. The same bits for any number of threads. */
gpis_status gpis_coarse_gram(gpis_context *context, const double *B, int64_t m, int64_t d, double *H);
/* Bytes that this allocates. */
double gpis_coarse_memory(const gpis_context *context, int64_t d);

#endif
