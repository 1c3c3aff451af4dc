/*
 * Double-double arithmetic, factors in it, points measured from a summary, and models of one: against quadruple
 * precision (113 bits), with the errors that the headers promise.
 */
#include "linalg/quadratic.h"

#include "linalg/dd_factor.h"
#include "linalg/model.h"
#include "support.h"

typedef __float128 quad;

static quad value_of(gpis_dd a) { return (quad)a.high + a.low; }

static quad size_of(quad a) { return a < 0 ? -a : a; }

static quad root(quad a) {
    quad x = sqrt((double)a);
    for (int i = 0; i < 3 && x > 0; i++) x = (x + a / x) / 2;
    return x;
}

static void assert_accurate(const char *what, gpis_dd got, quad exact, double units) {
    const quad error = size_of(value_of(got) - exact), allowed = units * (quad)GPIS_DD_UNIT * size_of(exact);
    if (error > allowed) fail_msg("%s is off by %g units", what, (double)(error / size_of(exact) / GPIS_DD_UNIT));
    if (fabs(got.low) > 0x1p-53 * fabs(got.high)) fail_msg("%s: the parts overlap", what);
}

/* high and a low part of few bits, so that sums of two such numbers are exact in 113 bits. */
static gpis_dd with_low(double high, double random) {
    return gpis_dd_fast_two_sum(high, ldexp(rint(fmin(8.0, fmax(-8.0, random)) * 128.0), ilogb(high) - 65));
}

/* Numbers of up to 75 bits and of very different sizes, also such that sums nearly cancel. */
static void operations_are_accurate(void **state) {
    (void)state;
    double random[6];
    for (uint64_t t = 0; t < 4000; t++) {
        gpis_random_normal(7, t, 0, 6, random);
        const double factor = ldexp(1.0, (int)(10.0 * random[4]));
        const double near = t % 3 == 0 ? -random[0] * (1.0 + 1e-9 * random[2]) : random[2] * factor;
        const gpis_dd a = with_low(random[0], random[1]), b = with_low(near, random[3]);
        const quad x = value_of(a), y = value_of(b);
        assert_accurate("the sum", gpis_dd_add(a, b), x + y, 1.0);
        assert_accurate("the difference", gpis_dd_subtract(a, b), x - y, 1.0);
        assert_accurate("the product", gpis_dd_multiply(a, b), x * y, 1.0);
        assert_accurate("the product with a double", gpis_dd_scale(a, near), x * near, 1.0);
        assert_accurate("the quotient", gpis_dd_divide(a, b), x / y, 1.0);
        if (x > 0) assert_accurate("the square root", gpis_dd_sqrt(a), root(x), 4.0);
        assert_true(value_of(gpis_dd_two_product(random[0], near)) == (quad)random[0] * near);
    }
}

/* ---- matrices ---- */

/* n x (d + k) numbers of which the columns depend on each other except for `apart`, in units from 1 to 1e12. */
static double *table_of(int64_t n, int64_t columns, double apart, uint64_t seed) {
    double *a = malloc((size_t)(n * columns) * sizeof *a);
    gpis_random_normal(seed, 1, 0, n * columns, a);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < columns; j++) {
            double *v = &a[i * columns + j];
            const double unit = (j % 3 == 2 ? j - 1 : j) % 2 == 1 ? 1e6 : 1.0;
            *v = j % 3 == 2 ? v[-1] + apart * unit * *v : unit * *v;
        }
    return a;
}

/* The summary of the table, rounded from quadruple precision. */
static gpis_quadratic *summary_of(gpis_context *context, const double *a, int64_t n, int64_t d, int64_t k) {
    const int64_t size = d + k;
    gpis_quadratic *s = NULL;
    assert_ok(context, gpis_quadratic_create(context, d, k, &s));
    for (int64_t p = 0; p < size; p++)
        for (int64_t q = 0; q < size; q++) {
            quad sum = 0;
            for (int64_t i = 0; i < n; i++) sum += (quad)a[i * size + p] * a[i * size + q];
            s->W[p * size + q] = (double)sum;
            s->W[size * size + p * size + q] = (double)(sum - (quad)(double)sum);
        }
    s->gamma = 0x1p-104;
    return s;
}

static void points_are_those_of_the_data(void **state) {
    (void)state;
    enum { N = 70, D = 9, K = 2, SIZE = D + K };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = table_of(N, SIZE, 1e-9, 3), x[D * K], g[D * K], low[D * K], norms2[D];
    gpis_quadratic *s = summary_of(context, a, N, D, K);
    gpis_random_normal(5, 1, 0, D * K, x);
    for (int j = 0; j < D; j++) norms2[j] = s->W[j * SIZE + j];
    const gpis_point point = gpis_quadratic_point(s, x, NULL, g, low, norms2);
    quad f = 0, G[D * K] = {0};
    for (int i = 0; i < N; i++)
        for (int c = 0; c < K; c++) {
            quad r = -(quad)a[i * SIZE + D + c];
            for (int j = 0; j < D; j++) r += (quad)a[i * SIZE + j] * x[j * K + c];
            for (int j = 0; j < D; j++) G[j * K + c] += r * a[i * SIZE + j];
            f += r * r;
        }
    assert_true(size_of(point.objective - f) <= point.errors.objective && point.errors.objective < 1e-13 * (double)f);
    assert_true(point.errors.residual == 0.0 && point.errors.product > 0.0);
    for (int i = 0; i < D * K; i++)
        assert_true(size_of((quad)g[i] + low[i] - G[i]) <= point.errors.product * sqrt(norms2[i / K]));
    assert_true(fabs(gpis_quadratic_response_norm(s) / sqrt(s->W[D * SIZE + D] + s->W[(D + 1) * (SIZE + 1)]) - 1.0) <
                1e-15);
    gpis_quadratic_destroy(s);
    free(a);
    test_context_end(context, &memory);
}

/* The least x'(A'A - c H + slack D^2) x over the unit vectors of D x, found by the Cholesky factor of that matrix plus
 * `margin` in quadruple precision: it exists only if the least eigenvalue is above -margin. */
static bool holds(const gpis_model *m, const double *a, int64_t n, int64_t columns, quad margin) {
    const int64_t d = m->d;
    quad *M = calloc((size_t)(d * d), sizeof *M);
    bool positive = true;
    for (int64_t p = 0; p < d; p++)
        for (int64_t q = 0; q < d; q++) {
            quad gram = 0, RR = 0;
            for (int64_t i = 0; i < n; i++) gram += (quad)a[i * columns + p] * a[i * columns + q];
            for (int64_t i = 0; i <= (p < q ? p : q); i++)
                RR += ((quad)m->R[i * d + p] + m->R_low[i * d + p]) * ((quad)m->R[i * d + q] + m->R_low[i * d + q]);
            M[p * d + q] = gram * m->scale[p] * m->scale[q] - (quad)m->c * RR + (p == q ? (quad)m->slack + margin : 0);
        }
    for (int64_t p = 0; p < d && positive; p++) {
        positive = M[p * d + p] > 0;
        for (int64_t q = p + 1; q < d; q++)
            for (int64_t r = q; r < d; r++) M[q * d + r] -= M[p * d + q] * M[p * d + r] / M[p * d + p];
    }
    free(M);
    return positive;
}

/* A'A >= c H - slack D^2 with constants that are not void: the least eigenvalue is not far above zero. */
static void models_hold(void **state) {
    (void)state;
    enum { N = 60, D = 12, SIZE = D + 1 };
    const double aparts[] = {1.0, 1e-6, 1e-11, 1e-16, 0.0}, shifts[] = {0.0, 1e-20, 1e-24};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int t = 0; t < 5; t++) {
        double *a = table_of(N, SIZE, aparts[t], 11);
        gpis_quadratic *s = summary_of(context, a, N, D, 1);
        for (int i = 0; i < 3; i++) {
            gpis_model *m;
            assert_ok(context, gpis_model_of_quadratic(context, s, shifts[i], NULL, &m));
            if (shifts[i] == 0.0) assert_true((m != NULL) == (aparts[t] >= 1e-11));
            if (!m) continue;
            assert_true(m->c >= 0.5 && m->by_rows && (m->slack > 0.0) == (shifts[i] > 0.0));
            assert_true(m->slack <= 1.001 * shifts[i] + 1e-27);
            if (!holds(m, a, N, SIZE, 0.0)) fail_msg("the bound of %g with shift %g is false", aparts[t], shifts[i]);
            gpis_model_destroy(m);
        }
        gpis_quadratic_destroy(s);
        free(a);
    }
    test_context_end(context, &memory);
}

/* <V, H^-1 V> in double-double against a factor in quadruple precision, where it is 1e20 times larger than V. */
static void whitening_keeps_digits(void **state) {
    (void)state;
    enum { N = 60, D = 12, SIZE = D + 1 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = table_of(N, SIZE, 1e-10, 13), v[D], low[D] = {0}, work[2 * D];
    gpis_quadratic *s = summary_of(context, a, N, D, 1);
    gpis_model *m;
    assert_ok(context, gpis_model_of_quadratic(context, s, 0.0, NULL, &m));
    assert_non_null(m);
    gpis_random_normal(17, 1, 0, D, v);
    quad T[D][D], z[D], exact = 0, got = 0;
    for (int p = 0; p < D; p++)
        for (int q = 0; q < D; q++) {
            T[p][q] = 0;
            for (int i = 0; i < N; i++) T[p][q] += (quad)a[i * SIZE + p] * a[i * SIZE + q];
        }
    for (int p = 0; p < D; p++) z[p] = v[p];
    for (int p = 0; p < D; p++) {
        exact += z[p] * z[p] / T[p][p];
        for (int q = p + 1; q < D; q++) {
            z[q] -= T[p][q] / T[p][p] * z[p];
            for (int r = q; r < D; r++) T[q][r] -= T[p][q] * T[p][r] / T[p][p];
        }
    }
    gpis_model_whiten_low(m, 1, v, low, work);
    for (int p = 0; p < D; p++) got += ((quad)v[p] + low[p]) * ((quad)v[p] + low[p]);
    if (!(size_of(got / exact - 1) < 1e-6)) fail_msg("off by %g", (double)(got / exact - 1));
    gpis_model_destroy(m);
    gpis_quadratic_destroy(s);
    free(a);
    test_context_end(context, &memory);
}

static gpis_status make_all(gpis_context *context, void *user) {
    gpis_quadratic *s = NULL;
    gpis_model *m = NULL;
    (void)user;
    gpis_status status = gpis_quadratic_create(context, 2, 1, &s);
    for (int i = 0; status == GPIS_OK && i < 18; i++) s->W[i] = i < 9 ? (i % 4 == 0) : 0.0;
    if (status == GPIS_OK) s->gamma = 0x1p-104;
    if (status == GPIS_OK) status = gpis_model_of_quadratic(context, s, 0.0, NULL, &m);
    gpis_model_destroy(m);
    gpis_quadratic_destroy(s);
    return status;
}

static void failing_allocations(void **state) {
    (void)state;
    assert_int_equal(test_every_allocation(make_all, NULL), 8);
}

/* 2 (d + k)^2 numbers that 64 bits cannot count: of these columns they would be 0, and of those fewer than 0. */
static void too_many_columns(void **state) {
    (void)state;
    static const int64_t columns[] = {(INT64_C(1) << 32) - 1, (INT64_C(1) << 31), INT64_MAX};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < 3; i++) {
        gpis_quadratic *summary = NULL;
        assert_int_equal(gpis_quadratic_create(context, columns[i], 1, &summary), GPIS_TOO_LARGE);
        assert_null(summary);
    }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_accurate),
        cmocka_unit_test(points_are_those_of_the_data),
        cmocka_unit_test(models_hold),
        cmocka_unit_test(whitening_keeps_digits),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(too_many_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
