/* Penalised problems against coordinate descent in quadruple precision, which shares nothing with the library. */
#include "calls.h"
#include "support.h"

typedef __float128 quad;

enum { N = 60, D = 8 };

/* minimise ||y - A x - b||^2 + ridge ||x||^2 + sum of lambda_j |x_j| over lo <= x_j <= hi and, with `constant`, all b.
 */
typedef struct task {
    double A[N * D], y[N], lambda[D];
    double ridge, lo, hi;
    bool constant;
} task;

static quad size_of(quad a) { return a < 0 ? -a : a; }

static quad objective(const task *t, const quad *x, quad b) {
    quad sum = 0;
    for (int i = 0; i < N; i++) {
        quad r = t->y[i] - b;
        for (int j = 0; j < D; j++) r -= (quad)t->A[i * D + j] * x[j];
        sum += r * r;
    }
    for (int j = 0; j < D; j++) sum += t->ridge * x[j] * x[j] + t->lambda[j] * size_of(x[j]);
    return sum;
}

/* Every coordinate in turn goes to its own minimum, until none moves any more. */
static quad descend(const task *t, quad *x, quad *b) {
    quad r[N], norm2[D] = {0};
    for (int i = 0; i < N; i++) r[i] = t->y[i];
    for (int i = 0; i < N * D; i++) norm2[i % D] += (quad)t->A[i] * t->A[i];
    for (int j = 0; j < D; j++) x[j] = t->lo > 0 ? t->lo : t->hi < 0 ? t->hi : 0;
    for (int i = 0; i < N * D; i++) r[i / D] -= t->A[i] * x[i % D];
    *b = 0;
    quad moved = 1;
    for (int sweep = 0; sweep < 20000 && moved > (quad)1e-30; sweep++) {
        moved = 0;
        quad mean = 0;
        for (int i = 0; i < N; i++) mean += r[i] / N;
        if (t->constant) *b += mean, moved += size_of(mean);
        for (int i = 0; t->constant && i < N; i++) r[i] -= mean;
        for (int j = 0; j < D; j++) {
            quad slope = norm2[j] * x[j];
            for (int i = 0; i < N; i++) slope += t->A[i * D + j] * r[i];
            const quad left = size_of(slope) - (quad)t->lambda[j] / 2;
            quad to = left > 0 ? (slope > 0 ? left : -left) / (norm2[j] + t->ridge) : 0;
            to = to < t->lo ? (quad)t->lo : to > t->hi ? (quad)t->hi : to;
            for (int i = 0; i < N; i++) r[i] -= t->A[i * D + j] * (to - x[j]);
            moved += size_of(to - x[j]);
            x[j] = to;
        }
    }
    return objective(t, x, *b);
}

static void draw(task *t, uint64_t seed) {
    static const double shares[] = {1.5, 0.3, 0.05, 1e-3};
    static const double ends[][2] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-0.2, 0.3}, {0.1, 1}, {-INFINITY, 0.1}};
    double steepest = 0, weight[D];
    *t = (task){
        .lo = ends[seed % 5][0], .hi = ends[seed % 5][1], .ridge = seed % 4 == 1 ? 3 : 0, .constant = seed % 3 == 0};
    gpis_random_normal(seed, 1, 0, N * D, t->A);
    gpis_random_normal(seed, 2, 0, N, t->y);
    gpis_random_uniform(seed, 3, 0, D, weight);
    for (int i = 0; i < N; i++) t->y[i] += 2 * t->A[i * D] - t->A[i * D + 3] + (double)(seed % 7);
    for (int j = 0; j < D; j++) {
        double sum = 0;
        for (int i = 0; i < N; i++) sum += 2 * t->A[i * D + j] * t->y[i];
        steepest = fmax(steepest, fabs(sum));
    }
    for (int j = 0; j < D; j++)
        t->lambda[j] = shares[seed % 4] * steepest * (seed % 2 ? 1 : weight[j] < 0.2 ? 0 : weight[j]);
}

typedef struct posed {
    gpis_source *A;
    gpis_set *set;
    gpis_problem *problem;
} posed;

static posed pose(gpis_context *context, const task *t) {
    posed p = {0};
    double lower[D], upper[D];
    for (int j = 0; j < D; j++) lower[j] = t->lo, upper[j] = t->hi;
    assert_ok(context, gpis_source_dense(context, t->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &p.A));
    assert_ok(context, gpis_problem_create(context, p.A, &p.problem));
    assert_ok(context, gpis_problem_response(p.problem, t->y, N, 1));
    if (isfinite(t->lo) || isfinite(t->hi)) {
        assert_ok(context, gpis_set_box(context, lower, upper, D, &p.set));
        assert_ok(context, gpis_problem_constrain(p.problem, p.set));
    }
    assert_ok(context, gpis_problem_penalty(p.problem, 1, t->lambda, D));
    assert_ok(context, gpis_problem_ridge(p.problem, t->ridge));
    assert_ok(context, gpis_problem_intercept(p.problem, t->constant));
    return p;
}

static void forget(posed *p) {
    gpis_problem_destroy(p->problem);
    gpis_set_destroy(p->set);
    gpis_source_destroy(p->A);
}

static void compare(const gpis_result *r, const task *t, quad best, const quad *x, uint64_t seed, const char *method) {
    quad own[D], height = 0;
    for (int j = 0; j < D; j++) own[j] = r->x[j], height += t->lambda[j] * size_of(own[j]);
    const quad F = objective(t, own, r->intercept ? r->intercept[0] : 0);
    if (r->outcome != GPIS_SOLVED) fail_msg("seed %d, %s: not solved: %s", (int)seed, method, r->warning);
    assert_true(size_of(F - r->objective) <= (quad)1e-13 * F);
    assert_true(size_of(height - r->penalty) <= (quad)1e-14 * height);
    if (F - best > (quad)r->gap) fail_msg("seed %d, %s: the gap is smaller than the error", (int)seed, method);
    if (F - best > (quad)1.1e-10 * best)
        fail_msg("seed %d, %s: off by %g", (int)seed, method, (double)((F - best) / best));
    for (int j = 0; j < D; j++) assert_true(size_of(own[j] - x[j]) <= (quad)1e-4);
}

static void against_reference(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 1; seed <= 120; seed++) {
        static const char *const methods[] = {"auto", "apgd", "pgd", "gpis", "acc-gpis", "newton", "saga"};
        task t;
        quad x[D], b;
        gpis_result *r = NULL;
        gpis_settings settings = gpis_settings_default();
        draw(&t, seed);
        const quad best = descend(&t, x, &b);
        posed p = pose(context, &t);
        settings.tol = 1e-10;
        settings.method = methods[seed % 2 ? 0 : seed / 2 % 7];
        settings.sketch = seed % 8 == 2 ? "gaussian" : "auto";
        assert_ok(context, gpis_solve(p.problem, &settings, &r));
        compare(r, &t, best, x, seed, settings.method);
        gpis_result *audit = NULL;
        double given[D + 1];
        for (int j = 0; j < D; j++) given[j] = r->x[j];
        if (t.constant) given[D] = r->intercept[0];
        assert_ok(context, gpis_check(p.problem, given, D + t.constant, &settings, &audit));
        compare(audit, &t, best, x, seed, "check");
        assert_close(audit->given_objective, r->objective, 2e-13 * r->objective); /* each is within 1e-13 of F */
        gpis_result_destroy(audit);
        gpis_result_destroy(r);
        forget(&p);
    }
    test_context_end(context, &memory);
}

/* A penalty that keeps everything at zero is seen at once; a little less lets the steepest entry go. */
static void threshold(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    task t;
    double steepest = 0;
    draw(&t, 5);
    t.lo = -INFINITY, t.hi = INFINITY, t.constant = false;
    for (int j = 0; j < D; j++) {
        double sum = 0;
        for (int i = 0; i < N; i++) sum += 2 * t.A[i * D + j] * t.y[i];
        steepest = fmax(steepest, fabs(sum));
    }
    for (int side = 0; side < 2; side++) {
        gpis_result *r = NULL;
        posed p = pose(context, &t);
        int64_t nonzeros = 0;
        assert_ok(context, gpis_problem_penalty(p.problem, steepest * (side ? 0.99 : 1 + 1e-6), NULL, D));
        assert_ok(context, gpis_solve(p.problem, NULL, &r));
        for (int j = 0; j < D; j++) nonzeros += r->x[j] != 0;
        assert_int_equal(nonzeros, side);
        assert_int_equal(r->outcome, GPIS_SOLVED);
        assert_int_equal(r->gap_kind, GPIS_GAP_PROVEN);
        if (!side) assert_int_equal(r->passes, 1);
        gpis_result_destroy(r);
        forget(&p);
    }
    test_context_end(context, &memory);
}

/* The penalty of the ball's multiplier has the solution of the ball of its norm; lambda = 0 is no penalty, to the bit.
 */
static void path(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_settings settings = gpis_settings_default();
    settings.tol = 1e-13;
    for (uint64_t seed = 1; seed < 40; seed += 5) {
        task t;
        gpis_result *penalised = NULL, *ball = NULL, *plain = NULL, *zero = NULL;
        double radius = 0;
        draw(&t, seed);
        t.lo = -INFINITY, t.hi = INFINITY, t.ridge = 0, t.constant = false;
        posed p = pose(context, &t);
        assert_ok(context, gpis_problem_penalty(p.problem, 20, NULL, D));
        assert_ok(context, gpis_solve(p.problem, &settings, &penalised));
        for (int j = 0; j < D; j++) radius += fabs(penalised->x[j]);
        assert_ok(context, gpis_set_l1(context, radius, D, &p.set));
        assert_ok(context, test_solve(context, p.A, t.y, 1, p.set, &settings, &ball));
        for (int j = 0; j < D; j++) assert_close(ball->x[j], penalised->x[j], 1e-9);
        assert_close(ball->objective, penalised->objective - penalised->penalty, 1e-12);
        assert_ok(context, gpis_problem_penalty(p.problem, 0, NULL, D));
        assert_ok(context, gpis_solve(p.problem, &settings, &zero));
        assert_ok(context, test_solve(context, p.A, t.y, 1, NULL, &settings, &plain));
        assert_memory_equal(zero->x, plain->x, sizeof(double) * D);
        assert_true(zero->gap == plain->gap && zero->penalty == 0);
        gpis_result *const results[] = {penalised, ball, plain, zero};
        for (int i = 0; i < 4; i++) gpis_result_destroy(results[i]);
        forget(&p);
    }
    test_context_end(context, &memory);
}

/* Columns that depend on each other, more columns than rows, columns of zeros: proven all the same. */
static void dependent(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 1; seed <= 24; seed++) {
        task t;
        quad x[D], b;
        gpis_result *r = NULL;
        draw(&t, 4 * seed + 1); /* a penalty of 0.3 of the largest on every entry */
        t.ridge = 0;
        for (int i = 0; i < N; i++) {
            t.A[i * D + 7] = seed % 3 == 0 ? 0 : seed % 3 == 1 ? t.A[i * D] : t.A[i * D] - t.A[i * D + 3];
            if (seed % 2 && i >= 5) memset(t.A + i * D, 0, D * sizeof(double));
        }
        const quad best = descend(&t, x, &b);
        posed p = pose(context, &t);
        assert_ok(context, gpis_solve(p.problem, NULL, &r));
        quad own[D];
        for (int j = 0; j < D; j++) own[j] = r->x[j];
        const quad F = objective(&t, own, r->intercept ? r->intercept[0] : 0);
        if (r->outcome != GPIS_SOLVED || r->gap_kind != GPIS_GAP_PROVEN || r->nearness != 0 || r->horizon != 0)
            fail_msg("seed %d: %s", (int)seed, r->warning);
        assert_true(F - best <= (quad)r->gap && F - best <= (quad)1e-8 * best);
        gpis_result_destroy(r);
        forget(&p);
    }
    test_context_end(context, &memory);
}

/* Weights that are nothing beside the gradient, where A has fewer rows than columns: the way from large penalties to
 * small ones has an end. */
static void vanishing_weights(void **state) {
    (void)state;
    enum { ROWS = 20, COLUMNS = 60, SEEDS = 4 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double A[ROWS * COLUMNS], y[ROWS], u[3 * COLUMNS], weight[COLUMNS];
        gpis_source *source = NULL;
        gpis_problem *problem = NULL;
        gpis_result *r = NULL;
        gpis_random_normal(seed, 1, 0, ROWS * COLUMNS, A);
        gpis_random_normal(seed, 2, 0, ROWS, y);
        gpis_random_uniform(seed, 3, 0, 3 * COLUMNS, u);
        for (int i = 0; i < ROWS * COLUMNS; i++) A[i] *= pow(10, 6 * u[i % COLUMNS] - 3);
        for (int j = 0; j < COLUMNS; j++)
            weight[j] = u[COLUMNS + j] < 0.3 ? 1e-320 : 1e-3 * pow(10, -4 * u[2 * COLUMNS + j]);
        assert_ok(context,
                  gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, ROWS, COLUMNS, COLUMNS, &source));
        assert_ok(context, gpis_problem_create(context, source, &problem));
        assert_ok(context, gpis_problem_response(problem, y, ROWS, 1));
        assert_ok(context, gpis_problem_penalty(problem, 1, weight, COLUMNS));
        assert_ok(context, gpis_solve(problem, NULL, &r));
        assert_true(r->objective >= 0 && isfinite(r->objective));
        gpis_result_destroy(r);
        gpis_problem_destroy(problem);
        gpis_source_destroy(source);
    }
    test_context_end(context, &memory);
}

/* Two responses have the same penalty on each column of X. */
static void responses(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    task t;
    double Y[2 * N];
    gpis_result *both = NULL, *one[2] = {NULL, NULL};
    gpis_problem *problem = NULL;
    draw(&t, 2);
    t.lo = -INFINITY, t.hi = INFINITY, t.ridge = 0, t.constant = false;
    posed p = pose(context, &t);
    for (int i = 0; i < N; i++) Y[2 * i] = t.y[i], Y[2 * i + 1] = t.A[i * D + 1] - t.y[i] / 3;
    assert_ok(context, gpis_problem_create(context, p.A, &problem));
    assert_ok(context, gpis_problem_response(problem, Y, N, 2));
    assert_ok(context, gpis_problem_penalty(problem, 1, t.lambda, D));
    assert_ok(context, gpis_solve(problem, NULL, &both));
    for (int c = 0; c < 2; c++) {
        double y[N];
        for (int i = 0; i < N; i++) y[i] = Y[2 * i + c];
        assert_ok(context, gpis_problem_response(p.problem, y, N, 1));
        assert_ok(context, gpis_solve(p.problem, NULL, &one[c]));
        for (int j = 0; j < D; j++) assert_close(both->x[2 * j + c], one[c]->x[j], 1e-6);
    }
    assert_close(both->objective, one[0]->objective + one[1]->objective, 1e-8);
    assert_close(both->penalty, one[0]->penalty + one[1]->penalty, 1e-6);
    for (int c = 0; c < 2; c++) gpis_result_destroy(one[c]);
    gpis_result_destroy(both);
    gpis_problem_destroy(problem);
    forget(&p);
    test_context_end(context, &memory);
}

/* K with a sum of sizes, and with rows, carries the penalty as a polyhedron. */
static void polyhedra(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    task t;
    gpis_result *loose = NULL, *tight = NULL, *free_one = NULL;
    double radius = 0;
    draw(&t, 10);
    t.lo = -INFINITY, t.hi = INFINITY, t.ridge = 0;
    for (int constant = 0; constant < 2; constant++) {
        t.constant = constant;
        posed p = pose(context, &t);
        assert_ok(context, gpis_solve(p.problem, NULL, &free_one));
        for (int j = 0; j < D; j++) radius += fabs(free_one->x[j]);
        assert_ok(context, gpis_set_l1(context, 2 * radius, D, &p.set));
        assert_ok(context, gpis_problem_constrain(p.problem, p.set));
        assert_ok(context, gpis_solve(p.problem, NULL, &loose)); /* a ball that does not bind changes nothing */
        assert_close(loose->objective, free_one->objective, 1e-8);
        gpis_set *smaller = NULL;
        assert_ok(context, gpis_set_l1(context, 0.5 * radius, D, &smaller));
        assert_ok(context, gpis_problem_constrain(p.problem, smaller));
        assert_ok(context, gpis_solve(p.problem, NULL, &tight));
        assert_int_equal(tight->outcome, GPIS_SOLVED);
        assert_int_equal(loose->outcome, GPIS_SOLVED);
        assert_true(tight->objective > loose->objective);
        gpis_result_destroy(free_one);
        gpis_result_destroy(loose);
        gpis_result_destroy(tight);
        gpis_problem_destroy(p.problem);
        p.problem = NULL;
        gpis_set_destroy(smaller);
        forget(&p);
        radius = 0;
    }
    test_context_end(context, &memory);
}

static void bad_input(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    task t;
    gpis_result *r = NULL;
    double weights[D] = {1, 1, 1, 1, -1, 1, 1, 1};
    draw(&t, 1);
    posed p = pose(context, &t);
    assert_int_equal(gpis_problem_penalty(NULL, 1, NULL, D), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_problem_penalty(p.problem, -1, NULL, D), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_solve(p.problem, NULL, &r), GPIS_BAD_ARGUMENT); /* until it is given again */
    assert_int_equal(gpis_problem_penalty(p.problem, NAN, NULL, D), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_problem_penalty(p.problem, INFINITY, NULL, D), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_problem_penalty(p.problem, 1, NULL, D + 1), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_problem_penalty(p.problem, 1, weights, D), GPIS_BAD_ARGUMENT);
    assert_true(strstr(gpis_last_error(context), "entry 5") != NULL);
    weights[4] = NAN;
    assert_int_equal(gpis_problem_penalty(p.problem, 1, weights, D), GPIS_BAD_ARGUMENT);
    assert_ok(context, gpis_problem_penalty(p.problem, 1, NULL, D));
    assert_ok(context, gpis_solve(p.problem, NULL, &r));
    gpis_result_destroy(r);
    forget(&p);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_reference), cmocka_unit_test(threshold),        cmocka_unit_test(path),
        cmocka_unit_test(dependent),         cmocka_unit_test(responses),        cmocka_unit_test(polyhedra),
        cmocka_unit_test(bad_input),         cmocka_unit_test(vanishing_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
