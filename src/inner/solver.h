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
    gpis_inner_inside, gpis_inner_admm, gpis_inner_gradient;

/* q at s for all columns: p = s - x, Hp = H p; `p` and `Hp` hold d x k each. */
double gpis_inner_value(const gpis_inner *inner, const double *s, double *p, double *Hp);
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

#endif
