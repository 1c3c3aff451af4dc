/*
 * newton with a sketch: the answers of newton with the Gram matrix, for every set and storage; sketches that are far
 * too small or bad; data that is hardly a problem. Whatever happens, the run ends, the objective never rises, and what
 * is called solved is.
 */
#include <omp.h>

#include "calls.h"
#include "certificate/problems.h"
#include "sketch/matrices.h"

/* ---- sources ------------------------------------------------------------------------------------------------------
 */

typedef enum form { AS_DOUBLES, AS_FLOATS, AS_CSR, AS_CALLBACK, FORMS } form;

static int give_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    const problem *p = user;
    memcpy(rows, p->A + row0 * p->d, (size_t)(nrows * p->d) * sizeof *rows);
    return 0;
}

static gpis_source *source_as(gpis_context *context, problem *p, form how, matrix *m) {
    gpis_source *A = NULL;
    *m = store(p->A, p->n, p->d, how == AS_FLOATS ? ROW_32 : how == AS_CSR ? CSR_64 : ROW_64);
    if (how == AS_CALLBACK)
        assert_ok(context, gpis_source_callback(context, p->n, p->d, give_rows, p, 1, &A));
    else if (how == AS_CSR)
        assert_ok(context, gpis_source_csr(context, p->n, p->d, m->indptr, m->indices, m->values, GPIS_FLOAT64, &A));
    else
        assert_ok(context, gpis_source_dense(context, m->values, how == AS_FLOATS ? GPIS_FLOAT32 : GPIS_FLOAT64,
                                             GPIS_ROW_MAJOR, p->n, p->d, p->d, &A));
    return A;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------
 */

enum { MOST_PASSES = 200 };

/* Fails the test where the best objective rises. */
static int watch(void *user, const gpis_progress *progress) {
    double *last = user;
    if (!(progress->objective <= *last * (1.0 + 1e-9) + 1e-9))
        fail_msg("the objective rose from %.17g to %.17g at pass %d", *last, progress->objective, (int)progress->pass);
    assert_true(progress->pass <= MOST_PASSES + 4);
    *last = progress->objective;
    return 0;
}

static gpis_result *solve(gpis_context *context, gpis_source *A, const problem *p, gpis_set *set, int64_t m,
                          const char *sketch, gpis_certificate certificate) {
    gpis_settings settings = gpis_settings_default();
    gpis_result *result = NULL;
    double last = INFINITY;
    settings.method = "newton";
    settings.m = m;
    settings.sketch = sketch;
    settings.max_passes = MOST_PASSES;
    settings.certificate = certificate;
    settings.progress = watch;
    settings.progress_user = &last;
    assert_ok(context, test_solve(context, A, p->Y, p->k, set, &settings, &result));
    assert_true(isfinite(result->objective) && result->gap >= 0.0);
    double size = 0.0;
    for (int64_t i = 0; i < p->d * p->k; i++) size += fabs(result->x[i]);
    if (!(result->feasibility <= 1e-12 * (1.0 + size)))
        fail_msg("%s, m %d: %g outside of the set", gpis_set_spec(set), (int)m, result->feasibility);
    if (certificate == GPIS_CERTIFICATE_PROVEN) assert_int_equal(result->gap_kind, GPIS_GAP_PROVEN);
    if (result->outcome == GPIS_SOLVED && result->gap_kind == GPIS_GAP_PROVEN) assert_true(result->gap_delta == 0.0);
    return result;
}

static double square(const double *v, int64_t count) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) sum += v[i] * v[i];
    return sum;
}

/* Two answers to one problem: each one's bound is below the other's objective, and they agree where both are solved. */
static void check_agree(const problem *p, const gpis_result *a, const gpis_result *b, const char *what) {
    const double fa = (double)problem_value(p, a->x, NULL), fb = (double)problem_value(p, b->x, NULL);
    const double noise = membership_noise(p, a->x) + membership_noise(p, b->x) + 1e-14 * square(p->Y, p->n * p->k);
    const bool both = a->outcome == GPIS_SOLVED && b->outcome == GPIS_SOLVED;
    if (b->objective - b->gap > fa + noise || a->objective - a->gap > fb + noise ||
        (both && fabs(fa - fb) > 2e-8 * fmax(fa, fb) + noise))
        fail_msg("%s: f %.17g with gap %g (%s), and %.17g with gap %g (%s)", what, fa, a->gap,
                 gpis_outcome_text(a->outcome), fb, b->gap, gpis_outcome_text(b->outcome));
}

/* ---- every set, every storage --------------------------------------------------------------------------------------
 */

static void agrees_with_the_gram_matrix(void **state) {
    (void)state;
    enum { N = 150, D = 6 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    for (int spec = 0; spec < SPEC_COUNT; spec++)
        for (int how = 0; how < FORMS; how++) {
            problem p = problem_make(FINE, N, D, 1 + spec % 2, 50 + (uint64_t)spec);
            for (int64_t i = 0; i < N * D; i++) p.A[i] = i % 5 == 0 ? 0.0 : (double)(float)p.A[i]; /* floats hold it */
            matrix m;
            gpis_source *A = source_as(context, &p, how, &m);
            gpis_set *set = problem_set(context, &w, SPECS[spec], "0.3", p.k);
            gpis_result *exact = solve(context, A, &p, set, 0, "count", GPIS_CERTIFICATE_ANY);
            gpis_result *sketched = solve(context, A, &p, set, 8 * D, "count", GPIS_CERTIFICATE_ANY);
            if (exact->outcome != GPIS_SOLVED)
                fail_msg("%s, storage %d: %s, gap %g of %g after %d passes", gpis_set_spec(set), how,
                         gpis_outcome_text(exact->outcome), exact->gap, exact->objective, (int)exact->passes);
            if (sketched->outcome != GPIS_SOLVED) fail_msg("%s, storage %d: not solved", gpis_set_spec(set), how);
            assert_true(sketched->sketches >= 1);
            check_agree(&p, exact, sketched, gpis_set_spec(set));
            gpis_result_destroy(exact);
            gpis_result_destroy(sketched);
            gpis_source_destroy(A);
            gpis_set_destroy(set);
            matrix_clear(&m);
            problem_clear(&p);
        }
    world_end(&w);
    test_context_end(context, &memory);
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    enum { N = 3000, D = 20 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    static const char *const specs[] = {"none", "l1:#", "nonneg", "nuclear:#"};
    for (int i = 0; i < 4; i++) {
        problem p = problem_make(SCALED, N, D, 1 + i / 2, 9);
        gpis_set *set = problem_set(context, &w, specs[i], "0.3", p.k);
        gpis_source *A = problem_source(context, &p);
        assert_ok(context, gpis_context_set_threads(context, 1));
        gpis_result *one = solve(context, A, &p, set, 100, "count", GPIS_CERTIFICATE_ANY);
        for (int threads = 2; threads <= 4; threads++) {
            assert_ok(context, gpis_context_set_threads(context, threads));
            gpis_result *many = solve(context, A, &p, set, 100, "count", GPIS_CERTIFICATE_ANY);
            assert_memory_equal(one->x, many->x, (size_t)(D * p.k) * sizeof *one->x);
            assert_true(one->objective == many->objective && one->gap == many->gap && one->passes == many->passes);
            gpis_result_destroy(many);
        }
        gpis_result_destroy(one);
        gpis_source_destroy(A);
        gpis_set_destroy(set);
        problem_clear(&p);
    }
    world_end(&w);
    test_context_end(context, &memory);
}

/* ---- bad sketches and bad data -------------------------------------------------------------------------------------
 */

typedef enum trouble {
    PLAIN,
    ONE_HUGE_ROW,
    EQUAL_ROWS,
    FEW_ROWS_MATTER,
    RANK_DEFICIENT,
    ZERO_COLUMN,
    EQUAL_COLUMNS,
    CONSTANT_COLUMNS,
    DUMMIES,   /* columns of groups that add up to a constant */
    MULTIPLES, /* columns in other units */
    NEARLY_DEPENDENT,
    ZERO_Y,
    Y_IN_RANGE,
    TROUBLES
} trouble;

static problem troubled(trouble what, int64_t n, int64_t d, int64_t k, uint64_t seed) {
    problem p = problem_make(what == Y_IN_RANGE         ? EXACT_FIT
                             : what == FEW_ROWS_MATTER  ? COHERENT
                             : what == ZERO_COLUMN      ? ZERO
                             : what == EQUAL_COLUMNS    ? DUPLICATE
                             : what == NEARLY_DEPENDENT ? NEARLY
                                                        : FINE,
                             n, d, k, seed);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            double *v = &p.A[i * d + j];
            if (what == RANK_DEFICIENT || what == MULTIPLES) *v = (double)(float)*v; /* so that all below is exact */
            if (what == DUMMIES) *v = j == 0 || (i * 5 + i / 3) % (d - 1) == j - 1;
            if (what == MULTIPLES && j > 0 && j % 2 == 0) *v = p.A[i * d + j - 1] * (j % 4 ? 1024.0 : -0.75);
            if (what == ONE_HUGE_ROW && i == n / 2) *v *= 1e6;
            if (what == EQUAL_ROWS) *v = p.A[i % 7 % n * d + j];
            if (what == RANK_DEFICIENT && j >= (d + 1) / 2) *v = p.A[i * d] - p.A[i * d + j - d / 2];
            if (what == CONSTANT_COLUMNS && j % 2 == 0) *v = (double)j + 1.0;
        }
    if (what == ZERO_Y) memset(p.Y, 0, (size_t)(n * k) * sizeof *p.Y);
    return p;
}

/* Data for which the answer must come with its proof, whatever the sketch: the inner problem is solved exactly, and A
 * has full rank or columns that depend on others exactly, by small fractions. */
static bool is_sure(trouble what, const problem *p, const gpis_set *set) {
    const bool exactly = set->class->bounds || strcmp(set->class->name, "none") == 0;
    return exactly && p->n >= p->d && what != ONE_HUGE_ROW && what != EQUAL_ROWS && what != NEARLY_DEPENDENT;
}

/* Solved, or no further than rounding errors of a bad condition explain, or a word on what is wrong. */
static void check_solved(trouble what, const problem *p, const gpis_set *set, const gpis_result *r, const char *text) {
    if (r->outcome == GPIS_SOLVED || r->objective <= 1e-24 * square(p->Y, p->n * p->k)) return;
    const bool exactly = set->class->bounds != NULL, unbounded = !gpis_set_is_bounded(set);
    const bool said = r->warning[0] || !unbounded || r->gap < r->objective;
    const bool near = r->gap <= 1e-4 * r->objective || !exactly || (p->n < p->d && gpis_set_radius(set) > 1e3);
    if (is_sure(what, p, set) || !said || (!near && !r->warning[0]))
        fail_msg("%s: %s, gap %g of %g after %d passes, '%s'", text, gpis_outcome_text(r->outcome), r->gap,
                 r->objective, (int)r->passes, r->warning);
}

/* An answer is not to be improved by more than its gap, here by plain projected gradient in long double. */
static void check_best(gpis_context *context, const problem *p, gpis_set *set, const gpis_result *r, const char *text) {
    enum { MAX_ENTRIES = 64, STEPS = 30 };
    const int64_t size = p->d * p->k;
    const double trace = square(p->A, p->n * p->d);
    long double g[MAX_ENTRIES];
    double x[MAX_ENTRIES];
    if (trace == 0.0 || size > MAX_ENTRIES) return;
    memcpy(x, r->x, (size_t)size * sizeof *x);
    for (int i = 0; i < STEPS; i++) {
        problem_value(p, x, g);
        for (int64_t j = 0; j < size; j++) x[j] -= (double)(g[j] / trace);
        assert_ok(context, gpis_set_project(set, x, x));
    }
    const long double f = problem_value(p, x, NULL);
    if (f < (long double)(r->objective - r->gap) - membership_noise(p, x))
        fail_msg("%s: objective %.17g with gap %g, and %.17Lg by plain gradient", text, r->objective, r->gap, f);
}

static void try_trouble(gpis_context *context, const world *w, trouble what, int64_t n, int64_t k, const char *pattern,
                        const char *R, uint64_t seed) {
    static const char *const kinds[] = {"count", "sample", "sparse-sign", "gaussian"};
    const int64_t d = w->d, rows[] = {1, d, d + 1, 3 * d, n};
    problem p = troubled(what, n, d, k, seed);
    gpis_set *set = problem_set(context, w, pattern, R, k);
    gpis_source *A = problem_source(context, &p);
    char text[300];
    snprintf(text, sizeof text, "%s, trouble %d, n %d, d %d", gpis_set_spec(set), what, (int)n, (int)d);
    gpis_result *exact = solve(context, A, &p, set, 0, "count", GPIS_CERTIFICATE_ANY);
    check_solved(what, &p, set, exact, text);
    check_best(context, &p, set, exact, text);
    for (int i = (int)(seed % 2); i < 2; i++) {
        const int64_t m = gpis_min64(n, rows[(seed + (uint64_t)i) % 5]);
        const gpis_certificate wanted = i == 0 ? GPIS_CERTIFICATE_ANY : GPIS_CERTIFICATE_PROVEN;
        snprintf(text, sizeof text, "%s, trouble %d, n %d, d %d, m %d", gpis_set_spec(set), what, (int)n, (int)d,
                 (int)m);
        gpis_result *r = solve(context, A, &p, set, m, kinds[seed / 5 % 4], wanted);
        check_agree(&p, exact, r, text);
        if (is_sure(what, &p, set)) check_solved(what, &p, set, r, text);
        check_best(context, &p, set, r, text);
        gpis_result_destroy(r);
    }
    gpis_result_destroy(exact);
    gpis_source_destroy(A);
    gpis_set_destroy(set);
    problem_clear(&p);
}

/* Every set, with every trouble, for one column and several, with fewer rows than columns, one row, and many. */
static void troubles_end_honestly(void **state) {
    (void)state;
    static const char *const radii[] = {"1.5", "0", "1000", "0.3"}; /* 1000: the optimum is inside */
    static const int64_t sizes[] = {1, 4, 9};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    assert_ok(context, gpis_context_set_threads(context, 1));
    uint64_t seed = 300;
    for (int s = 0; s < 3; s++) {
        world w;
        world_begin(&w, sizes[s]);
        const int64_t rows[] = {1, sizes[s] / 2 + 1, 10 * sizes[s] + 3};
        for (int what = 0; what < TROUBLES; what++)
            for (int spec = 0; spec < SPEC_COUNT; spec++, seed += spec <= TEXT_SPECS)
                try_trouble(context, &w, what, rows[(seed + seed / 7) % 3], 1 + (int64_t)(seed % 5 == 0), SPECS[spec],
                            radii[seed % 4], seed);
        world_end(&w);
    }
    test_context_end(context, &memory);
}

/* The sets without a reason to fail, over and over, on rows enough. */
static void nothing_stands_in_the_way(void **state) {
    (void)state;
    static const char *const specs[] = {
        "none", "nonneg", "box:-1,2",  "box:-0.2,inf",    "box:-inf,0.1", "box:$/lo.npy,$/hi.npy",
        "l1:#", "linf:#", "simplex:#", "capped-simplex:#"};
    static const char *const radii[] = {"1.5", "0", "1000", "0.3"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    assert_ok(context, gpis_context_set_threads(context, 1));
    for (uint64_t seed = 1; seed <= 60; seed++) {
        world w;
        const int64_t d = 2 + (int64_t)(seed % 7);
        world_begin(&w, d);
        for (int spec = 0; spec < (int)(sizeof specs / sizeof *specs); spec++) {
            const trouble what = (trouble)((seed + (uint64_t)spec * 5) % TROUBLES);
            try_trouble(context, &w, what, 8 * d + (int64_t)(seed % 11), 1 + (int64_t)(seed % 2), specs[spec],
                        radii[(seed + (uint64_t)spec) % 4], 7000 + 50 * seed + (uint64_t)spec);
        }
        world_end(&w);
    }
    test_context_end(context, &memory);
}

/* ---- memory --------------------------------------------------------------------------------------------------------
 */

static gpis_status sketched_solve(gpis_context *context, void *user) {
    const problem *p = user;
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.method = "newton";
    settings.m = 12;
    gpis_status status = gpis_source_dense(context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->n, p->d, p->d, &A);
    if (status == GPIS_OK) status = test_set(context, "none", p->d, 1, &set);
    if (status == GPIS_OK) status = test_solve(context, A, p->Y, 1, set, &settings, &result);
    gpis_result_destroy(result);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return status;
}

/* Nearly parallel columns, so that the model is held by its rows too. */
static void lack_of_memory(void **state) {
    (void)state;
    problem p = problem_make(ILL, 30, 3, 1, 1);
    for (int64_t i = 0; i < p.n; i++) p.A[i * 3 + 1] = p.A[i * 3] + 1e-5 * (p.A[i * 3 + 1] - p.A[i * 3]);
    assert_true(test_every_allocation(sketched_solve, &p) > 40);
    problem_clear(&p);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library: BLAS has no threads of its own */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_gram_matrix),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(troubles_end_honestly),
        cmocka_unit_test(nothing_stands_in_the_way),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
