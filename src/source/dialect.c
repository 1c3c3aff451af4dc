/*
 * The dialect of a table: what separates its fields, whether it has a header, its decimal mark, its number of columns.
 * It is found from the first 64 records, at most, and does not change afterwards.
 *
 * delimiter   the first of tab ; | , that every line has, and every line equally often; if there is none, the first of
 *             , ; tab | that the first line has (tab first unless the file is .csv); if there is none, commas in a .csv
 *             file and blanks in others
 * header      see gpis_header in gpis.h
 * columns     the fields of the first record; a delimiter at the end of the records begins no field if nothing follows
 * it
 */
#include "source/dialect.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/columns.h"
#include "source/source.h"

enum { MAX_RECORDS = 64 };

/* ---- the delimiter ----------------------------------------------------------------------------------------------- */

/* How often c is in the line, outside quotes. *next is where the next line begins; NULL: the line is not complete. */
static int64_t count_in_line(const char *at, const char *limit, char c, const char **next) {
    int64_t count = 0;
    bool inside = false;
    for (; at < limit; at++) {
        if (*at == '"')
            inside = !inside;
        else if (!inside && *at == '\n')
            break;
        else if (!inside && *at == c)
            count++;
    }
    *next = at < limit ? at + 1 : NULL;
    return count;
}

/* Whether all complete lines of the sample have c, and equally often. */
static bool is_steady(const char *at, const char *limit, char c) {
    int64_t wanted = 0;
    for (int lines = 0; at && at < limit && lines < MAX_RECORDS;) {
        const char *next;
        const bool blank = gpis_record_is_blank('\0', at, limit, &next);
        const int64_t count = blank ? 0 : count_in_line(at, limit, c, &next);
        at = next;
        if (blank || !next) continue;
        if (count == 0 || (lines > 0 && count != wanted)) return false;
        wanted = count;
        lines++;
    }
    return wanted > 0;
}

static char find_delimiter(const char *path, const gpis_open_options *options, const char *begin, const char *limit) {
    const char *slash = strrchr(path, '/'), *format = options ? options->format : NULL, *next;
    const bool csv = format ? strcasecmp(format, "csv") == 0 : strcasestr(slash ? slash : path, ".csv") != NULL;
    for (const char *c = "\t;|,"; *c; c++)
        if (is_steady(begin, limit, *c)) return *c;
    for (const char *c = csv ? ",;\t|" : "\t,;|"; *c; c++)
        if (count_in_line(begin, limit, *c, &next) > 0) return *c;
    return csv ? ',' : ' ';
}

/* The delimiter that the caller names; '\0' is none. */
static char named_delimiter(const char *text) {
    static const struct {
        const char *name;
        char delimiter;
    } names[] = {{"tab", '\t'}, {"\\t", '\t'}, {"space", ' '}, {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcasecmp(text, names[k].name) == 0) return names[k].delimiter;
    const bool one = text[0] && !text[1];
    const bool part_of_number = one && (strchr("+-.\"", text[0]) || (text[0] >= '0' && text[0] <= '9') ||
                                        (text[0] >= 'A' && text[0] <= 'Z') || (text[0] >= 'a' && text[0] <= 'z'));
    return (char)(one && !part_of_number && text[0] != '\n' && text[0] != '\r' ? text[0] : '\0');
}

static gpis_status choose_delimiter(gpis_sample *s, const gpis_open_options *options, const char *begin,
                                    const char *limit) {
    const char *given = options ? options->delimiter : NULL;
    s->dialect.delimiter = given ? named_delimiter(given) : find_delimiter(s->path, options, begin, limit);
    if (s->dialect.delimiter) return GPIS_OK;
    return gpis_fail(s->context, GPIS_BAD_ARGUMENT,
                     "%s: option delimiter: '%s' cannot separate fields; it is one character that is no letter, digit, "
                     "quote or sign, or one of tab, space, comma, semicolon and pipe",
                     s->path, gpis_text_excerpt((gpis_span){given, given + strlen(given)}).text);
}

/* ---- the first record -------------------------------------------------------------------------------------------- */

static gpis_status broken_record(const gpis_sample *s, int64_t line, const gpis_field *field) {
    if (field->spoilt)
        return gpis_fail(s->context, GPIS_BAD_DATA,
                         "%s: line %lld has text after a closing quote; double the quotes inside a field", s->path,
                         (long long)line);
    return gpis_fail(s->context, GPIS_BAD_DATA, "%s: line %lld opens a quote that is never closed", s->path,
                     (long long)line);
}

/* Counts the fields of the record at `at` and how many bytes they have. *next NULL: it is not complete, or broken. */
static int64_t count_fields(const gpis_sample *s, const char *at, const char *limit, int64_t *bytes, int64_t *lines,
                            const char **next, gpis_field *last) {
    int64_t count = 0;
    for (*bytes = 0, *lines = 1;; at++) {
        at = gpis_field_cut(s->dialect.delimiter, at, limit, last);
        *next = at ? at + 1 : NULL;
        if (!at) return count;
        count++;
        *bytes += last->text.end - last->text.begin + 1;
        *lines += last->lines;
        if (*at == '\n') return count;
    }
}

static bool is_text(const gpis_sample *s, gpis_span field, char *mark) {
    double value;
    return !gpis_text_is_number(field, s->dialect.delimiter, &value, mark) && !gpis_text_is_missing(field) &&
           !gpis_text_is_infinite(field);
}

/* Keeps the fields of the first record as words, and what they look like. A field without text has the name that its
 * column has in a table without a header: x3. */
static gpis_status keep_first(gpis_sample *s, const char *at, const char *limit, int64_t count, int64_t bytes) {
    char *words = gpis_alloc(s->context, bytes + count * GPIS_MADE_NAME, 1);
    int64_t used = 0;
    s->columns = gpis_alloc_zero(s->context, count, sizeof *s->columns);
    gpis_status status = words && s->columns ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t j = 0; j < count && status == GPIS_OK; j++, at++) {
        gpis_field field;
        char mark;
        at = gpis_field_cut(s->dialect.delimiter, at, limit, &field);
        s->columns[j].text_on_top = is_text(s, field.text, &mark);
        s->columns[j].empty_on_top = gpis_text_is_missing(field.text);
        const int64_t length = gpis_field_decode(&field, words + used);
        used += length > 0 ? length : snprintf(words + used, GPIS_MADE_NAME, "x%lld", (long long)j + 1);
        words[used++] = '\0';
    }
    if (status == GPIS_OK && !(s->names = gpis_source_names(s->context, words, used, count))) status = GPIS_NO_MEMORY;
    gpis_free(s->context, words);
    return status;
}

/* ---- the records after it ---------------------------------------------------------------------------------------- */

static void look_at_field(gpis_sample *s, int64_t j, gpis_span field, int64_t line) {
    gpis_sampled *column = &s->columns[j];
    char mark;
    if (is_text(s, field, &mark)) {
        if (!column->text.text[0]) {
            column->text = gpis_text_excerpt(field);
            column->kind = gpis_text_kind_of(field);
            column->line = line;
        }
    } else if (!gpis_text_is_missing(field)) {
        column->number = true;
        if (mark == ',') s->dialect.mark = ',';
    }
}

/* Looks at the fields of the records from `at` on; returns how many are complete, or broken. *trailing: the last of
 * `count` fields is empty, or not there, in all of them. */
static int look_at_records(gpis_sample *s, const char *at, const char *limit, int64_t line, int64_t count,
                           bool *trailing) {
    int records = 0;
    while (at < limit && records < MAX_RECORDS) {
        const char *next;
        gpis_field field = {0};
        int64_t bytes, lines = 1;
        if (gpis_record_is_blank(s->dialect.delimiter, at, limit, &next)) {
            at = next;
            line++;
            continue;
        }
        const int64_t fields = count_fields(s, at, limit, &bytes, &lines, &next, &field);
        if (!next) return records + field.spoilt;
        const bool empty_last = !field.quoted && field.text.begin == field.text.end;
        if (fields != count - 1 && !(fields == count && empty_last)) *trailing = false;
        for (int64_t j = 0; j < fields && j < count; j++, at++) {
            at = gpis_field_cut(s->dialect.delimiter, at, limit, &field);
            look_at_field(s, j, field.text, line);
        }
        at = next;
        line += lines;
        records++;
    }
    return records;
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

static bool has_header(const gpis_sample *s, bool others) {
    bool text = false, over_numbers = false, all_text = true;
    for (int64_t j = 0; j < s->dialect.columns; j++) {
        const gpis_sampled *c = &s->columns[j];
        if (c->text_on_top) text = true;
        if (c->text_on_top && c->number && !c->text.text[0]) over_numbers = true;
        if (!c->text_on_top && !c->empty_on_top) all_text = false;
    }
    return text && (over_numbers || all_text || !others);
}

/* Without a header the first record is a row like the others. */
static gpis_status settle_header(gpis_sample *s, const gpis_open_options *options, const char *first,
                                 const char *second, const char *limit, int64_t lines) {
    bool others = false, ignored = true;
    for (int64_t j = 0; j < s->dialect.columns; j++)
        others = others || s->columns[j].number || s->columns[j].text.text[0];
    const gpis_header wanted = options ? options->header : GPIS_HEADER_AUTO;
    s->dialect.header = wanted == GPIS_HEADER_AUTO ? has_header(s, others) : wanted == GPIS_HEADER_YES;
    s->rows = s->dialect.header ? second : first;
    s->rows_line = s->first_line + (s->dialect.header ? lines : 0);
    if (s->dialect.header) return GPIS_OK;
    gpis_free(s->context, s->names);
    s->names = NULL;
    look_at_records(s, first, limit, s->first_line, s->dialect.columns, &ignored);
    return GPIS_OK;
}

gpis_status gpis_sample_take(gpis_context *context, const char *path, const gpis_open_options *options,
                             const char *begin, const char *limit, bool whole, gpis_sample *s, bool *enough) {
    *s = (gpis_sample){.context = context, .path = path, .first_line = 1, .dialect = {.mark = '.'}};
    *enough = true;
    const char *next;
    while (gpis_record_is_blank('\0', begin, limit, &next)) {
        begin = next;
        s->first_line++;
    }
    if (begin == limit) {
        *enough = whole;
        s->rows = begin;
        return GPIS_OK;
    }
    gpis_status status = choose_delimiter(s, options, begin, limit);
    if (status != GPIS_OK) return status;
    gpis_field last;
    int64_t bytes, lines;
    const int64_t count = count_fields(s, begin, limit, &bytes, &lines, &next, &last);
    *enough = next || last.spoilt || whole;
    if (!next) return *enough ? broken_record(s, s->first_line, &last) : GPIS_OK;
    status = keep_first(s, begin, limit, count, bytes);
    if (status != GPIS_OK) return status;
    bool trailing = count > 1 && !last.quoted && last.text.begin == last.text.end && s->dialect.delimiter != ' ';
    const int others = look_at_records(s, next, limit, s->first_line + lines, count, &trailing);
    *enough = others > 0 || whole;
    if (!*enough) return GPIS_OK;
    s->dialect.columns = count - trailing;
    return settle_header(s, options, begin, next, limit, lines);
}

void gpis_sample_clear(gpis_sample *s) {
    gpis_free(s->context, s->names);
    gpis_free(s->context, s->columns);
    s->names = NULL;
    s->columns = NULL;
}
