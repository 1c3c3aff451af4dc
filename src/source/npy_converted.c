/*
 * A .npy file whose numbers are not the machine's floats (integers, bools, float16, the other byte order) and have to
 * be converted to doubles: all of them once, when they fit in memory, or those of each window when it is read. Either
 * way the bytes are read into the end of the array of doubles and converted in place (base/npy_convert.h). Windows of
 * column-major files: npy_pieces.c.
 */
#include "source/npy.h"

static gpis_status inexact(gpis_context *context, const char *path, const gpis_npy_header *h, int64_t number) {
    const bool by_rows = h->order == GPIS_ROW_MAJOR;
    return gpis_npy_inexact(context, path, by_rows ? number / h->cols : number % h->rows,
                            by_rows ? number % h->cols : number / h->rows);
}

/* Numbers first .. first + count - 1 of the file. */
static gpis_status read_numbers(gpis_context *context, const char *path, const gpis_source_npy_file *file,
                                int64_t first, int64_t count, double *to) {
    const gpis_npy_header *h = &file->header;
    char *stored = (char *)to + gpis_npy_lead(h->stored, count);
    const int64_t width = h->stored.width;
    const gpis_status status =
        gpis_file_read(context, path, file->fd, h->offset + first * width, stored, count * width);
    if (status != GPIS_OK) return status;
    const int64_t done = gpis_npy_convert(h->stored, stored, count, to);
    return done == count ? GPIS_OK : inexact(context, path, h, first + done);
}

/* ---- held in memory ---------------------------------------------------------------------------------------------- */

static const gpis_source_class held_class = {
    .kind = "npy", .block = gpis_stored_dense_block, .destroy = gpis_stored_dense_destroy};

gpis_status gpis_source_npy_hold(gpis_context *context, const char *path, const gpis_source_npy_file *file,
                                 gpis_source **out) {
    enum { PIECE = 1 << 17 }; /* numbers read at a time: they are still in the processor's cache when converted */
    const gpis_npy_header *h = &file->header;
    const int64_t count = h->rows * h->cols;
    double *numbers = gpis_alloc(context, count, sizeof *numbers);
    gpis_status status = numbers ? GPIS_OK : GPIS_NO_MEMORY;
    for (int64_t first = 0; first < count && status == GPIS_OK; first += PIECE)
        status = read_numbers(context, path, file, first, gpis_min64(PIECE, count - first), numbers + first);
    if (status == GPIS_OK) status = gpis_file_stamp_check(context, path, file->fd, &file->stamp);
    const gpis_stored_dense dense = {
        .values = numbers, .ld = h->order == GPIS_ROW_MAJOR ? h->cols : h->rows, .owned = numbers};
    if (status == GPIS_OK)
        status =
            gpis_stored_dense_new(context, &held_class, path, dense, GPIS_FLOAT64, h->order, h->rows, h->cols, out);
    if (status != GPIS_OK)
        gpis_free(context, numbers);
    else
        (*out)->dimensions = h->dimensions;
    return status;
}

/* ---- read at each pass ------------------------------------------------------------------------------------------- */

static int64_t scratch_bytes(const gpis_source *source, int64_t nrows) {
    return nrows * source->d * (int64_t)sizeof(double);
}

static gpis_status read_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    const gpis_source_npy_streamed *s = source->state;
    *out = gpis_block_dense(GPIS_FLOAT64, row0, nrows, source->d, scratch);
    return read_numbers(source->context, source->name, &s->file, row0 * source->d, nrows * source->d, scratch);
}

const gpis_source_class gpis_source_npy_converted = {.kind = "npy",
                                                     .block = read_block,
                                                     .scratch_bytes = scratch_bytes,
                                                     .unchanged = gpis_source_npy_unchanged,
                                                     .destroy = gpis_source_npy_destroy};
