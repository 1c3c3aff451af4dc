/* The loop of pgd and apgd. */
#include "method/full_gradient.h"

#include <math.h>

#include "method/certify.h"

gpis_descent_settings gpis_descent_from(const gpis_settings *settings, bool accelerated) {
    return (gpis_descent_settings){.accelerated = accelerated,
                                   .gamma_u = settings->gamma_u,
                                   .gamma_d = settings->gamma_d,
                                   .fixed_step = settings->fixed_step,
                                   .restart = settings->restart};
}

/* The status of a line search that needs a pass when none is left. */
enum { OUT_OF_PASSES = GPIS_NOT_APPLICABLE };

/* The trials of the line searches. */
typedef struct trials {
    gpis_run *run;   /* borrowed */
    gpis_point last; /* the point of the last trial */
} trials;

/* f, g and ||A p||^2 by one pass: three products of A with a vector, where a gradient has two. */
static gpis_status trial(void *user, const double *x, const double *p, double *gradient, double *curvature,
                         double *value) {
    trials *s = user;
    gpis_run *run = s->run;
    const gpis_pass pass = {
        .k = run->problem->k, .Y = run->problem->Y, .X = x, .P = p, .G = gradient, .AP2 = curvature};
    if (gpis_run_exhausted(run)) return (gpis_status)OUT_OF_PASSES;
    const gpis_status status = gpis_run_measure(run, &pass, 1.5, &s->last);
    if (status == GPIS_OK) *value = gpis_record_objective_at(&run->record, &s->last);
    return status;
}

static gpis_status step(gpis_run *run, gpis_descent *s, bool *moved) {
    const gpis_status status = gpis_descent_step(s, moved);
    if (status != (gpis_status)OUT_OF_PASSES) return status;
    *moved = false;
    gpis_run_check(run); /* ends the run */
    return GPIS_OK;
}

/* The last pass that has brought the run forward, and what was known then. */
typedef struct advance {
    int64_t pass;
    double objective, gap;
} advance;

/* Whether the run goes on in vain: rounding errors can move x for ever. As many passes as have brought it here, and
 * some more, are enough to see that. */
static bool is_in_vain(gpis_run *run, advance *last) {
    enum { PATIENCE = 500 };
    gpis_record *record = &run->record;
    if (!gpis_record_judge(record, last->objective, last->gap))
        *last = (advance){run->account.passes, record->objective, gpis_record_gap(record)};
    return run->account.passes > 2 * last->pass + PATIENCE;
}

/* A step goes to the point of its last trial. */
static gpis_status iterate(trials *t, gpis_descent *s, gpis_point point) {
    static const double DIVERGED = 1e30; /* times the first objective: a fixed step was too long */
    gpis_run *run = t->run;
    const double first = point.objective;
    advance last = {0, INFINITY, INFINITY};
    for (bool moved = true; !run->ended;) {
        gpis_record_offer(&run->record, &point);
        gpis_status status = gpis_run_prove(run, &point, !moved);
        if (status != GPIS_OK) return status;
        gpis_run_check(run);
        if (!moved || point.objective > DIVERGED * first || is_in_vain(run, &last)) gpis_run_end(run, GPIS_STALLED);
        if (!run->ended) status = step(run, s, &moved);
        if (status != GPIS_OK) return status;
        if (!moved || run->ended) continue;
        point = t->last;
        gpis_account_enter_steps(&run->account, s->eta, 1);
    }
    return GPIS_OK;
}

gpis_status gpis_full_gradient(gpis_run *run, const double *x0, bool accelerated) {
    const gpis_descent_settings settings = gpis_descent_from(run->settings, accelerated);
    trials t = {.run = run};
    gpis_descent *s = NULL;
    gpis_point start;
    double *g = gpis_alloc(run->context, run->problem->size, sizeof *g);
    gpis_status status =
        g ? gpis_descent_create(run->context, run->problem->set, &settings, trial, &t, &s) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_run_gradient(run, x0, g, &start);
    if (status == GPIS_OK) {
        const double largest = gpis_curvature_largest_norm2(&run->curvature);
        gpis_descent_start(s, x0, g, gpis_record_objective_at(&run->record, &start),
                           largest > 0.0 ? 1.0 / largest : 1.0);
        status = iterate(&t, s, start);
    }
    gpis_descent_destroy(s);
    gpis_free(run->context, g);
    return status;
}
