/*
 * Search for tau by partition around random pivots (as quickselect): phi(p) = sum over u_i > p of (u_i - p) falls with
 * p, and phi(tau) = R. If phi(p) < R, then tau < p and all u_i >= p are active; else no u_i <= p is. Either way the
 * pivot and entries equal to it leave the search, and on average half of the others: expected cost O(n), without
 * sorting. The random numbers that choose the pivots are fixed, so the result is the same in every run.
 */
#include <string.h>

#include "base/random.h"
#include "linalg/accurate.h"
#include "set/threshold.h"

static inline void swap(double *a, double *b) {
    const double t = *a;
    *a = *b;
    *b = t;
}

/* Partitions u as (> p | == p | < p); returns the counts of the first two and the sum of the first. */
static void partition(double *u, int64_t n, double p, int64_t *above, int64_t *equal, double *sum_above) {
    int64_t a = 0, i = 0, b = n; /* [0, a) > p, [a, i) == p, [b, n) < p */
    double sum = 0;
    while (i < b) {
        if (u[i] > p) {
            sum += u[i];
            swap(&u[i++], &u[a++]);
        } else if (u[i] < p) {
            swap(&u[i], &u[--b]);
        } else {
            i++;
        }
    }
    *above = a;
    *equal = i - a;
    *sum_above = sum;
}

/* Moves the active entries to the front of u (all within R below the largest, which is 0); returns their count. */
static int64_t find_active(double *u, int64_t n, double R, int64_t *visits) {
    int64_t active = 0, end = n;
    double sum_active = 0;
    for (uint64_t step = 0; active < end; step++) {
        const int64_t open = end - active;
        const uint32_t bound = open < UINT32_MAX ? (uint32_t)open : UINT32_MAX;
        const uint32_t bits = gpis_random_bits(0, gpis_stream(GPIS_STREAM_SHUFFLE, 0), step).v[0];
        const double p = u[active + gpis_random_below(bits, bound)];
        int64_t above, equal;
        double sum_above;
        partition(u + active, open, p, &above, &equal, &sum_above);
        *visits += open;
        if (sum_active + sum_above - (double)(active + above) * p < R) {
            sum_active += sum_above + (double)equal * p;
            active += above + equal;
        } else {
            end = active + above;
        }
    }
    return active;
}

gpis_threshold gpis_threshold_find(double *u, int64_t n, double R) {
    gpis_threshold t = {u[0], 0, 0, 2 * n};
    for (int64_t i = 1; i < n; i++)
        if (u[i] > t.top) t.top = u[i];
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (u[i] - t.top > -R) u[count++] = u[i] - t.top;
    count = find_active(u, count, R, &t.visits);

    gpis_sum sum = {-R, 0};
    for (int64_t i = 0; i < count; i++) gpis_sum_add(&sum, u[i]);
    t.tau = gpis_sum_value(sum) / (double)count;
    /* The rounding error of tau enters the sum of the result `count` times: the excess of that sum is computed and
     * removed. */
    sum = (gpis_sum){-R, 0};
    for (int64_t i = 0; i < count; i++)
        if (u[i] > t.tau) gpis_sum_add(&sum, u[i] - t.tau);
    t.shift = gpis_sum_value(sum) / (double)count;
    return t;
}

void gpis_threshold_cap(const double *u, double *x, int64_t n, double R, double *work) {
    if (gpis_sum_abs(u, n) <= R) {
        if (x != u) memcpy(x, u, (size_t)n * sizeof *x);
    } else if (R == 0) {
        memset(x, 0, (size_t)n * sizeof *x);
    } else {
        memcpy(work, u, (size_t)n * sizeof *work);
        const gpis_threshold t = gpis_threshold_find(work, n, R);
        for (int64_t i = 0; i < n; i++) {
            const double y = gpis_threshold_apply(&t, u[i]);
            x[i] = y < u[i] ? y : u[i];
        }
    }
}
