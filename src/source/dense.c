/* A dense array in memory, row-major or column-major, float32 or float64, used without copying. */
#include <inttypes.h>

#include "source/stored.h"

gpis_status gpis_stored_dense_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    (void)scratch;
    const gpis_stored_dense *dense = source->state;
    const bool by_rows = source->order == GPIS_ROW_MAJOR;
    const gpis_block whole = {.kind = GPIS_BLOCK_DENSE,
                              .type = source->type,
                              .nrows = source->n,
                              .d = source->d,
                              .values = dense->values,
                              .row_stride = by_rows ? dense->ld : 1,
                              .col_stride = by_rows ? 1 : dense->ld};
    *out = gpis_block_rows(&whole, row0, nrows);
    return GPIS_OK;
}

void gpis_stored_dense_destroy(gpis_source *source) {
    gpis_stored_dense *dense = source->state;
    gpis_free(source->context, dense->owned);
    gpis_free(source->context, dense);
}

void gpis_stored_dense_describe(gpis_source *source, gpis_type type, gpis_order order, int64_t n, int64_t d) {
    source->n = n;
    source->d = d;
    source->nonzeros = n * d;
    source->type = type;
    source->block_kind = GPIS_BLOCK_DENSE;
    source->order = order;
    source->resident = true;
}

gpis_status gpis_stored_dense_new(gpis_context *context, const gpis_source_class *class, const char *name,
                                  gpis_stored_dense dense, gpis_type type, gpis_order order, int64_t n, int64_t d,
                                  gpis_source **out) {
    *out = NULL;
    gpis_stored_dense *state = gpis_alloc(context, 1, sizeof *state);
    gpis_source *source = state ? gpis_source_new(context, class, name) : NULL;
    if (!source) {
        gpis_free(context, state);
        return GPIS_NO_MEMORY;
    }
    *state = dense;
    source->state = state;
    gpis_stored_dense_describe(source, type, order, n, d);
    *out = source;
    return GPIS_OK;
}

static const gpis_source_class dense_class = {
    .kind = "dense", .block = gpis_stored_dense_block, .destroy = gpis_stored_dense_destroy};

gpis_status gpis_source_dense(gpis_context *context, const void *data, gpis_type type, gpis_order order, int64_t n,
                              int64_t d, int64_t ld, gpis_source **out) {
    if (!context || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the pointer for the new source is NULL");
    *out = NULL;
    if (!data) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the data pointer is NULL");
    if (type != GPIS_FLOAT64 && type != GPIS_FLOAT32)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the type must be GPIS_FLOAT64 or GPIS_FLOAT32");
    if (order != GPIS_ROW_MAJOR && order != GPIS_COLUMN_MAJOR)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the order must be GPIS_ROW_MAJOR or GPIS_COLUMN_MAJOR");
    if (n < 1 || d < 1)
        return gpis_fail(context, GPIS_BAD_SHAPE, "A is %" PRId64 " x %" PRId64 "; it needs a row and a column", n, d);
    const int64_t lines = order == GPIS_ROW_MAJOR ? n : d, length = order == GPIS_ROW_MAJOR ? d : n;
    if (ld < length)
        return gpis_fail(context, GPIS_BAD_SHAPE, "the leading dimension %" PRId64 " is below the %" PRId64 " of A", ld,
                         length);
    int64_t bytes;
    if (!gpis_checked_mul(lines, ld, &bytes) || !gpis_checked_mul(bytes, sizeof(double), &bytes))
        return gpis_fail(context, GPIS_TOO_LARGE,
                         "A of %" PRId64 " x %" PRId64 " with leading dimension %" PRId64 " overflows 64 bits", n, d,
                         ld);
    const gpis_stored_dense dense = {.values = data, .ld = ld};
    return gpis_stored_dense_new(context, &dense_class, NULL, dense, type, order, n, d, out);
}
