/*
 * The step that needs no pass. Gradients are affine in x, so where f and g are known at x_1 .. x_h, they are known on
 * the whole hull:  with x = sum_i t_i x_i, sum_i t_i = 1,
 *
 *     g(x) = sum_i t_i g_i,     f(x) = f_r + 2 <g_r, x - x_r> + sum_ij t_i t_j <x_i - x_r, g_j - g_r>
 *
 * for any reference r. Minimising f over the convex hull keeps x in K, never increases f, and works like acceleration.
 * Without a constraint the affine hull is allowed.
 */
#ifndef GPIS_HULL_H
#define GPIS_HULL_H

#include "certificate/certificate.h"

enum { GPIS_HULL_POINTS = 12 };

typedef struct gpis_hull {
    gpis_context *context; /* borrowed */
    int64_t d, k, size;    /* size = d k */
    const double *norms2;  /* borrowed: squared norms of the columns of A */
    bool affine;
    int count;                                         /* points held */
    double *x[GPIS_HULL_POINTS], *g[GPIS_HULL_POINTS]; /* parts of memory */
    double f[GPIS_HULL_POINTS];
    gpis_errors errors; /* the largest of the points since the hull was last empty */
    double *memory;     /* owned */
} gpis_hull;

/* For points of d x k; `norms2`, borrowed, must be known when points are added. */
gpis_status gpis_hull_create(gpis_context *context, int64_t d, int64_t k, const double *norms2, bool affine,
                             gpis_hull **out);
void gpis_hull_destroy(gpis_hull *hull);
/* Adds a measured point; the oldest one leaves when there is no room. */
void gpis_hull_add(gpis_hull *hull, const double *x, const double *g, double f, gpis_errors errors);
/* The minimiser of f over the hull, its gradient and objective, and how it was made: errors are large where points far
 * away cancel. */
void gpis_hull_minimise(const gpis_hull *hull, double *x, double *g, double *f, gpis_combination *made);
/* The best of the points themselves. */
void gpis_hull_best(const gpis_hull *hull, double *x, double *g, double *f);

#endif
