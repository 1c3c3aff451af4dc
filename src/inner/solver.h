/*
 * The solvers of the inner problem: one row of the table in inner.c and one file for each.
 *
 * A solver finds x, g, the model and the set in the gpis_inner, keeps what it needs in inner->state, and leaves in
 * inner->s a point of K with inner->value = q(s) <= 0.
 */
#ifndef GPIS_INNER_SOLVER_H
#define GPIS_INNER_SOLVER_H

#include "inner/inner.h"

typedef struct gpis_inner_solver {
    bool (*applies)(const gpis_set *set);
    gpis_status (*create)(gpis_inner *inner); /* makes inner->state; the rest is there */
    void (*begin)(gpis_inner *inner);         /* new x and g; s = x */
    gpis_status (*run)(gpis_inner *inner, int64_t iterations, bool *done);
    void (*destroy)(gpis_inner *inner); /* state may be NULL or half built */
} gpis_inner_solver;

extern const gpis_inner_solver gpis_inner_factor, gpis_inner_polyhedron, gpis_inner_sphere, gpis_inner_plane,
    gpis_inner_inside, gpis_inner_walk, gpis_inner_admm, gpis_inner_gradient;

/* q at s for all columns: p = s - x, Hp = H p; `p` and `Hp` hold d x k each. */
double gpis_inner_value(const gpis_inner *inner, const double *s, double *p, double *Hp);
/* A lower bound on q over K, by duality, from the multiplier -grad q(v) at any v, which is left in p; -INFINITY if the
 * support function is not known. */
gpis_status gpis_inner_bound(const gpis_inner *inner, const double *v, double *p, double *Hp, double *bound);
/* The same at inner->dual, for inner->bound if that is better. *solved: q(s) is above the bound by at most `tol` times
 * the fall of q, or by what rounding errors explain. Without a support function that is assumed. */
gpis_status gpis_inner_check(gpis_inner *inner, double tol, double *p, double *Hp, bool *solved);
/* An upper bound on the effect of rounding s, and the terms of q(s), on q(s), with Hp = H (s - x). Smaller differences
 * of q mean nothing. */
double gpis_inner_noise(const gpis_inner *inner, const double *s, const double *Hp);

/* The projected gradient as an object of its own, for the solvers that begin with it or fall back on it. */
typedef struct gpis_gradient {
    gpis_inner *inner;      /* borrowed */
    gpis_descent *descent;  /* owned */
    double *pair, *product; /* owned: (s - x, p) side by side, and H times it */
} gpis_gradient;

gpis_status gpis_gradient_create(gpis_inner *inner, gpis_gradient **out);
/* Begins at inner->s, whose gradient is found here. */
void gpis_gradient_begin(gpis_gradient *gradient);
/* At most `iterations` steps; the last point in inner->s. */
gpis_status gpis_gradient_run(gpis_gradient *gradient, int64_t iterations, bool *done);
void gpis_gradient_destroy(gpis_gradient *gradient);

/* What solvers fall back on where they do not succeed (fallback.c). */
typedef struct gpis_fallback gpis_fallback;

gpis_status gpis_fallback_create(gpis_inner *inner, gpis_fallback **out);
/* Goes on from inner->s. */
void gpis_fallback_begin(gpis_fallback *fallback);
/* `iterations` limits projected gradients; the interior-point method goes to the end. */
gpis_status gpis_fallback_run(gpis_fallback *fallback, int64_t iterations, bool *done);
void gpis_fallback_destroy(gpis_fallback *fallback);
/* The largest number of bytes that it holds. */
double gpis_fallback_memory(const gpis_set *set);

#endif
