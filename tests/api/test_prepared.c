/*
 * A problem that is made once and solved many times, with other responses, sets and terms in between, gives the same
 * bits as one that is made for each solve: nothing that a solve leaves behind, in the set or elsewhere, shows in the
 * next one.
 */
#include "calls.h"
#include "set/world.h"

enum { N = 60, MOST = 40, RESPONSES = 2 };

static const char *const SPECS[] = {
    "none",
    "nonneg",
    "box:-0.1,0.5",
    "linf:0.1",
    "l1:0.5",
    "l2:0.3",
    "simplex:1",
    "capped-simplex:0.3",
    "capped-simplex:900",
    "sum:0.5,1",
    "group:0.4:2",
    "nuclear:0.5",
    "monotone",
    "tv:0.2",
    "l1:0.5@dct",
    "simplex:1[1-6] & nonneg[7-10]",
    "nonneg & sum:1",
    "l1:1 & l2:0.4",
    "box:,0.3 & l1:0.7",
    NULL, /* bounds by entry */
    NULL, /* weighted sizes */
    NULL, /* rows */
};
enum { KINDS = sizeof SPECS / sizeof *SPECS };

typedef struct terms {
    bool weights, offset, intercept, standardize;
    double ridge, penalty;
} terms;

static const terms TERMS[] = {
    {0},
    {.weights = true},
    {.offset = true},
    {.intercept = true},
    {.ridge = 2.0},
    {.penalty = 3.0},
    {.weights = true, .intercept = true, .penalty = 1.0},
    {.intercept = true, .standardize = true},
};
enum { TERM_COUNT = sizeof TERMS / sizeof *TERMS };

typedef struct data {
    int64_t d;
    double A[N * MOST], Y[RESPONSES * N], weights[RESPONSES * N], offset[N];
} data;

static void fill(data *of, int64_t d) {
    of->d = d;
    fill_normal(of->A, N * d, 1, 1);
    fill_normal(of->Y, RESPONSES * N, 2, 1);
    fill_normal(of->offset, N, 3, 0.3);
    gpis_random_uniform(1, 4, 0, RESPONSES * N, of->weights);
}

static gpis_status make_set(gpis_context *context, int64_t d, int kind, gpis_set **out) {
    double lower[MOST], upper[MOST], weights[MOST], C[2 * MOST];
    static const double least[] = {-0.1, 0.2}, most[] = {0.3, 0.2};
    if (SPECS[kind]) return test_set(context, SPECS[kind], d, 1, out);
    for (int64_t j = 0; j < d; j++) {
        lower[j] = -0.01 * (double)j;
        upper[j] = j % 3 ? 0.2 : INFINITY;
        weights[j] = 1.0 + 0.5 * (double)(j % 4);
        C[j] = j % 2 ? 1.0 : 0.0;
        C[d + j] = j < 3 ? 1.0 + (double)j : 0.0;
    }
    if (kind == KINDS - 3) return gpis_set_box(context, lower, upper, d, out);
    if (kind == KINDS - 2) return gpis_set_l1_weighted(context, 0.6, weights, d, out);
    return gpis_set_linear(context, C, least, most, 2, d, NULL, out);
}

/* Which problem is solved. */
typedef struct question {
    int kind, terms, y;
} question;

static gpis_status pose(gpis_problem *p, const data *of, gpis_set *set, question q) {
    const terms *t = &TERMS[q.terms];
    gpis_status status = gpis_problem_response(p, of->Y + q.y * N, N, 1);
    if (status == GPIS_OK)
        status = gpis_problem_weights(p, t->weights ? of->weights + q.y * N : NULL, t->weights ? N : 0);
    if (status == GPIS_OK)
        status = gpis_problem_offset(p, t->offset ? of->offset : NULL, t->offset ? N : 0, t->offset ? 1 : 0);
    if (status == GPIS_OK) status = gpis_problem_intercept(p, t->intercept);
    if (status == GPIS_OK) status = gpis_problem_standardize(p, t->standardize);
    if (status == GPIS_OK) status = gpis_problem_ridge(p, t->ridge);
    if (status == GPIS_OK) status = gpis_problem_penalty(p, t->penalty, NULL, of->d);
    return status == GPIS_OK ? gpis_problem_constrain(p, set) : status;
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void assert_same(const gpis_result *a, const gpis_result *b, question q) {
    bool same = a->outcome == b->outcome && a->gap_kind == b->gap_kind && a->passes == b->passes &&
                a->unique == b->unique && a->active_count == b->active_count && a->sweeps == b->sweeps;
    const double pairs[][2] = {{a->objective, b->objective},
                               {a->penalty, b->penalty},
                               {a->gap, b->gap},
                               {a->feasibility, b->feasibility},
                               {a->violation, b->violation},
                               {a->degrees_of_freedom, b->degrees_of_freedom},
                               {a->predicted_seconds, b->predicted_seconds},
                               {a->intercept ? *a->intercept : 0.0, b->intercept ? *b->intercept : 0.0}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) same = same && same_bits(pairs[i][0], pairs[i][1]);
    same = same && strcmp(a->plan, b->plan) == 0 && strcmp(a->warning, b->warning) == 0 &&
           strcmp(a->unique_reason, b->unique_reason) == 0 && memcmp(a->x, b->x, (size_t)a->d * sizeof *a->x) == 0;
    for (int64_t i = 0; same && i < a->active_count; i++)
        same = strcmp(a->active[i]->text, b->active[i]->text) == 0 && a->active[i]->column == b->active[i]->column &&
               same_bits(a->active[i]->multiplier, b->active[i]->multiplier);
    if (!same)
        fail_msg("set %d (%s), terms %d, response %d: the prepared problem has another result", q.kind,
                 SPECS[q.kind] ? SPECS[q.kind] : "made", q.terms, q.y);
}

static void compare_with_fresh(const gpis_result *prepared, const data *of, question q) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *A;
    gpis_problem *p;
    gpis_set *set;
    gpis_result *fresh;
    assert_ok(context, gpis_source_dense(context, of->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, of->d, of->d, &A));
    assert_ok(context, gpis_problem_create(context, A, &p));
    assert_ok(context, make_set(context, of->d, q.kind, &set));
    assert_ok(context, pose(p, of, set, q));
    assert_ok(context, gpis_solve(p, NULL, &fresh));
    assert_same(prepared, fresh, q);
    gpis_result_destroy(fresh);
    gpis_problem_destroy(p);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    test_context_end(context, &memory);
}

/* All sets with all terms, twice, with responses that alternate. `step`: every so many of the terms. */
static void check(int64_t d, int step) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static data of;
    gpis_source *A;
    gpis_problem *p;
    gpis_set *sets[KINDS];
    fill(&of, d);
    assert_ok(context, gpis_source_dense(context, of.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, d, d, &A));
    assert_ok(context, gpis_problem_create(context, A, &p));
    for (int kind = 0; kind < KINDS; kind++) assert_ok(context, make_set(context, d, kind, &sets[kind]));
    for (int i = 0; i < 2 * KINDS * TERM_COUNT; i += step) {
        const question q = {i % KINDS, i / KINDS % TERM_COUNT, (i + i / KINDS) % RESPONSES};
        gpis_result *prepared;
        assert_ok(context, pose(p, &of, sets[q.kind], q));
        assert_ok(context, gpis_solve(p, NULL, &prepared));
        compare_with_fresh(prepared, &of, q);
        gpis_result_destroy(prepared);
    }
    gpis_problem_destroy(p);
    for (int kind = 0; kind < KINDS; kind++) gpis_set_destroy(sets[kind]);
    gpis_source_destroy(A);
    test_context_end(context, &memory);
}

static void small_problems(void **state) {
    (void)state;
    check(10, 1);
}

static void larger_problems(void **state) {
    (void)state;
    check(MOST, 5);
}

/* The kinds whose memory differs: the second solve finds what the first has left in the set. */
static gpis_status solve_twice(gpis_context *context, void *user) {
    const question q = *(const question *)user;
    static data of;
    gpis_source *A = NULL;
    gpis_problem *p = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    fill(&of, 10);
    gpis_status status = gpis_source_dense(context, of.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, of.d, of.d, &A);
    if (status == GPIS_OK) status = gpis_problem_create(context, A, &p);
    if (status == GPIS_OK) status = make_set(context, of.d, q.kind, &set);
    if (status == GPIS_OK) status = pose(p, &of, set, q);
    for (int i = 0; i < 2 && status == GPIS_OK; i++) {
        status = gpis_solve(p, NULL, &result);
        gpis_result_destroy(result);
    }
    gpis_problem_destroy(p);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return status;
}

static void no_memory(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        question q = {kind, kind % 2 ? 0 : 5, 0};
        assert_true(test_every_allocation(solve_twice, &q) > 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems),
        cmocka_unit_test(larger_problems),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
