/*
 * Double-double arithmetic: a number is the unevaluated sum high + low of two doubles, |low| <= 2^-53 |high|, and has
 * about 106 bits. Without overflow and underflow the relative error of each operation is at most GPIS_DD_UNIT
 * (Joldes, Muller, Popescu: Tight and rigorous error bounds for basic building blocks of double-word arithmetic, 2017),
 * except where a comment says otherwise.
 */
#ifndef GPIS_DD_H
#define GPIS_DD_H

#include <math.h>

/* An upper bound on the relative error of an operation below: 10 u^2, with u = 2^-53; the largest proven one is that of
 * the division, 9.8 u^2. */
#define GPIS_DD_UNIT (10.0 * 0x1p-106)

typedef struct gpis_dd {
    double high, low;
} gpis_dd;

static inline gpis_dd gpis_dd_of(double a) { return (gpis_dd){a, 0.0}; }

/* a + b exactly. */
static inline gpis_dd gpis_dd_two_sum(double a, double b) {
    const double s = a + b, z = s - a;
    return (gpis_dd){s, (a - (s - z)) + (b - z)};
}

/* a + b exactly, where |a| >= |b| or a = 0. */
static inline gpis_dd gpis_dd_fast_two_sum(double a, double b) {
    const double s = a + b;
    return (gpis_dd){s, b - (s - a)};
}

/* a b exactly. */
static inline gpis_dd gpis_dd_two_product(double a, double b) {
    const double p = a * b;
    return (gpis_dd){p, fma(a, b, -p)};
}

static inline gpis_dd gpis_dd_negate(gpis_dd a) { return (gpis_dd){-a.high, -a.low}; }

static inline gpis_dd gpis_dd_add(gpis_dd a, gpis_dd b) {
    const gpis_dd s = gpis_dd_two_sum(a.high, b.high), t = gpis_dd_two_sum(a.low, b.low);
    const gpis_dd v = gpis_dd_fast_two_sum(s.high, s.low + t.high);
    return gpis_dd_fast_two_sum(v.high, t.low + v.low);
}

static inline gpis_dd gpis_dd_subtract(gpis_dd a, gpis_dd b) { return gpis_dd_add(a, gpis_dd_negate(b)); }

static inline gpis_dd gpis_dd_multiply(gpis_dd a, gpis_dd b) {
    const gpis_dd c = gpis_dd_two_product(a.high, b.high);
    return gpis_dd_fast_two_sum(c.high, c.low + fma(a.high, b.low, a.low * b.high));
}

/* a b, for a double b. */
static inline gpis_dd gpis_dd_scale(gpis_dd a, double b) {
    const gpis_dd c = gpis_dd_two_product(a.high, b);
    return gpis_dd_fast_two_sum(c.high, fma(a.low, b, c.low));
}

static inline gpis_dd gpis_dd_divide(gpis_dd a, gpis_dd b) {
    const double q = a.high / b.high;
    const gpis_dd r = gpis_dd_subtract(a, gpis_dd_scale(b, q));
    return gpis_dd_fast_two_sum(q, r.high / b.high);
}

/* The square root of a >= 0; its relative error is at most 4 GPIS_DD_UNIT. */
static inline gpis_dd gpis_dd_sqrt(gpis_dd a) {
    if (!(a.high > 0.0)) return gpis_dd_of(0.0);
    const double s = sqrt(a.high);
    const gpis_dd r = gpis_dd_subtract(a, gpis_dd_two_product(s, s));
    return gpis_dd_fast_two_sum(s, r.high / (2.0 * s));
}

static inline double gpis_dd_value(gpis_dd a) { return a.high + a.low; }

#endif
