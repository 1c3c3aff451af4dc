/*
 * A bound from a point v and a multiplier l in double-double, of which the support function is known by the way it was
 * made (set/multiplier.h). v need not be in K, nor l optimal.
 *
 * f is convex with gradient 2 g at v. With r = 2 g + l, for every s in K
 *
 *     f(s) >= f(v) + 2 <g, s - v> = f(v) + <l, v> - <l, s> + <r, s - v>
 *          >= lower - tilt ||D (s - v)||,    lower = f(v) + <l, v> - support(l),    tilt = ||D^-1 r||,
 *
 * where a column of zeros counts in D with the norm of the longest column. No model is needed: where v and l solve the
 * problem in double-double, r is some 1e-30 of its terms. With a penalty h, the conjugate sup <l, s> - h(s) takes the
 * place of support(l), and the bound is one on f + h.
 */
#ifndef GPIS_CERTIFICATE_KNOWN_H
#define GPIS_CERTIFICATE_KNOWN_H

#include "linalg/model.h"
#include "linalg/point.h"
#include "set/multiplier.h"

typedef struct gpis_known_bound {
    double lower, tilt; /* as above */
    double whole;       /* f* >= whole; -INFINITY if there is no such bound */
} gpis_known_bound;

/* `model` (NULL: none) is one of A'A >= c H without a slack, which proves the bound on an unbounded K. */
gpis_known_bound gpis_certificate_known(const gpis_set *set, const gpis_point *v, const gpis_known_multiplier *l,
                                        const gpis_model *model);
/* An upper bound on ||D (x - v)|| for x of d x k. */
double gpis_known_distance(const gpis_set *set, const gpis_point *v, const double *x);

#endif
