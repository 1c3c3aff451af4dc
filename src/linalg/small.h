/*
 * Steps with a triangle or a symmetric matrix that take as long to call as to do: with up to GPIS_SMALL rows by plain
 * loops, beyond that by BLAS and LAPACK. A solve of a 10 x 10 triangle takes 45 products; a call of BLAS takes as long
 * as some 500.
 *
 * L is a lower triangle, column-major, its columns `stride` apart; what is above is not touched. (A row-major upper
 * triangle R is the same thing, with L = R'.) The stride decides, so that all parts of a matrix are treated alike.
 */
#ifndef GPIS_SMALL_H
#define GPIS_SMALL_H

#include "base/base.h"

enum { GPIS_SMALL = 32 };

/* v := L^-1 v or, `transposed`, L^-T v. */
void gpis_lower_solve(int64_t d, const double *L, int64_t stride, bool transposed, double *v);
/* Completes the Cholesky factor of a matrix of which the first `from` rows are factored already. False if it is not
 * positive definite. */
bool gpis_lower_factor(int64_t d, int64_t from, double *L, int64_t stride);
/* ||L^-1||_F^2 for d up to GPIS_SMALL; `work` has d x d doubles. */
double gpis_lower_inverse_norm2(int64_t d, const double *L, int64_t stride, double *work);
/* Hv = H v for a symmetric H, d x d, of which both triangles are there. */
void gpis_symmetric_apply(int64_t d, const double *H, const double *v, double *Hv);

#endif
