/* Small sums of which the rounding errors are known, for the files that compute bounds. */
#ifndef GPIS_CERTIFICATE_ROUNDED_H
#define GPIS_CERTIFICATE_ROUNDED_H

#include <math.h>

#include "linalg/rounding.h"

/* Covers the rounding errors of norms of vectors of any size that fits. */
static const double GPIS_BOUND_MARGIN = 1.0 + 1e-9;

/* A bound that is not a number, after an overflow, says nothing. */
static inline double gpis_bound_at_least_zero(double bound) { return isnan(bound) ? INFINITY : fmax(0.0, bound); }

/* <a, b> in extended precision, since the products nearly cancel. */
static inline double gpis_bound_dot(const double *a, const double *b, int64_t size) {
    long double sum = 0.0L;
    for (int64_t i = 0; i < size; i++) sum += (long double)a[i] * b[i];
    return (double)sum;
}

/* An upper bound on the rounding error of that. */
static inline double gpis_bound_dot_error(const double *a, const double *b, int64_t size) {
    double sum = 0.0;
    for (int64_t i = 0; i < size; i++) sum += fabs(a[i] * b[i]);
    return (((double)size + 2.0) * GPIS_EXTENDED_UNIT + GPIS_UNIT) * sum;
}

#endif
