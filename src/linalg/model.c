/* The model of A'A: scaling, Cholesky factor, and the constants of A'A >= c H - slack D^2. */
#include "linalg/model.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/cholesky.h"
#include "linalg/small.h"

static void scale_row(const gpis_model *m, int64_t i, double shift, double *T) {
    for (int64_t j = 0; j < m->d; j++) T[i * m->d + j] = m->H[i * m->d + j] * m->scale[i] * m->scale[j];
    T[i * m->d + i] = 1.0 + shift;
}

/* T + shift. A column of zeros gets a diagonal entry like the others, so that the factor exists. */
static void scaled_copy(const gpis_model *m, double shift, double *T) {
    const int threads = gpis_threads_for(m->context->threads, (double)(m->d * m->d));
    if (threads == 1) {
        for (int64_t i = 0; i < m->d; i++) scale_row(m, i, shift, T);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t i = 0; i < m->d; i++) scale_row(m, i, shift, T);
}

/* T = R'R; false when T is not positive definite. Row-major upper is column-major lower. */
static bool factor(gpis_model *m) { return gpis_cholesky_factor(m->context->threads, m->d, m->R); }

/* ||T^-1|| <= trace(T^-1) = ||R^-1||_F^2. */
static double inverse_norm(const gpis_model *m, const double *R, double *work) {
    return gpis_cholesky_inverse_norm2(m->context->threads, m->d, R, work);
}

/*
 * An entry of H is off by at most e ||a_i|| ||a_j||, e = roundings * 2^-53, so T is off by at most d e in norm; its
 * Cholesky factor and the triangular solves with it add 4 d^2 2^-53. With E the sum of both,
 * A'A >= H - E D^2 >= (1 - E ||T^-1||) H. Where that leaves nothing, the shift makes H + shift D^2 safely positive and
 * A'A >= H + shift D^2 - (shift + E) D^2.
 */
static gpis_status factor_safely(gpis_model *m, double *work) {
    const double roundings = m->roundings;
    const double error = (double)m->d * (roundings + 4.0 * (double)m->d) * 0.5 * DBL_EPSILON;
    scaled_copy(m, 0.0, m->R);
    if (factor(m)) {
        m->inverse = inverse_norm(m, m->R, work);
        m->c = 1.0 - error * m->inverse;
        if (m->c >= 0.5) return GPIS_OK;
    }
    /* The smaller the shift, the better H is as a preconditioner. Rounding errors behave like random ones, so the
     * square root of their number is what to expect; the bound above holds in the worst case. */
    double shift = 4.0 * (double)m->d * sqrt(roundings) * DBL_EPSILON;
    for (int tries = 0; tries < 30; tries++, shift *= 4.0) {
        scaled_copy(m, shift, m->R);
        if (!factor(m)) continue;
        for (int64_t i = 0; i < m->d; i++) m->H[i * m->d + i] *= 1.0 + shift;
        m->inverse = inverse_norm(m, m->R, work);
        m->c = 1.0;
        m->shift = shift;
        m->slack = shift + error;
        return GPIS_OK;
    }
    return gpis_fail(m->context, GPIS_INTERNAL, "the Gram matrix has no Cholesky factor");
}

static void find_scales(gpis_model *m) {
    for (int64_t j = 0; j < m->d; j++) {
        const double norm2 = m->H[j * (m->d + 1)];
        m->scale[j] = norm2 > 0.0 ? 1.0 / sqrt(norm2) : 1.0;
    }
}

gpis_status gpis_model_create(gpis_context *context, int64_t d, double *H, double roundings, gpis_model **out) {
    *out = NULL;
    double *work = NULL;
    gpis_status status = GPIS_NO_MEMORY;
    gpis_model *m = gpis_alloc_zero(context, 1, sizeof *m);
    if (!m) {
        gpis_free(context, H);
        return GPIS_NO_MEMORY;
    }
    m->context = context;
    m->d = d;
    m->H = H;
    m->roundings = roundings;
    m->R = gpis_alloc(context, d * d, sizeof(double));
    m->scale = gpis_alloc(context, d, sizeof(double));
    work = gpis_alloc(context, d * d, sizeof(double));
    if (m->R && m->scale && work) {
        find_scales(m);
        status = factor_safely(m, work);
    }
    gpis_free(context, work);
    if (status == GPIS_OK)
        *out = m;
    else
        gpis_model_destroy(m);
    return status;
}

/* The curvature along null vectors, in units of the columns. If a constraint makes x move along them, a larger
 * curvature takes more rounds: with 2^-8 a monotone x, for columns of years beside a constant, took 44 passes, with
 * 2^-20 three. A smaller one makes c smaller, which loses about d^2 times the roundings of a sum, over 2^53 times the
 * curvature. */
static const double NULL_CURVATURE = 0x1p-20;

/* U = sqrt(curvature) D Q with the rows of Q an orthonormal basis of those of N D: in units of the columns H then has
 * the eigenvalue `curvature` along the null vectors, and the rest as it was. Gram-Schmidt twice. */
static void span_null(const gpis_model *m, int64_t count, const double *N, double *U) {
    const int d = (int)m->d;
    for (int64_t i = 0; i < count; i++) {
        double *u = U + i * d;
        for (int j = 0; j < d; j++) u[j] = N[i * d + j] / m->scale[j];
        for (int64_t t = 0; t < 2 * i; t++) {
            const double *other = U + t % i * d;
            cblas_daxpy(d, -cblas_ddot(d, other, 1, u, 1), other, 1, u, 1);
        }
        cblas_dscal(d, 1.0 / cblas_dnrm2(d, u, 1), u, 1);
    }
    for (int64_t i = 0; i < count * d; i++) U[i] *= sqrt(NULL_CURVATURE) / m->scale[i % d];
}

/* An entry of (A + E)'(A + E) is within (2 nearness + nearness^2) ||a_i|| ||a_j|| of that of A'A; as a number of
 * roundings. */
static double roundings_of(double nearness) { return 2.0 * nearness * (1.0 + nearness) / (0.5 * DBL_EPSILON); }

/* Appends the new null vectors to N, and to U what H is to hold for them: U of the new ones is orthogonal, in units of
 * the columns, to the null vectors from before, so that U'N' stays invertible. */
static gpis_status append_null(gpis_model *m, int64_t count, const double *N) {
    const int64_t d = m->d, before = m->nulls * d, all = (m->nulls + count) * d;
    double *rows = gpis_alloc(m->context, all, sizeof *rows), *U = gpis_alloc(m->context, all, sizeof *U);
    const gpis_status status = rows && U ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        if (before > 0) memcpy(rows, m->N, (size_t)before * sizeof *rows);
        memcpy(rows + before, N, (size_t)(count * d) * sizeof *rows);
        span_null(m, m->nulls + count, rows, U);
        if (before > 0) memcpy(U, m->U, (size_t)before * sizeof *U);
    }
    double *const old[] = {m->N, m->U}, *const new[] = {rows, U};
    for (int i = 0; i < 2; i++) gpis_free(m->context, status == GPIS_OK ? old[i] : new[i]);
    if (status == GPIS_OK) m->N = rows, m->U = U, m->nulls += count;
    return status;
}

gpis_status gpis_model_add_null(gpis_model *m, int64_t count, const double *N, double nearness) {
    const int64_t d = m->d, before = m->nulls;
    double *work = gpis_alloc(m->context, d * d, sizeof *work);
    gpis_status status = work ? append_null(m, count, N) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        const double *U = m->U + before * d;
        for (int64_t j = 0; j < d; j++) m->H[j * (d + 1)] /= 1.0 + m->shift;
        m->shift = m->slack = 0.0;
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j < d; j++) m->H[i * d + j] += cblas_ddot((int)count, U + i, (int)d, U + j, (int)d);
        m->nearness = nearness;
        m->roundings += (double)count + 8.0 + roundings_of(nearness);
        find_scales(m);
        status = factor_safely(m, work);
        m->slack *= 1.0 + 2.0 * NULL_CURVATURE * (before > 0 ? 2.0 : 1.0); /* the columns have become longer */
    }
    gpis_free(m->context, work);
    return status;
}

/* Stacks the rows of B and U, scaled to unit columns, and below them `ridge` times the identity. For LAPACK, which is
 * column-major, this is the transpose, and its LQ factorisation is the QR factorisation that is wanted. */
static void scaled_rows(const gpis_model *model, int64_t m, const double *B, double ridge, double *scale, double *out) {
    const int64_t d = model->d, rows = m + model->nulls;
    memcpy(out, B, (size_t)(m * d) * sizeof *out);
    if (model->nulls) memcpy(out + m * d, model->U, (size_t)(model->nulls * d) * sizeof *out);
    for (int64_t j = 0; j < d; j++) {
        const double norm = cblas_dnrm2((int)rows, out + j, (int)d);
        scale[j] = norm > 0.0 ? 1.0 / norm : 1.0;
        cblas_dscal((int)rows, scale[j], out + j, (int)d);
        out[(rows + j) * d + j] = ridge;
    }
}

/* Sets the model to H = (R D)'(R D), for an upper triangle R, which is overwritten, and these scales. */
static void take_factor(gpis_model *m, double *R, const double *scale, double inverse) {
    const int d = (int)m->d;
    memcpy(m->scale, scale, (size_t)d * sizeof *scale);
    memcpy(m->R, R, (size_t)(d * d) * sizeof *R);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) R[i * d + j] = i <= j ? R[i * d + j] / scale[j] : 0.0;
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, d, d, 1.0, R, d, 0.0, m->H, d);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < i; j++) m->H[i * d + j] = m->H[j * d + i];
    m->by_rows = true;
    m->inverse = inverse;
    m->c = 1.0;
    m->slack = 0.0;
}

gpis_status gpis_model_hold_rows(gpis_model *m, int64_t m_rows, const double *B) {
    const int64_t d = m->d, rows = m_rows + m->nulls;
    const double ridge =
        4.0 * (double)d * DBL_EPSILON; /* about what rounding leaves of a column that depends on others */
    double *X = gpis_alloc_zero(m->context, (rows + d) * d, sizeof *X);
    double *work = gpis_alloc(m->context, d * d + 2 * d, sizeof *work), *scale = work ? work + d * d : NULL;
    gpis_status status = X && work ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        scaled_rows(m, m_rows, B, ridge, scale, X);
        if (LAPACKE_dgelqf(LAPACK_COL_MAJOR, (lapack_int)d, (lapack_int)(rows + d), X, (lapack_int)d, scale + d) != 0)
            status = gpis_fail(m->context, GPIS_NO_MEMORY, "no memory for a QR decomposition");
    }
    const double inverse = status == GPIS_OK ? inverse_norm(m, X, work) : INFINITY;
    if (ridge * ridge * inverse < 0.01) take_factor(m, X, scale, inverse);
    gpis_free(m->context, X);
    gpis_free(m->context, work);
    return status;
}

void gpis_model_destroy(gpis_model *m) {
    if (!m) return;
    gpis_free(m->context, m->H);
    gpis_free(m->context, m->R);
    gpis_free(m->context, m->R_low);
    gpis_free(m->context, m->scale);
    gpis_free(m->context, m->N);
    gpis_free(m->context, m->U);
    gpis_free(m->context, m);
}

bool gpis_model_has_full_rank(const gpis_model *m) { return !(m->shift > 0.0) || (m->by_rows && !m->R_low); }

/* The norm of column j in H; 0 for a column of zeros, for which the factor has a 1. */
static double norm_in_model(const gpis_model *m, int64_t j) {
    return m->H[j * (m->d + 1)] > 0.0 ? 1.0 / m->scale[j] : 0.0;
}

/* D R'R D V: R has digits that H has lost. */
static void apply_factor(const gpis_model *m, int64_t k, const double *V, double *HV) {
    const int d = (int)m->d;
    for (int64_t j = 0; j < d; j++)
        for (int64_t c = 0; c < k; c++) HV[j * k + c] = V[j * k + c] * norm_in_model(m, j);
    cblas_dtrmm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, d, (int)k, 1.0, m->R, d, HV, (int)k);
    cblas_dtrmm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, d, (int)k, 1.0, m->R, d, HV, (int)k);
    for (int64_t j = 0; j < d; j++)
        for (int64_t c = 0; c < k; c++) HV[j * k + c] *= norm_in_model(m, j);
}

void gpis_model_apply(const gpis_model *m, int64_t k, const double *V, double *HV) {
    const int d = (int)m->d;
    if (m->by_rows)
        apply_factor(m, k, V, HV);
    else if (k == 1)
        gpis_symmetric_apply(d, m->H, V, HV);
    else
        cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, d, (int)k, 1.0, m->H, d, V, (int)k, 0.0, HV, (int)k);
}

bool gpis_model_covers(const gpis_model *m, int64_t k, const double *V) {
    for (int64_t j = 0; j < m->d; j++)
        for (int64_t c = 0; c < k && m->H[j * m->d + j] == 0.0; c++)
            if (V[j * k + c] != 0.0) return false;
    return true;
}

static void scale_rows(const gpis_model *m, int64_t k, double *V) {
    for (int64_t j = 0; j < m->d; j++)
        for (int64_t c = 0; c < k; c++) V[j * k + c] *= m->scale[j];
}

static void triangle(const gpis_model *m, CBLAS_TRANSPOSE transpose, int64_t k, double *V) {
    const int d = (int)m->d;
    if (k == 1) /* by columns the rows of R are those of R' */
        gpis_lower_solve(d, m->R, d, transpose == CblasNoTrans, V);
    else
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, transpose, CblasNonUnit, d, (int)k, 1.0, m->R, d, V, (int)k);
}

void gpis_model_whiten(const gpis_model *m, int64_t k, double *V) {
    scale_rows(m, k, V);
    triangle(m, CblasTrans, k, V);
}

double gpis_model_whitening(const gpis_model *m) {
    double largest = 0.0;
    for (int64_t j = 0; j < m->d; j++) largest = fmax(largest, m->H[j * m->d + j] > 0.0 ? m->scale[j] : INFINITY);
    return largest * sqrt(m->inverse);
}

void gpis_model_unwhiten(const gpis_model *m, int64_t k, double *V) {
    triangle(m, CblasNoTrans, k, V);
    scale_rows(m, k, V);
}

void gpis_model_solve(const gpis_model *m, int64_t k, double *V) {
    gpis_model_whiten(m, k, V);
    gpis_model_unwhiten(m, k, V);
}
