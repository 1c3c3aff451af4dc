/*
 * certificate: how far f(x) can be above the best, proven from one gradient. It knows no method.
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
 * Any l at all gives a true bound, and minus the gradient of the model (with c = 1) at its near minimiser one that is
 * at most 1 / c times the best. A second one, of the set without what does not hold s, serves where K is huge.
 *
 * Both carry the rounding errors of the pass they come from (docs/maths).
 */
#ifndef GPIS_CERTIFICATE_H
#define GPIS_CERTIFICATE_H

#include "base/base.h"
#include "linalg/model.h"
#include "set/set.h"

/* What rounding can have done to a measured point: the residual is off by a vector of norm `residual`, and an entry of
 * A'r by another `product` times ||a_j||. */
typedef struct gpis_errors {
    double residual, product;
} gpis_errors;

/* How a point x = x_r + sum_i t_i (x_i - x_r) was made of at most 12 measured ones; all 0 for a measured one. */
typedef struct gpis_combination {
    double objective;  /* what errors of its parts and of their sum can have done to the objective */
    double columns;    /* sum_i |t_i| sum_j ||a_j|| |x_i - x_r|_j */
    double images;     /* sum_i |t_i| ||A (x_i - x_r)|| */
    gpis_errors parts; /* those of the points, times the sum of all |t_i|: what they leave in the gradient */
    bool made;
} gpis_combination;

/* A point of K and what a pass found there. All borrowed. */
typedef struct gpis_point {
    const double *x, *g;  /* d x k */
    double objective;     /* ||A x - y||^2 */
    const double *norms2; /* squared norms of the columns of A */
    /* roundings of a row's product and of the sums over the rows (gpis_pass_roundings) */
    double residual_roundings, objective_roundings, gradient_roundings;
    bool extended; /* residuals were computed in extended precision */
    gpis_combination combination;
} gpis_point;

/* What rounding can have done to the gradient of a point. */
gpis_errors gpis_certificate_errors(const gpis_set *set, const gpis_point *point);

/* The same for what is said with this model: of A, or of the matrix near A that the model's claims are about. */
gpis_errors gpis_certificate_errors_for(const gpis_set *set, const gpis_point *point, const gpis_model *model);

/* What rounding can have done to the objective of a point: below this, differences of objectives mean nothing. */
double gpis_certificate_noise(const gpis_set *set, const gpis_point *point);
/* What rounding x to double does to an objective of zero: there is no point in asking for less. */
double gpis_certificate_grain(const gpis_set *set, const gpis_point *point);

/* 1/4 <v, (c H)^-1 v> for v = 2 g + l of d x k, which is overwritten and may be off by `lost` in the norm of H^-1. */
double gpis_certificate_conjugate(const gpis_model *model, double c, int64_t k, double lost, double *v);

/* Bounds on f(x) - f*; infinite where there is none. */
gpis_status gpis_certificate_first(gpis_context *context, gpis_set *set, const gpis_point *point, double *gap);
/* `s`: a near minimiser of the model over K around x (inner/inner.h), or any other point, in K or not, where its
 * gradient makes a better l. */
gpis_status gpis_certificate_second(gpis_context *context, gpis_set *set, const gpis_point *point,
                                    const gpis_model *model, const double *s, double *gap);
/* The same for a point of whose errors more is known than its own entries tell, since it is a part of a larger one;
 * with a model that was not shifted. */
gpis_status gpis_certificate_within(gpis_context *context, gpis_set *set, const gpis_point *point, gpis_errors errors,
                                    const gpis_model *model, const double *s, double *gap);

#endif
