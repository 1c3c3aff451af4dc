/*
 * An interior-point method for sets that have a flat form (flat.h), one column at a time: the way that works for all of
 * them, however the columns are scaled and however ill conditioned the model is, since its steps are the same in any
 * coordinates, and since its equations are solved by QR decompositions of the model's factor.
 *
 * Steps are taken in x, in units of the columns, and the constraints are those of z = T^-1 x. Every inequality has a
 * slack a > 0 and a multiplier alpha > 0; every group of a sum of norms has a bound t > ||z_g|| on its norm and a
 * multiplier (y_0, y) with y_0 > ||y||. Where the slacks times multipliers are mu, all of them, and the gradient of the
 * Lagrangian is 0, q is above its minimum by mu times the number of constraints. A step of Newton's method towards such
 * a point with a smaller mu is predicted and corrected (Mehrotra); for groups in the scaling W of Nesterov and Todd,
 * where W (y_0, y) = W^-1 (t, z_g):
 *
 *     (H + sum over bounds of (alpha / a) c c' + ...) step = -r,    by QR of [the rows of the barrier; R D],
 *
 * where c is a row of T^-1.
 */
#ifndef GPIS_BARRIER_H
#define GPIS_BARRIER_H

#include "inner/flat.h"
#include "inner/inner.h"

/* A pair of slack and multiplier, which stay positive, and the step of both. */
typedef struct gpis_pair {
    double slack, dual, dslack, ddual;
    double second; /* the product of both steps of the prediction */
    double miss;   /* what is missing to the slack at z: it is larger than that at first */
} gpis_pair;

/* A group of a sum of norms. Vectors of groups are parts of vectors of d entries: those of the entries in the group. */
typedef struct gpis_cone {
    double t, y, dt, dy;   /* the first entries of slack and multiplier, and their steps */
    double w, eta;         /* the scaling: W = eta [w w_1'; w_1 I + w_1 w_1' / (1 + w)] */
    double lambda, second; /* of W (y_0, y), and of the second-order correction */
    double right;          /* of the equation of t */
    double size;           /* ||w_1|| */
} gpis_cone;

enum { GPIS_BARRIER_PANEL = 64 }; /* columns that LAPACK takes at a time */

typedef struct gpis_barrier {
    gpis_context *context;           /* borrowed */
    gpis_set *set;                   /* borrowed */
    const gpis_model *model;         /* borrowed */
    gpis_flat *flat;                 /* owned */
    int64_t d, height;               /* height: rows of `stack` */
    double *unit, *near;             /* owned: d; 1 / (norm of the column), and the same for z */
    double *stack;                   /* owned: height x d, by columns: the QR decomposition */
    double *tau, *work;              /* owned: for LAPACK */
    int64_t equalities;              /* rows of E, and sums that must be R */
    double *E;                       /* owned: equalities x d: these rows, in x and in units of the columns */
    double *span, *span_tau;         /* owned: the QR decomposition of those rows in the metric of H */
    double *rows, *rows_tau;         /* owned: the QR decomposition of R^-T E' */
    gpis_pair *lower, *upper, *sums; /* owned: d each */
    gpis_cone *cones;                /* owned: d */
    double *moved, *G, *step;        /* owned: d; the way from the centre, the gradient there, and the step; in x */
    double *z, *p;                   /* owned: d; the point and the step in z */
    const double *g;                 /* borrowed: the gradient at the centre */
    const gpis_stop *stop;           /* borrowed: asked before each step; NULL: nobody asks */
    double *y, *dy, *w, *lambda, *second, *right; /* owned: d; of the cones */
    double *best;                                 /* owned: d; the way to the best point so far */
    double *v, *Bv;                               /* owned: d; scratch */
    double omega;                                 /* ||R^-T D^-1 g||: the size of the problem */
    int64_t steps;                                /* made since it was created */
} gpis_barrier;

gpis_status gpis_barrier_create(gpis_context *context, gpis_set *set, const gpis_model *model, gpis_barrier **out);
void gpis_barrier_destroy(gpis_barrier *b);
/* The largest number of bytes that it holds. */
double gpis_barrier_memory(const gpis_set *set);
/* Minimises q, centred at x (in K), for one column; s becomes the minimiser, which may miss K by rounding. */
gpis_status gpis_barrier_solve(gpis_barrier *b, const double *x, const double *g, double *s);

/* ---- barrier_cone.c ---- */

/* Of all groups: the scaling, and W (y_0, y). */
void gpis_barrier_scale_cones(gpis_barrier *b);
/* The right sides of groups: W^-1 (lambda \ (mu e - lambda o lambda - second)). */
void gpis_barrier_cone_sides(gpis_barrier *b, double mu, bool correct);
/* The steps of the multipliers of groups that belong to the steps p and dt; with `keep`, their product with those of
 * the slacks, both scaled, is kept as the second-order correction. */
void gpis_barrier_cone_duals(gpis_barrier *b, bool keep);
/* The longest step, at most 1, for which all groups stay inside their cones. */
double gpis_barrier_cone_reach(const gpis_barrier *b, double most);
/* The sum of slack times multiplier after a step of that length. */
double gpis_barrier_cone_gap(const gpis_barrier *b, double step);

/* ---- barrier_step.c ---- */

/* Factors the matrix of the present point. */
void gpis_barrier_factor(gpis_barrier *b);
/* The step towards products of slack and multiplier that are mu; with `correct`, the second-order terms are included.
 */
void gpis_barrier_direction(gpis_barrier *b, double mu, bool correct);

#endif
