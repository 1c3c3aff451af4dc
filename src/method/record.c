/* The best point, the lower bounds, and what they amount to. */
#include "method/record.h"

#include <math.h>
#include <string.h>

#include "certificate/certificate.h"

/* Where the set has no support function there are no bounds at all; elsewhere f >= 0 is the first. */
gpis_status gpis_record_begin(gpis_record *record, const gpis_problem *problem, double tol, gpis_certificate wanted) {
    const double known = problem->set->has_support ? 0.0 : -INFINITY;
    *record = (gpis_record){.problem = problem,
                            .tol = tol,
                            .wanted = wanted,
                            .objective = INFINITY,
                            .known_objective = INFINITY,
                            .proven = {known, -INFINITY},
                            .probable = {known, -INFINITY},
                            .nearby = {known, -INFINITY},
                            .within = {.lower = -INFINITY}};
    record->best = gpis_alloc_zero(problem->context, problem->size, 2 * sizeof *record->best);
    if (!record->best) return GPIS_NO_MEMORY;
    record->gradient = record->best + problem->size;
    return GPIS_OK;
}

void gpis_record_clear(gpis_record *record) {
    if (record->problem) gpis_free(record->problem->context, record->best);
    *record = (gpis_record){0};
}

/* ---- the best point ---- */

/* F = f + h, which the record is about. */
static double objective_of(const gpis_record *r, const gpis_point *point) {
    return gpis_certificate_objective(r->problem->set, point);
}

static double noise_of(const gpis_record *r, const gpis_point *point) {
    return gpis_certificate_noise(r->problem->set, point);
}

double gpis_record_objective_at(const gpis_record *r, const gpis_point *point) { return objective_of(r, point); }

/* Whether this is the x of the best point. */
static bool has_best_x(const gpis_record *r, const gpis_point *point) {
    return memcmp(point->x, r->best, (size_t)r->problem->size * sizeof *r->best) == 0;
}

/* Whether this is the best point. */
static bool is_best(const gpis_record *r, const gpis_point *point) {
    return point && objective_of(r, point) == r->objective && has_best_x(r, point);
}

void gpis_record_start_at(gpis_record *r, const double *x) {
    memcpy(r->best, x, (size_t)r->problem->size * sizeof *r->best);
}

void gpis_record_offer(gpis_record *r, const gpis_point *point) {
    const bool more_exact = has_best_x(r, point) && noise_of(r, point) < r->noise;
    if (objective_of(r, point) < r->objective || more_exact) gpis_record_replace(r, point);
}

void gpis_record_replace(gpis_record *r, const gpis_point *point) {
    const bool same = is_best(r, point);
    memcpy(r->best, point->x, (size_t)r->problem->size * sizeof *r->best);
    if (point->g) memcpy(r->gradient, point->g, (size_t)r->problem->size * sizeof *r->gradient);
    r->gradient_known = r->gradient_known || point->g;
    if (!same) r->proven.at_best = r->probable.at_best = r->nearby.at_best = r->within.lower = -INFINITY;
    r->objective = r->known_objective = objective_of(r, point);
    r->fit = point->objective;
    r->noise = noise_of(r, point);
    r->grain = gpis_certificate_grain(r->problem->set, point);
}

void gpis_record_set_coarse(gpis_record *r, bool coarse) { r->coarse = coarse; }

void gpis_record_forget_objective(gpis_record *r) { r->objective = INFINITY; }

void gpis_record_recall_objective(gpis_record *r) {
    if (!isfinite(r->objective)) r->objective = r->known_objective;
}

double gpis_record_known_objective(const gpis_record *r) {
    return isfinite(r->objective) ? r->objective : r->known_objective;
}

/* ---- lower bounds on f* ---- */

static void enter(const gpis_record *r, gpis_lower *bound, const gpis_point *point, double lower) {
    bound->anywhere = fmax(bound->anywhere, lower);
    if (is_best(r, point)) bound->at_best = fmax(bound->at_best, lower);
}

void gpis_record_enter_proven(gpis_record *r, const gpis_point *point, double lower) {
    enter(r, &r->proven, point, lower);
}

void gpis_record_enter_probable(gpis_record *r, const gpis_point *point, double lower) {
    enter(r, &r->probable, point, lower);
}

void gpis_record_enter_nearby(gpis_record *r, const gpis_point *point, double lower, double nearness) {
    if (!(lower > r->nearby.anywhere)) return;
    enter(r, &r->nearby, point, lower);
    r->nearness = nearness;
}

void gpis_record_set_response(gpis_record *r, double norm) { r->response = norm; }

/* The lowest bound that meets the tolerance. */
static double least_lower(const gpis_record *r) { return r->objective / (1.0 + r->tol) * (1.0 + 1e-15); }

/* The farthest r for which the bound still meets the tolerance: tilt r + slack r^2 = left. */
static double horizon_of(const gpis_record *r, gpis_within w) {
    static const double MARGIN = 1e-6; /* covers the rounding of this computation */
    const double left = w.lower - least_lower(r);
    if (!(left > 0.0)) return 0.0;
    return (1.0 - MARGIN) * 2.0 * left / (w.tilt + sqrt(w.tilt * w.tilt + 4.0 * w.slack * left));
}

/* Before any bound meets the tolerance, the higher one counts. */
void gpis_record_enter_within(gpis_record *r, const gpis_point *point, gpis_within bound) {
    const double new = horizon_of(r, bound), old = horizon_of(r, r->within);
    if (is_best(r, point) && (new > old || (old == 0.0 && bound.lower > r->within.lower))) r->within = bound;
}

void gpis_record_forget_bounds(gpis_record *r) {
    const gpis_lower unknown = {-INFINITY, -INFINITY};
    r->proven = r->probable = r->nearby = unknown;
    r->within.lower = -INFINITY;
}

/* A bound that comes from the best point contains the rounding error of its objective; others do not. */
static double beneath(const gpis_record *r, gpis_lower bound) { return fmax(bound.at_best, bound.anywhere - r->noise); }

static bool meets(const gpis_record *r, double lower) { return r->objective - lower <= r->tol * lower; }

/* The bound for the farthest horizon at which it still meets the tolerance, if that is far enough; else none. */
static gpis_bound bound_within(const gpis_record *r) {
    const double horizon = r->response > 0.0 ? horizon_of(r, r->within) / r->response : 0.0;
    if (!(horizon >= GPIS_FAR_HORIZON)) return (gpis_bound){.lower = -INFINITY};
    return (gpis_bound){.lower = least_lower(r), .horizon = horizon};
}

gpis_bound gpis_record_bound(const gpis_record *r) {
    const bool any = r->wanted != GPIS_CERTIFICATE_PROVEN;
    const gpis_bound bounds[] = {{.lower = beneath(r, r->proven)},
                                 {.lower = beneath(r, any ? r->probable : r->proven), .probable = any},
                                 bound_within(r),
                                 {.lower = beneath(r, r->nearby), .nearness = r->nearness}};
    enum { KINDS = sizeof bounds / sizeof *bounds };
    int best = 0;
    for (int i = 0; i < KINDS; i++) {
        if (meets(r, bounds[i].lower)) return bounds[i];
        if (bounds[i].lower > bounds[best].lower) best = i;
    }
    return bounds[best];
}

double gpis_record_lower(const gpis_record *r) { return gpis_record_bound(r).lower; }

double gpis_record_gap(const gpis_record *r) { return fmax(0.0, r->objective - gpis_record_lower(r)); }

/* ---- what counts ---- */

/* The gap that is left to an x in double precision where the fit is nearly exact (docs/maths, "Nearly exact fits"):
 * what the rounding errors of A x in double precision do; and those of the objective, if they are far below what
 * rounding the data does, and that alone changes many of the digits of f. */
static double smallest_gap(const gpis_record *r) {
    static const double SHARE_OF_DATA = 0.125, NEARLY_EXACT = 1e-7;
    const double roundings = 2.0 * ((double)r->problem->d + 8.0); /* of the d products and sums in a row of A x */
    const double data = 2.0 * sqrt(r->fit) * sqrt(r->grain);      /* a last digit of each entry of A moves f so far */
    const bool counts = data >= NEARLY_EXACT * r->objective && r->noise <= SHARE_OF_DATA * data;
    return roundings * roundings * r->grain + (counts ? 4.0 * r->noise : 0.0);
}

/* Whether the residual is small beside y. Rounding errors exceed that of other fits, too, where terms of A x are many
 * times as long as y and cancel: then it is x that is bad, and not the fit that is exact. */
static bool fits_closely(const gpis_record *r) {
    static const double SMALL = 1e-3;
    return r->response == 0.0 || r->fit <= SMALL * SMALL * r->response * r->response;
}

gpis_settled gpis_record_settled(const gpis_record *r) {
    const double gap = gpis_record_gap(r), tolerance = r->tol * gpis_record_lower(r), smallest = smallest_gap(r);
    if (r->wanted == GPIS_CERTIFICATE_NONE) return GPIS_SETTLED_NOT;
    if (gap <= tolerance) return GPIS_SETTLED_BY_TOLERANCE;
    if (r->coarse) return GPIS_SETTLED_NOT;
    if (r->objective <= fmax(r->noise, smallest) && fits_closely(r)) return GPIS_SETTLED_AS_ZERO;
    return gap <= fmax(tolerance, 0.0) + smallest ? GPIS_SETTLED_BY_GRAIN : GPIS_SETTLED_NOT;
}

bool gpis_record_is_solved(const gpis_record *r) { return gpis_record_settled(r) != GPIS_SETTLED_NOT; }

bool gpis_record_judge(gpis_record *r, double objective, double gap) {
    static const double SHARE_OF_TOLERANCE = 0.1; /* a smaller fall of f is no progress */
    static const double SHARE_OF_GAP = 0.9;       /* nor is a gap that stays above this share of what it was */
    const double least = fmax(r->noise, SHARE_OF_TOLERANCE * r->tol * r->objective);
    r->idle = !(gpis_record_gap(r) < SHARE_OF_GAP * gap) && !(r->objective < objective - least);
    return r->idle;
}

bool gpis_record_is_limited_by_noise(const gpis_record *r) {
    static const double HARMLESS = 0.1; /* noise below this share of the tolerance is not what keeps the gap open */
    static const double WITHIN = 4.0;   /* tolerance and noise explain a gap of up to so many times their sum */
    const double tolerance = r->tol * r->objective;
    if (gpis_record_is_solved(r) || r->noise <= HARMLESS * tolerance) return false;
    const bool near = gpis_record_gap(r) <= WITHIN * (tolerance + r->noise);
    const bool blind = gpis_record_lower(r) <= 0.0 && r->idle;
    return near || blind;
}

bool gpis_record_is_rough(const gpis_record *r) {
    static const double TEN_DIGITS = 1e-10;
    return !(r->noise <= TEN_DIGITS * r->objective);
}

/* ---- another point of the same objective ---- */

/* The bound within a horizon, as seen from another point. With R = r + ||D (x - best)||, f(s) >= lower - tilt R - slack
 * R^2, in which the error of the other objective is not contained. */
static gpis_within seen_from(const gpis_record *r, const gpis_point *point) {
    const gpis_within *w = &r->within;
    const int64_t k = r->problem->k;
    double longest2 = 0.0, sum = 0.0;
    for (int64_t j = 0; j < r->problem->d; j++) longest2 = fmax(longest2, point->norms2[j]);
    for (int64_t i = 0; i < r->problem->size; i++) {
        const double norm2 = point->norms2[i / k], move = point->x[i] - r->best[i];
        sum += (norm2 > 0.0 ? norm2 : longest2) * move * move;
    }
    const double moved = sqrt(sum) * (1.0 + 1e-9), lost = (w->tilt + w->slack * moved) * moved + noise_of(r, point);
    return (gpis_within){w->lower - lost * (1.0 + 1e-9), w->tilt + 2.0 * w->slack * moved, w->slack};
}

/* The record with another best point, but for the entries of that point. */
static gpis_record with_best(const gpis_record *r, const gpis_point *point) {
    gpis_record after = *r;
    after.proven.at_best = after.probable.at_best = after.nearby.at_best = -INFINITY;
    after.within = seen_from(r, point);
    after.objective = after.known_objective = objective_of(r, point);
    after.fit = point->objective;
    after.noise = noise_of(r, point);
    after.grain = gpis_certificate_grain(r->problem->set, point);
    return after;
}

bool gpis_record_exchange(gpis_record *r, const gpis_point *point) {
    const gpis_record after = with_best(r, point);
    const bool harmless = gpis_record_is_solved(r)
                              ? gpis_record_is_solved(&after)
                              : objective_of(r, point) <= r->objective + fmax(after.noise, smallest_gap(&after));
    if (!harmless) return false;
    gpis_record_replace(r, point);
    r->within = after.within;
    return true;
}

/* Rounding goes downwards, however small the change is. */
static void lower_by(gpis_lower *bound, double change) {
    if (change > 0.0) bound->at_best = nextafter(bound->at_best - change, -INFINITY);
}

bool gpis_record_move(gpis_record *r, const double *x, double change) {
    gpis_record after = *r;
    if (change > 0.0) after.noise = nextafter(r->noise + change, INFINITY);
    lower_by(&after.proven, change);
    lower_by(&after.probable, change);
    lower_by(&after.nearby, change);
    after.within.lower = -INFINITY; /* its distances are measured from the best point */
    const bool harmless = gpis_record_is_solved(r) ? gpis_record_is_solved(&after) : change <= r->noise;
    if (!harmless) return false;
    memcpy(r->best, x, (size_t)r->problem->size * sizeof *r->best);
    *r = after;
    return true;
}
