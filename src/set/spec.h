/* Reading the text of a set or of a constraint from left to right; every message shows the text, the position (from 1)
 * and, where there is one, the usage. */
#ifndef GPIS_SPEC_H
#define GPIS_SPEC_H

#include "base/number.h"

typedef struct gpis_spec {
    gpis_context *context;
    const char *text;     /* the whole text, for messages; a NUL ends it */
    const char *at, *end; /* what is left of the current part */
    const char *usage;    /* the form of that part; "": messages do without it */
    const char *subject;  /* what messages call the text: "set", "constraint"; NULL: "set" */
} gpis_spec;

/* GPIS_BAD_SET: "set TEXT: <the formatted complaint> at position P; usage: ...", P being where `at` stands. */
gpis_status gpis_spec_fail(const gpis_spec *spec, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The complaint "expected WHAT, found 'x'", or "found the end". */
gpis_status gpis_spec_expected(const gpis_spec *spec, const char *what);

gpis_status gpis_spec_number(gpis_spec *spec, double *out); /* may be inf or -inf; never NaN */
gpis_status gpis_spec_radius(gpis_spec *spec, double *out); /* finite and >= 0 */
gpis_status gpis_spec_count(gpis_spec *spec, int64_t *out); /* a whole number >= 1 */
gpis_status gpis_spec_skip(gpis_spec *spec, char expected);
bool gpis_spec_take(gpis_spec *spec, char c);     /* skips c if it comes next */
void gpis_spec_spaces(gpis_spec *spec);           /* skips blanks */
gpis_status gpis_spec_end(const gpis_spec *spec); /* nothing may be left */

/* ---- names of files ---------------------------------------------------------------------------------------------- */

/* True when what comes before the next comma (or the end) names a .npy file. */
bool gpis_spec_is_file(const gpis_spec *spec);
/* A file as a spec names it. */
typedef struct gpis_spec_name {
    char *path; /* owned: gpis_spec_name_clear */
    char *text; /* owned: the path as it stands in a spec, in quotes where it needs them */
} gpis_spec_name;
gpis_status gpis_spec_file(gpis_spec *spec, gpis_spec_name *out);
void gpis_spec_name_clear(gpis_context *context, gpis_spec_name *name);

/* The text for an array from memory in a spec: '#' and its checksum. Equal arrays have equal texts. */
void gpis_content_text(const double *values, int64_t count, char text[GPIS_NUMBER_TEXT]);

/* ---- quotes: "a name", 'a name' or `a name`, in which a doubled quote stands for one ----------------------------- */

/* Whether a quoted text begins at `at` of [begin, ...): a quote within a word, as in driver's, is a plain character. */
bool gpis_quote_opens(const char *begin, const char *at);
/* From the opening quote to behind the closing one; NULL: it is not closed before `end`. */
const char *gpis_quote_close(const char *at, const char *end);
/* Writes what is between the quotes of [at, close) to `out`, which has room for it; returns its length. */
size_t gpis_quote_decode(const char *at, const char *close, char *out);
/* Writes `name` with quotes around it, and a NUL; returns the length. `out` NULL: only the length. */
size_t gpis_quote_encode(gpis_span name, char *out);
/* The first of the characters `stops` in [at, end) that is in no quotes and no brackets (), [], {}; NULL: none. */
const char *gpis_spec_find(const char *at, const char *end, const char *stops);
/* Whether the text of a set consists of several, "A & B": where it is part of another, it is put in parentheses. */
bool gpis_spec_is_compound(const char *text);

#endif
