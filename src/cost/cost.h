/*
 * cost: what the parts of a solve take, in seconds and in flops. It is the only cost model there is: methods predict
 * from it what a solve would take (method.h), and a run asks it which of two ways to go is cheaper.
 *
 * A workload is all that is known of a problem beforehand: numbers, no data. A speed is the machine as some number of
 * threads sees it. Both are plain values, and all functions here are pure: the same workload on the same machine always
 * costs the same, so that a choice made by cost, and with it the bits of an answer, does not depend on earlier runs.
 */
#ifndef GPIS_COST_H
#define GPIS_COST_H

#include "base/base.h"
#include "cost/constants.h"
#include "problem/problem.h"
#include "sketch/sketch.h"

/* How the inner problem of a set is solved. */
typedef enum gpis_inner_cost {
    GPIS_INNER_BY_FACTOR,
    GPIS_INNER_BY_FACES,
    GPIS_INNER_BY_WALK, /* with linear rows and several sums of sizes: inner/walk.c */
    GPIS_INNER_BY_GRADIENT
} gpis_inner_cost;

typedef struct gpis_workload {
    double n, d, k;
    double entries; /* of A that are stored; where there are no rows, of the summary */
    double ranks;   /* ranks that share the rows, and talk to each other in every pass */
    gpis_storage storage;
    gpis_inner_cost inner;
    double rows_of_set; /* linear rows and sums of sizes among the constraints, where the inner problem is a walk */
    double tol, delta;
    bool probing;                    /* a sketched model is certified by probes */
    bool proof;                      /* a probable bound is not enough: probes do not help */
    bool whole;                      /* every x is allowed: the answer is refined to the accuracy of QR */
    bool walls;                      /* the answer may lie on a face of the set; how many entries are free is unknown */
    bool face;                       /* with walls: the costs are those of the case that few entries are free */
    const gpis_sketch_class *sketch; /* the kind of sketch, where there is one */
    bool at_hand;                    /* single rows can be read, so that a sample of rows takes no pass */
    bool windows;                    /* the rows are read from a file in every pass */
    bool summary;                    /* the Gram matrix is made as a part of the summary (gpis_workload_summarises) */
    bool rowless;                    /* the summary is all that there is: nothing is read */
    double disk;                     /* bytes that come from the disk in every pass; 0: the file stays in the cache */
} gpis_workload;

/* The numbers of a problem. `kind` is the kind of sketch; `ranks` is set to 1. */
gpis_workload gpis_workload_of(const gpis_problem *problem, const gpis_settings *settings,
                               const gpis_sketch_class *kind, const gpis_machine *machine);

/* Whether a pass that would make the Gram matrix makes the quick summary (pass.h) in its place: from it the problem can
 * be solved, and often proven, without another pass. Not where every x is allowed: there the answer is refined by its
 * gradient (method/refine.h), which the pass to it brings. Not where there is no memory for it, nor for so many columns
 * that the pass which it saves costs next to nothing beside the Gram matrix. */
bool gpis_workload_summarises(const gpis_problem *problem);

/* Whether a sketch is a sample of rows that are in memory, so that it takes no pass. */
static inline bool gpis_workload_samples(const gpis_workload *work) { return work->sketch->of_rows && work->at_hand; }

/* The machine as so many threads see it. */
typedef struct gpis_speed {
    double entry;      /* seconds for an entry of a gradient pass over dense doubles */
    double copy;       /* seconds for a double of a plain read */
    double flops;      /* of dsyrk in a second, on these threads */
    double flops_of_1; /* the same on one thread */
    double disk;       /* seconds for a byte from the disk */
} gpis_speed;

gpis_speed gpis_speed_of(const gpis_machine *machine, int threads);

/* What a method asks for to solve a problem. */
typedef struct gpis_effort {
    int64_t passes, sketches; /* 0: not known */
    double flops;
    double seconds; /* the prediction; between the two cases below, as their geometric mean */
    /* Seconds if few entries of the answer turn out to be free, and if many do. Where that makes no difference both are
     * the same. Ways to solve a problem are compared by these (plan.c). */
    double few, many;
} gpis_effort;

/* The effort of a method that takes as long however many entries are free. */
gpis_effort gpis_effort_of(int64_t passes, double flops, double seconds);

/* The share of the columns that is taken to be free in the case that few entries are. It is a guess: answers of the
 * lasso problems that were looked at had about as many. */
#define GPIS_FEW_FREE_SHARE 0.1

/* Passes of a solve with the Gram matrix: one that makes it, with the gradient at the start, and one at the solution;
 * or one for the summary; or none where there are no rows. */
static inline double gpis_gram_passes(const gpis_workload *work) {
    return work->rowless ? 0.0 : work->summary ? 1.0 : 2.0;
}

/* ---- passes over A, in seconds ------------------------------------------------------------------------------------
 */

/* A gradient pass, with or without the probes of a sketched model. */
double gpis_cost_gradient_pass(const gpis_workload *work, const gpis_speed *speed, bool probing);
/* A pass that makes the Gram matrix, with the gradient. */
double gpis_cost_gram_pass(const gpis_workload *work, const gpis_speed *speed);
/* A pass that makes a sketch of m rows. */
double gpis_cost_sketch_pass(const gpis_workload *work, const gpis_speed *speed, double m);

/* ---- what follows from a pass, in seconds -------------------------------------------------------------------------
 */

/* A sketch of m rows, with its pass and its Gram matrix; a sample takes no pass. */
double gpis_cost_sketch(const gpis_workload *work, const gpis_speed *speed, double m);
/* The Gram matrix of a sketch of m rows. */
double gpis_cost_sketch_gram(const gpis_workload *work, const gpis_speed *speed, double m);
/* m sampled rows, copied, and their Gram matrix. */
double gpis_cost_sample(const gpis_workload *work, const gpis_speed *speed, double m);
/* The Cholesky factor of the model, and what is done with it at once. */
double gpis_cost_factor(const gpis_workload *work, const gpis_speed *speed);
/* What the probes of so many rounds take between the passes. */
double gpis_cost_probes(const gpis_workload *work, const gpis_speed *speed, double rounds);
/* The inner problems of so many rounds, the first of which begins from nothing. */
double gpis_cost_inner(const gpis_workload *work, const gpis_speed *speed, double rounds);

/* The share of its full speed that LAPACK reaches on a matrix of d columns. */
double gpis_cost_lapack_share(double d);
double gpis_cost_factor_flops(const gpis_workload *work);
double gpis_cost_inner_flops(const gpis_workload *work, double rounds);

/* A look at a few sampled rows: the problem on gpis_look_rows of them is solved, to see how many entries are likely to
 * be free. Where few are, their model serves for the rounds that end on a face. */
bool gpis_may_look(const gpis_workload *work);
double gpis_look_rows(double n, double d);
/* The rows, and GPIS_LOOK_STEPS steps with them; without their model. */
enum { GPIS_LOOK_STEPS = 10 };
double gpis_cost_look(const gpis_workload *work, const gpis_speed *speed);

/* ---- which way is cheaper, asked within a run ---------------------------------------------------------------------
 */

/* What a run weighs its ways by, in units of a plain gradient pass over the same rows. The decisions of a run affect
 * the bits of its answer. The prices are therefore made once, by the plan, and a checkpoint keeps them: a run that is
 * resumed on another machine decides as it did before. They do not depend on where the rows are and how dense ones are
 * stored, either: the same numbers in a file, read by windows, lead to the same answer. */
typedef struct gpis_prices {
    double gram;   /* a pass that makes the Gram matrix, with the gradient */
    double finish; /* the factor of the Gram matrix, its inner problem, and the gradient pass at the solution, if any */
    double probing; /* a round with probes: the gradient pass that carries them, and what belongs to the round */
    double sketch;  /* the pass that makes the sketch, the sketch's Gram matrix and its factor */
    double look;    /* a look at a few rows before the sketch is made; 0: it is not worth its cost, or not possible */
} gpis_prices;

/* The prices of a problem that is solved with a sketch of m rows (0: with none). */
gpis_prices gpis_prices_of(const gpis_workload *work, const gpis_speed *speed, double m);

/* A pass that makes the summary of A and k responses (pass.h), in units of a gradient pass with one response over the
 * same rows, if there are many of them, on the usual machine (gpis_machine_default). */
double gpis_cost_summary_ratio(const gpis_source *A, int64_t k);

/* Whether the Gram matrix of a sketch of m rows is made in single precision. In double precision, small ones are made
 * as fast, and several ranks can share the work. */
bool gpis_cost_single_pays(double m, double d, double ranks);

#endif
