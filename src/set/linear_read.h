/*
 * linear: linear constraints as text, "2 x2 - x1 >= 0", "0.1 <= price <= 0.4", "sum(w*) = 1".
 *
 *     CONSTRAINT  SUM RELATION SUM { RELATION SUM }      <=, >=, = (==), all of one direction
 *     SUM         [+|-] PRODUCT { +|- PRODUCT }
 *     PRODUCT     FACTOR { * FACTOR | / FACTOR }         "2 x" is "2 * x"; one factor at most has columns
 *     FACTOR      NUMBER | NAME | "NAME" | [COLUMN] | sum(COLUMNS) | (SUM) | - FACTOR
 *
 * NAME is a word of letters, digits, '_' and '.'; other names are in quotes. COLUMNS are those of columns.h.
 */
#ifndef GPIS_LINEAR_READ_H
#define GPIS_LINEAR_READ_H

#include "set/columns.h"

typedef struct gpis_linear_term {
    int64_t column;
    double factor;
} gpis_linear_term;

/* lower <= sum of the terms <= upper. The columns of the terms ascend, and no factor is 0. */
typedef struct gpis_linear_row {
    int64_t first, count; /* its terms, among those of all rows */
    double lower, upper;
    char *text; /* owned: as it was written, without the blanks around it */
} gpis_linear_row;

/* The constraints read so far. All of it is owned: gpis_linear_clear. */
typedef struct gpis_linear {
    gpis_lookup *lookup; /* borrowed */
    gpis_linear_row *rows;
    int64_t count, row_capacity;
    gpis_linear_term *terms;
    int64_t term_count, term_capacity;
    char *always_true; /* the first constraint that holds for every x; NULL: none does */
} gpis_linear;

/* Adds what [spec->at, spec->end) says: a row for each relation, or for two of them with numbers on both sides. */
gpis_status gpis_linear_add(gpis_linear *linear, gpis_spec *spec);
void gpis_linear_clear(gpis_linear *linear);

/* Terms of one side of a relation, of which a column may have several. */
typedef struct gpis_linear_side {
    const gpis_linear_term *terms; /* borrowed */
    int64_t count;
} gpis_linear_side;
/* Adds lower <= sides[0] - sides[1] <= upper (linear_rows.c). `text` is where it stands in the spec. A row that names
 * no column, or that no x satisfies, is refused. */
gpis_status gpis_linear_add_row(gpis_linear *linear, const gpis_spec *spec, const gpis_linear_side sides[2],
                                double lower, double upper, gpis_span text);

/* The rows as a text that reads back as the same, "x1 >= 0.03; x2 + x3 <= 0"; NULL when there is no memory; gpis_free
 * (linear_text.c). */
char *gpis_linear_text(const gpis_linear *linear);

#endif
