/*
 * encoding: how the columns of a table become columns of A (see gpis.h). A *raw* row has one number for each column of
 * the table that is used: the value, or of a categorical column the number of the level, or NaN where the field is
 * missing. The row of A has a number for each level but the first in the place of that of the level, and means for NaN.
 */
#ifndef GPIS_SOURCE_ENCODING_H
#define GPIS_SOURCE_ENCODING_H

#include "linalg/dd.h"
#include "source/levels.h"

/* What a categorical column has in addition. */
typedef struct gpis_category {
    gpis_levels levels;
    bool fixed;    /* the levels were given: another one is refused */
    int64_t *rows; /* owned: how many rows have each level; counted where missing fields become means */
    int64_t rows_capacity;
} gpis_category;

typedef struct gpis_encoded {
    const char *name;        /* borrowed from the encoding; NULL: the table has no header */
    int64_t number;          /* in the table, from 1 */
    gpis_category *category; /* owned; NULL: a column of numbers */
    int64_t first;           /* the first column of A that it became; set by gpis_encoding_finish */
} gpis_encoded;

/* What a column has in addition where missing fields become means. */
typedef struct gpis_encoded_mean {
    gpis_dd sum;     /* of the values that are there */
    int64_t present; /* how many there are */
    int64_t missing; /* fields that were missing, in this table */
} gpis_encoded_mean;

struct gpis_encoding {
    gpis_context *context; /* borrowed */
    gpis_missing missing;
    int64_t count;
    gpis_encoded *columns;    /* owned */
    gpis_encoded_mean *means; /* owned: one for each column; NULL: missing fields do not become means */
    char **names;             /* owned: what the names of the columns are borrowed from; NULL: there are none */
    int64_t rows, dropped;    /* of this table */
    bool plain;               /* rows of A are raw rows, as they are; set by gpis_encoding_finish */
    bool applied; /* it was given for this table: the sums and the counts behind the means are those of another */
};

/* An encoding of `count` columns, all of them zero for the caller to set. NULL when there is no memory. */
gpis_encoding *gpis_encoding_new(gpis_context *context, gpis_missing missing, int64_t count);
gpis_status gpis_encoding_add_category(gpis_encoding *encoding, int64_t column);
/* Makes space to count the rows of all levels that the category has by now; new counts are 0. */
gpis_status gpis_category_reserve(gpis_context *context, gpis_category *category);
/* To be called when all levels are known: where the columns of A begin, and whether rows of A are raw rows. */
void gpis_encoding_finish(gpis_encoding *encoding);
/* A copy for a table to which the encoding is applied: its levels and means stay, and its rows are yet to come. */
gpis_status gpis_encoding_copy(gpis_context *context, const gpis_encoding *encoding, gpis_encoding **out);

int64_t gpis_encoding_width(const gpis_encoding *encoding); /* columns of A */
/* A checksum of the levels and means: parts of one table need the same. 0 where there are none. */
uint32_t gpis_encoding_checksum(const gpis_encoding *encoding);
/* The mean of a column of numbers; the share of rows that have a level. */
double gpis_encoding_mean(const gpis_encoding *encoding, int64_t column);
double gpis_encoding_share(const gpis_encoding *encoding, int64_t column, int64_t level);
/* The names of the columns of A, as gpis_source_names makes them. *out is NULL where there are none. */
gpis_status gpis_encoding_names(gpis_context *context, const gpis_encoding *encoding, char ***out);

/* Adds raw rows to the sums and counts (encode.c). */
gpis_status gpis_encoding_count_rows(gpis_encoding *encoding, const double *raw, int64_t rows);
/* Makes rows of A of raw rows, with that many threads at most. */
gpis_status gpis_encode_rows(const gpis_encoding *encoding, const double *raw, int64_t rows, int threads, double *out);

#endif
