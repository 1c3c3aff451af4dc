/* Residuals in extended precision, for any storage; of dense rows the sums of A'r over the chunk, too. */
#include "linalg/extended.h"

/* Entry p of row i: its value, and its column in *j. */
static double entry(const gpis_block *b, int64_t i, int64_t p, int64_t *j) {
    const bool csr = b->kind == GPIS_BLOCK_CSR;
    const int64_t at = csr ? p : i * b->row_stride + p * b->col_stride;
    *j = csr ? b->indices[p] : p;
    return b->type == GPIS_FLOAT64 ? ((const double *)b->values)[at] : (double)((const float *)b->values)[at];
}

/* R = A X - Y, rounded once; returns ||A X - Y||^2 before that. */
static double residuals(const gpis_block *b, int64_t k, const double *X, const double *Y, double *R) {
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
    }
    return (double)norm2;
}

/* G += A'R, some columns at a time: each entry is rounded once for the whole chunk. */
static void add_dense(const gpis_block *b, int64_t k, const double *R, double *G) {
    enum { COLUMNS = 16 };
    for (int64_t j0 = 0; j0 < b->d; j0 += COLUMNS) {
        const int64_t count = gpis_min64(COLUMNS, b->d - j0);
        for (int64_t c = 0; c < k; c++) {
            long double sum[COLUMNS] = {0};
            int64_t j;
            for (int64_t i = 0; i < b->nrows; i++)
                for (int64_t t = 0; t < count; t++) sum[t] += (long double)entry(b, i, j0 + t, &j) * R[i * k + c];
            for (int64_t t = 0; t < count; t++) G[(j0 + t) * k + c] += (double)sum[t];
        }
    }
}

static void add_csr(const gpis_block *b, int64_t k, const double *R, double *G) {
    int64_t j;
    for (int64_t i = 0; i < b->nrows; i++)
        for (int64_t p = b->indptr[i]; p < b->indptr[i + 1]; p++) {
            const double a = entry(b, i, p, &j);
            for (int64_t c = 0; c < k; c++) G[j * k + c] += a * R[i * k + c];
        }
}

double gpis_extended_gradient(const gpis_block *b, int64_t k, const double *X, const double *Y, double *R, double *G) {
    const double norm2 = residuals(b, k, X, Y, R);
    if (G && b->kind == GPIS_BLOCK_CSR) add_csr(b, k, R, G);
    if (G && b->kind == GPIS_BLOCK_DENSE) add_dense(b, k, R, G);
    return norm2;
}
