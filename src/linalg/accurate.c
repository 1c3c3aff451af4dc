#include <math.h>

#include "linalg/accurate.h"

double gpis_sum_abs(const double *v, int64_t n) {
    gpis_sum sum = {0, 0};
    for (int64_t i = 0; i < n; i++) gpis_sum_add(&sum, fabs(v[i]));
    return gpis_sum_value(sum);
}

double gpis_max_abs(const double *v, int64_t n) {
    double top = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabs(v[i]) > top) top = fabs(v[i]);
    return top;
}

/* A power of two that keeps the squares of numbers up to `top` from over- and underflow: where they are safe, 1. */
static double scale_for(double top) {
    int exponent;
    if (top > 0x1p-400 && top < 0x1p400) return 1.0;
    frexp(top, &exponent);
    return ldexp(1, exponent > -1000 ? -exponent : 1000);
}

/* ||v|| = sqrt(sum (v_i scale)^2) / scale: scaling by a power of two costs no digits. */
double gpis_norm2(const double *v, int64_t n) {
    const double top = gpis_max_abs(v, n);
    if (top == 0 || isinf(top)) return top;
    const double scale = scale_for(top);
    gpis_sum sum = {0, 0};
    for (int64_t i = 0; i < n; i++) gpis_sum_add(&sum, (v[i] * scale) * (v[i] * scale));
    return sqrt(gpis_sum_value(sum)) / scale;
}

bool gpis_all_finite(const double *v, int64_t n) {
    double zero[4] = {
        0}; /* 0 * v is NaN for a v that is not finite, and NaN stays; four sums do not wait for each other */
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int c = 0; c < 4; c++) zero[c] += 0 * v[i + c];
    for (; i < n; i++) zero[0] += 0 * v[i];
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}
