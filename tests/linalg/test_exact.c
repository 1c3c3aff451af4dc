/* A v = 0 exactly: it is recognised in every storage, and never claimed where it does not hold, by however little. */
#include "linalg/exact.h"

#include <math.h>

#include "sketch/matrices.h"

static double misses_of(const double *a, int64_t n, int64_t d, const double *v, storage how) {
    matrix m = store(a, n, d, how);
    double misses = 0.0;
    gpis_exact_misses(&m.block, 1, v, &misses);
    matrix_clear(&m);
    return misses;
}

/* Small numbers, and a last column that is the combination of the others by v. */
static void dependent_columns_are_seen(void **state) {
    (void)state;
    enum { N = 300, D = 7 };
    const double v[D] = {1.0, -2.0, 0.0, 0.5, 3.0, -0.125, -1.0};
    double *a = small_numbers(N * D, 4);
    for (int i = 0; i < N; i++) {
        a[i * D + D - 1] = 0.0;
        for (int j = 0; j < D - 1; j++) a[i * D + D - 1] += v[j] * a[i * D + j];
    }
    for (int how = 0; how < STORAGES; how++) assert_true(misses_of(a, N, D, v, how) == 0.0);
    a[17 * D + 2] += 1.0; /* not in v */
    for (int how = 0; how < STORAGES; how++) assert_true(misses_of(a, N, D, v, how) == 0.0);
    a[17 * D + 5] += 0.125;
    a[18 * D + 0] += 0.125;
    for (int how = 0; how < STORAGES; how++) assert_true(misses_of(a, N, D, v, how) == 2.0);
    free(a);
}

__extension__ typedef __int128 whole;

/* Whole numbers of 53 bits, so that plain sums are far from exact, against integer arithmetic: the last two columns
 * hold what makes a row's sum zero, but for one unit in every third row. */
static void sums_that_round_are_seen(void **state) {
    (void)state;
    enum { N = 3000, D = 6 };
    const double v[D] = {1.0, 3.0, -1023.0, 77.0, -1.0, -1.0};
    double *a = malloc(N * D * sizeof *a);
    int off = 0;
    for (int i = 0; i < N; i++) {
        whole sum = 0;
        for (int j = 0; j < 4; j++) {
            const gpis_bits bits = gpis_random_bits(6, 1, (uint64_t)(i * D + j));
            const int64_t number = (int64_t)(((uint64_t)bits.v[0] << 32 | bits.v[1]) >> 11) - ((int64_t)1 << 52);
            a[i * D + j] = (double)number;
            sum += (whole)number * (whole)v[j];
        }
        sum += i % 3 == 0;
        off += i % 3 == 0;
        a[i * D + 4] = (double)sum;
        a[i * D + 5] = (double)(sum - (whole)a[i * D + 4]);
    }
    assert_true(misses_of(a, N, D, v, ROW_64) == off);
    assert_true(misses_of(a, N, D, v, COLUMN_64) == off);
    free(a);
}

/* One entry is off by one unit in its last place, or by less than a sum in doubles would show. */
static void nearly_is_not_exactly(void **state) {
    (void)state;
    enum { N = 50, D = 4 };
    const double v[D] = {1.0, 1.0, -1.0, 1.0};
    double *a = small_numbers(N * D, 8);
    for (int i = 0; i < N; i++) {
        a[i * D + 2] = a[i * D] + a[i * D + 1];
        a[i * D + 3] = 0.0;
    }
    assert_true(misses_of(a, N, D, v, ROW_64) == 0.0);
    a[7 * D] = 1.0, a[7 * D + 1] = 2.0, a[7 * D + 2] = 3.0;
    static const double little[] = {1e-15, 1e-18, -1e-30, 1e-200, 5e-324};
    for (int i = 0; i < 5; i++) {
        a[7 * D + 3] = little[i];
        assert_true(misses_of(a, N, D, v, ROW_64) == 1.0);
        assert_true(misses_of(a, N, D, v, CSR_64) == 1.0);
    }
    a[7 * D + 3] = 0.0;
    a[7 * D] = nextafter(1.0, 2.0);
    assert_true(misses_of(a, N, D, v, ROW_64) == 1.0);
    free(a);
}

/* If it cannot be decided, nothing is claimed: overflow, underflow, sums that need too many doubles. */
static void extremes_are_not_claimed(void **state) {
    (void)state;
    const double v[3] = {1.0, 1.0, -1.0}, tiny[3] = {0x1p-600, 0x1p-600, -0x1p-600};
    const double huge[3] = {1.5e308, 1.5e308, 1.5e308}, small[3] = {0x1.1p-500, 0x1.3p-500, 0x1.4p-500};
    const double wide[4] = {1e300, 1e-10, 1e300, 1e-10}, bad[3] = {NAN, 1.0, 1.0};
    assert_true(misses_of(huge, 1, 3, v, ROW_64) == 1.0);
    assert_true(misses_of(small, 1, 3, tiny, ROW_64) == 1.0);
    assert_true(misses_of(bad, 1, 3, v, ROW_64) == 1.0);
    assert_true(misses_of(wide, 1, 4, (const double[]){1.0, 1.0, -1.0, -1.0}, ROW_64) == 0.0);
    assert_true(misses_of(wide, 1, 4, (const double[]){1.0, 1.0, -1.0, -2.0}, ROW_64) == 1.0);
}

static void differences_of_products(void **state) {
    (void)state;
    assert_true(gpis_exact_cross(3.0, 5.0, 2.0, 7.0) == 1.0);
    assert_true(gpis_exact_cross(1.0, 0.5, 1.0, 0.25) == 0.25);
    assert_true(isnan(gpis_exact_cross(1.0, 1.0, 1.0, 1e-30)));
    assert_true(isnan(gpis_exact_cross(0.1, 0.1, 1.0, 0.0)));
    assert_true(isnan(gpis_exact_cross(1e-300, 1e-300, 1.0, 1.0)));
    assert_true(isnan(gpis_exact_cross(1e300, 1e300, 1.0, 1.0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_columns_are_seen), cmocka_unit_test(sums_that_round_are_seen),
        cmocka_unit_test(nearly_is_not_exactly),      cmocka_unit_test(extremes_are_not_claimed),
        cmocka_unit_test(differences_of_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
