/* Combinations of the rows of a matrix, with a bound on what rounding does to them. */
#ifndef GPIS_SET_COMBINE_H
#define GPIS_SET_COMBINE_H

#include "base/base.h"

/* w = M'c, a combination of the rows of M (rows x d, row-major), in extended precision and then rounded. Returns an
 * upper bound on ||w - M'c||_2 for the real numbers M'c. */
double gpis_combine_rows(const double *M, int64_t rows, int64_t d, const double *c, double *w);
/* The same in double-double: M'c is w + w_low, up to the bound returned. */
double gpis_combine_rows_low(const double *M, int64_t rows, int64_t d, const double *c, double *w, double *w_low);
/* The sum of a_i b_i, and in *error an upper bound on its distance from the real number. */
double gpis_combine_numbers(const double *a, const double *b, int64_t count, double *error);

#endif
