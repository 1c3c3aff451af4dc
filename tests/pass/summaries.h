/* Problems whose summary [A Y]'[A Y] is known in quadruple precision: what the tests of the summary share. */
#ifndef GPIS_TESTS_PASS_SUMMARIES_H
#define GPIS_TESTS_PASS_SUMMARIES_H

#include "pass/cut.h"
#include "quad.h"
#include "sketch/matrices.h"

static inline gpis_source *source_of(gpis_context *context, const matrix *m, int stored_as) {
    const gpis_block *b = &m->block;
    gpis_source *A = NULL;
    if (b->kind == GPIS_BLOCK_CSR) {
        assert_ok(context, gpis_source_csr(context, b->nrows, b->d, b->indptr, b->indices, b->values, b->type, &A));
    } else {
        const bool columns = stored_as == COLUMN_64 || stored_as == COLUMN_32;
        assert_ok(context, gpis_source_dense(context, b->values, b->type, columns ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR,
                                             b->nrows, b->d, columns ? b->col_stride : b->row_stride, &A));
    }
    return A;
}

/* Data, and their summary in quadruple precision. */
typedef struct problem {
    int64_t n, d, k, p;
    double *a, *Y; /* owned: n x d, n x k */
    quad *exact;   /* owned */
} problem;

/* Normal numbers, a third of the entries zero, columns on scales from 1e-8 to 1e8, and some rows 1e6 times as heavy as
 * the others. `single`: numbers that float32 holds. */
static inline problem problem_make(int64_t n, int64_t d, int64_t k, bool single) {
    problem t = {.n = n, .d = d, .k = k, .p = d + k};
    t.a = calloc((size_t)(n * d) + 1, sizeof(double)), t.Y = calloc((size_t)(n * k) + 1, sizeof(double));
    gpis_random_normal(1, 0, 0, n * d, t.a);
    gpis_random_normal(2, 0, 0, n * k, t.Y);
    for (int64_t i = 0; i < n * d; i++) {
        const bool zero = gpis_random_bits(3, 0, (uint64_t)i).v[0] % 3 == 0, heavy = i / d % 97 == 11;
        t.a[i] *= (zero ? 0.0 : 1.0) * (heavy ? 1e6 : 1.0) * pow(10.0, (double)(5 * (i % d) % 17 - 8));
        if (single) t.a[i] = (float)t.a[i];
    }
    t.exact = quad_summary(t.a, t.Y, n, d, k);
    return t;
}

static inline void problem_clear(problem *t) { free(t->a), free(t->Y), free(t->exact); }

/* The summary by one pass, which the caller frees, and the bound on its error. */
static inline double *summary_of(gpis_context *context, gpis_source *A, const problem *t, bool quick, double *bound) {
    double *W = malloc((size_t)(2 * t->p * t->p) * sizeof *W);
    const gpis_pass pass = {.k = t->k, .Y = t->Y, .quick = quick, .summary = W};
    assert_ok(context, gpis_pass_run(context, A, &pass));
    const gpis_load load = gpis_load_of(&pass, t->d);
    *bound = gpis_pass_roundings(A, &load).summary;
    return W;
}

/* W is symmetric and normalised, and its errors are within the bound, of which they take up the share that is returned.
 */
static inline double check(const problem *t, const double *W, double bound, const char *what) {
    const double *low = W + t->p * t->p, error = quad_error(t->exact, W, t->p);
    for (int64_t i = 0; i < t->p * t->p; i++) {
        const int64_t mirrored = i % t->p * t->p + i / t->p;
        assert_true(W[i] == W[mirrored] && low[i] == low[mirrored] && W[i] + low[i] == W[i]);
    }
    if (!(error <= bound))
        fail_msg("%s, %lld x (%lld + %lld): an error of %.3g, and a bound of %.3g", what, (long long)t->n,
                 (long long)t->d, (long long)t->k, error, bound);
    return error / bound;
}

static inline bool holds_singles(int stored_as) {
    return stored_as == ROW_32 || stored_as == COLUMN_32 || stored_as == CSR_32;
}

static const char *const NAMES[STORAGES] = {"rows",
                                            "rows of floats",
                                            "padded rows",
                                            "columns",
                                            "columns of floats",
                                            "compressed rows",
                                            "compressed rows of floats"};

#endif
