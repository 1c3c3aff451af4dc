/* gpis_problem: what is solved, one function for each term. */
#include "api/problem.h"

#include "ranks/ranks.h"

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
    if (problem->summary) return gpis_problem_refuse_rows(problem, "y");
    const int64_t here = gpis_ranks_rows_here(problem->A);
    int64_t size;
    problem->Y = NULL;
    problem->k = problem->size = 0;
    problem->refused |= GPIS_REFUSED_RESPONSE;
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
    problem->refused &= ~(unsigned)GPIS_REFUSED_RESPONSE;
    return GPIS_OK;
}

gpis_status gpis_problem_refuse_rows(const gpis_problem *problem, const char *what) {
    return gpis_fail(problem->context, GPIS_NOT_APPLICABLE,
                     "%s cannot be given to a problem of a summary: those of its rows are in the sums already", what);
}

gpis_status gpis_problem_refuse_shape(const gpis_problem *problem, const gpis_set *set, int64_t k) {
    const bool can_change = set->d == problem->d && !set->matrix;
    return gpis_fail(problem->context, GPIS_BAD_SHAPE,
                     "the set is for %lld x %lld coefficients, the data for %lld x %lld%s", (long long)set->d,
                     (long long)set->k, (long long)problem->d, (long long)k,
                     can_change ? "; gpis_set_responses makes it one for other responses" : "");
}

gpis_status gpis_problem_constrain(gpis_problem *problem, gpis_set *set) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    const bool foreign = set && set->context != problem->context;
    const bool refused = foreign || (set && set->d != problem->d);
    problem->refused = (problem->refused & ~(unsigned)GPIS_REFUSED_SET) | (refused ? GPIS_REFUSED_SET : 0);
    problem->set = refused ? NULL : set;
    if (foreign)
        return gpis_fail(problem->context, GPIS_BAD_ARGUMENT, "set %.150s: it was made with another context",
                         set->spec);
    return refused ? gpis_problem_refuse_shape(problem, set, problem->k > 0 ? problem->k : set->k) : GPIS_OK;
}

/* What all ranks must have alike. */
typedef struct common {
    int64_t k; /* columns of y; 0: none is needed */
    double ridge;
    bool weights, intercept, standardize;
} common;

static gpis_status compare(const gpis_problem *problem, const common *wanted) {
    gpis_context *context = problem->context;
    const int64_t k = wanted->k;
    if (k > 0 && problem->k < 1)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the problem has no y here, and on rank 0 it has");
    if (k > 0 && problem->k != k)
        return gpis_fail(context, GPIS_BAD_SHAPE, "y has %lld columns here and %lld on rank 0", (long long)problem->k,
                         (long long)k);
    if (wanted->weights != (problem->weights != NULL))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the problem has weights on some ranks only");
    if (wanted->intercept == problem->intercept && wanted->standardize == problem->standardize &&
        wanted->ridge == problem->ridge)
        return GPIS_OK;
    return gpis_fail(context, GPIS_BAD_ARGUMENT,
                     "intercept, standardize and ridge are not the same here and on rank 0");
}

gpis_status gpis_problem_agree(const gpis_problem *problem, int64_t k, gpis_status status) {
    const gpis_source *A = problem->A;
    common wanted = {.k = k,
                     .ridge = problem->ridge,
                     .weights = problem->weights != NULL,
                     .intercept = problem->intercept,
                     .standardize = problem->standardize};
    status = gpis_ranks_agree(A, status);
    if (status == GPIS_OK) status = gpis_ranks_share(A, &wanted, sizeof wanted);
    return status == GPIS_OK ? gpis_ranks_agree(A, compare(problem, &wanted)) : status;
}

gpis_problem gpis_problem_rows(const gpis_problem *given) {
    static const unsigned RELEVANT = GPIS_REFUSED_RESPONSE | GPIS_REFUSED_WEIGHTS | GPIS_REFUSED_OFFSET;
    gpis_problem rows = *given;
    rows.intercept = true;
    rows.standardize = false;
    rows.ridge = 0.0;
    rows.penalty = NULL;
    rows.set = NULL;
    rows.refused &= RELEVANT;
    return rows;
}
