/*
 * The threshold of simplex-like sets: tau with sum_i max(u_i - tau, 0) = R, in expected linear time.
 *
 * max(u_i - tau, 0) is the projection of u on {x >= 0, sum x = R}. tau is held as top + tau + shift with top = max u:
 * entries that stay positive lie within R of top, so u_i - top, and with it the result, is accurate relative to R
 * however large u is.
 */
#ifndef GPIS_THRESHOLD_H
#define GPIS_THRESHOLD_H

#include "base/base.h"

typedef struct gpis_threshold {
    double top, tau, shift;
    int64_t visits; /* entries examined: the cost */
} gpis_threshold;

/* R > 0. Destroys u. */
gpis_threshold gpis_threshold_find(double *u, int64_t n, double R);

static inline double gpis_threshold_apply(const gpis_threshold *t, double u) {
    const double x = ((u - t->top) - t->tau) - t->shift;
    return x > 0 ? x : 0;
}

/* Projects u >= 0 on {x >= 0, sum x <= R}: the step that l1, capped-simplex, group and nuclear share. x may be u;
 * `work` has n entries. No entry becomes larger, so zeros stay zero. */
void gpis_threshold_cap(const double *u, double *x, int64_t n, double R, double *work);

#endif
