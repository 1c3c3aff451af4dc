/*
 * What a pass costs, in units of one plain threaded read of the same A in the same run: the best of several rounds of
 * each, taken in turns, so that a noisy machine disturbs both alike. `passes [rounds] [part]`: with part 10 a tenth of
 * the rows.
 */
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpis.h"
#include "read.h"

/* ---- problems ---------------------------------------------------------------------------------------------------- */

typedef struct problem {
    gpis_context *context;
    gpis_source *A;
    gpis_problem *posed; /* A and y together */
    gpis_problem *terms; /* the same with weights and an intercept */
    int64_t n, d, m;
    double *x, *y, *g, *SA, *weights;
    piece pieces[3];
    int piece_count;
    void *values;
    int32_t *indices;
    int64_t *indptr;
} problem;

static void finish_problem(problem *p) {
    p->m = 8 * p->d;
    p->x = bench_allocate((size_t)(p->d + 1) * sizeof(double));
    p->g = bench_allocate((size_t)(p->d + 1) * sizeof(double));
    p->y = bench_allocate((size_t)p->n * sizeof(double));
    p->weights = bench_allocate((size_t)p->n * sizeof(double));
    p->SA = bench_allocate((size_t)(p->m * p->d) * sizeof(double));
    gpis_random_normal(1, 1, 0, p->d + 1, p->x);
    gpis_random_uniform(1, 4, 0, p->n, p->weights);
    gpis_random_normal(1, 2, 0, p->n, p->y);
    bench_check(p->context, gpis_problem_create(p->context, p->A, &p->posed));
    bench_check(p->context, gpis_problem_response(p->posed, p->y, p->n, 1));
    bench_check(p->context, gpis_problem_create(p->context, p->A, &p->terms));
    bench_check(p->context, gpis_problem_response(p->terms, p->y, p->n, 1));
    bench_check(p->context, gpis_problem_weights(p->terms, p->weights, p->n));
    bench_check(p->context, gpis_problem_intercept(p->terms, 1));
}

/* Cheap numbers of the right size; the kernels do not care. */
static double cheap(int64_t i) { return (double)((i * 2654435761u) >> 8 & 0xffff) / 65536.0 - 0.5; }

static problem dense_problem(gpis_context *context, int64_t n, int64_t d, gpis_type type, gpis_order order) {
    problem p = {.context = context, .n = n, .d = d};
    const size_t bytes = (size_t)(n * d) * (type == GPIS_FLOAT64 ? 8 : 4);
    p.values = bench_allocate(bytes);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n * d; i++) {
        if (type == GPIS_FLOAT64)
            ((double *)p.values)[i] = cheap(i);
        else
            ((float *)p.values)[i] = (float)cheap(i);
    }
    p.pieces[p.piece_count++] = (piece){p.values, bytes};
    const int64_t ld = order == GPIS_ROW_MAJOR ? d : n;
    bench_check(context, gpis_source_dense(context, p.values, type, order, n, d, ld, &p.A));
    finish_problem(&p);
    return p;
}

/* `per_row` entries a row at columns spread over the whole width. */
static problem csr_problem(gpis_context *context, int64_t n, int64_t d, int64_t per_row) {
    problem p = {.context = context, .n = n, .d = d};
    p.values = bench_allocate((size_t)(n * per_row) * sizeof(double));
    p.indices = bench_allocate((size_t)(n * per_row) * sizeof(int32_t));
    p.indptr = bench_allocate((size_t)(n + 1) * sizeof(int64_t));
    const int64_t stride = d / per_row;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = 0; e < per_row; e++) {
            const int64_t at = i * per_row + e;
            p.indices[at] = (int32_t)(e * stride + (int64_t)((uint64_t)at * 2654435761u >> 7) % stride);
            ((double *)p.values)[at] = cheap(at);
        }
    for (int64_t i = 0; i <= n; i++) p.indptr[i] = i * per_row;
    p.pieces[p.piece_count++] = (piece){p.values, (size_t)(n * per_row) * sizeof(double)};
    p.pieces[p.piece_count++] = (piece){p.indices, (size_t)(n * per_row) * sizeof(int32_t)};
    p.pieces[p.piece_count++] = (piece){p.indptr, (size_t)(n + 1) * sizeof(int64_t)};
    bench_check(context, gpis_source_csr(context, n, d, p.indptr, p.indices, p.values, GPIS_FLOAT64, &p.A));
    finish_problem(&p);
    return p;
}

static void free_problem(problem *p) {
    gpis_problem_destroy(p->posed);
    gpis_problem_destroy(p->terms);
    gpis_source_destroy(p->A);
    void *owned[] = {p->values, p->indices, p->indptr, p->x, p->y, p->g, p->SA, p->weights};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
}

/* ---- what is measured ---------------------------------------------------------------------------------------------
 */

static double gradient_pass(problem *p) {
    double f;
    const double start = omp_get_wtime();
    bench_check(p->context, gpis_evaluate(p->posed, p->x, p->d, &f, p->g));
    return omp_get_wtime() - start;
}

/* The same with weights and the constant column. */
static double gradient_pass_with_terms(problem *p) {
    double f;
    const double start = omp_get_wtime();
    bench_check(p->context, gpis_evaluate(p->terms, p->x, p->d + 1, &f, p->g));
    return omp_get_wtime() - start;
}

/* One pass with a Gram matrix: the first of newton, and what it does with the result, which is little beside it. */
static double gram_pass(problem *p, const gpis_problem *posed) {
    gpis_settings settings = gpis_settings_default();
    gpis_result *result;
    settings.method = "newton";
    settings.sketch = "none";
    settings.max_passes = 2;
    settings.tol = 0.5;
    const double start = omp_get_wtime();
    bench_check(p->context, gpis_solve(posed, &settings, &result));
    const double seconds = omp_get_wtime() - start;
    gpis_result_destroy(result);
    return seconds;
}

/* The same with four probes riding along. */
static double probe_pass(problem *p) {
    enum { PROBES = 4 };
    double f, *V = bench_allocate((size_t)(2 * PROBES * p->d) * sizeof(double)), *AAV = V + PROBES * p->d;
    gpis_random_normal(1, 3, 0, PROBES * p->d, V);
    const double start = omp_get_wtime();
    bench_check(p->context, gpis_evaluate_with(p->posed, p->x, p->d, &f, p->g, V, PROBES, AAV));
    const double seconds = omp_get_wtime() - start;
    free(V);
    return seconds;
}

static double sketch_pass(problem *p) {
    const double start = omp_get_wtime();
    bench_check(p->context, gpis_sketch_rows(p->posed, "count", p->m, 1, 1, p->SA, NULL));
    return omp_get_wtime() - start;
}

typedef struct times {
    double read, gradient, sketch, probes, gradient_with_terms, gram, gram_with_terms;
    char way[64]; /* how the plain read reads, in words */
} times;

static times measure(problem *p, int rounds, int with_sketch) {
    times best = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, ""};
    const bench_reader reader = bench_reader_make(p->pieces, p->piece_count);
    bench_describe_read(&reader, best.way, sizeof best.way);
    for (int r = 0; r < rounds; r++) {
        best.read = fmin(best.read, bench_read(&reader));
        best.gradient = fmin(best.gradient, gradient_pass(p));
        best.gradient_with_terms = fmin(best.gradient_with_terms, gradient_pass_with_terms(p));
        if (!with_sketch) continue;
        best.sketch = fmin(best.sketch, sketch_pass(p));
        best.probes = fmin(best.probes, probe_pass(p));
        if (r % 4) continue; /* a Gram pass takes as long as many others */
        best.gram = fmin(best.gram, gram_pass(p, p->posed));
        best.gram_with_terms = fmin(best.gram_with_terms, gram_pass(p, p->terms));
    }
    return best;
}

static void row(const char *what, double ratio, double target) {
    printf("  %-59s %7.2f   (target %.2f)%s\n", what, ratio, target, ratio <= target ? "" : "   missed");
}

static void row_of_terms(const char *what, const times *t) {
    char text[80];
    snprintf(text, sizeof text, "%s gradient pass with terms, over one without", what);
    row(text, t->gradient_with_terms / t->gradient, 1.05);
}

/* Gradient passes over the same numbers in other storages. */
static void measure_storages(gpis_context *context, int64_t n, int64_t d, int rounds, const times *rows) {
    problem columns = dense_problem(context, n, d, GPIS_FLOAT64, GPIS_COLUMN_MAJOR);
    const times c = measure(&columns, rounds, 0);
    free_problem(&columns);
    problem single = dense_problem(context, n, d, GPIS_FLOAT32, GPIS_ROW_MAJOR);
    const times s = measure(&single, rounds, 0);
    free_problem(&single);
    row_of_terms("column-major", &c);
    row_of_terms("float32", &s);
    if (d >= 500) row("float32 gradient pass, over the float64 one", s.gradient / rows->gradient, 0.65);
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 25;
    const int64_t part = argc > 2 ? atoi(argv[2]) : 1;
    static const struct {
        int64_t n, d;
        double gradient, sketch;
    } sizes[] = {{100000, 100, 1.6, 1.8},
                 {100000, 104, 1.6, 1.8},
                 {100000, 128, 1.6, 1.8},
                 {200000, 500, 1.15, 1.8},
                 {200000, 1000, 1.1, 1.7}};
    gpis_context *context;
    if (gpis_context_create(&context) != GPIS_OK) return 3;
    printf("gpis %s, %d threads, best of %d; unit: one plain threaded read of the same A\n", gpis_version(),
           gpis_context_threads(context), rounds);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int64_t n = sizes[i].n / part, d = sizes[i].d;
        problem p = dense_problem(context, n, d, GPIS_FLOAT64, GPIS_ROW_MAJOR);
        const times t = measure(&p, rounds, 1);
        free_problem(&p);
        printf("%" PRId64 " x %" PRId64 ": a read takes %.1f ms, %.1f GB/s (%s)\n", n, d, 1e3 * t.read,
               8e-9 * (double)(n * d) / t.read, t.way);
        row("objective + gradient pass", t.gradient / t.read, sizes[i].gradient);
        row("count sketch, m = 8 d", t.sketch / t.read, sizes[i].sketch);
        row("gradient pass with 4 probes, over one without", t.probes / t.gradient, 1.5);
        row("gradient pass with weights and a constant, over one without", t.gradient_with_terms / t.gradient, 1.05);
        row("Gram pass with weights and a constant, over one without", t.gram_with_terms / t.gram, 1.10);
        measure_storages(context, n, d, rounds, &t);
    }
    const int64_t n = 2000000 / part;
    problem p = csr_problem(context, n, 2000, 20);
    const times t = measure(&p, rounds, 0);
    free_problem(&p);
    printf("%" PRId64 " x 2000 in compressed rows, 20 entries each: a read takes %.1f ms (%s)\n", n, 1e3 * t.read,
           t.way);
    row("objective + gradient pass", t.gradient / t.read, 1.5);
    row_of_terms("compressed rows,", &t);
    gpis_context_destroy(context);
    return 0;
}
