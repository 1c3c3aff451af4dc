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
typedef enum gpis_inner_cost { GPIS_INNER_BY_FACTOR, GPIS_INNER_BY_FACES, GPIS_INNER_BY_GRADIENT } gpis_inner_cost;

typedef struct gpis_workload {
    double n, d, k;
    double entries; /* of A that are stored */
    double ranks;   /* ranks that share the rows, and talk to each other in every pass */
    gpis_storage storage;
    gpis_inner_cost inner;
    double tol, delta;
    bool probing;                    /* a sketched model is certified by probes */
    bool face;                       /* few entries of the answer are likely to be free (method/on_face.h) */
    const gpis_sketch_class *sketch; /* the kind of sketch, where there is one */
    bool at_hand;                    /* single rows can be read, so that a sample of rows takes no pass */
    bool windows;                    /* the rows are read from a file in every pass */
    double disk;                     /* bytes that come from the disk in every pass; 0: the file stays in the cache */
} gpis_workload;

/* The numbers of a problem. `kind` is the kind of sketch; `ranks` is set to 1. */
gpis_workload gpis_workload_of(const gpis_problem *problem, const gpis_settings *settings,
                               const gpis_sketch_class *kind, const gpis_machine *machine);

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
    double seconds;  /* if the problem is as it is likely to be */
    double expected; /* seconds in the mean, with the chance that it is not; ways to solve are compared by these */
} gpis_effort;

/* The share of the columns that is taken to be free where an answer is likely to have few free entries. It is a guess:
 * answers of the lasso problems that were looked at had fewer. */
#define GPIS_LIKELY_FREE_SHARE 0.25

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

double gpis_cost_factor_flops(const gpis_workload *work);
double gpis_cost_inner_flops(const gpis_workload *work, double rounds);

/* ---- which way is cheaper, asked within a run ---------------------------------------------------------------------
 */

/* A pass that makes the Gram matrix, and a gradient pass that carries probes, in units of a gradient pass over the same
 * rows, if there are many of them. What a run does on the way decides over the bits of its answer, so these are for the
 * usual machine (gpis_machine_default), whatever machine it is, and the same for all dense rows, however they are
 * stored: a run that is resumed elsewhere must decide as it did before. */
double gpis_cost_gram_ratio(const gpis_source *A);
/* The same for a pass that makes the summary of A and k responses (pass.h); the gradient pass has one response. */
double gpis_cost_summary_ratio(const gpis_source *A, int64_t k);
double gpis_cost_probing_ratio(const gpis_source *A);

/* Whether the Gram matrix of a sketch of m rows is made in single precision. In double precision, small ones are made
 * as fast, and several ranks can share the work. */
bool gpis_cost_single_pays(double m, double d, double ranks);

#endif
