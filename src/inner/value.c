/* The model q at a point, and the rounding errors of that value: what all solvers need. */
#include <float.h>
#include <math.h>

#include "inner/solver.h"
#include "linalg/accurate.h"

double gpis_inner_value(const gpis_inner *inner, const double *s, double *p, double *Hp) {
    const int64_t size = inner->set->d * inner->set->k;
    double value = 0.0;
    for (int64_t i = 0; i < size; i++) p[i] = s[i] - inner->x[i];
    gpis_model_apply(inner->model, inner->set->k, p, Hp);
    for (int64_t i = 0; i < size; i++) value += p[i] * (0.5 * Hp[i] + inner->g[i]);
    return value;
}

/* For every s in K, q(s) >= <g + l, s - x> + 1/2 <s - x, H (s - x)> - support(l) + <l, x>
 *                          >= -1/2 <g + l, H^-1 (g + l)> - support(l) + <l, x>,    l = -grad q(v). */
gpis_status gpis_inner_bound(const gpis_inner *inner, const double *v, double *p, double *Hp, double *bound) {
    const int64_t size = inner->set->d * inner->set->k;
    double support, lost, along = 0.0;
    *bound = -INFINITY;
    if (!inner->set->has_support) return GPIS_OK;
    gpis_inner_value(inner, v, p, Hp);
    for (int64_t i = 0; i < size; i++) p[i] = -(inner->g[i] + Hp[i]);
    const gpis_status status = gpis_set_support_at(inner->set, v, p, &support, &lost);
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
