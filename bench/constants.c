/*
 * Measures the constants of the cost model (src/cost/constants.h): constants FOLDER [ROUNDS]. Prints a line `NAME
 * VALUE` for each (with 0 rounds, without a meaning); bench/constants.py makes a file of them. Unlike the other
 * programs here it sees the library from inside, since the parts of a solve are what it measures. FOLDER is for a
 * temporary file.
 *
 * Almost all constants are ratios. Both sides of a ratio are timed in turns, and the best of all rounds is taken, so
 * that a noisy machine disturbs both alike.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "certificate/probes.h"
#include "cost/cost.h"
#include "linalg/blas.h"
#include "linalg/coarse.h"
#include "linalg/gram_dd.h"
#include "linalg/model.h"
#include "method/sample.h"
#include "pass/pass.h"
#include "read.h"

/* Large enough not to fit in any cache, small enough to be made and measured in seconds. */
enum { ROWS = 40000, COLUMNS = 500, SKETCH_ROWS = 8 * COLUMNS };
enum { SPARSE_ROWS = 400000, PER_ROW = 20, NARROW = 400, WIDE = 2000, SPARSE_SKETCH_ROWS = 3 * WIDE };

typedef struct bench {
    gpis_context *context;
    int rounds;
    double entry;                    /* seconds of a gradient pass for an entry of dense doubles */
    double copy;                     /* seconds of a plain read for a double */
    double flops;                    /* of dsyrk in a second, on one thread */
    double *Y, *X, *G, *P, *V, *AAV; /* owned: for passes over as many rows and columns as there are here */
} bench;

/* With one thread, processor time, which a busy machine disturbs less; with more, elapsed time. */
static double now(const bench *b) { return b->context->threads == 1 ? gpis_processor_clock() : gpis_clock(); }

static void say(const char *name, double value) {
    printf("%s %.4g\n", name, value);
    fflush(stdout);
}

/* Numbers of the right size, at no cost: the kernels do not care which. */
static double cheap(int64_t i) { return (double)((i * 2654435761u) >> 8 & 0xffff) / 65536.0 - 0.5; }

static double *cheap_numbers(int64_t count) {
    double *numbers = bench_allocate((size_t)count * sizeof *numbers);
    for (int64_t i = 0; i < count; i++) numbers[i] = cheap(i);
    return numbers;
}

/* ---- sources --------------------------------------------------------------------------------------------------------
 */

typedef struct rows {
    gpis_source *A;
    void *values, *indices, *indptr; /* owned */
} rows;

static rows dense_rows(bench *b, gpis_type type, gpis_order order) {
    rows r = {.values = cheap_numbers((int64_t)ROWS * COLUMNS)};
    if (type == GPIS_FLOAT32)
        for (int64_t i = 0; i < (int64_t)ROWS * COLUMNS; i++) ((float *)r.values)[i] = (float)cheap(i);
    const int64_t ld = order == GPIS_ROW_MAJOR ? COLUMNS : ROWS;
    bench_check(b->context, gpis_source_dense(b->context, r.values, type, order, ROWS, COLUMNS, ld, &r.A));
    return r;
}

/* per_row entries in each row, in columns that are spread over the whole width. */
static rows sparse_rows(bench *b, int64_t n, int64_t d, int64_t per_row) {
    rows r = {.values = cheap_numbers(n * per_row)};
    int32_t *indices = r.indices = bench_allocate((size_t)(n * per_row) * sizeof *indices);
    int64_t *indptr = r.indptr = bench_allocate((size_t)(n + 1) * sizeof *indptr);
    const int64_t stride = d / per_row;
    for (int64_t at = 0; at < n * per_row; at++)
        indices[at] = (int32_t)(at % per_row * stride + (int64_t)((uint64_t)at * 2654435761u >> 7) % stride);
    for (int64_t i = 0; i <= n; i++) indptr[i] = i * per_row;
    bench_check(b->context, gpis_source_csr(b->context, n, d, indptr, indices, r.values, GPIS_FLOAT64, &r.A));
    return r;
}

static int copy_rows(void *user, int64_t row0, int64_t nrows, double *out) {
    memcpy(out, (const double *)user + row0 * COLUMNS, (size_t)(nrows * COLUMNS) * sizeof *out);
    return 0;
}

static void free_rows(rows *r) {
    gpis_source_destroy(r->A);
    free(r->values);
    free(r->indices);
    free(r->indptr);
}

/* ---- passes, in seconds ---------------------------------------------------------------------------------------------
 */

static double time_pass(bench *b, gpis_source *A, const gpis_pass *pass) {
    const double start = now(b);
    bench_check(b->context, gpis_pass_run(b->context, A, pass));
    return now(b) - start;
}

static double gradient(bench *b, gpis_source *A, int64_t k) {
    double f;
    const gpis_pass pass = {.k = k, .Y = b->Y, .X = b->X, .objective = &f, .G = b->G};
    return time_pass(b, A, &pass);
}

static double gradient_with_probes(bench *b, gpis_source *A) {
    double f;
    const gpis_pass pass = {
        .k = 1, .Y = b->Y, .X = b->X, .V = b->V, .probes = GPIS_PROBES, .objective = &f, .G = b->G, .AAV = b->AAV};
    return time_pass(b, A, &pass);
}

static double gradient_with_direction(bench *b, gpis_source *A) {
    double f, ap2;
    const gpis_pass pass = {.k = 1, .Y = b->Y, .X = b->X, .P = b->P, .objective = &f, .G = b->G, .AP2 = &ap2};
    return time_pass(b, A, &pass);
}

static double count_sketch(bench *b, gpis_source *A, int64_t m) {
    gpis_sketch *sketch;
    bench_check(b->context, gpis_sketch_create(b->context, gpis_sketch_find("count"), m, A->n, A->d, 0, 1, 1, &sketch));
    const gpis_pass pass = {.sketch = sketch};
    const double seconds = time_pass(b, A, &pass);
    gpis_sketch_destroy(sketch);
    return seconds;
}

static double gram(bench *b, gpis_source *A, double *H) {
    const gpis_pass pass = {.gram = H};
    return time_pass(b, A, &pass);
}

static double summary(bench *b, gpis_source *A, double *W) {
    const gpis_pass pass = {.summary = W};
    return time_pass(b, A, &pass);
}

/* ---- what is measured -----------------------------------------------------------------------------------------------
 */

/* A storage against dense doubles, in turns. The gradient over dense doubles is what all else is measured by. */
static void measure_storage(bench *b, const char *name, const rows *dense, gpis_source *A, int64_t sketch_rows) {
    double unit = INFINITY, plain = INFINITY, probing = INFINITY, sketch = INFINITY;
    for (int r = 0; r < b->rounds; r++) {
        unit = fmin(unit, gradient(b, dense->A, 1));
        plain = fmin(plain, gradient(b, A, 1));
        probing = fmin(probing, gradient_with_probes(b, A));
        sketch = fmin(sketch, count_sketch(b, A, sketch_rows));
    }
    const double ratio = (double)ROWS * COLUMNS / unit / (double)A->nonzeros;
    char text[64];
    if (A == dense->A)
        b->entry = unit / ((double)ROWS * COLUMNS);
    else {
        snprintf(text, sizeof text, "%s.gradient", name);
        say(text, plain * ratio);
    }
    snprintf(text, sizeof text, "%s.probing", name);
    say(text, probing * ratio);
    snprintf(text, sizeof text, "%s.sketch", name);
    say(text, sketch * ratio);
}

static void measure_storages(bench *b, const rows *dense) {
    measure_storage(b, "rows", dense, dense->A, SKETCH_ROWS);
    rows r = dense_rows(b, GPIS_FLOAT64, GPIS_COLUMN_MAJOR);
    measure_storage(b, "columns", dense, r.A, SKETCH_ROWS);
    free_rows(&r);
    r = dense_rows(b, GPIS_FLOAT32, GPIS_ROW_MAJOR);
    measure_storage(b, "floats", dense, r.A, SKETCH_ROWS);
    free_rows(&r);
    r = sparse_rows(b, SPARSE_ROWS, WIDE, PER_ROW);
    measure_storage(b, "sparse", dense, r.A, SPARSE_SKETCH_ROWS);
    free_rows(&r);
    gpis_source *made;
    bench_check(b->context, gpis_source_callback(b->context, ROWS, COLUMNS, copy_rows, dense->values, 1, &made));
    measure_storage(b, "nowhere", dense, made, SKETCH_ROWS);
    gpis_source_destroy(made);
}

static void measure_passes(bench *b, const rows *dense) {
    double one = INFINITY, four = INFINITY, direction = INFINITY, empty = INFINITY;
    gpis_source *few;
    bench_check(b->context, gpis_source_dense(b->context, dense->values, GPIS_FLOAT64, GPIS_ROW_MAJOR, 64, 4, 4, &few));
    for (int r = 0; r < b->rounds; r++) {
        one = fmin(one, gradient(b, dense->A, 1));
        four = fmin(four, gradient(b, dense->A, 4));
        direction = fmin(direction, gradient_with_direction(b, dense->A));
        for (int i = 0; i < 20; i++) empty = fmin(empty, gradient(b, few, 1));
    }
    gpis_source_destroy(few);
    say("pass_start", empty);
    say("line_search", direction / one);
    say("next_vector", (four / one - 1.0) / 3.0);
}

/* The same rows in a file in the page cache, which the memory limit keeps out of memory. */
static void measure_window(bench *b, const char *folder, const rows *dense) {
    enum { LIMIT = 1 << 26 };
    char path[4096];
    snprintf(path, sizeof path, "%s/constants-%d.npy", folder, (int)getpid());
    bench_check(b->context, gpis_array_write(b->context, path, dense->values, ROWS, COLUMNS, 2));
    gpis_context *context = b->context;
    gpis_source *file;
    bench_check(NULL, gpis_context_create(&b->context));
    bench_check(b->context, gpis_context_set_memory(b->context, LIMIT));
    bench_check(b->context, gpis_source_open(b->context, path, NULL, &file));
    double memory = INFINITY, window = INFINITY;
    for (int r = 0; r < b->rounds; r++) {
        memory = fmin(memory, gradient(b, dense->A, 1));
        window = fmin(window, gradient(b, file, 1));
    }
    gpis_source_destroy(file);
    gpis_context_destroy(b->context);
    b->context = context;
    unlink(path);
    say("window", window / memory);
}

/* The products alone: without reading the rows, which a gradient pass does too, and without the sums of the strips. */
static void measure_pairs(bench *b, const char *name, int64_t d) {
    rows r = sparse_rows(b, SPARSE_ROWS, d, PER_ROW);
    double *H = bench_allocate((size_t)(d * d) * sizeof *H), plain = INFINITY, with_gram = INFINITY;
    for (int i = 0; i < b->rounds; i++) {
        plain = fmin(plain, gradient(b, r.A, 1));
        with_gram = fmin(with_gram, gram(b, r.A, H));
    }
    const double strips = 2.0 * gpis_pass_gram_strips(SPARSE_ROWS, (double)d) * (double)(d * d) * b->copy;
    say(name, (with_gram - plain - strips) / (0.5 * SPARSE_ROWS * PER_ROW * (PER_ROW + 1) * b->entry));
    free(H);
    free_rows(&r);
}

static void measure_single_gram(bench *b, const rows *dense) {
    enum { M = 16000 };
    double *H = bench_allocate((size_t)COLUMNS * COLUMNS * sizeof *H), in_double = INFINITY, in_single = INFINITY;
    gpis_source *part;
    bench_check(b->context,
                gpis_source_dense(b->context, dense->values, GPIS_FLOAT64, GPIS_ROW_MAJOR, M, COLUMNS, COLUMNS, &part));
    for (int r = 0; r < b->rounds; r++) {
        in_double = fmin(in_double, gram(b, part, H));
        const double start = now(b);
        bench_check(b->context, gpis_coarse_gram(b->context, dense->values, M, COLUMNS, H));
        in_single = fmin(in_single, now(b) - start);
    }
    gpis_source_destroy(part);
    free(H);
    say("single_gram", in_single / in_double);
}

/* Products in the summary against those in the Gram matrix. */
static void measure_summary(bench *b, const rows *dense) {
    enum { M = 8000 };
    double *W = bench_allocate((size_t)2 * COLUMNS * COLUMNS * sizeof *W);
    double of_dense[2] = {INFINITY, INFINITY}, of_sparse[2] = {INFINITY, INFINITY};
    gpis_source *part;
    bench_check(b->context,
                gpis_source_dense(b->context, dense->values, GPIS_FLOAT64, GPIS_ROW_MAJOR, M, COLUMNS, COLUMNS, &part));
    rows sparse = sparse_rows(b, SPARSE_ROWS, NARROW, PER_ROW);
    for (int r = 0; r < b->rounds; r++) {
        of_dense[0] = fmin(of_dense[0], gram(b, part, W));
        of_dense[1] = fmin(of_dense[1], summary(b, part, W));
        of_sparse[0] = fmin(of_sparse[0], gram(b, sparse.A, W));
        of_sparse[1] = fmin(of_sparse[1], summary(b, sparse.A, W));
    }
    const double pairs = 0.5 * COLUMNS * COLUMNS;
    say("summary", of_dense[1] / of_dense[0] * pairs / gpis_gram_dd_products(COLUMNS));
    say("summary_pair", of_sparse[1] / of_sparse[0]);
    gpis_source_destroy(part);
    free_rows(&sparse);
    free(W);
}

static double sample(bench *b, gpis_source *A, int64_t m, double *H, double *gram_seconds) {
    gpis_sample *s;
    const double start = now(b);
    bench_check(b->context, gpis_sample_create(b->context, A, NULL, 0, &(gpis_terms){0}, m, 1, 1, &s));
    const double made = now(b);
    if (H) bench_check(b->context, gpis_sample_gram(s, NULL, H, NULL, NULL, NULL, NULL));
    *gram_seconds = now(b) - made;
    gpis_sample_destroy(s);
    return made - start;
}

/* Rows of one entry show what it takes to draw them, longer ones what it takes to copy them, and very few of them what
 * their Gram matrix takes however few they are. */
static void measure_sample(bench *b) {
    enum { M = SPARSE_ROWS / 16, FEW_SAMPLED_ROWS = 100 };
    rows thin = sparse_rows(b, SPARSE_ROWS, NARROW, 1), wide = sparse_rows(b, SPARSE_ROWS, WIDE, PER_ROW);
    double draw = INFINITY, copy = INFINITY, square = INFINITY, seconds;
    for (int r = 0; r < b->rounds; r++) {
        double *H = bench_allocate((size_t)WIDE * WIDE * sizeof *H); /* new memory each time, as for a solve */
        draw = fmin(draw, sample(b, thin.A, M, NULL, &seconds));
        copy = fmin(copy, sample(b, wide.A, M, NULL, &seconds));
        sample(b, wide.A, FEW_SAMPLED_ROWS, H, &seconds);
        square = fmin(square, seconds);
        free(H);
    }
    say("draw", draw / M * b->context->threads);
    say("scattered", (copy - draw) / ((double)M * (PER_ROW - 1) * b->entry));
    say("sample_square", square / ((double)WIDE * WIDE * b->copy));
    free_rows(&thin);
    free_rows(&wide);
}

/* The factor of a model and its products with a vector, both on one thread. */
static void measure_model(bench *b) {
    enum { D = 2000 }; /* H takes 32 MB, and does not fit in cache */
    double factor = INFINITY, apply = INFINITY, *v = cheap_numbers(2 * D);
    for (int r = 0; r < b->rounds; r++) {
        gpis_model *model;
        double *H = gpis_alloc_zero(b->context, D * D, sizeof *H);
        for (int64_t i = 0; H && i < D * D; i++) H[i] = i % (D + 1) == 0 ? D : 0.5;
        if (!H) bench_check(b->context, GPIS_NO_MEMORY);
        const double start = now(b);
        bench_check(b->context, gpis_model_create(b->context, D, H, 1.0, &model));
        factor = fmin(factor, now(b) - start);
        for (int i = 0; i < 10; i++) {
            const double before = now(b);
            gpis_model_apply(model, 1, v, v + D);
            apply = fmin(apply, now(b) - before);
        }
        gpis_model_destroy(model);
    }
    free(v);
    say("factor_speed", 2.0 / 3.0 * D * D * D / factor / (b->flops * gpis_cost_lapack_share(D)));
    say("apply_speed", 2.0 * D * D / apply / b->flops);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: constants FOLDER [ROUNDS]\n");
        return 2;
    }
    bench b = {.rounds = argc > 2 ? atoi(argv[2]) : 15};
    gpis_machine machine = gpis_machine_default();
    int outside;
    bench_check(NULL, gpis_context_create(&b.context));
    bench_check(b.context, gpis_machine_measure(b.context, &machine));
    bench_check(b.context, gpis_blas_enter(b.context, b.context->threads, &outside));
    b.copy = 8.0 / machine.read_bytes;
    b.flops = machine.syrk_flops / machine.threads;
    b.Y = cheap_numbers((int64_t)4 * SPARSE_ROWS);
    b.X = cheap_numbers((int64_t)4 * WIDE);
    b.P = cheap_numbers(WIDE);
    b.V = cheap_numbers((int64_t)GPIS_PROBES * WIDE);
    b.G = cheap_numbers((int64_t)4 * WIDE);
    b.AAV = cheap_numbers((int64_t)GPIS_PROBES * WIDE);
    rows dense = dense_rows(&b, GPIS_FLOAT64, GPIS_ROW_MAJOR);
    measure_storages(&b, &dense);
    measure_passes(&b, &dense);
    measure_window(&b, argv[1], &dense);
    measure_single_gram(&b, &dense);
    measure_summary(&b, &dense);
    free_rows(&dense);
    measure_pairs(&b, "pair", NARROW);
    measure_pairs(&b, "pair_out_of_cache", WIDE);
    measure_sample(&b);
    measure_model(&b);
    double *owned[] = {b.Y, b.X, b.G, b.P, b.V, b.AAV};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
    gpis_blas_leave(outside);
    gpis_context_destroy(b.context);
    return 0;
}
