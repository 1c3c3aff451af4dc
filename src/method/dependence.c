/* Null vectors of A: when they are looked for, how they are guessed and proven. */
#include "method/dependence.h"

#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "linalg/null_vectors.h"

/* ---- whether to look ---- */

/* The model is flat in some direction, and the bounds of this set cannot bear that. A recession cone that is known only
 * up to rounding cannot even bear columns of zeros. A bounded set can bear a Gram matrix with a shift, at a price
 * (gpis_run_reconsider_dependence); so can a penalty (certificate/penalised.h), and there are no bounds by null vectors
 * with one. */
static bool is_too_flat(const gpis_curvature *curvature) {
    const gpis_model *m = curvature->model;
    const gpis_set *set = curvature->problem->set;
    bool zeros = false;
    for (int64_t j = 0; j < m->d; j++) zeros = zeros || m->H[j * (m->d + 1)] == 0.0;
    if (set->penalty) return false;
    if (gpis_set_is_bounded(set)) return curvature->sketched && m->shift > 0.0;
    return m->shift > 0.0 || (zeros && !set->exact_recession);
}

/* Points are measured from the summary, and without the free constant K is bounded: the first-order bound, which is
 * made of such a point (certificate/centred.h), may be all that is needed. */
static bool may_need_no_model(const gpis_run *run) {
    const gpis_set *core = run->problem->core;
    return run->by_summary && core && gpis_set_is_bounded(core);
}

/* What the shift takes from the second-order bound of a bounded set is more than half of the tolerance. */
static bool is_too_dear(const gpis_curvature *curvature, double tol, const gpis_point *point) {
    const gpis_problem *p = curvature->problem;
    const double reach = gpis_set_radius(p->set) + gpis_norm2(point->x, p->size);
    const double largest2 = gpis_curvature_largest_norm2(curvature);
    return !curvature->sketched && isfinite(reach) && !p->set->penalty &&
           curvature->model->slack * largest2 * reach * reach > 0.5 * tol * point->objective;
}

/* Whether there is memory for `count` null vectors, the guesses at them, and the passes that try and measure those. */
static bool has_memory(const gpis_problem *p, int64_t count) {
    const gpis_load trying =
        gpis_load_with_terms(gpis_load_worst(p->d, p->k, GPIS_GUESSES * count, 0, false), &p->terms);
    const gpis_load measuring = gpis_load_with_terms(gpis_load_worst(p->d, count, 0, 0, false), &p->terms);
    const double pass =
        fmax(gpis_pass_memory(p->context, p->A, &trying), gpis_pass_memory(p->context, p->A, &measuring));
    const double vectors = (double)(p->d * (2 * p->d + GPIS_MAX_NULL_VECTORS + 2 * GPIS_GUESSES * count)) +
                           (double)GPIS_MAX_NULL_VECTORS * GPIS_MAX_NULL_VECTORS;
    return 8.0 * vectors + 4e6 + pass <= (double)gpis_account_left(p->context);
}

/* Null vectors are looked for once in a sketch, which may be a bad one, and once in the Gram matrix. When no further
 * pass may be made they are not looked for, with one exception: a run that has measured nothing yet will make its next
 * pass in any case, and what a checkpoint holds must not depend on limits. */
static bool may_look(const gpis_run *run) {
    const gpis_curvature *curvature = &run->curvature;
    const gpis_dependence *dependence = &curvature->dependence;
    const bool all_known = dependence->known && dependence->exact >= dependence->deficit;
    const bool at_start = curvature->sketched && !isfinite(run->record.known_objective);
    const bool may_try = at_start || !gpis_run_exhausted(run) || !gpis_run_has_rows(run);
    return !all_known && !dependence->sought[curvature->sketched] && may_try && has_memory(run->problem, 1);
}

/* The same for the sake of bounds. */
static bool may_look_for_bounds(const gpis_run *run) {
    return run->settings->certificate != GPIS_CERTIFICATE_NONE && may_look(run);
}

/* ---- guesses, and their proof ---- */

/* Guesses at the null vectors near the rows of dependence->vectors. */
typedef struct guesses {
    double *V;   /* owned: rows of d entries */
    int64_t *of; /* owned: which row each guess is for, in ascending order */
    int64_t count;
    double *misses; /* part of V: rows of A for which A v = 0 is not shown */
} guesses;

/* Moves rows of d - 1 entries apart, from the last on, and gives each a 1 at its end. */
static void add_ones(double *rows, int64_t count, int64_t d) {
    for (int64_t i = count - 1; i >= 0; i--) {
        rows[i * d + d - 1] = 1.0;
        memmove(rows + i * d, rows + i * (d - 1), (size_t)(d - 1) * sizeof *rows);
    }
}

/* The first rows of A that are on this rank: their entries serve as guesses. */
static gpis_status read_rows(const gpis_problem *p, double **rows, int64_t *count) {
    enum { MAX_ROWS = 64, MAX_ENTRIES = 1 << 18 };
    gpis_source *here = gpis_source_piece(p->A);
    *rows = NULL;
    *count = here ? gpis_min64(here->n, gpis_max64(1, gpis_min64(MAX_ROWS, MAX_ENTRIES / p->d))) : 0;
    if (*count == 0) return GPIS_OK;
    *rows = gpis_alloc(p->context, *count * p->d, sizeof **rows);
    const gpis_status status = *rows ? gpis_source_rows(p->context, here, 0, *count, *rows) : GPIS_NO_MEMORY;
    if (status == GPIS_OK && p->terms.constant) add_ones(*rows, *count, p->d);
    return status;
}

static gpis_status guess(const gpis_curvature *curvature, const int64_t *own, guesses *g) {
    const gpis_problem *p = curvature->problem;
    const gpis_dependence *dependence = &curvature->dependence;
    const int64_t d = p->d, most = GPIS_GUESSES * dependence->found;
    double *rows = NULL;
    int64_t count = 0;
    g->V = gpis_alloc(p->context, most * (d + 1), sizeof *g->V);
    g->of = gpis_alloc(p->context, most, sizeof *g->of);
    gpis_status status = g->V && g->of ? read_rows(p, &rows, &count) : GPIS_NO_MEMORY;
    for (int64_t i = 0; status == GPIS_OK && i < dependence->found; i++) {
        const double *v = dependence->vectors + i * d;
        int made = gpis_null_vectors_guess(curvature->model, v, own[i], rows, count, g->V + g->count * d);
        for (; made > 0; made--) g->of[g->count++] = i;
    }
    if (status == GPIS_OK) g->misses = g->V + most * d;
    gpis_free(p->context, rows);
    return status;
}

/* Without rows: a combination of columns of zeros is zero, and of others nothing is known. */
static void judge_guesses(const gpis_run *run, const guesses *g) {
    const int64_t d = run->problem->d;
    for (int64_t i = 0; i < g->count; i++) {
        g->misses[i] = 0.0;
        for (int64_t j = 0; j < d; j++)
            if (g->V[i * d + j] != 0.0 && run->curvature.norms2[j] != 0.0) g->misses[i] = 1.0;
    }
}

/* One pass over A in arithmetic that loses nothing. */
static gpis_status try_guesses(gpis_run *run, const guesses *g) {
    const gpis_problem *p = run->problem;
    if (!gpis_run_has_rows(run)) {
        judge_guesses(run, g);
        return GPIS_OK;
    }
    double *columns = gpis_alloc(run->context, p->d * g->count, sizeof *columns);
    if (!columns) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < g->count; i++)
        for (int64_t j = 0; j < p->d; j++) columns[j * g->count + i] = g->V[i * p->d + j];
    const gpis_pass pass = {.k = p->k, .V = columns, .probes = g->count, .misses = g->misses};
    const gpis_status status = gpis_run_pass(run, &pass, 0.5 * (double)g->count / (double)p->k);
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

/* Each row is replaced by the first of its guesses that holds exactly or, where none does, by its first guess. Exact
 * rows come first. */
static void take_guesses(gpis_dependence *dependence, int64_t d, const guesses *g) {
    for (int64_t i = 0, at = 0; i < dependence->found; i++) {
        const int64_t first = at;
        int64_t best = -1;
        for (; at < g->count && g->of[at] == i; at++)
            if (best < 0 && g->misses[at] == 0.0) best = at;
        double *v = dependence->vectors + i * d;
        if (at > first) memcpy(v, g->V + (best < 0 ? first : best) * d, (size_t)d * sizeof *v);
        if (best >= 0) swap(d, v, dependence->vectors + dependence->exact++ * d);
    }
}

static gpis_status prove(gpis_run *run, const int64_t *own) {
    guesses g = {0};
    gpis_status status = guess(&run->curvature, own, &g);
    if (status == GPIS_OK && g.count > 0) status = try_guesses(run, &g);
    if (status == GPIS_OK) take_guesses(&run->curvature.dependence, run->problem->d, &g);
    gpis_free(run->context, g.V);
    gpis_free(run->context, g.of);
    return status;
}

/* Looks for `most` null vectors. Where there is no memory for them, only their number is known afterwards. */
static gpis_status find(gpis_run *run, int64_t most) {
    const gpis_problem *p = run->problem;
    gpis_dependence *dependence = &run->curvature.dependence;
    int64_t own[GPIS_MAX_NULL_VECTORS];
    if (!dependence->vectors)
        dependence->vectors = gpis_alloc(run->context, GPIS_MAX_NULL_VECTORS * p->d, sizeof *dependence->vectors);
    if (!dependence->vectors) return GPIS_NO_MEMORY;
    dependence->sought[run->curvature.sketched] = true;
    dependence->exact = dependence->near = 0;
    gpis_status status = gpis_null_vectors_find(run->curvature.model, most, dependence->vectors, own,
                                                &dependence->found, &dependence->deficit);
    if (!has_memory(p, dependence->found)) dependence->found = 0;
    if (status == GPIS_OK && dependence->found > 0) status = prove(run, own);
    if (status != GPIS_OK) dependence->exact = dependence->found = 0;
    dependence->known = status == GPIS_OK;
    return status;
}

/* Gives the exact null vectors, if there are any, to the model. */
static gpis_status tell_model(gpis_curvature *curvature) {
    const gpis_dependence *dependence = &curvature->dependence;
    if (dependence->exact == 0) return GPIS_OK;
    return gpis_curvature_add_null(curvature, dependence->exact, dependence->vectors, 0.0);
}

gpis_status gpis_run_settle_dependence(gpis_run *run) {
    const bool due = is_too_flat(&run->curvature) && !may_need_no_model(run);
    const gpis_status status = due && may_look_for_bounds(run) ? find(run, GPIS_MAX_NULL_VECTORS) : GPIS_OK;
    return status == GPIS_OK && !run->problem->set->penalty ? tell_model(&run->curvature) : status;
}

gpis_status gpis_run_reconsider_dependence(gpis_run *run, const gpis_point *point) {
    gpis_curvature *curvature = &run->curvature;
    const bool due =
        is_too_dear(curvature, run->settings->tol, point) || (is_too_flat(curvature) && !may_need_no_model(run));
    if (curvature->model->nulls > 0 || !due || !may_look_for_bounds(run)) return GPIS_OK;
    const gpis_status status = find(run, GPIS_MAX_NULL_VECTORS);
    return status == GPIS_OK ? tell_model(curvature) : status;
}

/* Null vectors that the run knows of, but has neither proven nor measured. Where A has fewer rows than columns, and the
 * rank of its rows, there is no doubt about them. */
static bool has_doubtful(const gpis_run *run) {
    const gpis_problem *p = run->problem;
    const gpis_dependence *dependence = &run->curvature.dependence;
    const bool certain = p->n < p->d && dependence->deficit == p->d - p->n;
    return dependence->known && !certain && dependence->found > dependence->exact && !dependence->near_sought &&
           run->curvature.norms_known && !gpis_run_exhausted(run) &&
           has_memory(p, dependence->found - dependence->exact);
}

gpis_status gpis_run_seek_dependence(gpis_run *run) {
    enum { A_FEW = 16 }; /* with a set more are not worth their pass, since no bound needs them any more */
    const bool whole = run->problem->set->shape == GPIS_SHAPE_WHOLE;
    const gpis_model *model = run->curvature.model;
    gpis_dependence *dependence = &run->curvature.dependence;
    if (!model || gpis_model_has_full_rank(model)) return GPIS_OK;
    gpis_status status = GPIS_OK;
    if (model->nulls == 0 && may_look(run)) status = find(run, whole ? GPIS_MAX_NULL_VECTORS : A_FEW);
    if (status != GPIS_OK || !has_doubtful(run)) return status;
    dependence->near_sought = true;
    return gpis_run_measure_nearby(run);
}

/* ---- null vectors except for rounding ---- */

/* Every entry has a bound on one side at least. Then there may be a proof all the same (certificate/interior.h). */
static bool has_walls(const gpis_set *set) {
    for (int64_t j = 0; j < set->d; j++) {
        double lo = -INFINITY, hi = INFINITY;
        if (set->class->bounds) set->class->bounds(set, j, &lo, &hi);
        if (isinf(lo) && isinf(hi)) return false;
    }
    return true;
}

/* All that the model is flat along is known, and is not exact. */
static bool knows_all_directions(const gpis_dependence *dependence) {
    return dependence->known && dependence->found >= dependence->deficit && dependence->found != dependence->exact;
}

/* Nothing is proven for A itself, and nothing will be: there is no bound at all for this set; or the run no longer
 * improves, not even in extended precision; or it is an audit, which has no rounds. */
static bool has_no_proof(const gpis_run *run, const gpis_point *point) {
    const gpis_set *set = run->problem->set;
    const bool at_end = run->audit || (run->record.idle && run->extended);
    if (gpis_set_is_bounded(set)) return at_end && is_too_dear(&run->curvature, run->settings->tol, point);
    return has_walls(set) ? at_end : gpis_record_lower(&run->record) <= 0.0;
}

static bool needs_nearby(const gpis_run *run, const gpis_point *point) {
    const gpis_curvature *curvature = &run->curvature;
    const gpis_dependence *dependence = &curvature->dependence;
    const gpis_model *model = curvature->model;
    if (run->problem->set->penalty) return false;
    if (curvature->sketched || !(model->slack > 0.0) || model->nearness > 0.0 || dependence->near_sought) return false;
    return knows_all_directions(dependence) && has_no_proof(run, point) &&
           run->settings->certificate != GPIS_CERTIFICATE_NONE && !gpis_run_exhausted(run) &&
           has_memory(run->problem, dependence->found - dependence->exact);
}

gpis_status gpis_run_look_nearby(gpis_run *run, const gpis_point *point, bool *found) {
    gpis_dependence *dependence = &run->curvature.dependence;
    *found = false;
    if (gpis_record_is_solved(&run->record) || !needs_nearby(run, point)) return GPIS_OK;
    dependence->near_sought = true;
    const gpis_status status = gpis_run_measure_nearby(run);
    if (status != GPIS_OK || dependence->near == 0) return status;
    *found = true;
    return gpis_curvature_add_null(&run->curvature, dependence->near,
                                   dependence->vectors + dependence->exact * run->problem->d, dependence->nearness);
}
