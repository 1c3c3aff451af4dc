/* The gradient of a chunk with residuals in extended precision (long double): for the last digits, not for speed. */
#ifndef GPIS_EXTENDED_H
#define GPIS_EXTENDED_H

#include "linalg/block.h"

/* R = A X - Y (Y NULL: A X), each entry summed in extended precision and rounded once; G + low += A'R, d x k each: a
 * sum of two doubles, so that nothing is lost between chunks (low may be NULL, then its part is lost; G may be NULL, if
 * it is not wanted). Returns ||R||_F^2, summed in extended precision. Any storage.
 * A chunk with a column of ones: R = [A 1] X - Y, and d counts it. With weights w: G + low += A'(w R), and the sum of
 * w ||r||^2 is returned; R itself is without them. */
double gpis_extended_gradient(const gpis_block *chunk, int64_t k, const double *X, const double *Y, double *R,
                              double *G, double *low);

#endif
