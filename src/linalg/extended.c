/* Residuals in extended precision, for any storage. */
#include "linalg/extended.h"

#include "linalg/accurate.h"

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
    for (int64_t i = 0; i < b->nrows; i++)
        for (int64_t p = b->indptr[i]; p < b->indptr[i + 1]; p++) {
            const long double a = gpis_block_entry(b, i, p);
            for (int64_t c = 0; c < k; c++) add(G, low, b->indices[p] * k + c, a * factor(b, R, k, i, c));
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

/* Sums are made four at once, since in one sum each addition would wait for the one before. */
enum { LANES = 4 };

/* Dense rows. `single` and `lanes` are known where it is inlined, which keeps the sums in registers. */
static inline double dense(const gpis_block *b, bool single, int64_t i, int64_t j) {
    const int64_t at = i * b->row_stride + j * b->col_stride;
    return single ? (double)((const float *)b->values)[at] : ((const double *)b->values)[at];
}

/* out[t] = <A_j, W R_c> for the columns j = first + t. */
static inline void multiply_columns(const gpis_block *b, bool single, int lanes, int64_t first, int64_t k, int64_t c,
                                    const double *R, long double *out) {
    long double sum[LANES] = {0};
    for (int64_t i = 0; i < b->nrows; i++) {
        const long double r = factor(b, R, k, i, c);
        for (int t = 0; t < lanes; t++) sum[t] += (long double)dense(b, single, i, first + t) * r;
    }
    for (int t = 0; t < lanes; t++) out[t] = sum[t];
}

static inline void add_products_dense(const gpis_block *b, bool single, int64_t k, const double *R, double *G,
                                      double *low) {
    for (int64_t j = 0; j < b->d;) {
        const int lanes = b->d - j >= LANES ? LANES : 1;
        for (int64_t c = 0; c < k; c++) {
            long double sum[LANES];
            if (lanes == LANES)
                multiply_columns(b, single, LANES, j, k, c, R, sum);
            else
                multiply_columns(b, single, 1, j, k, c, R, sum);
            for (int t = 0; t < lanes; t++) add(G, low, (j + t) * k + c, sum[t]);
        }
        j += lanes;
    }
}

/* r[t] = (A X - Y)_ic for the rows i = first + t, without the column of ones. */
static inline void multiply_rows(const gpis_block *b, bool single, int lanes, int64_t first, int64_t k, int64_t c,
                                 const double *X, const double *Y, long double *r) {
    long double sum[LANES];
    for (int t = 0; t < lanes; t++) sum[t] = Y ? -(long double)Y[(first + t) * k + c] : 0.0L;
    for (int64_t j = 0; j < b->d; j++) {
        const long double x = X[j * k + c];
        for (int t = 0; t < lanes; t++) sum[t] += (long double)dense(b, single, first + t, j) * x;
    }
    for (int t = 0; t < lanes; t++) r[t] = sum[t];
}

/* Enters row i of R. Returns what it adds to the sum of squares. */
static long double enter(const gpis_block *b, int64_t k, const double *X, int64_t i, int64_t c, long double r,
                         double *R) {
    if (b->constant) r += X[b->d * k + c];
    R[i * k + c] = (double)r;
    return b->weights ? (b->weights[i] * r) * r : r * r;
}

static inline long double residual_dense(const gpis_block *b, bool single, int64_t k, const double *X, const double *Y,
                                         double *R) {
    long double norm2 = 0.0L;
    for (int64_t i = 0; i < b->nrows;) {
        const int lanes = b->nrows - i >= LANES ? LANES : 1;
        for (int64_t c = 0; c < k; c++) {
            long double r[LANES];
            if (lanes == LANES)
                multiply_rows(b, single, LANES, i, k, c, X, Y, r);
            else
                multiply_rows(b, single, 1, i, k, c, X, Y, r);
            for (int t = 0; t < lanes; t++) norm2 += enter(b, k, X, i + t, c, r[t], R);
        }
        i += lanes;
    }
    return norm2;
}

static long double residual_csr(const gpis_block *b, int64_t k, const double *X, const double *Y, double *R) {
    long double norm2 = 0.0L;
    for (int64_t i = 0; i < b->nrows; i++)
        for (int64_t c = 0; c < k; c++) {
            long double r = Y ? -(long double)Y[i * k + c] : 0.0L;
            for (int64_t p = b->indptr[i]; p < b->indptr[i + 1]; p++)
                r += (long double)gpis_block_entry(b, i, p) * X[b->indices[p] * k + c];
            norm2 += enter(b, k, X, i, c, r, R);
        }
    return norm2;
}

double gpis_extended_gradient(const gpis_block *b, int64_t k, const double *X, const double *Y, double *R, double *G,
                              double *low) {
    const bool csr = b->kind == GPIS_BLOCK_CSR, single = b->type == GPIS_FLOAT32;
    const long double norm2 = csr      ? residual_csr(b, k, X, Y, R)
                              : single ? residual_dense(b, true, k, X, Y, R)
                                       : residual_dense(b, false, k, X, Y, R);
    if (G && csr)
        add_products_csr(b, k, R, G, low);
    else if (G && single)
        add_products_dense(b, true, k, R, G, low);
    else if (G)
        add_products_dense(b, false, k, R, G, low);
    if (G && b->constant) add_constant(b, k, R, G, low);
    return (double)norm2;
}
