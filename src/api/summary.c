/* gpis_summary_make and gpis_problem_of_summary: what the caller gives is checked here. */
#include "summary/summary.h"

#include <inttypes.h>
#include <omp.h>
#include <string.h>

#include "api/path.h"
#include "api/problem.h"
#include "base/sized.h"
#include "linalg/blas.h"
#include "ranks/ranks.h"

static gpis_summary_options default_options(void) {
    return (gpis_summary_options){.size = sizeof(gpis_summary_options)};
}

gpis_status gpis_summary_options_init(gpis_summary_options *options, size_t size) {
    const gpis_summary_options usual = default_options();
    return gpis_sized_init(options, size, &usual, sizeof usual);
}

/* ---- what is given ---- */

/* A call of gpis_summary_make. */
typedef struct task {
    gpis_summary_options options;
    gpis_folds folds;
    gpis_problem given; /* the rows of the caller's problem, with a constant column and no other term */
    gpis_completion complete;
    gpis_summary *summary; /* owned until it is the caller's */
    gpis_watch watch;
    double begun; /* the clock when the sweep began */
} task;

gpis_status gpis_summary_check_folds(const gpis_problem *p, const gpis_summary_options *o) {
    gpis_context *context = p->context;
    const int64_t here = gpis_ranks_rows_here(p->A), folds = gpis_max64(1, o->folds);
    if (o->folds < 0 || o->folds > GPIS_MAX_FOLDS)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "there can be 1 to %d folds, not %" PRId64, GPIS_MAX_FOLDS,
                         o->folds);
    if (o->first_row < 0 || o->first_row > INT64_MAX - p->n)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the first row cannot have the number %" PRId64, o->first_row);
    if (o->fold && o->fold_rows != here)
        return gpis_fail(context, GPIS_BAD_SHAPE,
                         "there are folds for %" PRId64 " rows, and A has %" PRId64 "%s; each row needs one",
                         o->fold_rows, here, gpis_ranks_count(p->A) > 1 ? " on this rank" : "");
    for (int64_t i = 0; o->fold && i < here; i++)
        if (o->fold[i] < 0 || o->fold[i] >= folds)
            return gpis_fail(context, GPIS_BAD_DATA,
                             "row %" PRId64 " is in fold %" PRId64 ", and folds have numbers from 0 to %" PRId64,
                             gpis_ranks_first_row(p->A) + i + 1, o->fold[i], folds - 1);
    return GPIS_OK;
}

static gpis_status take_options(task *t, const gpis_problem *p, const gpis_summary_options *given) {
    t->options = default_options();
    const gpis_status status = gpis_sized_take(p->context, "the options of a summary", "gpis_summary_options_init",
                                               given, &t->options, sizeof t->options);
    if (status != GPIS_OK) return status;
    t->folds = (gpis_folds){
        .count = t->options.folds > 1 ? t->options.folds : 0, .seed = t->options.seed, .first = t->options.first_row};
    return gpis_summary_check_folds(p, &t->options);
}

static gpis_status refuse_summary(const gpis_problem *p) {
    return gpis_fail(p->context, GPIS_NOT_APPLICABLE,
                     "the rows of A are not there: the problem is one of a summary already");
}

/* The checks and allocations that a rank makes alone, before all ranks work together. */
static gpis_status prepare(task *t, const gpis_problem *given, const gpis_summary_options *options) {
    gpis_status status = given->summary ? refuse_summary(given) : take_options(t, given, options);
    t->given = gpis_problem_rows(given);
    if (status == GPIS_OK) status = gpis_complete_begin(&t->given, &t->complete);
    if (status == GPIS_OK) status = gpis_complete_response(&t->complete);
    if (status != GPIS_OK) return status;
    gpis_problem *p = &t->complete.problem;
    if (t->folds.count > 1) p->terms.fold = t->options.fold;
    status = gpis_summary_new(p->context, p->A->d, p->k, gpis_max64(1, t->folds.count), &t->summary);
    if (status == GPIS_OK) status = gpis_summary_take_names(t->summary, p->A);
    return status == GPIS_OK ? gpis_summary_name_responses(t->summary, t->options.responses) : status;
}

/* ---- the sweep ---- */

static bool is_to_stop(void *user, int64_t rows) {
    const task *t = user;
    const gpis_problem *p = &t->complete.problem;
    const int64_t here = gpis_max64(1, gpis_ranks_rows_here(p->A));
    const double seconds = gpis_clock() - t->begun;
    const gpis_pass_progress progress = {.pass = 1,
                                         .done = (int64_t)((double)rows / (double)here * (double)p->n),
                                         .rows = p->n,
                                         .pass_seconds = seconds,
                                         .seconds = seconds};
    return t->options.pass_progress(t->options.progress_user, &progress) != 0;
}

static gpis_status sweep(task *t) {
    t->watch.stop = is_to_stop;
    t->watch.user = t;
    t->begun = gpis_clock();
    return gpis_summary_sweep(t->summary, &t->complete.problem, &t->folds, t->options.pass_progress ? &t->watch : NULL);
}

/* Gives the sums of rank 0 to all. */
static gpis_status share(const gpis_source *A, gpis_summary *s) {
    const int64_t size = s->d + 1 + s->k;
    gpis_status status = GPIS_OK;
    for (int64_t f = 0; status == GPIS_OK && f < s->folds; f++) {
        double errors[2] = {s->fold[f]->gamma, s->fold[f]->response_error};
        status = gpis_ranks_share_numbers(A, s->fold[f]->W, 2 * size * size);
        if (status == GPIS_OK) status = gpis_ranks_share_numbers(A, errors, 2);
        s->fold[f]->gamma = errors[0];
        s->fold[f]->response_error = errors[1];
    }
    return status;
}

/* All ranks together: rank 0 sums, and the others serve it. */
static gpis_status work_together(task *t, gpis_context *context) {
    const gpis_problem *p = &t->complete.problem;
    int outside = omp_get_max_threads();
    gpis_status status = gpis_ranks_agree(p->A, gpis_blas_enter(context, context->threads, &outside));
    if (status == GPIS_OK)
        status = gpis_ranks_is_served(p->A) ? gpis_ranks_serve(context, p->A, p->Y, &p->terms)
                                            : gpis_ranks_dismiss(context, p->A, sweep(t));
    if (status == GPIS_OK) status = share(p->A, t->summary);
    if (status == GPIS_OK) status = gpis_summary_count_rows(t->summary, p, &t->folds);
    gpis_blas_leave(outside);
    return status == GPIS_OK ? gpis_ranks_agree(p->A, gpis_summary_complete(t->summary)) : status;
}

/* All ranks must have been given the folds that rank 0 has. */
static gpis_status agree(task *t, const gpis_problem *given, gpis_status status) {
    const gpis_folds mine = t->folds;
    struct {
        gpis_folds folds;
        bool fold;
    } wanted = {mine, t->options.fold != NULL};
    status = gpis_problem_agree(&t->given, given->k, status);
    if (status == GPIS_OK) status = gpis_ranks_share(given->A, &wanted, sizeof wanted);
    if (status != GPIS_OK) return status;
    const bool alike = wanted.folds.count == mine.count && wanted.folds.seed == mine.seed &&
                       wanted.folds.first == mine.first && wanted.fold == (t->options.fold != NULL);
    if (!alike) status = gpis_fail(given->context, GPIS_BAD_ARGUMENT, "the folds are not the same here and on rank 0");
    return gpis_ranks_agree(given->A, status);
}

gpis_status gpis_summary_make(const gpis_problem *problem, const gpis_summary_options *options, gpis_summary **out) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    gpis_context *context = problem->context;
    task t = {0};
    context->message[0] = '\0';
    gpis_status status = GPIS_OK;
    if (out)
        *out = NULL;
    else
        status = gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no place to put the summary");
    if (status == GPIS_OK) status = prepare(&t, problem, options);
    status = agree(&t, problem, status);
    if (status == GPIS_OK) status = gpis_complete_together(&t.complete);
    if (status == GPIS_OK) status = work_together(&t, context);
    if (status == GPIS_OK) {
        t.summary->weighted = problem->weights != NULL;
        t.summary->offset = problem->offset != NULL;
        t.summary->given_folds = t.complete.problem.terms.fold != NULL;
        t.summary->seed = t.folds.count > 1 && !t.summary->given_folds ? t.folds.seed : 0;
        *out = t.summary;
        t.summary = NULL;
    }
    gpis_summary_destroy(t.summary);
    gpis_complete_end(&t.complete);
    return status;
}

/* ---- a problem of it ---- */

gpis_status gpis_problem_of_summary(gpis_context *context, const gpis_summary *summary, gpis_problem **out) {
    if (out) *out = NULL;
    if (!context || !summary || !out)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a problem needs a context, a summary and a place to put it");
    if (summary->context != context)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the summary was made with another context");
    gpis_problem *p = gpis_alloc_zero(context, 1, sizeof *p);
    if (!p) return GPIS_NO_MEMORY;
    *p = (gpis_problem){.context = context,
                        .A = summary->A,
                        .n = summary->A->n,
                        .d = summary->d,
                        .k = summary->k,
                        .size = summary->d * summary->k,
                        .summary = summary->whole,
                        .made_of = summary};
    *out = p;
    return GPIS_OK;
}
