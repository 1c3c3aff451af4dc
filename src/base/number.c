/*
 * Numbers in text. The digits are read into one integer, eight at a time where there are so many, and decimal.c makes
 * the nearest double of it. Numbers with more than 19 digits, and the few whose rounding is not certain there, go to
 * strtod in the "C" locale.
 */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* strtod_l on text already known to be a number; the "C" locale object is built into the C library. A decimal mark that
 * is not a point is replaced in a copy, which has space for all the digits that a rounding can depend on. */
static bool parse_slowly(gpis_span number, char mark, double *out) {
    enum { LONGEST_COPY = 1000 };
    char copy[LONGEST_COPY + 1];
    const char *text = number.begin;
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale) return false;
    if (mark != '.') {
        const size_t length = (size_t)(number.end - number.begin);
        if (length > LONGEST_COPY) return false;
        memcpy(copy, number.begin, length);
        copy[length] = '\0';
        char *at = memchr(copy, mark, length);
        if (at) *at = '.';
        text = copy;
    }
    *out = strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    return true;
}

/* Of eight characters less '0', bit 7 of each byte that is no digit; bits behind the first such byte may be wrong. */
static uint64_t no_digits(uint64_t x) {
    return ((x + UINT64_C(0x7676767676767676)) | x) & UINT64_C(0x8080808080808080);
}

/* The number that eight digits write, the first digit being the lowest byte: neighbours are added to numbers of two,
 * four and eight digits. */
static uint64_t eight_digits(uint64_t x) {
    const uint64_t mask = UINT64_C(0x000000FF000000FF);
    x = 10 * x + (x >> 8);
    return (((x & mask) * UINT64_C(0x000F424000000064)) + (((x >> 16) & mask) * UINT64_C(0x0000271000000001))) >> 32;
}

/* Appends the digits from `at` on to w, which wraps around where there are more than 19; returns their end. Fewer than
 * eight digits are moved to the end of eight, behind zeros, so that no branch depends on how many they are. */
static inline const char *scan_digits(const char *at, const char *end, uint64_t *w) {
    static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    while (end - at >= 8 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        uint64_t x;
        memcpy(&x, at, sizeof x);
        x ^= UINT64_C(0x3030303030303030);
        const uint64_t stops = no_digits(x);
        const int count = stops ? __builtin_ctzll(stops) / 8 : 8;
        if (count == 0) return at;
        *w = power[count] * *w + eight_digits(x << (64 - 8 * count));
        at += count;
        if (count < 8) return at;
    }
    for (; at < end && is_digit(*at); at++) *w = 10 * *w + (uint64_t)(*at - '0');
    return at;
}

/* The digits of an exponent, after the letter; NULL: there are none. */
static const char *scan_exponent(const char *at, const char *end, int64_t *exponent) {
    const bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    const char *digits = at;
    int64_t value = 0;
    for (; at < end && is_digit(*at); at++) {
        if (value < 100000) value = 10 * value + (*at - '0');
    }
    *exponent += minus ? -value : value;
    return at > digits ? at : NULL;
}

/* Whether the digits in [at, end), a mark among them, are no more than 19 once the zeros at their beginning are left
 * out: then the integer that they were read into did not wrap around. */
static bool fits_integer(const char *at, const char *end) {
    enum { MOST_DIGITS = 19 };
    while (at < end && (*at == '0' || !is_digit(*at))) at++;
    return end - at <= MOST_DIGITS;
}

const char *gpis_scan_number(const char *begin, const char *end, char mark, double *out) {
    const char *at = begin;
    const bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    const char *digits = at;
    uint64_t w = 0;
    int64_t exponent = 0;
    at = scan_digits(at, end, &w);
    int64_t count = at - digits;
    if (at < end && *at == mark) {
        const char *fraction = ++at;
        at = scan_digits(at, end, &w);
        exponent = fraction - at;
        count -= exponent;
    }
    if (count == 0) return NULL;
    const bool fits = count <= 18 || fits_integer(digits, at);
    if (at < end && (*at == 'e' || *at == 'E') && !(at = scan_exponent(at + 1, end, &exponent))) return NULL;
    double value = (double)w;
    const bool whole = exponent == 0 && w < UINT64_C(1) << 53;
    if (!fits || (!whole && !gpis_decimal(w, exponent, &value)))
        return parse_slowly((gpis_span){begin, at}, mark, out) ? at : NULL;
    *out = minus ? -value : value;
    return at;
}

bool gpis_parse_number(gpis_span span, double *out) {
    return gpis_scan_number(span.begin, span.end, '.', out) == span.end;
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

void gpis_whole_text(int64_t value, char text[GPIS_WHOLE_TEXT]) {
    char digits[GPIS_WHOLE_TEXT]; /* from the last one on */
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int count = 0;
    do {
        digits[count++] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0) *text++ = '-';
    while (count > 0) *text++ = digits[--count];
    *text = '\0';
}

void gpis_number_text(double value, char text[GPIS_NUMBER_TEXT]) {
    if (value == rint(value) && fabs(value) < 1e15) { /* 10, where %g says 1e+01 */
        gpis_whole_text((int64_t)value, text);
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
