/* Sets of the caller's own: with and without a certificate, functions that fail or lie, threads, checkpoints. */
#include <omp.h>

#include "calls.h"
#include "certificate/problems.h"

enum { N = 80, D = 6 };
#define PATH "own_set.checkpoint"

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    problem p;
    gpis_source *A;
    gpis_settings settings;
    own_set own;
} fixture;

static void begin(fixture *t, int64_t k) {
    *t = (fixture){.own = {D, 0.3}};
    t->context = test_context(&t->memory);
    t->p = problem_make(FINE, N, D, k, 71);
    t->A = problem_source(t->context, &t->p);
    t->settings = gpis_settings_default();
}

static void end(fixture *t) {
    gpis_source_destroy(t->A);
    problem_clear(&t->p);
    test_context_end(t->context, &t->memory);
}

static gpis_set *make(fixture *t, const gpis_custom_set *functions) {
    gpis_set *set = NULL;
    assert_ok(t->context, gpis_set_custom(t->context, functions, D, t->p.k, &set));
    return set;
}

static gpis_result *solve(fixture *t, gpis_set *set) {
    gpis_result *r = NULL;
    assert_ok(t->context, test_solve(t->context, t->A, t->p.Y, t->p.k, set, &t->settings, &r));
    return r;
}

/* ---- with a support function ------------------------------------------------------------------------------------ */

static void ball_of_the_callers_is_l2(void **state) {
    (void)state;
    static const char *const methods[] = {"auto", "newton", "apgd", "gpis", "acc-gpis"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int64_t k = 1; k <= 2; k++) {
            fixture t;
            gpis_set *l2 = NULL;
            begin(&t, k);
            t.settings.method = methods[m];
            const gpis_custom_set functions = own_functions("ball", &t.own);
            gpis_set *set = make(&t, &functions);
            assert_string_equal(gpis_set_spec(set), "custom:ball");
            assert_ok(t.context, test_set(t.context, "l2:0.3", D, k, &l2));
            gpis_result *own = solve(&t, set), *known = solve(&t, l2), *checked = NULL;
            assert_true(own->outcome == GPIS_SOLVED && own->gap_kind != GPIS_GAP_NONE && own->warning[0] == '\0');
            assert_close(own->objective, known->objective, 2e-8 * known->objective);
            assert_ok(t.context, test_check(t.context, t.A, t.p.Y, k, set, known->x, &t.settings, &checked));
            assert_true(checked->outcome == GPIS_SOLVED && checked->gap_kind == GPIS_GAP_PROVEN);
            gpis_result_destroy(own);
            gpis_result_destroy(known);
            gpis_result_destroy(checked);
            gpis_set_destroy(set);
            gpis_set_destroy(l2);
            end(&t);
        }
}

/* X as a whole: the Frobenius ball, which couples the columns. */
static void functions_of_a_matrix(void **state) {
    (void)state;
    fixture t;
    begin(&t, 2);
    t.own.d = 2 * D; /* entries of X */
    gpis_custom_set functions = own_functions("ball", &t.own);
    functions.matrix = 1;
    gpis_set *set = make(&t, &functions);
    t.settings.tol = 1e-10;
    gpis_result *r = solve(&t, set);
    assert_int_equal(r->outcome, GPIS_SOLVED);
    assert_close(gpis_norm2(r->x, 2 * D), 0.3, 1e-9);
    /* on the sphere the gradient points to the centre, all columns with one multiplier */
    long double g[2 * D], gx = 0, gg = 0;
    problem_value(&t.p, r->x, g);
    for (int i = 0; i < 2 * D; i++) gx += g[i] * r->x[i], gg += g[i] * g[i];
    assert_close((double)(-gx / sqrtl(gg)), 0.3, 1e-7);
    assert_int_equal(gpis_set_responses(set, 3), GPIS_BAD_SHAPE);
    gpis_result_destroy(r);
    gpis_set_destroy(set);
    end(&t);
}

/* ---- without one ------------------------------------------------------------------------------------------------ */

static void assert_uncertified(const gpis_result *r) {
    assert_true(r->gap == INFINITY && r->gap_kind == GPIS_GAP_NONE && r->gap_delta == 0.0);
    if (!strstr(r->warning, "without a support function there is no certificate")) fail_msg("'%s'", r->warning);
}

static void projection_alone(void **state) {
    (void)state;
    static const struct {
        const char *method;
        int64_t max_passes;
    } ways[] = {{"auto", 0}, {"newton", 0}, {"gpis", 0}, {"acc-gpis", 0}, {"apgd", 300}, {"pgd", 300}};
    for (size_t m = 0; m < sizeof ways / sizeof *ways; m++) {
        fixture t;
        begin(&t, 1);
        gpis_custom_set functions = own_functions("cone", &t.own);
        gpis_set *whole = make(&t, &functions);
        functions.support = NULL;
        functions.recession = NULL;
        gpis_set *set = make(&t, &functions);
        gpis_result *best = solve(&t, whole), *checked = NULL;
        assert_true(best->outcome == GPIS_SOLVED && best->gap_kind == GPIS_GAP_PROVEN);
        t.settings.method = ways[m].method;
        t.settings.max_passes = ways[m].max_passes;
        gpis_result *r = solve(&t, set);
        assert_true(r->outcome == GPIS_STALLED || r->outcome == GPIS_MAX_PASSES);
        assert_uncertified(r);
        assert_true(r->feasibility <= 1e-12 && r->passes < 100 + ways[m].max_passes);
        assert_close(r->objective, best->objective, 1e-7 * best->objective);

        assert_ok(t.context, test_check(t.context, t.A, t.p.Y, 1, set, best->x, &t.settings, &checked));
        assert_uncertified(checked);
        assert_int_equal(checked->passes, 1); /* none is spent on a proof */
        assert_close(checked->objective, best->objective, 1e-12 * best->objective);
        gpis_plan *plan = NULL;
        assert_ok(t.context, test_plan(t.context, t.A, set, &t.settings, &plan));
        gpis_plan_destroy(plan);
        gpis_result_destroy(best);
        gpis_result_destroy(r);
        gpis_result_destroy(checked);
        gpis_set_destroy(set);
        gpis_set_destroy(whole);
        end(&t);
    }
}

/* What holds it has none either; and nothing would end the plain gradient methods. */
static void no_support_is_told_on(void **state) {
    (void)state;
    fixture t;
    begin(&t, 1);
    gpis_custom_set functions = own_functions("ball", &t.own);
    functions.support = NULL;
    gpis_set *set = make(&t, &functions), *turned = NULL, *small = NULL, *nonneg = NULL, *product = NULL;
    const int64_t first[] = {0, 1, 2}, rest[] = {3, 4, 5};
    const int64_t *columns[] = {first, rest};
    double v[D] = {1, 2, 3, 4, 5, 6}, value;
    assert_int_equal(gpis_set_support(set, v, &value), GPIS_NOT_APPLICABLE);
    assert_string_equal(gpis_last_error(t.context), "set custom:ball: it has no support function");
    assert_ok(t.context, gpis_set_dct(t.context, set, &turned));
    t.own.d = 3;
    assert_ok(t.context, gpis_set_custom(t.context, &functions, 3, 1, &small));
    assert_ok(t.context, gpis_set_nonneg(t.context, 3, &nonneg));
    assert_ok(t.context, gpis_set_blocks(t.context, D, 2, columns, (gpis_set *[]){small, nonneg}, &product));
    gpis_result *r = solve(&t, product);
    assert_uncertified(r);
    gpis_result_destroy(r);
    t.own.d = D;
    r = solve(&t, turned);
    assert_uncertified(r);
    gpis_result_destroy(r);
    t.settings.method = "apgd";
    assert_int_equal(test_solve(t.context, t.A, t.p.Y, 1, set, &t.settings, &r), GPIS_NOT_APPLICABLE);
    assert_non_null(strstr(gpis_last_error(t.context), "no support function, so no certificate ends the run"));
    gpis_set *all[] = {product, small, nonneg, turned, set};
    for (int i = 0; i < 5; i++) gpis_set_destroy(all[i]);
    end(&t);
}

/* ---- functions that fail or lie --------------------------------------------------------------------------------- */

/* The ball, until its projection has been called `good` times; then as `after` says. */
typedef struct liar {
    own_set own; /* first: the functions of the ball take it */
    int64_t good, calls;
    enum { RETURNS_7, WRITES_NAN, WRITES_INF, SHRINKS } after;
} liar;

static int lie(void *user, const double *v, double *x) {
    liar *l = user;
    own_ball_project(&l->own, v, x);
    if (l->calls++ < l->good) return 0;
    if (l->after == WRITES_NAN) x[2] = NAN;
    if (l->after == WRITES_INF) x[0] = -INFINITY;
    if (l->after == SHRINKS)
        for (int i = 0; i < D; i++) x[i] *= 0.999;
    return l->after == RETURNS_7 ? 7 : 0;
}

static int write_less(void *user, const double *v, double *x) {
    double all[D];
    own_ball_project(user, v, all);
    memcpy(x, all, (D - 1) * sizeof *x);
    return 0;
}

static const struct {
    int after;
    gpis_status status;
    const char *says;
} LIES[] = {
    {RETURNS_7, GPIS_BAD_DATA, "set custom:ball: its projection failed: the function for it returned 7"},
    {WRITES_NAN, GPIS_BAD_DATA, "set custom:ball: entry 3 of its projection is nan"},
    {WRITES_INF, GPIS_BAD_DATA, "set custom:ball: entry 1 of its projection is -inf"},
    {SHRINKS, GPIS_BAD_SET, "its projection moves a point that it has projected already, by 0.001 of its norm"}};
enum { LIES_COUNT = sizeof LIES / sizeof *LIES };

static void assert_says(const fixture *t, gpis_status got, gpis_status expected, const char *says) {
    const char *message = gpis_last_error(t->context);
    if (got != expected || !strstr(message, says) || strchr(message, '\n'))
        fail_msg("%s, '%s'; expected %s, '%s'", gpis_status_text(got), message, gpis_status_text(expected), says);
}

/* Noticed when the set is made, or in the middle of a solve, whatever the method. */
static void lies_are_noticed(void **state) {
    (void)state;
    static const char *const methods[] = {"newton", "apgd", "acc-gpis", "saga"};
    for (int i = 0; i < LIES_COUNT; i++) {
        fixture t;
        begin(&t, 1);
        liar l = {{D, 0.3}, 0, 0, LIES[i].after};
        gpis_custom_set functions = own_functions("ball", &l.own);
        functions.project = lie;
        gpis_set *set = NULL;
        assert_says(&t, gpis_set_custom(t.context, &functions, D, 1, &set), LIES[i].status, LIES[i].says);
        assert_null(set);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            gpis_result *r = NULL;
            l.calls = 0;
            l.good = INT64_MAX;
            set = make(&t, &functions);
            l.good = l.calls + 2;
            t.settings.method = methods[m];
            t.settings.max_passes = 200;
            assert_says(&t, test_solve(t.context, t.A, t.p.Y, 1, set, &t.settings, &r), LIES[i].status, LIES[i].says);
            assert_null(r);
            gpis_set_destroy(set);
            set = NULL;
        }
        end(&t);
    }
}

/* x = v scaled to ||x||_1 <= R: a member, and idempotent, but not the nearest. */
static int scale_to_l1(void *user, const double *v, double *x) {
    const own_set *own = user;
    const double norm = gpis_sum_abs(v, own->d);
    for (int64_t i = 0; i < own->d; i++) x[i] = norm > own->R ? v[i] / norm * own->R : v[i];
    return 0;
}

static int half_the_support(void *user, const double *g, double *value) {
    own_ball_support(user, g, value);
    *value *= 0.5;
    return 0;
}
static int twice_the_support(void *user, const double *g, double *value) {
    own_ball_support(user, g, value);
    *value *= 2;
    return 0;
}
static int support_nan(void *user, const double *g, double *value) {
    (void)user, (void)g;
    *value = NAN;
    return 0;
}
static int support_fails(void *user, const double *g, double *value) {
    (void)user, (void)g, (void)value;
    return -3;
}
static int whole_space(void *user, const double *v, double *x) {
    memcpy(x, v, (size_t)((own_set *)user)->d * sizeof *x);
    return 0;
}
static int half_of_it(void *user, const double *v, double *x) {
    for (int64_t i = 0; i < ((own_set *)user)->d; i++) x[i] = 0.5 * v[i] + (i == 0);
    return 0;
}

static void contradictions_are_noticed(void **state) {
    (void)state;
    fixture t;
    begin(&t, 1);
    const gpis_custom_set good = own_functions("ball", &t.own);
    gpis_set *set = NULL;
#define REFUSED(field, wrong, status, says)                                          \
    do {                                                                             \
        gpis_custom_set bad = good;                                                  \
        bad.field = (wrong);                                                         \
        assert_says(&t, gpis_set_custom(t.context, &bad, D, 1, &set), status, says); \
        assert_null(set);                                                            \
    } while (0)
    REFUSED(project, scale_to_l1, GPIS_BAD_SET, "its projection is not the nearest member: another member is nearer");
    REFUSED(project, write_less, GPIS_BAD_DATA, "entry 6 of its projection is nan");
    REFUSED(support, half_the_support, GPIS_BAD_SET, "where a member s has <g, s> = ");
    REFUSED(support, twice_the_support, GPIS_BAD_SET, "more than its radius 0.3 times ||g||");
    REFUSED(support, support_nan, GPIS_BAD_DATA, "its support function is nan");
    REFUSED(support, support_fails, GPIS_BAD_DATA, "its support function failed: the function for it returned -3");
    REFUSED(radius, 0.29, GPIS_BAD_SET, "radius 0.29");
    REFUSED(recession, whole_space, GPIS_BAD_SET, "a member moved along its recession cone is not a member any more");
    REFUSED(recession, half_of_it, GPIS_BAD_SET, "are not orthogonal");
    REFUSED(radius, -1.0, GPIS_BAD_SET, "the radius must be finite and >= 0, not -1");
    REFUSED(radius, NAN, GPIS_BAD_SET, "the radius must be finite and >= 0, not nan");
    REFUSED(radius, INFINITY, GPIS_BAD_SET, "the radius must be finite and >= 0, not inf");
    REFUSED(project, NULL, GPIS_BAD_ARGUMENT, "set custom:ball: it needs a projection");
    REFUSED(name, NULL, GPIS_BAD_ARGUMENT, "needs a name of one line");
    REFUSED(name, "", GPIS_BAD_ARGUMENT, "needs a name of one line");
    REFUSED(name, "two\nlines", GPIS_BAD_ARGUMENT, "needs a name of one line");
#undef REFUSED
    assert_says(&t, gpis_set_custom(t.context, NULL, D, 1, &set), GPIS_BAD_ARGUMENT, "needs a name");
    assert_says(&t, gpis_set_custom(t.context, &good, 0, 1, &set), GPIS_BAD_SHAPE, "empty");
    assert_says(&t, gpis_set_custom(t.context, &good, D, 1, NULL), GPIS_BAD_ARGUMENT,
                "the pointer for the new set is NULL");
    assert_int_equal(gpis_set_custom(NULL, &good, D, 1, &set), GPIS_BAD_ARGUMENT);
    end(&t);
}

/* ---- threads, memory, checkpoints ------------------------------------------------------------------------------- */

typedef struct witness {
    own_set own; /* first */
    bool alone;
} witness;

static int watched(void *user, const double *v, double *x) {
    witness *w = user;
    w->alone = w->alone && !omp_in_parallel();
    return own_ball_project(&w->own, v, x);
}

static void one_thread_calls(void **state) {
    (void)state;
    double first[D];
    for (int threads = 1; threads <= 3; threads++) {
        fixture t;
        begin(&t, 1);
        assert_ok(t.context, gpis_context_set_threads(t.context, threads));
        witness w = {{D, 0.3}, true};
        gpis_custom_set functions = own_functions("ball", &w.own);
        functions.project = watched;
        gpis_set *set = make(&t, &functions);
        gpis_result *r = solve(&t, set);
        assert_true(w.alone);
        if (threads == 1) memcpy(first, r->x, sizeof first);
        assert_memory_equal(first, r->x, sizeof first);
        gpis_result_destroy(r);
        gpis_set_destroy(set);
        end(&t);
    }
}

static gpis_status solve_within(gpis_context *context, void *user) {
    fixture *t = user;
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_result *r = NULL;
    const gpis_custom_set functions = own_functions("ball", &t->own);
    gpis_status status = gpis_source_dense(context, t->p.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &A);
    if (status == GPIS_OK) status = gpis_set_custom(context, &functions, D, 1, &set);
    if (status == GPIS_OK) status = test_solve(context, A, t->p.Y, 1, set, &t->settings, &r);
    gpis_result_destroy(r);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return status;
}

static void failing_allocations(void **state) {
    (void)state;
    fixture t;
    begin(&t, 1);
    assert_true(test_every_allocation(solve_within, &t) > 20);
    end(&t);
}

/* A checkpoint knows the set by its name, and by where it projects. */
static void checkpoints_know_the_name(void **state) {
    (void)state;
    fixture t;
    begin(&t, 1);
    unlink(PATH);
    gpis_custom_set functions = own_functions("ball", &t.own);
    gpis_set *set = make(&t, &functions);
    t.settings.checkpoint = PATH;
    gpis_result *whole = solve(&t, set), *r = NULL;
    t.settings.resume = 1;
    r = solve(&t, set);
    assert_true(r->resumed_passes == whole->passes && r->passes == whole->passes);
    assert_memory_equal(r->x, whole->x, D * sizeof(double));
    gpis_result_destroy(r);
    gpis_set_destroy(set);

    functions.name = "another ball";
    set = make(&t, &functions);
    assert_says(&t, test_solve(t.context, t.A, t.p.Y, 1, set, &t.settings, &r), GPIS_BAD_ARGUMENT,
                "custom:ball, not custom:another ball");
    gpis_set_destroy(set);
    functions.name = "ball";
    t.own.R = 0.2;
    functions.radius = 0.2;
    set = make(&t, &functions);
    assert_says(&t, test_solve(t.context, t.A, t.p.Y, 1, set, &t.settings, &r), GPIS_BAD_ARGUMENT, "another content");
    gpis_set_destroy(set);
    gpis_result_destroy(whole);
    unlink(PATH);
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_of_the_callers_is_l2), cmocka_unit_test(functions_of_a_matrix),
        cmocka_unit_test(projection_alone),          cmocka_unit_test(no_support_is_told_on),
        cmocka_unit_test(lies_are_noticed),          cmocka_unit_test(contradictions_are_noticed),
        cmocka_unit_test(one_thread_calls),          cmocka_unit_test(failing_allocations),
        cmocka_unit_test(checkpoints_know_the_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
