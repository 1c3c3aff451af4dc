/* Reading the spec of a set. Numbers have the format of the C locale, whatever the locale of the program is. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "set/spec.h"

/* The text for a message: whole, or what is around the position if it is long. */
enum { EXCERPT = 150 };
static void write_excerpt(const gpis_spec *spec, const char *at, char out[EXCERPT + 8]) {
    const size_t length = strlen(spec->text), place = (size_t)(at - spec->text);
    size_t from = 0;
    if (length > EXCERPT && place > EXCERPT * 2 / 3) from = place - EXCERPT * 2 / 3;
    snprintf(out, EXCERPT + 8, "%s%.*s%s", from > 0 ? "..." : "", EXCERPT, spec->text + from,
             length > from + EXCERPT ? "..." : "");
}

gpis_status gpis_spec_fail(const gpis_spec *spec, const char *at, const char *format, ...) {
    char complaint[200], excerpt[EXCERPT + 8];
    va_list args;
    va_start(args, format);
    vsnprintf(complaint, sizeof complaint, format, args);
    va_end(args);
    write_excerpt(spec, at, excerpt);
    return gpis_fail(spec->context, GPIS_BAD_SET, "%s %s: %s at position %lld%s%s",
                     spec->subject ? spec->subject : "set", excerpt, complaint, (long long)(at - spec->text) + 1,
                     *spec->usage ? "; usage: " : "", spec->usage);
}

gpis_status gpis_spec_expected(const gpis_spec *spec, const char *what) {
    if (spec->at == spec->end) return gpis_spec_fail(spec, spec->at, "expected %s, found the end", what);
    return gpis_spec_fail(spec, spec->at, "expected %s, found '%c'", what, *spec->at);
}

/* Switches this thread to the C locale; the result is for leave_c_locale. With LC_ALL_MASK and "C" newlocale returns a
 * static object of the C library: nothing is allocated, so it cannot fail and needs no freelocale. */
static locale_t enter_c_locale(void) { return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); }
static void leave_c_locale(locale_t before) { uselocale(before); }

gpis_status gpis_spec_number(gpis_spec *spec, double *out) {
    if (spec->at == spec->end || isspace((unsigned char)*spec->at)) return gpis_spec_expected(spec, "a number");
    char *stop;
    const locale_t before = enter_c_locale();
    const double value = strtod(spec->at, &stop);
    leave_c_locale(before);
    if (stop == spec->at || stop > spec->end) return gpis_spec_expected(spec, "a number");
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
    if (at == spec->at) return gpis_spec_expected(spec, "a whole number");
    if (value == 0) return gpis_spec_fail(spec, spec->at, "a size must be at least 1, not 0");
    spec->at = at;
    *out = value;
    return GPIS_OK;
}

gpis_status gpis_spec_skip(gpis_spec *spec, char expected) {
    const char what[] = {'\'', expected, '\'', '\0'};
    return gpis_spec_take(spec, expected) ? GPIS_OK : gpis_spec_expected(spec, what);
}

bool gpis_spec_take(gpis_spec *spec, char c) {
    const bool next = spec->at < spec->end && *spec->at == c;
    if (next) spec->at++;
    return next;
}

void gpis_spec_spaces(gpis_spec *spec) {
    while (spec->at < spec->end && isspace((unsigned char)*spec->at)) spec->at++;
}

gpis_status gpis_spec_end(const gpis_spec *spec) {
    return spec->at == spec->end ? GPIS_OK : gpis_spec_fail(spec, spec->at, "unexpected '%c'", *spec->at);
}

void gpis_content_text(const double *values, int64_t count, char text[GPIS_NUMBER_TEXT]) {
    const uint32_t sum = gpis_checksum(0, values, count * (int64_t)sizeof *values);
    snprintf(text, GPIS_NUMBER_TEXT, "#%08lx", (unsigned long)sum);
}

/* ---- quotes ------------------------------------------------------------------------------------------------------ */

static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || (unsigned char)c >= 0x80; }

bool gpis_quote_opens(const char *begin, const char *at) { return is_quote(*at) && (at == begin || !is_word(at[-1])); }

const char *gpis_quote_close(const char *at, const char *end) {
    const char quote = *at++;
    for (; at < end; at++) {
        if (*at != quote) continue;
        if (at + 1 == end || at[1] != quote) return at + 1;
        at++;
    }
    return NULL;
}

size_t gpis_quote_decode(const char *at, const char *close, char *out) {
    const char quote = *at++;
    size_t length = 0;
    for (; at < close - 1; at++) {
        if (*at == quote) at++;
        out[length++] = *at;
    }
    return length;
}

size_t gpis_quote_encode(gpis_span name, char *out) {
    size_t length = 1;
    if (out) out[0] = '"';
    for (const char *at = name.begin; at < name.end; at++)
        for (int copies = *at == '"' ? 2 : 1; copies > 0; copies--, length++)
            if (out) out[length] = *at;
    if (out) memcpy(out + length, "\"", 2);
    return length + 1;
}

const char *gpis_spec_find(const char *at, const char *end, const char *stops) {
    int depth = 0;
    for (const char *begin = at; at < end; at++) {
        if (gpis_quote_opens(begin, at)) {
            at = gpis_quote_close(at, end);
            if (!at) return NULL;
            at--;
            continue;
        }
        if (depth == 0 && strchr(stops, *at)) return at;
        if (strchr("([{", *at)) depth++;
        if (strchr(")]}", *at) && depth > 0) depth--;
    }
    return NULL;
}

bool gpis_spec_is_compound(const char *text) { return gpis_spec_find(text, text + strlen(text), "&") != NULL; }

/* ---- names of files ---------------------------------------------------------------------------------------------- */

static const char *word_end(const gpis_spec *spec) {
    const char *comma = gpis_spec_find(spec->at, spec->end, ",");
    return comma ? comma : spec->end;
}

/* The path of a word, with a NUL behind it, in `path`, which is as long as the word; returns its length. */
static size_t decode_path(gpis_span word, char *path) {
    size_t length = (size_t)(word.end - word.begin);
    if (length > 1 && is_quote(*word.begin) && gpis_quote_close(word.begin, word.end) == word.end)
        length = gpis_quote_decode(word.begin, word.end, path);
    else
        memcpy(path, word.begin, length);
    path[length] = '\0';
    return length;
}

bool gpis_spec_is_file(const gpis_spec *spec) {
    const char *end = word_end(spec);
    if (end - spec->at > 6 && is_quote(*spec->at) && end[-1] == *spec->at) end--;
    return end - spec->at > 4 && memcmp(end - 4, ".npy", 4) == 0;
}

/* A path that a spec would take for something else is in quotes there. */
static bool needs_quotes(gpis_span path) {
    if (is_quote(*path.begin) || isspace((unsigned char)*path.begin)) return true;
    for (const char *at = path.begin; at < path.end; at++)
        if (strchr(",@&()[]{}\"'`", *at)) return true;
    return false;
}

gpis_status gpis_spec_file(gpis_spec *spec, gpis_spec_name *out) {
    if (!gpis_spec_is_file(spec)) return gpis_spec_expected(spec, "the name of a .npy file");
    const gpis_span word = {spec->at, word_end(spec)};
    out->path = gpis_alloc(spec->context, word.end - word.begin + 1, 1);
    if (!out->path) return GPIS_NO_MEMORY;
    const gpis_span path = {out->path, out->path + decode_path(word, out->path)};
    const bool quotes = needs_quotes(path);
    const size_t length = quotes ? gpis_quote_encode(path, NULL) : (size_t)(path.end - path.begin);
    out->text = gpis_alloc(spec->context, (int64_t)length + 1, 1);
    if (!out->text) return GPIS_NO_MEMORY;
    if (quotes)
        gpis_quote_encode(path, out->text);
    else
        memcpy(out->text, path.begin, length + 1);
    spec->at = word.end;
    return GPIS_OK;
}

void gpis_spec_name_clear(gpis_context *context, gpis_spec_name *name) {
    gpis_free(context, name->path);
    gpis_free(context, name->text);
}
