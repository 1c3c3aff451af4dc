/* What becomes of each column of a table. */
#ifndef GPIS_SOURCE_TABLE_PLAN_H
#define GPIS_SOURCE_TABLE_PLAN_H

#include "source/dialect.h"
#include "source/encoding.h"

typedef enum gpis_use {
    GPIS_USE_NOTHING, /* it is skipped */
    GPIS_USE_NUMBER,  /* a number of the raw row */
    GPIS_USE_LEVEL,   /* a level of the raw row */
    GPIS_USE_LABEL    /* a label of the row: the column has a role */
} gpis_use;

typedef struct gpis_table_column {
    gpis_use use;
    int64_t slot;     /* where it goes: the place in the raw row, or among the labels */
    int64_t category; /* of a level: its place among the categorical columns */
} gpis_table_column;

typedef struct gpis_table_plan {
    gpis_context *context; /* borrowed */
    const char *path;      /* borrowed */
    gpis_dialect dialect;
    gpis_missing missing;
    gpis_table_column *columns; /* owned: dialect.columns of them */
    int64_t width;              /* numbers of a raw row */
    int64_t labels;             /* columns that have a role */
    unsigned roles;             /* their roles (source.h) */
    int64_t categories;
    int64_t *category_slots; /* owned: the slot of each categorical column */
    gpis_encoding *encoding; /* owned: its levels and means are found while the rows are read */
} gpis_table_plan;

gpis_status gpis_table_plan_make(const gpis_sample *sample, const gpis_open_options *options, gpis_table_plan *out);
void gpis_table_plan_clear(gpis_table_plan *plan); /* the encoding too */

#endif
