/* The inner problem on a model: the choice of its solver, and what the solvers share. */
#include "inner/inner.h"

#include <math.h>
#include <string.h>

#include "inner/solver.h"
#include "set/walk.h"

enum { VECTORS = 30 }; /* upper bound on the vectors of d x k numbers that a solver holds */

/* The first solver that applies is taken; the last one applies always. */
static const gpis_inner_solver *const solvers[] = {&gpis_inner_factor, &gpis_inner_polyhedron, &gpis_inner_walk,
                                                   &gpis_inner_sphere, &gpis_inner_plane,      &gpis_inner_inside,
                                                   &gpis_inner_admm};

static const gpis_inner_solver *choose(const gpis_set *set, bool gradient) {
    if (gradient) return gpis_inner_factor.applies(set) ? &gpis_inner_factor : &gpis_inner_gradient;
    int i = 0;
    while (!solvers[i]->applies(set)) i++;
    return solvers[i];
}

const gpis_descent_settings gpis_inner_fast = {
    .accelerated = true, .gamma_u = 2.0, .gamma_d = 1.1, .restart = GPIS_RESTART_GRADIENT};

gpis_status gpis_inner_create(gpis_context *context, gpis_set *set, const gpis_model *model,
                              const gpis_descent_settings *settings, gpis_inner **out) {
    *out = NULL;
    const int64_t size = set->d * set->k;
    gpis_inner *inner = gpis_alloc_zero(context, 1, sizeof *inner);
    if (!inner) return GPIS_NO_MEMORY;
    inner->context = context;
    inner->set = set;
    inner->model = model;
    inner->settings = settings ? *settings : gpis_inner_fast;
    inner->solver = choose(set, settings != NULL);
    inner->x = gpis_alloc(context, size, 3 * sizeof(double));
    inner->g = inner->x ? inner->x + size : NULL;
    inner->s = inner->x ? inner->g + size : NULL;
    const gpis_status status = inner->x ? inner->solver->create(inner) : GPIS_NO_MEMORY;
    if (status == GPIS_OK)
        *out = inner;
    else
        gpis_inner_destroy(inner);
    return status;
}

void gpis_inner_begin(gpis_inner *inner, const double *x, const double *g) {
    const size_t bytes = (size_t)(inner->set->d * inner->set->k) * sizeof(double);
    memcpy(inner->x, x, bytes);
    memcpy(inner->g, g, bytes);
    memcpy(inner->s, x, bytes);
    inner->value = 0.0;
    inner->bound = -INFINITY;
    inner->dual = inner->s;
    inner->done = false;
    inner->solver->begin(inner);
}

gpis_status gpis_inner_run(gpis_inner *inner, int64_t iterations, bool *done) {
    inner->done = false;
    *done = gpis_is_stopped(inner->stop);
    if (*done) return GPIS_OK;
    const gpis_status status = inner->solver->run(inner, iterations, done);
    const bool stopped = gpis_is_stopped(inner->stop);
    inner->done = status == GPIS_OK && *done && !stopped;
    *done = *done || stopped;
    return status;
}

bool gpis_inner_has_solved(const gpis_inner *inner, const double *x, const double *g) {
    const size_t bytes = (size_t)(inner->set->d * inner->set->k) * sizeof(double);
    return inner->done && memcmp(inner->x, x, bytes) == 0 && memcmp(inner->g, g, bytes) == 0;
}

/* One factor; or a model in other coordinates, and the inner problem on that; and what solvers fall back on. */
double gpis_inner_memory(const gpis_set *set) {
    const double d = (double)set->d, square = 8.0 * d * d, vectors = 8.0 * VECTORS * d * (double)set->k;
    const double walk = set->polyhedron ? gpis_walk_memory(set->polyhedron) : 0.0;
    return vectors + (set->inside ? 2.0 * square + gpis_inner_memory(set->inside) : square) + walk +
           gpis_fallback_memory(set);
}

double gpis_inner_fall(const gpis_inner *inner) { return fmax(0.0, -inner->value); }

void gpis_inner_destroy(gpis_inner *inner) {
    if (!inner) return;
    inner->solver->destroy(inner);
    gpis_free(inner->context, inner->x);
    gpis_free(inner->context, inner);
}
