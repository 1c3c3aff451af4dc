/* Data that is hardly a problem at all, and data in absurd units. */
#include "calls.h"
#include "certificate/problems.h"

static const char *const METHODS[] = {"newton", "apgd"};

typedef struct expectation {
    double objective, tol; /* of the answer; tol is absolute */
    bool certified;
} expectation;

static void solve_and_check(gpis_context *context, const problem *p, gpis_set *set, expectation e, const char *what) {
    for (int m = 0; m < 2; m++) {
        gpis_settings settings = gpis_settings_default();
        gpis_result *r = NULL, *c = NULL;
        settings.method = METHODS[m];
        settings.max_passes = 3000;
        gpis_source *A = problem_source(context, p);
        if (test_solve(context, A, p->Y, p->k, set, &settings, &r) != GPIS_OK)
            fail_msg("%s, %s, %s: %s", what, gpis_set_spec(set), METHODS[m], gpis_last_error(context));
        if (!(fabs(r->objective - e.objective) <= e.tol) || (e.certified && r->outcome != GPIS_SOLVED))
            fail_msg("%s, %s, %s: %s, objective %.15g, not %.15g, gap %g, %lld passes", what, gpis_set_spec(set),
                     METHODS[m], gpis_outcome_text(r->outcome), r->objective, e.objective, r->gap,
                     (long long)r->passes);
        assert_true(r->objective - r->gap <= e.objective + e.tol);
        assert_ok(context, test_check(context, A, p->Y, p->k, set, r->x, &settings, &c));
        assert_true(fabs(c->objective - e.objective) <= e.tol && c->objective - c->gap <= e.objective + e.tol);
        gpis_result_destroy(c);
        gpis_result_destroy(r);
        gpis_source_destroy(A);
    }
}

static double square(const double *v, int64_t count) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) sum += v[i] * v[i];
    return sum;
}

/* A = 0: every member is best. */
static void nothing_in_A(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t d = 1; d <= 4; d += 3) {
        world w;
        world_begin(&w, d);
        for (int spec = 0; spec < SPEC_COUNT; spec++)
            for (int64_t k = 1; k <= 2; k++)
                for (int64_t n = 1; n <= 9; n += 8) {
                    problem p = problem_make(FINE, n, d, k, 4);
                    memset(p.A, 0, sizeof(double) * (size_t)(n * d));
                    gpis_set *set = problem_set(context, &w, SPECS[spec], "1", k);
                    const double y2 = square(p.Y, n * k);
                    /* a cone that is only known up to rounding has no bound with columns of zeros */
                    const bool exact = gpis_set_is_bounded(set) || set->exact_recession;
                    solve_and_check(context, &p, set, (expectation){y2, 1e-13 * y2, exact}, "zero A");
                    memset(p.Y, 0, sizeof(double) * (size_t)(n * k));
                    solve_and_check(context, &p, set, (expectation){0.0, 0.0, true}, "zero A and y");
                    gpis_set_destroy(set);
                    problem_clear(&p);
                }
        world_end(&w);
    }
    test_context_end(context, &memory);
}

/* y = 0 or y in the range of A, and a set that holds the x behind it: f* = 0. */
static void nothing_left(void **state) {
    (void)state;
    static const char *const specs[] = {"none",     "nonneg",    "l1:9",      "l2:9", "linf:9",  "capped-simplex:9",
                                        "box:-1,2", "group:9:1", "nuclear:9", "tv:9", "l1:9@dct"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 5);
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (int64_t k = 1; k <= 2; k++) {
            problem p = problem_make(EXACT_FIT, 20, 5, k, 6);
            gpis_set *set = problem_set(context, &w, specs[s], "1", k);
            const double y2 = square(p.Y, 20 * k);
            solve_and_check(context, &p, set, (expectation){0.0, 1e-10 * y2, false}, "y in the range of A");
            memset(p.Y, 0, sizeof(double) * (size_t)(20 * k));
            solve_and_check(context, &p, set, (expectation){0.0, 0.0, true}, "zero y");
            gpis_set_destroy(set);
            problem_clear(&p);
        }
    world_end(&w);
    test_context_end(context, &memory);
}

/* Radius 0: the set is one point. */
static void one_member(void **state) {
    (void)state;
    static const char *const specs[] = {"l1:0",    "l2:0",      "linf:0",    "simplex:0", "capped-simplex:0",
                                        "box:0,0", "group:0:1", "nuclear:0", "l1:0@dct"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 4);
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (int what = 0; what < FLAVOURS; what++) {
            problem p = problem_make(what, 12, 4, 2, 6);
            gpis_set *set = problem_set(context, &w, specs[s], "1", 2);
            const double y2 = square(p.Y, p.n * 2);
            solve_and_check(context, &p, set, (expectation){y2, 1e-14 * y2, true}, "radius 0");
            gpis_set_destroy(set);
            problem_clear(&p);
        }
    world_end(&w);
    test_context_end(context, &memory);
}

/* n = 1 and d = 1, where the answer is known in closed form: x = clamp(<a, y> / <a, a>). */
static void one_column_or_one_row(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 1);
    for (int64_t n = 1; n <= 7; n += 3) {
        problem p = problem_make(FINE, n, 1, 1, 7);
        double ay = 0.0;
        for (int64_t i = 0; i < n; i++) ay += p.A[i] * p.Y[i];
        const double best = ay / square(p.A, n);
        static const struct {
            const char *spec;
            double lo, hi;
        } sets[] = {{"none", -INFINITY, INFINITY},
                    {"nonneg", 0.0, INFINITY},
                    {"box:-0.1,0.2", -0.1, 0.2},
                    {"l1:0.3", -0.3, 0.3},
                    {"l2:0.3", -0.3, 0.3},
                    {"simplex:0.4", 0.4, 0.4},
                    {"monotone", -INFINITY, INFINITY}};
        for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
            gpis_set *set = problem_set(context, &w, sets[s].spec, "1", 1);
            const double x = fmin(fmax(best, sets[s].lo), sets[s].hi), f = (double)problem_value(&p, &x, NULL);
            const double y2 = square(p.Y, n);
            solve_and_check(context, &p, set, (expectation){f, 1e-8 * f + 1e-14 * y2, n > 1}, "one column");
            gpis_set_destroy(set);
        }
        problem_clear(&p);
    }
    world_end(&w);
    world_begin(&w, 5); /* one row: without a constraint it is fitted */
    problem p = problem_make(FINE, 1, 5, 1, 7);
    gpis_set *set = problem_set(context, &w, "none", "1", 1);
    solve_and_check(context, &p, set, (expectation){0.0, 1e-12 * square(p.Y, 1), false}, "one row");
    gpis_set_destroy(set);
    problem_clear(&p);
    world_end(&w);
    test_context_end(context, &memory);
}

/* All columns the same: A x = a sum(x), so over the simplex f is constant, and over l1 one column is as good as all. */
static void constant_columns(void **state) {
    (void)state;
    enum { N = 15, D = 4 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    problem p = problem_make(FINE, N, D, 1, 9);
    double ay = 0.0;
    for (int i = 0; i < N; i++) {
        for (int j = 1; j < D; j++) p.A[i * D + j] = p.A[i * D];
        ay += p.A[i * D] * p.Y[i];
    }
    double a2 = 0.0, one[D] = {0.5}, best[D] = {0};
    for (int i = 0; i < N; i++) a2 += p.A[i * D] * p.A[i * D];
    gpis_set *simplex = problem_set(context, &w, "simplex:0.5", "1", 1);
    gpis_set *l1 = problem_set(context, &w, "l1:0.05", "1", 1);
    gpis_set *none = problem_set(context, &w, "none", "1", 1);
    const double f = (double)problem_value(&p, one, NULL);
    solve_and_check(context, &p, simplex, (expectation){f, 1e-12 * f, true}, "constant columns");
    best[0] = fmin(fmax(ay / a2, -0.05), 0.05);
    const double f1 = (double)problem_value(&p, best, NULL);
    solve_and_check(context, &p, l1, (expectation){f1, 1e-8 * f1, true}, "constant columns");
    best[0] = ay / a2;
    const double f2 = (double)problem_value(&p, best, NULL);
    solve_and_check(context, &p, none, (expectation){f2, 1e-10 * f2, false}, "constant columns");
    gpis_set_destroy(simplex);
    gpis_set_destroy(l1);
    gpis_set_destroy(none);
    problem_clear(&p);
    world_end(&w);
    test_context_end(context, &memory);
}

/* Other units for A and y: the same answer in those units. */
static void absurd_units(void **state) {
    (void)state;
    enum { N = 30, D = 4 };
    static const double units[] = {1e-100, 1e-30, 1.0, 1e30, 1e100};
    static const char *const kinds[] = {"none", "nonneg", "l1", "simplex", "monotone"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    for (int s = 0; s < 5; s++) {
        double base = 0.0;
        for (int i = -1; i < 25; i++) { /* first in plain units */
            const double a = i < 0 ? 1.0 : units[i / 5], y = i < 0 ? 1.0 : units[i % 5];
            problem p = problem_make(FINE, N, D, 1, 10);
            for (int j = 0; j < N * D; j++) p.A[j] *= a;
            for (int j = 0; j < N; j++) p.Y[j] *= y;
            char spec[64];
            if (s == 2 || s == 3)
                snprintf(spec, sizeof spec, "%s:%.17g", kinds[s], 0.2 * y / a);
            else
                snprintf(spec, sizeof spec, "%s", kinds[s]);
            gpis_set *set = problem_set(context, &w, spec, "1", 1);
            if (i < 0) {
                gpis_settings settings = gpis_settings_default();
                gpis_result *r = NULL;
                gpis_source *A = problem_source(context, &p);
                assert_ok(context, test_solve(context, A, p.Y, 1, set, &settings, &r));
                base = r->objective;
                gpis_result_destroy(r);
                gpis_source_destroy(A);
            } else {
                char what[64];
                snprintf(what, sizeof what, "A in %g, y in %g", a, y);
                solve_and_check(context, &p, set, (expectation){base * y * y, 2e-8 * base * y * y, true}, what);
            }
            gpis_set_destroy(set);
            problem_clear(&p);
        }
    }
    world_end(&w);
    test_context_end(context, &memory);
}

/* Units whose squares do not exist are refused with a word on what to do. */
static void impossible_units(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 3);
    for (int which = 0; which < 2; which++) {
        problem p = problem_make(FINE, 10, 3, 1, 2);
        for (int j = 0; j < (which ? 30 : 10); j++) (which ? p.A : p.Y)[j] *= 1e200;
        gpis_set *set = problem_set(context, &w, "none", "1", 1);
        gpis_settings settings = gpis_settings_default();
        gpis_result *r = NULL;
        gpis_source *A = problem_source(context, &p);
        assert_int_equal(test_solve(context, A, p.Y, 1, set, &settings, &r), GPIS_BAD_DATA);
        assert_non_null(strstr(gpis_last_error(context), "scale the data down"));
        gpis_source_destroy(A);
        gpis_set_destroy(set);
        problem_clear(&p);
    }
    world_end(&w);
    test_context_end(context, &memory);
}

/* A step that is too long diverges; that is an outcome, not a fault of the data. */
static void diverging_step(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 3);
    problem p = problem_make(FINE, 30, 3, 1, 2);
    gpis_set *set = problem_set(context, &w, "none", "1", 1);
    gpis_settings settings = gpis_settings_default();
    gpis_result *r = NULL;
    settings.method = "apgd";
    settings.fixed_step = 10.0;
    gpis_source *A = problem_source(context, &p);
    assert_ok(context, test_solve(context, A, p.Y, 1, set, &settings, &r));
    assert_int_equal(r->outcome, GPIS_STALLED);
    assert_true(isfinite(r->objective) && r->objective <= square(p.Y, 30) * (1.0 + 1e-12));
    gpis_result_destroy(r);
    gpis_source_destroy(A);
    gpis_set_destroy(set);
    problem_clear(&p);
    world_end(&w);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_in_A),     cmocka_unit_test(nothing_left),
                                       cmocka_unit_test(one_member),       cmocka_unit_test(one_column_or_one_row),
                                       cmocka_unit_test(constant_columns), cmocka_unit_test(absurd_units),
                                       cmocka_unit_test(impossible_units), cmocka_unit_test(diverging_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
