/* The dialect of a table, from its first lines. */
#ifndef GPIS_SOURCE_DIALECT_H
#define GPIS_SOURCE_DIALECT_H

#include "source/field.h"

/* What the first lines of a table show. */
typedef struct gpis_sample {
    gpis_context *context; /* borrowed */
    const char *path;      /* borrowed */
    gpis_dialect dialect;
    int64_t first_line;           /* number of the first record's line */
    const char *rows;             /* where the first row begins, behind the header */
    int64_t rows_line;            /* number of its line */
    char **names;                 /* owned: of the columns; NULL: there is no header */
    struct gpis_sampled *columns; /* owned: what the columns of the sample hold */
} gpis_sample;

/* A column in the first lines, without the header. */
typedef struct gpis_sampled {
    gpis_excerpt text;   /* the first text that is neither a number nor missing; "": there is none */
    int64_t line;        /* where that is */
    bool number;         /* there are numbers */
    gpis_text_kind kind; /* of that text */
    bool text_on_top;    /* the field of the first line is text */
    bool empty_on_top;   /* it is missing */
} gpis_sampled;

/* Looks at the records in [begin, limit), the beginning of the file; at `limit` there is a newline that does not count.
 * `whole`: the file has no more. *enough is false where there are not two complete records. */
gpis_status gpis_sample_take(gpis_context *context, const char *path, const gpis_open_options *options,
                             const char *begin, const char *limit, bool whole, gpis_sample *out, bool *enough);
void gpis_sample_clear(gpis_sample *sample);

#endif
