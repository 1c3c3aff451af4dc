/* The fields of a line of a table in text: between separators, and in double quotes where they hold one. */
#ifndef GPIS_FIELDS_H
#define GPIS_FIELDS_H

#include "base/number.h"

/* What is left of a line. `open` distinguishes "a," (a second, empty field follows) from "a" (none does). */
typedef struct gpis_fields {
    char *at, *end;
    char separator; /* ' ' stands for any run of blanks */
    bool open;      /* true at the beginning of a line */
    bool broken;    /* text follows a closing quote, or a quote is not closed */
} gpis_fields;

/* Cuts off the next field, without its quotes, which are removed in place; false: there is none, or f->broken. */
bool gpis_fields_next(gpis_fields *f, gpis_span *field);

/* The first of the candidates that occurs in the line outside quotes; NUL if none does. */
char gpis_fields_separator(gpis_span line, const char *candidates);

#endif
