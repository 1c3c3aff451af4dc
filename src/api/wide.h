/*
 * Paths and cross-validation without the Gram matrix, for problems whose d x d sums do not fit in memory. The rows stay
 * where they are, and what is needed of them is summed by sweeps that all points share:
 *
 *     one sweep     A'Y, the sums of the columns and of their squares, by folds: deviations and the largest penalty
 *     rounds of     the sums [A_W 1 y]'[A_W 1 y] by folds for a working set W of columns, on which the points are found
 *     two sweeps    by the exact path (path/walk.h); then the residuals and gradients A'(A x - y) of all points at once
 *
 * A point is done when the first-order bound over all columns (certificate/) proves it. The others tell which columns
 * they violate, |g_j| > nu w_j with the multiplier nu of the sum, and W grows by these, those of the simplest points
 * first. Where W would outgrow the memory, columns that the simplest points neither have nor violate leave it. Points
 * that need too many columns, and those of sets that no exact path is known of, are solved one by one from the rows
 * (gpis_solve), each from the one before.
 *
 * The rows of training are all rows, with the weight 0 for those that are left out.
 */
#ifndef GPIS_API_WIDE_H
#define GPIS_API_WIDE_H

#include "api/path.h"

/* All rows, or those of all folds but one. D = A->d + 1: the column of ones is always summed, and is the last. */
typedef struct gpis_wide_part {
    gpis_path_part part; /* of the rows */
    int64_t fold;        /* that is left out; -1: none */
    double weight;       /* the sum of the weights of these rows */
    double predicted;    /* that of the rows which are left out */
    double *sums;        /* owned: D, <a_j, 1> */
    double *norms2;      /* owned: D, ||a_j||^2 with the ridge */
    double *b;           /* owned: D x k, A'Y */
    double *ridge;       /* owned: D; NULL: none */
    gpis_path_shape shape;
} gpis_wide_part;

typedef struct gpis_wide {
    gpis_path_call *call;     /* borrowed */
    gpis_problem rows;        /* the rows of the caller's problem, with a constant column and no other term */
    gpis_completion complete; /* of `rows`: Y without its offset, and the weights */
    gpis_folds folds;
    int64_t D, parts;
    gpis_wide_part *part; /* owned: all rows, then without each of the folds */
    gpis_watch watch;
    double begun; /* the clock when the sweep began */
} gpis_wide;

/* Makes the first sweep; `folds`: by folds, drawn with the seed unless they are given. gpis_wide_end is called in any
 * case. part[0].part serves gpis_path_grid. Rows on several ranks are not swept: only points of given values can be
 * solved there, one by one. */
gpis_status gpis_wide_begin(gpis_wide *w, gpis_path_call *call, bool folds, uint64_t seed);
void gpis_wide_end(gpis_wide *w);

/* Where the points are put, and their errors. */
typedef struct gpis_wide_results {
    double *X;              /* borrowed: count x (d (+ 1) k), of all rows; NULL: only those of the folds are wanted */
    gpis_fit_value *points; /* borrowed: count, of all rows */
    double **errors;  /* borrowed: of each fold, the mean squared errors of the count points there; NULL: no folds */
    int64_t *stalled; /* borrowed: of each fold, how many of its points are not proven */
    int64_t exact;    /* points of all rows that the exact path has given */
} gpis_wide_results;

gpis_status gpis_wide_run(gpis_wide *w, gpis_wide_results *out);

/* ---- sweeps (wide_sweep.c) ---- */

/* A point to be measured: x has rows for these columns (NULL: all columns of A) and, with an intercept, one more. */
typedef struct gpis_wide_task {
    int64_t part, index;
    const double *x;
    const int64_t *columns;
    int64_t count;
} gpis_wide_task;

/* What a sweep has measured of a task: x and A'(A x - Y), D x k each, the sums of squares over its rows and over those
 * it leaves out. */
typedef struct gpis_wide_reading {
    const gpis_pass *pass;
    const double *x, *g;
    double f, left_out;
} gpis_wide_reading;

typedef gpis_status (*gpis_wide_reader)(void *user, const gpis_wide_task *task, const gpis_wide_reading *reading);

/* A pass with the terms of the rows, to which sums are to be added; and its run, counted and watched. */
gpis_pass gpis_wide_pass(gpis_wide *w);
gpis_status gpis_wide_sweep(gpis_wide *w, const gpis_pass *pass);
/* Measures all tasks, as many in one sweep as there is memory for. */
gpis_status gpis_wide_measure(gpis_wide *w, const gpis_wide_task *tasks, int64_t count, gpis_wide_reader reader,
                              void *user);

/* ---- the working set (wide_columns.c) ---- */

typedef struct gpis_wide_columns {
    int64_t *columns; /* owned: the working set, ascending */
    int64_t count;
    int64_t most;     /* that there is memory for */
    bool *member;     /* owned: A->d */
    int64_t *enter;   /* owned: A->d, the first point that violates or has a column; `call->count`: none */
    double *strength; /* owned: A->d, how much, there or in the nearest case; infinite: it has the column */
    double *reduced;  /* owned: A->d, scratch */
} gpis_wide_columns;

/* Whether the exact path is known for the points of all parts. */
gpis_status gpis_wide_columns_apply(gpis_wide *w, bool *apply);
/* The columns that are most correlated with y. gpis_wide_columns_end is called in any case. */
gpis_status gpis_wide_columns_begin(gpis_wide *w, gpis_wide_columns *set);
void gpis_wide_columns_end(gpis_wide *w, gpis_wide_columns *set);
/* Before a round: forgets what points have said. In it: a point that is not proven tells what it violates. */
void gpis_wide_columns_forget(const gpis_wide *w, gpis_wide_columns *set);
void gpis_wide_columns_hear(const gpis_wide *w, gpis_wide_columns *set, const gpis_wide_task *task, const double *g);
/* Adds columns, in place of others where there is no memory for more; false: there are none to add. */
gpis_status gpis_wide_columns_grow(gpis_wide *w, gpis_wide_columns *set, bool *grown);

/* The points of a part, those that are not done yet, on the working set: index[i] is the number of point i, X has
 * (set->count + intercept) numbers for each. */
typedef struct gpis_wide_batch {
    int64_t count;
    int64_t *index;
    double *values, *X;
    gpis_fit_value *points;
} gpis_wide_batch;

/* Sums the columns by one sweep, and finds the points of each part; batches: one for each part. */
gpis_status gpis_wide_columns_solve(gpis_wide *w, const gpis_wide_columns *set, gpis_wide_batch *batches);

#endif
