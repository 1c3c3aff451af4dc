/* The constraints of a polyhedron in words: "age >= 0", "tv + 2 radio <= 0.5", "l1:3". */
#include <math.h>
#include <string.h>

#include "set/kinds.h"
#include "set/polyhedron_state.h"

/* A text that is written piece by piece; what does not fit is left out. */
typedef struct writer {
    char *text;
    size_t used;
} writer;

static void write_text(writer *w, const char *text) {
    gpis_copy_text(w->text + w->used, GPIS_CONSTRAINT_TEXT - w->used, text);
    w->used += strlen(w->text + w->used);
}

static void write_term(writer *w, const char *const *names, int64_t j, double value, bool first) {
    char number[GPIS_NUMBER_TEXT], name[GPIS_NUMBER_TEXT];
    write_text(w, value < 0.0 ? (first ? "-" : " - ") : first ? "" : " + ");
    if (fabs(value) != 1.0) {
        gpis_number_text(fabs(value), number);
        write_text(w, number);
        write_text(w, " ");
    }
    write_text(w, gpis_set_entry_name(names, j, name));
}

static void write_limit(writer *w, double lower, double upper, int side) {
    char number[GPIS_NUMBER_TEXT];
    gpis_number_text(side > 0 ? upper : lower, number);
    write_text(w, lower == upper ? " = " : side > 0 ? " <= " : " >= ");
    write_text(w, number);
}

static void write_row(writer *w, const gpis_polyhedron *list, const char *const *names, int64_t i, int side) {
    enum { MAX_TERMS = 6 };
    const int64_t terms = list->first[i + 1] - list->first[i];
    if (terms == 0) write_text(w, "0");
    for (int64_t t = 0; t < terms && t < MAX_TERMS; t++) {
        const int64_t e = list->first[i] + t;
        write_term(w, names, list->column[e], list->value[e], t == 0);
    }
    if (terms > MAX_TERMS) write_text(w, " + ...");
    write_limit(w, list->lower[i], list->upper[i], side);
}

void gpis_polyhedron_text(const gpis_polyhedron *list, const char *const *names, int64_t constraint, int side,
                          char text[GPIS_CONSTRAINT_TEXT]) {
    writer w = {text, 0};
    const int64_t i = constraint - list->d, k = i - list->rows;
    text[0] = '\0';
    if (i < 0) {
        char name[GPIS_NUMBER_TEXT];
        write_text(&w, gpis_set_entry_name(names, constraint, name));
        write_limit(&w, list->lo[constraint], list->hi[constraint], side);
    } else if (k >= 0) {
        write_text(&w, list->sum_name[k]);
    } else if (list->row_name[i]) {
        write_text(&w, list->row_name[i]);
    } else {
        write_row(&w, list, names, i, side);
    }
}
