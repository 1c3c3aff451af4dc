/* One matrix in every storage, and sketches of it: what the tests of sketches share. */
#ifndef GPIS_TESTS_SKETCH_MATRICES_H
#define GPIS_TESTS_SKETCH_MATRICES_H

#include "sketch/sketch.h"
#include "support.h"

typedef enum storage { ROW_64, ROW_32, ROW_64_PADDED, COLUMN_64, COLUMN_32, CSR_64, CSR_32, STORAGES } storage;

typedef struct matrix {
    gpis_block block;
    void *values;
    int64_t *indptr;
    int32_t *indices;
} matrix;

static inline void matrix_clear(matrix *a) {
    free(a->values);
    free(a->indptr);
    free(a->indices);
}

static inline void put(void *values, gpis_type type, int64_t p, double v) {
    if (type == GPIS_FLOAT64)
        ((double *)values)[p] = v;
    else
        ((float *)values)[p] = (float)v;
}

/* The n x d matrix `a` (row-major) as a block in that storage. */
static inline matrix store(const double *a, int64_t n, int64_t d, storage how) {
    const gpis_type type = how == ROW_32 || how == COLUMN_32 || how == CSR_32 ? GPIS_FLOAT32 : GPIS_FLOAT64;
    const bool csr = how == CSR_64 || how == CSR_32, column = how == COLUMN_64 || how == COLUMN_32;
    const int64_t ld = (column ? n : d) + (how == ROW_64_PADDED ? 3 : 0);
    matrix out = {.block = {.kind = csr ? GPIS_BLOCK_CSR : GPIS_BLOCK_DENSE, .type = type, .nrows = n, .d = d}};
    out.values = calloc((size_t)(ld * (column ? d : n)) + 1, sizeof(double));
    out.block.values = out.values;
    out.block.row_stride = column ? 1 : ld;
    out.block.col_stride = column ? ld : 1;
    if (!csr) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < d; j++)
                put(out.values, type, i * out.block.row_stride + j * out.block.col_stride, a[i * d + j]);
        return out;
    }
    out.indptr = calloc((size_t)n + 1, sizeof *out.indptr);
    out.indices = calloc((size_t)(n * d) + 1, sizeof *out.indices);
    int64_t p = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++)
            if (a[i * d + j] != 0.0) {
                out.indices[p] = (int32_t)j;
                put(out.values, type, p++, a[i * d + j]);
            }
        out.indptr[i + 1] = p;
    }
    out.block.indptr = out.indptr;
    out.block.indices = out.indices;
    return out;
}

/* Multiples of 1/8 that float32 holds, about a third of them zero. */
static inline double *small_numbers(int64_t count, uint64_t seed) {
    double *a = calloc((size_t)count, sizeof *a);
    for (int64_t i = 0; i < count; i++) {
        const uint32_t bits = gpis_random_bits(seed, 0, (uint64_t)i).v[0];
        a[i] = bits % 3 == 0 ? 0.0 : ((double)(bits >> 16 & 1023) - 512.0) / 8.0;
    }
    return a;
}

/* Feeds all rows in blocks of `step` rows, then finishes. */
static inline gpis_status feed(gpis_sketch *s, const gpis_block *A, const double *Y, int64_t step, int threads) {
    for (int64_t i = 0; i < A->nrows; i += step) {
        const gpis_block part = gpis_block_rows(A, i, gpis_min64(step, A->nrows - i));
        const gpis_status status = gpis_sketch_absorb(s, &part, Y ? Y + i * s->k : NULL, threads);
        if (status != GPIS_OK) return status;
    }
    return gpis_sketch_finish(s, threads);
}

/* S itself, m x n, which the caller frees: the sketch of the identity. On one thread, since tests do so thousands of
 * times. */
static inline double *matrix_of(gpis_context *context, const gpis_sketch_class *kind, int64_t m, int64_t n,
                                uint64_t seed, uint64_t round) {
    matrix unit = {.values = calloc((size_t)n, sizeof(double)),
                   .indptr = calloc((size_t)n + 1, sizeof *unit.indptr),
                   .indices = calloc((size_t)n, sizeof *unit.indices)};
    for (int64_t i = 0; i < n; i++) {
        unit.indptr[i + 1] = i + 1;
        unit.indices[i] = (int32_t)i;
        put(unit.values, GPIS_FLOAT64, i, 1.0);
    }
    unit.block = (gpis_block){.kind = GPIS_BLOCK_CSR,
                              .type = GPIS_FLOAT64,
                              .nrows = n,
                              .d = n,
                              .values = unit.values,
                              .indptr = unit.indptr,
                              .indices = unit.indices};
    gpis_sketch *s = NULL;
    assert_ok(context, gpis_sketch_create(context, kind, m, n, n, 0, seed, round, &s));
    assert_ok(context, feed(s, &unit.block, NULL, n, 1));
    double *S = malloc((size_t)(m * n) * sizeof *S);
    memcpy(S, s->SA, (size_t)(m * n) * sizeof *S);
    gpis_sketch_destroy(s);
    matrix_clear(&unit);
    return S;
}

#endif
