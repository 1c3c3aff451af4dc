/*
 * A sum of `count` products in long double has an error of at most (count + 1) u' sum |a_i b_i|, u' the unit roundoff
 * of long double: one for each addition and one for the product, and rounding it to double adds u |sum|.
 */
#include "set/combine.h"

#include <math.h>

#include "linalg/dd.h"
#include "linalg/rounding.h"

double gpis_combine_rows(const double *M, int64_t rows, int64_t d, const double *c, double *w) {
    enum { WIDTH = 64 }; /* columns at a time, so that their sums stay in the first-level cache */
    double norm = 0.0;   /* of the errors; their squares could overflow */
    for (int64_t first = 0; first < d; first += WIDTH) {
        const int64_t width = gpis_min64(WIDTH, d - first);
        long double sums[WIDTH] = {0};
        double sizes[WIDTH] = {0};
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; c[i] != 0.0 && j < width; j++) {
                const double entry = M[i * d + first + j];
                sums[j] += (long double)entry * c[i];
                sizes[j] += fabs(entry * c[i]);
            }
        for (int64_t j = 0; j < width; j++) {
            w[first + j] = (double)sums[j];
            const double error = ((double)rows + 1.0) * GPIS_EXTENDED_UNIT * sizes[j] + GPIS_UNIT * fabs(w[first + j]);
            norm = hypot(norm, error);
        }
    }
    return gpis_outward(norm, rows + d);
}

double gpis_combine_rows_low(const double *M, int64_t rows, int64_t d, const double *c, double *w, double *w_low) {
    double norm = 0.0;
    for (int64_t j = 0; j < d; j++) {
        gpis_dd sum = {0.0, 0.0};
        double size = 0.0;
        for (int64_t i = 0; i < rows; i++) {
            sum = gpis_dd_add(sum, gpis_dd_two_product(M[i * d + j], c[i]));
            size += fabs(M[i * d + j] * c[i]);
        }
        w[j] = sum.high;
        w_low[j] = sum.low;
        norm = hypot(norm, (double)rows * GPIS_DD_UNIT * size);
    }
    return gpis_outward(norm, rows + d);
}

double gpis_combine_numbers(const double *a, const double *b, int64_t count, double *error) {
    long double sum = 0.0L;
    double size = 0.0;
    for (int64_t i = 0; i < count; i++) {
        sum += (long double)a[i] * b[i];
        size += fabs(a[i] * b[i]);
    }
    const double value = (double)sum;
    *error = gpis_outward(((double)count + 1.0) * GPIS_EXTENDED_UNIT * size + GPIS_UNIT * fabs(value), count);
    return value;
}
