/* Weighted moments of the columns of a chunk: what standard deviations are made of. */
#ifndef GPIS_MOMENTS_H
#define GPIS_MOMENTS_H

#include "linalg/block.h"

/*
 * For column j and the number c_j, over the rows i of the chunk (compressed rows: those with an entry in column j),
 *
 *     moments[j]           += sum w_i,
 *
 *     moments[width + j]   += sum w_i (a_ij - c_j),
 *
 *     moments[2 width + j] += sum w_i (a_ij - c_j)^2.
 *
 * `width` columns, that of ones included; any storage.
 */
void gpis_moments_add(const gpis_block *chunk, const double *c, double *moments);

#endif
