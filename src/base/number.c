/*
 * Numbers in text. A decimal w * 10^e with w < 2^53 and |e| <= 22 is one exact integer times or over one exact power of
 * ten, so a single floating-point operation rounds it correctly; most numbers in files are of that kind. The others go
 * to strtod in the "C" locale.
 */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* strtod_l on text already known to be a number; the "C" locale object is built into the C library. */
static bool parse_slowly(const char *begin, double *out) {
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale) return false;
    *out = strtod_l(begin, NULL, c_locale);
    freelocale(c_locale);
    return true;
}

/* Appends the digits from *at on to w; false if w cannot hold them all. */
static bool read_digits(const char **at, const char *end, uint64_t *w) {
    bool exact = true;
    for (; *at < end && is_digit(**at); (*at)++) {
        if (*w >= UINT64_C(1) << 53)
            exact = false;
        else
            *w = 10 * *w + (uint64_t)(**at - '0');
    }
    return exact;
}

static bool read_exponent(const char **at, const char *end, int *exponent) {
    const bool minus = *at < end && **at == '-';
    if (*at < end && (**at == '-' || **at == '+')) (*at)++;
    const char *digits = *at;
    int value = 0;
    for (; *at < end && is_digit(**at); (*at)++) {
        if (value < 100000) value = 10 * value + (**at - '0');
    }
    *exponent = minus ? -value : value;
    return *at > digits;
}

bool gpis_parse_number(gpis_span span, double *out) {
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = span.begin, *end = span.end;
    const bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    const char *whole = at;
    uint64_t w = 0;
    bool exact = read_digits(&at, end, &w);
    int64_t digits = at - whole, decimals = 0;
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        exact = read_digits(&at, end, &w) && exact;
        decimals = at - fraction;
    }
    if (digits + decimals == 0) return false;
    int exponent = 0;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (!read_exponent(&at, end, &exponent)) return false;
    }
    if (at != end) return false;
    const int64_t e = exponent - decimals;
    if (!exact || w >= UINT64_C(1) << 53 || e < -22 || e > 22) return parse_slowly(span.begin, out);
    const double value = e < 0 ? (double)w / power[-e] : (double)w * power[e];
    *out = minus ? -value : value;
    return true;
}

bool gpis_parse_unsigned(gpis_span span, uint64_t *out) {
    *out = 0;
    for (const char *at = span.begin; at < span.end; at++) {
        if (!is_digit(*at) || __builtin_mul_overflow(*out, UINT64_C(10), out) ||
            __builtin_add_overflow(*out, (uint64_t)(*at - '0'), out))
            return false;
    }
    return span.end > span.begin;
}

bool gpis_parse_count(gpis_span span, int64_t *out) {
    uint64_t value;
    const bool fits = gpis_parse_unsigned(span, &value) && value <= INT64_MAX;
    *out = fits ? (int64_t)value : 0;
    return fits;
}

void gpis_number_text(double value, char text[GPIS_NUMBER_TEXT]) {
    if (value == rint(value) && fabs(value) < 1e15) { /* 10, where %g says 1e+01 */
        snprintf(text, GPIS_NUMBER_TEXT, "%lld", (long long)value);
        return;
    }
    const locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); /* a static object: never freed */
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, GPIS_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    uselocale(before);
}

gpis_status gpis_grow(gpis_context *context, void **memory, int64_t *capacity, int64_t used, int64_t wanted,
                      size_t size) {
    if (wanted <= *capacity) return GPIS_OK;
    const int64_t twice = *capacity > INT64_MAX / 2 ? INT64_MAX : 2 * *capacity;
    const int64_t larger = gpis_max64(wanted, gpis_max64(twice, 64));
    void *grown = gpis_alloc(context, larger, size);
    if (!grown) return GPIS_NO_MEMORY;
    if (used > 0) memcpy(grown, *memory, (size_t)used * size);
    gpis_free(context, *memory);
    *memory = grown;
    *capacity = larger;
    return GPIS_OK;
}
