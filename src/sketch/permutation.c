/*
 * A Feistel network: the element is split in two halves of bits, (left, right) <- (right, left xor F_round(right)),
 * which is a permutation of [0, 4^half) for any F; here F is Philox. The permutation is applied again until the image
 * is inside [0, size) (cycle walking), which gives a permutation of [0, size); since 4^half < 4 size, that takes fewer
 * than four steps on average.
 */
#include "sketch/permutation.h"

#include "base/random.h"

enum { ROUNDS = 8, MIN_HALF = 2 };

static uint64_t feistel(uint64_t seed, uint64_t stream, int half, uint64_t element) {
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t left = element >> half, right = element & mask;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint64_t mixed = gpis_random_bits(seed, stream, round << 32 | right).v[0];
        const uint64_t next = left ^ (mixed & mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

uint64_t gpis_permute(uint64_t seed, uint64_t stream, uint64_t size, uint64_t element) {
    int half = MIN_HALF;
    while (UINT64_C(1) << (2 * half) < size) half++;
    do element = feistel(seed, stream, half, element);
    while (element >= size);
    return element;
}

int64_t gpis_draw(uint64_t seed, uint64_t round, int64_t n, int64_t r) {
    return (int64_t)gpis_permute(seed, gpis_stream(GPIS_STREAM_SHUFFLE, round), (uint64_t)n, (uint64_t)r);
}

gpis_status gpis_sketch_check_distinct(const gpis_sketch *s) {
    if (s->m <= s->n) return GPIS_OK;
    return gpis_fail(s->context, GPIS_BAD_ARGUMENT,
                     "the sketch '%s' takes distinct rows: at most m = %lld here, not %lld", s->class->name,
                     (long long)s->n, (long long)s->m);
}
