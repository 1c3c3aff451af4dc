/* Null vectors guessed from a Gram matrix, and what a model makes of those that are given to it. */
#include "linalg/null_vectors.h"

#include <cblas.h>
#include <omp.h>

#include "linalg/exact.h"
#include "support.h"

enum { N = 400, MAX_VECTORS = 16 };

static gpis_model *model_of(gpis_context *context, const double *a, int64_t n, int64_t d) {
    double *H = gpis_alloc_zero(context, d * d, sizeof *H);
    if (!H) return NULL;
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)n, 1.0, a, (int)d, 0.0, H, (int)d);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < i; j++) H[i * d + j] = H[j * d + i];
    gpis_model *model = NULL;
    gpis_model_create(context, d, H, (double)n + 8.0, &model);
    return model;
}

/* The columns of a random matrix; those from `kept` on are `combine` of the others, v being (combine, -1). */
static double *columns_of(int64_t d, int64_t kept, const double *combine) {
    double *a = malloc((size_t)(N * d) * sizeof *a);
    gpis_random_normal(3, 1, 0, N * d, a);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = kept; j < d; j++) {
            a[i * d + j] = 0.0;
            for (int64_t t = 0; t < kept; t++) a[i * d + j] += combine[(j - kept) * kept + t] * a[i * d + t];
        }
    return a;
}

/* ||A v||^2 relative to the squares of its terms. */
static double miss(const double *a, int64_t d, const double *v) {
    double sum2 = 0.0, size2 = 0.0;
    for (int64_t i = 0; i < N; i++) {
        double row = 0.0;
        for (int64_t j = 0; j < d; j++) {
            row += a[i * d + j] * v[j];
            size2 += a[i * d + j] * v[j] * a[i * d + j] * v[j];
        }
        sum2 += row * row;
    }
    return size2 > 0.0 ? sum2 / size2 : 0.0;
}

/* There are as many null vectors as columns that depend on others, each has its own column, and the first guess at each
 * has A v = 0 but for rounding. */
static void check_found(gpis_context *context, const double *a, int64_t d, int64_t deficit) {
    gpis_model *m = model_of(context, a, N, d);
    double *W = malloc((size_t)(MAX_VECTORS * d) * sizeof *W), *V = malloc((size_t)(GPIS_GUESSES * d) * sizeof *V);
    int64_t count, missing, own[MAX_VECTORS];
    assert_ok(context, gpis_null_vectors_find(m, MAX_VECTORS, W, own, &count, &missing));
    assert_int_equal(missing, deficit);
    assert_int_equal(count, deficit);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t t = 0; t < count; t++) assert_true(W[i * d + own[t]] == (t == i ? -1.0 : 0.0));
        assert_true(miss(a, d, W + i * d) <= 1e-20);
        assert_true(gpis_null_vectors_guess(m, W + i * d, own[i], a, N, V) >= 1);
        assert_true(miss(a, d, V) <= 1e-29);
        memcpy(W + i * d, V, (size_t)d * sizeof *V);
    }
    if (count > 0) {
        assert_ok(context, gpis_model_add_null(m, count, W, 0.0));
        assert_true(m->shift == 0.0 && m->slack == 0.0 && m->c > 0.999 && m->inverse < 1e8);
    }
    gpis_model_destroy(m);
    free(W);
    free(V);
}

static void small_fractions_are_guessed(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const double one[] = {1, 0, 0, 0}, sum[] = {1, 1, -1, 0}, thirds[] = {1.0 / 3.0, -2.0, 0.0, 7.0 / 12.0};
    static const double powers[] = {0, 0x1p40, 0, 0}, units[] = {1000.0, 0, 0, 0}, nothing[] = {0, 0, 0, 0};
    static const double several[] = {1, 0, 0, 0, 1, -1, 0, 0, 0, 0, 0, 0, 0.5, 0, 0, 2};
    static const double *const cases[] = {one, sum, thirds, powers, units, nothing};
    for (int i = 0; i < 6; i++) {
        double *a = columns_of(5, 4, cases[i]);
        check_found(context, a, 5, 1);
        free(a);
    }
    double *a = columns_of(8, 4, several);
    check_found(context, a, 8, 4);
    for (int i = 0; i < N * 8; i++) a[i] = 0.0;
    check_found(context, a, 8, 8);
    free(a);
    a = columns_of(6, 6, NULL);
    check_found(context, a, 6, 0);
    free(a);
    test_context_end(context, &memory);
}

/* The number of guesses, and whether one of them is exactly null: row by row, in error-free arithmetic. */
static bool is_guessed(gpis_context *context, const double *a, int64_t n, int64_t d, const double *rows, int *guesses) {
    gpis_model *m = model_of(context, a, n, d);
    double W[MAX_VECTORS], V[GPIS_GUESSES * MAX_VECTORS], columns[GPIS_GUESSES * MAX_VECTORS],
        misses[GPIS_GUESSES] = {0};
    int64_t count, deficit, own;
    assert_ok(context, gpis_null_vectors_find(m, 1, W, &own, &count, &deficit));
    assert_int_equal(deficit, 1);
    *guesses = gpis_null_vectors_guess(m, W, own, rows, rows ? 3 : 0, V);
    for (int i = 0; i < *guesses; i++)
        for (int64_t j = 0; j < d; j++) columns[j * *guesses + i] = V[i * d + j];
    const gpis_block block = gpis_block_dense(GPIS_FLOAT64, 0, n, d, a);
    gpis_exact_misses(&block, *guesses, columns, misses);
    bool found = false;
    for (int i = 0; i < *guesses; i++) found = found || misses[i] == 0.0;
    gpis_model_destroy(m);
    return found;
}

/* A constant beside a column of ones, whatever it is; of two other constants, the data themselves are needed. */
static void constants_are_guessed(void **state) {
    (void)state;
    enum { D = 4 };
    static const double pairs[][2] = {{2013, 1},   {1025, 1},        {0.1, 1},   {3.14, 1},    {1, 0.473},
                                      {-7e-5, 1},  {1, 299792},      {0.1, 0.3}, {3.14, 2013}, {1e-7, 123456},
                                      {0.7, 1e12}, {2.0 / 3.0, 0.9}, {1e-30, 3}, {0.25, 1e-3}, {1, 1.0 / 3.0}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (int64_t n = 100; n <= 400; n += 75) { /* the unit of a column depends on the number of rows */
            double *a = columns_of(D, D, NULL);
            int guesses;
            for (int64_t i = 0; i < n; i++) a[i * D + 1] = pairs[p][0], a[i * D + 3] = pairs[p][1];
            if (!is_guessed(context, a, n, D, a, &guesses))
                fail_msg("%g beside %g, %d rows: not among %d guesses", pairs[p][0], pairs[p][1], (int)n, guesses);
            free(a);
        }
    test_context_end(context, &memory);
}

/* Groups of more than two: a constant that is not 1 beside dummy variables that are not 0 and 1. */
static void groups_are_guessed(void **state) {
    (void)state;
    enum { D = 5 };
    static const double values[][2] = {{3.14, 1}, {0.1, 1}, {0.1, 0.3}, {2013, 0.7}, {1, 1}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t p = 0; p < sizeof values / sizeof *values; p++) {
        double *a = columns_of(D, D, NULL);
        int guesses;
        for (int64_t i = 0; i < N; i++) {
            a[i * D] = values[p][0];
            for (int g = 0; g < 3; g++) a[i * D + 1 + g] = (i * 7 + i / 11) % 3 == g ? values[p][1] : 0.0;
        }
        if (!is_guessed(context, a, N, D, a, &guesses))
            fail_msg("%g beside groups of %g: not among %d guesses", values[p][0], values[p][1], guesses);
        free(a);
    }
    test_context_end(context, &memory);
}

/* Combinations that have neither few digits nor a ratio that the data show: there is a null vector, but no guess. */
static void others_are_not_guessed(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const double combine[] = {0.0, 3.14159265358979, 0.0, 0.0001234567891};
    double *a = columns_of(5, 4, combine);
    int guesses;
    assert_false(is_guessed(context, a, N, 5, NULL, &guesses));
    assert_int_equal(guesses, 0);
    assert_false(is_guessed(context, a, N, 5, a, &guesses));
    free(a);
    test_context_end(context, &memory);
}

/* Null vectors that are given one after the other, the second one nearly null: H curves along both, and claims less. */
static void nulls_add_up(void **state) {
    (void)state;
    enum { D = 6 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const double combine[] = {1, 0, 0, 0, 0, 3, 0, -1};
    const double first[D] = {1, 0, 0, 0, -1, 0}, second[D] = {0, 3, 0, -1, 0, -1};
    double *a = columns_of(D, 4, combine);
    gpis_model *m = model_of(context, a, N, D);
    assert_ok(context, gpis_model_add_null(m, 1, first, 0.0));
    assert_true(m->nulls == 1 && m->slack > 0.0 && m->nearness == 0.0);
    const double roundings = m->roundings;
    assert_ok(context, gpis_model_add_null(m, 1, second, 0x1p-52));
    assert_true(m->nulls == 2 && m->slack == 0.0 && m->inverse < 1e8 && m->nearness == 0x1p-52);
    assert_true(m->roundings >= roundings + 4.0); /* 2 nearness / 2^-53 */
    assert_memory_equal(m->N, first, sizeof first);
    assert_memory_equal(m->N + D, second, sizeof second);
    double UN[4] = {0}; /* U'N' is invertible */
    for (int i = 0; i < 4; i++) UN[i] = cblas_ddot(D, m->U + i / 2 * D, 1, m->N + i % 2 * D, 1);
    assert_true(fabs(UN[0] * UN[3] - UN[1] * UN[2]) > 1e-3 * fabs(UN[0] * UN[3]));
    gpis_model_destroy(m);
    free(a);
    test_context_end(context, &memory);
}

static gpis_status find_and_add(gpis_context *context, void *user) {
    double W[MAX_VECTORS * 5];
    int64_t count, deficit, own[MAX_VECTORS];
    gpis_model *m = model_of(context, user, N, 5);
    gpis_status status = m ? gpis_null_vectors_find(m, MAX_VECTORS, W, own, &count, &deficit) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_model_add_null(m, count, W, 0.0);
    gpis_model_destroy(m);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    static const double sum[] = {1, 1, -1, 0};
    double *a = columns_of(5, 4, sum);
    assert_true(test_every_allocation(find_and_add, a) >= 10);
    free(a);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library */
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_fractions_are_guessed),
                                       cmocka_unit_test(constants_are_guessed),
                                       cmocka_unit_test(groups_are_guessed),
                                       cmocka_unit_test(others_are_not_guessed),
                                       cmocka_unit_test(nulls_add_up),
                                       cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
