/* The Gram matrix in single precision: near the exact one for columns of unit norm, whatever their units; the same bits
 * for any number of threads; zero columns; failing allocations. */
#include "linalg/coarse.h"

#include "support.h"

static double *matrix_of(int64_t m, int64_t d, bool units) {
    double *B = calloc((size_t)(m * d), sizeof *B);
    gpis_random_normal(8, 1, 0, m * d, B);
    for (int64_t i = 0; units && i < m * d; i++) B[i] *= pow(10.0, (double)(i % d * 37 % 61) - 30.0);
    for (int64_t i = 0; d > 3 && i < m; i++) B[i * d + 2] = 0.0;
    return B;
}

static void check(const double *B, int64_t m, int64_t d, const double *H) {
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            long double exact = 0, ii = 0, jj = 0;
            for (int64_t r = 0; r < m; r++) {
                const double a = B[r * d + i], b = B[r * d + j];
                exact += (long double)a * b, ii += (long double)a * a, jj += (long double)b * b;
            }
            assert_close(H[i * d + j], (double)exact, 1e-6 * (double)sqrtl(ii * jj));
        }
}

static void near_the_exact_one(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 1}, {3, 5}, {600, 17}, {5000, 40}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t t = 0; t < sizeof shapes / sizeof *shapes; t++)
        for (int units = 0; units < 2; units++) {
            const int64_t m = shapes[t][0], d = shapes[t][1];
            double *B = matrix_of(m, d, units), *H = calloc((size_t)(2 * d * d), sizeof *H), *again = H + d * d;
            assert_ok(context, gpis_context_set_threads(context, 1));
            assert_ok(context, gpis_coarse_gram(context, B, m, d, H));
            check(B, m, d, H);
            assert_ok(context, gpis_context_set_threads(context, 3));
            assert_ok(context, gpis_coarse_gram(context, B, m, d, again));
            assert_memory_equal(H, again, (size_t)(d * d) * sizeof *H);
            free(B), free(H);
        }
    test_context_end(context, &memory);
}

static gpis_status work(gpis_context *context, void *user) {
    double H[25];
    return gpis_coarse_gram(context, user, 3, 5, H);
}

static void memory_runs_out(void **state) {
    (void)state;
    double *B = matrix_of(3, 5, false);
    assert_int_equal(test_every_allocation(work, B), 3);
    free(B);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_the_exact_one), cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
