/*
 * Small and repeated solves: what one of them costs when everything around it is prepared once.
 *
 *     small [ROUNDS [KIND]]
 *
 * Times are processor seconds of one thread, the best of several rounds.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpis.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(gpis_context *context, gpis_status status) {
    if (status == GPIS_OK) return;
    fprintf(stderr, "small: %s\n", gpis_last_error(context));
    exit(1);
}

/* A of n x d, normal, and y = A x + noise with a few large coefficients. */
static void make_data(int64_t n, int64_t d, double *A, double *y) {
    gpis_random_normal(1, 1, 0, n * d, A);
    gpis_random_normal(1, 2, 0, n, y);
    for (int64_t i = 0; i < n; i++) {
        y[i] *= 0.3;
        for (int64_t j = 0; j < d; j += 3) y[i] += A[i * d + j] / (1.0 + (double)j);
    }
}

typedef struct question {
    gpis_context *context;
    gpis_problem *problem;
    double *y;
    int64_t n, d;
} question;

static void solve(const question *q, const gpis_settings *settings) {
    gpis_result *result;
    check(q->context, gpis_solve(q->problem, settings, &result));
    if (result->outcome != GPIS_SOLVED) {
        fprintf(stderr, "small: %s\n", result->warning);
        exit(1);
    }
    gpis_result_destroy(result);
}

/* `count` solves over l1 balls of different radii on one summary of d columns; seconds each. */
static double solve_sets(const question *q, int count) {
    gpis_settings settings = gpis_settings_default();
    const double start = now();
    for (int i = 0; i < count; i++) {
        gpis_set *set;
        check(q->context, gpis_set_l1(q->context, 0.05 + 1.5 * i / count, q->d, &set));
        check(q->context, gpis_problem_constrain(q->problem, set));
        solve(q, &settings);
        gpis_set_destroy(set);
    }
    return (now() - start) / count;
}

/* `count` solves with other responses, on a problem that is made once; seconds each. */
static double solve_responses(const question *q, int count) {
    gpis_settings settings = gpis_settings_default();
    const double start = now();
    for (int i = 0; i < count; i++) {
        check(q->context, gpis_problem_response(q->problem, q->y + (i % 8) * q->n, q->n, 1));
        solve(q, &settings);
    }
    return (now() - start) / count;
}

static double best(double (*work)(const question *, int), const question *q, int count, int rounds) {
    double least = INFINITY;
    for (int r = 0; r < rounds; r++) least = fmin(least, work(q, count));
    return least;
}

static void bench_summary(gpis_context *context, int rounds) {
    enum { N = 20000, D = 100 };
    double *A = malloc(sizeof *A * N * D), *y = malloc(sizeof *y * N);
    gpis_source *source;
    gpis_problem *rows;
    gpis_summary *summary;
    question q = {.context = context, .d = D};
    make_data(N, D, A, y);
    check(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &source));
    check(context, gpis_problem_create(context, source, &rows));
    check(context, gpis_problem_response(rows, y, N, 1));
    check(context, gpis_summary_make(rows, NULL, &summary));
    check(context, gpis_problem_of_summary(context, summary, &q.problem));
    const double each = best(solve_sets, &q, 200, rounds);
    printf("%-58s %9.1f us   target 1000\n", "another l1 ball on one summary of 100 columns, proven", 1e6 * each);
    gpis_problem_destroy(q.problem);
    gpis_summary_destroy(summary);
    gpis_problem_destroy(rows);
    gpis_source_destroy(source);
    free(A);
    free(y);
}

/* What a problem is made of besides A and y. */
typedef struct kind {
    const char *what, *spec;
    const char *linear;                                     /* NULL, or a linear constraint besides the spec */
    gpis_status (*make)(const question *q, gpis_set **set); /* where there is no spec */
    double target;                                          /* microseconds */
    double penalty, ridge;
    bool intercept, weights;
} kind;

/* The box -0.1 to 0.5, its bounds given entry by entry. */
static gpis_status make_bounds(const question *q, gpis_set **set) {
    double lower[q->d], upper[q->d];
    for (int64_t j = 0; j < q->d; j++) lower[j] = -0.1 - 0.01 * (double)j, upper[j] = 0.5;
    return gpis_set_box(q->context, lower, upper, q->d, set);
}

static gpis_status make_weighted(const question *q, gpis_set **set) {
    double weights[q->d];
    for (int64_t j = 0; j < q->d; j++) weights[j] = 1.0 + 0.1 * (double)j;
    return gpis_set_l1_weighted(q->context, 0.5, weights, q->d, set);
}

static const kind kinds[] = {
    {.what = "no set", .spec = "none", .target = 25},
    {.what = "nonneg", .spec = "nonneg", .target = 25},
    {.what = "box", .spec = "box:-0.1,0.5", .target = 25},
    {.what = "bounds by entry", .make = make_bounds, .target = 25},
    {.what = "linf", .spec = "linf:0.1", .target = 25},
    {.what = "l1", .spec = "l1:0.5", .target = 25},
    {.what = "simplex", .spec = "simplex:1", .target = 25},
    {.what = "capped simplex", .spec = "capped-simplex:0.3", .target = 25},
    {.what = "l2", .spec = "l2:0.3", .target = 25},
    {.what = "sum", .spec = "sum:1"},
    {.what = "weighted l1", .make = make_weighted},
    {.what = "a simplex of some columns", .spec = "simplex:1[1-6] & nonneg[7-10]"},
    {.what = "nonneg and a linear row", .spec = "nonneg", .linear = "x1 + 2 x2 <= 0.1"},
    {.what = "monotone", .spec = "monotone"},
    {.what = "tv", .spec = "tv:0.2"},
    {.what = "l1 penalty", .spec = "none", .penalty = 5.0},
    {.what = "nonneg and an intercept", .spec = "nonneg", .intercept = true},
    {.what = "l1 and an intercept", .spec = "l1:0.5", .intercept = true},
    {.what = "nonneg and weights", .spec = "nonneg", .weights = true},
    {.what = "nonneg and a ridge", .spec = "nonneg", .ridge = 1.0},
};

/* sets[0] is that of the kind; sets[1] and sets[2] are what it is made of, or NULL. */
static void make_set(const question *q, const kind *of, gpis_set *sets[3]) {
    sets[1] = sets[2] = NULL;
    gpis_set **first = of->linear ? &sets[1] : &sets[0];
    if (of->make)
        check(q->context, of->make(q, first));
    else
        check(q->context, gpis_set_parse(q->context, of->spec, q->problem, first));
    if (!of->linear) return;
    check(q->context, gpis_set_parse_linear(q->context, &of->linear, 1, q->problem, &sets[2]));
    check(q->context, gpis_set_intersection(q->context, 2, sets + 1, &sets[0]));
}

static void bench_kind(question *q, const kind *of, const double *weights, int rounds) {
    gpis_context *context = q->context;
    gpis_problem *p = q->problem;
    gpis_set *sets[3];
    make_set(q, of, sets);
    check(context, gpis_problem_constrain(p, sets[0]));
    check(context, gpis_problem_penalty(p, of->penalty, NULL, q->d));
    check(context, gpis_problem_ridge(p, of->ridge));
    check(context, gpis_problem_intercept(p, of->intercept));
    check(context, gpis_problem_weights(p, of->weights ? weights : NULL, of->weights ? q->n : 0));
    const double each = 1e6 * best(solve_responses, q, 1000, rounds);
    if (of->target > 0.0)
        printf("100 x 10, another y, %-37s %9.1f us   target %g\n", of->what, each, of->target);
    else
        printf("100 x 10, another y, %-37s %9.1f us\n", of->what, each);
    gpis_problem_constrain(p, NULL);
    for (int i = 0; i < 3; i++) gpis_set_destroy(sets[i]);
}

/* `only`: the kind to measure, by what it is called; NULL: all. */
static void bench_prepared(gpis_context *context, int rounds, const char *only) {
    enum { N = 100, D = 10, RESPONSES = 8 };
    double *A = malloc(sizeof *A * N * D), *y = malloc(sizeof *y * N * RESPONSES), *w = malloc(sizeof *w * N);
    gpis_source *source;
    question q = {.context = context, .y = y, .n = N, .d = D};
    make_data(N, D, A, y);
    gpis_random_normal(1, 3, 0, N * RESPONSES, y);
    gpis_random_uniform(1, 4, 0, N, w);
    check(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &source));
    check(context, gpis_problem_create(context, source, &q.problem));
    check(context, gpis_problem_response(q.problem, y, N, 1));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!only || strcmp(only, kinds[i].what) == 0) bench_kind(&q, &kinds[i], w, rounds);
    gpis_problem_destroy(q.problem);
    gpis_source_destroy(source);
    free(A);
    free(y);
    free(w);
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 5;
    const char *only = argc > 2 ? argv[2] : NULL;
    gpis_context *context;
    if (gpis_context_create(&context) != GPIS_OK) return 1;
    gpis_context_set_threads(context, 1);
    if (!only) bench_summary(context, rounds);
    bench_prepared(context, rounds, only);
    gpis_context_destroy(context);
    return 0;
}
