/* CRC-32 over zlib. */
#include "base/checksum.h"

#include <zlib.h>

uint32_t gpis_checksum(uint32_t before, const void *bytes, int64_t count) {
    return count > 0 ? (uint32_t)crc32_z(before, bytes, (size_t)count) : before;
}
