/*
 * The first-order bound where the last entry b of x is free: the coefficient of a column of ones, say.
 *
 * With 1 that column, N = ||1||^2 and m_j = <a_j, 1> / N, let g' = g_j - m_j g_b for the other entries: half of the
 * gradient of the least f over b. For (x, b) and every (s, t), since ||v||^2 >= <1, v>^2 / N,
 *
 *     f(x, b) - f(s, t)  <=  2 <g', x - s> + g_b^2 / N,
 *
 * so that the bound of a set K of the other entries holds for K and every b, with g_b^2 / N more. Unlike a bound of
 * second order it needs no model, and columns may depend on each other. See docs/maths/ranges.md, "A free constant".
 */
#ifndef GPIS_CERTIFICATE_CENTRED_H
#define GPIS_CERTIFICATE_CENTRED_H

#include "certificate/certificate.h"

/* The sums <a_j, 1> of the columns: each is within gamma ||a_j|| ||1|| of the exact one. */
typedef struct gpis_column_sums {
    const double *sum; /* borrowed: one for each entry but the last */
    double gamma;
} gpis_column_sums;

/* gamma of sums that a pass over n rows has made, by folds or not: each is of at most n products with a weight. */
double gpis_column_sums_gamma(int64_t n);

/* `set` is for all entries but the last; `point` has all of them. */
gpis_status gpis_certificate_centred(gpis_context *context, gpis_set *set, const gpis_point *point,
                                     gpis_column_sums sums, double *gap);
/* The same by gpis_penalised_within, for a set with a penalty. */
gpis_status gpis_certificate_centred_within(gpis_context *context, gpis_set *set, const gpis_point *point,
                                            gpis_column_sums sums, double level, double *gap);

#endif
