/*
 * A Feistel network: the bits of the element are split in two parts, (left, right) <- (right, left xor F_round(right)),
 * which is a permutation of [0, 2^bits) for any F; here F is Philox. Where the number of bits is odd, the parts differ
 * by one bit and change places in every round; the number of rounds is even. The permutation is applied again until the
 * image is inside [0, size) (cycle walking), which gives a permutation of [0, size); since 2^bits < 2 size, that takes
 * fewer than two steps on average.
 */
#include "sketch/permutation.h"

#include "base/random.h"

enum { ROUNDS = 8, MIN_BITS = 4 };

static uint64_t low_bits(int count) { return (UINT64_C(1) << count) - 1; }

static uint64_t feistel(uint64_t seed, uint64_t stream, int bits, uint64_t element) {
    int left_bits = bits / 2, right_bits = bits - left_bits;
    uint64_t left = element >> right_bits, right = element & low_bits(right_bits);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint64_t mixed = gpis_random_bits(seed, stream, round << 32 | right).v[0];
        const uint64_t next = left ^ (mixed & low_bits(left_bits));
        left = right;
        right = next;
        left_bits = right_bits;
        right_bits = bits - left_bits;
    }
    return left << right_bits | right;
}

uint64_t gpis_permute(uint64_t seed, uint64_t stream, uint64_t size, uint64_t element) {
    int bits = MIN_BITS;
    while (UINT64_C(1) << bits < size) bits++;
    do element = feistel(seed, stream, bits, element);
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
