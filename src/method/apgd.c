/*
 * apgd: accelerated projected gradient (Nesterov; Beck and Teboulle) with the line search of the paper's Algorithm 3
 * and gradient restart (O'Donoghue and Candes).
 *
 *     x+ = P_K(z - eta A'(A z - y))
 *     z+ = x+ + ((tau - 1) / tau+) (x+ - x),    tau+ = (1 + sqrt(1 + 4 tau^2)) / 2
 */
#include <math.h>
#include <stdio.h>

#include "method/full_gradient.h"

static gpis_status run_apgd(gpis_run *run, const double *x0) { return gpis_full_gradient(run, x0, true); }

/* ---- for the planner ------------------------------------------------------------------------------------------------
 */

/* Nobody knows the condition number of A'A beforehand, so the passes are a guess, and only what is ten times as fast as
 * the Gram matrix by that guess is likely to be faster at all. */
static const double WORTHWHILE = 0.1;
static const double USUAL_CONDITION = 1e4, CONDITION_OF_WIDE_A = 1e6;

static void propose(const gpis_inquiry *inquiry, gpis_proposals *all) {
    (void)inquiry;
    gpis_proposal *p = gpis_propose(all);
    p->settled = true; /* it needs little more than x */
    p->worthwhile = WORTHWHILE;
    p->doubt = "its passes are a guess";
    snprintf(p->title, sizeof p->title, "apgd");
}

/* The error shrinks like exp(-2 j / sqrt(condition)) in j passes. A step needs ||A p||^2 for its line search. */
static gpis_effort cost(const gpis_workload *w, const gpis_speed *s, int64_t m) {
    (void)m;
    const double root = sqrt(w->n < w->d ? CONDITION_OF_WIDE_A : USUAL_CONDITION);
    const double passes = ceil(0.5 * root * log(1.0 / w->tol));
    const double seconds = passes * gpis_cost_measured.line_search * gpis_cost_gradient_pass(w, s, false);
    return gpis_effort_of((int64_t)passes, 6.0 * w->entries * w->k * passes, seconds);
}

static double memory(const gpis_run *run, const gpis_workload *w, int64_t m) {
    (void)w, (void)m;
    enum { POINTS = 24, STRUCTS = 1 << 16 }; /* arrays of d x k; bytes of everything that is not an array */
    const gpis_load load =
        gpis_load_with_terms(gpis_load_worst(run->problem->d, run->problem->k, 0, 0, false), &run->problem->terms);
    return 8.0 * POINTS * (double)run->problem->size + STRUCTS + gpis_pass_memory(run->context, run->problem->A, &load);
}

static void explain(const gpis_verdict *v, char *text, size_t size) {
    snprintf(text, size, "apgd: a model of %lld columns %s", (long long)v->inquiry->run->problem->d,
             v->all->list[0].possible ? "would take far longer" : "does not fit in memory");
}

const gpis_method gpis_method_apgd = {.name = "apgd",
                                      .applicable = gpis_always_applicable,
                                      .run = run_apgd,
                                      .endless = true,
                                      .propose = propose,
                                      .cost = cost,
                                      .memory = memory,
                                      .explain = explain};
