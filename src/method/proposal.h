/*
 * What a method proposes to the planner: the ways in which it could solve a problem. A method knows what it would do
 * and what could be said against it; what that costs comes from its functions `cost` and `memory` (method.h); the
 * planner (plan.h) compares the proposals of all methods and knows none of them by name.
 */
#ifndef GPIS_PROPOSAL_H
#define GPIS_PROPOSAL_H

#include "cost/cost.h"
#include "method/run.h"

typedef struct gpis_method gpis_method;

/* What the planner asks a method about. */
typedef struct gpis_inquiry {
    const gpis_run *run;       /* the problem, the settings and the kind of sketch; the run has not been started */
    const gpis_workload *work; /* the problem as numbers */
    const gpis_method *asked;  /* the method that the caller has named; NULL: any will do */
    bool brief;                /* what cannot be chosen need not be proposed */
} gpis_inquiry;

typedef struct gpis_proposal {
    /* What the method says. All texts but the title are constants. */
    const gpis_sketch_class *sketch; /* the kind of sketch; NULL: there is none */
    int64_t m;                       /* rows of the sketch; 0: there is none */
    char title[64];                  /* its name in messages, as "newton with a sketch of 800 rows" */
    const char *impossible;          /* why it cannot be done; NULL: it can */
    const char *unwise;              /* why it should not be done, however fast it is; NULL: no reason */
    /* The caller has asked for just this, or it needs so little memory that it is the last resort. Then `unwise` and
     * the planner's guess at the free memory do not count; only a limit that the caller has set rules it out. */
    bool settled;
    double worthwhile; /* it is preferred to the first proposal only if it takes at most this share of its time */
    const char *doubt; /* why that share is less than 1: the reason given where it is faster, but not enough */
    const char *risk;  /* why it may take longer than is likely: the reason given where that decided; NULL: none */
    /* What the planner finds out. */
    const gpis_method *method;
    gpis_effort effort; /* with the threads of the context */
    gpis_effort shared; /* with all threads of the machine, so that the choice is the same for any number */
    gpis_prices prices; /* for a run that follows the proposal, with all threads of the machine */
    double regret;      /* times as long as the best possible proposal, in the worse of the two cases of gpis_effort */
    double memory;      /* bytes; NaN: not predicted */
    bool possible;      /* it may be chosen */
    bool too_large;     /* it may not, since it needs too much memory */
    char reason[96];    /* why it was not chosen */
} gpis_proposal;

enum { GPIS_MAX_PROPOSALS = 16 };

typedef struct gpis_proposals {
    int count;
    gpis_proposal list[GPIS_MAX_PROPOSALS + 1]; /* the last is there to be written to, and ignored, if all are taken */
} gpis_proposals;

/* Another proposal, all zero but for `worthwhile`, which is 1. */
gpis_proposal *gpis_propose(gpis_proposals *all);

/* The outcome, for the method whose proposal was chosen to explain. */
typedef struct gpis_verdict {
    const gpis_inquiry *inquiry;
    const gpis_proposals *all; /* the first is the one that the others had to beat */
    const gpis_proposal *chosen;
} gpis_verdict;

#endif
