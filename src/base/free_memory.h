/*
 * How much memory the system can still give to this process: the limit that holds where nobody has set one.
 *
 * The number changes from one moment to the next, so nothing may be chosen by it: it decides only whether a request is
 * refused, never how a problem is solved. The answer of a solve that runs at all is therefore the same on a busy
 * machine and on an idle one.
 */
#ifndef GPIS_FREE_MEMORY_H
#define GPIS_FREE_MEMORY_H

#include <stdint.h>

/* Bytes that this process may still take: the least of what the machine has available without swapping
 * (/proc/meminfo), what its control groups leave (both versions, every group up to the root) and what the address-space
 * limit (RLIMIT_AS) leaves. An eighth of the available memory is kept for everybody else.
 *
 * `allocated` is what the caller has taken from malloc so far. Memory that was taken and not yet written to is still
 * counted as free by the system; it is subtracted here. INT64_MAX where the system tells nothing. */
int64_t gpis_free_memory(int64_t allocated);

#endif
