/*
 * Random matrices with given singular values: A = Q diag(sigma) V'.
 *
 * Q is the orthonormal factor of a Gaussian matrix G, by Cholesky twice: R1'R1 = G'G, then R2'R2 = Q1'Q1 with
 * Q1 = G R1^-1, and Q = Q1 R2^-1 is orthonormal to rounding, since G is well conditioned. Work goes by fixed groups of
 * rows on single-threaded BLAS, so that the bits do not depend on the threads.
 */
#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"

enum { GROUPS = 16, CHUNK = 1024 };

double *gen_allocate(int64_t rows, int64_t cols) {
    size_t count = 0;
    double *memory = NULL;
    if (!__builtin_mul_overflow((size_t)rows, (size_t)cols, &count)) memory = calloc(count ? count : 1, sizeof *memory);
    if (!memory) cli_fail(CLI_TROUBLE, "no memory for a matrix of %lld x %lld", (long long)rows, (long long)cols);
    return memory;
}

void gen_normal(uint64_t seed, int stream, int64_t count, double *out) {
    enum { PIECE = 65536 };
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < count; first += PIECE)
        gpis_random_normal(seed, (uint64_t)stream, (uint64_t)first, count - first < PIECE ? count - first : PIECE,
                           out + first);
}

double gen_sum_of_squares(const double *v, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += v[i] * v[i];
    return sum;
}

/* H = A'A, upper triangle: one sum for each group of rows, then the groups in order. */
static int gram(int64_t n, int64_t d, const double *A, double *H) {
    const size_t size = (size_t)(d * d);
    double *parts = gen_allocate(GROUPS, d * d);
    if (!parts) return CLI_TROUBLE;
#pragma omp parallel for schedule(static)
    for (int g = 0; g < GROUPS; g++) {
        const int64_t first = n * g / GROUPS, rows = n * (g + 1) / GROUPS - first;
        if (rows > 0)
            cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)rows, 1.0, A + first * d, (int)d, 0.0,
                        parts + (size_t)g * size, (int)d);
    }
    memcpy(H, parts, size * sizeof *H);
    for (int g = 1; g < GROUPS; g++)
        for (size_t i = 0; i < size; i++) H[i] += parts[(size_t)g * size + i];
    free(parts);
    return 0;
}

/* A <- A R^-1 with R'R = A'A. */
static int orthonormalise(int64_t n, int64_t d, double *A) {
    double *R = gen_allocate(d, d);
    int code = R ? gram(n, d, A, R) : CLI_TROUBLE;
    if (code == 0 && LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', (int)d, R, (int)d) != 0)
        code = cli_fail(CLI_TROUBLE, "the random matrix is rank deficient; try another --seed");
    if (code == 0) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i += CHUNK)
            cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit,
                        (int)(n - i < CHUNK ? n - i : CHUNK), (int)d, 1.0, R, (int)d, A + i * d, (int)d);
    }
    free(R);
    return code;
}

void gen_multiply(int64_t n, int64_t d, int64_t k, const double *A, const double *X, double *Y) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i += CHUNK)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(n - i < CHUNK ? n - i : CHUNK), (int)k, (int)d,
                    1.0, A + i * d, (int)d, X, (int)k, 0.0, Y + i * k, (int)k);
}

int gen_orthogonal(uint64_t seed, int stream, int64_t d, double *Q) {
    double *tau = gen_allocate(d, 1), *sign = gen_allocate(d, 1);
    int code = tau && sign ? 0 : CLI_TROUBLE;
    gen_normal(seed, stream, d * d, Q);
    if (code == 0 && LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, (int)d, (int)d, Q, (int)d, tau) != 0) code = CLI_TROUBLE;
    if (code == 0) {
        /* The factor is uniformly distributed only when R has a positive diagonal. */
        for (int64_t j = 0; j < d; j++) sign[j] = Q[j * d + j] < 0 ? -1 : 1;
        if (LAPACKE_dorgqr(LAPACK_ROW_MAJOR, (int)d, (int)d, (int)d, Q, (int)d, tau) != 0) code = CLI_TROUBLE;
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j < d; j++) Q[i * d + j] *= sign[j];
    }
    if (code != 0 && tau && sign) cli_fail(code, "no memory for a QR factorisation");
    free(tau);
    free(sign);
    return code;
}

int gen_spectrum(uint64_t seed, int64_t n, int64_t d, const double *sigma, double *A) {
    double *T = gen_allocate(d, d), *Q = gen_allocate(n, d);
    int code = T && Q ? gen_orthogonal(seed, GEN_STREAM_BASIS, d, T) : CLI_TROUBLE;
    if (code == 0) {
        for (int64_t i = 0; i < d; i++) cblas_dscal((int)d, sigma[i], T + i * d, 1); /* T = diag(sigma) V' */
        gen_normal(seed, GEN_STREAM_ROWS, n * d, Q);
        code = orthonormalise(n, d, Q);
    }
    if (code == 0) code = orthonormalise(n, d, Q);
    if (code == 0) gen_multiply(n, d, d, Q, T, A);
    free(T);
    free(Q);
    return code;
}
