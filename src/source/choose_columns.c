/*
 * Some columns of a source, as a source of their own: dense rows of doubles, made anew for each pass. The rows of the
 * whole are fetched a few at a time, so that it takes little memory however many columns there are.
 */
#include <string.h>

#include "source/source.h"

enum { PIECE_BYTES = 1 << 20 }; /* of the rows of the whole that are fetched at a time */

typedef struct choice {
    gpis_source *whole; /* borrowed */
    int64_t *columns;   /* owned: of the whole, ascending */
    int64_t piece;      /* rows of the whole that are fetched at a time, a power of two */
    gpis_source_class class;
} choice;

static int64_t piece_of(const gpis_source *whole) {
    const double fit = PIECE_BYTES / gpis_source_row_bytes(whole);
    int64_t rows = 1;
    while (2.0 * (double)rows <= fit && rows < whole->n) rows *= 2;
    return rows;
}

/* What the rows of the whole need, before those that are made of them; in whole doubles. */
static int64_t fetch_bytes(const choice *c) {
    const gpis_source *whole = c->whole;
    if (whole->resident || whole->class->in_place || !whole->class->scratch_bytes) return 0;
    return (whole->class->scratch_bytes(whole, c->piece) + 63) / 64 * 64;
}

static int64_t scratch_bytes(const gpis_source *source, int64_t nrows) {
    return fetch_bytes(source->state) + nrows * source->d * (int64_t)sizeof(double);
}

/* Both the entries of a compressed row and the columns ascend. */
static void copy_compressed(const gpis_block *rows, const choice *c, int64_t count, double *out) {
    memset(out, 0, (size_t)(rows->nrows * count) * sizeof *out);
    for (int64_t i = 0; i < rows->nrows; i++) {
        int64_t at = 0;
        for (int64_t p = rows->indptr[i]; p < rows->indptr[i + 1]; p++) {
            while (at < count && c->columns[at] < rows->indices[p]) at++;
            if (at < count && c->columns[at] == rows->indices[p]) out[i * count + at] = gpis_block_entry(rows, i, p);
        }
    }
}

/* No piece crosses a multiple of its largest length: the whole knows how much memory such rows take. */
static gpis_status block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    const choice *c = source->state;
    gpis_source *whole = c->whole;
    double *rows = (double *)((char *)scratch + fetch_bytes(c));
    for (int64_t first = row0, end; first < row0 + nrows; first = end) {
        gpis_block some;
        end = gpis_min64(row0 + nrows, (first / c->piece + 1) * c->piece);
        const gpis_status status = whole->class->block(whole, first, end - first, scratch, &some);
        if (status != GPIS_OK) return status;
        double *to = rows + (first - row0) * source->d;
        if (some.kind == GPIS_BLOCK_CSR)
            copy_compressed(&some, c, source->d, to);
        else
            gpis_block_columns(&some, c->columns, source->d, to);
        if (whole->class->done) whole->class->done(whole, &some);
    }
    *out = gpis_block_dense(GPIS_FLOAT64, row0, nrows, source->d, rows);
    return GPIS_OK;
}

static void ahead(gpis_source *source, int64_t row0, int64_t nrows) {
    gpis_source *whole = ((const choice *)source->state)->whole;
    whole->class->ahead(whole, row0, nrows);
}

static gpis_status unchanged(gpis_source *source) {
    return gpis_source_unchanged(((const choice *)source->state)->whole);
}

static void destroy(gpis_source *source) {
    choice *c = source->state;
    if (c) gpis_free(source->context, c->columns);
    gpis_free(source->context, c);
}

static gpis_source_class class_of(const gpis_source *whole) {
    return (gpis_source_class){.kind = "columns",
                               .block = block,
                               .destroy = destroy,
                               .scratch_bytes = scratch_bytes,
                               .ahead = whole->class->ahead ? ahead : NULL,
                               .unchanged = whole->class->unchanged ? unchanged : NULL,
                               .on_demand = whole->class->on_demand,
                               .by_all = whole->class->by_all};
}

gpis_status gpis_source_choose(gpis_context *context, gpis_source *whole, const int64_t *columns, int64_t count,
                               gpis_source **out) {
    *out = NULL;
    choice *c = gpis_alloc_zero(context, 1, sizeof *c);
    int64_t *own = gpis_alloc(context, count, sizeof *own);
    if (c && own) *c = (choice){whole, own, piece_of(whole), class_of(whole)};
    gpis_source *s = c && own ? gpis_source_new(context, &c->class, whole->name) : NULL;
    if (!s) {
        gpis_free(context, own);
        gpis_free(context, c);
        return GPIS_NO_MEMORY;
    }
    memcpy(own, columns, (size_t)count * sizeof *own);
    s->state = c;
    s->n = whole->n;
    s->d = count;
    s->nonzeros = whole->n * count;
    s->type = GPIS_FLOAT64;
    s->block_kind = GPIS_BLOCK_DENSE;
    s->order = GPIS_ROW_MAJOR;
    s->serial = whole->serial;
    s->first = whole->first;
    *out = s;
    return GPIS_OK;
}
