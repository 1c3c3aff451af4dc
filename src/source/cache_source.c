/* The cache of a text file as a source: read into memory at once, or window by window at each pass. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "source/cache.h"
#include "source/encoding.h"
#include "source/stored.h"

/* Whether the rows of A are others than those of the cache. */
static bool is_encoded(const gpis_source *source) { return source->encoding && !source->encoding->plain; }

/* ---- read at each pass ------------------------------------------------------------------------------------------- */

/* The rows of a table that is encoded are read behind the rows of A that they become. */
static gpis_status read_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    double *rows = scratch, *raw = is_encoded(source) ? rows + nrows * source->d : rows;
    gpis_status status = gpis_cache_read(source->context, source->name, source->state, row0, nrows, raw, out);
    if (status != GPIS_OK || !is_encoded(source)) return status;
    out->d = out->row_stride = source->d;
    out->values = rows;
    return gpis_encode_rows(source->encoding, raw, nrows, 1, rows);
}

static int64_t scratch_bytes(const gpis_source *source, int64_t nrows) {
    const gpis_cache *c = source->state;
    if (is_encoded(source)) return gpis_cache_bytes(c, 0, nrows) + 8 * nrows * source->d;
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

/* Bytes that all rows take in memory. */
static int64_t bytes_held(const gpis_cache *c, const gpis_source *source) {
    return is_encoded(source) ? 8 * source->n * source->d : gpis_cache_bytes(c, 0, source->n);
}

/* Reads the rows of a table and makes rows of A of them, in `memory`, a segment at a time. */
static gpis_status read_encoded(gpis_context *context, const gpis_cache *c, gpis_source *source, double *memory) {
    const int64_t step = gpis_min64(source->n, gpis_max64(1, GPIS_CACHE_SEGMENT / (8 * c->header.cols)));
    double *raw = gpis_alloc(context, step * c->header.cols, sizeof *raw);
    gpis_status status = raw ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t row = 0; row < source->n && status == GPIS_OK; row += step) {
        const int64_t rows = gpis_min64(step, source->n - row);
        gpis_block block;
        status = gpis_cache_read(context, source->name, c, row, rows, raw, &block);
        if (status == GPIS_OK)
            status = gpis_encode_rows(source->encoding, raw, rows, context->threads, memory + row * source->d);
    }
    gpis_free(context, raw);
    return status;
}

/* Reads all rows into memory; they become the state of the source. */
static gpis_status hold(gpis_context *context, const gpis_cache *c, gpis_source *source) {
    gpis_block all;
    void *memory = gpis_alloc(context, bytes_held(c, source), 1);
    gpis_status status = GPIS_NO_MEMORY;
    if (memory)
        status = is_encoded(source) ? read_encoded(context, c, source, memory)
                                    : gpis_cache_read(context, source->name, c, 0, source->n, memory, &all);
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

/* The encoding of a table, and the names and the number of its columns. */
static gpis_status take_encoding(gpis_context *context, const gpis_cache_place *place, const gpis_cache *c,
                                 gpis_source *source) {
    const char *text = c->text + strlen(c->text) + 1; /* after the key */
    int64_t entries;
    if (!*text) return GPIS_OK;
    const gpis_status status = gpis_encoding_parse(context, text, &source->encoding);
    if (status != GPIS_OK) return status;
    source->d = gpis_encoding_width(source->encoding);
    if (source->encoding->count != c->header.cols || source->d < 1 || c->header.sparse ||
        !gpis_checked_mul(source->n, source->d, &entries) || entries > INT64_MAX / 16)
        return gpis_fail(context, GPIS_BAD_DATA, "%s: its cache %s is damaged; remove it", place->path, place->cache);
    source->nonzeros = entries;
    return gpis_encoding_names(context, source->encoding, &source->columns);
}

static gpis_status take_labels(gpis_context *context, const gpis_cache *c, gpis_source *source) {
    if (c->header.labels == 0) return GPIS_OK;
    double *labels = gpis_alloc(context, source->n * c->header.labels, sizeof *labels);
    gpis_status status = labels ? gpis_cache_read_y(context, source->name, c, labels) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_source_take_labels(source, (unsigned)c->header.roles, &labels);
    gpis_free(context, labels);
    return status;
}

static const gpis_source_class *class_of(bool sparse, bool held) {
    if (sparse) return held ? &libsvm_held : &libsvm_read;
    return held ? &csv_held : &csv_read;
}

gpis_status gpis_cache_source(gpis_context *context, const gpis_cache_place *place, gpis_cache *cache, int64_t budget,
                              gpis_source **out) {
    const gpis_cache_header *h = &cache->header;
    gpis_status status = GPIS_NO_MEMORY;
    gpis_source *source = gpis_source_new(context, &csv_read, place->path);
    if (source) {
        source->n = h->rows;
        source->d = h->cols;
        source->nonzeros = h->entries;
        source->block_kind = h->sparse ? GPIS_BLOCK_CSR : GPIS_BLOCK_DENSE;
        status = take_encoding(context, place, cache, source);
    }
    if (status == GPIS_OK) status = take_labels(context, cache, source);
    const bool held = status == GPIS_OK && bytes_held(cache, source) <= budget;
    if (source) source->class = class_of(h->sparse, held);
    if (held) source->resident = true;
    if (held) status = hold(context, cache, source);
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
