/* Uniform and normal numbers from Philox bits. */
#include "base/random.h"

#include <math.h>

/* 53 bits, strictly inside (0, 1): the logarithm below must not see 0. */
static double open_uniform(uint32_t high, uint32_t low) {
    const uint64_t bits = ((uint64_t)high << 32 | low) >> 11;
    return ((double)bits + 0.5) * 0x1p-53;
}

void gpis_random_uniform(uint64_t seed, uint64_t stream, uint64_t first, int64_t count, double *out) {
    for (int64_t i = 0; out && i < count; i++) {
        const uint64_t index = first + (uint64_t)i;
        const gpis_bits b = gpis_random_bits(seed, stream, index >> 1);
        out[i] = (index & 1) ? open_uniform(b.v[2], b.v[3]) : open_uniform(b.v[0], b.v[1]);
    }
}

/* Box-Muller: one block of bits gives the pair of normal numbers (2p, 2p + 1). */
static void normal_pair(uint64_t seed, uint64_t stream, uint64_t pair, double z[2]) {
    const gpis_bits b = gpis_random_bits(seed, stream, pair);
    const double radius = sqrt(-2.0 * log(open_uniform(b.v[0], b.v[1])));
    const double angle = 6.283185307179586476925 * open_uniform(b.v[2], b.v[3]);
    z[0] = radius * cos(angle);
    z[1] = radius * sin(angle);
}

void gpis_random_normal(uint64_t seed, uint64_t stream, uint64_t first, int64_t count, double *out) {
    double z[2];
    int64_t i = 0;
    if (!out) return;
    if (count > 0 && (first & 1)) {
        normal_pair(seed, stream, first >> 1, z);
        out[i++] = z[1];
    }
    for (; i + 2 <= count; i += 2) normal_pair(seed, stream, (first + (uint64_t)i) >> 1, out + i);
    if (i < count) {
        normal_pair(seed, stream, (first + (uint64_t)i) >> 1, z);
        out[i] = z[0];
    }
}
