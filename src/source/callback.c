/* Rows that the caller's function computes, written to the scratch of the thread that asks for them. */
#include <inttypes.h>

#include "source/source.h"

typedef struct maker {
    gpis_rows_fn rows;
    void *user;
} maker;

static gpis_status make_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    const maker *m = source->state;
    const int code = m->rows(m->user, row0, nrows, scratch);
    if (code != 0)
        return gpis_fail(source->context, GPIS_BAD_DATA,
                         "A: rows %" PRId64 " to %" PRId64 " could not be made: the function for them returned %d",
                         row0 + 1, row0 + nrows, code);
    *out = gpis_block_dense(GPIS_FLOAT64, row0, nrows, source->d, scratch);
    return GPIS_OK;
}

static void destroy(gpis_source *source) { gpis_free(source->context, source->state); }

static int64_t scratch_bytes(const gpis_source *source, int64_t nrows) {
    return nrows * source->d * (int64_t)sizeof(double);
}

static const gpis_source_class callback_class = {
    .kind = "callback", .block = make_block, .destroy = destroy, .scratch_bytes = scratch_bytes, .on_demand = true};

gpis_status gpis_source_callback(gpis_context *context, int64_t n, int64_t d, gpis_rows_fn rows, void *user,
                                 int concurrent, gpis_source **out) {
    int64_t entries, bytes;
    if (!context || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the pointer for the new source is NULL");
    *out = NULL;
    if (!rows) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the function that makes rows is NULL");
    if (n < 1 || d < 1)
        return gpis_fail(context, GPIS_BAD_SHAPE, "A is %" PRId64 " x %" PRId64 "; it needs a row and a column", n, d);
    if (!gpis_checked_mul(n, d, &entries) || !gpis_checked_mul(entries, sizeof(double), &bytes))
        return gpis_fail(context, GPIS_TOO_LARGE, "A of %" PRId64 " x %" PRId64 " overflows 64 bits", n, d);
    maker *state = gpis_alloc(context, 1, sizeof *state);
    gpis_source *source = state ? gpis_source_new(context, &callback_class, NULL) : NULL;
    if (!source) {
        gpis_free(context, state);
        return GPIS_NO_MEMORY;
    }
    *state = (maker){rows, user};
    source->state = state;
    source->n = n;
    source->d = d;
    source->nonzeros = entries;
    source->serial = !concurrent;
    *out = source;
    return GPIS_OK;
}
