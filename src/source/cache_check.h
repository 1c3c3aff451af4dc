/* What writing and reading a cache share: the marks of the format and the digest of the original. */
#ifndef GPIS_SOURCE_CACHE_CHECK_H
#define GPIS_SOURCE_CACHE_CHECK_H

#include "base/checksum.h"
#include "source/cache.h"

#define GPIS_CACHE_MAGIC "gpiscach"
#define GPIS_CACHE_ORDER 0x01020304u

/* The digest of all bytes of the original; GPIS_IO if the file differs from place->stamp before or after the reading.
 */
gpis_status gpis_original_digest(gpis_context *context, const gpis_cache_place *place,
                                 unsigned char out[GPIS_DIGEST_BYTES]);

#endif
