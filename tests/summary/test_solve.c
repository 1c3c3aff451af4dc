/*
 * Problems of a summary: the same answers as from the rows, for every set, with intercept, ridge, penalty and
 * standardised columns; no row is read; and no gap is smaller than the truth.
 */
#include "summary/summaries.h"

typedef struct question {
    const char *set;
    bool intercept, standardize;
    double ridge, penalty;
} question;

static const question questions[] = {
    {"none", false, false, 0.0, 0.0},         {"none", true, false, 0.0, 0.0},
    {"l1:0.7", false, false, 0.0, 0.0},       {"l1:0.7", true, true, 0.0, 0.0},
    {"nonneg", true, false, 3.0, 0.0},        {"simplex:1", false, false, 0.0, 0.0},
    {"l2:0.5", true, false, 2.0, 0.0},        {"none", true, true, 0.0, 50.0},
    {"box:-0.2,0.3", true, false, 1.0, 20.0}, {"monotone", true, false, 0.0, 0.0},
    {"group:0.8:3", true, false, 0.0, 0.0},   {"simplex:1 & box:,0.3", true, false, 0.0, 0.0},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static gpis_result *answer(gpis_context *context, gpis_problem *p, const table *t, const question *q, gpis_set **set) {
    gpis_settings settings = gpis_settings_default();
    gpis_result *result;
    settings.tol = 1e-9;
    assert_ok(context, gpis_problem_intercept(p, q->intercept));
    assert_ok(context, gpis_problem_standardize(p, q->standardize));
    assert_ok(context, gpis_problem_ridge(p, q->ridge));
    assert_ok(context, gpis_problem_penalty(p, q->penalty, NULL, t->d));
    assert_ok(context, test_set(context, q->set, t->d, t->k, set));
    assert_ok(context, gpis_problem_constrain(p, *set));
    assert_ok(context, gpis_solve(p, &settings, &result));
    return result;
}

static void compare(const question *q, const gpis_result *a, const gpis_result *b) {
    if (a->outcome != GPIS_SOLVED || b->outcome != GPIS_SOLVED)
        fail_msg("%s: %s and %s: %s", q->set, gpis_outcome_text(a->outcome), gpis_outcome_text(b->outcome), b->warning);
    assert_int_equal(b->gap_kind, GPIS_GAP_PROVEN);
    assert_int_equal(b->passes, 0);
    assert_int_equal(b->sweeps, 0);
    assert_true(a->sweeps > 0);
    assert_true(fabs(a->objective - b->objective) <= 1.001 * (a->gap + b->gap) + 1e-13 * a->objective);
    for (int64_t i = 0; i < a->d * a->k; i++) assert_close(a->x[i], b->x[i], 2e-4);
    for (int64_t c = 0; a->intercept && c < a->k; c++) assert_close(a->intercept[c], b->intercept[c], 2e-3);
}

static void check_all(table *t) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_summary *summary = summaries_make(context, t, 0, 0, t->n, false);
    for (int i = 0; i < QUESTIONS; i++) {
        gpis_set *set, *same;
        gpis_problem *without_rows;
        rows h = summaries_hold(context, t, 0, 0, t->n);
        gpis_problem *with_rows = summaries_pose(context, h.source, t, 0, t->n);
        assert_ok(context, gpis_problem_of_summary(context, summary, &without_rows));
        gpis_result *a = answer(context, with_rows, t, &questions[i], &set);
        gpis_result *b = answer(context, without_rows, t, &questions[i], &same);
        compare(&questions[i], a, b);
        gpis_result_destroy(a);
        gpis_result_destroy(b);
        gpis_problem_destroy(with_rows);
        gpis_problem_destroy(without_rows);
        gpis_set_destroy(set);
        gpis_set_destroy(same);
        summaries_release(&h);
    }
    gpis_summary_destroy(summary);
    test_context_end(context, &memory);
}

static void test_same_answers(void **state) {
    (void)state;
    for (int terms = 0; terms < 4; terms++) {
        table t = summaries_table(900, 9, 1 + terms / 2, 0.3);
        t.weighted = terms & 1;
        t.shifted = terms & 2;
        t.folds = terms == 3 ? 5 : 1;
        check_all(&t);
        summaries_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
