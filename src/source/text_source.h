/* Opening text files: what the formats share once a parser for their lines is given. */
#ifndef GPIS_TEXT_SOURCE_H
#define GPIS_TEXT_SOURCE_H

#include "source/encoding.h"
#include "source/sink.h"

/* What a text format supplies. */
typedef struct gpis_text_format {
    bool sparse; /* its rows are compressed */
    /* Parses the file into the sink, by the options of the sink. *encoding, of a table, is the caller's; NULL: none. */
    gpis_status (*parse)(gpis_context *context, const char *path, gpis_sink *sink, gpis_encoding **encoding);
    /* Makes a source of the rows that the sink holds, and takes their arrays out of it. */
    gpis_status (*hold)(gpis_context *context, const char *path, gpis_sink *sink, const gpis_encoding *encoding,
                        gpis_source **out);
} gpis_text_format;

gpis_status gpis_text_source_open(gpis_context *context, const char *path, const gpis_open_options *options,
                                  const gpis_text_format *format, gpis_source **out);

#endif
