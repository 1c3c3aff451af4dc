/*
 * The units of rounding, and computed bounds that stay bounds.
 *
 * The error model of all certificates (docs/maths/certificates.md): an operation on doubles has a relative error of at
 * most GPIS_UNIT, and one on long doubles of at most GPIS_EXTENDED_UNIT. A long double that consists of two doubles, as
 * on some PowerPC systems, does not obey it, and its LDBL_EPSILON is of no use here.
 */
#ifndef GPIS_ROUNDING_H
#define GPIS_ROUNDING_H

#include <float.h>

#include "base/base.h"

_Static_assert(FLT_RADIX == 2 && DBL_MANT_DIG == 53, "double must be the 64-bit format of IEEE 754");
_Static_assert(LDBL_MANT_DIG == 53 || LDBL_MANT_DIG == 64 || LDBL_MANT_DIG == 113,
               "long double must be a format with one mantissa, since rounding errors are counted in its units");

static const double GPIS_UNIT = 0.5 * DBL_EPSILON;
static const double GPIS_EXTENDED_UNIT = 0.5 * (double)LDBL_EPSILON;

/* At least the exact value of an upper bound that was computed from numbers >= 0 with sums of at most `terms` terms and
 * no more than a few hundred other operations: each of them can have rounded down by one unit. */
static inline double gpis_outward(double bound, int64_t terms) {
    return bound * (1.0 + 0x1p-40 + 2.0 * (double)terms * GPIS_UNIT);
}

#endif
