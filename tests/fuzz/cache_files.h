/* The path of the cache of a text file. */
#ifndef GPIS_FUZZ_CACHE_FILES_H
#define GPIS_FUZZ_CACHE_FILES_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "source/cache.h"

/* False if the file cannot have a cache, because it is empty. The key is the caller's to free. */
static inline bool fuzz_cache_place(const char *path, const gpis_open_options *options, gpis_cache_place *out) {
    gpis_context *context = fuzz_context();
    const gpis_status status = gpis_cache_find_place(context, path, options, out);
    char *key = strdup(out->key);
    gpis_cache_place_clear(context, out);
    out->key = key;
    fuzz_context_end(context);
    return status == GPIS_OK;
}

/* Removes the cache that reading with little memory leaves behind, so that the next input does not find it. */
static inline void fuzz_remove_cache(const char *path, const gpis_open_options *options) {
    gpis_cache_place place;
    if (fuzz_cache_place(path, options, &place)) unlink(place.cache);
    free(place.key);
}

#endif
