/* The exact path where it applies, certified value by value, and the general solver elsewhere. */
#include "path/walk.h"

#include <math.h>
#include <string.h>

#include "inner/homotopy.h"
#include "set/polyhedron.h"
#include "set/price.h"

/* ---- the terms of the exact path ---- */

/* The one sum of the list: of sizes, or of entries that are not negative. False: the list is no such thing. */
static bool take_sum(const gpis_polyhedron *list, gpis_path_shape *s) {
    if (list->sums + list->rows != 1) return false;
    if (list->sums == 1) {
        memcpy(s->weight, list->weight, (size_t)list->d * sizeof *s->weight);
        return true;
    }
    if (!(list->upper[0] > 0.0) || isinf(list->upper[0])) return false;
    if (!isinf(list->lower[0]) && list->lower[0] != list->upper[0]) return false;
    s->equation = list->lower[0] == list->upper[0];
    for (int64_t e = list->first[0]; e < list->first[1]; e++) {
        if (!(list->value[e] > 0.0) || list->lo[list->column[e]] != 0.0) return false;
        s->weight[list->column[e]] = list->value[e];
    }
    return true;
}

/* An entry of a sum of at most R is never beyond R / w: bounds out there are none. */
static void take_bounds(const gpis_polyhedron *list, gpis_path_shape *s) {
    const double R = list->sums == 1 ? list->R[0] : list->rows == 1 ? list->upper[0] : INFINITY;
    for (int64_t j = 0; j < list->d; j++) {
        const double far = s->weight[j] > 0.0 ? R / s->weight[j] : INFINITY;
        s->lo[j] = list->lo[j] <= -far ? -INFINITY : list->lo[j];
        s->hi[j] = list->hi[j] >= far ? INFINITY : list->hi[j];
    }
}

/* Reads the set of a value, of which the penalty is value times the weights. */
static gpis_status read_set(const gpis_set *set, bool penalised, double value, gpis_path_shape *s) {
    gpis_polyhedron *list = NULL;
    if (set->k != 1 || !gpis_polyhedron_describes(set)) return GPIS_OK;
    gpis_status status = gpis_polyhedron_create(set->context, set->d, &list);
    if (status == GPIS_OK) status = gpis_polyhedron_add_set(list, set, NULL, NULL);
    if (status == GPIS_OK && penalised && set->penalty && list->sums + list->rows == 0) {
        for (int64_t j = 0; j < set->d; j++) s->weight[j] = set->penalty[j] / value;
        s->found = true;
    } else if (status == GPIS_OK && !penalised && !set->penalty) {
        s->found = take_sum(list, s);
    }
    if (s->found) take_bounds(list, s);
    gpis_polyhedron_destroy(list);
    return status;
}

gpis_status gpis_path_shape_find(gpis_context *context, int64_t d, const gpis_path_sets *sets, double value,
                                 gpis_path_shape *s) {
    gpis_fit_set set = {0};
    *s = (gpis_path_shape){.memory = gpis_alloc_zero(context, 3 * d, sizeof *s->memory)};
    if (!s->memory) return GPIS_NO_MEMORY;
    s->weight = s->memory, s->lo = s->memory + d, s->hi = s->memory + 2 * d;
    for (int64_t j = 0; j < d; j++) s->lo[j] = -INFINITY, s->hi[j] = INFINITY;
    if (!(value > 0.0)) return GPIS_OK;
    gpis_status status = sets->make(sets->user, value, &set);
    if (status == GPIS_OK) status = read_set(set.core, sets->penalised, value, s);
    sets->destroy(sets->user, &set);
    return status;
}

/* The exact path of the fit, in *out; NULL where there is none. */
static gpis_status begin(const gpis_fit *f, const gpis_path_sets *sets, double value, gpis_path_shape *s,
                         gpis_homotopy **out) {
    *out = NULL;
    gpis_status status = gpis_path_shape_find(f->context, f->d, sets, value, s);
    if (status != GPIS_OK || !s->found) return status;
    const gpis_homotopy_terms terms = {.d = f->d, .H = f->H, .b = f->b, .weight = s->weight, .lo = s->lo, .hi = s->hi};
    return gpis_homotopy_suits(&terms) ? gpis_homotopy_create(f->context, &terms, out) : GPIS_OK;
}

/* ---- one value ---- */

/* The exact path, and what its values are. */
typedef struct course {
    gpis_homotopy *h; /* NULL: there is no exact path */
    bool penalised;   /* values are penalties, else radii */
    bool equation;    /* of radii: the sum is to be R itself */
} course;

/* f has half gradients, so that a penalty lambda is 2 nu. The path ends where the sum is that of the solution without
 * it: a larger sum, where it has to be met with equality, is not on the path. */
static bool go_to(const course *c, double value) {
    static const double SAME = 1e-9;
    if (c->penalised) return gpis_homotopy_go_to_nu(c->h, 0.5 * value);
    return gpis_homotopy_go_to_sum(c->h, value) && !(c->equation && c->h->sum < (1.0 - SAME) * value);
}

/* Rounding errors of the steps can leave entries beyond their bounds and a sum off R by a few units; x must not be
 * outside the set. */
static void stay_within(const course *c, double R, double *x) {
    const gpis_homotopy_terms *terms = &c->h->terms;
    double sum = 0.0;
    for (int64_t j = 0; j < terms->d; j++) {
        x[j] = fmin(fmax(x[j], terms->lo[j]), terms->hi[j]);
        sum += terms->weight[j] * fabs(x[j]);
    }
    if (c->penalised || !(sum > R || (c->equation && sum > 0.0))) return;
    for (int64_t j = 0; j < terms->d; j++)
        if (terms->weight[j] > 0.0) x[j] *= R / sum;
}

/* A bound on the objective says nothing about a point outside the set: that is not solved. */
static gpis_status check_membership(const gpis_fit_set *set, const double *x, gpis_fit_value *value) {
    gpis_violation violation;
    const gpis_status status = value->solved ? gpis_set_violation(set->core, x, &violation) : GPIS_OK;
    if (status == GPIS_OK && value->solved && violation.broken) value->solved = false;
    return status;
}

/* Measures the point of the walk, and corrects it by the measured gradient while that is not proof enough. A gap that
 * the correction does not change is one of rounding errors: no other point has a smaller one. */
static gpis_status certify(gpis_fit *f, const gpis_fit_set *set, const course *c, double value, double *x,
                           gpis_fit_value *out) {
    enum { MAX_CORRECTIONS = 3 };
    static const double SAME_GAP = 0.99;
    double before = INFINITY;
    for (int i = 0;; i++) {
        const bool tight = !c->penalised && c->h->nu > 0.0;
        memcpy(x, c->h->x, (size_t)f->d * sizeof *x);
        stay_within(c, value, x);
        gpis_status status = gpis_fit_measure(f, set, x, out);
        out->limited = !out->solved && out->gap > SAME_GAP * before;
        if (status == GPIS_OK) status = check_membership(set, x, out);
        if (status != GPIS_OK || out->solved || out->limited || i == MAX_CORRECTIONS) return status;
        before = out->gap;
        gpis_homotopy_correct(c->h, f->g, tight, value);
    }
}

static gpis_status solve_value(gpis_path_walk *w, const course *c, int64_t i) {
    gpis_fit *f = w->fit;
    const int64_t size = f->d * f->k;
    double *x = w->X + i * size;
    gpis_fit_set set = {0};
    if (gpis_is_stopped(f->stop)) return gpis_fail(f->context, GPIS_STOPPED, "stopped within a path");
    gpis_status status = w->sets->make(w->sets->user, w->values[i], &set);
    w->points[i] = (gpis_fit_value){.objective = INFINITY, .gap = INFINITY};
    if (status == GPIS_OK && c->h && w->values[i] > 0.0 && go_to(c, w->values[i]))
        status = certify(f, &set, c, w->values[i], x, &w->points[i]);
    else if (i > 0)
        memcpy(x, x - size, (size_t)size * sizeof *x);
    else
        memset(x, 0, (size_t)size * sizeof *x);
    w->walked += w->points[i].solved;
    if (status == GPIS_OK && !w->points[i].solved && !w->points[i].limited)
        status = gpis_fit_solve(f, &set, x, &w->points[i]);
    w->sets->destroy(w->sets->user, &set);
    if (status == GPIS_OK && f->done) atomic_fetch_add(f->done, 1);
    w->done += status == GPIS_OK;
    return status;
}

gpis_status gpis_path_walk_run(gpis_path_walk *w) {
    gpis_homotopy *h = NULL;
    gpis_path_shape s = {0};
    w->walked = w->done = 0;
    gpis_status status = w->count > 0 ? begin(w->fit, w->sets, w->values[w->count - 1], &s, &h) : GPIS_OK;
    const course c = {h, w->sets->penalised, s.equation};
    for (int64_t i = 0; status == GPIS_OK && i < w->count; i++) status = solve_value(w, &c, i);
    gpis_homotopy_destroy(h);
    gpis_free(w->fit->context, s.memory);
    return status;
}

gpis_status gpis_path_walk_largest(gpis_fit *f, const gpis_path_sets *sets, double *largest, bool *found) {
    static const double FAR = 1e100; /* a radius that no solution reaches, so that every bound of an entry counts */
    gpis_homotopy *h = NULL;
    gpis_path_shape s = {0};
    *found = false;
    gpis_status status = begin(f, sets, sets->penalised ? 1.0 : FAR, &s, &h);
    if (status == GPIS_BAD_SET && !sets->penalised) status = GPIS_OK; /* no x is so far: a sum that cannot be met */
    if (status == GPIS_OK && h) {
        *found = sets->penalised || gpis_homotopy_go_to_sum(h, INFINITY);
        *largest = sets->penalised ? 2.0 * h->nu : h->sum;
    }
    gpis_homotopy_destroy(h);
    gpis_free(f->context, s.memory);
    return status;
}
