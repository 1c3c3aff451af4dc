/* Paths without the Gram matrix: rounds of the working set, the certificates of its points, and single solves from the
 * rows for the points that the rounds leave. */
#include <math.h>
#include <string.h>

#include "api/wide.h"
#include "certificate/centred.h"
#include "certificate/certificate.h"
#include "pass/folds.h"
#include "ranks/ranks.h"
#include "set/price.h"

/* A run over all points. */
typedef struct run {
    gpis_wide *w;
    gpis_wide_results *out;
    gpis_wide_columns set;
    gpis_wide_batch *batches; /* owned: one for each part */
    bool *done;               /* owned: parts x count */
} run;

static int64_t size_of(const gpis_wide *w) {
    return (w->call->given->A->d + w->call->given->intercept) * w->call->given->k;
}

static bool is_wanted(const run *r, int64_t part) { return part > 0 || r->out->X; }

static bool *done_of(const run *r, int64_t part, int64_t i) { return &r->done[part * r->w->call->count + i]; }

/* ---- a measured point ---- */

/* f and half of the gradient with the ridge: f += sum_j ridge_j x_j^2, g += ridge x. */
static void add_ridge(const gpis_wide *w, const double *ridge, const double *x, double *f, double *g) {
    long double sum = 0.0L;
    for (int64_t j = 0; ridge && j < w->D; j++) {
        sum += (long double)ridge[j] * x[j] * x[j];
        g[j] = fma(ridge[j], x[j], g[j]);
    }
    *f += (double)sum;
}

/* The bound over all columns. */
static gpis_status certify(const run *r, const gpis_wide_task *t, const gpis_wide_reading *m, double *g,
                           gpis_fit_value *out) {
    const gpis_wide *w = r->w;
    gpis_wide_part *p = &w->part[t->part];
    gpis_path_call *c = w->call;
    double f = m->f;
    add_ridge(w, p->ridge, m->x, &f, g);
    const gpis_point point = {
        .x = m->x,
        .g = g,
        .objective = f,
        .norms2 = p->norms2,
        .errors = gpis_pass_errors(w->complete.problem.A, m->pass, m->x, f, p->ridge != NULL, p->norms2)};
    const gpis_column_sums sums = {p->sums, gpis_column_sums_gamma(w->call->given->n + w->parts)};
    gpis_fit_set set = {0};
    gpis_violation violation = {0};
    *out = (gpis_fit_value){.gap = INFINITY};
    gpis_status status = p->part.sets.make(p->part.sets.user, c->values[t->index], &set);
    if (status == GPIS_OK)
        status = c->given->intercept ? gpis_certificate_centred(c->context, set.core, &point, sums, &out->gap)
                                     : gpis_certificate_first(c->context, set.core, &point, &out->gap);
    if (status == GPIS_OK) status = gpis_set_violation(set.core, m->x, &violation);
    if (status == GPIS_OK) {
        out->objective = gpis_certificate_objective(set.core, &point);
        out->noise = gpis_certificate_noise(set.core, &point);
        out->solved = out->gap <= c->call.settings.tol * (out->objective - out->gap) && !violation.broken;
    }
    p->part.sets.destroy(p->part.sets.user, &set);
    return status;
}

/* Enters a measured point: its error on the rows left out or, if none are, its value in the path. */
static void hand_in(run *r, const gpis_wide_task *t, const gpis_wide_reading *m, const gpis_fit_value *value) {
    gpis_wide *w = r->w;
    const int64_t size = size_of(w), k = w->call->given->k;
    if (t->part > 0) {
        r->out->errors[t->part - 1][t->index] = m->left_out / ((double)k * w->part[t->part].predicted);
        return;
    }
    memcpy(r->out->X + t->index * size, m->x, (size_t)size * sizeof(double));
    r->out->points[t->index] = *value;
}

static void count_point(gpis_path_call *c) {
    atomic_fetch_add(&c->done, 1);
    gpis_path_call_tell(c);
}

static gpis_status read_point(void *user, const gpis_wide_task *t, const gpis_wide_reading *m) {
    run *r = user;
    gpis_fit_value value;
    double *g = (double *)m->g;
    const gpis_status status = certify(r, t, m, g, &value);
    if (status != GPIS_OK) return status;
    if (value.solved && !*done_of(r, t->part, t->index)) count_point(r->w->call);
    *done_of(r, t->part, t->index) = value.solved;
    hand_in(r, t, m, &value);
    if (!value.solved) gpis_wide_columns_hear(r->w, &r->set, t, g);
    return GPIS_OK;
}

/* ---- rounds ---- */

static void free_batches(run *r) {
    gpis_context *context = r->w->call->context;
    for (int64_t p = 0; r->batches && p < r->w->parts; p++) {
        gpis_free(context, r->batches[p].index);
        gpis_free(context, r->batches[p].values);
        gpis_free(context, r->batches[p].X);
        gpis_free(context, r->batches[p].points);
        r->batches[p] = (gpis_wide_batch){0};
    }
}

/* The points of a part that are not done. */
static gpis_status make_batch(run *r, int64_t p, gpis_wide_batch *b) {
    gpis_path_call *c = r->w->call;
    const int64_t width = r->set.count + c->given->intercept;
    for (int64_t i = 0; is_wanted(r, p) && i < c->count; i++) b->count += !*done_of(r, p, i);
    b->index = gpis_alloc(c->context, b->count, sizeof *b->index);
    b->values = gpis_alloc(c->context, b->count, sizeof *b->values);
    b->X = gpis_alloc_zero(c->context, b->count * width, sizeof *b->X);
    b->points = gpis_alloc(c->context, b->count, sizeof *b->points);
    if (!b->index || !b->values || !b->X || !b->points) return GPIS_NO_MEMORY;
    for (int64_t i = 0, at = 0; is_wanted(r, p) && i < c->count; i++) {
        if (*done_of(r, p, i)) continue;
        b->index[at] = i;
        b->values[at++] = c->values[i];
    }
    return GPIS_OK;
}

/* Measures what the parts have found: the simplest points first, so that sweeps of few points are about these. */
static gpis_status measure(run *r) {
    gpis_wide *w = r->w;
    const int64_t width = r->set.count + w->call->given->intercept;
    int64_t count = 0, at = 0;
    for (int64_t p = 0; p < w->parts; p++) count += r->batches[p].count;
    gpis_wide_task *tasks = gpis_alloc(w->call->context, count, sizeof *tasks);
    if (!tasks) return GPIS_NO_MEMORY;
    for (int64_t p = 0; p < w->parts; p++)
        for (int64_t i = 0; i < r->batches[p].count; i++)
            tasks[at++] = (gpis_wide_task){.part = p,
                                           .index = r->batches[p].index[i],
                                           .x = r->batches[p].X + i * width,
                                           .columns = r->set.columns,
                                           .count = r->set.count};
    gpis_wide_columns_forget(w, &r->set);
    const gpis_status status = gpis_wide_measure(w, tasks, count, read_point, r);
    gpis_free(w->call->context, tasks);
    return status;
}

static int64_t left_over(const run *r) {
    int64_t left = 0;
    for (int64_t p = 0; p < r->w->parts; p++)
        for (int64_t i = 0; is_wanted(r, p) && i < r->w->call->count; i++) left += !*done_of(r, p, i);
    return left;
}

static gpis_status run_round(run *r) {
    gpis_status status = GPIS_OK;
    for (int64_t p = 0; status == GPIS_OK && p < r->w->parts; p++) status = make_batch(r, p, &r->batches[p]);
    if (status == GPIS_OK) status = gpis_wide_columns_solve(r->w, &r->set, r->batches);
    if (status == GPIS_OK) status = measure(r);
    free_batches(r);
    return status;
}

/* A set that fills the memory can go on changing its columns, but in vain where a point needs more of them: a few
 * rounds without a point that is done are enough. */
static gpis_status run_rounds(run *r) {
    enum { PATIENCE = 3 };
    int64_t left = left_over(r), idle = 0;
    gpis_status status = gpis_wide_columns_begin(r->w, &r->set);
    bool grown = r->set.count > 0;
    while (status == GPIS_OK && grown) {
        const int64_t before = left;
        status = run_round(r);
        left = left_over(r);
        idle = left < before || r->set.count < r->set.most ? 0 : idle + 1;
        grown = false;
        if (status == GPIS_OK && left > 0 && idle < PATIENCE) status = gpis_wide_columns_grow(r->w, &r->set, &grown);
    }
    return status;
}

/* ---- points one by one, from the rows ---- */

/* The weights of the rows of training: 0 for those of the fold. */
static gpis_status leave_out(const gpis_wide *w, int64_t fold, double **out) {
    const gpis_problem *p = w->call->given;
    const int64_t rows = gpis_ranks_rows_here(p->A);
    const gpis_pass pass = {.terms = w->complete.problem.terms, .folds = w->folds};
    *out = gpis_alloc(w->call->context, gpis_max64(1, rows), sizeof **out);
    for (int64_t i = 0; *out && i < rows; i++)
        (*out)[i] = gpis_pass_fold(&pass, i) == fold ? 0.0 : p->weights ? p->weights[i] : 1.0;
    return *out ? GPIS_OK : GPIS_NO_MEMORY;
}

static gpis_status solve_one(run *r, int64_t p, int64_t i, double *x, gpis_fit_value *value) {
    gpis_path_call *c = r->w->call;
    gpis_result *result = NULL;
    const gpis_status status = gpis_path_solve(&r->w->part[p].part, c->values[i], false, x, value, &result);
    if (status == GPIS_OK) count_point(c);
    if (result) c->sweeps += result->sweeps, c->bytes_read += result->bytes_read;
    gpis_result_destroy(result);
    return status;
}

/* Solves the points of all rows that are not done, each from the x that the rounds found (`known`) or from the point
 * before. */
static gpis_status solve_path(run *r, bool known) {
    const int64_t size = size_of(r->w);
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; status == GPIS_OK && i < r->w->call->count; i++) {
        double *x = r->out->X + i * size;
        if (*done_of(r, 0, i)) continue;
        if (!known && i > 0)
            memcpy(x, x - size, (size_t)size * sizeof *x);
        else if (!known)
            memset(x, 0, (size_t)size * sizeof *x);
        status = solve_one(r, 0, i, x, &r->out->points[i]);
    }
    return status;
}

/* A point of the rows of training says how well it predicts the others. */
static gpis_status read_error(void *user, const gpis_wide_task *t, const gpis_wide_reading *m) {
    hand_in(user, t, m, NULL);
    return GPIS_OK;
}

static gpis_status solve_points(run *r, int64_t p, gpis_wide_task *tasks, double *X, int64_t *count) {
    gpis_path_call *c = r->w->call;
    const int64_t size = size_of(r->w);
    gpis_status status = GPIS_OK;
    *count = 0;
    for (int64_t i = 0; status == GPIS_OK && i < c->count; i++) {
        gpis_fit_value value;
        if (*done_of(r, p, i)) continue;
        double *x = X + *count * size;
        if (*count > 0)
            memcpy(x, x - size, (size_t)size * sizeof *x);
        else
            memset(x, 0, (size_t)size * sizeof *x);
        status = solve_one(r, p, i, x, &value);
        if (status == GPIS_OK) r->out->stalled[p - 1] += !value.solved;
        tasks[(*count)++] = (gpis_wide_task){.part = p, .index = i, .x = x, .count = c->given->A->d};
    }
    return status;
}

/* The rows of training. */
static gpis_status solve_fold(run *r, int64_t p) {
    gpis_path_call *c = r->w->call;
    gpis_problem *problem = &r->w->part[p].part.problem;
    int64_t left = 0, count = 0;
    double *weights = NULL;
    for (int64_t i = 0; i < c->count; i++) left += !*done_of(r, p, i);
    if (left == 0) return GPIS_OK;
    double *X = gpis_alloc(c->context, left * size_of(r->w), sizeof *X);
    gpis_wide_task *tasks = gpis_alloc(c->context, left, sizeof *tasks);
    gpis_status status = X && tasks ? leave_out(r->w, r->w->part[p].fold, &weights) : GPIS_NO_MEMORY;
    problem->weights = weights;
    if (status == GPIS_OK) status = solve_points(r, p, tasks, X, &count);
    problem->weights = c->given->weights;
    gpis_free(c->context, weights);
    if (status == GPIS_OK) status = gpis_wide_measure(r->w, tasks, count, read_error, r);
    gpis_free(c->context, X);
    gpis_free(c->context, tasks);
    return status;
}

/* ---- all of it ---- */

gpis_status gpis_wide_run(gpis_wide *w, gpis_wide_results *out) {
    gpis_context *context = w->call->context;
    run r = {.w = w, .out = out};
    bool apply = false;
    r.batches = gpis_alloc_zero(context, w->parts, sizeof *r.batches);
    r.done = gpis_alloc_zero(context, w->parts * w->call->count, sizeof *r.done);
    gpis_status status = r.batches && r.done ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK && gpis_ranks_count(w->call->given->A) == 1) status = gpis_wide_columns_apply(w, &apply);
    if (status == GPIS_OK && apply) status = run_rounds(&r);
    const bool known = r.set.count > 0;
    for (int64_t i = 0; r.done && i < w->call->count; i++) out->exact += *done_of(&r, 0, i);
    free_batches(&r);
    gpis_wide_columns_end(w, &r.set);
    if (status == GPIS_OK && out->X) status = solve_path(&r, known);
    for (int64_t p = 1; status == GPIS_OK && p < w->parts; p++) {
        status = solve_fold(&r, p);
        atomic_fetch_add(&w->call->folds_done, status == GPIS_OK);
    }
    gpis_free(context, r.batches);
    gpis_free(context, r.done);
    return status;
}
