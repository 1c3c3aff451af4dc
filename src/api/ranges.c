/* gpis_ranges_make: how far the coefficients of an answer can go. */
#include "path/ranges.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "api/complete.h"
#include "api/result.h"
#include "base/options.h"
#include "linalg/blas.h"
#include "ranks/ranks.h"
#include "set/extend.h"
#include "summary/summary.h"

/* A gpis_ranges with everything that gpis_ranges_destroy frees. */
typedef struct made_ranges {
    gpis_ranges seen;      /* first: a gpis_ranges * is a pointer to the whole */
    gpis_context *context; /* borrowed */
    gpis_range_ends *ends; /* owned: with those of the intercept behind them */
} made_ranges;

void gpis_ranges_destroy(gpis_ranges *ranges) {
    made_ranges *made = (made_ranges *)ranges;
    if (!made) return;
    gpis_free(made->context, made->ends);
    gpis_free(made->context, made);
}

/* A call of gpis_ranges_make: all that is freed at its end. */
typedef struct task {
    gpis_context *context;
    gpis_settings settings;
    gpis_stop stop;        /* what the search asks: the caller's function, about ten times a second */
    double begun;          /* the clock when the call began, */
    double asked_at;       /* and when that was asked last */
    bool stopped;          /* the answer was yes */
    gpis_summary *summary; /* owned: of the rows; NULL: the problem is one of a summary */
    gpis_problem base;     /* the problem without its rows */
    gpis_completion complete;
    gpis_fit *fit; /* owned */
    double *x;     /* owned: the answer with its intercept */
} task;

static void end(task *t) {
    gpis_fit_destroy(t->fit);
    gpis_complete_end(&t->complete);
    gpis_summary_destroy(t->summary);
    gpis_free(t->context, t->x);
}

/* z^2 for which a normal variable is within z with this probability: erf(z / sqrt 2) = p, by bisection. */
static double chi_square_of(double p) {
    double low = 0.0, high = 40.0;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        if (1.0 - erfc(middle / sqrt(2.0)) < p)
            low = middle;
        else
            high = middle;
    }
    return high * high;
}

static gpis_status take_rows(task *t, const gpis_problem *given) {
    const gpis_summary *data = given->made_of;
    gpis_summary_options options = gpis_summary_options_default();
    options.pass_progress = t->settings.pass_progress;
    options.progress_user = t->settings.progress_user;
    gpis_status status = data ? GPIS_OK : gpis_summary_make(given, &options, &t->summary);
    if (status != GPIS_OK) return status;
    t->base = gpis_summary_instead_of_rows(given, data ? data : t->summary);
    status = gpis_complete_begin(&t->base, &t->complete);
    if (status == GPIS_OK) status = gpis_complete_together(&t->complete);
    return status == GPIS_OK ? gpis_complete_set(&t->complete) : status;
}

static gpis_status take_x(task *t, const gpis_result *r) {
    const gpis_problem *p = &t->complete.problem;
    t->x = gpis_alloc(t->context, p->size, sizeof *t->x);
    if (!t->x) return GPIS_NO_MEMORY;
    memcpy(t->x, r->x, (size_t)(r->d * r->k) * sizeof *t->x);
    if (p->intercept) memcpy(t->x + r->d * r->k, r->intercept, (size_t)r->k * sizeof *t->x);
    return GPIS_OK;
}

/* The level of the objective: above its best value by eps of it, or by sigma^2 chi^2. The best value is at most that of
 * x, and at least what the certificates of the result and of the fit leave. */
static gpis_range_level level_of(const gpis_fit_value *x, const gpis_result *r, double eps, double confidence) {
    const double proven = fmax(r->objective - r->gap, x->objective - x->gap), most = x->objective + x->noise;
    const double lower = fmax(0.0, fmin(x->objective, proven) - x->noise);
    const double more = confidence > 0.0 ? r->sigma2 * chi_square_of(confidence) : eps * most,
                 less = confidence > 0.0 ? more : eps * lower;
    return (gpis_range_level){(most + more) * (1.0 + 0x1p-40), lower + less};
}

/* The search begins at x, whose own objective has to be within the level. Where the gap of the result is larger than
 * that, x is improved first. */
static gpis_status find_level(task *t, const gpis_fit_set *set, const gpis_result *r, double eps, double confidence,
                              gpis_range_level *level) {
    gpis_fit_value value;
    gpis_status status = gpis_fit_measure(t->fit, set, t->x, &value);
    if (status != GPIS_OK) return status;
    *level = level_of(&value, r, eps, confidence);
    if (value.objective + value.noise <= level->inner) return GPIS_OK;
    status = gpis_fit_solve(t->fit, set, t->x, &value);
    if (status == GPIS_OK) *level = level_of(&value, r, eps, confidence);
    return status;
}

static gpis_status check(const gpis_problem *p, const gpis_result *r, double eps, double confidence) {
    if (!r || r->d != p->A->d || r->k != p->k || (p->intercept != (r->intercept != NULL)))
        return gpis_fail(p->context, GPIS_BAD_SHAPE, "ranges need the result of this very problem");
    if (confidence == 0.0 && !(eps > 0.0 && isfinite(eps)))
        return gpis_fail(p->context, GPIS_BAD_ARGUMENT, "ranges need an eps above 0, not %g", eps);
    if (!(confidence >= 0.0 && confidence < 1.0))
        return gpis_fail(p->context, GPIS_BAD_ARGUMENT, "a confidence is between 0 and 1, not %g", confidence);
    if (confidence > 0.0 && !(r->sigma2 >= 0.0))
        return gpis_fail(p->context, GPIS_NOT_APPLICABLE,
                         "there is no sigma^2: no more rows than degrees of freedom; ask for ranges by eps");
    return GPIS_OK;
}

static bool asks_caller(void *user) {
    static const double INTERVAL = 0.1; /* seconds */
    task *t = user;
    const double now = gpis_clock();
    const int64_t rows = t->complete.problem.n;
    if (t->stopped || now - t->asked_at < INTERVAL) return t->stopped;
    t->asked_at = now;
    const gpis_pass_progress progress = {.pass = 1, .done = rows, .rows = rows, .seconds = now - t->begun};
    t->stopped = t->settings.pass_progress(t->settings.progress_user, &progress) != 0;
    return t->stopped;
}

static gpis_status find(task *t, const gpis_result *r, double eps, double confidence, made_ranges *made) {
    const gpis_problem *p = &t->complete.problem;
    const gpis_fit_set set = {.all = p->set, .core = p->core ? p->core : p->set};
    gpis_range_level level = {0};
    double nearness = 0.0;
    const gpis_dependent_columns *columns = ((const gpis_made_result *)r)->columns;
    gpis_status status = take_x(t, r);
    if (status == GPIS_OK) status = gpis_fit_create(t->context, p->summary, p->intercept, 1e-12, &t->fit);
    if (status == GPIS_OK && t->settings.pass_progress && gpis_ranks_count(p->A) == 1) {
        t->stop = (gpis_stop){asks_caller, t};
        t->fit->stop = &t->stop;
    }
    if (status == GPIS_OK) status = find_level(t, &set, r, eps, confidence, &level);
    made->ends = gpis_alloc(t->context, p->size, sizeof *made->ends);
    if (status == GPIS_OK && !made->ends) status = GPIS_NO_MEMORY;
    if (status != GPIS_OK) return status;
    status = gpis_ranges_find(t->fit, &set, t->x, level, columns ? *columns : (gpis_dependent_columns){0}, made->ends,
                              &nearness);
    made->seen = (gpis_ranges){.d = r->d,
                               .k = r->k,
                               .ends = made->ends,
                               .intercept = p->intercept ? made->ends + r->d * r->k : NULL,
                               .level = level.outer,
                               .sweeps = t->summary ? 1 : 0,
                               .nearness = nearness};
    return status;
}

gpis_status gpis_ranges_make(const gpis_problem *problem, const gpis_result *result, double eps, double confidence,
                             const gpis_settings *settings, gpis_ranges **out) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    gpis_context *context = problem->context;
    if (!out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the ranges");
    *out = NULL;
    task t = {.context = context, .begun = gpis_clock(), .asked_at = gpis_clock()};
    int outside = omp_get_max_threads();
    made_ranges *made = gpis_alloc_zero(context, 1, sizeof *made);
    gpis_status status = made ? check(problem, result, eps, confidence) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_settings_take(context, settings, &t.settings);
    if (made) made->context = context;
    if (status == GPIS_OK) status = take_rows(&t, problem);
    if (status == GPIS_OK) status = gpis_blas_enter(context, context->threads, &outside);
    if (status == GPIS_OK) status = find(&t, result, eps, confidence, made);
    gpis_blas_leave(outside);
    end(&t);
    if (status == GPIS_OK)
        *out = &made->seen;
    else
        gpis_ranges_destroy(made ? &made->seen : NULL);
    return status;
}
