/* Reading the spec of a set. Numbers have the format of the C locale, whatever the locale of the program is. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "set/spec.h"

gpis_status gpis_spec_fail(const gpis_spec *spec, const char *at, const char *format, ...) {
    char complaint[200];
    va_list args;
    va_start(args, format);
    vsnprintf(complaint, sizeof complaint, format, args);
    va_end(args);
    return gpis_fail(spec->context, GPIS_BAD_SET, "set %.150s: %s at position %lld; usage: %s", spec->text, complaint,
                     (long long)(at - spec->text) + 1, spec->usage);
}

/* "expected WHAT, found 'x'", or "found the end". */
static gpis_status fail_expected(const gpis_spec *spec, const char *what) {
    if (spec->at == spec->end) return gpis_spec_fail(spec, spec->at, "expected %s, found the end", what);
    return gpis_spec_fail(spec, spec->at, "expected %s, found '%c'", what, *spec->at);
}

/* Switches this thread to the C locale; the result is for leave_c_locale. With LC_ALL_MASK and "C" newlocale returns a
 * static object of the C library: nothing is allocated, so it cannot fail and needs no freelocale. */
static locale_t enter_c_locale(void) { return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); }
static void leave_c_locale(locale_t before) { uselocale(before); }

gpis_status gpis_spec_number(gpis_spec *spec, double *out) {
    if (spec->at == spec->end || isspace((unsigned char)*spec->at)) return fail_expected(spec, "a number");
    char *stop;
    const locale_t before = enter_c_locale();
    const double value = strtod(spec->at, &stop);
    leave_c_locale(before);
    if (stop == spec->at || stop > spec->end) return fail_expected(spec, "a number");
    if (isnan(value)) return gpis_spec_fail(spec, spec->at, "NaN is not a bound");
    spec->at = stop;
    *out = value == 0 ? 0 : value; /* -0 is 0 */
    return GPIS_OK;
}

gpis_status gpis_spec_radius(gpis_spec *spec, double *out) {
    const char *start = spec->at;
    const gpis_status status = gpis_spec_number(spec, out);
    if (status != GPIS_OK) return status;
    if (isinf(*out) || *out < 0)
        return gpis_spec_fail(spec, start, "R must be finite and >= 0, not %.*s", (int)(spec->at - start), start);
    return GPIS_OK;
}

gpis_status gpis_spec_count(gpis_spec *spec, int64_t *out) {
    int64_t value = 0;
    const char *at = spec->at;
    for (; at < spec->end && isdigit((unsigned char)*at); at++)
        if (!gpis_checked_mul(value, 10, &value) || !gpis_checked_add(value, *at - '0', &value))
            return gpis_spec_fail(spec, spec->at, "the whole number is too large");
    if (at == spec->at) return fail_expected(spec, "a whole number");
    if (value == 0) return gpis_spec_fail(spec, spec->at, "a size must be at least 1, not 0");
    spec->at = at;
    *out = value;
    return GPIS_OK;
}

gpis_status gpis_spec_skip(gpis_spec *spec, char expected) {
    const char what[] = {'\'', expected, '\'', '\0'};
    if (spec->at == spec->end || *spec->at != expected) return fail_expected(spec, what);
    spec->at++;
    return GPIS_OK;
}

gpis_status gpis_spec_end(const gpis_spec *spec) {
    return spec->at == spec->end ? GPIS_OK : gpis_spec_fail(spec, spec->at, "unexpected '%c'", *spec->at);
}

static size_t word_length(const gpis_spec *spec) {
    const char *comma = memchr(spec->at, ',', (size_t)(spec->end - spec->at));
    return (size_t)((comma ? comma : spec->end) - spec->at);
}

bool gpis_spec_is_file(const gpis_spec *spec) {
    const size_t length = word_length(spec);
    return length > 4 && memcmp(spec->at + length - 4, ".npy", 4) == 0;
}

gpis_status gpis_spec_file(gpis_spec *spec, char **out) {
    if (!gpis_spec_is_file(spec)) return fail_expected(spec, "the name of a .npy file");
    const size_t length = word_length(spec);
    char *name = gpis_alloc(spec->context, (int64_t)length + 1, 1);
    if (!name) return GPIS_NO_MEMORY;
    memcpy(name, spec->at, length);
    name[length] = '\0';
    spec->at += length;
    *out = name;
    return GPIS_OK;
}

void gpis_content_text(const double *values, int64_t count, char text[GPIS_NUMBER_TEXT]) {
    const uint32_t sum = gpis_checksum(0, values, count * (int64_t)sizeof *values);
    snprintf(text, GPIS_NUMBER_TEXT, "#%08lx", (unsigned long)sum);
}
