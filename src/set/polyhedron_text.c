/* The constraints of a polyhedron in words: "age >= 0", "tv + 2 radio <= 0.5", "l1:3". */
#include <math.h>

#include "base/writer.h"
#include "set/kinds.h"
#include "set/polyhedron_state.h"

static void write_term(gpis_writer *w, const char *const *names, int64_t j, double value, bool first) {
    char name[GPIS_NUMBER_TEXT];
    gpis_write_text(w, value < 0.0 ? (first ? "-" : " - ") : first ? "" : " + ");
    if (fabs(value) != 1.0) {
        gpis_write_number(w, fabs(value));
        gpis_write_text(w, " ");
    }
    gpis_write_text(w, gpis_set_entry_name(names, j, name));
}

static void write_limit(gpis_writer *w, double lower, double upper, int side) {
    gpis_write_text(w, lower == upper ? " = " : side > 0 ? " <= " : " >= ");
    gpis_write_number(w, side > 0 ? upper : lower);
}

static void write_row(gpis_writer *w, const gpis_polyhedron *list, const char *const *names, int64_t i, int side) {
    enum { MAX_TERMS = 6 };
    const int64_t terms = list->first[i + 1] - list->first[i];
    if (terms == 0) gpis_write_text(w, "0");
    for (int64_t t = 0; t < terms && t < MAX_TERMS; t++) {
        const int64_t e = list->first[i] + t;
        write_term(w, names, list->column[e], list->value[e], t == 0);
    }
    if (terms > MAX_TERMS) gpis_write_text(w, " + ...");
    write_limit(w, list->lower[i], list->upper[i], side);
}

void gpis_polyhedron_text(const gpis_polyhedron *list, const char *const *names, int64_t constraint, int side,
                          char text[GPIS_CONSTRAINT_TEXT]) {
    gpis_writer w = {text, GPIS_CONSTRAINT_TEXT, 0};
    const int64_t i = constraint - list->d, k = i - list->rows;
    text[0] = '\0';
    if (i < 0) {
        char name[GPIS_NUMBER_TEXT];
        gpis_write_text(&w, gpis_set_entry_name(names, constraint, name));
        write_limit(&w, list->lo[constraint], list->hi[constraint], side);
    } else if (k >= 0) {
        gpis_write_text(&w, list->sum_name[k]);
    } else if (list->row_name[i]) {
        gpis_write_text(&w, list->row_name[i]);
    } else {
        write_row(&w, list, names, i, side);
    }
}
