/* How many threads a parallel region gets. */
#include "support.h"

static void small_regions_have_one_thread(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 64};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gpis_threads_for(threads[i], 0.0), 1);
        assert_int_equal(gpis_threads_for(threads[i], 1000.0), 1);
        assert_int_equal(gpis_threads_for(threads[i], 800.0 * 100.0), 1); /* the sketch of a small problem */
        assert_int_equal(gpis_threads_for(threads[i], 20000.0 * 100.0), threads[i]);
        assert_int_equal(gpis_threads_for(threads[i], 1e30), threads[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_regions_have_one_thread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
