/* The account, the best point, the lower bound, and the rules that end a run. */
#include "method/run.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

gpis_status gpis_run_start(gpis_run *run, const gpis_problem *problem, const gpis_settings *settings) {
    gpis_context *context = problem->context;
    const double known =
        problem->set->has_support ? 0.0 : -INFINITY; /* f >= 0 is the first bound, where there are any */
    *run = (gpis_run){.context = context,
                      .problem = problem,
                      .settings = settings,
                      .kind = gpis_run_kind(settings),
                      .started = gpis_clock(),
                      .processor_started = gpis_processor_clock(),
                      .used = atomic_load(&context->used),
                      .objective = INFINITY,
                      .measured = INFINITY,
                      .previous_gap = NAN,
                      .lower = known,
                      .likely = known,
                      .nearby = known};
    run->best = gpis_alloc_zero(context, problem->size, sizeof(double));
    run->norms2 = gpis_alloc_zero(context, problem->d, sizeof(double));
    return run->best && run->norms2 ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_run_clear(gpis_run *run) {
    gpis_replay_close(run);
    gpis_inner_destroy(run->inner);
    gpis_model_destroy(run->model);
    gpis_free(run->context, run->best);
    gpis_free(run->context, run->norms2);
    gpis_free(run->context, run->null);
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

static bool time_is_up(const gpis_run *run) {
    return run->settings->time_limit > 0.0 && gpis_run_seconds(run) >= run->settings->time_limit;
}

/* Rows of A that are done, if `rows` of the `here` rows of this rank are. */
static int64_t scaled_up(int64_t rows, int64_t here, int64_t all) {
    return here == all ? rows : (int64_t)((double)rows / (double)gpis_max64(1, here) * (double)all);
}

/* Asked within a pass. Time that is not charged does not run out. */
static bool is_to_stop(void *user, int64_t rows) {
    gpis_run *run = user;
    const gpis_settings *settings = run->settings;
    const gpis_pass_progress progress = {.pass = run->passes + 1,
                                         .done =
                                             scaled_up(rows, gpis_source_rows_here(run->problem->A), run->problem->n),
                                         .rows = run->problem->n,
                                         .pass_seconds = gpis_clock() - run->pass_started,
                                         .seconds = gpis_run_seconds(run)};
    if (settings->pass_progress && settings->pass_progress(settings->progress_user, &progress))
        gpis_run_end(run, GPIS_INTERRUPTED);
    else if (!run->paused && time_is_up(run))
        gpis_run_end(run, GPIS_TIME_LIMIT);
    else
        return false;
    return true;
}

/* A pass over A. */
static gpis_status make_pass(gpis_run *run, gpis_pass *pass) {
    const gpis_settings *settings = run->settings;
    run->watch.stop = is_to_stop;
    run->watch.user = run;
    run->pass_started = gpis_clock();
    if (settings->pass_progress || settings->time_limit > 0.0) pass->watch = &run->watch;
    const gpis_status status = gpis_pass_run(run->context, run->problem->A, pass);
    if (status == GPIS_OK) gpis_replay_keep(run, pass);
    return status;
}

/* The first pass that evaluates a point finds the norms of the columns too. A sketch alone does not walk the chunks,
 * and would read A twice; a Gram matrix has the norms on its diagonal. */
static gpis_pass with_norms(const gpis_run *run, const gpis_pass *pass) {
    gpis_pass whole = *pass;
    if (!run->norms_known && pass->X && !(pass->gram && !pass->columns)) whole.norms2 = run->norms2;
    return whole;
}

static gpis_status carry_out(gpis_run *run, gpis_pass *pass, double gradients) {
    const bool all_of_gram = pass->gram && !pass->columns;
    gpis_source_info info;
    bool answered;
    const bool had_ended = run->ended;
    gpis_run_report(run);
    gpis_status status = run->ended && !had_ended ? GPIS_STOPPED : gpis_replay_answer(run, pass, &answered);
    if (status == GPIS_OK && !answered) status = make_pass(run, pass);
    /* A pass that was stopped leaves the best point with the objective that was known before. */
    if (status == GPIS_STOPPED && !isfinite(run->objective)) run->objective = run->measured;
    if (status != GPIS_OK) return status;
    gpis_source_describe(run->problem->A, &info);
    if (!run->norms_known && all_of_gram)
        cblas_dcopy((int)run->problem->d, pass->gram, (int)run->problem->d + 1, run->norms2, 1);
    run->norms_known = run->norms_known || pass->X || all_of_gram;
    run->passes++;
    run->epochs += gradients;
    run->bytes_read += (double)info.bytes;
    return GPIS_OK;
}

gpis_status gpis_run_pass(gpis_run *run, const gpis_pass *pass, double gradients) {
    gpis_pass whole = with_norms(run, pass);
    return carry_out(run, &whole, gradients);
}

gpis_status gpis_run_measure(gpis_run *run, const gpis_pass *pass, double gradients, gpis_point *point) {
    gpis_pass whole = with_norms(run, pass);
    double objective;
    whole.objective = &objective;
    const gpis_status status = carry_out(run, &whole, gradients);
    if (status == GPIS_OK) *point = gpis_pass_point(run->problem->A, &whole, run->norms2);
    return status;
}

gpis_status gpis_run_gradient(gpis_run *run, const double *x, double *g, gpis_point *point) {
    const gpis_pass pass = {.k = run->problem->k, .Y = run->problem->Y, .X = x, .extended = run->extended, .G = g};
    return gpis_run_measure(run, &pass, 1.0, point);
}

void gpis_run_offer(gpis_run *run, const gpis_point *point) {
    if (point->objective < run->objective) gpis_run_replace(run, point);
}

void gpis_run_replace(gpis_run *run, const gpis_point *point) {
    memcpy(run->best, point->x, (size_t)run->problem->size * sizeof(double));
    run->objective = run->measured = point->objective;
    run->noise = point->errors.objective;
    run->grain = gpis_certificate_grain(run->problem->set, point);
}

gpis_status gpis_run_first_order(gpis_run *run, const gpis_point *point) {
    double gap;
    const gpis_status status = gpis_certificate_first(run->context, run->problem->set, point, &gap);
    if (status == GPIS_OK) run->lower = fmax(run->lower, point->objective - gap);
    return status;
}

/* How far the inner problem is, in units of f: its bound, its fall, and what is left to fall. */
typedef struct inner_state {
    double gap, fallen, left;
} inner_state;

/*
 * The inner problem is solved when the bound on the model's fall and the fall at s meet. For a bound alone, a third of
 * it left is near enough. For a step, what is left is the error of the next point: a fifth of the tolerance with an
 * exact model; a sketched one is not worth more than a twentieth of its own fall. It also ends when half as much work
 * again moves neither (rounding errors, or no bound at all).
 */
static bool inner_is_solved(const gpis_run *run, inner_state now, inner_state before, bool for_step) {
    if (gpis_run_solved(run)) return true;
    if (!isfinite(now.gap)) return now.fallen - before.fallen <= 1e-6 * now.fallen + run->noise;
    const double left = now.left, tolerance = 0.2 * run->settings->tol * run->objective;
    const double share = !for_step ? 0.3 : run->sketched ? 0.05 : 0.0;
    if (left <= fmax(share * now.gap, tolerance) + 2.0 * run->noise) return true;
    return now.gap >= 0.999 * before.gap && now.fallen - before.fallen <= 1e-3 * left;
}

/* A lower bound on f* from the Gram matrix: for A, or for the data near A that the model's claims are about. */
static void enter_proven_bound(gpis_run *run, double lower) {
    double *best = run->model->nearness > 0.0 ? &run->nearby : &run->lower;
    *best = fmax(*best, lower);
}

/* The bound at s with a sketched model and the c that its probes allow: probable. */
static gpis_status enter_probable_bound(gpis_run *run, const gpis_point *point) {
    double gap;
    if (!(run->model->c > 0.0)) return GPIS_OK;
    const gpis_status status =
        gpis_certificate_second(run->context, run->problem->set, point, run->model, run->inner->dual, &gap);
    if (status == GPIS_OK) run->likely = fmax(run->likely, point->objective - gap);
    return status;
}

static gpis_status solve_inner(gpis_run *run, const gpis_point *point, bool for_step) {
    enum { FIRST_BURST = 50 };
    const int64_t most = 5000 + 50 * (run->problem->n / run->problem->d); /* about as much arithmetic as 50 passes */
    const int64_t before = run->inner->iterations;
    const double c = run->model->c;
    inner_state now = {.gap = INFINITY}, last;
    bool done = false;
    gpis_inner_begin(run->inner, point->x, point->g);
    for (int64_t burst = FIRST_BURST, total = 0; !done && total < most; total += burst, burst += burst / 2) {
        gpis_status status = gpis_inner_run(run->inner, burst, &done);
        if (status != GPIS_OK) return status;
        last = now;
        now.fallen = 2.0 * gpis_inner_fall(run->inner);
        if (run->sketched) run->model->c = 1.0; /* how far the model itself can fall */
        status =
            gpis_certificate_second(run->context, run->problem->set, point, run->model, run->inner->dual, &now.gap);
        run->model->c = c;
        if (status != GPIS_OK) return status;
        /* a bound of the solver's own owes nothing to c and to rounding errors of the pass */
        now.left = fmin(now.gap - now.fallen, 2.0 * (run->inner->value - run->inner->bound));
        if (!run->sketched) enter_proven_bound(run, point->objective - now.gap);
        if (inner_is_solved(run, now, last, for_step)) break;
    }
    run->inner_iterations = run->inner->iterations - before;
    return GPIS_OK;
}

gpis_status gpis_run_inner(gpis_run *run, const gpis_point *point) { return solve_inner(run, point, true); }

gpis_status gpis_run_second_order(gpis_run *run, const gpis_point *point, bool for_step) {
    gpis_status status = gpis_run_reconsider_model(run, point);
    if (status == GPIS_OK) status = solve_inner(run, point, for_step);
    bool nearby = false;
    if (status == GPIS_OK) status = gpis_run_look_nearby(run, point, &nearby);
    if (status == GPIS_OK && nearby) status = solve_inner(run, point, for_step);
    return status == GPIS_OK && run->sketched ? enter_probable_bound(run, point) : status;
}

/*
 * When to pay for the second-order bound. The first-order gap shrinks like the square root of the true error, so the
 * true error is guessed by its square (relative to f); for an unbounded set, which has no first-order bound, as many
 * passes as pay for the Gram matrix are made before it. Then again each time the passes have grown by a quarter.
 */
static bool proof_is_due(const gpis_run *run) {
    enum { MOST_COLUMNS = 4000 };
    if (run->settings->certificate == GPIS_CERTIFICATE_NONE || run->problem->d > MOST_COLUMNS) return false;
    if (run->passes < run->proof_due) return false;
    if (!gpis_set_is_bounded(run->problem->set)) return run->model || (double)run->passes > gpis_run_model_cost(run);
    const double first = gpis_run_gap(run) / run->objective;
    return first * first <= 1e3 * run->settings->tol;
}

gpis_status gpis_run_prove(gpis_run *run, const gpis_point *point, bool now) {
    gpis_status status = gpis_run_first_order(run, point);
    now = now && run->settings->certificate != GPIS_CERTIFICATE_NONE;
    if (status != GPIS_OK || gpis_run_solved(run) || !(now || proof_is_due(run))) return status;
    const bool needed = !run->model || run->sketched;
    if (!run->model && gpis_run_exhausted(run)) return GPIS_OK;
    if (needed && !gpis_run_model_fits(run)) return GPIS_OK;
    if (needed) status = gpis_run_make_model(run, NULL, NULL, NULL);
    if (status == GPIS_OK) status = gpis_run_second_order(run, point, false);
    run->proof_due = run->passes + run->passes / 4 + 1;
    return status;
}

bool gpis_run_idle(gpis_run *run, double objective, double gap) {
    const double least = fmax(run->noise, 0.1 * run->settings->tol * run->objective);
    run->idle = !(gpis_run_gap(run) < 0.9 * gap) && !(run->objective < objective - least);
    return run->idle;
}

/* Either what is not noise is small enough, or there is nothing but noise to go by. */
bool gpis_run_noise_is_in_the_way(const gpis_run *run) {
    const double tolerance = run->settings->tol * run->objective;
    if (run->extended || gpis_run_exhausted(run) || gpis_run_solved(run) || run->noise <= 0.1 * tolerance) return false;
    const bool near = gpis_run_gap(run) <= 4.0 * (tolerance + run->noise);
    const bool blind = gpis_run_lower(run) <= 0.0 && run->idle;
    return near || blind;
}

void gpis_run_extend(gpis_run *run) {
    run->extended = true;
    run->objective = INFINITY;
}

double gpis_run_seconds(const gpis_run *run) { return gpis_clock() - run->started; }

static double processor_seconds(const gpis_run *run) { return gpis_processor_clock() - run->processor_started; }

double gpis_run_pause(gpis_run *run) {
    run->paused = true;
    run->processor_paused = processor_seconds(run);
    return gpis_run_seconds(run);
}

void gpis_run_resume(gpis_run *run, double paused) {
    if (run->paused) run->processor_started = gpis_processor_clock() - run->processor_paused;
    run->paused = false;
    run->started = gpis_clock() - paused;
}

/* Whoever says most for A itself comes first. */
gpis_bound gpis_run_bound(const gpis_run *run) {
    const bool any = run->settings->certificate != GPIS_CERTIFICATE_PROVEN;
    const gpis_bound bounds[] = {{.lower = run->lower},
                                 {.lower = any ? run->likely : run->lower, .probable = any},
                                 {.lower = run->nearby, .backward_error = run->nearness}};
    int best = 0;
    for (int i = 0; i < 3; i++) {
        if (run->objective - bounds[i].lower <= run->settings->tol * bounds[i].lower) return bounds[i];
        if (bounds[i].lower > bounds[best].lower) best = i;
    }
    return bounds[best];
}

double gpis_run_lower(const gpis_run *run) { return gpis_run_bound(run).lower; }

double gpis_run_gap(const gpis_run *run) { return fmax(0.0, run->objective - gpis_run_lower(run)); }

bool gpis_run_solved(const gpis_run *run) {
    if (run->settings->certificate == GPIS_CERTIFICATE_NONE) return false;
    const double gap = gpis_run_gap(run);
    return gap <= run->settings->tol * gpis_run_lower(run) || run->objective <= fmax(run->noise, run->grain);
}

void gpis_run_end(gpis_run *run, gpis_outcome outcome) {
    if (run->ended) return;
    run->ended = true;
    run->outcome = outcome;
}

static bool passes_are_spent(const gpis_run *run) {
    return run->settings->max_passes > 0 && run->passes >= run->settings->max_passes;
}

bool gpis_run_exhausted(const gpis_run *run) { return passes_are_spent(run) || time_is_up(run); }

void gpis_run_report(gpis_run *run) {
    const gpis_settings *settings = run->settings;
    if (run->reported == run->passes) return;
    const double objective = isfinite(run->objective) ? run->objective : run->measured;
    const double gap = fmax(0.0, objective - gpis_run_lower(run));
    run->reported = run->passes;
    if (settings->progress) {
        const gpis_progress progress = {.pass = run->passes,
                                        .seconds = gpis_run_seconds(run),
                                        .epochs = run->epochs,
                                        .objective = objective,
                                        .gap = gap,
                                        .contraction = gap / run->previous_gap,
                                        .m = run->m,
                                        .inner_iterations = run->inner_iterations,
                                        .step = run->steps > 0 ? run->step_sum / (double)run->steps : 0.0,
                                        .processor_seconds = processor_seconds(run)};
        if (settings->progress(settings->progress_user, &progress)) gpis_run_end(run, GPIS_INTERRUPTED);
    }
    run->previous_gap = gap;
    run->step_sum = 0.0;
    run->steps = 0;
}

void gpis_run_check(gpis_run *run) {
    gpis_run_report(run);
    if (gpis_run_solved(run)) {
        run->ended = true;
        run->outcome = GPIS_SOLVED;
    }
    if (passes_are_spent(run)) gpis_run_end(run, GPIS_MAX_PASSES);
    if (time_is_up(run)) gpis_run_end(run, GPIS_TIME_LIMIT);
}
