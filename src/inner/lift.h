/*
 * A polyhedron (set/polyhedron.h), alone or meeting balls and sums of norms of groups, with a penalty or without, as a
 * flat form (flat.h) of its bounds, equations and norms, with a copy c_j of each entry for every sum of norms but the
 * first that it is in, x_j - c_j = 0, and beside it
 *
 *     lower_i <= <c_i, x> <= upper_i                  for each row where both are not the same: a limit,
 *     sum over j of w_kj |x_j| <= R_k                 for each weighted sum of sizes,
 *     lambda_j |x_j| in the objective                 for a penalty.
 *
 * An entry x_j >= 0 counts as x_j itself, one that is <= 0 as -x_j; one that may have either sign is split: it needs a
 * size of its own (fine_sums.c). Copies are columns of zeros.
 *
 * A solution has a multiplier for every row, sum and norm, which are all that is taken from it: with y and nu of the
 * right signs and any multipliers u of norms, v = C'y + u + r has a support function that follows from them
 * (docs/maths/certificates.md, "Polyhedra and intersections"), whether or not it is a solution.
 */
#ifndef GPIS_LIFT_H
#define GPIS_LIFT_H

#include "inner/flat.h"
#include "set/polyhedron.h"

/* A set that bounds a sum of norms: its entry i is entry place[i] of all, x_j itself or its copy, j = column[i]. */
typedef struct gpis_lift_norms {
    const gpis_set *set;     /* borrowed */
    int64_t *column, *place; /* owned: set->d */
} gpis_lift_norms;

typedef struct gpis_lift {
    gpis_context *context; /* borrowed */
    gpis_polyhedron *p;    /* owned: the constraints */
    const double *penalty; /* borrowed: d, or NULL */
    int64_t d, size;       /* entries of x, and all of them */
    bool *split;           /* owned: d */
    int64_t *limited;      /* owned: rows; the rows with lower_i < upper_i, `limits` of them */
    int64_t *place;        /* owned: rows; where row i is among these; -1: nowhere */
    int64_t *equation;     /* owned: rows; the equation of a row; -1: it has none */
    int64_t limits;
    gpis_lift_norms *norms; /* owned: sum k of norms of the flat form is that of norms[k] */
    int64_t norm_count, copies;
} gpis_lift;

/* Whether the set is made of bounds, rows, sums and norms, and has no flat form of its own. */
bool gpis_lift_applies(const gpis_set *set);
/* The largest numbers of entries, and of equations, rows with limits and sums, that it can have. */
void gpis_lift_count(const gpis_set *set, int64_t *entries, int64_t *equations);
gpis_status gpis_lift_create(gpis_context *context, const gpis_set *set, gpis_lift **out);
void gpis_lift_destroy(gpis_lift *lift); /* NULL is fine */
/* The equations are those of rows (`equation`), then those of copies. */
gpis_status gpis_lift_flatten(const gpis_lift *lift, gpis_flat **out);
/* The slope of the objective's linear term in entry j of all. */
double gpis_lift_slope(const gpis_lift *lift, int64_t j);
/* Finds the copies from the first d of `z`. */
void gpis_lift_extend(const gpis_lift *lift, double *z);

#endif
