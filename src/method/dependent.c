/*
 * Dependent columns in a run. Where the model is flat, bounds are loose or there is none. So the null vectors behind
 * that are guessed from the model (linalg/dependent.h), proven by one pass over A, and given to this model and all
 * later ones. Where there is no other bound, those that are null vectors but for rounding of the data serve as well
 * (nearby.c), and the bound is said to hold for data that are so near. The caller is told about both in words.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/accurate.h"
#include "method/run.h"

/* Flat somewhere, and the bounds of this set do not bear it. A cone that is known only up to rounding does not even
 * bear columns of zeros. A bounded set bears a Gram matrix with a shift, and pays for it: gpis_run_reconsider_model. */
static bool is_too_flat(const gpis_run *run) {
    const gpis_model *m = run->model;
    bool zeros = false;
    for (int64_t j = 0; j < m->d; j++) zeros = zeros || m->H[j * (m->d + 1)] == 0.0;
    if (gpis_set_is_bounded(run->problem->set)) return run->sketched && m->shift > 0.0;
    return m->shift > 0.0 || (zeros && !run->problem->set->exact_recession);
}

/* What the shift takes from the second-order bound of a bounded set is more than the tolerance can bear. */
static bool is_too_dear(const gpis_run *run, const gpis_point *point) {
    const double reach = gpis_set_radius(run->problem->set) + gpis_norm2(point->x, run->problem->size);
    double largest2 = 0.0;
    for (int64_t j = 0; j < run->problem->d; j++) largest2 = fmax(largest2, run->norms2[j]);
    return !run->sketched && isfinite(reach) &&
           run->model->slack * largest2 * reach * reach > 0.5 * run->settings->tol * point->objective;
}

/* Whether there is memory for `count` null vectors, the guesses at them, and the passes that try and measure those. */
static bool has_room(const gpis_run *run, int64_t count) {
    const gpis_load trying = gpis_load_worst(run->problem->d, run->problem->k, GPIS_GUESSES * count, 0, false);
    const gpis_load measuring = gpis_load_worst(run->problem->d, count, 0, 0, false);
    const double pass = fmax(gpis_pass_memory(run->context, run->problem->A, &trying),
                             gpis_pass_memory(run->context, run->problem->A, &measuring));
    const double vectors = (double)(run->problem->d * (2 * run->problem->d + GPIS_NULLS + 2 * GPIS_GUESSES * count)) +
                           (double)GPIS_NULLS * GPIS_NULLS;
    return 8.0 * vectors + 4e6 + pass <= (double)gpis_account_left(run->context);
}

/* It is looked for once in a sketch, which may be a bad one, and once in the Gram matrix. Where no pass may be made any
 * more it is not, but for a run that has nothing yet: its next pass will be made in any case, and what a checkpoint
 * holds must not depend on limits. */
static bool is_possible(const gpis_run *run) {
    const bool all_known = run->dependence_known && run->nulls >= run->deficit;
    const bool at_start = run->sketched && !isfinite(run->measured);
    return !all_known && !run->dependence_sought[run->sketched] &&
           run->settings->certificate != GPIS_CERTIFICATE_NONE && (at_start || !gpis_run_exhausted(run)) &&
           has_room(run, 1);
}

/* ---- exactly
 * ---------------------------------------------------------------------------------------------------------
 */

/* Guesses at the null vectors near the rows of run->null. */
typedef struct guesses {
    double *V;   /* owned: rows of d entries */
    int64_t *of; /* owned: which row of run->null each is for; rising */
    int64_t count;
    double *misses; /* rows of A for which A v = 0 is not shown */
} guesses;

/* The first rows of A, of those that are on this rank: entries of theirs serve as guesses. */
static gpis_status read_rows(gpis_run *run, double **rows, int64_t *count) {
    enum { ROWS = 64, ENTRIES = 1 << 18 };
    gpis_source *here = gpis_source_piece(run->problem->A);
    *rows = NULL;
    *count = here ? gpis_min64(here->n, gpis_max64(1, gpis_min64(ROWS, ENTRIES / run->problem->d))) : 0;
    if (*count == 0) return GPIS_OK;
    *rows = gpis_alloc(run->context, *count * run->problem->d, sizeof **rows);
    return *rows ? gpis_source_rows(run->context, here, 0, *count, *rows) : GPIS_NO_MEMORY;
}

static gpis_status guess(gpis_run *run, const int64_t *own, guesses *g) {
    const int64_t d = run->problem->d, most = GPIS_GUESSES * run->found;
    double *rows = NULL;
    int64_t count = 0;
    g->V = gpis_alloc(run->context, most * (d + 1), sizeof *g->V);
    g->of = gpis_alloc(run->context, most, sizeof *g->of);
    gpis_status status = g->V && g->of ? read_rows(run, &rows, &count) : GPIS_NO_MEMORY;
    for (int64_t i = 0; status == GPIS_OK && i < run->found; i++) {
        int made = gpis_dependent_guess(run->model, run->null + i * d, own[i], rows, count, g->V + g->count * d);
        for (; made > 0; made--) g->of[g->count++] = i;
    }
    if (status == GPIS_OK) g->misses = g->V + most * d;
    gpis_free(run->context, rows);
    return status;
}

/* One pass over A, in arithmetic that loses nothing. */
static gpis_status try_guesses(gpis_run *run, const guesses *g) {
    const int64_t d = run->problem->d;
    double *columns = gpis_alloc(run->context, d * g->count, sizeof *columns);
    if (!columns) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < g->count; i++)
        for (int64_t j = 0; j < d; j++) columns[j * g->count + i] = g->V[i * d + j];
    const gpis_pass pass = {.k = run->problem->k, .V = columns, .probes = g->count, .misses = g->misses};
    const gpis_status status = gpis_run_pass(run, &pass, 0.5 * (double)g->count / (double)run->problem->k);
    gpis_free(run->context, columns);
    return status;
}

static void swap(int64_t d, double *a, double *b) {
    for (int64_t j = 0; a != b && j < d; j++) {
        const double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

/* Of each row's guesses the first that holds exactly, or else the first of all, takes its place; exact ones come first.
 */
static void take_guesses(gpis_run *run, const guesses *g) {
    const int64_t d = run->problem->d;
    for (int64_t i = 0, at = 0; i < run->found; i++) {
        const int64_t first = at;
        int64_t best = -1;
        for (; at < g->count && g->of[at] == i; at++)
            if (best < 0 && g->misses[at] == 0.0) best = at;
        double *v = run->null + i * d;
        if (at > first) memcpy(v, g->V + (best < 0 ? first : best) * d, (size_t)d * sizeof *v);
        if (best >= 0) swap(d, v, run->null + run->nulls++ * d);
    }
}

static gpis_status prove(gpis_run *run, const int64_t *own) {
    guesses g = {0};
    gpis_status status = guess(run, own, &g);
    if (status == GPIS_OK && g.count > 0) status = try_guesses(run, &g);
    if (status == GPIS_OK) take_guesses(run, &g);
    gpis_free(run->context, g.V);
    gpis_free(run->context, g.of);
    return status;
}

static gpis_status find(gpis_run *run) {
    int64_t own[GPIS_NULLS];
    if (!run->null) run->null = gpis_alloc(run->context, GPIS_NULLS * run->problem->d, sizeof *run->null);
    if (!run->null) return GPIS_NO_MEMORY;
    run->dependence_sought[run->sketched] = true;
    run->nulls = 0;
    gpis_status status = gpis_dependent_find(run->model, GPIS_NULLS, run->null, own, &run->found, &run->deficit);
    if (!has_room(run, run->found)) run->found = 0; /* then nothing is known but how many there are */
    if (status == GPIS_OK && run->found > 0) status = prove(run, own);
    if (status != GPIS_OK) run->nulls = run->found = 0;
    run->dependence_known = status == GPIS_OK;
    return status;
}

gpis_status gpis_run_settle_dependence(gpis_run *run) {
    const gpis_status status = is_too_flat(run) && is_possible(run) ? find(run) : GPIS_OK;
    return status == GPIS_OK && run->nulls > 0 ? gpis_model_add_null(run->model, run->nulls, run->null, 0.0) : status;
}

/* Gives further null vectors to the model, and makes its inner problem anew. */
static gpis_status add_to_model(gpis_run *run, int64_t count, const double *N, double nearness) {
    gpis_inner_destroy(run->inner);
    run->inner = NULL;
    const gpis_status status = gpis_model_add_null(run->model, count, N, nearness);
    return status == GPIS_OK ? gpis_inner_create(run->context, run->problem->set, run->model, NULL, &run->inner)
                             : status;
}

gpis_status gpis_run_reconsider_model(gpis_run *run, const gpis_point *point) {
    if (run->model->nulls > 0 || !is_too_dear(run, point) || !is_possible(run)) return GPIS_OK;
    const gpis_status status = find(run);
    return status == GPIS_OK && run->nulls > 0 ? add_to_model(run, run->nulls, run->null, 0.0) : status;
}

/* ---- but for rounding -----------------------------------------------------------------------------------------------
 */

/* Every entry has a bound, for which there may be a proof all the same (certificate/interior.h). */
static bool has_walls(const gpis_set *set) {
    for (int64_t j = 0; j < set->d; j++) {
        double lo = -INFINITY, hi = INFINITY;
        if (set->class->bounds) set->class->bounds(set, j, &lo, &hi);
        if (isinf(lo) && isinf(hi)) return false;
    }
    return true;
}

/* Nothing is proven for A itself, and will not be: there is no bound at all for this set; or the run does not improve
 * any more, not even in extended precision; or it is an audit, which has no rounds. All that the model is flat along is
 * known. */
static bool needs_nearby(const gpis_run *run, const gpis_point *point) {
    if (run->sketched || !(run->model->slack > 0.0) || run->model->nearness > 0.0 || run->nearby_sought) return false;
    if (!run->dependence_known || run->found < run->deficit || run->found == run->nulls) return false;
    const bool bounded = gpis_set_is_bounded(run->problem->set), at_end = run->audit || (run->idle && run->extended);
    const bool hopeless = bounded                        ? at_end && is_too_dear(run, point)
                          : has_walls(run->problem->set) ? at_end
                                                         : gpis_run_lower(run) <= 0.0;
    return hopeless && run->settings->certificate != GPIS_CERTIFICATE_NONE && !gpis_run_exhausted(run) &&
           has_room(run, run->found - run->nulls);
}

gpis_status gpis_run_look_nearby(gpis_run *run, const gpis_point *point, bool *found) {
    *found = false;
    if (gpis_run_solved(run) || !needs_nearby(run, point)) return GPIS_OK;
    run->nearby_sought = true;
    gpis_status status = gpis_run_measure_nearby(run);
    *found = status == GPIS_OK && run->near_nulls > 0;
    if (*found) status = add_to_model(run, run->near_nulls, run->null + run->nulls * run->problem->d, run->nearness);
    return status;
}

/* ---- in words
 * --------------------------------------------------------------------------------------------------------
 */

typedef struct column_list {
    char text[120];
} column_list;

/* Whether column j is part of a dependence: of those that are exact, or of the others. */
static bool is_involved(const gpis_run *run, int64_t j, bool exact) {
    const int64_t begin = exact ? 0 : run->nulls, end = exact ? run->nulls : run->found;
    for (int64_t i = begin; i < end; i++)
        if (run->null[i * run->problem->d + j] != 0.0) return true;
    return false;
}

/* "'km' and 'm'", "3, 4, 7 and 12 more": as many as there is room for. */
static column_list list_columns(const gpis_run *run, bool exact) {
    enum { ROOM = 24 }; /* for " and N more" */
    column_list out = {""};
    int64_t left = 0, shown = 0;
    for (int64_t j = 0; j < run->problem->d; j++) left += is_involved(run, j, exact);
    for (int64_t j = 0; j < run->problem->d && left > 0; j++) {
        if (!is_involved(run, j, exact)) continue;
        const gpis_column_label label = gpis_source_label(run->problem->A, j);
        const size_t used = strlen(out.text);
        if (used + strlen(label.text) + ROOM > sizeof out.text) break;
        const char *between = shown == 0 ? "" : left == 1 ? " and " : ", ";
        snprintf(out.text + used, sizeof out.text - used, "%s%s", between, label.text);
        shown++;
        left--;
    }
    const size_t used = strlen(out.text);
    if (left > 0) snprintf(out.text + used, sizeof out.text - used, " and %lld more", (long long)left);
    return out;
}

/* The Gram matrix has half of the digits only: it takes a measurement, or the QR decomposition of a sketch with rows
 * enough, to say that columns are dependent to working accuracy. */
static bool is_nearly_dependent(const gpis_run *run) {
    const bool by_sketch = run->dependence_sought[true] && run->m >= 2 * run->problem->d && !run->full_rank;
    return run->found > run->nulls && (by_sketch || (run->nearness > 0.0 && run->nearness < 1e-13));
}

static void explain_lack_of_bound(gpis_run *run) {
    const bool none = gpis_run_lower(run) <= 0.0;
    if (none && run->problem->n < run->problem->d)
        gpis_run_warn(run, "A has fewer rows than columns, and for this set there is no bound then; bound x");
    else if (none && run->nulls >= run->deficit)
        gpis_run_warn(run,
                      "columns %s depend on each other exactly, and for this set there is no bound then; drop those "
                      "that the others explain, or bound x",
                      list_columns(run, true).text);
    else if ((none || run->nearby_sought) && is_nearly_dependent(run))
        gpis_run_warn(run,
                      "columns %s depend on each other to working accuracy but not exactly, so nothing %scan be proven "
                      "for this set; drop one of them, or bound x",
                      list_columns(run, false).text, none ? "" : "better ");
}

void gpis_run_explain_dependence(gpis_run *run) {
    if (!run->dependence_known || run->deficit == 0) return;
    const double backward_error = gpis_run_bound(run).backward_error;
    if (backward_error > 0.0)
        gpis_run_warn(run,
                      "columns %s depend on each other but for rounding; the bound holds for data that differ from "
                      "these by at most %.1e of each column",
                      list_columns(run, false).text, backward_error);
    else if (run->outcome != GPIS_SOLVED)
        explain_lack_of_bound(run);
}
