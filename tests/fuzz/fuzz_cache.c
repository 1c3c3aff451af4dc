/*
 * The cache of a text file. The text stays the same, with the same time of change; the input is its cache. Builds for
 * fuzzing do not compare checksums, so that wrong values in header, footer and rows reach the checks that follow.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cache_files.h"

static const struct original {
    const char *name, *target, *categorical, *seed, *text;
} originals[] = {
    {"table.csv", "y", NULL, "dense", "a,\"b \"\"x\"\"\",y\n1,2.5,-3e4\n4,5,6\n7,8,9\n-1,0,1\n"},
    {"rows.svm", NULL, NULL, "sparse", "1 1:2 2:3.5 7:1\n-1 2:4\n+1 1:1e5 3:-2\n0.5\n2 7:1\n"},
    {"levels.csv", "y", "w", "levels", "w,y,b\nnorth,2.5,-3e4\n\"east, \"\"x\"\"\",5,6\nnorth,8,9\nsouth,0,1\n"},
};
enum { ORIGINALS = sizeof originals / sizeof *originals };

static gpis_cache_place places[ORIGINALS];

static gpis_open_options options_of(const struct original *o) {
    gpis_open_options options = gpis_open_options_default();
    options.target = o->target;
    options.categorical = o->categorical;
    return options;
}

/* A folder that is named for it gets a cache in any case; the harness looks for it beside the original. */
static void make_seed(const struct original *o, const char *fresh) {
    gpis_open_options options = options_of(o);
    options.cache = ".";
    gpis_cache_place place;
    gpis_source *source = NULL;
    char seed[32];
    gpis_context *context = fuzz_context();
    const bool made = gpis_cache_find_place(context, o->name, &options, &place) == GPIS_OK &&
                      gpis_source_open_with(context, o->name, &options, &source) == GPIS_OK;
    fuzz_require(made, "a fresh cache was not made");
    gpis_source_destroy(source);
    gpis_cache_place_clear(context, &place);
    fuzz_context_end(context);
    snprintf(seed, sizeof seed, "fresh-%s", o->seed);
    fuzz_keep_seed(fresh, place.cache, seed);
    unlink(place.cache);
}

void fuzz_start(const char *fresh) {
    static const struct timespec then[2] = {{.tv_sec = 1700000000}, {.tv_sec = 1700000000}};
    for (int i = 0; i < ORIGINALS; i++) {
        const struct original *o = &originals[i];
        fuzz_write(o->name, o->text, strlen(o->text));
        fuzz_require(utimensat(AT_FDCWD, o->name, then, 0) == 0, "the time of a file cannot be set");
        const gpis_open_options options = options_of(o);
        fuzz_require(fuzz_cache_place(o->name, &options, &places[i]), "the cache of a text has no place");
        if (fresh) make_seed(o, fresh);
    }
}

/* memory: bytes that may be held; rows of a larger cache are read at each pass. */
static void read_with(const struct original *o, int64_t memory) {
    gpis_context *context = fuzz_context();
    gpis_cache cache;
    bool found;
    gpis_source *source = NULL;
    gpis_status status = gpis_cache_open(context, &places[o - originals], &cache, &found);
    if (status == GPIS_OK && found) {
        fuzz_accept();
        status = gpis_cache_source(context, &places[o - originals], &cache, memory, &source);
    }
    if (status != GPIS_OK) fuzz_check_refusal(context, status, source);
    if (source) fuzz_read_source(context, source);
    gpis_source_destroy(source);
    fuzz_context_end(context);
}

void fuzz_input(const uint8_t *data, size_t size) {
    for (int i = 0; i < ORIGINALS; i++) {
        fuzz_write(places[i].cache, data, size);
        read_with(&originals[i], FUZZ_MEMORY); /* held in memory */
        read_with(&originals[i], 0);           /* read at each pass */
        unlink(places[i].cache);
    }
}
