/* Points measured from a summary, with bounds on the errors of the summary and of the evaluation. */
#include "linalg/quadratic.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/hot.h"
#include "linalg/rounding.h"

double gpis_quadratic_memory(int64_t d, int64_t k) { return 16.0 * (double)(d + k) * (double)(d + k); }

gpis_status gpis_quadratic_create(gpis_context *context, int64_t d, int64_t k, gpis_quadratic **out) {
    int64_t size, numbers;
    *out = NULL;
    if (!gpis_checked_add(d, k, &size) || !gpis_checked_mul(size, size, &numbers) ||
        !gpis_checked_mul(numbers, 2, &numbers))
        return gpis_fail(context, GPIS_TOO_LARGE, "the sums of products of %lld columns are too many", (long long)d);
    gpis_quadratic *s = gpis_alloc_zero(context, 1, sizeof *s);
    if (!s) return GPIS_NO_MEMORY;
    *s = (gpis_quadratic){.context = context, .d = d, .k = k, .W = gpis_alloc(context, numbers, sizeof *s->W)};
    if (!s->W) {
        gpis_free(context, s);
        return GPIS_NO_MEMORY;
    }
    *out = s;
    return GPIS_OK;
}

void gpis_quadratic_destroy(gpis_quadratic *s) {
    if (!s) return;
    gpis_free(s->context, s->W);
    gpis_free(s->context, s);
}

void gpis_quadratic_clear(gpis_quadratic *total) {
    const int64_t size = total->d + total->k;
    memset(total->W, 0, (size_t)(2 * size * size) * sizeof *total->W);
    total->gamma = total->response_error = 0.0;
}

void gpis_quadratic_copy(gpis_quadratic *total, const gpis_quadratic *from) {
    const int64_t size = total->d + total->k;
    memcpy(total->W, from->W, (size_t)(2 * size * size) * sizeof *total->W);
    total->gamma = from->gamma;
    total->response_error = from->response_error;
}

/* high + low += more + more_low, for `count` numbers in double-double. */
GPIS_HOT static void add_dd(double *restrict high, double *restrict low, const double *restrict more,
                            const double *restrict more_low, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const gpis_dd sum = gpis_dd_add((gpis_dd){high[i], low[i]}, (gpis_dd){more[i], more_low[i]});
        high[i] = sum.high;
        low[i] = sum.low;
    }
}

/* The sum is rounded upwards: 1.2e-31 would be lost beside a gamma of 4e-15. */
double gpis_quadratic_one_more(double gamma) { return (gamma + 1.01 * GPIS_DD_UNIT) * (1.0 + DBL_EPSILON); }

/* docs/maths, "Summaries that add up": the errors of two summaries add up to at most the larger gamma times the norms
 * of the columns of all rows, by the inequality of Cauchy and Schwarz; and the addition is off by its own rounding. The
 * square root and the sum below are off by less than 2^-50. */
void gpis_quadratic_add(gpis_quadratic *total, const gpis_quadratic *part) {
    const int64_t size = total->d + total->k, low = size * size;
    const double a = total->response_error, b = part->response_error;
    add_dd(total->W, total->W + low, part->W, part->W + low, low);
    total->gamma = gpis_quadratic_one_more(fmax(total->gamma, part->gamma));
    total->response_error = a == 0.0 || b == 0.0 ? fmax(a, b) : hypot(a, b) * (1.0 + 0x1p-50);
}

gpis_dd gpis_quadratic_entry(const gpis_quadratic *s, int64_t i, int64_t j) {
    const int64_t size = s->d + s->k;
    return (gpis_dd){s->W[i * size + j], s->W[size * size + i * size + j]};
}

/* The norm of column i of [A Y]. */
static double norm_of(const gpis_quadratic *s, int64_t i) {
    return sqrt(fmax(0.0, gpis_quadratic_entry(s, i, i).high));
}

double gpis_quadratic_response_norm(const gpis_quadratic *s) {
    double sum = 0.0;
    for (int64_t c = 0; c < s->k; c++) sum += fmax(0.0, gpis_quadratic_entry(s, s->d + c, s->d + c).high);
    return sqrt(sum);
}

/* Entry i of x + x_low. */
static gpis_dd coordinate(const double *x, const double *x_low, int64_t i) {
    return (gpis_dd){x[i], x_low ? x_low[i] : 0.0};
}

/* Entries i of a vector in double-double: sum_i += w_i x, for a column w of W. */
GPIS_HOT static void add_column(const double *restrict w, const double *restrict w_low, double x, int64_t count,
                                double *restrict sum, double *restrict sum_low) {
    for (int64_t i = 0; i < count; i++) {
        const gpis_dd term = gpis_dd_scale((gpis_dd){w[i], w_low[i]}, x);
        const gpis_dd total = gpis_dd_add((gpis_dd){sum[i], sum_low[i]}, term);
        sum[i] = total.high;
        sum_low[i] = total.low;
    }
}

/* The same for an x of two doubles. */
GPIS_HOT static void add_column_finely(const double *restrict w, const double *restrict w_low, gpis_dd x, int64_t count,
                                       double *restrict sum, double *restrict sum_low) {
    for (int64_t i = 0; i < count; i++) {
        const gpis_dd term = gpis_dd_multiply((gpis_dd){w[i], w_low[i]}, x);
        const gpis_dd total = gpis_dd_add((gpis_dd){sum[i], sum_low[i]}, term);
        sum[i] = total.high;
        sum_low[i] = total.low;
    }
}

/* Entries [first, first + count) of G x_c - b_c for one response c, in double-double. W is symmetric, so that its rows
 * serve as columns. */
static void gradient_entries(const gpis_quadratic *s, const double *x, const double *x_low, int64_t c, int64_t first,
                             int64_t count, double *sum, double *sum_low) {
    const int64_t size = s->d + s->k, low = size * size;
    const double *b = s->W + (s->d + c) * size + first;
    for (int64_t i = 0; i < count; i++) sum[i] = -b[i], sum_low[i] = -b[low + i];
    for (int64_t j = 0; j < s->d; j++) {
        const gpis_dd xj = coordinate(x, x_low, j * s->k + c);
        const double *w = s->W + j * size + first;
        if (xj.low != 0.0)
            add_column_finely(w, w + low, xj, count, sum, sum_low);
        else if (xj.high != 0.0)
            add_column(w, w + low, xj.high, count, sum, sum_low);
    }
}

/* G X - B, some entries of a response at a time. */
enum { SOME = 64 };

static void gradient_part(const gpis_quadratic *s, const double *x, const double *x_low, int64_t c, int64_t part,
                          double *g, double *g_low) {
    const int64_t first = part * SOME, count = gpis_min64(SOME, s->d - first);
    double sum[SOME], sum_low[SOME];
    gradient_entries(s, x, x_low, c, first, count, sum, sum_low);
    for (int64_t i = 0; i < count; i++) {
        g[(first + i) * s->k + c] = sum[i];
        g_low[(first + i) * s->k + c] = sum_low[i];
    }
}

static void gradient(const gpis_quadratic *s, const double *x, const double *x_low, double *g, double *g_low) {
    const int64_t d = s->d, k = s->k, parts = (d + SOME - 1) / SOME;
    const int threads = gpis_threads_for(s->context->threads, 4.0 * (double)(d * d * k));
    if (threads == 1) {
        for (int64_t t = 0; t < parts * k; t++) gradient_part(s, x, x_low, t / parts, t % parts, g, g_low);
        return;
    }
#pragma omp parallel for num_threads(threads)
    for (int64_t t = 0; t < parts * k; t++) gradient_part(s, x, x_low, t / parts, t % parts, g, g_low);
}

/* An upper bound on ||y_c|| + sum_j |x_jc| ||a_j||, which is at least as large as any term of the sums. */
static double size_of_terms(const gpis_quadratic *s, const double *x, int64_t c) {
    double size = norm_of(s, s->d + c);
    for (int64_t j = 0; j < s->d; j++) size += fabs(x[j * s->k + c]) * norm_of(s, j);
    return size * (1.0 + ((double)s->d + 8.0) * GPIS_UNIT + s->gamma);
}

/*
 * docs/maths, "Points from a summary": with S_c the size of the terms of response c, and E the relative error of the
 * evaluation, d + 3 additions and products in double-double for an entry of the gradient and as many again for f,
 *
 *     |g_jc - exact| <= (gamma + E) ||a_j|| S_c,     |f - exact| <= sum_c (gamma + 2 E) S_c^2 + 2^-53 f.
 *
 * All of this is for the Y that was summed. For the response that is meant, which is e = response_error away from Y,
 * the gradient is that of a residual with an error of norm e, and f is off by 2 sqrt(f) e + e^2 besides.
 */
gpis_point gpis_quadratic_point(const gpis_quadratic *s, const double *x, const double *x_low, double *g, double *g_low,
                                const double *norms2) {
    const int64_t d = s->d, k = s->k;
    const double E = 1.01 * 2.0 * ((double)d + 4.0) * GPIS_DD_UNIT;
    gpis_dd f = {0.0, 0.0};
    double largest = 0.0, squares = 0.0;
    gradient(s, x, x_low, g, g_low);
    /* f = <X, G X - B> + trace(C - X'B), response by response */
    for (int64_t c = 0; c < k; c++) {
        gpis_dd sum = gpis_quadratic_entry(s, d + c, d + c);
        for (int64_t j = 0; j < d; j++) {
            const int64_t i = j * k + c;
            const gpis_dd both = gpis_dd_subtract((gpis_dd){g[i], g_low[i]}, gpis_quadratic_entry(s, j, d + c));
            sum = gpis_dd_add(sum, gpis_dd_multiply(both, coordinate(x, x_low, i)));
        }
        f = gpis_dd_add(f, sum);
        const double size = size_of_terms(s, x, c);
        largest = fmax(largest, size);
        squares += size * size;
    }
    const double objective = fmax(0.0, gpis_dd_value(f)), e = s->response_error;
    const double error = (s->gamma + 2.0 * E + (double)k * GPIS_DD_UNIT) * squares + GPIS_UNIT * objective;
    return (gpis_point){.x = x,
                        .x_low = x_low,
                        .g = g,
                        .g_low = g_low,
                        .objective = objective,
                        .norms2 = norms2,
                        .errors = {.residual = e,
                                   .product = (s->gamma + E) * largest,
                                   .objective = error + 1.01 * (2.0 * sqrt(objective + error) * e + e * e)}};
}

/* Rounding an entry of the gradient to one double costs 2^-53 |g_j| <= 2^-53 ||a_j|| S_c, and a little more. */
gpis_point gpis_quadratic_measure(const gpis_quadratic *s, const double *x, double *g, double *work,
                                  const double *norms2) {
    gpis_point point = gpis_quadratic_point(s, x, NULL, g, work, norms2);
    double largest = 0.0;
    for (int64_t c = 0; c < s->k; c++) largest = fmax(largest, size_of_terms(s, x, c));
    point.errors.product += 1.01 * GPIS_UNIT * largest;
    point.g_low = NULL;
    return point;
}

/* ---- sums that come from a file ---- */

/* Whether this can be A'A: symmetric, and no entry larger than the geometric mean of its two diagonal entries. */
bool gpis_gram_is_possible(const double *H, int64_t d) {
    const double slack = 1.0 + 1e-6;
    for (int64_t i = 0; i < d; i++) {
        if (!(H[i * d + i] >= 0.0 && H[i * d + i] <= DBL_MAX)) return false;
        for (int64_t j = 0; j < i; j++) {
            const double most = slack * sqrt(H[i * d + i]) * sqrt(H[j * d + j]) + DBL_MIN;
            if (H[i * d + j] != H[j * d + i] || !(fabs(H[i * d + j]) <= most)) return false;
        }
    }
    return true;
}

/* Whether this can be a summary: its high parts are a Gram matrix, and its low parts are symmetric and no larger than
 * the rounding errors of the high ones. */
bool gpis_quadratic_is_possible(const double *W, int64_t size) {
    const double *low = W + size * size;
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j <= i; j++) {
            const int64_t at = i * size + j;
            if (low[at] != low[j * size + i] || !(fabs(low[at]) <= DBL_EPSILON * fabs(W[at]))) return false;
        }
    return gpis_gram_is_possible(W, size);
}
