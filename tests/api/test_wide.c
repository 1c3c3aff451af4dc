/*
 * Paths and cross-validation where the Gram matrix does not fit in memory (api/wide.h), beside those on the Gram matrix
 * of the same rows: every point proven, the same objectives, the same errors of the folds.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "set/world.h"
#include "sketch/matrices.h"

enum { N = 400, D = 160, FOLDS = 4, SMALL_N = 40, SMALL_D = 60 };

/* Enough for sweeps and for a working set of some columns, and less than the Gram matrices take. */
static const int64_t LITTLE = 4000000, VERY_LITTLE = 480000;

typedef struct how {
    const char *name, *set; /* set NULL: penalties */
    bool intercept, standardize, weights, sparse, given_folds;
    double ridge;
    const char *bounds; /* the set of the problem; NULL: none */
} how;

static const how cases[] = {
    {"l1", "l1", false, false, false, false, false, 0.0, NULL},
    {"penalty", NULL, false, false, false, false, false, 0.0, NULL},
    {"l1, intercept", "l1", true, false, false, false, false, 0.0, NULL},
    {"penalty, intercept, standardised", NULL, true, true, false, false, false, 0.0, NULL},
    {"l1, intercept, standardised, weights", "l1", true, true, true, false, true, 0.0, NULL},
    {"penalty, weights, ridge", NULL, true, false, true, false, true, 3.0, NULL},
    {"l1 and bounds", "l1 & nonneg", true, false, false, false, false, 0.0, NULL},
    {"penalty and bounds", NULL, false, false, false, false, false, 0.0, "box:-0.2,1"},
    {"l1, sparse rows", "l1", true, false, true, true, false, 0.0, NULL},
    {"penalty, sparse rows, standardised", NULL, true, true, true, true, true, 1.0, NULL},
    {"l2, which has no exact path", "l2", true, false, false, false, false, 0.0, NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct rows_of_test {
    int64_t n, d;
    double *a, *y, *weights;
    int64_t fold[N];
    matrix stored;
    gpis_source *A;
    gpis_set *bounds;
    gpis_problem *problem;
} rows_of_test;

/* A few columns explain y; the columns have means and different units; a third of the entries is zero. */
static void make_numbers(rows_of_test *w) {
    const int64_t n = w->n, d = w->d;
    w->a = new_vector(n * d), w->y = new_vector(n), w->weights = new_vector(n);
    fill_normal(w->a, n * d, 11, 1.0);
    fill_normal(w->y, n, 12, 1.0);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) {
            double *a = &w->a[i * d + j];
            *a = (i * 7 + j * 5) % 3 == 0 ? 0.0 : (*a + 0.3) * (1.0 + (double)(j % 5));
            if (j % 16 == 0) w->y[i] += (j % 32 == 0 ? 1.0 : -0.7) * *a;
        }
        w->y[i] += 5.0;
        w->weights[i] = i % 9 == 0 ? 0.0 : 0.5 + (double)(i % 4);
        w->fold[i] = (i * i + i / 3) % FOLDS;
    }
}

static gpis_status open(gpis_context *context, const how *h, int64_t n, int64_t d, rows_of_test *w) {
    *w = (rows_of_test){.n = n, .d = d};
    make_numbers(w);
    w->stored = store(w->a, n, d, h->sparse ? CSR_64 : ROW_64);
    const gpis_block *b = &w->stored.block;
    gpis_status status =
        h->sparse ? gpis_source_csr(context, n, d, b->indptr, b->indices, b->values, GPIS_FLOAT64, &w->A)
                  : gpis_source_dense(context, b->values, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, b->row_stride, &w->A);
    if (status == GPIS_OK) status = gpis_problem_create(context, w->A, &w->problem);
    if (status == GPIS_OK) status = gpis_problem_response(w->problem, w->y, n, 1);
    if (status == GPIS_OK) status = gpis_problem_intercept(w->problem, h->intercept);
    if (status == GPIS_OK) status = gpis_problem_standardize(w->problem, h->standardize);
    if (status == GPIS_OK && h->weights) status = gpis_problem_weights(w->problem, w->weights, n);
    if (status == GPIS_OK && h->ridge > 0.0) status = gpis_problem_ridge(w->problem, h->ridge);
    if (status == GPIS_OK && h->bounds) status = gpis_set_parse(context, h->bounds, w->problem, &w->bounds);
    if (status == GPIS_OK && h->bounds) status = gpis_problem_constrain(w->problem, w->bounds);
    return status;
}

static void shut(rows_of_test *w) {
    gpis_problem_destroy(w->problem);
    gpis_set_destroy(w->bounds);
    gpis_source_destroy(w->A);
    matrix_clear(&w->stored);
    free(w->a), free(w->y), free(w->weights);
}

static gpis_path_options options_for(const how *h, const rows_of_test *w) {
    gpis_path_options o = gpis_path_options_default();
    o.set = h->set;
    o.penalised = !h->set;
    o.points = 8;
    o.eps = 0.1;
    o.folds = FOLDS;
    if (h->given_folds) o.fold = w->fold, o.fold_rows = w->n;
    return o;
}

static void compare_paths(const how *h, const gpis_path *gram, const gpis_path *wide) {
    assert_int_equal(gram->count, wide->count);
    if (wide->sweeps < 3) fail_msg("%s: the sweeps are %d: the Gram matrix was made", h->name, (int)wide->sweeps);
    if (fabs(gram->rows_weight - wide->rows_weight) > 1e-12 * gram->rows_weight)
        fail_msg("%s: weight of rows", h->name);
    for (int64_t i = 0; i < wide->count; i++) {
        const gpis_path_point *p = gram->points[i], *q = wide->points[i];
        if (p->outcome != GPIS_SOLVED || q->outcome != GPIS_SOLVED)
            fail_msg("%s, point %d: gap %g, on the Gram matrix %g", h->name, (int)i, q->gap, p->gap);
        if (fabs(p->value / q->value - 1.0) > 1e-12) fail_msg("%s: values %g and %g", h->name, p->value, q->value);
        if (fabs(p->objective / q->objective - 1.0) > 1e-8)
            fail_msg("%s, point %d: %.12g, on the Gram matrix %.12g", h->name, (int)i, q->objective, p->objective);
    }
}

static gpis_cv *run_cv(gpis_context *context, const how *h, const gpis_problem *problem, const gpis_path_options *o,
                       int64_t memory) {
    gpis_cv *cv = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.tol = 1e-9;
    assert_ok(context, gpis_context_set_memory(context, memory));
    if (gpis_cv_make(problem, o, &settings, &cv) != GPIS_OK)
        fail_msg("%s, memory %d: %s", h->name, (int)memory, gpis_last_error(context));
    assert_ok(context, gpis_context_set_memory(context, 0));
    return cv;
}

static void compare_errors(const how *h, const gpis_cv *gram, const gpis_cv *wide) {
    assert_int_equal(gram->folds, wide->folds);
    if (gram->stalled + wide->stalled > 0)
        fail_msg("%s: %d points of folds are not proven, %d on Gram matrices", h->name, (int)wide->stalled,
                 (int)gram->stalled);
    for (int64_t i = 0; i < gram->path->count * gram->folds; i++)
        if (fabs(gram->errors[i] / wide->errors[i] - 1.0) > (gram->path->exact > 0 ? 1e-8 : 1e-5))
            fail_msg("%s, point %d, fold %d: error %.12g, on the Gram matrix %.12g", h->name, (int)(i / gram->folds),
                     (int)(i % gram->folds), wide->errors[i], gram->errors[i]);
    assert_int_equal(gram->best, wide->best);
    assert_int_equal(gram->one_se, wide->one_se);
    assert_int_equal(wide->fit->outcome, GPIS_SOLVED);
}

/* On the grid that the Gram matrix gives. */
static void same_as_with_the_gram_matrix(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int c = 0; c < CASES; c++) {
        const how *h = &cases[c];
        rows_of_test w;
        double values[8];
        assert_ok(context, open(context, h, N, D, &w));
        gpis_path_options o = options_for(h, &w);
        gpis_cv *gram = run_cv(context, h, w.problem, &o, 0);
        assert_int_equal(gram->path->sweeps, 1);
        for (int i = 0; i < 8; i++) values[i] = gram->path->points[i]->value;
        o.values = values;
        o.value_count = 8;
        gpis_cv *wide = run_cv(context, h, w.problem, &o, LITTLE);
        compare_paths(h, gram->path, wide->path);
        compare_errors(h, gram, wide);
        gpis_cv_destroy(gram);
        gpis_cv_destroy(wide);
        shut(&w);
    }
    test_context_end(context, &memory);
}

/* The largest penalty is the same; the largest radius is that of an answer which a hundred passes give. */
static void own_grids(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int c = 0; c < CASES; c++) {
        const how *h = &cases[c];
        rows_of_test w;
        gpis_path *gram = NULL, *wide = NULL;
        assert_ok(context, open(context, h, N, D, &w));
        const gpis_path_options o = options_for(h, &w);
        assert_ok(context, gpis_path_make(w.problem, &o, NULL, &gram));
        assert_ok(context, gpis_context_set_memory(context, LITTLE / 2));
        if (gpis_path_make(w.problem, &o, NULL, &wide) != GPIS_OK)
            fail_msg("%s: %s", h->name, gpis_last_error(context));
        assert_ok(context, gpis_context_set_memory(context, 0));
        assert_true(wide->sweeps >= 3);
        const double ratio = wide->points[h->set ? 7 : 0]->value / gram->points[h->set ? 7 : 0]->value;
        if (fabs(ratio - 1.0) > (h->set ? 0.3 : 1e-12))
            fail_msg("%s: the largest value is %g times that", h->name, ratio);
        for (int64_t i = 0; i < wide->count; i++)
            if (wide->points[i]->outcome != GPIS_SOLVED) fail_msg("%s, point %d is not solved", h->name, (int)i);
        gpis_path_destroy(gram);
        gpis_path_destroy(wide);
        shut(&w);
    }
    test_context_end(context, &memory);
}

/*
 * The first columns of the working set are those that are most correlated with y: a hundred of them follow one hidden
 * number z, and so does y, so that they are all ahead of the columns that explain the rest of y. Rounds have to find
 * these, and then every point is one of the exact path.
 */
enum { ROWS = 500, COLUMNS = 400, ALIKE = 100, LAST = 380, POINTS = 12 };

static void find_columns_that_come_last(int64_t bytes, double eps) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = new_vector(ROWS * COLUMNS), *y = new_vector(ROWS), *z = new_vector(ROWS);
    gpis_source *A = NULL;
    gpis_problem *problem = NULL;
    gpis_path *path = NULL;
    fill_normal(a, ROWS * COLUMNS, 21, 1.0);
    fill_normal(y, ROWS, 22, 0.5);
    fill_normal(z, ROWS, 23, 3.0);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < ALIKE; j++) a[i * COLUMNS + j] += z[i];
        y[i] += z[i];
        for (int64_t j = LAST; j < COLUMNS; j++) y[i] += 0.4 * a[i * COLUMNS + j];
    }
    assert_ok(context, gpis_source_dense(context, a, GPIS_FLOAT64, GPIS_ROW_MAJOR, ROWS, COLUMNS, COLUMNS, &A));
    assert_ok(context, gpis_problem_create(context, A, &problem));
    assert_ok(context, gpis_problem_response(problem, y, ROWS, 1));
    assert_ok(context, gpis_context_set_threads(context, 1));
    assert_ok(context, gpis_context_set_memory(context, bytes));
    gpis_path_options o = gpis_path_options_default();
    o.penalised = 1;
    o.points = POINTS;
    o.eps = eps;
    assert_ok(context, gpis_path_make(problem, &o, NULL, &path));
    assert_int_equal(path->exact, POINTS);
    assert_in_range(path->sweeps, 5, 21); /* the first, and two for each round */
    assert_true(path->sweeps % 2 == 1);
    for (int64_t i = 0; i < POINTS; i++) assert_int_equal(path->points[i]->outcome, GPIS_SOLVED);
    for (int64_t j = LAST; j < COLUMNS; j++) assert_true(path->points[POINTS - 1]->x[j] > 0.0);
    gpis_path_destroy(path);
    gpis_problem_destroy(problem);
    gpis_source_destroy(A);
    free(a), free(y), free(z);
    test_context_end(context, &memory);
}

static void the_working_set_grows(void **state) {
    (void)state;
    find_columns_that_come_last(12000000, 0.01);
}

/* There is memory for fewer columns than the hundred and the others, but for all that a point needs. */
static void columns_that_no_point_needs_make_room(void **state) {
    (void)state;
    find_columns_that_come_last(2000000, 0.02);
}

/* What two folds and all rows are short of, an allocation after the other. */
static gpis_status make_all(gpis_context *context, void *user) {
    const how *h = user;
    rows_of_test w = {0};
    gpis_cv *cv = NULL;
    gpis_status status = gpis_context_set_threads(context, 1);
    if (status == GPIS_OK) status = gpis_context_set_memory(context, VERY_LITTLE);
    if (status == GPIS_OK) status = open(context, h, SMALL_N, SMALL_D, &w);
    gpis_path_options o = options_for(h, &w);
    o.folds = 2;
    o.points = 2;
    o.eps = 0.8;
    if (status == GPIS_OK) status = gpis_cv_make(w.problem, &o, NULL, &cv);
    if (status == GPIS_OK) assert_int_equal(cv->path->sweeps, 3); /* no point from the rows alone */
    gpis_cv_destroy(cv);
    shut(&w);
    return status;
}

static void failing_allocations(void **state) {
    (void)state;
    how penalty = cases[3];
    assert_true(test_every_allocation(make_all, &penalty) > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_with_the_gram_matrix), cmocka_unit_test(own_grids),
                                       cmocka_unit_test(the_working_set_grows),
                                       cmocka_unit_test(columns_that_no_point_needs_make_room),
                                       cmocka_unit_test(failing_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
