/*
 * T = L L' and ||L^-1||_F for matrices of d columns, by blocks: threads take whole blocks, so the bits are the same for
 * any number of them, which a threaded LAPACK does not promise. L is column-major, lower triangle; what is above is not
 * touched. (A row-major upper triangle R with R'R = T is the same thing.)
 */
#ifndef GPIS_CHOLESKY_H
#define GPIS_CHOLESKY_H

#include "base/base.h"

/* Replaces the lower triangle of a matrix by its factor; false if the matrix is not positive definite. */
bool gpis_cholesky_factor(int threads, int64_t d, double *L);
/* ||L^-1||_F^2; `work` has d x d doubles. */
double gpis_cholesky_inverse_norm2(int threads, int64_t d, const double *L, double *work);

#endif
