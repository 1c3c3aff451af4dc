/* The model of A'A: scaling, Cholesky factor, and the constants of A'A >= c H - slack D^2. */
#include "linalg/model.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* T + shift. A column of zeros gets a diagonal entry as the others do: it stands apart, and the factor exists. */
static void scaled_copy(const gpis_model *m, double shift, double *T) {
    for (int64_t i = 0; i < m->d; i++)
        for (int64_t j = 0; j < m->d; j++) T[i * m->d + j] = m->H[i * m->d + j] * m->scale[i] * m->scale[j];
    for (int64_t i = 0; i < m->d; i++) T[i * m->d + i] = 1.0 + shift;
}

/* T = R'R; false when T is not positive definite. Row-major upper is column-major lower: LAPACK need not transpose. */
static bool factor(gpis_model *m) {
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m->d, m->R, (lapack_int)m->d) == 0;
}

/* ||T^-1|| <= trace(T^-1) = ||R^-1||_F^2. */
static double inverse_norm(const gpis_model *m, double *work) {
    memcpy(work, m->R, (size_t)(m->d * m->d) * sizeof *work);
    if (LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', (lapack_int)m->d, work, (lapack_int)m->d) != 0) return INFINITY;
    double sum = 0.0;
    for (int64_t i = 0; i < m->d; i++)
        for (int64_t j = i; j < m->d; j++) sum += work[i * m->d + j] * work[i * m->d + j];
    return sum;
}

/*
 * An entry of H is off by at most e ||a_i|| ||a_j||, e = roundings * 2^-53, so T is off by at most d e in norm; its
 * Cholesky factor and the triangular solves with it add 4 d^2 2^-53. With E the sum of both,
 * A'A >= H - E D^2 >= (1 - E ||T^-1||) H. Where that leaves nothing, the shift makes H + shift D^2 safely positive and
 * A'A >= H + shift D^2 - (shift + E) D^2.
 */
static gpis_status factor_safely(gpis_model *m, double roundings, double *work) {
    const double error = (double)m->d * (roundings + 4.0 * (double)m->d) * 0.5 * DBL_EPSILON;
    scaled_copy(m, 0.0, m->R);
    if (factor(m)) {
        m->inverse = inverse_norm(m, work);
        m->c = 1.0 - error * m->inverse;
        if (m->c >= 0.5) return GPIS_OK;
    }
    /* The smaller the shift, the better a preconditioner H is. Rounding errors are like random ones, so their square
     * root is what to expect of them; the claim above stands on the worst case. */
    double shift = 4.0 * (double)m->d * sqrt(roundings) * DBL_EPSILON;
    for (int tries = 0; tries < 30; tries++, shift *= 4.0) {
        scaled_copy(m, shift, m->R);
        if (!factor(m)) continue;
        for (int64_t i = 0; i < m->d; i++) m->H[i * m->d + i] *= 1.0 + shift;
        m->inverse = inverse_norm(m, work);
        m->c = 1.0;
        m->slack = shift + error;
        return GPIS_OK;
    }
    return gpis_fail(m->context, GPIS_INTERNAL, "the Gram matrix has no Cholesky factor");
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
    m->R = gpis_alloc(context, d * d, sizeof(double));
    m->scale = gpis_alloc(context, d, sizeof(double));
    work = gpis_alloc(context, d * d, sizeof(double));
    if (m->R && m->scale && work) {
        for (int64_t j = 0; j < d; j++) m->scale[j] = H[j * d + j] > 0.0 ? 1.0 / sqrt(H[j * d + j]) : 1.0;
        status = factor_safely(m, roundings, work);
    }
    gpis_free(context, work);
    if (status == GPIS_OK)
        *out = m;
    else
        gpis_model_destroy(m);
    return status;
}

void gpis_model_destroy(gpis_model *m) {
    if (!m) return;
    gpis_free(m->context, m->H);
    gpis_free(m->context, m->R);
    gpis_free(m->context, m->scale);
    gpis_free(m->context, m);
}

void gpis_model_apply(const gpis_model *m, int64_t k, const double *V, double *HV) {
    const int d = (int)m->d;
    if (k == 1)
        cblas_dsymv(CblasRowMajor, CblasUpper, d, 1.0, m->H, d, V, 1, 0.0, HV, 1);
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
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, transpose, CblasNonUnit, (int)m->d, (int)k, 1.0, m->R, (int)m->d,
                V, (int)k);
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

void gpis_model_solve(const gpis_model *m, int64_t k, double *V) {
    gpis_model_whiten(m, k, V);
    triangle(m, CblasNoTrans, k, V);
    scale_rows(m, k, V);
}
