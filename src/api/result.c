/* Results: made, shared between ranks, read, destroyed. */
#include "api/result.h"

#include <math.h>

#include "ranks/ranks.h"

const char *gpis_gap_kind_text(gpis_gap_kind kind) {
    switch (kind) {
    case GPIS_GAP_PROVEN: return "proven";
    case GPIS_GAP_PROBABLE: return "probable";
    default: return "none";
    }
}

double gpis_relative_gap(const gpis_result *result) {
    if (!result) return INFINITY;
    const double lower = result->objective - result->gap;
    return lower > 0.0 ? result->gap / lower : INFINITY;
}

/* Lets the caller see the texts and x of this very result. */
static void point_to_own(gpis_made_result *result) {
    result->seen.method = result->method;
    result->seen.plan = result->plan;
    result->seen.warning = result->warning;
    result->seen.checkpoint_trouble = result->checkpoint_trouble;
    result->seen.unique_reason = result->unique_reason;
    result->seen.x = result->x;
    result->seen.intercept = result->constant ? result->x + result->seen.d * result->seen.k : NULL;
}

gpis_status gpis_result_create(const gpis_problem *problem, gpis_made_result **out) {
    gpis_made_result *result = gpis_alloc_zero(problem->context, 1, sizeof *result);
    *out = result;
    if (!result) return GPIS_NO_MEMORY;
    result->context = problem->context;
    result->seen.d = problem->A->d;
    result->constant = problem->terms.constant;
    result->seen.k = problem->k;
    result->seen.unique = -1;
    result->x = gpis_alloc_zero(problem->context, problem->size, sizeof *result->x);
    point_to_own(result);
    return result->x ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_result_share(const gpis_problem *problem, gpis_made_result *result) {
    double *x = result->x; /* these bytes of rank 0 mean nothing here */
    gpis_context *context = result->context;
    const gpis_status status = gpis_ranks_share(problem->A, result, sizeof *result);
    result->x = x;
    result->context = context;
    point_to_own(result);
    return status == GPIS_OK ? gpis_ranks_share_numbers(problem->A, x, problem->size) : status;
}

void gpis_result_destroy(gpis_result *result) {
    gpis_made_result *made = (gpis_made_result *)result;
    if (!made) return;
    gpis_free(made->context, made->x);
    gpis_free(made->context, made);
}
