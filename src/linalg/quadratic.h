/*
 * The summary W = [A Y]'[A Y] of a problem in double-double: everything that the objective and the gradient depend on.
 * With G = A'A, B = A'Y and C = Y'Y, for any X of d x k,
 *
 *     ||A X - Y||_F^2 = trace(C - 2 X'B + X'G X),     A'(A X - Y) = G X - B,
 *
 * so that points are measured without reading A again. Each entry of W is within gamma ||w_i|| ||w_j|| of the exact
 * one, where the w_i are the columns of A and Y.
 */
#ifndef GPIS_QUADRATIC_H
#define GPIS_QUADRATIC_H

#include "base/base.h"
#include "linalg/dd.h"
#include "linalg/point.h"

typedef struct gpis_quadratic {
    gpis_context *context; /* borrowed */
    int64_t d, k;
    double *W;             /* owned: (d + k) x (d + k) high parts, then as many low parts */
    double gamma;          /* bounds the rounding errors of W, as above */
    double response_error; /* ||Y - Y*|| for the response Y* that is meant (terms.h), an upper bound; often 0 */
} gpis_quadratic;

/* Bytes of a summary. */
double gpis_quadratic_memory(int64_t d, int64_t k);
/* Makes an empty summary; the caller fills W and gamma. */
gpis_status gpis_quadratic_create(gpis_context *context, int64_t d, int64_t k, gpis_quadratic **out);
void gpis_quadratic_destroy(gpis_quadratic *summary);

/* total := 0, the summary of no rows; total := from; and total += part, the summary of other rows with the same
 * columns, in double-double. */
void gpis_quadratic_clear(gpis_quadratic *total);
void gpis_quadratic_copy(gpis_quadratic *total, const gpis_quadratic *from);
void gpis_quadratic_add(gpis_quadratic *total, const gpis_quadratic *part);

/* The gamma of a summary after one more addition in double-double to each entry. */
double gpis_quadratic_one_more(double gamma);

gpis_dd gpis_quadratic_entry(const gpis_quadratic *summary, int64_t i, int64_t j);
/* The high parts of row i, d + k numbers. */
static inline const double *gpis_quadratic_row(const gpis_quadratic *summary, int64_t i) {
    return summary->W + i * (summary->d + summary->k);
}
/* ||Y||_F. */
double gpis_quadratic_response_norm(const gpis_quadratic *summary);
/* Measures the point x + x_low (NULL: x) of d x k. Its gradient is g + g_low, d x k each; the point borrows all of
 * them, and norms2. */
gpis_point gpis_quadratic_point(const gpis_quadratic *summary, const double *x, const double *x_low, double *g,
                                double *g_low, const double *norms2);
/* Measures x with its gradient rounded to g, and an error that says so; `work` has d x k numbers. */
gpis_point gpis_quadratic_measure(const gpis_quadratic *summary, const double *x, double *g, double *work,
                                  const double *norms2);

/* Whether H, d x d, can be a Gram matrix, and W a summary of `size` columns in all: symmetric, with squares that are
 * not negative and products that are not larger than they allow; low parts no larger than rounding errors of the high
 * ones.
 */
bool gpis_gram_is_possible(const double *H, int64_t d);
bool gpis_quadratic_is_possible(const double *W, int64_t size);

#endif
