/*
 * What every method must do, for all rows of the list: solve small well-conditioned problems on sets of different kinds
 * to the tolerance, with an x in K whose objective is f(x) and not below a lower bound that another method has proven.
 */
#include "calls.h"
#include "certificate/problems.h"
#include "method/method.h"

enum { N = 120, D = 5 };
static const double TOLERANCE = 1e-6;

static gpis_result *solve(gpis_context *context, const problem *p, gpis_set *set, const char *method) {
    gpis_settings settings = gpis_settings_default();
    gpis_result *result = NULL;
    settings.method = method;
    settings.tol = TOLERANCE;
    settings.max_passes = 5000; /* so that a method that does not converge fails */
    gpis_source *A = problem_source(context, p);
    assert_ok(context, test_solve(context, A, p->Y, p->k, set, &settings, &result));
    gpis_source_destroy(A);
    return result;
}

static void check(gpis_context *context, const problem *p, gpis_set *set, const char *method) {
    gpis_result *r = solve(context, p, set, method), *proven = solve(context, p, set, "newton");
    double away;
    assert_int_equal(proven->gap_kind, GPIS_GAP_PROVEN);
    assert_string_equal(r->method, method);
    if (r->outcome != GPIS_SOLVED)
        fail_msg("%s on %s: %s, gap %g", method, gpis_set_spec(set), gpis_outcome_text(r->outcome),
                 gpis_relative_gap(r));
    const double f = (double)problem_value(p, r->x, NULL);
    assert_close(r->objective, f, 1e-11 * f);
    assert_ok(context, gpis_set_distance(set, r->x, &away));
    assert_true(away <= 1e-11 * (1.0 + gpis_norm2(r->x, p->d * p->k)));
    assert_true(r->passes > 0 && r->gap >= 0.0 && r->gap <= TOLERANCE * 1.0001 * (r->objective - r->gap));
    const double rounding = 1e-12 * r->objective;
    assert_true(r->objective >= proven->objective - proven->gap - rounding);
    assert_true(r->objective - r->gap <= proven->objective + rounding);
    gpis_result_destroy(proven);
    gpis_result_destroy(r);
}

static void every_method_solves(void **state) {
    (void)state;
    static const char *const specs[] = {"none", "nonneg", "box:-1,2", "l1:#", "l2:#", "simplex:#", "monotone"};
    const gpis_methods methods = gpis_all_methods();
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    assert_true(methods.count >= 6);
    for (int m = 0; m < methods.count; m++)
        for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
            for (int64_t k = 1; k <= 2; k++) {
                problem p = problem_make(FINE, N, D, k, 7 + i);
                gpis_set *set = problem_set(context, &w, specs[i], "0.4", k);
                check(context, &p, set, methods.rows[m]->name);
                gpis_set_destroy(set);
                problem_clear(&p);
            }
    world_end(&w);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_solves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
