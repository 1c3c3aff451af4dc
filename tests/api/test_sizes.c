/* Sizes near the largest integer: rows made on demand cost nothing to promise. Refused or right, never an overflow
 * (which shows under the undefined-behaviour sanitizer). */
#include "calls.h"

static const int64_t LARGEST = INT64_MAX;

static int zeros(void *user, int64_t row0, int64_t nrows, double *rows) {
    const int64_t d = *(const int64_t *)user;
    (void)row0;
    memset(rows, 0, (size_t)(nrows * d) * sizeof *rows);
    return 0;
}

static gpis_source *promise(gpis_context *context, int64_t n, int64_t *d) {
    gpis_source *source = NULL;
    assert_ok(context, gpis_source_callback(context, n, *d, zeros, d, 1, &source));
    return source;
}

static void slices_out_of_range_are_refused(void **state) {
    (void)state;
    static const int64_t numbers[] = {INT64_MIN, -1, 0, 1, 4, 5, INT64_MAX - 1, INT64_MAX};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    int64_t d = 1;
    gpis_source *few = promise(context, 5, &d), *many = promise(context, LARGEST / 8, &d), *slice;
    for (int i = 0; i < NUMBERS; i++)
        for (int j = 0; j < NUMBERS; j++) {
            const bool inside = numbers[i] >= 0 && numbers[j] >= 1 && numbers[i] < 5 && numbers[j] <= 5 - numbers[i];
            assert_int_equal(gpis_source_slice(context, few, numbers[i], numbers[j], &slice),
                             inside ? GPIS_OK : GPIS_BAD_ARGUMENT);
            gpis_source_destroy(slice);
        }
    double row;
    assert_ok(context, gpis_source_slice(context, many, LARGEST / 8 - 2, 2, &slice));
    assert_ok(context, gpis_source_rows(context, slice, 1, 1, &row));
    gpis_source_destroy(slice);
    gpis_source_destroy(many);
    gpis_source_destroy(few);
    test_context_end(context, &memory);
}

static void shares_cover_all_rows(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 1023, 1024, 1025, 1 << 20, INT64_MAX / 2, INT64_MAX - 1024, INT64_MAX};
    static const int counts[] = {1, 2, 3, 1000, INT32_MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            const int ranks = counts[c];
            assert_true(gpis_share_begin(sizes[s], 0, ranks) == 0);
            assert_true(gpis_share_begin(sizes[s], ranks, ranks) == sizes[s]);
            for (int64_t r = 0; r < ranks; r += ranks / 5 + 1) {
                const int64_t begin = gpis_share_begin(sizes[s], (int)r, ranks),
                              end = gpis_share_begin(sizes[s], (int)r + 1, ranks);
                assert_true(begin >= 0 && begin <= end && end <= sizes[s]);
                assert_true(begin % 1024 == 0 || begin == sizes[s]);
            }
        }
    assert_true(gpis_share_begin(-1, 0, 2) == 0 && gpis_share_begin(10, 0, 0) == 0 && gpis_share_begin(10, -1, 2) == 0);
}

/* No memory holds the arrays that these calls promise: nothing is read before they are refused. */
static void passes_that_are_too_large_are_refused(void **state) {
    (void)state;
    static const int64_t VAST = INT64_MAX / 8;
    const struct {
        int64_t n, d, k, count;
    } calls[] = {{1, VAST, 1, 0},          {1, VAST, VAST, 0},     {VAST, 1, 3, 0},        {VAST, 1, VAST, 0},
                 {VAST, 1, LARGEST, 0},    {3, 2, VAST, 0},        {3, 2, LARGEST, 0},     {3, 2, LARGEST / 2, 0},
                 {3, 2, 1, VAST},          {3, 2, 1, LARGEST},     {3, 2, VAST / 2, VAST}, {1, VAST, 1, VAST},
                 {3, 1 << 30, VAST, VAST}, {1, LARGEST / 16, 2, 2}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double number[16] = {0}, objective;
    gpis_context_set_memory(context, 1 << 26);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        int64_t d = calls[i].d;
        const int64_t count = calls[i].count;
        gpis_source *A = promise(context, calls[i].n, &d);
        gpis_status status = test_evaluate_with(context, A, number, calls[i].k, number, &objective, number,
                                                count ? number : NULL, count, count ? number : NULL);
        assert_true(status == GPIS_TOO_LARGE || status == GPIS_NO_MEMORY);
        status = d > 2 ? gpis_gram(context, A, number) : GPIS_TOO_LARGE;
        assert_true(status == GPIS_TOO_LARGE || status == GPIS_NO_MEMORY);
        gpis_source_destroy(A);
    }
    test_context_end(context, &memory);
}

static void parts_that_are_too_many_are_refused(void **state) {
    (void)state;
    enum { PARTS = 16 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    int64_t wide = LARGEST / 16, thin = 1;
    gpis_source *parts[PARTS], *joined;
    for (int i = 0; i < PARTS; i++) parts[i] = promise(context, 1, &wide);
    assert_int_equal(gpis_source_join(context, parts, PARTS, NULL, &joined), GPIS_TOO_LARGE);
    assert_null(joined);
    for (int i = 0; i < PARTS; i++) gpis_source_destroy(parts[i]);
    for (int i = 0; i < PARTS; i++) parts[i] = promise(context, LARGEST / 8, &thin);
    assert_int_equal(gpis_source_join(context, parts, PARTS, NULL, &joined), GPIS_TOO_LARGE);
    for (int i = 0; i < PARTS; i++) gpis_source_destroy(parts[i]);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_out_of_range_are_refused), cmocka_unit_test(shares_cover_all_rows),
        cmocka_unit_test(passes_that_are_too_large_are_refused), cmocka_unit_test(parts_that_are_too_many_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
