/*
 * reference.h: the least value f* of a problem to some 1e-20, in quadruple precision and without any code of gpis.
 *
 * value is f at a point of K, so no x of K that is better than `value` by more than `error` exists to be claimed away:
 * f* <= value + error is certain. f* >= value - width is what the bracket of the model gives; `sharp` says whether that
 * interval is narrow enough to judge by.
 */
#ifndef GPIS_STRESS_REFERENCE_H
#define GPIS_STRESS_REFERENCE_H

#include "problem.h"
#include "quad.h"

typedef struct reference {
    quad value, error, width;
    quad violation; /* of its point: rounding of quadruple precision, or it is not used */
    quad size2;     /* (||y|| + sum of |x_j| ||a_j||)^2, of which f is the rest after cancellation */
    int feasible, sharp;
} reference;

/* hint: an x (d x k) to begin with where a start helps, as the answer of gpis; NULL: none. x (d x k, row-major), if not
 * NULL, becomes the point of K. */
reference reference_solve(const problem *p, const double *hint, quad *x);

/* The same for ||B - R X||_F^2 and the penalty over K, R of m x d and B of m x k, both column-major. x (d x k,
 * row-major) is a point of K up to rounding, and its value is above the least by at most `width`, unless zero is
 * returned. */
int reference_solve_rows(const constraint *set, int64_t k, int64_t m, const quad *R, const quad *B, const double *hint,
                         quad *x, quad *width);

/* ||Y - A X||_F^2 and the penalty from the data themselves, and a bound on its error and that of X (relative 2^-100).
 */
quad reference_objective(const problem *p, const quad *x, quad *error, quad *size2);

/* How far x is outside of K: the largest amount by which a constraint is broken, relative to the size of what it
 * compares. */
quad reference_violation(const problem *p, const quad *x);

#endif
