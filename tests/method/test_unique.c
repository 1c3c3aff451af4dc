/*
 * Answers that are not unique. Without constraints x is the one of least norm: that of LAPACK's dgelsd, on duplicates,
 * dummy variables beside a constant, columns of zeros, decimals in two units and fewer rows than columns, for one and
 * for several responses. With a set, `unique` says whether x can move along the columns that depend on each other, by
 * hand.
 */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "calls.h"
#include "set/world.h"

enum { MAX_N = 120, MAX_D = 150 };

typedef struct data {
    int64_t n, d, k;
    double A[MAX_N * MAX_D], Y[MAX_N * 3];
} data;

typedef enum kind { DUPLICATES, DUMMIES, ZEROS, UNITS, SUMS, WIDE, VERY_WIDE, WIDE_AND_FLAT, FULL, KINDS } kind;
static const char *const names[KINDS] = {"duplicates", "dummies",   "zeros",         "units",    "sums",
                                         "wide",       "very wide", "wide and flat", "full rank"};

static void set(data *t, int64_t i, int64_t j, double value) { t->A[i * t->d + j] = value; }
static double get(const data *t, int64_t i, int64_t j) { return t->A[i * t->d + j]; }

static data *data_make(kind what, int64_t k) {
    data *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->n = what == WIDE || what == VERY_WIDE || what == WIDE_AND_FLAT ? 20 : MAX_N;
    t->d = what == WIDE || what == WIDE_AND_FLAT ? 32 : what == VERY_WIDE ? MAX_D : 12;
    t->k = k;
    fill_normal(t->A, t->n * t->d, 7 + (uint64_t)what, 1.0);
    fill_normal(t->Y, t->n * k, 30 + (uint64_t)what, 1.0);
    for (int64_t i = 0; i < t->n; i++) {
        if (what == DUPLICATES) {
            set(t, i, 4, get(t, i, 1));
            set(t, i, 7, get(t, i, 1));
            set(t, i, 9, -4 * get(t, i, 2));
        } else if (what == DUMMIES) {
            set(t, i, 0, 1);
            for (int g = 0; g < 4; g++) set(t, i, 1 + g, (i * 7 + i / 11) % 4 == g);
            for (int g = 0; g < 3; g++) set(t, i, 5 + g, (i * 5 + i / 7) % 3 == g);
        } else if (what == ZEROS) {
            set(t, i, 3, 0);
            set(t, i, 8, 0);
        } else if (what == UNITS) {
            set(t, i, 2, round(1000 * get(t, i, 2)) / 1000);
            set(t, i, 6, 0.3048 * get(t, i, 2));
        } else if (what == SUMS) {
            set(t, i, 5, get(t, i, 0) + 0.3 * get(t, i, 3));
        } else if (what == WIDE_AND_FLAT) { /* five of the columns explain all others, up to rounding */
            for (int64_t j = 5; j < t->d; j++)
                set(t, i, j, get(t, i, j % 5) * (1 + (double)(j % 3)) - 0.7 * get(t, i, (j + 2) % 5));
        }
    }
    return t;
}

/* X by dgelsd, with the tolerance of numpy's lstsq. Returns the rank. */
static int64_t reference(const data *t, double *X) {
    const lapack_int n = (lapack_int)t->n, d = (lapack_int)t->d, k = (lapack_int)t->k, rows = n > d ? n : d;
    double *A = calloc((size_t)(t->n * t->d), sizeof *A), *B = calloc((size_t)(rows * k), sizeof *B), S[MAX_D];
    lapack_int rank = 0;
    assert_true(A && B);
    memcpy(A, t->A, (size_t)(t->n * t->d) * sizeof *A);
    memcpy(B, t->Y, (size_t)(t->n * t->k) * sizeof *B);
    assert_int_equal(LAPACKE_dgelsd(LAPACK_ROW_MAJOR, n, d, k, A, d, B, k, S, 2.2e-16 * (double)rows, &rank), 0);
    memcpy(X, B, (size_t)(t->d * t->k) * sizeof *X);
    free(A);
    free(B);
    return rank;
}

static gpis_result *solve(gpis_context *context, const data *t, const char *spec, gpis_certificate certificate) {
    gpis_source *source = NULL;
    gpis_problem *problem = NULL;
    gpis_set *K = NULL;
    gpis_result *result = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.certificate = certificate;
    if (certificate == GPIS_CERTIFICATE_NONE) settings.max_passes = 200;
    assert_ok(context, gpis_source_dense(context, t->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, t->n, t->d, t->d, &source));
    assert_ok(context, gpis_problem_create(context, source, &problem));
    assert_ok(context, gpis_problem_response(problem, t->Y, t->n, t->k));
    assert_ok(context, test_set(context, spec, t->d, t->k, &K));
    assert_ok(context, gpis_problem_constrain(problem, K));
    assert_ok(context, gpis_solve(problem, &settings, &result));
    gpis_problem_destroy(problem);
    gpis_set_destroy(K);
    gpis_source_destroy(source);
    return result;
}

static void least_norm(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static double X[MAX_D * 3];
    for (kind what = 0; what < KINDS; what++)
        for (int64_t k = 1; k <= 3; k += 2) {
            data *t = data_make(what, k);
            const int64_t rank = reference(t, X);
            /* a certificate is not what it takes */
            gpis_result *r = solve(context, t, "none", k == 1 ? GPIS_CERTIFICATE_ANY : GPIS_CERTIFICATE_NONE);
            double error = 0, norm = 0;
            for (int64_t i = 0; i < t->d * k; i++) {
                error = hypot(error, r->x[i] - X[i]);
                norm = hypot(norm, X[i]);
            }
            if (!(error <= 1e-10 * norm) || r->unique != (rank == t->d))
                fail_msg("%s, k %lld: off by %g, rank %lld of %lld, unique %d (%s), %s", names[what], (long long)k,
                         error / norm, (long long)rank, (long long)t->d, r->unique, r->unique_reason,
                         gpis_outcome_text(r->outcome));
            assert_int_equal(strstr(r->unique_reason, "least norm") != NULL, rank < t->d);
            gpis_result_destroy(r);
            free(t);
        }
    test_context_end(context, &memory);
}

/* ---- sets ---- */

/* Two orthogonal columns, then columns that the case adds; y is given by its products with the first two. */
static data *plane(int64_t d, const double extra[][2], double y1, double y2) {
    data *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->n = 8;
    t->d = d;
    t->k = 1;
    for (int64_t i = 0; i < t->n; i++) {
        const double a = i % 2 ? 1 : -1, b = i % 4 < 2 ? 1 : -1;
        set(t, i, 0, a);
        set(t, i, 1, b);
        for (int64_t j = 2; j < d; j++) set(t, i, j, extra[j - 2][0] * a + extra[j - 2][1] * b);
        t->Y[i] = y1 * a + y2 * b + (i < 4 ? 0.25 : -0.25) * a * b;
    }
    return t;
}

static void movements(void **state) {
    (void)state;
    static const double copy[][2] = {{1, 0}}, twice[][2] = {{2, 0}}, minus[][2] = {{-1, 0}},
                        two[][2] = {{1, 0}, {0, 1}}, none[][2] = {{0, 0}};
    static const struct {
        const char *what, *spec;
        int64_t d;
        const double (*extra)[2];
        double y1, y2;
        int unique;
        const char *says;
    } cases[] = {
        {"full rank", "nonneg", 2, none, 1, 1, 1, ""},
        {"copies share a positive sum", "nonneg", 3, copy, 1, 1, 0, "columns 1 and 3"},
        {"copies are both held at 0", "nonneg", 3, copy, -1, 1, 1, ""},
        {"copies share within a ball that binds", "l1:1", 3, copy, 1, 1, 0, "columns 1 and 3"},
        {"the larger copy is cheaper", "l1:1", 3, twice, 1, 1, 1, ""},
        {"a copy with the other sign", "l1:1", 3, minus, 1, 1, 0, "columns 1 and 3"},
        {"a ball that does not bind", "l1:100", 3, twice, 1, 1, 0, "columns 1 and 3"},
        {"copies on a simplex", "simplex:1", 3, copy, 1, 1, 0, "columns 1 and 3"},
        {"a round ball that binds", "l2:0.5", 3, copy, 1, 1, 1, ""},
        {"a round ball that does not", "l2:100", 3, copy, 1, 1, 0, "columns 1 and 3"},
        {"a box with space left", "box:0,1", 3, copy, 1.5, 1, 0, "columns 1 and 3"},
        {"a box that holds both", "box:0,1", 3, copy, 5, 1, 1, ""},
        {"two pairs of copies", "nonneg", 4, two, 1, -1, 0, "columns 1 and 3"},
        {"a column of zeros", "nonneg", 3, none, 1, 1, 0, "column 3 is zero"},
        {"a column of zeros in a ball that binds", "l1:1", 3, none, 3, 1, 1, ""},
        {"0 alone", "l1:0", 4, two, 1, 1, 1, ""},
        {"0 alone, of bounds", "box:0,0", 4, two, 1, 1, 1, ""},
    };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        data *t = plane(cases[i].d, cases[i].extra, cases[i].y1, cases[i].y2);
        gpis_result *r = solve(context, t, cases[i].spec, GPIS_CERTIFICATE_ANY);
        if (r->outcome != GPIS_SOLVED || r->unique != cases[i].unique || !strstr(r->unique_reason, cases[i].says))
            fail_msg("%s: %s, unique %d, '%s'", cases[i].what, gpis_outcome_text(r->outcome), r->unique,
                     r->unique_reason);
        gpis_result_destroy(r);
        free(t);
    }
    test_context_end(context, &memory);
}

/* A constant and two factors, nonnegative. The constant is held at 0: neither factor alone can give way to it, but what
 * one of the factors gains the other can lose. */
static void combinations(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    data *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->n = 12;
    t->d = 6;
    t->k = 1;
    for (int64_t i = 0; i < t->n; i++) {
        set(t, i, 0, -1);
        for (int g = 0; g < 2; g++) set(t, i, 1 + g, i % 2 == g);
        for (int g = 0; g < 3; g++) set(t, i, 3 + g, i % 3 == g);
        t->Y[i] = 4 + (double)(i % 2) + (double)(i % 3) + (i < 6 ? 0.5 : -0.5);
    }
    gpis_result *r = solve(context, t, "nonneg", GPIS_CERTIFICATE_ANY);
    assert_int_equal(r->outcome, GPIS_SOLVED);
    assert_int_equal(r->unique, 0);
    gpis_result_destroy(r);
    free(t);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(least_norm), cmocka_unit_test(movements),
                                       cmocka_unit_test(combinations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
