/* Names for the columns of rows in memory: they replace others, are copied, and are found by specs and messages. */
#include <math.h>

#include "support.h"

enum { D = 3 };
static const double rows[2 * D] = {1, 2, 3, 4, 5, 6};

static gpis_status name_twice(gpis_context *context, void *unused) {
    (void)unused;
    gpis_source *source = NULL;
    char first[] = "a";
    const char *const names[D] = {first, "b", "c"}, *const others[D] = {"", "longer than before", "c"};
    gpis_status status = gpis_source_dense(context, rows, GPIS_FLOAT64, GPIS_ROW_MAJOR, 2, D, D, &source);
    if (status == GPIS_OK) status = gpis_source_name_columns(source, names, D);
    first[0] = 'z';
    if (status == GPIS_OK) assert_string_equal(gpis_source_column(source, 0), "a");
    if (status == GPIS_OK) status = gpis_source_name_columns(source, others, D);
    if (status == GPIS_OK) assert_string_equal(gpis_source_column(source, 0), "");
    if (status == GPIS_OK) assert_string_equal(gpis_source_column(source, 1), "longer than before");
    gpis_source_destroy(source);
    return status;
}

static void test_copied(void **state) {
    (void)state;
    assert_true(test_every_allocation(name_twice, NULL) > 3);
}

static void test_used(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    gpis_problem *problem;
    gpis_set *set;
    double bad[2 * D] = {1, 2, 3, 4, NAN, 6};
    const char *const names[D] = {"age", "bmi", "bp"}, *const hole[D] = {"age", NULL, "bp"};
    assert_ok(context, gpis_source_dense(context, bad, GPIS_FLOAT64, GPIS_ROW_MAJOR, 2, D, D, &source));
    assert_int_equal(gpis_source_name_columns(source, names, D - 1), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_source_name_columns(source, NULL, D), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_source_name_columns(source, hole, D), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_source_name_columns(NULL, names, D), GPIS_BAD_ARGUMENT);
    assert_null(gpis_source_column(source, 0));
    assert_ok(context, gpis_source_name_columns(source, names, D));
    assert_int_equal(gpis_source_audit(context, source), GPIS_BAD_DATA);
    assert_non_null(strstr(gpis_last_error(context), "column 2 (bmi) is nan"));
    assert_ok(context, gpis_problem_create(context, source, &problem));
    assert_ok(context, gpis_set_parse(context, "nonneg[age:bmi]", problem, &set));
    double v[D] = {-1, -2, -3}, x[D];
    assert_ok(context, gpis_set_project(set, v, x));
    assert_true(x[0] == 0 && x[1] == 0 && x[2] == -3);
    gpis_set_destroy(set);
    gpis_problem_destroy(problem);
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copied), cmocka_unit_test(test_used)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
