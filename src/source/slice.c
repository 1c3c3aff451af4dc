/* Consecutive rows of a source as a source of their own, and rows as plain doubles. */
#include <inttypes.h>
#include <string.h>

#include "source/source.h"

/* A slice behaves like the whole, except for the row numbers. */
typedef struct part_of {
    gpis_source *whole;      /* borrowed */
    gpis_source_class class; /* the functions below, as far as the whole has them */
} part_of;

static gpis_source *whole_of(const gpis_source *source) { return ((const part_of *)source->state)->whole; }

static int64_t offset_of(const gpis_source *source) { return source->first - whole_of(source)->first; }

static gpis_status block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    gpis_source *whole = whole_of(source);
    const int64_t offset = offset_of(source);
    const gpis_status status = whole->class->block(whole, row0 + offset, nrows, scratch, out);
    out->row0 -= offset;
    return status;
}

/* A block of the slice may overlap two blocks whose size the whole knows, and compressed rows differ in length. */
static int64_t scratch_bytes(const gpis_source *source, int64_t nrows) {
    const gpis_source *whole = whole_of(source);
    const int64_t bytes = whole->class->scratch_bytes(whole, nrows);
    return source->block_kind == GPIS_BLOCK_CSR ? 2 * bytes : bytes;
}

static void done(gpis_source *source, const gpis_block *taken) {
    gpis_source *whole = whole_of(source);
    gpis_block there = *taken;
    there.row0 += offset_of(source);
    whole->class->done(whole, &there);
}

static void ahead(gpis_source *source, int64_t row0, int64_t nrows) {
    gpis_source *whole = whole_of(source);
    whole->class->ahead(whole, row0 + offset_of(source), nrows);
}

static gpis_status unchanged(gpis_source *source) { return gpis_source_unchanged(whole_of(source)); }

/* The whole is borrowed. */
static void destroy(gpis_source *source) { gpis_free(source->context, source->state); }

static gpis_source_class class_of(const gpis_source *whole) {
    const gpis_source_class *of = whole->class;
    return (gpis_source_class){.kind = "slice",
                               .block = block,
                               .destroy = destroy,
                               .scratch_bytes = of->scratch_bytes ? scratch_bytes : NULL,
                               .done = of->done ? done : NULL,
                               .ahead = of->ahead ? ahead : NULL,
                               .unchanged = of->unchanged ? unchanged : NULL,
                               .on_demand = of->on_demand,
                               .in_place = of->in_place};
}

static gpis_status check_range(gpis_context *context, const gpis_source *source, int64_t row0, int64_t nrows) {
    if (row0 >= 0 && nrows >= 1 && row0 < source->n && nrows <= source->n - row0) return GPIS_OK;
    return gpis_fail(context, GPIS_BAD_ARGUMENT,
                     "%s: %" PRId64 " rows that begin after row %" PRId64 " are not among its %" PRId64 " rows",
                     gpis_source_name(source), nrows, row0, source->n);
}

/* Compressed rows in memory can be counted exactly. Others are taken to have their share of all entries. */
static gpis_status count_entries(gpis_source *slice) {
    const gpis_source *whole = whole_of(slice);
    slice->nonzeros = (int64_t)((double)whole->nonzeros * (double)slice->n / (double)whole->n);
    if (slice->block_kind == GPIS_BLOCK_DENSE) slice->nonzeros = slice->n * slice->d;
    if (slice->block_kind == GPIS_BLOCK_DENSE || !slice->resident) return GPIS_OK;
    gpis_block rows;
    const gpis_status status = block(slice, 0, slice->n, NULL, &rows);
    if (status == GPIS_OK) slice->nonzeros = rows.indptr[slice->n] - rows.indptr[0];
    return status;
}

gpis_status gpis_source_slice(gpis_context *context, gpis_source *whole, int64_t row0, int64_t nrows,
                              gpis_source **out) {
    if (!context || !whole || !out)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a slice needs a source and a pointer for the new one");
    *out = NULL;
    gpis_status status = check_range(context, whole, row0, nrows);
    if (status != GPIS_OK) return status;
    part_of *state = gpis_alloc(context, 1, sizeof *state);
    if (!state) return GPIS_NO_MEMORY;
    *state = (part_of){whole, class_of(whole)};
    gpis_source *s = gpis_source_new(context, &state->class, whole->name);
    if (!s) {
        gpis_free(context, state);
        return GPIS_NO_MEMORY;
    }
    s->state = state;
    s->of = whole;
    s->n = nrows;
    s->d = whole->d;
    s->type = whole->type;
    s->block_kind = whole->block_kind;
    s->order = whole->order;
    s->serial = whole->serial;
    s->resident = whole->resident;
    s->dimensions = whole->dimensions;
    s->first = whole->first + row0;
    status = count_entries(s);
    if (status == GPIS_OK) status = gpis_source_copy_labels(s, nrows, 0, whole, row0, nrows);
    if (status == GPIS_OK)
        *out = s;
    else
        gpis_source_destroy(s);
    return status;
}

gpis_status gpis_source_rows(gpis_context *context, gpis_source *source, int64_t row0, int64_t nrows, double *out) {
    enum { ENTRIES_PER_BLOCK = 1 << 18 };
    if (!context || !source || !out)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "rows need a source and an array for the numbers");
    gpis_source *slice = NULL;
    gpis_status status = gpis_source_slice(context, source, row0, nrows, &slice);
    if (status == GPIS_OK) status = gpis_source_audit(context, slice);
    const int64_t step = gpis_min64(nrows, gpis_max64(1, ENTRIES_PER_BLOCK / source->d));
    const gpis_source_class *class = status == GPIS_OK ? slice->class : NULL;
    void *scratch = NULL;
    if (status == GPIS_OK && class->scratch_bytes && !class->in_place) {
        scratch = gpis_alloc(context, scratch_bytes(slice, step), 1);
        if (!scratch) status = GPIS_NO_MEMORY;
    }
    for (int64_t i = 0; i < nrows && status == GPIS_OK; i += step) {
        gpis_block rows;
        status = block(slice, i, gpis_min64(step, nrows - i), scratch, &rows);
        if (status != GPIS_OK) break;
        gpis_block_unpack(&rows, out + i * source->d);
        if (class->done) class->done(slice, &rows);
    }
    gpis_free(context, scratch);
    gpis_source_destroy(slice);
    return status;
}
