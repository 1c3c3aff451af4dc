/* Accurate sums: for values of very different magnitude, and for results that must be feasible to the last digits. */
#ifndef GPIS_ACCURATE_H
#define GPIS_ACCURATE_H

#include "base/base.h"

/* *a := fl(*a + b), the sum rounded to double; returns its rounding error, which is a double itself (Knuth). */
static inline double gpis_two_sum(double *a, double b) {
    const double s = *a + b, z = s - *a, error = (*a - (s - z)) + (b - z);
    *a = s;
    return error;
}

/* A compensated sum: starts from {0, 0}; any number of terms may be added before it is read. */
typedef struct gpis_sum {
    double high, low;
} gpis_sum;

static inline void gpis_sum_add(gpis_sum *s, double term) { s->low += gpis_two_sum(&s->high, term); }

static inline double gpis_sum_value(gpis_sum s) {
    const double value = s.high + s.low;
    return value == value ? value : s.high; /* after an overflow `low` is NaN and `high` is infinite */
}

double gpis_sum_abs(const double *v, int64_t n);
double gpis_max_abs(const double *v, int64_t n);
double gpis_norm2(const double *v, int64_t n); /* no intermediate overflow or underflow */
bool gpis_all_finite(const double *v, int64_t n);

#endif
