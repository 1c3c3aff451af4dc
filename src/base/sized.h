/*
 * Structs that callers fill and that begin with their size, so that fields can be added at their end. A caller compiled
 * with an older gpis.h has a smaller struct, one compiled with a newer gpis.h a larger one:
 *
 *     smaller   the fields that the caller does not know have their defaults
 *     larger    fine as long as the fields that this library does not know are zero
 */
#ifndef GPIS_SIZED_H
#define GPIS_SIZED_H

#include "base/base.h"

/* Fills a caller's struct of `size` bytes from `defaults`, which has `known` bytes; what is beyond is zero. */
gpis_status gpis_sized_init(void *caller, size_t size, const void *defaults, size_t known);
/* Replaces the first bytes of *out, which holds the defaults and has `known` bytes, by what the caller has given (NULL:
 * nothing). `what` names the struct in messages, and `init` the function that fills it. */
gpis_status gpis_sized_take(gpis_context *context, const char *what, const char *init, const void *given, void *out,
                            size_t known);
/* The other way: fills a caller's struct, whose size is in it, as gpis_sized_init does. */
gpis_status gpis_sized_give(void *caller, const void *values, size_t known);

#endif
