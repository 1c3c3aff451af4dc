/* Triangles and symmetric matrices: by loops where they are small, else by BLAS and LAPACK. */
#include "linalg/small.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* to := to + times from. */
static inline void add(int64_t n, double times, const double *restrict from, double *restrict to) {
    for (int64_t i = 0; i < n; i++) to[i] += times * from[i];
}

/* ---- solves ---- */

/* Column by column: v_j = v_j / L_jj, and L_ij v_j leaves the entries below. */
static void solve(int64_t d, const double *L, int64_t stride, double *v) {
    for (int64_t j = 0; j < d; j++, L += stride) {
        v[j] /= L[j];
        add(d - j - 1, -v[j], L + j + 1, v + j + 1);
    }
}

/* From the last entry on: v_j = (v_j - sum over i > j of L_ij v_i) / L_jj. */
static void solve_transposed(int64_t d, const double *L, int64_t stride, double *v) {
    for (int64_t j = d - 1; j >= 0; j--) {
        const double *column = L + j * stride;
        double sum = v[j];
        for (int64_t i = j + 1; i < d; i++) sum -= column[i] * v[i];
        v[j] = sum / column[j];
    }
}

void gpis_lower_solve(int64_t d, const double *L, int64_t stride, bool transposed, double *v) {
    if (stride > GPIS_SMALL)
        cblas_dtrsv(CblasColMajor, CblasLower, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, (int)d, L,
                    (int)stride, v, 1);
    else
        (transposed ? solve_transposed : solve)(d, L, stride, v);
}

/* ---- factors ---- */

/* Column j is final when those before it have been subtracted; l l' of it is then subtracted from what is to the right,
 * in the rows that are new. */
static bool factor(int64_t d, int64_t from, double *L, int64_t stride) {
    for (int64_t j = 0; j < d; j++) {
        double *column = L + j * stride;
        if (j >= from && !(column[j] > 0.0)) return false;
        if (j >= from) column[j] = sqrt(column[j]);
        for (int64_t i = gpis_max64(j + 1, from); i < d; i++) column[i] /= column[j];
        for (int64_t k = j + 1; k < d; k++) {
            const int64_t first = gpis_max64(k, from);
            add(d - first, -column[k], column + first, L + k * stride + first);
        }
    }
    return true;
}

/* B = T_new,old L^-T, and the factor of T_new,new - B B'. */
static bool factor_by_blocks(int64_t d, int64_t from, double *L, int64_t stride) {
    const int new = (int)(d - from), old = (int)from, ld = (int)stride;
    double *B = L + from, *corner = L + from * stride + from;
    if (old > 0) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, new, old, 1.0, L, ld, B, ld);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, new, old, -1.0, B, ld, 1.0, corner, ld);
    }
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int) new, corner, (lapack_int)ld) == 0;
}

bool gpis_lower_factor(int64_t d, int64_t from, double *L, int64_t stride) {
    return (stride > GPIS_SMALL ? factor_by_blocks : factor)(d, from, L, stride);
}

/* Row i of L^-1 from those before it: (e_i - sum over k < i of L_ik row_k) / L_ii. */
double gpis_lower_inverse_norm2(int64_t d, const double *L, int64_t stride, double *work) {
    double sum = 0.0;
    memset(work, 0, (size_t)(d * d) * sizeof *work);
    for (int64_t i = 0; i < d; i++) {
        double *row = work + i * d;
        row[i] = 1.0;
        for (int64_t k = 0; k < i; k++) add(k + 1, -L[k * stride + i], work + k * d, row);
        for (int64_t c = 0; c <= i; c++) row[c] /= L[i * (stride + 1)];
        for (int64_t c = 0; c <= i; c++) sum += row[c] * row[c];
    }
    return sum;
}

/* ---- products ---- */

void gpis_symmetric_apply(int64_t d, const double *H, const double *v, double *Hv) {
    if (d > GPIS_SMALL) {
        cblas_dsymv(CblasRowMajor, CblasUpper, (int)d, 1.0, H, (int)d, v, 1, 0.0, Hv, 1);
        return;
    }
    memset(Hv, 0, (size_t)d * sizeof *Hv);
    for (int64_t j = 0; j < d; j++) add(d, v[j], H + j * d, Hv);
}
