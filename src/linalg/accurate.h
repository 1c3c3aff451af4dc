/* Accurate sums: for values of very different magnitude, and for results that must be feasible to the last digits. */
#ifndef GPIS_ACCURATE_H
#define GPIS_ACCURATE_H

#include "base/base.h"

/* Neumaier's compensated sum: starts from {0, 0}; any number of terms may be added before it is read. */
typedef struct gpis_sum {
    double high, low;
} gpis_sum;

static inline void gpis_sum_add(gpis_sum *s, double term) {
    const double total = s->high + term;
    const double a = s->high < 0 ? -s->high : s->high, b = term < 0 ? -term : term;
    s->low += a >= b ? (s->high - total) + term : (term - total) + s->high;
    s->high = total;
}

static inline double gpis_sum_value(gpis_sum s) {
    const double value = s.high + s.low;
    return value == value ? value : s.high; /* after an overflow `low` is NaN and `high` is infinite */
}

/* *a := fl(*a + b), the sum rounded to double; returns its rounding error, which is a double itself (Knuth). */
static inline double gpis_two_sum(double *a, double b) {
    const double s = *a + b, z = s - *a, error = (*a - (s - z)) + (b - z);
    *a = s;
    return error;
}

double gpis_sum_abs(const double *v, int64_t n);
double gpis_max_abs(const double *v, int64_t n);
double gpis_norm2(const double *v, int64_t n); /* no intermediate overflow or underflow */
bool gpis_all_finite(const double *v, int64_t n);

#endif
