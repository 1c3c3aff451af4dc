/* A right-looking factorisation by block columns, and the inverse by blocks of columns. */
#include "linalg/cholesky.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "linalg/small.h"

enum {
    BLOCK = 128,
    MIN_PARALLEL_COLUMNS = 3 * BLOCK /* for fewer columns, threads cost more than they save */
};

static int width(int64_t d, int64_t block) { return (int)gpis_min64(BLOCK, d - block * BLOCK); }

static double *at(double *L, int64_t d, int64_t row, int64_t column) { return L + (column * d + row) * BLOCK; }

/* Block column k below its diagonal block, which has been factored: L_ik := L_ik L_kk^-T. */
static void solve_block(double *L, int64_t d, int64_t i, int64_t k) {
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, width(d, i), width(d, k), 1.0,
                at(L, d, k, k), (int)d, at(L, d, i, k), (int)d);
}

/* L_ij -= L_ik L_jk'. */
static void update_block(double *L, int64_t d, int64_t i, int64_t j, int64_t k) {
    if (i == j)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, width(d, i), width(d, k), -1.0, at(L, d, i, k), (int)d,
                    1.0, at(L, d, i, i), (int)d);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, width(d, i), width(d, j), width(d, k), -1.0,
                    at(L, d, i, k), (int)d, at(L, d, j, k), (int)d, 1.0, at(L, d, i, j), (int)d);
}

/* The t-th of the blocks below and to the right of (k, k), counted column by column. */
static void find_block(int64_t blocks, int64_t k, int64_t t, int64_t *i, int64_t *j) {
    for (*j = k + 1; t >= blocks - *j; (*j)++) t -= blocks - *j;
    *i = *j + t;
}

bool gpis_cholesky_factor(int threads, int64_t d, double *L) {
    const int64_t blocks = (d + BLOCK - 1) / BLOCK;
    if (d < MIN_PARALLEL_COLUMNS) threads = 1;
    for (int64_t k = 0; k < blocks; k++) {
        const int64_t left = blocks - k - 1, updates = left * (left + 1) / 2;
        if (!gpis_lower_factor(width(d, k), 0, at(L, d, k, k), d)) return false;
        if (left == 0) break; /* without teams of threads that would have nothing to do */
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t i = k + 1; i < blocks; i++) solve_block(L, d, i, k);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t t = 0; t < updates; t++) {
            int64_t i, j;
            find_block(blocks, k, t, &i, &j);
            update_block(L, d, i, j, k);
        }
    }
    return true;
}

/* Columns of L^-1 from block k on: L X = I. X is zero above that block. */
static double inverse_block(const double *L, int64_t d, int64_t k, double *X) {
    const int64_t first = k * BLOCK, rows = d - first;
    const int columns = width(d, k);
    memset(X, 0, (size_t)(rows * columns) * sizeof *X);
    for (int64_t c = 0; c < columns; c++) X[c * rows + c] = 1.0;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)rows, columns, 1.0,
                L + first * (d + 1), (int)d, X, (int)rows);
    double sum = 0.0;
    for (int64_t i = 0; i < rows * columns; i++) sum += X[i] * X[i];
    return sum;
}

double gpis_cholesky_inverse_norm2(int threads, int64_t d, const double *L, double *work) {
    const int64_t blocks = (d + BLOCK - 1) / BLOCK;
    double sum = 0.0;
    for (int64_t j = 0; j < d; j++)
        if (L[j * (d + 1)] == 0.0) return INFINITY;
    if (d < MIN_PARALLEL_COLUMNS) threads = 1;
    if (d <= GPIS_SMALL) return gpis_lower_inverse_norm2(d, L, d, work);
    if (blocks == 1) return inverse_block(L, d, 0, work);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t k = 0; k < blocks;
         k++) { /* an entry of `work` that is not needed any more keeps the sum of each block */
        const double part = inverse_block(L, d, k, work + k * BLOCK * d);
        work[k * BLOCK * d] = part;
    }
    for (int64_t k = 0; k < blocks; k++) sum += work[k * BLOCK * d];
    return sum;
}
