/* How many threads a parallel region gets, and what is left of the messages when several threads fail at once. */
#include <omp.h>

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

/* The message is that of one of the threads, whole. */
static void threads_that_fail_at_once(void **state) {
    (void)state;
    enum { ROUNDS = 3000, THREADS = 4, LENGTH = 400 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(THREADS)
        {
            char text[LENGTH + 1] = "";
            memset(text, 'a' + omp_get_thread_num(), (size_t)(LENGTH - 50 * omp_get_thread_num()));
            gpis_fail(context, GPIS_IO, "%s", text);
        }
        const char *message = gpis_last_error(context);
        assert_int_equal(strlen(message), LENGTH - 50 * (message[0] - 'a'));
        for (const char *c = message; *c; c++) assert_int_equal(*c, message[0]);
    }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_regions_have_one_thread),
                                       cmocka_unit_test(threads_that_fail_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
