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

/* Names from `words`, texts with a NUL behind each, `bytes` bytes in all: pointers and a copy of the texts in one piece
 * of memory, so that millions of short names take little more than their letters. NULL when there is no memory. */
char **gpis_table_names(gpis_context *context, const char *words, int64_t bytes, int64_t count);

#endif
