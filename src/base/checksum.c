/* CRC-32 by zlib. */
#include "base/checksum.h"

#include <zlib.h>

uint32_t gpis_checksum(uint32_t before, const void *bytes, int64_t count) {
    return count > 0 ? (uint32_t)crc32_z(before, bytes, (size_t)count) : before;
}

bool gpis_checksum_matches(uint32_t stored, uint32_t computed) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* the name that libFuzzer's users agree on */
    (void)stored;
    (void)computed;
    return true;
#else
    return stored == computed;
#endif
}
