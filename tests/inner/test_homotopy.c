/*
 * The path of an l1 penalty: at every point the conditions of optimality, evaluated in long double from H and b alone,
 * which a convex problem has at its minimisers and nowhere else.
 */
#include <float.h>

#include "inner/homotopy.h"
#include "set/draw.h"

/* A problem of the path, with memory of its own. */
typedef struct path {
    int64_t d;
    double *H, *b, *weight, *lo, *hi;
} path;

typedef enum shape { PLAIN, NONNEGATIVE, BOXED, EXEMPT } shape;
typedef enum data { FINE, DUPLICATES, ZEROS, WIDE, TIES, CORRELATED, KINDS } data;

static gpis_homotopy_terms terms_of(const path *p) {
    return (gpis_homotopy_terms){p->d, p->H, p->b, p->weight, p->lo, p->hi};
}

/* n x d random rows, with what the kind asks for. */
static double *rows_of(data kind, int64_t n, int64_t d, uint64_t seed) {
    double *A = new_vector(n * d);
    fill_normal(A, n * d, seed, 1.0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            if (kind == DUPLICATES && j % 3 == 2) A[i * d + j] = j % 2 ? A[i * d + j - 1] : -A[i * d + j - 1];
            if (kind == ZEROS && j % 4 == 1) A[i * d + j] = 0.0;
            if (kind == TIES) A[i * d + j] = i % d == j ? 1.0 : 0.0; /* orthogonal columns of equal length */
            if (kind == CORRELATED && j > 0) A[i * d + j] = A[i * d + j - 1] + 0.1 * A[i * d + j];
        }
    return A;
}

static path path_make(data kind, shape s, int64_t d, uint64_t seed) {
    const int64_t n = kind == WIDE ? (d + 1) / 2 : 3 * d;
    double *A = rows_of(kind, n, d, seed), *y = new_vector(n);
    path p = {d, new_vector(d * d), new_vector(d), new_vector(d), new_vector(d), new_vector(d)};
    fill_normal(y, n, seed + 1, 2.0);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t l = 0; l < d; l++)
            for (int64_t i = 0; i < n; i++) p.H[j * d + l] += A[i * d + j] * A[i * d + l];
        for (int64_t i = 0; i < n; i++) p.b[j] += A[i * d + j] * y[i];
        if (kind == TIES) p.b[j] = j % 2 ? 2.0 : -2.0;
        p.weight[j] = s == EXEMPT ? (j % 5 == 0 ? 0.0 : 1.0 + (double)(j % 3)) : 1.0;
        p.lo[j] = s == NONNEGATIVE ? 0.0 : s == BOXED ? -0.05 * (double)(j % 4) : -INFINITY;
        p.hi[j] = s == BOXED ? 0.08 : INFINITY;
    }
    free(A);
    free(y);
    return p;
}

static void path_end(path *p) {
    free(p->H);
    free(p->b);
    free(p->weight);
    free(p->lo);
    free(p->hi);
}

/* By how much x misses the conditions of optimality for nu, in units of the terms of H x - b. */
static double miss(const path *p, const double *x, double nu) {
    long double worst = 0.0L;
    for (int64_t j = 0; j < p->d; j++) {
        long double G = -p->b[j], size = fabs(p->b[j]) + nu * p->weight[j] + DBL_MIN;
        for (int64_t l = 0; l < p->d; l++)
            G += (long double)p->H[j * p->d + l] * x[l], size += fabs(p->H[j * p->d + l] * x[l]);
        const long double w = (long double)nu * p->weight[j];
        /* G + w u = 0 for some u in the subdifferential of |x_j|, unless a bound holds x_j back */
        const long double least = x[j] > 0.0 ? G + w : G - w, most = x[j] < 0.0 ? G - w : G + w;
        assert_true(x[j] >= p->lo[j] && x[j] <= p->hi[j]);
        if (least > 0.0L && x[j] > p->lo[j]) worst = fmaxl(worst, least / size);
        if (most < 0.0L && x[j] < p->hi[j]) worst = fmaxl(worst, -most / size);
    }
    return (double)worst;
}

static double sum_of(const path *p, const double *x) {
    double sum = 0.0;
    for (int64_t j = 0; j < p->d; j++) sum += p->weight[j] * fabs(x[j]);
    return sum;
}

/* By penalties down to 0, then again by the sums that were found. Returns whether the walk went to the end. */
static bool check_path(gpis_context *context, const path *p, double accuracy) {
    enum { POINTS = 25 };
    gpis_homotopy *h = NULL, *again = NULL;
    const gpis_homotopy_terms terms = terms_of(p);
    assert_true(gpis_homotopy_suits(&terms));
    assert_ok(context, gpis_homotopy_create(context, &terms, &h));
    assert_ok(context, gpis_homotopy_create(context, &terms, &again));
    const double start = h->nu;
    double least = INFINITY;
    assert_true(miss(p, h->x, start) <= accuracy);
    for (int i = 1; i <= POINTS && !h->lost; i++) {
        const double nu = i == POINTS ? 0.0 : start * pow(1e-4, (double)i / POINTS);
        if (!gpis_homotopy_go_to_nu(h, nu)) break;
        assert_true(h->nu == nu || i == POINTS);
        assert_true(miss(p, h->x, nu) <= accuracy);
        assert_close(h->sum, sum_of(p, h->x), 1e-10 * (1.0 + h->sum));
        least = sum_of(p, h->x);
        if (again->lost || !gpis_homotopy_go_to_sum(again, 0.999 * least)) continue;
        assert_close(sum_of(p, again->x), 0.999 * least, 1e-10 * (1.0 + least));
        assert_true(miss(p, again->x, again->nu) <= accuracy);
    }
    const bool whole = !h->lost && !again->lost;
    if (whole) { /* a larger sum than any: the unpenalised minimum */
        assert_true(gpis_homotopy_go_to_sum(again, 2.0 * least + 1.0));
        assert_true(again->nu == 0.0 && miss(p, again->x, 0.0) <= accuracy);
    }
    gpis_homotopy_destroy(h);
    gpis_homotopy_destroy(again);
    return whole;
}

static void every_point_is_optimal(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    int all = 0, whole = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (int s = PLAIN; s <= EXEMPT; s++)
            for (uint64_t seed = 0; seed < 6; seed++)
                for (int64_t d = 1; d <= 40; d += seed % 2 ? 13 : 3) {
                    path p = path_make((data)kind, (shape)s, d, 100 * seed + (uint64_t)d);
                    all++;
                    whole += check_path(context, &p, kind == CORRELATED ? 1e-9 : 1e-10);
                    path_end(&p);
                }
    /* Where the walk gives up, another solver takes over, but that has to be rare. */
    if (!(whole >= 0.97 * all)) fail_msg("%d of %d walks went to the end", whole, all);
    test_context_end(context, &memory);
}

/* A point that was pushed off the path is put back by its own gradient. */
static void measured_gradients_correct(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    path p = path_make(FINE, EXEMPT, 20, 7);
    const gpis_homotopy_terms terms = terms_of(&p);
    double G[20];
    for (int hold = 0; hold < 2; hold++) {
        gpis_homotopy *h = NULL;
        assert_ok(context, gpis_homotopy_create(context, &terms, &h));
        assert_true(gpis_homotopy_go_to_nu(h, 0.1 * h->nu));
        const double R = sum_of(&p, h->x), nu = h->nu;
        for (int64_t j = 0; j < 20; j++) h->x[j] *= h->x[j] != 0.0 ? 1.0 + 1e-6 * (double)j : 1.0;
        for (int64_t j = 0; j < 20; j++) {
            G[j] = -p.b[j];
            for (int64_t l = 0; l < 20; l++) G[j] += p.H[j * 20 + l] * h->x[l];
        }
        assert_true(miss(&p, h->x, nu) > 1e-8);
        gpis_homotopy_correct(h, G, hold, R);
        assert_true(miss(&p, h->x, h->nu) <= 1e-13);
        if (hold) assert_close(sum_of(&p, h->x), R, 1e-13 * R);
        assert_close(h->nu, nu, 1e-9 * nu);
        assert_true(gpis_homotopy_go_to_nu(h, 0.01 * nu) && miss(&p, h->x, 0.01 * nu) <= 1e-12);
        gpis_homotopy_destroy(h);
    }
    path_end(&p);
    test_context_end(context, &memory);
}

/* What the walk cannot begin with. */
static void bounds_that_do_not_suit(void **state) {
    (void)state;
    path p = path_make(FINE, PLAIN, 4, 3);
    const gpis_homotopy_terms terms = terms_of(&p);
    p.lo[2] = 0.5;
    assert_false(gpis_homotopy_suits(&terms)); /* 0 is not allowed */
    p.lo[2] = 0.0;
    assert_true(gpis_homotopy_suits(&terms));
    p.weight[2] = 0.0;
    assert_false(gpis_homotopy_suits(&terms)); /* a bound and no weight */
    path_end(&p);
}

static gpis_status walk(gpis_context *context, void *user) {
    const gpis_homotopy_terms terms = terms_of(user);
    gpis_homotopy *h = NULL;
    const gpis_status status = gpis_homotopy_create(context, &terms, &h);
    if (status == GPIS_OK) gpis_homotopy_go_to_nu(h, 0.0);
    gpis_homotopy_destroy(h);
    return status;
}

static void failing_allocations(void **state) {
    (void)state;
    path p = path_make(FINE, PLAIN, 5, 1);
    assert_true(test_every_allocation(walk, &p) > 5);
    path_end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_is_optimal), cmocka_unit_test(measured_gradients_correct),
        cmocka_unit_test(bounds_that_do_not_suit), cmocka_unit_test(failing_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
