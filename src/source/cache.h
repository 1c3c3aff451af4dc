/*
 * The cache of a text file: its numbers in binary, so that it is parsed once. Layout, in the byte order of the machine:
 *
 *     header     gpis_cache_header: what it is, of which file, with checksums; written last
 *     segments   rows in groups of about 1 MB. Dense: y (if there is a target), then the rows. Compressed rows: y, the
 *                rows' starts (relative, one more than rows), values, columns (int32)
 *     footer     a gpis_cache_segment for each segment; the target it was made with; the names of the columns, if any
 *
 * It is good for a file of the same size and time of change whose bytes (all of them, as they lie on the disk) have the
 * same digest, and only while its own checksums are right: those of header and footer, and that of each segment, are
 * checked when it is opened. One that is not good, or of another version, is made anew.
 *
 * Checksums do not tell who has written a cache. So one is believed only if it belongs to this user or to the owner of
 * the original, who could have changed that as well, and if nobody else may write to it; and those that are made here
 * are made so.
 */
#ifndef GPIS_SOURCE_CACHE_H
#define GPIS_SOURCE_CACHE_H

#include <limits.h>

#include "base/digest.h"
#include "base/file.h"
#include "source/source.h"

enum { GPIS_CACHE_VERSION = 2, GPIS_CACHE_SEGMENT = 1 << 20 };

typedef struct gpis_cache_header {
    char magic[8];
    uint32_t version, byte_order;
    int64_t sparse, labelled; /* compressed rows; y inside */
    int64_t rows, cols, entries, segments;
    int64_t footer, footer_bytes; /* where it begins; the file ends behind it */
    gpis_file_stamp original;
    unsigned char original_digest[GPIS_DIGEST_BYTES];
    uint32_t footer_crc;
    uint32_t header_crc; /* of all bytes before it */
} gpis_cache_header;

typedef struct gpis_cache_segment {
    int64_t row0, rows, entries, offset;
    uint32_t crc, reserved;
} gpis_cache_segment;

/* Which file the cache is of, and where it lies. */
typedef struct gpis_cache_place {
    const char *path;   /* of the original, borrowed */
    const char *target; /* borrowed, or NULL */
    bool regular;       /* else it is read in order, once, and its cache is a temporary file without a name */
    bool wanted;        /* a folder was named: make one in any case */
    gpis_file_stamp stamp;
    uid_t owner; /* of the original */
    mode_t mode; /* of the cache, when it is made */
    char cache[PATH_MAX];
} gpis_cache_place;
gpis_status gpis_cache_find_place(gpis_context *context, const char *path, const gpis_open_options *options,
                                  gpis_cache_place *out);

/* Rows on their way to the cache, or as they were parsed: `y` and, unless sparse, `indptr` and `indices` are NULL. */
typedef struct gpis_cache_rows {
    int64_t rows, entries;
    double *y, *values;
    int64_t *indptr; /* rows + 1 */
    int32_t *indices;
} gpis_cache_rows;

/* ---- writing (cache_write.c) ------------------------------------------------------------------------------------- */

typedef struct gpis_cache_writer gpis_cache_writer;
gpis_status gpis_cache_begin(gpis_context *context, const gpis_cache_place *place, bool sparse,
                             gpis_cache_writer **out);
/* One segment: rows [first, first + count) of `rows`. */
gpis_status gpis_cache_add(gpis_cache_writer *writer, const gpis_cache_rows *rows, int64_t first, int64_t count,
                           int64_t cols);
/* Footer and header; the cache takes its name. *fd is open for reading, and the caller's. names: cols of them, or NULL.
 */
gpis_status gpis_cache_finish(gpis_cache_writer *writer, int64_t cols, char *const *names, int *fd);
/* Whether the file of the cache could not be written; NULL is fine. */
bool gpis_cache_failed(const gpis_cache_writer *writer);
void gpis_cache_abandon(gpis_cache_writer *writer); /* NULL is fine; what is not finished is removed */

/* ---- reading (cache_read.c, cache_source.c) ---------------------------------------------------------------------- */

typedef struct gpis_cache {
    int fd; /* owned */
    gpis_cache_header header;
    gpis_cache_segment *segments; /* owned */
    char *text;                   /* owned: the words of the footer */
    gpis_file_stamp stamp;        /* of the cache itself */
} gpis_cache;

/* *found: a good cache was opened. A cache that is not good is no failure. */
gpis_status gpis_cache_open(gpis_context *context, const gpis_cache_place *place, gpis_cache *out, bool *found);
/* The cache just written, at fd, which is taken over. */
gpis_status gpis_cache_take(gpis_context *context, const gpis_cache_place *place, int fd, gpis_cache *out);
void gpis_cache_close(gpis_context *context, gpis_cache *cache);
/* Rows as a block in memory that begins at `to`, which has gpis_cache_bytes of them; y may be NULL. */
int64_t gpis_cache_bytes(const gpis_cache *cache, int64_t row0, int64_t nrows);
gpis_status gpis_cache_read(gpis_context *context, const char *name, const gpis_cache *cache, int64_t row0,
                            int64_t nrows, void *to, gpis_block *out);
gpis_status gpis_cache_read_y(gpis_context *context, const char *name, const gpis_cache *cache, double *y);

/* A source over it: held in memory if it takes at most `budget` bytes, else streamed. Takes the cache over in any case.
 */
gpis_status gpis_cache_source(gpis_context *context, const gpis_cache_place *place, gpis_cache *cache, int64_t budget,
                              gpis_source **out);

#endif
