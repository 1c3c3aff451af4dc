/*
 * Small and repeated solves: what one of them costs when everything around it is prepared once.
 *
 *     small [ROUNDS]
 *
 * Times are processor seconds of one thread, the best of several rounds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

static void bench_prepared(gpis_context *context, int rounds) {
    enum { N = 100, D = 10, RESPONSES = 8 };
    static const char *const specs[] = {"none", "nonneg", "l1:0.5", "box:-0.1,0.5", "simplex:1"};
    double *A = malloc(sizeof *A * N * D), *y = malloc(sizeof *y * N * RESPONSES);
    gpis_source *source;
    question q = {.context = context, .y = y, .n = N, .d = D};
    make_data(N, D, A, y);
    gpis_random_normal(1, 3, 0, N * RESPONSES, y);
    check(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &source));
    check(context, gpis_problem_create(context, source, &q.problem));
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        gpis_set *set;
        char name[64];
        check(context, gpis_set_parse(context, specs[s], q.problem, &set));
        check(context, gpis_problem_constrain(q.problem, set));
        snprintf(name, sizeof name, "100 x 10, prepared, other y, %s, proven", specs[s]);
        printf("%-58s %9.1f us   target 25\n", name, 1e6 * best(solve_responses, &q, 1000, rounds));
        gpis_problem_constrain(q.problem, NULL);
        gpis_set_destroy(set);
    }
    gpis_problem_destroy(q.problem);
    gpis_source_destroy(source);
    free(A);
    free(y);
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 5;
    gpis_context *context;
    if (gpis_context_create(&context) != GPIS_OK) return 1;
    gpis_context_set_threads(context, 1);
    bench_summary(context, rounds);
    bench_prepared(context, rounds);
    gpis_context_destroy(context);
    return 0;
}
