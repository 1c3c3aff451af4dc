/* The bounds, first and second order, with their rounding terms. */
#include "certificate/certificate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "certificate/complementary.h"
#include "certificate/interior.h"
#include "certificate/null_bound.h"
#include "linalg/accurate.h"

static const double UNIT = 0.5 * DBL_EPSILON;

/* The share of the curvature that pays for each of the two kinds of rounding errors in the gradient (docs/maths). */
static const double SHARE_FOR_ROUNDING = 1e-3;

/* sum_j ||a_j|| ||X_j||, which is at least ||A X||: the size of the terms of which A X is the sum. */
static double size_of_products(const gpis_set *set, const gpis_point *point) {
    double sum = 0.0;
    for (int64_t j = 0; j < set->d; j++) sum += sqrt(point->norms2[j]) * gpis_norm2(point->x + j * set->k, set->k);
    return sum;
}

double gpis_certificate_grain(const gpis_set *set, const gpis_point *point) {
    const double moved = UNIT * size_of_products(set, point);
    return moved * moved;
}

/*
 * With A + E in the place of A, ||E_j|| <= nearness ||a_j||, the residual is r + E x, and the measured gradient is off
 * by E'r as well (docs/maths, "Nearly dependent columns"). So a point of A, with larger errors, is one of A + E.
 */
static gpis_point point_near(const gpis_set *set, const gpis_point *point, const gpis_model *model) {
    gpis_point near = *point;
    if (!(model->nearness > 0.0)) return near;
    const double r = sqrt(point->objective), e = point->errors.residual;
    const double moved_by = model->nearness * size_of_products(set, point); /* ||E x|| is at most this */
    near.errors.product += model->nearness * (r + e);
    near.errors.residual += moved_by;
    near.errors.objective += 2.0 * (r + e) * moved_by + moved_by * moved_by;
    return near;
}

/* A bound that is not a number, after an overflow, says nothing. */
static double at_least_zero(double bound) { return isnan(bound) ? INFINITY : fmax(0.0, bound); }

/* <a, b> in extended precision, since the products nearly cancel. */
static double dot(const double *a, const double *b, int64_t size) {
    long double sum = 0.0L;
    for (int64_t i = 0; i < size; i++) sum += (long double)a[i] * b[i];
    return (double)sum;
}

/* An upper bound on the rounding error of dot(a, b). */
static double dot_error(const double *a, const double *b, int64_t size) {
    double sum = 0.0;
    for (int64_t i = 0; i < size; i++) sum += fabs(a[i] * b[i]);
    return (((double)size + 2.0) * 0.5 * (double)LDBL_EPSILON + UNIT) * sum;
}

gpis_status gpis_certificate_first(gpis_context *context, gpis_set *set, const gpis_point *point, double *gap) {
    *gap = INFINITY;
    if (!set->has_support || !gpis_set_is_bounded(set)) return GPIS_OK;
    const int64_t size = set->d * set->k;
    double *minus_g = gpis_alloc(context, size, sizeof *minus_g);
    if (!minus_g) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < size; i++) minus_g[i] = -point->g[i];
    double support, lost, columns2 = 0.0;
    const gpis_status status = gpis_set_support_near(set, minus_g, &support, &lost);
    gpis_free(context, minus_g);
    if (status != GPIS_OK) return status;
    for (int64_t j = 0; j < set->d; j++) columns2 += point->norms2[j];
    const gpis_errors errors = point->errors;
    const double reach = gpis_set_radius(set) + gpis_norm2(point->x, size);
    const double rounding =
        reach * errors.product * sqrt(columns2 * (double)set->k) + 2.0 * dot_error(point->g, point->x, size);
    const double linear = at_least_zero(dot(point->g, point->x, size) + support);
    *gap = 2.0 * (linear + rounding) + errors.residual * errors.residual + errors.objective;
    return GPIS_OK;
}

/* l = -2 (g + H (s - x)): minus the gradient of the model at s. */
static void multiplier(const gpis_set *set, const gpis_point *point, const gpis_model *model, const double *s,
                       double *p, double *l) {
    const int64_t size = set->d * set->k;
    for (int64_t i = 0; i < size; i++) p[i] = s[i] - point->x[i];
    gpis_model_apply(model, set->k, p, l);
    for (int64_t i = 0; i < size; i++) l[i] = -2.0 * (point->g[i] + l[i]);
}

double gpis_certificate_conjugate(const gpis_model *model, double c, int64_t k, double lost, double *v) {
    if (!gpis_model_covers(model, k, v)) return INFINITY;
    gpis_model_whiten(model, k, v);
    const double norm = gpis_norm2(v, model->d * k) + lost;
    return 0.25 * norm * norm / c;
}

/*
 * What rounding errors of the pass can add to the gap, by 2 <a, b> <= |a|^2 / share + share |b|^2: errors of the
 * residual, in the norm of A, and errors of A'r, in the norm of H. For a shifted model slack ||D p||^2 is added as
 * well.
 */
static double pass_errors(const gpis_set *set, const gpis_point *point, const gpis_model *model, double c) {
    const int64_t size = set->d * set->k;
    const double e = point->errors.residual, eta = point->errors.product;
    double units = 0.0; /* sum over j of ||a_j||^2 / H_jj: d, unless the model is of a sketch, whose diagonal differs */
    for (int64_t j = 0; j < set->d; j++) units += point->norms2[j] * model->scale[j] * model->scale[j];
    const double errors =
        e * e / SHARE_FOR_ROUNDING + eta * eta * units * (double)set->k * model->inverse / (SHARE_FOR_ROUNDING * c);
    if (!(model->slack > 0.0)) return errors;
    double largest2 = 0.0;
    for (int64_t j = 0; j < set->d; j++) largest2 = fmax(largest2, point->norms2[j]);
    const double reach = gpis_set_radius(set) + gpis_norm2(point->x, size);
    return errors + model->slack * largest2 * reach * reach;
}

/* How far l is from the multiplier that was meant: l was changed from `before`, which itself was off by `off`. */
static double moved(int64_t size, const double *before, const double *l, double off) {
    double sum2 = 0.0;
    for (int64_t i = 0; i < size; i++) sum2 += (l[i] - before[i]) * (l[i] - before[i]);
    return off + sqrt(sum2);
}

/* The right side of (2) in docs/maths for this l. First the part of l along null vectors is removed, then the part for
 * which the support function is not finite. */
static gpis_status dual_bound(gpis_set *set, const gpis_point *point, const gpis_model *model, double c, double *l,
                              double *v, double *bound) {
    const int64_t size = set->d * set->k;
    double support, lost, off = 0.0;
    gpis_status status = GPIS_OK;
    *bound = INFINITY;
    if (model->nulls > 0 && !gpis_null_bound_suits(set)) return GPIS_OK;
    if (model->nulls > 0) status = gpis_null_bound_clean(set->context, set, model, l, &off);
    if (status != GPIS_OK || !isfinite(off)) return status;
    memcpy(v, l, (size_t)size * sizeof *v);
    status = gpis_set_support_near(set, l, &support, &lost);
    if (status != GPIS_OK) return status;
    if (model->nulls > 0) {
        off = moved(size, v, l, off);
        support += off * gpis_set_core_radius(set);
        lost += off;
    }
    for (int64_t i = 0; i < size; i++) v[i] = 2.0 * point->g[i] + l[i];
    const double whitened = lost > 0.0 ? lost * gpis_model_whitening(model) : 0.0;
    const double quadratic = gpis_certificate_conjugate(model, c, set->k, whitened, v);
    const double linear = support - dot(l, point->x, size) + lost * gpis_norm2(point->x, size);
    *bound = at_least_zero(quadratic + linear) + 2.0 * dot_error(l, point->x, size);
    return GPIS_OK;
}

/*
 * The same for a larger set, in which only those bounds of single entries are left that s has reached, so that l_i = 0
 * elsewhere. Where K is far larger than the part of it that matters, dual_bound is dominated by the rounding errors of
 * the other l_i, times the size of K. Here every term is >= 0 and nothing cancels.
 */
static double relaxed_bound(const gpis_set *set, const gpis_point *point, const gpis_model *model, double c,
                            const double *s, double *l, double *v) {
    const int64_t size = set->d * set->k;
    double linear = 0.0;
    for (int64_t i = 0; i < size; i++) {
        double lo = -INFINITY, hi = INFINITY;
        if (set->class->bounds) set->class->bounds(set, i / set->k, &lo, &hi);
        const double wall = l[i] > 0.0 ? hi : lo;
        if (s[i] != wall) l[i] = 0.0;
        if (l[i] != 0.0) linear += l[i] * (wall - point->x[i]);
        v[i] = 2.0 * point->g[i] + l[i];
    }
    return linear * (1.0 + ((double)size + 4.0) * UNIT) + gpis_certificate_conjugate(model, c, set->k, 0.0, v);
}

/* The bound by the curvature of the model: the smaller one of the two above. */
static gpis_status curved_bound(gpis_context *context, gpis_set *set, const gpis_point *point, const gpis_model *model,
                                double c, const double *s, double *gap) {
    const int64_t size = set->d * set->k;
    const double paid = c * (1.0 - 2.0 * SHARE_FOR_ROUNDING); /* the rest of the curvature pays for pass_errors */
    double *l = gpis_alloc(context, 3 * size, sizeof *l), bound, relaxed = INFINITY, complementary = INFINITY;
    if (!l) return GPIS_NO_MEMORY;
    double *v = l + size, *kept = v + size; /* the bounds change l */
    multiplier(set, point, model, s, v, l);
    memcpy(kept, l, (size_t)size * sizeof *l);
    gpis_status status = dual_bound(set, point, model, paid, l, v, &bound);
    if (status == GPIS_OK && model->nulls > 0) {
        memcpy(l, kept, (size_t)size * sizeof *l);
        status = gpis_null_bound(context, set, point, model, paid, s, l, v, &relaxed);
    } else if (status == GPIS_OK) {
        relaxed = relaxed_bound(set, point, model, paid, s, l, v);
    }
    if (status == GPIS_OK && model->nulls == 0 && gpis_complementary_applies(set)) {
        memcpy(l, kept, (size_t)size * sizeof *l);
        status = gpis_complementary_bound(set, point, model, paid, s, l, v, &complementary);
    }
    if (status == GPIS_OK) *gap = fmin(bound, fmin(relaxed, complementary)) + pass_errors(set, point, model, c);
    gpis_free(context, l);
    return status;
}

/* For a model that had to be shifted slack ||D p||^2 is added, which is not bounded if the set is not. */
gpis_status gpis_certificate_second(gpis_context *context, gpis_set *set, const gpis_point *point,
                                    const gpis_model *model, double c, const double *s, double *gap) {
    const bool flat = model->slack > 0.0;
    double curved = INFINITY, interior = INFINITY;
    gpis_status status = GPIS_OK;
    *gap = INFINITY;
    if (!set->has_support) return GPIS_OK;
    const gpis_point near = point_near(set, point, model);
    if (!flat || gpis_set_is_bounded(set)) status = curved_bound(context, set, &near, model, c, s, &curved);
    if (status == GPIS_OK && flat) status = gpis_interior_bound(context, set, &near, model, s, &interior);
    *gap = fmin(curved, interior) + near.errors.objective;
    return status;
}

gpis_status gpis_certificate_curved(gpis_context *context, gpis_set *set, const gpis_point *point,
                                    const gpis_model *model, const double *s, double *gap) {
    *gap = INFINITY;
    if (!set->has_support || model->slack > 0.0) return GPIS_OK;
    const gpis_status status = curved_bound(context, set, point, model, model->c, s, gap);
    *gap += point->errors.objective;
    return status;
}
