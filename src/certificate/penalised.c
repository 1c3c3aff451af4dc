/* Bounds for penalised problems: multipliers entry by entry, how far better points can be, and the first order. */
#include "certificate/penalised.h"

#include <lapacke.h>
#include <math.h>

#include "certificate/rounded.h"
#include "linalg/accurate.h"
#include "linalg/rounding.h"
#include "set/penalty.h"
#include "set/polyhedron.h"

static void bounds_of(const gpis_set *set, int64_t j, double *lo, double *hi) {
    *lo = -INFINITY;
    *hi = INFINITY;
    if (set->class->bounds) set->class->bounds(set, j, lo, hi);
    if (set->polyhedron) *lo = set->polyhedron->lo[j], *hi = set->polyhedron->hi[j];
}

/* ---- multipliers ---- */

/* One entry: its bounds, its lambda, its multiplier, and where x is. */
typedef struct entry {
    double lo, hi, lambda, l, l_low, x;
} entry;

/* Moves l + l_low into the interval of the subgradients at s. */
static void move_to_subgradient(entry *e, double s) {
    const double least = s == e->lo ? -INFINITY : s > 0.0 ? e->lambda : -e->lambda;
    const double most = s == e->hi ? INFINITY : s < 0.0 ? -e->lambda : e->lambda;
    const bool above = e->l > most || (e->l == most && e->l_low > 0.0);
    const bool below = e->l < least || (e->l == least && e->l_low < 0.0);
    if (!above && !below) return;
    e->l = above ? most : least;
    e->l_low = 0.0;
}

/* (l c - lambda |c|) - (l x - lambda |x|), from above: on one side of 0 that is (l -+ lambda) (c - x). */
static double fall_to(const entry *e, double c) {
    const bool one_side = c >= 0.0 ? e->x >= 0.0 : e->x <= 0.0;
    const double at_c = e->l - (c > 0.0 || (c == 0.0 && e->x > 0.0) ? e->lambda : -e->lambda);
    const double at_x = e->l - (e->x > 0.0 || (e->x == 0.0 && c > 0.0) ? e->lambda : -e->lambda);
    const double first = one_side ? at_c * (c - e->x) : at_c * c, second = one_side ? 0.0 : at_x * e->x;
    const double low = e->l_low * (c - e->x);
    return first - second + low + 8.0 * GPIS_UNIT * (fabs(first) + fabs(second) + fabs(low));
}

/* The largest of these over the bounds and, where it is between them, 0: there is no other corner of l s - lambda |s|.
 */
static double largest_fall(const entry *e) {
    double most = 0.0;
    if (isfinite(e->lo)) most = fmax(most, fall_to(e, e->lo));
    if (isfinite(e->hi)) most = fmax(most, fall_to(e, e->hi));
    return e->lo <= 0.0 && e->hi >= 0.0 ? fmax(most, fall_to(e, 0.0)) : most;
}

double gpis_penalised_clean(const gpis_set *set, const gpis_point *point, const double *s, double *l, double *l_low) {
    const int64_t size = set->d * set->k;
    double linear = 0.0;
    for (int64_t i = 0; i < size; i++) {
        entry e = {.lambda = set->penalty[i / set->k], .l = l[i], .l_low = l_low[i], .x = point->x[i]};
        bounds_of(set, i / set->k, &e.lo, &e.hi);
        move_to_subgradient(&e, s[i]);
        linear += largest_fall(&e);
        l[i] = e.l;
        l_low[i] = e.l_low;
    }
    return linear * (1.0 + ((double)size + 4.0) * GPIS_UNIT);
}

/* ---- how far better points can be ---- */

/* An entry that neither bounds nor its penalty hold. */
static bool is_loose(const gpis_set *set, int64_t j) {
    double lo, hi;
    bounds_of(set, j, &lo, &hi);
    return !(set->penalty[j] > 0.0) && (isinf(lo) || isinf(hi));
}

/* The other entries, where h(s) <= F: the sum of ||a_j|| |s_j| over those with a penalty, and the root of the sum of
 * the squares over those with bounds alone. */
typedef struct extent {
    double penalised, bounded;
} extent;

static extent extent_of_held(const gpis_set *set, const gpis_point *point, double F) {
    double longest2 = 0.0, penalised = 0.0, bounded2 = 0.0;
    for (int64_t j = 0; j < set->d; j++) longest2 = fmax(longest2, point->norms2[j]);
    for (int64_t j = 0; j < set->d; j++) {
        double lo, hi;
        const double norm = sqrt(point->norms2[j] > 0.0 ? point->norms2[j] : longest2);
        if (is_loose(set, j)) continue;
        bounds_of(set, j, &lo, &hi);
        const double most = norm * fmax(fabs(lo), fabs(hi));
        if (set->penalty[j] > 0.0)
            penalised = fmax(penalised, norm / set->penalty[j]);
        else
            bounded2 += most * most;
    }
    return (extent){penalised * F, sqrt((double)set->k * bounded2)};
}

/* trace(T_E^-1) for the columns E of the loose entries, T = D^-1 H D^-1 of the model; infinite where rounding errors
 * leave it in doubt. */
static double inverse_of_loose(const gpis_set *set, const gpis_point *point, const gpis_model *model, int64_t count) {
    static const double CERTAIN = 1e4; /* a larger trace might be wrong by more than the margin that is taken */
    double *T = gpis_alloc(set->context, count * count, sizeof *T), trace = 0.0;
    int64_t *column = gpis_alloc(set->context, count, sizeof *column), at = 0;
    bool good = T && column;
    for (int64_t j = 0; good && j < set->d; j++) {
        if (!is_loose(set, j)) continue;
        column[at++] = j;
        good = point->norms2[j] > 0.0;
    }
    for (int64_t i = 0; good && i < count * count; i++) {
        const int64_t a = column[i / count], b = column[i % count];
        T[i] = model->H[a * set->d + b] / (sqrt(point->norms2[a]) * sqrt(point->norms2[b]));
    }
    good = good && LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)count, T, (int)count) == 0 &&
           LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (int)count, T, (int)count) == 0;
    for (int64_t i = 0; good && i < count; i++) trace += T[i * (count + 1)];
    gpis_free(set->context, T);
    gpis_free(set->context, column);
    return good && trace <= CERTAIN ? trace : INFINITY;
}

/* For s_E, the loose entries: (c / trace(T_E^-1) - slack) ||D s_E||^2 <= ||A_E s_E||^2. A single column of A itself is
 * known without a model. */
static double longest_loose(const gpis_set *set, const gpis_point *point, const gpis_model *model, double c,
                            double image) {
    int64_t count = 0, last = 0;
    for (int64_t j = 0; j < set->d; j++)
        if (is_loose(set, j)) count++, last = j;
    if (count == 0) return 0.0;
    if (count == 1) return point->norms2[last] > 0.0 ? image : INFINITY;
    const double least = 0.99 * c / inverse_of_loose(set, point, model, count) - model->slack;
    return least > 0.0 ? image / sqrt(least) : INFINITY;
}

/* ||A_E s_E|| <= ||y|| + ||A s - y|| + the rest of A s, and ||y|| <= ||A x|| + F^1/2. */
double gpis_penalised_reach(const gpis_set *set, const gpis_point *point, const gpis_model *model, double c) {
    const double F = gpis_certificate_objective(set, point) + gpis_certificate_noise(set, point);
    const extent held = extent_of_held(set, point, F);
    double here2 = 0.0, products = 0.0;
    for (int64_t j = 0; j < set->d; j++) {
        const double part = sqrt(point->norms2[j]) * gpis_norm2(point->x + j * set->k, set->k);
        products += part;
        here2 += part * part;
    }
    const double others = held.penalised + sqrt((double)set->d) * held.bounded;
    const double loose = longest_loose(set, point, model, c, products + 2.0 * sqrt(F) + others);
    return GPIS_BOUND_MARGIN * (sqrt(here2) + held.penalised + held.bounded + loose);
}

/* ---- first order ---- */

/* The largest tau for which h* is finite at -2 tau A'r, whatever rounding did to A'r; 0 if there is none. */
static double largest_tau(const gpis_set *set, const gpis_point *point) {
    double most = INFINITY;
    for (int64_t i = 0; set->unbounded && i < set->d * set->k; i++) {
        const int64_t j = i / set->k;
        double lo, hi;
        bounds_of(set, j, &lo, &hi);
        const double error = point->errors.product * sqrt(point->norms2[j]);
        const double up = isinf(hi) ? -point->g[i] + error : 0.0, down = isinf(lo) ? point->g[i] + error : 0.0;
        if (fmax(up, down) > 0.0) most = fmin(most, 0.5 * set->penalty[j] / fmax(up, down));
    }
    return most * (1.0 - 8.0 * GPIS_UNIT);
}

/* Whether l is still -2 tau g: an unbounded polyhedron may have moved it to where its conjugate is finite. Where it
 * has, or knows l only up to rounding, there is no bound of first order. */
static bool has_stayed(const gpis_set *set, const gpis_point *point, double tau, const double *l) {
    for (int64_t i = 0; i < set->d * set->k; i++)
        if (l[i] != -2.0 * tau * point->g[i]) return false;
    return true;
}

/* The bound for one tau; l has space for d x k numbers. */
static gpis_status first_with(gpis_set *set, const gpis_point *point, double tau, double *l, double *gap) {
    const int64_t size = set->d * set->k;
    const gpis_errors errors = point->errors;
    const double h = gpis_set_height(set, point->x) * (1.0 + gpis_set_height_error(set)), off = fabs(1.0 - tau);
    double conjugate, lost, columns2 = 0.0, here = 0.0;
    for (int64_t i = 0; i < size; i++) l[i] = -2.0 * tau * point->g[i];
    const double size_of_l = gpis_norm2(l, size);
    const gpis_status status = gpis_certificate_first_support(set, point->x, l, &conjugate, &lost);
    *gap = INFINITY;
    if (status != GPIS_OK || (set->polyhedron && !(lost == 0.0 && has_stayed(set, point, tau, l)))) return status;
    for (int64_t j = 0; j < set->d; j++) columns2 += point->norms2[j];
    for (int64_t i = 0; i < size; i++) here += sqrt(point->norms2[i / set->k]) * fabs(point->x[i]);
    const double product = GPIS_BOUND_MARGIN * errors.product * sqrt(columns2 * (double)set->k);
    const double f = point->objective + errors.objective, at_x = GPIS_BOUND_MARGIN * errors.product * here;
    const double rounding =
        2.0 * tau * (at_x + gpis_bound_dot_error(point->g, point->x, size)) +
        GPIS_BOUND_MARGIN * (2.0 * tau * product + 4.0 * GPIS_UNIT * size_of_l) * gpis_set_core_radius(set);
    const double residual = 2.0 * tau * off * sqrt(f) * errors.residual + tau * tau * errors.residual * errors.residual;
    const double linear =
        gpis_bound_at_least_zero(h + conjugate + 2.0 * tau * gpis_bound_dot(point->g, point->x, size) + off * off * f +
                                 rounding + 8.0 * GPIS_UNIT * (h + fabs(conjugate)));
    *gap = gpis_outward(linear + residual + gpis_certificate_noise(set, point), set->d * set->k);
    return GPIS_OK;
}

/* Where K is bounded, tau = 1; else also the best tau for a K that is not, if h* is finite there. */
gpis_status gpis_penalised_first(gpis_context *context, gpis_set *set, const gpis_point *point, double *gap) {
    const int64_t size = set->d * set->k;
    const double most = largest_tau(set, point);
    const double best = 1.0 - gpis_bound_dot(point->g, point->x, size) / point->objective;
    *gap = INFINITY;
    if (!(most > 0.0) || !gpis_certificate_has_first(set)) return GPIS_OK;
    double *l = gpis_alloc(context, size, sizeof *l), other = INFINITY;
    if (!l) return GPIS_NO_MEMORY;
    gpis_status status = first_with(set, point, fmin(most, 1.0), l, gap);
    if (status == GPIS_OK && set->unbounded && isfinite(best) && best > 0.0)
        status = first_with(set, point, fmin(most, best), l, &other);
    *gap = fmin(*gap, other);
    gpis_free(context, l);
    return status;
}

/* ---- first order, where h(s) is at most a level ---- */

/* The largest |s_j| that the bounds of the entry allow. */
static double farthest(const gpis_set *set, int64_t j) {
    double lo, hi;
    bounds_of(set, j, &lo, &hi);
    return fmax(fabs(lo), fabs(hi));
}

/* What is lost by a multiplier that is off by e_i in each entry: sum of e_i |s_i| <= max (e_i / lambda_j) h(s) over the
 * entries with a penalty, and those without one are held by their bounds. */
static double cost_of_errors(const gpis_set *set, const gpis_point *point, double level, const double *l) {
    double relative = 0.0, others = 0.0;
    for (int64_t i = 0; i < set->d * set->k; i++) {
        const int64_t j = i / set->k;
        const double moved = fabs(-2.0 * point->g[i] - l[i]) * (1.0 + 2.0 * GPIS_UNIT);
        const double e = moved + 2.0 * point->errors.product * sqrt(point->norms2[j]);
        others += e * fabs(point->x[i]);
        if (set->penalty[j] > 0.0)
            relative = fmax(relative, e / set->penalty[j]);
        else if (e > 0.0)
            others += e * farthest(set, j);
    }
    return relative * level + others;
}

gpis_status gpis_penalised_within(gpis_context *context, const gpis_set *set, const gpis_point *point, double level,
                                  double *gap) {
    const int64_t size = set->d * set->k;
    const double e = point->errors.residual;
    double *l = gpis_alloc_zero(context, 2 * size, sizeof *l); /* and its low part, 0 */
    *gap = INFINITY;
    if (!l) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < size; i++) l[i] = -2.0 * point->g[i];
    const double linear = gpis_penalised_clean(set, point, point->x, l, l + size);
    const double sum = fmax(0.0, linear) + cost_of_errors(set, point, level, l) + e * e;
    *gap = gpis_bound_at_least_zero(gpis_outward(sum + gpis_certificate_noise(set, point), size));
    gpis_free(context, l);
    return GPIS_OK;
}
