/*
 * A .npy file in column-major order whose rows are fetched at each pass, where memory allows only short windows: the
 * rows of a window are a piece of each column, read into the scratch side by side by all threads. Longer pieces are
 * mapped (npy_columns.c).
 *
 * So short pieces, far apart, are slow to read from a disk one by one: longer ones, of rows to come, are announced
 * while those at hand are worked on.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "source/npy.h"

enum {
    SLOT = 512,           /* bytes: columns that are an odd number of these apart share no sets of a cache */
    AHEAD_BYTES = 1 << 26 /* what is announced at a time */
};

static int64_t entry_bytes(const gpis_source *source) { return source->type == GPIS_FLOAT64 ? 8 : 4; }

/* From column to column in the scratch. */
static int64_t stride_of(const gpis_source *source, int64_t nrows) {
    const int64_t bytes = nrows * entry_bytes(source), slots = (bytes + SLOT - 1) / SLOT;
    return bytes < 8 * SLOT ? bytes : (slots | 1) * SLOT;
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

/* A piece of column j as the block needs it; *bad is the first entry that no double equals, or nrows. False: it could
 * not be read. */
static bool take_piece(const gpis_source *source, int64_t row0, int64_t nrows, int64_t j, char *to, int64_t *bad) {
    const gpis_npy_streamed *s = source->state;
    const gpis_npy_stored stored = s->file.header.stored;
    const int64_t lead = gpis_npy_is_converted(stored) ? gpis_npy_lead(stored, nrows) : 0;
    *bad = nrows;
    if (!read_piece(s->file.fd, gpis_npy_offset(source, row0, j), to + lead, gpis_npy_piece(source, nrows)))
        return false;
    if (gpis_npy_is_converted(stored)) *bad = gpis_npy_convert(stored, to + lead, nrows, (double *)(void *)to);
    return true;
}

/* Announces rows a reach at a time, one reach ahead of the window. */
static void look_ahead(const gpis_source *source, int64_t row0, int64_t nrows) {
    const int64_t reach = gpis_max64(1, AHEAD_BYTES / gpis_npy_piece(source, source->d) / nrows) * nrows;
    if (row0 % reach != 0) return;
    for (int64_t row = row0 == 0 ? 0 : row0 + reach; row <= row0 + reach && row < source->n; row += reach)
        gpis_npy_announce(source, row, gpis_min64(reach, source->n - row));
}

static gpis_status read_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    const gpis_npy_streamed *s = source->state;
    const int64_t stride = stride_of(source, nrows), cells = nrows * source->d;
    int64_t failed = source->d, inexact = cells; /* a column; an entry, row by row */
    look_ahead(source, row0, nrows);
#pragma omp parallel for num_threads(source->context->threads) schedule(dynamic, 8) reduction(min : failed, inexact)
    for (int64_t j = 0; j < source->d; j++) {
        int64_t bad;
        if (!take_piece(source, row0, nrows, j, (char *)scratch + j * stride, &bad)) failed = gpis_min64(failed, j);
        if (bad < nrows) inexact = gpis_min64(inexact, bad * source->d + j);
    }
    if (failed < source->d) { /* once more, here where there is one thread, which may set the message */
        const gpis_status status =
            gpis_file_read(source->context, source->name, s->file.fd, gpis_npy_offset(source, row0, failed), scratch,
                           gpis_npy_piece(source, nrows));
        return status == GPIS_OK ? gpis_npy_gone(source, row0, nrows) : status;
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

const gpis_source_class gpis_npy_pieces = {.kind = "npy",
                                           .block = read_block,
                                           .scratch_bytes = scratch_bytes,
                                           .unchanged = gpis_npy_unchanged,
                                           .destroy = gpis_npy_destroy,
                                           .by_all = true};
