/*
 * The orthonormal discrete cosine transform over FFTW.
 *   z_0 = 1/sqrt(n) sum_j x_j,   z_i = sqrt(2/n) sum_j x_j cos(pi i (j + 1/2) / n)   (DCT-II)
 */
#ifndef GPIS_DCT_H
#define GPIS_DCT_H

#include "base/base.h"

typedef struct gpis_dct gpis_dct;

gpis_status gpis_dct_create(gpis_context *context, int64_t n, gpis_dct **out);
void gpis_dct_destroy(gpis_dct *dct); /* may be NULL */

void gpis_dct_forward(gpis_dct *dct, const double *x, double *z); /* z may be x */
void gpis_dct_inverse(gpis_dct *dct, const double *z, double *x); /* x may be z */

/* The matrix of the transform in double-double, z = (U + U_low) x, n x n, row-major. Returns a bound on the error of
 * its entries in units of GPIS_DD_UNIT. */
double gpis_dct_matrix(int64_t n, double *U, double *U_low);

#endif
