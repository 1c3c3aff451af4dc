/* The second-order bound, with its rounding terms. */
#include "certificate/certificate.h"

#include <math.h>
#include <string.h>

#include "certificate/complementary.h"
#include "certificate/interior.h"
#include "certificate/null_bound.h"
#include "certificate/penalised.h"
#include "certificate/rounded.h"
#include "linalg/accurate.h"
#include "linalg/rounding.h"
#include "set/multiplier.h"
#include "set/penalty.h"

/* sum_j ||a_j|| ||X_j||, which is at least ||A X||: the size of the terms of which A X is the sum. */
static double size_of_products(const gpis_set *set, const gpis_point *point) {
    double sum = 0.0;
    for (int64_t j = 0; j < set->d; j++) sum += sqrt(point->norms2[j]) * gpis_norm2(point->x + j * set->k, set->k);
    return sum;
}

double gpis_certificate_grain(const gpis_set *set, const gpis_point *point) {
    const double moved = GPIS_UNIT * size_of_products(set, point);
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

/* ---- the second-order bound ---- */

/*
 * What a multiplier l amounts to: over K,
 *
 *     f(x) - f(s) <= linear + (half_norm + what rounding did to g)^2 + slack ||D (s - x)||^2
 */
typedef struct terms {
    double linear;    /* support(l) - <l, x> */
    double half_norm; /* 1/2 ||2 g + l|| in the norm of (c H)^-1 */
} terms;

/* How far a multiplier is from one with a finite support function. */
typedef struct tilt {
    double plain;  /* ||l - l'|| */
    double scaled; /* ||D^-1 (l - l')|| */
} tilt;

/* A multiplier l + l_low, and space for 2 g + l. */
typedef struct multiplier {
    double *l, *l_low; /* d x k each; l_low is 0 unless the factor of the model is in double-double */
    double *v, *v_low; /* d x k each */
    double *kept;      /* 2 d k numbers: l and l_low as they were, since every bound changes them */
    double *work;      /* 5 d k + 2 d numbers */
    double *memory;    /* owned: all of them */
} multiplier;

static bool is_double_double(const gpis_model *model) { return model->R_low != NULL; }

static gpis_status create_multiplier(gpis_context *context, const gpis_set *set, multiplier *m) {
    const int64_t size = set->d * set->k;
    m->memory = gpis_alloc(context, 11 * size + 2 * set->d, sizeof *m->memory);
    if (!m->memory) return GPIS_NO_MEMORY;
    double **field[] = {&m->l, &m->l_low, &m->v, &m->v_low, &m->work};
    for (int i = 0; i < 5; i++) *field[i] = m->memory + i * size;
    m->kept = m->memory + 9 * size + 2 * set->d;
    return GPIS_OK;
}

/* l and l_low follow each other in memory. */
static void keep_multiplier(const gpis_set *set, const multiplier *m) {
    memcpy(m->kept, m->l, (size_t)(2 * set->d * set->k) * sizeof *m->kept);
}

static void restore_multiplier(const gpis_set *set, const multiplier *m) {
    memcpy(m->l, m->kept, (size_t)(2 * set->d * set->k) * sizeof *m->kept);
}

/* Entry i of the gradient, as the sum of two doubles. */
static gpis_dd gradient_at(const gpis_point *point, int64_t i) {
    return (gpis_dd){point->g[i], point->g_low ? point->g_low[i] : 0.0};
}

/* l = -2 (g + H (s - x)): minus the gradient of the model at s. */
static void find_multiplier(const gpis_set *set, const gpis_point *point, const gpis_model *model, const double *s,
                            multiplier *m) {
    const int64_t size = set->d * set->k;
    for (int64_t i = 0; i < size; i++) m->v[i] = s[i] - point->x[i];
    gpis_model_apply(model, set->k, m->v, m->l);
    for (int64_t i = 0; i < size; i++) {
        const gpis_dd sum = gpis_dd_add(gradient_at(point, i), gpis_dd_of(m->l[i]));
        m->l[i] = -2.0 * sum.high;
        m->l_low[i] = is_double_double(model) ? -2.0 * sum.low : 0.0;
    }
}

/* The relative error of R^-T D^-1 v in double, in norm. For a Gram matrix it is contained in c and in the slack. */
static double solve_error(const gpis_model *model) {
    const double d = (double)model->d;
    return model->by_rows ? d * GPIS_UNIT * sqrt(d * model->inverse) : 0.0;
}

double gpis_certificate_half_norm(const gpis_model *model, double c, int64_t k, double lost, double *v) {
    const double exact = 1.0 - solve_error(model);
    if (!gpis_model_covers(model, k, v) || !(exact >= 0.5)) return INFINITY;
    gpis_model_whiten(model, k, v);
    return 0.5 * (gpis_norm2(v, model->d * k) / exact + lost) / sqrt(c);
}

/* 1/2 ||2 g + l|| for the multiplier l + l_low, which may be off by `lost` in the norm of H^-1. */
static double half_norm(const gpis_set *set, const gpis_point *point, const gpis_model *model, double c, double lost,
                        multiplier *m) {
    const int64_t size = set->d * set->k;
    for (int64_t i = 0; i < size; i++) {
        const gpis_dd g = gradient_at(point, i);
        const gpis_dd sum = gpis_dd_add((gpis_dd){2.0 * g.high, 2.0 * g.low}, (gpis_dd){m->l[i], m->l_low[i]});
        m->v[i] = sum.high;
        m->v_low[i] = sum.low;
    }
    if (!is_double_double(model)) return gpis_certificate_half_norm(model, c, set->k, lost, m->v);
    if (!gpis_model_covers(model, set->k, m->v)) return INFINITY;
    gpis_model_whiten_low(model, set->k, m->v, m->v_low, m->work);
    return 0.5 * (gpis_norm2(m->v, size) * (1.0 + 4.0 * GPIS_UNIT) + lost) / sqrt(c);
}

/* What rounding errors of the gradient can add to half_norm: errors of the residual, in the norm of A, and errors of
 * A'r, in the norm of H. */
static double gradient_errors(const gpis_set *set, const gpis_point *point, const gpis_model *model, double c) {
    double units = 0.0; /* sum over j of ||a_j||^2 / H_jj: d, unless the model is of a sketch, whose diagonal differs */
    for (int64_t j = 0; j < set->d; j++) units += point->norms2[j] * model->scale[j] * model->scale[j];
    return point->errors.residual + point->errors.product * sqrt(units * (double)set->k * model->inverse / c);
}

static double combine(terms t, double errors) {
    const double norm = t.half_norm + errors;
    return gpis_bound_at_least_zero(t.linear + norm * norm);
}

/* How far l is from the multiplier that was meant: l was changed from `before`, which itself was off by `off`. */
static double moved(int64_t size, const double *before, const double *l, double off) {
    double sum2 = 0.0;
    for (int64_t i = 0; i < size; i++) sum2 += (l[i] - before[i]) * (l[i] - before[i]);
    return off + sqrt(sum2);
}

/* support(l') - <l', x> for an l' within `lost` of l; with a penalty, h(x) more. */
static double linear_of(const gpis_set *set, const gpis_point *point, double support, double lost, const double *l) {
    const int64_t size = set->d * set->k;
    const double h = set->penalty ? gpis_set_height(set, point->x) * (1.0 + gpis_set_height_error(set)) : 0.0;
    const double rounding = set->penalty ? 4.0 * GPIS_UNIT * (h + fabs(support)) : 0.0;
    if (set->penalty) support += h + rounding;
    return support - gpis_bound_dot(l, point->x, size) + lost * gpis_norm2(point->x, size) +
           2.0 * gpis_bound_dot_error(l, point->x, size);
}

/* The right side of (2) in docs/maths for this l. First the part of l along null vectors is removed, then the part for
 * which the support function is not finite. */
static gpis_status dual_terms(gpis_set *set, const gpis_point *point, const gpis_model *model, double c,
                              const double *s, multiplier *m, terms *out) {
    const int64_t size = set->d * set->k;
    double support, lost, off = 0.0;
    gpis_status status = GPIS_OK;
    *out = (terms){INFINITY, INFINITY};
    if (model->nulls > 0 && !gpis_null_bound_suits(set)) return GPIS_OK;
    if (model->nulls > 0) status = gpis_null_bound_clean(set->context, set, model, m->l, &off);
    if (status != GPIS_OK || !isfinite(off)) return status;
    memcpy(m->v, m->l, (size_t)size * sizeof *m->v);
    status = gpis_set_support_at(set, s, m->l, &support, &lost);
    if (status != GPIS_OK) return status;
    if (model->nulls > 0) {
        off = moved(size, m->v, m->l, off);
        support += off * gpis_set_core_radius(set);
        lost += off;
    }
    for (int64_t i = 0; i < size; i++) m->l_low[i] = 0.0;
    const double whitened = lost > 0.0 ? lost * gpis_model_whitening(model) : 0.0;
    out->half_norm = half_norm(set, point, model, c, whitened, m);
    out->linear = linear_of(set, point, support, lost, m->l);
    return GPIS_OK;
}

/* The range of 1 / ||a_j|| over the columns that are not zero. */
typedef struct unit_range {
    double least, most;
} unit_range;

static unit_range range_of_units(const gpis_set *set, const gpis_point *point, const gpis_model *model) {
    unit_range units = {INFINITY, 0.0};
    for (int64_t j = 0; j < set->d; j++) {
        if (point->norms2[j] == 0.0) continue;
        units.least = fmin(units.least, model->scale[j]);
        units.most = fmax(units.most, model->scale[j]);
    }
    return units;
}

/* The same for a factor in double-double: l + l_low is moved to the nearest vector with a finite support function, as
 * exactly as double-double allows. `s` is where the multiplier was taken. */
static gpis_status low_terms(gpis_set *set, const gpis_point *point, const gpis_model *model, double c, const double *s,
                             multiplier *m, terms *out) {
    const int64_t size = set->d * set->k;
    gpis_multiplier low = {.l = m->l, .l_low = m->l_low, .at = s, .weight = point->norms2, .work = m->work};
    const gpis_status status = gpis_set_support_low(set, &low);
    if (status != GPIS_OK) return status;
    const double most =
        low.weighted ? range_of_units(set, point, model).most * sqrt(model->inverse) : gpis_model_whitening(model);
    out->half_norm = half_norm(set, point, model, c, low.slack > 0.0 ? low.slack * most : 0.0, m);
    out->linear = linear_of(set, point, low.value, low.slack, m->l) - gpis_bound_dot(m->l_low, point->x, size) +
                  2.0 * gpis_bound_dot_error(m->l_low, point->x, size);
    return GPIS_OK;
}

/*
 * The same with l as it is, and the multiplier l' that is nearest to it among those with a finite support function:
 *
 *     <l, s - x> <= support(l') - <l', x> + ||D^-1 (l - l')|| ||D (s - x)||,
 *
 * where a column of zeros counts in D with the norm of the longest column. This costs what l - l' is worth over the
 * distance that matters, and not what it is worth in the norm of H^-1. With a nearly singular H that is far less.
 */
static gpis_status tilted_terms(gpis_set *set, const gpis_point *point, const gpis_model *model, double c,
                                multiplier *m, terms *out, tilt *moved_by) {
    const int64_t size = set->d * set->k;
    double support, lost, sum2 = 0.0, scaled2 = 0.0;
    memcpy(m->v, m->l, (size_t)size * sizeof *m->v);
    const gpis_status status = gpis_set_support_near(set, m->l, &support, &lost);
    if (status != GPIS_OK) return status;
    out->linear = linear_of(set, point, support, lost, m->l);
    const unit_range units = range_of_units(set, point, model);
    for (int64_t i = 0; i < size; i++) {
        const bool zero = point->norms2[i / set->k] == 0.0;
        const double off = (m->v[i] - m->l[i]) + m->l_low[i];
        const double scaled = off * (zero ? units.least : model->scale[i / set->k]);
        sum2 += off * off;
        scaled2 += scaled * scaled;
    }
    *moved_by = (tilt){.plain = GPIS_BOUND_MARGIN * (sqrt(sum2) + lost),
                       .scaled = GPIS_BOUND_MARGIN * (sqrt(scaled2) + lost * units.most)};
    memcpy(m->l, m->v, (size_t)size * sizeof *m->l);
    out->half_norm = half_norm(set, point, model, c, 0.0, m);
    return GPIS_OK;
}

/*
 * The same for a larger set, in which only those bounds of single entries are left that s has reached, so that l_i = 0
 * elsewhere. Where K is far larger than the part of it that matters, dual_terms is dominated by the rounding errors of
 * the other l_i, times the size of K. Here every term is >= 0 and nothing cancels.
 */
static terms relaxed_terms(const gpis_set *set, const gpis_point *point, const gpis_model *model, double c,
                           const double *s, multiplier *m) {
    const int64_t size = set->d * set->k;
    double linear = 0.0;
    for (int64_t i = 0; i < size; i++) {
        double lo = -INFINITY, hi = INFINITY;
        if (set->class->bounds) set->class->bounds(set, i / set->k, &lo, &hi);
        const double wall = m->l[i] > 0.0 ? hi : lo;
        if (s[i] != wall) m->l[i] = m->l_low[i] = 0.0;
        if (m->l[i] != 0.0) linear += (m->l[i] + m->l_low[i]) * (wall - point->x[i]);
    }
    linear *= 1.0 + ((double)size + 4.0) * GPIS_UNIT;
    return (terms){linear, half_norm(set, point, model, c, 0.0, m)};
}

/* With a penalty, the same with a subgradient of h and of the bounds at s. */
static terms penalised_terms(const gpis_set *set, const gpis_point *point, const gpis_model *model, double c,
                             const double *s, multiplier *m) {
    const double linear = gpis_penalised_clean(set, point, s, m->l, m->l_low);
    return (terms){linear, half_norm(set, point, model, c, 0.0, m)};
}

/* The bounds by the curvature of the model, without its slack. */
typedef struct curved {
    double bound;  /* the smaller one of the first two above */
    double tilted; /* the third one, without its tilt */
    tilt tilt;
} curved;

static gpis_status curved_bound(gpis_context *context, gpis_set *set, const gpis_point *point, const gpis_model *model,
                                double c, const double *s, curved *out) {
    multiplier m;
    terms dual, relaxed = {INFINITY, INFINITY}, tilted = {INFINITY, INFINITY}, complementary = {INFINITY, INFINITY};
    const double errors = gradient_errors(set, point, model, c);
    *out = (curved){INFINITY, INFINITY, {INFINITY, INFINITY}};
    gpis_status status = create_multiplier(context, set, &m);
    if (status != GPIS_OK) return status;
    find_multiplier(set, point, model, s, &m);
    keep_multiplier(set, &m);
    status = is_double_double(model) ? low_terms(set, point, model, c, s, &m, &dual)
                                     : dual_terms(set, point, model, c, s, &m, &dual);
    if (status == GPIS_OK) restore_multiplier(set, &m);
    if (status == GPIS_OK && model->nulls > 0 && set->penalty)
        relaxed = (terms){INFINITY, INFINITY};
    else if (status == GPIS_OK && model->nulls > 0)
        status = gpis_null_bound(context, set, point, model, c, s, m.l, m.v, &relaxed.linear, &relaxed.half_norm);
    else if (status == GPIS_OK)
        relaxed =
            set->penalty ? penalised_terms(set, point, model, c, s, &m) : relaxed_terms(set, point, model, c, s, &m);
    if (status == GPIS_OK && is_double_double(model)) {
        restore_multiplier(set, &m);
        status = tilted_terms(set, point, model, c, &m, &tilted, &out->tilt);
    }
    if (status == GPIS_OK && model->nulls == 0 && gpis_complementary_applies(set)) {
        restore_multiplier(set, &m);
        double lost;
        status = gpis_complementary_clean(set, point, s, m.l, m.l_low, &complementary.linear, &lost);
        lost *= lost > 0.0 ? gpis_model_whitening(model) : 0.0;
        if (status == GPIS_OK) complementary.half_norm = half_norm(set, point, model, c, lost, &m);
    }
    if (status == GPIS_OK)
        out->bound = fmin(combine(dual, errors), fmin(combine(relaxed, errors), combine(complementary, errors)));
    if (status == GPIS_OK) out->tilted = combine(tilted, errors);
    gpis_free(context, m.memory);
    return status;
}

/* An upper bound on ||s - x|| over K. */
static double reach(const gpis_set *set, const gpis_point *point) {
    return gpis_set_radius(set) + gpis_norm2(point->x, set->d * set->k);
}

/* An upper bound on slack ||D (s - x)||^2 over K. */
static double cost_of_slack(const gpis_set *set, const gpis_point *point, const gpis_model *model, double c) {
    double largest2 = 0.0;
    if (!(model->slack > 0.0)) return 0.0;
    const double held = set->penalty ? gpis_penalised_reach(set, point, model, c) : INFINITY;
    if (!gpis_set_is_bounded(set)) return model->slack * held * held;
    for (int64_t j = 0; j < set->d; j++) largest2 = fmax(largest2, point->norms2[j]);
    return model->slack * fmin(held * held, largest2 * reach(set, point) * reach(set, point));
}

/* The tilted bound over all of K. */
static double whole_tilted(const gpis_set *set, const gpis_point *point, const gpis_model *model, double c,
                           const curved *bound) {
    if (gpis_set_is_bounded(set)) return bound->tilted + bound->tilt.plain * reach(set, point);
    if (!set->penalty || !isfinite(bound->tilted)) return INFINITY;
    return bound->tilted + bound->tilt.scaled * gpis_penalised_reach(set, point, model, c);
}

gpis_status gpis_certificate_second(gpis_context *context, gpis_set *set, const gpis_point *point,
                                    const gpis_model *model, double c, const double *s, gpis_second_order *out) {
    double interior = INFINITY;
    curved c_bound;
    *out = GPIS_NO_SECOND_ORDER;
    if (!set->has_support) return GPIS_OK;
    const gpis_point near = point_near(set, point, model);
    gpis_status status = curved_bound(context, set, &near, model, c, s, &c_bound);
    if (status == GPIS_OK && model->slack > 0.0 && !is_double_double(model) && !set->penalty)
        status = gpis_interior_bound(context, set, &near, model, s, &interior);
    if (status != GPIS_OK) return status;
    const double noise = gpis_certificate_noise(set, &near),
                 whole = fmin(c_bound.bound, whole_tilted(set, &near, model, c, &c_bound));
    out->gap = gpis_outward(fmin(whole + cost_of_slack(set, &near, model, c), interior) + noise, set->d * set->k);
    out->base = gpis_outward(whole + noise, set->d * set->k);
    out->tilted = gpis_outward(c_bound.tilted + noise, set->d * set->k);
    out->tilt = c_bound.tilt.scaled;
    return GPIS_OK;
}

gpis_status gpis_certificate_curved(gpis_context *context, gpis_set *set, const gpis_point *point,
                                    const gpis_model *model, const double *s, double *gap) {
    curved bound;
    *gap = INFINITY;
    if (!set->has_support || model->slack > 0.0) return GPIS_OK;
    const gpis_status status = curved_bound(context, set, point, model, model->c, s, &bound);
    if (status == GPIS_OK) *gap = gpis_outward(bound.bound + gpis_certificate_noise(set, point), set->d * set->k);
    return status;
}
