/* A text file of numbers in rows and columns. */
#ifndef GPIS_TABLE_H
#define GPIS_TABLE_H

#include "source/sink.h"

/* `target`: name or number (from 1) of a column that is the rows' y, or NULL. A gpis_parse_fn: what reaches the sink is
 * always finite; *names is NULL when the file has no header. */
gpis_status gpis_table_parse(gpis_context *context, const char *path, const char *target, gpis_sink *sink,
                             char ***names);

/* The whole table in memory; of the options the format and the progress count. */
gpis_status gpis_table_read(gpis_context *context, const char *path, const gpis_open_options *options, gpis_array *out);

/* Frees names[0 .. count - 1] and the array itself. */
void gpis_table_free_names(gpis_context *context, char **names, int64_t count);

#endif
