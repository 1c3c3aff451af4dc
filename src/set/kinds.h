/* The kinds of sets, each defined in the file of its name. */
#ifndef GPIS_KINDS_H
#define GPIS_KINDS_H

#include "set/set.h"

extern const gpis_set_class gpis_set_none, gpis_set_nonneg, gpis_set_box, gpis_set_l1, gpis_set_l2, gpis_set_linf,
    gpis_set_simplex, gpis_set_capped_simplex, gpis_set_group, gpis_set_nuclear, gpis_set_tv, gpis_set_monotone,
    gpis_set_affine;

/* K = {x : U x in base}, U orthogonal: "dct" or the name of a .npy file, which is what `transform` has left. Takes
 * over `base`, whatever the outcome. */
gpis_status gpis_set_transform(gpis_set *base, gpis_spec *transform, int64_t k, gpis_set **out);

/* Coordinates for kinds that compare neighbours: z_1 = x_1, which is loose, and the jumps z_i = x_i - x_(i-1). `spec`
 * tells the set of the jumps. */
gpis_status gpis_set_take_jumps(gpis_set *s, const char *spec);
void gpis_set_turn_jumps(const gpis_set *s, gpis_way way, int64_t count, const double *in, double *out);

/* A set of class `class` with all its fields but those that parse fills. */
gpis_status gpis_set_new(gpis_context *context, const gpis_set_class *class, int64_t d, int64_t k, gpis_set **out);

#endif
