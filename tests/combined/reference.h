/*
 * The reference for combined problems, in quadruple precision and without any code of the library:
 *
 *     minimise  F(x, b) = sum_i w_i (y_i - o_i - a_i x - b)^2 + sum_j ridge_j x_j^2 + sum_j lambda_j |x_j|
 *
 * over  lower <= x <= upper,  row_lower <= C x <= row_upper,  sum_j v_sj |x_j| <= R_s for each sum s,
 *       ||x||_2 <= ball,  sum over groups of ||x_group||_2 <= group_R.
 *
 * It is solved by a barrier method. Sizes |x_j| get variables u_j >= |x_j|, and norms of groups variables t_g. Where
 * the barrier of parameter nu has the weight 1 / t and the point is centred, F is above its minimum by at most nu / t.
 * So the reference returns a strictly feasible point, whose F is an upper bound on F*, and F - 2 nu / t, which is a
 * lower bound.
 */
#ifndef GPIS_TESTS_COMBINED_REFERENCE_H
#define GPIS_TESTS_COMBINED_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __float128 quad;

enum { MAX_COLUMNS = 12, MAX_ROWS = 60, MAX_LINEAR = 12, MAX_SUMS = 2 };

typedef struct combined {
    int n, d;
    double A[MAX_ROWS * MAX_COLUMNS], y[MAX_ROWS];
    double weight[MAX_ROWS], offset[MAX_ROWS]; /* ones and zeros where the problem has none */
    bool constant;                             /* b is free; else it is 0 */
    quad ridge[MAX_COLUMNS], lambda[MAX_COLUMNS];
    double lower[MAX_COLUMNS], upper[MAX_COLUMNS];
    int rows;
    double C[MAX_LINEAR * MAX_COLUMNS], row_lower[MAX_LINEAR], row_upper[MAX_LINEAR];
    int redundant; /* so many of the last equality rows follow from those before, and are left out of the reference */
    int sums;
    double v[MAX_SUMS][MAX_COLUMNS], R[MAX_SUMS];
    double ball;                /* 0: there is none */
    double group_R;             /* 0: there are none */
    int64_t group[MAX_COLUMNS]; /* numbers from 0 */
    double inside[MAX_COLUMNS]; /* a point that satisfies all equalities exactly and all inequalities strictly */
} combined;

/* F in quadruple precision. */
quad combined_value(const combined *p, const quad *x, quad b);
/* F with the best b for this x. */
quad combined_best_value(const combined *p, const double *x);
/* The bounds on F*: false if the barrier method did not reach a relative difference of 1e-16. */
bool combined_bracket(const combined *p, quad *lowest, quad *highest);
/* The same by trying all faces, for problems without a ball and groups; only for very few columns and rows. */
quad combined_enumerate(const combined *p);
quad quad_sqrt(quad a);

#endif
