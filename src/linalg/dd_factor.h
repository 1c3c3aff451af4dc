/*
 * Cholesky factors in double-double. A matrix is held as two arrays of doubles, high and low parts, row-major.
 * Factor and solves go row by row, in an order that does not depend on the number of threads.
 *
 * Errors, with U = GPIS_DD_UNIT: for T with a diagonal of at most 1, R'R is within 2 d U of T in each entry, and a
 * computed R^-T v is the exact one for a factor whose entries differ from R by at most d U of their size.
 */
#ifndef GPIS_DD_FACTOR_H
#define GPIS_DD_FACTOR_H

#include "base/base.h"
#include "linalg/dd.h"

/* to -= a from for `count` entries: all factors and sums are double-double, high and low parts. */
void gpis_dd_subtract_multiple(int64_t count, double a_high, double a_low, const double *from_high,
                               const double *from_low, double *to_high, double *to_low);
/* The scalar product of vectors of `count` entries, in eight interleaved sums. */
gpis_dd gpis_dd_dot(int64_t count, const double *a_high, const double *a_low, const double *b_high,
                    const double *b_low);
/* Replaces the upper triangle of T = high + low by its factor R, R'R = T, and the lower one by zeros; false if T is not
 * positive definite, or if `stop` (NULL: nobody asks) was asked for. */
bool gpis_dd_factor(int threads, const gpis_stop *stop, int64_t d, double *high, double *low);
/* v := R^-T v for the factor R = high + low and v = v_high + v_low of d entries. */
void gpis_dd_whiten(int64_t d, const double *high, const double *low, double *v_high, double *v_low);

/* v := R^-1 v. */
void gpis_dd_unwhiten(int64_t d, const double *high, const double *low, double *v_high, double *v_low);

#endif
