/* Numbers in text, whatever the locale. */
#ifndef GPIS_NUMBER_H
#define GPIS_NUMBER_H

#include "base/base.h"

/* A piece of text, [begin, end). */
typedef struct gpis_span {
    const char *begin, *end;
} gpis_span;

/* [+-]digits[.digits][e[+-]digits] and nothing else, correctly rounded (infinite if it is too large). The character at
 * span.end must be readable, and must not continue a number. */
bool gpis_parse_number(gpis_span span, double *out);
/* The longest such number at the beginning of [at, end), with `mark` ('.' or ',') as its decimal mark. Returns its end,
 * where the character must be readable and must not continue a number; NULL: there is none. */
const char *gpis_scan_number(const char *at, const char *end, char mark, double *out);

/* Digits and nothing else, whose value fits an int64_t, or a uint64_t. */
bool gpis_parse_count(gpis_span span, int64_t *out);
bool gpis_parse_unsigned(gpis_span span, uint64_t *out);

/* The shortest decimal text that reads back as the same number, in any locale. */
enum { GPIS_NUMBER_TEXT = 32 };
void gpis_number_text(double value, char text[GPIS_NUMBER_TEXT]);
/* A whole number in digits: small solves name many constraints, and printf would take longer than some of their sums.
 */
enum { GPIS_WHOLE_TEXT = 24 };
void gpis_whole_text(int64_t value, char text[GPIS_WHOLE_TEXT]);

/* Grows an array to hold `wanted` elements, at least twofold; its first `used` elements are kept. */
gpis_status gpis_grow(gpis_context *context, void **memory, int64_t *capacity, int64_t used, int64_t wanted,
                      size_t size);

#endif
