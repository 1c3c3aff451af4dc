/*
 * Columns as people have them in tables, in decimals that were rounded to double when they were read: other units, a
 * total, temperatures in two scales beside a constant, constants of any value. Some depend on each other exactly as
 * doubles, some only as decimals. What is claimed is held against orthogonalisations in __float128 (34 digits):
 *
 *     nearness = 0   objective - gap <= f* of the doubles, all columns of them;
 *     nearness > 0   objective - gap <= f* of the decimals, for which the columns depend exactly; and the doubles
 *                          are no further from those than what the rounding of a decimal does.
 */
#include <omp.h>

#include "calls.h"
#include "set/world.h"

enum { N = 700, MAX_COLUMNS = 10 };
typedef __float128 quad;

/* Decimals are whole numbers over powers of ten, so that a quad holds them as they are meant. */
typedef struct table {
    int64_t d;
    double A[N * MAX_COLUMNS], y[N]; /* A is N x MAX_COLUMNS: as read */
    quad exact[N * MAX_COLUMNS];     /* as written */
    bool kept[MAX_COLUMNS];          /* columns that depend on no others */
    bool exactly;                    /* as doubles, too */
} table;

static quad power_of_ten(int digits) {
    quad power = 1;
    while (digits-- > 0) power *= 10;
    return power;
}

/* Column j, row i: whole / 10^digits. Division rounds once, as a reader of text does. */
static void put(table *t, int64_t i, int64_t j, int64_t whole, int digits) {
    t->A[i * MAX_COLUMNS + j] = (double)whole / (double)power_of_ten(digits);
    t->exact[i * MAX_COLUMNS + j] = (quad)whole / power_of_ten(digits);
}

static int64_t whole_number(int64_t i, int seed, int64_t below) {
    return (int64_t)(gpis_random_bits((uint64_t)seed, 9, (uint64_t)i).v[0] % (uint64_t)below);
}

/* ---- the tables -----------------------------------------------------------------------------------------------------
 */

typedef struct example {
    const char *name;
    void (*row)(table *t, int64_t i); /* columns from 2 on; the first two are independent of everything */
    int64_t columns;                  /* all of them */
    int64_t dependent[3];             /* columns that the others explain; -1: no more */
    bool exactly;                     /* as doubles, too */
} example;

static void year_beside_one(table *t, int64_t i) { put(t, i, 2, 2013, 0), put(t, i, 3, 1, 0); }
static void other_year_beside_one(table *t, int64_t i) { put(t, i, 2, 1025, 0), put(t, i, 3, 1, 0); }
static void tenth_beside_one(table *t, int64_t i) { put(t, i, 2, 1, 1), put(t, i, 3, 1, 0); }
static void pi_beside_one(table *t, int64_t i) { put(t, i, 2, 314, 2), put(t, i, 3, 1, 0); }
static void three_constants(table *t, int64_t i) { put(t, i, 2, 3, 1), put(t, i, 3, 7, 1), put(t, i, 4, 2013, 0); }

static void the_same_twice(table *t, int64_t i) {
    const int64_t m = whole_number(i, 1, 100000);
    put(t, i, 2, m, 3), put(t, i, 3, m, 3);
}

static void dummies_beside_constant(table *t, int64_t i) {
    for (int64_t g = 0; g < 3; g++) put(t, i, 2 + g, (i * 7 + i / 11) % 3 == g, 0);
    put(t, i, 5, 314, 2);
}

static void zeros(table *t, int64_t i) { put(t, i, 2, 0, 0); }

static void tenths(table *t, int64_t i) {
    const int64_t m = whole_number(i, 2, 5000);
    put(t, i, 2, m, 0), put(t, i, 3, m, 1);
}

static void thousandths(table *t, int64_t i) {
    const int64_t m = whole_number(i, 3, 1000);
    put(t, i, 2, m, 3), put(t, i, 3, m, 0);
}

static void km_beside_m(table *t, int64_t i) {
    const int64_t m = whole_number(i, 4, 42195000);
    put(t, i, 2, m, 5), put(t, i, 3, m, 2);
}

static void billionths(table *t, int64_t i) {
    const int64_t m = whole_number(i, 5, 1000000);
    put(t, i, 2, m, 9), put(t, i, 3, m, 2);
}

static void celsius_kelvin_one(table *t, int64_t i) {
    const int64_t tenths_of_degree = whole_number(i, 6, 700) - 300;
    put(t, i, 2, tenths_of_degree, 1), put(t, i, 3, 10 * tenths_of_degree + 27315, 2), put(t, i, 4, 1, 0);
}

static void three_scales(table *t, int64_t i) { /* with Fahrenheit: two dependences that share two columns */
    const int64_t tenths_of_degree = whole_number(i, 7, 700) - 300;
    celsius_kelvin_one(t, i);
    put(t, i, 2, tenths_of_degree, 1), put(t, i, 3, 10 * tenths_of_degree + 27315, 2);
    put(t, i, 5, 18 * tenths_of_degree + 3200, 2);
}

static void parts_and_total(table *t, int64_t i) {
    int64_t total = 0;
    for (int p = 0; p < 4; p++) {
        const int64_t part = whole_number(i, 10 + p, 30000);
        put(t, i, 2 + p, part, 2);
        total += part;
    }
    put(t, i, 6, total, 2);
}

static void shares_beside_constant(table *t, int64_t i) { /* percentages that add up to 100 */
    const int64_t a = whole_number(i, 20, 500), b = whole_number(i, 21, 500);
    put(t, i, 2, a, 1), put(t, i, 3, b, 1), put(t, i, 4, 1000 - a - b, 1), put(t, i, 5, 1, 0);
}

static void yards(table *t, int64_t i) { /* 0.9144, in more digits than a double of the sum holds */
    const int64_t yard = whole_number(i, 22, 100000);
    put(t, i, 2, yard, 1), put(t, i, 3, 9144 * yard, 5);
}

static void no_few_digits(table *t, int64_t i) { /* by 1.2345678901, which no guess has: the vector is computed */
    const int64_t m = whole_number(i, 23, 10000);
    put(t, i, 2, m, 2), put(t, i, 3, 12345678901 * m, 12);
}

static const example EXAMPLES[] = {
    {"2013 beside 1", year_beside_one, 4, {2, -1}, true},
    {"1025 beside 1", other_year_beside_one, 4, {2, -1}, true},
    {"0.1 beside 1", tenth_beside_one, 4, {2, -1}, true},
    {"3.14 beside 1", pi_beside_one, 4, {2, -1}, true},
    {"three constants", three_constants, 5, {2, 3, -1}, true},
    {"the same twice", the_same_twice, 4, {3, -1}, true},
    {"dummies beside 3.14", dummies_beside_constant, 6, {5, -1}, true},
    {"zeros", zeros, 3, {2, -1}, true},
    {"tenths", tenths, 4, {3, -1}, false},
    {"thousandths", thousandths, 4, {2, -1}, false},
    {"km beside m", km_beside_m, 4, {2, -1}, false},
    {"billionths", billionths, 4, {2, -1}, false},
    {"C, K and 1", celsius_kelvin_one, 5, {3, -1}, false},
    {"C, K, F and 1", three_scales, 6, {3, 5, -1}, false},
    {"parts and total", parts_and_total, 7, {6, -1}, false},
    {"shares and 1", shares_beside_constant, 6, {4, -1}, false},
    {"yards", yards, 4, {3, -1}, false},
    {"no few digits", no_few_digits, 4, {3, -1}, false},
};
enum { EXAMPLE_COUNT = sizeof EXAMPLES / sizeof *EXAMPLES };

static table *table_make(const example *e) {
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    double noise[N];
    fill_normal(noise, N, 77, 1.0);
    t->d = e->columns;
    t->exactly = e->exactly;
    for (int64_t j = 0; j < t->d; j++) t->kept[j] = true;
    for (int k = 0; k < 3 && e->dependent[k] >= 0; k++) {
        if (k > 0 && e->dependent[k] == 0) break;
        t->kept[e->dependent[k]] = false;
    }
    for (int64_t i = 0; i < N; i++) {
        put(t, i, 0, whole_number(i, 30, 2000) - 1000, 3);
        put(t, i, 1, whole_number(i, 31, 2000) - 700, 2);
        e->row(t, i);
        t->y[i] = 2.0 + 0.7 * t->A[i * MAX_COLUMNS] + noise[i];
        for (int64_t j = 2; j < t->d; j++) t->y[i] += 1e-3 * t->A[i * MAX_COLUMNS + j] / (1.0 + fabs(t->A[j]));
    }
    return t;
}

/* min ||A x - b||^2 over the columns that `wanted` names (NULL: all), by an orthogonalisation in quads; b is column
 * `target`, or y for -1. What is left of a column is nothing below 1e-25 of it: far from both 1e-34 and 1e-17. */
static quad least_for(const table *t, const quad *columns, const bool *wanted, int64_t target) {
    static quad Q[MAX_COLUMNS + 1][N], norms[MAX_COLUMNS + 1];
    int known = 0;
    for (int64_t j = 0; j <= t->d; j++) {
        if (j < t->d && ((wanted && !wanted[j]) || j == target)) continue;
        quad *q = Q[known], before = 0, after = 0;
        for (int i = 0; i < N; i++) {
            q[i] = j < t->d      ? columns[i * MAX_COLUMNS + j]
                   : target >= 0 ? columns[i * MAX_COLUMNS + target]
                                 : (quad)t->y[i];
            before += q[i] * q[i];
        }
        for (int s = 0; s < 3 * known; s++) {
            quad along = 0;
            for (int i = 0; i < N; i++) along += Q[s % known][i] * q[i];
            along /= norms[s % known];
            for (int i = 0; i < N; i++) q[i] -= along * Q[s % known][i];
        }
        for (int i = 0; i < N; i++) after += q[i] * q[i];
        if (j == t->d) return after;
        norms[known] = after;
        if (after > 1e-50 * before) known++;
    }
    return -1;
}

static quad least(const table *t, const quad *columns, const bool *wanted) { return least_for(t, columns, wanted, -1); }

static gpis_source *source_of(gpis_context *context, const table *t) {
    gpis_source *A = NULL;
    assert_ok(context, gpis_source_dense(context, t->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, t->d, MAX_COLUMNS, &A));
    return A;
}

static gpis_result *solve(gpis_context *context, const table *t, const char *spec, const char *method, int64_t m,
                          gpis_certificate certificate) {
    gpis_source *A = source_of(context, t);
    gpis_set *set = NULL;
    gpis_result *r = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.method = method;
    settings.m = m;
    settings.certificate = certificate;
    settings.max_passes = 1000;
    assert_ok(context, test_set(context, spec, t->d, 1, &set));
    assert_ok(context, test_solve(context, A, t->y, 1, set, &settings, &r));
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return r;
}

/* ---- tests ----------------------------------------------------------------------------------------------------------
 */

/* The quads of the doubles. */
static quad *as_read(const table *t) {
    quad *columns = calloc(N * MAX_COLUMNS, sizeof *columns);
    assert_non_null(columns);
    for (int i = 0; i < N * MAX_COLUMNS; i++) columns[i] = t->A[i];
    return columns;
}

/* The backward error of two proportional columns is not stated too small. With E for which they depend, and w = 1 the
 * one in units of the other, what A leaves of column s is at most ||E_s|| + ||E_t||, in units of the columns. */
static void check_nearness(const table *t, const quad *doubles, const gpis_result *r) {
    int64_t s = 0;
    quad norm2 = 0;
    while (t->kept[s]) s++;
    for (int i = 0; i < N; i++) norm2 += doubles[i * MAX_COLUMNS + s] * doubles[i * MAX_COLUMNS + s];
    const quad left2 = least_for(t, doubles, NULL, s) / norm2, stated = r->nearness;
    assert_true(left2 <= 4 * stated * stated);
}

/* What is claimed is true, and says for which data. */
static void check_claim(const char *what, const table *t, const gpis_result *r) {
    quad *doubles = as_read(t);
    const quad of_doubles = least(t, doubles, NULL), of_decimals = least(t, t->exact, t->kept);
    const quad lower = (quad)r->objective - r->gap;
    const bool stated = r->nearness > 0.0;
    if (lower > (stated ? of_decimals : of_doubles) * (1 + 1e-13))
        fail_msg("%s: claims f* >= %.17g (backward error %g), but f* is %.17g for the doubles, %.17g for the decimals",
                 what, (double)lower, r->nearness, (double)of_doubles, (double)of_decimals);
    if (stated) {
        assert_true(r->nearness < 2e-15);
        assert_non_null(strstr(r->warning, "depend on each other but for rounding"));
        /* had it been said of the doubles, it would have been wrong */
        assert_true(lower > of_doubles);
        if (t->d == 4) check_nearness(t, doubles, r);
    } else if (r->outcome == GPIS_SOLVED) {
        assert_string_equal(r->warning, "");
    }
    free(doubles);
}

static void claims_are_true(void **state) {
    (void)state;
    static const struct {
        const char *method;
        int64_t m;
        gpis_certificate certificate;
    } ways[] = {{"auto", 0, GPIS_CERTIFICATE_ANY},
                {"newton", 0, GPIS_CERTIFICATE_PROVEN},
                {"newton", 120, GPIS_CERTIFICATE_ANY},
                {"newton", 40, GPIS_CERTIFICATE_PROVEN}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int e = 0; e < EXAMPLE_COUNT; e++) {
        table *t = table_make(&EXAMPLES[e]);
        for (int w = 0; w < 4; w++) {
            gpis_result *r = solve(context, t, "none", ways[w].method, ways[w].m, ways[w].certificate);
            const bool limited = r->nearness > 0.0 || r->horizon > 0.0; /* to data nearby, or to points that are */
            if (r->outcome != GPIS_SOLVED || limited == t->exactly)
                fail_msg("%s, m %d: %s, gap %g of %g, backward error %g, %d passes; %s", EXAMPLES[e].name,
                         (int)ways[w].m, gpis_outcome_text(r->outcome), r->gap, r->objective, r->nearness,
                         (int)r->passes, r->warning);
            if (r->horizon == 0.0) check_claim(EXAMPLES[e].name, t, r);
            gpis_result_destroy(r);
        }
        free(t);
    }
    test_context_end(context, &memory);
}

/* A column that is a random combination of others, all of them decimals; the units of the columns vary, too. */
static void random_tables(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int seed = 0; seed < 60; seed++) {
        static const int digits_of[] = {0, 1, 2, 4};
        const example e = {"random", zeros, 6, {5, -1}, false};
        table *t = table_make(&e);
        int64_t factor[3], size[3];
        for (int c = 0; c < 3; c++) {
            factor[c] = whole_number(c, 1000 + seed, 2000) - 1000; /* thousandths */
            size[c] = 10 + whole_number(c, 2000 + seed, 100000);
        }
        const int digits = digits_of[seed % 4];
        for (int64_t i = 0; i < N; i++) {
            int64_t sum = 0;
            for (int c = 0; c < 3; c++) {
                const int64_t whole = whole_number(i, 3000 + 3 * seed + c, size[c]) - size[c] / 3;
                put(t, i, 2 + c, whole, digits);
                sum += factor[c] * whole;
            }
            put(t, i, 5, sum, digits + 3);
        }
        gpis_result *r = solve(context, t, "none", "newton", 0, GPIS_CERTIFICATE_ANY);
        if (r->outcome != GPIS_SOLVED || !(r->nearness <= 0x1p-53))
            fail_msg("table %d: %s, backward error %g, gap %g of %g; %s", seed, gpis_outcome_text(r->outcome),
                     r->nearness, r->gap, r->objective, r->warning);
        check_claim("a random table", t, r);
        gpis_result_destroy(r);
        free(t);
    }
    test_context_end(context, &memory);
}

/* Sets so large that the constraint does not matter: f* is the same, and so is the claim. A bounded set may do without
 * null vectors. */
static void huge_sets(void **state) {
    (void)state;
    static const char *const specs[] = {"box:-1e9,1e9", "l1:1e9", "l2:1e8", "linf:1e9"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int e = 0; e < EXAMPLE_COUNT; e++)
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            table *t = table_make(&EXAMPLES[e]);
            gpis_result *r = solve(context, t, specs[s], "newton", 0, GPIS_CERTIFICATE_ANY);
            if (r->outcome != GPIS_SOLVED)
                fail_msg("%s, %s: %s, gap %g of %g", EXAMPLES[e].name, specs[s], gpis_outcome_text(r->outcome), r->gap,
                         r->objective);
            const quad of_decimals = least(t, t->exact, t->kept);
            assert_true((quad)r->objective - r->gap <= of_decimals * (1 + 1e-13));
            gpis_result_destroy(r);
            free(t);
        }
    test_context_end(context, &memory);
}

static long double value(const table *t, const double *x) {
    long double sum = 0;
    for (int i = 0; i < N; i++) {
        long double r = -(long double)t->y[i];
        for (int64_t j = 0; j < t->d; j++) r += (long double)t->A[i * MAX_COLUMNS + j] * x[j];
        sum += r * r;
    }
    return sum;
}

/* Sets that matter: no member near the answer, and none along the null directions, is below what was claimed. */
static void other_sets(void **state) {
    (void)state;
    static const char *const specs[] = {"nonneg", "box:-1,inf", "box:-inf,0.5", "monotone",
                                        "tv:0.5", "simplex:2",  "l1:0.8"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int e = 0; e < EXAMPLE_COUNT; e++)
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            table *t = table_make(&EXAMPLES[e]);
            gpis_set *set = NULL;
            gpis_result *r = solve(context, t, specs[s], "newton", 0, GPIS_CERTIFICATE_ANY);
            if (r->outcome != GPIS_SOLVED)
                fail_msg("%s, %s: %s, gap %g of %g after %d passes; %s", EXAMPLES[e].name, specs[s],
                         gpis_outcome_text(r->outcome), r->gap, r->objective, (int)r->passes, r->warning);
            assert_ok(context, test_set(context, specs[s], t->d, 1, &set));
            for (uint64_t seed = 0; seed < 200; seed++) {
                double x[MAX_COLUMNS], step[MAX_COLUMNS];
                fill_normal(step, t->d, 900 + seed, pow(10.0, -(double)(seed % 7)));
                for (int64_t j = 0; j < t->d; j++) x[j] = r->x[j] + step[j];
                assert_ok(context, gpis_set_project(set, x, x));
                if (value(t, x) < (long double)r->objective - r->gap - 1e-13L * r->objective)
                    fail_msg("%s, %s: a member is better than what was claimed", EXAMPLES[e].name, specs[s]);
            }
            gpis_set_destroy(set);
            gpis_result_destroy(r);
            free(t);
        }
    test_context_end(context, &memory);
}

/* Dependent to 14 digits only: that is no rounding of the data. The bound holds for the data as they are, within a
 * horizon. */
static void more_than_rounding_is_not_believed(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    table *t = table_make(&EXAMPLES[10]);
    for (int64_t i = 0; i < N; i++) t->A[i * MAX_COLUMNS + 2] *= 1.0 + 1e-14 * (double)(i % 7 - 3);
    gpis_result *r = solve(context, t, "none", "newton", 0, GPIS_CERTIFICATE_ANY);
    assert_true(r->outcome == GPIS_SOLVED && r->nearness == 0.0 && r->horizon >= 100.0);
    gpis_result_destroy(r);
    for (int64_t i = 0; i < N; i++)
        t->A[i * MAX_COLUMNS + 2] *= 1.0 + 1e-6 * (double)(i % 5 - 2); /* a column like others */
    r = solve(context, t, "none", "newton", 0, GPIS_CERTIFICATE_ANY);
    assert_true(r->outcome == GPIS_SOLVED && r->nearness == 0.0);
    assert_string_equal(r->warning, "");
    quad *doubles = as_read(t);
    assert_true((quad)r->objective - r->gap <= least(t, doubles, NULL) * (1 + 1e-13));
    free(doubles);
    gpis_result_destroy(r);
    free(t);
    test_context_end(context, &memory);
}

/* An audit of the answer claims the same. */
static void check_claims_the_same(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int e = 0; e < EXAMPLE_COUNT; e++) {
        table *t = table_make(&EXAMPLES[e]);
        gpis_result *r = solve(context, t, "none", "newton", 0, GPIS_CERTIFICATE_ANY), *c = NULL;
        gpis_source *A = source_of(context, t);
        gpis_set *set = NULL;
        const gpis_settings settings = gpis_settings_default();
        assert_ok(context, test_set(context, "none", t->d, 1, &set));
        assert_ok(context, test_check(context, A, t->y, 1, set, r->x, &settings, &c));
        assert_int_equal(c->outcome, GPIS_SOLVED);
        check_claim(EXAMPLES[e].name, t, c);
        gpis_result_destroy(r);
        gpis_result_destroy(c);
        gpis_set_destroy(set);
        gpis_source_destroy(A);
        free(t);
    }
    test_context_end(context, &memory);
}

/* Columns that depend on nothing cost nothing: as many passes as ever, and no other. */
static void clean_data_pay_nothing(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    table *t = table_make(&EXAMPLES[0]);
    for (int64_t i = 0; i < N; i++) put(t, i, 2, whole_number(i, 50, 10000), 2);
    gpis_result *r = solve(context, t, "none", "newton", 0, GPIS_CERTIFICATE_ANY);
    assert_true(r->outcome == GPIS_SOLVED && r->passes == 2 && r->nearness == 0.0);
    gpis_result_destroy(r);
    free(t);
    test_context_end(context, &memory);
}

/* The bits do not depend on the threads. */
static void same_bits_on_any_threads(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    table *t = table_make(&EXAMPLES[13]);
    gpis_result *one = NULL, *four = NULL;
    assert_ok(context, gpis_context_set_threads(context, 1));
    one = solve(context, t, "none", "newton", 0, GPIS_CERTIFICATE_ANY);
    assert_ok(context, gpis_context_set_threads(context, 4));
    four = solve(context, t, "none", "newton", 0, GPIS_CERTIFICATE_ANY);
    assert_memory_equal(one->x, four->x, (size_t)t->d * sizeof(double));
    assert_true(one->objective == four->objective && one->gap == four->gap && one->nearness == four->nearness);
    gpis_result_destroy(one);
    gpis_result_destroy(four);
    free(t);
    test_context_end(context, &memory);
}

/* The same column COPIES times, exactly, and once more in another unit, nearly: the matrix for which all of them depend
 * exactly must hold the copies together, too. The nearest one is ||m - c km|| / (||m|| sqrt(1 + 1 / COPIES)) away, for
 * the best c. */
static void exact_and_near_together(void **state) {
    (void)state;
    enum { ROWS = 300, COPIES = 41, D = COPIES + 1 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = calloc(ROWS * D, sizeof *a), y[ROWS];
    long double along = 0.0L, km2 = 0.0L, m2 = 0.0L, left2 = 0.0L;
    for (int64_t i = 0; i < ROWS; i++) {
        const double km = (double)whole_number(i, 17, 100000) / 1000.0;
        for (int64_t j = 0; j < COPIES; j++) a[i * D + j] = km;
        a[i * D + COPIES] = km * 0.1234567;
        y[i] = km + (double)whole_number(i, 18, 1000);
        along += (long double)km * a[i * D + COPIES];
        km2 += (long double)km * km;
        m2 += (long double)a[i * D + COPIES] * a[i * D + COPIES];
    }
    for (int64_t i = 0; i < ROWS; i++) {
        const long double rest = a[i * D + COPIES] - along / km2 * a[i * D];
        left2 += rest * rest;
    }
    const double least = (double)sqrtl(left2 / (m2 * (1.0L + 1.0L / COPIES)));
    gpis_settings settings = gpis_settings_default();
    settings.certificate = GPIS_CERTIFICATE_PROVEN;
    gpis_result *result = NULL;
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    assert_ok(context, gpis_source_dense(context, a, GPIS_FLOAT64, GPIS_ROW_MAJOR, ROWS, D, D, &A));
    assert_ok(context, test_set(context, "none", D, 1, &set));
    assert_ok(context, test_solve(context, A, y, 1, set, &settings, &result));
    assert_int_equal(result->outcome, GPIS_SOLVED);
    if (!(result->nearness >= 0.999 * least))
        fail_msg("said to be within %g, and the nearest is %g away", result->nearness, least);
    gpis_result_destroy(result);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    free(a);
    test_context_end(context, &memory);
}

static gpis_status solve_kelvins(gpis_context *context, void *user) {
    table *t = user;
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_result *r = NULL;
    const gpis_settings settings = gpis_settings_default();
    gpis_status status = gpis_source_dense(context, t->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, t->d, MAX_COLUMNS, &A);
    if (status == GPIS_OK) status = test_set(context, "none", t->d, 1, &set);
    if (status == GPIS_OK) status = test_solve(context, A, t->y, 1, set, &settings, &r);
    gpis_result_destroy(r);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    table *t = table_make(&EXAMPLES[12]);
    assert_true(test_every_allocation(solve_kelvins, t) > 40);
    free(t);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library: BLAS has no threads of its own */
    const struct CMUnitTest tests[] = {cmocka_unit_test(claims_are_true),
                                       cmocka_unit_test(random_tables),
                                       cmocka_unit_test(exact_and_near_together),
                                       cmocka_unit_test(huge_sets),
                                       cmocka_unit_test(other_sets),
                                       cmocka_unit_test(more_than_rounding_is_not_believed),
                                       cmocka_unit_test(check_claims_the_same),
                                       cmocka_unit_test(clean_data_pay_nothing),
                                       cmocka_unit_test(same_bits_on_any_threads),
                                       cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
