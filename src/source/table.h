/* Text files of rows and columns. */
#ifndef GPIS_TABLE_H
#define GPIS_TABLE_H

#include "source/encoding.h"
#include "source/sink.h"

/* Parses the table `path` into the sink, as raw rows (encoding.h), by the options of the sink; only finite numbers and
 * NaN for missing fields reach it. *encoding is the caller's. */
gpis_status gpis_table_parse(gpis_context *context, const char *path, gpis_sink *sink, gpis_encoding **encoding);

/* Reads the whole table into memory. Of the options, only format, delimiter, header and the progress function are used.
 */
gpis_status gpis_table_read(gpis_context *context, const char *path, const gpis_open_options *options, gpis_array *out);

#endif
