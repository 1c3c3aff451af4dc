/* Structs of the caller's that begin with their size. */
#include "base/sized.h"

#include <string.h>

enum { LARGEST = 4096 }; /* no struct of this library will ever need more: a larger size is not a size */

static bool is_size(size_t size) { return size >= sizeof(size_t) && size <= LARGEST && size % sizeof(size_t) == 0; }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static bool is_zero(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0) return false;
    return true;
}

gpis_status gpis_sized_init(void *caller, size_t size, const void *defaults, size_t known) {
    if (!caller || !is_size(size)) return GPIS_BAD_ARGUMENT;
    memset(caller, 0, size);
    memcpy(caller, defaults, least(size, known));
    memcpy(caller, &size, sizeof size);
    return GPIS_OK;
}

gpis_status gpis_sized_take(gpis_context *context, const char *what, const char *init, const void *given, void *out,
                            size_t known) {
    size_t size;
    if (!given) return GPIS_OK;
    memcpy(&size, given, sizeof size);
    if (!is_size(size))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "%s begin with their size, which cannot be %zu; fill them by %s",
                         what, size, init);
    if (size > known && !is_zero((const unsigned char *)given + known, size - known))
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "%s of %zu bytes set something that this version of gpis, %s, does not know", what, size,
                         gpis_version());
    memcpy(out, given, least(size, known));
    memcpy(out, &known, sizeof known);
    return GPIS_OK;
}

gpis_status gpis_sized_give(void *caller, const void *values, size_t known) {
    size_t size;
    memcpy(&size, caller, sizeof size);
    return gpis_sized_init(caller, size, values, known);
}
