/*
 * A .npy file whose rows are fetched at each pass, from the page cache or the disk.
 *
 * In a row-major file a block is one contiguous range: it is mapped when it is asked for, brought into memory, and
 * unmapped when it is given back. Nothing is copied, which on cached data is worth almost a factor of two (a copy runs
 * no faster than a gradient pass), and only the blocks in use are resident. Rows whose numbers are not aligned are read
 * into the scratch instead. Column-major files: npy_columns.c, npy_pieces.c.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "source/npy.h"

/* ---- row-major, mapped ------------------------------------------------------------------------------------------- */

/* The bytes of some rows in the file. A mapping has to begin at a page. */
typedef struct extent {
    int64_t begin; /* offset of the page in which the rows begin */
    int64_t lead;  /* bytes of that page before the rows */
    int64_t bytes; /* from the beginning of the page to the end of the rows */
} extent;

static extent extent_of(const gpis_source *source, int64_t row0, int64_t nrows) {
    const gpis_source_npy_streamed *s = source->state;
    const int64_t row = source->d * gpis_source_npy_width(source), offset = s->file.header.offset + row0 * row;
    const int64_t lead = offset % sysconf(_SC_PAGESIZE);
    return (extent){offset - lead, lead, lead + nrows * row};
}

static gpis_status map_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    (void)scratch;
    const gpis_source_npy_streamed *s = source->state;
    const extent e = extent_of(source, row0, nrows);
    char *map = mmap(NULL, (size_t)e.bytes, PROT_READ, MAP_PRIVATE, s->file.fd, e.begin);
    if (map == MAP_FAILED) return gpis_source_npy_map_failed(source);
    if (!gpis_source_npy_populate(s->file.fd, e.begin, map, e.bytes)) {
        munmap(map, (size_t)e.bytes);
        return gpis_source_npy_rows_lost(source, row0, nrows);
    }
    *out = gpis_block_dense(source->type, row0, nrows, source->d, map + e.lead);
    return GPIS_OK;
}

static void unmap_block(gpis_source *source, const gpis_block *block) {
    const extent e = extent_of(source, block->row0, block->nrows);
    munmap((char *)block->values - e.lead, (size_t)e.bytes);
}

static int64_t mapped_bytes(const gpis_source *source, int64_t nrows) {
    return nrows * source->d * gpis_source_npy_width(source) + 2 * sysconf(_SC_PAGESIZE);
}

/* Opens the file once more to read ahead with: the system adapts its own read-ahead to how each open file is read, and
 * this one is read from end to end. */
static void prepare_ahead(gpis_source_npy_streamed *s) {
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", s->file.fd);
    s->ahead_fd = open(own, O_RDONLY | O_CLOEXEC);
    s->null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (s->ahead_fd >= 0) posix_fadvise(s->ahead_fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

/* Disks and systems are best at plain sequential reading, and sendfile to /dev/null reads without a copy. Only the two
 * ends of the rows are looked up in the page cache: to ask for every page would cost a third of a pass. */
static void read_ahead(gpis_source *source, int64_t row0, int64_t nrows) {
    const gpis_source_npy_streamed *s = source->state;
    const extent e = extent_of(source, row0, nrows);
    if (gpis_source_npy_is_cached(s->file.fd, e.begin, e.bytes)) return;
    off_t at = e.begin;
    const off_t end = e.begin + e.bytes;
    while (at < end && sendfile(s->null_fd, s->ahead_fd, &at, (size_t)(end - at)) > 0) continue;
    if (at < end) readahead(s->file.fd, at, (size_t)(end - at));
}

/* ---- row-major, read --------------------------------------------------------------------------------------------- */

static int64_t read_bytes(const gpis_source *source, int64_t nrows) {
    return nrows * source->d * gpis_source_npy_width(source);
}

static gpis_status read_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    const gpis_source_npy_streamed *s = source->state;
    *out = gpis_block_dense(source->type, row0, nrows, source->d, scratch);
    return gpis_file_read(source->context, source->name, s->file.fd, s->file.header.offset + read_bytes(source, row0),
                          scratch, read_bytes(source, nrows));
}

/* ---- the choice of a kind ---------------------------------------------------------------------------------------- */

static const gpis_source_class mapped_class = {.kind = "npy",
                                               .block = map_block,
                                               .done = unmap_block,
                                               .scratch_bytes = mapped_bytes,
                                               .ahead = read_ahead,
                                               .unchanged = gpis_source_npy_unchanged,
                                               .destroy = gpis_source_npy_destroy,
                                               .in_place = true};

static const gpis_source_class read_class = {.kind = "npy",
                                             .block = read_block,
                                             .scratch_bytes = read_bytes,
                                             .unchanged = gpis_source_npy_unchanged,
                                             .destroy = gpis_source_npy_destroy};

static const gpis_source_class *class_of(const gpis_npy_header *h, int64_t limit) {
    if (h->order == GPIS_COLUMN_MAJOR)
        return gpis_source_npy_may_map_columns(h, limit) ? &gpis_source_npy_columns : &gpis_source_npy_pieces;
    if (gpis_npy_is_converted(h->stored)) return &gpis_source_npy_converted;
    return h->offset % h->stored.width == 0 ? &mapped_class : &read_class;
}

gpis_status gpis_source_npy_stream(gpis_context *context, const char *path, gpis_source_npy_file *file,
                                   gpis_source **out) {
    const gpis_npy_header *h = &file->header;
    const gpis_source_class *class = class_of(h, context->limit);
    gpis_source_npy_streamed *state = gpis_alloc(context, 1, sizeof *state);
    gpis_source *source = state ? gpis_source_new(context, class, path) : NULL;
    if (!source) {
        gpis_free(context, state);
        return GPIS_NO_MEMORY;
    }
    *state = (gpis_source_npy_streamed){.file = *file, .ahead_fd = -1, .null_fd = -1};
    file->fd = -1;
    if (class->ahead) prepare_ahead(state);
    source->state = state;
    gpis_stored_dense_describe(source, h->type, h->order, h->rows, h->cols);
    source->resident = false;
    source->serial = class != &mapped_class;
    *out = source;
    return GPIS_OK;
}
