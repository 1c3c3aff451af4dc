/*
 * A .npy file whose rows are fetched at each pass, from the page cache or the disk.
 *
 * Row after row, a block is one piece of the file: it is mapped where it is asked for, brought into memory, and
 * unmapped when it is done with. Nothing is copied, which on cached data is worth almost a factor of two (a copy runs
 * no faster than a gradient pass), and no more is resident than the blocks in use. Column after column, a block is a
 * piece of each column; these are read into the scratch and make columns of nrows entries: windows want many rows.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "source/npy.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

static int64_t width_of(const gpis_source *source) {
    return source->type == GPIS_FLOAT64 ? sizeof(double) : sizeof(float);
}

static gpis_block block_at(const gpis_source *source, int64_t row0, int64_t nrows, const void *values) {
    const bool by_rows = source->order == GPIS_ROW_MAJOR;
    return (gpis_block){.kind = GPIS_BLOCK_DENSE,
                        .type = source->type,
                        .row0 = row0,
                        .nrows = nrows,
                        .d = source->d,
                        .values = values,
                        .row_stride = by_rows ? source->d : 1,
                        .col_stride = by_rows ? 1 : nrows};
}

/* ---- row after row: mapped ------------------------------------------------------------------------------------------
 */

/* Rows as bytes of the file: mappings begin at a page. */
typedef struct extent {
    int64_t begin, lead, bytes; /* the page; what is before the rows in it; all that is mapped */
} extent;

static extent extent_of(const gpis_source *source, int64_t row0, int64_t nrows) {
    const gpis_npy_file *file = source->state;
    const int64_t row = source->d * width_of(source), offset = file->header.offset + row0 * row;
    const int64_t lead = offset % sysconf(_SC_PAGESIZE);
    return (extent){offset - lead, lead, lead + nrows * row};
}

static gpis_status map_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    (void)scratch;
    const gpis_npy_file *file = source->state;
    const extent e = extent_of(source, row0, nrows);
    char *map = mmap(NULL, (size_t)e.bytes, PROT_READ, MAP_PRIVATE, file->fd, e.begin);
    if (map == MAP_FAILED)
        return gpis_fail(source->context, GPIS_IO, "%s: cannot be mapped into memory: %s", source->name,
                         strerror(errno));
    /* All at once is faster than page by page, and a file that has become shorter shows here. Systems that do not know
     * it go page by page. */
    if (madvise(map, (size_t)e.bytes, MADV_POPULATE_READ) != 0 && errno != EINVAL) {
        munmap(map, (size_t)e.bytes);
        return gpis_fail(source->context, GPIS_IO,
                         "%s: rows %" PRId64 " to %" PRId64 " cannot be read any more; was it cut short?", source->name,
                         row0 + 1, row0 + nrows);
    }
    *out = block_at(source, row0, nrows, map + e.lead);
    return GPIS_OK;
}

static void unmap_block(gpis_source *source, const gpis_block *block) {
    const extent e = extent_of(source, block->row0, block->nrows);
    munmap((char *)block->values - e.lead, (size_t)e.bytes);
}

static int64_t mapped_bytes(const gpis_source *source, int64_t nrows) {
    return nrows * source->d * width_of(source) + 2 * sysconf(_SC_PAGESIZE);
}

static bool is_cached(int fd, int64_t offset) {
    char byte;
    const struct iovec one = {&byte, 1};
    return preadv2(fd, &one, 1, offset, RWF_NOWAIT) == 1;
}

/* What is in the page cache at both ends is there: asking for it page by page would cost a third of a pass. */
static void read_ahead(gpis_source *source, int64_t row0, int64_t nrows) {
    const gpis_npy_file *file = source->state;
    const extent e = extent_of(source, row0, nrows);
    if (is_cached(file->fd, e.begin) && is_cached(file->fd, e.begin + e.bytes - 1)) return;
    readahead(file->fd, e.begin, (size_t)e.bytes);
}

/* ---- read: columns, and rows at addresses that the machine cannot take numbers from ---------------------------------
 */

static gpis_status read_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    const gpis_npy_file *file = source->state;
    const bool by_rows = source->order == GPIS_ROW_MAJOR;
    const int64_t width = width_of(source), pieces = by_rows ? 1 : source->d;
    const int64_t length = (by_rows ? source->d : 1) * nrows * width;
    for (int64_t j = 0; j < pieces; j++) {
        const int64_t first = by_rows ? row0 * source->d : j * source->n + row0;
        const gpis_status status =
            gpis_file_read(source->context, source->name, file->fd, file->header.offset + first * width,
                           (char *)scratch + j * length, length);
        if (status != GPIS_OK) return status;
    }
    *out = block_at(source, row0, nrows, scratch);
    return GPIS_OK;
}

static int64_t read_bytes(const gpis_source *source, int64_t nrows) { return nrows * source->d * width_of(source); }

/* ---- both -----------------------------------------------------------------------------------------------------------
 */

static gpis_status unchanged(gpis_source *source) {
    const gpis_npy_file *file = source->state;
    return gpis_file_stamp_check(source->context, source->name, file->fd, &file->stamp);
}

static void destroy(gpis_source *source) {
    gpis_npy_file *file = source->state;
    close(file->fd);
    gpis_free(source->context, file);
}

static const gpis_source_class mapped_class = {.kind = "npy",
                                               .block = map_block,
                                               .done = unmap_block,
                                               .scratch_bytes = mapped_bytes,
                                               .ahead = read_ahead,
                                               .unchanged = unchanged,
                                               .destroy = destroy,
                                               .in_place = true};

static const gpis_source_class read_class = {
    .kind = "npy", .block = read_block, .scratch_bytes = read_bytes, .unchanged = unchanged, .destroy = destroy};

gpis_status gpis_npy_stream(gpis_context *context, const char *path, gpis_npy_file *file, gpis_source **out) {
    const gpis_npy_header *h = &file->header;
    const int64_t width = h->type == GPIS_FLOAT64 ? sizeof(double) : sizeof(float);
    const bool mapped = h->order == GPIS_ROW_MAJOR && h->offset % width == 0;
    gpis_npy_file *state = gpis_alloc(context, 1, sizeof *state);
    gpis_source *source = state ? gpis_source_new(context, mapped ? &mapped_class : &read_class, path) : NULL;
    if (!source) {
        gpis_free(context, state);
        return GPIS_NO_MEMORY;
    }
    *state = *file;
    file->fd = -1;
    source->state = state;
    gpis_dense_describe(source, h->type, h->order, h->rows, h->cols);
    source->resident = false;
    source->serial = !mapped;
    *out = source;
    return GPIS_OK;
}
