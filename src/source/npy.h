/* .npy files as sources: what the mapped and the streamed kinds share. */
#ifndef GPIS_SOURCE_NPY_H
#define GPIS_SOURCE_NPY_H

#include "base/file.h"
#include "base/npy.h"
#include "source/stored.h"

/* An open .npy file and what it was when it was opened. */
typedef struct gpis_npy_file {
    int fd; /* owned; -1: none */
    gpis_file_stamp stamp;
    gpis_npy_header header;
} gpis_npy_file;

/* A source that reads the rows anew at each pass. It takes file->fd over (and leaves -1) once there is a source to hold
 * it. */
gpis_status gpis_npy_stream(gpis_context *context, const char *path, gpis_npy_file *file, gpis_source **out);
/* A source that holds the numbers of the file, converted to doubles (npy_converted.c). The file stays the caller's. */
gpis_status gpis_npy_hold(gpis_context *context, const char *path, const gpis_npy_file *file, gpis_source **out);

/* ---- what streamed sources are made of ---- */

/* The state of a streamed source. */
typedef struct gpis_npy_streamed {
    gpis_npy_file file;
    int ahead, nowhere; /* owned: the file once more, to read ahead with, and /dev/null; -1: none */
} gpis_npy_streamed;

int64_t gpis_npy_width(const gpis_source *source); /* bytes of an entry in the file */
/* Whether bytes of the file are in the page cache: looks at their two ends. */
bool gpis_npy_cached(int fd, int64_t offset, int64_t bytes);
/* Brings mapped bytes of the file, from `offset` on, into memory; false when they are not to be had. */
bool gpis_npy_bring(int fd, int64_t offset, const char *map, int64_t bytes);
gpis_status gpis_npy_unmappable(const gpis_source *source);                        /* mmap failed, by errno */
gpis_status gpis_npy_gone(const gpis_source *source, int64_t row0, int64_t nrows); /* says that rows are lost */
gpis_status gpis_npy_unchanged(gpis_source *source);
void gpis_npy_destroy(gpis_source *source);

/* Row after row, converted to doubles (npy_converted.c). */
extern const gpis_source_class gpis_npy_converted;

/* Column after column: mapped (npy_columns.c), or read (npy_pieces.c) where windows are too short for that. */
extern const gpis_source_class gpis_npy_columns, gpis_npy_pieces;
/* Whether to map under such a memory limit (0: none). */
bool gpis_npy_columns_pay(const gpis_npy_header *header, int64_t limit);
int64_t gpis_npy_piece(const gpis_source *source, int64_t nrows); /* bytes of so many rows of a column */
int64_t gpis_npy_offset(const gpis_source *source, int64_t row0, int64_t column); /* of a piece in the file */
/* These rows will be wanted soon: tells the system, unless they are cached. */
void gpis_npy_announce(const gpis_source *source, int64_t row0, int64_t nrows);

#endif
