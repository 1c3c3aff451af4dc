/* Sums of products in quadruple precision, as a reference for sums in double-double. */
#ifndef GPIS_TESTS_QUAD_H
#define GPIS_TESTS_QUAD_H

#include "support.h"

/* 113 bits: the products of two doubles are exact, and a sum has 2^-7 of the rounding errors of double-double. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#endif

/* The upper triangle of [A Y]'[A Y], p x p with p = d + k, for the n x d matrix a and the n x k matrix Y, both
 * row-major. The caller frees it. */
static inline quad *quad_summary(const double *a, const double *Y, int64_t n, int64_t d, int64_t k) {
    const int64_t p = d + k;
    quad *W = calloc((size_t)(p * p), sizeof *W);
    double *row = calloc((size_t)p, sizeof *row);
    for (int64_t r = 0; r < n; r++) {
        memcpy(row, a + r * d, (size_t)d * sizeof *row);
        if (k > 0) memcpy(row + d, Y + r * k, (size_t)k * sizeof *row);
        for (int64_t i = 0; i < p; i++)
            for (int64_t j = i; j < p; j++) W[i * p + j] += (quad)row[i] * row[j];
    }
    free(row);
    return W;
}

/* The largest error of an entry (i, j) in the lower triangle of the summary W, high parts and then low parts, relative
 * to ||a_i|| ||a_j||. */
static inline double quad_error(const quad *exact, const double *W, int64_t p) {
    double largest = 0.0;
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = 0; j <= i; j++) {
            const int64_t at = i * p + j;
            const double size = sqrt((double)exact[i * p + i]) * sqrt((double)exact[j * p + j]);
            const double error = fabs((double)((quad)W[at] + W[p * p + at] - exact[j * p + i]));
            if (!(error <= size)) return INFINITY; /* also where an entry is NaN */
            if (error > 0.0) largest = fmax(largest, error / size);
        }
    return largest;
}

#endif
