/* What is solved: minimise f(X) = ||Y - A X||_F^2, and a penalty on the sizes of the entries, over X in K. Everything
 * behind the interface takes it as const. */
#ifndef GPIS_PROBLEM_H
#define GPIS_PROBLEM_H

#include "set/set.h"
#include "source/source.h"

struct gpis_problem {
    gpis_context *context; /* borrowed, as all of it */
    gpis_source *A;        /* n x d */
    const double *Y;       /* the rows of Y on this rank, row-major; NULL: there are none here, or no response yet */
    int64_t n, d;
    int64_t k;             /* responses; 0: no response yet */
    int64_t size;          /* d k: entries of X */
    gpis_set *set;         /* K; NULL, before the interface completes the problem: every X */
    bool response_refused; /* a response was given that does not fit, and none since */
    bool set_refused;      /* a set was given that does not fit, and none since: there is nothing to be solved */
    double *penalty; /* owned: d entries, the penalty lambda_j of |X_jc|; NULL: none. In `set` of a complete problem */
    bool penalty_refused; /* a penalty was given that does not fit, and none since */
};

#endif
