/* Calls of the interface with a problem that is made for them alone: A, Y with its columns, a set. */
#ifndef GPIS_TESTS_CALLS_H
#define GPIS_TESTS_CALLS_H

#include "ranks/ranks.h"
#include "support.h"

static inline gpis_status test_problem(gpis_context *context, gpis_source *A, const double *Y, int64_t k, gpis_set *set,
                                       gpis_problem **out) {
    gpis_status status = gpis_problem_create(context, A, out);
    if (status == GPIS_OK) status = gpis_problem_response(*out, Y, gpis_ranks_rows_here(A), k);
    const gpis_status constrained = *out ? gpis_problem_constrain(*out, set) : status;
    return status == GPIS_OK ? constrained : status;
}

/* Whether to make the call: also with a problem that was refused, where other ranks wait for it. */
static inline bool test_goes_on(gpis_status made, const gpis_source *A, const gpis_problem *posed) {
    return made == GPIS_OK || (posed && gpis_ranks_count(A) > 1);
}

static inline gpis_status test_solve(gpis_context *context, gpis_source *A, const double *Y, int64_t k, gpis_set *set,
                                     const gpis_settings *settings, gpis_result **result) {
    gpis_problem *posed = NULL;
    gpis_status status = test_problem(context, A, Y, k, set, &posed);
    *result = NULL;
    if (test_goes_on(status, A, posed)) status = gpis_solve(posed, settings, result);
    gpis_problem_destroy(posed);
    return status;
}

static inline gpis_status test_check(gpis_context *context, gpis_source *A, const double *Y, int64_t k, gpis_set *set,
                                     const double *X, const gpis_settings *settings, gpis_result **result) {
    gpis_problem *posed = NULL;
    gpis_status status = test_problem(context, A, Y, k, set, &posed);
    gpis_source_info shape;
    *result = NULL;
    gpis_source_describe(A, &shape);
    if (test_goes_on(status, A, posed)) status = gpis_check(posed, X, shape.cols * k, settings, result);
    gpis_problem_destroy(posed);
    return status;
}

/* Of k responses: as many as the set is made for. */
static inline gpis_status test_plan(gpis_context *context, gpis_source *A, gpis_set *set, const gpis_settings *settings,
                                    gpis_plan **plan) {
    gpis_problem *posed = NULL;
    *plan = NULL;
    gpis_status status = gpis_problem_create(context, A, &posed);
    if (status == GPIS_OK) status = gpis_problem_constrain(posed, set);
    if (status == GPIS_OK) status = gpis_plan_make(posed, settings, plan);
    gpis_problem_destroy(posed);
    return status;
}

static inline gpis_status test_evaluate_with(gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                                             const double *X, double *objective, double *G, const double *V,
                                             int64_t count, double *AAV) {
    gpis_problem *posed = NULL;
    gpis_status status = test_problem(context, A, Y, k, NULL, &posed);
    gpis_source_info shape;
    gpis_source_describe(A, &shape);
    int64_t entries = 0;
    gpis_checked_mul(shape.cols, k, &entries);
    if (test_goes_on(status, A, posed)) status = gpis_evaluate_with(posed, X, entries, objective, G, V, count, AAV);
    gpis_problem_destroy(posed);
    return status;
}

static inline gpis_status test_evaluate(gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                                        const double *X, double *objective, double *G) {
    return test_evaluate_with(context, A, Y, k, X, objective, G, NULL, 0, NULL);
}

/* k = 0: a problem without a response. */
static inline gpis_status test_sketch(gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                                      const char *kind, int64_t m, uint64_t seed, uint64_t round, double *SA,
                                      double *SY) {
    gpis_problem *posed = NULL;
    gpis_status status = k > 0 ? test_problem(context, A, Y, k, NULL, &posed) : gpis_problem_create(context, A, &posed);
    if (test_goes_on(status, A, posed)) status = gpis_sketch_rows(posed, kind, m, seed, round, SA, SY);
    gpis_problem_destroy(posed);
    return status;
}

#endif
