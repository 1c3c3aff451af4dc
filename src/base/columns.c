/* Columns by their names, their numbers and patterns. */
#include "base/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- by name ----------------------------------------------------------------------------------------------------- */

void gpis_lookup_clear(gpis_lookup *lookup) {
    gpis_free(lookup->context, lookup->order);
    lookup->order = NULL;
}

const char *gpis_lookup_name(const gpis_lookup *lookup, int64_t j, char made[GPIS_MADE_NAME]) {
    if (lookup->columns.name) return lookup->columns.name(lookup->columns.user, j);
    snprintf(made, GPIS_MADE_NAME, "x%lld", (long long)j + 1);
    return made;
}

static const char *name_of(const gpis_columns *columns, int64_t j) { return columns->name(columns->user, j); }

/* Columns of one name stay in their order. */
static int by_name(const void *a, const void *b, void *user) {
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const int order = strcmp(name_of(user, i), name_of(user, j));
    return order != 0 ? order : i < j ? -1 : i > j;
}

static gpis_status sort_names(gpis_lookup *lookup) {
    if (lookup->order) return GPIS_OK;
    lookup->order = gpis_alloc(lookup->context, lookup->columns.d, sizeof *lookup->order);
    if (!lookup->order) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < lookup->columns.d; j++) lookup->order[j] = j;
    qsort_r(lookup->order, (size_t)lookup->columns.d, sizeof *lookup->order, by_name, &lookup->columns);
    return GPIS_OK;
}

/* < 0, 0 or > 0 as the name comes before `word`, is the same or comes after it. */
static int compare(const char *name, gpis_span word) {
    const size_t length = (size_t)(word.end - word.begin);
    const int order = strncmp(name, word.begin, length);
    return order != 0 ? order : name[length] != '\0';
}

/* The place in the sorted names of the first that does not come before `word` or, with `behind`, that comes after. */
static int64_t search(const gpis_lookup *lookup, gpis_span word, bool behind) {
    int64_t low = 0, high = lookup->columns.d;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (compare(name_of(&lookup->columns, lookup->order[middle]), word) < (behind ? 1 : 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* x1, x2, ... where columns have no names. */
static void find_made(const gpis_lookup *lookup, gpis_span name, int64_t *first, int64_t *count) {
    int64_t number;
    if (name.end - name.begin < 2 || *name.begin != 'x' || name.begin[1] == '0') return;
    if (!gpis_parse_count((gpis_span){name.begin + 1, name.end}, &number) || number > lookup->columns.d) return;
    *first = number - 1;
    *count = 1;
}

gpis_status gpis_lookup_find(gpis_lookup *lookup, gpis_span name, int64_t *first, int64_t *count) {
    *count = 0;
    if (!lookup->columns.name) {
        find_made(lookup, name, first, count);
        return GPIS_OK;
    }
    if (memchr(name.begin, '\0', (size_t)(name.end - name.begin))) return GPIS_OK;
    const gpis_status status = sort_names(lookup);
    if (status != GPIS_OK) return status;
    const int64_t from = search(lookup, name, false), to = search(lookup, name, true);
    *count = to - from;
    if (*count > 0) *first = lookup->order[from];
    return GPIS_OK;
}

/* ---- complaints -------------------------------------------------------------------------------------------------- */

enum { SHOWN = 40 }; /* characters of a name in a message */
static int shown(gpis_span word) { return word.end - word.begin < SHOWN ? (int)(word.end - word.begin) : SHOWN; }

static gpis_status fail(const gpis_column_text *text, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static gpis_status fail(const gpis_column_text *text, const char *at, const char *format, ...) {
    char complaint[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
    return text->fail(text->user, at, complaint);
}

gpis_status gpis_column_text_unknown(const gpis_lookup *lookup, const gpis_column_text *text, const char *at,
                                     gpis_span name) {
    const char *nearest = gpis_lookup_nearest(lookup, name);
    if (!lookup->columns.name)
        return fail(text, at, "there is no column '%.*s': the columns have no names, and are x1 to x%lld", shown(name),
                    name.begin, (long long)lookup->columns.d);
    if (nearest)
        return fail(text, at, "there is no column '%.*s' (did you mean '%.*s'?)", shown(name), name.begin, SHOWN,
                    nearest);
    return fail(text, at, "there is no column '%.*s'", shown(name), name.begin);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool is_letter(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '.' ||
           (unsigned char)c >= 0x80;
}

static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

/* Copies what is between quotes to `to`; returns the position behind the closing one, NULL if there is none. */
static const char *unquote(const char *at, const char *end, char *to, size_t *length) {
    const char quote = *at++;
    for (; at < end; at++) {
        if (*at == quote && !(at + 1 < end && at[1] == quote)) return at + 1;
        if (*at == quote) at++;
        to[(*length)++] = *at;
    }
    return NULL;
}

/* A quote within a word, as in driver's, is a plain character. */
gpis_status gpis_column_text_word(gpis_column_text *text, const char *stops, char *word, gpis_column_word *out) {
    size_t length = 0, kept = 0; /* blanks at the end are not kept */
    while (text->at < text->end && is_blank(*text->at)) text->at++;
    *out = (gpis_column_word){.at = text->at};
    while (text->at < text->end && !strchr(stops, *text->at)) {
        if (is_quote(*text->at) && (text->at == out->at || !is_letter(text->at[-1]))) {
            const char *behind = unquote(text->at, text->end, word, &length);
            if (!behind) return fail(text, text->at, "the quote is not closed");
            kept = length;
            text->at = behind;
            out->quoted = true;
            continue;
        }
        out->stars = out->stars || *text->at == '*';
        word[length++] = (char)(*text->at == '*' ? GPIS_STAR : *text->at);
        if (!is_blank(*text->at)) kept = length;
        text->at++;
    }
    out->word = (gpis_span){word, word + kept};
    return GPIS_OK;
}

/* Whether `name` matches: a star stands for any characters. After a mismatch the last star takes one more. */
static bool matches(gpis_span pattern, const char *name) {
    const char *at = pattern.begin, *star = NULL, *retry = NULL;
    while (*name) {
        if (at < pattern.end && *at == GPIS_STAR) {
            star = ++at;
            retry = name;
        } else if (at < pattern.end && *at == *name) {
            at++, name++;
        } else if (star) {
            at = star;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (at < pattern.end && *at == GPIS_STAR) at++;
    return at == pattern.end;
}

/* "7", "3-7" or "7-3", with '#' before it or without; false: neither. *from and *to count from 1. */
static bool is_range(gpis_span word, int64_t *from, int64_t *to) {
    if (word.begin < word.end && *word.begin == '#') word.begin++;
    const char *dash = memchr(word.begin, '-', (size_t)(word.end - word.begin));
    if (!gpis_parse_count((gpis_span){word.begin, dash ? dash : word.end}, from)) return false;
    *to = *from;
    return !dash || gpis_parse_count((gpis_span){dash + 1, word.end}, to);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

gpis_status gpis_selection_begin(gpis_lookup *lookup, gpis_selection *out) {
    *out = (gpis_selection){.lookup = lookup,
                            .columns = gpis_alloc(lookup->context, lookup->columns.d, sizeof *out->columns),
                            .listed = gpis_alloc_zero(lookup->context, lookup->columns.d, sizeof *out->listed)};
    return out->columns && out->listed ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_selection_clear(gpis_selection *s) {
    if (!s->lookup) return;
    gpis_free(s->lookup->context, s->columns);
    gpis_free(s->lookup->context, s->listed);
    *s = (gpis_selection){0};
}

/* Adds a column; one that is listed twice is refused, unless a pattern does it. */
static gpis_status add_column(gpis_selection *s, const gpis_column_text *text, const gpis_column_word *w, int64_t j) {
    char made[GPIS_MADE_NAME];
    if (s->listed[j] && w->stars) return GPIS_OK;
    if (s->listed[j])
        return fail(text, w->at, "column '%.*s' is listed twice", SHOWN, gpis_lookup_name(s->lookup, j, made));
    s->listed[j] = true;
    s->columns[s->count++] = j;
    return GPIS_OK;
}

static gpis_status add_pattern(gpis_selection *s, const gpis_column_text *text, const gpis_column_word *w) {
    char made[GPIS_MADE_NAME];
    int64_t found = 0;
    gpis_status status = GPIS_OK;
    for (int64_t j = 0; j < s->lookup->columns.d && status == GPIS_OK; j++) {
        if (!matches(w->word, gpis_lookup_name(s->lookup, j, made))) continue;
        status = add_column(s, text, w, j);
        found++;
    }
    const int64_t length = text->at - w->at;
    if (status == GPIS_OK && found == 0)
        return fail(text, w->at, "no column matches '%.*s'", length < SHOWN ? (int)length : SHOWN, w->at);
    return status;
}

static gpis_status add_range(gpis_selection *s, const gpis_column_text *text, const gpis_column_word *w, int64_t from,
                             int64_t to) {
    const int64_t d = s->lookup->columns.d;
    if (from < 1 || from > d || to < 1 || to > d)
        return fail(text, w->at, "there is no column %lld; columns are 1 to %lld",
                    (long long)(from < 1 || from > d ? from : to), (long long)d);
    for (int64_t j = from;; j += from < to ? 1 : -1) {
        const gpis_status status = add_column(s, text, w, j - 1);
        if (j == to || status != GPIS_OK) return status;
    }
}

/* "age:bmi", two names: the columns from the one to the other. *from and *to count from 1; 0: it is no such range. A
 * name may have colons itself, so each of them is tried. */
static gpis_status find_named_range(gpis_selection *s, gpis_span word, int64_t *from, int64_t *to) {
    gpis_status status = GPIS_OK;
    *from = *to = 0;
    for (const char *colon = word.begin; colon < word.end && status == GPIS_OK && *from == 0; colon++) {
        int64_t first, last, firsts = 0, lasts = 0;
        if (*colon != ':') continue;
        status = gpis_lookup_find(s->lookup, (gpis_span){word.begin, colon}, &first, &firsts);
        if (status == GPIS_OK) status = gpis_lookup_find(s->lookup, (gpis_span){colon + 1, word.end}, &last, &lasts);
        if (firsts != 1 || lasts != 1) continue;
        *from = first + 1;
        *to = last + 1;
    }
    return status;
}

/* What is not the name of a column: a range of names, or nothing at all. */
static gpis_status add_named_range(gpis_selection *s, const gpis_column_text *text, const gpis_column_word *w) {
    int64_t from, to;
    const gpis_status status = find_named_range(s, w->word, &from, &to);
    if (status != GPIS_OK) return status;
    return from > 0 ? add_range(s, text, w, from, to) : gpis_column_text_unknown(s->lookup, text, w->at, w->word);
}

/* Whether the word that names `count` columns, the first of them `first`, is also the number of another column, or a
 * range of numbers. A name such as 2015 is one only in a table that has so many columns. */
static bool numbers_another(const gpis_selection *s, int64_t first, int64_t count, int64_t from, int64_t to) {
    const int64_t d = s->lookup->columns.d;
    if (from < 1 || from > d || to < 1 || to > d) return false;
    return from != first + 1 || to != from || count > 1;
}

static gpis_status add_item(gpis_selection *s, const gpis_column_text *text, const gpis_column_word *w) {
    int64_t first = 0, count = 0, from, to;
    if (w->stars) return add_pattern(s, text, w);
    const gpis_status status = gpis_lookup_find(s->lookup, w->word, &first, &count);
    if (status != GPIS_OK) return status;
    const bool numbers = !w->quoted && is_range(w->word, &from, &to);
    if (count == 0 && numbers) return add_range(s, text, w, from, to);
    if (numbers && numbers_another(s, first, count, from, to))
        return fail(text, w->at,
                    "'%.*s' is the name of column %lld and the number of another: put the name in quotes, or say #%.*s "
                    "for the number",
                    shown(w->word), w->word.begin, (long long)first + 1, shown(w->word), w->word.begin);
    if (count == 1) return add_column(s, text, w, first);
    if (count == 0) return add_named_range(s, text, w);
    return fail(text, w->at, "%lld columns are called '%.*s': say #%lld for the first of them", (long long)count,
                shown(w->word), w->word.begin, (long long)first + 1);
}

static gpis_status nothing_there(const gpis_column_text *text) {
    if (text->at == text->end) return fail(text, text->at, "expected a column, found the end");
    return fail(text, text->at, "expected a column, found '%c'", *text->at);
}

gpis_status gpis_select_item(gpis_selection *s, gpis_column_text *text, const char *stops) {
    gpis_column_word w;
    char *word = gpis_alloc(s->lookup->context, text->end - text->at + 1, 1);
    gpis_status status = word ? gpis_column_text_word(text, stops, word, &w) : GPIS_NO_MEMORY;
    if (status == GPIS_OK && w.word.begin == w.word.end && !w.quoted) status = nothing_there(text);
    if (status == GPIS_OK) status = add_item(s, text, &w);
    gpis_free(s->lookup->context, word);
    return status;
}

gpis_status gpis_select_list(gpis_selection *s, gpis_column_text *text, const char *stops) {
    for (;;) {
        const gpis_status status = gpis_select_item(s, text, stops);
        if (status != GPIS_OK || text->at == text->end || *text->at != ',') return status;
        text->at++;
    }
}
