/* The terms of a problem besides A, Y and the set: one function each. */
#include <inttypes.h>
#include <math.h>

#include "api/problem.h"
#include "ranks/ranks.h"

/* Weights other than 0 are from 2^-300 to 2^300. Products with them then lose no digits by underflow that a bound would
 * have to count (docs/maths/certificates.md, "Underflow"). */
static const double SMALLEST_WEIGHT = 0x1p-300, LARGEST_WEIGHT = 0x1p300;

static const double no_rows[1]; /* a term of the rows on a rank that has none */

/* Whether a term with one row for each row of A has as many of them. */
static gpis_status check_rows(const gpis_problem *p, const char *name, const double *values, int64_t rows) {
    const int64_t here = gpis_ranks_rows_here(p->A);
    if (rows != here)
        return gpis_fail(p->context, GPIS_BAD_SHAPE, "%s: there are %" PRId64 " rows and A has %" PRId64 "%s", name,
                         rows, here, gpis_ranks_count(p->A) > 1 ? " on this rank" : "");
    if (!values && rows > 0)
        return gpis_fail(p->context, GPIS_BAD_ARGUMENT, "there are no %s: the array is NULL", name);
    return GPIS_OK;
}

static gpis_status check_weights(const gpis_problem *p, const double *weights, int64_t rows) {
    for (int64_t i = 0; i < rows; i++) {
        const double w = weights[i];
        if (w == 0.0 || (w >= SMALLEST_WEIGHT && w <= LARGEST_WEIGHT)) continue;
        return gpis_fail(p->context, GPIS_BAD_DATA, "weights: row %" PRId64 " is %g; a weight is %s", i + 1, w,
                         w > 0.0 ? "0 or a number from 1e-90 to 1e90" : "0 or more");
    }
    return GPIS_OK;
}

gpis_status gpis_problem_weights(gpis_problem *problem, const double *weights, int64_t rows) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    if (problem->summary) return gpis_problem_refuse_rows(problem, "weights");
    problem->weights = NULL;
    problem->refused &= ~(unsigned)GPIS_REFUSED_WEIGHTS;
    if (!weights && rows == 0 && gpis_ranks_rows_here(problem->A) > 0) return GPIS_OK;
    gpis_status status = check_rows(problem, "weights", weights, rows);
    if (status == GPIS_OK) status = check_weights(problem, weights, rows);
    if (status != GPIS_OK)
        problem->refused |= GPIS_REFUSED_WEIGHTS;
    else
        problem->weights = weights ? weights : no_rows;
    return status;
}

gpis_status gpis_problem_offset(gpis_problem *problem, const double *offset, int64_t rows, int64_t k) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    if (problem->summary) return gpis_problem_refuse_rows(problem, "an offset");
    problem->offset = NULL;
    problem->refused &= ~(unsigned)GPIS_REFUSED_OFFSET;
    if (!offset && rows == 0 && gpis_ranks_rows_here(problem->A) > 0) return GPIS_OK;
    gpis_status status = check_rows(problem, "offsets", offset, rows);
    if (status == GPIS_OK && k < 1) status = gpis_fail(problem->context, GPIS_BAD_SHAPE, "the offset has no columns");
    if (status != GPIS_OK) {
        problem->refused |= GPIS_REFUSED_OFFSET;
        return status;
    }
    problem->offset = offset ? offset : no_rows;
    problem->offset_k = k;
    return GPIS_OK;
}

gpis_status gpis_problem_intercept(gpis_problem *problem, int yes) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    problem->intercept = yes != 0;
    return GPIS_OK;
}

gpis_status gpis_problem_standardize(gpis_problem *problem, int yes) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    problem->standardize = yes != 0;
    return GPIS_OK;
}

gpis_status gpis_problem_ridge(gpis_problem *problem, double lambda) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    const bool fits = lambda >= 0.0 && isfinite(lambda);
    problem->ridge = fits ? lambda : 0.0;
    problem->refused &= ~(unsigned)GPIS_REFUSED_RIDGE;
    if (fits) return GPIS_OK;
    problem->refused |= GPIS_REFUSED_RIDGE;
    return gpis_fail(problem->context, GPIS_BAD_ARGUMENT, "the ridge must be a number from 0 on, not %g", lambda);
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

static gpis_status take_penalty(gpis_problem *problem, double lambda, const double *weights) {
    double *penalty = problem->penalty = gpis_alloc(problem->context, problem->d, sizeof *penalty);
    for (int64_t j = 0; penalty && j < problem->d; j++) penalty[j] = weights ? lambda * weights[j] : lambda;
    return penalty ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_problem_penalty(gpis_problem *problem, double lambda, const double *weights, int64_t d) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    gpis_status status = check_penalty(problem, lambda, weights, d);
    gpis_free(problem->context, problem->penalty);
    problem->penalty = NULL;
    problem->refused &= ~(unsigned)GPIS_REFUSED_PENALTY;
    if (status == GPIS_OK && lambda == 0) return GPIS_OK;
    if (status == GPIS_OK) status = take_penalty(problem, lambda, weights);
    if (status != GPIS_OK) problem->refused |= GPIS_REFUSED_PENALTY;
    return status;
}
