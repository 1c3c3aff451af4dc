/* Right-looking Cholesky factorisation and forward substitution in double-double. */
#include "linalg/dd_factor.h"

#include "linalg/dd.h"
#include "linalg/hot.h"

GPIS_HOT static void subtract_multiple(int64_t count, double a_high, double a_low, const double *restrict from_high,
                                       const double *restrict from_low, double *restrict to_high,
                                       double *restrict to_low) {
    for (int64_t j = 0; j < count; j++) {
        const double p = a_high * from_high[j];
        const double rest = __builtin_fma(a_high, from_high[j], -p) + (a_high * from_low[j] + a_low * from_high[j]);
        const double s = to_high[j] - p, z = s - to_high[j];
        const double low = ((to_high[j] - (s - z)) - (p + z)) + (to_low[j] - rest);
        const double sum = s + low;
        to_low[j] = low - (sum - s);
        to_high[j] = sum;
    }
}

enum { LANES = 8 };

GPIS_HOT static void multiply_lanes(int64_t count, const double *restrict a_high, const double *restrict a_low,
                                    const double *restrict b_high, const double *restrict b_low,
                                    double *restrict sum_high, double *restrict sum_low) {
    for (int64_t i = 0; i + LANES <= count; i += LANES)
        for (int64_t l = 0; l < LANES; l++) {
            const int64_t j = i + l;
            const double p = a_high[j] * b_high[j];
            const double rest = __builtin_fma(a_high[j], b_high[j], -p) + (a_high[j] * b_low[j] + a_low[j] * b_high[j]);
            const double s = sum_high[l] + p, z = s - sum_high[l];
            const double low = ((sum_high[l] - (s - z)) + (p - z)) + (sum_low[l] + rest);
            const double sum = s + low;
            sum_low[l] = low - (sum - s);
            sum_high[l] = sum;
        }
}

gpis_dd gpis_dd_dot(int64_t count, const double *a_high, const double *a_low, const double *b_high,
                    const double *b_low) {
    double high[LANES] = {0.0}, low[LANES] = {0.0};
    gpis_dd sum = {0.0, 0.0};
    multiply_lanes(count, a_high, a_low, b_high, b_low, high, low);
    for (int64_t j = count - count % LANES; j < count; j++)
        sum = gpis_dd_add(sum, gpis_dd_multiply((gpis_dd){a_high[j], a_low[j]}, (gpis_dd){b_high[j], b_low[j]}));
    for (int l = 0; l < LANES; l++) sum = gpis_dd_add(sum, (gpis_dd){high[l], low[l]});
    return sum;
}

/* A function of its own, since the variants of one that is not static would be exported. */
void gpis_dd_subtract_multiple(int64_t count, double a_high, double a_low, const double *from_high,
                               const double *from_low, double *to_high, double *to_low) {
    subtract_multiple(count, a_high, a_low, from_high, from_low, to_high, to_low);
}

/* Row i of R from row i of what is left of T; false if its pivot is not positive. */
static bool finish_row(int64_t d, int64_t i, double *high, double *low) {
    double *row = high + i * d, *row_low = low + i * d;
    const gpis_dd square = {row[i], row_low[i]};
    if (!(square.high > 0.0)) return false;
    const gpis_dd pivot = gpis_dd_sqrt(square);
    row[i] = pivot.high, row_low[i] = pivot.low;
    for (int64_t j = i + 1; j < d; j++) {
        const gpis_dd entry = gpis_dd_divide((gpis_dd){row[j], row_low[j]}, pivot);
        row[j] = entry.high, row_low[j] = entry.low;
    }
    for (int64_t j = 0; j < i; j++) row[j] = row_low[j] = 0.0;
    return true;
}

bool gpis_dd_factor(int threads, const gpis_stop *stop, int64_t d, double *high, double *low) {
    enum { ROWS_BETWEEN = 32, MANY_COLUMNS = 256 }; /* fewer columns take some milliseconds */
    bool positive = true;
    for (int64_t i = 0; i < d && positive; i++) {
        if (d > MANY_COLUMNS && i % ROWS_BETWEEN == 0 && gpis_is_stopped(stop)) return false;
        positive = finish_row(d, i, high, low);
        const double *row = high + i * d, *row_low = low + i * d;
        const int64_t left = d - i - 1;
#pragma omp parallel for num_threads(gpis_threads_for(threads, 10.0 * (double)(left * left))) schedule(static, 4)
        for (int64_t j = i + 1; j < d; j++)
            subtract_multiple(d - j, row[j], row_low[j], row + j, row_low + j, high + j * d + j, low + j * d + j);
    }
    return positive;
}

void gpis_dd_whiten(int64_t d, const double *high, const double *low, double *v_high, double *v_low) {
    for (int64_t i = 0; i < d; i++) {
        const int64_t at = i * d + i;
        const gpis_dd entry = gpis_dd_divide((gpis_dd){v_high[i], v_low[i]}, (gpis_dd){high[at], low[at]});
        v_high[i] = entry.high, v_low[i] = entry.low;
        subtract_multiple(d - i - 1, entry.high, entry.low, high + at + 1, low + at + 1, v_high + i + 1, v_low + i + 1);
    }
}

void gpis_dd_unwhiten(int64_t d, const double *high, const double *low, double *v_high, double *v_low) {
    for (int64_t i = d - 1; i >= 0; i--) {
        const int64_t at = i * d + i + 1;
        const gpis_dd rest = gpis_dd_dot(d - i - 1, high + at, low + at, v_high + i + 1, v_low + i + 1);
        gpis_dd sum = gpis_dd_subtract((gpis_dd){v_high[i], v_low[i]}, rest);
        sum = gpis_dd_divide(sum, (gpis_dd){high[i * d + i], low[i * d + i]});
        v_high[i] = sum.high, v_low[i] = sum.low;
    }
}
