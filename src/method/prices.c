/*
 * The multiplier l = -2 g at the best point x is normal to K there, up to the distance of x from the minimiser. Where
 * there is a model of all rows, one more step of it removes that error: l = -2 (g + H (s - x)) with its minimiser s. A
 * price counts if it is more than what rounding, and the tolerance of the run, can have done to l.
 */
#include "method/prices.h"

#include <math.h>
#include <string.h>

/* l and the member at which it is normal; noise: of each entry of l. */
typedef struct multiplier {
    double *l, *at, *noise;
} multiplier;

/* One step of the model from the best point, which the run may have made last. */
static gpis_status take_step(gpis_run *run, multiplier *m) {
    enum { MAX_STEPS = 1000 };
    const gpis_problem *p = run->problem;
    gpis_inner *inner = run->curvature.inner;
    bool done = gpis_inner_has_solved(inner, run->record.best, run->record.gradient);
    gpis_status status = GPIS_OK;
    if (!done) {
        inner->stop = NULL; /* prices must not depend on whether the limit of time is reached meanwhile */
        gpis_inner_begin(inner, run->record.best, run->record.gradient);
        status = gpis_inner_run(inner, MAX_STEPS, &done);
    }
    if (status != GPIS_OK) return status;
    for (int64_t i = 0; i < p->size; i++) m->at[i] = inner->dual[i] - run->record.best[i];
    gpis_model_apply(run->curvature.model, p->k, m->at, m->l);
    for (int64_t i = 0; i < p->size; i++) m->l[i] = -2.0 * (run->record.gradient[i] + m->l[i]);
    memcpy(m->at, inner->s, (size_t)p->size * sizeof *m->at);
    return GPIS_OK;
}

/* |g_j| <= ||a_j|| ||r||, of which a share is noise. */
static void find_noise(const gpis_run *run, multiplier *m) {
    static const double SHARE = 1e-9;
    const double r = sqrt(fmax(run->record.objective, 0.0));
    for (int64_t j = 0; j < run->problem->d; j++) m->noise[j] = 2.0 * SHARE * r * sqrt(run->curvature.norms2[j]);
}

gpis_status gpis_run_prices(gpis_run *run, gpis_price_fn take, void *user) {
    const gpis_problem *p = run->problem;
    const bool in_haste = run->outcome == GPIS_INTERRUPTED || run->outcome == GPIS_TIME_LIMIT;
    const bool exact = run->curvature.inner && !run->curvature.sketched && !in_haste;
    if (!run->record.gradient_known || !p->set->has_support || !isfinite(run->record.objective)) return GPIS_OK;
    double *memory = gpis_alloc(p->context, 2 * p->size + p->d, sizeof *memory);
    multiplier m = {memory, memory + p->size, memory + 2 * p->size};
    gpis_status status = memory ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        memcpy(m.at, run->record.best, (size_t)p->size * sizeof *m.at);
        for (int64_t i = 0; i < p->size; i++) m.l[i] = -2.0 * run->record.gradient[i];
        find_noise(run, &m);
        if (exact) status = take_step(run, &m);
    }
    if (status == GPIS_OK) status = gpis_set_prices(p->set, m.at, m.l, m.noise, take, user);
    gpis_free(p->context, memory);
    return status;
}
