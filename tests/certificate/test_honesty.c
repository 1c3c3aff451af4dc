/*
 * A bound may be loose, never false: over thousands of small problems of every set, objective - gap must not exceed
 * f at any member of the set that anybody can find, here by the library's own methods and by a plain projected gradient
 * in long double. None of their lower bounds is believed.
 */
#include "calls.h"
#include "certificate/certificate.h"

#include <omp.h>

#include "certificate/problems.h"
#include "inner/inner.h"
#include "pass/pass.h"

/* Everything that the bounds at one point need. */
typedef struct setting {
    gpis_context *context;
    const problem *p;
    gpis_source *A;
    gpis_set *set;
    gpis_model *model;
    gpis_inner *inner;
    double *norms2, *x, *g, *best; /* best: the lowest member seen */
    long double lowest;
    double lowest_noise;
} setting;

/* `knows_null_vectors`: the model is given the null vectors of A. */
static void setting_begin(setting *t, gpis_context *context, const problem *p, gpis_set *set, bool knows_null_vectors) {
    const int64_t size = p->d * p->k;
    *t = (setting){.context = context, .p = p, .set = set, .A = problem_source(context, p), .lowest = INFINITY};
    t->norms2 = new_vector(p->d);
    t->x = new_vector(size);
    t->g = new_vector(size);
    t->best = new_vector(size);
    double *H = gpis_alloc(context, p->d * p->d, sizeof *H);
    const gpis_pass pass = {.k = p->k, .norms2 = t->norms2, .gram = H};
    assert_ok(context, gpis_pass_run(context, t->A, &pass));
    const gpis_load load = gpis_load_of(&pass, p->d);
    assert_ok(context, gpis_model_create(context, p->d, H, gpis_pass_roundings(t->A, &load).gram, &t->model));
    double *N = new_vector(p->d * p->d);
    const int64_t nulls = knows_null_vectors ? problem_nulls(p, N) : 0;
    if (nulls > 0) assert_ok(context, gpis_model_add_null(t->model, nulls, N, 0.0));
    free(N);
    assert_ok(context, gpis_inner_create(context, set, t->model, NULL, &t->inner));
}

static void setting_end(setting *t) {
    gpis_inner_destroy(t->inner);
    gpis_model_destroy(t->model);
    gpis_source_destroy(t->A);
    free(t->norms2), free(t->x), free(t->g), free(t->best);
}

static void offer(setting *t, const double *x) {
    const long double value = problem_value(t->p, x, NULL);
    if (!(value < t->lowest)) return;
    t->lowest = value;
    t->lowest_noise = membership_noise(t->p, x);
    memcpy(t->best, x, (size_t)(t->p->d * t->p->k) * sizeof *x);
}

/* Accelerated projected gradient, restarted whenever f rises. */
static void search_plainly(setting *t, int iterations) {
    enum { MAX_ENTRIES = 64 };
    const int64_t size = t->p->d * t->p->k;
    long double g[MAX_ENTRIES], previous = INFINITY;
    double x[MAX_ENTRIES], z[MAX_ENTRIES], next[MAX_ENTRIES], trace = 0.0, tau = 1.0;
    for (int64_t j = 0; j < t->p->d; j++) trace += t->norms2[j];
    if (trace == 0.0) return;
    memcpy(x, t->best, sizeof *x * (size_t)size);
    memcpy(z, x, sizeof *z * (size_t)size);
    for (int i = 0; i < iterations; i++) {
        problem_value(t->p, z, g);
        for (int64_t j = 0; j < size; j++) next[j] = (double)(z[j] - g[j] / trace);
        assert_ok(t->context, gpis_set_project(t->set, next, next));
        const long double value = problem_value(t->p, next, NULL);
        const double ahead = value > previous ? 0.0 : (tau - 1.0) / (tau + 2.0);
        tau = value > previous ? 1.0 : tau + 1.0;
        previous = value;
        for (int64_t j = 0; j < size; j++) z[j] = next[j] + ahead * (next[j] - x[j]);
        memcpy(x, next, sizeof *x * (size_t)size);
    }
    offer(t, x);
}

static void search_by_library(setting *t, const char *method) {
    gpis_settings settings = gpis_settings_default();
    gpis_result *result = NULL;
    settings.method = method;
    settings.tol = 1e-14;
    settings.max_passes = 60;
    assert_ok(t->context, test_solve(t->context, t->A, t->p->Y, t->p->k, t->set, &settings, &result));
    offer(t, result->x);
    gpis_result_destroy(result);
}

typedef struct bounds {
    double objective, first, second;
} bounds;

/* `effort`: steps of the inner problem; a bound must be true however few they are. */
static bounds bounds_at(setting *t, const double *x, int64_t effort) {
    bounds b;
    gpis_second_order second;
    bool done;
    const bool extended = effort % 2 == 0; /* now so, now so: both must be true */
    const gpis_pass pass = {
        .k = t->p->k, .Y = t->p->Y, .X = x, .extended = extended, .objective = &b.objective, .G = t->g};
    assert_ok(t->context, gpis_pass_run(t->context, t->A, &pass));
    const gpis_point point = gpis_pass_point(t->A, &pass, t->norms2);
    assert_ok(t->context, gpis_certificate_first(t->context, t->set, &point, &b.first));
    gpis_inner_begin(t->inner, x, t->g);
    assert_ok(t->context, gpis_inner_run(t->inner, effort, &done));
    assert_ok(t->context,
              gpis_certificate_second(t->context, t->set, &point, t->model, t->model->c, t->inner->s, &second));
    b.second = second.gap;
    return b;
}

/* The claim itself. Both sums and the reference are long double, so nothing is forgiven but how exactly the reference
 * can be a member. */
static void check_honest(const setting *t, bounds b, flavour what, const char *where) {
    const long double above = (long double)b.objective - t->lowest - t->lowest_noise;
    if (!(b.first >= above) || !(b.second >= above))
        fail_msg("%s, flavour %d, n %lld, d %lld, k %lld, %s: above by %.17Lg, first %.17g, second %.17g, c %g, slack "
                 "%g, noise %g",
                 gpis_set_spec(t->set), what, (long long)t->p->n, (long long)t->p->d, (long long)t->p->k, where, above,
                 b.first, b.second, t->model->c, t->model->slack, t->lowest_noise);
    if (gpis_set_is_bounded(t->set))
        assert_true(isfinite(b.first) && isfinite(b.second));
    else
        assert_true(b.first == INFINITY);
}

static void try_problem(gpis_context *context, const world *w, flavour what, const char *pattern, const char *R,
                        int64_t k, uint64_t seed) {
    const int64_t d = w->d, n = 3 + (int64_t)(seed % 29);
    problem p = problem_make(what, n, d, k, seed);
    gpis_set *set = problem_set(context, w, pattern, R, k);
    setting t;
    setting_begin(&t, context, &p, set, seed % 2 == 0);
    double *starts = new_vector(3 * d * k), *near = starts + 2 * d * k;
    fill_normal(starts, 2 * d * k, seed + 2, 1.0);
    for (int i = 0; i < 2; i++) {
        double *x = starts + i * d * k;
        assert_ok(context, gpis_set_project(set, x, x));
        offer(&t, x);
    }
    search_by_library(&t, "newton");
    search_plainly(&t, 60);
    check_honest(&t, bounds_at(&t, starts, 400), what, "random point");
    check_honest(&t, bounds_at(&t, starts + d * k, seed % 7), what, "random point, lazy inner problem");
    for (double off = 1e-2; off > 1e-9; off *= 1e-3) {
        for (int64_t i = 0; i < d * k; i++) near[i] = t.best[i] + off * starts[i];
        assert_ok(context, gpis_set_project(set, near, near));
        check_honest(&t, bounds_at(&t, near, 400), what, "near the best");
    }
    check_honest(&t, bounds_at(&t, t.best, 400), what, "the best");
    setting_end(&t);
    gpis_set_destroy(set);
    problem_clear(&p);
    free(starts);
}

static void never_below_the_truth(void **state) {
    (void)state;
    static const char *const radii[] = {"1.5", "0.3", "20", "0"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    uint64_t seed = 1000;
    static const int64_t sizes[] = {1, 2, 4, 6};
    for (int i = 0; i < 4; i++) {
        world w;
        world_begin(&w, sizes[i]);
        for (int what = 0; what < FLAVOURS; what++)
            for (int spec = 0; spec < SPEC_COUNT; spec++)
                for (int64_t k = 1; k <= 2; k++, seed += 3)
                    try_problem(context, &w, what, SPECS[spec], radii[seed % 4], k, seed);
        world_end(&w);
    }
    test_context_end(context, &memory);
}

/* On a well-conditioned problem the second-order bound is near the truth, at every distance from the answer, and finite
 * for every set. */
static void near_the_truth(void **state) {
    (void)state;
    enum { N = 200, D = 6 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    for (int spec = 0; spec < SPEC_COUNT; spec++)
        for (int64_t k = 1; k <= 2; k++) {
            problem p = problem_make(FINE, N, D, k, 77);
            gpis_set *set = problem_set(context, &w, SPECS[spec], "0.3", k);
            setting t;
            setting_begin(&t, context, &p, set, false);
            double away[2 * D], x[2 * D];
            fill_normal(away, D * k, 5, 1.0);
            assert_ok(context, gpis_set_project(set, away, away));
            offer(&t, away);
            search_by_library(&t, "newton");
            search_by_library(&t, "apgd");
            for (double step = 1.0; step > 1e-5; step *= 0.1) {
                for (int64_t i = 0; i < D * k; i++) x[i] = t.best[i] + step * (away[i] - t.best[i]);
                const double truth = (double)(problem_value(&p, x, NULL) - t.lowest);
                const bounds b = bounds_at(&t, x, 2000);
                check_honest(&t, b, FINE, "on a line to the best");
                if (!(b.second <= 3.0 * truth + 1e-12 * b.objective))
                    fail_msg("%s: second order %g, truth %g", gpis_set_spec(set), b.second, truth);
                if (gpis_set_is_bounded(set)) assert_true(b.first >= truth);
            }
            assert_true(bounds_at(&t, t.best, 2000).second <= 1e-11 * (double)t.lowest);
            setting_end(&t);
            gpis_set_destroy(set);
            problem_clear(&p);
        }
    world_end(&w);
    test_context_end(context, &memory);
}

/* y in the range of A: f* is 0, what is computed is rounding alone, and the bound knows how much that can be. */
static void exact_fit(void **state) {
    (void)state;
    enum { N = 50, D = 6 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    problem p = problem_make(EXACT_FIT, N, D, 1, 8);
    static const char *const specs[] = {"none", "nonneg", "l2:20", "box:-1,2"};
    for (int i = 0; i < 4; i++) {
        gpis_set *set = problem_set(context, &w, specs[i], "1", 1);
        setting t;
        setting_begin(&t, context, &p, set, false);
        search_by_library(&t, "newton");
        const bounds b = bounds_at(&t, t.best, 2001); /* in doubles: y itself is a fit up to their rounding only */
        assert_true(b.objective < 1e-26);
        if (!(b.second >= b.objective && b.second < 1e-12))
            fail_msg("%s: objective %g, bound %g", specs[i], b.objective, b.second);
        setting_end(&t);
        gpis_set_destroy(set);
    }
    problem_clear(&p);
    world_end(&w);
    test_context_end(context, &memory);
}

/* What cannot be proven is not: a duplicate column that nobody knows of, and a set without walls. A column of zeros
 * harms nobody. Once it is known, a duplicate does not either, where it can be known of l exactly. */
static void no_bound_where_there_is_none(void **state) {
    (void)state;
    static const struct {
        flavour what;
        const char *spec;
        bool finite, finite_when_known;
    } cases[] = {{DUPLICATE, "none", false, true},
                 {DUPLICATE, "nonneg", true, true},
                 {DUPLICATE, "monotone", false, true},
                 {DUPLICATE, "tv:1", false, true},
                 {DUPLICATE, "l1:1", true, true},
                 {NEARLY, "none", false, false},
                 {NEARLY, "nonneg", true, true},
                 {NEARLY, "monotone", false, false},
                 {ZERO, "none", true, true},
                 {ZERO, "nonneg", true, true},
                 {ZERO, "monotone", true, true},
                 {ZERO, "simplex:1", true, true},
                 {ZERO_AND_DUPLICATE, "none", false, true},
                 {ZERO_AND_DUPLICATE, "simplex:1", true, true}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 5);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const bool knows_null_vectors = i % 2;
        problem p = problem_make(cases[i / 2].what, 30, 5, 1, 3);
        gpis_set *set = problem_set(context, &w, cases[i / 2].spec, "1", 1);
        setting t;
        setting_begin(&t, context, &p, set, knows_null_vectors);
        double x[5] = {0.2, 0.2, 0.2, 0.2, 0.2};
        const bounds b = bounds_at(&t, x, 500);
        if ((isfinite(b.second) == 0) == (knows_null_vectors ? cases[i / 2].finite_when_known : cases[i / 2].finite))
            fail_msg("%s, flavour %d, %s: bound %g", cases[i / 2].spec, cases[i / 2].what,
                     knows_null_vectors ? "with null vectors" : "without null vectors", b.second);
        setting_end(&t);
        gpis_set_destroy(set);
        problem_clear(&p);
    }
    world_end(&w);
    test_context_end(context, &memory);
}

/* Columns that depend on each other and are known to: the bound at the best point is as near as anywhere. */
static void near_the_truth_with_null_vectors(void **state) {
    (void)state;
    static const flavour flavours[] = {DUPLICATE, ZERO, ZERO_AND_DUPLICATE};
    static const char *const specs[] = {"none",   "nonneg", "box:-1,inf", "box:-inf,0.3", "monotone",    "tv:0.5",
                                        "l1:0.3", "l2:0.3", "linf:0.1",   "simplex:0.5",  "nuclear:0.4", "group:0.3:1"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 6);
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (int f = 0; f < 3; f++)
            for (int64_t k = 1; k <= 2; k++) {
                problem p = problem_make(flavours[f], 90, 6, k, 11 + (uint64_t)s);
                gpis_set *set = problem_set(context, &w, specs[s], "1", k);
                setting t;
                setting_begin(&t, context, &p, set, true);
                search_by_library(&t, "newton");
                search_plainly(&t, 2000);
                const bounds b = bounds_at(&t, t.best, 4000);
                check_honest(&t, b, flavours[f], "the best");
                if (!(b.second <= 1e-9 * (double)t.lowest))
                    fail_msg("%s, flavour %d, k %d: %g of %g", specs[s], flavours[f], (int)k, b.second,
                             (double)t.lowest);
                setting_end(&t);
                gpis_set_destroy(set);
                problem_clear(&p);
            }
    world_end(&w);
    test_context_end(context, &memory);
}

/* A model that lies about the curvature by slack D^2 is believed only so far. */
static void slack_is_paid_for(void **state) {
    (void)state;
    enum { N = 30, D = 4 };
    static const char *const specs[] = {"l1:0.7", "l2:1", "simplex:1", "box:-1,2"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    for (int i = 0; i < 4; i++)
        for (double slack = 0.1; slack < 5.0; slack *= 3.0) {
            problem p = problem_make(FINE, N, D, 1, 21);
            gpis_set *set = problem_set(context, &w, specs[i], "1", 1);
            setting t;
            setting_begin(&t, context, &p, set, false);
            double x[D] = {0.7}, *H = gpis_alloc(context, D * D, sizeof *H);
            memcpy(H, t.model->H, D * D * sizeof *H);
            for (int j = 0; j < D; j++) H[j * D + j] *= 1.0 + slack;
            gpis_inner_destroy(t.inner);
            gpis_model_destroy(t.model);
            assert_ok(context, gpis_model_create(context, D, H, 100.0, &t.model));
            t.model->slack = slack;
            assert_ok(context, gpis_inner_create(context, set, t.model, NULL, &t.inner));
            assert_ok(context, gpis_set_project(set, x, x));
            offer(&t, x);
            search_by_library(&t, "newton");
            check_honest(&t, bounds_at(&t, x, 500), FINE, "a model with slack");
            setting_end(&t);
            gpis_set_destroy(set);
            problem_clear(&p);
        }
    world_end(&w);
    test_context_end(context, &memory);
}

/* A column so small that its squares vanish is no column of zeros: it can still carry y. */
static void column_whose_square_vanishes(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, 3);
    static const char *const specs[] = {"none", "nonneg"};
    for (int i = 0; i < 2; i++) {
        problem p = problem_make(FINE, 20, 3, 1, 4);
        for (int r = 0; r < 20; r++) {
            p.A[r * 3 + 1] *= 1e-170;
            p.Y[r] = 1e170 * p.A[r * 3 + 1];
        }
        gpis_set *set = problem_set(context, &w, specs[i], "1", 1);
        setting t;
        setting_begin(&t, context, &p, set, false);
        const double x[3] = {0}, fit[3] = {0.0, 1e170, 0.0};
        offer(&t, x);
        offer(&t, fit);
        assert_true(t.lowest < 1e-20L);
        t.lowest_noise = 0.0; /* it is a member exactly */
        check_honest(&t, bounds_at(&t, x, 500), FINE, "a vanishing column");
        setting_end(&t);
        gpis_set_destroy(set);
        problem_clear(&p);
    }
    world_end(&w);
    test_context_end(context, &memory);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library */
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_below_the_truth),
                                       cmocka_unit_test(near_the_truth),
                                       cmocka_unit_test(exact_fit),
                                       cmocka_unit_test(no_bound_where_there_is_none),
                                       cmocka_unit_test(near_the_truth_with_null_vectors),
                                       cmocka_unit_test(slack_is_paid_for),
                                       cmocka_unit_test(column_whose_square_vanishes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
