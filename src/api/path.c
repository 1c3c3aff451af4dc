/* gpis_path_make: the points of a path, as the caller sees them. */
#include "api/wide.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "linalg/blas.h"

/* A gpis_path with everything that gpis_path_destroy frees. */
typedef struct made_path {
    gpis_path seen;        /* first: a gpis_path * is a pointer to the whole */
    gpis_context *context; /* borrowed */
    double *X;             /* owned: count x (d + 1) k or d k */
    gpis_path_point *points;
    const gpis_path_point **places;
    char *set;
    char warning[256];
} made_path;

void gpis_path_destroy(gpis_path *path) {
    made_path *made = (made_path *)path;
    if (!made) return;
    gpis_free(made->context, made->X);
    gpis_free(made->context, made->points);
    gpis_free(made->context, made->places);
    gpis_free(made->context, made->set);
    gpis_free(made->context, made);
}

/* What the penalty adds to the objective: the weighted sum, in the units of the set, and in a path of penalties its
 * factor. */
static double height_of(const gpis_path_part *all, double value, const double *x) {
    const gpis_problem *p = &all->problem;
    const bool penalised = all->call->options.penalised;
    double sum = 0.0;
    if (!penalised && !p->penalty) return 0.0;
    for (int64_t i = 0; i < p->A->d * p->k; i++)
        sum += (p->penalty ? p->penalty[i / p->k] : 1.0) * (all->complete.scale ? all->complete.scale[i / p->k] : 1.0) *
               fabs(x[i]);
    return penalised ? value * sum : sum;
}

static gpis_path_point point_of(const gpis_path_part *all, double value, const double *x, const gpis_fit_value *found) {
    const int64_t size = all->problem.A->d * all->problem.k;
    gpis_path_point p = {.value = value,
                         .x = x,
                         .intercept = all->problem.intercept ? x + size : NULL,
                         .objective = found->objective,
                         .penalty = height_of(all, value, x),
                         .gap = found->gap,
                         .gap_kind = isfinite(found->gap) ? GPIS_GAP_PROVEN : GPIS_GAP_NONE,
                         .outcome = found->solved ? GPIS_SOLVED : GPIS_STALLED};
    for (int64_t i = 0; i < size; i++) {
        p.nonzeros += x[i] != 0.0;
        p.norm1 += fabs(x[i]);
    }
    return p;
}

/* The warning of a path: how many of its points are not proven to the tolerance. */
static void warn(const gpis_path_call *c, made_path *made) {
    int64_t stalled = 0;
    double worst = 0.0;
    for (int64_t i = 0; i < made->seen.count; i++) {
        const gpis_path_point *p = &made->points[i];
        if (p->outcome == GPIS_SOLVED) continue;
        stalled++;
        worst = fmax(worst, p->objective > p->gap ? p->gap / (p->objective - p->gap) : INFINITY);
    }
    if (stalled == 0) return;
    snprintf(made->warning, sizeof made->warning,
             "%" PRId64 " of %" PRId64 " points are not proven to the tolerance %g, but to %.2g%s", stalled,
             made->seen.count, c->call.settings.tol, worst,
             c->given->summary ? ": the rounding errors of the summary allow no more; more digits need the rows of A"
                               : "");
}

static gpis_status allocate(made_path *made, int64_t count, int64_t size, const char *set) {
    made->X = gpis_alloc(made->context, count * size, sizeof *made->X);
    made->points = gpis_alloc(made->context, count, sizeof *made->points);
    made->places = gpis_alloc(made->context, count, sizeof *made->places);
    made->set = gpis_duplicate_text(made->context, set);
    return made->X && made->points && made->places && made->set ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_path_made(const gpis_path_call *c, const gpis_path_part *all, const double *X,
                           const gpis_fit_value *points, int64_t exact, gpis_path **out) {
    const gpis_problem *p = &all->problem;
    const int64_t size = (p->A->d + p->intercept) * p->k;
    made_path *made = gpis_alloc_zero(c->context, 1, sizeof *made);
    if (!made) return GPIS_NO_MEMORY;
    made->context = c->context;
    const gpis_status status = allocate(made, c->count, size, c->options.penalised ? "" : c->spec.text);
    if (status != GPIS_OK) {
        gpis_path_destroy(&made->seen);
        return status;
    }
    made->seen = (gpis_path){.asked = c->count,
                             .d = p->A->d,
                             .k = p->k,
                             .points = made->places,
                             .penalised = c->options.penalised != 0,
                             .set = made->set,
                             .rows_weight = c->rows_weight,
                             .exact = exact,
                             .sweeps = c->sweeps,
                             .bytes_read = c->bytes_read,
                             .seconds = gpis_clock() - c->begun,
                             .warning = made->warning};
    for (int64_t i = 0; i < c->count; i++) {
        if (!isfinite(points[i].objective)) continue;
        const int64_t at = made->seen.count++;
        memcpy(made->X + at * size, X + i * size, (size_t)size * sizeof *X);
        made->points[at] = point_of(all, c->values[i], made->X + at * size, &points[i]);
        made->places[at] = &made->points[at];
    }
    warn(c, made);
    *out = &made->seen;
    return GPIS_OK;
}

static gpis_status run(gpis_path_call *c, gpis_path_part *all, gpis_wide *wide, gpis_path **out) {
    const int64_t size = (all->problem.A->d + all->problem.intercept) * all->problem.k;
    double *X = gpis_alloc(c->context, c->count * size, sizeof *X);
    gpis_fit_value *points = gpis_alloc(c->context, c->count, sizeof *points);
    gpis_status status = X && points ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t i = 0; points && i < c->count; i++) points[i] = (gpis_fit_value){.objective = INFINITY};
    gpis_wide_results results = {.X = X, .points = points};
    if (status == GPIS_OK && c->data) status = gpis_path_part_run(all, X, points, &results.exact);
    if (status == GPIS_OK && !c->data) status = gpis_wide_run(wide, &results);
    bool any = false;
    for (int64_t i = 0; points && i < c->count; i++) any = any || isfinite(points[i].objective);
    if (status == GPIS_STOPPED && c->options.keep_done && any) status = GPIS_OK;
    if (status == GPIS_OK) status = gpis_path_made(c, all, X, points, results.exact, out);
    gpis_free(c->context, X);
    gpis_free(c->context, points);
    return status;
}

gpis_status gpis_path_make(const gpis_problem *problem, const gpis_path_options *options, const gpis_settings *settings,
                           gpis_path **out) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    gpis_context *context = problem->context;
    if (!out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the path");
    *out = NULL;
    gpis_path_call c;
    gpis_path_part part = {0}, *all = &part;
    gpis_wide wide = {0};
    int outside = omp_get_max_threads();
    gpis_status status = gpis_path_call_begin(&c, problem, options, settings, false);
    if (status == GPIS_OK) status = gpis_blas_enter(context, context->threads, &outside);
    if (status == GPIS_OK && c.data) status = gpis_path_part_begin(&part, &c, -1);
    if (status == GPIS_OK && !c.data) {
        status = gpis_wide_begin(&wide, &c, false, 0);
        all = status == GPIS_OK ? &wide.part[0].part : NULL;
    }
    if (status == GPIS_OK) status = gpis_path_grid(&c, all);
    if (status == GPIS_OK) status = run(&c, all, &wide, out);
    gpis_path_part_end(&part);
    gpis_wide_end(&wide);
    gpis_blas_leave(outside);
    gpis_path_call_end(&c);
    return status;
}
