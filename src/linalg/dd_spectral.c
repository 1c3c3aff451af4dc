/* Jacobi's method in double-double, and what it yields for the spectral norm. */
#include "linalg/dd_spectral.h"

static const double NEGLIGIBLE = 0x1p-108; /* of the geometric mean of both diagonal entries */

/* The rotation by which entry (i, j) of A becomes 0: t = tan, |t| <= 1, solves t^2 + 2 theta t = 1. */
typedef struct rotation {
    gpis_dd cosine, sine;
} rotation;

static rotation rotation_for(gpis_dd aii, gpis_dd ajj, gpis_dd aij) {
    const gpis_dd one = gpis_dd_of(1.0), theta = gpis_dd_divide(gpis_dd_subtract(ajj, aii), gpis_dd_scale(aij, 2.0));
    const gpis_dd size = theta.high < 0.0 ? gpis_dd_negate(theta) : theta;
    const gpis_dd root = gpis_dd_sqrt(gpis_dd_add(gpis_dd_multiply(theta, theta), one));
    gpis_dd t = gpis_dd_divide(one, gpis_dd_add(size, root));
    if (theta.high < 0.0) t = gpis_dd_negate(t);
    const gpis_dd cosine = gpis_dd_divide(one, gpis_dd_sqrt(gpis_dd_add(gpis_dd_multiply(t, t), one)));
    return (rotation){cosine, gpis_dd_multiply(t, cosine)};
}

/* Entries a and b of two columns, or of two rows. */
static void rotate(rotation r, gpis_dd *a, gpis_dd *b) {
    const gpis_dd x = *a, y = *b;
    *a = gpis_dd_subtract(gpis_dd_multiply(r.cosine, x), gpis_dd_multiply(r.sine, y));
    *b = gpis_dd_add(gpis_dd_multiply(r.sine, x), gpis_dd_multiply(r.cosine, y));
}

/* Whether the entry was not negligible; it is now. */
static bool clear_entry(int64_t k, gpis_dd *A, gpis_dd *V, int64_t i, int64_t j) {
    const gpis_dd aij = A[i * k + j];
    const double size = sqrt(fabs(A[i * k + i].high)) * sqrt(fabs(A[j * k + j].high));
    if (!(fabs(aij.high) > NEGLIGIBLE * size)) return false;
    const rotation r = rotation_for(A[i * k + i], A[j * k + j], aij);
    for (int64_t a = 0; a < k; a++) rotate(r, A + a * k + i, A + a * k + j);
    for (int64_t a = 0; a < k; a++) rotate(r, A + i * k + a, A + j * k + a);
    for (int64_t a = 0; a < k; a++) rotate(r, V + a * k + i, V + a * k + j);
    A[i * k + j] = A[j * k + i] = gpis_dd_of(0.0);
    return true;
}

void gpis_dd_eigen(int64_t k, gpis_dd *A, gpis_dd *V) {
    enum { MAX_SWEEPS = 40 };
    bool more = true;
    for (int sweep = 0; sweep < MAX_SWEEPS && more; sweep++) {
        more = false;
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = i + 1; j < k; j++) more = clear_entry(k, A, V, i, j) || more;
    }
}

/* ---- the spectral norm ---- */

/* C = A'B for k x k. */
static void multiply(int64_t k, const gpis_dd *A, const gpis_dd *B, gpis_dd *C) {
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            gpis_dd sum = {0.0, 0.0};
            for (int64_t a = 0; a < k; a++) sum = gpis_dd_add(sum, gpis_dd_multiply(A[a * k + i], B[a * k + j]));
            C[i * k + j] = sum;
        }
}

/* C = (M / unit)'(M / unit). */
static void square(int64_t d, int64_t k, const double *high, const double *low, double unit, gpis_dd *C) {
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            gpis_dd sum = {0.0, 0.0};
            for (int64_t a = 0; a < d; a++) {
                const gpis_dd left = {high[a * k + i] / unit, low[a * k + i] / unit};
                const gpis_dd right = {high[a * k + j] / unit, low[a * k + j] / unit};
                sum = gpis_dd_add(sum, gpis_dd_multiply(left, right));
            }
            C[i * k + j] = sum;
        }
}

/* The largest sum of sizes in a row of A - shift I. */
static gpis_dd largest_row(int64_t k, const gpis_dd *A, double shift) {
    gpis_dd most = {0.0, 0.0};
    for (int64_t i = 0; i < k; i++) {
        gpis_dd sum = {0.0, 0.0};
        for (int64_t j = 0; j < k; j++) {
            const gpis_dd entry = i == j ? gpis_dd_subtract(A[i * k + j], gpis_dd_of(shift)) : A[i * k + j];
            sum = gpis_dd_add(sum, entry.high < 0.0 ? gpis_dd_negate(entry) : entry);
        }
        if (gpis_dd_subtract(sum, most).high > 0.0) most = sum;
    }
    return most;
}

/* A power of two of about the size of the largest entry; 0 if all are 0, NaN if one is not finite. */
static double unit_of(int64_t count, const double *v) {
    double most = 0.0;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(v[i])) return NAN;
        most = fmax(most, fabs(v[i]));
    }
    return most > 0.0 ? ldexp(1.0, ilogb(most)) : most;
}

/*
 * For any V, with y = V^-1 x: <x, C x> = <y, V'C V y> <= (largest row of V'C V) ||y||^2, and ||y||^2 (1 - (largest row
 * of V'V - I)) <= ||x||^2. V holds the eigenvectors, so both are sharp. Rounding errors: an entry of C is within
 * (d + 2) U of a product of two norms of columns, so that C is within (d + 2) U tr(C) of M'M; each product with V adds
 * less than (k + 2) U (2 k)^2 of the largest entry, and the norms add k U; all of it is below the margin, since the
 * columns of V have norms below 2 and tr(C) <= k ||C||.
 */
static gpis_dd largest_eigenvalue(int64_t d, int64_t k, gpis_dd *work) {
    gpis_dd *C = work, *V = C + k * k, *A = V + k * k, *CV = A + k * k;
    const double n = (double)k, margin = (((double)d + 2.0) * n + 16.0 * (n + 4.0) * n * n + 16.0) * GPIS_DD_UNIT;
    for (int64_t i = 0; i < k * k; i++) A[i] = C[i], V[i] = gpis_dd_of(i % (k + 1) == 0 ? 1.0 : 0.0);
    gpis_dd_eigen(k, A, V);
    multiply(k, C, V, CV); /* C is symmetric */
    multiply(k, V, CV, A);
    const gpis_dd most = largest_row(k, A, 0.0);
    multiply(k, V, V, A);
    const gpis_dd off = largest_row(k, A, 1.0);
    if (!(off.high < 0.1)) return gpis_dd_of(INFINITY);
    return gpis_dd_divide(gpis_dd_add(most, gpis_dd_scale(most, 4.0 * margin)), gpis_dd_subtract(gpis_dd_of(1.0), off));
}

gpis_dd gpis_dd_spectral_norm(int64_t d, int64_t k, const double *high, const double *low, gpis_dd *work) {
    const double unit = unit_of(d * k, high);
    if (unit == 0.0) return gpis_dd_of(0.0);
    if (isnan(unit)) return gpis_dd_of(INFINITY);
    square(d, k, high, low, unit, work);
    const gpis_dd norm2 = largest_eigenvalue(d, k, work);
    return isfinite(norm2.high) ? gpis_dd_scale(gpis_dd_sqrt(norm2), unit) : gpis_dd_of(INFINITY);
}
