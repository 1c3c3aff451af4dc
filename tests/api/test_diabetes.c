/*
 * The diabetes data over l1, nonneg, box and simplex, against a reference that shares nothing with the library: every
 * face of the polyhedron is tried. On a face the problem is a linear system,
 *     H_FF x_F + nu a_F = c_F - H_FB x_B,   a'x = R,      H = A'A, c = A'y, F free, B at a bound,
 * solved in long double; the one face whose solution meets the conditions of optimality (all multipliers of the right
 * sign) holds the minimum, which is unique because A has full rank.
 */
#include "calls.h"

enum { D = 10, N = 442 };

static long double data[N][D + 1]; /* raw columns, then y */
static long double H[D][D], c[D];

static int load_data(void **state) {
    (void)state;
    FILE *file = fopen(GPIS_DATA "/diabetes/diabetes.tsv", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*[^\n]"), 0); /* header */
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= D; j++) assert_int_equal(fscanf(file, "%Lf", &data[i][j]), 1);
    fclose(file);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++) {
            c[j] += data[i][j] * data[i][D];
            for (int q = 0; q < D; q++) H[j][q] += data[i][j] * data[i][q];
        }
    return 0;
}

/* ---- the reference --------------------------------------------------------------------------------------------------
 */

/* Gaussian elimination with row exchanges, in place; M is size x (size + 1). False when singular. */
static bool eliminate(int size, long double M[D + 1][D + 2]) {
    for (int p = 0; p < size; p++) {
        int best = p;
        for (int i = p + 1; i < size; i++)
            if (fabsl(M[i][p]) > fabsl(M[best][p])) best = i;
        if (M[best][p] == 0) return false;
        for (int j = 0; j <= size; j++) {
            const long double swap = M[p][j];
            M[p][j] = M[best][j];
            M[best][j] = swap;
        }
        for (int i = 0; i < size; i++) {
            const long double factor = i == p ? 0 : M[i][p] / M[p][p];
            for (int j = p; factor != 0 && j <= size; j++) M[i][j] -= factor * M[p][j];
        }
    }
    for (int i = 0; i < size; i++) M[i][size] /= M[i][i];
    return true;
}

typedef struct face {
    bool free[D];
    long double x[D]; /* given where not free, found where free */
    long double a[D]; /* a'x = R over the free entries, when `equality` */
    bool equality;
    long double R, nu; /* nu found */
    long double g[D];  /* gradient H x - c, found */
} face;

static bool minimise_on(face *f) {
    long double M[D + 1][D + 2] = {{0}};
    int index[D], size = 0;
    for (int j = 0; j < D; j++)
        if (f->free[j]) index[size++] = j;
    const int free_count = size;
    if (f->equality) size++;
    for (int p = 0; p < free_count; p++) {
        M[p][size] = c[index[p]];
        for (int q = 0; q < free_count; q++) M[p][q] = H[index[p]][index[q]];
        for (int j = 0; j < D; j++)
            if (!f->free[j]) M[p][size] -= H[index[p]][j] * f->x[j];
        if (f->equality) M[p][size - 1] = M[size - 1][p] = f->a[index[p]];
    }
    if (f->equality) M[size - 1][size] = f->R;
    if (!eliminate(size, M)) return false;
    for (int p = 0; p < free_count; p++) f->x[index[p]] = M[p][size];
    f->nu = f->equality ? M[size - 1][size] : 0;
    for (int j = 0; j < D; j++) {
        f->g[j] = -c[j];
        for (int q = 0; q < D; q++) f->g[j] += H[j][q] * f->x[q];
    }
    return true;
}

/* One of the 3^D codes as digits 0, 1, 2. */
static void digits_of(int code, int digit[D]) {
    for (int j = 0; j < D; j++, code /= 3) digit[j] = code % 3;
}

enum { CODES = 59049 }; /* 3^10 */

/* x >= 0, and sum x = R when R >= 0. Digit 0: at zero; 1: free. */
static bool reference_orthant(long double R, long double x[D]) {
    int digit[D];
    for (int code = 1; code < CODES; code++) {
        face f = {.equality = R >= 0, .R = R};
        bool valid = true;
        digits_of(code, digit);
        for (int j = 0; j < D; j++) {
            valid = valid && digit[j] < 2;
            f.free[j] = digit[j] == 1;
            f.a[j] = 1;
        }
        if (!valid || !minimise_on(&f)) continue;
        for (int j = 0; j < D; j++) valid = valid && (f.free[j] ? f.x[j] >= 0 : f.g[j] + f.nu >= 0);
        if (valid) memcpy(x, f.x, sizeof f.x);
        if (valid) return true;
    }
    return false;
}

/* lo <= x <= hi. Digit 0: at lo; 1: free; 2: at hi. */
static bool reference_box(long double lo, long double hi, long double x[D]) {
    int digit[D];
    for (int code = 0; code < CODES; code++) {
        face f = {.equality = false};
        bool valid = true;
        digits_of(code, digit);
        for (int j = 0; j < D; j++) {
            f.free[j] = digit[j] == 1;
            f.x[j] = digit[j] == 0 ? lo : hi;
        }
        if (!minimise_on(&f)) continue;
        for (int j = 0; j < D; j++)
            valid = valid && (digit[j] == 0 ? f.g[j] >= 0 : digit[j] == 2 ? f.g[j] <= 0 : f.x[j] >= lo && f.x[j] <= hi);
        if (valid) memcpy(x, f.x, sizeof f.x);
        if (valid) return true;
    }
    return false;
}

/* ||x||_1 = R with a multiplier nu >= 0: the ball's constraint is active. Digit 0: zero; 1: positive; 2: negative. */
static bool reference_l1(long double R, long double x[D]) {
    int digit[D];
    for (int code = 1; code < CODES; code++) {
        face f = {.equality = true, .R = R};
        digits_of(code, digit);
        for (int j = 0; j < D; j++) {
            f.free[j] = digit[j] != 0;
            f.a[j] = digit[j] == 2 ? -1 : 1;
        }
        if (!minimise_on(&f)) continue;
        bool valid = f.nu >= 0;
        for (int j = 0; j < D; j++) valid = valid && (f.free[j] ? f.a[j] * f.x[j] >= 0 : fabsl(f.g[j]) <= f.nu);
        if (valid) memcpy(x, f.x, sizeof f.x);
        if (valid) return true;
    }
    return false;
}

static long double objective_at(const long double x[D]) {
    long double sum = 0;
    for (int i = 0; i < N; i++) {
        long double r = data[i][D];
        for (int j = 0; j < D; j++) r -= data[i][j] * x[j];
        sum += r * r;
    }
    return sum;
}

/* ---- the comparison -------------------------------------------------------------------------------------------------
 */

/* Objective and x agree with the reference to 1e-8, relative; the certificate is proven, and true. */
static void compare(const char *spec, const long double reference[D]) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    gpis_settings settings = gpis_settings_default();
    int64_t k = 0;
    settings.tol = 1e-16; /* to the end: x is only as exact as the square root of the gap */
    settings.max_passes = 200000;
    assert_ok(context, gpis_source_open(context, GPIS_DATA "/diabetes/diabetes.tsv", "Y", &A));
    assert_ok(context, test_set(context, spec, D, 1, &set));
    const double *y = gpis_source_target(A, &k);
    assert_non_null(y);
    assert_int_equal(k, 1);
    assert_ok(context, test_solve(context, A, y, k, set, &settings, &result));

    const double best = (double)objective_at(reference);
    double distance = 0, size = 0;
    for (int j = 0; j < D; j++) {
        distance = fmax(distance, fabs(result->x[j] - (double)reference[j]));
        size = fmax(size, fabs((double)reference[j]));
    }
    print_message("%-12s objective %.15g, relative difference %.1e; x %.1e; certified %.1e; %s after %lld passes\n",
                  spec, best, (result->objective - best) / best, distance / size, gpis_relative_gap(result),
                  gpis_outcome_text(result->outcome), (long long)result->passes);
    assert_close(result->objective, best, 1e-8 * best);
    assert_close(distance, 0, 1e-8 * size);
    assert_int_equal(result->gap_kind, GPIS_GAP_PROVEN);
    assert_true(result->objective - result->gap <= best * (1 + 1e-14));
    assert_true(result->gap <= 1e-8 * best);

    gpis_result_destroy(result);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    test_context_end(context, &memory);
}

static void test_nonneg(void **state) {
    (void)state;
    long double x[D];
    assert_true(reference_orthant(-1, x));
    compare("nonneg", x);
}

static void test_simplex(void **state) {
    (void)state;
    long double x[D];
    for (int radius = 1; radius <= 9; radius += 4) {
        char spec[32];
        snprintf(spec, sizeof spec, "simplex:%d", radius);
        assert_true(reference_orthant(radius, x));
        compare(spec, x);
    }
}

static void test_box(void **state) {
    (void)state;
    long double x[D];
    assert_true(reference_box(0, 1, x));
    compare("box:0,1", x);
    assert_true(reference_box(-1.5L, 3, x));
    compare("box:-1.5,3", x);
}

static void test_l1(void **state) {
    (void)state;
    long double x[D];
    for (int radius = 2; radius <= 32; radius *= 4) {
        char spec[32];
        snprintf(spec, sizeof spec, "l1:%d", radius);
        assert_true(reference_l1(radius, x));
        compare(spec, x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nonneg),
        cmocka_unit_test(test_simplex),
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_l1),
    };
    return cmocka_run_group_tests(tests, load_data, NULL);
}
