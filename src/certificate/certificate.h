/*
 * Certificates: upper bounds on f(x) - f*, how far the objective at x is above the best possible one, from one
 * gradient. They hold whatever method has found x.
 *
 * With g = A'(A x - y) and f = ||A x - y||^2, for x in K:
 *
 * first order (bounded K), by convexity:
 *     f(x) - f* <= 2 (<g, x> + support(-g)).
 *
 * second order, with A'A >= c H - slack D^2 (linalg/model.h): for every s in K, with p = s - x,
 *     f(s) >= f(x) + 2 <g, p> + c <p, H p> - slack ||D p||^2,
 * and for any l with a finite support function, since <l, s> <= support(l),
 *     min over s in K of 2 <g, p> + c <p, H p>  >=  -1/4 <2g + l, (c H)^-1 (2g + l)> + <l, x> - support(l).
 * Any such l gives a true bound. The l that is used is minus the gradient of the model (with c = 1) at its near
 * minimiser s; its bound is at most 1 / c times the best possible one. A second l is tried too, that of a larger set,
 * in which only those bounds of single entries are left that s has reached; it gives the better bound where K is huge.
 *
 * Both bounds include the rounding errors of the measured point that they start from (linalg/point.h, docs/maths).
 */
#ifndef GPIS_CERTIFICATE_H
#define GPIS_CERTIFICATE_H

#include <math.h>
#include <stdbool.h>

#include "base/base.h"
#include "linalg/model.h"
#include "linalg/point.h"
#include "set/set.h"

/* F(x) = f(x) + h(x) for a set with a penalty h (set/penalty.h), f(x) without one; and an upper bound on its error. All
 * gaps are about F. */
double gpis_certificate_objective(const gpis_set *set, const gpis_point *point);
double gpis_certificate_noise(const gpis_set *set, const gpis_point *point);

/* What rounding x to double does to an objective of zero. A smaller objective cannot be told from zero. */
double gpis_certificate_grain(const gpis_set *set, const gpis_point *point);

/* 1/2 ||v|| in the norm of (c H)^-1, for v = 2 g + l of d x k, which is overwritten. The true v may differ from the
 * given one by `lost` in the norm of H^-1. */
double gpis_certificate_half_norm(const gpis_model *model, double c, int64_t k, double lost, double *v);

/* Whether there is a first-order bound: K is bounded, or every entry that is not has a penalty. */
bool gpis_certificate_has_first(const gpis_set *set);
/* The support function at v, as gpis_set_support_near bounds it, for a first-order bound at the member x. Over a
 * bounded polyhedron the multipliers are those for which v is nearest to a normal at x: near the minimum they are as
 * good as the best ones, which are the solution of a linear program. */
gpis_status gpis_certificate_first_support(gpis_set *set, const double *x, double *v, double *value, double *slack);
/* The first-order bound on f(x) - f*. This bound and the next are infinite where there is none, and always for a set
 * without a support function. */
gpis_status gpis_certificate_first(gpis_context *context, gpis_set *set, const gpis_point *point, double *gap);

/* A first-order bound for an unbounded K: for every s in K, with r = ||D (s - x)||, f(x) - f(s) <= base + tilt r. A
 * column of zeros counts in D with the norm of the longest column. Infinite for a set with a penalty. */
typedef struct gpis_tilted {
    double base, tilt;
} gpis_tilted;
gpis_status gpis_certificate_first_tilted(gpis_context *context, gpis_set *set, const gpis_point *point,
                                          gpis_tilted *out);
/* Where K is unbounded along the line of constant vectors e alone (tv): at least r for every s in K that is not worse
 * than x. Since K = B + {t e}, s - x = u + t e with ||u|| <= 2 radius(B), and
 *     ||A e|| |t| <= ||A (s - x)|| + ||A u|| <= 2 F^1/2 + ||A u||,     ||A e||^2 >= c <e, H e> - slack ||D e||^2.
 * Infinite elsewhere. */
double gpis_certificate_line_reach(const gpis_set *set, const gpis_point *point, const gpis_model *model);

/* A second-order bound. For every s in K, with r = ||D (s - x)||,
 *     f(x) - f(s) <= base + slack r^2     and     f(x) - f(s) <= tilted + tilt r + slack r^2. */
typedef struct gpis_second_order {
    double gap; /* f(x) - f* <= gap; equal to base without a slack */
    double base;
    double tilted, tilt;
} gpis_second_order;
#define GPIS_NO_SECOND_ORDER ((gpis_second_order){INFINITY, INFINITY, INFINITY, INFINITY})

/* `c`: the constant for which A'A >= c H - slack D^2 is to be taken as true: model->c for a Gram matrix, what probes
 * allow for a sketch, 1 to ask how far the model itself can fall. `s`: a near minimiser of the model over K around x
 * (inner/inner.h), or any other point, in K or not, at which the gradient of the model makes a better l. */
gpis_status gpis_certificate_second(gpis_context *context, gpis_set *set, const gpis_point *point,
                                    const gpis_model *model, double c, const double *s, gpis_second_order *out);
/* The same with c = model->c, by the curvature of the model alone: infinite where the model had to be shifted. */
gpis_status gpis_certificate_curved(gpis_context *context, gpis_set *set, const gpis_point *point,
                                    const gpis_model *model, const double *s, double *gap);

#endif
