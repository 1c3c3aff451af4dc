/* CRC-32, as in zlib: shows whether a record is incomplete or damaged. */
#ifndef GPIS_CHECKSUM_H
#define GPIS_CHECKSUM_H

#include "base/base.h"

/* Continues a checksum: that of the bytes whose checksum is `before` (0: no bytes), followed by these bytes. */
uint32_t gpis_checksum(uint32_t before, const void *bytes, int64_t count);

/* Whether a checksum read from a file equals the one computed from its bytes. Builds for fuzzing accept any, so that
 * damaged bytes reach the checks that follow, as they would with a forged checksum. */
bool gpis_checksum_matches(uint32_t stored, uint32_t computed);

#endif
