/*
 * A first-order bound for sets with walls (nonneg, box) where columns of A depend on each other to working accuracy and
 * nothing exact is known of it.
 *
 * f is convex everywhere, so for z = x + eps p and L = A'(A z - y) = g + eps A'A p, whether z is in K or not,
 *     f(x) - f* <= 2 (<L, x> - inf over s in K of <L, s>) + eps^2 <p, A'A p>.
 * The infimum is finite if each L_j has the sign that leads to a bound ("wall") of entry j. Rounding errors spoil the
 * signs of entries that should be 0. A small eps corrects them all at once, if there is a p for which A'A p has the
 * right signs. See docs/maths.
 */
#ifndef GPIS_CERTIFICATE_INTERIOR_H
#define GPIS_CERTIFICATE_INTERIOR_H

#include "certificate/certificate.h"

/* The bound without the rounding errors of the objective; infinite where there is none. The model is that of the Gram
 * matrix, shifted or not. Where an entry has two walls, `s` tells which is meant. */
gpis_status gpis_interior_bound(gpis_context *context, const gpis_set *set, const gpis_point *point,
                                const gpis_model *model, const double *s, double *bound);

#endif
