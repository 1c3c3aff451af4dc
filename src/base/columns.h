/*
 * columns: the columns of a matrix as texts name them.
 *
 * A list of columns has items between commas: a name, a number from 1, a range of numbers 3-7 (or 7-3) or of names
 * age:bmi, or a pattern with stars, price*. A name with commas, brackets, stars or blanks at its ends is in quotes ("a,
 * b", 'a, b' or `a, b`; a doubled quote stands for one). A name that is also the number of another column has to be
 * written in quotes or, as a number, #3. Where columns have no names they are called x1, x2, ...
 */
#ifndef GPIS_COLUMNS_H
#define GPIS_COLUMNS_H

#include "base/number.h"

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
/* The name nearest to `word`, with the fewest typing errors, if they are few; NULL: none is near (nearest.c). */
const char *gpis_lookup_nearest(const gpis_lookup *lookup, gpis_span word);

/* A text in which columns are listed, and what is left of it. Complaints go to `fail`, with their place in the text;
 * what it returns is the status of the call. */
typedef struct gpis_column_text {
    const char *at, *end;
    gpis_status (*fail)(const void *user, const char *at, const char *complaint);
    const void *user; /* borrowed */
} gpis_column_text;

/* The complaint that no column has this name, which stands at `at` of the text; it suggests the nearest one. */
gpis_status gpis_column_text_unknown(const gpis_lookup *lookup, const gpis_column_text *text, const char *at,
                                     gpis_span name);

/* Columns in the order in which they were listed, each once. */
typedef struct gpis_selection {
    gpis_lookup *lookup; /* borrowed */
    int64_t *columns;    /* owned, with space for all columns */
    int64_t count;
    bool *listed; /* owned: for each column, whether it is among them */
} gpis_selection;
gpis_status gpis_selection_begin(gpis_lookup *lookup, gpis_selection *out);
void gpis_selection_clear(gpis_selection *selection); /* a cleared one is fine */
/* Reads one item, up to a character of `stops` or the end, and adds its columns. */
gpis_status gpis_select_item(gpis_selection *selection, gpis_column_text *text, const char *stops);
/* Reads items between commas, up to a character of `stops` or the end; `stops` has the comma among them. */
gpis_status gpis_select_list(gpis_selection *selection, gpis_column_text *text, const char *stops);

/* A word of such a text up to a character of `stops` or the end: blanks at its ends are left out, quotes are taken off.
 * `word` has space for all that is left of the text. */
typedef struct gpis_column_word {
    const char *at; /* where it begins in the text */
    gpis_span word;
    bool stars, quoted; /* it has stars outside quotes, each of which is the byte GPIS_STAR in `word`; it has quotes */
} gpis_column_word;
enum { GPIS_STAR = '\0' };
gpis_status gpis_column_text_word(gpis_column_text *text, const char *stops, char *word, gpis_column_word *out);

#endif
