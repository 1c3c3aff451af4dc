/* The meeting of several sets of which at least one is not a polyhedron. */
#ifndef GPIS_SET_MEET_H
#define GPIS_SET_MEET_H

#include "set/set.h"

/* The sets are borrowed; all are for X of the same shape. `spec` is the text. */
gpis_status gpis_set_meet(gpis_context *context, int64_t count, gpis_set *const *sets, const char *spec,
                          gpis_set **out);

#endif
