/* gpis_cv_make: the path on all rows, and on those of all folds but one, which it predicts. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "api/wide.h"
#include "base/random.h"
#include "linalg/blas.h"

/* A gpis_cv with everything that gpis_cv_destroy frees. */
typedef struct made_cv {
    gpis_cv seen;          /* first: a gpis_cv * is a pointer to the whole */
    gpis_context *context; /* borrowed */
    gpis_path *path;       /* owned */
    gpis_result *fit;      /* owned */
    double *errors, *mean, *standard_error;
} made_cv;

void gpis_cv_destroy(gpis_cv *cv) {
    made_cv *made = (made_cv *)cv;
    if (!made) return;
    gpis_path_destroy(made->path);
    gpis_result_destroy(made->fit);
    gpis_free(made->context, made->errors);
    gpis_free(made->context, made->mean);
    gpis_free(made->context, made->standard_error);
    gpis_free(made->context, made);
}

/* ---- one fold ---- */

/* The mean squared error of x, d (+ 1) x k, on the rows of a fold. `work` has 4 (d + 1) k numbers. */
static double error_of(const gpis_path_call *c, const gpis_quadratic *fold, const double *x, double *work) {
    const int64_t d = c->data->d, k = c->data->k, size = (d + 1) * k;
    double *all = work, *g = work + size, *scratch = work + 2 * size, *norms2 = work + 3 * size;
    memcpy(all, x, (size_t)((d + c->base.intercept) * k) * sizeof *all);
    if (!c->base.intercept) memset(all + d * k, 0, (size_t)k * sizeof *all);
    const double N = gpis_quadratic_entry(fold, d, d).high;
    return gpis_quadratic_measure(fold, all, g, scratch, norms2).objective / ((double)k * N);
}

/* The result of a path on the rows outside of a fold. */
typedef struct outcome {
    double *errors;  /* of each point: its mean squared error on the fold */
    int64_t stalled; /* points that are not proven */
    gpis_status status;
} outcome;

static gpis_status validate(const gpis_path_call *c, int64_t fold, outcome *o) {
    gpis_path_part part = {0};
    const int64_t size = (c->data->d + c->base.intercept) * c->data->k;
    int64_t exact;
    gpis_status status = gpis_path_part_begin(&part, c, fold);
    double *X = gpis_alloc(c->context, c->count * size, sizeof *X);
    double *work = gpis_alloc_zero(c->context, 4 * (c->data->d + 1) * c->data->k, sizeof *work);
    gpis_fit_value *points = gpis_alloc(c->context, c->count, sizeof *points);
    if (status == GPIS_OK && !(X && points && work)) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_path_part_run(&part, X, points, &exact);
    for (int64_t i = 0; status == GPIS_OK && i < c->count; i++) {
        o->errors[i] = error_of(c, c->data->fold[fold], X + i * size, work);
        o->stalled += !points[i].solved;
    }
    if (status == GPIS_OK) atomic_fetch_add((atomic_llong *)&c->folds_done, 1);
    gpis_free(c->context, X);
    gpis_free(c->context, work);
    gpis_free(c->context, points);
    gpis_path_part_end(&part);
    return status;
}

/* ---- all of them ---- */

static int64_t folds_of(const gpis_path_call *c) { return c->data ? c->data->folds : gpis_path_folds(c); }

/* The path on all rows, and the folds, side by side: task 0 is the path, unless it is there already. */
typedef struct tasks {
    gpis_path_call *c;
    gpis_wide *wide; /* the rows, where there is no summary of them */
    gpis_path_part *all;
    double *X;
    gpis_fit_value *points;
    int64_t exact;
    outcome *folds; /* folds_of(c) */
    gpis_status status;
} tasks;

/* A set of the caller's has scratch memory of its own, which two threads cannot use at once. With an allocator of the
 * caller's (without free_memory), which one thread may call at a time, threads would mostly wait for each other. */
static int threads_for(const gpis_path_call *c) {
    return c->base.set || !c->context->free_memory ? 1 : c->context->threads;
}

static gpis_status run_all(tasks *t, bool path) {
    const int64_t folds = t->c->data->folds;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_for(t->c))
    for (int64_t i = path ? 0 : 1; i <= folds; i++) {
        if (i == 0)
            t->status = gpis_path_part_run(t->all, t->X, t->points, &t->exact);
        else
            t->folds[i - 1].status = validate(t->c, i - 1, &t->folds[i - 1]);
    }
    gpis_status status = t->status;
    for (int64_t f = 0; status == GPIS_OK && f < folds; f++) status = t->folds[f].status;
    return status;
}

/* The same without a summary. */
static gpis_status run_wide(tasks *t, bool path) {
    gpis_context *context = t->c->context;
    const int64_t folds = folds_of(t->c);
    double **errors = gpis_alloc(context, folds, sizeof *errors);
    int64_t *stalled = gpis_alloc_zero(context, folds, sizeof *stalled);
    gpis_wide_results results = {.X = path ? t->X : NULL, .points = t->points, .errors = errors, .stalled = stalled};
    for (int64_t f = 0; errors && f < folds; f++) errors[f] = t->folds[f].errors;
    const gpis_status status = errors && stalled ? gpis_wide_run(t->wide, &results) : GPIS_NO_MEMORY;
    for (int64_t f = 0; status == GPIS_OK && f < folds; f++) t->folds[f].stalled = stalled[f];
    if (path) t->exact = results.exact;
    gpis_free(context, errors);
    gpis_free(context, stalled);
    return status;
}

/* ---- the choice ---- */

static double mean_of(const double *errors, int64_t folds) {
    double sum = 0.0;
    for (int64_t f = 0; f < folds; f++) sum += errors[f];
    return sum / (double)folds;
}

static double standard_error_of(const double *errors, int64_t folds) {
    const double mean = mean_of(errors, folds);
    double squares = 0.0;
    for (int64_t f = 0; f < folds; f++) squares += (errors[f] - mean) * (errors[f] - mean);
    return sqrt(squares / (double)(folds - 1) / (double)folds);
}

/* Where the folds are drawn several times, the standard error is the mean of those of the drawings: the rows are the
 * same each time, so that more drawings do not make them say more about other rows. */
static void judge(const gpis_path_call *c, made_cv *made) {
    const int64_t folds = made->seen.folds, drawn = folds_of(c), repeats = folds / drawn;
    int64_t best = 0, simplest;
    for (int64_t i = 0; i < c->count; i++) {
        const double *errors = made->errors + i * folds;
        double sum = 0.0;
        for (int64_t r = 0; r < repeats; r++) sum += standard_error_of(errors + r * drawn, drawn);
        made->mean[i] = mean_of(errors, folds);
        made->standard_error[i] = sum / (double)repeats;
        if (made->mean[i] < made->mean[best]) best = i;
    }
    for (simplest = 0; made->mean[simplest] > made->mean[best] + made->standard_error[best];) simplest++;
    made->seen.best = best;
    made->seen.one_se = simplest;
}

static gpis_status allocate(const gpis_path_call *c, made_cv *made) {
    made->errors = gpis_alloc_zero(c->context, c->count * made->seen.folds, sizeof *made->errors);
    made->mean = gpis_alloc(c->context, c->count, sizeof *made->mean);
    made->standard_error = gpis_alloc(c->context, c->count, sizeof *made->standard_error);
    made->seen.errors = made->errors;
    made->seen.mean = made->mean;
    made->seen.standard_error = made->standard_error;
    return made->errors && made->mean && made->standard_error ? GPIS_OK : GPIS_NO_MEMORY;
}

/* One drawing of the folds. */
static gpis_status make_repeat(tasks *t, int64_t repeat, made_cv *made) {
    gpis_path_call *c = t->c;
    const int64_t folds = folds_of(c), all = made->seen.folds;
    double *errors = gpis_alloc_zero(c->context, folds * c->count, sizeof *errors);
    t->folds = gpis_alloc_zero(c->context, folds, sizeof *t->folds);
    gpis_status status = errors && t->folds ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t f = 0; status == GPIS_OK && f < folds; f++) t->folds[f].errors = errors + f * c->count;
    if (status == GPIS_OK) status = c->data ? run_all(t, repeat == 0) : run_wide(t, repeat == 0);
    for (int64_t f = 0; status == GPIS_OK && f < folds; f++) {
        made->seen.stalled += t->folds[f].stalled;
        for (int64_t i = 0; i < c->count; i++) made->errors[i * all + repeat * folds + f] = t->folds[f].errors[i];
    }
    gpis_free(c->context, errors);
    gpis_free(c->context, t->folds);
    return status;
}

/* The answer of the best point with everything that a result has. */
static gpis_status fit_best(gpis_path_part *all, double *X, made_cv *made) {
    const int64_t size = (all->problem.A->d + all->problem.intercept) * all->problem.k, best = made->seen.best;
    gpis_fit_value value;
    gpis_status status = gpis_path_solve(all, all->call->values[best], false, X + best * size, &value, &made->fit);
    if (status == GPIS_OK && !value.solved && !all->call->given->summary) {
        gpis_result_destroy(made->fit);
        made->fit = NULL;
        status = gpis_path_solve(all, all->call->values[best], true, X + best * size, &value, &made->fit);
    }
    made->seen.fit = made->fit;
    return status;
}

/* Draws the folds again. The rows without a summary are swept again; the path on all of them is there. */
static gpis_status redraw(tasks *t, gpis_wide *again, uint64_t seed) {
    if (t->c->data) return gpis_path_call_redraw(t->c, seed);
    gpis_wide_end(again);
    t->wide = again;
    return gpis_wide_begin(again, t->c, true, seed);
}

static gpis_status run(gpis_path_call *c, gpis_path_part *all, gpis_wide *wide, made_cv *made) {
    const int64_t size = (all->problem.A->d + all->problem.intercept) * all->problem.k;
    tasks t = {.c = c, .wide = wide, .all = all};
    gpis_wide again = {0};
    t.X = gpis_alloc(c->context, c->count * size, sizeof *t.X);
    t.points = gpis_alloc(c->context, c->count, sizeof *t.points);
    made->seen.folds = folds_of(c) * c->options.repeats;
    gpis_status status = t.X && t.points ? allocate(c, made) : GPIS_NO_MEMORY;
    for (int64_t r = 0; status == GPIS_OK && r < c->options.repeats; r++) {
        if (r > 0) status = redraw(&t, &again, c->call.settings.seed + (uint64_t)r);
        if (status == GPIS_OK) status = make_repeat(&t, r, made);
    }
    gpis_wide_end(&again);
    if (status == GPIS_OK) judge(c, made);
    if (status == GPIS_OK) status = gpis_path_made(c, all, t.X, t.points, t.exact, &made->path);
    if (status == GPIS_OK) status = fit_best(all, t.X, made);
    gpis_free(c->context, t.X);
    gpis_free(c->context, t.points);
    return status;
}

gpis_status gpis_cv_make(const gpis_problem *problem, const gpis_path_options *options, const gpis_settings *settings,
                         gpis_cv **out) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    gpis_context *context = problem->context;
    if (!out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the result");
    *out = NULL;
    gpis_path_call c;
    gpis_path_part part = {0}, *all = &part;
    gpis_wide wide = {0};
    int outside = omp_get_max_threads();
    made_cv *made = gpis_alloc_zero(context, 1, sizeof *made);
    gpis_status status = gpis_path_call_begin(&c, problem, options, settings, true);
    if (!made) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_blas_enter(context, context->threads, &outside);
    if (made) made->context = context;
    if (status == GPIS_OK && c.data) status = gpis_path_part_begin(&part, &c, -1);
    if (status == GPIS_OK && !c.data) {
        status = gpis_wide_begin(&wide, &c, true, c.call.settings.seed);
        all = status == GPIS_OK ? &wide.part[0].part : NULL;
    }
    if (status == GPIS_OK) status = gpis_path_grid(&c, all);
    if (status == GPIS_OK) status = run(&c, all, &wide, made);
    if (status == GPIS_OK) made->seen.path = made->path;
    gpis_path_part_end(&part);
    gpis_wide_end(&wide);
    gpis_blas_leave(outside);
    gpis_path_call_end(&c);
    if (status == GPIS_OK)
        *out = &made->seen;
    else
        gpis_cv_destroy(made ? &made->seen : NULL);
    return status;
}
