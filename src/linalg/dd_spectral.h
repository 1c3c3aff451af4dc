/*
 * Eigenvalues of small symmetric matrices, and the spectral norm of narrow ones, in double-double. A matrix is an array
 * of gpis_dd, row-major.
 */
#ifndef GPIS_DD_SPECTRAL_H
#define GPIS_DD_SPECTRAL_H

#include "base/base.h"
#include "linalg/dd.h"

/* Jacobi's method: A = U diag(values) U' for a symmetric A of k x k, which becomes diagonal; V (k x k) becomes V U.
 * With A = D B D for a diagonal D and a well-conditioned B all eigenvalues have small relative errors. */
void gpis_dd_eigen(int64_t k, gpis_dd *A, gpis_dd *V);

/* An upper bound on the largest singular value of M = high + low of d x k, which exceeds it by some GPIS_DD_UNIT only;
 * `work` has 4 k k entries. */
gpis_dd gpis_dd_spectral_norm(int64_t d, int64_t k, const double *high, const double *low, gpis_dd *work);

#endif
