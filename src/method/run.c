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
    return gpis_pass_run(run->context, run->A, pass);
}

gpis_status gpis_run_first(gpis_run *run, const double *x, double *objective, double *g) {
    const gpis_pass pass = {.k = run->k, .Y = run->Y, .X = x, .objective = objective, .G = g, .norms2 = run->norms2};
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
    status = gpis_model_create(run->context, run->d, H, gpis_pass_roundings(run->n, run->d * run->d), &run->model);
    if (status != GPIS_OK) return status;
    return gpis_inner_create(run->context, run->set, run->model, &run->inner);
}

static gpis_point point_at(const gpis_run *run, const double *x, const double *g, double objective) {
    return (gpis_point){.x = x,
                        .g = g,
                        .objective = objective,
                        .norms2 = run->norms2,
                        .roundings = gpis_pass_roundings(run->n, run->size + run->d)}; /* the first pass has norms */
}

void gpis_run_offer(gpis_run *run, const double *x, double objective) {
    if (!(objective < run->objective)) return;
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

gpis_status gpis_run_second_order(gpis_run *run, const double *x, const double *g, double objective) {
    enum { FIRST_BURST = 50, MOST_ITERATIONS = 200000 };
    const gpis_point point = point_at(run, x, g, objective);
    double gap = INFINITY, fallen = 0.0;
    bool done = false;
    gpis_inner_begin(run->inner, x, g);
    for (int64_t burst = FIRST_BURST, total = 0; !done && total < MOST_ITERATIONS; total += burst, burst *= 2) {
        gpis_status status = gpis_inner_run(run->inner, burst, &done);
        if (status != GPIS_OK) return status;
        const double before = gap, fall = -run->inner->descent->value;
        status = gpis_certificate_second(run->context, run->set, &point, run->model, run->inner->s, &gap);
        if (status != GPIS_OK) return status;
        run->lower = fmax(run->lower, objective - gap);
        /* The model's minimum is what it is: once twice the work moves the bound, or where there is none the model's
         * own fall, by little, it is reached. */
        const bool settled = isfinite(gap) ? gap >= 0.98 * before : fall <= 1.0001 * fallen + run->noise;
        if (gpis_run_solved(run) || (total > 0 && settled)) break;
        fallen = fall;
    }
    run->inner_iterations = run->inner->descent->iterations;
    return GPIS_OK;
}

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
