/* Lanczos with random starting vectors on M = W A'A W', and what the tridiagonal matrices prove. */
#include "certificate/probes.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "linalg/rounding.h"

static bool curves(const gpis_probes *p, int64_t j) { return p->model->H[j * p->d + j] > 0.0; }

/* A vector of normal random numbers has a uniform direction. `first`: the index of its first random number. */
static void draw(const gpis_probes *p, uint64_t first, double *v) {
    gpis_random_normal(p->seed, gpis_stream(GPIS_STREAM_PROBE, p->round), first, p->d, v);
    for (int64_t j = 0; j < p->d; j++)
        if (!curves(p, j)) v[j] = 0.0;
}

/* W U, for M = W A'A W' + (W U)(W U)'. */
static gpis_status whiten_null(gpis_probes *p) {
    const gpis_model *m = p->model;
    if (m->nulls == 0) return GPIS_OK;
    p->WU = gpis_alloc(p->context, m->d * m->nulls, sizeof *p->WU);
    if (!p->WU) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < m->nulls; i++) cblas_dcopy((int)m->d, m->U + i * m->d, 1, p->WU + i, (int)m->nulls);
    gpis_model_whiten(m, m->nulls, p->WU);
    return GPIS_OK;
}

/* w += (W U)(W U)' q */
static void add_null(const gpis_probes *p, const double *q, double *w) {
    const int nulls = (int)p->model->nulls, d = (int)p->d;
    for (int i = 0; i < nulls; i++) cblas_daxpy(d, cblas_ddot(d, p->WU + i, nulls, q, 1), p->WU + i, nulls, w, 1);
}

gpis_status gpis_probes_create(gpis_context *context, const gpis_model *model, int count, int most, double delta,
                               uint64_t seed, uint64_t round, gpis_probes **out) {
    *out = NULL;
    gpis_probes *p = gpis_alloc_zero(context, 1, sizeof *p);
    if (!p) return GPIS_NO_MEMORY;
    *p = (gpis_probes){.context = context,
                       .model = model,
                       .d = model->d,
                       .count = count,
                       .most = most,
                       .delta = delta,
                       .seed = seed,
                       .round = round,
                       .ritz_min = INFINITY,
                       .highest = INFINITY};
    const int64_t basis = (most + 1) * p->d, each = basis + 3 * most;
    p->probe = gpis_alloc_zero(context, count, sizeof *p->probe);
    p->numbers = gpis_alloc_zero(context, count * each, sizeof(double));
    p->work = gpis_alloc(context, p->d + most + 1, sizeof(double));
    if (!p->probe || !p->numbers || !p->work || whiten_null(p) != GPIS_OK) {
        gpis_probes_destroy(p);
        return GPIS_NO_MEMORY;
    }
    for (int64_t j = 0; j < p->d; j++) p->rank += curves(p, j);
    for (int b = 0; b < count; b++) {
        double *q = p->numbers + b * each;
        p->probe[b] =
            (gpis_probe){.basis = q, .alpha = q + basis, .beta = q + basis + most, .theta = q + basis + 2 * most};
        draw(p, (uint64_t)(b * p->d), q);
        if (p->rank > 0) cblas_dscal((int)p->d, 1.0 / cblas_dnrm2((int)p->d, q, 1), q, 1);
    }
    *out = p;
    return GPIS_OK;
}

void gpis_probes_destroy(gpis_probes *p) {
    if (!p) return;
    gpis_free(p->context, p->probe);
    gpis_free(p->context, p->numbers);
    gpis_free(p->context, p->work);
    gpis_free(p->context, p->WU);
    gpis_free(p->context, p);
}

/* A bound of half of the smallest Ritz value is enough: more would gain less than a pass costs. Where rounding errors
 * exceed the smallest Ritz value, no further step can help. */
bool gpis_probes_wanted(const gpis_probes *p) {
    if (p->steps > 0 && p->lowest >= 0.5 * p->ritz_min) return false;
    const bool hopeless = p->steps > 0 && p->ritz_min <= p->error * p->highest && isfinite(p->highest);
    return !hopeless && p->steps < p->most && p->steps < p->rank;
}

void gpis_probes_directions(const gpis_probes *p, double *V) {
    for (int b = 0; b < p->count; b++) cblas_dcopy((int)p->d, p->probe[b].basis + p->steps * p->d, 1, V + b, p->count);
    gpis_model_unwhiten(p->model, p->count, V);
}

/* v := v - sum_i h_i q_i, orthogonal to q_0 .. q_{known-1}. It is done twice, so that v is orthogonal to the last
 * digits. */
static void orthogonalise(int d, int known, const double *basis, double *v, double *h) {
    memset(h, 0, (size_t)known * sizeof *h);
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < known; i++) {
            const double part = cblas_ddot(d, basis + (int64_t)i * d, 1, v, 1);
            cblas_daxpy(d, -part, basis + (int64_t)i * d, 1, v, 1);
            h[i] += part;
        }
}

/* The next vector: w = M q_k, less its part in the span of the basis. If nothing is left the space is exhausted: beta_k
 * is 0, and the basis is extended by a random vector. */
static void extend_basis(const gpis_probes *p, int b, const double *w) {
    const int d = (int)p->d, k = p->steps;
    gpis_probe *probe = &p->probe[b];
    double *next = probe->basis + (int64_t)(k + 1) * d, *h = p->work + d;
    memcpy(next, w, (size_t)d * sizeof *next);
    const double before = cblas_dnrm2(d, w, 1);
    orthogonalise(d, k + 1, probe->basis, next, h);
    probe->alpha[k] = h[k];
    if (k > 0) h[k - 1] -= probe->beta[k - 1];
    probe->stray2 += cblas_ddot(k, h, 1, h, 1);
    double norm = cblas_dnrm2(d, next, 1);
    const bool exhausted = norm <= 1e-10 * before;
    if (exhausted) probe->stray2 += norm * norm;
    probe->beta[k] = exhausted ? 0.0 : norm;
    for (int attempt = 0; exhausted && attempt < 8 && norm <= 1e-10 * before; attempt++) {
        draw(p, ((uint64_t)(attempt + 1) << 32) + (uint64_t)(b * d), next);
        orthogonalise(d, k + 1, probe->basis, next, h);
        norm = cblas_dnrm2(d, next, 1);
    }
    cblas_dscal(d, norm > 0.0 ? 1.0 / norm : 0.0, next, 1);
}

/* ---- what the probes prove ---- */

/* A probe whose overlap with an eigenvector is below this is bad. All probes are bad with probability at most delta. */
static double least_overlap(double d, int count, double delta) {
    return pow(delta, 1.0 / count) / sqrt(2.0 * d / 3.14159265358979323846);
}

/* The tridiagonal matrix of a probe after k steps. */
typedef struct ritz {
    int k;
    const double *theta, *beta;
    double stray; /* the norm of the stray parts */
    double off;   /* by which each theta can be wrong: what LAPACK states for dsterf, generously */
} ritz;

static ritz ritz_of(const gpis_probe *probe, int k) {
    const double norm = fmax(fabs(probe->theta[0]), fabs(probe->theta[k - 1]));
    return (ritz){.k = k,
                  .theta = probe->theta,
                  .beta = probe->beta,
                  .stray = gpis_outward(sqrt(probe->stray2), k * k),
                  .off = 8.0 * (double)k * GPIS_UNIT * norm};
}

/*
 * An eigenvalue at c, outside [theta_1, theta_k], has an eigenvector whose overlap with the start is at most
 *
 *     product of beta_i / product of |theta_i - c|  +  noise / min |theta_i - c|,
 *
 * which falls as c moves away from the eigenvalues theta of the tridiagonal matrix. The logarithms are rounded.
 */
static double overlap_at(const ritz *r, double noise, double c) {
    double logarithm = 0.0, size = 0.0, nearest = INFINITY;
    bool exhausted = false;
    for (int i = 0; i < r->k; i++) {
        const double away = fabs(r->theta[i] - c) - r->off;
        if (!(away > 0.0)) return INFINITY;
        nearest = fmin(nearest, away);
        if (r->beta[i] == 0.0) exhausted = true;
        if (exhausted) continue;
        logarithm += log(r->beta[i]) - log(away);
        size += fabs(log(r->beta[i])) + fabs(log(away));
    }
    const double rounded = 4.0 * (double)r->k * GPIS_UNIT * size;
    return gpis_outward((exhausted ? 0.0 : exp(logarithm + rounded)) + noise / nearest, 0);
}

/* The largest c in [0, theta_1) at which the overlap is at most `least`; 0 where there is none. */
static double lowest_eigenvalue(const ritz *r, double noise, double least) {
    double below = 0.0, above = r->theta[0];
    if (!(above > 0.0) || !(overlap_at(r, noise, 0.0) <= least)) return 0.0;
    for (int halving = 0; halving < 60; halving++) {
        const double middle = 0.5 * (below + above);
        if (middle < r->theta[0] && overlap_at(r, noise, middle) <= least)
            below = middle;
        else
            above = middle;
    }
    return below;
}

/* The smallest C above theta_k at which the overlap is at most `least`; infinite if there is none. The eigenvalue
 * itself scales the rounding errors. */
static double highest_eigenvalue(const ritz *r, double error, double least) {
    const double top = r->theta[r->k - 1];
    double away = fmax(fabs(top), DBL_MIN) * DBL_EPSILON;
    for (int doubling = 0; doubling < 120; doubling++, away *= 2.0) {
        const double at = top + away;
        if (overlap_at(r, r->stray + error * at, at) <= least) return at;
    }
    return INFINITY;
}

/*
 * Rounding: a product A'(A p), p = W'v, is off by `roundings` u ||a_j|| ||A p|| in its entries and (d + 2) u sum_j
 * ||a_j|| |p_j| in A p; each of the two triangular solves moves W by (d + 2) u, and W U, of norm <= 1, by as much; to
 * make the product orthogonal to k + 1 vectors, twice, moves it by 4 (k + 2) u. With ||a_j|| <= sqrt(lambda_max H_jj),
 * ||A p|| <= sqrt(lambda_max) and ||T^-1|| <= inverse, M is off by at most error * lambda_max.
 */
static double rounding_error(const gpis_probes *p, double roundings) {
    const double d = (double)p->d + 2.0, steps = (double)p->steps + 2.0;
    const double units = roundings + (p->WU ? 16.0 : 6.0) * d + 4.0 * steps;
    return gpis_outward(units * GPIS_UNIT * sqrt((double)p->d * p->model->inverse), p->d);
}

/* The eigenvalues of each tridiagonal matrix. */
static gpis_status find_theta(gpis_probes *p) {
    const size_t bytes = (size_t)p->steps * sizeof(double);
    for (int b = 0; b < p->count; b++) {
        const gpis_probe *probe = &p->probe[b];
        memcpy(probe->theta, probe->alpha, bytes);
        memcpy(p->work, probe->beta, bytes);
        if (LAPACKE_dsterf(p->steps, probe->theta, p->work) != 0)
            return gpis_fail(p->context, GPIS_INTERNAL, "the Ritz values of a probe were not found");
        p->ritz_min = fmin(p->ritz_min, probe->theta[0]);
    }
    return GPIS_OK;
}

/* The bounds after this step: those of the worst probe, since it is only certain that one of them is good. */
static void prove(gpis_probes *p) {
    const int k = p->steps;
    const double rank = (double)p->rank, error = p->error * sqrt((double)k);
    /* The upper end only scales rounding errors, so a rough bound and a small part of delta are enough for it. */
    const double at_top = least_overlap(rank, p->count, p->delta / 16.0);
    const double at_bottom = least_overlap(rank, p->count, p->delta * 15.0 / 16.0);
    double highest = 0.0, lowest = INFINITY;
    for (int b = 0; b < p->count; b++) {
        const ritz r = ritz_of(&p->probe[b], k);
        highest = fmax(highest, highest_eigenvalue(&r, error, at_top));
    }
    p->highest = fmin(p->highest, highest);
    for (int b = 0; b < p->count && isfinite(p->highest); b++) {
        const ritz r = ritz_of(&p->probe[b], k);
        const double noise = r.stray + error * p->highest;
        /* for a basis of the whole space, whose Ritz values are the eigenvalues, but for what is left outside of it */
        const double whole = r.theta[0] - gpis_outward(r.off + noise + r.beta[k - 1], 0);
        lowest = fmin(lowest, k >= p->rank ? whole : lowest_eigenvalue(&r, noise, at_bottom));
    }
    /* A bound of an earlier step still holds. Once the basis spans the whole space, the bound holds with certainty. */
    if (isfinite(lowest)) p->lowest = k >= p->rank ? lowest : fmax(p->lowest, lowest);
}

gpis_status gpis_probes_absorb(gpis_probes *p, double *AAV, double roundings) {
    gpis_model_whiten(p->model, p->count, AAV);
    for (int b = 0; b < p->count; b++) {
        cblas_dcopy((int)p->d, AAV + b, p->count, p->work, 1);
        add_null(p, p->probe[b].basis + p->steps * p->d, p->work);
        extend_basis(p, b, p->work);
    }
    p->steps++;
    p->error = fmax(p->error, rounding_error(p, roundings)); /* products of earlier passes are not forgotten */
    const gpis_status status = find_theta(p);
    if (status == GPIS_OK) prove(p);
    return status;
}

double gpis_probes_bound(const gpis_probes *p) { return p->lowest; }

/* The polynomials of Lanczos grow like those of Chebyshev outside the spectrum: by a factor of rho a step, where
 * (rho + 1/rho) / 2 is the distance of c from the middle of the spectrum, in units of half its length. */
double gpis_probes_expect(double lowest, double highest, double d, int steps, int count, double delta) {
    const double rho = pow(1.0 / least_overlap(d, count, delta), 1.0 / steps);
    return 0.5 * (lowest + highest) - 0.25 * (rho + 1.0 / rho) * (highest - lowest);
}
