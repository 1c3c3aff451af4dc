/* gpis_solve and gpis_check: what the caller gives is checked here, once; the modules behind trust it. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "api/audit.h"
#include "api/choose.h"
#include "api/complete.h"
#include "api/fit.h"
#include "api/problem.h"
#include "api/result.h"
#include "api/settings.h"
#include "linalg/blas.h"
#include "method/dependence.h"
#include "method/prices.h"
#include "method/unique.h"
#include "ranks/ranks.h"
#include "set/dimension.h"
#include "set/penalty.h"

/* The start: x0 or zero, projected on K, so that every iterate is feasible. An x0 without b starts at b = 0. */
static gpis_status starting_point(gpis_run *run, double *x) {
    memset(x, 0, (size_t)run->problem->size * sizeof(double));
    if (run->settings->x0) memcpy(x, run->settings->x0, (size_t)run->settings->x0_entries * sizeof(double));
    return gpis_set_project(run->problem->set, x, x);
}

static void fill_result(gpis_run *run, const char *method, gpis_made_result *made) {
    const gpis_bound bound = gpis_record_bound(&run->record);
    gpis_result *result = &made->seen;
    gpis_copy_text(made->method, sizeof made->method, method);
    gpis_copy_text(made->warning, sizeof made->warning, run->warning);
    result->outcome = run->outcome;
    result->objective = run->record.objective;
    result->penalty = gpis_set_height(run->problem->set, run->record.best);
    result->gap = gpis_record_gap(&run->record);
    result->gap_kind = bound.probable ? GPIS_GAP_PROBABLE : GPIS_GAP_PROVEN;
    result->nearness = bound.nearness;
    result->backward_error = run->backward_error;
    result->horizon = bound.horizon;
    if (!isfinite(result->gap)) result->gap_kind = GPIS_GAP_NONE; /* nothing is known, or was when the run stopped */
    result->gap_delta = result->gap_kind == GPIS_GAP_PROBABLE ? run->settings->delta : 0.0;
    result->passes = run->account.passes;
    result->sketches = run->account.sketches;
    result->resumed_passes = run->replay ? run->replay->answered : 0;
    result->epochs = run->account.epochs;
    result->bytes_read = run->account.bytes_read;
    result->seconds = gpis_account_seconds(&run->account);
    result->sweeps += result->passes - result->resumed_passes;
}

/* The plan in words, with what the run found out on its way, and the cost that was predicted. */
static void enter_choice(const gpis_run *run, const gpis_choice *choice, gpis_made_result *result) {
    if (run->found)
        snprintf(result->plan, sizeof result->plan, "%s; %s", choice->plan, run->found);
    else
        gpis_copy_text(result->plan, sizeof result->plan, choice->plan);
    result->seen.predicted_passes = choice->passes;
    result->seen.predicted_seconds = choice->seconds;
}

static gpis_status judge_uniqueness(const gpis_run *run, gpis_made_result *result) {
    gpis_uniqueness unique;
    const gpis_status status =
        gpis_run_judge_uniqueness(run, &unique, result->unique_reason, sizeof result->unique_reason);
    gpis_make_printable(result->unique_reason); /* it may quote names of columns */
    result->seen.unique = (int)unique;
    return status;
}

static gpis_status enter_price(void *result, const gpis_price *price) {
    return gpis_result_enter_active(result, price);
}

/* Where every x is allowed, columns that depend on others add nothing. */
static double freedom_lost(const gpis_run *run) {
    const gpis_dependence *columns = &run->curvature.dependence;
    const gpis_set *set = run->problem->set;
    const bool whole = set->shape == GPIS_SHAPE_WHOLE && !set->penalty && !run->problem->terms.ridge;
    return whole && columns->known ? (double)(columns->deficit * run->problem->k) : 0.0;
}

/* How far the best point breaks a constraint. By more than rounding, it is not called solved. */
static gpis_status judge_violation(gpis_run *run, gpis_made_result *result) {
    gpis_violation violation;
    const gpis_status status = gpis_set_violation(run->problem->set, run->record.best, &violation);
    if (status != GPIS_OK) return status;
    result->seen.violation = violation.most;
    if (!violation.broken || run->outcome != GPIS_SOLVED) return GPIS_OK;
    run->outcome = GPIS_STALLED;
    gpis_run_warn(run, "x breaks a constraint by %.1e, which is more than rounding of its terms", violation.most);
    return GPIS_OK;
}

/* The active constraints with their prices, and the degrees of freedom that they leave. */
static gpis_status judge_constraints(gpis_run *run, gpis_made_result *result) {
    const gpis_status status = gpis_set_dimension(run->problem->set, result->x, &result->seen.degrees_of_freedom);
    result->seen.degrees_of_freedom -= freedom_lost(run);
    return status == GPIS_OK ? gpis_run_prices(run, enter_price, result) : status;
}

/* Null vectors for gpis_ranges_make, if those that are exact, or nearly so, are all that there are. */
static gpis_status keep_columns(const gpis_run *run, gpis_made_result *result) {
    const gpis_dependence *columns = &run->curvature.dependence;
    if (!columns->known || columns->exact + columns->near < columns->deficit) return GPIS_OK;
    return gpis_result_keep_columns(result, (gpis_dependent_columns){.d = run->problem->d,
                                                                     .exact = columns->exact,
                                                                     .near = columns->near,
                                                                     .vectors = columns->vectors,
                                                                     .nearness = columns->nearness});
}

/* Meanwhile projections ask whether the run is to stop, too; what comes after it has to be done in any case. */
static gpis_status run_watched(gpis_run *run, const gpis_method *method, double *x) {
    const gpis_problem *p = run->problem;
    const gpis_stop stop = gpis_run_stop(run);
    gpis_set_watch(p->set, &stop);
    if (p->core) gpis_set_watch(p->core, &stop);
    const gpis_status status = method->run(run, x);
    gpis_set_watch(p->set, NULL);
    if (p->core) gpis_set_watch(p->core, NULL);
    return status;
}

static gpis_status solve(gpis_run *run, gpis_made_result *result) {
    double *x = result->x;
    gpis_choice choice;
    const gpis_method *method;
    gpis_status status = gpis_choose(run, &choice, &method);
    if (status == GPIS_OK) status = starting_point(run, x);
    if (status != GPIS_OK) return status;
    run->m = choice.m;
    run->prices = choice.prices;
    gpis_record_start_at(&run->record, x);
    status = run_watched(run, method, x);
    enter_choice(run, &choice, result);
    if (status == GPIS_OK) status = gpis_run_settle_uniqueness(run);
    if (status == GPIS_OK) status = gpis_range_settle(run);
    if (status == GPIS_STOPPED && run->ended) status = GPIS_OK;
    if (status == GPIS_OK) status = judge_violation(run, result);
    if (status != GPIS_OK) return status;
    gpis_run_report_result(run);
    gpis_replay_finish(run, result->checkpoint_trouble, sizeof result->checkpoint_trouble);
    status = gpis_run_explain_bound(run);
    memcpy(x, run->record.best, (size_t)run->problem->size * sizeof(double));
    if (status == GPIS_OK) status = gpis_set_distance(run->problem->set, x, &result->seen.feasibility);
    result->seen.given_objective = run->record.objective;
    fill_result(run, method->name, result);
    if (status == GPIS_OK) status = keep_columns(run, result);
    if (status == GPIS_OK) status = judge_constraints(run, result);
    return status == GPIS_OK ? judge_uniqueness(run, result) : status;
}

/* The same bounds as a solve ends with, from the data alone. */
static gpis_status check(gpis_run *run, gpis_made_result *result) {
    run->audit = true; /* a few passes and no more: no limit of time */
    gpis_status status = gpis_audit(run, result->x, &result->seen.feasibility, &result->seen.given_objective);
    if (status == GPIS_OK) status = gpis_range_settle(run);
    run->outcome = gpis_record_is_solved(&run->record) ? GPIS_SOLVED : GPIS_STALLED;
    if (status == GPIS_OK) status = judge_violation(run, result);
    if (status != GPIS_OK) return status;
    gpis_run_report_result(run);
    status = gpis_run_explain_bound(run);
    snprintf(result->plan, sizeof result->plan, "audit of a given point");
    result->seen.predicted_seconds = NAN;
    fill_result(run, "check", result);
    if (status == GPIS_OK) status = keep_columns(run, result);
    if (status == GPIS_OK) status = judge_constraints(run, result);
    return status == GPIS_OK ? judge_uniqueness(run, result) : status;
}

/* A call of gpis_solve or gpis_check: its problem and settings, complete and checked, its run and its result. */
typedef struct task {
    gpis_completion complete;
    gpis_call call;
    gpis_run run;
    gpis_total total;         /* of the response */
    gpis_made_result *result; /* owned until it is the caller's */
} task;

static gpis_status check_given_x(const gpis_problem *problem, const double *X, int64_t entries) {
    if (!X) return gpis_fail(problem->context, GPIS_BAD_ARGUMENT, "an audit needs the x to look at");
    if (entries == problem->size || entries == problem->A->d * problem->k) return GPIS_OK;
    return gpis_fail(problem->context, GPIS_BAD_SHAPE, "x has %lld entries and needs %lld x %lld%s", (long long)entries,
                     (long long)problem->A->d, (long long)problem->k,
                     problem->terms.constant ? ", or one row more with the intercept" : "");
}

/* The checks and allocations that a rank makes alone, before all ranks work together. */
static gpis_status prepare(task *t, const gpis_problem *given, const gpis_settings *settings) {
    gpis_status status = gpis_complete_begin(given, &t->complete);
    if (status == GPIS_OK) status = gpis_call_begin(&t->call, &t->complete.problem, settings);
    if (status == GPIS_OK && !gpis_account_affords_x(given->context, t->complete.problem.d, t->complete.problem.k))
        status = GPIS_NO_MEMORY;
    return status == GPIS_OK ? gpis_complete_response(&t->complete) : status;
}

static gpis_status start(task *t) {
    gpis_status status = gpis_complete_set(&t->complete);
    if (status != GPIS_OK) return status;
    const gpis_problem *problem = &t->complete.problem;
    const gpis_set *set = problem->set;
    gpis_settings_fit_set(&t->call.settings, set);
    status = gpis_run_start(&t->run, problem, &t->call.settings);
    if (status == GPIS_OK) gpis_curvature_set_stop(&t->run.curvature, gpis_run_stop(&t->run));
    if (status == GPIS_OK && !set->has_support)
        gpis_run_warn(&t->run,
                      "set %.100s: without a support function there is no certificate: how far the objective is "
                      "above the best is not known",
                      set->spec);
    if (status == GPIS_OK) status = gpis_result_create(problem, &t->result);
    if (status == GPIS_OK) t->result->seen.sweeps = t->complete.sweeps;
    return status;
}

/* On several ranks rank 0 does the work, and the others serve it; they come here in any case, with their status. */
static gpis_status work_together(task *t, const gpis_problem *given, gpis_status status,
                                 gpis_status (*work)(gpis_run *, gpis_made_result *)) {
    gpis_context *context = given->context;
    int outside = omp_get_max_threads();
    if (status == GPIS_OK) status = gpis_blas_enter(context, context->threads, &outside);
    status = gpis_problem_agree(given, given->k, status);
    if (status == GPIS_OK) {
        if (gpis_ranks_is_served(given->A))
            status = gpis_ranks_serve(context, given->A, t->complete.problem.Y, &t->complete.problem.terms);
        else
            status = gpis_ranks_dismiss(context, given->A, work(&t->run, t->result));
        if (status == GPIS_OK) status = gpis_result_share(&t->complete.problem, t->result);
        if (status == GPIS_OK) gpis_fit_enter(&t->complete.problem, &t->total, &t->result->seen);
    }
    gpis_blas_leave(outside);
    return status;
}

/* Hands the result over, or nothing; takes down everything else. */
static gpis_status finish(task *t, gpis_context *context, gpis_status status, gpis_result **result) {
    gpis_run_clear(&t->run);
    gpis_call_end(&t->call, context);
    gpis_complete_end(&t->complete);
    gpis_result *made = t->result ? &t->result->seen : NULL;
    if (status == GPIS_OK)
        *result = made;
    else
        gpis_result_destroy(made);
    return status;
}

/* Whether there is a place for the result. A rank without one still talks to the others, which wait for it. */
static gpis_status begin(const gpis_problem *problem, gpis_result **result) {
    problem->context->message[0] = '\0';
    if (!result) return gpis_fail(problem->context, GPIS_BAD_ARGUMENT, "there is no place to put the result");
    *result = NULL;
    return GPIS_OK;
}

gpis_status gpis_solve(const gpis_problem *problem, const gpis_settings *settings, gpis_result **result) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    task t = {.run = {.context = problem->context}};
    gpis_status status = begin(problem, result);
    if (status == GPIS_OK) status = prepare(&t, problem, settings);
    if (status == GPIS_OK) status = gpis_settings_check_end(problem->context, &t.call.settings);
    status = gpis_problem_agree(problem, problem->k, status);
    if (status == GPIS_OK) status = gpis_complete_together(&t.complete);
    if (status == GPIS_OK) status = gpis_total_find(&t.complete.problem, problem->summary, &t.total);
    if (status == GPIS_OK) status = start(&t);
    status = work_together(&t, problem, status, solve);
    return finish(&t, problem->context, status, result);
}

gpis_status gpis_check(const gpis_problem *problem, const double *X, int64_t entries, const gpis_settings *settings,
                       gpis_result **result) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    task t = {.run = {.context = problem->context}};
    gpis_status status = begin(problem, result);
    if (status == GPIS_OK) status = prepare(&t, problem, settings);
    if (status == GPIS_OK) status = check_given_x(&t.complete.problem, X, entries);
    status = gpis_problem_agree(problem, problem->k, status);
    if (status == GPIS_OK) status = gpis_complete_together(&t.complete);
    if (status == GPIS_OK) status = gpis_total_find(&t.complete.problem, problem->summary, &t.total);
    if (status == GPIS_OK) status = start(&t);
    if (status == GPIS_OK) memcpy(t.result->x, X, (size_t)entries * sizeof *X);
    t.run.best_constant = status == GPIS_OK && entries < t.complete.problem.size;
    status = work_together(&t, problem, status, check);
    return finish(&t, problem->context, status, result);
}
