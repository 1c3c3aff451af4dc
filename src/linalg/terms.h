/*
 * The terms of a problem besides A, Y and the set, as a pass sees them. With weights w, a constant column 1 and a
 * ridge,
 *
 *     f(X) = sum_i w_i ||[a_i 1] X - y_i||^2 + sum_j ridge_j ||X_j||^2,
 *
 * the objective of an ordinary problem with the rows sqrt(w_i) [a_i 1] and, below them, the rows sqrt(ridge_j) e_j. All
 * that is said of A elsewhere (its columns a_j and their norms, its Gram matrix, r = A X - Y) is said of this larger
 * matrix, which is never made. D is the number of its columns.
 *
 * A struct of zeros has no terms.
 */
#ifndef GPIS_TERMS_H
#define GPIS_TERMS_H

#include <math.h>

#include "base/base.h"

typedef struct gpis_terms {
    const double *weights; /* borrowed: w_i >= 0 of the rows on this rank; NULL: each is 1 */
    bool constant;         /* a column of ones follows the columns of A */
    const int64_t *fold;   /* borrowed: the folds of the rows on this rank; NULL: none, or by row number (pass.h) */
    const double *ridge;   /* borrowed: D numbers >= 0, that of the constant column 0; NULL: none */
    /* An upper bound on ||Y - Y*||, with the weights, where Y* is the response that is meant and Y is rounded. */
    double response_error;
} gpis_terms;

/* The factor of row i in the larger matrix: sqrt(w_i). */
static inline double gpis_root_weight(const double *weights, int64_t i) { return weights ? sqrt(weights[i]) : 1.0; }

#endif
