/*
 * What goes on where another solver does not succeed: the interior-point method (barrier.h) for sets that have a flat
 * form, projected gradients for the others. The interior-point method is centred at the lowest point so far, and again
 * at its own solution as long as that lowers q: each time it solves a smaller problem.
 */
#include <math.h>
#include <string.h>

#include "inner/barrier.h"
#include "inner/solver.h"
#include "linalg/accurate.h"

/* Nearly no solver ever falls back: all that is owned is made when it is needed. */
struct gpis_fallback {
    gpis_inner *inner;       /* borrowed */
    bool flat;               /* the set has a flat form */
    bool begun;              /* the gradient has begun at inner->s */
    gpis_gradient *gradient; /* owned: of sets without a flat form */
    gpis_barrier *barrier;   /* owned */
    double *vectors;         /* owned: the arrays below */
    double *point, *p, *Hp;  /* d x k; the solution of the interior-point method, and scratch */
    double *dual;            /* d x k; the point of the best bound */
    double *x, *g, *s;       /* d; a column */
};

gpis_status gpis_fallback_create(gpis_inner *inner, gpis_fallback **out) {
    gpis_fallback *f = *out = gpis_alloc_zero(inner->context, 1, sizeof *f);
    if (!f) return GPIS_NO_MEMORY;
    f->inner = inner;
    f->flat = gpis_flat_exists(inner->set);
    return GPIS_OK;
}

static gpis_status make_vectors(gpis_fallback *f) {
    const int64_t d = f->inner->set->d, size = d * f->inner->set->k;
    f->vectors = gpis_alloc(f->inner->context, 4 * size + 3 * d, sizeof *f->vectors);
    if (!f->vectors) return GPIS_NO_MEMORY;
    double **of_size[] = {&f->point, &f->p, &f->Hp, &f->dual}, **of_column[] = {&f->x, &f->g, &f->s};
    for (int i = 0; i < 4; i++) *of_size[i] = f->vectors + i * size;
    for (int i = 0; i < 3; i++) *of_column[i] = f->vectors + 4 * size + i * d;
    return GPIS_OK;
}

void gpis_fallback_destroy(gpis_fallback *f) {
    if (!f) return;
    gpis_gradient_destroy(f->gradient);
    gpis_barrier_destroy(f->barrier);
    gpis_free(f->inner->context, f->vectors);
    gpis_free(f->inner->context, f);
}

double gpis_fallback_memory(const gpis_set *set) {
    enum { COLUMNS = 8 };
    const double size = (double)set->d * (double)set->k;
    return 8.0 * COLUMNS * size + (gpis_flat_exists(set) ? gpis_barrier_memory(set) : 0.0);
}

void gpis_fallback_begin(gpis_fallback *f) {
    if (!f->flat) f->inner->dual = f->inner->s;
    f->begun = false;
}

static gpis_status run_gradient(gpis_fallback *f, int64_t iterations, bool *done) {
    const gpis_status status = f->gradient ? GPIS_OK : gpis_gradient_create(f->inner, &f->gradient);
    if (status != GPIS_OK) return status;
    if (!f->begun) gpis_gradient_begin(f->gradient);
    f->begun = true;
    return gpis_gradient_run(f->gradient, iterations, done);
}

/* The solution of the problem centred at s, in `point`. */
static gpis_status solve_columns(gpis_fallback *f) {
    gpis_inner *inner = f->inner;
    const int64_t d = inner->set->d, k = inner->set->k, steps = f->barrier->steps;
    gpis_status status = GPIS_OK;
    f->barrier->stop = inner->stop;
    gpis_inner_value(inner, inner->s, f->p, f->Hp);
    for (int64_t c = 0; c < k && status == GPIS_OK; c++) {
        for (int64_t j = 0; j < d; j++) {
            f->x[j] = inner->s[j * k + c];
            f->g[j] = inner->g[j * k + c] + f->Hp[j * k + c];
        }
        status = gpis_barrier_solve(f->barrier, f->x, f->g, f->s);
        for (int64_t j = 0; j < d; j++) f->point[j * k + c] = f->s[j];
    }
    inner->iterations += f->barrier->steps - steps;
    inner->trials += f->barrier->steps - steps;
    return status;
}

/* Takes the solution: as the point of the multiplier, if its bound is better, and, projected, as s, if that is lower.
 */
static gpis_status take(gpis_fallback *f) {
    gpis_inner *inner = f->inner;
    const int64_t size = inner->set->d * inner->set->k;
    double bound;
    gpis_status status = gpis_inner_bound(inner, f->point, f->p, f->Hp, &bound);
    if (status == GPIS_OK && bound > inner->bound) {
        inner->bound = bound;
        memcpy(f->dual, f->point, (size_t)size * sizeof *f->dual);
        inner->dual = f->dual;
    }
    if (status == GPIS_OK) status = gpis_set_project(inner->set, f->point, f->point);
    if (status != GPIS_OK) return status;
    const double value = gpis_inner_value(inner, f->point, f->p, f->Hp);
    if (!(value < inner->value - gpis_inner_noise(inner, f->point, f->Hp))) return GPIS_OK;
    inner->value = value;
    memcpy(inner->s, f->point, (size_t)size * sizeof *f->point);
    return GPIS_OK;
}

gpis_status gpis_fallback_run(gpis_fallback *f, int64_t iterations, bool *done) {
    enum { MAX_CENTRES = 4 };
    static const double LITTLE = 1e-10; /* of the fall: a gap, or a gain, that is not worth another centre */
    gpis_inner *inner = f->inner;
    if (!f->flat) return run_gradient(f, iterations, done);
    bool solved = false;
    gpis_status status = f->vectors ? GPIS_OK : make_vectors(f);
    if (status == GPIS_OK) status = gpis_inner_check(inner, LITTLE, f->p, f->Hp, &solved);
    if (status == GPIS_OK && !solved && !f->barrier)
        status = gpis_barrier_create(inner->context, inner->set, inner->model, &f->barrier);
    for (int i = 0; i < MAX_CENTRES && status == GPIS_OK && !solved; i++) {
        const double before = inner->value;
        status = solve_columns(f);
        if (status != GPIS_OK || !gpis_all_finite(f->point, inner->set->d * inner->set->k)) break;
        status = take(f);
        if (status == GPIS_OK) status = gpis_inner_check(inner, LITTLE, f->p, f->Hp, &solved);
        if (!(inner->value < before - LITTLE * fabs(before)) || gpis_is_stopped(inner->stop)) break;
    }
    *done = true;
    return status;
}
