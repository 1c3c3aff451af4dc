/* Extensions of a set: the entry of a constant column, scaled entries, and a penalty. */
#ifndef GPIS_SET_EXTEND_H
#define GPIS_SET_EXTEND_H

#include "set/set.h"

typedef struct gpis_extension {
    bool constant;         /* a last entry is added, which is free */
    const double *scale;   /* d entries > 0: K becomes {x : (scale_j x_j)_j in K}; NULL: K as it is */
    const double *penalty; /* d entries >= 0: lambda_j, in the units of the new x; NULL: none */
} gpis_extension;

/* K is borrowed; k is that of K. With nothing to extend the caller uses K itself. */
gpis_status gpis_set_extend(gpis_context *context, gpis_set *K, const gpis_extension *extension, gpis_set **out);

#endif
