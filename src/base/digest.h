/*
 * BLAKE2b (RFC 7693) with 32 bytes of output: a cryptographic digest. Unlike with a checksum (checksum.h), nobody can
 * construct two inputs with the same digest. It takes about one second per gigabyte.
 */
#ifndef GPIS_DIGEST_H
#define GPIS_DIGEST_H

#include "base/base.h"

enum { GPIS_DIGEST_BYTES = 32, GPIS_DIGEST_BLOCK = 128 };

typedef struct gpis_digest {
    uint64_t h[8];
    uint64_t count; /* bytes that went into h */
    unsigned char block[GPIS_DIGEST_BLOCK];
    size_t held; /* bytes in the block: the last block is treated differently, so a full one waits until more bytes
                    follow */
} gpis_digest;

void gpis_digest_start(gpis_digest *digest);
void gpis_digest_add(gpis_digest *digest, const void *bytes, int64_t count);
void gpis_digest_finish(gpis_digest *digest, unsigned char out[GPIS_DIGEST_BYTES]);
/* Whether a digest read from a file equals the computed one; builds for fuzzing accept any (checksum.h). */
bool gpis_digest_matches(const unsigned char stored[GPIS_DIGEST_BYTES],
                         const unsigned char computed[GPIS_DIGEST_BYTES]);

#endif
