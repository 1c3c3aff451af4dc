/* The beginning of a run, its warnings and reports, and the rules that end it. */
#include "method/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Until a plan has made others. */
static gpis_prices usual_prices(const gpis_problem *problem, const gpis_settings *settings,
                                const gpis_sketch_class *kind) {
    const gpis_machine usual = gpis_machine_default();
    const gpis_workload work = gpis_workload_of(problem, settings, kind, &usual);
    const gpis_speed speed = gpis_speed_of(&usual, usual.threads);
    return gpis_prices_of(&work, &speed, 0.0);
}

gpis_status gpis_run_start(gpis_run *run, const gpis_problem *problem, const gpis_settings *settings) {
    gpis_context *context = problem->context;
    *run = (gpis_run){.context = context,
                      .problem = problem,
                      .settings = settings,
                      .kind = gpis_run_kind(settings),
                      .reported = INFINITY,
                      .backward_error = NAN};
    run->prices = usual_prices(problem, settings, run->kind);
    gpis_account_begin(&run->account, gpis_account_used(context), settings->progress);
    gpis_status status = gpis_record_begin(&run->record, problem, settings->tol, settings->certificate);
    if (status == GPIS_OK) status = gpis_curvature_begin(&run->curvature, problem);
    return status;
}

void gpis_run_clear(gpis_run *run) {
    gpis_free(run->context, run->nonzeros);
    gpis_free(run->context, run->moments);
    gpis_quadratic_destroy(run->made_summary);
    gpis_replay_close(run);
    gpis_curvature_clear(&run->curvature);
    gpis_record_clear(&run->record);
    *run = (gpis_run){.context = run->context};
}

bool gpis_run_is_unsketched(const gpis_settings *settings) {
    return settings->sketch && strcmp(settings->sketch, "none") == 0;
}

const gpis_sketch_class *gpis_run_kind_named(const gpis_settings *settings) {
    return strcmp(settings->sketch, "auto") == 0 ? NULL : gpis_sketch_find(settings->sketch);
}

const gpis_sketch_class *gpis_run_kind(const gpis_settings *settings) {
    const gpis_sketch_class *named = gpis_run_kind_named(settings);
    return named ? named : gpis_sketch_find("count");
}

void gpis_run_warn(gpis_run *run, const char *format, ...) {
    const size_t used = strlen(run->warning), room = sizeof run->warning - used;
    const char *between = used ? "; " : "";
    const size_t begin = strlen(between);
    va_list arguments;
    if (room <= begin) return;
    memcpy(run->warning + used, between, begin + 1);
    va_start(arguments, format);
    vsnprintf(run->warning + used + begin, room - begin, format, arguments);
    va_end(arguments);
    gpis_make_printable(run->warning); /* it may quote names of files and columns */
}

/* ---- precision ---- */

bool gpis_run_needs_extended(const gpis_run *run) {
    return !run->extended && !gpis_run_exhausted(run) && gpis_record_is_limited_by_noise(&run->record);
}

void gpis_run_extend(gpis_run *run) {
    run->extended = true;
    gpis_record_forget_objective(&run->record);
}

/* ---- limits and reports ---- */

bool gpis_run_out_of_time(const gpis_run *run) {
    return run->settings->time_limit > 0.0 && gpis_account_seconds(&run->account) >= run->settings->time_limit;
}

static bool is_out_of_passes(const gpis_run *run) {
    return run->settings->max_passes > 0 && run->account.passes >= run->settings->max_passes;
}

bool gpis_run_exhausted(const gpis_run *run) {
    return !gpis_run_has_rows(run) || is_out_of_passes(run) || gpis_run_out_of_time(run);
}

void gpis_run_end(gpis_run *run, gpis_outcome outcome) {
    if (run->ended) return;
    run->ended = true;
    run->outcome = outcome;
}

void gpis_run_reopen(gpis_run *run) { run->ended = false; }

void gpis_run_give_up(gpis_run *run) { gpis_run_end(run, is_out_of_passes(run) ? GPIS_MAX_PASSES : GPIS_STALLED); }

static void report(gpis_run *run, double objective) {
    const gpis_settings *settings = run->settings;
    gpis_progress progress;
    if (!settings->progress) return;
    const double gap = fmax(0.0, objective - gpis_record_lower(&run->record));
    if (!gpis_account_report(&run->account, objective, gap, run->m, &progress)) return;
    if (!settings->progress(settings->progress_user, &progress)) return;
    run->stop_asked = true;
    gpis_run_end(run, GPIS_INTERRUPTED);
}

/* The objective of a summary is told with its noise, so that a pass does not find a higher one. The noise can grow with
 * x, while the best objective does not. */
void gpis_run_report(gpis_run *run) {
    const double known = gpis_record_known_objective(&run->record);
    run->reported = run->by_summary ? fmin(run->reported, known + run->record.noise) : known;
    report(run, run->reported);
}

void gpis_run_report_result(gpis_run *run) { report(run, gpis_record_known_objective(&run->record)); }

void gpis_run_check(gpis_run *run) {
    gpis_run_report(run);
    gpis_run_check_quietly(run);
}

/* A solved run counts as solved even if a limit had ended it before. */
void gpis_run_check_quietly(gpis_run *run) {
    if (gpis_record_is_solved(&run->record)) {
        run->ended = true;
        run->outcome = GPIS_SOLVED;
    }
    if (is_out_of_passes(run) && !run->by_summary) gpis_run_end(run, GPIS_MAX_PASSES);
    if (gpis_run_out_of_time(run)) gpis_run_end(run, GPIS_TIME_LIMIT);
}
