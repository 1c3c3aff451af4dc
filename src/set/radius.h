/*
 * Sets that are named without their radius: "l1", "l1 & nonneg", "simplex[w*]", "l1@dct"; or with the letter R in its
 * place, where the kind has further arguments: "group:R:3", "l1:R,weights.npy". With a number for the radius each is
 * the text of a set.
 */
#ifndef GPIS_SET_RADIUS_H
#define GPIS_SET_RADIUS_H

#include "base/base.h"

typedef struct gpis_radius_spec {
    gpis_context *context; /* borrowed */
    char *text;            /* owned: as it was given */
    size_t name, length;   /* where the name of the kind with the radius begins, and how long it is */
    size_t place, after;   /* where the radius goes, and where the text goes on behind it */
    bool colon;            /* the radius comes with a colon before it */
} gpis_radius_spec;

/* GPIS_BAD_SET where no set of the text lacks its radius, or more than one does; the message says which kinds have one.
 */
gpis_status gpis_radius_spec_read(gpis_context *context, const char *text, gpis_radius_spec *out);
void gpis_radius_spec_clear(gpis_radius_spec *spec);

/* The text of the set of radius R. The caller frees it; NULL: no memory. */
char *gpis_radius_spec_text(const gpis_radius_spec *spec, double R);
/* The same for a set that grows with R: a simplex becomes one whose sum is at most R. */
char *gpis_radius_spec_growing(const gpis_radius_spec *spec, double R);
/* The text of the set that it is for every R that is large enough: the rest of the text, and x >= 0 for a simplex. */
char *gpis_radius_spec_rest(const gpis_radius_spec *spec);

#endif
