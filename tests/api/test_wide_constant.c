/*
 * More columns than rows, and an intercept: columns depend on each other, and K with the free constant is unbounded, so
 * that neither a bound of second order nor one of first order over all entries exists. The bound of the other entries
 * (certificate/centred.h) proves the answer from the first sweep. The reference is the same problem with centred
 * columns and a centred y, which needs no intercept and has the same least objective.
 */
#include "support.h"

enum { N = 40, D = 90 };

typedef struct wide {
    double A[N * D], y[N], centred_A[N * D], centred_y[N];
} wide;

static void centre(const double *from, int64_t columns, double *to) {
    for (int64_t j = 0; j < columns; j++) {
        double mean = 0.0;
        for (int64_t i = 0; i < N; i++) mean += from[i * columns + j] / N;
        for (int64_t i = 0; i < N; i++) to[i * columns + j] = from[i * columns + j] - mean;
    }
}

static void make(wide *w) {
    gpis_random_normal(3, 1, 0, (int64_t)N * D, w->A);
    gpis_random_normal(3, 2, 0, N, w->y);
    for (int64_t i = 0; i < N; i++) w->y[i] += 30.0 + 2.0 * w->A[i * D] - w->A[i * D + 1];
    centre(w->A, D, w->centred_A);
    centre(w->y, 1, w->centred_y);
}

/* With a radius R, or with a penalty lambda where R is 0. */
static gpis_result *solve(gpis_context *context, const double *A, const double *y, int intercept, double R,
                          double lambda) {
    gpis_source *rows;
    gpis_problem *problem;
    gpis_set *set = NULL;
    gpis_result *result;
    assert_ok(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &rows));
    assert_ok(context, gpis_problem_create(context, rows, &problem));
    assert_ok(context, gpis_problem_response(problem, y, N, 1));
    assert_ok(context, gpis_problem_intercept(problem, intercept));
    if (R > 0.0) assert_ok(context, gpis_set_l1(context, R, D, &set));
    if (set) assert_ok(context, gpis_problem_constrain(problem, set));
    assert_ok(context, gpis_problem_penalty(problem, lambda, NULL, D));
    assert_ok(context, gpis_solve(problem, NULL, &result));
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    gpis_source_destroy(rows);
    return result;
}

static void compare(double R, double lambda) {
    static wide w;
    gpis_context *context;
    make(&w);
    assert_int_equal(gpis_context_create(&context), GPIS_OK);
    gpis_result *result = solve(context, w.A, w.y, 1, R, lambda);
    gpis_result *reference = solve(context, w.centred_A, w.centred_y, 0, R, lambda);
    assert_int_equal(reference->outcome, GPIS_SOLVED);
    assert_int_equal(result->outcome, GPIS_SOLVED);
    assert_int_equal(result->gap_kind, GPIS_GAP_PROVEN);
    assert_true(result->horizon == 0.0);
    assert_int_equal(result->passes, 1);
    /* each least objective is between its objective less its gap and its objective */
    const double allowed = 1e-12 * result->objective;
    assert_true(result->objective - result->gap <= reference->objective + allowed);
    assert_true(reference->objective - reference->gap <= result->objective + allowed);
    gpis_result_destroy(reference);
    gpis_result_destroy(result);
    gpis_context_destroy(context);
}

static void test_ball(void **state) {
    (void)state;
    compare(1.5, 0.0);
}

static void test_penalty(void **state) {
    (void)state;
    compare(0.0, 20.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ball), cmocka_unit_test(test_penalty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
