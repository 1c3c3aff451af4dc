/*
 * Bounds from a table in text: name, lower, upper. A field may be in quotes; an empty one, or inf with its sign, is no
 * bound. The first line is a header if it has text where the others have numbers. A name that no column has, and one
 * that comes twice, are refused with their line.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/text.h"
#include "source/field.h"
#include "source/text.h"

typedef struct bounds_file {
    gpis_lookup lookup;
    gpis_text text;
    double *lower, *upper; /* owned: d entries each */
    int64_t *line;         /* owned: where the bounds of a column stand; 0: nowhere so far */
    void *record;          /* owned: a copy of the line, with two line ends */
    int64_t room;          /* of it */
    char delimiter;        /* NUL before the first line */
    bool first;            /* the line is the first one, which may be a header */
} bounds_file;

static gpis_status fail_line(const bounds_file *f, const char *what, gpis_span field) {
    return gpis_fail(f->lookup.context, GPIS_BAD_DATA, "%s: line %" PRId64 ": %s '%s'", f->text.path, f->text.line,
                     what, gpis_text_excerpt(field).text);
}

/* True where the field is a bound; an empty field leaves *bound as it is. */
static bool parse_bound(gpis_span field, double *bound) {
    double value;
    if (field.begin == field.end) return true;
    const double sign = *field.begin == '-' ? -1.0 : 1.0;
    const gpis_span size = {field.begin + (*field.begin == '-' || *field.begin == '+'), field.end};
    if (gpis_text_is(size, "inf") || gpis_text_is(size, "infinity"))
        value = sign * INFINITY;
    else if (!gpis_parse_number(field, &value) || !isfinite(value))
        return false;
    *bound = value == 0 ? 0 : value;
    return true;
}

static gpis_status fail_name(const bounds_file *f, gpis_span name) {
    const char *nearest = gpis_lookup_nearest(&f->lookup, name);
    return gpis_fail(f->lookup.context, GPIS_BAD_DATA, "%s: line %" PRId64 ": there is no column '%s'%s%.40s%s",
                     f->text.path, f->text.line, gpis_text_excerpt(name).text, nearest ? "; did you mean '" : "",
                     nearest ? nearest : "", nearest ? "'?" : "");
}

/* The column of a name, or of a number where columns have no names. */
static gpis_status find_column(bounds_file *f, gpis_span name, int64_t *column) {
    int64_t count, number;
    const gpis_status status = gpis_lookup_find(&f->lookup, name, column, &count);
    if (status != GPIS_OK) return status;
    if (count > 1)
        return gpis_fail(f->lookup.context, GPIS_BAD_DATA, "%s: line %" PRId64 ": %" PRId64 " columns are called '%s'",
                         f->text.path, f->text.line, count, gpis_text_excerpt(name).text);
    if (count == 0) {
        const bool is_number = !f->lookup.columns.name && gpis_parse_count(name, &number);
        if (!is_number || number < 1 || number > f->lookup.columns.d) return fail_name(f, name);
        *column = number - 1;
    }
    if (f->line[*column] > 0)
        return gpis_fail(f->lookup.context, GPIS_BAD_DATA,
                         "%s: line %" PRId64 ": column '%s' has its bounds in line %" PRId64 " already", f->text.path,
                         f->text.line, gpis_text_excerpt(name).text, f->line[*column]);
    f->line[*column] = f->text.line;
    return GPIS_OK;
}

static gpis_status take_line(bounds_file *f, const gpis_span field[3]) {
    double lower = -INFINITY, upper = INFINITY;
    int64_t j = 0;
    const bool low = parse_bound(field[1], &lower), high = parse_bound(field[2], &upper), first = f->first;
    f->first = false;
    if (first && !low && !high) return GPIS_OK; /* the header */
    if (!low) return fail_line(f, "expected a lower bound, found", field[1]);
    if (!high) return fail_line(f, "expected an upper bound, found", field[2]);
    const gpis_status status = find_column(f, field[0], &j);
    if (status != GPIS_OK) return status;
    if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY)
        return fail_line(f, "no number is between the bounds of", field[0]);
    f->lower[j] = lower;
    f->upper[j] = upper;
    return GPIS_OK;
}

/* The delimiter: the first of these that ends the first field of the line; a comma if none does. */
static char find_delimiter(const char *line, const char *limit) {
    static const char candidates[] = ",;\t";
    for (const char *c = candidates; *c; c++) {
        gpis_field field;
        const char *end = gpis_field_cut(*c, line, limit, &field);
        if (end && *end == *c) return *c;
    }
    return ',';
}

/* Cuts the line into up to four fields, whose quotes are removed in place. Returns how many there are; -1: the quotes
 * of one are not closed, or have text behind them. */
static int cut_line(const bounds_file *f, const char *limit, gpis_span field[4]) {
    const char *at = f->record;
    for (int count = 0; count < 4;) {
        gpis_field cut;
        const char *end = gpis_field_cut(f->delimiter, at, limit, &cut);
        if (!end) return -1;
        char *text = (char *)f->record + (cut.text.begin - (const char *)f->record);
        field[count++] = (gpis_span){text, text + gpis_field_decode(&cut, text)};
        if (*end == '\n') return count;
        at = end + 1;
    }
    return 4;
}

static gpis_status read_line(bounds_file *f, gpis_span line) {
    const int64_t length = line.end - line.begin;
    gpis_span field[4];
    const gpis_status status = gpis_grow(f->lookup.context, &f->record, &f->room, 0, length + 2, 1);
    if (status != GPIS_OK) return status;
    char *record = f->record, *limit = record + length + 1;
    memcpy(record, line.begin, (size_t)length);
    record[length] = *limit = '\n';
    if (!f->delimiter) f->delimiter = find_delimiter(record, limit);
    const int count = cut_line(f, limit, field);
    if (count < 0)
        return gpis_fail(f->lookup.context, GPIS_BAD_DATA,
                         "%s: line %" PRId64 " has text after a closing quote; double the quotes inside a field",
                         f->text.path, f->text.line);
    if (count == 3) return take_line(f, field);
    return gpis_fail(f->lookup.context, GPIS_BAD_DATA,
                     "%s: line %" PRId64 " has %s fields; it needs three: name, lower, upper", f->text.path,
                     f->text.line, count > 3 ? "too many" : "too few");
}

static bool is_blank(gpis_span line) {
    while (line.begin < line.end && (*line.begin == ' ' || *line.begin == '\t')) line.begin++;
    return line.begin == line.end;
}

static gpis_status read_lines(bounds_file *f, const char *path) {
    gpis_status status = gpis_text_open(f->lookup.context, path, NULL, &f->text);
    bool more = true;
    for (f->first = true; status == GPIS_OK;) {
        gpis_span line;
        status = gpis_text_next(&f->text, true, &line, &more);
        if (status != GPIS_OK || !more) break;
        if (!is_blank(line)) status = read_line(f, line);
    }
    gpis_text_close(&f->text);
    return status;
}

static gpis_status make_set(bounds_file *f, const char *path, int64_t k, gpis_set **out) {
    const int64_t d = f->lookup.columns.d;
    f->lower = gpis_alloc(f->lookup.context, d, sizeof *f->lower);
    f->upper = gpis_alloc(f->lookup.context, d, sizeof *f->upper);
    f->line = gpis_alloc_zero(f->lookup.context, d, sizeof *f->line);
    if (!f->lower || !f->upper || !f->line) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < d; j++) {
        f->lower[j] = -INFINITY;
        f->upper[j] = INFINITY;
    }
    gpis_set *s = NULL;
    gpis_status status = read_lines(f, path);
    if (status == GPIS_OK) status = gpis_set_box(f->lookup.context, f->lower, f->upper, d, &s);
    if (status == GPIS_OK) status = gpis_set_name_entries(&f->lookup, s);
    if (status == GPIS_OK) status = gpis_set_responses(s, k);
    if (status == GPIS_OK)
        *out = s;
    else
        gpis_set_destroy(s);
    return status;
}

gpis_status gpis_set_read_bounds(gpis_context *context, const char *path, const gpis_problem *problem, gpis_set **out) {
    gpis_status status = gpis_text_check(context, problem, out);
    if (status != GPIS_OK) return status;
    if (!path) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the name of the file of bounds is NULL");
    bounds_file f = {.lookup = {context, gpis_text_columns(problem), NULL}};
    status = make_set(&f, path, gpis_text_responses(problem), out);
    gpis_lookup_clear(&f.lookup);
    gpis_free(context, f.lower);
    gpis_free(context, f.upper);
    gpis_free(context, f.line);
    gpis_free(context, f.record);
    return status;
}
