/*
 * A step that needs no pass. Gradients are affine in x, so where f and g are known at x_1 .. x_h, they are known on the
 * whole hull: with x = sum_i t_i x_i, sum_i t_i = 1,
 *
 *     g(x) = sum_i t_i g_i,     f(x) = f_r + 2 <g_r, x - x_r> + sum_ij t_i t_j <x_i - x_r, g_j - g_r>
 *
 * for any reference r. Minimising f over the convex hull keeps x in K, never increases f, and has the effect of
 * acceleration. Without a constraint the affine hull may be used.
 *
 * With a penalty h, F = f + h is meant: f + sum_i t_i h(x_i), which is at least F, is minimised, and F taken there.
 */
#ifndef GPIS_HULL_H
#define GPIS_HULL_H

#include "base/base.h"
#include "linalg/point.h"
#include "set/set.h"

enum { GPIS_HULL_POINTS = 12 };

typedef struct gpis_hull {
    gpis_context *context; /* borrowed */
    const gpis_set *set;   /* borrowed: the set with the penalty; NULL: there is none */
    int64_t d, k, size;    /* size = d k */
    bool affine;           /* minimise over the affine hull, since there is no constraint */
    int count;             /* points held */
    gpis_point points[GPIS_HULL_POINTS];
    double height[GPIS_HULL_POINTS];                   /* h at the points; 0 without a penalty */
    double *x[GPIS_HULL_POINTS], *g[GPIS_HULL_POINTS]; /* the arrays of the points: parts of memory */
    double *memory;                                    /* owned */
} gpis_hull;

/* For points of d x k; `set`: a set whose penalty counts, or NULL. */
gpis_status gpis_hull_create(gpis_context *context, int64_t d, int64_t k, bool affine, const gpis_set *set,
                             gpis_hull **out);
void gpis_hull_destroy(gpis_hull *hull);
/* Adds a copy of a measured point, in place of the oldest one if there are GPIS_HULL_POINTS already. */
void gpis_hull_add(gpis_hull *hull, const gpis_point *point);
/* Forgets all points. */
void gpis_hull_empty(gpis_hull *hull);
/* Returns the minimiser of F over the hull, in x and g (d x k each), which the point borrows. *added, if not NULL, is
 * how much less certain its objective is than that of the best point held: large where points far away cancel. */
gpis_point gpis_hull_minimise(const gpis_hull *hull, double *x, double *g, double *added);
/* Returns the best of the points themselves, copied to x and g. */
gpis_point gpis_hull_best(const gpis_hull *hull, double *x, double *g);

#endif
