/* gpis_problem: what is solved, one function for each term. */
#include "api/problem.h"

#include <math.h>

#include "ranks/ranks.h"
#include "set/extend.h"

gpis_status gpis_problem_create(gpis_context *context, gpis_source *A, gpis_problem **out) {
    if (out) *out = NULL;
    if (!context || !A || !out)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a problem needs a context, A and a place to put it");
    gpis_problem *problem = gpis_alloc_zero(context, 1, sizeof *problem);
    const gpis_status status = gpis_ranks_agree(A, problem ? GPIS_OK : GPIS_NO_MEMORY);
    if (status != GPIS_OK) {
        gpis_free(context, problem);
        return status;
    }
    *problem = (gpis_problem){.context = context, .A = A, .n = A->n, .d = A->d};
    *out = problem;
    return GPIS_OK;
}

void gpis_problem_destroy(gpis_problem *problem) {
    if (!problem) return;
    gpis_free(problem->context, problem->penalty);
    gpis_free(problem->context, problem);
}

static const double no_rows[1]; /* the response on a rank without rows, which need not have an array */

gpis_status gpis_problem_response(gpis_problem *problem, const double *Y, int64_t rows, int64_t k) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    const int64_t here = gpis_ranks_rows_here(problem->A);
    int64_t size;
    problem->Y = NULL;
    problem->k = problem->size = 0;
    problem->response_refused = true;
    if (rows != here)
        return gpis_fail(problem->context, GPIS_BAD_SHAPE,
                         "y has %lld rows and A has %lld%s; y needs one row for each row of A", (long long)rows,
                         (long long)here, gpis_ranks_count(problem->A) > 1 ? " on this rank" : "");
    if (k < 1) return gpis_fail(problem->context, GPIS_BAD_SHAPE, "y has no columns");
    if (!Y && rows > 0) return gpis_fail(problem->context, GPIS_BAD_ARGUMENT, "there is no y: its array is NULL");
    if (!gpis_checked_mul(problem->d, k, &size))
        return gpis_fail(problem->context, GPIS_TOO_LARGE, "x of %lld x %lld coefficients is too large",
                         (long long)problem->d, (long long)k);
    problem->Y = Y ? Y : no_rows;
    problem->k = k;
    problem->size = size;
    problem->response_refused = false;
    return GPIS_OK;
}

static gpis_status wrong_shape(const gpis_problem *problem, const gpis_set *set, int64_t k) {
    const bool can_change = set->d == problem->d && !set->matrix;
    return gpis_fail(problem->context, GPIS_BAD_SHAPE,
                     "the set is for %lld x %lld coefficients, the data for %lld x %lld%s", (long long)set->d,
                     (long long)set->k, (long long)problem->d, (long long)k,
                     can_change ? "; gpis_set_responses makes it one for other responses" : "");
}

gpis_status gpis_problem_constrain(gpis_problem *problem, gpis_set *set) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    const bool foreign = set && set->context != problem->context;
    problem->set_refused = foreign || (set && set->d != problem->d);
    problem->set = problem->set_refused ? NULL : set;
    if (foreign)
        return gpis_fail(problem->context, GPIS_BAD_ARGUMENT, "set %.150s: it was made with another context",
                         set->spec);
    return problem->set_refused ? wrong_shape(problem, set, problem->k > 0 ? problem->k : set->k) : GPIS_OK;
}

static gpis_status check_penalty(const gpis_problem *problem, double lambda, const double *weights, int64_t d) {
    char text[GPIS_NUMBER_TEXT];
    gpis_number_text(lambda, text);
    if (!(lambda >= 0 && isfinite(lambda)))
        return gpis_fail(problem->context, GPIS_BAD_ARGUMENT, "the penalty must be finite and >= 0, not %s", text);
    if (d != problem->d)
        return gpis_fail(problem->context, GPIS_BAD_SHAPE,
                         "the penalty is for %lld coefficients, and A has %lld columns", (long long)d,
                         (long long)problem->d);
    for (int64_t j = 0; weights && j < d; j++) {
        if (weights[j] >= 0 && isfinite(lambda * weights[j])) continue;
        gpis_number_text(weights[j], text);
        return gpis_fail(problem->context, GPIS_BAD_ARGUMENT,
                         "the weight of entry %lld in the penalty must be finite and >= 0, not %s", (long long)j + 1,
                         text);
    }
    return GPIS_OK;
}

gpis_status gpis_problem_penalty(gpis_problem *problem, double lambda, const double *weights, int64_t d) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    gpis_status status = check_penalty(problem, lambda, weights, d);
    gpis_free(problem->context, problem->penalty);
    problem->penalty = NULL;
    problem->penalty_refused = status != GPIS_OK;
    if (status != GPIS_OK || lambda == 0) return status;
    problem->penalty = gpis_alloc(problem->context, d, sizeof *problem->penalty);
    problem->penalty_refused = !problem->penalty;
    for (int64_t j = 0; problem->penalty && j < d; j++) problem->penalty[j] = weights ? lambda * weights[j] : lambda;
    return problem->penalty ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_problem_agree(const gpis_problem *problem, int64_t k, gpis_status status) {
    const gpis_source *A = problem->A;
    status = gpis_ranks_agree(A, status);
    if (status == GPIS_OK) status = gpis_ranks_share(A, &k, sizeof k);
    if (status != GPIS_OK) return status;
    if (k > 0 && problem->k < 1)
        status = gpis_fail(problem->context, GPIS_BAD_ARGUMENT, "the problem has no y here, and on rank 0 it has");
    else if (k > 0 && problem->k != k)
        status = gpis_fail(problem->context, GPIS_BAD_SHAPE, "y has %lld columns here and %lld on rank 0",
                           (long long)problem->k, (long long)k);
    return gpis_ranks_agree(A, status);
}

/* K of a problem without a set: every X. */
static gpis_status make_every_x(const gpis_problem *given, gpis_set **out) {
    const gpis_status status = gpis_set_none(given->context, given->d, out);
    return status == GPIS_OK ? gpis_set_responses(*out, given->k) : status;
}

/* The set of the complete problem: K with its penalty. */
static gpis_status complete_set(const gpis_problem *given, gpis_problem *complete, gpis_set **made) {
    gpis_set *every_x = NULL;
    gpis_status status = GPIS_OK;
    if (given->set && given->set->k != given->k) return wrong_shape(given, given->set, given->k);
    if (!given->set) status = make_every_x(given, &every_x);
    if (given->penalty && status == GPIS_OK) {
        status = gpis_set_extend(given->context, given->set ? given->set : every_x,
                                 &(gpis_extension){.penalty = given->penalty}, made);
        gpis_set_destroy(every_x);
    } else {
        *made = every_x;
    }
    if (*made) complete->set = *made;
    return status;
}

gpis_status gpis_problem_complete(const gpis_problem *given, gpis_problem *complete, gpis_set **made) {
    *complete = *given;
    *made = NULL;
    if (given->response_refused)
        return gpis_fail(given->context, GPIS_BAD_ARGUMENT,
                         "the problem has no y: the one that was given did not fit; give it another one by "
                         "gpis_problem_response");
    if (given->k < 1)
        return gpis_fail(given->context, GPIS_BAD_ARGUMENT,
                         "the problem has no y: give it one by gpis_problem_response");
    if (given->set_refused)
        return gpis_fail(given->context, GPIS_BAD_SHAPE, "the set of the problem did not fit; give it another one");
    if (given->penalty_refused)
        return gpis_fail(given->context, GPIS_BAD_ARGUMENT,
                         "the penalty of the problem was refused; give it another one");
    return complete_set(given, complete, made);
}
