/*
 * Bounds for a set with a penalty h (set/penalty.h): they are about F = f + h, F(x) - F* <= gap.
 *
 * For every l, h(s) >= <l, s> - h*(l) on K, so that h(x) + h*(l) - <l, x> takes the place of support(l) - <l, x> in all
 * of certificate.h. Two things are special to a penalty, and here: the best l is known entry by entry, and h keeps
 * better points near, even where K is unbounded. See docs/maths/certificates.md, "Penalties".
 */
#ifndef GPIS_CERTIFICATE_PENALISED_H
#define GPIS_CERTIFICATE_PENALISED_H

#include "certificate/certificate.h"

/* Moves each entry of the multiplier l + l_low at s (d x k) to a subgradient of h and the bounds of the entries there.
 * Returns h(x) + h*(l) - <l, x> for the larger set that has these bounds only. */
double gpis_penalised_clean(const gpis_set *set, const gpis_point *point, const double *s, double *l, double *l_low);

/* An upper bound on ||D (s - x)|| over all s in K with F(s) <= F(x), D = diag(||a_j||), where a column of zeros counts
 * with the norm of the longest; infinite where there is none. c: as for gpis_certificate_second. */
double gpis_penalised_reach(const gpis_set *set, const gpis_point *point, const gpis_model *model, double c);

/* gpis_certificate_first for a set with a penalty. */
gpis_status gpis_penalised_first(gpis_context *context, gpis_set *set, const gpis_point *point, double *gap);

/* A bound of first order on F(x) - F(s) for all s in K with h(s) <= level. It scales no residual, so that it holds for
 * F with a linear term, too, whose half the gradient contains. With l' the subgradient of h and of the bounds at x that
 * is nearest to l = -2 g,
 *
 *     F(x) - F(s)  <=  h(x) + h*(l') - <l', x> + <l - l', s - x>,
 *
 * and the last term is at most max (|l - l'|_j / lambda_j) level + sum of |l - l'|_j |x_j|. */
gpis_status gpis_penalised_within(gpis_context *context, const gpis_set *set, const gpis_point *point, double level,
                                  double *gap);

#endif
