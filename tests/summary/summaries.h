/* Rows to summarise, in every storage, with the sums in quadruple precision that a summary has to match. */
#ifndef GPIS_TESTS_SUMMARIES_H
#define GPIS_TESTS_SUMMARIES_H

#include <stdatomic.h>

#include "quad.h"
#include "summary/summary.h"

enum { STORAGES = 6, SIZE_OF_NAME = 16 };

typedef struct table {
    int64_t n, d, k;
    double *A, *Y, *weights, *offset; /* row-major */
    int64_t *fold;
    bool weighted, shifted;
    int64_t folds;
    atomic_long rows_read; /* by the storage that makes its rows on demand */
} table;

static inline double summaries_draw(uint64_t stream, int64_t i) {
    double v;
    gpis_random_normal(11, stream, (uint64_t)i, 1, &v);
    return v;
}

/* Columns of different sizes, some entries zero, all of them floats; y explained by them up to `noise`. */
static inline table summaries_table(int64_t n, int64_t d, int64_t k, double noise) {
    table t = {.n = n, .d = d, .k = k, .folds = 1};
    t.A = calloc((size_t)(n * d), sizeof *t.A);
    t.Y = calloc((size_t)(n * k), sizeof *t.Y);
    t.offset = calloc((size_t)(n * k), sizeof *t.offset);
    t.weights = calloc((size_t)n, sizeof *t.weights);
    t.fold = calloc((size_t)n, sizeof *t.fold);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++)
            t.A[i * d + j] = (3 * i + j) % 7 == 0 ? 0.0 : (float)((1.0 + (double)j) * summaries_draw(1, i * d + j));
        for (int64_t c = 0; c < k; c++) {
            double y = 2.0 + noise * summaries_draw(2, i * k + c);
            for (int64_t j = 0; j < d; j++) y += t.A[i * d + j] * (j % 2 ? -0.5 : 1.0) / (1.0 + (double)(j + c));
            t.Y[i * k + c] = y;
            t.offset[i * k + c] = summaries_draw(3, i * k + c);
        }
        t.weights[i] = 0.25 + (double)(i % 4);
        t.fold[i] = (i * i + 3 * i) % 5;
    }
    return t;
}

static inline void summaries_free(table *t) {
    free(t->A);
    free(t->Y);
    free(t->offset);
    free(t->weights);
    free(t->fold);
}

static inline int summaries_give(void *user, int64_t row0, int64_t nrows, double *rows) {
    table *t = user;
    t->rows_read += nrows;
    memcpy(rows, t->A + row0 * t->d, (size_t)(nrows * t->d) * sizeof *rows);
    return 0;
}

/* A source of rows [row0, row0 + n) of the table. */
typedef struct rows {
    gpis_source *source;
    gpis_source *parts[3];
    double *columns, *values;
    float *floats;
    int64_t *indptr;
    int32_t *indices;
} rows;

static inline void summaries_compress(const double *A, int64_t n, int64_t d, rows *h) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++)
            if (A[i * d + j] != 0.0) {
                h->indices[count] = (int32_t)j;
                h->values[count++] = A[i * d + j];
            }
        h->indptr[i + 1] = count;
    }
}

static inline rows summaries_hold(gpis_context *context, table *t, int storage, int64_t row0, int64_t n) {
    const int64_t d = t->d, third = n / 3;
    const double *A = t->A + row0 * d;
    rows h = {0};
    h.columns = calloc((size_t)(n * d), sizeof *h.columns);
    h.floats = calloc((size_t)(n * d), sizeof *h.floats);
    h.indptr = calloc((size_t)n + 1, sizeof *h.indptr);
    h.indices = calloc((size_t)(n * d), sizeof *h.indices);
    h.values = calloc((size_t)(n * d), sizeof *h.values);
    for (int64_t i = 0; i < n * d; i++) {
        h.columns[i % d * n + i / d] = A[i];
        h.floats[i] = (float)A[i];
    }
    summaries_compress(A, n, d, &h);
    switch (storage) {
    case 0: assert_ok(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, d, &h.source)); break;
    case 1:
        assert_ok(context, gpis_source_dense(context, h.columns, GPIS_FLOAT64, GPIS_COLUMN_MAJOR, n, d, n, &h.source));
        break;
    case 2:
        assert_ok(context, gpis_source_dense(context, h.floats, GPIS_FLOAT32, GPIS_ROW_MAJOR, n, d, d, &h.source));
        break;
    case 3:
        assert_ok(context, gpis_source_csr(context, n, d, h.indptr, h.indices, h.values, GPIS_FLOAT64, &h.source));
        break;
    case 4:
        assert_int_equal(row0, 0);
        assert_ok(context, gpis_source_callback(context, n, d, summaries_give, t, 0, &h.source));
        break;
    default: /* three parts, of which the last is stored in another way */
        assert_ok(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, third, d, d, &h.parts[0]));
        assert_ok(context,
                  gpis_source_dense(context, A + third * d, GPIS_FLOAT64, GPIS_ROW_MAJOR, third, d, d, &h.parts[1]));
        assert_ok(context, gpis_source_dense(context, h.floats + 2 * third * d, GPIS_FLOAT32, GPIS_ROW_MAJOR,
                                             n - 2 * third, d, d, &h.parts[2]));
        assert_ok(context, gpis_source_join(context, h.parts, 3, NULL, &h.source));
    }
    return h;
}

static inline void summaries_release(rows *h) {
    gpis_source_destroy(h->source);
    for (int i = 0; i < 3; i++) gpis_source_destroy(h->parts[i]);
    free(h->columns);
    free(h->values);
    free(h->floats);
    free(h->indptr);
    free(h->indices);
}

/* A problem with the rows [row0, row0 + n) of the table, which the source holds. */
static inline gpis_problem *summaries_pose(gpis_context *context, gpis_source *A, const table *t, int64_t row0,
                                           int64_t n) {
    gpis_problem *problem;
    assert_ok(context, gpis_problem_create(context, A, &problem));
    assert_ok(context, gpis_problem_response(problem, t->Y + row0 * t->k, n, t->k));
    if (t->weighted) assert_ok(context, gpis_problem_weights(problem, t->weights + row0, n));
    if (t->shifted) assert_ok(context, gpis_problem_offset(problem, t->offset + row0 * t->k, n, t->k));
    return problem;
}

/* The summary of rows [row0, row0 + n). */
static inline gpis_summary *summaries_make(gpis_context *context, table *t, int storage, int64_t row0, int64_t n,
                                           bool given_folds) {
    rows h = summaries_hold(context, t, storage, row0, n);
    gpis_problem *problem = summaries_pose(context, h.source, t, row0, n);
    gpis_summary_options options = gpis_summary_options_default();
    gpis_summary *summary;
    options.folds = t->folds;
    options.fold = given_folds ? t->fold + row0 : NULL;
    options.fold_rows = given_folds ? n : 0;
    options.seed = 42;
    options.first_row = row0;
    assert_ok(context, gpis_summary_make(problem, &options, &summary));
    gpis_problem_destroy(problem);
    summaries_release(&h);
    return summary;
}

/* The exact sums of the rows of one fold (-1: of all rows): roots of weights times [A 1 Y - offset]. The weights are
 * squares of doubles, or their products are exact all the same, since a row counts by its weight. */
static inline quad *summaries_exact(const table *t, const int64_t *fold, int64_t which) {
    const int64_t p = t->d + 1 + t->k;
    quad *W = calloc((size_t)(p * p), sizeof *W), *row = calloc((size_t)p, sizeof *row);
    for (int64_t r = 0; r < t->n; r++) {
        if (which >= 0 && fold[r] != which) continue;
        for (int64_t j = 0; j < t->d; j++) row[j] = t->A[r * t->d + j];
        row[t->d] = 1;
        for (int64_t c = 0; c < t->k; c++) {
            const int64_t at = r * t->k + c;
            row[t->d + 1 + c] = t->shifted ? (quad)t->Y[at] - t->offset[at] : (quad)t->Y[at];
        }
        for (int64_t i = 0; i < p; i++)
            for (int64_t j = i; j < p; j++) W[i * p + j] += (t->weighted ? (quad)t->weights[r] : 1) * row[i] * row[j];
    }
    free(row);
    return W;
}

#endif
