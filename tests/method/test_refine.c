/*
 * Refinement: its decision, state by state; and what a solve returns. The x of a solve at a loose tolerance is as
 * accurate as QR, at no more passes than before unless A is ill conditioned; its objective and its gap hold although
 * the last step was not measured; and the stated backward error is that of x, in quadruple precision.
 */
#include "method/refine.h"

#include <lapacke.h>

#include "calls.h"
#include "quad_least_squares.h"

/* ---- the decision ---- */

static void expect(gpis_refine_facts f, gpis_refinement what) { assert_int_equal(gpis_refine_decide(&f), what); }

static void decisions(void **state) {
    (void)state;
    const gpis_refine_facts usual = {.estimate = 1e-13, .before = INFINITY, .rate = 1e-6, .may_measure = true};
    gpis_refine_facts f = usual;
    expect(f, GPIS_REFINE_STEP); /* 1e-19 is to be expected, which no pass need confirm */
    f.rate = 1e-2;
    expect(f, GPIS_REFINE_MEASURE);
    f.may_measure = false;
    expect(f, GPIS_REFINE_STEP);
    f = usual, f.rate = 1e-2, f.passes = 100;
    expect(f, GPIS_REFINE_STEP);
    f = usual, f.rate = 1e-2, f.before = 1.5e-13; /* hardly any progress */
    expect(f, GPIS_REFINE_STOP);
    f = usual, f.rate = 1.0;
    expect(f, GPIS_REFINE_STOP);
    f = usual, f.estimate = 1e-16, f.rate = 0.5;
    expect(f, GPIS_REFINE_STEP);
    f = usual, f.sensitive = true; /* the gradient of double precision is not good enough */
    expect(f, GPIS_REFINE_MEASURE);
    f.exact = true;
    expect(f, GPIS_REFINE_STEP);
    f.exact = f.may_measure = false;
    expect(f, GPIS_REFINE_STEP);
    f = usual, f.estimate = NAN;
    expect(f, GPIS_REFINE_STEP);
    f.rate = 0.1;
    expect(f, GPIS_REFINE_STOP);
}

static void decisions_with_a_sketch(void **state) {
    (void)state;
    gpis_refine_facts usual = {.estimate = 1e-9, .rate = 0.3, .may_measure = true, .entries = 1e6};
    gpis_refine_plan(&usual, 1e-9); /* to 5.6e-17: 13.9 steps */
    assert_true(usual.planned == 14.0);
    gpis_refine_facts f = usual;
    f.passes = 5;
    gpis_refine_cut(&f, 1e-12);
    assert_true(f.planned == 14.0);
    gpis_refine_cut(&f, 1e-16); /* faster than planned */
    assert_true(f.planned == 6.0);
    f = usual;
    assert_true(gpis_refine_goes_on(&f) && !gpis_refine_turns_exact(&f));
    f.may_measure = false;
    assert_false(gpis_refine_goes_on(&f));
    f = usual, f.entries = 2e8; /* two passes are affordable */
    assert_true(gpis_refine_goes_on(&f));
    f.passes = 2;
    assert_false(gpis_refine_goes_on(&f));
    f = usual, f.passes = 14; /* all that double precision gives */
    assert_true(!gpis_refine_goes_on(&f) && gpis_refine_turns_exact(&f));
    f.exact = true;
    gpis_refine_plan(&f, 1e-17); /* to 6.9e-18: 0.3 steps */
    assert_true(f.planned == 15.0);
    assert_true(gpis_refine_goes_on(&f) && !gpis_refine_turns_exact(&f));
    f.entries = 1e8; /* a pass in extended precision is much dearer */
    assert_false(gpis_refine_goes_on(&f));
    f = usual, f.passes = 14, f.estimate = NAN; /* a bound tells nothing of the last digits */
    assert_true(!gpis_refine_goes_on(&f) && !gpis_refine_turns_exact(&f));
    assert_true(gpis_refine_expect(1e6, 0.3, 1e-8).passes > 10.0 && gpis_refine_expect(2e8, 0.3, 1e-8).passes == 2.0);
}

/* ---- solves ---- */

enum { N = 6000, D = 12, SHORT = 400 }; /* N x D is too large for extended precision from the beginning */

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    gpis_source *source;
    double *A, *Y;
    int64_t n, k;
} fixture;

static void draw(fixture *f, int64_t n, int64_t k, double distance, double noise) {
    f->context = test_context(&f->memory);
    f->A = malloc((size_t)(n * D) * sizeof *f->A);
    f->Y = malloc((size_t)(n * k) * sizeof *f->Y);
    f->n = n;
    f->k = k;
    gpis_random_normal(11, 0, 0, n * D, f->A);
    gpis_random_normal(12, 0, 0, n * k, f->Y);
    for (int64_t i = 0; i < n; i++) {
        double *row = f->A + i * D, fit = 0.0;
        row[1] = row[0] + distance * row[1];
        for (int j = 0; j < D; j++) fit += row[j] / (1.0 + j);
        for (int64_t c = 0; c < k; c++) f->Y[i * k + c] = fit * (double)(c + 1) + noise * f->Y[i * k + c];
    }
    assert_int_equal(gpis_source_dense(f->context, f->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, D, D, &f->source), GPIS_OK);
}

static void end(fixture *f) {
    gpis_source_destroy(f->source);
    test_context_end(f->context, &f->memory);
    free(f->A);
    free(f->Y);
}

static gpis_result *solve_with(fixture *f, gpis_settings settings, double tol, const char *method, int64_t max_passes) {
    gpis_result *result;
    settings.tol = tol;
    settings.method = method;
    settings.max_passes = max_passes;
    assert_int_equal(test_solve(f->context, f->source, f->Y, f->k, NULL, &settings, &result), GPIS_OK);
    return result;
}

static gpis_result *solve(fixture *f, double tol, const char *method, int64_t max_passes) {
    return solve_with(f, gpis_settings_default(), tol, method, max_passes);
}

static double error_of(const double *x, const quad *truth) {
    quad error2 = 0, norm2 = 0;
    for (int j = 0; j < D; j++) error2 += (x[j] - truth[j]) * (x[j] - truth[j]), norm2 += truth[j] * truth[j];
    return (double)quad_root(error2 / norm2);
}

/* The error of x by QR, and its backward error. */
static double lapack_error(const fixture *f, const quad *truth, double *backward) {
    double *A = malloc((size_t)(f->n * D) * sizeof *A), *y = malloc((size_t)f->n * sizeof *y);
    memcpy(A, f->A, (size_t)(f->n * D) * sizeof *A);
    memcpy(y, f->Y, (size_t)f->n * sizeof *y);
    assert_int_equal(LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', (lapack_int)f->n, D, 1, A, D, y, 1), 0);
    const double error = error_of(y, truth);
    *backward = quad_backward_error(f->n, D, f->A, f->Y, y);
    free(A);
    free(y);
    return error;
}

/* The objective and the gap are true of x. */
static void check_claims(const fixture *f, const gpis_result *r, const quad *truth) {
    quad g[D], x[D];
    for (int j = 0; j < D; j++) x[j] = r->x[j];
    const quad objective = quad_gradient(f->n, D, f->A, f->Y, x, g),
               least = quad_gradient(f->n, D, f->A, f->Y, truth, g);
    assert_int_equal(r->outcome, GPIS_SOLVED);
    assert_true(fabs((double)(objective - r->objective)) <= 1e-13 * r->objective);
    assert_true((double)(objective - least) <= r->gap);
}

static void check_accuracy(int64_t n, double distance, double noise, int64_t passes) {
    fixture f = {0};
    quad truth[D];
    double their_backward;
    draw(&f, n, 1, distance, noise);
    assert_true(quad_least_squares(n, D, f.A, f.Y, truth));
    const double theirs = lapack_error(&f, truth, &their_backward);
    gpis_result *r = solve(&f, 1e-8, "newton", 0);
    const double ours = error_of(r->x, truth), backward = quad_backward_error(n, D, f.A, f.Y, r->x);
    if (!(ours <= 3.0 * theirs)) fail_msg("distance %g: error %g, by QR %g", distance, ours, theirs);
    if (!(backward <= 10.0 * their_backward))
        fail_msg("distance %g: backward error %g, by QR %g", distance, backward, their_backward);
    if (!(r->backward_error >= 0.1 * backward && r->backward_error <= fmax(30.0 * backward, 2e-15)))
        fail_msg("distance %g: backward error %g, stated %g", distance, backward, r->backward_error);
    if (r->passes > passes) fail_msg("distance %g: %d passes, %d expected", distance, (int)r->passes, (int)passes);
    check_claims(&f, r, truth);
    gpis_result_destroy(r);
    end(&f);
}

static void accuracy(void **state) {
    (void)state;
    check_accuracy(N, 1.0, 0.1, 2);
    check_accuracy(N, 1e-2, 0.1, 2);
    check_accuracy(N, 1e-3, 1e-3, 2);
    check_accuracy(N, 1e-4, 0.1, 3);
    check_accuracy(N, 5e-6, 0.1, 4);
    check_accuracy(SHORT, 1.0, 0.1, 2);
    check_accuracy(SHORT, 1e-4, 0.1, 3);
}

/* A sketch leads to as many digits, in more passes; and never to fewer when they are limited. */
static void check_accuracy_with_sketch(int64_t n, const char *sketch, double distance, double noise) {
    fixture f = {0};
    quad truth[D];
    double their_backward;
    gpis_settings settings = gpis_settings_default();
    settings.sketch = sketch;
    settings.m = 8 * D;
    draw(&f, n, 1, distance, noise);
    assert_true(quad_least_squares(n, D, f.A, f.Y, truth));
    const double theirs = lapack_error(&f, truth, &their_backward);
    gpis_result *r = solve_with(&f, settings, 1e-8, "newton", 0);
    const double ours = error_of(r->x, truth), backward = quad_backward_error(n, D, f.A, f.Y, r->x);
    if (!(ours <= 3.0 * theirs)) fail_msg("%s, distance %g: error %g, by QR %g", sketch, distance, ours, theirs);
    if (!(backward <= 10.0 * their_backward))
        fail_msg("%s, distance %g: backward error %g, by QR %g", sketch, distance, backward, their_backward);
    if (!(r->backward_error >= 0.1 * backward && r->backward_error <= fmax(30.0 * backward, 2e-15)))
        fail_msg("%s, distance %g: backward error %g, stated %g", sketch, distance, backward, r->backward_error);
    assert_true(r->sketches > 0 && r->passes <= 60);
    check_claims(&f, r, truth);
    gpis_result *limited = solve_with(&f, settings, 1e-8, "newton", r->passes - 8);
    assert_true(limited->passes == r->passes - 8 && limited->objective <= r->objective * (1.0 + 1e-8));
    gpis_result_destroy(limited);
    gpis_result_destroy(r);
    end(&f);
}

static void accuracy_with_a_sketch(void **state) {
    (void)state;
    const char *sketches[] = {"count", "gaussian", "sample"};
    for (int i = 0; i < 3; i++) {
        check_accuracy_with_sketch(N, sketches[i], 1.0, 0.1);
        check_accuracy_with_sketch(N, sketches[i], 1e-3, 1e-3);
        check_accuracy_with_sketch(N, sketches[i], 5e-6, 0.1);
    }
}

enum { SOME = 40, FEW = 5 };

/* Columns nearly parallel to 1e-9, and rows 1e6 times heavier than the others: A has a condition number of some 1e15.
 */
static void draw_heavy(uint64_t seed, double *A, double *y) {
    gpis_random_normal(seed, 5, 0, SOME * FEW, A);
    gpis_random_normal(seed, 6, 0, SOME, y);
    for (int i = 0; i < SOME; i++)
        for (int j = 1; j < FEW; j++) A[i * FEW + j] = A[i * FEW] + pow(10.0, -9.0 * j / (FEW - 1)) * A[i * FEW + j];
    for (int j = 0; j < FEW; j++) A[3 * FEW + j] *= 1e6, A[7 * FEW + j] *= 1e6;
}

static gpis_status solve_heavy(gpis_context *context, void *user) {
    double A[SOME * FEW], y[SOME];
    gpis_settings settings = gpis_settings_default();
    gpis_source *source = NULL;
    gpis_result *r = NULL;
    (void)user;
    draw_heavy(1, A, y);
    gpis_status status = gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, SOME, FEW, FEW, &source);
    if (status == GPIS_OK) status = test_solve(context, source, y, 1, NULL, &settings, &r);
    gpis_result_destroy(r);
    gpis_source_destroy(source);
    return status;
}

static void heavy_allocations(void **state) {
    (void)state;
    assert_true(test_every_allocation(solve_heavy, NULL) > 40);
}

/* The Gram matrix of such data is not enough even in double-double. x is as good as rounding it to double allows, and
 * the gap holds. */
static void heavy_rows(void **state) {
    (void)state;
    int proven = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        double A[SOME * FEW], y[SOME], rounded[FEW];
        quad truth[FEW], at[FEW], g[FEW];
        draw_heavy(seed, A, y);
        assert_true(quad_least_squares(SOME, FEW, A, y, truth));
        const quad least = quad_gradient(SOME, FEW, A, y, truth, g);
        for (int j = 0; j < FEW; j++) rounded[j] = (double)truth[j], at[j] = rounded[j];
        const double by_rounding = (double)(quad_gradient(SOME, FEW, A, y, at, g) - least);
        gpis_settings settings = gpis_settings_default();
        gpis_source *source;
        gpis_result *r;
        assert_ok(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, SOME, FEW, FEW, &source));
        assert_ok(context, test_solve(context, source, y, 1, NULL, &settings, &r));
        for (int j = 0; j < FEW; j++) at[j] = r->x[j];
        const double above = (double)(quad_gradient(SOME, FEW, A, y, at, g) - least);
        if (r->outcome != GPIS_SOLVED) fail_msg("seed %d: outcome %d", (int)seed, (int)r->outcome);
        const bool near_only =
            r->horizon > 0.0; /* a better x has terms that are so long that the run does not look for it */
        if (!near_only && !(above <= r->gap))
            fail_msg("seed %d: gap %g, above the best by %g", (int)seed, r->gap, above);
        if (!near_only && !(above <= 1e-8 * (double)least + 100.0 * by_rounding))
            fail_msg("seed %d: above the best by %g, by rounding x %g", (int)seed, above, by_rounding);
        proven += !near_only;
        gpis_result_destroy(r);
        gpis_source_destroy(source);
        test_context_end(context, &memory);
    }
    assert_true(proven > 0);
}

/* Several responses are refined as well, without an estimate. */
static void check_responses(fixture *f, const gpis_result *r) {
    assert_true(isnan(r->backward_error));
    for (int64_t c = 0; c < f->k; c++) {
        double y[N], x[D];
        quad truth[D];
        for (int i = 0; i < N; i++) y[i] = f->Y[i * f->k + c];
        for (int j = 0; j < D; j++) x[j] = r->x[j * f->k + c];
        assert_true(quad_least_squares(N, D, f->A, y, truth));
        assert_true(error_of(x, truth) < 1e-11);
    }
}

static void responses(void **state) {
    (void)state;
    fixture f = {0};
    gpis_settings settings = gpis_settings_default();
    draw(&f, N, 3, 1e-3, 0.1);
    gpis_result *r = solve(&f, 1e-8, "newton", 0);
    assert_int_equal(r->passes, 2);
    check_responses(&f, r);
    gpis_result_destroy(r);
    settings.sketch = "count";
    settings.m = 8 * D;
    r = solve_with(&f, settings, 1e-8, "newton", 0);
    assert_true(r->sketches > 0 && r->passes <= 60);
    check_responses(&f, r);
    gpis_result_destroy(r);
    end(&f);
}

/* A set that constrains x has no estimate; gradients alone have one once they have a bound. */
static void where(void **state) {
    (void)state;
    fixture f = {0};
    gpis_set *set;
    gpis_result *result;
    draw(&f, N, 1, 1.0, 0.1);
    result = solve(&f, 1e-8, "apgd", 0);
    const double backward = quad_backward_error(N, D, f.A, f.Y, result->x);
    assert_int_equal(result->outcome, GPIS_SOLVED);
    if (!(result->backward_error >= 0.3 * backward && result->backward_error <= 3.0 * backward))
        fail_msg("backward error %g, stated %g", backward, result->backward_error);
    gpis_result_destroy(result);
    assert_int_equal(gpis_set_nonneg(f.context, D, &set), GPIS_OK);
    assert_int_equal(test_solve(f.context, f.source, f.Y, 1, set, NULL, &result), GPIS_OK);
    assert_true(isnan(result->backward_error));
    gpis_result_destroy(result);
    gpis_set_destroy(set);
    end(&f);
}

/* The limit of passes holds, and a step that needs none is still taken. */
static void limit_of_passes(void **state) {
    (void)state;
    fixture f = {0};
    quad truth[D];
    draw(&f, N, 1, 1e-4, 0.1);
    gpis_result *r = solve(&f, 1e-8, "newton", 2);
    assert_true(quad_least_squares(N, D, f.A, f.Y, truth));
    assert_true(r->passes == 2);
    check_claims(&f, r, truth);
    gpis_result_destroy(r);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(decisions),      cmocka_unit_test(decisions_with_a_sketch),
                                       cmocka_unit_test(accuracy),       cmocka_unit_test(accuracy_with_a_sketch),
                                       cmocka_unit_test(heavy_rows),     cmocka_unit_test(heavy_allocations),
                                       cmocka_unit_test(responses),      cmocka_unit_test(where),
                                       cmocka_unit_test(limit_of_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
