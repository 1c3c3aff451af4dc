/* The null space of A as far as a run knows it. */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/null_vectors.h"
#include "method/unique.h"

/* A has full rank up to its columns of zeros, and no null vectors were needed to see it. If a sketch SA has full rank,
 * A has it too. Columns that a sample of rows has missed were given a diagonal entry, so there the probes must agree.
 */
static bool has_full_rank(const gpis_run *run) {
    const gpis_model *model = run->curvature.model;
    const bool sampled = run->curvature.sketched && run->kind->of_rows && !(model->c > 0.0);
    return model->nulls == 0 && !sampled && gpis_model_has_full_rank(model);
}

/* All vectors that were found are null vectors: A has fewer rows than columns, and its rank is the number of rows; or
 * what was measured is within the rounding that numpy's lstsq allows when it decides about the rank. `nearness` adds
 * the squares of all vectors up. */
static bool are_all_null(const gpis_run *run) {
    const gpis_problem *p = run->problem;
    const gpis_dependence *dependence = &run->curvature.dependence;
    const double vectors = (double)(dependence->found - dependence->exact);
    const double rounding = (double)gpis_max64(p->n, p->d) * DBL_EPSILON * sqrt(vectors);
    const bool wide = p->n < p->d && dependence->deficit == p->d - p->n;
    return wide || (dependence->nearness > 0.0 && dependence->nearness <= rounding);
}

static bool is_involved(const double *V, int64_t count, int64_t d, int64_t j) {
    for (int64_t i = 0; i < count; i++)
        if (V[i * d + j] != 0.0) return true;
    return false;
}

gpis_status gpis_null_space_find(const gpis_run *run, gpis_null_space *space) {
    const gpis_curvature *curvature = &run->curvature;
    const gpis_dependence *dependence = &curvature->dependence;
    const int64_t d = run->problem->d;
    *space = (gpis_null_space){.context = run->context, .d = d};
    if (!curvature->model || !curvature->norms_known) return GPIS_OK;
    const bool full = has_full_rank(run);
    const int64_t usable = full ? 0 : are_all_null(run) ? dependence->found : dependence->exact + dependence->near;
    int64_t zeros = 0;
    space->complete = full || (dependence->known && usable >= dependence->deficit);
    for (int64_t j = 0; j < d; j++) zeros += curvature->norms2[j] == 0.0;
    if (usable + zeros == 0) return GPIS_OK;
    space->V = gpis_alloc_zero(run->context, (usable + zeros) * d, sizeof *space->V);
    if (!space->V) return GPIS_NO_MEMORY;
    if (usable > 0) memcpy(space->V, dependence->vectors, (size_t)(usable * d) * sizeof *space->V);
    space->count = usable;
    for (int64_t j = 0; j < d; j++)
        if (curvature->norms2[j] == 0.0 && !is_involved(space->V, usable, d, j)) space->V[space->count++ * d + j] = 1.0;
    return GPIS_OK;
}

gpis_status gpis_null_space_complete(const gpis_run *run, gpis_null_space *space) {
    const gpis_model *model = run->curvature.model;
    const int64_t d = space->d, deficit = run->curvature.dependence.deficit;
    if (space->complete || space->count == 0 || model->nulls > 0 || run->problem->n >= d ||
        deficit != d - run->problem->n)
        return GPIS_OK;
    double *V = gpis_alloc(run->context, deficit * d, sizeof *V);
    int64_t *own = gpis_alloc(run->context, deficit, sizeof *own), count = 0, found = 0;
    gpis_status status = V && own ? gpis_null_vectors_find(model, deficit, V, own, &count, &found) : GPIS_NO_MEMORY;
    gpis_free(run->context, own);
    if (status != GPIS_OK || count != deficit) {
        gpis_free(run->context, V);
        return status;
    }
    gpis_free(run->context, space->V);
    space->V = V;
    space->count = count;
    space->complete = true;
    return GPIS_OK;
}

void gpis_null_space_clear(gpis_null_space *space) {
    if (space->context) gpis_free(space->context, space->V);
    *space = (gpis_null_space){0};
}

/* V, by rows, is the transpose of what LAPACK sees: a QR decomposition of d x count. */
gpis_status gpis_null_space_orthonormalise(gpis_null_space *space) {
    const lapack_int d = (lapack_int)space->d, count = (lapack_int)space->count;
    double *scales = gpis_alloc(space->context, space->count, sizeof *scales);
    const bool done = scales && LAPACKE_dgeqrf(LAPACK_COL_MAJOR, d, count, space->V, d, scales) == 0 &&
                      LAPACKE_dorgqr(LAPACK_COL_MAJOR, d, count, count, space->V, d, scales) == 0;
    gpis_free(space->context, scales);
    return done ? GPIS_OK : gpis_fail(space->context, GPIS_NO_MEMORY, "no memory for a QR decomposition");
}

void gpis_null_space_remove(const gpis_null_space *space, int64_t k, double *X) {
    const int d = (int)space->d;
    for (int64_t t = 0; t < 2 * space->count; t++) { /* twice, for the rounding errors of the first time */
        const double *row = space->V + t % space->count * d;
        for (int64_t c = 0; c < k; c++) cblas_daxpy(d, -cblas_ddot(d, row, 1, X + c, (int)k), row, 1, X + c, (int)k);
    }
}
