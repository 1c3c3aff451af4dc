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

static void write_row(writer *w, const gpis_linear *l, const gpis_linear_row *row) {
    const bool between = isfinite(row->lower) && isfinite(row->upper) && row->lower < row->upper;
    if (between) {
        write_number(w, row->lower);
        write_text(w, " <= ");
    }
    for (int64_t i = 0; i < row->count; i++) {
        const gpis_linear_term *term = &l->terms[row->first + i];
        const double size = fabs(term->factor);
        if (i > 0) write_text(w, term->factor < 0 ? " - " : " + ");
        if (i == 0 && term->factor < 0) write_text(w, "-");
        if (size != 1) {
            write_number(w, size);
            write_text(w, " ");
        }
        write_column(w, l->lookup, term->column);
    }
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
