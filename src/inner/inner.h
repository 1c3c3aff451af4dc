/*
 * The inner problem, small and dense: over s in K, minimise the model around x
 *
 *     q(s) = 1/2 <s - x, H (s - x)> + <g, s - x>,
 *
 * whose minimum bounds how far f can still fall. Without a constraint it is solved by the factor of H; otherwise by
 * accelerated projected gradient with restart, in bursts, so that the caller stops as soon as the answer is good
 * enough.
 */
#ifndef GPIS_INNER_H
#define GPIS_INNER_H

#include "inner/descent.h"
#include "linalg/model.h"

typedef struct gpis_inner {
    gpis_context *context;   /* borrowed */
    gpis_set *set;           /* borrowed */
    const gpis_model *model; /* borrowed */
    gpis_descent *descent;   /* owned */
    double *x, *g;           /* owned: where the model is centred, and the gradient there */
    double *pair, *product;  /* owned: (s - x, p) side by side, and H times it */
    double *s;               /* the solution so far; borrowed from descent or, unconstrained, from pair */
} gpis_inner;

/* `settings`: of the projected gradient; gpis_inner_fast: the accelerated one, with a search that costs little. */
gpis_status gpis_inner_create(gpis_context *context, gpis_set *set, const gpis_model *model,
                              const gpis_descent_settings *settings, gpis_inner **out);
extern const gpis_descent_settings gpis_inner_fast;
/* Centres the model at x (in K) with gradient g, and begins there. */
void gpis_inner_begin(gpis_inner *inner, const double *x, const double *g);
/* At most `iterations` more steps. *done: the minimiser is reached to working accuracy. */
gpis_status gpis_inner_run(gpis_inner *inner, int64_t iterations, bool *done);
/* -q(s): how far the model has fallen. */
double gpis_inner_fall(const gpis_inner *inner);
void gpis_inner_destroy(gpis_inner *inner);

#endif
