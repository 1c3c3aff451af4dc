/*
 * Least squares without constraints, and columns that depend on each other: of all answers the one of least norm,
 *
 *     x - V'V x   for an orthonormal basis V of the null space of A.
 *
 * A null vector counts here in units of the columns: ||A v|| is 0 exactly, or at most 2^-49 of ||D v||,
 * D = diag(||a_j||).
 */
#include <string.h>

#include "method/dependence.h"
#include "method/unique.h"

typedef struct candidate {
    double *x, *g; /* owned: d x k */
    gpis_point point;
} candidate;

/* Measures x and takes it as the answer, if it is as good as the one that there is. */
static gpis_status offer(gpis_run *run, candidate *c, bool *taken) {
    const gpis_status status = gpis_run_gradient(run, c->x, c->g, &c->point);
    *taken = status == GPIS_OK && gpis_record_exchange(&run->record, &c->point);
    return status;
}

/* The best point without its part in the null space. Where that part was large, A x has changed by rounding, which a
 * step of Newton's method corrects. */
static gpis_status take_shortest(gpis_run *run, const gpis_null_space *space, candidate *c) {
    const gpis_problem *p = run->problem;
    bool taken;
    memcpy(c->x, run->record.best, (size_t)p->size * sizeof *c->x);
    gpis_null_space_remove(space, p->k, c->x);
    if (memcmp(c->x, run->record.best, (size_t)p->size * sizeof *c->x) == 0) return GPIS_OK;
    gpis_status status = offer(run, c, &taken);
    if (status != GPIS_OK || taken || gpis_run_exhausted(run)) return status;
    gpis_model_solve(run->curvature.model, p->k, c->g);
    for (int64_t i = 0; i < p->size; i++) c->x[i] -= c->g[i];
    gpis_null_space_remove(space, p->k, c->x);
    return offer(run, c, &taken);
}

static gpis_status take_least_norm(gpis_run *run) {
    gpis_null_space space;
    gpis_status status = gpis_null_space_find(run, &space);
    if (status == GPIS_OK) status = gpis_null_space_complete(run, &space);
    if (status == GPIS_OK && space.count > 0 && space.complete) {
        double *memory = gpis_alloc(run->context, 2 * run->problem->size, sizeof *memory);
        candidate c = {.x = memory, .g = memory ? memory + run->problem->size : NULL};
        status = memory ? gpis_null_space_orthonormalise(&space) : GPIS_NO_MEMORY;
        if (status == GPIS_OK) status = take_shortest(run, &space, &c);
        gpis_free(run->context, memory);
    }
    gpis_null_space_clear(&space);
    return status;
}

/* A run that was interrupted, or has reached a limit, makes no further pass. */
gpis_status gpis_run_settle_uniqueness(gpis_run *run) {
    const bool complete = run->ended && (run->outcome == GPIS_SOLVED || run->outcome == GPIS_STALLED);
    if (!complete || gpis_run_exhausted(run)) return GPIS_OK;
    gpis_status status = gpis_run_seek_dependence(run);
    if (status == GPIS_OK && run->problem->set->shape == GPIS_SHAPE_WHOLE && !gpis_run_exhausted(run))
        status = take_least_norm(run);
    return status;
}
