/*
 * A column-major .npy file whose rows are fetched at each pass, where memory allows only short windows: the rows of a
 * window are a piece of each column, and all threads read pieces into the scratch, where they are next to each other.
 * Longer pieces are mapped (npy_columns.c).
 *
 * Short pieces that are far apart are slow to read from a disk one by one. So longer pieces, of the rows that come
 * next, are announced to the system while the current window is worked on.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "source/npy.h"

enum {
    STRIDE_UNIT = 512,    /* bytes: columns an odd number of these apart do not fall into the same sets of a cache */
    AHEAD_BYTES = 1 << 26 /* bytes that are announced at a time, of all columns together */
};

static int64_t entry_bytes(const gpis_source *source) { return source->type == GPIS_FLOAT64 ? 8 : 4; }

/* Bytes from one column to the next in the scratch. */
static int64_t stride_of(const gpis_source *source, int64_t nrows) {
    const int64_t bytes = nrows * entry_bytes(source), units = (bytes + STRIDE_UNIT - 1) / STRIDE_UNIT;
    return bytes < 8 * STRIDE_UNIT ? bytes : (units | 1) * STRIDE_UNIT;
}

static int64_t scratch_bytes(const gpis_source *source, int64_t nrows) { return source->d * stride_of(source, nrows); }

static bool read_piece(int fd, int64_t offset, char *to, int64_t bytes) {
    while (bytes > 0) {
        const ssize_t got = pread(fd, to, (size_t)bytes, offset);
        if (got == 0 || (got < 0 && errno != EINTR)) return false;
        if (got < 0) continue;
        offset += got;
        to += got;
        bytes -= got;
    }
    return true;
}

/* Reads a piece of column j and converts it if need be. *bad is the first entry that no double equals, or nrows if
 * there is none. Returns false if the piece could not be read. */
static bool read_column(const gpis_source *source, int64_t row0, int64_t nrows, int64_t j, char *to, int64_t *bad) {
    const gpis_source_npy_streamed *s = source->state;
    const gpis_npy_stored stored = s->file.header.stored;
    const int64_t lead = gpis_npy_is_converted(stored) ? gpis_npy_lead(stored, nrows) : 0;
    *bad = nrows;
    if (!read_piece(s->file.fd, gpis_source_npy_piece_offset(source, row0, j), to + lead,
                    gpis_source_npy_piece_bytes(source, nrows)))
        return false;
    if (gpis_npy_is_converted(stored)) *bad = gpis_npy_convert(stored, to + lead, nrows, (double *)(void *)to);
    return true;
}

/* Announces rows in groups of `reach` rows: when a window begins a group, the group after it is announced. */
static void look_ahead(const gpis_source *source, int64_t row0, int64_t nrows) {
    const int64_t reach = gpis_max64(1, AHEAD_BYTES / gpis_source_npy_piece_bytes(source, source->d) / nrows) * nrows;
    if (row0 % reach != 0) return;
    for (int64_t row = row0 == 0 ? 0 : row0 + reach; row <= row0 + reach && row < source->n; row += reach)
        gpis_source_npy_announce_pieces(source, row, gpis_min64(reach, source->n - row));
}

static gpis_status read_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    const gpis_source_npy_streamed *s = source->state;
    const int64_t stride = stride_of(source, nrows), cells = nrows * source->d;
    int64_t failed = source->d; /* the first column that could not be read */
    int64_t inexact = cells;    /* the first entry, counted row by row, that no double equals */
    look_ahead(source, row0, nrows);
#pragma omp parallel for num_threads(source->context->threads) schedule(dynamic, 8) reduction(min : failed, inexact)
    for (int64_t j = 0; j < source->d; j++) {
        int64_t bad;
        if (!read_column(source, row0, nrows, j, (char *)scratch + j * stride, &bad)) failed = gpis_min64(failed, j);
        if (bad < nrows) inexact = gpis_min64(inexact, bad * source->d + j);
    }
    if (failed < source->d) { /* read once more by one thread, since only one may set the context's message */
        const gpis_status status = gpis_file_read(source->context, source->name, s->file.fd,
                                                  gpis_source_npy_piece_offset(source, row0, failed), scratch,
                                                  gpis_source_npy_piece_bytes(source, nrows));
        return status == GPIS_OK ? gpis_source_npy_rows_lost(source, row0, nrows) : status;
    }
    if (inexact < cells)
        return gpis_npy_inexact(source->context, source->name, row0 + inexact / source->d, inexact % source->d);
    *out = (gpis_block){.kind = GPIS_BLOCK_DENSE,
                        .type = source->type,
                        .row0 = row0,
                        .nrows = nrows,
                        .d = source->d,
                        .values = scratch,
                        .row_stride = 1,
                        .col_stride = stride / entry_bytes(source)};
    return GPIS_OK;
}

const gpis_source_class gpis_source_npy_pieces = {.kind = "npy",
                                                  .block = read_block,
                                                  .scratch_bytes = scratch_bytes,
                                                  .unchanged = gpis_source_npy_unchanged,
                                                  .destroy = gpis_source_npy_destroy,
                                                  .by_all = true};
