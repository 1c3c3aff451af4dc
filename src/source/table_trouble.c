/* Messages about tables: the file, the line, the column by number and name, and what to do. */
#include "source/table_trouble.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "FILE: line 3, column 2 (b)" */
typedef struct location {
    char text[128];
} location;

static location locate(const gpis_table_place *place, const gpis_table_trouble *t) {
    location l;
    char *const *names = place->sample->names;
    const char *name = names ? names[t->column] : "";
    snprintf(l.text, sizeof l.text, "line %" PRId64 ", column %" PRId64 "%s%s%s", place->line + t->line, t->column + 1,
             names ? " (" : "", gpis_text_excerpt((gpis_span){name, name + strlen(name)}).text, names ? ")" : "");
    return l;
}

static bool is_in_A(const gpis_table_place *place, const gpis_table_trouble *t) {
    return place->plan->columns[t->column].use != GPIS_USE_LABEL;
}

static gpis_status missing(const gpis_table_place *place, const gpis_table_trouble *t) {
    return gpis_fail(place->plan->context, GPIS_BAD_DATA, "%s: %s is missing; fill it in, %s", place->plan->path,
                     locate(place, t).text,
                     is_in_A(place, t)
                         ? "choose option missing drop or mean, or leave the column out with option exclude"
                         : "or choose option missing drop or mean");
}

static gpis_status not_number(const gpis_table_place *place, const gpis_table_trouble *t) {
    const bool in_A = is_in_A(place, t);
    const gpis_span text = {t->text.text, t->text.text + strlen(t->text.text)};
    const char *hint = in_A ? "; correct it, name the column in option categorical, or leave it out with option exclude"
                            : "; correct it, or leave the row out";
    if (t->kind == GPIS_TEXT_DATE)
        hint =
            "; turn dates into numbers first, such as days or the month, or leave the column out with option exclude";
    else if (t->kind == GPIS_TEXT_ORNATE)
        hint = "; " GPIS_PLAIN_NUMBERS;
    else if (gpis_text_is_infinite(text) && in_A)
        hint = "; correct it, empty it where the value is missing, or leave the column out with option exclude";
    return gpis_fail(place->plan->context, GPIS_BAD_DATA, "%s: %s is '%s', not a finite number%s", place->plan->path,
                     locate(place, t).text, t->text.text, hint);
}

static gpis_status unknown_level(const gpis_table_place *place, const gpis_table_trouble *t) {
    const gpis_encoding *e = place->plan->encoding;
    const int64_t slot = place->plan->columns[t->column].slot;
    const gpis_levels *levels = &e->columns[slot].category->levels;
    const gpis_span first = gpis_levels_span(levels, 0), last = gpis_levels_span(levels, levels->count - 1);
    return gpis_fail(
        place->plan->context, GPIS_BAD_DATA, "%s: %s is '%s', which is none of its %" PRId64 " levels, '%s' to '%s'%s",
        place->plan->path, locate(place, t).text, t->text.text, levels->count, gpis_text_excerpt(first).text,
        gpis_text_excerpt(last).text,
        e->applied ? ": nothing is known about it from the table before" : "; list it in option categorical");
}

static gpis_status fields(const gpis_table_place *place, const gpis_table_trouble *t) {
    const gpis_table_plan *p = place->plan;
    const int64_t line = place->line + t->line;
    const char delimiter[] = {p->dialect.delimiter, '\0'};
    if (p->dialect.header && line == place->sample->rows_line && t->fields == p->dialect.columns + 1)
        return gpis_fail(p->context, GPIS_BAD_SHAPE,
                         "%s: line %" PRId64 " has a field more than the names in line %" PRId64
                         "; if it begins with the name of the row, add a name for that column",
                         p->path, line, place->sample->first_line);
    return gpis_fail(
        p->context, GPIS_BAD_SHAPE,
        "%s: line %" PRId64 " has %" PRId64 " fields, line %" PRId64 " has %" PRId64
        "; put fields that contain the delimiter '%s' in double quotes, or name another (option delimiter)",
        p->path, line, t->fields, place->sample->first_line, p->dialect.columns,
        p->dialect.delimiter == '\t' ? "tab" : delimiter);
}

gpis_status gpis_table_complain(const gpis_table_place *place, const gpis_table_trouble *t) {
    gpis_context *context = place->plan->context;
    const char *path = place->plan->path;
    const int64_t line = place->line + t->line;
    switch (t->fault) {
    case GPIS_FAULT_NONE: return GPIS_OK;
    case GPIS_FAULT_MEMORY: return GPIS_NO_MEMORY;
    case GPIS_FAULT_MISSING: return missing(place, t);
    case GPIS_FAULT_NOT_NUMBER: return not_number(place, t);
    case GPIS_FAULT_UNKNOWN_LEVEL: return unknown_level(place, t);
    case GPIS_FAULT_FIELDS: return fields(place, t);
    case GPIS_FAULT_QUOTE:
        return gpis_fail(context, GPIS_BAD_DATA,
                         "%s: line %" PRId64 " has text after a closing quote; double the quotes inside a field", path,
                         line);
    case GPIS_FAULT_OPEN_QUOTE:
        return gpis_fail(context, GPIS_BAD_DATA, "%s: line %" PRId64 " opens a quote that is never closed", path, line);
    case GPIS_FAULT_BLANK:
        return gpis_fail(context, GPIS_BAD_DATA, "%s: line %" PRId64 " is blank; remove it", path, line);
    }
    return GPIS_INTERNAL;
}

gpis_status gpis_table_mixed_marks(const gpis_table_plan *plan, int64_t point_line, int64_t comma_line) {
    return gpis_fail(plan->context, GPIS_BAD_DATA,
                     "%s: line %" PRId64 " has a decimal comma and line %" PRId64
                     " a decimal point; use one of them, and no separators of thousands",
                     plan->path, comma_line, point_line);
}
