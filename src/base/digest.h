/*
 * BLAKE2b (RFC 7693) with 32 bytes of output: a cryptographic digest. Nobody can make two different inputs with the
 * same one, which a checksum (checksum.h) does not promise. It takes about a second for a gigabyte.
 */
#ifndef GPIS_DIGEST_H
#define GPIS_DIGEST_H

#include "base/base.h"

enum { GPIS_DIGEST_BYTES = 32, GPIS_DIGEST_BLOCK = 128 };

typedef struct gpis_digest {
    uint64_t h[8];
    uint64_t count; /* bytes that went into h */
    unsigned char block[GPIS_DIGEST_BLOCK];
    size_t held; /* bytes in the block: the last block is treated differently, so a full one waits for what follows */
} gpis_digest;

void gpis_digest_start(gpis_digest *digest);
void gpis_digest_add(gpis_digest *digest, const void *bytes, int64_t count);
void gpis_digest_finish(gpis_digest *digest, unsigned char out[GPIS_DIGEST_BYTES]);
/* Whether a digest read from a file is the one computed; builds for fuzzing take any (checksum.h). */
bool gpis_digest_matches(const unsigned char stored[GPIS_DIGEST_BYTES],
                         const unsigned char computed[GPIS_DIGEST_BYTES]);

#endif
