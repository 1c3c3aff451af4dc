/*
 * Standard deviations from moments. A pass sums w (a - c) and w (a - c)^2 for each column; with S the sum of the
 * weights, m = c + M1 / S and s^2 = M2 / S - (m - c)^2. In the first pass c = 0. Where the subtraction leaves less than
 * a thousandth, a second pass sums about c = m.
 */
#include "api/spread.h"

#include <math.h>

#include "pass/pass.h"
#include "ranks/ranks.h"

static const double CANCELLED = 1e-3; /* what may be left of M2 / S after the first pass */

/* The moments of the columns about c, with a column of ones behind them, whose first moment is S. */
static gpis_status sum_moments(const gpis_problem *p, const double *c, double *moments) {
    const gpis_pass pass = {
        .terms = {.weights = p->weights, .constant = true}, .V = c, .probes = 1, .moments = moments};
    return gpis_pass_run(p->context, p->A, &pass);
}

/* Entries that compressed rows do not hold are zeros: they add (S - M0) (0 - c) and (S - M0) c^2. */
double gpis_spread_variance(const double *moments, int64_t width, int64_t j, double c, double *mean, double *second) {
    const double S = moments[width - 1], rest = fmax(0.0, S - moments[j]);
    const double off = (moments[width + j] - rest * c) / S;
    *second = (moments[2 * width + j] + rest * c * c) / S;
    *mean = c + off;
    return fmax(0.0, *second - off * off);
}

bool gpis_spread_is_cancelled(double variance, double second) { return variance < CANCELLED * second; }

double gpis_spread_deviation(double variance, double mean) {
    return variance > 0x1p-90 * mean * mean ? sqrt(variance) : 1.0;
}

/* One or two passes. */
static gpis_status find(const gpis_problem *p, double *c, double *moments, double *scale, double *passes) {
    const int64_t d = p->A->d;
    bool again = false;
    gpis_status status = sum_moments(p, c, moments);
    for (int64_t j = 0; status == GPIS_OK && j < d; j++) {
        double mean, second;
        scale[j] = gpis_spread_variance(moments, d + 1, j, 0.0, &mean, &second);
        again = again || gpis_spread_is_cancelled(scale[j], second);
        c[j] = mean;
    }
    if (status == GPIS_OK && again) status = sum_moments(p, c, moments);
    *passes = again ? 2.0 : 1.0;
    for (int64_t j = 0; status == GPIS_OK && j < d; j++) {
        double mean, second;
        if (again) scale[j] = gpis_spread_variance(moments, d + 1, j, c[j], &mean, &second);
        scale[j] = gpis_spread_deviation(scale[j], c[j]);
    }
    return status;
}

gpis_status gpis_spread_find(const gpis_problem *p, double **scale, int64_t *passes) {
    const int64_t d = p->A->d;
    double made = 0.0, *work = gpis_alloc_zero(p->context, 4 * (d + 1), sizeof *work);
    *scale = gpis_alloc(p->context, d, sizeof **scale);
    gpis_status status = gpis_ranks_agree(p->A, work && *scale ? GPIS_OK : GPIS_NO_MEMORY);
    if (status == GPIS_OK && gpis_ranks_is_served(p->A))
        status = gpis_ranks_serve(p->context, p->A, p->Y, &p->terms);
    else if (status == GPIS_OK)
        status = gpis_ranks_dismiss(p->context, p->A, find(p, work, work + d + 1, *scale, &made));
    if (status == GPIS_OK) status = gpis_ranks_share_numbers(p->A, *scale, d);
    *passes = (int64_t)made;
    gpis_free(p->context, work);
    return status;
}
