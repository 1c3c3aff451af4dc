/*
 * Encodings as text, for caches, for other ranks and for models. The first line is
 *
 *     gpis-encoding 1 MISSING NAMED ROWS DROPPED
 *
 * where MISSING is error, drop or mean, NAMED is 1 if the columns have names and else 0, and ROWS and DROPPED count the
 * rows of the table and those that were left out of it. Then come the columns. A column of numbers, at place NUMBER of
 * the table, is
 *
 *     number NUMBER NAME
 *
 * A categorical column has LEVELS levels, which were given (FIXED is 1) or found in the table (0); a line for each
 * level says how many rows have it (counted where MISSING = mean), and its text:
 *
 *     category NUMBER FIXED LEVELS NAME
 *     level ROWS TEXT
 *
 * With MISSING = mean each column ends with the numbers of fields that are present and missing, and the sum of its
 * values, as the bits of two doubles in hexadecimal:
 *
 *     mean PRESENT MISSING HIGH LOW
 *
 * NAME and TEXT go to the end of the line; control characters, % and bytes that are not UTF-8 are written as %XX.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "source/encoding.h"
#include "source/source.h"

static const char *const missing_words[] = {"error", "drop", "mean"};

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Where text is written; only as much as there is space for, but all of it is counted. */
typedef struct writer {
    char *text;
    size_t size, used;
} writer;

static void put_char(writer *w, char c) {
    if (w->used + 1 < w->size) w->text[w->used] = c;
    w->used++;
}

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...) {
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (const char *at = line; *at; at++) put_char(w, *at);
}

/* The rest of a line. */
static void put_word(writer *w, const char *word) {
    while (*word) {
        unsigned code;
        int length = gpis_utf8_length(word, &code);
        const bool plain = length > 0 && code >= 0x20 && code != 0x7f && code != '%';
        if (plain)
            for (; length > 0; length--) put_char(w, *word++);
        else
            put(w, "%%%02X", (unsigned)(unsigned char)*word++);
    }
    put_char(w, '\n');
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put_column(writer *w, const gpis_encoding *e, int64_t j) {
    const gpis_encoded *column = &e->columns[j];
    const gpis_category *c = column->category;
    if (c)
        put(w, "category %" PRId64 " %d %" PRId64 " ", column->number, c->fixed, c->levels.count);
    else
        put(w, "number %" PRId64 " ", column->number);
    put_word(w, column->name ? column->name : "");
    for (int64_t k = 0; c && k < c->levels.count; k++) {
        put(w, "level %" PRId64 " ", c->rows && k < c->rows_capacity ? c->rows[k] : 0);
        put_word(w, gpis_levels_at(&c->levels, k));
    }
    if (e->means)
        put(w, "mean %" PRId64 " %" PRId64 " %016" PRIx64 " %016" PRIx64 "\n", e->means[j].present, e->means[j].missing,
            bits_of(e->means[j].sum.high), bits_of(e->means[j].sum.low));
}

size_t gpis_encoding_text(const gpis_encoding *e, char *text, size_t size) {
    writer w = {.text = text, .size = text ? size : 0};
    if (e) {
        put(&w, "gpis-encoding 1 %s %d %" PRId64 " %" PRId64 "\n", missing_words[e->missing], e->names != NULL, e->rows,
            e->dropped);
        for (int64_t j = 0; j < e->count; j++) put_column(&w, e, j);
    }
    if (w.size > 0) w.text[w.used < w.size ? w.used : w.size - 1] = '\0';
    return w.used;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct reader {
    gpis_context *context;
    const char *at;
    int64_t line;
    gpis_encoding *encoding;
    bool named;
    char *words; /* owned: the names, each with a NUL behind it */
    int64_t words_used;
} reader;

static gpis_status wrong(const reader *r) {
    return gpis_fail(r->context, GPIS_BAD_DATA,
                     "line %" PRId64 " of an encoding is not as gpis_encoding_text writes it", r->line);
}

/* Skips `word` and the blank after it. */
static bool take(reader *r, const char *word) {
    const size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0 || r->at[length] != ' ') return false;
    r->at += length + 1;
    return true;
}

/* A whole number, and the blank or the line end after it. */
static bool take_count(reader *r, int64_t *out) {
    const char *end = r->at + strcspn(r->at, " \n");
    if (!*end || !gpis_parse_count((gpis_span){r->at, end}, out)) return false;
    r->line += *end == '\n';
    r->at = end + 1;
    return true;
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool take_double(reader *r, double *out) {
    uint64_t bits = 0;
    for (int i = 0; i < 16; i++, r->at++) {
        if (digit_of(*r->at) < 0) return false;
        bits = bits << 4 | (uint64_t)digit_of(*r->at);
    }
    memcpy(out, &bits, sizeof bits);
    if (*r->at != ' ' && *r->at != '\n') return false;
    r->line += *r->at == '\n';
    r->at++;
    return true;
}

/* The rest of the line, to `to`, which has space for it, with a NUL; its length, or -1 if it is not well formed. */
static int64_t take_word(reader *r, char *to) {
    char *begin = to;
    for (; *r->at && *r->at != '\n'; r->at++) {
        *to = *r->at;
        if (*r->at == '%') {
            const int high = digit_of(r->at[1]), low = high < 0 ? -1 : digit_of(r->at[2]);
            if (low < 0 || high + low == 0) return -1;
            *to = (char)(16 * high + low);
            r->at += 2;
        }
        to++;
    }
    *to = '\0';
    if (!*r->at) return -1;
    r->at++;
    r->line++;
    return to - begin;
}

static gpis_status take_levels(reader *r, gpis_category *c, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        int64_t rows;
        if (!take(r, "level") || !take_count(r, &rows)) return wrong(r);
        char *text = gpis_alloc(r->context, (int64_t)strcspn(r->at, "\n") + 1, 1);
        const int64_t length = text ? take_word(r, text) : 0;
        const gpis_span level = {text, text + gpis_max64(length, 0)};
        gpis_status status = text ? GPIS_OK : GPIS_NO_MEMORY;
        if (text && (length < 0 || gpis_levels_find(&c->levels, level) >= 0)) status = wrong(r);
        if (status == GPIS_OK) status = gpis_levels_add(&c->levels, level);
        if (status == GPIS_OK) status = gpis_category_reserve(r->context, c);
        if (status == GPIS_OK) c->rows[k] = rows;
        gpis_free(r->context, text);
        if (status != GPIS_OK) return status;
    }
    return GPIS_OK;
}

static gpis_status take_column(reader *r, int64_t j) {
    gpis_encoding *e = r->encoding;
    gpis_encoded *column = &e->columns[j];
    int64_t fixed = 0, levels = 0;
    const bool category = take(r, "category");
    if (!category && !take(r, "number")) return wrong(r);
    if (!take_count(r, &column->number) || column->number < 1) return wrong(r);
    if (category && (!take_count(r, &fixed) || !take_count(r, &levels) || levels < 1)) return wrong(r);
    const int64_t length = take_word(r, r->words + r->words_used);
    if (length < 0) return wrong(r);
    r->words_used += length + 1;
    gpis_status status = category ? gpis_encoding_add_category(e, j) : GPIS_OK;
    if (status == GPIS_OK && category) column->category->fixed = fixed != 0;
    if (status == GPIS_OK && category) status = take_levels(r, column->category, levels);
    if (status != GPIS_OK || !e->means) return status;
    gpis_encoded_mean *m = &e->means[j];
    const bool good = take(r, "mean") && take_count(r, &m->present) && take_count(r, &m->missing) &&
                      take_double(r, &m->sum.high) && take_double(r, &m->sum.low);
    return good ? GPIS_OK : wrong(r);
}

/* Columns are the lines that begin with "number" or "category". */
static int64_t count_columns(const char *text) {
    int64_t count = 0;
    for (const char *at = strchr(text, '\n'); at && at[1]; at = strchr(at + 1, '\n'))
        count += at[1] == 'n' || at[1] == 'c';
    return count;
}

static gpis_status take_head(reader *r) {
    int64_t named, rows, dropped;
    int missing = 0;
    if (!take(r, "gpis-encoding") || !take(r, "1")) return wrong(r);
    while (missing < 3 && !take(r, missing_words[missing])) missing++;
    if (missing == 3 || !take_count(r, &named) || !take_count(r, &rows) || !take_count(r, &dropped)) return wrong(r);
    const int64_t count = count_columns(r->at - 1);
    if (count < 1 || r->at[-1] != '\n') return wrong(r);
    r->encoding = gpis_encoding_new(r->context, (gpis_missing)missing, count);
    r->words = gpis_alloc(r->context, (int64_t)strlen(r->at) + 1, 1);
    if (!r->encoding || !r->words) return GPIS_NO_MEMORY;
    r->named = named != 0;
    r->encoding->rows = rows;
    r->encoding->dropped = dropped;
    return GPIS_OK;
}

gpis_status gpis_encoding_parse(gpis_context *context, const char *text, gpis_encoding **out) {
    if (!context || !text || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "an encoding needs a text and a place");
    reader r = {.context = context, .at = text, .line = 1};
    *out = NULL;
    gpis_status status = take_head(&r);
    for (int64_t j = 0; status == GPIS_OK && j < r.encoding->count; j++) status = take_column(&r, j);
    if (status == GPIS_OK && *r.at) status = wrong(&r);
    if (status == GPIS_OK && r.named) {
        r.encoding->names = gpis_source_names(context, r.words, r.words_used, r.encoding->count);
        if (!r.encoding->names) status = GPIS_NO_MEMORY;
        for (int64_t j = 0; status == GPIS_OK && j < r.encoding->count; j++)
            r.encoding->columns[j].name = r.encoding->names[j];
    }
    gpis_free(context, r.words);
    if (status == GPIS_OK) {
        gpis_encoding_finish(r.encoding);
        *out = r.encoding;
    } else {
        gpis_encoding_destroy(r.encoding);
    }
    return status;
}
