/*
 * The rounds of gpis and acc-gpis.
 *
 * The inner loop works on H = (SA)'(SA), formed once in each round: an inner step then costs d^2 instead of m d, and
 * the iterates are the same. A round ends after the listed number of inner steps. Without a list it ends when the
 * sketched problem is solved as far as the sketch deserves: the relative error of its minimiser is about rho = sqrt(d /
 * m), so once the model can fall by less than a tenth of rho^2 of its decrease so far, more inner work would be wasted.
 * How far it can still fall is estimated by what the last burst, a third of all steps, has added. A bound by duality
 * shrinks like the square root of the error and would ask for two to five times the work.
 *
 * A bad sketch shows in the true objective, which every round computes anyway, or in a deficient rank of SA. The round
 * then starts again from the best point with a sketch twice as large.
 */
#include "method/sketched.h"

#include <math.h>
#include <string.h>

#include "base/options.h"
#include "method/certify.h"
#include "method/full_gradient.h"

enum { FIRST_BURST = 8 };

typedef struct rounds {
    gpis_run *run;               /* borrowed */
    gpis_descent_settings inner; /* settings of the inner loop */
    const gpis_sketch_class *kind;
    gpis_sketch *sketch; /* owned */
    gpis_model *model;   /* owned: H = (SA)'(SA) */
    double *x, *g;       /* owned: x_0^t and the full gradient there */
    gpis_point point;    /* x and g as they were measured */
    uint64_t round;      /* t, as the key of the sketch */
    int64_t m;
} rounds;

static int64_t default_m(const gpis_run *run) {
    const int64_t m = run->settings->m > 0 ? run->settings->m : 8 * run->problem->d;
    return run->settings->m > 0 ? m : gpis_min64(m, run->problem->n);
}

/* A sketch of m rows for round t; k > 0 if Y is sketched too. */
static gpis_status new_sketch(rounds *r, int64_t k) {
    gpis_run *run = r->run;
    const gpis_problem *p = run->problem;
    run->m = r->m;
    gpis_account_enter_sketch(&run->account);
    gpis_account_enter_work(&run->account, r->kind->cost(p->n, p->d, r->m), 0.0);
    if (r->sketch && r->sketch->m == r->m && r->sketch->k == k) return gpis_sketch_restart(r->sketch, r->round++);
    gpis_sketch_destroy(r->sketch);
    r->sketch = NULL;
    return gpis_sketch_create(run->context, r->kind, r->m, p->n, p->d, k, run->settings->seed, r->round++, &r->sketch);
}

/* H = (SA)'(SA) and its factor; `classical`: also the sketched problem's own objective and gradient at x. */
static gpis_status new_model(rounds *r, bool classical) {
    gpis_run *run = r->run;
    const gpis_problem *p = run->problem;
    double *H = gpis_alloc(run->context, p->d * p->d, sizeof *H);
    if (!H) return GPIS_NO_MEMORY;
    const gpis_status status = classical ? gpis_run_sketch_gram(run, r->sketch, false, H, r->x, r->g, &r->point)
                                         : gpis_run_sketch_gram(run, r->sketch, false, H, NULL, NULL, NULL);
    if (status != GPIS_OK) {
        gpis_free(run->context, H);
        return status;
    }
    gpis_model_destroy(r->model);
    r->model = NULL;
    return gpis_model_create(run->context, p->d, H, (double)r->m, &r->model);
}

/* The classical sketch is round 0 and takes the first number; without one round 1 does. */
static int64_t listed_iterations(const gpis_settings *settings, int64_t t) {
    const int64_t place = settings->gpcs ? t : t - 1;
    return gpis_list_at(settings->inner, place);
}

/* The inner loop of round t from x, where the gradient is g. Leaves its last point in x. */
static gpis_status inner_loop(rounds *r, int64_t t, const double *g) {
    gpis_run *run = r->run;
    const gpis_problem *p = run->problem;
    const gpis_settings *settings = run->settings;
    const int64_t most = 1000 + 50 * (p->n / p->d); /* steps: about as much arithmetic as 50 passes */
    const double worth = 0.1 * fmin(1.0, (double)p->d / (double)r->m);
    gpis_inner *inner = NULL;
    gpis_status status = gpis_inner_create(run->context, p->set, r->model, &r->inner, &inner);
    if (status != GPIS_OK) return status;
    inner->stop = &run->curvature.stop;
    gpis_inner_begin(inner, r->x, g);
    bool done = false;
    if (settings->inner) status = gpis_inner_run(inner, listed_iterations(settings, t), &done);
    for (int64_t burst = FIRST_BURST; !settings->inner && status == GPIS_OK && !done; burst += burst / 2) {
        const double before = gpis_inner_fall(inner);
        status = gpis_inner_run(inner, burst, &done);
        const double fall = gpis_inner_fall(inner),
                     enough = fmax(worth * fall, 0.5 * run->record.noise); /* f = 2 q + ... */
        if (fall - before <= enough || inner->iterations > most) break;
    }
    memcpy(r->x, inner->s, (size_t)p->size * sizeof(double));
    gpis_account_enter_inner(&run->account, inner->iterations);
    gpis_account_enter_steps(&run->account, inner->step_sum, inner->iterations);
    gpis_account_enter_work(&run->account, (double)inner->trials * (double)p->d / (double)p->n, 0.0);
    gpis_inner_destroy(inner);
    return status;
}

/* GPCS: the classical sketch. At x_0 its gradient is (SA)'(SA x_0 - S y). */
static gpis_status classical_sketch(rounds *r) {
    gpis_run *run = r->run;
    const gpis_problem *p = run->problem;
    gpis_status status = new_sketch(r, p->k);
    if (status != GPIS_OK) return status;
    const gpis_pass pass = {.k = p->k, .Y = p->Y, .sketch = r->sketch};
    status = gpis_run_pass(run, &pass, 0.0);
    gpis_run_report(run); /* before the inner loop, whose iterations belong to the next pass */
    if (status == GPIS_OK && run->ended) status = GPIS_STOPPED;
    if (status == GPIS_OK) status = new_model(r, true);
    return status == GPIS_OK ? inner_loop(r, 0, r->g) : status;
}

/* g = A'(A x_0 - y), f(x_0) and S^t A, in one pass over the rows. */
static gpis_status gradient_and_sketch(rounds *r) {
    gpis_run *run = r->run;
    gpis_status status = new_sketch(r, 0);
    if (status != GPIS_OK) return status;
    const gpis_pass pass = {.k = run->problem->k, .Y = run->problem->Y, .X = r->x, .G = r->g, .sketch = r->sketch};
    status = gpis_run_measure(run, &pass, 1.0, &r->point);
    return status == GPIS_OK ? new_model(r, false) : status;
}

/* The sketch is bad: measures the best point again, with a sketch twice as large. */
static gpis_status repair(rounds *r) {
    gpis_run *run = r->run;
    r->m = gpis_min64(2 * r->m, run->problem->n);
    memcpy(r->x, run->record.best, (size_t)run->problem->size * sizeof(double));
    return gradient_and_sketch(r);
}

static bool sketch_is_bad(const rounds *r) {
    const gpis_run *run = r->run;
    if (r->m >= run->problem->n) return false;
    return gpis_record_objective_at(&run->record, &r->point) > run->record.objective + run->record.noise ||
           (r->model->slack > 0.0 && r->m < 4 * run->problem->d);
}

static gpis_status gpihs(rounds *r) {
    gpis_run *run = r->run;
    enum { PATIENCE = 4 };
    for (int64_t t = 1, idle = 0;; t++) {
        gpis_status status = gradient_and_sketch(r);
        while (status == GPIS_OK && sketch_is_bad(r) && !gpis_run_exhausted(run)) status = repair(r);
        if (status != GPIS_OK) return status;
        const double objective = run->record.objective, gap = gpis_record_gap(&run->record);
        gpis_record_offer(&run->record, &r->point);
        status = gpis_run_prove(run, &r->point, idle == PATIENCE);
        if (status != GPIS_OK) return status;
        gpis_run_check(run);
        idle = gpis_record_judge(&run->record, objective, gap) ? idle + 1 : 0;
        if (idle > PATIENCE) gpis_run_end(run, GPIS_STALLED);
        if (run->settings->rounds > 0 && t > run->settings->rounds) gpis_run_end(run, GPIS_MAX_PASSES);
        if (run->ended) return GPIS_OK;
        status = inner_loop(r, t, r->g);
        if (status != GPIS_OK || run->ended) return status;
    }
}

gpis_status gpis_sketched_rounds(gpis_run *run, const double *x0, bool accelerated) {
    const gpis_problem *p = run->problem;
    rounds r = {
        .run = run, .inner = gpis_descent_from(run->settings, accelerated), .kind = run->kind, .m = default_m(run)};
    gpis_status status = GPIS_NO_MEMORY;
    r.x = gpis_alloc(run->context, p->size, sizeof(double));
    r.g = gpis_alloc(run->context, p->size, sizeof(double));
    if (r.x && r.g) {
        memcpy(r.x, x0, (size_t)p->size * sizeof(double));
        if (r.m < p->d)
            gpis_run_warn(run, "a sketch of %lld rows cannot tell %lld columns apart; take at least %lld rows",
                          (long long)r.m, (long long)p->d, (long long)(2 * p->d));
        status = run->settings->gpcs ? classical_sketch(&r) : GPIS_OK;
        if (status == GPIS_OK && !run->ended) status = gpihs(&r);
    }
    gpis_sketch_destroy(r.sketch);
    gpis_model_destroy(r.model);
    gpis_free(run->context, r.x);
    gpis_free(run->context, r.g);
    return status;
}

const char *gpis_sketched_applicable(const gpis_run *run) {
    return run->kind->whole && !run->problem->A->resident
               ? "this kind of sketch needs all rows at once, and here they are read in parts or made on demand; "
                 "use sparse-sign"
               : NULL;
}
