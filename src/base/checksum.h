/* CRC-32 (that of zlib) of bytes as they come: what tells a whole record from a torn or damaged one. */
#ifndef GPIS_CHECKSUM_H
#define GPIS_CHECKSUM_H

#include "base/base.h"

/* The checksum of what gave `before` (0: nothing) followed by these bytes. */
uint32_t gpis_checksum(uint32_t before, const void *bytes, int64_t count);

/* Whether a checksum read from a file is the one computed from its bytes. Builds for fuzzing take any, so that damage
 * which a checksum would find reaches the checks behind it, as damage with a forged checksum does. */
bool gpis_checksum_matches(uint32_t stored, uint32_t computed);

#endif
