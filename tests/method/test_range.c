/* Data whose squares underflow are refused, whatever the storage; small data whose squares do not, zero columns and a
 * zero y are solved. */
#include <math.h>

#include "calls.h"

enum { N = 40, D = 4 };

typedef struct data {
    double A[N * D], y[N];
} data;

static data make(double scale_A, double scale_y) {
    data s;
    gpis_random_normal(3, 1, 0, N * D, s.A);
    gpis_random_normal(3, 2, 0, N, s.y);
    for (int i = 0; i < N * D; i++) s.A[i] *= scale_A;
    for (int i = 0; i < N; i++) s.y[i] *= scale_y;
    return s;
}

/* Solves without a set; x may be NULL. */
static gpis_status solve(gpis_context *context, const data *s, gpis_order order, double *x) {
    gpis_source *A;
    gpis_result *result = NULL;
    const int64_t ld = order == GPIS_ROW_MAJOR ? D : N;
    assert_ok(context, gpis_source_dense(context, s->A, GPIS_FLOAT64, order, N, D, ld, &A));
    const gpis_status status = test_solve(context, A, s->y, 1, NULL, NULL, &result);
    if (status == GPIS_OK) assert_int_equal(result->outcome, GPIS_SOLVED);
    if (status == GPIS_OK && x) memcpy(x, result->x, D * sizeof *x);
    gpis_result_destroy(result);
    gpis_source_destroy(A);
    return status;
}

static void refuses(gpis_context *context, const data *s, const char *text) {
    for (int order = GPIS_ROW_MAJOR; order <= GPIS_COLUMN_MAJOR; order++) {
        assert_int_equal(solve(context, s, (gpis_order)order, NULL), GPIS_BAD_DATA);
        assert_non_null(strstr(gpis_last_error(context), text));
        assert_non_null(strstr(gpis_last_error(context), "underflow"));
    }
}

static void small_data(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const double scales[] = {1e-140, 1e-158, 1e-162, 1e-165, 1e-200, 1e-310};
    for (int i = 0; i < 6; i++) {
        const data both = make(scales[i], scales[i]), only_A = make(scales[i], 1.0), only_y = make(1.0, scales[i]);
        refuses(context, &both, "column 1");
        refuses(context, &only_A, "column 1");
        refuses(context, &only_y, "y");
    }
    data one = make(1.0, 1.0);
    for (int i = 0; i < N; i++) one.A[i * D + 2] *= 1e-200; /* a single column of row-major data */
    assert_int_equal(solve(context, &one, GPIS_ROW_MAJOR, NULL), GPIS_BAD_DATA);
    assert_non_null(strstr(gpis_last_error(context), "column 3"));
    test_context_end(context, &memory);
}

static void data_that_only_look_small(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double x[D], reference[D];
    const data usual = make(1.0, 1.0), small = make(0x1p-440, 0x1p-440), zero_y = make(1.0, 0.0);
    assert_ok(context, solve(context, &usual, GPIS_ROW_MAJOR, reference));
    assert_ok(context, solve(context, &small, GPIS_ROW_MAJOR, x));
    for (int j = 0; j < D; j++) assert_close(x[j], reference[j], 1e-12);
    assert_ok(context, solve(context, &zero_y, GPIS_ROW_MAJOR, x));
    for (int j = 0; j < D; j++) assert_true(x[j] == 0.0);
    data zero_column = usual;
    for (int i = 0; i < N; i++) zero_column.A[i * D + 1] = 0.0;
    assert_ok(context, solve(context, &zero_column, GPIS_ROW_MAJOR, x));
    data exact_fit = usual;
    for (int i = 0; i < N; i++) exact_fit.y[i] = exact_fit.A[i * D];
    assert_ok(context, solve(context, &exact_fit, GPIS_ROW_MAJOR, x));
    assert_close(x[0], 1.0, 1e-14);
    test_context_end(context, &memory);
}

/* The first objective is that of x0, and large: it does not show that y is small. */
static void small_response_far_from_zero(void **state) {
    (void)state;
    static const double scales[] = {1e-140, 1e-160, 1e-200};
    static const char *const methods[] = {"newton", "apgd", "gpis"}, *const specs[] = {"none", "nonneg", "l1:1"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const double ones[D] = {1.0, 1.0, 1.0, 1.0};
    for (int i = 0; i < 27; i++) {
        const data s = make(1.0, scales[i % 3]);
        gpis_source *A;
        gpis_set *set;
        gpis_settings settings = gpis_settings_default();
        gpis_result *result = NULL;
        settings.x0 = ones;
        settings.x0_entries = D;
        settings.method = methods[i / 3 % 3];
        assert_ok(context, gpis_source_dense(context, s.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &A));
        assert_ok(context, test_set(context, specs[i / 9], D, 1, &set));
        const gpis_status status = test_solve(context, A, s.y, 1, set, &settings, &result);
        if (status != GPIS_BAD_DATA)
            fail_msg("%s with %s and y of 1e%.0f: %s", specs[i / 9], methods[i / 3 % 3], log10(scales[i % 3]),
                     gpis_status_text(status));
        gpis_result_destroy(result);
        gpis_set_destroy(set);
        gpis_source_destroy(A);
    }
    test_context_end(context, &memory);
}

/* One pass solves it, and whether a column is zero takes another: without that nothing is claimed. */
static void a_pass_too_few(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *A;
    gpis_set *set;
    data s = make(1.0, 1.0);
    for (int i = 0; i < N; i++) s.A[i * D + 1] = 0.0;
    assert_ok(context, gpis_source_dense(context, s.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &A));
    assert_ok(context, gpis_set_l1(context, 0.0, D, &set)); /* x = 0 */
    for (int64_t limit = 0; limit <= 1; limit++) {
        gpis_settings settings = gpis_settings_default();
        gpis_result *result = NULL;
        settings.method = "apgd";
        settings.max_passes = limit;
        assert_ok(context, test_solve(context, A, s.y, 1, set, &settings, &result));
        assert_int_equal(result->outcome, limit ? GPIS_MAX_PASSES : GPIS_SOLVED);
        assert_int_equal(result->gap_kind, limit ? GPIS_GAP_NONE : GPIS_GAP_PROVEN);
        assert_int_equal(result->passes, limit ? 1 : 2);
        gpis_result_destroy(result);
    }
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_data), cmocka_unit_test(data_that_only_look_small),
                                       cmocka_unit_test(small_response_far_from_zero),
                                       cmocka_unit_test(a_pass_too_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
