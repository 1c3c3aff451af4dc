/*
 * model.h: a problem of one response in coordinates z in which its set is simple, in quadruple precision:
 *
 *     minimise ||c - M z||^2 + 2 <cost, z> + rest   over z in Z,     x = x0 + T z.
 *
 * Z is a product: bounds lower_j <= z_j <= upper_j; sums, each over some entries that are >= 0, of at most (or of
 * exactly) R; and balls, each a sum of the 2-norms of groups of entries of at most R. Every set of gpis but `nuclear`
 * is one of these: l1 by z = (positive part, negative part), monotone and tv by the jumps of x, affine by a basis of
 * the null space of C, transforms by x = U^-1 z. A penalty is the cost of entries on one side of 0: an entry that may
 * be on both sides is the difference of two.
 */
#ifndef GPIS_STRESS_MODEL_H
#define GPIS_STRESS_MODEL_H

#include "problem.h"
#include "quad.h"

typedef struct sum_limit {
    quad R;
    int equal; /* non-zero: the sum is R; else at most R */
    int ball;  /* non-zero: 2-norms of groups are added up; else entries, which are >= 0 */
} sum_limit;

typedef struct model {
    int64_t d, p;
    quad *x0, *T;        /* d, d x p */
    quad *cost;          /* p */
    quad *lower, *upper; /* p each; of entries in a sum: 0 and infinity; in a ball: infinite */
    int64_t *sum_of;     /* p: the sum that entry j is in; -1: none */
    int64_t *group_of;   /* p: of entries in a ball, the number of their group, unique in the model; -1: none */
    int64_t sums, groups;
    sum_limit *sum; /* of `sums` */
    /* the data of one response */
    int64_t m;
    quad *M, *c; /* m x p, m */
} model;

/* The set alone: everything but m, M and c. */
model model_of_set(const constraint *set);
/* M = R T and c = b - R x0 for the rows R (m x d) and right-hand side b. */
void model_load(model *z, int64_t m, const quad *R, const quad *b);
void model_clear(model *z);
void model_x(const model *z, const quad *at, quad *x); /* x = x0 + T z */

/* U (d x d) of a set with a turn: the orthonormal DCT-II, or the matrix that was given, as it was given. */
quad *model_turn(const constraint *set);

/* How good z is: the interval in which the least value lies. */
typedef struct bracket {
    quad value;     /* ||c - M z||^2 + 2 <cost, z> */
    quad width;     /* the least value is at least value - width */
    quad uncertain; /* of the gradient, what no direction of M explains, relative: should be rounding, 1e-30 */
} bracket;

/*
 * For every s in Z:  value(z) - value(s) <= 2 (support(l) - <l, z>) + e'(M'M)^+ e,   l + e = -M'(M z - c) - cost,
 *
 * for any l with finite support over Z. l is taken such that the first term vanishes at a solution; e is then what is
 * left of the gradient, rounding in the end.
 */
bracket model_bracket(const model *z, const quad *at);

/* The member of Z nearest to v, in place. */
void model_project(const model *z, quad *v);

#endif
