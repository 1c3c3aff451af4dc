/* The account, the best point, the lower bound, and the rules that end a run. */
#include "method/run.h"

#include <math.h>
#include <string.h>

gpis_status gpis_run_start(gpis_run *run, gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                           gpis_set *set, const gpis_settings *settings) {
    *run = (gpis_run){.context = context,
                      .A = A,
                      .Y = Y,
                      .n = A->n,
                      .d = A->d,
                      .k = k,
                      .size = A->d * k,
                      .set = set,
                      .settings = settings,
                      .started = gpis_clock(),
                      .objective = INFINITY,
                      .previous_gap = NAN};
    run->best = gpis_alloc_zero(context, run->size, sizeof(double));
    run->norms2 = gpis_alloc_zero(context, run->d, sizeof(double));
    return run->best && run->norms2 ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_run_clear(gpis_run *run) {
    gpis_inner_destroy(run->inner);
    gpis_model_destroy(run->model);
    gpis_free(run->context, run->best);
    gpis_free(run->context, run->norms2);
    *run = (gpis_run){.context = run->context};
}

gpis_status gpis_run_pass(gpis_run *run, const gpis_pass *pass, double gradients) {
    gpis_source_info info;
    gpis_source_describe(run->A, &info);
    run->passes++;
    run->epochs += gradients;
    run->bytes_read += (double)info.bytes;
    gpis_pass with_norms = *pass;
    if (!run->norms_known) with_norms.norms2 = run->norms2;
    run->norms_known = true;
    return gpis_pass_run(run->context, run->A, &with_norms);
}

gpis_status gpis_run_gradient(gpis_run *run, const double *x, double *objective, double *g) {
    const gpis_pass pass = {
        .k = run->k, .Y = run->Y, .X = x, .extended = run->extended, .objective = objective, .G = g};
    return gpis_run_pass(run, &pass, 1.0);
}

double gpis_run_model_cost(const gpis_run *run) {
    /* n d^2 against 4 n d flops; BLAS runs near the arithmetic peak, a gradient at the speed of memory, about 10 less
     */
    const double dense = (double)run->d / 40.0;
    const double entries = (double)run->A->nonzeros / (double)run->n;
    return 1.0 + (run->A->block_kind == GPIS_BLOCK_CSR ? entries / 4.0 : dense);
}

gpis_status gpis_run_make_model(gpis_run *run) {
    double *H = gpis_alloc(run->context, run->d * run->d, sizeof *H);
    if (!H) return GPIS_NO_MEMORY;
    const gpis_pass pass = {.k = run->k, .gram = H};
    gpis_status status = gpis_run_pass(run, &pass, (double)run->d / 4.0);
    if (status != GPIS_OK) {
        gpis_free(run->context, H);
        return status;
    }
    status = gpis_model_create(run->context, run->d, H, gpis_pass_roundings(run->A, run->k, false).gram, &run->model);
    if (status != GPIS_OK) return status;
    return gpis_inner_create(run->context, run->set, run->model, NULL, &run->inner);
}

static gpis_point point_at(const gpis_run *run, const double *x, const double *g, double objective) {
    const gpis_roundings roundings = gpis_pass_roundings(run->A, run->k, run->extended);
    return (gpis_point){.x = x,
                        .g = g,
                        .objective = objective,
                        .norms2 = run->norms2,
                        .objective_roundings = roundings.objective,
                        .gradient_roundings = roundings.gradient,
                        .extended = run->extended};
}

void gpis_run_offer(gpis_run *run, const double *x, double objective) {
    if (objective < run->objective) gpis_run_replace(run, x, objective);
}

void gpis_run_replace(gpis_run *run, const double *x, double objective) {
    memcpy(run->best, x, (size_t)run->size * sizeof(double));
    run->objective = objective;
    const gpis_point point = point_at(run, x, NULL, objective);
    run->noise = gpis_certificate_noise(run->set, &point);
}

gpis_status gpis_run_first_order(gpis_run *run, const double *x, const double *g, double objective) {
    const gpis_point point = point_at(run, x, g, objective);
    double gap;
    const gpis_status status = gpis_certificate_first(run->context, run->set, &point, &gap);
    if (status == GPIS_OK) run->lower = fmax(run->lower, objective - gap);
    return status;
}

/* How far the inner problem is: its bound and its fall, in units of f. */
typedef struct inner_state {
    double gap, fallen;
} inner_state;

/*
 * The inner problem is solved when the bound on the model's fall and the fall at s meet. For a bound alone, a third of
 * it left is near enough; for a step, what is left is the error of the next point: a fifth of the tolerance. It also
 * ends when half as much work again moves neither (rounding errors, or no bound at all).
 */
static bool inner_is_solved(const gpis_run *run, inner_state now, inner_state before, bool for_step) {
    if (gpis_run_solved(run)) return true;
    if (!isfinite(now.gap)) return now.fallen - before.fallen <= 1e-6 * now.fallen + run->noise;
    const double left = now.gap - now.fallen;
    const double enough = for_step ? 0.2 * run->settings->tol * run->objective : 0.3 * now.gap;
    if (left <= enough + 2.0 * run->noise) return true;
    return now.gap >= 0.999 * before.gap && now.fallen - before.fallen <= 1e-3 * left;
}

gpis_status gpis_run_second_order(gpis_run *run, const double *x, const double *g, double objective, bool for_step) {
    enum { FIRST_BURST = 50 };
    const gpis_point point = point_at(run, x, g, objective);
    const int64_t most = 5000 + 50 * (run->n / run->d); /* about as much arithmetic as 50 passes */
    const int64_t before = run->inner->iterations;
    inner_state now = {INFINITY, 0.0}, last;
    bool done = false;
    gpis_inner_begin(run->inner, x, g);
    for (int64_t burst = FIRST_BURST, total = 0; !done && total < most; total += burst, burst += burst / 2) {
        gpis_status status = gpis_inner_run(run->inner, burst, &done);
        if (status != GPIS_OK) return status;
        last = now;
        now.fallen = 2.0 * gpis_inner_fall(run->inner);
        status = gpis_certificate_second(run->context, run->set, &point, run->model, run->inner->s, &now.gap);
        if (status != GPIS_OK) return status;
        run->lower = fmax(run->lower, objective - now.gap);
        if (inner_is_solved(run, now, last, for_step)) break;
    }
    run->inner_iterations = run->inner->iterations - before;
    return GPIS_OK;
}

/*
 * When to pay for the second-order bound. The first-order gap shrinks like the square root of the true error, so the
 * true error is guessed by its square (relative to f); for an unbounded set, which has no first-order bound, as many
 * passes as pay for the Gram matrix are made before it. Then again each time the passes have grown by a quarter.
 */
static bool proof_is_due(const gpis_run *run) {
    enum { MOST_COLUMNS = 4000 };
    if (run->settings->certificate == GPIS_CERTIFICATE_NONE || run->d > MOST_COLUMNS) return false;
    if (run->passes < run->proof_due) return false;
    if (!gpis_set_is_bounded(run->set)) return run->model || (double)run->passes > gpis_run_model_cost(run);
    const double first = gpis_run_gap(run) / run->objective;
    return first * first <= 1e3 * run->settings->tol;
}

gpis_status gpis_run_prove(gpis_run *run, const double *x, const double *g, double objective, bool now) {
    gpis_status status = gpis_run_first_order(run, x, g, objective);
    now = now && run->settings->certificate != GPIS_CERTIFICATE_NONE;
    if (status != GPIS_OK || gpis_run_solved(run) || !(now || proof_is_due(run))) return status;
    if (!run->model && gpis_run_exhausted(run)) return GPIS_OK;
    if (!run->model) status = gpis_run_make_model(run);
    if (status == GPIS_OK) status = gpis_run_second_order(run, x, g, objective, false);
    run->proof_due = run->passes + run->passes / 4 + 1;
    return status;
}

bool gpis_run_idle(const gpis_run *run, double objective, double gap) {
    const double least = fmax(run->noise, 0.1 * run->settings->tol * run->objective);
    return !(gpis_run_gap(run) < 0.9 * gap) && !(run->objective < objective - least);
}

bool gpis_run_extend(gpis_run *run) {
    if (run->extended || run->noise <= 0.1 * run->settings->tol * run->objective) return false;
    run->extended = true;
    run->objective = INFINITY; /* to be measured again */
    return true;
}

double gpis_run_pause(const gpis_run *run) { return gpis_clock() - run->started; }

void gpis_run_resume(gpis_run *run, double paused) { run->started = gpis_clock() - paused; }

double gpis_run_gap(const gpis_run *run) { return fmax(0.0, run->objective - run->lower); }

bool gpis_run_solved(const gpis_run *run) {
    if (run->settings->certificate == GPIS_CERTIFICATE_NONE) return false;
    const double gap = gpis_run_gap(run);
    return gap <= run->settings->tol * run->lower || run->objective <= run->noise;
}

void gpis_run_end(gpis_run *run, gpis_outcome outcome) {
    if (run->ended) return;
    run->ended = true;
    run->outcome = outcome;
}

static bool passes_are_spent(const gpis_run *run) {
    return run->settings->max_passes > 0 && run->passes >= run->settings->max_passes;
}

static bool time_is_up(const gpis_run *run, double seconds) {
    return run->settings->time_limit > 0.0 && seconds >= run->settings->time_limit;
}

bool gpis_run_exhausted(const gpis_run *run) {
    return passes_are_spent(run) || time_is_up(run, gpis_clock() - run->started);
}

void gpis_run_check(gpis_run *run) {
    const gpis_settings *settings = run->settings;
    const double seconds = gpis_clock() - run->started, gap = gpis_run_gap(run);
    if (settings->progress) {
        const gpis_progress progress = {.pass = run->passes,
                                        .seconds = seconds,
                                        .epochs = run->epochs,
                                        .objective = run->objective,
                                        .gap = gap,
                                        .contraction = gap / run->previous_gap,
                                        .m = run->m,
                                        .inner_iterations = run->inner_iterations};
        if (settings->progress(settings->progress_user, &progress)) gpis_run_end(run, GPIS_INTERRUPTED);
    }
    run->previous_gap = gap;
    if (gpis_run_solved(run)) {
        run->ended = true;
        run->outcome = GPIS_SOLVED;
    }
    if (passes_are_spent(run)) gpis_run_end(run, GPIS_MAX_PASSES);
    if (time_is_up(run, seconds)) gpis_run_end(run, GPIS_TIME_LIMIT);
}
