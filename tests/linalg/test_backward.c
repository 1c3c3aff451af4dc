/*
 * The estimate of the backward error against its formula in quadruple precision, for models from a Gram matrix and from
 * a QR factorisation; the two sides between which the true backward error lies, by perturbations that are known; and
 * the cases in which there is no estimate.
 */
#include "linalg/backward.h"

#include "linalg/accurate.h"
#include "quad_least_squares.h"
#include "support.h"

enum { N = 40, D = 6 };

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    double A[N * D], y[N], x[D], g[D], norms2[D];
    gpis_point point;
} fixture;

static double normal(uint64_t seed, int index) {
    double z;
    gpis_random_normal(seed, 0, (uint64_t)index, 1, &z);
    return z;
}

/* Columns of very different norms, and nearly dependent ones: column 1 is column 0 up to `distance`. */
static void draw(fixture *f, double distance, double residual) {
    quad x[D], g[D];
    f->context = test_context(&f->memory);
    for (int i = 0; i < N * D; i++) f->A[i] = normal(1, i);
    for (int i = 0; i < N; i++) {
        double *row = f->A + i * D;
        row[1] = row[0] + distance * row[1];
        row[2] *= 1e4;
        row[3] *= 1e-3;
        f->y[i] = row[0] - 2.0 * row[1] + 1e-4 * row[2] + row[4] + residual * normal(2, i);
    }
    assert_true(quad_least_squares(N, D, f->A, f->y, x));
    for (int j = 0; j < D; j++) { /* an x with an error, so that there is something to measure */
        f->x[j] = (double)x[j] * (1.0 + 1e-6 * normal(3, j));
        x[j] = f->x[j];
    }
    const double objective = (double)quad_gradient(N, D, f->A, f->y, x, g);
    for (int j = 0; j < D; j++) {
        f->g[j] = (double)g[j];
        f->norms2[j] = 0.0;
        for (int i = 0; i < N; i++) f->norms2[j] += f->A[i * D + j] * f->A[i * D + j];
    }
    f->point = (gpis_point){.x = f->x, .g = f->g, .objective = objective, .norms2 = f->norms2};
}

static gpis_model *make_model(fixture *f, bool by_rows) {
    double *H = gpis_alloc(f->context, D * D, sizeof *H);
    gpis_model *model;
    for (int j = 0; j < D; j++)
        for (int l = 0; l < D; l++) {
            H[j * D + l] = 0.0;
            for (int i = 0; i < N; i++) H[j * D + l] += f->A[i * D + j] * f->A[i * D + l];
        }
    assert_int_equal(gpis_model_create(f->context, D, H, N, &model), GPIS_OK);
    if (by_rows) assert_int_equal(gpis_model_hold_rows(model, N, f->A), GPIS_OK);
    assert_true(model->by_rows == by_rows);
    return model;
}

static void end(fixture *f, gpis_model *model) {
    gpis_model_destroy(model);
    test_context_end(f->context, &f->memory);
}

static void check(double distance, double residual, bool by_rows) {
    fixture f = {0};
    double estimate;
    draw(&f, distance, residual);
    gpis_model *model = make_model(&f, by_rows);
    assert_int_equal(gpis_backward_error(model, &f.point, &estimate), GPIS_OK);
    const double truth = quad_backward_error(N, D, f.A, f.y, f.x);
    if (!(fabs(estimate - truth) <= 1e-3 * truth))
        fail_msg("distance %g, residual %g: %g, in quadruple precision %g", distance, residual, estimate, truth);
    end(&f, model);
}

static void formula(void **state) {
    (void)state;
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        check(1.0, 1.0, by_rows);
        check(1e-3, 1e-3, by_rows);
        check(1e-4, 1e-8, by_rows);
    }
    check(1e-9, 1e-3, true); /* beyond the condition number for which the Gram matrix has enough digits */
    check(1e-9, 1e-10, true);
}

/* The backward error is at most the norm of any E for which x solves the problem of A + E, and the estimate is not
 * above the backward error. One such E is -u u'A with u = r / ||r||: the residual stays along u, and (A + E)'u = 0. Its
 * norm is ||g|| / ||r||. */
static void upper_side(void **state) {
    (void)state;
    fixture f = {0};
    double estimate, norm2 = 0.0;
    draw(&f, 1.0, 1.0);
    gpis_model *model = make_model(&f, false);
    assert_int_equal(gpis_backward_error(model, &f.point, &estimate), GPIS_OK);
    for (int j = 0; j < D; j++) norm2 += f.norms2[j];
    assert_true(estimate > 0.0);
    assert_true(estimate * sqrt(norm2) <= 1.0001 * gpis_norm2(f.g, D) / sqrt(f.point.objective));
    end(&f, model);
}

/* x = 0: the limit ||g|| / ||r||. No gradient: no error. */
static void limits(void **state) {
    (void)state;
    fixture f = {0};
    double estimate, norm2 = 0.0;
    draw(&f, 1.0, 1.0);
    gpis_model *model = make_model(&f, false);
    for (int j = 0; j < D; j++) norm2 += f.norms2[j], f.x[j] = 0.0;
    assert_int_equal(gpis_backward_error(model, &f.point, &estimate), GPIS_OK);
    const double limit = gpis_norm2(f.g, D) / sqrt(f.point.objective * norm2);
    assert_true(fabs(estimate - limit) <= 1e-12 * limit);
    for (int j = 0; j < D; j++) f.g[j] = 0.0;
    assert_int_equal(gpis_backward_error(model, &f.point, &estimate), GPIS_OK);
    assert_true(estimate == 0.0);
    end(&f, model);
}

/* A shifted model does not have the small singular values of A, and a wrong estimate is worse than none. */
static void unknown(void **state) {
    (void)state;
    fixture f = {0};
    double estimate;
    draw(&f, 1e-9, 1e-3);
    gpis_model *model = make_model(&f, false);
    assert_true(model->shift > 0.0);
    assert_int_equal(gpis_backward_error(model, &f.point, &estimate), GPIS_OK);
    assert_true(isnan(estimate));
    end(&f, model);
}

static gpis_status estimate_once(gpis_context *context, void *user) {
    fixture f = *(fixture *)user;
    double *H = gpis_alloc(context, D * D, sizeof *H), estimate;
    gpis_model *model = NULL;
    if (!H) return GPIS_NO_MEMORY;
    for (int i = 0; i < D * D; i++) H[i] = i % (D + 1) == 0;
    f.point.x = f.x;
    f.point.g = f.g;
    f.point.norms2 = f.norms2;
    gpis_status status = gpis_model_create(context, D, H, N, &model);
    if (status == GPIS_OK) status = gpis_backward_error(model, &f.point, &estimate);
    gpis_model_destroy(model);
    return status;
}

static void allocations(void **state) {
    (void)state;
    fixture f = {0};
    draw(&f, 1.0, 1.0);
    assert_true(test_every_allocation(estimate_once, &f) > 4);
    end(&f, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(formula), cmocka_unit_test(upper_side),
                                       cmocka_unit_test(limits), cmocka_unit_test(unknown),
                                       cmocka_unit_test(allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
