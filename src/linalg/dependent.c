/*
 * Guesses at null vectors. In units of the columns the model is T = P R'R P' by a Cholesky decomposition with pivots,
 * which ends when what is left is rounding: R = (R_11 R_12), the columns behind R_12 being R_11^-1 R_12 combinations of
 * those before. Each such column is a null vector. Its entries, in units that are powers of two, are rounded to small
 * fractions and brought to one denominator.
 */
#include "linalg/dependent.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* T as it is without a shift. A column of zeros has zeros. */
static void scaled_copy(const gpis_model *m, double *T) {
    for (int64_t i = 0; i < m->d; i++)
        for (int64_t j = 0; j < m->d; j++)
            T[i * m->d + j] =
                i == j ? (m->H[i * m->d + j] > 0.0 ? 1.0 : 0.0) : m->H[i * m->d + j] * m->scale[i] * m->scale[j];
}

/* What rounding leaves of a pivot that is zero: as for the shift of a model, errors are like random ones. */
static double smallest_pivot(const gpis_model *m) { return 16.0 * (double)m->d * sqrt(m->roundings) * DBL_EPSILON; }

/* The first convergent of the continued fraction of w that is near enough, with a small denominator. */
static bool find_fraction(double w, double *p, double *q) {
    static const double NEAR = 1e-7, LARGEST = 1024.0;
    double p0 = 0.0, q0 = 1.0, p1 = 1.0, q1 = 0.0, rest = fabs(w);
    for (;;) {
        const double whole = floor(rest), p2 = whole * p1 + p0, q2 = whole * q1 + q0;
        if (!(q2 <= LARGEST && p2 <= LARGEST * LARGEST)) return false;
        *p = copysign(p2, w);
        *q = q2;
        if (fabs(fabs(w) - p2 / q2) <= NEAR) return true;
        p0 = p1, q0 = q1, p1 = p2, q1 = q2;
        rest = 1.0 / (rest - whole);
    }
}

static double common(double a, double b) { /* greatest divisor */
    while (b > 0.0) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/* The unit of a column: the power of two below its norm. */
static int unit_of(const gpis_model *m, int64_t j) { return ilogb(1.0 / m->scale[j]); }

/*
 * v for column `s`, which is W_i / scale times the columns pivot_i - 1, i < rank, in units of the columns; false where
 * it has no small fractions. With t_j = ||a_j|| / 2^unit in [1, 2) the entries are W_i t_s / t_i.
 */
static bool round_vector(const gpis_model *m, int64_t rank, const lapack_int *pivot, int64_t s, const double *W,
                         double *v) {
    static const double LARGEST = 0x1p20;
    const int64_t d = m->d;
    const double ts = ldexp(1.0 / m->scale[s], -unit_of(m, s));
    double denominator = 1.0, p, q;
    for (int64_t j = 0; j < d; j++) v[j] = 0.0;
    for (int64_t i = 0; i < rank; i++) {
        const int64_t j = pivot[i] - 1;
        if (!find_fraction(W[i * d] * ts / ldexp(1.0 / m->scale[j], -unit_of(m, j)), &p, &q)) return false;
        v[j] = p / q; /* to be made whole below: p and q are small */
        denominator *= q / common(denominator, q);
        if (denominator > LARGEST) return false;
    }
    v[s] = -1.0;
    for (int64_t j = 0; j < d; j++) v[j] = ldexp(rint(v[j] * denominator), -unit_of(m, j));
    return true;
}

/* <v, H v> is nothing but rounding. */
static bool is_likely(const gpis_model *m, const double *v) {
    double curvature = 0.0, size = 0.0;
    for (int64_t i = 0; i < m->d; i++) {
        if (v[i] == 0.0) continue;
        double row = -v[i] * m->H[i * m->d + i] * (m->shift / (1.0 + m->shift));
        for (int64_t j = 0; j < m->d; j++) row += m->H[i * m->d + j] * v[j];
        curvature += v[i] * row;
        size += v[i] * v[i] * m->H[i * m->d + i];
    }
    return curvature <= smallest_pivot(m) * size;
}

void gpis_dependent_columns(const gpis_model *m, const double *v, int64_t columns[2]) {
    double first = 0.0, second = 0.0;
    columns[0] = columns[1] = 0;
    for (int64_t j = 0; j < m->d; j++) {
        const double size = fabs(v[j]) / m->scale[j];
        if (size > first) {
            columns[1] = first > 0.0 ? columns[0] : j;
            second = first;
            columns[0] = j;
            first = size;
        } else if (size > second) {
            columns[1] = j;
            second = size;
        }
    }
}

/* The columns that depend on others, one by one; those of the first for which there is no guess are noted. */
static gpis_status collect(const gpis_model *m, int64_t rank, const lapack_int *pivot, const double *R, int64_t most,
                           double *N, int64_t *count, gpis_dependence *found) {
    const int64_t d = m->d;
    double *v = gpis_alloc(m->context, d, sizeof *v);
    if (!v) return GPIS_NO_MEMORY;
    for (int64_t t = rank; t < d; t++) {
        const int64_t s = pivot[t] - 1;
        if (round_vector(m, rank, pivot, s, R + t, v) && is_likely(m, v) && *count < most) {
            memcpy(N + (*count)++ * d, v, (size_t)d * sizeof *v);
        } else if (found->columns[0] < 0) {
            for (int64_t j = 0; j < d; j++) v[j] = 0.0;
            for (int64_t i = 0; i < rank; i++) v[pivot[i] - 1] = R[i * d + t] * m->scale[pivot[i] - 1];
            gpis_dependent_columns(m, v, found->columns);
            found->columns[1] = found->columns[0];
            found->columns[0] = s;
        }
    }
    gpis_free(m->context, v);
    return GPIS_OK;
}

gpis_status gpis_dependent_find(const gpis_model *m, int64_t most, double *N, int64_t *count, gpis_dependence *found) {
    const int64_t d = m->d;
    lapack_int *pivot = gpis_alloc(m->context, d, sizeof *pivot), rank = 0;
    double *R = gpis_alloc(m->context, d * (d + 2), sizeof *R);
    gpis_status status = pivot && R ? GPIS_OK : GPIS_NO_MEMORY;
    *count = 0;
    *found = (gpis_dependence){.columns = {-1, -1}};
    if (status == GPIS_OK) {
        scaled_copy(m, R); /* row-major upper is column-major lower */
        LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)d, R, (lapack_int)d, pivot, &rank, smallest_pivot(m),
                            R + d * d);
        if (rank > 0 && rank < d)
            cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, rank, (int)d - rank, 1.0, R,
                        (int)d, R + rank, (int)d);
        found->deficit = d - rank;
        status = collect(m, rank, pivot, R, most, N, count, found);
    }
    gpis_free(m->context, pivot);
    gpis_free(m->context, R);
    return status;
}
