/* The factor of a principal block, kept up to date. */
#include "inner/principal.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/small.h"

enum { PANEL = 32 }; /* columns that LAPACK takes at a time */

/* 1 / sqrt(H_jj). A column without curvature is given 1e-8 of the smallest one, which is enough to send its entry to a
 * bound. */
static void find_scale(gpis_principal *p) {
    const double *H = p->model->H;
    double least = INFINITY;
    for (int64_t j = 0; j < p->d; j++)
        if (H[j * p->d + j] > 0.0) least = fmin(least, H[j * p->d + j]);
    const double instead = isinf(least) ? 1.0 : 1e-8 * least;
    for (int64_t j = 0; j < p->d; j++) {
        const double curvature = H[j * p->d + j];
        p->scale[j] = 1.0 / sqrt(curvature > 0.0 ? curvature : fmax(instead, DBL_MIN));
        if (p->model->by_rows && curvature > 0.0) p->scale[j] = p->model->scale[j];
    }
}

gpis_status gpis_principal_create(gpis_context *context, const gpis_model *model, gpis_principal **out) {
    const int64_t d = model->d;
    gpis_principal *p = *out = gpis_alloc_zero(context, 1, sizeof *p);
    if (!p) return GPIS_NO_MEMORY;
    p->context = context;
    p->d = d;
    p->model = model;
    p->memory = gpis_alloc(context, d * (d + 2), sizeof *p->memory);
    p->index = gpis_alloc(context, 2 * d, sizeof *p->index);
    if (model->by_rows) {
        p->tau = gpis_alloc(context, d, sizeof(double));
        p->panel = gpis_alloc(context, PANEL * d, sizeof(double));
        if (!p->tau || !p->panel) return GPIS_NO_MEMORY;
    }
    if (!p->memory || !p->index) return GPIS_NO_MEMORY;
    p->L = p->memory;
    p->scale = p->memory + d * d;
    p->work = p->scale + d;
    p->old = p->index + d;
    find_scale(p);
    return GPIS_OK;
}

void gpis_principal_destroy(gpis_principal *p) {
    if (!p) return;
    gpis_free(p->context, p->memory);
    gpis_free(p->context, p->tau);
    gpis_free(p->context, p->panel);
    gpis_free(p->context, p->index);
    gpis_free(p->context, p);
}

/* Orders F: first the entries that are in the factor already, in their order there, then the others. Returns the number
 * of rows of the factor that remain valid. */
static int64_t reorder(gpis_principal *p, const bool *member) {
    const int64_t before = p->count;
    int64_t kept = 0, count = 0;
    memcpy(p->old, p->index, (size_t)before * sizeof *p->old);
    while (kept < before && member[p->old[kept]]) kept++;
    memset(p->work, 0, (size_t)p->d * sizeof *p->work); /* 1: in the list */
    for (int64_t i = 0; i < before; i++)
        if (member[p->old[i]]) p->index[count++] = p->old[i], p->work[p->old[i]] = 1.0;
    for (int64_t j = 0; j < p->d; j++)
        if (member[j] && p->work[j] == 0.0) p->index[count++] = j;
    p->count = count;
    return kept;
}

/* Columns [from, count) of the QR decomposition of R_F: the reflections of the columns before are applied to them, and
 * what is below row `from` is decomposed. Returns false if the columns depend on each other. */
static bool append_columns(gpis_principal *p, int64_t from) {
    const lapack_int d = (lapack_int)p->d, old = (lapack_int)from, new = (lapack_int)(p->count - from);
    double *columns = p->L + from * p->d;
    for (int64_t i = from; i < p->count; i++)
        for (int64_t row = 0; row < p->d; row++)
            p->L[i * p->d + row] = row <= p->index[i] ? p->model->R[row * p->d + p->index[i]] : 0.0;
    if (old > 0 && new > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', d, new, old, p->L, d, p->tau, columns, d, p->panel, PANEL * d);
    if (new > 0)
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, d - old, new, columns + from, d, p->tau + from, p->panel, PANEL * d);
    p->factored += new;
    for (int64_t i = from; i < p->count; i++)
        if (p->L[i * p->d + i] == 0.0) return false;
    return true;
}

/* Computes rows [from, count) of L by the formula in principal.h. Returns false if T_FF + shift I is not positive
 * definite. */
static bool append(gpis_principal *p, int64_t from) {
    const int64_t d = p->d, rows = p->count - from;
    if (rows == 0) return true;
    for (int64_t i = from; i < p->count; i++) {
        const double *row = p->model->H + p->index[i] * d, scale = p->scale[p->index[i]];
        for (int64_t j = 0; j < i; j++) p->L[j * d + i] = row[p->index[j]] * scale * p->scale[p->index[j]];
        p->L[i * d + i] = 1.0 + p->shift;
    }
    p->factored += rows;
    return gpis_lower_factor(p->count, from, p->L, d);
}

bool gpis_principal_factor(gpis_principal *p, const bool *member) {
    enum { MAX_SHIFTS = 12 };
    const int64_t before = p->count;
    int64_t kept = reorder(p, member);
    if (kept == before && kept == p->count) return true;
    p->changes++;
    if (p->model->by_rows) {
        if (append_columns(p, kept)) return true;
        p->count = 0;
        return false;
    }
    for (int tries = 0; tries < MAX_SHIFTS; tries++, kept = 0) {
        if (append(p, kept)) return true;
        p->shift = p->shift > 0.0 ? 10.0 * p->shift : 4.0 * (double)p->d * DBL_EPSILON;
    }
    p->count = 0;
    p->shift = 0.0;
    return false;
}

void gpis_principal_solve(gpis_principal *p, double *v) {
    const int count = (int)p->count, d = (int)p->d;
    double *w = p->work;
    for (int64_t i = 0; i < p->count; i++) w[i] = v[p->index[i]] * p->scale[p->index[i]];
    if (p->model->by_rows) {
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, count, p->L, d, w, 1);
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, count, p->L, d, w, 1);
    } else {
        gpis_lower_solve(count, p->L, d, false, w);
        gpis_lower_solve(count, p->L, d, true, w);
    }
    for (int64_t i = 0; i < p->count; i++) v[p->index[i]] = w[i] * p->scale[p->index[i]];
}

void gpis_principal_half_solve(const gpis_principal *p, bool first, int64_t columns, double *V) {
    const int count = (int)p->count;
    const bool upper = p->model->by_rows;
    cblas_dtrsm(CblasColMajor, CblasLeft, upper ? CblasUpper : CblasLower, upper == first ? CblasTrans : CblasNoTrans,
                CblasNonUnit, count, (int)columns, 1.0, p->L, (int)p->d, V, count);
}
