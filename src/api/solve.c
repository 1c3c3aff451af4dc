/* gpis_solve, gpis_check and gpis_plan_make: what the caller gives is checked here, once; the modules behind trust it.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "api/audit.h"
#include "api/choose.h"
#include "linalg/blas.h"
#include "method/dependence.h"
#include "plan/plan.h"
#include "ranks/ranks.h"

gpis_settings gpis_settings_default(void) {
    return (gpis_settings){.method = "auto",
                           .tol = 1e-8,
                           .delta = 1e-9,
                           .gamma_u = 2.0,
                           .gamma_d = 2.0,
                           .sketch = "auto",
                           .batch = 10,
                           .checkpoint_every = 10.0};
}

const char *gpis_gap_kind_text(gpis_gap_kind kind) {
    switch (kind) {
    case GPIS_GAP_PROVEN: return "proven";
    case GPIS_GAP_PROBABLE: return "probable";
    default: return "none";
    }
}

double gpis_relative_gap(const gpis_result *result) {
    if (!result) return INFINITY;
    const double lower = result->objective - result->gap;
    return lower > 0.0 ? result->gap / lower : INFINITY;
}

void gpis_result_clear(gpis_context *context, gpis_result *result) {
    if (!context || !result) return;
    gpis_free(context, result->x);
    memset(result, 0, sizeof *result);
}

static gpis_status check_problem(gpis_context *context, const gpis_source *A, int64_t k, const gpis_set *set,
                                 const gpis_settings *settings) {
    if (!A || !set || !settings)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a problem needs A, y, a set and settings");
    if (k < 1) return gpis_fail(context, GPIS_BAD_SHAPE, "y has no columns");
    if (set->d != A->d || set->k != k)
        return gpis_fail(context, GPIS_BAD_SHAPE, "the set is for %lld x %lld coefficients, the data for %lld x %lld",
                         (long long)set->d, (long long)set->k, (long long)A->d, (long long)k);
    return GPIS_OK;
}

static gpis_status check_sketch(gpis_context *context, const gpis_settings *s, int64_t n) {
    const bool none = gpis_run_is_unsketched(s), chosen = s->sketch && strcmp(s->sketch, "auto") == 0;
    if (!chosen && !none && !(s->sketch && gpis_sketch_find(s->sketch)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "no sketch is called '%s'; there are %s",
                         s->sketch ? s->sketch : "", gpis_sketch_names());
    const gpis_method *method = s->method ? gpis_method_named(gpis_all_methods(), s->method) : NULL;
    if (none && (s->m > 0 || (method && method->needs_sketch)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "sketch 'none': without a sketch there is %s; leave one of them out",
                         s->m > 0 ? "no m" : "no such method");
    if (s->m < 0 || s->m > n)
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "a sketch of m = %lld rows: m must be from 1 to the %lld rows of A", (long long)s->m,
                         (long long)n);
    if (s->rounds < 0) return gpis_fail(context, GPIS_BAD_ARGUMENT, "rounds must not be negative");
    if (s->inner_iterations && s->inner_rounds < 1)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the list of inner iterations is empty");
    for (int64_t t = 0; s->inner_iterations && t < s->inner_rounds; t++)
        if (s->inner_iterations[t] < 1)
            return gpis_fail(context, GPIS_BAD_ARGUMENT, "inner iterations must be at least 1, not %lld",
                             (long long)s->inner_iterations[t]);
    if (s->batch < 1)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a batch has at least 1 row, not %lld", (long long)s->batch);
    return GPIS_OK;
}

static gpis_status check_settings(gpis_context *context, const gpis_settings *s, int64_t size) {
    if (!(s->tol > 0.0 && s->tol < 1.0))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the tolerance must be between 0 and 1, not %g", s->tol);
    if (!(s->delta > 0.0 && s->delta < 1.0))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "delta must be between 0 and 1, not %g", s->delta);
    if (s->memory < 0) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the memory limit must not be negative");
    if (s->max_passes < 0) return gpis_fail(context, GPIS_BAD_ARGUMENT, "max_passes must not be negative");
    if (!(s->time_limit >= 0.0)) return gpis_fail(context, GPIS_BAD_ARGUMENT, "time_limit must not be negative");
    if (!(s->checkpoint_every >= 0.0))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "checkpoint_every must not be negative");
    if (s->resume && !s->checkpoint)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "to resume needs the checkpoint to resume from");
    if (!(s->gamma_u > 1.0 && isfinite(s->gamma_u)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "gamma_u must be greater than 1, not %g", s->gamma_u);
    if (!(s->gamma_d >= 1.0 && isfinite(s->gamma_d)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "gamma_d must be at least 1, not %g", s->gamma_d);
    if (!(s->fixed_step >= 0.0 && isfinite(s->fixed_step)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "fixed_step must not be negative");
    if (s->certificate < GPIS_CERTIFICATE_ANY || s->certificate > GPIS_CERTIFICATE_NONE)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no certificate number %d", (int)s->certificate);
    if (s->restart < GPIS_RESTART_GRADIENT || s->restart > GPIS_RESTART_NONE)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no restart number %d", (int)s->restart);
    for (int64_t i = 0; s->x0 && i < size; i++)
        if (!isfinite(s->x0[i]))
            return gpis_fail(context, GPIS_BAD_DATA, "entry %lld of x0 is %g", (long long)i + 1, s->x0[i]);
    return GPIS_OK;
}

/* What a solve needs besides, and an audit, which ends by itself, does not. */
static gpis_status check_end(gpis_context *context, const gpis_settings *s) {
    if (s->certificate != GPIS_CERTIFICATE_NONE || gpis_settings_are_limited(s)) return GPIS_OK;
    return gpis_fail(context, GPIS_BAD_ARGUMENT,
                     "without a certificate nothing ends the run: give max_passes or time_limit");
}

static bool is_speed(double speed) { return isfinite(speed) && speed > 0.0; }

static gpis_status check_machine(gpis_context *context, const gpis_machine *machine) {
    if (!machine) return GPIS_OK;
    if (machine->threads >= 1 && is_speed(machine->read_bytes) && is_speed(machine->gradient_bytes) &&
        is_speed(machine->syrk_flops) && is_speed(machine->memory) &&
        (machine->disk_bytes == 0.0 || is_speed(machine->disk_bytes)))
        return GPIS_OK;
    return gpis_fail(context, GPIS_BAD_ARGUMENT, "a machine has threads, speeds and memory, all of them positive");
}

/* All that solve, check and plan are given, but for y. */
static gpis_status check_all(gpis_context *context, const gpis_source *A, int64_t k, const gpis_set *set,
                             const gpis_settings *settings) {
    gpis_status status = check_problem(context, A, k, set, settings);
    if (status == GPIS_OK) status = check_settings(context, settings, A->d * k);
    if (status == GPIS_OK) status = check_sketch(context, settings, A->n);
    return status == GPIS_OK ? check_machine(context, settings->machine) : status;
}

/* The start: x0 or zero, projected on K, so that every iterate is feasible. */
static gpis_status starting_point(gpis_run *run, double *x) {
    if (run->settings->x0)
        memcpy(x, run->settings->x0, (size_t)run->problem->size * sizeof(double));
    else
        memset(x, 0, (size_t)run->problem->size * sizeof(double));
    return gpis_set_project(run->problem->set, x, x);
}

static gpis_status fill_result(gpis_run *run, const char *method, gpis_result *result) {
    const gpis_bound bound = gpis_record_bound(&run->record);
    snprintf(result->method, sizeof result->method, "%s", method);
    snprintf(result->warning, sizeof result->warning, "%s", run->warning);
    result->outcome = run->outcome;
    result->objective = run->record.objective;
    result->gap = gpis_record_gap(&run->record);
    result->gap_kind = bound.probable ? GPIS_GAP_PROBABLE : GPIS_GAP_PROVEN;
    result->backward_error = bound.backward_error;
    if (!isfinite(result->gap)) result->gap_kind = GPIS_GAP_NONE; /* nothing is known, or was when the run stopped */
    result->gap_delta = result->gap_kind == GPIS_GAP_PROBABLE ? run->settings->delta : 0.0;
    result->passes = run->account.passes;
    result->sketches = run->account.sketches;
    result->resumed_passes = run->replay ? run->replay->answered : 0;
    result->epochs = run->account.epochs;
    result->bytes_read = run->account.bytes_read;
    result->seconds = gpis_account_seconds(&run->account);
    return GPIS_OK;
}

static void enter_choice(const gpis_choice *choice, gpis_result *result) {
    snprintf(result->plan, sizeof result->plan, "%s", choice->plan);
    result->predicted_passes = choice->passes;
    result->predicted_seconds = choice->seconds;
}

static gpis_status solve(gpis_run *run, double *x, gpis_result *result) {
    gpis_choice choice;
    const gpis_method *method;
    gpis_status status = gpis_choose(run, &choice, &method);
    if (status == GPIS_OK) status = starting_point(run, x);
    if (status != GPIS_OK) return status;
    run->m = choice.m;
    enter_choice(&choice, result);
    gpis_record_start_at(&run->record, x);
    status = method->run(run, x);
    if (status == GPIS_STOPPED && run->ended) status = GPIS_OK;
    if (status != GPIS_OK) return status;
    gpis_run_report(run);
    gpis_replay_finish(run, result->checkpoint_trouble, sizeof result->checkpoint_trouble);
    gpis_run_explain_dependence(run);
    memcpy(x, run->record.best, (size_t)run->problem->size * sizeof(double));
    status = gpis_set_distance(run->problem->set, x, &result->feasibility);
    result->given_objective = run->record.objective;
    return status == GPIS_OK ? fill_result(run, method->name, result) : status;
}

/* The same bounds as a solve ends with, from the data alone. */
static gpis_status check(gpis_run *run, double *x, gpis_result *result) {
    run->audit = true; /* a few passes and no more: no limit of time */
    const gpis_status status = gpis_audit(run, x, &result->feasibility, &result->given_objective);
    if (status != GPIS_OK) return status;
    gpis_run_report(run);
    run->outcome = gpis_record_is_solved(&run->record) ? GPIS_SOLVED : GPIS_STALLED;
    gpis_run_explain_dependence(run);
    snprintf(result->plan, sizeof result->plan, "audit of a given point");
    result->predicted_seconds = NAN;
    return fill_result(run, "check", result);
}

/* The limit of the settings, if they have one. */
static void limit_memory(gpis_context *context, const gpis_settings *settings) {
    if (settings->memory > 0) context->limit = settings->memory;
}

/* All ranks have been given what they need, and y with as many columns. */
static gpis_status agree_to_begin(gpis_context *context, const gpis_source *A, int64_t k, gpis_status status) {
    if (!A) return status;
    status = gpis_ranks_agree(A, status);
    int64_t first = k;
    if (status == GPIS_OK) status = gpis_ranks_share(A, &first, sizeof first);
    if (status != GPIS_OK) return status;
    if (first != k)
        status = gpis_fail(context, GPIS_BAD_SHAPE, "y has %lld columns here and %lld on rank 0", (long long)k,
                           (long long)first);
    return gpis_ranks_agree(A, status);
}

/* Rank 0's result, for all; x has been allocated. */
static gpis_status share_result(const gpis_source *A, int64_t size, gpis_result *result) {
    double *x = result->x;
    const gpis_status status = gpis_ranks_share(A, result, sizeof *result);
    result->x = x;
    return status == GPIS_OK ? gpis_ranks_share_numbers(A, x, size) : status;
}

static gpis_problem problem_of(gpis_context *context, gpis_source *A, const double *Y, int64_t k, gpis_set *set) {
    return (gpis_problem){
        .context = context, .A = A, .Y = Y, .n = A->n, .d = A->d, .k = k, .size = A->d * k, .set = set};
}

/* A set without a support function allows no certificate, so no work is spent on one. */
static gpis_settings possible_settings(const gpis_set *set, const gpis_settings *settings) {
    gpis_settings possible = *settings;
    if (!set->has_support) possible.certificate = GPIS_CERTIFICATE_NONE;
    return possible;
}

/* What solve and check share: arguments, the run, and one way out. On several ranks rank 0 does the work, and the
 * others serve. */
static gpis_status with_run(gpis_context *context, gpis_source *A, const double *Y, int64_t k, gpis_set *set,
                            const double *X, const gpis_settings *settings,
                            gpis_status (*work)(gpis_run *, double *, gpis_result *), gpis_result *result) {
    if (!context || !result) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the result");
    memset(result, 0, sizeof *result);
    context->message[0] = '\0';
    gpis_status status = Y ? check_all(context, A, k, set, settings)
                           : gpis_fail(context, GPIS_BAD_ARGUMENT, "a problem needs A, y, a set and settings");
    if (status == GPIS_OK && work == solve) status = check_end(context, settings);
    if (status == GPIS_OK && work == check && !X)
        status = gpis_fail(context, GPIS_BAD_ARGUMENT, "an audit needs the x to look at");
    gpis_run run = {.context = context};
    gpis_problem problem;
    gpis_settings possible;
    const int64_t limit = context->limit;
    if (status == GPIS_OK) limit_memory(context, settings);
    if (status == GPIS_OK && !gpis_account_affords_x(context, A->d, k)) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        problem = problem_of(context, A, Y, k, set);
        possible = possible_settings(set, settings);
        status = gpis_run_start(&run, &problem, &possible);
    }
    if (status == GPIS_OK && !set->has_support)
        gpis_run_warn(&run,
                      "set %.100s: without a support function there is no certificate: how far the objective is "
                      "above the best is not known",
                      set->spec);
    if (status == GPIS_OK) {
        result->x = gpis_alloc(context, problem.size, sizeof(double));
        if (!result->x) status = GPIS_NO_MEMORY;
    }
    if (status == GPIS_OK && X) memcpy(result->x, X, (size_t)problem.size * sizeof(double));
    int outside = omp_get_max_threads();
    if (status == GPIS_OK) status = gpis_blas_enter(context, context->threads, &outside);
    status = agree_to_begin(context, A, k, status);
    if (status == GPIS_OK) {
        if (gpis_ranks_is_served(A))
            status = gpis_ranks_serve(context, A, Y);
        else
            status = gpis_ranks_dismiss(context, A, work(&run, result->x, result));
        if (status == GPIS_OK) status = share_result(A, problem.size, result);
    }
    gpis_blas_leave(outside);
    gpis_run_clear(&run);
    context->limit = limit;
    if (status != GPIS_OK) gpis_result_clear(context, result);
    return status;
}

gpis_status gpis_solve(gpis_context *context, gpis_source *A, const double *Y, int64_t k, gpis_set *set,
                       const gpis_settings *settings, gpis_result *result) {
    return with_run(context, A, Y, k, set, NULL, settings, solve, result);
}

gpis_status gpis_check(gpis_context *context, gpis_source *A, const double *Y, int64_t k, gpis_set *set,
                       const double *X, const gpis_settings *settings, gpis_result *result) {
    return with_run(context, A, Y, k, set, X, settings, check, result);
}

gpis_status gpis_plan_make(gpis_context *context, gpis_source *A, int64_t k, gpis_set *set,
                           const gpis_settings *settings, gpis_plan *out) {
    if (!context || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the plan");
    memset(out, 0, sizeof *out);
    context->message[0] = '\0';
    gpis_status status = check_all(context, A, k, set, settings);
    if (status == GPIS_OK) status = check_end(context, settings);
    if (status != GPIS_OK) return status;
    const int64_t limit = context->limit;
    const gpis_settings possible = possible_settings(set, settings);
    limit_memory(context, settings);
    const gpis_problem problem = problem_of(context, A, NULL, k, set);
    status = gpis_plan_choose(&problem, &possible, atomic_load(&context->used), out);
    context->limit = limit;
    return status;
}
