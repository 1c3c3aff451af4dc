/*
 * columns: the columns of A as texts name them.
 *
 * A list of columns, as in SPEC[COLUMNS] and sum(COLUMNS), has items between commas: a name, a number from 1, a range
 * of numbers 3-7 (or 7-3), or a pattern with stars, price*. A name with commas, brackets, stars or blanks at its ends
 * is in quotes. A name that is also the number of another column has to be written in quotes or, as a number, #3. Where
 * columns have no names they are called x1, x2, ...
 */
#ifndef GPIS_COLUMNS_H
#define GPIS_COLUMNS_H

#include "set/spec.h"

typedef struct gpis_columns {
    int64_t d;
    const char *(*name)(const void *user, int64_t j); /* of column j, from 0; NULL: columns have no names */
    const void *user;                                 /* borrowed, handed to `name` */
} gpis_columns;

/* Finding columns by their names. */
typedef struct gpis_lookup {
    gpis_context *context; /* borrowed */
    gpis_columns columns;
    int64_t *order; /* owned: the columns sorted by name; NULL: not needed so far */
} gpis_lookup;
void gpis_lookup_clear(gpis_lookup *lookup);

/* The name of column j as texts write it: its own, or "x3" in `made`. */
enum { GPIS_MADE_NAME = 24 };
const char *gpis_lookup_name(const gpis_lookup *lookup, int64_t j, char made[GPIS_MADE_NAME]);
/* How many columns have this name, and the first of them. */
gpis_status gpis_lookup_find(gpis_lookup *lookup, gpis_span name, int64_t *first, int64_t *count);
/* The column of this name, which stands at `at` of the spec. Fails where there is none, suggesting the nearest name, or
 * more than one. */
gpis_status gpis_lookup_one(gpis_lookup *lookup, const gpis_spec *spec, const char *at, gpis_span name, int64_t *out);
/* The complaint that there is no such column. */
gpis_status gpis_lookup_fail(const gpis_lookup *lookup, const gpis_spec *spec, const char *at, gpis_span name);

/* Columns in the order in which they were listed, each once. */
typedef struct gpis_selection {
    int64_t *columns; /* owned: gpis_free */
    int64_t count;
} gpis_selection;
/* Reads a list up to the character `close`, which is skipped. */
gpis_status gpis_select_columns(gpis_lookup *lookup, gpis_spec *spec, char close, gpis_selection *out);

/* The columns as a list of numbers, "1-3,6", which reads back as the same; lookup NULL: for columns without names. NULL
 * when there is no memory; gpis_free. */
char *gpis_columns_text(gpis_context *context, gpis_lookup *lookup, const int64_t *columns, int64_t count);

/* The name nearest to `word` (nearest.c): with the fewest typing errors, if they are few; NULL: none is near. */
const char *gpis_lookup_nearest(const gpis_lookup *lookup, gpis_span word);

#endif
