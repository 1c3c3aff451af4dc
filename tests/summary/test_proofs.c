/*
 * No false proof: answers from summaries of hard data, against objectives in quadruple precision at the best point that
 * is known. Columns nearly depend on each other, have different sizes and large means, and the fit is nearly exact.
 */
#include "summary/summaries.h"

/* The objective of x, with intercept b, from the rows. */
static quad objective_of(const table *t, const double *x, double b) {
    quad sum = 0;
    for (int64_t i = 0; i < t->n; i++) {
        quad r = (quad)t->Y[i] - b;
        for (int64_t j = 0; j < t->d; j++) r -= (quad)t->A[i * t->d + j] * x[j];
        sum += (t->weighted ? (quad)t->weights[i] : 1) * r * r;
    }
    return sum;
}

/* Columns that are sums of others up to `apart`, of sizes up to 1e3 apart, with means of `mean`. */
static table hard_table(int64_t n, int64_t d, double apart, double mean, double noise, bool weighted) {
    table t = summaries_table(n, d, 1, noise);
    t.weighted = weighted;
    for (int64_t i = 0; i < n; i++) {
        double y = 1.0 + noise * summaries_draw(5, i);
        double *row = t.A + i * d;
        for (int64_t j = 0; j < d; j++) row[j] = pow(10.0, (double)(j % 4)) * summaries_draw(4, i * d + j) + mean;
        row[d - 1] = row[0] + row[1] + apart * summaries_draw(6, i);
        for (int64_t j = 0; j < d; j++) y += row[j] * (j % 2 ? -0.3 : 0.5) / pow(10.0, (double)(j % 4));
        t.Y[i] = y;
    }
    return t;
}

/* The gap of the summary is at least what the rows, solved to more digits, show. */
static void check(table *t, const char *spec, double tol) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_summary *summary = summaries_make(context, t, 0, 0, t->n, false);
    rows h = summaries_hold(context, t, 0, 0, t->n);
    gpis_problem *with_rows = summaries_pose(context, h.source, t, 0, t->n), *without;
    gpis_settings settings = gpis_settings_default();
    gpis_set *set;
    gpis_result *a, *b;
    assert_ok(context, test_set(context, spec, t->d, 1, &set));
    assert_ok(context, gpis_problem_of_summary(context, summary, &without));
    gpis_problem *both[] = {with_rows, without};
    for (int i = 0; i < 2; i++) {
        assert_ok(context, gpis_problem_intercept(both[i], 1));
        assert_ok(context, gpis_problem_constrain(both[i], set));
    }
    settings.tol = 1e-14;
    assert_ok(context, gpis_solve(with_rows, &settings, &a));
    settings.tol = tol;
    assert_ok(context, gpis_solve(without, &settings, &b));
    const quad best = objective_of(t, a->x, a->intercept[0]), here = objective_of(t, b->x, b->intercept[0]);
    if (isfinite(b->gap) && b->horizon == 0.0) {
        const double excess = (double)(here - best), off = fabs((double)(here - b->objective));
        if (excess > b->gap) fail_msg("%s: %.3g above the best, and the gap is %.3g", spec, excess, b->gap);
        assert_true(off <= b->gap + 1e-12 * b->objective);
    }
    if (b->outcome == GPIS_SOLVED) assert_true(b->gap_kind == GPIS_GAP_PROVEN);
    gpis_result_destroy(a);
    gpis_result_destroy(b);
    gpis_problem_destroy(with_rows);
    gpis_problem_destroy(without);
    gpis_set_destroy(set);
    summaries_release(&h);
    gpis_summary_destroy(summary);
    test_context_end(context, &memory);
}

static void test_no_false_proof(void **state) {
    (void)state;
    static const char *const specs[] = {"none", "l1:2", "nonneg", "box:-1,1", "l2:1"};
    static const double aparts[] = {1.0, 1e-4, 1e-8}, means[] = {0.0, 1e4}, noises[] = {1.0, 1e-3, 1e-9};
    for (int i = 0; i < 18; i++) {
        table t = hard_table(300, 6, aparts[i % 3], means[i / 3 % 2], noises[i / 6], i % 2);
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) check(&t, specs[s], i % 2 ? 1e-8 : 1e-13);
        summaries_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_false_proof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
