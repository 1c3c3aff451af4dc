/* A problem whose numbers take far more space in memory than in text files: entries of A are digits, y small integers.
 */
#ifndef TESTS_DIGITS_H
#define TESTS_DIGITS_H

#include <stdint.h>

static inline int digit(int64_t i, int64_t j) {
    const uint64_t mixed = ((uint64_t)i * 0x9E3779B97F4A7C15u) ^ ((uint64_t)(j + 1) * 0xC2B2AE3D27D4EB4Fu);
    return (int)((mixed * 0xD6E8FEB86659FD93u >> 40) % 10);
}

/* Some columns, and noise. */
static inline int label(int64_t i, int64_t d) {
    return digit(i, 0) - 2 * digit(i, d / 2) + digit(i, d - 1) + digit(i, d);
}

#endif
