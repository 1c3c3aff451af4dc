/* Text files of numbers in rows and columns. */
#ifndef GPIS_TABLE_H
#define GPIS_TABLE_H

#include "source/sink.h"

/* Parses the table `path` into the sink (see gpis_text_format); only finite numbers reach it. `target` is the name, or
 * the number from 1, of the column that is y, or NULL. *names is NULL when the file has no header. */
gpis_status gpis_table_parse(gpis_context *context, const char *path, const char *target, gpis_sink *sink,
                             char ***names);

/* Reads the whole table into memory. Of the options, only the format and the progress function are used. */
gpis_status gpis_table_read(gpis_context *context, const char *path, const gpis_open_options *options, gpis_array *out);

#endif
