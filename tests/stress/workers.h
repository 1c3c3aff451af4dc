/* workers.h: each problem in a process of its own, so that a crash or a solve without end is counted and the suite goes
 * on. */
#ifndef GPIS_STRESS_WORKERS_H
#define GPIS_STRESS_WORKERS_H

#include "judge.h"

typedef struct work {
    uint64_t seed, first, last;                 /* numbers of problems, both included */
    double seconds;                             /* no problem is begun after so many */
    double limit;                               /* processor seconds for the solves of auto and newton; ten times
                                                 * as many for other methods */
    const char *only;                           /* the set as the table names it: others are left out; NULL: none */
    int jobs;                                   /* processes at one time */
    void (*take)(void *user, const verdict *v); /* called by the parent for each problem, in the order they end */
    void *user;
} work;

void work_through(const work *w);

#endif
