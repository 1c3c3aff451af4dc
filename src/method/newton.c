/*
 * newton: one pass makes the exact Gram matrix H = A'A; then rounds of
 *
 *     g  = A'(A x - y)                                     one pass, always from the data
 *     x+ = argmin over s in K of 1/2 <s - x, H (s - x)> + <g, s - x>
 *
 * In exact arithmetic the first round is the answer; the others refine it, since residuals are recomputed from A and H
 * only preconditions. The inner problem also yields the second-order certificate at x.
 */
#include <string.h>

#include "method/method.h"

/* So many rounds in which nothing but rounding errors moves end the run. */
enum { PATIENCE = 3 };

/* f and g at x, in the precision that the tolerance needs. */
static gpis_status evaluate(gpis_run *run, const double *x, double *objective, double *g) {
    gpis_status status = gpis_run_gradient(run, x, objective, g);
    if (status != GPIS_OK) return status;
    gpis_run_offer(run, x, *objective);
    if (!gpis_run_extend(run)) return GPIS_OK;
    status = gpis_run_gradient(run, x, objective, g);
    if (status == GPIS_OK) gpis_run_offer(run, x, *objective);
    return status;
}

/* At a tight tolerance one round more: the objective hardly feels it, the last digits of x do. */
static gpis_status polish(gpis_run *run, double *x, double *g) {
    double objective;
    memcpy(x, run->inner->s, (size_t)run->size * sizeof(double));
    const gpis_status status = gpis_run_gradient(run, x, &objective, g);
    if (status == GPIS_OK && objective <= run->objective + run->noise) gpis_run_replace(run, x, objective);
    return status;
}

static gpis_status rounds(gpis_run *run, double *x, double *g) {
    double objective;
    gpis_status status = evaluate(run, x, &objective, g);
    if (status == GPIS_OK) status = gpis_run_make_model(run);
    for (int idle = 0; status == GPIS_OK;) {
        const double before = run->objective, gap = gpis_run_gap(run);
        status = gpis_run_second_order(run, x, g, objective, true);
        if (status == GPIS_OK) status = gpis_run_first_order(run, x, g, objective);
        if (status != GPIS_OK) break;
        gpis_run_check(run);
        if (run->ended) break;
        memcpy(x, run->inner->s, (size_t)run->size * sizeof(double));
        status = evaluate(run, x, &objective, g);
        idle = gpis_run_idle(run, before, gap) ? idle + 1 : 0;
        if (idle == PATIENCE) gpis_run_end(run, GPIS_STALLED);
    }
    if (status == GPIS_OK && run->outcome == GPIS_SOLVED && run->extended) status = polish(run, x, g);
    return status;
}

static gpis_status run_newton(gpis_run *run, const double *x0) {
    double *x = gpis_alloc(run->context, 2 * run->size, sizeof *x);
    if (!x) return GPIS_NO_MEMORY;
    memcpy(x, x0, (size_t)run->size * sizeof(double));
    const gpis_status status = rounds(run, x, x + run->size);
    gpis_free(run->context, x);
    return status;
}

static const char *applicable(const gpis_run *run) {
    enum { MOST_COLUMNS = 20000 };
    return run->d > MOST_COLUMNS ? "its Gram matrix would be too large" : NULL;
}

const gpis_method gpis_method_newton = {"newton", applicable, run_newton};
