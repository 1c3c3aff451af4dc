/* The loop of pgd and apgd. */
#include "method/full_gradient.h"

#include <math.h>

gpis_descent_settings gpis_descent_from(const gpis_settings *settings, bool accelerated) {
    return (gpis_descent_settings){.accelerated = accelerated,
                                   .gamma_u = settings->gamma_u,
                                   .gamma_d = settings->gamma_d,
                                   .fixed_step = settings->fixed_step,
                                   .restart = settings->restart};
}

/* A search that needs a pass when none is left ends with this. */
enum { OUT_OF_PASSES = GPIS_NOT_APPLICABLE };

/* f, g and ||A p||^2 by one pass: three products of A with a vector, where a gradient has two. */
static gpis_status trial(void *user, const double *x, const double *p, double *gradient, double *curvature,
                         double *value) {
    gpis_run *run = user;
    const gpis_pass pass = {
        .k = run->k, .Y = run->Y, .X = x, .P = p, .objective = value, .G = gradient, .AP2 = curvature};
    if (gpis_run_exhausted(run)) return (gpis_status)OUT_OF_PASSES;
    return gpis_run_pass(run, &pass, 1.5);
}

static gpis_status step(gpis_run *run, gpis_descent *s, bool *moved) {
    const gpis_status status = gpis_descent_step(s, moved);
    if (status != (gpis_status)OUT_OF_PASSES) return status;
    gpis_run_check(run); /* ends it */
    return GPIS_OK;
}

static gpis_status iterate(gpis_run *run, gpis_descent *s) {
    static const double DIVERGED = 1e30; /* times the first objective: a fixed step that is too long */
    const double first = s->value;
    for (bool moved = true; !run->ended;) {
        gpis_run_offer(run, s->x, s->value);
        gpis_status status = gpis_run_prove(run, s->x, s->gradient, s->value, !moved);
        if (status != GPIS_OK) return status;
        gpis_run_check(run);
        if (!moved || s->value > DIVERGED * first) gpis_run_end(run, GPIS_STALLED);
        if (!run->ended) status = step(run, s, &moved);
        if (status != GPIS_OK) return status;
        run->step_sum += moved ? s->eta : 0.0;
        run->steps += moved;
    }
    return GPIS_OK;
}

gpis_status gpis_full_gradient(gpis_run *run, const double *x0, bool accelerated) {
    const gpis_descent_settings settings = gpis_descent_from(run->settings, accelerated);
    gpis_descent *s = NULL;
    double *g = gpis_alloc(run->context, run->size, sizeof *g), objective, largest = 0.0;
    gpis_status status = g ? gpis_descent_create(run->context, run->set, &settings, trial, run, &s) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_run_gradient(run, x0, &objective, g);
    if (status == GPIS_OK) {
        for (int64_t j = 0; j < run->d; j++) largest = fmax(largest, run->norms2[j]);
        gpis_descent_start(s, x0, g, objective, largest > 0.0 ? 1.0 / largest : 1.0);
        status = iterate(run, s);
    }
    gpis_descent_destroy(s);
    gpis_free(run->context, g);
    return status;
}
