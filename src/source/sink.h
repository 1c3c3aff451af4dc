/*
 * Where the rows of a text file go while it is parsed: into memory, and once they need more than the budget, to the
 * cache of their file. The parser does not see which. For each row it reserves space, writes the row to `held`, and
 * ends it.
 */
#ifndef GPIS_SOURCE_SINK_H
#define GPIS_SOURCE_SINK_H

#include "source/cache.h"

typedef struct gpis_sink {
    gpis_context *context;            /* borrowed */
    const gpis_cache_place *place;    /* borrowed; NULL: there is no cache, and all rows stay in memory */
    const gpis_open_options *options; /* borrowed: those of the table, and the progress function; NULL: none */
    int64_t budget;                   /* bytes that may be held in memory */
    bool sparse;                      /* the rows are compressed */
    int64_t labels;                   /* numbers that each row has besides its entries: y and the like */
    unsigned roles;                   /* what they are: a set of as many roles (source.h) */
    int64_t rows;                     /* rows so far */
    int64_t d;                        /* columns; of compressed rows, the largest column so far */
    int64_t longest;                  /* entries of the longest compressed row so far */
    gpis_cache_rows held;             /* owned: the rows since the last segment of the cache, or all rows */
    int64_t values_capacity, indices_capacity, indptr_capacity, y_capacity;
    gpis_cache_writer *writer; /* owned; NULL: nothing has been written yet */
} gpis_sink;

/* Makes space in `held` for one row with that many entries. */
gpis_status gpis_sink_reserve(gpis_sink *sink, int64_t entries);
/* Adds rows of d entries each, with their labels. */
gpis_status gpis_sink_append(gpis_sink *sink, int64_t rows, const double *values, const double *labels);
/* Makes space for about that many rows in all, if they are to stay in memory: a guess that saves copies. */
gpis_status gpis_sink_expect(gpis_sink *sink, double rows);
/* Makes space for one more entry of the compressed row that is being written. */
gpis_status gpis_sink_extend(gpis_sink *sink);
/* Ends the row: its entries are all that were written to `held` since the row before. */
void gpis_sink_end_row(gpis_sink *sink);
/* After the last row. *fd is the cache, open for reading, or -1 where all rows are in `held`. `encoding`: its text,
 * which the cache keeps. `cached`: the rows go to a cache, whether they fit in memory or not. */
gpis_status gpis_sink_finish(gpis_sink *sink, const char *encoding, bool cached, int *fd);
void gpis_sink_clear(gpis_sink *sink);

#endif
