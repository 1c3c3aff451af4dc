/* BLAKE2b of RFC 7693, without a key and with 32 bytes of output. Names are those of the RFC. */
#include "base/digest.h"

#include <endian.h>
#include <string.h>

static const uint64_t IV[8] = {UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
                               UINT64_C(0xa54ff53a5f1d36f1), UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
                               UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179)};

static const unsigned char SIGMA[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static inline uint64_t rotate_right(uint64_t x, int bits) { return x >> bits | x << (64 - bits); }

/* The mixing function of four words with two words of the message. */
static inline void mix(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d, uint64_t x, uint64_t y) {
    *a += *b + x;
    *d = rotate_right(*d ^ *a, 32);
    *c += *d;
    *b = rotate_right(*b ^ *c, 24);
    *a += *b + y;
    *d = rotate_right(*d ^ *a, 16);
    *c += *d;
    *b = rotate_right(*b ^ *c, 63);
}

/* Unrolled, so that the order of the words is known at compile time: twice as fast. */
static void compress(gpis_digest *digest, const unsigned char *block, bool last) {
    enum { ROUNDS = 12 };
    uint64_t v[16], m[16];
    memcpy(m, block, sizeof m);
    for (int i = 0; i < 16; i++) m[i] = le64toh(m[i]);
    for (int i = 0; i < 8; i++) v[i] = digest->h[i];
    for (int i = 0; i < 8; i++) v[8 + i] = IV[i];
    v[12] ^= digest->count;
    if (last) v[14] = ~v[14];
#pragma GCC unroll 12
    for (int round = 0; round < ROUNDS; round++) {
        const unsigned char *s = SIGMA[round % 10];
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) mix(&v[i], &v[4 + i], &v[8 + i], &v[12 + i], m[s[2 * i]], m[s[2 * i + 1]]);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            mix(&v[i], &v[4 + (i + 1) % 4], &v[8 + (i + 2) % 4], &v[12 + (i + 3) % 4], m[s[8 + 2 * i]],
                m[s[9 + 2 * i]]);
    }
    for (int i = 0; i < 8; i++) digest->h[i] ^= v[i] ^ v[8 + i];
}

void gpis_digest_start(gpis_digest *digest) {
    *digest = (gpis_digest){.count = 0};
    memcpy(digest->h, IV, sizeof IV);
    digest->h[0] ^= 0x01010000u ^ GPIS_DIGEST_BYTES; /* one lane, no key, the length of the output */
}

void gpis_digest_add(gpis_digest *digest, const void *bytes, int64_t count) {
    const unsigned char *at = bytes;
    while (count > 0) {
        if (digest->held == GPIS_DIGEST_BLOCK) {
            digest->count += GPIS_DIGEST_BLOCK;
            compress(digest, digest->block, false);
            digest->held = 0;
        }
        for (; digest->held == 0 && count > GPIS_DIGEST_BLOCK; at += GPIS_DIGEST_BLOCK, count -= GPIS_DIGEST_BLOCK) {
            digest->count += GPIS_DIGEST_BLOCK;
            compress(digest, at, false);
        }
        const int64_t part = gpis_min64(count, GPIS_DIGEST_BLOCK - (int64_t)digest->held);
        memcpy(digest->block + digest->held, at, (size_t)part);
        digest->held += (size_t)part;
        at += part;
        count -= part;
    }
}

void gpis_digest_finish(gpis_digest *digest, unsigned char out[GPIS_DIGEST_BYTES]) {
    digest->count += digest->held;
    memset(digest->block + digest->held, 0, GPIS_DIGEST_BLOCK - digest->held);
    compress(digest, digest->block, true);
    for (int i = 0; i < GPIS_DIGEST_BYTES; i++) out[i] = (unsigned char)(digest->h[i / 8] >> 8 * (i % 8));
}

bool gpis_digest_matches(const unsigned char stored[GPIS_DIGEST_BYTES],
                         const unsigned char computed[GPIS_DIGEST_BYTES]) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)stored;
    (void)computed;
    return true;
#else
    return memcmp(stored, computed, GPIS_DIGEST_BYTES) == 0;
#endif
}
