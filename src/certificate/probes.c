/* Lanczos with random starts on M = W A'A W', and what its Ritz values prove. */
#include "certificate/probes.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/random.h"

/* A normal vector has a uniform direction; `first`: where its numbers begin. */
static void draw(const gpis_probes *p, uint64_t first, double *v) {
    gpis_random_normal(p->seed, gpis_stream(GPIS_STREAM_PROBE, p->round), first, p->d, v);
    for (int64_t j = 0; j < p->d; j++)
        if (p->norms2[j] == 0.0) v[j] = 0.0;
}

gpis_status gpis_probes_create(gpis_context *context, const gpis_model *model, const double *norms2, int count,
                               int most, double delta, uint64_t seed, uint64_t round, gpis_probes **out) {
    *out = NULL;
    gpis_probes *p = gpis_alloc_zero(context, 1, sizeof *p);
    if (!p) return GPIS_NO_MEMORY;
    *p = (gpis_probes){.context = context,
                       .model = model,
                       .d = model->d,
                       .norms2 = norms2,
                       .count = count,
                       .most = most,
                       .delta = delta,
                       .seed = seed,
                       .round = round,
                       .ritz_min = INFINITY,
                       .ritz_max = -INFINITY};
    p->basis = gpis_alloc_zero(context, (int64_t)count * (most + 1) * p->d, sizeof(double));
    p->projected = gpis_alloc_zero(context, (int64_t)count * most * most, sizeof(double));
    p->image = gpis_alloc(context, p->d * count, sizeof(double));
    if (!p->basis || !p->projected || !p->image) {
        gpis_probes_destroy(p);
        return GPIS_NO_MEMORY;
    }
    for (int64_t j = 0; j < p->d; j++) p->rank += norms2[j] > 0.0;
    for (int b = 0; b < count && p->rank > 0; b++) {
        double *v = p->basis + (int64_t)b * (most + 1) * p->d;
        draw(p, (uint64_t)(b * p->d), v);
        cblas_dscal((int)p->d, 1.0 / cblas_dnrm2((int)p->d, v, 1), v, 1);
    }
    *out = p;
    return GPIS_OK;
}

void gpis_probes_destroy(gpis_probes *p) {
    if (!p) return;
    gpis_free(p->context, p->basis);
    gpis_free(p->context, p->projected);
    gpis_free(p->context, p->image);
    gpis_free(p->context, p);
}

/* Where rounding errors reach the smallest Ritz value, no step can raise it again. */
bool gpis_probes_wanted(const gpis_probes *p) {
    const bool hopeless = p->steps > 0 && p->ritz_min <= p->error * p->ritz_max;
    return !hopeless && p->steps < p->most && p->steps < p->rank;
}

static double *basis_of(const gpis_probes *p, int b) { return p->basis + (int64_t)b * (p->most + 1) * p->d; }

void gpis_probes_directions(const gpis_probes *p, double *V) {
    for (int b = 0; b < p->count; b++) cblas_dcopy((int)p->d, basis_of(p, b) + p->steps * p->d, 1, V + b, p->count);
    gpis_model_unwhiten(p->model, p->count, V);
}

/* The next vector: what is new in w, twice orthogonalised; a random one once the space is exhausted. */
static void extend_basis(const gpis_probes *p, int b, const double *w) {
    const int d = (int)p->d, known = p->steps + 1;
    double *basis = basis_of(p, b), *next = basis + (int64_t)known * d;
    memcpy(next, w, (size_t)d * sizeof *next);
    for (int attempt = 0;; attempt++) {
        const double before = cblas_dnrm2(d, next, 1);
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < known; i++)
                cblas_daxpy(d, -cblas_ddot(d, basis + (int64_t)i * d, 1, next, 1), basis + (int64_t)i * d, 1, next, 1);
        const double norm = cblas_dnrm2(d, next, 1);
        if (norm > 1e-10 * before || attempt == 8) {
            cblas_dscal(d, norm > 0.0 ? 1.0 / norm : 0.0, next, 1);
            return;
        }
        draw(p, ((uint64_t)(attempt + 1) << 32) + (uint64_t)(b * d), next);
    }
}

/* The extreme eigenvalues of the projection of M on the basis of probe b. */
static gpis_status ritz_values(gpis_probes *p, int b, double *lowest, double *highest) {
    const int k = p->steps;
    double *matrix = gpis_alloc(p->context, (int64_t)k * (k + 1), sizeof *matrix), *values = matrix + k * k;
    if (!matrix) return GPIS_NO_MEMORY;
    const double *projected = p->projected + (int64_t)b * p->most * p->most;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) matrix[i * k + j] = 0.5 * (projected[i * p->most + j] + projected[j * p->most + i]);
    const lapack_int info = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', k, matrix, k, values);
    *lowest = values[0];
    *highest = values[k - 1];
    gpis_free(p->context, matrix);
    return info ? gpis_fail(p->context, GPIS_INTERNAL, "the Ritz values of a probe were not found") : GPIS_OK;
}

gpis_status gpis_probes_absorb(gpis_probes *p, double *AAV, double roundings) {
    const int d = (int)p->d, step = p->steps;
    gpis_model_whiten(p->model, p->count, AAV);
    for (int b = 0; b < p->count; b++) {
        double *w = p->image, *basis = basis_of(p, b);
        double *projected = p->projected + (int64_t)b * p->most * p->most;
        cblas_dcopy(d, AAV + b, p->count, w, 1);
        for (int i = 0; i <= step; i++)
            projected[i * p->most + step] = projected[step * p->most + i] =
                cblas_ddot(d, basis + (int64_t)i * d, 1, w, 1);
        extend_basis(p, b, w);
    }
    p->steps++;
    for (int b = 0; b < p->count; b++) {
        double lowest, highest;
        const gpis_status status = ritz_values(p, b, &lowest, &highest);
        if (status != GPIS_OK) return status;
        p->ritz_min = fmin(p->ritz_min, lowest);
        p->ritz_max = fmax(p->ritz_max, highest);
    }
    p->error = (roundings + 6.0 * (double)d) * 0.5 * DBL_EPSILON * sqrt((double)d * p->model->inverse);
    return GPIS_OK;
}

/* What Lanczos promises after `steps` products for Ritz values lowest and highest, whose rounding is `error` times the
 * largest eigenvalue. */
double gpis_probes_promise(double lowest, double highest, double error, double d, int steps, int count, double delta) {
    if (steps >= d) return lowest - error * highest;   /* the whole space */
    const double each = pow(0.5 * delta, 1.0 / count); /* all probes must fail */
    const double x = sqrt(2.0 * d / 3.14159265358979323846) / each;
    const double eta = acosh(fmax(1.0, x)) / (2.0 * steps - 1.0);
    const double epsilon = tanh(eta) * tanh(eta);
    const double top = highest * (1.0 + 2.0 * error) / (1.0 - epsilon);
    return (lowest - (epsilon + error) * top) / (1.0 - epsilon);
}

/*
 * Rounding: a product A'(A p), p = W'v, is off by `roundings` u ||a_j|| ||A p|| in its entries and d u sum_j ||a_j||
 * |p_j| in A p; the triangular solves move W by 4 d u. With ||a_j|| <= sqrt(lambda_max H_jj),
 * ||A p|| <= sqrt(lambda_max) and ||T^-1|| <= inverse, M is off by at most error * lambda_max, error as in absorb.
 */
double gpis_probes_bound(const gpis_probes *p) {
    if (p->steps == 0) return 0.0;
    return gpis_probes_promise(p->ritz_min, p->ritz_max, p->error, (double)p->rank, p->steps, p->count, p->delta);
}
