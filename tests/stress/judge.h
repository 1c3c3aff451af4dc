/* judge.h: what is wrong with an answer of gpis, by the reference. */
#ifndef GPIS_STRESS_JUDGE_H
#define GPIS_STRESS_JUDGE_H

#include "reference.h"
#include "run.h"

/* What can be wrong. A run that finds one of FATAL_FAULTS fails; the others are counted. */
#define FAULT_LIST(ENTRY)                                                                                              \
    ENTRY(FALSE_GAP, "false proof", "f(x) or the objective is above f* by more than the gap, lower bound above 0")     \
    ENTRY(FALSE_ZERO, "false proof with lower bound 0", "the same where gap = objective: rounding was forgotten")      \
    ENTRY(FALSE_SOLVED, "false solved", "solved, but f(x) is not within the tolerance, nor 0 to working accuracy")     \
    ENTRY(BEYOND, "beyond horizon", "solved within a horizon, and f(x) is not within the tolerance of what is beyond") \
    ENTRY(OUTSIDE, "outside", "x is not in the set, by more than rounding")                                            \
    ENTRY(OFF_OBJECTIVE, "objective off", "the objective differs from f(x) by more than rounding")                     \
    ENTRY(CRASHED, "crashed", "the process ended by a signal while it solved")                                         \
    ENTRY(NOT_ENDED, "not ended", "the solve did not end within the limit of processor time")                          \
    ENTRY(REFUSED, "refused", "gpis gave no answer but a message")                                                     \
    ENTRY(UNSOLVED, "not solved", "newton or auto, without a limit, did not solve it")                                 \
    ENTRY(FAR, "x off", "newton or auto did not solve it, and x itself is not within ten times the tolerance")         \
    ENTRY(SILENT, "silent stall", "stalled without a warning that gives the reason")                                   \
    ENTRY(PASSES, "> 60 passes", "newton or auto took more than 60 passes")                                            \
    ENTRY(SLOW, "> 20 dgelsy", "newton or auto took more than 20 times as long as LAPACK's dgelsy")                    \
    ENTRY(WORSE, "worse when tighter", "a tighter tolerance gave an x that is worse")

enum {
#define FAULT_ENUM(name, text, meaning) FAULT_##name,
    FAULT_LIST(FAULT_ENUM)
#undef FAULT_ENUM
        FAULTS
};
enum {
    FATAL_FAULTS = 1 << FAULT_FALSE_GAP | 1 << FAULT_FALSE_ZERO | 1 << FAULT_FALSE_SOLVED | 1 << FAULT_CRASHED |
                   1 << FAULT_NOT_ENDED | 1 << FAULT_SILENT
};
const char *fault_name(int fault);
const char *fault_meaning(int fault);

/* How far the work on a problem has come; a process that dies leaves its last step behind. STEP_FIRST: solved with the
 * tolerance of the problem, and not yet with the tighter one. */
typedef enum step { STEP_BEGUN, STEP_DRAWN, STEP_FIRST, STEP_ANSWERED, STEP_JUDGED } step;

/* All that the table needs to know of a problem. Plain data, in memory that parent and child share. */
typedef struct verdict {
    uint64_t number;
    step step;
    char set[32], text[512];
    char method[16], storage[16];
    int left_out;    /* non-zero: the problem was drawn, and is not of the set that was asked for */
    int newton;      /* non-zero: auto or newton, without a limit */
    int64_t entries; /* n d */
    uint32_t flavours;
    answer answer;
    uint32_t faults; /* bit FAULT_... */
    reference reference;
    quad f;              /* f(x), in quadruple precision */
    quad excess;         /* the larger of f(x) and objective, minus that of the reference */
    quad tighter_excess; /* f of the x with the tighter tolerance, minus that of the reference */
    int tighter;         /* non-zero: there is one */
    double violation;
    double dgelsy; /* seconds of LAPACK's dgelsy; 0: not measured, or too short to compare with */
    double reference_seconds;
} verdict;

static inline int has_fault(const verdict *v, int fault) { return (int)(v->faults >> fault & 1); }
static inline void add_fault(verdict *v, int fault, int present) {
    if (present) v->faults |= UINT32_C(1) << fault;
}

/* Judge v->answer with its x, and after it the x of a tighter tolerance, by v->reference, whose point is `best`. */
void judge_answer(const problem *p, const double *x, const quad *best, verdict *v);
void judge_tighter(const problem *p, const double *x, verdict *v);

/* Draws problem `number`, has it solved and judges the answer, if its set is `only` (NULL: any); fills v as it goes.
 * `reached` (NULL: nobody asks) is
 * called when the problem has been drawn, and once gpis is done, before the reference begins. */
void judge(uint64_t seed, uint64_t number, const char *only, verdict *v, void (*reached)(const verdict *v));

/* Seconds of dgelsy on the same dense data, with one thread: the best of five times, by processor time. */
double time_dgelsy(const problem *p);

#endif
