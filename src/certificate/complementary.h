/*
 * The second-order bound for sets of bounds and one sum, by a multiplier that is exactly complementary to s.
 *
 * The multiplier l = -2 (g + H (s - x)) should be one number, lambda, at all entries of s that no bound holds, and lie
 * on the right side of lambda at the others. Rounding s to double alone changes it by u sum_j ||a_j|| |x_j| ||a_i||,
 * and the bound of certificate.h multiplies that by the size of K: with a residual of 1e-8 of y nothing is left. Here l
 * is made what it should be first. Then, for every point z of K,
 *
 *     <l, z - x> <= lambda (R - sum x) + sum over the entries at bounds of (l_i - lambda) (bound_i - x_i),
 *
 * of which each term is small by itself; the change of l only enters 1/4 <2g + l, (cH)^-1 (2g + l)>, squared. For
 * sum |z_i| <= R it is lambda (R - sum |x_i|) + sum (lambda |x_i| - l_i x_i), with |l_i| <= lambda.
 */
#ifndef GPIS_CERTIFICATE_COMPLEMENTARY_H
#define GPIS_CERTIFICATE_COMPLEMENTARY_H

#include "certificate/certificate.h"

/* Whether this is such a set: a sum and bounds for single entries, or for jumps between neighbours (tv, monotone);
 * or a ball, where l is made a multiple of x; or a polyhedron of rows and weighted sums (set/polyhedron.h), with or
 * without a penalty h, and then it is h(x) - h(z) + <l, z - x> that is bounded. Other sets with a penalty have
 * penalised.h instead. */
bool gpis_complementary_applies(const gpis_set *set);
/* Makes the multiplier l at s (d x k) complementary; it becomes l + l_low, up to *lost. *linear: a bound on <l, z - x>
 * over K for that l. */
gpis_status gpis_complementary_clean(gpis_set *set, const gpis_point *point, const double *s, double *l, double *l_low,
                                     double *linear, double *lost);

#endif
