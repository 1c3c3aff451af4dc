/* Residuals in extended precision, for any storage. */
#include "linalg/extended.h"

/* Entry p of row i: its value, and its column in *j. */
static double entry(const gpis_block *b, int64_t i, int64_t p, int64_t *j) {
    const bool csr = b->kind == GPIS_BLOCK_CSR;
    const int64_t at = csr ? p : i * b->row_stride + p * b->col_stride;
    *j = csr ? b->indices[p] : p;
    return b->type == GPIS_FLOAT64 ? ((const double *)b->values)[at] : (double)((const float *)b->values)[at];
}

double gpis_extended_gradient(const gpis_block *b, int64_t k, const double *X, const double *Y, double *R, double *G) {
    const bool csr = b->kind == GPIS_BLOCK_CSR;
    long double norm2 = 0.0L;
    for (int64_t i = 0; i < b->nrows; i++) {
        const int64_t begin = csr ? b->indptr[i] : 0, end = csr ? b->indptr[i + 1] : b->d;
        int64_t j;
        for (int64_t c = 0; c < k; c++) {
            long double r = Y ? -(long double)Y[i * k + c] : 0.0L;
            for (int64_t p = begin; p < end; p++) r += (long double)entry(b, i, p, &j) * X[j * k + c];
            R[i * k + c] = (double)r;
            norm2 += r * r;
        }
        for (int64_t p = begin; G && p < end; p++) {
            const double a = entry(b, i, p, &j);
            for (int64_t c = 0; c < k; c++) G[j * k + c] += a * R[i * k + c];
        }
    }
    return (double)norm2;
}
