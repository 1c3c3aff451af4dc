/*
 * Sums over Y. Each chunk of rows has its mean and the sum of squares about it; chunks are put together two by two in
 * the order of the rows: with weights W and V, means m and p,
 *
 *     mean = m + (p - m) V / (W + V),    squares = M + P + (p - m)^2 W V / (W + V),
 *
 * so that no digits are lost where the mean is large, and the result does not depend on the number of threads.
 */
#include "api/fit.h"

#include <math.h>

#include "linalg/dd.h"
#include "ranks/ranks.h"

enum { CHUNK = 2048 }; /* rows that stay in the cache for the second look at them */

/* The sums of some rows of one response. */
typedef struct moments {
    double rows, weight, mean, squares;
} moments;

static moments join(moments a, moments b) {
    const double weight = a.weight + b.weight, off = b.mean - a.mean;
    if (b.weight == 0.0) return a;
    if (a.weight == 0.0) return b;
    return (moments){a.rows + b.rows, weight, a.mean + off * b.weight / weight,
                     a.squares + b.squares + off * off * a.weight * (b.weight / weight)};
}

/* Of rows first .. end - 1 of response c; about 0 instead of the mean without `centred`. */
static moments look_at(const gpis_problem *p, int64_t c, int64_t first, int64_t end, bool centred) {
    const double *y = p->Y + c, *w = p->weights;
    moments m = {0};
    double sum = 0.0;
    for (int64_t i = first; i < end; i++) {
        const double weight = w ? w[i] : 1.0;
        m.rows += weight > 0.0;
        m.weight += weight;
        sum += weight * y[i * p->k];
    }
    if (centred && m.weight > 0.0) m.mean = sum / m.weight;
    for (int64_t i = first; i < end; i++) {
        const double off = y[i * p->k] - m.mean;
        m.squares += (w ? w[i] : 1.0) * off * off;
    }
    return m;
}

static moments look_at_rows(const gpis_problem *p, int64_t c) {
    const int64_t rows = p->Y ? gpis_ranks_rows_here(p->A) : 0;
    moments all = {0};
    for (int64_t first = 0; first < rows; first += CHUNK)
        all = join(all, look_at(p, c, first, first + CHUNK < rows ? first + CHUNK : rows, p->intercept));
    return all;
}

/* The rows of the other ranks: sums of weights and means first, then squares about the mean of all. */
static gpis_status add_up_ranks(const gpis_problem *p, moments *m) {
    double sums[3] = {m->rows, m->weight, m->weight * m->mean};
    if (gpis_ranks_count(p->A) == 1) return GPIS_OK;
    gpis_status status = gpis_ranks_sum(p->A, sums, 3);
    if (status != GPIS_OK) return status;
    const double mean = sums[1] > 0.0 ? sums[2] / sums[1] : 0.0, off = m->mean - mean;
    double squares = m->squares + m->weight * off * off;
    status = gpis_ranks_sum(p->A, &squares, 1);
    *m = (moments){sums[0], sums[1], mean, squares};
    return status;
}

/* With W = [A 1 Y]'[A 1 Y]: sum w = W_11, sum w y = W_1y, sum w y^2 = W_yy, in two doubles, since the difference
 * W_yy - W_1y^2 / W_11 may lose half of the digits. */
static void total_of_summary(const gpis_problem *p, const gpis_quadratic *summary, gpis_total *total) {
    const int64_t one = p->A->d;
    const gpis_dd weight = gpis_quadratic_entry(summary, one, one);
    *total = (gpis_total){.rows = (double)p->n, .weight = gpis_dd_value(weight)};
    for (int64_t c = 0; c < p->k; c++) {
        const gpis_dd sum = gpis_quadratic_entry(summary, one, one + 1 + c);
        gpis_dd squares = gpis_quadratic_entry(summary, one + 1 + c, one + 1 + c);
        if (p->intercept) squares = gpis_dd_subtract(squares, gpis_dd_divide(gpis_dd_multiply(sum, sum), weight));
        total->squares += fmax(0.0, gpis_dd_value(squares));
    }
}

gpis_status gpis_total_find(const gpis_problem *p, const gpis_quadratic *summary, gpis_total *total) {
    gpis_status status = GPIS_OK;
    *total = (gpis_total){0};
    if (summary) {
        total_of_summary(p, summary, total);
        return GPIS_OK;
    }
    for (int64_t c = 0; c < p->k && status == GPIS_OK; c++) {
        moments m = look_at_rows(p, c);
        status = add_up_ranks(p, &m);
        total->rows = m.rows;
        total->weight = m.weight;
        total->squares += m.squares;
    }
    return status;
}

/* sum_j ridge_j ||X_j||^2 */
static double ridge_terms(const gpis_problem *p, const double *X) {
    double sum = 0.0;
    for (int64_t i = 0; p->terms.ridge && i < p->A->d * p->k; i++) sum += p->terms.ridge[i / p->k] * X[i] * X[i];
    return sum;
}

void gpis_fit_enter(const gpis_problem *p, const gpis_total *total, gpis_result *r) {
    const double k = (double)p->k, left = k * total->rows - r->degrees_of_freedom;
    const double ssr = fmax(0.0, r->objective - r->penalty - ridge_terms(p, r->x));
    r->r2 = r->rmse = r->sigma2 = NAN;
    r->radius = 0.0;
    for (int64_t i = 0; i < p->A->d * p->k; i++) r->radius += fabs(r->x[i]);
    if (!isfinite(r->objective)) return;
    if (total->squares > 0.0) r->r2 = 1.0 - ssr / total->squares;
    if (total->weight > 0.0) r->rmse = sqrt(ssr / (k * total->weight));
    if (left > 0.0) r->sigma2 = ssr / left;
}
