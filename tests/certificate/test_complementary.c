/*
 * The bound by complementary multipliers: for points x and s anywhere in the set, and for multipliers that are far from
 * right, no point of the set is lower than it says; and at the solution of a nearly exact fit it is as small as
 * rounding x allows, where the bound by the support function is not.
 */
#include "certificate/complementary.h"

#include <math.h>

#include "inner/inner.h"
#include "set/world.h"

enum { N = 12, D = 6, POINTS = 40 };

static const char *const specs[] = {"simplex:2", "capped-simplex:2", "l1:2", "l2:1.5", "tv:2", "monotone"};

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    gpis_set *set;
    gpis_model *model;
    double A[N * D], y[N], norms2[D];
} fixture;

static long double value(const fixture *t, const double *x, double *g) {
    long double sum = 0, gradient[D] = {0};
    for (int i = 0; i < N; i++) {
        long double r = -t->y[i];
        for (int j = 0; j < D; j++) r += (long double)t->A[i * D + j] * x[j];
        for (int j = 0; j < D; j++) gradient[j] += r * t->A[i * D + j];
        sum += r * r;
    }
    for (int j = 0; g && j < D; j++) g[j] = (double)gradient[j];
    return sum;
}

/* y = A x + noise for an x on the boundary of the set, which is in `planted`. */
static void begin(fixture *t, const char *spec, double noise, double *planted) {
    double v[N];
    t->context = test_context(&t->memory);
    assert_ok(t->context, test_set(t->context, spec, D, 1, &t->set));
    fill_normal(t->A, N * D, 3, 1.0);
    fill_normal(planted, D, 4, 5.0);
    fill_normal(v, N, 5, noise);
    assert_ok(t->context, gpis_set_project(t->set, planted, planted));
    double *H = gpis_alloc_zero(t->context, D * D, sizeof *H);
    assert_non_null(H);
    for (int i = 0; i < N; i++) {
        t->y[i] = v[i];
        for (int j = 0; j < D; j++) t->y[i] += t->A[i * D + j] * planted[j];
        for (int j = 0; j < D; j++)
            for (int l = 0; l < D; l++) H[j * D + l] += t->A[i * D + j] * t->A[i * D + l];
    }
    for (int j = 0; j < D; j++) t->norms2[j] = H[j * D + j];
    assert_ok(t->context, gpis_model_create(t->context, D, H, N, &t->model));
}

static void end(fixture *t) {
    gpis_model_destroy(t->model);
    gpis_set_destroy(t->set);
    test_context_end(t->context, &t->memory);
}

/* The bound at x with the multiplier at s. */
static double bound_at(const fixture *t, const double *x, const double *s, double disturbed) {
    double g[D], p[D], l[D], low[D], v[D], linear;
    const gpis_point point = {.x = x, .g = g, .objective = (double)value(t, x, g), .norms2 = t->norms2};
    for (int j = 0; j < D; j++) p[j] = s[j] - x[j];
    gpis_model_apply(t->model, 1, p, l);
    fill_normal(v, D, 9, disturbed);
    for (int j = 0; j < D; j++) l[j] = -2.0 * (g[j] + l[j]) + v[j];
    assert_ok(t->context, gpis_complementary_clean(t->set, &point, s, l, low, &linear));
    for (int j = 0; j < D; j++) v[j] = (2.0 * g[j] + l[j]) + low[j];
    const double norm = gpis_certificate_half_norm(t->model, t->model->c, 1, 0.0, v);
    return fmax(0.0, linear + norm * norm);
}

static void no_point_is_lower(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int round = 0; round < POINTS; round++) {
            fixture t;
            double planted[D], points[3][D];
            begin(&t, specs[i], round % 2 ? 0.5 : 1e-6, planted);
            assert_true(gpis_complementary_applies(t.set));
            for (int p = 0; p < 3; p++) {
                fill_normal(points[p], D, (uint64_t)(100 + 3 * round + p), p == 0 && round % 4 == 0 ? 1e-3 : 3.0);
                for (int j = 0; p == 0 && j < D; j++) points[p][j] += planted[j];
                assert_ok(t.context, gpis_set_project(t.set, points[p], points[p]));
            }
            const double *x = points[0], *s = points[1];
            const double bounds[] = {bound_at(&t, x, s, 0.0), bound_at(&t, x, planted, 0.0),
                                     bound_at(&t, x, planted, 1.0)};
            const long double fx = value(&t, x, NULL);
            const double *others[] = {planted, s, points[2]};
            for (int b = 0; b < 3; b++)
                for (int o = 0; o < 3; o++) {
                    const double fall = (double)(fx - value(&t, others[o], NULL));
                    if (fall > bounds[b] * (1 + 1e-9) + 1e-13 * (double)fx)
                        fail_msg("%s, round %d: a point is lower by %g, and the bound is %g", specs[i], round, fall,
                                 bounds[b]);
                }
            end(&t);
        }
}

static void it_is_sharp_at_a_solution(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fixture t;
        double x[D], g[D];
        begin(&t, specs[i], 1e-7, x);
        gpis_inner *inner = NULL;
        assert_ok(t.context, gpis_inner_create(t.context, t.set, t.model, NULL, &inner));
        for (int round = 0; round < 3; round++) { /* the residual is new each time, as in newton */
            bool done = false;
            value(&t, x, g);
            gpis_inner_begin(inner, x, g);
            assert_ok(t.context, gpis_inner_run(inner, 2000, &done));
            memcpy(x, inner->s, sizeof x);
        }
        const double f = (double)value(&t, x, g), bound = bound_at(&t, x, x, 0.0);
        if (!(bound <= 1e-7 * f)) fail_msg("%s: bound %g for an objective of %g", specs[i], bound, f);
        gpis_inner_destroy(inner);
        end(&t);
    }
}

static void other_sets(void **state) {
    (void)state;
    static const char *const others[] = {"none", "nonneg", "box:0,1", "linf:1", "group:2:2", "l1:2@dct"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        gpis_set *set = NULL;
        assert_ok(context, test_set(context, others[i], D, 1, &set));
        if (gpis_complementary_applies(set)) fail_msg("%s has no such bound", others[i]);
        gpis_set_destroy(set);
    }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_point_is_lower), cmocka_unit_test(it_is_sharp_at_a_solution),
                                       cmocka_unit_test(other_sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
