/*
 * The cache of a text file: its numbers in binary, so that it is parsed once. Layout, in the byte order of the machine:
 *
 * - header: a gpis_cache_header with the format, the original file and checksums; it is written last;
 * - segments: rows in groups of about 1 MB;
 * - footer: a gpis_cache_segment for each segment; the options the cache was made with; the encoding of a table.
 *
 * A segment of dense rows holds their labels, if there are any, and the rows. One of compressed rows holds labels, the
 * starts of the rows (rows + 1 of them, relative to the segment), values and columns (int32). Rows of a table are raw
 * rows (encoding.h).
 *
 * A cache is valid for a file of the same size and time of change whose bytes have the same digest, and only while its
 * own checksums are right: those of header, footer and every segment are checked when it is opened. An invalid cache,
 * or one of another version, is replaced by a new one.
 *
 * Checksums do not show who has written a cache. So a cache is trusted only if it belongs to this user or to the owner
 * of the original, who could have changed that as well, and if nobody else may write to it. Caches are created with
 * such permissions.
 */
#ifndef GPIS_SOURCE_CACHE_H
#define GPIS_SOURCE_CACHE_H

#include <limits.h>

#include "base/digest.h"
#include "base/file.h"
#include "source/source.h"

enum {
    GPIS_CACHE_VERSION = 4,
    GPIS_CACHE_SEGMENT = 1 << 20 /* bytes of a segment, about */
};

typedef struct gpis_cache_header {
    char magic[8];
    uint32_t version, byte_order;
    int64_t sparse, labels; /* compressed rows; numbers for each row besides its entries */
    int64_t roles;          /* what these are (source.h) */
    int64_t rows, cols, entries, segments;
    int64_t footer, footer_bytes; /* offset and length; the footer ends the file */
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
    const char *path; /* of the original, borrowed */
    char *key;        /* owned: the options that its content depends on, as text */
    bool regular; /* a regular file; else a pipe, which is read once, and whose cache is a nameless temporary file */
    bool wanted;  /* the caller has named a folder: write a cache even if the rows fit in memory */
    gpis_file_stamp stamp;
    uid_t owner; /* of the original */
    mode_t mode; /* of the cache, when it is made */
    char cache[PATH_MAX];
} gpis_cache_place;
gpis_status gpis_cache_find_place(gpis_context *context, const char *path, const gpis_open_options *options,
                                  gpis_cache_place *out);
void gpis_cache_place_clear(gpis_context *context, gpis_cache_place *place);

/* Parsed rows. `y` is NULL where there are no labels; `indptr` and `indices` are NULL for dense rows. */
typedef struct gpis_cache_rows {
    int64_t rows, entries;
    double *y, *values;
    int64_t *indptr; /* rows + 1 */
    int32_t *indices;
} gpis_cache_rows;

/* ---- writing (cache_write.c) ------------------------------------------------------------------------------------- */

typedef struct gpis_cache_writer gpis_cache_writer;
gpis_status gpis_cache_begin(gpis_context *context, const gpis_cache_place *place, bool sparse, unsigned roles,
                             gpis_cache_writer **out);
/* Writes rows [first, first + count) of `rows` as one segment. */
gpis_status gpis_cache_add(gpis_cache_writer *writer, const gpis_cache_rows *rows, int64_t first, int64_t count,
                           int64_t cols, int64_t labels);
/* Writes footer and header and gives the cache its name. *fd, open for reading, is the caller's. `encoding`: its text,
 * "" for none. */
gpis_status gpis_cache_finish(gpis_cache_writer *writer, int64_t cols, const char *encoding, int *fd);
/* True if writing the file has failed. The writer may be NULL. */
bool gpis_cache_failed(const gpis_cache_writer *writer);
void gpis_cache_abandon(gpis_cache_writer *writer); /* may be NULL; removes an unfinished cache */

/* ---- reading (cache_read.c, cache_source.c) ---------------------------------------------------------------------- */

typedef struct gpis_cache {
    int fd; /* owned */
    gpis_cache_header header;
    gpis_cache_segment *segments; /* owned */
    char *text;                   /* owned: the key, and behind it the text of the encoding */
    gpis_file_stamp stamp;        /* of the cache itself */
} gpis_cache;

/* *found: a valid cache was opened. That there is none, or an invalid one, is no failure. */
gpis_status gpis_cache_open(gpis_context *context, const gpis_cache_place *place, gpis_cache *out, bool *found);
/* Opens the cache just written, at fd, which *out then owns. */
gpis_status gpis_cache_take(gpis_context *context, const gpis_cache_place *place, int fd, gpis_cache *out);
void gpis_cache_close(gpis_context *context, gpis_cache *cache);
/* Reads rows as a block into the memory at `to`, which has gpis_cache_bytes bytes. */
int64_t gpis_cache_bytes(const gpis_cache *cache, int64_t row0, int64_t nrows);
gpis_status gpis_cache_read(gpis_context *context, const char *name, const gpis_cache *cache, int64_t row0,
                            int64_t nrows, void *to, gpis_block *out);
gpis_status gpis_cache_read_y(gpis_context *context, const char *name, const gpis_cache *cache, double *y);

/* A source of its rows: held in memory if they take at most `budget` bytes, else read at each pass. It owns the cache
 * from then on, also after a failure. */
gpis_status gpis_cache_source(gpis_context *context, const gpis_cache_place *place, gpis_cache *cache, int64_t budget,
                              gpis_source **out);

#endif
