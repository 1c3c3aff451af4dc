/* A run: the best point and the best bound are kept, whatever comes after them. */
#include "method/certify.h"

#include <omp.h>

#include "certificate/problems.h"

enum { N = 40, D = 5 };

static gpis_point visit(gpis_run *run, const double *x, double *g) {
    gpis_point point;
    assert_ok(run->context, gpis_run_gradient(run, x, g, &point));
    gpis_record_offer(&run->record, &point);
    return point;
}

static void best_point_and_best_bound_are_kept(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    problem p = problem_make(FINE, N, D, 1, 5);
    gpis_source *A = problem_source(context, &p);
    gpis_set *set = problem_set(context, &w, "l1:0.7", "1", 1);
    gpis_settings settings = gpis_settings_default();
    settings.tol = 1e-15; /* nothing is solved, so every bound is followed to its end */
    gpis_run run;
    const gpis_problem stated = {.context = context, .A = A, .Y = p.Y, .n = N, .d = D, .k = 1, .size = D, .set = set};
    assert_ok(context, gpis_run_start(&run, &stated, &settings));
    double x[D] = {0}, good[D], bad[D] = {-0.7}, g[D], worse_g[D];
    gpis_point v = visit(&run, x, g);
    assert_true(run.record.objective == v.objective &&
                gpis_record_gap(&run.record) == v.objective + v.errors.objective); /* f* >= 0 is all that is known */
    assert_ok(context, gpis_run_make_model(&run));
    assert_ok(context, gpis_run_second_order(&run, &v, true));
    memcpy(good, run.curvature.inner->s, sizeof good);
    v = visit(&run, good, g);
    assert_ok(context, gpis_run_second_order(&run, &v, true));
    const double objective = run.record.objective, lower = run.record.proven.anywhere;
    assert_true(objective == v.objective && lower > 0.0 && lower <= objective);
    const gpis_point worse = visit(&run, bad, worse_g);
    assert_true(worse.objective > objective);
    assert_ok(context, gpis_certify_first(&run.record, &worse));
    assert_true(run.record.proven.anywhere == lower);
    assert_ok(context, gpis_run_second_order(&run, &worse, true));
    assert_true(run.record.proven.anywhere >= lower && run.record.objective == objective);
    assert_memory_equal(run.record.best, good, sizeof good);
    assert_int_equal(run.account.passes, 4);
    gpis_run_clear(&run);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    problem_clear(&p);
    world_end(&w);
    test_context_end(context, &memory);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library */
    const struct CMUnitTest tests[] = {cmocka_unit_test(best_point_and_best_bound_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
