/*
 * Dependent columns in a run. Where the model is flat, bounds are loose or there is none. So the null vectors behind
 * that are guessed from the model (linalg/dependent.h), proven by one pass over A, and given to this model and all
 * later ones. What cannot be proven is told to the caller in words.
 */
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "method/run.h"

/* Flat somewhere, and the bounds of this set do not bear it. A cone that is known only up to rounding does not even
 * bear columns of zeros. A bounded set bears a Gram matrix with a shift, and pays for it: gpis_run_reconsider_model. */
static bool is_too_flat(const gpis_run *run) {
    const gpis_model *m = run->model;
    bool zeros = false;
    for (int64_t j = 0; j < m->d; j++) zeros = zeros || m->H[j * (m->d + 1)] == 0.0;
    if (gpis_set_is_bounded(run->set)) return run->sketched && m->shift > 0.0;
    return m->shift > 0.0 || (zeros && !run->set->exact_recession);
}

/* What the shift takes from the second-order bound of a bounded set is more than the tolerance can bear. */
static bool is_too_dear(const gpis_run *run, const gpis_point *point) {
    const double reach = gpis_set_radius(run->set) + gpis_norm2(point->x, run->size);
    double largest2 = 0.0;
    for (int64_t j = 0; j < run->d; j++) largest2 = fmax(largest2, run->norms2[j]);
    return !run->sketched && run->model->nulls == 0 && isfinite(reach) &&
           run->model->slack * largest2 * reach * reach > 0.5 * run->settings->tol * point->objective;
}

/* It is looked for once in a sketch, which may be a bad one, and once in the Gram matrix. Where no pass may be made any
 * more it is not, but for a run that has nothing yet: its next pass will be made in any case, and what a checkpoint
 * holds must not depend on limits. */
static bool is_possible(const gpis_run *run) {
    const gpis_load load = gpis_load_worst(run->d, run->k, GPIS_NULLS, 0, false);
    const double room =
        8.0 * (double)(run->d * (2 * run->d + 4 * GPIS_NULLS)) + 1e6 + gpis_pass_memory(run->context, run->A, &load);
    const bool all_known = run->dependence_known && run->nulls >= run->dependence.deficit;
    const bool at_start = run->sketched && !isfinite(run->measured);
    return !all_known && !run->dependence_sought[run->sketched] &&
           run->settings->certificate != GPIS_CERTIFICATE_NONE && (at_start || !gpis_run_exhausted(run)) &&
           room <= (double)gpis_account_left(run->context);
}

/* Leaves those of the guesses for which A v = 0; of one that fails its columns are noted. */
static gpis_status prove(gpis_run *run) {
    const int64_t d = run->d, guesses = run->nulls;
    double *N = run->null, *V = gpis_alloc(run->context, (d + 1) * guesses, sizeof *V), *misses = V + d * guesses;
    if (!V) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < guesses; i++)
        for (int64_t j = 0; j < d; j++) V[j * guesses + i] = N[i * d + j];
    const gpis_pass pass = {.k = run->k, .V = V, .probes = guesses, .misses = misses};
    const gpis_status status = gpis_run_pass(run, &pass, 0.5 * (double)guesses / (double)run->k);
    run->nulls = 0;
    for (int64_t i = 0; status == GPIS_OK && i < guesses; i++)
        if (misses[i] == 0.0)
            memmove(N + run->nulls++ * d, N + i * d, (size_t)d * sizeof *N);
        else
            gpis_dependent_columns(run->model, N + i * d, run->dependence.columns);
    gpis_free(run->context, V);
    return status;
}

static gpis_status find(gpis_run *run) {
    if (!run->null) run->null = gpis_alloc(run->context, GPIS_NULLS * run->d, sizeof *run->null);
    if (!run->null) return GPIS_NO_MEMORY;
    run->dependence_sought[run->sketched] = true;
    gpis_status status = gpis_dependent_find(run->model, GPIS_NULLS, run->null, &run->nulls, &run->dependence);
    if (status == GPIS_OK && run->nulls > 0) status = prove(run);
    if (status != GPIS_OK) run->nulls = 0;
    run->dependence_known = status == GPIS_OK;
    return status;
}

gpis_status gpis_run_settle_dependence(gpis_run *run) {
    const gpis_status status = is_too_flat(run) && is_possible(run) ? find(run) : GPIS_OK;
    return status == GPIS_OK && run->nulls > 0 ? gpis_model_add_null(run->model, run->nulls, run->null) : status;
}

gpis_status gpis_run_reconsider_model(gpis_run *run, const gpis_point *point) {
    if (!is_too_dear(run, point) || !is_possible(run)) return GPIS_OK;
    gpis_status status = find(run);
    if (status != GPIS_OK || run->nulls == 0) return status;
    gpis_inner_destroy(run->inner);
    run->inner = NULL;
    status = gpis_model_add_null(run->model, run->nulls, run->null);
    return status == GPIS_OK ? gpis_inner_create(run->context, run->set, run->model, NULL, &run->inner) : status;
}

/* The Gram matrix has half of the digits only: it takes the QR decomposition of a sketch with rows enough to say that
 * columns are dependent to working accuracy. */
static bool is_nearly_dependent(const gpis_run *run) {
    return run->dependence_sought[true] && run->m >= 2 * run->d && !run->full_rank;
}

void gpis_run_explain_dependence(gpis_run *run) {
    const gpis_dependence *found = &run->dependence;
    if (!run->dependence_known || found->deficit == 0 || gpis_run_lower(run) > 0.0) return;
    if (run->n < run->d)
        gpis_run_warn(run,
                      "A has fewer rows than columns, and for this set there is no bound then; take a bounded set");
    else if (run->nulls >= found->deficit)
        gpis_run_warn(run,
                      "%lld columns depend on others exactly, and for this set there is no bound then; drop them, or "
                      "take a bounded set",
                      (long long)run->nulls);
    else if (is_nearly_dependent(run))
        gpis_run_warn(run,
                      "columns %lld and %lld, perhaps with others, depend on each other to working accuracy but not "
                      "exactly, so nothing can be proven for this set; drop one of them, or take a bounded set",
                      (long long)found->columns[0] + 1, (long long)found->columns[1] + 1);
}
