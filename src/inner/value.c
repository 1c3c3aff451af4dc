/* The model q at a point, and the rounding errors of that value: what all solvers need. */
#include <float.h>
#include <math.h>

#include "inner/solver.h"
#include "linalg/accurate.h"
#include "set/penalty.h"

/* 1/2 (h(s) - h(x)), entry by entry, since most entries cancel. */
double gpis_inner_rise(const gpis_inner *inner, const double *s) {
    const int64_t k = inner->set->k, size = inner->set->d * k;
    const double *lambda = inner->set->penalty;
    double rise = 0.0;
    for (int64_t i = 0; lambda && i < size; i++) rise += 0.5 * lambda[i / k] * (fabs(s[i]) - fabs(inner->x[i]));
    return rise;
}

double gpis_inner_value(const gpis_inner *inner, const double *s, double *p, double *Hp) {
    const int64_t size = inner->set->d * inner->set->k;
    double value = 0.0;
    for (int64_t i = 0; i < size; i++) p[i] = s[i] - inner->x[i];
    gpis_model_apply(inner->model, inner->set->k, p, Hp);
    for (int64_t i = 0; i < size; i++) value += p[i] * (0.5 * Hp[i] + inner->g[i]);
    return inner->set->penalty ? value + gpis_inner_rise(inner, s) : value;
}

/* The conjugate of h / 2 over K at p, which is moved to where it is finite: h*(2 p) / 2. */
static gpis_status half_conjugate(const gpis_inner *inner, const double *at, double *p, double *value) {
    const int64_t size = inner->set->d * inner->set->k;
    double lost;
    for (int64_t i = 0; i < size; i++) p[i] *= 2.0;
    const gpis_status status = gpis_set_support_at(inner->set, at, p, value, &lost);
    for (int64_t i = 0; i < size; i++) p[i] *= 0.5;
    *value = 0.5 * (*value + gpis_set_height(inner->set, inner->x));
    return status;
}

/* For every s in K, q(s) >= <g + l, s - x> + 1/2 <s - x, H (s - x)> - support(l) + <l, x>
 *                          >= -1/2 <g + l, H^-1 (g + l)> - support(l) + <l, x>,    l = -grad q(v).
 * With a penalty q + (h - h(x)) / 2 is bounded, and the conjugate of h / 2 takes the place of the support function. */
gpis_status gpis_inner_bound(const gpis_inner *inner, const double *v, double *p, double *Hp, double *bound) {
    const int64_t size = inner->set->d * inner->set->k;
    double support, lost, along = 0.0;
    *bound = -INFINITY;
    if (!inner->set->has_support) return GPIS_OK;
    gpis_inner_value(inner, v, p, Hp);
    for (int64_t i = 0; i < size; i++) p[i] = -(inner->g[i] + Hp[i]);
    const gpis_status status = inner->set->penalty ? half_conjugate(inner, v, p, &support)
                                                   : gpis_set_support_at(inner->set, v, p, &support, &lost);
    for (int64_t i = 0; i < size; i++) {
        along += p[i] * inner->x[i];
        Hp[i] = inner->g[i] + p[i];
    }
    if (status != GPIS_OK || !gpis_model_covers(inner->model, inner->set->k, Hp)) return status;
    gpis_model_whiten(inner->model, inner->set->k, Hp);
    const double norm = gpis_norm2(Hp, size), value = along - support - 0.5 * norm * norm;
    if (isfinite(value)) *bound = value;
    return GPIS_OK;
}

double gpis_inner_noise(const gpis_inner *inner, const double *s, const double *Hp) {
    const int64_t size = inner->set->d * inner->set->k;
    double sum = 0.0;
    for (int64_t i = 0; i < size; i++)
        sum += fabs((inner->g[i] + Hp[i]) * s[i]) + fabs((inner->g[i] + 0.5 * Hp[i]) * (s[i] - inner->x[i]));
    sum += 0.5 * gpis_set_height(inner->set, s);
    return 2.0 * DBL_EPSILON * sum;
}

gpis_status gpis_inner_check(gpis_inner *inner, double tol, double *p, double *Hp, bool *solved) {
    static const double ROUNDINGS = 16.0, LOST = 1e-11; /* of the largest fall, by the rounding of support functions */
    double bound;
    *solved = true;
    if (!inner->set->has_support) return GPIS_OK;
    gpis_inner_value(inner, inner->s, p, Hp);
    double noise = ROUNDINGS * gpis_inner_noise(inner, inner->s, Hp), norm = 0.0;
    const gpis_status status = gpis_inner_bound(inner, inner->dual, p, Hp, &bound);
    for (int64_t i = 0; i < inner->set->d * inner->set->k; i++)
        norm = hypot(norm, p[i] * inner->model->scale[i / inner->set->k]);
    norm *= ROUNDINGS * DBL_EPSILON;
    noise += norm * norm * inner->model->inverse; /* rounding of the multiplier p, in the metric of H^-1 */
    inner->bound = fmax(inner->bound, bound);
    inner->largest_fall = fmax(inner->largest_fall, fabs(inner->value));
    *solved = inner->value - inner->bound <= tol * fabs(inner->value) + LOST * inner->largest_fall + noise;
    return status;
}
