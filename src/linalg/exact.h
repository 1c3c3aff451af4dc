/* Whether a sum of products is exactly zero, by arithmetic without rounding errors. */
#ifndef GPIS_EXACT_H
#define GPIS_EXACT_H

#include "linalg/block.h"

/* a b - c d if that is a double; NaN if it is not, or if that cannot be decided. */
double gpis_exact_cross(double a, double b, double c, double d);

/* misses[c] += the number of rows i of the block for which sum_j A_ij V_jc, with V of d x count, is not shown to be
 * exactly zero. If nothing is added, A v = 0 for these rows. Any storage; d counts a column of ones, and rows whose
 * weight is zero do not count. */
void gpis_exact_misses(const gpis_block *block, int64_t count, const double *V, double *misses);

#endif
