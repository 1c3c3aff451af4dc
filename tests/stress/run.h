/* run.h: a problem of the stress suite solved by gpis. Only run.c and sets.c call the
 * library. */
#ifndef GPIS_STRESS_RUN_H
#define GPIS_STRESS_RUN_H

#include "problem.h"

typedef enum claim { CLAIM_NONE, CLAIM_PROVEN, CLAIM_PROBABLE } claim;

/* What gpis says about a problem. Plain data: it goes through a pipe. */
typedef struct answer {
    int refused;         /* non-zero: no result; `text` is the message */
    int solved, stalled; /* neither: a limit was reached */
    claim claim;         /* of `gap` */
    double objective, gap, feasibility;
    double nearness; /* above 0: the gap is for data so near, relative to each column */
    double horizon;  /* above 0: the gap is for points that are not farther away than this, in units of ||y|| */
    int64_t passes;
    double seconds; /* of the solve, by the clock */
    char text[256]; /* the warning, or the message of the refusal; "" if there is none */
} answer;

/* x (d x k, row-major) is the caller's; it is left alone where the problem is refused. */
void run_gpis(const problem *p, double tol, answer *out, double *x);

#endif
