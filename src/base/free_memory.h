/*
 * How much memory the system can still give to this process: the limit if the caller has set none.
 *
 * The number changes from one moment to the next, so it decides only whether a request is refused, never how a problem
 * is solved. A solve that is not refused therefore has the same result on a busy machine and on an idle one.
 */
#ifndef GPIS_FREE_MEMORY_H
#define GPIS_FREE_MEMORY_H

#include <stdint.h>

/* Bytes that this process may still take: the least of what the machine has available without swapping
 * (/proc/meminfo), what its control groups leave (both versions, every group up to the root) and what the address-space
 * limit (RLIMIT_AS) leaves. An eighth of the available memory is left to other processes.
 *
 * `allocated` is what the caller has allocated by malloc so far. The system still counts memory as free that has been
 * allocated but not yet written to; it is subtracted here. INT64_MAX if the system gives no information. */
int64_t gpis_free_memory(int64_t allocated);

#endif
