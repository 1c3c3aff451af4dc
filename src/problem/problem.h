/*
 * What is solved:
 *
 *     minimise  sum_i w_i ||y_i - o_i - a_i X - b||^2 + ridge sum_j s_j^2 ||X_j||^2 + sum_j s_j lambda_j sum_c |X_jc|
 *
 * over X in K and every b,
 *
 * with weights w, an offset o, a constant term b and, where columns are standardised, their standard deviations s; all
 * of these are optional. The caller's problem holds them as they were given. The interface makes a complete problem of
 * it (api/problem.h), and everything behind the interface takes that one as const: b is the last row of X, the
 * coefficient of a column of ones, so that X has d = A->d + 1 rows, o has been subtracted from Y, and K is a set of d
 * rows, in which b is free, with the penalty lambda (set/penalty.h).
 *
 * A problem may be known by the summary of its rows alone (linalg/quadratic.h). Then A tells sizes and names and has no
 * rows, there is no Y, and no pass can be made.
 */
#ifndef GPIS_PROBLEM_H
#define GPIS_PROBLEM_H

#include "linalg/quadratic.h"
#include "linalg/terms.h"
#include "set/set.h"
#include "source/source.h"

/* Terms that do not fit: a problem that has one cannot be solved. */
enum {
    GPIS_REFUSED_RESPONSE = 1,
    GPIS_REFUSED_SET = 2,
    GPIS_REFUSED_WEIGHTS = 4,
    GPIS_REFUSED_OFFSET = 8,
    GPIS_REFUSED_RIDGE = 16,
    GPIS_REFUSED_PENALTY = 32
};

/* A name for column j of a complete problem, for messages. */
gpis_column_label gpis_problem_label(const gpis_problem *problem, int64_t j);

struct gpis_problem {
    gpis_context *context; /* borrowed, as all of it */
    gpis_source *A;        /* n rows */
    const double *Y;       /* the rows of Y on this rank, row-major; NULL: there are none here, or no response yet */
    int64_t n;
    int64_t d;        /* rows of X: the columns of A and, in a complete problem, that of ones */
    int64_t k;        /* responses; 0: no response yet */
    int64_t size;     /* d k: entries of X */
    gpis_set *set;    /* K; NULL, before the interface completes the problem: every X */
    gpis_set *core;   /* of a complete problem with a constant: K of the columns of A alone, without b; else NULL */
    gpis_terms terms; /* of a complete problem: weights, the column of ones, ridge_j = ridge s_j^2 */
    unsigned refused; /* a bit for each term that was given and does not fit, and was not given again since */
    /* As the caller has given them. */
    const double *weights; /* w, of the rows on this rank; NULL: none */
    const double *offset;  /* o, of the rows on this rank, with offset_k columns; NULL: none */
    int64_t offset_k;
    bool intercept, standardize;
    double ridge;
    double *penalty; /* owned: A->d entries, lambda_j; NULL: none */
    /* A problem without rows: the summary of [A 1 Y] with weights; of a complete problem that of its own columns, with
     * the ridge. NULL: there are rows. */
    const gpis_quadratic *summary;
    const gpis_summary *made_of; /* the summary that the caller has made such a problem of; NULL: there are rows */
};

/* A has fewer rows than columns, which are not only a few: a bound of first order within a horizon may then end a run,
 * since second-order bounds would take far longer than all else. */
static inline bool gpis_problem_is_wide(const gpis_problem *p) {
    enum { FEW_COLUMNS = 64 };
    return p->n < p->d && p->d > FEW_COLUMNS;
}

#endif
