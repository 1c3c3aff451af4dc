/*
 * libhdf5 as the HDF5 sources use it: opening files, describing data sets, reading their rows by whole chunks.
 *
 * libhdf5 has global state and, in many builds, no locks. So every use is between gpis_h5_enter and gpis_h5_leave,
 * which admit one thread at a time and keep libhdf5 from printing its error stack; gpis_h5_leave restores its printing.
 * All other functions below are called in between. Only the files hdf5_*.c include this header. They are compiled where
 * libhdf5 is installed; elsewhere hdf5_absent.c replaces them.
 */
#ifndef GPIS_SOURCE_HDF5_H
#define GPIS_SOURCE_HDF5_H

#define H5_USE_18_API 1 /* so that newer versions offer the functions of the oldest one in use */
#include <hdf5.h>

#include "base/base.h"
#include "base/file.h"

typedef struct gpis_h5_guard {
    H5E_auto2_t print; /* the function that printed errors before */
    void *data;
} gpis_h5_guard;
gpis_h5_guard gpis_h5_enter(void);
void gpis_h5_leave(gpis_h5_guard guard);

/* The innermost error of the libhdf5 call that has just failed, in libhdf5's words. */
typedef struct gpis_h5_words {
    char text[160];
} gpis_h5_words;
gpis_h5_words gpis_h5_reason(void);

void gpis_h5_close(hid_t id); /* any kind of object; does nothing if the id is negative */
/* The file descriptor of the file that holds a data set. Borrowed from libhdf5; -1: there is none. */
int gpis_h5_descriptor(hid_t set);

/* Opens the file that the first `length` characters of `path` name. */
gpis_status gpis_h5_open(gpis_context *context, const char *path, size_t length, hid_t *file);

/* ---- what a data set is (hdf5_describe.c) ------------------------------------------------------------------------ */

enum { GPIS_H5_RANK = 8 }; /* dimensions that are described; data sets with more are refused anyway */
typedef struct gpis_h5_shape {
    int rank; /* number of dimensions; -1: the data set is empty. Only the first GPIS_H5_RANK sizes are recorded */
    int64_t size[GPIS_H5_RANK];
    int64_t chunk[GPIS_H5_RANK]; /* all 0: not chunked */
    bool number;                 /* integers or floats */
    bool narrow;                 /* floats of at most 32 bits, which float32 holds exactly */
    bool filtered;               /* chunks are compressed or otherwise filtered */
    char type[24];               /* "float64" */
    char filters[64];            /* "shuffle, gzip" */
} gpis_h5_shape;
void gpis_h5_describe(hid_t set, gpis_h5_shape *out);
/* GPIS_OK if libhdf5 has all filters of the data set. `name` is for messages, here and below. */
gpis_status gpis_h5_check_filters(gpis_context *context, const char *name, hid_t set);

/* ---- what a file holds (hdf5_list.c) ----------------------------------------------------------------------------- */

/* Rows and columns of a group of compressed rows; false if it does not give its shape. */
bool gpis_h5_csr_shape(hid_t group, int64_t *n, int64_t *d);

/* Calls report(user, ...) for everything in the file, in the order of names. Damaged files are refused: those with
 * groups that are nested too deeply, or that contain each other without end. `path` is for messages. */
gpis_status gpis_h5_list(gpis_context *context, const char *path, hid_t file, gpis_content_fn report, void *user);

/* Opens the object at `inside` or, if that is NULL, the only one in the file that can be A (for `array`: the only one
 * of numbers in one or two dimensions). On failure the message lists what the file holds. */
gpis_status gpis_h5_find(gpis_context *context, const char *path, hid_t file, const char *inside, bool array,
                         hid_t *object);

/* ---- rows of a data set (hdf5_rows.c) ---------------------------------------------------------------------------- */

typedef struct gpis_h5_rows {
    hid_t set;     /* owned */
    hid_t type;    /* as in memory; libhdf5's own */
    int64_t n;     /* rows, or elements of a 1-D set */
    int64_t width; /* elements of a row */
    int64_t row_bytes;
    int64_t band; /* rows of a chunk if chunks are filtered, else 0 */
    char *tail;   /* owned: one decoded band, rows tail_row .. tail_row + tail_rows - 1; NULL until it is needed */
    int64_t tail_row, tail_rows;
    int64_t decoding;      /* bytes in the account of memory for what libhdf5 allocates to decode a chunk */
    gpis_file_stamp stamp; /* of the file, when the rows were reserved */
} gpis_h5_rows;

/* A view of a 1-D or 2-D data set, which it owns from then on. A cleared view has set < 0. */
void gpis_h5_rows_start(hid_t set, const gpis_h5_shape *shape, hid_t type, gpis_h5_rows *out);
/* Allocates what reading by windows needs; refuses chunks that need more than `budget` bytes. */
gpis_status gpis_h5_rows_reserve(gpis_context *context, const char *name, gpis_h5_rows *rows, int64_t budget);
/* Reads rows row0 .. row0 + nrows - 1 to `to`. Calls in ascending order decode no chunk twice. */
gpis_status gpis_h5_rows_read(gpis_context *context, const char *name, gpis_h5_rows *rows, int64_t row0, int64_t nrows,
                              void *to);
/* GPIS_IO if the file has changed since the rows were reserved. */
gpis_status gpis_h5_rows_unchanged(gpis_context *context, const char *name, const gpis_h5_rows *rows);
void gpis_h5_rows_close(gpis_context *context, gpis_h5_rows *rows);

#endif
