/*
 * Projected gradient on the full data, the loop of pgd and apgd. One pass at each trial point yields f, the gradient
 * and ||A p||^2 together.
 */
#ifndef GPIS_FULL_GRADIENT_H
#define GPIS_FULL_GRADIENT_H

#include "method/method.h"

gpis_status gpis_full_gradient(gpis_run *run, const double *x0, bool accelerated);

/* The settings of the projected gradient. */
gpis_descent_settings gpis_descent_from(const gpis_settings *settings, bool accelerated);

#endif
