/*
 * Active set method for one column: min over s in K of 1/2 <s - x, H (s - x)> + <g, s - x>, K made of bounds and at
 * most one sum (gpis_set_class.bounds). Exact after finitely many faces.
 *
 * A face is given by its free entries F and by whether the sum is tight, sum over F of sigma_j s_j = R; all other
 * entries are fixed at a bound. From s the minimum on the face is reached by the step p,
 *
 *     H_FF p + G_F + nu sigma_F = 0,    <sigma, p> = R - <sigma, s>,    G = g + H (s - x).
 *
 * A step that stays in K is taken. A step that leaves K is projected, P(s + alpha p), if that is lower than the last
 * point of the segment in K; in this way many bounds are met at once. At the minimum of a face all entries whose
 * multiplier has the wrong sign are freed or, if that did not lower q before, only the worst of them, which always
 * lowers it.
 *
 * With a penalty h(s) = sum_j lambda_j |s_j| (bounds, and sums of entries >= 0), q + h / 2 is minimised. It is a
 * quadratic as long as no entry changes its sign. So every entry is kept in a stretch of its bounds on one side of 0,
 * where h / 2 has one slope, which is a part of G; 0 is a bound of both stretches, from which an entry is freed to
 * either side.
 */
#ifndef GPIS_ACTIVE_SET_H
#define GPIS_ACTIVE_SET_H

#include "inner/principal.h"
#include "set/set.h"

typedef struct gpis_active_set {
    gpis_context *context;   /* borrowed */
    gpis_set *set;           /* borrowed */
    const gpis_model *model; /* borrowed */
    int64_t d;
    gpis_principal *factor;   /* owned: the factor of H_FF */
    bool *free;               /* owned: j is in F */
    double *vectors;          /* owned: the arrays below, of d numbers each */
    double *lo, *hi;          /* the bounds of the entries; with a penalty, of the stretches that they are in */
    double *slope;            /* of h / 2 in those stretches; NULL: there is no penalty */
    double share;             /* of the penalty that counts: more than 1 on the way to it */
    double *sigma;            /* signs of the entries of F in the sum */
    double *along, *signs;    /* H_FF^-1 sigma_F, and the sigma that it was found with, */
    int64_t along_factor;     /* when the factor had changed so many times */
    bool tight;               /* the sum is R */
    double nu;                /* the multiplier of the sum */
    const double *x, *g;      /* borrowed: the problem */
    double *s;                /* borrowed: the point, */
    double *G;                /* the gradient there, */
    double value;             /* and q(s) */
    double *p;                /* the step on the face */
    double *w, *trial, *move; /* scratch */
    double *start;            /* where pivoting began */
    double *kept;             /* where the descent began; NULL: there is no penalty */
    int64_t faces, products;  /* faces visited and products with H, since it was made */
    const gpis_stop *stop;    /* borrowed: asked at each face; NULL: nobody asks */
} gpis_active_set;

gpis_status gpis_active_set_create(gpis_context *context, gpis_set *set, const gpis_model *model,
                                   gpis_active_set **out);
void gpis_active_set_destroy(gpis_active_set *a);
/* Starts at s in K and leaves the minimiser in s. *solved is false if it gave up: s is then the best point so far. */
gpis_status gpis_active_set_solve(gpis_active_set *a, const double *x, const double *g, double *s, bool *solved);

#endif
