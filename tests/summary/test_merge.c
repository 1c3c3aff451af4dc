/*
 * Summaries of parts: merged, they are that of the whole up to what both bounds allow, in any order and cut, with
 * drawn folds that do not depend on the cut; what does not fit is refused, with what differs. Failing allocations.
 */
#include "summary/summaries.h"

/* The entries of two summaries of the same rows are within both bounds of each other. */
static void check_alike(const gpis_quadratic *a, const gpis_quadratic *b) {
    const int64_t p = a->d + a->k;
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = 0; j < p; j++) {
            const gpis_dd x = gpis_quadratic_entry(a, i, j), y = gpis_quadratic_entry(b, i, j);
            const double size = sqrt(gpis_quadratic_entry(a, i, i).high * gpis_quadratic_entry(a, j, j).high);
            assert_true(fabs((x.high - y.high) + (x.low - y.low)) <= (a->gamma + b->gamma) * size);
        }
}

static void test_parts(void **state) {
    (void)state;
    enum { PARTS = 100 };
    table t = summaries_table(20000, 6, 2, 0.2);
    test_memory memory;
    gpis_context *context = test_context(&memory);
    t.weighted = t.shifted = true;
    t.folds = 4;
    gpis_summary *whole = summaries_make(context, &t, 0, 0, t.n, false), *parts[PARTS], *merged;
    for (int64_t i = 0, row = 0; i < PARTS; i++) { /* of different lengths */
        const int64_t end = i + 1 == PARTS ? t.n : (i + 1) * (i + 1) * t.n / (PARTS * PARTS);
        parts[i] = summaries_make(context, &t, (int)(i % 3), row, end - row > 0 ? end - row : 1, false);
        row += end - row > 0 ? end - row : 1;
    }
    assert_ok(context, gpis_summary_merge(context, (const gpis_summary *const *)parts, PARTS, &merged));
    for (int64_t f = 0; f < t.folds; f++) {
        check_alike(whole->fold[f], merged->fold[f]);
        assert_int_equal(gpis_summary_fold_rows(whole, f), gpis_summary_fold_rows(merged, f));
    }
    check_alike(whole->whole, merged->whole);
    assert_true(merged->whole->gamma <= 1.1 * whole->whole->gamma + 60.0 * 0x1p-53);
    assert_true(merged->whole->response_error <= 1.001 * whole->whole->response_error);
    assert_true(merged->whole->response_error >= 0.999 * whole->whole->response_error);
    for (int i = 0; i < PARTS; i++) gpis_summary_destroy(parts[i]);
    gpis_summary_destroy(merged);
    gpis_summary_destroy(whole);
    test_context_end(context, &memory);
    summaries_free(&t);
}

/* ---- refusals ---- */

static void check_refused(gpis_context *context, const gpis_summary *a, const gpis_summary *b, const char *why) {
    const gpis_summary *both[] = {a, b};
    gpis_summary *merged;
    assert_int_equal(gpis_summary_merge(context, both, 2, &merged), GPIS_BAD_SHAPE);
    assert_null(merged);
    if (!strstr(gpis_last_error(context), why)) fail_msg("'%s' does not say '%s'", gpis_last_error(context), why);
}

static gpis_summary *plain(gpis_context *context, int64_t d, int64_t k, int64_t folds, bool weighted, bool given) {
    table t = summaries_table(300, d, k, 0.2);
    t.folds = folds;
    t.weighted = weighted;
    gpis_summary *s = summaries_make(context, &t, 0, 0, t.n, given);
    summaries_free(&t);
    return s;
}

static void test_refused(void **state) {
    (void)state;
    static const char *const names[] = {"y1"}, *const others[] = {"y2"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_summary *s[] = {plain(context, 5, 1, 1, false, false), plain(context, 6, 1, 1, false, false),
                         plain(context, 5, 2, 1, false, false), plain(context, 5, 1, 5, false, false),
                         plain(context, 5, 1, 1, true, false),  plain(context, 5, 1, 5, false, true),
                         plain(context, 5, 1, 1, false, false)};
    check_refused(context, s[0], s[1], "5 columns and the other 6");
    check_refused(context, s[0], s[2], "1 responses and the other 2");
    check_refused(context, s[0], s[3], "one has 5 folds and the other none");
    check_refused(context, s[0], s[4], "weights");
    check_refused(context, s[3], s[5], "drawn");
    s[5]->given_folds = false;
    s[5]->seed = 7;
    check_refused(context, s[3], s[5], "seeds 42 and 7");
    assert_ok(context, gpis_summary_name_responses(s[0], names));
    assert_ok(context, gpis_summary_name_responses(s[6], others));
    check_refused(context, s[0], s[6], "response 1");
    s[1]->offset = s[1]->offset ? false : true;
    check_refused(context, s[1], s[0], "columns");
    gpis_summary *merged;
    assert_int_equal(gpis_summary_merge(context, NULL, 0, &merged), GPIS_BAD_ARGUMENT);
    for (size_t i = 0; i < sizeof s / sizeof *s; i++) gpis_summary_destroy(s[i]);
    test_context_end(context, &memory);
}

/* ---- failing allocations ---- */

static gpis_status make_and_merge(gpis_context *context, void *user) {
    table *t = user;
    gpis_source *source = NULL;
    gpis_problem *problem = NULL, *of = NULL;
    gpis_summary *s[2] = {NULL, NULL}, *merged = NULL;
    gpis_result *result = NULL;
    gpis_summary_options options = gpis_summary_options_default();
    static const char *const names[] = {"sales"};
    options.folds = 3;
    options.responses = names;
    gpis_status status = gpis_source_dense(context, t->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, t->n, t->d, t->d, &source);
    if (status == GPIS_OK) status = gpis_problem_create(context, source, &problem);
    if (status == GPIS_OK) status = gpis_problem_response(problem, t->Y, t->n, 1);
    if (status == GPIS_OK) status = gpis_problem_offset(problem, t->offset, t->n, 1);
    for (int i = 0; i < 2; i++)
        if (status == GPIS_OK) status = gpis_summary_make(problem, &options, &s[i]);
    if (status == GPIS_OK) status = gpis_summary_merge(context, (const gpis_summary *const *)s, 2, &merged);
    if (status == GPIS_OK) status = gpis_problem_of_summary(context, merged, &of);
    if (status == GPIS_OK) status = gpis_problem_standardize(of, 1);
    if (status == GPIS_OK) status = gpis_problem_ridge(of, 1.0);
    if (status == GPIS_OK) status = gpis_solve(of, NULL, &result);
    if (status == GPIS_OK) assert_int_equal(result->outcome, GPIS_SOLVED);
    gpis_result_destroy(result);
    gpis_problem_destroy(of);
    gpis_problem_destroy(problem);
    gpis_summary_destroy(merged);
    for (int i = 0; i < 2; i++) gpis_summary_destroy(s[i]);
    gpis_source_destroy(source);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    table t = summaries_table(50, 3, 1, 0.2);
    assert_true(test_every_allocation(make_and_merge, &t) > 20);
    summaries_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
