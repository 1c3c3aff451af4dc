/* Projections against independent ways to find them: sorting, bisection, min-max formulas, optimality conditions. */
#include "linalg/dct.h"
#include "set/threshold.h"
#include "world.h"

static int descending(const void *a, const void *b) {
    const long double x = *(const long double *)a, y = *(const long double *)b;
    return (x < y) - (x > y);
}

/* Sort-based projection on {x >= 0, sum x = R} in extended precision. */
static void simplex_by_sort(const double *v, double *x, int64_t d, double R) {
    long double *u = malloc((size_t)d * sizeof *u), sum = 0, tau = 0;
    for (int64_t i = 0; i < d; i++) u[i] = v[i];
    qsort(u, (size_t)d, sizeof *u, descending);
    for (int64_t i = 0; i < d; i++) {
        sum += u[i];
        const long double candidate = (sum - R) / (long double)(i + 1);
        if (u[i] > candidate) tau = candidate;
    }
    for (int64_t i = 0; i < d; i++) x[i] = v[i] > tau ? (double)(v[i] - tau) : 0;
    free(u);
}

static void project(const char *spec, int64_t d, int64_t k, const double *v, double *x) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *set = NULL;
    assert_ok(context, test_set(context, spec, d, k, &set));
    assert_ok(context, gpis_set_project(set, v, x));
    gpis_set_destroy(set);
    test_context_end(context, &memory);
}

static void assert_near(const double *a, const double *b, int64_t n, double tolerance) {
    for (int64_t i = 0; i < n; i++) assert_close(a[i], b[i], tolerance);
}

static const int64_t sizes[] = {1, 2, 3, 10, 100, 1000};
enum { SIZES = sizeof sizes / sizeof sizes[0], MAX_ENTRIES = 1000 };

/* Noise; whole numbers (ties); powers (a search that sees one entry at a time); an offset far larger than R. */
enum { SHAPES = 4 };
static void fill(double *v, int64_t d, int shape) {
    fill_normal(v, d, 40 + (uint64_t)shape, 1);
    for (int64_t i = 0; i < d; i++) {
        if (shape == 1) v[i] = round(2 * v[i]);
        if (shape == 2) v[i] = ldexp(i % 2 ? 1 : -1, -(int)(i % 60));
        if (shape == 3) v[i] += 1e8;
    }
}

static void test_simplex_and_l1(void **state) {
    (void)state;
    double v[MAX_ENTRIES], x[MAX_ENTRIES], u[MAX_ENTRIES], expected[MAX_ENTRIES];
    static const struct {
        const char *text;
        double R;
    } radii[] = {{"0.001", 0.001}, {"1", 1}, {"25", 25}};
    for (int n = 0; n < SIZES * SHAPES * 3; n++) {
        const int64_t d = sizes[n % SIZES];
        const double R = radii[n / SIZES % 3].R;
        const int shape = n / SIZES / 3;
        char spec[64];
        fill(v, d, shape);
        const double tolerance = 1e-15 * (shape == 3 ? 1e8 : 10) + 1e-14 * R;

        snprintf(spec, sizeof spec, "simplex:%s", radii[n / SIZES % 3].text);
        project(spec, d, 1, v, x);
        simplex_by_sort(v, expected, d, R);
        assert_near(x, expected, d, tolerance);

        snprintf(spec, sizeof spec, "l1:%s", radii[n / SIZES % 3].text);
        project(spec, d, 1, v, x);
        for (int64_t i = 0; i < d; i++) u[i] = fabs(v[i]);
        if (gpis_sum_abs(v, d) > R)
            simplex_by_sort(u, expected, d, R);
        else
            memcpy(expected, u, sizeof u);
        for (int64_t i = 0; i < d; i++) {
            assert_close(x[i], copysign(expected[i], v[i]), tolerance);
            assert_true(fabs(x[i]) <= fabs(v[i])); /* what is zero stays zero */
        }

        snprintf(spec, sizeof spec, "capped-simplex:%s", radii[n / SIZES % 3].text);
        project(spec, d, 1, v, x);
        for (int64_t i = 0; i < d; i++) u[i] = fmax(v[i], 0);
        if (gpis_sum_abs(u, d) > R)
            simplex_by_sort(u, expected, d, R);
        else
            memcpy(expected, u, sizeof u);
        assert_near(x, expected, d, tolerance);
    }
}

/* One entry at the top and very many just above the threshold: the rounding of tau counts once for each of them. */
static void test_simplex_sums_to_R(void **state) {
    (void)state;
    enum { D = 200000 };
    double *v = new_vector(D), *x = new_vector(D);
    fill_normal(v, D, 50, 1e-9);
    for (int i = 0; i < D; i++) v[i] -= 1 - 1e-6;
    v[D / 3] = 0;
    project("simplex:1", D, 1, v, x);
    gpis_sum sum = {-1, 0};
    for (int i = 0; i < D; i++) gpis_sum_add(&sum, x[i]);
    assert_close(gpis_sum_value(sum), 0, 1e-15);
    free(v);
    free(x);
}

/* Just outside of the ball, tau consists of rounding errors: zeros must stay zero, or sparse answers would become
 * dense. */
static void test_l1_keeps_zeros(void **state) {
    (void)state;
    enum { D = 100 };
    double v[D], x[D];
    for (uint64_t n = 0; n < 200; n++) {
        fill_normal(v, D, 300 + n, 1);
        for (int i = 0; i < D; i++)
            if (i % 5) v[i] = 0;
        char spec[64];
        snprintf(spec, sizeof spec, "l1:%.17g", gpis_sum_abs(v, D) * (1 - 0x1p-52 * (double)(n % 4 + 1)));
        project(spec, D, 1, v, x);
        for (int i = 0; i < D; i++) assert_true(fabs(x[i]) <= fabs(v[i]));
    }
}

static void test_l2_far_apart(void **state) {
    (void)state;
    const double v[] = {3e150, -4e150};
    double x[2];
    project("l2:1e-200", 2, 1, v, x); /* R / ||v|| underflows */
    assert_close(x[0] / 6e-201, 1, 1e-14);
    assert_close(x[1] / -8e-201, 1, 1e-14);
}

/* Expected linear time: the number of entries examined is below a fixed multiple of d, whatever their order and ties.
 */
static void test_threshold_is_linear(void **state) {
    (void)state;
    enum { D = 100000 };
    double *u = new_vector(D);
    for (int shape = 0; shape < 6; shape++) {
        for (int step = 0; step < 4; step++) {
            const double R = (double[]){1e-3, 1, 100, 1e5}[step];
            fill_normal(u, D, 60, 1);
            for (int i = 0; i < D; i++) {
                if (shape == 1) u[i] = round(u[i]);
                if (shape == 2) u[i] = i;
                if (shape == 3) u[i] = -i;
                if (shape == 4) u[i] = 1;
                if (shape == 5) u[i] = ldexp(1, -(i % 1000));
            }
            assert_true(gpis_threshold_find(u, D, R).visits <= 12 * (int64_t)D);
        }
    }
    free(u);
}

/* sum over blocks of max(norm - tau, 0) = R by bisection. */
static void test_group(void **state) {
    (void)state;
    enum { BLOCKS = 13, SIZE = 5, D = BLOCKS * SIZE };
    double v[D], x[D];
    fill_normal(v, D, 70, 1);
    for (int i = 0; i < SIZE; i++) v[SIZE + i] = 0; /* a block of zeros */
    project("group:3.5:5", D, 1, v, x);
    long double low = 0, high = 100;
    for (int step = 0; step < 200; step++) {
        const long double tau = (low + high) / 2;
        long double sum = 0;
        for (int b = 0; b < BLOCKS; b++) sum += fmaxl(gpis_norm2(v + b * SIZE, SIZE) - tau, 0);
        if (sum > 3.5L)
            low = tau;
        else
            high = tau;
    }
    for (int i = 0; i < D; i++) {
        const long double norm = gpis_norm2(v + i / SIZE * SIZE, SIZE);
        const double expected = norm > low ? (double)(v[i] * (1 - low / norm)) : 0;
        assert_close(x[i], expected, 1e-14);
    }
}

/* x_i = max over j <= i of min over l >= i of mean(v_j .. v_l). */
static void test_monotone(void **state) {
    (void)state;
    enum { D = 60 };
    double v[D], x[D];
    for (int shape = 0; shape < SHAPES; shape++) {
        fill(v, D, shape);
        project("monotone", D, 1, v, x);
        for (int i = 0; i < D; i++) {
            long double best = -INFINITY;
            for (int j = 0; j <= i; j++) {
                long double sum = 0, least = INFINITY;
                for (int l = j; l < D; l++) {
                    sum += v[l];
                    if (l >= i) least = fminl(least, sum / (l - j + 1));
                }
                best = fmaxl(best, least);
            }
            assert_close(x[i], (double)best, shape == 3 ? 1e-6 : 1e-14);
        }
    }
}

/* x is the projection on {TV <= R} exactly when, with z_i = -sum_{j<=i} (v_j - x_j) and lambda = max |z_i|: the sum of
 * v - x vanishes, and z_i = lambda sign(x_{i+1} - x_i) wherever x jumps (and TV = R unless x = v). */
static void assert_tv_optimal(const double *v, const double *x, int64_t d, double R, double tolerance) {
    long double sum = 0, lambda = 0, tv = 0;
    for (int64_t i = 0; i < d; i++) {
        sum += (long double)v[i] - x[i];
        if (i + 1 < d) lambda = fmaxl(lambda, fabsl(sum)), tv += fabs(x[i + 1] - x[i]);
    }
    assert_close((double)sum, 0, tolerance);
    assert_close((double)tv, R, tolerance);
    sum = 0;
    for (int64_t i = 0; i + 1 < d; i++) {
        sum += (long double)v[i] - x[i];
        if (fabs(x[i + 1] - x[i]) > tolerance)
            assert_close((double)-sum, copysign((double)lambda, x[i + 1] - x[i]), tolerance);
    }
}

static void test_tv(void **state) {
    (void)state;
    enum { D = 3000, SHAPES_TV = 7 };
    double *v = new_vector(D), *x = new_vector(D);
    static const int64_t lengths[] = {2, 3, 7, 100, D};
    for (int n = 0; n < 5 * SHAPES_TV; n++) {
        const int64_t d = lengths[n % 5];
        const int shape = n / 5;
        fill_normal(v, d, 80 + (uint64_t)n, 1);
        for (int64_t i = 0; i < d; i++) {
            if (shape == 1) v[i] = round(v[i]);
            if (shape == 2) v[i] += i ? v[i - 1] : 0;
            if (shape == 3) v[i] = (double)(i % 2);
            if (shape == 4) v[i] = (double)(i % 9 < 4) + (i == d / 2 ? 5 : 0);
            if (shape == 5) v[i] += 1e6;
            if (shape == 6) v[i] = v[i] * 1e-3 + (i > d / 3) - 2 * (i > d / 2);
        }
        double tv = 0;
        for (int64_t i = 0; i + 1 < d; i++) tv += fabs(v[i + 1] - v[i]);
        for (int cut = 0; cut < 4; cut++) {
            char spec[64];
            const double R = tv * (double[]){0.9, 0.3, 0.01, 1e-4}[cut];
            snprintf(spec, sizeof spec, "tv:%.17g", R);
            project(spec, d, 1, v, x);
            if (tv > 0) assert_tv_optimal(v, x, d, R, 1e-14 * (double)d * (gpis_max_abs(v, d) + tv));
        }
    }
    free(v);
    free(x);
}

/* TV <= R in the numbers that come out, though entries this large are rounded by more than 1e-12 R. */
static void test_tv_is_feasible_far_from_zero(void **state) {
    (void)state;
    enum { D = 50 };
    double v[D], x[D];
    for (uint64_t n = 0; n < 100; n++) {
        fill_normal(v, D, 400 + n, 10);
        for (int i = 0; i < D; i++) v[i] += 1e13;
        project("tv:1.001", D, 1, v, x);
        double tv = 0;
        for (int i = 0; i + 1 < D; i++) tv += fabs(x[i + 1] - x[i]);
        assert_true(tv <= 1.001 * (1 + 1e-12));
        assert_true(tv >= 0.8);
    }
}

/* The core of tv has mean zero: constants do not count. */
static void test_tv_core(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *set = NULL;
    assert_ok(context, test_set(context, "tv:2", 4, 1, &set));
    const double flat[] = {5, 5, 5, 5}, step[] = {6, 6, 4, 4};
    double value;
    assert_ok(context, set->class->support(set, flat, &value));
    assert_close(value, 0, 1e-15);
    assert_ok(context, set->class->support(set, step, &value));
    assert_close(value, 4, 1e-15);
    gpis_set_destroy(set);
    test_context_end(context, &memory);
}

/* X = U diag(sigma) V' with U, V and sigma known. */
static void compose(const double *U, const double *V, const double *sigma, double *X, int64_t d, int64_t k) {
    const int64_t r = gpis_min64(d, k);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < k; j++) {
            double sum = 0;
            for (int64_t l = 0; l < r; l++) sum += U[i * d + l] * sigma[l] * V[j * k + l];
            X[i * k + j] = sum;
        }
}

static void test_nuclear(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 1}, {6, 1}, {1, 4}, {6, 4}, {4, 6}, {5, 5}};
    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++) {
        const int64_t d = shapes[n][0], k = shapes[n][1], r = gpis_min64(d, k);
        double U[36], V[36], X[36], P[36], expected[36], sigma[6] = {3, 3, 1.5, 0.4, 0.1, 0}, fit[6], value;
        fill_orthogonal(U, d, 90);
        fill_orthogonal(V, k, 91);
        compose(U, V, sigma, X, d, k);
        project("nuclear:2.5", d, k, X, P);
        simplex_by_sort(sigma, fit, r, 2.5);
        compose(U, V, fit, expected, d, k);
        assert_near(P, expected, d * k, 1e-14);
        test_memory memory;
        gpis_context *context = test_context(&memory);
        gpis_set *set = NULL;
        assert_ok(context, test_set(context, "nuclear:2.5", d, k, &set));
        assert_ok(context, gpis_set_support(set, X, &value));
        assert_close(value, 7.5, 1e-13);
        assert_true(gpis_set_radius(set) == 2.5); /* of X as a whole, whatever k is */
        gpis_set_destroy(set);
        test_context_end(context, &memory);
    }
}

static void test_dct(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const int64_t lengths[] = {1, 2, 3, 8, 31, 100};
    for (size_t n = 0; n < sizeof lengths / sizeof lengths[0]; n++) {
        const int64_t d = lengths[n];
        double *D = new_vector(d * d), x[100], z[100];
        fill_dct(D, d);
        fill_normal(x, d, 95, 1);
        gpis_dct *dct = NULL;
        assert_ok(context, gpis_dct_create(context, d, &dct));
        gpis_dct_forward(dct, x, z);
        for (int64_t i = 0; i < d; i++) assert_close(z[i], dot(D + i * d, x, d), 1e-14);
        gpis_dct_inverse(dct, z, z);
        assert_near(z, x, d, 1e-14);
        gpis_dct_destroy(dct);
        free(D);
    }
    gpis_dct *dct = NULL;
    assert_int_equal(gpis_dct_create(context, 0, &dct), GPIS_TOO_LARGE);
    assert_int_equal(gpis_dct_create(context, INT64_MAX, &dct), GPIS_TOO_LARGE);
    gpis_dct_destroy(NULL);
    test_context_end(context, &memory);
}

static void test_accurate(void **state) {
    (void)state;
    const double huge[] = {3e300, -4e300}, tiny[] = {3e-310, 4e-310}, zero[] = {0, 0}, mixed[] = {1e16, 1, -1e16, 1};
    assert_close(gpis_norm2(huge, 2) / 5e300, 1, 1e-15);
    assert_close(gpis_norm2(tiny, 2) / 5e-310, 1, 1e-12); /* the entries themselves have few digits */
    assert_true(gpis_norm2(zero, 2) == 0);
    gpis_sum sum = {0, 0};
    for (int i = 0; i < 4; i++) gpis_sum_add(&sum, mixed[i]);
    assert_true(gpis_sum_value(sum) == 2);
    const double over[] = {1.5e308, -1.5e308, 1};
    assert_true(gpis_sum_abs(over, 3) == INFINITY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simplex_and_l1),
        cmocka_unit_test(test_simplex_sums_to_R),
        cmocka_unit_test(test_threshold_is_linear),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_tv),
        cmocka_unit_test(test_nuclear),
        cmocka_unit_test(test_dct),
        cmocka_unit_test(test_l1_keeps_zeros),
        cmocka_unit_test(test_l2_far_apart),
        cmocka_unit_test(test_tv_is_feasible_far_from_zero),
        cmocka_unit_test(test_tv_core),
        cmocka_unit_test(test_accurate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
