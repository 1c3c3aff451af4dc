/* The Walsh-Hadamard transform. */
#ifndef GPIS_FWHT_H
#define GPIS_FWHT_H

#include "base/base.h"

/* X <- H X for X of n x width, row-major, n a power of two, with H the n x n Hadamard matrix of Sylvester, entries
 * H[i][j] = (-1)^popcount(i & j), not scaled (H'H = n I). n log2(n) additions a column. */
void gpis_fwht(double *x, int64_t n, int64_t width);

#endif
