/* A text file of numbers in rows and columns, read whole. */
#ifndef GPIS_TABLE_H
#define GPIS_TABLE_H

#include "base/base.h"

typedef struct gpis_table {
    double *data; /* owned: rows x cols, row-major; always finite */
    int64_t rows, cols;
    double *target; /* owned: the column taken out of the table, or NULL */
    char **names;   /* owned: cols names, or NULL when the file has no header */
} gpis_table;

/* `target`: name or number (from 1) of a column to take out, or NULL. *out is cleared first. */
gpis_status gpis_table_read(gpis_context *context, const char *path, const char *target, gpis_table *out);
void gpis_table_clear(gpis_context *context, gpis_table *table);

/* Frees names[0 .. count - 1] and the array itself. */
void gpis_table_free_names(gpis_context *context, char **names, int64_t count);

#endif
