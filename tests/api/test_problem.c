/* gpis_problem and what is made with it: its terms, their lengths, their order; and structs of other versions. */
#include "calls.h"

enum { N = 5, D = 2 };
static const double ROWS[N][D] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 1}}, Y[N * 2] = {1, -2, 3, 1, 0, 2, 2, 1, 0, 1};

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    gpis_source *A;
    gpis_problem *problem;
} fixture;

static void begin(fixture *t) {
    t->context = test_context(&t->memory);
    assert_ok(t->context, gpis_source_dense(t->context, ROWS, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &t->A));
    assert_ok(t->context, gpis_problem_create(t->context, t->A, &t->problem));
}

static void end(fixture *t) {
    gpis_problem_destroy(t->problem);
    gpis_source_destroy(t->A);
    test_context_end(t->context, &t->memory);
}

static void assert_says(const fixture *t, gpis_status status, gpis_status wanted, const char *words) {
    if (status != wanted || !strstr(gpis_last_error(t->context), words))
        fail_msg("%s, '%s', is not %s, '%s'", gpis_status_text(status), gpis_last_error(t->context),
                 gpis_status_text(wanted), words);
}

static gpis_result *solve(const fixture *t, const gpis_settings *settings) {
    gpis_result *result = NULL;
    assert_ok(t->context, gpis_solve(t->problem, settings, &result));
    assert_non_null(result);
    return result;
}

/* y has the length that it is said to have, or there is no problem to solve. */
static void a_response_has_its_length(void **state) {
    (void)state;
    fixture t;
    begin(&t);
    gpis_result *result = NULL;
    assert_says(&t, gpis_solve(t.problem, NULL, &result), GPIS_BAD_ARGUMENT, "has no y");
    assert_says(&t, gpis_problem_response(t.problem, Y, N - 1, 1), GPIS_BAD_SHAPE, "y has 4 rows and A has 5;");
    assert_says(&t, gpis_problem_response(t.problem, Y, N + 1, 1), GPIS_BAD_SHAPE, "y has 6 rows and A has 5;");
    assert_says(&t, gpis_problem_response(t.problem, Y, N, 0), GPIS_BAD_SHAPE, "no columns");
    assert_says(&t, gpis_problem_response(t.problem, Y, N, -1), GPIS_BAD_SHAPE, "no columns");
    assert_says(&t, gpis_problem_response(t.problem, Y, N, INT64_MAX), GPIS_TOO_LARGE, "too large");
    assert_says(&t, gpis_problem_response(t.problem, NULL, N, 1), GPIS_BAD_ARGUMENT, "NULL");
    assert_ok(t.context, gpis_problem_response(t.problem, Y, N, 1));
    gpis_result_destroy(solve(&t, NULL));
    /* one that is refused does not leave the one before in its place */
    assert_int_equal(gpis_problem_response(t.problem, Y, N - 1, 2), GPIS_BAD_SHAPE);
    assert_says(&t, gpis_solve(t.problem, NULL, &result), GPIS_BAD_ARGUMENT, "has no y");
    assert_null(result);
    /* nor is a plan made as if none had been given */
    gpis_plan *plan = NULL;
    assert_says(&t, gpis_plan_make(t.problem, NULL, &plan), GPIS_BAD_ARGUMENT, "did not fit");
    assert_null(plan);
    end(&t);
}

static void x_has_its_length(void **state) {
    (void)state;
    fixture t;
    begin(&t);
    const double x[2 * D] = {0.5, 0.25, 1, 1};
    double f, G[D], AAV[D];
    gpis_settings settings = gpis_settings_default();
    gpis_result *result = NULL;
    assert_ok(t.context, gpis_problem_response(t.problem, Y, N, 1));
    for (int64_t entries = 0; entries <= 2 * D; entries++) {
        const gpis_status wanted = entries == D ? GPIS_OK : GPIS_BAD_SHAPE;
        assert_int_equal(gpis_evaluate(t.problem, x, entries, &f, G), wanted);
        assert_int_equal(gpis_evaluate_with(t.problem, x, entries, &f, G, x, 1, AAV), wanted);
        assert_int_equal(gpis_check(t.problem, x, entries, NULL, &result), wanted);
        assert_int_equal(result != NULL, wanted == GPIS_OK);
        gpis_result_destroy(result);
        settings.x0 = x;
        settings.x0_entries = entries;
        assert_int_equal(gpis_solve(t.problem, &settings, &result), wanted);
        if (wanted != GPIS_OK) assert_says(&t, wanted, GPIS_BAD_SHAPE, "entries and needs 2 x 1");
        gpis_result_destroy(result);
    }
    end(&t);
}

/* The terms come in any order and any number of times; what counts is what was given last. */
static void terms_in_any_order(void **state) {
    (void)state;
    fixture t;
    begin(&t);
    gpis_set *sets[2], *wide = NULL;
    for (int k = 0; k < 2; k++) {
        assert_ok(t.context, gpis_set_nonneg(t.context, D, &sets[k]));
        assert_ok(t.context, gpis_set_responses(sets[k], k + 1));
    }
    assert_ok(t.context, gpis_set_nonneg(t.context, D + 1, &wide));
    gpis_result *first = NULL, *result = NULL;
    assert_ok(t.context, gpis_problem_constrain(t.problem, sets[0]));
    assert_ok(t.context, gpis_problem_response(t.problem, Y, N, 1));
    first = solve(&t, NULL);
    assert_true(first->d == D && first->k == 1 && first->x[0] >= 0.0 && first->x[1] >= 0.0);
    assert_ok(t.context, gpis_problem_response(t.problem, Y, N, 2));
    assert_says(&t, gpis_solve(t.problem, NULL, &result), GPIS_BAD_SHAPE,
                "the set is for 2 x 1 coefficients, the data for 2 x 2");
    assert_ok(t.context, gpis_problem_constrain(t.problem, sets[1]));
    result = solve(&t, NULL);
    assert_true(result->d == D && result->k == 2);
    gpis_result_destroy(result);
    assert_ok(t.context, gpis_problem_response(t.problem, Y, N, 1));
    assert_ok(t.context, gpis_problem_constrain(t.problem, sets[0]));
    result = solve(&t, NULL);
    assert_memory_equal(result->x, first->x, D * sizeof(double));
    gpis_result_destroy(result);
    /* a set that does not fit is not taken for none */
    assert_says(&t, gpis_problem_constrain(t.problem, wide), GPIS_BAD_SHAPE, "the set is for 3 x 1 coefficients");
    assert_int_equal(gpis_solve(t.problem, NULL, &result), GPIS_BAD_SHAPE);
    assert_ok(t.context, gpis_problem_constrain(t.problem, sets[0]));
    gpis_result_destroy(solve(&t, NULL));
    gpis_result_destroy(first);
    gpis_set_destroy(sets[0]);
    gpis_set_destroy(sets[1]);
    gpis_set_destroy(wide);
    end(&t);
}

/* Without a set it is `none`, for any number of responses; without settings it is the defaults. */
static void what_is_left_out(void **state) {
    (void)state;
    fixture t;
    begin(&t);
    const gpis_settings settings = gpis_settings_default();
    for (int64_t k = 1; k <= 2; k++) {
        gpis_set *none = NULL;
        gpis_plan *plan = NULL;
        assert_ok(t.context, test_set(t.context, "none", D, k, &none));
        assert_ok(t.context, gpis_problem_response(t.problem, Y, N, k));
        gpis_result *bare = solve(&t, NULL);
        assert_ok(t.context, gpis_problem_constrain(t.problem, none));
        gpis_result *named = solve(&t, &settings);
        assert_memory_equal(bare->x, named->x, (size_t)(D * k) * sizeof(double));
        assert_true(bare->gap == named->gap && bare->passes == named->passes);
        assert_string_equal(bare->plan, named->plan);
        assert_ok(t.context, gpis_plan_make(t.problem, NULL, &plan));
        assert_string_equal(plan->text, bare->plan);
        assert_ok(t.context, gpis_problem_constrain(t.problem, NULL));
        gpis_plan_destroy(plan);
        gpis_result_destroy(bare);
        gpis_result_destroy(named);
        gpis_set_destroy(none);
    }
    end(&t);
}

static void a_plan_is_whole(void **state) {
    (void)state;
    fixture t;
    begin(&t);
    gpis_plan *plan = NULL;
    assert_ok(t.context, gpis_plan_make(t.problem, NULL, &plan)); /* no y: one response */
    int chosen = 0;
    for (int64_t i = 0; i < plan->count; i++) {
        const gpis_plan_candidate *c = plan->candidates[i];
        assert_true(c->method && c->sketch && c->reason);
        assert_int_equal(c->chosen, c == plan->chosen);
        chosen += c->chosen;
    }
    assert_int_equal(chosen, 1);
    assert_string_equal(plan->chosen->reason, "");
    gpis_plan_destroy(plan);
    end(&t);
}

/* ---- structs of other versions
 * ---------------------------------------------------------------------------------------- */

/* gpis_settings as a program might have it that was compiled when `sketch` was the last field. */
typedef struct older_settings {
    size_t size;
    const char *method;
    double tol;
    int64_t max_passes;
    double time_limit;
    gpis_certificate certificate;
    int threads;
    double delta;
    uint64_t seed;
    const double *x0;
    int64_t x0_entries;
    double gamma_u, gamma_d, fixed_step;
    gpis_restart restart;
    int gpcs;
    const char *sketch;
} older_settings;

/* And as one might have it that is compiled years from now. */
typedef struct newer_settings {
    gpis_settings known;
    double unknown[4];
} newer_settings;

static void older_and_newer_settings(void **state) {
    (void)state;
    fixture t;
    begin(&t);
    assert_ok(t.context, gpis_problem_response(t.problem, Y, N, 1));
    struct {
        older_settings settings;
        unsigned char after[256]; /* nobody may look here, or write */
    } old;
    memset(&old, 0xEE, sizeof old);
    assert_int_equal(gpis_settings_init((gpis_settings *)&old.settings, sizeof old.settings), GPIS_OK);
    assert_true(old.settings.size == sizeof old.settings && old.settings.tol == 1e-8);
    old.settings.method = "apgd";
    old.settings.max_passes = 1;
    assert_int_equal(gpis_settings_set((gpis_settings *)&old.settings, "tol", "1e-3"), GPIS_OK);
    assert_int_equal(gpis_settings_set((gpis_settings *)&old.settings, "checkpoint", "c"), GPIS_BAD_ARGUMENT);
    for (size_t i = 0; i < sizeof old.after; i++) assert_int_equal(old.after[i], 0xEE);
    gpis_result *result = solve(&t, (const gpis_settings *)&old.settings);
    assert_string_equal(result->method, "apgd");
    assert_int_equal(result->passes, 1);
    gpis_result_destroy(result);

    newer_settings new;
    memset(&new, 0xEE, sizeof new);
    assert_int_equal(gpis_settings_init(&new.known, sizeof new), GPIS_OK);
    for (int i = 0; i < 4; i++) assert_true(new.unknown[i] == 0.0);
    new.known.method = "pgd";
    result = solve(&t, &new.known);
    assert_string_equal(result->method, "pgd");
    gpis_result_destroy(result);
    new.unknown[3] = 1.0;
    assert_says(&t, gpis_solve(t.problem, &new.known, &result), GPIS_BAD_ARGUMENT, "does not know");
    end(&t);
}

/* Structs that the library fills: a part of a smaller one, and zeros behind what it knows of a larger one. */
static void older_and_newer_descriptions(void **state) {
    (void)state;
    static const size_t impossible[] = {0, 1, 12, 4104, SIZE_MAX - 7};
    fixture t;
    begin(&t);
    gpis_summary *summary = NULL;
    assert_ok(t.context, gpis_problem_response(t.problem, Y, N, 1));
    assert_ok(t.context, gpis_summary_make(t.problem, NULL, &summary));
    struct {
        gpis_summary_info known;
        double unknown[4];
    } new;
    memset(&new, 0xEE, sizeof new);
    new.known.size = sizeof new;
    assert_int_equal(gpis_summary_describe(summary, &new.known), GPIS_OK);
    assert_true(new.known.size == sizeof new &&new.known.rows == N &&new.known.columns == D);
    for (int i = 0; i < 4; i++) assert_true(new.unknown[i] == 0.0);
    gpis_summary_info old;
    memset(&old, 0xEE, sizeof old);
    old.size = offsetof(gpis_summary_info, columns);
    assert_int_equal(gpis_summary_describe(summary, &old), GPIS_OK);
    assert_true(old.size == offsetof(gpis_summary_info, columns) && old.rows == N);
    for (size_t i = old.size; i < sizeof old; i++) assert_int_equal(((const unsigned char *)&old)[i], 0xEE);
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        old.size = impossible[i];
        assert_int_equal(gpis_summary_describe(summary, &old), GPIS_BAD_ARGUMENT);
    }
    gpis_summary_destroy(summary);
    end(&t);
}

static void sizes_that_cannot_be(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 7, 12, sizeof(gpis_settings) + 1, 4104, SIZE_MAX, SIZE_MAX - 7};
    fixture t;
    begin(&t);
    assert_ok(t.context, gpis_problem_response(t.problem, Y, N, 1));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        gpis_settings settings = gpis_settings_default();
        gpis_open_options options = gpis_open_options_default();
        gpis_machine machine = gpis_machine_default();
        gpis_bounds_problem bounds = gpis_bounds_default();
        gpis_bounds out;
        gpis_result *result = NULL;
        gpis_plan *plan = NULL;
        gpis_source *source = NULL;
        gpis_array array;
        assert_int_equal(gpis_settings_init(&settings, sizes[i]), GPIS_BAD_ARGUMENT);
        assert_int_equal(gpis_open_options_init(&options, sizes[i]), GPIS_BAD_ARGUMENT);
        assert_int_equal(gpis_machine_init(&machine, sizes[i]), GPIS_BAD_ARGUMENT);
        assert_int_equal(gpis_bounds_init(&bounds, sizes[i]), GPIS_BAD_ARGUMENT);
        settings.machine = &machine;
        machine.size = sizes[i];
        assert_says(&t, gpis_solve(t.problem, &settings, &result), GPIS_BAD_ARGUMENT, "gpis_machine_init");
        assert_says(&t, gpis_machine_measure(t.context, &machine), GPIS_BAD_ARGUMENT, "gpis_machine_init");
        settings.size = options.size = bounds.size = sizes[i];
        assert_says(&t, gpis_solve(t.problem, &settings, &result), GPIS_BAD_ARGUMENT, "gpis_settings_init");
        assert_says(&t, gpis_plan_make(t.problem, &settings, &plan), GPIS_BAD_ARGUMENT, "gpis_settings_init");
        assert_says(&t, gpis_check(t.problem, Y, D, &settings, &result), GPIS_BAD_ARGUMENT, "gpis_settings_init");
        assert_says(&t, gpis_source_open_with(t.context, "A.npy", &options, &source), GPIS_BAD_ARGUMENT,
                    "gpis_open_options_init");
        assert_says(&t, gpis_array_read_with(t.context, "y.npy", &options, &array), GPIS_BAD_ARGUMENT,
                    "gpis_open_options_init");
        assert_says(&t, gpis_bounds_compute(t.context, &bounds, &out), GPIS_BAD_ARGUMENT, "gpis_bounds_init");
    }
    end(&t);
}

/* Threads and memory of the settings hold for one call. */
static void a_call_leaves_the_context_alone(void **state) {
    (void)state;
    fixture t;
    begin(&t);
    gpis_settings settings = gpis_settings_default();
    gpis_result *result = NULL;
    assert_ok(t.context, gpis_problem_response(t.problem, Y, N, 1));
    assert_ok(t.context, gpis_context_set_threads(t.context, 2));
    settings.threads = 1;
    settings.memory = 1 << 20;
    gpis_result_destroy(solve(&t, &settings));
    assert_int_equal(gpis_context_threads(t.context), 2);
    settings.memory = 1;
    assert_int_equal(gpis_solve(t.problem, &settings, &result), GPIS_NO_MEMORY);
    assert_non_null(strstr(gpis_last_error(t.context), "option memory"));
    settings.threads = -1;
    assert_says(&t, gpis_solve(t.problem, &settings, &result), GPIS_BAD_ARGUMENT, "threads");
    assert_int_equal(gpis_context_threads(t.context), 2);
    assert_int_equal(t.context->limit, 0);
    gpis_result_destroy(solve(&t, NULL));
    end(&t);
}

static gpis_status everything(gpis_context *context, void *user) {
    (void)user;
    gpis_source *A = NULL;
    gpis_problem *problem = NULL;
    gpis_plan *plan = NULL;
    gpis_result *result = NULL;
    gpis_status status = gpis_source_dense(context, ROWS, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &A);
    if (status == GPIS_OK) status = gpis_problem_create(context, A, &problem);
    if (status == GPIS_OK) status = gpis_problem_response(problem, Y, N, 1);
    if (status == GPIS_OK) status = gpis_plan_make(problem, NULL, &plan);
    if (status == GPIS_OK) status = gpis_solve(problem, NULL, &result);
    gpis_result_destroy(result);
    gpis_plan_destroy(plan);
    gpis_problem_destroy(problem);
    gpis_source_destroy(A);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    assert_true(test_every_allocation(everything, NULL) > 5);
}

static void a_set_of_another_context(void **state) {
    (void)state;
    fixture t, other;
    gpis_set *set;
    gpis_result *result = NULL;
    begin(&t);
    begin(&other);
    assert_ok(other.context, gpis_set_nonneg(other.context, D, &set));
    assert_ok(t.context, gpis_problem_response(t.problem, Y, N, 1));
    assert_says(&t, gpis_problem_constrain(t.problem, set), GPIS_BAD_ARGUMENT, "another context");
    assert_int_equal(gpis_solve(t.problem, NULL, &result), GPIS_BAD_SHAPE); /* it is not solved without its set */
    assert_null(result);
    gpis_set_destroy(set);
    end(&other);
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_response_has_its_length),
                                       cmocka_unit_test(x_has_its_length),
                                       cmocka_unit_test(terms_in_any_order),
                                       cmocka_unit_test(what_is_left_out),
                                       cmocka_unit_test(a_plan_is_whole),
                                       cmocka_unit_test(older_and_newer_settings),
                                       cmocka_unit_test(older_and_newer_descriptions),
                                       cmocka_unit_test(sizes_that_cannot_be),
                                       cmocka_unit_test(a_call_leaves_the_context_alone),
                                       cmocka_unit_test(a_set_of_another_context),
                                       cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
