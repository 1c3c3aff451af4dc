/* Cutting fields, and telling what they are. */
#include "source/field.h"

#include <string.h>

static bool is_space(char c) { return c == ' ' || c == '\t'; }

/* ---- where a field ends ------------------------------------------------------------------------------------------ */

/* Bit 7 of each byte of the result says whether the byte of `bytes` is c; bits of bytes behind the first may be wrong.
 */
static uint64_t equal_bytes(uint64_t bytes, char c) {
    const uint64_t ones = UINT64_C(0x0101010101010101), x = bytes ^ (ones * (unsigned char)c);
    return (x - ones) & ~x & (ones << 7);
}

const char *gpis_field_skip(char delimiter, const char *at, const char *limit) {
    while (limit - at >= 8) {
        uint64_t bytes;
        memcpy(&bytes, at, sizeof bytes);
        const uint64_t found = equal_bytes(bytes, delimiter) | equal_bytes(bytes, '\n');
        if (found && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) return at + __builtin_ctzll(found) / 8;
        if (found) break;
        at += 8;
    }
    while (*at != delimiter && *at != '\n') at++;
    return at < limit ? at : NULL;
}

/* From the opening quote to behind the closing one; NULL: there is none before `limit`. */
static const char *cut_quoted(const char *at, const char *limit, gpis_field *out) {
    out->quoted = true;
    out->text.begin = ++at;
    for (;; at += 2) {
        const char *quote = memchr(at, '"', (size_t)(limit - at));
        if (!quote) return NULL;
        for (const char *p = at; (p = memchr(p, '\n', (size_t)(quote - p))); p++) out->lines++;
        out->text.end = at = quote;
        if (quote + 1 >= limit || quote[1] != '"') return quote + 1;
        out->doubled = true;
    }
}

/* Moves over blanks behind a field to the delimiter or newline; of blanks as delimiters, to the last of them. */
static const char *find_delimiter(char delimiter, const char *at, const char *limit) {
    if (delimiter == ' ') {
        const char *from = at;
        while (is_space(*at)) at++;
        if (*at == '\r' && at < limit && at[1] == '\n') at++;
        return *at == '\n' || at == from ? at : at - 1;
    }
    while (is_space(*at) && *at != delimiter) at++;
    if (*at == '\r' && at < limit && at[1] == '\n') at++;
    return at;
}

static const char *cut_plain(char delimiter, const char *at, const char *limit, gpis_field *out) {
    const char *end = at;
    out->text.begin = at;
    if (delimiter == ' ')
        while (!is_space(*end) && *end != '\n') end++;
    else
        end = gpis_field_skip(delimiter, at, limit);
    if (!end) return NULL;
    out->text.end = end;
    if (*end == '\n' && end > at && end[-1] == '\r') out->text.end--;
    while (out->text.end > at && is_space(out->text.end[-1])) out->text.end--;
    return delimiter == ' ' ? find_delimiter(delimiter, end, limit) : end;
}

const char *gpis_field_cut(char delimiter, const char *at, const char *limit, gpis_field *out) {
    *out = (gpis_field){0};
    while (is_space(*at) && (*at != delimiter || delimiter == ' ')) at++;
    const char *end;
    if (*at == '"') {
        end = cut_quoted(at, limit, out);
        if (!end) return NULL;
        const char *behind = find_delimiter(delimiter, end, limit);
        const bool blank = delimiter == ' ' && behind >= end && is_space(*behind);
        if (behind < limit && *behind != '\n' && *behind != delimiter && !blank) out->spoilt = true;
        end = out->spoilt ? NULL : behind;
    } else {
        end = cut_plain(delimiter, at, limit, out);
    }
    return end && end < limit ? end : NULL;
}

int64_t gpis_field_decode(const gpis_field *field, char *to) {
    const char *begin = to;
    for (const char *at = field->text.begin; at < field->text.end; at++) {
        if (*at == '"' && field->quoted && at + 1 < field->text.end) at++;
        *to++ = *at;
    }
    return to - begin;
}

bool gpis_record_is_blank(char delimiter, const char *at, const char *limit, const char **next) {
    while (is_space(*at) && (*at != delimiter || delimiter == ' ')) at++;
    if (*at == '\r' && at < limit && at[1] == '\n') at++;
    *next = at + 1;
    return *at == '\n' && at < limit;
}

/* ---- what a text is ---------------------------------------------------------------------------------------------- */

static gpis_span without_sign(gpis_span text) {
    if (text.begin < text.end && (*text.begin == '-' || *text.begin == '+')) text.begin++;
    return text;
}

bool gpis_text_is_missing(gpis_span text) {
    static const char *const words[] = {"", "NA", "N/A", "NaN", "null", "?", ".", "#N/A", "<NA>"};
    text = without_sign(text);
    if (text.begin < text.end && (text.end - text.begin > 4 || !strchr("nN?.#<", *text.begin))) return false;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (gpis_text_is(text, words[k])) return true;
    return false;
}

bool gpis_text_is_infinite(gpis_span text) {
    text = without_sign(text);
    return gpis_text_is(text, "inf") || gpis_text_is(text, "infinity");
}

bool gpis_text_is_number(gpis_span text, char delimiter, double *value, char *mark) {
    *mark = memchr(text.begin, '.', (size_t)(text.end - text.begin)) ? '.' : '\0';
    if (text.end == text.begin) return false;
    if (gpis_scan_number(text.begin, text.end, '.', value) == text.end) return true;
    if (delimiter != ';' || gpis_scan_number(text.begin, text.end, ',', value) != text.end) return false;
    *mark = ',';
    return true;
}

/* Three numbers of at most four digits with '-', '/' or '.' twice between, or hours and minutes. */
static bool is_date(gpis_span text) {
    const char *at = text.begin;
    char between = '\0';
    int numbers = 0, digits = 0;
    for (; at < text.end; at++) {
        if (*at >= '0' && *at <= '9') {
            if (digits++ == 0) numbers++;
            if (digits > 4) return false;
        } else if (digits > 0 && strchr("-/.:", *at) && (between == '\0' || *at == between)) {
            between = *at;
            digits = 0;
        } else {
            break;
        }
    }
    const bool time = between == ':' && numbers >= 2, date = between != ':' && numbers == 3;
    return digits > 0 && (time || date) && (at == text.end || *at == ' ' || *at == 'T' || *at == '.' || *at == 'Z');
}

/* Digits, and nothing else but signs of currency and percent, and separators of thousands or a decimal comma. */
static bool is_ornate(gpis_span text) {
    static const char *const signs[] = {".", ",", "'", "_", " ", "$", "%",      "(",
                                        ")", "€", "£", "¥", "’", "−", "\u00A0", "\u202F"};
    enum { SIGNS = sizeof signs / sizeof *signs };
    bool digits = false;
    text = without_sign(text);
    while (text.begin < text.end) {
        const bool digit = *text.begin >= '0' && *text.begin <= '9';
        size_t length = 1, k = 0;
        for (; !digit && k < SIGNS; k++) {
            length = strlen(signs[k]);
            if ((size_t)(text.end - text.begin) >= length && memcmp(text.begin, signs[k], length) == 0) break;
        }
        if (k == SIGNS) return false;
        digits = digits || digit;
        text.begin += length;
    }
    return digits;
}

gpis_text_kind gpis_text_kind_of(gpis_span text) {
    return is_date(text) ? GPIS_TEXT_DATE : is_ornate(text) ? GPIS_TEXT_ORNATE : GPIS_TEXT_WORD;
}
