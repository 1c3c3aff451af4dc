/* .npy files as sources: mapped as a whole (npy.c), held after a conversion (npy_converted.c), or read at each pass. */
#ifndef GPIS_SOURCE_NPY_H
#define GPIS_SOURCE_NPY_H

#include "base/file.h"
#include "base/npy.h"
#include "source/stored.h"

/* An open .npy file, with its size and time of change when it was opened. */
typedef struct gpis_source_npy_file {
    int fd; /* owned; -1: none */
    gpis_file_stamp stamp;
    gpis_npy_header header;
} gpis_source_npy_file;

/* A source that reads the rows anew at each pass. It takes over file->fd, and leaves -1 there, once there is a source
 * to own it. */
gpis_status gpis_source_npy_stream(gpis_context *context, const char *path, gpis_source_npy_file *file,
                                   gpis_source **out);
/* A source that holds the numbers of the file, converted to doubles. The file stays the caller's. */
gpis_status gpis_source_npy_hold(gpis_context *context, const char *path, const gpis_source_npy_file *file,
                                 gpis_source **out);

/* ---- the kinds of source that gpis_source_npy_stream chooses from, beside the two of its own file ---- */

extern const gpis_source_class gpis_source_npy_converted; /* row-major, converted to doubles (npy_converted.c) */
extern const gpis_source_class gpis_source_npy_columns;   /* column-major, mapped (npy_columns.c) */
extern const gpis_source_class gpis_source_npy_pieces;    /* column-major, read piece by piece (npy_pieces.c) */

/* Whether the columns of the file can be mapped, and whether windows under this memory limit (0: there is none) are
 * long enough for mappings to be worth their cost. */
bool gpis_source_npy_may_map_columns(const gpis_npy_header *header, int64_t limit);

/* ---- what these kinds share (npy_shared.c) ---- */

/* Their state. */
typedef struct gpis_source_npy_streamed {
    gpis_source_npy_file file;
    int ahead_fd, null_fd; /* owned: the file opened once more, to read ahead with, and /dev/null; -1: none */
} gpis_source_npy_streamed;

int64_t gpis_source_npy_width(const gpis_source *source); /* bytes of an entry in the file */
/* Whether bytes of the file are in the page cache, judged by the first and the last of them. */
bool gpis_source_npy_is_cached(int fd, int64_t offset, int64_t bytes);
/* Brings bytes of the file, from `offset` on, which are mapped at `map`, into memory; false if they cannot be read. */
bool gpis_source_npy_populate(int fd, int64_t offset, const char *map, int64_t bytes);
/* Failures, in words: mmap has failed, with errno; these rows are no longer in the file. */
gpis_status gpis_source_npy_map_failed(const gpis_source *source);
gpis_status gpis_source_npy_rows_lost(const gpis_source *source, int64_t row0, int64_t nrows);
/* Functions of their classes. */
gpis_status gpis_source_npy_unchanged(gpis_source *source);
void gpis_source_npy_destroy(gpis_source *source);

/* Of a column-major file: the bytes of nrows rows of one column, and where row row0 of a column is in the file. */
int64_t gpis_source_npy_piece_bytes(const gpis_source *source, int64_t nrows);
int64_t gpis_source_npy_piece_offset(const gpis_source *source, int64_t row0, int64_t column);
/* Asks the system to read these rows of all columns ahead, unless they are in the page cache. */
void gpis_source_npy_announce_pieces(const gpis_source *source, int64_t row0, int64_t nrows);

#endif
