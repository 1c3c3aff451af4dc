/* Residuals in extended precision, for any storage. */
#include "linalg/extended.h"

#include "linalg/accurate.h"

/* Entry p of row i: its value, and its column in *j. */
static double entry(const gpis_block *b, int64_t i, int64_t p, int64_t *j) {
    *j = b->kind == GPIS_BLOCK_CSR ? b->indices[p] : p;
    return gpis_block_entry(b, i, p);
}

/* Adds to an entry of G + low. Near the solution the terms of A'R cancel, and if A is ill conditioned, the rounding
 * errors of this sum limit the last digits of f. */
static void add(double *G, double *low, int64_t at, long double term) {
    const double high = (double)term, error = gpis_two_sum(&G[at], high);
    if (low) low[at] += error + (double)(term - high);
}

/* w_i R_ic in extended precision; without weights R_ic itself. */
static long double factor(const gpis_block *b, const double *R, int64_t k, int64_t i, int64_t c) {
    const long double r = R[i * k + c];
    return b->weights ? r * b->weights[i] : r;
}

/* Compressed rows: an entry of G gets so few terms from a chunk that a separate sum for the chunk does not pay. */
static void add_products_csr(const gpis_block *b, int64_t k, const double *R, double *G, double *low) {
    int64_t j;
    for (int64_t i = 0; i < b->nrows; i++)
        for (int64_t p = b->indptr[i]; p < b->indptr[i + 1]; p++) {
            const long double a = entry(b, i, p, &j);
            for (int64_t c = 0; c < k; c++) add(G, low, j * k + c, a * factor(b, R, k, i, c));
        }
}

/* For the column of ones, in any storage: a separate sum for the chunk. */
static void add_constant(const gpis_block *b, int64_t k, const double *R, double *G, double *low) {
    for (int64_t c = 0; c < k; c++) {
        long double sum = 0.0L;
        for (int64_t i = 0; i < b->nrows; i++) sum += factor(b, R, k, i, c);
        add(G, low, b->d * k + c, sum);
    }
}

/* Four columns at once, since in one sum each addition would wait for the one before. */
static void add_products_dense(const gpis_block *b, int64_t k, const double *R, double *G, double *low) {
    enum { COLUMNS = 4 };
    int64_t j;
    for (int64_t first = 0; first < b->d; first += COLUMNS)
        for (int64_t c = 0; c < k; c++) {
            const int64_t count = gpis_min64(COLUMNS, b->d - first);
            long double sum[COLUMNS] = {0};
            for (int64_t i = 0; i < b->nrows; i++) {
                const long double r = factor(b, R, k, i, c);
                for (int64_t t = 0; t < count; t++) sum[t] += (long double)entry(b, i, first + t, &j) * r;
            }
            for (int64_t t = 0; t < count; t++) add(G, low, (first + t) * k + c, sum[t]);
        }
}

double gpis_extended_gradient(const gpis_block *b, int64_t k, const double *X, const double *Y, double *R, double *G,
                              double *low) {
    const bool csr = b->kind == GPIS_BLOCK_CSR;
    long double norm2 = 0.0L;
    for (int64_t i = 0; i < b->nrows; i++) {
        const int64_t begin = csr ? b->indptr[i] : 0, end = csr ? b->indptr[i + 1] : b->d;
        int64_t j;
        for (int64_t c = 0; c < k; c++) {
            long double r = Y ? -(long double)Y[i * k + c] : 0.0L;
            for (int64_t p = begin; p < end; p++) r += (long double)entry(b, i, p, &j) * X[j * k + c];
            if (b->constant) r += X[b->d * k + c];
            R[i * k + c] = (double)r;
            norm2 += b->weights ? (b->weights[i] * r) * r : r * r;
        }
    }
    if (G && csr) add_products_csr(b, k, R, G, low);
    if (G && !csr) add_products_dense(b, k, R, G, low);
    if (G && b->constant) add_constant(b, k, R, G, low);
    return (double)norm2;
}
