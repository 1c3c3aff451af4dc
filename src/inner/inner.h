/*
 * The inner problem, small and dense: over s in K, minimise the model around x
 *
 *     q(s) = 1/2 <s - x, H (s - x)> + <g, s - x>,
 *
 * whose minimum bounds how far f can still fall. How it is solved depends on K (solver.h): by the factor of H without a
 * constraint or in a plane, by the active set method for polyhedra, by a secular equation for the ball, in other
 * coordinates where K is one of these there, and by alternating directions for everything else. The last runs in
 * bursts, so that the caller can stop as soon as the answer is good enough.
 *
 * For a set with a penalty h (set/penalty.h), q(s) + (h(s) - h(x)) / 2 is minimised: half of the rise of f + h. It
 * takes the place of q in all that is said here and in solver.h.
 */
#ifndef GPIS_INNER_H
#define GPIS_INNER_H

#include "inner/descent.h"
#include "linalg/model.h"

typedef struct gpis_inner {
    gpis_context *context;   /* borrowed */
    gpis_set *set;           /* borrowed */
    const gpis_model *model; /* borrowed */
    const struct gpis_inner_solver *solver;
    void *state;                    /* owned: the state of the solver */
    gpis_descent_settings settings; /* of the projected gradient */
    double *x, *g;                  /* owned, with `s`: where the model is centred, and the gradient there */
    double *s;                      /* the solution so far */
    double value;                   /* q(s) */
    double bound;                   /* q >= bound on K, up to rounding; -INFINITY if the solver has no bound */
    const double *dual;             /* the point at which -grad q is the multiplier: s, or a better point outside K */
    double largest_fall;            /* of q, in all problems so far: what rounding errors of a bound are relative to */
    const gpis_stop *stop; /* borrowed, set by the owner: asked between the steps of a run, which ends early then. Once
                              it says so, it goes on saying so. NULL: nobody asks */
    int64_t iterations, trials; /* steps, and the products with H that they took, since it was created */
    double step_sum;            /* sum of the lengths of gradient steps */
    bool done;                  /* s is the minimiser, to working accuracy */
} gpis_inner;

/* With `settings`, solves by projected gradient with these settings (only the set `none` is still solved by its
 * factor). With NULL, by the best solver for this set. */
gpis_status gpis_inner_create(gpis_context *context, gpis_set *set, const gpis_model *model,
                              const gpis_descent_settings *settings, gpis_inner **out);
/* The accelerated gradient with a search that costs little. */
extern const gpis_descent_settings gpis_inner_fast;
/* Centres the model at x (in K) with gradient g, and begins there. */
void gpis_inner_begin(gpis_inner *inner, const double *x, const double *g);
/* Makes at most `iterations` more steps, if the solver is iterative; exact solvers go to the end at once. *done: the
 * minimiser is reached to working accuracy, or the run was stopped. Then s is the best point so far. */
gpis_status gpis_inner_run(gpis_inner *inner, int64_t iterations, bool *done);
/* Whether this very problem has been solved last: s and dual are its answer. */
bool gpis_inner_has_solved(const gpis_inner *inner, const double *x, const double *g);
/* The largest number of bytes that it holds, without the model. */
double gpis_inner_memory(const gpis_set *set);
/* -q(s): how far the model has fallen, at least 0. */
double gpis_inner_fall(const gpis_inner *inner);
void gpis_inner_destroy(gpis_inner *inner);

#endif
