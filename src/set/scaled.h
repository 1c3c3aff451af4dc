/* Sets in other units (scaled.c). */
#ifndef GPIS_SET_SCALED_H
#define GPIS_SET_SCALED_H

#include "set/set.h"

/* {x : (scale_j x_j)_j in base}, scale of base->d entries > 0, which is copied; the base, which may have a penalty, is
 * borrowed. */
gpis_status gpis_set_scale(gpis_set *base, const double *scale, gpis_set **out);

#endif
