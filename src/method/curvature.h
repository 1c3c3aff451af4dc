/*
 * The curvature of a problem as far as it is known: the norms of the columns of A, a model H of A'A with its factor,
 * the inner problem on that model, and how the columns of A depend on each other. It depends on A and on the set, but
 * not on y nor on any point, so that several solves can share it.
 */
#ifndef GPIS_CURVATURE_H
#define GPIS_CURVATURE_H

#include "inner/inner.h"
#include "method/sample.h"
#include "pass/pass.h"
#include "problem/problem.h"

enum { GPIS_MAX_NULL_VECTORS = 64 }; /* null vectors of A that are looked for, at most */

/*
 * How the columns of A depend on each other. Only dependence.c and nearly_null.c write these fields, except for
 * full_rank, which gpis_curvature_complete sets. Invariant: exact + near <= found <= deficit.
 *
 * `vectors` has `found` rows of d entries, null vectors of A to working accuracy, in this order:
 *     first `exact` rows v with A v = 0, proven by a pass of exact arithmetic; every model is given these;
 *     then `near` rows v with (A + E) v = 0 for some E with ||E_j|| <= nearness ||a_j||;
 *     then those of which nothing more is known.
 */
typedef struct gpis_dependence {
    bool known;      /* `deficit` is known */
    int64_t deficit; /* columns of A that depend on others to working accuracy */
    bool sought[2];  /* null vectors were looked for in the Gram matrix [0], in a sketch [1] */
    double *vectors; /* owned; NULL until they are looked for */
    int64_t found, exact, near;
    bool near_sought; /* it has been measured how nearly the rows behind the exact ones are null vectors */
    double nearness;  /* the result of that; 0 before */
    bool full_rank;   /* A has full rank to working accuracy, as the QR decomposition of a sketch has shown */
} gpis_dependence;

/* Only the gpis_curvature_* functions write these fields. Invariants: an inner problem is always one on the present
 * model; a sketched model has slack = 0, and its c is 0 until probes have found a positive one. */
typedef struct gpis_curvature {
    const gpis_problem *problem; /* borrowed */
    double *norms2;              /* owned: the squared norms of the columns of A; zeros until norms_known */
    bool norms_known;
    gpis_model *model; /* owned: of the Gram matrix or of a sketch; NULL until it is made */
    bool sketched;     /* the model is of a sketch: its c, if positive, is probable only */
    gpis_inner *inner; /* owned: the inner problem on the model; NULL until it is made */
    gpis_stop stop;    /* what inner problems ask between their steps */
    gpis_dependence dependence;
} gpis_curvature;

gpis_status gpis_curvature_begin(gpis_curvature *curvature, const gpis_problem *problem);
/* Inner problems ask `stop` between their steps. */
void gpis_curvature_set_stop(gpis_curvature *curvature, gpis_stop stop);
void gpis_curvature_clear(gpis_curvature *curvature);

/* ---- norms of the columns ---- */

/* Where this pass is to put the norms of the columns; NULL where they are known, or come from its Gram matrix, or the
 * pass evaluates no point (a sketch alone does not walk the chunks, and would have to read A a second time). */
double *gpis_curvature_norms_place(const gpis_curvature *curvature, const gpis_pass *pass);
/* The pass has been made: takes the norms from it, if it has them. */
void gpis_curvature_take_norms(gpis_curvature *curvature, const gpis_pass *pass);
double gpis_curvature_largest_norm2(const gpis_curvature *curvature);

/* ---- the model ---- */

/* Whether there is memory for the Gram matrix, its pass, its factor and the inner problem. */
bool gpis_curvature_fits(const gpis_problem *problem);
/* Takes H = (an estimate of) A'A, which the model owns from then on, in the place of the model so far. There is no
 * inner problem on it yet. */
gpis_status gpis_curvature_take(gpis_curvature *curvature, double *H, double roundings, bool sketched);
/* Gives up the model and its inner problem. */
void gpis_curvature_drop(gpis_curvature *curvature);
/* Where the Gram matrix of a sketch has lost digits that its rows still have, makes the factor from the rows SA
 * themselves, or from those of a sample. Rounds take longer where there is no memory for that. */
gpis_status gpis_curvature_hold_sketch(gpis_curvature *curvature, const gpis_sketch *sketch);
gpis_status gpis_curvature_hold_sample(gpis_curvature *curvature, const gpis_sample *sample);
/* (A + E) v = 0 for `count` further rows v of `vectors`, E as above; 0: for A itself. Where there was an inner problem
 * it is made anew. */
gpis_status gpis_curvature_add_null(gpis_curvature *curvature, int64_t count, const double *vectors, double nearness);
/* The model is complete: makes its inner problem. Of a sketch nothing is claimed (c = 0) until probes have compared it
 * with A'A. */
gpis_status gpis_curvature_complete(gpis_curvature *curvature);
/* Takes a complete model of the Gram matrix, which it owns from then on, in the place of the model so far, and makes
 * its inner problem. */
gpis_status gpis_curvature_take_model(gpis_curvature *curvature, gpis_model *model);
/* The probes say: A'A >= c H, but for a chance of delta. */
void gpis_curvature_set_c(gpis_curvature *curvature, double c);
/* Whether a model that was made in single precision has lost too much by it. */
bool gpis_curvature_is_too_coarse(const gpis_curvature *curvature);

#endif
