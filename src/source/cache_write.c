/* Writing a cache: segment after segment to a new file, then footer and header, then its name. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "source/cache.h"
#include "source/cache_check.h"

struct gpis_cache_writer {
    gpis_context *context;         /* borrowed */
    const gpis_cache_place *place; /* borrowed */
    gpis_new_file file;            /* owned */
    gpis_cache_header header;
    int64_t offset;
    gpis_cache_segment *segments; /* owned */
    int64_t capacity;
    bool failed; /* its file could not be written */
};

static gpis_status trouble(gpis_cache_writer *w, int reason) {
    w->failed = true;
    if (!w->place->regular)
        return gpis_fail(w->context, GPIS_IO,
                         "%s: does not fit in memory, and a temporary file for its numbers cannot be written: %s; set "
                         "TMPDIR to another folder",
                         w->place->path, strerror(reason));
    return gpis_fail(w->context, GPIS_IO,
                     "%s: its cache %s cannot be written: %s; name another folder for it (option cache)",
                     w->place->path, w->place->cache, strerror(reason));
}

static gpis_status put(gpis_cache_writer *w, const void *data, int64_t bytes, int64_t offset) {
    for (int64_t done = 0; done < bytes;) {
        const ssize_t got =
            pwrite(w->file.fd, (const char *)data + done, (size_t)gpis_min64(bytes - done, 1 << 30), offset + done);
        if (got < 0 && errno != EINTR) return trouble(w, errno);
        if (got > 0) done += got;
    }
    return GPIS_OK;
}

gpis_status gpis_cache_begin(gpis_context *context, const gpis_cache_place *place, bool sparse, unsigned roles,
                             gpis_cache_writer **out) {
    *out = NULL;
    gpis_cache_writer *w = gpis_alloc_zero(context, 1, sizeof *w);
    if (!w) return GPIS_NO_MEMORY;
    w->context = context;
    w->place = place;
    w->header.sparse = sparse;
    w->header.roles = roles;
    w->offset = sizeof w->header;
    if (!(place->regular ? gpis_file_begin(place->cache, place->mode, &w->file) : gpis_file_temporary(&w->file.fd))) {
        const gpis_status status = trouble(w, errno);
        gpis_free(context, w);
        return status;
    }
    *out = w;
    return GPIS_OK;
}

/* Appends to the segment that is being written. */
static gpis_status append(gpis_cache_writer *w, gpis_cache_segment *s, const void *data, int64_t bytes) {
    s->crc = gpis_checksum(s->crc, data, bytes);
    const gpis_status status = put(w, data, bytes, w->offset);
    w->offset += bytes;
    return status;
}

gpis_status gpis_cache_add(gpis_cache_writer *w, const gpis_cache_rows *rows, int64_t first, int64_t count,
                           int64_t cols, int64_t labels) {
    void *memory = w->segments;
    gpis_status status =
        gpis_grow(w->context, &memory, &w->capacity, w->header.segments, w->header.segments + 1, sizeof *w->segments);
    w->segments = memory;
    if (status != GPIS_OK) return status;
    const bool sparse = w->header.sparse;
    const int64_t from = sparse ? rows->indptr[first] : first * cols;
    const int64_t entries = sparse ? rows->indptr[first + count] - from : count * cols;
    w->offset = (w->offset + 7) / 8 * 8;
    gpis_cache_segment s = {.row0 = w->header.rows, .rows = count, .entries = entries, .offset = w->offset};
    w->header.labels = labels;
    if (labels) status = append(w, &s, rows->y + first * labels, count * labels * (int64_t)sizeof(double));
    if (sparse) {
        for (int64_t i = first; i <= first + count; i++) rows->indptr[i] -= from;
        if (status == GPIS_OK) status = append(w, &s, rows->indptr + first, (count + 1) * (int64_t)sizeof(int64_t));
        for (int64_t i = first; i <= first + count; i++) rows->indptr[i] += from;
    }
    if (status == GPIS_OK) status = append(w, &s, rows->values + from, entries * (int64_t)sizeof(double));
    if (sparse && status == GPIS_OK) status = append(w, &s, rows->indices + from, entries * (int64_t)sizeof(int32_t));
    w->segments[w->header.segments++] = s;
    w->header.rows += count;
    w->header.entries += entries;
    return status;
}

static gpis_status put_footer(gpis_cache_writer *w, const void *data, int64_t bytes) {
    gpis_cache_header *h = &w->header;
    const gpis_status status = put(w, data, bytes, h->footer + h->footer_bytes);
    h->footer_crc = gpis_checksum(h->footer_crc, data, bytes);
    h->footer_bytes += bytes;
    return status;
}

static gpis_status put_words(gpis_cache_writer *w, const char *words) {
    return put_footer(w, words, (int64_t)strlen(words) + 1);
}

static gpis_status finish(gpis_cache_writer *w, int64_t cols, const char *encoding) {
    gpis_cache_header *h = &w->header;
    h->cols = cols;
    h->footer = (w->offset + 7) / 8 * 8;
    gpis_status status = put_footer(w, w->segments, h->segments * (int64_t)sizeof *w->segments);
    if (status == GPIS_OK) status = put_words(w, w->place->key);
    if (status == GPIS_OK) status = put_words(w, encoding);
    if (status != GPIS_OK) return status;
    memcpy(h->magic, GPIS_CACHE_MAGIC, sizeof h->magic);
    h->version = GPIS_CACHE_VERSION;
    h->byte_order = GPIS_CACHE_ORDER;
    if (w->place->regular) /* which also checks that the original is still the same */
        status = gpis_original_digest(w->context, w->place, h->original_digest);
    if (status != GPIS_OK) return status;
    h->original = w->place->stamp;
    h->header_crc = gpis_checksum(0, h, (int64_t)offsetof(gpis_cache_header, header_crc));
    status = put(w, h, sizeof *h, 0);
    if (status != GPIS_OK || !w->place->regular) return status;
    if (fsync(w->file.fd) != 0) return trouble(w, errno);
    /* The name may belong to a file of another user. A cache that nobody has asked for is as good without a name. */
    return gpis_file_name(&w->file, w->place->cache) || !w->place->wanted ? GPIS_OK : trouble(w, errno);
}

gpis_status gpis_cache_finish(gpis_cache_writer *w, int64_t cols, const char *encoding, int *fd) {
    const gpis_status status = finish(w, cols, encoding);
    *fd = -1;
    if (status != GPIS_OK) return status;
    *fd = w->file.fd;
    w->file.fd = -1;
    return GPIS_OK;
}

bool gpis_cache_failed(const gpis_cache_writer *w) { return w && w->failed; }

void gpis_cache_abandon(gpis_cache_writer *w) {
    if (!w) return;
    gpis_file_drop(&w->file);
    gpis_free(w->context, w->segments);
    gpis_free(w->context, w);
}
