/* Linear constraints as text that reads back as the same rows. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "set/linear_read.h"

/* A text that grows. */
typedef struct writer {
    gpis_context *context;
    void *text; /* owned */
    int64_t used, capacity;
    gpis_status status;
} writer;

static void write_bytes(writer *w, const char *bytes, size_t length) {
    if (w->status == GPIS_OK)
        w->status = gpis_grow(w->context, &w->text, &w->capacity, w->used, w->used + (int64_t)length + 1, 1);
    if (w->status != GPIS_OK) return;
    char *text = w->text;
    memcpy(text + w->used, bytes, length);
    w->used += (int64_t)length;
    text[w->used] = '\0';
}

static void write_text(writer *w, const char *text) { write_bytes(w, text, strlen(text)); }

static void write_number(writer *w, double value) {
    char text[GPIS_NUMBER_TEXT];
    gpis_number_text(value, text);
    write_text(w, text);
}

/* A name that needs no quotes. */
static bool is_plain(const char *name) {
    if (!isalpha((unsigned char)*name) && *name != '_') return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '.') return false;
    return true;
}

static void write_quoted(writer *w, const char *name) {
    const gpis_span span = {name, name + strlen(name)};
    const size_t length = gpis_quote_encode(span, NULL);
    char *quoted = gpis_alloc(w->context, (int64_t)length + 1, 1);
    if (quoted) {
        gpis_quote_encode(span, quoted);
        write_bytes(w, quoted, length);
    } else {
        w->status = GPIS_NO_MEMORY;
    }
    gpis_free(w->context, quoted);
}

/* The name of the column or, where others have it too, its number. */
static void write_column(writer *w, gpis_lookup *lookup, int64_t j) {
    char made[GPIS_MADE_NAME], number[32];
    const char *name = gpis_lookup_name(lookup, j, made);
    int64_t first, count = 0;
    if (w->status == GPIS_OK)
        w->status = gpis_lookup_find(lookup, (gpis_span){name, name + strlen(name)}, &first, &count);
    snprintf(number, sizeof number, "[#%lld]", (long long)j + 1);
    if (count != 1)
        write_text(w, number);
    else if (is_plain(name))
        write_text(w, name);
    else
        write_quoted(w, name);
}

/* The size of a factor, where it is not 1. */
static void write_factor(writer *w, double factor) {
    if (fabs(factor) == 1) return;
    write_number(w, fabs(factor));
    write_text(w, " ");
}

static bool is_plain_sum(const gpis_linear_term *terms, int64_t count) {
    enum { MIN_TERMS = 4 };
    for (int64_t i = 1; i < count; i++)
        if (terms[i].factor != terms[0].factor) return false;
    return count >= MIN_TERMS;
}

/* sum(1-3,7), with a factor before it. */
static void write_sum(writer *w, gpis_lookup *lookup, const gpis_linear_term *terms, int64_t count) {
    int64_t *columns = gpis_alloc(w->context, count, sizeof *columns);
    for (int64_t i = 0; columns && i < count; i++) columns[i] = terms[i].column;
    char *list = columns ? gpis_columns_text(w->context, lookup, columns, count) : NULL;
    if (!list) w->status = GPIS_NO_MEMORY;
    if (terms[0].factor < 0) write_text(w, "-");
    write_factor(w, terms[0].factor);
    write_text(w, "sum(");
    write_text(w, list ? list : "");
    write_text(w, ")");
    gpis_free(w->context, list);
    gpis_free(w->context, columns);
}

static void write_terms(writer *w, gpis_lookup *lookup, const gpis_linear_term *terms, int64_t count) {
    if (is_plain_sum(terms, count)) {
        write_sum(w, lookup, terms, count);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const bool minus = terms[i].factor < 0;
        write_text(w, i == 0 ? (minus ? "-" : "") : minus ? " - " : " + ");
        write_factor(w, terms[i].factor);
        write_column(w, lookup, terms[i].column);
    }
}

static void write_row(writer *w, const gpis_linear *l, const gpis_linear_row *row) {
    const bool between = isfinite(row->lower) && isfinite(row->upper) && row->lower < row->upper;
    if (between) {
        write_number(w, row->lower);
        write_text(w, " <= ");
    }
    write_terms(w, l->lookup, l->terms + row->first, row->count);
    const bool equal = row->lower == row->upper, below = isfinite(row->upper);
    write_text(w, equal ? " = " : below ? " <= " : " >= ");
    write_number(w, below ? row->upper : row->lower);
}

char *gpis_linear_text(const gpis_linear *l) {
    writer w = {.context = l->lookup->context};
    write_text(&w, "");
    for (int64_t i = 0; i < l->count; i++) {
        if (i > 0) write_text(&w, "; ");
        write_row(&w, l, &l->rows[i]);
    }
    if (w.status == GPIS_OK) return w.text;
    gpis_free(w.context, w.text);
    return NULL;
}
