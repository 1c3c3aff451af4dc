/* The .npy format, versions 1 to 3: header, whole small arrays in memory, atomic writing. */
#ifndef GPIS_NPY_H
#define GPIS_NPY_H

#include "base/npy_convert.h"

typedef struct gpis_npy_header {
    gpis_npy_stored stored; /* how the file stores its numbers */
    gpis_type type;         /* as what they are used: float64, unless the file has the machine's own float32 */
    gpis_order order;
    int dimensions;     /* 1 or 2 */
    int64_t rows, cols; /* cols is 1 when dimensions is 1 */
    int64_t offset;     /* where the numbers begin, in bytes */
} gpis_npy_header;

/* The header of any array that is not refused is within the first bytes of the file, this many or all of it. */
enum { GPIS_NPY_HEADER_BYTES = 66560 };

/* Parses the header of an open .npy file of `size` bytes, of which the first `available` are at `bytes`, and checks
 * that the file is long enough for its array. Refuses arrays of anything but real numbers, structured and empty arrays,
 * and arrays of more than 2 dimensions, each with a message of its own. `path` is for messages. */
gpis_status gpis_npy_parse(gpis_context *context, const char *path, const unsigned char *bytes, int64_t available,
                           int64_t size, gpis_npy_header *out);

/* If *fd is a pipe, replaces it by a nameless temporary copy, which can be read at any offset. Standard input that is a
 * regular file is not copied. *size: bytes of the file. On failure *fd is unchanged. */
gpis_status gpis_npy_spool(gpis_context *context, const char *path, int *fd, int64_t *size);

/* Reads the whole array as row-major doubles. */
gpis_status gpis_npy_read(gpis_context *context, const char *path, gpis_array *out);

/* Writes the header of an array of up to 3 dimensions, of this machine's own numbers: "f8", "i8", "u1". Returns its
 * length, a multiple of 64. */
enum { GPIS_NPY_WRITTEN_HEADER = 193 };
int64_t gpis_npy_write_header(const char *type, int dimensions, const int64_t *shape,
                              char header[GPIS_NPY_WRITTEN_HEADER]);

/* Writes row-major doubles, all or nothing (gpis_file_replace); with 1 dimension cols must be 1. */
gpis_status gpis_npy_write(gpis_context *context, const char *path, const double *data, int64_t rows, int64_t cols,
                           int dimensions);

/* GPIS_BAD_DATA naming row and column (from 1) of the first NaN or infinity; GPIS_OK if there is none. */
gpis_status gpis_array_finite(gpis_context *context, const char *path, const gpis_array *array);

#endif
