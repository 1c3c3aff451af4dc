/* The passes of a run: made or taken from the checkpoint, watched, entered in the account. */
#include "method/run.h"

#include <math.h>

#include "linalg/accurate.h"

/* How many of all rows are done if `rows` of the `here` rows of this rank are. */
static int64_t scaled_up(int64_t rows, int64_t here, int64_t all) {
    return here == all ? rows : (int64_t)((double)rows / (double)gpis_max64(1, here) * (double)all);
}

/* `done` rows of a pass are done. While nothing is charged, and in an audit, time does not run out (`may_run_out`). */
static bool asks_to_stop(gpis_run *run, int64_t pass, int64_t done, bool may_run_out) {
    const gpis_settings *settings = run->settings;
    const bool has_time_limit = may_run_out && !run->audit && !run->account.paused;
    const gpis_pass_progress progress = {.pass = pass,
                                         .done = done,
                                         .rows = run->problem->n,
                                         .pass_seconds = gpis_account_pass_seconds(&run->account),
                                         .seconds = gpis_account_seconds(&run->account)};
    if (settings->pass_progress && settings->pass_progress(settings->progress_user, &progress))
        gpis_run_end(run, GPIS_INTERRUPTED);
    else if (has_time_limit && gpis_run_out_of_time(run))
        gpis_run_end(run, GPIS_TIME_LIMIT);
    else
        return false;
    return true;
}

/* Asked within a pass, when `rows` rows are done. */
static bool is_to_stop(void *user, int64_t rows) {
    gpis_run *run = user;
    const gpis_problem *p = run->problem;
    return asks_to_stop(run, run->account.passes + 1, scaled_up(rows, gpis_source_rows_here(p->A), p->n), true);
}

bool gpis_run_is_to_stop(gpis_run *run) { return asks_to_stop(run, run->account.passes, run->problem->n, true); }

/* Before a point has been measured, the limit of time does not count: the run is to end with one. */
static bool asks_between_steps(void *user) {
    static const double INTERVAL = 0.1; /* seconds */
    gpis_run *run = user;
    const double now = run->stopped_between ? 0.0 : gpis_clock();
    if (run->stopped_between || now - run->asked_at < INTERVAL) return run->stopped_between;
    run->asked_at = now;
    const bool measured = isfinite(gpis_record_known_objective(&run->record));
    run->stopped_between = asks_to_stop(run, run->account.passes, run->problem->n, measured);
    return run->stopped_between;
}

/* Whether there is anybody who might stop the run. */
static bool may_stop(const gpis_run *run) { return run->settings->pass_progress || run->settings->time_limit > 0.0; }

gpis_stop gpis_run_stop(gpis_run *run) {
    return (gpis_stop){.asked = may_stop(run) ? asks_between_steps : NULL, .user = run};
}

/* Reads A. */
static gpis_status make_pass(gpis_run *run, gpis_pass *pass) {
    run->watch.stop = is_to_stop;
    run->watch.user = run;
    if (may_stop(run)) {
        gpis_account_begin_pass(&run->account);
        pass->watch = &run->watch;
    }
    const gpis_status status = gpis_pass_run(run->context, run->problem->A, pass);
    if (status == GPIS_OK) gpis_replay_keep(run, pass);
    return status;
}

static gpis_status carry_out(gpis_run *run, gpis_pass *pass, double gradients) {
    const bool had_ended = run->ended;
    gpis_source_info info;
    bool answered;
    gpis_run_report(run);
    if (run->stop_asked)
        run->outcome = GPIS_INTERRUPTED; /* also where it is solved: this pass would have been its last */
    const bool stops = run->stop_asked || run->stopped_between || (run->ended && !had_ended);
    gpis_status status = stops ? GPIS_STOPPED : gpis_replay_answer(run, pass, &answered);
    if (status == GPIS_OK && !answered) status = make_pass(run, pass);
    if (status == GPIS_STOPPED) gpis_record_recall_objective(&run->record);
    if (status != GPIS_OK) return status;
    gpis_curvature_take_norms(&run->curvature, pass);
    gpis_source_describe(run->problem->A, &info);
    gpis_account_enter_pass(&run->account, gradients, (double)info.bytes);
    return GPIS_OK;
}

/* ||Y||_F^2, which is the objective at zero; NaN: the pass has no summary. */
static double response_norm2(const gpis_run *run, const gpis_pass *pass) {
    const int64_t d = run->problem->d, size = d + pass->k;
    double sum = pass->summary ? 0.0 : NAN;
    for (int64_t i = d; pass->summary && i < size; i++) sum += pass->summary[i * (size + 1)];
    return sum;
}

gpis_status gpis_run_pass(gpis_run *run, const gpis_pass *pass, double gradients) {
    gpis_pass whole = *pass;
    whole.terms = run->problem->terms;
    whole.norms2 = gpis_curvature_norms_place(&run->curvature, pass);
    gpis_range_board(run, &whole);
    const gpis_status status = carry_out(run, &whole, gradients);
    return status == GPIS_OK ? gpis_range_take(run, &whole, response_norm2(run, &whole)) : status;
}

gpis_status gpis_run_measure(gpis_run *run, const gpis_pass *pass, double gradients, gpis_point *point) {
    gpis_pass whole = *pass;
    double objective;
    whole.terms = run->problem->terms;
    whole.objective = &objective;
    whole.norms2 = gpis_curvature_norms_place(&run->curvature, pass);
    gpis_range_board(run, &whole);
    gpis_status status = carry_out(run, &whole, gradients);
    if (status == GPIS_OK) status = gpis_range_take(run, &whole, objective);
    if (status != GPIS_OK) return status;
    *point = gpis_pass_point(run->problem->A, &whole, run->curvature.norms2);
    if (gpis_problem_is_wide(run->problem) && (!pass->X || !(gpis_max_abs(pass->X, run->problem->size) > 0.0)))
        gpis_record_set_response(&run->record, sqrt(objective)); /* f(0) = ||y||^2 */
    return GPIS_OK;
}

gpis_status gpis_run_gradient(gpis_run *run, const double *x, double *g, gpis_point *point) {
    const gpis_pass pass = {.k = run->problem->k, .Y = run->problem->Y, .X = x, .extended = run->extended, .G = g};
    return gpis_run_measure(run, &pass, 1.0, point);
}
