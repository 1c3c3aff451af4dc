/*
 * apgd: accelerated projected gradient on the full data, with the line search of the paper's Algorithm 3 and gradient
 * restart.
 *
 *     x+ = P_K(z - eta A'(A z - y))
 *     z+ = x+ + ((tau - 1) / tau+) (x+ - x)
 *
 * One pass at each trial point yields f, the gradient and ||A p||^2 together; the gradient at z is affine in those at
 * x+ and x and costs nothing.
 */
#include <math.h>

#include "method/method.h"

/* A search that needs a pass when none is left ends with this. */
enum { OUT_OF_PASSES = GPIS_NOT_APPLICABLE };

static gpis_status trial(void *user, const double *x, const double *p, double *gradient, double *curvature,
                         double *value) {
    gpis_run *run = user;
    const gpis_pass pass = {
        .k = run->k, .Y = run->Y, .X = x, .P = p, .objective = value, .G = gradient, .AP2 = curvature};
    if (gpis_run_exhausted(run)) return (gpis_status)OUT_OF_PASSES;
    return gpis_run_pass(run, &pass, 1.5);
}

/*
 * When to pay for the second-order bound. The first-order gap shrinks like the square root of the true error, so the
 * true error is estimated by its square (relative to f); the Gram matrix is made when that estimate, or for an
 * unbounded set the number of passes spent, says that the answer is probably there; then again each time the passes
 * have grown by a quarter.
 */
typedef struct proof {
    bool wanted;
    int64_t next;
} proof;

static bool proof_is_due(gpis_run *run, proof *plan) {
    if (run->passes < plan->next) return false;
    const double first = gpis_run_gap(run) / run->objective;
    return !gpis_set_is_bounded(run->set) || first * first <= 1e3 * run->settings->tol;
}

static gpis_status prove(gpis_run *run, const gpis_descent *s, proof *plan) {
    gpis_status status = run->model ? GPIS_OK : gpis_run_make_model(run);
    if (status == GPIS_OK) status = gpis_run_second_order(run, s->x, s->gradient, s->value);
    plan->next = run->passes + run->passes / 4 + 1;
    return status;
}

/* Without a first-order bound, the passes that pay for one Gram matrix are made before it. */
static proof plan_proof(const gpis_run *run) {
    enum { MOST_COLUMNS = 4000 };
    return (proof){.wanted = run->settings->certificate != GPIS_CERTIFICATE_NONE && run->d <= MOST_COLUMNS,
                   .next = gpis_set_is_bounded(run->set) ? 0 : (int64_t)gpis_run_model_cost(run)};
}

static bool proof_is_possible(const gpis_run *run, const proof *plan) {
    return plan->wanted && (run->model || !gpis_run_exhausted(run));
}

static gpis_status step(gpis_run *run, gpis_descent *s, bool *moved) {
    const gpis_status status = gpis_descent_step(s, moved);
    if (status != (gpis_status)OUT_OF_PASSES) return status;
    gpis_run_check(run); /* ends it */
    return GPIS_OK;
}

static gpis_status iterate(gpis_run *run, gpis_descent *s) {
    static const double DIVERGED = 1e30; /* times the first objective: a fixed step that is too long */
    proof plan = plan_proof(run);
    const double first = s->value;
    bool moved = true;
    while (!run->ended) {
        gpis_run_offer(run, s->x, s->value);
        gpis_status status = gpis_run_first_order(run, s->x, s->gradient, s->value);
        if (status == GPIS_OK && !gpis_run_solved(run) && proof_is_possible(run, &plan) &&
            (!moved || proof_is_due(run, &plan)))
            status = prove(run, s, &plan);
        if (status != GPIS_OK) return status;
        gpis_run_check(run);
        if (!moved || s->value > DIVERGED * first) gpis_run_end(run, GPIS_STALLED);
        if (run->ended) break;
        status = step(run, s, &moved);
        if (status != GPIS_OK) return status;
    }
    return GPIS_OK;
}

static gpis_status run_apgd(gpis_run *run, const double *x0) {
    const gpis_settings *settings = run->settings;
    const gpis_descent_settings descent = {.accelerated = true,
                                           .gamma_u = settings->gamma_u,
                                           .gamma_d = settings->gamma_d,
                                           .fixed_step = settings->fixed_step,
                                           .restart = settings->restart};
    gpis_descent *s = NULL;
    double *g = gpis_alloc(run->context, run->size, sizeof *g), objective, largest = 0.0;
    gpis_status status = g ? gpis_descent_create(run->context, run->set, &descent, trial, run, &s) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_run_first(run, x0, &objective, g);
    if (status == GPIS_OK) {
        for (int64_t j = 0; j < run->d; j++) largest = fmax(largest, run->norms2[j]);
        gpis_descent_start(s, x0, g, objective, largest > 0.0 ? 1.0 / largest : 1.0);
        status = iterate(run, s);
    }
    gpis_descent_destroy(s);
    gpis_free(run->context, g);
    return status;
}

static const char *applicable(const gpis_run *run) {
    (void)run;
    return NULL;
}

const gpis_method gpis_method_apgd = {"apgd", applicable, run_apgd};
