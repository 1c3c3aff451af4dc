/* The bound of a known multiplier, with the rounding errors of its computation. */
#include "certificate/known.h"

#include <math.h>

#include "certificate/rounded.h"

/* Entry i of D: the norm of its column, or of the longest one for a column of zeros. */
static double unit_of(const gpis_point *v, int64_t k, double longest2, int64_t i) {
    const double norm2 = v->norms2[i / k];
    return sqrt(norm2 > 0.0 ? norm2 : longest2);
}

static double longest_of(const gpis_set *set, const gpis_point *v) {
    double longest2 = 0.0;
    for (int64_t j = 0; j < set->d; j++) longest2 = fmax(longest2, v->norms2[j]);
    return longest2;
}

static gpis_dd coordinate(const gpis_point *v, int64_t i) { return (gpis_dd){v->x[i], v->x_low ? v->x_low[i] : 0.0}; }

/* An upper bound on |r_i|: with the error of l, that of g, and that of the sum. */
static double imbalance(const gpis_set *set, const gpis_point *v, const gpis_known_multiplier *l, int64_t i) {
    const gpis_dd g = {2.0 * v->g[i], v->g_low ? 2.0 * v->g_low[i] : 0.0};
    const gpis_dd r = gpis_dd_add(g, (gpis_dd){l->l[i], l->l_low[i]});
    const double of_g = 2.0 * v->errors.product * sqrt(v->norms2[i / set->k]);
    return GPIS_BOUND_MARGIN * (fabs(r.high) + l->off[i] + of_g + GPIS_DD_UNIT * (fabs(g.high) + fabs(l->l[i])));
}

/* f(v) + <l, v> - support(l), from below. */
static double lower_of(const gpis_set *set, const gpis_point *v, const gpis_known_multiplier *l) {
    const int64_t size = set->d * set->k;
    gpis_dd sum = gpis_dd_negate(l->support);
    double terms = fabs(sum.high), off = 0.0;
    for (int64_t i = 0; i < size; i++) {
        const gpis_dd product = gpis_dd_multiply((gpis_dd){l->l[i], l->l_low[i]}, coordinate(v, i));
        sum = gpis_dd_add(sum, product);
        terms += fabs(product.high);
        off += l->off[i] * fabs(v->x[i]);
    }
    const double error = GPIS_BOUND_MARGIN * (off + ((double)size + 4.0) * GPIS_DD_UNIT * terms) + v->errors.objective;
    const double lower = v->objective + gpis_dd_value(sum);
    return lower - error - 0x1p-50 * (fabs(v->objective) + fabs(sum.high));
}

double gpis_known_distance(const gpis_set *set, const gpis_point *v, const double *x) {
    const double longest2 = longest_of(set, v);
    double sum2 = 0.0;
    for (int64_t i = 0; i < set->d * set->k; i++) {
        const gpis_dd at = coordinate(v, i);
        const double move = fabs((x[i] - at.high) - at.low) + 0x1p-52 * fabs(at.low);
        const double scaled = unit_of(v, set->k, longest2, i) * move;
        sum2 += scaled * scaled;
    }
    return GPIS_BOUND_MARGIN * sqrt(sum2);
}

/*
 * What r can cost over all of K: ||r|| (||s|| + ||v||) for a bounded K. With A'A >= c H, the square ||A (s - v)||^2
 * that the bound leaves out pays for it: <r, p> + c <p, H p> >= -1/4 <r, (c H)^-1 r> = -b^2, and <r, H^-1 r> <=
 * ||T^-1|| tilt^2. Where the response that is meant is e away from the one that was summed, the square pays for that as
 * well, and b^2 becomes b^2 + 2 b e. A column of zeros has no curvature.
 */
static double cost_of_imbalance(const gpis_set *set, const gpis_point *v, const gpis_model *model, double plain,
                                double tilt) {
    double cost = INFINITY, size2 = 0.0;
    bool zeros = false;
    for (int64_t j = 0; j < set->d; j++) zeros = zeros || v->norms2[j] == 0.0;
    for (int64_t i = 0; i < set->d * set->k; i++) size2 += v->x[i] * v->x[i];
    if (gpis_set_is_bounded(set)) cost = plain * GPIS_BOUND_MARGIN * (gpis_set_radius(set) + sqrt(size2));
    if (model && !zeros && !(model->slack > 0.0) && model->c > 0.0) {
        const double b2 = GPIS_BOUND_MARGIN * 0.25 * tilt * tilt * model->inverse / model->c;
        cost = fmin(cost, b2 + GPIS_BOUND_MARGIN * 2.0 * sqrt(b2) * v->errors.residual);
    }
    return cost;
}

gpis_known_bound gpis_certificate_known(const gpis_set *set, const gpis_point *v, const gpis_known_multiplier *l,
                                        const gpis_model *model) {
    const double longest2 = longest_of(set, v);
    double plain2 = 0.0, scaled2 = 0.0;
    for (int64_t i = 0; i < set->d * set->k; i++) {
        const double r = imbalance(set, v, l, i), scaled = r / unit_of(v, set->k, longest2, i);
        plain2 += r * r;
        scaled2 += scaled * scaled;
    }
    const double lower = lower_of(set, v, l), tilt = GPIS_BOUND_MARGIN * sqrt(scaled2);
    const double whole =
        lower - GPIS_BOUND_MARGIN * cost_of_imbalance(set, v, model, GPIS_BOUND_MARGIN * sqrt(plain2), tilt);
    const bool known = isfinite(lower) && isfinite(tilt);
    return (gpis_known_bound){.lower = known ? lower : -INFINITY,
                              .tilt = known ? tilt : INFINITY,
                              .whole = known && !isnan(whole) ? whole : -INFINITY};
}
