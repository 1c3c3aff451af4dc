/*
 * R^2, root mean square, degrees of freedom and variance against their definitions, computed here from the rows: with
 * weights, offset, intercept, ridge, penalty, several responses and ranks. Degrees of freedom against what is known of
 * each set, and against the change of the fitted values with y, which is what they mean.
 */
#include "ranks.h"

enum { N = 240, D = 6, MAX_K = 2 };

typedef struct data {
    int64_t k;
    double A[N * D], Y[N * MAX_K], weights[N], offset[N * MAX_K];
    bool weighted, shifted, intercept;
    double ridge, penalty;
    const char *set;
} data;

static double draw(uint64_t stream, int64_t i) {
    double v;
    gpis_random_normal(11, stream, (uint64_t)i, 1, &v);
    return v;
}

static data make(int64_t k, const char *set) {
    static const double truth[D] = {1.5, -0.7, 0, 0.2, 0, 2};
    data p = {.k = k, .set = set};
    for (int64_t i = 0; i < N * D; i++) p.A[i] = draw(1, i);
    for (int64_t i = 0; i < N; i++) {
        p.weights[i] = (double)(i % 4) * 0.75;
        for (int64_t c = 0; c < k; c++) {
            p.offset[i * k + c] = 3 * draw(3, i * k + c);
            p.Y[i * k + c] = 40 + draw(2, i * k + c);
            for (int64_t j = 0; j < D; j++) p.Y[i * k + c] += p.A[i * D + j] * truth[j];
        }
    }
    return p;
}

typedef struct fit {
    double x[(D + 1) * MAX_K], r2, rmse, sigma2, freedom, radius;
} fit;

/* Solves rows first .. end - 1 on this rank. */
static gpis_status solve(gpis_context *context, const data *p, const gpis_ranks *ranks, int64_t first, int64_t end,
                         fit *out) {
    gpis_source *part = NULL, *A = NULL;
    gpis_problem *problem = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.tol = 1e-12;
    gpis_status status =
        gpis_source_dense(context, p->A + first * D, GPIS_FLOAT64, GPIS_ROW_MAJOR, end - first, D, D, &part);
    if (status == GPIS_OK) status = gpis_source_join(context, &part, 1, ranks, &A);
    if (status == GPIS_OK) status = gpis_problem_create(context, A, &problem);
    if (status == GPIS_OK) status = gpis_problem_response(problem, p->Y + first * p->k, end - first, p->k);
    if (status == GPIS_OK && p->weighted) status = gpis_problem_weights(problem, p->weights + first, end - first);
    if (status == GPIS_OK && p->shifted)
        status = gpis_problem_offset(problem, p->offset + first * p->k, end - first, p->k);
    if (status == GPIS_OK) status = gpis_problem_intercept(problem, p->intercept);
    if (status == GPIS_OK) status = gpis_problem_ridge(problem, p->ridge);
    if (status == GPIS_OK) status = gpis_set_parse(context, p->set, problem, &set);
    if (status == GPIS_OK) status = gpis_problem_constrain(problem, set);
    if (status == GPIS_OK && p->penalty > 0) status = gpis_problem_penalty(problem, p->penalty, NULL, D);
    if (status == GPIS_OK) status = gpis_solve(problem, &settings, &result);
    if (status == GPIS_OK) {
        *out = (fit){.r2 = result->r2,
                     .rmse = result->rmse,
                     .sigma2 = result->sigma2,
                     .freedom = result->degrees_of_freedom,
                     .radius = result->radius};
        memcpy(out->x, result->x, (size_t)(D * p->k) * sizeof(double));
        if (result->intercept) memcpy(out->x + D * p->k, result->intercept, (size_t)p->k * sizeof(double));
    }
    gpis_result_destroy(result);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    gpis_source_destroy(part);
    return status;
}

static fit solve_alone(const data *p) {
    fit f;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    assert_ok(context, solve(context, p, NULL, 0, N, &f));
    test_context_end(context, &memory);
    return f;
}

static double weight(const data *p, int64_t i) { return p->weighted ? p->weights[i] : 1; }

static double response(const data *p, int64_t i, int64_t c) {
    return p->Y[i * p->k + c] - (p->shifted ? p->offset[i * p->k + c] : 0);
}

static double fitted(const data *p, const fit *f, int64_t i, int64_t c) {
    double sum = p->intercept ? f->x[D * p->k + c] : 0;
    for (int64_t j = 0; j < D; j++) sum += p->A[i * D + j] * f->x[j * p->k + c];
    return sum;
}

/* The definitions, in long double. */
static void check_definitions(const data *p, const fit *f) {
    long double ssr = 0, sst = 0, weights = 0, rows = 0, radius = 0;
    for (int64_t c = 0; c < p->k; c++) {
        long double mean = 0, sum = 0;
        for (int64_t i = 0; i < N; i++) {
            mean += (long double)weight(p, i) * response(p, i, c);
            sum += weight(p, i);
            rows += weight(p, i) > 0;
        }
        mean = p->intercept ? mean / sum : 0;
        for (int64_t i = 0; i < N; i++) {
            const long double off = response(p, i, c) - mean, r = response(p, i, c) - fitted(p, f, i, c);
            sst += weight(p, i) * off * off;
            ssr += weight(p, i) * r * r;
        }
        weights += sum;
    }
    for (int64_t i = 0; i < D * p->k; i++) radius += fabs(f->x[i]);
    assert_close(f->r2, (double)(1 - ssr / sst), 1e-11);
    assert_close(f->rmse, (double)sqrtl(ssr / weights), 1e-10 * f->rmse);
    assert_close(f->sigma2, (double)(ssr / (rows - f->freedom)), 1e-10 * f->sigma2);
    assert_close(f->radius, (double)radius, 1e-12);
}

static void test_definitions(void **state) {
    (void)state;
    static const char *const sets[] = {"none", "nonneg", "l1:2.5", "l2:1", "monotone"};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        for (int terms = 0; terms < 32; terms++) {
            data p = make(1 + (terms & 1), sets[s]);
            p.weighted = terms & 2;
            p.shifted = terms & 4;
            p.intercept = terms & 8;
            p.ridge = terms & 16 ? 3.0 : 0.0;
            const fit f = solve_alone(&p);
            check_definitions(&p, &f);
        }
}

static void test_penalty(void **state) {
    (void)state;
    data p = make(1, "none");
    p.intercept = true;
    p.penalty = 200;
    const fit f = solve_alone(&p);
    int64_t nonzeros = 0;
    for (int64_t j = 0; j < D; j++) nonzeros += f.x[j] != 0;
    assert_true(nonzeros > 0 && nonzeros < D);
    assert_close(f.freedom, (double)nonzeros + 1, 0);
    check_definitions(&p, &f);
}

/* What is known of each set at a point that meets it. */
static void test_freedom_of_sets(void **state) {
    (void)state;
    const struct {
        const char *set;
        double freedom; /* with the intercept; below 0: nonzeros, and so much less */
    } cases[] = {{"none", D + 1},
                 {"nonneg", -1},
                 {"l1:2.5", -2},
                 {"l1:1000", D + 1},
                 {"simplex:3", -2},
                 {"capped-simplex:3", -2},
                 {"l2:1", D},
                 {"l2:1000", D + 1},
                 {"sum:2", D},
                 {"sum:2 & sum:2", D},
                 {"sum:2[1-3] & sum:1[4-6]", D - 1},
                 {"box:-0.1,0.3[1,6]", D - 1},
                 {"box:0.5,0.5", 1},
                 {"l1:1[1-3] & l2:1[4-6]", -10}};
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        data p = make(1, cases[s].set);
        p.intercept = true;
        const fit f = solve_alone(&p);
        double nonzeros = 0, first = 0;
        for (int64_t j = 0; j < D; j++) nonzeros += f.x[j] != 0;
        for (int64_t j = 0; j < 3; j++) first += f.x[j] != 0;
        const double expected = cases[s].freedom == -10 ? first - 1 + 2 + 1
                                : cases[s].freedom < 0  ? nonzeros + 1 + cases[s].freedom + 1
                                                        : cases[s].freedom;
        if (f.freedom != expected) fail_msg("%s: %g, expected %g", cases[s].set, f.freedom, expected);
    }
}

/* On a polyhedron the degrees of freedom are the trace of d(fitted) / dy: moving one y moves the fitted values. */
static void test_freedom_is_a_trace(void **state) {
    (void)state;
    static const char *const sets[] = {
        "nonneg", "l1:2.5", "simplex:3", "monotone", "tv:3", "sum:2", "box:-0.1,1", "l1:2.5 & nonneg[1-3]", "l1:2@dct"};
    static const double STEP = 1e-5;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        data p = make(1, sets[s]);
        p.intercept = true;
        const fit f = solve_alone(&p);
        double trace = 0;
        for (int64_t i = 0; i < N; i++) {
            data moved = p;
            moved.Y[i] += STEP;
            const fit g = solve_alone(&moved);
            trace += (fitted(&p, &g, i, 0) - fitted(&p, &f, i, 0)) / STEP;
        }
        if (!(fabs(trace - f.freedom) < 1e-3)) fail_msg("%s: %g, trace %g", sets[s], f.freedom, trace);
    }
}

/* Without a set, a column that is the sum of two others adds nothing. */
static void test_dependent_columns(void **state) {
    (void)state;
    data p = make(1, "none");
    for (int64_t i = 0; i < N; i++) p.A[i * D + 5] = p.A[i * D] + p.A[i * D + 1];
    const fit f = solve_alone(&p);
    assert_close(f.freedom, D - 1, 0);
}

/* A response that does not vary leaves nothing to explain. */
static void test_constant_response(void **state) {
    (void)state;
    data p = make(1, "none");
    for (int64_t i = 0; i < N; i++) p.Y[i] = 7;
    p.intercept = true;
    const fit f = solve_alone(&p);
    assert_true(isnan(f.r2));
    assert_close(f.rmse, 0, 1e-6);
}

static void on_rank(member *m) {
    data *p = m->user;
    const int64_t first = N * m->ranks.rank / m->ranks.ranks, end = N * (m->ranks.rank + 1) / m->ranks.ranks;
    const fit whole = solve_alone(p);
    fit f;
    assert_ok(m->context, solve(m->context, p, &m->ranks, first, end, &f));
    assert_close(f.r2, whole.r2, 1e-12);
    assert_close(f.rmse, whole.rmse, 1e-12);
    assert_close(f.sigma2, whole.sigma2, 1e-11);
    assert_close(f.freedom, whole.freedom, 0);
}

static void test_ranks(void **state) {
    (void)state;
    data p = make(2, "nonneg");
    p.intercept = p.weighted = p.shifted = true;
    world_run(3, true, -1, 0, on_rank, &p);
}

static gpis_status with_failing_memory(gpis_context *context, void *user) {
    fit f;
    return solve(context, user, NULL, 0, N, &f);
}

static void test_allocations(void **state) {
    (void)state;
    data p = make(1, "l1:2[1-3] & l2:1[4-6]");
    p.intercept = true;
    assert_true(test_every_allocation(with_failing_memory, &p) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_penalty),
        cmocka_unit_test(test_freedom_of_sets),
        cmocka_unit_test(test_freedom_is_a_trace),
        cmocka_unit_test(test_dependent_columns),
        cmocka_unit_test(test_constant_response),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
