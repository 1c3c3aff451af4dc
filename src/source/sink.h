/*
 * Where parsed rows go: to memory, or, once they are more than fits there, to the cache of their file. The parser does
 * not see which: it reserves room for a row, writes it to `held`, and ends it.
 */
#ifndef GPIS_SOURCE_SINK_H
#define GPIS_SOURCE_SINK_H

#include "source/cache.h"

typedef struct gpis_sink {
    gpis_context *context;            /* borrowed */
    const gpis_cache_place *place;    /* borrowed; NULL: all stays in memory */
    const gpis_open_options *options; /* borrowed: format, and who is told of the progress; NULL: nothing is known */
    int64_t room;                     /* bytes that may be held while it grows */
    bool sparse, labelled;            /* compressed rows; each row has a y */
    int64_t rows, d;                  /* rows in all; columns, of compressed rows so far */
    int64_t longest;                  /* entries of the longest compressed row so far */
    gpis_cache_rows held;             /* owned: rows since the last segment, or all */
    int64_t values_capacity, indices_capacity, indptr_capacity, y_capacity;
    gpis_cache_writer *writer; /* owned; NULL: nothing was written yet */
} gpis_sink;

/* Room in `held` for a row with so many entries. */
gpis_status gpis_sink_reserve(gpis_sink *sink, int64_t entries);
/* Room for one entry more of the row under way. */
gpis_status gpis_sink_extend(gpis_sink *sink);
/* The row that ends where `held` ends. */
void gpis_sink_end_row(gpis_sink *sink);
/* *fd is the cache, open for reading, or -1 where all is in `held`. names: of the columns, or NULL. */
gpis_status gpis_sink_finish(gpis_sink *sink, char *const *names, int *fd);
void gpis_sink_clear(gpis_sink *sink);

/* A text format: parses `path` into the sink; *names are the columns', d of them (owned by the caller), or NULL. */
typedef gpis_status (*gpis_parse_fn)(gpis_context *context, const char *path, const char *target, gpis_sink *sink,
                                     char ***names);
/* The file as a source: from its cache where that is good, else parsed, and cached if it must be or is wished. `held`
 * makes a source of what is in memory and takes it out of the sink. */
gpis_status gpis_open_text(gpis_context *context, const char *path, const gpis_open_options *options, bool sparse,
                           gpis_parse_fn parse,
                           gpis_status (*held)(gpis_context *context, const char *path, gpis_sink *sink,
                                               gpis_source **out),
                           gpis_source **out);

#endif
