/* The building blocks as public functions, each one pass over A. On several ranks rank 0 makes the pass, and the others
 * serve it their rows. */
#include "api/complete.h"
#include "api/problem.h"
#include "linalg/blas.h"
#include "ranks/ranks.h"

#include <omp.h>

/* Makes BLAS ready, on all ranks or on none, where each of them has what rank 0 will ask for: k columns of y.
 * gpis_blas_leave(*outside) is called in any case. */
static gpis_status begin(const gpis_problem *problem, int64_t k, gpis_status status, int *outside) {
    *outside = omp_get_max_threads();
    if (status == GPIS_OK) status = gpis_blas_enter(problem->context, problem->context->threads, outside);
    return gpis_problem_agree(problem, k, status);
}

/* ---- evaluate ---------------------------------------------------------------------------------------------------- */

static gpis_status check_evaluation(const gpis_problem *p, const double *X, int64_t entries, const double *objective,
                                    const double *V, int64_t count, const double *AAV) {
    if (p->k < 1 || !X || !objective)
        return gpis_fail(p->context, GPIS_BAD_ARGUMENT, "an evaluation needs y, x and a place for the objective");
    if (entries != p->size)
        return gpis_fail(p->context, GPIS_BAD_SHAPE, "x has %lld entries and needs %lld x %lld", (long long)entries,
                         (long long)p->d, (long long)p->k);
    if (count < 0 || (count > 0) != (V != NULL) || (count > 0) != (AAV != NULL))
        return gpis_fail(p->context, GPIS_BAD_ARGUMENT,
                         "vectors to carry along are %lld vectors V and a place for A'A V, or none of these",
                         (long long)count);
    return GPIS_OK;
}

gpis_status gpis_evaluate(const gpis_problem *problem, const double *X, int64_t entries, double *objective, double *G) {
    return gpis_evaluate_with(problem, X, entries, objective, G, NULL, 0, NULL);
}

static gpis_status evaluate(const gpis_problem *p, const double *X, int64_t entries, double *objective, double *G,
                            const double *V, int64_t count, double *AAV) {
    const gpis_pass pass = {.k = p->k,
                            .Y = p->Y,
                            .terms = p->terms,
                            .X = X,
                            .objective = objective,
                            .G = G,
                            .V = V,
                            .probes = count,
                            .AAV = AAV};
    const gpis_status status = check_evaluation(p, X, entries, objective, V, count, AAV);
    return status == GPIS_OK ? gpis_pass_run(p->context, p->A, &pass) : status;
}

/* All terms but the set. A sketch of A alone needs no response, but the weights and the column of ones; an evaluation
 * without a response is refused later (check_evaluation). */
static gpis_status complete_rows(const gpis_problem *problem, gpis_completion *c) {
    gpis_problem without_set = *problem;
    without_set.set = NULL;
    without_set.refused &= ~(unsigned)GPIS_REFUSED_SET;
    if (problem->k < 1 && !without_set.refused) {
        *c = (gpis_completion){.problem = without_set};
        c->problem.terms = (gpis_terms){.weights = problem->weights, .constant = problem->intercept};
        c->problem.d += problem->intercept;
        return GPIS_OK;
    }
    const gpis_status status = gpis_complete_begin(&without_set, c);
    return status == GPIS_OK ? gpis_complete_response(c) : status;
}

gpis_status gpis_evaluate_with(const gpis_problem *problem, const double *X, int64_t entries, double *objective,
                               double *G, const double *V, int64_t count, double *AAV) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    gpis_context *context = problem->context;
    gpis_completion c;
    int outside;
    gpis_status status = begin(problem, problem->k, complete_rows(problem, &c), &outside);
    if (status == GPIS_OK) status = gpis_complete_together(&c);
    if (status == GPIS_OK && gpis_ranks_is_served(problem->A))
        status = gpis_ranks_serve(context, problem->A, c.problem.Y, &c.problem.terms);
    else if (status == GPIS_OK)
        status = gpis_ranks_dismiss(context, problem->A, evaluate(&c.problem, X, entries, objective, G, V, count, AAV));
    gpis_blas_leave(outside);
    gpis_complete_end(&c);
    return status;
}

/* ---- the Gram matrix --------------------------------------------------------------------------------------------- */

static gpis_status gram(gpis_context *context, gpis_source *A, double *H) {
    if (!H) return gpis_fail(context, GPIS_BAD_ARGUMENT, "a Gram matrix needs A and a place for it");
    const gpis_pass pass = {.gram = H};
    return gpis_pass_run(context, A, &pass);
}

gpis_status gpis_gram(gpis_context *context, gpis_source *A, double *H) {
    if (!context || !A) return gpis_fail(context, GPIS_BAD_ARGUMENT, "a Gram matrix needs A and a place for it");
    const gpis_problem rows_alone = {.context = context, .A = A};
    int outside;
    gpis_status status = begin(&rows_alone, 0, GPIS_OK, &outside);
    if (status == GPIS_OK && gpis_ranks_is_served(A))
        status = gpis_ranks_serve(context, A, NULL, &rows_alone.terms);
    else if (status == GPIS_OK)
        status = gpis_ranks_dismiss(context, A, gram(context, A, H));
    gpis_blas_leave(outside);
    return status;
}

/* ---- sketches ---------------------------------------------------------------------------------------------------- */

static gpis_status sketch_rows(const gpis_problem *p, const char *kind, int64_t m, uint64_t seed, uint64_t round,
                               double *SA, double *SY) {
    gpis_context *context = p->context;
    if (!kind || !SA || (SY && p->k < 1))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a sketch needs its kind and a place for it, and y for SY");
    const gpis_sketch_class *class = gpis_sketch_find(kind);
    if (!class)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "no sketch is called '%s'; there are %s", kind,
                         gpis_sketch_names());
    if (class->whole && !p->A->resident)
        return gpis_fail(context, GPIS_NOT_APPLICABLE,
                         "the %s sketch needs all rows at once, and these are not there at once; use sparse-sign",
                         kind);
    const int64_t k = SY ? p->k : 0;
    gpis_sketch *sketch;
    gpis_status status = gpis_sketch_create_in(context, class, m, p->n, p->d, k, seed, round, SA, SY, &sketch);
    if (status != GPIS_OK) return status;
    const gpis_pass pass = {.k = k,
                            .Y = SY ? p->Y : NULL,
                            .terms = {.weights = p->terms.weights, .constant = p->terms.constant},
                            .sketch = sketch};
    status = gpis_pass_run(context, p->A, &pass);
    gpis_sketch_destroy(sketch);
    return status;
}

gpis_status gpis_sketch_rows(const gpis_problem *problem, const char *kind, int64_t m, uint64_t seed, uint64_t round,
                             double *SA, double *SY) {
    if (!problem) return GPIS_BAD_ARGUMENT;
    gpis_context *context = problem->context;
    gpis_completion c;
    int outside;
    gpis_status status = begin(problem, SY ? problem->k : 0, complete_rows(problem, &c), &outside);
    if (status == GPIS_OK && gpis_ranks_is_served(problem->A))
        status = gpis_ranks_serve(context, problem->A, c.problem.Y, &c.problem.terms);
    else if (status == GPIS_OK)
        status = gpis_ranks_dismiss(context, problem->A, sketch_rows(&c.problem, kind, m, seed, round, SA, SY));
    gpis_blas_leave(outside);
    gpis_complete_end(&c);
    return status;
}
