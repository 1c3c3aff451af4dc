/*
 * Least squares in quadruple precision, by the normal equations with iterative refinement: the Cholesky factor of A'A
 * has about 34 - 2 log10(condition of A) digits, which is enough up to condition 1e15, and refinement does the rest.
 * Nothing here is taken from the library. Matrices are row-major; A and y are doubles, and are taken as exact.
 */
#ifndef GPIS_TESTS_QUAD_LEAST_SQUARES_H
#define GPIS_TESTS_QUAD_LEAST_SQUARES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef __float128 quad;

static inline quad quad_root(quad a) {
    if (!(a > 0)) return 0;
    quad s = sqrt((double)a);
    for (int i = 0; i < 3; i++) s = (s + a / s) / 2;
    return s;
}

/* a (A'A) + b I = L L', d x d, lower triangle. The columns of A are scaled by 1 / scale_j first. */
static inline bool quad_factor(int64_t n, int64_t d, const double *A, const quad *scale, quad a, quad b, quad *L) {
    for (int64_t j = 0; j < d; j++)
        for (int64_t l = 0; l <= j; l++) {
            quad sum = 0;
            for (int64_t i = 0; i < n; i++) sum += (quad)A[i * d + j] * A[i * d + l];
            L[j * d + l] = (a * sum + (j == l ? b : 0)) / (scale[j] * scale[l]);
        }
    for (int64_t j = 0; j < d; j++) {
        for (int64_t l = 0; l <= j; l++) {
            quad sum = L[j * d + l];
            for (int64_t t = 0; t < l; t++) sum -= L[j * d + t] * L[l * d + t];
            if (l == j && !(sum > 0)) return false;
            L[j * d + l] = l == j ? quad_root(sum) : sum / L[l * d + l];
        }
    }
    return true;
}

/* v := L^-1 v; and v := L^-T v. */
static inline void quad_forward(int64_t d, const quad *L, quad *v) {
    for (int64_t j = 0; j < d; j++) {
        for (int64_t t = 0; t < j; t++) v[j] -= L[j * d + t] * v[t];
        v[j] /= L[j * d + j];
    }
}

static inline void quad_backward(int64_t d, const quad *L, quad *v) {
    for (int64_t j = d - 1; j >= 0; j--) {
        for (int64_t t = j + 1; t < d; t++) v[j] -= L[t * d + j] * v[t];
        v[j] /= L[j * d + j];
    }
}

/* g := A'(A x - y); returns ||A x - y||^2. */
static inline quad quad_gradient(int64_t n, int64_t d, const double *A, const double *y, const quad *x, quad *g) {
    quad norm2 = 0;
    for (int64_t j = 0; j < d; j++) g[j] = 0;
    for (int64_t i = 0; i < n; i++) {
        quad r = -(quad)y[i];
        for (int64_t j = 0; j < d; j++) r += A[i * d + j] * x[j];
        for (int64_t j = 0; j < d; j++) g[j] += A[i * d + j] * r;
        norm2 += r * r;
    }
    return norm2;
}

/* The norms of the columns; returns ||A||_F. */
static inline quad quad_norms(int64_t n, int64_t d, const double *A, quad *norms) {
    quad all = 0;
    for (int64_t j = 0; j < d; j++) {
        norms[j] = 0;
        for (int64_t i = 0; i < n; i++) norms[j] += (quad)A[i * d + j] * A[i * d + j];
        all += norms[j];
        norms[j] = quad_root(norms[j]);
    }
    return quad_root(all);
}

/* x = argmin ||A x - y||; false if A has no full rank. */
static inline bool quad_least_squares(int64_t n, int64_t d, const double *A, const double *y, quad *x) {
    enum { STEPS = 12 };
    quad *L = malloc((size_t)(d * d + 2 * d) * sizeof *L), *scale = L + d * d, *g = scale + d;
    quad_norms(n, d, A, scale);
    const bool done = quad_factor(n, d, A, scale, 1, 0, L);
    for (int64_t j = 0; j < d; j++) x[j] = 0;
    for (int step = 0; done && step < STEPS; step++) {
        quad_gradient(n, d, A, y, x, g);
        for (int64_t j = 0; j < d; j++) g[j] /= scale[j];
        quad_forward(d, L, g);
        quad_backward(d, L, g);
        for (int64_t j = 0; j < d; j++) x[j] -= g[j] / scale[j];
    }
    free(L);
    return done;
}

/* Karlson and Walden's estimate of the backward error of x, relative to ||A||_F. */
static inline double quad_backward_error(int64_t n, int64_t d, const double *A, const double *y, const double *x) {
    quad *L = malloc((size_t)(d * d + 3 * d) * sizeof *L), *scale = L + d * d, *g = scale + d, *at = g + d;
    quad x2 = 0, sum = 0;
    for (int64_t j = 0; j < d; j++) at[j] = x[j], x2 += (quad)x[j] * x[j];
    const quad norm = quad_norms(n, d, A, scale), r2 = quad_gradient(n, d, A, y, at, g);
    const bool done = quad_factor(n, d, A, scale, x2, r2, L);
    for (int64_t j = 0; j < d; j++) g[j] /= scale[j];
    if (done) quad_forward(d, L, g);
    for (int64_t j = 0; j < d; j++) sum += g[j] * g[j];
    free(L);
    return done ? (double)(quad_root(sum) / norm) : NAN;
}

#endif
