/*
 * Tables in text: one record per row, fields separated by commas, semicolons, tabs or blanks, as the first line shows.
 * Fields may be in double quotes (a doubled quote inside is one quote). The first line is a header if one of its fields
 * is not a number. Nothing is guessed about bad fields: a missing or unreadable one is refused, with line and column.
 */
#include "source/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "source/fields.h"
#include "source/text.h"

typedef struct reader {
    gpis_context *context;
    const char *path;
    gpis_text text;
    char separator;     /* ' ' stands for any run of blanks */
    int64_t columns;    /* fields per line, including the target */
    int64_t first_line; /* the line in which they were counted */
    int64_t target;     /* index of the target's column; -1: none */
    bool header;
    char *words; /* owned: the fields of the first line, each with a NUL behind it, while they are read */
    int64_t words_used, words_capacity;
    char **names;    /* owned: the same */
    gpis_sink *sink; /* borrowed */
} reader;

/* The line is in the buffer of the reader, which may be changed: quotes are removed in place. */
static gpis_fields split(const reader *r, gpis_span line) {
    char *begin = r->text.buffer + (line.begin - r->text.buffer);
    return (gpis_fields){begin, begin + (line.end - line.begin), r->separator, true, false};
}

/* In a .csv file blanks are part of a field; in other files they may be separators. */
static char choose_separator(const reader *r, gpis_span line) {
    const char *slash = strrchr(r->path, '/'), *format = r->sink->options ? r->sink->options->format : NULL;
    const bool csv = format ? strcasecmp(format, "csv") == 0 : strcasestr(slash ? slash : r->path, ".csv") != NULL;
    const char found = gpis_fields_separator(line, csv ? ",;\t" : "\t,;");
    return found ? found : csv ? ',' : ' ';
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool is_missing(gpis_span field) {
    static const char *const words[] = {"", "NA", "N/A", "NaN", "null", "?"};
    if (field.begin < field.end && (*field.begin == '-' || *field.begin == '+')) field.begin++;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (gpis_text_is(field, words[k])) return true;
    }
    return false;
}

static bool is_infinite(gpis_span field) {
    if (field.begin < field.end && (*field.begin == '-' || *field.begin == '+')) field.begin++;
    return gpis_text_is(field, "inf") || gpis_text_is(field, "infinity");
}

static gpis_status bad_value(const reader *r, int64_t column, gpis_span field) {
    const char *name = r->header ? r->names[column] : "";
    const gpis_excerpt shown = gpis_text_excerpt((gpis_span){name, name + strlen(name)});
    const char *open = r->header ? " (" : "", *close = r->header ? ")" : "";
    if (is_missing(field))
        return gpis_fail(r->context, GPIS_BAD_DATA,
                         "%s: line %" PRId64 ", column %" PRId64 "%s%s%s is missing; fill it in or remove the row",
                         r->path, r->text.line, column + 1, open, shown.text, close);
    return gpis_fail(r->context, GPIS_BAD_DATA,
                     "%s: line %" PRId64 ", column %" PRId64 "%s%s%s is '%s', not a finite number", r->path,
                     r->text.line, column + 1, open, shown.text, close, gpis_text_excerpt(field).text);
}

static gpis_status store_value(reader *r, int64_t column, gpis_span field) {
    double value;
    if (!gpis_parse_number(field, &value) || !isfinite(value)) return bad_value(r, column, field);
    gpis_cache_rows *held = &r->sink->held;
    if (column == r->target)
        held->y[held->rows] = value;
    else
        held->values[held->entries++] = value;
    return GPIS_OK;
}

static gpis_status broken_quotes(const reader *r) {
    return gpis_fail(r->context, GPIS_BAD_DATA,
                     "%s: line %" PRId64 " has text after a closing quote; double the quotes inside a field", r->path,
                     r->text.line);
}

static gpis_status store_row(reader *r, gpis_span line) {
    gpis_status status = gpis_sink_reserve(r->sink, r->sink->d);
    gpis_fields f = split(r, line);
    gpis_span field;
    int64_t column = 0;
    for (; status == GPIS_OK && gpis_fields_next(&f, &field); column++) {
        if (column < r->columns) status = store_value(r, column, field);
    }
    if (status != GPIS_OK) return status;
    if (f.broken) return broken_quotes(r);
    if (column != r->columns)
        return gpis_fail(r->context, GPIS_BAD_SHAPE,
                         "%s: line %" PRId64 " has %" PRId64 " fields, line %" PRId64 " has %" PRId64, r->path,
                         r->text.line, column, r->first_line, r->columns);
    gpis_sink_end_row(r->sink);
    return GPIS_OK;
}

/* ---- the first line ---------------------------------------------------------------------------------------------- */

static gpis_status keep_word(reader *r, gpis_span field) {
    void *memory = r->words;
    const int64_t length = field.end - field.begin;
    const gpis_status status =
        gpis_grow(r->context, &memory, &r->words_capacity, r->words_used, r->words_used + length + 1, 1);
    r->words = memory;
    if (status != GPIS_OK) return status;
    memcpy(r->words + r->words_used, field.begin, (size_t)length);
    r->words[r->words_used + length] = '\0';
    r->words_used += length + 1;
    r->columns++;
    return GPIS_OK;
}

static gpis_span name_span(const reader *r, int64_t column) {
    return (gpis_span){r->names[column], r->names[column] + strlen(r->names[column])};
}

/* Finds the target by its name or, if no column has that name, by its number from 1. */
static gpis_status find_target(reader *r, const char *target) {
    r->target = -1;
    if (!target) return GPIS_OK;
    for (int64_t j = 0; r->header && j < r->columns; j++) {
        if (strcmp(r->names[j], target) != 0) continue;
        if (r->target >= 0)
            return gpis_fail(r->context, GPIS_BAD_ARGUMENT,
                             "%s: columns %" PRId64 " and %" PRId64 " are both named '%s'; give the target by number",
                             r->path, r->target + 1, j + 1, target);
        r->target = j;
    }
    int64_t number;
    if (r->target < 0 && gpis_parse_count((gpis_span){target, target + strlen(target)}, &number) && number >= 1 &&
        number <= r->columns)
        r->target = number - 1;
    if (r->target < 0) {
        const gpis_excerpt first = gpis_text_excerpt(name_span(r, 0)),
                           last = gpis_text_excerpt(name_span(r, r->columns - 1));
        return gpis_fail(r->context, GPIS_BAD_ARGUMENT,
                         "%s: has no column '%s' to be the target; its columns are 1 to %" PRId64 "%s%s%s%s%s", r->path,
                         target, r->columns, r->header ? ", '" : "", r->header ? first.text : "",
                         r->header ? "' to '" : "", r->header ? last.text : "", r->header ? "'" : "");
    }
    if (r->columns == 1) return gpis_fail(r->context, GPIS_BAD_SHAPE, "%s: has no column but the target", r->path);
    return GPIS_OK;
}

/* Counts the columns and decides whether the line is a header; if not, it is the first row. */
static gpis_status start_table(reader *r, gpis_span line, const char *target) {
    r->separator = choose_separator(r, line);
    r->first_line = r->text.line;
    gpis_fields f = split(r, line);
    gpis_span field;
    gpis_status status = GPIS_OK;
    double ignored;
    while (status == GPIS_OK && gpis_fields_next(&f, &field)) {
        if (!gpis_parse_number(field, &ignored) && !is_missing(field) && !is_infinite(field)) r->header = true;
        status = keep_word(r, field);
    }
    if (status == GPIS_OK && f.broken) status = broken_quotes(r);
    if (status == GPIS_OK && !(r->names = gpis_source_names(r->context, r->words, r->words_used, r->columns)))
        status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = find_target(r, target);
    if (status != GPIS_OK) return status;
    r->sink->labelled = r->target >= 0;
    r->sink->d = r->columns - (r->target >= 0);
    if (r->header) return GPIS_OK;
    status = gpis_sink_reserve(r->sink, r->sink->d);
    for (int64_t j = 0; status == GPIS_OK && j < r->columns; j++) status = store_value(r, j, name_span(r, j));
    if (status == GPIS_OK) gpis_sink_end_row(r->sink);
    return status;
}

/* ---- the whole file ---------------------------------------------------------------------------------------------- */

static bool is_empty_line(gpis_span line) {
    while (line.begin < line.end && (*line.begin == ' ' || *line.begin == '\t')) line.begin++;
    return line.begin == line.end;
}

static gpis_status read_all(reader *r, const char *target) {
    gpis_status status = gpis_text_open(r->context, r->path, r->sink->options, &r->text);
    int64_t blank = 0; /* the last blank line seen; blank lines are allowed only at the end of the file */
    while (status == GPIS_OK) {
        gpis_span line;
        bool more;
        status = gpis_text_next(&r->text, true, &line, &more);
        if (status != GPIS_OK || !more) break;
        if (is_empty_line(line))
            blank = r->columns ? r->text.line : 0;
        else if (r->columns == 0)
            status = start_table(r, line, target);
        else if (blank)
            status = gpis_fail(r->context, GPIS_BAD_DATA, "%s: line %" PRId64 " is blank; remove it", r->path, blank);
        else
            status = store_row(r, line);
    }
    if (status == GPIS_OK && r->text.after == 1)
        status = gpis_fail(r->context, GPIS_BAD_DATA, "%s: is empty (0 bytes)", r->path);
    if (status == GPIS_OK && r->sink->rows == 0)
        status = gpis_fail(r->context, GPIS_BAD_DATA, "%s: has %s and no rows of numbers", r->path,
                           r->columns ? "a header" : "blank lines only");
    return status;
}

/* The names of the columns of A, without the target's. */
static char **take_names(reader *r) {
    if (!r->header) return NULL;
    if (r->target >= 0) {
        r->columns--;
        memmove(r->names + r->target, r->names + r->target + 1, (size_t)(r->columns - r->target) * sizeof *r->names);
    }
    char **names = r->names;
    r->names = NULL;
    return names;
}

gpis_status gpis_table_parse(gpis_context *context, const char *path, const char *target, gpis_sink *sink,
                             char ***names) {
    reader r = {.context = context, .path = path, .target = -1, .sink = sink};
    *names = NULL;
    const gpis_status status = read_all(&r, target);
    if (status == GPIS_OK) *names = take_names(&r);
    gpis_free(context, r.words);
    gpis_free(context, r.names);
    gpis_text_close(&r.text);
    return status;
}

gpis_status gpis_table_read(gpis_context *context, const char *path, const gpis_open_options *options,
                            gpis_array *out) {
    gpis_sink sink = {.context = context, .options = options};
    char **names;
    *out = (gpis_array){0};
    const gpis_status status = gpis_table_parse(context, path, NULL, &sink, &names);
    if (status == GPIS_OK) {
        *out = (gpis_array){sink.held.values, sink.rows, sink.d, sink.d == 1 ? 1 : 2};
        sink.held.values = NULL;
        gpis_free(context, names);
    }
    gpis_sink_clear(&sink);
    return status;
}
