/* The Walsh-Hadamard transform against its definition. */
#include "linalg/fwht.h"

#include "support.h"

static double entry(int64_t i, int64_t j) { return __builtin_popcountll((unsigned long long)(i & j)) % 2 ? -1.0 : 1.0; }

static void equals_definition(void **state) {
    (void)state;
    enum { MAX_LENGTH = 128, WIDTHS = 9 };
    static double x[MAX_LENGTH * WIDTHS], y[MAX_LENGTH * WIDTHS];
    for (int64_t n = 1; n <= MAX_LENGTH; n *= 2)
        for (int64_t width = 1; width <= WIDTHS; width++) {
            gpis_random_normal(1, (uint64_t)width, 0, n * width, x);
            memcpy(y, x, sizeof x);
            gpis_fwht(y, n, width);
            for (int64_t i = 0; i < n; i++)
                for (int64_t c = 0; c < width; c++) {
                    double sum = 0.0;
                    for (int64_t j = 0; j < n; j++) sum += entry(i, j) * x[j * width + c];
                    assert_close(y[i * width + c], sum, 1e-13 * (double)n);
                }
        }
}

/* H H = n I, exactly on integers. */
static void twice_is_n_times(void **state) {
    (void)state;
    const int64_t n = 1 << 15;
    double *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = (double)(i * 37 % 101);
    gpis_fwht(x, n, 1);
    gpis_fwht(x, n, 1);
    for (int64_t i = 0; i < n; i++) assert_true(x[i] == (double)n * (double)(i * 37 % 101));
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_definition), cmocka_unit_test(twice_is_n_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
