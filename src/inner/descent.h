/*
 * Projected gradient on a quadratic, plain or accelerated, with the paper's line search (Algorithm 3) and restart:
 * the one iteration behind pgd, apgd, the inner loops of gpis and acc-gpis, and the inner problem of a model.
 *
 *     q(x) = 1/2 <x - x0, H (x - x0)> + <g, x - x0>
 *
 * The quadratic is known through `trial` alone: at a point x, reached from z by p = x - z, it returns the gradient at x
 * and the curvature <p, H p>. Gradients are affine, so the gradient at an extrapolated point costs nothing; and the
 * test of Algorithm 3 is exactly  <p, H p> <= ||p||^2 / eta,  free of cancellation.
 */
#ifndef GPIS_DESCENT_H
#define GPIS_DESCENT_H

#include "base/base.h"
#include "set/set.h"

/* The gradient of q at x in `gradient`, <p, H p> in *curvature, and q(x), up to a constant, in *value (for the function
 * restart; NaN if it is not known). For a set with a penalty h, q + h / 2 is minimised, and *value is that. */
typedef gpis_status (*gpis_trial_fn)(void *user, const double *x, const double *p, double *gradient, double *curvature,
                                     double *value);

typedef struct gpis_descent_settings {
    bool accelerated;
    double gamma_u, gamma_d, fixed_step; /* fixed_step > 0: no search */
    gpis_restart restart;
} gpis_descent_settings;

typedef struct gpis_descent {
    gpis_context *context; /* borrowed */
    gpis_set *set;         /* borrowed */
    gpis_descent_settings settings;
    gpis_trial_fn trial;
    void *user;
    int64_t size;         /* entries of x */
    double *vectors;      /* owned: all the vectors below are parts of it */
    double *x, *gradient; /* the current point and its gradient */
    double value;
    double eta, shortest;         /* the step accepted last, and the shortest of all */
    double step_sum;              /* of the steps accepted */
    int64_t iterations, trials;   /* steps taken, trials made */
    double *old_x, *old_gradient; /* the point before */
    double *z, *z_gradient;       /* the extrapolated point */
    double *next, *next_gradient, *p;
    double tau;
    bool extrapolated; /* z is not x */
} gpis_descent;

gpis_status gpis_descent_create(gpis_context *context, gpis_set *set, const gpis_descent_settings *settings,
                                gpis_trial_fn trial, void *user, gpis_descent **out);
/* Begins at x (in K), whose gradient and value are known, with a first guess of the step. */
void gpis_descent_start(gpis_descent *s, const double *x, const double *gradient, double value, double eta);
/* One accepted step. *moved is false when x is a fixed point: the minimiser, to working accuracy. */
gpis_status gpis_descent_step(gpis_descent *s, bool *moved);
void gpis_descent_destroy(gpis_descent *s);

#endif
