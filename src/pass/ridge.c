/*
 * The ridge. Its rows are diagonal, so that a few operations for each column are all that they take. Sums over columns
 * are made in extended precision, and each addition to a result is one rounding.
 */
#include "pass/ridge.h"

#include <math.h>

#include "linalg/dd.h"
#include "linalg/rounding.h"

/* sum_j ridge_j ||V_j||^2, for V of D x k. */
static double height(const double *ridge, const double *V, int64_t D, int64_t k) {
    long double sum = 0.0L;
    for (int64_t j = 0; j < D; j++) {
        long double row = 0.0L;
        for (int64_t c = 0; c < k; c++) row += (long double)V[j * k + c] * V[j * k + c];
        sum += ridge[j] * row;
    }
    return (double)sum;
}

/* G += diag(ridge) V, with one rounding. */
static void add_products(const double *ridge, const double *V, int64_t D, int64_t k, double *G) {
    for (int64_t j = 0; j < D; j++)
        for (int64_t c = 0; c < k; c++) G[j * k + c] = fma(ridge[j], V[j * k + c], G[j * k + c]);
}

/* A null vector of A with the ridge below is zero wherever the ridge is not. */
static void add_misses(const double *ridge, const double *V, int64_t D, int64_t probes, double *misses) {
    for (int64_t j = 0; j < D; j++)
        for (int64_t c = 0; c < probes; c++) misses[c] += ridge[j] > 0.0 && V[j * probes + c] != 0.0;
}

void gpis_ridge_add_summary(const double *ridge, int64_t D, int64_t k, double *W) {
    const int64_t size = D + k;
    for (int64_t j = 0; j < D; j++) {
        double *high = W + j * (size + 1), *low = high + size * size;
        const gpis_dd sum = gpis_dd_add((gpis_dd){*high, *low}, gpis_dd_of(ridge[j]));
        *high = sum.high;
        *low = sum.low;
    }
}

void gpis_ridge_add_diagonal(const double *ridge, int64_t D, double *H) {
    for (int64_t j = 0; ridge && j < D; j++) H[j * (D + 1)] += ridge[j];
}

void gpis_ridge_add(const gpis_pass *pass, int64_t D) {
    const double *ridge = pass->terms.ridge;
    if (!ridge) return;
    if (pass->objective && pass->X) *pass->objective += height(ridge, pass->X, D, pass->k);
    if (pass->AP2) *pass->AP2 += height(ridge, pass->P, D, pass->k);
    if (pass->G) add_products(ridge, pass->X, D, pass->k, pass->G);
    if (pass->AAV) add_products(ridge, pass->V, D, pass->probes, pass->AAV);
    if (pass->misses) add_misses(ridge, pass->V, D, pass->probes, pass->misses);
    if (pass->summary) gpis_ridge_add_summary(ridge, D, pass->k, pass->summary);
    if (pass->gram && !pass->columns) gpis_ridge_add_diagonal(ridge, D, pass->gram);
    for (int64_t c = 0; pass->gram && pass->columns && c < pass->count; c++)
        pass->gram[c * (pass->count + 1)] += ridge[pass->columns[c]];
    for (int64_t j = 0; pass->norms2 && j < D; j++) pass->norms2[j] += ridge[j];
    for (int64_t j = 0; pass->nonzeros && j < D; j++) pass->nonzeros[j] += ridge[j] > 0.0;
}

/* One rounding for each addition, and those of the sum over columns. */
gpis_roundings gpis_ridge_roundings(gpis_roundings r, const gpis_load *load) {
    const double sum = (double)(load->d + load->k + 2) * (GPIS_EXTENDED_UNIT / GPIS_UNIT);
    if (!load->ridge) return r;
    r.objective += 2.0 + sum;
    r.gradient += 1.0;
    r.products += 1.0;
    r.gram += 1.0;
    r.summary += GPIS_DD_UNIT;
    return r;
}
