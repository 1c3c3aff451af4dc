/*
 * The parser of tables. Most fields are numbers that a delimiter follows at once: for these a record is read in one go
 * from left to right. All others, quoted, missing or wrong, are cut out first and looked at then.
 */
#include "source/table_piece.h"

#include <math.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

gpis_status gpis_table_piece_begin(gpis_context *context, const gpis_table_plan *plan, gpis_table_piece *p) {
    *p = (gpis_table_piece){.context = context, .plan = plan};
    p->fresh = gpis_alloc_zero(context, plan->categories, sizeof *p->fresh);
    p->known = gpis_alloc_zero(context, plan->categories, sizeof *p->known);
    if (!p->fresh || !p->known) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < plan->categories; i++) p->fresh[i].context = context;
    return GPIS_OK;
}

void gpis_table_piece_clear(gpis_table_piece *p) {
    for (int64_t i = 0; p->fresh && i < p->plan->categories; i++) gpis_levels_clear(&p->fresh[i]);
    gpis_free(p->context, p->fresh);
    gpis_free(p->context, p->known);
    gpis_free(p->context, p->values);
    gpis_free(p->context, p->labels);
    gpis_free(p->context, p->word);
    *p = (gpis_table_piece){.context = p->context};
}

/* Threads take memory one at a time, since a failure writes a message. */
static bool grow_values(gpis_table_piece *p, double **values, int64_t *capacity, int64_t used, int64_t wanted) {
    gpis_status status = GPIS_OK;
    void *memory = *values;
#pragma omp critical(gpis_table_memory)
    status = gpis_grow(p->context, &memory, capacity, used, wanted, sizeof **values);
    *values = memory;
    if (status != GPIS_OK) p->trouble.fault = GPIS_FAULT_MEMORY;
    return status == GPIS_OK;
}

static bool make_space(gpis_table_piece *p) {
    const int64_t width = p->plan->width, labels = p->plan->labels, rows = p->rows + 1;
    return (rows * width <= p->values_capacity ||
            grow_values(p, &p->values, &p->values_capacity, p->rows * width, rows * width)) &&
           (rows * labels <= p->labels_capacity ||
            grow_values(p, &p->labels, &p->labels_capacity, p->rows * labels, rows * labels));
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static gpis_table_trouble trouble_at(const gpis_table_piece *p, gpis_table_fault fault, int64_t column,
                                     gpis_span text) {
    return (gpis_table_trouble){.fault = fault,
                                .line = p->lines,
                                .column = column,
                                .text = gpis_text_excerpt(text),
                                .kind = gpis_text_kind_of(text)};
}

/* NULL, so that a parser can return it. */
static const char *stop_at(gpis_table_piece *p, gpis_table_fault fault, int64_t column, gpis_span text) {
    p->trouble = trouble_at(p, fault, column, text);
    return NULL;
}

/* A field that cannot be cut: it is spoilt, or the text ends before it does. */
static const char *stop_at_field(gpis_table_piece *p, const gpis_field *field) {
    if (field->spoilt)
        stop_at(p, GPIS_FAULT_QUOTE, 0, field->text);
    else if (!p->trouble.fault)
        p->trouble = (gpis_table_trouble){.fault = GPIS_FAULT_OPEN_QUOTE, .line = p->lines};
    return NULL;
}

/* Another number of fields than there should be: `before` of them are read, and the record goes on at `at`, if it does.
 */
static const char *stop_at_count(gpis_table_piece *p, int64_t before, const char *at) {
    gpis_field field;
    int64_t fields = before;
    while (at) {
        at = gpis_field_cut(p->plan->dialect.delimiter, at, p->limit, &field);
        if (!at) return stop_at_field(p, &field);
        fields++;
        if (*at == '\n') break;
        at++;
    }
    p->trouble = (gpis_table_trouble){.fault = GPIS_FAULT_FIELDS, .line = p->lines, .fields = fields};
    return NULL;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* The record that is being read. */
typedef struct record {
    double *values, *labels;
    int64_t lines; /* line ends within its fields */
    bool drop;
} record;

/* What happens to a row where a field is missing; false: the table is refused. */
static bool take_missing(gpis_table_piece *p, record *r, int64_t column, gpis_span text, double *to) {
    const bool label = p->plan->columns[column].use == GPIS_USE_LABEL;
    *to = NAN;
    if (p->plan->missing == GPIS_MISSING_ERROR) {
        stop_at(p, GPIS_FAULT_MISSING, column, text);
        return false;
    }
    if (p->plan->missing == GPIS_MISSING_DROP || label) r->drop = true;
    return true;
}

/* Notes which decimal marks a table has whose delimiter is ';'. */
static void note_mark(gpis_table_piece *p, char mark) {
    if (mark == '.' && !p->point_line) p->point_line = 1 + p->lines;
    if (mark == ',' && !p->comma_line) p->comma_line = 1 + p->lines;
}

/* A number that is not of the common form. */
static const char *read_field_number(gpis_table_piece *p, record *r, int64_t column, const char *at, double *to) {
    const gpis_dialect *dialect = &p->plan->dialect;
    gpis_field field;
    char mark;
    const char *end = gpis_field_cut(dialect->delimiter, at, p->limit, &field);
    if (!end) return stop_at_field(p, &field);
    r->lines += field.lines;
    if (gpis_text_is_number(field.text, dialect->delimiter, to, &mark) && isfinite(*to)) {
        if (dialect->delimiter == ';') note_mark(p, mark);
        return end;
    }
    if (gpis_text_is_missing(field.text)) return take_missing(p, r, column, field.text, to) ? end : NULL;
    return stop_at(p, GPIS_FAULT_NOT_NUMBER, column, field.text);
}

/* A number, in quotes or not, with blanks around it or not, and the delimiter or the newline that follows. */
static inline const char *read_number(gpis_table_piece *p, record *r, int64_t column, const char *begin, double *to) {
    const gpis_dialect *dialect = &p->plan->dialect;
    const char *at = begin;
    while (*at == ' ') at++;
    const bool quoted = *at == '"';
    const char *end = gpis_scan_number(at + quoted, p->limit, dialect->mark, to);
    if (end && dialect->delimiter != ' ') {
        const bool noted = dialect->delimiter != ';' || (dialect->mark == '.' ? p->point_line : p->comma_line) > 0;
        if (!noted && memchr(at, dialect->mark, (size_t)(end - at))) note_mark(p, dialect->mark);
        if (quoted) end = *end == '"' ? end + 1 : p->limit;
        while (*end == ' ') end++;
        if (*end == '\r' && end < p->limit && end[1] == '\n') end++;
        if ((*end == dialect->delimiter || *end == '\n') && end < p->limit && isfinite(*to)) return end;
    }
    return read_field_number(p, r, column, begin, to);
}

/* The text of a field without its doubled quotes; false: there is no memory. */
static bool decode(gpis_table_piece *p, const gpis_field *field, gpis_span *out) {
    *out = field->text;
    if (!field->doubled) return true;
    gpis_status status = GPIS_OK;
    void *memory = p->word;
#pragma omp critical(gpis_table_memory)
    status = gpis_grow(p->context, &memory, &p->word_capacity, 0, field->text.end - field->text.begin, 1);
    p->word = memory;
    if (status != GPIS_OK) p->trouble.fault = GPIS_FAULT_MEMORY;
    if (status != GPIS_OK) return false;
    *out = (gpis_span){p->word, p->word + gpis_field_decode(field, p->word)};
    return true;
}

/* Adds a level that the encoding does not have. */
static bool add_level(gpis_table_piece *p, int64_t category, gpis_span text) {
    gpis_status status = GPIS_OK;
#pragma omp critical(gpis_table_memory)
    status = gpis_levels_add(&p->fresh[category], text);
    if (status != GPIS_OK) p->trouble.fault = GPIS_FAULT_MEMORY;
    return status == GPIS_OK;
}

static const char *read_level(gpis_table_piece *p, record *r, int64_t column, const char *at, double *to) {
    const gpis_table_column *plan = &p->plan->columns[column];
    const gpis_category *category = p->plan->encoding->columns[plan->slot].category;
    gpis_field field;
    gpis_span text;
    const char *end = gpis_field_cut(p->plan->dialect.delimiter, at, p->limit, &field);
    if (!end) return stop_at_field(p, &field);
    r->lines += field.lines;
    if (!decode(p, &field, &text)) return NULL;
    if (gpis_text_is_missing(text)) return take_missing(p, r, column, text, to) ? end : NULL;
    const int64_t known = gpis_levels_find(&category->levels, text);
    *to = (double)known;
    if (known >= 0) return end;
    if (category->fixed) {
        if (!p->pending.fault) p->pending = trouble_at(p, GPIS_FAULT_UNKNOWN_LEVEL, column, text);
        return end;
    }
    const int64_t fresh = gpis_levels_find(&p->fresh[plan->category], text);
    if (fresh < 0 && !add_level(p, plan->category, text)) return NULL;
    *to = -1.0 - (double)(fresh < 0 ? p->fresh[plan->category].count - 1 : fresh);
    return end;
}

static const char *skip_field(gpis_table_piece *p, record *r, const char *at) {
    const char delimiter = p->plan->dialect.delimiter;
    gpis_field field;
    if (delimiter != ' ' && *at != '"' && *at != ' ' && *at != '\t') {
        const char *end = gpis_field_skip(delimiter, at, p->limit);
        return end ? end : stop_at_field(p, &(gpis_field){0});
    }
    const char *end = gpis_field_cut(delimiter, at, p->limit, &field);
    r->lines += field.lines;
    return end ? end : stop_at_field(p, &field);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* All columns are read, and a delimiter follows: fine if nothing comes behind it. */
static const char *end_after_delimiter(gpis_table_piece *p, const char *at) {
    gpis_field field;
    const int64_t columns = p->plan->dialect.columns;
    const char *end = gpis_field_cut(p->plan->dialect.delimiter, at, p->limit, &field);
    if (!end) return stop_at_field(p, &field);
    if (*end == '\n' && !field.quoted && field.text.begin == field.text.end) return end;
    return stop_at_count(p, columns, at);
}

/* Reads the fields of a record; returns the newline that ends it, or NULL. */
static const char *read_fields(gpis_table_piece *p, record *r, const char *at) {
    const gpis_table_column *columns = p->plan->columns;
    const int64_t count = p->plan->dialect.columns;
    for (int64_t j = 0; j < count; j++) {
        const gpis_table_column *column = &columns[j];
        switch (column->use) {
        case GPIS_USE_NUMBER: at = read_number(p, r, j, at, r->values + column->slot); break;
        case GPIS_USE_LABEL: at = read_number(p, r, j, at, r->labels + column->slot); break;
        case GPIS_USE_LEVEL: at = read_level(p, r, j, at, r->values + column->slot); break;
        case GPIS_USE_NOTHING: at = skip_field(p, r, at); break;
        }
        if (!at) return NULL;
        if (*at == '\n') return j + 1 == count ? at : stop_at_count(p, j + 1, NULL);
        at++;
    }
    return end_after_delimiter(p, at);
}

/* Keeps the row, or forgets it together with the levels that only it has. False: it has a level that is not known. */
static bool end_row(gpis_table_piece *p, const record *r) {
    if (p->pending.fault && !r->drop) {
        p->trouble = p->pending;
        return false;
    }
    p->pending.fault = GPIS_FAULT_NONE;
    for (int64_t i = 0; i < p->plan->categories; i++) {
        if (r->drop) gpis_levels_cut(&p->fresh[i], p->known[i]);
        p->known[i] = p->fresh[i].count;
    }
    if (r->drop)
        p->dropped++;
    else
        p->rows++;
    return true;
}

/* A blank line is skipped; but in a table of one column it might be a missing field, so only blank lines at the end of
 * the file are. */
static bool skip_blank(gpis_table_piece *p) {
    const char *next;
    if (!gpis_record_is_blank(p->plan->dialect.delimiter, p->next, p->limit, &next)) return false;
    p->next = next;
    if (p->plan->dialect.columns == 1) p->blank_line = 1 + p->lines;
    p->lines++;
    return true;
}

void gpis_table_piece_parse(gpis_table_piece *p, const char *begin, const char *stop, const char *limit) {
    p->begin = p->next = begin;
    p->stop = stop;
    p->limit = limit;
    p->rows = p->dropped = p->lines = p->point_line = p->comma_line = p->blank_line = 0;
    p->trouble = p->pending = (gpis_table_trouble){0};
    for (int64_t i = 0; i < p->plan->categories; i++) {
        gpis_levels_cut(&p->fresh[i], 0);
        p->known[i] = 0;
    }
    while (p->next < stop) {
        if (skip_blank(p)) continue;
        if (p->blank_line) {
            p->trouble = (gpis_table_trouble){.fault = GPIS_FAULT_BLANK, .line = p->blank_line - 1};
            return;
        }
        if (!make_space(p)) return;
        record r = {.values = p->values + p->rows * p->plan->width};
        if (p->labels) r.labels = p->labels + p->rows * p->plan->labels;
        const char *end = read_fields(p, &r, p->next);
        if (!end || !end_row(p, &r)) return;
        p->lines += 1 + r.lines;
        p->next = end + 1;
    }
}
