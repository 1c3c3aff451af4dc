/* Near-optimal ranges, one entry and one side at a time. */
#include "path/ranges.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "certificate/centred.h"
#include "certificate/certificate.h"
#include "certificate/penalised.h"
#include "certificate/rounded.h"
#include "inner/inner.h"
#include "set/polyhedron.h"

/* What the searches share. */
typedef struct search {
    gpis_fit *fit;
    const gpis_fit_set *set;
    gpis_inner *inner;
    gpis_range_level level;
    const double *x;       /* the near minimiser, */
    double *g;             /* half its gradient, */
    double objective;      /* and F there */
    double *tilted;        /* g - m / 2 at the entry */
    double *base;          /* d k: the farthest point so far whose F is at most the inner level, */
    double base_objective; /* and F there */
    gpis_dependent_columns columns;
    gpis_model *whole; /* owned: with the null vectors; NULL: not needed, or they are not all */
    double *at, *unit; /* d k each: a point on the way; the direction of an entry */
    double *memory;    /* owned: the arrays */
} search;

/* A point of a search: the minimiser of F - m x_i for some m. */
typedef struct tilt {
    double m;
    double objective, noise; /* F there, and its error */
    double least;            /* proven: F - m x_i is at least this on K; -INFINITY: nothing is known */
} tilt;

static int64_t size_of(const search *s) { return s->fit->d * s->fit->k; }

/* ---- the tilted problem ---- */

/* The first-order bound of a tilted point. The one of penalties scales the residual, which a tilted problem has none
 * of; but only points within the level count, where the penalty is at most the level. */
static gpis_status bound_first(search *s, const gpis_point *point, double *gap) {
    const gpis_fit *f = s->fit;
    gpis_set *core = s->set->core;
    const gpis_column_sums sums = {gpis_quadratic_row(f->data, f->d - 1), f->data->gamma};
    if (core->penalty)
        return f->constant ? gpis_certificate_centred_within(f->context, core, point, sums, s->level.outer, gap)
                           : gpis_penalised_within(f->context, core, point, s->level.outer, gap);
    return f->constant ? gpis_certificate_centred(f->context, core, point, sums, gap)
                       : gpis_certificate_first(f->context, core, point, gap);
}

/* Whether f changes when entry i does, along some null vector. */
static bool takes_part(const search *s, int64_t i) {
    const gpis_dependent_columns *c = &s->columns;
    for (int64_t r = 0; r < c->exact + c->near; r++)
        if (c->vectors[r * c->d + i / s->fit->k] != 0.0) return true;
    return false;
}

/* The second-order bound by the model that has no direction without curvature. */
static gpis_status bound_whole(search *s, const gpis_point *point, const double *near, double *gap) {
    gpis_second_order bound;
    const gpis_status status =
        gpis_certificate_second(s->fit->context, s->set->all, point, s->whole, s->whole->c, near, &bound);
    if (status == GPIS_OK) *gap = fmin(*gap, bound.gap);
    return status;
}

/* The certificates of the point for the tilted objective: its gradient is that of F but for entry i. The gradient of a
 * column of zeros is 0, and half of m is exact. */
static gpis_status bound_tilted(search *s, gpis_point *point, int64_t i, double m, const double *near, tilt *t) {
    gpis_fit *f = s->fit;
    double gap = INFINITY, first = INFINITY;
    const double norm = sqrt(f->norms2[i / f->k]), before = f->g[i];
    f->g[i] -= 0.5 * m;
    if (norm > 0.0) point->errors.product += 2.0 * DBL_EPSILON * fabs(f->g[i]) / norm;
    gpis_status status = gpis_certificate_curved(f->context, s->set->all, point, f->model, near, &gap);
    if (status == GPIS_OK && (norm > 0.0 || before == 0.0)) status = bound_first(s, point, &first);
    if (status == GPIS_OK && s->whole && !takes_part(s, i)) status = bound_whole(s, point, near, &gap);
    f->g[i] = before;
    const double value = t->objective - m * point->x[i];
    const double rounding = 4.0 * DBL_EPSILON * (fabs(t->objective) + fabs(m * point->x[i]));
    t->least =
        fmax(t->least,
             gpis_bound_at_least_zero(fmin(gap, first)) < INFINITY ? value - fmin(gap, first) - rounding : -INFINITY);
    return status;
}

/* Minimises the tilted model around the near minimiser; what it finds is measured and certified. */
static gpis_status solve_tilted(search *s, int64_t i, double m, tilt *t) {
    gpis_fit *f = s->fit;
    bool done = false;
    memcpy(s->tilted, s->g, (size_t)size_of(s) * sizeof *s->g);
    s->tilted[i] -= 0.5 * m;
    gpis_inner_begin(s->inner, s->x, s->tilted);
    gpis_status status = gpis_inner_run(s->inner, 500, &done);
    if (status != GPIS_OK) return status;
    gpis_point point = gpis_quadratic_measure(f->data, s->inner->s, f->g, f->work, f->norms2);
    *t = (tilt){.m = m,
                .objective = gpis_certificate_objective(s->set->core, &point),
                .noise = gpis_certificate_noise(s->set->core, &point),
                .least = -INFINITY};
    return bound_tilted(s, &point, i, m, s->inner->s, t);
}

/* ---- the ends ---- */

/* The outer end for a tilt, in the direction of m: (B - least) / |m|. */
static double outer_end(const search *s, const tilt *t) {
    const double end = (s->level.outer - t->least) / fabs(t->m);
    return isfinite(t->least) ? end + 4.0 * DBL_EPSILON * (fabs(s->level.outer) + fabs(t->least)) / fabs(t->m)
                              : INFINITY;
}

/* The point at share theta of the way from the base to the minimiser, with its F. */
static double objective_on_way(search *s, double theta, double *noise) {
    const double *to = s->inner->s;
    for (int64_t j = 0; j < size_of(s); j++)
        s->at[j] = theta == 1.0 ? to[j] : s->base[j] + theta * (to[j] - s->base[j]);
    const gpis_point point = gpis_quadratic_measure(s->fit->data, s->at, s->fit->g, s->fit->work, s->fit->norms2);
    *noise = gpis_certificate_noise(s->set->core, &point);
    return gpis_certificate_objective(s->set->core, &point);
}

/* The share of the way at which F is B, for F(base) + slope theta + curve theta^2; with a penalty F is at most that on
 * the way. */
static double share_of_way(search *s, const tilt *t) {
    const double *to = s->inner->s;
    double curve = 0.0;
    if (t->objective + t->noise <= s->level.inner) return 1.0;
    for (int64_t j = 0; j < size_of(s); j++) s->at[j] = to[j] - s->base[j];
    gpis_model_apply(s->fit->model, s->fit->k, s->at, s->tilted);
    for (int64_t j = 0; j < size_of(s); j++) curve += s->at[j] * s->tilted[j];
    const double room = s->level.inner - s->base_objective, slope = t->objective - s->base_objective - curve;
    return fmin(1.0, 2.0 * room / (slope + sqrt(fmax(0.0, slope * slope + 4.0 * curve * room))));
}

/* Moves the base towards the minimiser as far as the level allows, a little less where rounding has led too far; never
 * back, in the direction of `sign`. */
static void move_base(search *s, int64_t i, double sign, const tilt *t) {
    double noise, theta = share_of_way(s, t);
    for (int tries = 0; tries < 8 && theta > 0.0; tries++, theta *= 1.0 - 1e-9 * pow(10.0, tries)) {
        const double F = objective_on_way(s, theta, &noise);
        if (!(F + noise <= s->level.inner)) continue;
        if (!(sign * s->at[i] > sign * s->base[i])) return;
        memcpy(s->base, s->at, (size_t)size_of(s) * sizeof *s->base);
        s->base_objective = F;
        return;
    }
}

/* sup over K of sign x_i, where F <= B: the set alone, and a penalty alone. */
static gpis_status reach_of_set(search *s, int64_t i, double sign, double *reach) {
    const gpis_set *K = s->set->all;
    double value = INFINITY, lost = 0.0;
    memset(s->unit, 0, (size_t)size_of(s) * sizeof *s->unit);
    s->unit[i] = sign;
    gpis_status status = GPIS_OK;
    if (K->has_support && !K->penalty && gpis_set_is_bounded(K)) {
        status = gpis_set_support_near(s->set->all, s->unit, &value, &lost);
        if (!(lost == 0.0) || s->unit[i] != sign) value = INFINITY;
    } else if (K->class->bounds && K->sum == GPIS_SUM_ANY) {
        double lo, hi;
        K->class->bounds(K, i / s->fit->k, &lo, &hi);
        value = sign > 0.0 ? hi : -lo;
    } else if (K->polyhedron) {
        value = sign > 0.0 ? K->polyhedron->hi[i / s->fit->k] : -K->polyhedron->lo[i / s->fit->k];
    }
    if (K->penalty && K->penalty[i / s->fit->k] > 0.0)
        value = fmin(value, s->level.outer / K->penalty[i / s->fit->k] * (1.0 + 8.0 * DBL_EPSILON));
    *reach = value;
    return status;
}

/* The first m: the best one where no constraint is met on the way, 2 sqrt((B - F) / (H^-1)_ii). */
static double first_m(search *s, int64_t i) {
    memset(s->unit, 0, (size_t)size_of(s) * sizeof *s->unit);
    s->unit[i] = 1.0;
    gpis_model_solve(s->fit->model, s->fit->k, s->unit);
    const double room = s->level.outer - s->objective, inverse = s->unit[i];
    const double m = 2.0 * sqrt(room / inverse);
    return isfinite(m) && m > 0.0 ? m : 2.0 * sqrt(room) * (sqrt(s->fit->norms2[i / s->fit->k]) + DBL_MIN);
}

/* The search for the best m: those on either side of it, and the last that moved x. */
typedef struct bracket {
    double low, high;  /* 0 and infinite: none yet */
    double last, root; /* m, and the square root of F(x_m) - F(x) in units of B - F(x) there; 0: none yet */
} bracket;

/* That root is a straight line in m where no further constraint is met on the way: it begins at the price of moving x_i
 * at all, which is 0 for a free entry. So the line through two points gives the next m; the middle of both sides where
 * it leads outside, or hardly anywhere: where columns depend on each other x_m leaps from near x to far away at some m,
 * and the line to a point far away is flat. */
static double next_m(bracket *b, double m, double risen) {
    static const double MAX_GROWTH = 30.0, FLAT = 1e-6, LITTLE = 0.01, FAR = 1e-3;
    const double root = sqrt(fmax(0.0, risen)), slope = (root - b->root) / (m - b->last);
    if (risen <= 1.0)
        b->low = m;
    else
        b->high = m;
    double next = root > FLAT ? m / root : MAX_GROWTH * m; /* the line from 0 */
    if (b->last > 0.0) next = slope * m > FLAT ? m + (1.0 - root) / slope : root < 1.0 ? 2.0 * m : 0.0;
    if (root > FLAT) b->last = m, b->root = root;
    next = fmin(next, MAX_GROWTH * m);
    const bool stuck = fabs(next - m) < LITTLE * m && fabs(root - 1.0) > FAR;
    const bool within = next > b->low && next < b->high && !stuck;
    return within || isinf(b->high) || !(b->low > 0.0) ? next : sqrt(b->low * b->high);
}

/* One side: sign = 1 for the upper end, -1 for the lower. Ends are those of sign x_i. */
static gpis_status search_side(search *s, int64_t i, double sign, double m, double *outer, double *inner) {
    enum { MAX_SOLVES = 40 };
    static const double CLOSE = 2e-3; /* the ends, in units of their way from x */
    bracket b = {.high = INFINITY};
    gpis_status status = reach_of_set(s, i, sign, outer);
    memcpy(s->base, s->x, (size_t)size_of(s) * sizeof *s->base);
    s->base_objective = s->objective;
    *inner = sign * s->x[i];
    for (int solves = 0; status == GPIS_OK && solves < MAX_SOLVES; solves++) {
        tilt t;
        if (gpis_is_stopped(s->fit->stop)) return gpis_fail(s->fit->context, GPIS_STOPPED, "the search was stopped");
        status = solve_tilted(s, i, sign * m, &t);
        if (status != GPIS_OK) break;
        *outer = fmin(*outer, outer_end(s, &t));
        move_base(s, i, sign, &t);
        *inner = sign * s->base[i];
        if (*outer - *inner <= CLOSE * (*outer - sign * s->x[i])) break;
        m = next_m(&b, m, (t.objective - s->objective) / (s->level.outer - s->objective));
    }
    *outer = fmax(*outer, *inner);
    return status;
}

static gpis_status search_entry(search *s, int64_t i, gpis_range_ends *out) {
    double lower, upper, inner_lower, inner_upper;
    const double m = first_m(s, i);
    gpis_status status = search_side(s, i, 1.0, m, &upper, &inner_upper);
    if (status == GPIS_OK) status = search_side(s, i, -1.0, m, &lower, &inner_lower);
    if (status == GPIS_OK) *out = (gpis_range_ends){-lower, upper, -inner_lower, inner_upper};
    return status;
}

/* ---- all entries ---- */

/* Where bounds by curvature cannot bear a singular matrix: the model of the same summary with the null vectors. */
static gpis_status make_whole(search *s) {
    gpis_fit *f = s->fit;
    const gpis_dependent_columns *c = &s->columns;
    const gpis_set *K = s->set->all;
    if (c->exact + c->near == 0 || c->d != f->d || !(f->model->slack > 0.0) || K->penalty || gpis_set_is_bounded(K))
        return GPIS_OK;
    gpis_status status = gpis_fit_make_model(f, &s->whole);
    if (status == GPIS_OK && c->exact > 0) status = gpis_model_add_null(s->whole, c->exact, c->vectors, 0.0);
    if (status == GPIS_OK && c->near > 0)
        status = gpis_model_add_null(s->whole, c->near, c->vectors + c->exact * c->d, c->nearness);
    if (status == GPIS_OK && !(s->whole->slack > 0.0)) return GPIS_OK;
    gpis_model_destroy(s->whole);
    s->whole = NULL;
    return status;
}

static gpis_status begin(search *s) {
    gpis_fit *f = s->fit;
    const int64_t size = size_of(s);
    s->memory = gpis_alloc(f->context, 5 * size, sizeof *s->memory);
    if (!s->memory) return GPIS_NO_MEMORY;
    s->g = s->memory, s->tilted = s->g + size, s->at = s->tilted + size, s->unit = s->at + size;
    s->base = s->unit + size;
    gpis_status status = gpis_fit_need_model(f);
    if (status == GPIS_OK) status = make_whole(s);
    if (status == GPIS_OK) status = gpis_inner_create(f->context, s->set->all, f->model, NULL, &s->inner);
    if (status == GPIS_OK) s->inner->stop = f->stop;
    if (status != GPIS_OK) return status;
    const gpis_point point = gpis_quadratic_measure(f->data, s->x, f->g, f->work, f->norms2);
    memcpy(s->g, f->g, (size_t)size * sizeof *s->g);
    s->objective = gpis_certificate_objective(s->set->core, &point);
    return GPIS_OK;
}

gpis_status gpis_ranges_find(gpis_fit *fit, const gpis_fit_set *set, const double *x, gpis_range_level level,
                             gpis_dependent_columns columns, gpis_range_ends *out, double *nearness) {
    search s = {.fit = fit, .set = set, .level = level, .x = x, .columns = columns};
    gpis_status status = begin(&s);
    for (int64_t i = 0; status == GPIS_OK && i < size_of(&s); i++) status = search_entry(&s, i, &out[i]);
    *nearness = s.whole ? s.whole->nearness : 0.0;
    gpis_inner_destroy(s.inner);
    gpis_model_destroy(s.whole);
    gpis_free(fit->context, s.memory);
    return status;
}
