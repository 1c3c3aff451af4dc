/*
 * A .npy file whose rows are fetched at each pass, from the page cache or the disk.
 *
 * Row after row, a block is one piece of the file: it is mapped where it is asked for, brought into memory, and
 * unmapped when it is done with. Nothing is copied, which on cached data is worth almost a factor of two (a copy runs
 * no faster than a gradient pass), and no more is resident than the blocks in use. Rows at addresses that the machine
 * cannot take numbers from are read into the scratch. Column after column: npy_columns.c, npy_pieces.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "source/npy.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

enum { AROUND = 1 << 16 }; /* bytes that Linux maps around the one that is touched, as far as they are cached */

/* ---- what all kinds need --------------------------------------------------------------------------------------------
 */

int64_t gpis_npy_width(const gpis_source *source) {
    const gpis_npy_streamed *s = source->state;
    return s->file.header.stored.width;
}

static bool is_cached(int fd, int64_t offset) {
    char byte;
    const struct iovec one = {&byte, 1};
    return preadv2(fd, &one, 1, offset, RWF_NOWAIT) == 1;
}

bool gpis_npy_cached(int fd, int64_t offset, int64_t bytes) {
    return is_cached(fd, offset) && is_cached(fd, offset + bytes - 1);
}

/* Cached pages come in cheapest when they are touched. Others are waited for all at once, and a file that has become
 * shorter, or a disk that fails, is no more than a failure then; systems that cannot do so go page by page. */
bool gpis_npy_bring(int fd, int64_t offset, const char *map, int64_t bytes) {
    if (!gpis_npy_cached(fd, offset, bytes) && madvise((void *)map, (size_t)bytes, MADV_POPULATE_READ) != 0)
        return errno == EINVAL;
    for (int64_t i = 0; i < bytes; i += AROUND) (void)*(const volatile char *)(map + i);
    return true;
}

gpis_status gpis_npy_gone(const gpis_source *source, int64_t row0, int64_t nrows) {
    return gpis_fail(source->context, GPIS_IO,
                     "%s: rows %" PRId64 " to %" PRId64 " cannot be read any more; was it cut short?", source->name,
                     row0 + 1, row0 + nrows);
}

gpis_status gpis_npy_unmappable(const gpis_source *source) {
    return gpis_fail(source->context, GPIS_IO, "%s: cannot be mapped into memory: %s", source->name, strerror(errno));
}

gpis_status gpis_npy_unchanged(gpis_source *source) {
    const gpis_npy_streamed *s = source->state;
    return gpis_file_stamp_check(source->context, source->name, s->file.fd, &s->file.stamp);
}

void gpis_npy_destroy(gpis_source *source) {
    gpis_npy_streamed *s = source->state;
    if (s->ahead >= 0) close(s->ahead);
    if (s->nowhere >= 0) close(s->nowhere);
    close(s->file.fd);
    gpis_free(source->context, s);
}

/* ---- row after row: mapped ------------------------------------------------------------------------------------------
 */

/* Rows as bytes of the file: mappings begin at a page. */
typedef struct extent {
    int64_t begin, lead, bytes; /* the page; what is before the rows in it; all that is mapped */
} extent;

static extent extent_of(const gpis_source *source, int64_t row0, int64_t nrows) {
    const gpis_npy_streamed *s = source->state;
    const int64_t row = source->d * gpis_npy_width(source), offset = s->file.header.offset + row0 * row;
    const int64_t lead = offset % sysconf(_SC_PAGESIZE);
    return (extent){offset - lead, lead, lead + nrows * row};
}

static gpis_status map_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    (void)scratch;
    const gpis_npy_streamed *s = source->state;
    const extent e = extent_of(source, row0, nrows);
    char *map = mmap(NULL, (size_t)e.bytes, PROT_READ, MAP_PRIVATE, s->file.fd, e.begin);
    if (map == MAP_FAILED) return gpis_npy_unmappable(source);
    if (!gpis_npy_bring(s->file.fd, e.begin, map, e.bytes)) {
        munmap(map, (size_t)e.bytes);
        return gpis_npy_gone(source, row0, nrows);
    }
    *out = gpis_block_dense(source->type, row0, nrows, source->d, map + e.lead);
    return GPIS_OK;
}

static void unmap_block(gpis_source *source, const gpis_block *block) {
    const extent e = extent_of(source, block->row0, block->nrows);
    munmap((char *)block->values - e.lead, (size_t)e.bytes);
}

static int64_t mapped_bytes(const gpis_source *source, int64_t nrows) {
    return nrows * source->d * gpis_npy_width(source) + 2 * sysconf(_SC_PAGESIZE);
}

/* A file of its own to read ahead with, since the system adapts to how each open file is read: from end to end. */
static void prepare_ahead(gpis_npy_streamed *s) {
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", s->file.fd);
    s->ahead = open(own, O_RDONLY | O_CLOEXEC);
    s->nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (s->ahead >= 0) posix_fadvise(s->ahead, 0, 0, POSIX_FADV_SEQUENTIAL);
}

/* Plain reading is what disks and systems are best at, and to nowhere it costs no copy. To ask for what is cached,
 * page by page, would cost a third of a pass. */
static void read_ahead(gpis_source *source, int64_t row0, int64_t nrows) {
    const gpis_npy_streamed *s = source->state;
    const extent e = extent_of(source, row0, nrows);
    if (gpis_npy_cached(s->file.fd, e.begin, e.bytes)) return;
    off_t at = e.begin;
    const off_t end = e.begin + e.bytes;
    while (at < end && sendfile(s->nowhere, s->ahead, &at, (size_t)(end - at)) > 0) continue;
    if (at < end) readahead(s->file.fd, at, (size_t)(end - at));
}

/* ---- row after row: read --------------------------------------------------------------------------------------------
 */

static int64_t read_bytes(const gpis_source *source, int64_t nrows) {
    return nrows * source->d * gpis_npy_width(source);
}

static gpis_status read_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    const gpis_npy_streamed *s = source->state;
    *out = gpis_block_dense(source->type, row0, nrows, source->d, scratch);
    return gpis_file_read(source->context, source->name, s->file.fd, s->file.header.offset + read_bytes(source, row0),
                          scratch, read_bytes(source, nrows));
}

/* ---- the choice -----------------------------------------------------------------------------------------------------
 */

static const gpis_source_class mapped_class = {.kind = "npy",
                                               .block = map_block,
                                               .done = unmap_block,
                                               .scratch_bytes = mapped_bytes,
                                               .ahead = read_ahead,
                                               .unchanged = gpis_npy_unchanged,
                                               .destroy = gpis_npy_destroy,
                                               .in_place = true};

static const gpis_source_class read_class = {.kind = "npy",
                                             .block = read_block,
                                             .scratch_bytes = read_bytes,
                                             .unchanged = gpis_npy_unchanged,
                                             .destroy = gpis_npy_destroy};

static const gpis_source_class *class_of(const gpis_npy_header *h, int64_t limit) {
    if (h->order == GPIS_COLUMN_MAJOR) return gpis_npy_columns_pay(h, limit) ? &gpis_npy_columns : &gpis_npy_pieces;
    if (gpis_npy_is_converted(h->stored)) return &gpis_npy_converted;
    return h->offset % h->stored.width == 0 ? &mapped_class : &read_class;
}

gpis_status gpis_npy_stream(gpis_context *context, const char *path, gpis_npy_file *file, gpis_source **out) {
    const gpis_npy_header *h = &file->header;
    const gpis_source_class *class = class_of(h, context->limit);
    gpis_npy_streamed *state = gpis_alloc(context, 1, sizeof *state);
    gpis_source *source = state ? gpis_source_new(context, class, path) : NULL;
    if (!source) {
        gpis_free(context, state);
        return GPIS_NO_MEMORY;
    }
    *state = (gpis_npy_streamed){.file = *file, .ahead = -1, .nowhere = -1};
    file->fd = -1;
    if (class->ahead) prepare_ahead(state);
    source->state = state;
    gpis_dense_describe(source, h->type, h->order, h->rows, h->cols);
    source->resident = false;
    source->serial = class != &mapped_class;
    *out = source;
    return GPIS_OK;
}
