/*
 * Null vectors of the model. In units of the columns the model is T = P R'R P' by a Cholesky decomposition with pivots,
 * which ends when only rounding errors are left: R = (R_11 R_12), and the columns behind R_12 are the combinations
 * R_11^-1 R_12 of those before them. Each such column gives a null vector.
 */
#include "linalg/null_vectors.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>

/* T without the model's shift. A column of zeros has zeros. */
static void scaled_copy(const gpis_model *m, double *T) {
    for (int64_t i = 0; i < m->d; i++)
        for (int64_t j = 0; j < m->d; j++)
            T[i * m->d + j] =
                i == j ? (m->H[i * m->d + j] > 0.0 ? 1.0 : 0.0) : m->H[i * m->d + j] * m->scale[i] * m->scale[j];
}

/* What rounding leaves of a pivot that is zero. As for the shift of a model, the errors are taken to be random. */
static double smallest_pivot(const gpis_model *m) { return 16.0 * (double)m->d * sqrt(m->roundings) * DBL_EPSILON; }

/* Row `t` of W, for the column own = pivot[t] - 1 of T. What is below NOTHING in units of the columns is rounding. */
static void take_combination(const gpis_model *m, int64_t rank, const lapack_int *pivot, const double *R, int64_t t,
                             double *w) {
    static const double NOTHING = 1e-9;
    const int64_t own = pivot[t] - 1;
    for (int64_t j = 0; j < m->d; j++) w[j] = 0.0;
    for (int64_t i = 0; i < rank; i++) {
        const int64_t j = pivot[i] - 1;
        const double share = R[i * m->d + t];
        if (fabs(share) > NOTHING) w[j] = share * (m->scale[j] / m->scale[own]);
    }
    w[own] = -1.0;
}

gpis_status gpis_null_vectors_find(const gpis_model *m, int64_t most, double *W, int64_t *own, int64_t *count,
                                   int64_t *deficit) {
    const int64_t d = m->d;
    lapack_int *pivot = gpis_alloc(m->context, d, sizeof *pivot), rank = 0;
    double *R = gpis_alloc(m->context, d * (d + 2), sizeof *R);
    const gpis_status status = pivot && R ? GPIS_OK : GPIS_NO_MEMORY;
    *count = *deficit = 0;
    if (status == GPIS_OK) {
        scaled_copy(m, R); /* row-major upper is column-major lower */
        LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)d, R, (lapack_int)d, pivot, &rank, smallest_pivot(m),
                            R + d * d);
        if (rank > 0 && rank < d)
            cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, rank, (int)d - rank, 1.0, R,
                        (int)d, R + rank, (int)d);
        *deficit = d - rank;
        *count = gpis_min64(*deficit, most);
        for (int64_t i = 0; i < *count; i++) {
            own[i] = pivot[rank + i] - 1;
            take_combination(m, rank, pivot, R, rank + i, W + i * d);
        }
    }
    gpis_free(m->context, pivot);
    gpis_free(m->context, R);
    return status;
}
