/* Sweeps over the rows that many points share. */
#include <math.h>
#include <string.h>

#include "api/wide.h"
#include "pass/sums.h"

static bool is_to_stop(void *user, int64_t rows) {
    const gpis_wide *w = user;
    const gpis_settings *settings = &w->call->call.settings;
    const gpis_pass_progress progress = {.pass = w->call->sweeps + 1,
                                         .done = rows,
                                         .rows = w->call->given->n,
                                         .pass_seconds = gpis_clock() - w->begun,
                                         .seconds = gpis_clock() - w->call->begun};
    return settings->pass_progress(settings->progress_user, &progress) != 0;
}

gpis_pass gpis_wide_pass(gpis_wide *w) {
    const gpis_problem *p = &w->complete.problem;
    return (gpis_pass){.k = p->k, .Y = p->Y, .terms = p->terms, .folds = w->folds};
}

gpis_status gpis_wide_sweep(gpis_wide *w, const gpis_pass *pass) {
    gpis_pass watched = *pass;
    w->watch.stop = is_to_stop;
    w->watch.user = w;
    w->begun = gpis_clock();
    watched.watch = w->call->call.settings.pass_progress ? &w->watch : NULL;
    const gpis_status status = gpis_pass_run(w->call->context, w->complete.problem.A, &watched);
    if (status == GPIS_OK) gpis_path_count_sweep(w->call);
    return status;
}

/* ---- many points ---- */

/* The points of one sweep: D x (k points). */
typedef struct batch {
    double *XS, *GS, *squares;
    double *x, *g; /* D x k: of one of them */
    int64_t *leave;
} batch;

/* Bytes that a sweep with so many points takes. */
static double memory_for(gpis_wide *w, int64_t points) {
    const int64_t many = points * w->complete.problem.k;
    double place;
    gpis_pass pass = gpis_wide_pass(w);
    pass.XS = pass.GS = pass.squares = &place;
    pass.many = many;
    const gpis_load load = gpis_load_of(&pass, w->complete.problem.A->d);
    return gpis_pass_memory(w->call->context, w->complete.problem.A, &load) +
           8.0 * ((double)w->D * (2.0 * (double)many + 2.0 * (double)w->complete.problem.k) + 3.0 * (double)many) +
           4096.0;
}

/* As many as there is memory for, with a little left for sets and bounds, and one in any case. */
static int64_t points_for(gpis_wide *w, int64_t count) {
    static const double SPARED = 20.0; /* arrays of the size of x */
    const double left = (double)gpis_account_left(w->call->context);
    const double spared = SPARED * 8.0 * (double)(w->D * w->complete.problem.k);
    while (count > 1 && memory_for(w, count) + spared > left) count -= (count + 7) / 8;
    return count;
}

static gpis_status allocate(const gpis_wide *w, int64_t points, batch *b) {
    gpis_context *context = w->call->context;
    const int64_t k = w->complete.problem.k, many = points * k;
    b->XS = gpis_alloc(context, w->D * many, sizeof *b->XS);
    b->GS = gpis_alloc(context, w->D * many, sizeof *b->GS);
    b->squares = gpis_alloc(context, 2 * many, sizeof *b->squares);
    b->leave = gpis_alloc(context, many, sizeof *b->leave);
    b->x = gpis_alloc(context, w->D * k, sizeof *b->x);
    b->g = gpis_alloc(context, w->D * k, sizeof *b->g);
    return b->XS && b->GS && b->squares && b->leave && b->x && b->g ? GPIS_OK : GPIS_NO_MEMORY;
}

static void clear(const gpis_wide *w, batch *b) {
    gpis_context *context = w->call->context;
    gpis_free(context, b->XS);
    gpis_free(context, b->GS);
    gpis_free(context, b->squares);
    gpis_free(context, b->leave);
    gpis_free(context, b->x);
    gpis_free(context, b->g);
    *b = (batch){0};
}

/* Writes x to the columns of XS that begin at `column`. */
static void place(const gpis_wide *w, const gpis_wide_task *t, int64_t many, int64_t column, double *XS) {
    const int64_t k = w->complete.problem.k;
    for (int64_t i = 0; i < t->count * k; i++) {
        const int64_t a = i / k, j = t->columns ? t->columns[a] : a;
        XS[j * many + column + i % k] = t->x[i];
    }
    for (int64_t c = 0; w->call->given->intercept && c < k; c++)
        XS[(w->D - 1) * many + column + c] = t->x[t->count * k + c];
}

static gpis_status read_task(const gpis_wide *w, const gpis_wide_task *t, const gpis_pass *pass, int64_t column,
                             batch *b, gpis_wide_reader reader, void *user) {
    const int64_t k = pass->k, many = pass->many;
    gpis_wide_reading r = {.pass = pass, .x = b->x, .g = b->g};
    for (int64_t c = 0; c < k; c++) {
        r.f += b->squares[column + c];
        r.left_out += b->squares[many + column + c];
    }
    for (int64_t i = 0; i < w->D * k; i++) {
        b->x[i] = b->XS[i / k * many + column + i % k];
        b->g[i] = b->GS[i / k * many + column + i % k];
    }
    return reader(user, t, &r);
}

/* One sweep. */
static gpis_status measure(gpis_wide *w, const gpis_wide_task *tasks, int64_t count, gpis_wide_reader reader,
                           void *user) {
    batch b = {0};
    gpis_pass pass = gpis_wide_pass(w);
    const int64_t k = pass.k;
    gpis_status status = allocate(w, count, &b);
    if (status == GPIS_OK) memset(b.XS, 0, (size_t)(w->D * count * k) * sizeof *b.XS);
    for (int64_t t = 0; status == GPIS_OK && t < count; t++) {
        place(w, &tasks[t], count * k, t * k, b.XS);
        for (int64_t c = 0; c < k; c++) b.leave[t * k + c] = w->part[tasks[t].part].fold;
    }
    pass.XS = b.XS;
    pass.many = count * k;
    pass.leave = b.leave;
    pass.GS = b.GS;
    pass.squares = b.squares;
    if (status == GPIS_OK) status = gpis_wide_sweep(w, &pass);
    for (int64_t t = 0; status == GPIS_OK && t < count; t++)
        status = read_task(w, &tasks[t], &pass, t * k, &b, reader, user);
    clear(w, &b);
    return status;
}

gpis_status gpis_wide_measure(gpis_wide *w, const gpis_wide_task *tasks, int64_t count, gpis_wide_reader reader,
                              void *user) {
    gpis_status status = GPIS_OK;
    for (int64_t first = 0, some; status == GPIS_OK && first < count; first += some) {
        const int64_t fit = points_for(w, count - first), sweeps = (count - first + fit - 1) / fit;
        some = (count - first + sweeps - 1) / sweeps; /* sweeps of about the same number of points */
        status = measure(w, tasks + first, some, reader, user);
    }
    return status;
}
