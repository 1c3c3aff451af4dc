/*
 * The multiplier of a polyhedron in double-double, and of norms that it meets. With y_i > 0 only where upper_i is
 * finite, y_i < 0 only where lower_i is, nu_k >= 0, kappa_j = lambda_j + sum over k of nu_k w_kj, any u_s for each sum
 * s of norms of groups, which is at most R_s, and any v,
 *
 *     <C'y + sum of u_s + v, z> - h(z) <= sum of y_i b_i + sum of nu_k R_k + sum of R_s max over groups of
 * ||u_s,group||
 *                                         + sum of sup over [lo_j, hi_j] of (v_j t - kappa_j |t|)
 *
 * for every z of K (docs/maths/certificates.md, "Polyhedra and intersections"). y is that of the equations and limits
 * of rows, nu that of the sums, u_s those of the cones, and v is what they leave of minus the gradient, as
 * far as the suprema are finite. The numbers y, nu and u that are held are exact by definition, and so is v_j, unless
 * it is kappa_j or -kappa_j.
 */
#include <math.h>

#include "inner/fine.h"

void gpis_fine_add_term(gpis_fine_sum *s, gpis_dd a, double b) {
    const gpis_dd product = gpis_dd_scale(a, b);
    s->sum = gpis_dd_add(s->sum, product);
    s->size += fabs(product.high);
    s->terms++;
}

double gpis_fine_sum_error(const gpis_fine_sum *s) { return 1.01 * (double)s->terms * GPIS_DD_UNIT * s->size; }

/* The units are powers of two. */
static double scaled(const gpis_fine *f, double lambda) { return 0.5 * lambda / f->response / f->response / f->unit; }

double gpis_fine_penalty(const gpis_fine *f, int64_t j) {
    return f->lift->penalty ? scaled(f, f->lift->penalty[j]) : 0.0;
}

gpis_dd gpis_fine_slope(const gpis_fine *f, int64_t j) {
    return gpis_dd_of(f->lift ? scaled(f, gpis_lift_slope(f->lift, j)) : 0.0);
}

/* ---- multipliers of the right signs ---- */

static bool is_number(gpis_dd y) { return isfinite(y.high) && isfinite(y.low); }

/* y_i: of an equation, or of the limits of a row, of which one may be infinite; rows of zeros have none. */
static gpis_dd row_multiplier(const gpis_fine *f, int64_t i) {
    const int64_t r = f->lift->equation[i], t = f->lift->place[i];
    gpis_dd y = {0.0, 0.0};
    if (r >= 0) y = f->nu[r];
    if (t >= 0) y = gpis_dd_subtract(f->upper[f->d + t].dual, f->lower[f->d + t].dual);
    return is_number(y) ? y : gpis_dd_of(0.0);
}

static gpis_dd sum_multiplier(const gpis_fine *f, int64_t k) {
    const gpis_dd nu = f->ball[k].dual;
    return nu.high > 0.0 && is_number(nu) ? nu : gpis_dd_of(0.0);
}

static gpis_fine_sum kappa_of(const gpis_fine *f, int64_t j) {
    const gpis_polyhedron *p = f->lift->p;
    gpis_fine_sum kappa = {.terms = 4};
    if (f->lift->penalty) gpis_fine_add_term(&kappa, gpis_dd_of(gpis_fine_penalty(f, j)), 1.0);
    for (int64_t k = 0; k < p->sums; k++) gpis_fine_add_term(&kappa, sum_multiplier(f, k), p->weight[k * p->d + j]);
    return kappa;
}

/* A bound on the supremum for an entry, and on the error of that. */
typedef struct entry_bound {
    gpis_dd value;
    double error;
} entry_bound;

/* v t - kappa |t| for a finite t. */
static void try_end(entry_bound *most, gpis_dd v, const gpis_fine_sum *kappa, double t, bool *any) {
    if (!isfinite(t)) return;
    const gpis_dd up = gpis_dd_scale(v, t), down = gpis_dd_scale(kappa->sum, fabs(t));
    const gpis_dd value = gpis_dd_subtract(up, down);
    const double rounding = 3.0 * GPIS_DD_UNIT * (fabs(up.high) + fabs(down.high));
    if (!*any || gpis_dd_subtract(value, most->value).high > 0.0) most->value = value;
    most->error = fmax(most->error, 1.01 * (gpis_fine_sum_error(kappa) * fabs(t) + rounding));
    *any = true;
}

/* v_j t - kappa_j |t| is concave, so its largest value over [lo, hi] is at an end or at 0, if it is finite. */
static entry_bound supremum(gpis_dd v, const gpis_fine_sum *kappa, double lo, double hi) {
    entry_bound most = {{0.0, 0.0}, 0.0};
    bool any = lo <= 0.0 && hi >= 0.0;
    try_end(&most, v, kappa, lo, &any);
    try_end(&most, v, kappa, hi, &any);
    return most;
}

/* Whether v may be more than kappa in exact arithmetic. */
static bool may_exceed(gpis_dd v, const gpis_fine_sum *kappa) {
    const double margin = gpis_fine_sum_error(kappa) + 4.0 * GPIS_DD_UNIT * (fabs(v.high) + fabs(kappa->sum.high));
    return !(gpis_dd_subtract(kappa->sum, v).high > 2.0 * margin);
}

/* Whether `rest`, which presses against a bound at this distance from x_j, is not the price of that bound but what the
 * steps have left of the gradient: it is the smaller of both, in units of the column, and their product costs more than
 * is allowed. */
static bool is_left_over(const gpis_fine *f, int64_t j, double rest, double distance) {
    const bool apart = rest * f->near[j] * f->near[j] < distance;
    return rest > 0.0 && isfinite(distance) && apart && rest * distance > f->allowance;
}

/* v_j, or kappa_j or -kappa_j where what v_j has beyond that is left over: as an imbalance of the multiplier
 * (certificate/known.h) this weighs less than as a price of a bound that is far away. */
static gpis_dd without_left_over(const gpis_fine *f, int64_t j, gpis_dd v, const gpis_fine_sum *kappa, double lo,
                                 double hi) {
    const gpis_dd up = gpis_dd_subtract(v, kappa->sum), down = gpis_dd_negate(gpis_dd_add(v, kappa->sum));
    if (is_left_over(f, j, up.high, hi - f->x[j].high)) return kappa->sum;
    return is_left_over(f, j, down.high, f->x[j].high - lo) ? gpis_dd_negate(kappa->sum) : v;
}

/* v_j, within *off of the one that is meant. Where an end is infinite and v_j would be too large there, kappa_j is
 * meant in its place, with the supremum 0: kappa t - kappa |t| <= 0, and = 0 for large t. */
static gpis_dd choose(const gpis_fine *f, int64_t j, gpis_dd left, entry_bound *most, double *off) {
    const double lo = f->lift->p->lo[j] * f->unit, hi = f->lift->p->hi[j] * f->unit;
    const gpis_fine_sum kappa = kappa_of(f, j);
    const gpis_dd wanted = without_left_over(f, j, left, &kappa, lo, hi);
    const bool above = isinf(hi) && may_exceed(wanted, &kappa);
    const bool below = isinf(lo) && may_exceed(gpis_dd_negate(wanted), &kappa);
    *most = (entry_bound){{0.0, 0.0}, 0.0};
    *off = 0.0;
    if (!above && !below) {
        *most = supremum(wanted, &kappa, lo, hi);
        return wanted;
    }
    *off = gpis_fine_sum_error(&kappa);
    return above && !(below && wanted.high < 0.0) ? kappa.sum : gpis_dd_negate(kappa.sum);
}

/* ---- the whole ---- */

/* sum of y_i b_i + sum of nu_k R_k + sum of R_s times the multiplier of sum s of norms. */
static gpis_fine_sum constant_part(const gpis_fine *f) {
    const gpis_polyhedron *p = f->lift->p;
    gpis_fine_sum s = {.terms = 4};
    for (int64_t i = 0; i < p->rows; i++) {
        const gpis_dd y = row_multiplier(f, i);
        if (y.high != 0.0) gpis_fine_add_term(&s, y, (y.high > 0.0 ? p->upper[i] : p->lower[i]) * f->unit);
    }
    for (int64_t k = 0; k < p->sums; k++) gpis_fine_add_term(&s, sum_multiplier(f, k), p->R[k] * f->unit);
    for (int64_t k = 0; k < f->flat->sums; k++)
        gpis_fine_add_term(&s, gpis_fine_multiplier_of_norms(f, k), f->flat->sum[k].R * f->unit);
    return s;
}

/* (C'y + sum of u_s)_j. */
static gpis_fine_sum rows_and_norms_of(const gpis_fine *f, int64_t j) {
    const gpis_polyhedron *p = f->lift->p;
    gpis_fine_sum sum = {.terms = 4};
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t e = p->first[i]; e < p->first[i + 1] && p->column[e] <= j; e++)
            if (p->column[e] == j) gpis_fine_add_term(&sum, row_multiplier(f, i), p->value[e]);
    for (int64_t k = 0; k < f->lift->norm_count; k++) {
        const gpis_lift_norms *n = f->lift->norms + k;
        for (int64_t i = 0; i < n->set->d; i++)
            if (n->column[i] == j) gpis_fine_add_term(&sum, f->y[n->place[i]], -1.0);
    }
    return sum;
}

/* G x - b without the slope of a penalty. */
static gpis_dd gradient_of(const gpis_fine *f, int64_t j) {
    gpis_dd g = gpis_dd_negate(gpis_dd_add(f->b[j], gpis_fine_slope(f, j)));
    for (int64_t i = 0; i < f->own; i++)
        g = gpis_dd_add(g, gpis_dd_multiply((gpis_dd){f->G[j * f->d + i], f->G_low[j * f->d + i]}, f->x[i]));
    return g;
}

gpis_dd gpis_fine_lifted(gpis_fine *f) {
    gpis_fine_sum most = constant_part(f);
    double errors = 0.0;
    for (int64_t j = 0; j < f->own; j++) {
        const gpis_fine_sum rows = rows_and_norms_of(f, j);
        const gpis_dd wanted = gpis_dd_negate(gpis_dd_add(gradient_of(f, j), rows.sum));
        entry_bound bound;
        double off;
        const gpis_dd v = choose(f, j, wanted, &bound, &off);
        f->p[j] = gpis_dd_add(rows.sum, v);
        f->off[j] = 1.01 * (gpis_fine_sum_error(&rows) + off + GPIS_DD_UNIT * fabs(f->p[j].high));
        gpis_fine_add_term(&most, bound.value, 1.0);
        errors += bound.error;
    }
    return gpis_dd_add(most.sum, gpis_dd_of(1.01 * (gpis_fine_sum_error(&most) + errors)));
}
