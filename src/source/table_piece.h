/*
 * A piece of the text of a table, parsed by one thread into raw rows. What it finds wrong is kept, and becomes a
 * message when the pieces are put together in their order: only then are the numbers of lines known.
 */
#ifndef GPIS_SOURCE_TABLE_PIECE_H
#define GPIS_SOURCE_TABLE_PIECE_H

#include "source/table_plan.h"

typedef enum gpis_table_fault {
    GPIS_FAULT_NONE,
    GPIS_FAULT_MISSING,       /* a field is missing */
    GPIS_FAULT_NOT_NUMBER,    /* a field is not a finite number */
    GPIS_FAULT_UNKNOWN_LEVEL, /* a field is none of the levels that were given */
    GPIS_FAULT_FIELDS,        /* the record has another number of fields */
    GPIS_FAULT_QUOTE,         /* there is text after a closing quote */
    GPIS_FAULT_OPEN_QUOTE,    /* a quote is not closed before the end of the text */
    GPIS_FAULT_BLANK,         /* a blank line in a table of one column */
    GPIS_FAULT_MEMORY
} gpis_table_fault;

/* The first fault of a piece, at which it ends. */
typedef struct gpis_table_trouble {
    gpis_table_fault fault;
    int64_t line;        /* from the beginning of the piece, from 0 */
    int64_t column;      /* from 0 */
    int64_t fields;      /* of the record */
    gpis_excerpt text;   /* of the field */
    gpis_text_kind kind; /* of that text */
} gpis_table_trouble;

typedef struct gpis_table_piece {
    gpis_context *context;       /* borrowed */
    const gpis_table_plan *plan; /* borrowed */
    const char *begin, *stop;    /* records that begin in [begin, stop) are parsed */
    const char *limit;           /* of the text; there is a newline there that does not count */
    const char *next;            /* where the first record begins that was not parsed */
    int64_t rows, dropped;
    int64_t lines;  /* line ends before `next` */
    double *values; /* owned: raw rows. Level k of `fresh` is the number -1 - k */
    double *labels; /* owned */
    int64_t values_capacity, labels_capacity;
    gpis_levels *fresh; /* owned: for each categorical column, levels that the encoding does not have yet */
    int64_t *known;     /* owned: how many of them the rows before the current one have */
    char *word;         /* owned: a field without its doubled quotes */
    int64_t word_capacity;
    int64_t point_line, comma_line; /* 1 + line of the first number with that decimal mark; 0: none. Only if the
                                       delimiter is ';' */
    int64_t blank_line; /* 1 + line of the last blank line of a table of one column; 0: none, or rows follow */
    gpis_table_trouble trouble;
    gpis_table_trouble pending; /* a level of the current row that is not known: trouble unless the row is dropped */
} gpis_table_piece;

gpis_status gpis_table_piece_begin(gpis_context *context, const gpis_table_plan *plan, gpis_table_piece *out);
void gpis_table_piece_clear(gpis_table_piece *piece);
/* Parses [begin, stop), from the state that gpis_table_piece_begin has made, or that another call has left. */
void gpis_table_piece_parse(gpis_table_piece *piece, const char *begin, const char *stop, const char *limit);

#endif
