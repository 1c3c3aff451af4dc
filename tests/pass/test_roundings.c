/*
 * The count of roundings against the actual roundings, with data that make each of them visible.
 *
 * One row has a term of 2^54, all others have a term t just below 2. A term t that is added to a partial sum which
 * contains the large one is lost entirely, which is almost the most that one rounding can lose: 2^-53 of 2^54. Terms
 * that are added up elsewhere before they meet the large one are not lost. So what is missing from the result, divided
 * by t, is the number of additions that the large term went through, and must not exceed the count. This is checked for
 * every storage, for every kind of pass, and for rows in parts of mixed storage; and if one strip holds all rows, the
 * count must not be far above it either.
 */
#include "pass/pass.h"

#include "pass/cut.h"
#include "sketch/matrices.h"

static const double SMALL = 1.99999; /* the square of the number that stands for t below */

/* How a pass sums. */
typedef struct kind_of_pass {
    const char *name;
    int64_t k, probes;
    bool extended, gram, some_columns;
} kind_of_pass;

static const kind_of_pass passes[] = {
    {"gradient", 1, 0, false, false, false},
    {"gradients of 12 responses", 12, 0, false, false, false},
    {"gradient and probes", 1, 4, false, false, false},
    {"gradient and 64 probes", 1, 64, false, false, false},
    {"gradient and Gram matrix", 1, 0, false, true, false},
    {"gradient and Gram matrix of some columns", 1, 0, false, true, true},
    {"extended precision", 1, 0, true, false, false},
};
enum { PASSES = sizeof passes / sizeof passes[0] };

static gpis_source *source_of(gpis_context *context, const matrix *m) {
    const gpis_block *b = &m->block;
    gpis_source *A = NULL;
    if (b->kind == GPIS_BLOCK_CSR) {
        assert_ok(context, gpis_source_csr(context, b->nrows, b->d, b->indptr, b->indices, b->values, b->type, &A));
    } else {
        const bool columns = b->col_stride != 1;
        assert_ok(context, gpis_source_dense(context, b->values, b->type, columns ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR,
                                             b->nrows, b->d, columns ? b->col_stride : b->row_stride, &A));
    }
    return A;
}

/* The number of roundings in `sum`, whose exact value is `truth`. */
static double roundings_seen(double sum, long double truth) { return (double)(fabsl(truth - sum) / SMALL); }

/*
 * x = 0, so the residual is -Y. Column 0 of A is a_i with a_i y_i = SMALL, or LARGE in row `heavy`, in which both are
 * equal and a power of two: the gradient, the Gram matrix and the objective then all have the terms LARGE and about
 * SMALL.
 */
typedef struct problem {
    int64_t n, d, k;
    double *a, *Y;
    long double objective, gradient, gram; /* of exact sums; gradient and gram in column 0 */
} problem;

static problem make_problem(int64_t n, int64_t d, int64_t k, int64_t heavy) {
    problem p = {.n = n, .d = d, .k = k, .a = calloc((size_t)(n * d), 8), .Y = calloc((size_t)(n * k), 8)};
    const double small = (double)(float)1.41421; /* a float, so that all storages hold it; its square is below 2 */
    for (int64_t i = 0; i < n; i++) {
        const double value = i == heavy ? 0x1p27 : small;
        p.a[i * d] = value;
        p.Y[i * k] = value; /* the other responses are zero */
        p.objective += (long double)value * value;
    }
    p.gradient = -p.objective;
    p.gram = p.objective;
    return p;
}

static void problem_clear(problem *p) { free(p->a), free(p->Y); }

typedef struct seen {
    double objective, gradient, gram;
    gpis_roundings count;
} seen;

static seen run_pass(gpis_context *context, gpis_source *A, const problem *p, const kind_of_pass *how) {
    const int64_t d = p->d, columns[] = {0, 2};
    double *X = calloc((size_t)(d * p->k), 8), *G = calloc((size_t)(d * p->k), 8), objective;
    double *V = calloc((size_t)(d * how->probes + 1), 8), *AAV = calloc((size_t)(d * how->probes + 1), 8);
    double *gram = calloc(how->gram ? (size_t)(d * d) : 1, 8), *norms2 = calloc((size_t)d, 8);
    const gpis_pass pass = {.k = p->k,
                            .Y = p->Y,
                            .X = X,
                            .extended = how->extended,
                            .objective = &objective,
                            .G = G,
                            .V = how->probes ? V : NULL,
                            .probes = how->probes,
                            .AAV = how->probes ? AAV : NULL,
                            .norms2 = norms2,
                            .columns = how->some_columns ? columns : NULL,
                            .count = how->some_columns ? 2 : 0,
                            .gram = how->gram ? gram : NULL};
    assert_ok(context, gpis_pass_run(context, A, &pass));
    const gpis_load load = gpis_load_of(&pass, d);
    const seen s = {.objective = roundings_seen(objective, p->objective),
                    .gradient = roundings_seen(G[0], p->gradient),
                    .gram = how->gram ? roundings_seen(gram[0], p->gram) : 0.0,
                    .count = gpis_pass_roundings(A, &load)};
    free(X), free(G), free(V), free(AAV), free(gram), free(norms2);
    return s;
}

static void check_seen(const seen *s, const char *pass, const char *where, int64_t n, int64_t d, int64_t heavy) {
    if (s->objective > s->count.objective || s->gradient > s->count.gradient || s->gram > s->count.gram)
        fail_msg("%s, %s, %lld x %lld, heavy row %lld: %.1f, %.1f, %.1f roundings seen and %.0f, %.0f, %.0f counted",
                 pass, where, (long long)n, (long long)d, (long long)heavy, s->objective, s->gradient, s->gram,
                 s->count.objective, s->count.gradient, s->count.gram);
}

/* Few rows, many chunks for each strip, and long rows. */
static const struct { int64_t n, d; } shapes[] = {{70, 3}, {1500, 5}, {20000, 3}, {1200, 120}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void every_storage_and_pass(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int shape = 0; shape < SHAPES; shape++)
        for (int which = 0; which < PASSES; which++) {
            const kind_of_pass *how = &passes[which];
            const int64_t n = shapes[shape].n, d = shapes[shape].d;
            for (int64_t heavy = 0; heavy < n; heavy += n / 2) {
                problem p = make_problem(n, d, how->k, heavy);
                for (int stored_as = 0; stored_as < STORAGES; stored_as++) {
                    matrix stored = store(p.a, n, d, stored_as);
                    gpis_source *A = source_of(context, &stored);
                    const seen s = run_pass(context, A, &p, how);
                    check_seen(&s, how->name, "one source", n, d, heavy);
                    gpis_source_destroy(A);
                    matrix_clear(&stored);
                }
                problem_clear(&p);
            }
        }
    test_context_end(context, &memory);
}

/* Probes make the sums of a strip so large that there are fewer strips, and more rows in each. */
static void probes_leave_fewer_strips(void **state) {
    (void)state;
    enum { N = 20000, D = 30000 };
    static const kind_of_pass with = {"sparse rows and 64 probes", 1, 64, false, false, false};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem narrow = make_problem(N, 1, 1, 0);
    matrix stored = store(narrow.a, N, 1, CSR_64);
    stored.block.d = narrow.d = D;
    gpis_source *A = source_of(context, &stored);
    const seen s = run_pass(context, A, &narrow, &with);
    check_seen(&s, with.name, "one source", N, D, 0);
    gpis_source_destroy(A);
    matrix_clear(&stored);
    problem_clear(&narrow);
    test_context_end(context, &memory);
}

/* Parts of any two storages, in either order, and of very different lengths: the count is one for all of them. */
static void parts_of_mixed_storage(void **state) {
    (void)state;
    enum { N = 9000, D = 3 };
    static const int64_t cuts[] = {100, 5000, 8800};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int which = 0; which < PASSES; which++)
        for (int cut = 0; cut < 3; cut++)
            for (int first = 0; first < STORAGES; first++)
                for (int second = 0; second < STORAGES; second++) {
                    const int64_t split = cuts[cut], heavy = cut % 2 ? 0 : split;
                    problem p = make_problem(N, D, passes[which].k, heavy);
                    matrix halves[2] = {store(p.a, split, D, first), store(p.a + split * D, N - split, D, second)};
                    gpis_source *parts[2] = {source_of(context, &halves[0]), source_of(context, &halves[1])}, *A;
                    assert_ok(context, gpis_source_join(context, parts, 2, NULL, &A));
                    const seen s = run_pass(context, A, &p, &passes[which]);
                    check_seen(&s, passes[which].name, "two parts", N, D, heavy);
                    gpis_source_destroy(A);
                    for (int i = 0; i < 2; i++) gpis_source_destroy(parts[i]), matrix_clear(&halves[i]);
                    problem_clear(&p);
                }
    test_context_end(context, &memory);
}

/* Parts are added up one after the other, however few rows each of them has. */
static void many_small_parts(void **state) {
    (void)state;
    enum { N = 600, D = 2 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem p = make_problem(N, D, 1, 0);
    gpis_source *parts[N], *A;
    for (int i = 0; i < N; i++)
        assert_ok(context, gpis_source_dense(context, p.a + i * D, GPIS_FLOAT64, GPIS_ROW_MAJOR, 1, D, D, &parts[i]));
    assert_ok(context, gpis_source_join(context, parts, N, NULL, &A));
    for (int which = 0; which < PASSES; which++) {
        if (passes[which].k > 1 || passes[which].some_columns) continue;
        const seen s = run_pass(context, A, &p, &passes[which]);
        check_seen(&s, passes[which].name, "many parts", N, D, 0);
        assert_true(s.gradient > N - 2);
    }
    gpis_source_destroy(A);
    for (int i = 0; i < N; i++) gpis_source_destroy(parts[i]);
    problem_clear(&p);
    test_context_end(context, &memory);
}

/*
 * The residual of row 0: a product a_i x whose first term is the large one. The last column of A is 1 in row 0 alone,
 * and x is 0 there, so that the last entry of the gradient is the residual itself.
 */
static double residual_seen(gpis_context *context, gpis_source *A, int64_t d, double *count) {
    double *X = calloc((size_t)d, 8), *G = calloc((size_t)d, 8), *Y = calloc((size_t)A->n, 8), objective;
    const double small = (double)(float)1.41421;
    long double truth = 0.0L;
    for (int64_t j = 0; j + 1 < d; j++) {
        X[j] = j == 0 ? 0x1p27 : small;
        truth += (long double)X[j] * X[j];
    }
    const gpis_pass pass = {.k = 1, .Y = Y, .X = X, .objective = &objective, .G = G};
    assert_ok(context, gpis_pass_run(context, A, &pass));
    const gpis_load load = gpis_load_of(&pass, d);
    *count = gpis_pass_roundings(A, &load).residual;
    const double additions = roundings_seen(G[d - 1], truth);
    free(X), free(G), free(Y);
    return additions;
}

/* A row-major part sums its products in lanes, a column-major one does not: the count must be the larger of the two. */
static void products_of_mixed_parts(void **state) {
    (void)state;
    enum { N = 3, D = 2000 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = calloc(N * D, sizeof *a), *other = calloc(N * D, sizeof *a);
    for (int j = 0; j + 1 < D; j++) a[j] = j == 0 ? 0x1p27 : (double)(float)1.41421;
    a[D - 1] = 1.0;
    for (int first = 0; first < STORAGES; first++)
        for (int second = 0; second < STORAGES; second++) {
            matrix halves[2] = {store(a, N, D, first), store(other, N, D, second)};
            gpis_source *parts[2] = {source_of(context, &halves[0]), source_of(context, &halves[1])}, *A;
            double count;
            for (int order = 0; order < 2; order++) {
                gpis_source *turned[2] = {parts[order], parts[1 - order]};
                assert_ok(context, gpis_source_join(context, turned, 2, NULL, &A));
                const double additions = residual_seen(context, A, D, &count);
                if (additions > count)
                    fail_msg("storages %d and %d: %.1f roundings of a product, %.0f counted", first, second, additions,
                             count);
                gpis_source_destroy(A);
            }
            for (int i = 0; i < 2; i++) gpis_source_destroy(parts[i]), matrix_clear(&halves[i]);
        }
    free(a), free(other);
    test_context_end(context, &memory);
}

/* One chunk of rows in one strip: the term of the first row goes through nearly all additions, so the count is nearly
 * exact. */
static void the_count_is_not_idle(void **state) {
    (void)state;
    enum { N = 1000, D = 2 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem p = make_problem(N, D, 1, 0);
    matrix stored = store(p.a, N, D, 0);
    gpis_source *A = source_of(context, &stored);
    const seen s = run_pass(context, A, &p, &passes[0]);
    assert_true(s.gradient >= 0.1 * s.count.gradient && s.count.gradient <= N + 100.0);
    gpis_source_destroy(A);
    matrix_clear(&stored);
    problem_clear(&p);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_storage_and_pass),  cmocka_unit_test(probes_leave_fewer_strips),
        cmocka_unit_test(parts_of_mixed_storage),  cmocka_unit_test(many_small_parts),
        cmocka_unit_test(products_of_mixed_parts), cmocka_unit_test(the_count_is_not_idle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
