/* Compressed rows in memory, checked once and then used without copying. */
#include <inttypes.h>

#include "source/stored.h"

gpis_status gpis_stored_csr_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    (void)scratch;
    const gpis_stored_csr *csr = source->state;
    *out = (gpis_block){.kind = GPIS_BLOCK_CSR,
                        .type = source->type,
                        .row0 = row0,
                        .nrows = nrows,
                        .d = source->d,
                        .values = csr->values,
                        .indptr = csr->indptr + row0,
                        .indices = csr->indices};
    return GPIS_OK;
}

void gpis_stored_csr_free(gpis_context *context, gpis_stored_csr *csr) {
    if (!csr->owned) return;
    gpis_free(context, (void *)csr->indptr);
    gpis_free(context, (void *)csr->indices);
    gpis_free(context, (void *)csr->values);
}

void gpis_stored_csr_destroy(gpis_source *source) {
    gpis_stored_csr_free(source->context, source->state);
    gpis_free(source->context, source->state);
}

gpis_status gpis_stored_csr_new(gpis_context *context, const gpis_source_class *class, const char *name,
                                gpis_stored_csr csr, gpis_type type, int64_t n, int64_t d, gpis_source **out) {
    *out = NULL;
    gpis_stored_csr *state = gpis_alloc(context, 1, sizeof *state);
    gpis_source *source = state ? gpis_source_new(context, class, name) : NULL;
    if (!source) {
        gpis_free(context, state);
        return GPIS_NO_MEMORY;
    }
    *state = csr;
    source->state = state;
    source->n = n;
    source->d = d;
    source->nonzeros = csr.indptr[n];
    source->type = type;
    source->block_kind = GPIS_BLOCK_CSR;
    source->resident = true;
    *out = source;
    return GPIS_OK;
}

/* The columns of row i are in range and increase. */
static gpis_status check_row(gpis_context *context, const gpis_stored_csr_window *w, int64_t i) {
    for (int64_t p = w->indptr[i]; p < w->indptr[i + 1]; p++) {
        const int32_t column = w->indices[p];
        if (column < 0 || column >= w->d)
            return gpis_fail(context, GPIS_BAD_DATA,
                             "%s: row %" PRId64 ": indices[%" PRId64 "] = %d is not in [0, %" PRId64 ")", w->name,
                             w->row0 + i + 1, w->first + p, (int)column, w->d);
        if (p > w->indptr[i] && column <= w->indices[p - 1])
            return gpis_fail(context, GPIS_BAD_DATA,
                             "%s: row %" PRId64 ": indices[%" PRId64 "] = %d %s; sort the columns of each row and sum "
                             "duplicates first",
                             w->name, w->row0 + i + 1, w->first + p, (int)column,
                             column == w->indices[p - 1] ? "occurs twice" : "is below the one before it");
    }
    return GPIS_OK;
}

gpis_status gpis_stored_csr_check_columns(gpis_context *context, const gpis_stored_csr_window *window) {
    for (int64_t i = 0; i < window->nrows; i++) {
        const gpis_status status = check_row(context, window, i);
        if (status != GPIS_OK) return status;
    }
    return GPIS_OK;
}

gpis_status gpis_stored_csr_check(gpis_context *context, const gpis_stored_csr_window *all) {
    const int64_t *indptr = all->indptr;
    if (indptr[0] != 0)
        return gpis_fail(context, GPIS_BAD_DATA, "%s: indptr[0] is %" PRId64 "; it must be 0", all->name, indptr[0]);
    for (int64_t i = 0; i < all->nrows; i++) {
        if (indptr[i + 1] < indptr[i])
            return gpis_fail(context, GPIS_BAD_DATA,
                             "%s: row %" PRId64 ": indptr[%" PRId64 "] = %" PRId64 " is below indptr[%" PRId64
                             "] = %" PRId64,
                             all->name, i + 1, i + 1, indptr[i + 1], i, indptr[i]);
    }
    return gpis_stored_csr_check_columns(context, all);
}

static const gpis_source_class csr_class = {
    .kind = "csr", .block = gpis_stored_csr_block, .destroy = gpis_stored_csr_destroy};

gpis_status gpis_source_csr(gpis_context *context, int64_t n, int64_t d, const int64_t *indptr, const int32_t *indices,
                            const void *values, gpis_type type, gpis_source **out) {
    if (!context || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the pointer for the new source is NULL");
    *out = NULL;
    if (type != GPIS_FLOAT64 && type != GPIS_FLOAT32)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the type must be GPIS_FLOAT64 or GPIS_FLOAT32");
    if (n < 1 || d < 1)
        return gpis_fail(context, GPIS_BAD_SHAPE, "A is %" PRId64 " x %" PRId64 "; it needs a row and a column", n, d);
    if (d > INT32_MAX)
        return gpis_fail(context, GPIS_TOO_LARGE, "A has %" PRId64 " columns; compressed rows number at most %d", d,
                         INT32_MAX);
    if (!indptr || (indptr[n] > 0 && (!indices || !values)))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "indptr, indices or values is NULL");
    const gpis_stored_csr_window all = {.name = "A", .nrows = n, .d = d, .indptr = indptr, .indices = indices};
    const gpis_status status = gpis_stored_csr_check(context, &all);
    if (status != GPIS_OK) return status;
    const gpis_stored_csr csr = {indptr, indices, values, false};
    return gpis_stored_csr_new(context, &csr_class, NULL, csr, type, n, d, out);
}
