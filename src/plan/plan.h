/*
 * plan: what each way to solve a problem would cost on this machine, and which one to take.
 *
 * A workload is all the planner knows of a problem: numbers, no data. Passes come from how fast a model of so many rows
 * contracts the error and from when its probes can certify it (passes.c); seconds from what a pass, a sketch, a Gram
 * matrix and the inner problem take (cost.c); bytes from what is alive at the same time (memory.c); the table of
 * candidates and the choice are in plan.c.
 */
#ifndef GPIS_PLAN_H
#define GPIS_PLAN_H

#include "method/replay.h"
#include "method/run.h"

typedef enum gpis_storage {
    GPIS_STORED_ROWS,    /* dense doubles, row after row */
    GPIS_STORED_COLUMNS, /* dense, column after column */
    GPIS_STORED_FLOATS,  /* dense rows of floats */
    GPIS_STORED_SPARSE,  /* compressed rows */
    GPIS_STORED_NOWHERE  /* rows made on demand */
} gpis_storage;

/* How the inner problem of a set is solved. */
typedef enum gpis_inner_cost { GPIS_INNER_BY_FACTOR, GPIS_INNER_BY_FACES, GPIS_INNER_BY_GRADIENT } gpis_inner_cost;

typedef struct gpis_workload {
    double n, d, k, entries; /* entries: of A that are stored */
    double ranks;            /* that talk to each other about their rows */
    gpis_storage storage;
    gpis_inner_cost inner;
    double tol, delta;
    bool probing;                    /* a sketched model is certified by probes */
    bool face;                       /* few entries of the answer are likely to be free (method/on_face.h) */
    const gpis_sketch_class *sketch; /* its kind */
    bool at_hand;                    /* single rows can be had: sampling takes no pass */
    bool windows;                    /* rows of a file, read at each pass */
    double disk;                     /* bytes of them that come from the disk each time */
} gpis_workload;

/* What a candidate asks for. */
typedef struct gpis_effort {
    int64_t passes, sketches;
    double flops, seconds;
    double otherwise; /* seconds, should what is likely of the answer not be so */
} gpis_effort;

/* A sketch of sampled rows that are at hand. */
static inline bool gpis_workload_samples(const gpis_workload *w) { return w->sketch->of_rows && w->at_hand; }

/* Passes to the tolerance: of newton with the Gram matrix, of newton with a sketch of m rows (that of the sketch
 * included, if it takes one), and of accelerated gradients, for a condition number that is a guess. */
int64_t gpis_passes_gram(void);
int64_t gpis_passes_sketch(const gpis_workload *work, double m);
/* The same where it ends on a face. */
int64_t gpis_passes_face(const gpis_workload *work, double m);
int64_t gpis_passes_gradient(const gpis_workload *work);

/* The work of newton (m = 0: with the Gram matrix) and of apgd, with `threads` threads on the machine. */
gpis_effort gpis_cost_newton(const gpis_workload *work, const gpis_machine *machine, int threads, double m);
gpis_effort gpis_cost_apgd(const gpis_workload *work, const gpis_machine *machine, int threads);

/* What they hold at their height, in bytes, besides A, y and the set (memory.c). */
double gpis_memory_newton(const gpis_run *run, const gpis_workload *work, int64_t m);
double gpis_memory_apgd(const gpis_run *run);

/* One way to solve the problem, and the table of them, with their texts in place: gpis.h says what the fields of
 * gpis_plan_candidate and gpis_plan mean, which gpis_plan_make fills from these. */
typedef struct gpis_candidate {
    char method[16], sketch[16];
    int64_t m, passes, sketches;
    double flops, memory, seconds;
    int applicable, chosen;
    char reason[96];
} gpis_candidate;

enum { GPIS_PLAN_MOST = 16 };
typedef struct gpis_plan_table {
    int count, chosen;
    gpis_candidate candidates[GPIS_PLAN_MOST];
    char text[256];
} gpis_plan_table;

/* The plan itself; the settings have been checked. `used`: bytes that were in use before the solve. */
gpis_status gpis_plan_choose(const gpis_problem *problem, const gpis_settings *settings, int64_t used,
                             gpis_plan_table *out);
/* What of it a solve needs. */
gpis_choice gpis_plan_choice(const gpis_plan_table *plan);

#endif
