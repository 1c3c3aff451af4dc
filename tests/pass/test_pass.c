/*
 * The pass against long double, for every source and every combination of what can be asked for; the same bits for any
 * number of threads; and its messages when the data are not finite or rows cannot be made.
 */
#include "calls.h"
#include "pass/pass.h"

#include <omp.h>
#include <stdatomic.h>

#include "sketch/matrices.h"

/* A matrix in memory, as a source of any kind. */
typedef enum kind { FROM_STORAGE = 0, SERIAL = STORAGES, CONCURRENT, KINDS } kind;

typedef struct rows_maker {
    const double *a;
    int64_t d, fail_row; /* the row that cannot be made; -1: none */
    atomic_int inside, most;
} rows_maker;

static int make_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    rows_maker *m = user;
    const int now = atomic_fetch_add(&m->inside, 1) + 1;
    if (now > atomic_load(&m->most)) atomic_store(&m->most, now);
    memcpy(rows, m->a + row0 * m->d, (size_t)(nrows * m->d) * sizeof *rows);
    atomic_fetch_sub(&m->inside, 1);
    return m->fail_row >= row0 && m->fail_row < row0 + nrows ? 7 : 0;
}

typedef struct data {
    matrix stored;
    rows_maker maker;
    gpis_source *source;
} data;

static void data_begin(data *t, gpis_context *context, const double *a, int64_t n, int64_t d, int how) {
    *t = (data){.maker = {.a = a, .d = d, .fail_row = -1}};
    if (how >= SERIAL) {
        assert_ok(context, gpis_source_callback(context, n, d, make_rows, &t->maker, how == CONCURRENT, &t->source));
        return;
    }
    t->stored = store(a, n, d, how);
    const gpis_block *b = &t->stored.block;
    if (b->kind == GPIS_BLOCK_CSR) {
        assert_ok(context, gpis_source_csr(context, n, d, b->indptr, b->indices, b->values, b->type, &t->source));
    } else {
        const bool columns = how == COLUMN_64 || how == COLUMN_32;
        assert_ok(context, gpis_source_dense(context, b->values, b->type, columns ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR,
                                             n, d, columns ? b->col_stride : b->row_stride, &t->source));
    }
}

static void data_end(data *t) {
    gpis_source_destroy(t->source);
    matrix_clear(&t->stored);
}

static double *normals(int64_t count, uint64_t stream) {
    double *v = calloc((size_t)count + 1, sizeof *v);
    gpis_random_normal(21, stream, 0, count, v);
    return v;
}

/* All results of a pass, one after the other in `out`, so that their bits can be compared at once. */
typedef struct answers {
    double objective, AP2, *G, *norms2, *gram, *SA, *SY;
    double *out;
    int64_t count;
} answers;

enum { SKETCH_ROWS = 16, WANT_X = 1, WANT_G = 2, WANT_P = 4, WANT_NORMS = 8, WANT_GRAM = 16, ALL = 31 };
enum { WANT_SKETCH = 32 };

static answers run(gpis_context *context, gpis_source *A, int64_t k, const double *X, const double *P, const double *Y,
                   int wanted) {
    const int64_t d = A->d;
    answers t = {.count = 2 + d * k + d + d * d + SKETCH_ROWS * (d + k)};
    t.out = calloc((size_t)t.count, sizeof *t.out);
    t.G = t.out + 2;
    t.norms2 = t.G + d * k;
    t.gram = t.norms2 + d;
    t.SA = t.gram + d * d;
    t.SY = t.SA + SKETCH_ROWS * d;
    gpis_sketch *sketch = NULL;
    if (wanted & WANT_SKETCH)
        assert_ok(context,
                  gpis_sketch_create(context, gpis_sketch_find("count"), SKETCH_ROWS, A->n, d, k, 5, 0, &sketch));
    const gpis_pass pass = {.k = k,
                            .Y = Y,
                            .X = wanted & WANT_X ? X : NULL,
                            .P = wanted & WANT_P ? P : NULL,
                            .objective = wanted & WANT_X ? &t.out[0] : NULL,
                            .G = wanted & WANT_G ? t.G : NULL,
                            .AP2 = wanted & WANT_P ? &t.out[1] : NULL,
                            .norms2 = wanted & WANT_NORMS ? t.norms2 : NULL,
                            .gram = wanted & WANT_GRAM ? t.gram : NULL,
                            .sketch = sketch};
    assert_ok(context, gpis_pass_run(context, A, &pass));
    if (sketch) {
        memcpy(t.SA, sketch->SA, (size_t)(SKETCH_ROWS * d) * sizeof *t.SA);
        memcpy(t.SY, sketch->SY, (size_t)(SKETCH_ROWS * k) * sizeof *t.SY);
    }
    gpis_sketch_destroy(sketch);
    t.objective = t.out[0];
    t.AP2 = t.out[1];
    return t;
}

typedef struct reference {
    long double objective, AP2, *G, *norms2, *gram;
} reference;

static reference refer(const double *a, int64_t n, int64_t d, int64_t k, const double *X, const double *P,
                       const double *Y) {
    reference t = {.G = calloc((size_t)(d * k), sizeof *t.G),
                   .norms2 = calloc((size_t)d, sizeof *t.norms2),
                   .gram = calloc((size_t)(d * d), sizeof *t.gram)};
    for (int64_t i = 0; i < n; i++) {
        const double *row = a + i * d;
        for (int64_t c = 0; c < k; c++) {
            long double r = -(long double)Y[i * k + c], Ap = 0;
            for (int64_t j = 0; j < d; j++) {
                r += (long double)row[j] * X[j * k + c];
                Ap += (long double)row[j] * P[j * k + c];
            }
            t.objective += r * r;
            t.AP2 += Ap * Ap;
            for (int64_t j = 0; j < d; j++) t.G[j * k + c] += row[j] * r;
        }
        for (int64_t j = 0; j < d; j++) {
            t.norms2[j] += (long double)row[j] * row[j];
            for (int64_t q = 0; q < d; q++) t.gram[j * d + q] += (long double)row[j] * row[q];
        }
    }
    return t;
}

static void reference_clear(reference *t) { free(t->G), free(t->norms2), free(t->gram); }

/* Every sum is right to 1e-13 of its bound by the Cauchy-Schwarz inequality; what was not asked for stays zero. */
static void compare(const answers *t, const reference *r, int64_t d, int64_t k, int wanted) {
    const double eps = 1e-13, f = (double)r->objective;
    assert_close(t->objective, wanted & WANT_X ? f : 0.0, eps * f);
    assert_close(t->AP2, wanted & WANT_P ? (double)r->AP2 : 0.0, eps * (double)r->AP2);
    for (int64_t j = 0; j < d; j++) {
        const double norm = (double)sqrtl(r->norms2[j]);
        assert_close(t->norms2[j], wanted & WANT_NORMS ? (double)r->norms2[j] : 0.0, eps * norm * norm);
        for (int64_t c = 0; c < k; c++)
            assert_close(t->G[j * k + c], wanted & WANT_G ? (double)r->G[j * k + c] : 0.0, eps * norm * sqrt(f));
        for (int64_t q = 0; q < d; q++)
            assert_close(t->gram[j * d + q], wanted & WANT_GRAM ? (double)r->gram[j * d + q] : 0.0,
                         eps * norm * (double)sqrtl(r->norms2[q]));
    }
}

static void check_sums(gpis_context *context, int64_t n, int64_t d, int64_t k, bool at_zero, const int *wishes,
                       int count) {
    double *a = small_numbers(n * d, (uint64_t)(n + 7 * d));
    double *X = at_zero ? calloc((size_t)(d * k), sizeof *X) : normals(d * k, 1), *P = normals(d * k, 2),
           *Y = normals(n * k, 3);
    reference r = refer(a, n, d, k, X, P, Y);
    for (int how = 0; how < KINDS; how++) {
        data t;
        data_begin(&t, context, a, n, d, how);
        for (int i = 0; i < count; i++) {
            answers got = run(context, t.source, k, X, P, Y, wishes[i]);
            compare(&got, &r, d, k, wishes[i]);
            free(got.out);
        }
        data_end(&t);
    }
    reference_clear(&r);
    free(a), free(X), free(P), free(Y);
}

static void each_and_together(void **state) {
    (void)state;
    static const int wishes[] = {WANT_X,     WANT_X | WANT_G, WANT_P,
                                 WANT_NORMS, WANT_GRAM,       WANT_X | WANT_G | WANT_P | WANT_NORMS,
                                 ALL,        ALL & ~WANT_GRAM};
    static const int64_t shapes[][2] = {{1, 1}, {1, 5}, {2, 3}, {63, 1}, {65, 9}, {1025, 7}, {1500, 11}};
    static const int64_t responses[] = {1, 3, 8, 9, 40};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    assert_ok(context,
              gpis_context_set_threads(context, 1)); /* other numbers of threads are compared by their bits below */
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t c = 0; c < sizeof responses / sizeof *responses; c++)
            for (int at_zero = 0; at_zero < 2; at_zero++) /* where the residual is -Y */
                check_sums(context, shapes[s][0], shapes[s][1], responses[c], at_zero, wishes,
                           (int)(sizeof wishes / sizeof *wishes));
    test_context_end(context, &memory);
}

/* Probes: A'A V together with objective and gradient, in every storage, for any number of probes and responses; the
 * same bits for any number of threads, and the same gradient as without probes up to its last digits. */
static void check_probes(gpis_context *context, int64_t n, int64_t d, int64_t k, int64_t probes, bool extended) {
    double *a = small_numbers(n * d, (uint64_t)(n + d)), *X = normals(d * k, 1), *Y = normals(n * k, 3);
    double *V = normals(d * probes, 6), *out = normals(d * (k + probes), 7), *again = normals(d * (k + probes), 8);
    double *zero = calloc((size_t)(n * probes), sizeof *zero);
    reference plain = refer(a, n, d, k, X, X, Y), products = refer(a, n, d, probes, V, V, zero);
    free(zero);
    for (int how = 0; how < KINDS; how++) {
        data t;
        data_begin(&t, context, a, n, d, how);
        for (int threads = 1; threads <= 4; threads++) {
            double f, *G = threads == 1 ? out : again;
            const gpis_pass pass = {.k = k,
                                    .Y = Y,
                                    .X = X,
                                    .V = V,
                                    .probes = probes,
                                    .extended = extended,
                                    .objective = &f,
                                    .G = G,
                                    .AAV = G + d * k};
            assert_ok(context, gpis_context_set_threads(context, threads));
            assert_ok(context, gpis_pass_run(context, t.source, &pass));
            assert_close(f, (double)plain.objective, 1e-13 * (double)plain.objective);
        }
        assert_memory_equal(out, again, (size_t)(d * (k + probes)) * sizeof *out);
        for (int64_t i = 0; i < d * k; i++)
            assert_close(out[i], (double)plain.G[i], 1e-13 * (double)sqrtl(plain.norms2[i / k] * plain.objective));
        for (int64_t i = 0; i < d * probes; i++) {
            long double exact = 0;
            for (int64_t j = 0; j < d; j++) exact += products.gram[i / probes * d + j] * V[j * probes + i % probes];
            assert_close(out[d * k + i], (double)exact,
                         1e-13 * (double)sqrtl(products.norms2[i / probes] * products.AP2));
        }
        data_end(&t);
    }
    reference_clear(&plain), reference_clear(&products);
    free(a), free(X), free(Y), free(V), free(out), free(again);
}

static void probes_ride_along(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 1}, {7, 3}, {130, 17}, {2500, 20}};
    static const int64_t responses[] = {1, 3, 9};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 3; c++)
            for (int64_t probes = s == 3 ? 4 : 1; probes <= (s == 3 ? 4 : 5); probes++) {
                check_probes(context, shapes[s][0], shapes[s][1], responses[c], probes, false);
                if (probes == 4) check_probes(context, shapes[s][0], shapes[s][1], responses[c], probes, true);
            }
    test_context_end(context, &memory);
}

/* Rows for which A v is not exactly zero are counted, for each v, in every storage and for any number of threads. */
static void misses_are_counted(void **state) {
    (void)state;
    enum { N = 9000, D = 5, COUNT = 3 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = small_numbers(N * D, 6), V[D * COUNT] = {0}, misses[COUNT];
    int64_t different = 0;
    for (int64_t i = 0; i < N; i++) {
        a[i * D + 4] = a[i * D] + a[i * D + 1];
        different += a[i * D + 4] != a[i * D + 2];
    }
    const double vectors[COUNT][D] = {{1, 1, 0, 0, -1}, {0, 0, 1, 0, -1}, {-2, -2, 0, 0, 2}};
    for (int c = 0; c < COUNT; c++)
        for (int j = 0; j < D; j++) V[j * COUNT + c] = vectors[c][j];
    for (int how = 0; how < KINDS; how++)
        for (int threads = 1; threads <= 3; threads++) {
            data t;
            data_begin(&t, context, a, N, D, how);
            assert_ok(context, gpis_context_set_threads(context, threads));
            double objective, G[D], x[D] = {1.0};
            const gpis_pass alone = {.k = 1, .V = V, .probes = COUNT, .misses = misses};
            const gpis_pass beside = {
                .k = 1, .V = V, .probes = COUNT, .misses = misses, .X = x, .objective = &objective, .G = G};
            for (int i = 0; i < COUNT; i++) misses[i] = -1.0;
            assert_ok(context, gpis_pass_run(context, t.source, &alone));
            assert_true(misses[0] == 0.0 && misses[1] == (double)different && misses[2] == 0.0);
            for (int i = 0; i < COUNT; i++) misses[i] = -1.0;
            assert_ok(context, gpis_pass_run(context, t.source, &beside));
            assert_true(misses[0] == 0.0 && misses[1] == (double)different && misses[2] == 0.0);
            data_end(&t);
        }
    free(a);
    test_context_end(context, &memory);
}

/* d so large that rows on demand come in several superblocks. */
static void several_superblocks(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    assert_ok(context, gpis_context_set_threads(context, 2));
    enum { N = 2500, D = 2000 };
    double *a = small_numbers(N * D, 4), *X = normals(D, 1), *P = normals(D, 2), *Y = normals(N, 3);
    long double f = 0;
    for (int64_t i = 0; i < N; i++) {
        long double r = -(long double)Y[i];
        for (int64_t j = 0; j < D; j++) r += (long double)a[i * D + j] * X[j];
        f += r * r;
    }
    for (int how = SERIAL; how <= CONCURRENT; how++) {
        data t;
        data_begin(&t, context, a, N, D, how);
        double objective, AP2;
        double *G = normals(D, 4), *dense_G = normals(D, 5);
        const gpis_pass pass = {.k = 1, .Y = Y, .X = X, .P = P, .objective = &objective, .G = G, .AP2 = &AP2};
        assert_ok(context, gpis_pass_run(context, t.source, &pass));
        assert_close(objective, (double)f, 1e-13 * (double)f);
        if (how == SERIAL) assert_int_equal(t.maker.most, 1);
        data_end(&t);
        data_begin(&t, context, a, N, D, ROW_64); /* the cut is the same, so are the bits */
        const gpis_pass again = {.k = 1, .Y = Y, .X = X, .objective = &objective, .G = dense_G};
        const double before = objective;
        assert_ok(context, gpis_pass_run(context, t.source, &again));
        assert_true(objective == before);
        assert_memory_equal(G, dense_G, D * sizeof *G);
        data_end(&t);
        free(G), free(dense_G);
    }
    free(a), free(X), free(P), free(Y);
    test_context_end(context, &memory);
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    static const int threads[] = {2, 3, 7};
    static const int64_t shapes[][3] = {{5000, 20, 1}, {2500, 33, 3}, {2500, 20, 9}, {3, 4, 1}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const int64_t n = shapes[s][0], d = shapes[s][1], k = shapes[s][2];
        double *a = normals(n * d, 1), *X = normals(d * k, 2), *P = normals(d * k, 3), *Y = normals(n * k, 4);
        for (int64_t i = 0; i < n * d; i += 3) a[i] = 0.0;
        for (int how = 0; how < KINDS; how++)
            for (int wanted = ALL - WANT_GRAM + WANT_SKETCH; wanted <= ALL + WANT_SKETCH; wanted += WANT_GRAM) {
                data t;
                data_begin(&t, context, a, n, d, how);
                assert_ok(context, gpis_context_set_threads(context, 1));
                answers one = run(context, t.source, k, X, P, Y, wanted);
                for (int i = 0; i < 3; i++) {
                    assert_ok(context, gpis_context_set_threads(context, threads[i]));
                    answers many = run(context, t.source, k, X, P, Y, wanted);
                    assert_memory_equal(one.out, many.out, (size_t)one.count * sizeof *one.out);
                    free(many.out);
                }
                free(one.out);
                data_end(&t);
            }
        free(a), free(X), free(P), free(Y);
    }
    test_context_end(context, &memory);
}

/* ---- what is not finite ------------------------------------------------------------------------------------------ */

enum { N = 3000, D = 5, K = 2 };

static gpis_status evaluate(gpis_context *context, gpis_source *A, const double *Y, const double *X) {
    double objective, G[D * K];
    const gpis_pass pass = {.k = K, .Y = Y, .X = X, .objective = &objective, .G = G};
    return gpis_pass_run(context, A, &pass);
}

static void expect_message(gpis_context *context, const char *text) {
    if (!strstr(gpis_last_error(context), text)) fail_msg("'%s' lacks '%s'", gpis_last_error(context), text);
}

static void place_of_what_is_not_finite(void **state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    assert_ok(context, gpis_context_set_threads(context, 2));
    double *a = small_numbers(N * D, 3), *Y = normals(N * K, 1), *X = normals(D * K, 2);
    for (int i = 0; i < D * K; i++) X[i] += 5.0;
    for (int how = 0; how < KINDS; how++)
        for (int b = 0; b < 3; b++) {
            const double kept = a[2345 * D + 3], kept_y = Y[1234 * K + 1];
            a[2345 * D + 3] = bad[b];
            data t;
            data_begin(&t, context, a, N, D, how);
            assert_int_equal(evaluate(context, t.source, Y, X), GPIS_BAD_DATA);
            expect_message(context, "row 2346, column 4");
            double gram[D * D], SA[4 * D];
            const gpis_pass pass = {.gram = gram};
            assert_int_equal(gpis_pass_run(context, t.source, &pass), GPIS_BAD_DATA);
            expect_message(context, "row 2346, column 4");
            assert_int_equal(test_sketch(context, t.source, NULL, 0, "count", 4, 1, 0, SA, NULL), GPIS_BAD_DATA);
            expect_message(context, "row 2346, column 4");
            data_end(&t);
            a[2345 * D + 3] = kept;
            Y[1234 * K + 1] = bad[b];
            data_begin(&t, context, a, N, D, how);
            assert_int_equal(evaluate(context, t.source, Y, X), GPIS_BAD_DATA);
            expect_message(context, "y: row 1235, column 2");
            Y[1234 * K + 1] = kept_y;
            const double kept_x = X[3];
            X[3] = bad[b];
            assert_int_equal(evaluate(context, t.source, Y, X), GPIS_BAD_DATA);
            expect_message(context, "x: row 2, column 2");
            X[3] = kept_x;
            assert_ok(context, evaluate(context, t.source, Y, X));
            data_end(&t);
        }
    free(a), free(Y), free(X);
    test_context_end(context, &memory);
}

static void overflow_is_named(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double a[4] = {1e200, 1.0, 1.0, 1.0}, Y[4] = {0}, X[4] = {1.0, 1.0, 1.0, 1.0};
    gpis_source *A = NULL;
    assert_ok(context, gpis_source_dense(context, a, GPIS_FLOAT64, GPIS_ROW_MAJOR, 2, 2, 2, &A));
    double objective;
    const gpis_pass pass = {.k = 2, .Y = Y, .X = X, .objective = &objective};
    assert_int_equal(gpis_pass_run(context, A, &pass), GPIS_BAD_DATA);
    expect_message(context, "overflow");
    gpis_source_destroy(A);
    test_context_end(context, &memory);
}

static void rows_that_cannot_be_made(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = small_numbers(N * D, 3), *Y = normals(N * K, 1), *X = normals(D * K, 2);
    for (int how = SERIAL; how <= CONCURRENT; how++)
        for (int threads = 1; threads <= 4; threads++) {
            data t;
            data_begin(&t, context, a, N, D, how);
            assert_ok(context, gpis_context_set_threads(context, threads));
            t.maker.fail_row = 2100;
            assert_int_equal(evaluate(context, t.source, Y, X), GPIS_BAD_DATA);
            int first = 0, last = 0;
            const char *place = strstr(gpis_last_error(context), "rows ");
            assert_non_null(place);
            assert_int_equal(sscanf(place, "rows %d to %d", &first, &last), 2);
            assert_true(first <= 2101 && 2101 <= last && last <= N);
            t.maker.fail_row = -1;
            assert_ok(context, evaluate(context, t.source, Y, X));
            data_end(&t);
        }
    free(a), free(Y), free(X);
    test_context_end(context, &memory);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct request {
    double *a, *X, *Y;
    int how;
} request;

static gpis_status everything(gpis_context *context, void *user) {
    const request *q = user;
    rows_maker maker = {.a = q->a, .d = D, .fail_row = -1};
    gpis_source *A = NULL;
    gpis_sketch *sketch = NULL;
    double f, AP2, G[D * K], norms2[D], gram[D * D];
    gpis_status status = q->how ? gpis_source_callback(context, 40, D, make_rows, &maker, 0, &A)
                                : gpis_source_dense(context, q->a, GPIS_FLOAT64, GPIS_COLUMN_MAJOR, 40, D, 40, &A);
    if (status == GPIS_OK) status = gpis_sketch_create(context, gpis_sketch_find("count"), 8, 40, D, K, 1, 0, &sketch);
    const gpis_pass pass = {.k = K,
                            .Y = q->Y,
                            .X = q->X,
                            .P = q->X,
                            .objective = &f,
                            .G = G,
                            .AP2 = &AP2,
                            .norms2 = norms2,
                            .gram = gram,
                            .sketch = sketch};
    if (status == GPIS_OK) status = gpis_pass_run(context, A, &pass);
    gpis_sketch_destroy(sketch);
    gpis_source_destroy(A);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    request q = {small_numbers(40 * D, 1), normals(D * K, 1), normals(40 * K, 2), 0};
    for (q.how = 0; q.how < 2; q.how++) assert_true(test_every_allocation(everything, &q) > 8);
    free(q.a), free(q.X), free(q.Y);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library: BLAS has no threads of its own */
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_and_together),
                                       cmocka_unit_test(probes_ride_along),
                                       cmocka_unit_test(misses_are_counted),
                                       cmocka_unit_test(several_superblocks),
                                       cmocka_unit_test(same_bits_for_any_threads),
                                       cmocka_unit_test(place_of_what_is_not_finite),
                                       cmocka_unit_test(overflow_is_named),
                                       cmocka_unit_test(rows_that_cannot_be_made),
                                       cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
