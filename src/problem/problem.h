/* What is solved: minimise f(X) = ||Y - A X||_F^2 over X in K. Everything behind the interface takes it as const. */
#ifndef GPIS_PROBLEM_H
#define GPIS_PROBLEM_H

#include "set/set.h"
#include "source/source.h"

typedef struct gpis_problem {
    gpis_context *context; /* borrowed, as all of it */
    gpis_source *A;        /* n x d */
    const double *Y;       /* n x k, row-major */
    int64_t n, d, k;
    int64_t size;  /* d k: entries of X */
    gpis_set *set; /* K */
} gpis_problem;

#endif
