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
} gpis_inquiry;

typedef struct gpis_proposal {
    /* What the method says. Texts are constants. */
    const gpis_sketch_class *sketch; /* the kind of sketch; NULL: there is none */
    int64_t m;                       /* rows of the sketch; 0: there is none */
    char title[64];                  /* what it is, for messages, as "newton with a sketch of 800 rows" */
    const char *impossible;          /* why it cannot be done; NULL: it can */
    const char *unwise;              /* why it is not chosen unless it is `settled`; NULL: no reason */
    bool settled;      /* neither `unwise` nor a mere guess at the free memory rules it out, only a limit does: it is
                        * just what the caller has asked for, or needs so little that it is the last resort */
    double worthwhile; /* it is preferred to the first proposal only if it takes at most this share of its time */
    const char *doubt; /* why that is less than 1: said where it is faster, but not by that much */
    const char *risk;  /* why it may take longer than is likely, where that is why it was not chosen; NULL: no reason */
    /* What the planner finds out. */
    const gpis_method *method;
    gpis_effort effort; /* with the threads of the context */
    double expected;    /* seconds with all threads of the machine, so that the choice is the same for any number */
    double memory;      /* bytes; NaN: not predicted */
    bool possible;
    bool too_large;  /* it is not possible since it needs too much memory */
    char reason[96]; /* why it was not chosen */
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
