/*
 * libhdf5 as the HDF5 sources see it: files, data sets in words, and their rows by whole chunks.
 *
 * libhdf5 has global state and, in many builds, no locks. So every use stands between gpis_h5_enter and gpis_h5_leave,
 * which let one thread in at a time and keep libhdf5 from printing its error stack; afterwards it prints again, if it
 * did before. All functions below but those two are called inside. Only the files hdf5_*.c include this header, and
 * they are compiled where libhdf5 is at hand; elsewhere hdf5_absent.c stands for them.
 */
#ifndef GPIS_SOURCE_HDF5_H
#define GPIS_SOURCE_HDF5_H

#define H5_USE_18_API 1 /* newer versions then offer the functions of the oldest that is still about */
#include <hdf5.h>

#include "base/base.h"
#include "base/file.h"

typedef struct gpis_h5_guard {
    H5E_auto2_t print; /* what printed errors before */
    void *data;
} gpis_h5_guard;
gpis_h5_guard gpis_h5_enter(void);
void gpis_h5_leave(gpis_h5_guard guard);

/* The innermost error of the libhdf5 call that failed just now, in its own words. */
typedef struct gpis_h5_words {
    char text[160];
} gpis_h5_words;
gpis_h5_words gpis_h5_reason(void);

void gpis_h5_close(hid_t id);
/* The descriptor of the file that a data set lies in. Borrowed from libhdf5; -1: there is none. */
int gpis_h5_descriptor(hid_t set); /* any kind of object; negative: none */

/* Opens the file that the first `length` characters of `path` name. */
gpis_status gpis_h5_open(gpis_context *context, const char *path, size_t length, hid_t *file);

/* ---- what a data set is (hdf5_describe.c) ----------------------------------------------------------------------- */

enum { GPIS_H5_RANK = 8 }; /* of what is described; more dimensions are refused anyway */
typedef struct gpis_h5_shape {
    int rank; /* -1: holds nothing; more than GPIS_H5_RANK: only so many are told */
    int64_t size[GPIS_H5_RANK];
    int64_t chunk[GPIS_H5_RANK]; /* all 0: not chunked */
    bool number;                 /* integers or floats */
    bool narrow;                 /* floats that float32 holds exactly */
    bool filtered;               /* chunks are compressed or otherwise filtered */
    char type[24];               /* "float64" */
    char filters[64];            /* "shuffle, gzip" */
} gpis_h5_shape;
void gpis_h5_describe(hid_t set, gpis_h5_shape *out);
/* GPIS_OK if libhdf5 has all filters that the data set went through. `name` is for messages, here and below. */
gpis_status gpis_h5_check_filters(gpis_context *context, const char *name, hid_t set);

/* ---- what a file holds (hdf5_list.c) ---------------------------------------------------------------------------- */

/* Whether the object is a group of data, indices and indptr. */
bool gpis_h5_is_csr(hid_t object);
/* Rows and columns of such a group; false where it does not tell. */
bool gpis_h5_csr_shape(hid_t group, int64_t *n, int64_t *d);

/* Tells all there is in the file, in the order of names. Damaged files are refused: groups that are nested too deep, or
 * that hold each other without end. `path` is for messages. */
gpis_status gpis_h5_list(gpis_context *context, const char *path, hid_t file, gpis_content_fn tell, void *user);

/* The object at `inside`, or, where that is NULL, the only one that can be A (or, for an array, the only one of numbers
 * in at most two dimensions). On failure the message lists what is there. */
gpis_status gpis_h5_find(gpis_context *context, const char *path, hid_t file, const char *inside, bool array,
                         hid_t *object);

/* ---- rows of a data set (hdf5_rows.c) --------------------------------------------------------------------------- */

typedef struct gpis_h5_rows {
    hid_t set;     /* owned */
    hid_t type;    /* as in memory; libhdf5's own */
    int64_t n;     /* rows, or elements of a 1-D set */
    int64_t width; /* elements of a row */
    int64_t row_bytes;
    int64_t band; /* height of the chunks where they are filtered, else 0 */
    char *tail;   /* owned: one band decoded, rows tail_row .. tail_row + tail_rows - 1; NULL until it is needed */
    int64_t tail_row, tail_rows;
    int64_t beside;        /* bytes in the context's account for what libhdf5 takes to decode a chunk */
    gpis_file_stamp stamp; /* of the file, when the rows were reserved */
} gpis_h5_rows;

/* A view of a 1-D or 2-D data set, which it then owns; out->set < 0 is a cleared one. */
void gpis_h5_rows_start(hid_t set, const gpis_h5_shape *shape, hid_t type, gpis_h5_rows *out);
/* Takes what memory reading by windows needs; refuses chunks that take more than `budget` bytes. */
gpis_status gpis_h5_rows_reserve(gpis_context *context, const char *name, gpis_h5_rows *rows, int64_t budget);
/* Rows row0 .. row0 + nrows - 1 to `to`. Calls in ascending order decode no chunk twice. */
gpis_status gpis_h5_rows_read(gpis_context *context, const char *name, gpis_h5_rows *rows, int64_t row0, int64_t nrows,
                              void *to);
/* GPIS_IO if the file has changed since the rows were reserved. */
gpis_status gpis_h5_rows_unchanged(gpis_context *context, const char *name, const gpis_h5_rows *rows);
void gpis_h5_rows_close(gpis_context *context, gpis_h5_rows *rows);

#endif
