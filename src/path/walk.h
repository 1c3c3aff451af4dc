/*
 * The points of a path on one fit: x for each of the values of a grid, from the simplest to the least restricted, radii
 * ascending or penalties descending.
 *
 * Where the set is one weighted sum of sizes and bounds around 0 (l1, l1 & nonneg, simplex, standardised or not, with
 * exempt columns), or the penalty is one and the set is bounds, the exact path is walked (inner/homotopy.h). At each
 * value the gradient is measured from the summary, x is corrected by it where that is needed, and certified. Points of
 * other sets, and those where the walk did not lead to a proof, are solved by the general solver (gpis_fit_solve) from
 * the point before.
 */
#ifndef GPIS_PATH_WALK_H
#define GPIS_PATH_WALK_H

#include "path/fit.h"

/* Makes the set of a value, and destroys it. */
typedef struct gpis_path_sets {
    gpis_status (*make)(void *user, double value, gpis_fit_set *out);
    void (*destroy)(void *user, gpis_fit_set *set);
    void *user;
    bool penalised; /* values are penalties lambda: the sets have lambda times the weights of the penalty */
} gpis_path_sets;

/* What the exact path is about: the weights of the sum and the bounds of the entries; d numbers each. */
typedef struct gpis_path_shape {
    double *weight, *lo, *hi;
    double *memory; /* owned: all of them, which the caller frees */
    bool found;     /* false: the set is nothing of the kind */
    bool equation;  /* the sum is to be R itself, and not at most R */
} gpis_path_shape;

/* The shape for all d entries, of which an intercept, the last, has no weight and no bounds. `value` is one of the
 * grid.
 */
gpis_status gpis_path_shape_find(gpis_context *context, int64_t d, const gpis_path_sets *sets, double value,
                                 gpis_path_shape *shape);

/* A path on one fit. */
typedef struct gpis_path_walk {
    gpis_fit *fit;              /* borrowed */
    const gpis_path_sets *sets; /* borrowed */
    int64_t count;
    const double *values;   /* borrowed: count, in the order above */
    double *X;              /* borrowed: count x (d k), the points */
    gpis_fit_value *points; /* borrowed: count, what is known of them */
    int64_t done;           /* points that are there: fewer than count after a failure */
    int64_t walked;         /* points that the exact path has given, proven; the others are from the general solver */
} gpis_path_walk;

gpis_status gpis_path_walk_run(gpis_path_walk *walk);

/* The largest value that has any effect: the radius of the solution without the sum, or the penalty from which on all
 * penalised entries are 0. *found is false where the exact path does not apply or did not get there. */
gpis_status gpis_path_walk_largest(gpis_fit *fit, const gpis_path_sets *sets, double *largest, bool *found);

#endif
