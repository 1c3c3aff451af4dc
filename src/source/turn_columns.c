/*
 * The columns of A T as a source of their own, for a d x d matrix T: dense rows of doubles, made anew for each pass. An
 * entry of A T is a sum of two doubles: column j has the high parts, column d + j the low parts. With
 * U = GPIS_DD_UNIT, each is within
 *
 *     (d + 1) U sum_l |a_il| |t_lj|
 *
 * of the exact one: a product of two doubles is exact, and a sum of d terms goes through d additions at most.
 */
#include "linalg/dd.h"
#include "source/source.h"

typedef struct turn {
    gpis_source *rows; /* owned: those of A as dense doubles */
    double *T;         /* owned: its transpose, d x d */
    gpis_source_class class;
} turn;

static int64_t fetch_bytes(const turn *t, int64_t nrows) {
    return (t->rows->class->scratch_bytes(t->rows, nrows) + 63) / 64 * 64;
}

static int64_t scratch_bytes(const gpis_source *source, int64_t nrows) {
    return fetch_bytes(source->state, nrows) + nrows * source->d * (int64_t)sizeof(double);
}

static void turn_row(int64_t d, const double *T, const double *row, double *out) {
    for (int64_t j = 0; j < d; j++) {
        gpis_dd sum = gpis_dd_of(0.0);
        for (int64_t l = 0; l < d; l++)
            if (T[j * d + l] != 0.0) sum = gpis_dd_add(sum, gpis_dd_two_product(row[l], T[j * d + l]));
        out[j] = sum.high;
        out[d + j] = sum.low;
    }
}

static gpis_status block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    const turn *t = source->state;
    const int64_t d = t->rows->d;
    double *turned = (double *)((char *)scratch + fetch_bytes(t, nrows));
    gpis_block plain;
    const gpis_status status = t->rows->class->block(t->rows, row0, nrows, scratch, &plain);
    if (status != GPIS_OK) return status;
    const double *rows = plain.values;
    for (int64_t i = 0; i < nrows; i++) turn_row(d, t->T, rows + i * d, turned + i * 2 * d);
    *out = gpis_block_dense(GPIS_FLOAT64, row0, nrows, 2 * d, turned);
    return GPIS_OK;
}

static void ahead(gpis_source *source, int64_t row0, int64_t nrows) {
    gpis_source *rows = ((const turn *)source->state)->rows;
    rows->class->ahead(rows, row0, nrows);
}

static gpis_status unchanged(gpis_source *source) { return gpis_source_unchanged(((const turn *)source->state)->rows); }

static void release(gpis_context *context, turn *t) {
    if (!t) return;
    gpis_source_destroy(t->rows);
    gpis_free(context, t->T);
    gpis_free(context, t);
}

static void destroy(gpis_source *source) { release(source->context, source->state); }

static gpis_source_class class_of(const gpis_source *rows) {
    return (gpis_source_class){.kind = "turned columns",
                               .block = block,
                               .destroy = destroy,
                               .scratch_bytes = scratch_bytes,
                               .ahead = rows->class->ahead ? ahead : NULL,
                               .unchanged = rows->class->unchanged ? unchanged : NULL,
                               .on_demand = rows->class->on_demand,
                               .by_all = rows->class->by_all};
}

static gpis_status choose_all(gpis_context *context, gpis_source *A, gpis_source **out) {
    int64_t *all = gpis_alloc(context, A->d, sizeof *all);
    for (int64_t j = 0; all && j < A->d; j++) all[j] = j;
    const gpis_status status = all ? gpis_source_choose(context, A, all, A->d, out) : GPIS_NO_MEMORY;
    gpis_free(context, all);
    return status;
}

static gpis_status make(gpis_context *context, gpis_source *A, const double *T, turn **out) {
    const int64_t d = A->d;
    turn *t = gpis_alloc_zero(context, 1, sizeof *t);
    double *transposed = gpis_alloc(context, d * d, sizeof *transposed);
    *out = t;
    if (!t || !transposed) {
        gpis_free(context, transposed);
        return GPIS_NO_MEMORY;
    }
    for (int64_t l = 0; l < d; l++)
        for (int64_t j = 0; j < d; j++) transposed[j * d + l] = T[l * d + j];
    t->T = transposed;
    const gpis_status status = choose_all(context, A, &t->rows);
    if (status == GPIS_OK) t->class = class_of(t->rows);
    return status;
}

gpis_status gpis_source_turn(gpis_context *context, gpis_source *A, const double *T, gpis_source **out) {
    turn *t = NULL;
    *out = NULL;
    const gpis_status status = make(context, A, T, &t);
    gpis_source *s = status == GPIS_OK ? gpis_source_new(context, &t->class, A->name) : NULL;
    if (!s) {
        release(context, t);
        return status == GPIS_OK ? GPIS_NO_MEMORY : status;
    }
    s->state = t;
    s->n = A->n;
    s->d = 2 * A->d;
    s->nonzeros = s->n * s->d;
    s->type = GPIS_FLOAT64;
    s->block_kind = GPIS_BLOCK_DENSE;
    s->order = GPIS_ROW_MAJOR;
    s->serial = A->serial;
    s->first = A->first;
    *out = s;
    return GPIS_OK;
}
