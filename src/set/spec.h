/* Reading the spec of a set from left to right; every message shows the spec, the position (from 1) and the usage. */
#ifndef GPIS_SPEC_H
#define GPIS_SPEC_H

#include "base/number.h"

typedef struct gpis_spec {
    gpis_context *context;
    const char *text;     /* the whole spec, for messages */
    const char *at, *end; /* what is left of the current part */
    const char *usage;    /* the form of that part */
} gpis_spec;

/* GPIS_BAD_SET: "set TEXT: <the formatted complaint> at position P; usage: ...", P being where `at` stands. */
gpis_status gpis_spec_fail(const gpis_spec *spec, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

gpis_status gpis_spec_number(gpis_spec *spec, double *out); /* may be inf or -inf; never NaN */
gpis_status gpis_spec_radius(gpis_spec *spec, double *out); /* finite and >= 0 */
gpis_status gpis_spec_count(gpis_spec *spec, int64_t *out); /* a whole number >= 1 */
gpis_status gpis_spec_skip(gpis_spec *spec, char expected);
gpis_status gpis_spec_end(const gpis_spec *spec); /* nothing may be left */
/* True when what comes before the next comma (or the end) names a .npy file. */
bool gpis_spec_is_file(const gpis_spec *spec);
/* That name, to be freed by gpis_free. */
gpis_status gpis_spec_file(gpis_spec *spec, char **out);

/* The text for an array from memory in a spec: '#' and its checksum. Equal arrays have equal texts. */
void gpis_content_text(const double *values, int64_t count, char text[GPIS_NUMBER_TEXT]);

#endif
