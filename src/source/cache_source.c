/* The cache of a text file as a source: read into memory at once, or window by window at each pass. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "source/cache.h"
#include "source/stored.h"

/* ---- read at each pass ------------------------------------------------------------------------------------------- */

static gpis_status read_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    return gpis_cache_read(source->context, source->name, source->state, row0, nrows, scratch, out);
}

static int64_t scratch_bytes(const gpis_source *source, int64_t nrows) {
    const gpis_cache *c = source->state;
    if (!c->header.sparse) return gpis_cache_bytes(c, 0, nrows);
    int64_t most = 0;
    for (int64_t row = 0; row < source->n; row += gpis_min64(nrows, source->n))
        most = gpis_max64(most, gpis_cache_bytes(c, row, nrows));
    return most;
}

static void destroy(gpis_source *source) {
    gpis_cache_close(source->context, source->state);
    gpis_free(source->context, source->state);
}

static gpis_status unchanged(gpis_source *source) {
    const gpis_cache *c = source->state;
    return gpis_file_stamp_check(source->context, source->name, c->fd, &c->stamp);
}

/* ---- held -------------------------------------------------------------------------------------------------------- */

typedef struct held_rows {
    gpis_stored_csr csr; /* first, so that gpis_stored_csr_block finds it */
    void *memory;        /* owned: all three arrays */
} held_rows;

static void free_rows(gpis_source *source) {
    held_rows *rows = source->state;
    gpis_free(source->context, rows->memory);
    gpis_free(source->context, rows);
}

static const gpis_source_class csv_held = {
    .kind = "csv", .block = gpis_stored_dense_block, .destroy = gpis_stored_dense_destroy};
static const gpis_source_class libsvm_held = {.kind = "libsvm", .block = gpis_stored_csr_block, .destroy = free_rows};
static const gpis_source_class csv_read = {
    .kind = "csv", .block = read_block, .destroy = destroy, .scratch_bytes = scratch_bytes, .unchanged = unchanged};
static const gpis_source_class libsvm_read = {
    .kind = "libsvm", .block = read_block, .destroy = destroy, .scratch_bytes = scratch_bytes, .unchanged = unchanged};

/* Reads all rows into memory; they become the state of the source. */
static gpis_status hold(gpis_context *context, const gpis_cache *c, gpis_source *source) {
    gpis_block all;
    void *memory = gpis_alloc(context, gpis_cache_bytes(c, 0, source->n), 1);
    gpis_status status =
        memory ? gpis_cache_read(context, source->name, c, 0, source->n, memory, &all) : GPIS_NO_MEMORY;
    if (status == GPIS_OK && c->header.sparse) {
        held_rows *rows = gpis_alloc(context, 1, sizeof *rows);
        if (rows) *rows = (held_rows){{all.indptr, all.indices, all.values, false}, memory};
        source->state = rows;
    } else if (status == GPIS_OK) {
        gpis_stored_dense *dense = gpis_alloc(context, 1, sizeof *dense);
        if (dense) *dense = (gpis_stored_dense){.values = memory, .ld = source->d, .owned = memory};
        source->state = dense;
    }
    if (status == GPIS_OK && !source->state) status = GPIS_NO_MEMORY;
    if (status != GPIS_OK) gpis_free(context, memory);
    return status;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static gpis_status take_names(gpis_context *context, const gpis_cache *c, gpis_source *source) {
    const char *end = c->text + c->header.footer_bytes - c->header.segments * (int64_t)sizeof *c->segments;
    const char *names = c->text + strlen(c->text) + 1; /* after the target */
    if (names == end) return GPIS_OK;
    source->columns = gpis_source_names(context, names, end - names, source->d);
    return source->columns ? GPIS_OK : GPIS_NO_MEMORY;
}

static gpis_status take_y(gpis_context *context, const gpis_cache *c, gpis_source *source) {
    if (!c->header.labelled) return GPIS_OK;
    source->target = gpis_alloc(context, source->n, sizeof(double));
    if (!source->target) return GPIS_NO_MEMORY;
    source->target_k = 1;
    return gpis_cache_read_y(context, source->name, c, source->target);
}

gpis_status gpis_cache_source(gpis_context *context, const gpis_cache_place *place, gpis_cache *cache, int64_t budget,
                              gpis_source **out) {
    const gpis_cache_header *h = &cache->header;
    const bool held = gpis_cache_bytes(cache, 0, h->rows) <= budget;
    const gpis_source_class *class = h->sparse ? (held ? &libsvm_held : &libsvm_read) : held ? &csv_held : &csv_read;
    gpis_status status = GPIS_NO_MEMORY;
    gpis_source *source = gpis_source_new(context, class, place->path);
    if (source) {
        source->n = h->rows;
        source->d = h->cols;
        source->nonzeros = h->entries;
        source->block_kind = h->sparse ? GPIS_BLOCK_CSR : GPIS_BLOCK_DENSE;
        source->resident = held;
        status = take_names(context, cache, source);
    }
    if (status == GPIS_OK) status = take_y(context, cache, source);
    if (status == GPIS_OK && held) status = hold(context, cache, source);
    if (status == GPIS_OK && !held) {
        gpis_cache *state = gpis_alloc(context, 1, sizeof *state);
        if (state) *state = *cache;
        if (state) *cache = (gpis_cache){.fd = -1};
        source->state = state;
        if (!state) status = GPIS_NO_MEMORY;
    }
    gpis_cache_close(context, cache);
    if (status != GPIS_OK) gpis_source_destroy(source);
    *out = status == GPIS_OK ? source : NULL;
    return status;
}
