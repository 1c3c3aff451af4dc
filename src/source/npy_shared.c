/* What all sources share that read a .npy file anew at each pass. */
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

enum {
    FAULT_AROUND = 1 << 16, /* bytes that Linux maps around a page that is touched, as far as they are cached */
    COLUMNS_PER_CHECK = 16, /* the page cache is looked at for one column in so many */
};

int64_t gpis_source_npy_width(const gpis_source *source) {
    const gpis_source_npy_streamed *s = source->state;
    return s->file.header.stored.width;
}

static bool byte_is_cached(int fd, int64_t offset) {
    char byte;
    const struct iovec one = {&byte, 1};
    return preadv2(fd, &one, 1, offset, RWF_NOWAIT) == 1;
}

bool gpis_source_npy_is_cached(int fd, int64_t offset, int64_t bytes) {
    return byte_is_cached(fd, offset) && byte_is_cached(fd, offset + bytes - 1);
}

/* Pages in the page cache are mapped most cheaply by touching them. Pages on the disk are waited for all at once by
 * madvise, which fails, where touching them would raise SIGBUS, if the file has become shorter or the disk fails.
 * Systems without MADV_POPULATE_READ read page by page. */
bool gpis_source_npy_populate(int fd, int64_t offset, const char *map, int64_t bytes) {
    if (!gpis_source_npy_is_cached(fd, offset, bytes) && madvise((void *)map, (size_t)bytes, MADV_POPULATE_READ) != 0)
        return errno == EINVAL;
    for (int64_t i = 0; i < bytes; i += FAULT_AROUND) (void)*(const volatile char *)(map + i);
    return true;
}

gpis_status gpis_source_npy_rows_lost(const gpis_source *source, int64_t row0, int64_t nrows) {
    return gpis_fail(source->context, GPIS_IO,
                     "%s: rows %" PRId64 " to %" PRId64 " cannot be read any more; was it cut short?", source->name,
                     row0 + 1, row0 + nrows);
}

gpis_status gpis_source_npy_map_failed(const gpis_source *source) {
    return gpis_fail(source->context, GPIS_IO, "%s: cannot be mapped into memory: %s", source->name, strerror(errno));
}

gpis_status gpis_source_npy_unchanged(gpis_source *source) {
    const gpis_source_npy_streamed *s = source->state;
    return gpis_file_stamp_check(source->context, source->name, s->file.fd, &s->file.stamp);
}

void gpis_source_npy_destroy(gpis_source *source) {
    gpis_source_npy_streamed *s = source->state;
    if (s->ahead_fd >= 0) close(s->ahead_fd);
    if (s->null_fd >= 0) close(s->null_fd);
    close(s->file.fd);
    gpis_free(source->context, s);
}

/* ---- column-major files: the rows of a window are a piece of each column ----------------------------------------- */

int64_t gpis_source_npy_piece_bytes(const gpis_source *source, int64_t nrows) {
    return nrows * gpis_source_npy_width(source);
}

int64_t gpis_source_npy_piece_offset(const gpis_source *source, int64_t row0, int64_t column) {
    const gpis_source_npy_streamed *s = source->state;
    return s->file.header.offset + gpis_source_npy_piece_bytes(source, column * source->n + row0);
}

void gpis_source_npy_announce_pieces(const gpis_source *source, int64_t row0, int64_t nrows) {
    const gpis_source_npy_streamed *s = source->state;
    const int64_t bytes = gpis_source_npy_piece_bytes(source, nrows);
    bool cached = true;
    for (int64_t j = 0; j < source->d && cached; j += COLUMNS_PER_CHECK)
        cached = gpis_source_npy_is_cached(s->file.fd, gpis_source_npy_piece_offset(source, row0, j), bytes);
    for (int64_t j = 0; j < source->d && !cached; j++)
        readahead(s->file.fd, gpis_source_npy_piece_offset(source, row0, j), (size_t)bytes);
}
