/* The building blocks as public functions, each one pass over A. */
#include "linalg/blas.h"
#include "ranks/ranks.h"

/* Makes BLAS ready, on all ranks or on none. *outside is for gpis_blas_leave, which is called in any case. */
static gpis_status begin(gpis_context *context, const gpis_source *A, int *outside) {
    return gpis_ranks_agree(A, gpis_blas_enter(context, context->threads, outside));
}

static gpis_status evaluate(gpis_context *context, gpis_source *A, const double *Y, int64_t k, const double *X,
                            double *objective, double *G, const double *V, int64_t count, double *AAV) {
    if (!Y || !X || !objective || k < 1)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "an evaluation needs A, y, x and a place for the objective");
    if (count < 0 || (count > 0) != (V != NULL) || (count > 0) != (AAV != NULL))
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "vectors to carry along are %lld vectors V and a place for A'A V, or none of these",
                         (long long)count);
    const gpis_pass pass = {
        .k = k, .Y = Y, .X = X, .objective = objective, .G = G, .V = V, .probes = V ? count : 0, .AAV = AAV};
    return gpis_pass_run(context, A, &pass);
}

gpis_status gpis_evaluate(gpis_context *context, gpis_source *A, const double *Y, int64_t k, const double *X,
                          double *objective, double *G) {
    return gpis_evaluate_with(context, A, Y, k, X, objective, G, NULL, 0, NULL);
}

/* On several ranks rank 0 makes the pass, and the others serve it. */
gpis_status gpis_evaluate_with(gpis_context *context, gpis_source *A, const double *Y, int64_t k, const double *X,
                               double *objective, double *G, const double *V, int64_t count, double *AAV) {
    if (!context || !A)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "an evaluation needs A, y, x and a place for the objective");
    int outside;
    gpis_status status = begin(context, A, &outside);
    if (status == GPIS_OK && gpis_ranks_is_served(A))
        status = gpis_ranks_serve(context, A, Y);
    else if (status == GPIS_OK)
        status = gpis_ranks_dismiss(context, A, evaluate(context, A, Y, k, X, objective, G, V, count, AAV));
    gpis_blas_leave(outside);
    return status;
}

static gpis_status gram(gpis_context *context, gpis_source *A, double *H) {
    if (!H) return gpis_fail(context, GPIS_BAD_ARGUMENT, "a Gram matrix needs A and a place for it");
    const gpis_pass pass = {.gram = H};
    return gpis_pass_run(context, A, &pass);
}

gpis_status gpis_gram(gpis_context *context, gpis_source *A, double *H) {
    if (!context || !A) return gpis_fail(context, GPIS_BAD_ARGUMENT, "a Gram matrix needs A and a place for it");
    int outside;
    gpis_status status = begin(context, A, &outside);
    if (status == GPIS_OK && gpis_ranks_is_served(A))
        status = gpis_ranks_serve(context, A, NULL);
    else if (status == GPIS_OK)
        status = gpis_ranks_dismiss(context, A, gram(context, A, H));
    gpis_blas_leave(outside);
    return status;
}

static gpis_status sketch_rows(gpis_context *context, gpis_source *A, const double *Y, int64_t k, const char *kind,
                               int64_t m, uint64_t seed, uint64_t round, double *SA, double *SY) {
    if (!kind || !SA || (SY && (!Y || k < 1)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a sketch needs A, its kind and a place for it, and Y for SY");
    const gpis_sketch_class *class = gpis_sketch_find(kind);
    if (!class)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "no sketch is called '%s'; there are %s", kind,
                         gpis_sketch_names());
    if (class->whole && !A->resident)
        return gpis_fail(context, GPIS_NOT_APPLICABLE,
                         "the %s sketch needs all rows at once, and these are not there at once; use sparse-sign",
                         kind);
    gpis_sketch *sketch;
    gpis_status status = gpis_sketch_create_in(context, class, m, A->n, A->d, SY ? k : 0, seed, round, SA, SY, &sketch);
    if (status != GPIS_OK) return status;
    const gpis_pass pass = {.k = SY ? k : 0, .Y = SY ? Y : NULL, .sketch = sketch};
    status = gpis_pass_run(context, A, &pass);
    gpis_sketch_destroy(sketch);
    return status;
}

gpis_status gpis_sketch_rows(gpis_context *context, gpis_source *A, const double *Y, int64_t k, const char *kind,
                             int64_t m, uint64_t seed, uint64_t round, double *SA, double *SY) {
    if (!context || !A)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a sketch needs A, its kind and a place for it, and Y for SY");
    int outside;
    gpis_status status = begin(context, A, &outside);
    if (status == GPIS_OK && gpis_ranks_is_served(A))
        status = gpis_ranks_serve(context, A, Y);
    else if (status == GPIS_OK)
        status = gpis_ranks_dismiss(context, A, sketch_rows(context, A, Y, k, kind, m, seed, round, SA, SY));
    gpis_blas_leave(outside);
    return status;
}
