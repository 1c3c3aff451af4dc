/* Karlson and Walden's estimate of the backward error, by one factorisation of d x d matrices. */
#include "linalg/backward.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

#include "linalg/accurate.h"
#include "linalg/cholesky.h"
#include "linalg/small.h"

enum { PANEL = 32 }; /* columns that the QR factorisation takes at a time */

double gpis_backward_memory(int64_t d) {
    return d <= GPIS_BACKWARD_MAX_COLUMNS ? 8.0 * (double)(2 * d * (d + PANEL) + d) : 0.0;
}

/* P'P = x^2 R'R + r^2 D^-2, where R is as good as H: by a Cholesky factor. P is row-major, upper triangle. */
static bool factor_gram(const gpis_model *m, double x, double r, double *P) {
    const int64_t d = m->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            const double T = i == j ? 1.0 : m->H[i * d + j] * m->scale[i] * m->scale[j];
            P[i * d + j] = x * x * T + (i == j ? (r * m->scale[i]) * (r * m->scale[i]) : 0.0);
        }
    return gpis_cholesky_factor(m->context->threads, d, P);
}

/* The same where R has digits that H has lost: by a QR factorisation of x R on top of r D^-1. Both are column-major for
 * LAPACK; `work` is memory for d (d + 2 PANEL) numbers. */
static bool factor_rows(const gpis_model *m, double x, double r, double *P, double *work) {
    const int64_t d = m->d;
    const lapack_int n = (lapack_int)d, panel = (lapack_int)gpis_min64(PANEL, d);
    double *below = work, *T = below + d * d;
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < d; i++) {
            P[i + j * d] = i <= j ? x * m->R[i * d + j] : 0.0;
            below[i + j * d] = i == j ? r * m->scale[j] : 0.0;
        }
    if (LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, n, n, n, panel, P, n, below, n, T, panel, T + PANEL * d) != 0)
        return false;
    for (int64_t j = 0; j < d; j++)
        if (P[j * (d + 1)] == 0.0) return false;
    return true;
}

/* ||P^-T D^-1 g||; NaN if there is no P. `work` is memory for d (d + 2 PANEL) numbers. */
static double whitened_norm(const gpis_model *m, const double *g, double x, double r, double *P, double *work) {
    const int64_t d = m->d;
    const bool there = m->by_rows ? factor_rows(m, x, r, P, work) : factor_gram(m, x, r, P);
    if (!there) return NAN;
    for (int64_t j = 0; j < d; j++) work[j] = m->scale[j] * g[j];
    if (m->by_rows)
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, (int)d, P, (int)d, work, 1);
    else
        gpis_lower_solve(d, P, d, false, work);
    return gpis_norm2(work, d);
}

/* A shift of the model hides the small singular values of A. It does not matter as long as ||x||^2 shift is below
 * ||r||^2 D^-2, which is added in any case: the estimate is then too small by a factor of sqrt(2) at most. (The rows of
 * a sketch have taken the place of a shift.) */
static bool knows_small_values(const gpis_model *m, double x, double r) {
    double least = INFINITY;
    if (gpis_model_has_full_rank(m)) return true;
    for (int64_t j = 0; j < m->d; j++) least = fmin(least, m->scale[j]);
    return x * sqrt(m->shift) <= r * least;
}

/* With no error in the gradient there is none in x. A problem of zeros has no scale to measure an error by. */
gpis_status gpis_backward_error(const gpis_model *m, const gpis_point *point, double *estimate) {
    const int64_t d = m->d;
    const double x = gpis_norm2(point->x, d), r = sqrt(fmax(0.0, point->objective)), unit = fmax(x, r);
    double columns2 = 0.0;
    for (int64_t j = 0; j < d; j++) columns2 += point->norms2[j];
    *estimate = NAN;
    if (d > GPIS_BACKWARD_MAX_COLUMNS || !knows_small_values(m, x, r)) return GPIS_OK;
    if (gpis_backward_memory(d) > (double)gpis_account_left(m->context)) return GPIS_OK;
    if (gpis_norm2(point->g, d) == 0.0) *estimate = 0.0;
    if (*estimate == 0.0 || !(columns2 > 0.0) || !(unit > 0.0)) return GPIS_OK;
    double *P = gpis_alloc(m->context, d * d, sizeof *P);
    double *work = gpis_alloc(m->context, m->by_rows ? d * (d + 2 * PANEL) : d, sizeof *work);
    const gpis_status status = P && work ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK)
        *estimate = whitened_norm(m, point->g, x / unit, r / unit, P, work) / (unit * sqrt(columns2));
    gpis_free(m->context, P);
    gpis_free(m->context, work);
    return status;
}
