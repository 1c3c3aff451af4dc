/*
 * Every way to solve one problem that the plan considers, timed:
 *
 *     regret machine THREADS
 *     regret ROWS COLUMNS KIND THREADS READ GRADIENT SYRK
 *
 * The first form measures the machine and prints the three speeds that the second form takes, so that all problems of
 * a grid are planned for the same machine. The second makes a problem of that KIND (the table below), asks for its
 * plan, and times the choice and every other candidate in turns. It prints a line for each:
 *
 *     SKETCH M CHOSEN PREDICTED_PASSES PASSES PREDICTED_SECONDS SECONDS OUTCOME
 *
 * and, first of all, `free SHARE`: the share of the entries of the answer that are not at a bound.
 *
 * With one thread, times are processor time, which other programs on the machine hardly disturb; with more, elapsed
 * time. The best of all rounds counts.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpis.h"
#include "read.h"

enum { MAX_ROUNDS = 15, MIN_ROUNDS = 2, MAX_WAYS = 16 };
static const double SECONDS_PER_WAY = 0.5; /* rounds end once each way has had about so much time */
static const double TIMES_AS_LONG = 4.0;   /* a way that takes so many times as long as the choice is cut off */

/* What kind of problem: which entries of the true x are not zero, and the set. */
typedef enum truth { FEW, ALL, POSITIVE } truth;
static const struct kind {
    const char *name, *set;
    truth truth;
    double radius; /* in units of the 1-norm of the true x; 0: the set has none */
} KINDS[] = {
    {"none", "none", ALL, 0.0},
    {"nonneg", "nonneg", ALL, 0.0},
    {"box", "box:-1,1", ALL, 0.0},
    {"l1-few", "l1", FEW, 0.9},
    {"l1-many", "l1", ALL, 0.95},
    {"simplex-few", "simplex", FEW, 0.9},
    {"simplex-many", "simplex", POSITIVE, 1.0},
};

/* ---- the problem ----------------------------------------------------------------------------------------------------
 */

/* A number near a normal one: the sum of four pieces of 16 bits of splitmix64, with variance 1. */
static double number(uint64_t index) {
    uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const double sum =
        (double)(z & 0xffff) + (double)(z >> 16 & 0xffff) + (double)(z >> 32 & 0xffff) + (double)(z >> 48);
    return (sum / 65536.0 - 2.0) * sqrt(3.0);
}

typedef struct data {
    int64_t n, d;
    double *A, *y, *x; /* owned */
} data;

static double true_entry(truth kind, int64_t j) {
    const double value = number((uint64_t)1 << 60 | (uint64_t)j);
    if (kind == FEW) return j % 20 == 0 ? 1.0 + fabs(value) : 0.0;
    return kind == POSITIVE ? 0.5 + fabs(value) : value;
}

/* Neighbouring columns have a correlation of 0.7; a tenth of y is noise. */
static data make(int64_t n, int64_t d, truth kind) {
    static const double CORRELATION = 0.7, NOISE = 0.1;
    const double rest = sqrt(1.0 - CORRELATION * CORRELATION);
    data p = {n, d, bench_allocate((size_t)(n * d) * sizeof(double)), bench_allocate((size_t)n * sizeof(double)),
              bench_allocate((size_t)d * sizeof(double))};
    double y2 = 0.0;
    for (int64_t j = 0; j < d; j++) p.x[j] = true_entry(kind, j);
    for (int64_t i = 0; i < n; i++) {
        double *row = p.A + i * d, last = number((uint64_t)1 << 61 | (uint64_t)i);
        p.y[i] = 0.0;
        for (int64_t j = 0; j < d; j++) {
            row[j] = last = CORRELATION * last + rest * number((uint64_t)(i * d + j));
            p.y[i] += row[j] * p.x[j];
        }
        y2 += p.y[i] * p.y[i];
    }
    const double noise = NOISE * sqrt(y2 / (double)n);
    for (int64_t i = 0; i < n; i++) p.y[i] += noise * number((uint64_t)1 << 62 | (uint64_t)i);
    return p;
}

static void free_data(data *p) {
    free(p->A);
    free(p->y);
    free(p->x);
}

static void spec_of(const struct kind *kind, const data *p, char *text, size_t size) {
    double norm = 0.0;
    for (int64_t j = 0; j < p->d; j++) norm += fabs(p->x[j]);
    if (kind->radius > 0.0)
        snprintf(text, size, "%s:%.17g", kind->set, kind->radius * norm);
    else
        snprintf(text, size, "%s", kind->set);
}

/* ---- the ways -------------------------------------------------------------------------------------------------------
 */

typedef struct way {
    char method[16], sketch[16];
    int64_t m, predicted_passes, passes;
    double predicted_seconds, seconds;
    int chosen;
    gpis_outcome outcome;
} way;

static int collect(gpis_context *context, const gpis_problem *problem, const gpis_settings *settings, way *ways) {
    gpis_plan *plan = NULL;
    int count = 0;
    bench_check(context, gpis_plan_make(problem, settings, &plan));
    for (int64_t i = 0; i < plan->count && count < MAX_WAYS; i++) {
        const gpis_plan_candidate *c = plan->candidates[i];
        if (!c->applicable) continue;
        way *w = &ways[count++];
        *w = (way){.m = c->m,
                   .predicted_passes = c->passes,
                   .predicted_seconds = c->seconds,
                   .seconds = INFINITY,
                   .chosen = c->chosen};
        snprintf(w->method, sizeof w->method, "%s", c->method);
        snprintf(w->sketch, sizeof w->sketch, "%s", c->m > 0 ? c->sketch : "none");
    }
    gpis_plan_destroy(plan);
    return count;
}

static double now(int threads) {
    struct timespec time;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double share_of_free(const gpis_result *r, const struct kind *kind) {
    int64_t free_ones = 0;
    for (int64_t j = 0; j < r->d; j++) {
        const double x = r->x[j];
        free_ones += strcmp(kind->name, "box") == 0 ? fabs(x) < 1.0 : x != 0.0;
    }
    return (double)free_ones / (double)r->d;
}

/* One solve. The choice is made by `auto`; the other ways are named. */
static void solve(gpis_context *context, const gpis_problem *problem, gpis_settings settings, int threads, way *w,
                  const struct kind *kind, bool report) {
    gpis_result *result = NULL;
    if (!w->chosen) {
        settings.method = w->method;
        settings.m = w->m;
        settings.sketch = w->sketch;
    }
    const double start = now(threads);
    bench_check(context, gpis_solve(problem, &settings, &result));
    const double seconds = now(threads) - start;
    if (seconds < w->seconds) w->seconds = seconds;
    w->passes = result->passes;
    w->outcome = result->outcome;
    if (report) printf("free %.3f\n", share_of_free(result, kind));
    gpis_result_destroy(result);
}

/* In turns, so that whatever disturbs the machine disturbs all ways alike. The choice, which sets the limit, is first.
 */
static void race(gpis_context *context, const gpis_problem *problem, gpis_settings settings, int threads,
                 const struct kind *kind, way *ways, int count) {
    int chosen = 0;
    double spent = 0.0, first = 0.0;
    for (int i = 0; i < count; i++)
        if (ways[i].chosen) chosen = i;
    for (int round = 0; round < MIN_ROUNDS || (round < MAX_ROUNDS && spent < SECONDS_PER_WAY * count); round++) {
        const double start = now(2);
        solve(context, problem, settings, threads, &ways[chosen], kind, round == 0);
        if (round == 0) first = now(2) - start;
        settings.time_limit = TIMES_AS_LONG * first + 0.1;
        for (int i = 0; i < count; i++)
            if (i != chosen && (round == 0 || ways[i].outcome != GPIS_TIME_LIMIT))
                solve(context, problem, settings, threads, &ways[i], kind, false);
        settings.time_limit = 0.0;
        spent += now(2) - start;
    }
    for (int i = 0; i < count; i++)
        printf("%s %" PRId64 " %d %" PRId64 " %" PRId64 " %.6g %.6g %s\n",
               ways[i].m > 0 ? ways[i].sketch : ways[i].method, ways[i].m, ways[i].chosen, ways[i].predicted_passes,
               ways[i].passes, ways[i].predicted_seconds, ways[i].seconds, gpis_outcome_text(ways[i].outcome));
}

static int run(int64_t n, int64_t d, const struct kind *kind, int threads, const gpis_machine *machine) {
    gpis_context *context = NULL;
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_problem *problem = NULL;
    char spec[64];
    way ways[MAX_WAYS];
    data p = make(n, d, kind->truth);
    spec_of(kind, &p, spec, sizeof spec);
    bench_check(context, gpis_context_create(&context));
    bench_check(context, gpis_context_set_threads(context, threads));
    bench_check(context, gpis_source_dense(context, p.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, d, &A));
    bench_check(context, gpis_problem_create(context, A, &problem));
    bench_check(context, gpis_problem_response(problem, p.y, n, 1));
    bench_check(context, gpis_set_parse(context, spec, problem, &set));
    bench_check(context, gpis_problem_constrain(problem, set));
    gpis_settings settings = gpis_settings_default();
    settings.machine = machine;
    race(context, problem, settings, threads, kind, ways, collect(context, problem, &settings, ways));
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    gpis_context_destroy(context);
    free_data(&p);
    return 0;
}

static int print_machine(int threads) {
    gpis_context *context = NULL;
    gpis_machine machine = gpis_machine_default();
    bench_check(context, gpis_context_create(&context));
    bench_check(context, gpis_context_set_threads(context, threads));
    bench_check(context, gpis_machine_measure(context, &machine));
    printf("%.6g %.6g %.6g\n", machine.read_bytes, machine.gradient_bytes, machine.syrk_flops);
    gpis_context_destroy(context);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "machine") == 0) return print_machine(atoi(argv[2]));
    const struct kind *kind = NULL;
    for (size_t i = 0; argc == 8 && i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(argv[3], KINDS[i].name) == 0) kind = &KINDS[i];
    if (!kind) {
        fprintf(stderr, "usage: regret machine THREADS, or regret ROWS COLUMNS KIND THREADS READ GRADIENT SYRK\n");
        return 2;
    }
    gpis_machine machine = gpis_machine_default();
    machine.threads = atoi(argv[4]);
    machine.read_bytes = atof(argv[5]);
    machine.gradient_bytes = atof(argv[6]);
    machine.syrk_flops = atof(argv[7]);
    return run(atoll(argv[1]), atoll(argv[2]), kind, machine.threads, &machine);
}
