/*
 * The terms of a problem, each against the same problem without it: a weight against repeated rows, the intercept
 * against a column of ones, the offset against y - o, the ridge against more rows, standardised columns against columns
 * scaled by hand; for every storage, every method and several sets. What is refused, and how it is said.
 */
#include "ranks.h"

enum { N = 420, COLUMNS = 6, MOST_ROWS = 4 * N + COLUMNS, STORAGES = 5, MAX_K = 2 };

/* A problem in plain arrays; what is NULL or 0 is not there. */
typedef struct data {
    int64_t n, d, k;
    double A[MOST_ROWS * (COLUMNS + 1)], Y[MOST_ROWS * MAX_K], weights[MOST_ROWS], offset[MOST_ROWS * MAX_K];
    bool weighted, shifted, intercept, standardize;
    double ridge, tol;
    int threads;
    const char *set;
} data;

typedef struct answer {
    double x[(COLUMNS + 1) * MAX_K], intercept[MAX_K], objective, gap;
} answer;

/* How it is solved. */
typedef struct way {
    const char *method, *sketch;
    int64_t m;
} way;

static const way ways[] = {
    {"newton", "none", 0},         {"newton", "count", 80}, {"newton", "sample", 80}, {"gpis", "count", 200},
    {"acc-gpis", "gaussian", 150}, {"pgd", "auto", 0},      {"apgd", "auto", 0},      {"saga", "auto", 0}};
enum { WAYS = sizeof ways / sizeof *ways };

static double draw(uint64_t stream, int64_t i) {
    double v;
    gpis_random_normal(5, stream, (uint64_t)i, 1, &v);
    return v;
}

/* Entries have few digits, so that floats hold them, and are partly zero. */
static void make_data(data *p, int64_t k) {
    memset(p, 0, sizeof *p);
    p->n = N;
    p->d = COLUMNS;
    p->k = k;
    p->set = "none";
    p->tol = 1e-12;
    p->threads = 1;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < COLUMNS; j++)
            p->A[i * COLUMNS + j] =
                (i + j) % 5 == 0 ? 0.0 : (double)(float)((1.0 + (double)j) * draw(1, i * COLUMNS + j));
        for (int64_t c = 0; c < k; c++) {
            double y = 3.0 + draw(2, i * k + c);
            for (int64_t j = 0; j < COLUMNS; j++) y += p->A[i * COLUMNS + j] * (j % 2 ? -0.5 : 1.0) / (1.0 + (double)j);
            p->Y[i * k + c] = y;
            p->offset[i * k + c] = draw(3, i * k + c);
        }
        p->weights[i] = (double)(i % 4);
    }
}

static int give_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    const data *p = user;
    memcpy(rows, p->A + row0 * p->d, (size_t)(nrows * p->d) * sizeof *rows);
    return 0;
}

/* The rows in a storage, with all that it needs. */
typedef struct holder {
    gpis_source *source;
    double *columns, *values;
    float *floats;
    int64_t *indptr;
    int32_t *indices;
} holder;

static void compress(const data *p, holder *h) {
    int64_t count = 0;
    h->indptr = calloc((size_t)p->n + 1, sizeof *h->indptr);
    h->indices = calloc((size_t)(p->n * p->d), sizeof *h->indices);
    h->values = calloc((size_t)(p->n * p->d), sizeof *h->values);
    for (int64_t i = 0; i < p->n; i++) {
        for (int64_t j = 0; j < p->d; j++)
            if (p->A[i * p->d + j] != 0.0) {
                h->indices[count] = (int32_t)j;
                h->values[count++] = p->A[i * p->d + j];
            }
        h->indptr[i + 1] = count;
    }
}

static holder hold(gpis_context *context, const data *p, int storage) {
    const int64_t n = p->n, d = p->d;
    holder h = {0};
    h.columns = calloc((size_t)(n * d), sizeof *h.columns);
    h.floats = calloc((size_t)(n * d), sizeof *h.floats);
    for (int64_t i = 0; i < n * d; i++) {
        h.columns[i % d * n + i / d] = p->A[i];
        h.floats[i] = (float)p->A[i];
    }
    compress(p, &h);
    switch (storage) {
    case 0:
        assert_ok(context, gpis_source_dense(context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, d, &h.source));
        break;
    case 1:
        assert_ok(context, gpis_source_dense(context, h.columns, GPIS_FLOAT64, GPIS_COLUMN_MAJOR, n, d, n, &h.source));
        break;
    case 2:
        assert_ok(context, gpis_source_dense(context, h.floats, GPIS_FLOAT32, GPIS_ROW_MAJOR, n, d, d, &h.source));
        break;
    case 3:
        assert_ok(context, gpis_source_csr(context, n, d, h.indptr, h.indices, h.values, GPIS_FLOAT64, &h.source));
        break;
    default: assert_ok(context, gpis_source_callback(context, n, d, give_rows, (void *)p, 1, &h.source));
    }
    return h;
}

static void release(holder *h) {
    gpis_source_destroy(h->source);
    free(h->columns);
    free(h->values);
    free(h->floats);
    free(h->indptr);
    free(h->indices);
}

/* Poses the problem for rows [row0, row0 + rows) of it. */
static gpis_problem *pose(gpis_context *context, gpis_source *A, const data *p, int64_t row0, int64_t rows,
                          gpis_set *set) {
    gpis_problem *problem;
    assert_ok(context, gpis_problem_create(context, A, &problem));
    assert_ok(context, gpis_problem_response(problem, p->Y + row0 * p->k, rows, p->k));
    if (p->weighted) assert_ok(context, gpis_problem_weights(problem, p->weights + row0, rows));
    if (p->shifted) assert_ok(context, gpis_problem_offset(problem, p->offset + row0 * p->k, rows, p->k));
    assert_ok(context, gpis_problem_intercept(problem, p->intercept));
    assert_ok(context, gpis_problem_standardize(problem, p->standardize));
    assert_ok(context, gpis_problem_ridge(problem, p->ridge));
    assert_ok(context, gpis_problem_constrain(problem, set));
    return problem;
}

static gpis_settings settings_of(const data *p, const way *w) {
    gpis_settings settings = gpis_settings_default();
    settings.method = w->method;
    settings.sketch = w->sketch;
    settings.m = w->m;
    settings.tol = p->tol;
    settings.time_limit = 60.0;
    settings.batch = 10;
    return settings;
}

static answer answer_of(const gpis_result *result) {
    answer a = {.objective = result->objective, .gap = result->gap};
    assert_int_equal(result->outcome, GPIS_SOLVED);
    memcpy(a.x, result->x, (size_t)(result->d * result->k) * sizeof(double));
    if (result->intercept) memcpy(a.intercept, result->intercept, (size_t)result->k * sizeof(double));
    return a;
}

static answer solve(const data *p, int storage, const way *w) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const gpis_settings settings = settings_of(p, w);
    holder h = hold(context, p, storage);
    gpis_set *set;
    gpis_result *result;
    assert_ok(context, gpis_context_set_threads(context, p->threads));
    assert_ok(context, test_set(context, p->set, p->d, p->k, &set));
    gpis_problem *problem = pose(context, h.source, p, 0, p->n, set);
    assert_ok(context, gpis_solve(problem, &settings, &result));
    assert_true((result->intercept != NULL) == p->intercept);
    assert_int_equal(result->d, p->d);
    const answer a = answer_of(result);
    gpis_result_destroy(result);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    release(&h);
    test_context_end(context, &memory);
    return a;
}

/* How far x can be from the answer: f(x) - f* >= 100 ||x - x*||^2 here, and f is below 2000. newton without a set goes
 * on to the last digits. */
static double tolerance_of(const way *w, const data *p) {
    return strcmp(w->method, "newton") == 0 && strcmp(p->set, "none") == 0 ? 1e-11 : 5e-6;
}

/* Two answers to the same problem: the objectives are equal to 1e-12 beyond the gaps. */
static void compare(const answer *a, const answer *b, int64_t entries, double tolerance) {
    assert_close(a->objective, b->objective, 1e-12 * b->objective + fmax(a->gap, b->gap));
    assert_true(fmax(a->gap, b->gap) <= 1.1e-12 * b->objective);
    for (int64_t i = 0; i < entries; i++) assert_close(a->x[i], b->x[i], tolerance * (1.0 + fabs(b->x[i])));
}

/* Whether a method takes this storage. */
static bool takes(const way *w, int storage) {
    const bool by_rows = strcmp(w->method, "saga") == 0 || strcmp(w->sketch, "sample") == 0;
    return !(storage == 4 && by_rows);
}

/* Solves `with` and `without`, which have the same answer, for every storage and method. */
static void compare_everywhere(const data *with, const data *without) {
    for (int storage = 0; storage < STORAGES; storage++)
        for (int i = 0; i < WAYS; i++) {
            if (!takes(&ways[i], storage)) continue;
            const answer a = solve(with, storage, &ways[i]), b = solve(without, storage, &ways[i]);
            compare(&a, &b, with->d * with->k, tolerance_of(&ways[i], with));
            if (with->intercept == without->intercept) continue;
            for (int64_t c = 0; c < with->k; c++) /* the column of ones is the last of the other one */
                assert_close(a.intercept[c], b.x[with->d * with->k + c], 10.0 * tolerance_of(&ways[i], with));
        }
}

/* ---- weights: rows that are repeated ---- */

static void test_weights(void **state) {
    static data with, without;
    static const char *const sets[] = {"none", "nonneg", "l1:0.9"};
    (void)state;
    for (int s = 0; s < 3; s++) {
        make_data(&with, 1 + s % 2);
        with.weighted = true;
        with.set = sets[s];
        without = with;
        without.weighted = false;
        without.n = 0;
        for (int64_t i = 0; i < N; i++)
            for (int copy = 0; copy < (int)with.weights[i]; copy++, without.n++) {
                memcpy(without.A + without.n * COLUMNS, with.A + i * COLUMNS, COLUMNS * sizeof(double));
                memcpy(without.Y + without.n * with.k, with.Y + i * with.k, (size_t)with.k * sizeof(double));
            }
        compare_everywhere(&with, &without);
    }
}

/* ---- the intercept: a column of ones, which no set bounds ---- */

static void test_intercept(void **state) {
    static data with, without;
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        make_data(&with, 1 + weighted);
        with.intercept = true;
        with.weighted = weighted;
        without = with;
        without.intercept = false;
        without.d = COLUMNS + 1;
        for (int64_t i = 0; i < N; i++) {
            memcpy(without.A + i * (COLUMNS + 1), with.A + i * COLUMNS, COLUMNS * sizeof(double));
            without.A[i * (COLUMNS + 1) + COLUMNS] = 1.0;
        }
        compare_everywhere(&with, &without);
    }
}

/* With a set: the same as a product in which the last entry is free. */
static void test_intercept_in_set(void **state) {
    static data with;
    static const char *const sets[] = {"nonneg", "l1:0.7", "box:-0.2,0.3", "monotone", "l2:0.5", "simplex:1"};
    (void)state;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        make_data(&with, 1);
        with.intercept = true;
        with.set = sets[s];
        const answer a = solve(&with, 0, &ways[0]);
        /* the best constant for this x, and its optimality: residuals sum to zero */
        double sum = 0.0, f = 0.0;
        for (int64_t i = 0; i < N; i++) {
            double r = a.intercept[0] - with.Y[i];
            for (int64_t j = 0; j < COLUMNS; j++) r += with.A[i * COLUMNS + j] * a.x[j];
            sum += r;
            f += r * r;
        }
        assert_close(sum, 0.0, 1e-5);
        assert_close(f, a.objective, 1e-12 * f);
        for (int i = 1; i < WAYS; i++) {
            const answer b = solve(&with, 3, &ways[i]);
            compare(&b, &a, COLUMNS, 5e-6);
        }
    }
}

/* ---- the offset ---- */

static void test_offset(void **state) {
    static data with, without;
    (void)state;
    make_data(&with, 2);
    with.shifted = with.weighted = true;
    without = with;
    without.shifted = false;
    for (int64_t i = 0; i < 2 * N; i++) without.Y[i] -= with.offset[i];
    compare_everywhere(&with, &without);
}

/* ---- the ridge: rows sqrt(lambda) e_j ---- */

static void test_ridge(void **state) {
    static data with, without;
    static const char *const sets[] = {"none", "l1:0.9"};
    (void)state;
    for (int s = 0; s < 2; s++) {
        make_data(&with, 1);
        with.ridge = 64.0;
        with.set = sets[s];
        without = with;
        without.ridge = 0.0;
        for (int64_t j = 0; j < COLUMNS; j++) {
            without.A[(N + j) * COLUMNS + j] = 8.0;
            without.Y[N + j] = 0.0;
        }
        without.n = N + COLUMNS;
        compare_everywhere(&with, &without);
    }
}

/* ---- standardised columns ---- */

/* Columns divided by their deviation, with the same set and ridge, and x divided in the end. */
static void test_standardize(void **state) {
    static data with, without;
    static const char *const sets[] = {"none", "l1:0.9", "nonneg", "box:-0.2,0.3", "simplex:1"};
    (void)state;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        double scale[COLUMNS];
        make_data(&with, 1);
        for (int64_t i = 0; i < N; i++) with.A[i * COLUMNS + 1] += 4096.0; /* far from zero */
        with.intercept = with.weighted = with.standardize = true;
        with.ridge = 10.0;
        with.tol = 1e-10;
        with.set = sets[s];
        without = with;
        without.standardize = false;
        for (int64_t j = 0; j < COLUMNS; j++) {
            long double mean = 0.0L, square = 0.0L, all = 0.0L;
            for (int64_t i = 0; i < N; i++) all += with.weights[i];
            for (int64_t i = 0; i < N; i++) mean += (long double)with.weights[i] * with.A[i * COLUMNS + j] / all;
            for (int64_t i = 0; i < N; i++) {
                const long double off = with.A[i * COLUMNS + j] - mean;
                square += with.weights[i] * off * off / all;
            }
            scale[j] = (double)sqrtl(square);
            for (int64_t i = 0; i < N; i++) without.A[i * COLUMNS + j] /= scale[j];
        }
        for (int storage = 0; storage < STORAGES; storage++) {
            if (storage == 2) continue; /* floats do not hold the scaled columns */
            answer a = solve(&with, storage, &ways[0]), b = solve(&without, storage, &ways[0]);
            for (int64_t j = 0; j < COLUMNS; j++) assert_close(a.x[j] * scale[j], b.x[j], 1e-4);
            assert_close(a.objective, b.objective, 1e-10 * b.objective);
        }
    }
}

/* A column that does not vary keeps its scale. */
static void test_standardize_constant(void **state) {
    static data with;
    (void)state;
    make_data(&with, 1);
    for (int64_t i = 0; i < N; i++) with.A[i * COLUMNS + 2] = 0.1;
    with.standardize = true;
    with.set = "l1:2";
    const answer a = solve(&with, 0, &ways[0]);
    double sum = 0.0;
    for (int64_t j = 0; j < COLUMNS; j++) {
        double mean = 0.0, square = 0.0;
        for (int64_t i = 0; i < N; i++) mean += with.A[i * COLUMNS + j] / N;
        for (int64_t i = 0; i < N; i++)
            square += (with.A[i * COLUMNS + j] - mean) * (with.A[i * COLUMNS + j] - mean) / N;
        sum += fabs(a.x[j]) * (j == 2 ? 1.0 : sqrt(square));
    }
    assert_close(sum, 2.0, 1e-9);
}

/* ---- ranks and threads ---- */

typedef struct shared {
    const data *data;
    answer answer;
} shared;

static void solve_on_ranks(member *m) {
    shared *s = m->user;
    const data *p = s->data;
    const int64_t begin = m->ranks.rank * 200, rows = (m->ranks.rank == 1 ? N : 200) - begin;
    gpis_source *part, *A;
    gpis_set *set;
    gpis_result *result;
    const gpis_settings settings = settings_of(p, &ways[1]);
    assert_ok(m->context, gpis_source_dense(m->context, p->A + begin * p->d, GPIS_FLOAT64, GPIS_ROW_MAJOR, rows, p->d,
                                            p->d, &part));
    assert_ok(m->context, gpis_source_join(m->context, &part, 1, &m->ranks, &A));
    assert_ok(m->context, test_set(m->context, p->set, p->d, p->k, &set));
    gpis_problem *problem = pose(m->context, A, p, begin, rows, set);
    assert_ok(m->context, gpis_solve(problem, &settings, &result));
    if (m->ranks.rank == 1) s->answer = answer_of(result);
    double f;
    double x[(COLUMNS + 1) * MAX_K];
    memcpy(x, result->x, (size_t)(p->d * p->k) * sizeof *x);
    memcpy(x + p->d * p->k, result->intercept, (size_t)p->k * sizeof *x);
    assert_ok(m->context, gpis_evaluate(problem, x, (p->d + 1) * p->k, &f, NULL));
    if (m->ranks.rank == 0) assert_close(f, result->objective, 1e-12 * f);
    gpis_result_destroy(result);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    gpis_source_destroy(part);
}

static void test_ranks(void **state) {
    static data p;
    (void)state;
    make_data(&p, 2);
    p.weighted = p.shifted = p.intercept = p.standardize = true;
    p.ridge = 3.0;
    p.set = "l1:0.9";
    shared s = {.data = &p};
    world_run(2, true, 0, 0, solve_on_ranks, &s);
    const answer here = solve(&p, 0, &ways[1]);
    compare(&s.answer, &here, COLUMNS * 2, 5e-6);
    for (int c = 0; c < 2; c++) assert_close(s.answer.intercept[c], here.intercept[c], 5e-5);
}

/* ---- sketches ---- */

enum { SKETCH_ROWS = 16, SKETCH_SIZE = SKETCH_ROWS * (COLUMNS + 1 + MAX_K) };

/* SA, and behind it SY, of rank 0. The last rank has its rows in two parts. */
typedef struct sketched {
    const data *data;
    const char *kind;
    bool response;
    double out[SKETCH_SIZE];
} sketched;

static void sketch_on_ranks(member *m) {
    sketched *s = m->user;
    const data *p = s->data;
    const int64_t begin = m->ranks.rank * 200, rows = (m->ranks.rank + 1 == m->ranks.ranks ? p->n : 200) - begin;
    const int64_t width = p->d + p->intercept, half = rows / 2;
    gpis_source *parts[2], *A;
    gpis_problem *problem;
    double own[SKETCH_SIZE] = {0}, *out = m->ranks.rank == 0 ? s->out : own;
    for (int i = 0; i < 2; i++)
        assert_ok(m->context, gpis_source_dense(m->context, p->A + (begin + i * half) * p->d, GPIS_FLOAT64,
                                                GPIS_ROW_MAJOR, i ? rows - half : half, p->d, p->d, &parts[i]));
    assert_ok(m->context, gpis_source_join(m->context, parts, 2, &m->ranks, &A));
    assert_ok(m->context, gpis_problem_create(m->context, A, &problem));
    if (s->response) assert_ok(m->context, gpis_problem_response(problem, p->Y + begin * p->k, rows, p->k));
    if (p->weighted) assert_ok(m->context, gpis_problem_weights(problem, p->weights + begin, rows));
    assert_ok(m->context, gpis_problem_intercept(problem, p->intercept));
    assert_ok(m->context, gpis_sketch_rows(problem, s->kind, SKETCH_ROWS, 5, 6, out,
                                           s->response ? out + SKETCH_ROWS * width : NULL));
    gpis_problem_destroy(problem);
    gpis_source_destroy(A);
    for (int i = 0; i < 2; i++) gpis_source_destroy(parts[i]);
}

/* The rows sqrt(w_i) [a_i 1] and sqrt(w_i) y_i, which a sketch of the problem with these terms is of. */
static void apply_terms(const data *from, data *to) {
    *to = *from;
    to->weighted = to->intercept = false;
    to->d = COLUMNS + 1;
    for (int64_t i = 0; i < N; i++) {
        const double root = sqrt(from->weights[i]);
        for (int64_t j = 0; j < COLUMNS; j++) to->A[i * to->d + j] = root * from->A[i * COLUMNS + j];
        to->A[i * to->d + COLUMNS] = root;
        for (int64_t c = 0; c < from->k; c++) to->Y[i * from->k + c] = root * from->Y[i * from->k + c];
    }
}

/* A sketch has the terms of the rows, with a response and without one, on one rank and on two, where a leaf of the
 * sketch begins on one rank and ends on the other. */
static void test_sketches(void **state) {
    static const char *const kinds[] = {"count", "sparse-sign", "gaussian", "count-gauss", "sample"};
    static data p, plain;
    static sketched want, got;
    (void)state;
    make_data(&p, 2);
    p.weighted = p.intercept = true;
    apply_terms(&p, &plain);
    for (int i = 0; i < 2 * 2 * 5; i++) {
        const bool response = i % 2;
        const int ranks = 1 + i / 2 % 2;
        const int64_t size = SKETCH_ROWS * (COLUMNS + 1 + (response ? p.k : 0));
        want = (sketched){.data = &plain, .kind = kinds[i / 4], .response = response};
        got = (sketched){.data = &p, .kind = kinds[i / 4], .response = response};
        world_run(1, true, -1, 0, sketch_on_ranks, &want);
        world_run(ranks, true, -1, 0, sketch_on_ranks, &got);
        for (int64_t e = 0; e < size; e++)
            if (!(fabs(got.out[e] - want.out[e]) <= 1e-12 * (1.0 + fabs(want.out[e]))))
                fail_msg("%s, %s response, %d ranks: entry %d is %g and not %g", kinds[i / 4],
                         response ? "with a" : "without a", ranks, (int)e, got.out[e], want.out[e]);
    }
}

/* The same bits on 1 and on 2 threads. */
static void test_threads(void **state) {
    static data p;
    (void)state;
    make_data(&p, 1);
    p.weighted = p.shifted = p.intercept = p.standardize = true;
    p.ridge = 3.0;
    p.set = "l1:0.9";
    for (int storage = 0; storage < STORAGES; storage++)
        for (int i = 0; i < 2; i++) {
            p.threads = 1;
            const answer one = solve(&p, storage, &ways[i]);
            p.threads = 2;
            const answer two = solve(&p, storage, &ways[i]);
            assert_memory_equal(&one, &two, sizeof one);
        }
}

/* ---- evaluate and check ---- */

static void test_evaluate(void **state) {
    static data p;
    double x[COLUMNS + 1], f, G[COLUMNS + 1];
    test_memory memory;
    gpis_context *context = test_context(&memory);
    (void)state;
    make_data(&p, 1);
    p.weighted = p.shifted = p.intercept = true;
    p.ridge = 2.5;
    for (int j = 0; j <= COLUMNS; j++) x[j] = draw(9, j);
    holder h = hold(context, &p, 0);
    gpis_problem *problem = pose(context, h.source, &p, 0, N, NULL);
    assert_int_equal(gpis_evaluate(problem, x, COLUMNS, &f, G), GPIS_BAD_SHAPE);
    assert_ok(context, gpis_evaluate(problem, x, COLUMNS + 1, &f, G));
    long double sum = 0.0L, g[COLUMNS + 1] = {0};
    for (int64_t i = 0; i < N; i++) {
        long double r = (long double)x[COLUMNS] - p.Y[i] + p.offset[i];
        for (int64_t j = 0; j < COLUMNS; j++) r += (long double)p.A[i * COLUMNS + j] * x[j];
        sum += p.weights[i] * r * r;
        for (int64_t j = 0; j < COLUMNS; j++) g[j] += p.weights[i] * r * p.A[i * COLUMNS + j];
        g[COLUMNS] += p.weights[i] * r;
    }
    for (int64_t j = 0; j < COLUMNS; j++) {
        sum += 2.5L * x[j] * x[j];
        g[j] += 2.5L * x[j];
    }
    assert_close(f, (double)sum, 1e-13 * f);
    for (int64_t j = 0; j <= COLUMNS; j++) assert_close(G[j], (double)g[j], 1e-11 * (fabs(G[j]) + 100.0));
    gpis_problem_destroy(problem);
    release(&h);
    test_context_end(context, &memory);
}

static void test_check(void **state) {
    static data p;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *set;
    gpis_result *solved, *checked;
    double x[COLUMNS + 1];
    (void)state;
    make_data(&p, 1);
    const gpis_settings settings = settings_of(&p, &ways[0]);
    p.weighted = p.intercept = true;
    holder h = hold(context, &p, 3);
    assert_ok(context, test_set(context, "nonneg", COLUMNS, 1, &set));
    gpis_problem *problem = pose(context, h.source, &p, 0, N, set);
    assert_ok(context, gpis_solve(problem, &settings, &solved));
    memcpy(x, solved->x, COLUMNS * sizeof *x);
    x[COLUMNS] = *solved->intercept;
    for (int64_t entries = COLUMNS; entries <= COLUMNS + 1; entries++) { /* without b the best one is found */
        assert_ok(context, gpis_check(problem, x, entries, &settings, &checked));
        assert_close(*checked->intercept, *solved->intercept, 1e-9);
        assert_close(checked->objective, solved->objective, 1e-12 * solved->objective);
        assert_int_equal(checked->outcome, GPIS_SOLVED);
        gpis_result_destroy(checked);
    }
    x[COLUMNS] += 1.0; /* a wrong b is audited as it is */
    assert_ok(context, gpis_check(problem, x, COLUMNS + 1, &settings, &checked));
    assert_true(checked->objective > solved->objective * 1.001);
    assert_true(checked->gap >= checked->objective - solved->objective);
    gpis_result_destroy(checked);
    assert_int_equal(gpis_check(problem, x, COLUMNS + 2, &settings, &checked), GPIS_BAD_SHAPE);
    gpis_result_destroy(solved);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    release(&h);
    test_context_end(context, &memory);
}

/* ---- what is refused ---- */

static void expect(gpis_context *context, gpis_status got, gpis_status wanted, const char *words) {
    assert_int_equal(got, wanted);
    if (!strstr(gpis_last_error(context), words)) fail_msg("'%s' lacks '%s'", gpis_last_error(context), words);
}

static void test_refused(void **state) {
    static data p;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_result *result;
    (void)state;
    make_data(&p, 1);
    holder h = hold(context, &p, 0);
    gpis_problem *problem = pose(context, h.source, &p, 0, N, NULL);
    expect(context, gpis_problem_weights(problem, p.weights, N - 1), GPIS_BAD_SHAPE, "419 rows and A has 420");
    expect(context, gpis_solve(problem, NULL, &result), GPIS_BAD_ARGUMENT, "weights of the problem did not fit");
    p.weights[6] = -0.5;
    expect(context, gpis_problem_weights(problem, p.weights, N), GPIS_BAD_DATA, "row 7 is -0.5");
    p.weights[6] = NAN;
    expect(context, gpis_problem_weights(problem, p.weights, N), GPIS_BAD_DATA, "row 7 is");
    p.weights[6] = 1e-200;
    expect(context, gpis_problem_weights(problem, p.weights, N), GPIS_BAD_DATA, "row 7 is 1e-200");
    expect(context, gpis_problem_weights(problem, NULL, N), GPIS_BAD_ARGUMENT, "NULL");
    memset(p.weights, 0, sizeof p.weights);
    assert_ok(context, gpis_problem_weights(problem, p.weights, N));
    expect(context, gpis_solve(problem, NULL, &result), GPIS_BAD_DATA, "all weights are zero");
    assert_ok(context, gpis_problem_weights(problem, NULL, 0)); /* none any more */
    expect(context, gpis_problem_offset(problem, p.offset, N + 1, 1), GPIS_BAD_SHAPE, "421 rows");
    assert_ok(context, gpis_problem_offset(problem, p.offset, N, 2));
    expect(context, gpis_solve(problem, NULL, &result), GPIS_BAD_SHAPE, "offset has 2 columns and y has 1");
    p.offset[4] = INFINITY;
    assert_ok(context, gpis_problem_offset(problem, p.offset, N, 1));
    expect(context, gpis_solve(problem, NULL, &result), GPIS_BAD_DATA, "offset: row 5");
    assert_ok(context, gpis_problem_offset(problem, NULL, 0, 1));
    expect(context, gpis_problem_ridge(problem, -1.0), GPIS_BAD_ARGUMENT, "not -1");
    expect(context, gpis_solve(problem, NULL, &result), GPIS_BAD_ARGUMENT, "ridge of the problem did not fit");
    assert_ok(context, gpis_problem_ridge(problem, 0.0));
    assert_ok(context, gpis_solve(problem, NULL, &result));
    gpis_result_destroy(result);
    gpis_problem_destroy(problem);
    release(&h);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weights),
                                       cmocka_unit_test(test_intercept),
                                       cmocka_unit_test(test_intercept_in_set),
                                       cmocka_unit_test(test_offset),
                                       cmocka_unit_test(test_ridge),
                                       cmocka_unit_test(test_standardize),
                                       cmocka_unit_test(test_standardize_constant),
                                       cmocka_unit_test(test_ranks),
                                       cmocka_unit_test(test_sketches),
                                       cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_evaluate),
                                       cmocka_unit_test(test_check),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
