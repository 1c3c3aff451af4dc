/* Opening a cache, which is used only if every checksum is right, and reading rows of it. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/cache_check.h"
#include "source/stored.h"

static int64_t aligned(int64_t bytes) { return (bytes + GPIS_ALIGNMENT - 1) / GPIS_ALIGNMENT * GPIS_ALIGNMENT; }

/* ---- the layout of a segment ------------------------------------------------------------------------------------- */

typedef struct layout {
    int64_t starts, values, indices, end; /* offsets in the file; y begins with the segment itself */
} layout;

static layout lay_out(const gpis_cache *c, const gpis_cache_segment *s) {
    layout l;
    l.starts = s->offset + 8 * c->header.labels * s->rows;
    l.values = l.starts + (c->header.sparse ? 8 * (s->rows + 1) : 0);
    l.indices = l.values + 8 * s->entries;
    l.end = l.indices + (c->header.sparse ? 4 * s->entries : 0);
    return l;
}

/* The segment that holds a row. */
static int64_t segment_of(const gpis_cache *c, int64_t row) {
    int64_t low = 0, high = c->header.segments - 1;
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (c->segments[middle].row0 <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Entries of all segments that hold some of the rows: an upper bound on the entries of the rows. */
static int64_t entries_bound(const gpis_cache *c, int64_t row0, int64_t nrows) {
    int64_t entries = 0;
    for (int64_t k = segment_of(c, row0); k < c->header.segments && c->segments[k].row0 < row0 + nrows; k++)
        entries += c->segments[k].entries;
    return entries;
}

int64_t gpis_cache_bytes(const gpis_cache *c, int64_t row0, int64_t nrows) {
    if (!c->header.sparse) return 8 * nrows * c->header.cols;
    const int64_t entries = entries_bound(c, row0, nrows);
    return aligned(8 * (nrows + 1)) + aligned(8 * entries) + aligned(4 * entries);
}

/* Reads rows [from, to) of a compressed segment, behind the `used` entries that are there already. *more is the number
 * of entries read. */
static gpis_status read_sparse(gpis_context *context, const char *name, const gpis_cache *c,
                               const gpis_cache_segment *s, int64_t from, int64_t to, const gpis_block *out,
                               int64_t used, int64_t *more) {
    const layout l = lay_out(c, s);
    int64_t *indptr = (int64_t *)out->indptr + (from - out->row0);
    const int64_t rows = to - from;
    gpis_status status = gpis_file_read(context, name, c->fd, l.starts + 8 * (from - s->row0), indptr, 8 * (rows + 1));
    if (status != GPIS_OK) return status;
    const int64_t first = indptr[0];
    *more = indptr[rows] - first;
    bool right = first >= 0 && indptr[rows] <= s->entries;
    for (int64_t i = 0; i < rows; i++) right = right && indptr[i] <= indptr[i + 1];
    if (!right) return gpis_fail(context, GPIS_IO, "%s: its cache was changed while it was read", name);
    for (int64_t i = 0; i <= rows; i++) indptr[i] += used - first;
    status = gpis_file_read(context, name, c->fd, l.values + 8 * first, (double *)out->values + used, 8 * *more);
    if (status != GPIS_OK) return status;
    return gpis_file_read(context, name, c->fd, l.indices + 4 * first, (int32_t *)out->indices + used, 4 * *more);
}

gpis_status gpis_cache_read(gpis_context *context, const char *name, const gpis_cache *c, int64_t row0, int64_t nrows,
                            void *to, gpis_block *out) {
    const int64_t d = c->header.cols, end = row0 + nrows;
    *out = (gpis_block){.kind = c->header.sparse ? GPIS_BLOCK_CSR : GPIS_BLOCK_DENSE,
                        .type = GPIS_FLOAT64,
                        .row0 = row0,
                        .nrows = nrows,
                        .d = d,
                        .values = to};
    if (c->header.sparse) {
        char *values = (char *)to + aligned(8 * (nrows + 1));
        out->indptr = to;
        out->values = values;
        out->indices = (const int32_t *)(const void *)(values + aligned(8 * entries_bound(c, row0, nrows)));
        *(int64_t *)to = 0;
    } else {
        out->row_stride = d;
        out->col_stride = 1;
    }
    gpis_status status = GPIS_OK;
    int64_t used = 0;
    for (int64_t k = segment_of(c, row0), row = row0; row < end && status == GPIS_OK; k++) {
        const gpis_cache_segment *s = &c->segments[k];
        const int64_t stop = gpis_min64(end, s->row0 + s->rows);
        int64_t more = (stop - row) * d;
        if (c->header.sparse)
            status = read_sparse(context, name, c, s, row, stop, out, used, &more);
        else
            status = gpis_file_read(context, name, c->fd, lay_out(c, s).values + 8 * d * (row - s->row0),
                                    (double *)to + used, 8 * more);
        used += more;
        row = stop;
    }
    return status;
}

gpis_status gpis_cache_read_y(gpis_context *context, const char *name, const gpis_cache *c, double *y) {
    gpis_status status = GPIS_OK;
    for (int64_t k = 0; k < c->header.segments && status == GPIS_OK; k++) {
        const gpis_cache_segment *s = &c->segments[k];
        status = gpis_file_read(context, name, c->fd, s->offset, y + s->row0 * c->header.labels,
                                8 * c->header.labels * s->rows);
    }
    return status;
}

/* ---- checking ---------------------------------------------------------------------------------------------------- */

static bool header_is_good(const gpis_cache_header *h, const gpis_cache_place *place, int64_t size) {
    int64_t table;
    return memcmp(h->magic, GPIS_CACHE_MAGIC, sizeof h->magic) == 0 && h->version == GPIS_CACHE_VERSION &&
           h->byte_order == GPIS_CACHE_ORDER &&
           gpis_checksum_matches(h->header_crc,
                                 gpis_checksum(0, h, (int64_t)offsetof(gpis_cache_header, header_crc))) &&
           memcmp(&h->original, &place->stamp, sizeof h->original) == 0 && h->rows >= 1 && h->cols >= 1 &&
           h->roles >= 0 && h->roles < 1 << GPIS_ROLES && h->labels == gpis_roles_count((unsigned)h->roles) &&
           h->cols <= (h->sparse ? INT32_MAX : INT64_MAX) && h->segments >= 1 && h->footer >= (int64_t)sizeof *h &&
           h->footer_bytes > 0 && h->footer <= size && h->footer_bytes == size - h->footer &&
           gpis_checked_mul(h->segments, sizeof(gpis_cache_segment), &table) && table < h->footer_bytes;
}

/* Segments follow one another, lie between header and footer, and hold what the header says. */
static bool segments_are_good(const gpis_cache *c) {
    const gpis_cache_header *h = &c->header;
    int64_t row = 0, entries = 0, offset = sizeof *h;
    for (int64_t k = 0; k < h->segments; k++) {
        const gpis_cache_segment *s = &c->segments[k];
        int64_t dense;
        if (s->row0 != row || s->rows < 1 || s->entries < 0 || s->offset < offset || s->offset > h->footer ||
            s->rows > h->footer / 8 || s->entries > h->footer / 8)
            return false;
        if (!h->sparse && (!gpis_checked_mul(s->rows, h->cols, &dense) || dense != s->entries)) return false;
        offset = lay_out(c, s).end;
        if (offset > h->footer) return false;
        row += s->rows;
        entries += s->entries;
    }
    return row == h->rows && entries == h->entries;
}

/* The texts of the footer: the key and the encoding. */
static bool words_are_good(const gpis_cache *c, int64_t bytes, const char *key) {
    int64_t words = 0;
    if (bytes < 1 || c->text[bytes - 1] != '\0' || strcmp(c->text, key) != 0) return false;
    for (int64_t i = 0; i < bytes; i++) words += c->text[i] == '\0';
    return words == 2;
}

static gpis_status read_footer(gpis_context *context, const gpis_cache_place *place, gpis_cache *c, bool *good) {
    const gpis_cache_header *h = &c->header;
    const int64_t table = h->segments * (int64_t)sizeof *c->segments, words = h->footer_bytes - table;
    c->segments = gpis_alloc(context, h->segments, sizeof *c->segments);
    c->text = c->segments ? gpis_alloc(context, words, 1) : NULL;
    if (!c->text) return GPIS_NO_MEMORY;
    *good = gpis_file_read(context, place->cache, c->fd, h->footer, c->segments, table) == GPIS_OK &&
            gpis_file_read(context, place->cache, c->fd, h->footer + table, c->text, words) == GPIS_OK &&
            gpis_checksum_matches(h->footer_crc, gpis_checksum(gpis_checksum(0, c->segments, table), c->text, words)) &&
            segments_are_good(c) && words_are_good(c, words, place->key);
    return GPIS_OK;
}

/* Checks every byte of every segment, and the columns of compressed rows. */
static gpis_status check_segments(gpis_context *context, const gpis_cache_place *place, const gpis_cache *c,
                                  bool *good) {
    int64_t most = 0;
    for (int64_t k = 0; k < c->header.segments; k++)
        most = gpis_max64(most, lay_out(c, &c->segments[k]).end - c->segments[k].offset);
    char *bytes = gpis_alloc(context, most, 1);
    if (!bytes) return GPIS_NO_MEMORY;
    for (int64_t k = 0; k < c->header.segments && *good; k++) {
        const gpis_cache_segment *s = &c->segments[k];
        const layout l = lay_out(c, s);
        *good = gpis_file_read(context, place->cache, c->fd, s->offset, bytes, l.end - s->offset) == GPIS_OK &&
                gpis_checksum_matches(s->crc, gpis_checksum(0, bytes, l.end - s->offset));
        if (!*good || !c->header.sparse) continue;
        const int64_t *starts = (const int64_t *)(const void *)(bytes + (l.starts - s->offset));
        const gpis_stored_csr_window rows = {.name = place->cache,
                                             .nrows = s->rows,
                                             .d = c->header.cols,
                                             .indptr = starts,
                                             .indices =
                                                 (const int32_t *)(const void *)(bytes + (l.indices - s->offset))};
        bool upwards = starts[0] == 0 && starts[s->rows] == s->entries;
        for (int64_t i = 0; i < s->rows; i++) upwards = upwards && starts[i] <= starts[i + 1];
        *good = upwards && gpis_stored_csr_check(context, &rows) == GPIS_OK;
    }
    gpis_free(context, bytes);
    return GPIS_OK;
}

/* Reads and checks header and footer of the open file. */
static gpis_status read_ends(gpis_context *context, const gpis_cache_place *place, int fd, gpis_cache *c, bool *good) {
    *c = (gpis_cache){.fd = fd};
    *good = gpis_file_stamp_take(context, place->cache, fd, &c->stamp) == GPIS_OK &&
            c->stamp.size >= (int64_t)sizeof c->header &&
            gpis_file_read(context, place->cache, fd, 0, &c->header, sizeof c->header) == GPIS_OK &&
            header_is_good(&c->header, place, c->stamp.size);
    return *good ? read_footer(context, place, c, good) : GPIS_OK;
}

/* Opens the cache if there is one that may be trusted; else -1. Symbolic links are refused, since gpis writes none. */
static int open_trusted(const gpis_cache_place *place) {
    struct stat info;
    const int fd = place->regular ? open(place->cache, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
    if (fd < 0 || (fstat(fd, &info) == 0 &&
                   (gpis_file_is_trusted(&info, geteuid()) || gpis_file_is_trusted(&info, place->owner))))
        return fd;
    close(fd);
    return -1;
}

gpis_status gpis_cache_open(gpis_context *context, const gpis_cache_place *place, gpis_cache *out, bool *found) {
    *out = (gpis_cache){.fd = -1};
    *found = false;
    const int fd = open_trusted(place);
    if (fd < 0) return GPIS_OK;
    unsigned char digest[GPIS_DIGEST_BYTES];
    gpis_status status = read_ends(context, place, fd, out, found);
    if (status == GPIS_OK && *found) status = gpis_original_digest(context, place, digest);
    if (status == GPIS_OK && *found) *found = gpis_digest_matches(out->header.original_digest, digest);
    if (status == GPIS_OK && *found) status = check_segments(context, place, out, found);
    if (status != GPIS_OK || !*found) {
        *found = false;
        gpis_cache_close(context, out);
    }
    return status;
}

gpis_status gpis_cache_take(gpis_context *context, const gpis_cache_place *place, int fd, gpis_cache *out) {
    bool good;
    gpis_status status = read_ends(context, place, fd, out, &good);
    if (status == GPIS_OK && !good)
        status = gpis_fail(context, GPIS_IO, "%s: what was written is not what is read back", place->cache);
    if (status != GPIS_OK) gpis_cache_close(context, out);
    return status;
}

void gpis_cache_close(gpis_context *context, gpis_cache *c) {
    if (c->fd >= 0) close(c->fd);
    gpis_free(context, c->segments);
    gpis_free(context, c->text);
    *c = (gpis_cache){.fd = -1};
}
