/* What a call of a path is given, and the rows as a summary. */
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "api/path.h"
#include "base/sized.h"
#include "ranks/ranks.h"

static const double INTERVAL = 0.1; /* seconds between two calls of the caller's functions */
enum { DEFAULT_FOLDS = 10, MAX_REPEATS = 1000000, MAX_COLUMNS = 4096 }; /* the same columns as in newton's summary */

static gpis_path_options default_options(void) {
    return (gpis_path_options){.size = sizeof(gpis_path_options), .points = 100, .eps = 1e-3, .repeats = 1};
}

gpis_status gpis_path_options_init(gpis_path_options *options, size_t size) {
    const gpis_path_options usual = default_options();
    return gpis_sized_init(options, size, &usual, sizeof usual);
}

static gpis_status check_values(gpis_context *context, const gpis_path_options *o) {
    if (!o->values) return GPIS_OK;
    if (o->value_count < 1) return gpis_fail(context, GPIS_BAD_ARGUMENT, "a path needs at least one value");
    for (int64_t i = 0; i < o->value_count; i++)
        if (!(o->values[i] >= 0.0 && isfinite(o->values[i])))
            return gpis_fail(context, GPIS_BAD_ARGUMENT, "value %" PRId64 " of the path is %g; it must be 0 or more",
                             i + 1, o->values[i]);
    return GPIS_OK;
}

static gpis_status check_options(gpis_context *context, const gpis_path_options *o) {
    if (o->points < 1 || o->points > 1000000)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a path has 1 to 1000000 points, not %" PRId64, o->points);
    if (!(o->eps > 0.0 && o->eps < 1.0))
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "eps, the least value over the largest, is between 0 and 1, not %g", o->eps);
    if (o->folds < 0 || o->folds == 1)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "cross-validation needs at least 2 folds");
    if (o->repeats < 1 || o->repeats > MAX_REPEATS)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "repeats must be 1 to %d, not %" PRId64, MAX_REPEATS, o->repeats);
    if (o->repeats > 1 && o->fold)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "folds that are given cannot be drawn again: leave out repeats");
    return check_values(context, o);
}

/* ---- the summary ---- */

int64_t gpis_path_folds(const gpis_path_call *c) { return c->options.folds > 0 ? c->options.folds : DEFAULT_FOLDS; }

gpis_summary_options gpis_path_summary_options(const gpis_path_call *c, bool folds, uint64_t seed) {
    gpis_summary_options o = gpis_summary_options_default();
    o.folds = folds ? gpis_path_folds(c) : 1;
    o.fold = folds ? c->options.fold : NULL;
    o.fold_rows = c->options.fold_rows;
    o.seed = seed;
    o.pass_progress = c->call.settings.pass_progress;
    o.progress_user = c->call.settings.progress_user;
    return o;
}

void gpis_path_count_sweep(gpis_path_call *c) {
    gpis_source_info info;
    gpis_source_describe(c->given->A, &info);
    c->sweeps++;
    c->bytes_read += (double)info.bytes;
}

static gpis_status summarise(gpis_path_call *c, bool folds, uint64_t seed) {
    const gpis_summary_options o = gpis_path_summary_options(c, folds, seed);
    gpis_summary_destroy(c->summary);
    c->summary = NULL;
    const gpis_status status = gpis_summary_make(c->given, &o, &c->summary);
    if (status != GPIS_OK) return status;
    c->data = c->summary;
    gpis_path_count_sweep(c);
    return GPIS_OK;
}

gpis_status gpis_path_check_fold(gpis_context *context, int64_t fold, double own, double all) {
    if (!(own > 0.0))
        return gpis_fail(context, GPIS_BAD_DATA,
                         "fold %" PRId64 " has no row of positive weight, and cannot be predicted; take fewer folds",
                         fold + 1);
    if (!(all > own))
        return gpis_fail(context, GPIS_BAD_DATA, "all rows of positive weight are in fold %" PRId64, fold + 1);
    return GPIS_OK;
}

static gpis_status check_folds(const gpis_path_call *c) {
    const gpis_summary *s = c->data;
    gpis_status status = GPIS_OK;
    for (int64_t f = 0; status == GPIS_OK && f < s->folds; f++)
        status = gpis_path_check_fold(c->context, f, gpis_quadratic_entry(s->fold[f], s->d, s->d).high, c->rows_weight);
    return status;
}

/* The first summary stays: the problem of all rows is made of it. */
gpis_status gpis_path_call_redraw(gpis_path_call *c, uint64_t seed) {
    if (!c->first) {
        c->first = c->summary;
        c->summary = NULL;
    }
    const gpis_status status = summarise(c, true, seed);
    return status == GPIS_OK ? check_folds(c) : status;
}

static gpis_status check_summary(const gpis_path_call *c) {
    const gpis_summary *s = c->given->made_of;
    if (c->options.repeats > 1)
        return gpis_fail(c->context, GPIS_NOT_APPLICABLE,
                         "a summary has its folds: drawing them again (option repeats) needs the rows of A");
    if (s->folds < 2)
        return gpis_fail(c->context, GPIS_BAD_ARGUMENT,
                         "the summary has no folds: make it with some (option folds), or give the rows of A");
    if (c->options.folds > 0 && c->options.folds != s->folds)
        return gpis_fail(c->context, GPIS_BAD_ARGUMENT, "the summary has %" PRId64 " folds, not %" PRId64, s->folds,
                         c->options.folds);
    return GPIS_OK;
}

/* Whether the sums of all folds are not too large: while a sweep makes them, and with those that are made of them. */
static bool fits(const gpis_path_call *c, bool folds) {
    const gpis_problem *p = c->given;
    const double count = folds ? (double)gpis_path_folds(c) : 1.0, one = gpis_quadratic_memory(p->A->d + 1, p->k);
    const double sweep = gpis_summary_memory(p, &(gpis_folds){.count = folds ? gpis_path_folds(c) : 0});
    const double bytes = fmax((count + 6.0) * one, 2.0 * count * one + sweep);
    return p->A->d <= MAX_COLUMNS && bytes <= (double)gpis_account_left(c->context);
}

static gpis_status take_rows(gpis_path_call *c, bool folds) {
    gpis_status status = GPIS_OK;
    if (folds && c->given->summary)
        status = check_summary(c);
    else if (folds && gpis_path_folds(c) > c->given->n)
        status = gpis_fail(c->context, GPIS_BAD_ARGUMENT, "%" PRId64 " folds are more than the %" PRId64 " rows of A",
                           gpis_path_folds(c), c->given->n);
    if (status != GPIS_OK) return status;
    c->base = *c->given;
    c->data = c->given->made_of;
    bool small = !c->data && fits(c, folds);
    if (!c->data) status = gpis_ranks_share(c->given->A, &small, sizeof small); /* rank 0 decides for all */
    if (status == GPIS_OK && small) status = summarise(c, folds, c->call.settings.seed);
    if (status != GPIS_OK || !c->data) return status;
    c->base = gpis_summary_instead_of_rows(c->given, c->data);
    c->rows_weight = gpis_quadratic_entry(c->data->whole, c->data->d, c->data->d).high;
    return folds ? check_folds(c) : GPIS_OK;
}

static void tell(const gpis_path_call *c, double now) {
    const bool folds = c->folded;
    const int64_t parts = folds ? (c->data ? c->data->folds : gpis_path_folds(c)) * c->options.repeats : 0;
    if (!c->options.progress || c->count == 0) return;
    const gpis_path_progress progress = {.done = atomic_load(&c->done),
                                         .points = c->count * (1 + parts),
                                         .folds_done = atomic_load(&c->folds_done),
                                         .folds = parts,
                                         .seconds = now - c->begun};
    c->options.progress(c->options.progress_user, &progress);
}

void gpis_path_call_tell(gpis_path_call *c) {
    const double now = gpis_clock();
    if (now - c->asked_at < INTERVAL) return;
    c->asked_at = now;
    tell(c, now);
}

/* The caller's functions are called by one thread only; the others learn what was said. */
static bool asks_caller(void *user) {
    gpis_path_call *c = user;
    const gpis_settings *settings = &c->call.settings;
    if (omp_get_thread_num() > 0 || atomic_load(&c->stopped)) return atomic_load(&c->stopped);
    const double now = gpis_clock();
    if (now - c->asked_at < INTERVAL) return false;
    c->asked_at = now;
    tell(c, now);
    if (!settings->pass_progress) return false;
    const gpis_pass_progress progress = {
        .pass = c->sweeps, .done = c->given->n, .rows = c->given->n, .seconds = now - c->begun};
    atomic_store(&c->stopped, settings->pass_progress(settings->progress_user, &progress) != 0);
    return atomic_load(&c->stopped);
}

gpis_status gpis_path_call_begin(gpis_path_call *c, const gpis_problem *given, const gpis_path_options *options,
                                 const gpis_settings *settings, bool folds) {
    gpis_completion complete = {0};
    *c = (gpis_path_call){
        .context = given->context, .given = given, .options = default_options(), .begun = gpis_clock()};
    gpis_status status = gpis_sized_take(c->context, "the options of a path", "gpis_path_options_init", options,
                                         &c->options, sizeof c->options);
    if (status == GPIS_OK) status = check_options(c->context, &c->options);
    if (status == GPIS_OK) status = gpis_complete_begin(given, &complete);
    if (status == GPIS_OK) status = gpis_call_begin(&c->call, &complete.problem, settings);
    c->folded = folds;
    if (status == GPIS_OK && (c->call.settings.pass_progress || c->options.progress))
        c->stop = (gpis_stop){asks_caller, c};
    gpis_complete_end(&complete);
    if (status == GPIS_OK && !c->options.penalised)
        status = gpis_radius_spec_read(c->context, c->options.set ? c->options.set : "l1", &c->spec);
    status = gpis_ranks_agree(given->A, status);
    return status == GPIS_OK ? take_rows(c, folds) : status;
}

void gpis_path_call_end(gpis_path_call *c) {
    gpis_call_end(&c->call, c->context);
    gpis_radius_spec_clear(&c->spec);
    gpis_summary_destroy(c->summary);
    gpis_summary_destroy(c->first);
    gpis_free(c->context, c->values);
}
