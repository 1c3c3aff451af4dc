/* Whether a sum of products is zero: not nearly, but exactly, by arithmetic that loses nothing. */
#ifndef GPIS_EXACT_H
#define GPIS_EXACT_H

#include "linalg/block.h"

/* a b - c d where that is a double; NaN where it is not, or where it cannot be told. */
double gpis_exact_cross(double a, double b, double c, double d);

/* misses[c] += rows i of the block for which sum_j A_ij V_jc, V of d x count, is not shown to be exactly zero. Whoever
 * adds nothing has A v = 0. Any storage. */
void gpis_exact_misses(const gpis_block *block, int64_t count, const double *V, double *misses);

#endif
