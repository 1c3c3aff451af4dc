/*
 * The curvature of a problem, without a run: which pass brings the norms of the columns, what is claimed of a model,
 * and that the inner problem is always one on the present model.
 */
#include "method/curvature.h"

#include "support.h"

enum { D = 3 };

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    gpis_set *set;
    gpis_problem problem;
    gpis_curvature curvature;
} fixture;

static void begin(fixture *f) {
    f->context = test_context(&f->memory);
    assert_ok(f->context, gpis_set_nonneg(f->context, D, &f->set));
    f->problem = (gpis_problem){.context = f->context, .n = 10, .d = D, .k = 1, .size = D, .set = f->set};
    assert_ok(f->context, gpis_curvature_begin(&f->curvature, &f->problem));
}

static void end(fixture *f) {
    gpis_curvature_clear(&f->curvature);
    gpis_curvature_clear(&f->curvature); /* a second time is harmless */
    gpis_set_destroy(f->set);
    test_context_end(f->context, &f->memory);
}

/* A'A with this correlation between the first two columns, for the model to own. */
static double *gram_of(fixture *f, double correlation) {
    const double H[D * D] = {4.0, 2.0 * correlation, 0.0, 2.0 * correlation, 1.0, 0.0, 0.0, 0.0, 9.0};
    double *copy = gpis_alloc(f->context, D * D, sizeof *copy);
    assert_non_null(copy);
    return memcpy(copy, H, sizeof H);
}

/* The first pass that evaluates a point computes the norms, one with the whole Gram matrix has them on the diagonal,
 * and no other pass brings them. */
static void norms_come_with_a_pass(void **state) {
    (void)state;
    fixture f;
    double x[D] = {0}, v[D], gram[D * D] = {4.0, 0, 0, 0, 1.0, 0, 0, 0, 9.0};
    const int64_t columns[1] = {2};
    const gpis_pass point = {.k = 1, .X = x}, probes = {.k = 1, .V = v, .probes = 1};
    const gpis_pass whole = {.k = 1, .X = x, .gram = gram},
                    some = {.k = 1, .gram = gram, .columns = columns, .count = 1};
    begin(&f);
    gpis_curvature *c = &f.curvature;
    assert_ptr_equal(gpis_curvature_norms_place(c, &point), c->norms2);
    assert_null(gpis_curvature_norms_place(c, &probes));
    assert_null(gpis_curvature_norms_place(c, &whole));
    gpis_curvature_take_norms(c, &probes);
    gpis_curvature_take_norms(c, &some);
    assert_false(c->norms_known);
    gpis_curvature_take_norms(c, &whole);
    assert_true(c->norms_known && c->norms2[0] == 4.0 && c->norms2[1] == 1.0 && c->norms2[2] == 9.0);
    assert_true(gpis_curvature_largest_norm2(c) == 9.0);
    assert_null(gpis_curvature_norms_place(c, &point)); /* once is enough */
    gram[0] = 5.0;
    gpis_curvature_take_norms(c, &whole);
    assert_true(c->norms2[0] == 4.0);
    end(&f);
}

/* A Gram matrix proves nearly c = 1. Of a sketch nothing is claimed until probes say so. */
static void what_a_model_claims(void **state) {
    (void)state;
    fixture f;
    begin(&f);
    gpis_curvature *c = &f.curvature;
    assert_ok(f.context, gpis_curvature_take(c, gram_of(&f, 0.5), 10.0, false));
    assert_null(c->inner);
    assert_ok(f.context, gpis_curvature_complete(c));
    assert_true(!c->sketched && c->model->c > 0.99 && c->model->c < 1.0 && c->inner->model == c->model);
    assert_false(gpis_curvature_is_too_coarse(c));
    assert_ok(f.context, gpis_curvature_take(c, gram_of(&f, 1.0), 10.0, true)); /* singular: it is shifted */
    assert_null(c->inner);                                                      /* the old one is gone with its model */
    assert_true(c->sketched && c->model->shift > 0.0 && c->model->slack > 0.0 && gpis_curvature_is_too_coarse(c));
    assert_ok(f.context, gpis_curvature_complete(c));
    assert_true(c->model->c == 0.0 && c->model->slack == 0.0 && c->inner->model == c->model);
    gpis_curvature_set_c(c, 0.5);
    assert_true(c->model->c == 0.5);
    end(&f);
}

/* A null vector changes the model, and so the inner problem, if there is one already. */
static void null_vectors_reach_the_inner_problem(void **state) {
    (void)state;
    const double v[D] = {1.0, -2.0, 0.0}; /* of the matrix with two columns that are multiples of each other */
    fixture f;
    begin(&f);
    gpis_curvature *c = &f.curvature;
    assert_ok(f.context, gpis_curvature_take(c, gram_of(&f, 1.0), 10.0, false));
    assert_true(c->model->shift > 0.0);
    assert_ok(f.context, gpis_curvature_add_null(c, 1, v, 0.0));
    assert_true(c->model->nulls == 1 && c->model->shift == 0.0 && !c->inner);
    assert_ok(f.context, gpis_curvature_take(c, gram_of(&f, 1.0), 10.0, false));
    assert_ok(f.context, gpis_curvature_complete(c));
    assert_ok(f.context, gpis_curvature_add_null(c, 1, v, 1e-16));
    assert_true(c->model->nulls == 1 && c->model->nearness == 1e-16 && c->inner && c->inner->model == c->model);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_come_with_a_pass),
        cmocka_unit_test(what_a_model_claims),
        cmocka_unit_test(null_vectors_reach_the_inner_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
