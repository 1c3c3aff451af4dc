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

/* A round that neither lowers the objective nor raises the lower bound is one of rounding errors alone. */
enum { PATIENCE = 3 };

static gpis_status rounds(gpis_run *run, double *x, double *g) {
    double objective;
    gpis_status status = gpis_run_gradient(run, x, &objective, g);
    if (status == GPIS_OK) status = gpis_run_make_model(run);
    for (int idle = 0; status == GPIS_OK;) {
        const double best = run->objective, lower = run->lower;
        gpis_run_offer(run, x, objective);
        if (gpis_run_extend(run)) {
            status = gpis_run_gradient(run, x, &objective, g);
            if (status != GPIS_OK) break;
            gpis_run_offer(run, x, objective);
        }
        status = gpis_run_second_order(run, x, g, objective);
        if (status == GPIS_OK) status = gpis_run_first_order(run, x, g, objective);
        if (status != GPIS_OK) break;
        gpis_run_check(run);
        idle = run->objective < best || run->lower > lower ? 0 : idle + 1;
        if (idle == PATIENCE) gpis_run_end(run, GPIS_STALLED);
        if (run->ended) break;
        memcpy(x, run->inner->s, (size_t)run->size * sizeof(double));
        status = gpis_run_gradient(run, x, &objective, g);
    }
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
