/* nuclear.h: min ||B - R X||_F^2 over d x k matrices X whose singular values add up to at most `radius`. */
#ifndef GPIS_STRESS_NUCLEAR_H
#define GPIS_STRESS_NUCLEAR_H

#include "quad.h"

/* R is m x d and B m x k, column-major; hint (NULL: none) and x are d x k, row-major. Returns zero where `width`, which
 * bounds value(x) minus the least value, cannot be trusted. */
int solve_nuclear(int64_t m, int64_t d, int64_t k, const quad *R, const quad *B, double radius, const double *hint,
                  quad *x, quad *width);

/* The singular values of X (d x k, column-major), added up. */
quad nuclear_norm(int64_t d, int64_t k, const quad *X);

#endif
