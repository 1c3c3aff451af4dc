/* The standard deviations of the columns of A. */
#ifndef GPIS_API_SPREAD_H
#define GPIS_API_SPREAD_H

#include "problem/problem.h"

/*
 * All ranks: s_j with s_j^2 = sum_i w_i (a_ij - m_j)^2 / sum_i w_i, where m_j is the weighted mean of column j; 1 for a
 * column whose entries are all alike. *scale has A->d numbers and is the caller's. One pass over A, and a second one
 * where the mean of a column is so much larger than its deviation that digits were lost: *passes of them.
 */
gpis_status gpis_spread_find(const gpis_problem *problem, double **scale, int64_t *passes);

/* From the moments of the columns about c (linalg/moments.h), `width` columns of which the last is that of ones: the
 * variance of column j, its mean, and its second moment about c. */
double gpis_spread_variance(const double *moments, int64_t width, int64_t j, double c, double *mean, double *second);
/* Whether so little is left of the second moment that moments about the mean are needed. */
bool gpis_spread_is_cancelled(double variance, double second);
/* s of a column with that variance and mean: 1 where the variance is nothing but rounding errors. */
double gpis_spread_deviation(double variance, double mean);

#endif
