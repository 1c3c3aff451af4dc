/* Null vectors guessed from a Gram matrix, and what a model makes of those that are given to it. */
#include "linalg/dependent.h"

#include <cblas.h>
#include <omp.h>

#include "support.h"

enum { N = 400, MOST = 16 };

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

/* Each guess has A v = 0 but for rounding, and there are as many as columns that depend on others. */
static void check_found(gpis_context *context, const double *a, int64_t d, int64_t deficit) {
    gpis_model *m = model_of(context, a, N, d);
    double *guesses = malloc((size_t)(MOST * d) * sizeof *guesses);
    int64_t count;
    gpis_dependence found;
    assert_ok(context, gpis_dependent_find(m, MOST, guesses, &count, &found));
    assert_int_equal(found.deficit, deficit);
    assert_int_equal(count, deficit);
    for (int64_t g = 0; g < count; g++) {
        double sum2 = 0.0, size2 = 0.0;
        for (int64_t i = 0; i < N; i++) {
            double row = 0.0;
            for (int64_t j = 0; j < d; j++) {
                row += a[i * d + j] * guesses[g * d + j];
                size2 += a[i * d + j] * guesses[g * d + j] * a[i * d + j] * guesses[g * d + j];
            }
            sum2 += row * row;
        }
        assert_true(sum2 <= 1e-29 * size2);
    }
    if (count > 0) {
        assert_ok(context, gpis_model_add_null(m, count, guesses));
        assert_true(m->shift == 0.0 && m->slack == 0.0 && m->c > 0.999 && m->inverse < 1e5);
    }
    gpis_model_destroy(m);
    free(guesses);
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

/* Combinations that are no small fractions: no guess, but the columns are named. */
static void others_are_named(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const double combine[] = {0.0, 3.14159265358979, 0.0, 0.0001234567};
    double *a = columns_of(5, 4, combine), guesses[MOST * 5];
    gpis_model *m = model_of(context, a, N, 5);
    int64_t count;
    gpis_dependence found;
    assert_ok(context, gpis_dependent_find(m, MOST, guesses, &count, &found));
    assert_int_equal(found.deficit, 1);
    assert_int_equal(count, 0);
    assert_int_equal(found.columns[0] + found.columns[1], 5); /* 1 and 4 */
    assert_int_equal(found.columns[0] * found.columns[1], 4);
    const double v[5] = {0.5, 0.0, -3.0, 0.0, 1.0}, single[5] = {0.0, 0.0, 1.0, 0.0, 0.0};
    int64_t columns[2];
    for (int j = 0; j < 5; j++) m->scale[j] = 1.0;
    gpis_dependent_columns(m, v, columns);
    assert_true(columns[0] == 2 && columns[1] == 4);
    gpis_dependent_columns(m, single, columns);
    assert_true(columns[0] == 2 && columns[1] == 2);
    gpis_model_destroy(m);
    free(a);
    test_context_end(context, &memory);
}

static gpis_status find_and_add(gpis_context *context, void *user) {
    double guesses[MOST * 5];
    int64_t count;
    gpis_dependence found;
    gpis_model *m = model_of(context, user, N, 5);
    gpis_status status = m ? gpis_dependent_find(m, MOST, guesses, &count, &found) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_model_add_null(m, count, guesses);
    gpis_model_destroy(m);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    static const double sum[] = {1, 1, -1, 0};
    double *a = columns_of(5, 4, sum);
    assert_true(test_every_allocation(find_and_add, a) >= 11);
    free(a);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library */
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_fractions_are_guessed),
                                       cmocka_unit_test(others_are_named), cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
