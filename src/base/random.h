/*
 * Counter-based random numbers: Philox4x32-10 of Random123. A number is a pure function of (seed, stream, index), so
 * entry i can be computed by any thread, in any order, on any machine of a cluster.
 */
#ifndef GPIS_RANDOM_H
#define GPIS_RANDOM_H

#include <Random123/philox.h>

#include "base/base.h"

/* Streams keep uses apart: the purpose in the high bits, a round number below. */
enum {
    GPIS_STREAM_USER = 0,
    GPIS_STREAM_SKETCH = 1,
    GPIS_STREAM_MIX = 2,
    GPIS_STREAM_PROBE = 3,
    GPIS_STREAM_SHUFFLE = 4,
    GPIS_STREAM_FOLD = 5
};
static inline uint64_t gpis_stream(int purpose, uint64_t round) { return ((uint64_t)purpose << 56) ^ round; }

typedef struct gpis_bits {
    uint32_t v[4];
} gpis_bits;

static inline gpis_bits gpis_random_bits(uint64_t seed, uint64_t stream, uint64_t index) {
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t counter = {
        {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    const philox4x32_ctr_t r = philox4x32(counter, key);
    return (gpis_bits){{r.v[0], r.v[1], r.v[2], r.v[3]}};
}

/* A whole number in [0, bound), by multiplication: the bias is below bound / 2^32. */
static inline uint32_t gpis_random_below(uint32_t bits, uint32_t bound) {
    return (uint32_t)(((uint64_t)bits * bound) >> 32);
}

#endif
