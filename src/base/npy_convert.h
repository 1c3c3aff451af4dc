/* Conversion to doubles of numbers that .npy files do not store as the machine's float64 or float32. */
#ifndef GPIS_NPY_CONVERT_H
#define GPIS_NPY_CONVERT_H

#include "base/base.h"

/* How a .npy file stores one number. */
typedef enum gpis_npy_kind { GPIS_NPY_FLOAT, GPIS_NPY_SIGNED, GPIS_NPY_UNSIGNED, GPIS_NPY_BOOL } gpis_npy_kind;
typedef struct gpis_npy_stored {
    gpis_npy_kind kind;
    int width;    /* bytes: 2, 4 or 8 of a float, 1 to 8 of an integer, 1 of a bool */
    bool swapped; /* in the other byte order than the machine's */
} gpis_npy_stored;

/* Whether such numbers have to be converted: the machine's own float64 and float32 are used as they are. */
bool gpis_npy_is_converted(gpis_npy_stored stored);

/* The offset, in an array of `count` doubles, at which `count` stored numbers end with the array: gpis_npy_convert can
 * convert them there in place. */
static inline int64_t gpis_npy_lead(gpis_npy_stored stored, int64_t count) {
    return count * ((int64_t)sizeof(double) - stored.width);
}

/* Converts `count` stored numbers to doubles. `from` may be inside `out`, at offset gpis_npy_lead. Returns how many
 * were converted: less than `count` if the next one is an integer that no double equals.
 */
int64_t gpis_npy_convert(gpis_npy_stored stored, const void *from, int64_t count, double *out);

/* GPIS_BAD_DATA for such an integer, by row and column counted from 0. */
gpis_status gpis_npy_inexact(gpis_context *context, const char *path, int64_t row, int64_t col);

#endif
