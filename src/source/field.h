/* Fields of a record of a table. */
#ifndef GPIS_SOURCE_FIELD_H
#define GPIS_SOURCE_FIELD_H

#include "source/text.h"

/* How the fields of a table are written. */
typedef struct gpis_dialect {
    char delimiter; /* ' ' stands for any run of blanks */
    char mark;      /* the decimal mark that numbers usually have; of the delimiter ';' it may also be the other one */
    bool header;
    int64_t columns;
} gpis_dialect;

typedef struct gpis_field {
    gpis_span text; /* without blanks at its ends and without its quotes; doubled quotes within are still doubled */
    bool quoted, doubled;
    bool spoilt;   /* there is text behind the closing quote */
    int64_t lines; /* line ends within */
} gpis_field;

/* Cuts the field that begins at `at`. Returns the delimiter or the newline that ends it; of blanks, the last one before
 * the next field. NULL: the field does not end before `limit`, where there is a newline that does not count, or it is
 * spoilt. */
const char *gpis_field_cut(char delimiter, const char *at, const char *limit, gpis_field *out);
/* The end of a field that is not looked at; the same, for a field that is not quoted. */
const char *gpis_field_skip(char delimiter, const char *at, const char *limit);
/* Copies the text, with single quotes for doubled ones, to `to`, which has space for it; returns its length. */
int64_t gpis_field_decode(const gpis_field *field, char *to);

/* Whether the record that begins at `at` is a blank line; *next is then the next one. */
bool gpis_record_is_blank(char delimiter, const char *at, const char *limit, const char **next);

/* What a text is that is neither a number nor missing. */
typedef enum gpis_text_kind {
    GPIS_TEXT_WORD,
    GPIS_TEXT_DATE,  /* 2013-03-01, 1/3/2013, 01.03.13, with a time of day or without, 12:30:05 */
    GPIS_TEXT_ORNATE /* a number with more than a decimal mark: $1.50, 12 %, 1,000 */
} gpis_text_kind;

/* What a text is. */
bool gpis_text_is_missing(gpis_span text);  /* empty, NA, N/A, NaN, null, ?, -, ., #N/A, <NA> */
bool gpis_text_is_infinite(gpis_span text); /* inf, -Infinity */
bool gpis_text_is_number(gpis_span text, char delimiter, double *value,
                         char *mark); /* *mark: the one that it has, or 0 */
gpis_text_kind gpis_text_kind_of(gpis_span text);

/* What messages say about ornate numbers. */
#define GPIS_PLAIN_NUMBERS \
    "write numbers without signs of currency, percent or thousands, and decimal commas only between semicolons"

#endif
