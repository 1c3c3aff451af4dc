/*
 * Polyhedra of bounds and at most one sum (nonneg, box, linf, l1, simplex, capped-simplex): the active set method, for
 * each column by itself. It starts on the face of the last solution, which changes little from round to round, or on
 * the face that a few steps of projected gradient have found. If it gives up, the interior-point method goes on from
 * its last point (fallback.c).
 */
#include <math.h>
#include <string.h>

#include "inner/active_set.h"
#include "inner/solver.h"

/* Of projected gradient, at most: with few columns a step costs as much as a change of the face, and saves none (100 x
 * 10: 20 steps took a quarter of the solve, and one step a twentieth). */
enum { STEPS_TO_FIRST_FACE = 20, MIN_COLUMNS_OF_STEPS = 16 };

typedef struct polyhedron_state {
    gpis_active_set *active; /* owned */
    gpis_fallback *fallback; /* owned */
    double *vectors;         /* owned: the arrays below */
    double *last;            /* the solution of the last problem, d x k */
    bool warm;               /* `last` has been filled */
    bool gave_up;            /* the fallback has taken over */
    double *x, *g, *s;       /* one column of each */
    double *p, *Hp;          /* d x k */
} polyhedron_state;

/* A penalty beside a sum of sizes is left to alternating directions. */
static bool applies(const gpis_set *set) {
    return set->class->bounds && !(set->penalty && set->sum == GPIS_SUM_OF_SIZES_WITHIN);
}

static gpis_status create(gpis_inner *inner) {
    gpis_context *context = inner->context;
    const int64_t d = inner->set->d, size = d * inner->set->k;
    polyhedron_state *f = inner->state = gpis_alloc_zero(context, 1, sizeof *f);
    if (!f) return GPIS_NO_MEMORY;
    f->vectors = gpis_alloc(context, 3 * size + 3 * d, sizeof *f->vectors);
    if (!f->vectors) return GPIS_NO_MEMORY;
    double **of_size[] = {&f->last, &f->p, &f->Hp}, **of_column[] = {&f->x, &f->g, &f->s};
    for (int i = 0; i < 3; i++) {
        *of_size[i] = f->vectors + i * size;
        *of_column[i] = f->vectors + 3 * size + i * d;
    }
    const gpis_status status = gpis_fallback_create(inner, &f->fallback);
    return status == GPIS_OK ? gpis_active_set_create(context, inner->set, inner->model, &f->active) : status;
}

static void destroy(gpis_inner *inner) {
    polyhedron_state *f = inner->state;
    if (!f) return;
    gpis_active_set_destroy(f->active);
    gpis_fallback_destroy(f->fallback);
    gpis_free(inner->context, f->vectors);
    gpis_free(inner->context, f);
}

static void begin(gpis_inner *inner) { ((polyhedron_state *)inner->state)->gave_up = false; }

/* Finds the first face by a few gradient steps from x. */
static gpis_status take_steps(gpis_inner *inner, int64_t steps) {
    gpis_gradient *gradient = NULL;
    bool done;
    gpis_status status = gpis_gradient_create(inner, &gradient);
    if (status == GPIS_OK) {
        gpis_gradient_begin(gradient);
        status = gpis_gradient_run(gradient, steps, &done);
    }
    gpis_gradient_destroy(gradient);
    return status;
}

/* Chooses the starting point: the last solution if it is lower than x; without one, a few gradient steps from x. */
static gpis_status choose_start(gpis_inner *inner) {
    polyhedron_state *f = inner->state;
    const int64_t d = inner->set->d;
    if (!f->warm) return d < MIN_COLUMNS_OF_STEPS ? GPIS_OK : take_steps(inner, gpis_min64(STEPS_TO_FIRST_FACE, d / 8));
    if (gpis_inner_value(inner, f->last, f->p, f->Hp) < 0.0)
        memcpy(inner->s, f->last, (size_t)(inner->set->d * inner->set->k) * sizeof(double));
    return GPIS_OK;
}

static void gather(const double *X, int64_t d, int64_t k, int64_t c, double *column) {
    for (int64_t j = 0; j < d; j++) column[j] = X[j * k + c];
}

/* With a nearly singular model steps are huge, and their rounding errors may carry the column f->s out of K. It is then
 * projected, and does not count as the solution. */
static gpis_status keep_inside(gpis_inner *inner, bool *solved) {
    polyhedron_state *f = inner->state;
    const int64_t d = inner->set->d;
    const gpis_status status = inner->set->class->project(inner->set, f->s, f->x);
    double away = 0.0, size = 0.0;
    for (int64_t j = 0; j < d; j++) {
        away = fmax(away, fabs(f->s[j] - f->x[j]));
        size = fmax(size, fabs(f->x[j]));
    }
    if (status != GPIS_OK || away <= gpis_set_rounding(d) * size) return status;
    memcpy(f->s, f->x, (size_t)d * sizeof *f->s);
    *solved = false;
    return GPIS_OK;
}

static gpis_status solve_columns(gpis_inner *inner, bool *solved) {
    polyhedron_state *f = inner->state;
    const int64_t d = inner->set->d, k = inner->set->k;
    *solved = true;
    f->active->stop = inner->stop;
    for (int64_t c = 0; c < k; c++) {
        bool one;
        gather(inner->x, d, k, c, f->x);
        gather(inner->g, d, k, c, f->g);
        gather(inner->s, d, k, c, f->s);
        gpis_status status = gpis_active_set_solve(f->active, f->x, f->g, f->s, &one);
        if (status == GPIS_OK) status = keep_inside(inner, &one);
        if (status != GPIS_OK) return status;
        for (int64_t j = 0; j < d; j++) inner->s[j * k + c] = f->s[j];
        *solved = *solved && one;
    }
    return GPIS_OK;
}

static gpis_status run(gpis_inner *inner, int64_t iterations, bool *done) {
    polyhedron_state *f = inner->state;
    const int64_t size = inner->set->d * inner->set->k;
    if (f->gave_up) return gpis_fallback_run(f->fallback, iterations, done);
    const int64_t faces = f->active->faces, products = f->active->products;
    gpis_status status = choose_start(inner);
    if (status == GPIS_OK) status = solve_columns(inner, done);
    if (status != GPIS_OK) return status;
    inner->iterations += f->active->faces - faces;
    inner->trials += f->active->products - products;
    inner->value = gpis_inner_value(inner, inner->s, f->p, f->Hp);
    memcpy(f->last, inner->s, (size_t)size * sizeof(double));
    f->warm = true;
    f->gave_up = !*done;
    if (f->gave_up) gpis_fallback_begin(f->fallback);
    return GPIS_OK;
}

const gpis_inner_solver gpis_inner_polyhedron = {applies, create, begin, run, destroy};
