/* Some rows of a source, as a source of their own, and rows as plain numbers. */
#include <inttypes.h>
#include <string.h>

#include "source/source.h"

static gpis_status block(gpis_source *source, int64_t row0, int64_t nrows, double *scratch, gpis_block *out) {
    gpis_source *whole = source->state;
    const int64_t offset = source->first - whole->first;
    const gpis_status status = whole->class->block(whole, row0 + offset, nrows, scratch, out);
    out->row0 -= offset;
    return status;
}

static int64_t scratch_doubles(const gpis_source *source, int64_t nrows) {
    const gpis_source *whole = source->state;
    return whole->class->scratch_doubles ? whole->class->scratch_doubles(whole, nrows) : 0;
}

/* The whole belongs to someone else. */
static void destroy(gpis_source *source) { (void)source; }

static const gpis_source_class stored_class = {"slice", block, destroy, scratch_doubles, false};
static const gpis_source_class made_class = {"slice", block, destroy, scratch_doubles, true};

static gpis_status check_range(gpis_context *context, const gpis_source *source, int64_t row0, int64_t nrows) {
    if (row0 >= 0 && nrows >= 1 && row0 < source->n && nrows <= source->n - row0) return GPIS_OK;
    return gpis_fail(context, GPIS_BAD_ARGUMENT,
                     "%s: rows %" PRId64 " to %" PRId64 " are not among its %" PRId64 " rows", gpis_source_name(source),
                     row0 + 1, row0 + nrows, source->n);
}

/* Compressed rows in memory tell how many entries they have; of others it is their share. */
static gpis_status count_entries(gpis_source *slice) {
    const gpis_source *whole = slice->state;
    slice->nonzeros = (int64_t)((double)whole->nonzeros * (double)slice->n / (double)whole->n);
    if (slice->block_kind == GPIS_BLOCK_DENSE) slice->nonzeros = slice->n * slice->d;
    if (slice->block_kind == GPIS_BLOCK_DENSE || !slice->resident) return GPIS_OK;
    gpis_block rows;
    const gpis_status status = block(slice, 0, slice->n, NULL, &rows);
    if (status == GPIS_OK) slice->nonzeros = rows.indptr[slice->n] - rows.indptr[0];
    return status;
}

static gpis_status copy_target(gpis_source *slice, int64_t row0) {
    const gpis_source *whole = slice->state;
    if (!whole->target) return GPIS_OK;
    const int64_t k = slice->target_k = whole->target_k;
    slice->target = gpis_alloc(slice->context, slice->n * k, sizeof(double));
    if (!slice->target) return GPIS_NO_MEMORY;
    memcpy(slice->target, whole->target + row0 * k, (size_t)(slice->n * k) * sizeof(double));
    return GPIS_OK;
}

gpis_status gpis_source_slice(gpis_context *context, gpis_source *whole, int64_t row0, int64_t nrows,
                              gpis_source **out) {
    if (!whole || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "a slice needs a source and a place for it");
    *out = NULL;
    gpis_status status = check_range(context, whole, row0, nrows);
    if (status != GPIS_OK) return status;
    gpis_source *s = gpis_source_new(context, whole->class->on_demand ? &made_class : &stored_class, whole->name);
    if (!s) return GPIS_NO_MEMORY;
    s->state = whole;
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
    if (status == GPIS_OK) status = copy_target(s, row0);
    if (status == GPIS_OK)
        *out = s;
    else
        gpis_source_destroy(s);
    return status;
}

gpis_status gpis_source_rows(gpis_context *context, gpis_source *source, int64_t row0, int64_t nrows, double *out) {
    enum { ENTRIES = 1 << 18 };
    if (!source || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "rows need a source and a place for them");
    gpis_source *slice = NULL;
    gpis_status status = gpis_source_slice(context, source, row0, nrows, &slice);
    if (status == GPIS_OK) status = gpis_source_audit(context, slice);
    const int64_t step = gpis_max64(1, ENTRIES / source->d);
    double *scratch = NULL;
    if (status == GPIS_OK) {
        scratch = gpis_alloc(context, scratch_doubles(slice, gpis_min64(step, nrows)), sizeof *scratch);
        if (!scratch) status = GPIS_NO_MEMORY;
    }
    for (int64_t i = 0; i < nrows && status == GPIS_OK; i += step) {
        gpis_block rows;
        status = block(slice, i, gpis_min64(step, nrows - i), scratch, &rows);
        if (status == GPIS_OK) gpis_block_unpack(&rows, out + i * source->d);
    }
    gpis_free(context, scratch);
    gpis_source_destroy(slice);
    return status;
}
