/* The first-order bounds, with their rounding terms. */
#include <float.h>
#include <math.h>

#include "certificate/certificate.h"
#include "certificate/penalised.h"
#include "certificate/rounded.h"
#include "linalg/accurate.h"
#include "set/penalty.h"

/* The errors of <g, x - s>, an entry of g being off by at most errors.product ||a_j||: by the lengths of x and s, or
 * entry by entry. `norms` has d numbers. */
static double cost_of_products(const gpis_set *set, const gpis_point *point, double *norms) {
    double columns2 = 0.0, here = 0.0;
    for (int64_t j = 0; j < set->d; j++) {
        columns2 += point->norms2[j];
        norms[j] = sqrt(point->norms2[j]);
        for (int64_t c = 0; c < set->k; c++) here += norms[j] * fabs(point->x[j * set->k + c]);
    }
    const double reach = gpis_set_radius(set) + gpis_norm2(point->x, set->d * set->k);
    return point->errors.product * fmin(reach * sqrt(columns2 * (double)set->k), here + gpis_set_reach(set, norms));
}

gpis_status gpis_certificate_first_support(gpis_set *set, const double *x, double *v, double *value, double *slack) {
    return gpis_set_support_at(set, set->polyhedron && !set->unbounded ? x : NULL, v, value, slack);
}

gpis_status gpis_certificate_first(gpis_context *context, gpis_set *set, const gpis_point *point, double *gap) {
    *gap = INFINITY;
    if (!gpis_certificate_has_first(set)) return GPIS_OK;
    if (set->penalty) return gpis_penalised_first(context, set, point, gap);
    const int64_t size = set->d * set->k;
    double *minus_g = gpis_alloc(context, size, sizeof *minus_g);
    if (!minus_g) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < size; i++) minus_g[i] = -point->g[i];
    double support, lost;
    const gpis_status status = gpis_certificate_first_support(set, point->x, minus_g, &support, &lost);
    const double products = cost_of_products(set, point, minus_g); /* minus_g has done its part */
    gpis_free(context, minus_g);
    if (status != GPIS_OK) return status;
    const gpis_errors errors = point->errors;
    const double rounding = products + 2.0 * gpis_bound_dot_error(point->g, point->x, size);
    const double linear = gpis_bound_at_least_zero(gpis_bound_dot(point->g, point->x, size) + support);
    *gap =
        gpis_outward(2.0 * (linear + rounding) + errors.residual * errors.residual + errors.objective, set->d * set->k);
    return GPIS_OK;
}

/* ---- for an unbounded K ---- */

/* ||D^-1 (l - m)||, where the true m is within `lost` of the given one. */
static double scaled_distance(const gpis_set *set, const gpis_point *point, const double *l, const double *m,
                              double lost) {
    double longest2 = 0.0, shortest2 = INFINITY, sum2 = 0.0;
    for (int64_t j = 0; j < set->d; j++) {
        longest2 = fmax(longest2, point->norms2[j]);
        if (point->norms2[j] > 0.0) shortest2 = fmin(shortest2, point->norms2[j]);
    }
    if (!(longest2 > 0.0)) return INFINITY;
    for (int64_t i = 0; i < set->d * set->k; i++) {
        const double norm2 = point->norms2[i / set->k];
        sum2 += (l[i] - m[i]) * (l[i] - m[i]) / (norm2 > 0.0 ? norm2 : longest2);
    }
    return sqrt(sum2) + (lost > 0.0 ? lost / sqrt(shortest2) : 0.0);
}

/*
 * With l = -2 g, g the computed gradient, and m the nearest multiplier with a finite support function: for every s in K
 *
 *     f(x) - f(s) <= <l, s - x> + errors <= support(m) - <m, x> + ||D^-1 (l - m)|| r + errors.
 *
 * An error of the residual costs its square, an entry of g that is off by eta ||a_j|| costs 2 eta sqrt(d k) r in all.
 */
gpis_status gpis_certificate_first_tilted(gpis_context *context, gpis_set *set, const gpis_point *point,
                                          gpis_tilted *out) {
    const int64_t size = set->d * set->k;
    double support, lost;
    *out = (gpis_tilted){INFINITY, INFINITY};
    if (!set->has_support || set->penalty) return GPIS_OK;
    double *l = gpis_alloc(context, 2 * size, sizeof *l), *m = l + size;
    if (!l) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < size; i++) m[i] = l[i] = -2.0 * point->g[i];
    const gpis_status status = gpis_set_support_near(set, m, &support, &lost);
    const double rounding = gpis_bound_dot_error(m, point->x, size) + lost * gpis_norm2(point->x, size);
    const double linear = gpis_bound_at_least_zero(support - gpis_bound_dot(m, point->x, size)) + 2.0 * rounding;
    const gpis_errors errors = point->errors;
    out->base = gpis_outward(linear + errors.residual * errors.residual + errors.objective, size);
    out->tilt =
        gpis_outward(scaled_distance(set, point, l, m, lost) + 2.0 * errors.product * sqrt((double)size), 2 * size);
    gpis_free(context, l);
    return status;
}

/* ---- for a K that is unbounded along one line ---- */

double gpis_certificate_line_reach(const gpis_set *set, const gpis_point *point, const gpis_model *model) {
    const int64_t d = set->d;
    double columns2 = 0.0, longest2 = 0.0, counted2 = 0.0, line2 = 0.0;
    if (!set->constants || model->nulls > 0 || model->nearness > 0.0) return INFINITY;
    for (int64_t j = 0; j < d; j++) {
        columns2 += point->norms2[j];
        longest2 = fmax(longest2, point->norms2[j]);
    }
    for (int64_t j = 0; j < d; j++) counted2 += point->norms2[j] > 0.0 ? point->norms2[j] : longest2;
    for (int64_t i = 0; i < d; i++) {
        double row = 0.0;
        for (int64_t j = 0; j < d; j++) row += model->H[i * d + j];
        line2 += row;
    }
    /* 2 d additions on any path, and the sizes of the entries add up to at most (||a_1|| + ... + ||a_d||)^2 */
    const double rounding = 2.0 * (double)d * DBL_EPSILON * (double)d * columns2;
    const double least2 = model->c * line2 - rounding - model->slack * columns2;
    if (!(least2 > 0.0)) return INFINITY;
    const double apart = 2.0 * gpis_set_core_radius(set), F = point->objective + point->errors.objective;
    const double along = (2.0 * sqrt(F) + sqrt(columns2) * apart) / sqrt(least2);
    return gpis_outward(sqrt(longest2) * apart + sqrt(counted2) * along, 4 * d);
}
