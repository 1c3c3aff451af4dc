/* Karlson and Walden's estimate of the backward error, by one QR factorisation of d x d triangles. */
#include "linalg/backward.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

#include "linalg/accurate.h"

enum { PANEL = 32 }; /* columns that the QR factorisation takes at a time */

static int64_t numbers(int64_t d) { return 2 * d * (d + PANEL) + d; }

double gpis_backward_memory(int64_t d) { return d <= GPIS_BACKWARD_MAX_COLUMNS ? 8.0 * (double)numbers(d) : 0.0; }

/* P := ||x|| R and below := ||r|| D^-1, both column-major. They are divided by the larger of the two factors, which is
 * returned, so that nothing overflows. */
static double stack(const gpis_model *m, double x, double r, double *P, double *below) {
    const double unit = fmax(x, r);
    const int64_t d = m->d;
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < d; i++) {
            P[i + j * d] = i <= j ? x / unit * m->R[i * d + j] : 0.0;
            below[i + j * d] = i == j ? r / unit * m->scale[j] : 0.0;
        }
    return unit;
}

/* ||P^-T D^-1 g||; P is there, and v is memory for d numbers. */
static double whitened_norm(const gpis_model *m, const double *g, const double *P, double *v) {
    const int d = (int)m->d;
    for (int64_t j = 0; j < d; j++) {
        if (P[j * (d + 1)] == 0.0) return NAN;
        v[j] = m->scale[j] * g[j];
    }
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, d, P, d, v, 1);
    return gpis_norm2(v, d);
}

gpis_status gpis_backward_error(const gpis_model *m, const gpis_point *point, double *estimate) {
    const int64_t d = m->d;
    const double x = gpis_norm2(point->x, d), r = sqrt(fmax(0.0, point->objective));
    double columns2 = 0.0;
    *estimate = NAN;
    for (int64_t j = 0; j < d; j++) columns2 += point->norms2[j];
    if (d > GPIS_BACKWARD_MAX_COLUMNS || (m->shift > 0.0 && !m->by_rows)) return GPIS_OK;
    if (gpis_backward_memory(d) > (double)gpis_account_left(m->context)) return GPIS_OK;
    if (gpis_norm2(point->g, d) == 0.0) *estimate = 0.0;
    if (*estimate == 0.0 || !(columns2 > 0.0) || !(fmax(x, r) > 0.0)) return GPIS_OK;
    double *P = gpis_alloc(m->context, numbers(d), sizeof *P);
    if (!P) return GPIS_NO_MEMORY;
    double *below = P + d * d, *T = below + d * d, *work = T + PANEL * d, *v = work + PANEL * d;
    const double unit = stack(m, x, r, P, below);
    const lapack_int n = (lapack_int)d, panel = (lapack_int)gpis_min64(PANEL, d);
    if (LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, n, n, n, panel, P, n, below, n, T, panel, work) == 0)
        *estimate = whitened_norm(m, point->g, P, v) / (unit * sqrt(columns2));
    gpis_free(m->context, P);
    return GPIS_OK;
}
