/*
 * Reading the rows of a data set window by window, without decoding a chunk twice. A band is all chunks that hold the
 * same rows:
 *
 *     window     |------------|------------|-----
 *     bands    |----|----|----|----|----|----|---
 *                              ^ read as a whole, and kept as the tail for the next window
 *
 * Bands that are inside a window are read straight into it. A band that crosses the end of the window is decoded into
 * the tail, and both windows copy their rows from there. Of chunks that are not filtered libhdf5 itself can read a
 * part.
 */
#include <inttypes.h>
#include <string.h>

#include "source/hdf5.h"

void gpis_h5_rows_start(hid_t set, const gpis_h5_shape *shape, hid_t type, gpis_h5_rows *out) {
    const int64_t width = shape->rank == 2 ? shape->size[1] : 1;
    *out = (gpis_h5_rows){.set = set, .type = type, .n = shape->size[0], .width = width};
    out->row_bytes = width * (int64_t)H5Tget_size(type);
    out->band = shape->filtered ? shape->chunk[0] : 0;
}

void gpis_h5_rows_close(gpis_context *context, gpis_h5_rows *rows) {
    gpis_account_return(context, rows->decoding);
    gpis_free(context, rows->tail);
    gpis_h5_close(rows->set);
    *rows = (gpis_h5_rows){.set = -1};
}

static gpis_status take_tail(gpis_context *context, gpis_h5_rows *rows) {
    if (!rows->tail) rows->tail = gpis_alloc(context, gpis_min64(rows->band, rows->n), (size_t)rows->row_bytes);
    return rows->tail ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_h5_rows_reserve(gpis_context *context, const char *name, gpis_h5_rows *rows, int64_t budget) {
    int64_t tail, all;
    const gpis_status status = gpis_file_stamp_take(context, name, gpis_h5_descriptor(rows->set), &rows->stamp);
    if (status != GPIS_OK || rows->band == 0) return status;
    /* Besides the tail, libhdf5 holds a chunk before and after it is decoded, each at most as large as a band. */
    if (!gpis_checked_mul(gpis_min64(rows->band, rows->n), rows->row_bytes, &tail) ||
        !gpis_checked_mul(tail, 3, &all) || all > budget)
        return gpis_fail(
            context, GPIS_NO_MEMORY,
            "%s: its chunks are %" PRId64 " rows high, and %s of memory, half of what is allowed at most, "
            "are needed to read rows by whole chunks; raise option memory, or rewrite it with lower chunks "
            "(h5repack -l CHUNK=...)",
            name, rows->band, gpis_bytes(3.0 * (double)rows->band * (double)rows->row_bytes).text);
    if (!gpis_account_affords(context, name, (double)all) || !gpis_account_take(context, 2 * tail))
        return GPIS_NO_MEMORY;
    rows->decoding = 2 * tail;
    return take_tail(context, rows);
}

gpis_status gpis_h5_rows_unchanged(gpis_context *context, const char *name, const gpis_h5_rows *rows) {
    return gpis_file_stamp_check(context, name, gpis_h5_descriptor(rows->set), &rows->stamp);
}

/* One call of libhdf5, which decodes each chunk once. The memory space has the same shape as the selection in the file,
 * so that libhdf5 copies whole rows and not entry by entry. */
static gpis_status fetch(gpis_context *context, const char *name, const gpis_h5_rows *rows, int64_t row0, int64_t nrows,
                         void *to) {
    const hsize_t start[2] = {(hsize_t)row0, 0}, count[2] = {(hsize_t)nrows, (hsize_t)rows->width};
    const hid_t file_space = H5Dget_space(rows->set);
    const hid_t memory_space = H5Screate_simple(H5Sget_simple_extent_ndims(file_space), count, NULL);
    const bool read = file_space >= 0 && memory_space >= 0 &&
                      H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      H5Dread(rows->set, rows->type, memory_space, file_space, H5P_DEFAULT, to) >= 0;
    const gpis_h5_words reason = read ? (gpis_h5_words){""} : gpis_h5_reason();
    gpis_h5_close(file_space);
    gpis_h5_close(memory_space);
    if (read) return GPIS_OK;
    return gpis_fail(context, GPIS_IO, "%s: rows %" PRId64 " to %" PRId64 " cannot be read: %s", name, row0 + 1,
                     row0 + nrows, reason.text);
}

static gpis_status fetch_tail(gpis_context *context, const char *name, gpis_h5_rows *rows, int64_t row) {
    gpis_status status = take_tail(context, rows);
    if (status != GPIS_OK) return status;
    rows->tail_rows = 0; /* invalid until it is read */
    rows->tail_row = row - row % rows->band;
    const int64_t count = gpis_min64(rows->band, rows->n - rows->tail_row);
    status = fetch(context, name, rows, rows->tail_row, count, rows->tail);
    if (status == GPIS_OK) rows->tail_rows = count;
    return status;
}

/* How many of the rows [row, end), from the first on, are whole bands. */
static int64_t whole_bands(const gpis_h5_rows *rows, int64_t row, int64_t end) {
    if (rows->band == 0 || (row % rows->band == 0 && end == rows->n)) return end - row;
    return row % rows->band == 0 ? (end - row) / rows->band * rows->band : 0;
}

gpis_status gpis_h5_rows_read(gpis_context *context, const char *name, gpis_h5_rows *rows, int64_t row0, int64_t nrows,
                              void *to) {
    const int64_t end = row0 + nrows;
    gpis_status status = GPIS_OK;
    for (int64_t row = row0; row < end && status == GPIS_OK;) {
        char *at = (char *)to + (row - row0) * rows->row_bytes;
        int64_t count = 0;
        if (row >= rows->tail_row && row < rows->tail_row + rows->tail_rows) {
            count = gpis_min64(end, rows->tail_row + rows->tail_rows) - row;
            memcpy(at, rows->tail + (row - rows->tail_row) * rows->row_bytes, (size_t)(count * rows->row_bytes));
        } else if ((count = whole_bands(rows, row, end)) > 0) {
            status = fetch(context, name, rows, row, count, at);
        } else {
            status = fetch_tail(context, name, rows, row);
        }
        row += count;
    }
    return status;
}
