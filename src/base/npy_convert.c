/*
 * Each number is read byte by byte into an unsigned integer, since it may be at any address and in either byte order,
 * and then converted to a double. All floats, bools and integers of up to 32 bits are exact; a longer
 * integer is refused where rounding would change it.
 */
#include "base/npy_convert.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool gpis_npy_is_converted(gpis_npy_stored stored) {
    return stored.kind != GPIS_NPY_FLOAT || stored.width == 2 || stored.swapped;
}

static uint64_t load(gpis_npy_stored stored, const unsigned char *from) {
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (stored.width) {
    case 1: memcpy(&one, from, sizeof one); return one;
    case 2: memcpy(&two, from, sizeof two); return stored.swapped ? __builtin_bswap16(two) : two;
    case 4: memcpy(&four, from, sizeof four); return stored.swapped ? __builtin_bswap32(four) : four;
    default: memcpy(&eight, from, sizeof eight); return stored.swapped ? __builtin_bswap64(eight) : eight;
    }
}

/* IEEE 754 binary16: a sign, 5 bits of exponent and 10 of fraction. */
static double from_half(uint64_t bits) {
    const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    const double size = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
}

static double from_float(int width, uint64_t bits) {
    double wide;
    float narrow;
    const uint32_t low = (uint32_t)bits;
    switch (width) {
    case 2: return from_half(bits);
    case 4: memcpy(&narrow, &low, sizeof narrow); return narrow;
    default: memcpy(&wide, &bits, sizeof wide); return wide;
    }
}

/* 2^63 and 2^64 are doubles to which nearby integers are rounded, and which are too large for the type themselves. */
static bool from_signed(int64_t value, double *out) {
    *out = (double)value;
    return *out < 0x1p63 && (int64_t)*out == value;
}

static bool from_unsigned(uint64_t value, double *out) {
    *out = (double)value;
    return *out < 0x1p64 && (uint64_t)*out == value;
}

/* The sign of an integer of `width` bytes extended to 64 bits. */
static int64_t extend(int width, uint64_t bits) {
    const uint64_t sign = UINT64_C(1) << (8 * width - 1);
    return (int64_t)((bits ^ sign) - sign);
}

static bool convert(gpis_npy_stored stored, uint64_t bits, double *out) {
    switch (stored.kind) {
    case GPIS_NPY_FLOAT: *out = from_float(stored.width, bits); return true;
    case GPIS_NPY_SIGNED: return from_signed(extend(stored.width, bits), out);
    case GPIS_NPY_UNSIGNED: return from_unsigned(bits, out);
    default: *out = bits != 0; return true;
    }
}

/* In place, number i is written to bytes [8 i, 8 i + 8) and the next one is read from (8 - width) count + width (i + 1)
 * on, which is never less. */
int64_t gpis_npy_convert(gpis_npy_stored stored, const void *from, int64_t count, double *out) {
    const unsigned char *at = from;
    for (int64_t i = 0; i < count; i++, at += stored.width) {
        double value;
        if (!convert(stored, load(stored, at), &value)) return i;
        memcpy(out + i, &value, sizeof value);
    }
    return count;
}

gpis_status gpis_npy_inexact(gpis_context *context, const char *path, int64_t row, int64_t col) {
    return gpis_fail(context, GPIS_BAD_DATA,
                     "%s: row %" PRId64 ", column %" PRId64
                     " is an integer beyond 2^53 that float64 cannot hold exactly; scale the column, or save the file "
                     "with astype('f8') to have it rounded",
                     path, row + 1, col + 1);
}
