/*
 * How accurate least-squares solutions are, without any clock:
 *     backward [ROWS COLUMNS [DRAWS [LIMIT]]]
 * Problems are drawn as in the experiments of Epperly, Meier and Nakatsukasa (Fast randomized least-squares solvers can
 * be both accurate and stable, 2024): A = U S V' with random orthonormal U and V and singular values from 1 to 1 /
 * condition, evenly spaced on a logarithmic scale; y = A x + r, with a random x of norm 1 and a random r orthogonal to
 * the columns of A, ||r|| = residual ||A x||. For each solver the table has the relative error of x and Karlson and
 * Walden's estimate of its backward error, relative to ||A||_F, both evaluated in quadruple precision; of several draws
 * the geometric mean. The last columns are the passes of gpis, the number of draws that end `solved`, and what gpis
 * says of its backward error. With LIMIT the program fails if the backward error of gpis is more than LIMIT times that
 * of dgelsd in a row, or if what gpis says of it is not within a factor of ten.
 */
#include <float.h>
#include <lapacke.h>
#include <stdio.h>
#include <string.h>

#include <cblas.h>

#include "gpis.h"
#include "quad_least_squares.h"

typedef struct problem {
    int64_t n, d;
    double *A, *y; /* owned; A is row-major */
    quad *truth;   /* owned: the minimiser */
} problem;

enum { GELSD, NORMAL, DEFAULT, TIGHT, SKETCHED, SOLVERS };
static const char *const NAMES[SOLVERS] = {"dgelsd", "normal equations", "gpis", "gpis --tol 1e-14", "gpis, a sketch"};

/* What a solver made of the draws of one kind: sums of logarithms, and how often there was an answer. */
typedef struct tally {
    double forward, backward, stated;
    double latest; /* what gpis stated in the latest draw; NaN: nothing */
    int answers, stated_count, solved;
    int misstated; /* draws in which gpis states a backward error that is far from the true one */
    int64_t passes;
} tally;

static void fail(const char *what) {
    fprintf(stderr, "backward: %s\n", what);
    exit(3);
}

static void *allocate(int64_t count, size_t size) {
    void *memory = calloc((size_t)count, size);
    if (!memory) fail("out of memory");
    return memory;
}

/* ---- problems ---- */

static double uniform(uint64_t *state) { /* splitmix64 */
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state) {
    const double radius = sqrt(-2.0 * log(uniform(state)));
    return radius * cos(6.283185307179586 * uniform(state));
}

/* The columns of an n x d matrix, column-major, made orthonormal. */
static void orthonormal(int64_t n, int64_t d, uint64_t *state, double *U) {
    double *tau = allocate(d, sizeof *tau);
    const lapack_int rows = (lapack_int)n, cols = (lapack_int)d;
    for (int64_t i = 0; i < n * d; i++) U[i] = normal(state);
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, cols, U, rows, tau) != 0 ||
        LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, cols, cols, U, rows, tau) != 0)
        fail("LAPACK fails");
    free(tau);
}

/* v := v - U U'v, twice. */
static void remove_range(int64_t n, int64_t d, const double *U, double *v) {
    double *t = allocate(d, sizeof *t);
    for (int twice = 0; twice < 2; twice++) {
        cblas_dgemv(CblasColMajor, CblasTrans, (int)n, (int)d, 1.0, U, (int)n, v, 1, 0.0, t, 1);
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)d, -1.0, U, (int)n, t, 1, 1.0, v, 1);
    }
    free(t);
}

static void draw(problem *p, double condition, double residual, uint64_t seed) {
    const int64_t n = p->n, d = p->d;
    uint64_t state = seed;
    double *U = allocate(n * d, sizeof *U), *V = allocate(d * d, sizeof *V), *x = allocate(d, sizeof *x);
    double *r = allocate(n, sizeof *r);
    orthonormal(n, d, &state, U);
    orthonormal(d, d, &state, V);
    for (int64_t i = 0; i < n; i++) r[i] = normal(&state);
    for (int64_t j = 0; j < d; j++) x[j] = normal(&state);
    remove_range(n, d, U, r);
    for (int64_t l = 0; l < d; l++) /* V := S V', of which row l is S_l times column l of V */
        cblas_dscal((int)d, pow(condition, -(double)l / (double)(d > 1 ? d - 1 : 1)), V + l * d, 1);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)n, (int)d, (int)d, 1.0, U, (int)n, V, (int)d, 0.0, p->A,
                (int)d);
    cblas_dscal((int)d, 1.0 / cblas_dnrm2((int)d, x, 1), x, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)d, 1.0, p->A, (int)d, x, 1, 0.0, p->y, 1);
    cblas_daxpy((int)n, residual * cblas_dnrm2((int)n, p->y, 1) / cblas_dnrm2((int)n, r, 1), r, 1, p->y, 1);
    if (!quad_least_squares(n, d, p->A, p->y, p->truth)) fail("A has no full rank in quadruple precision");
    free(U), free(V), free(x), free(r);
}

/* ---- solvers ---- */

static bool solve_gelsd(const problem *p, double *x) {
    double *A = allocate(p->n * p->d, sizeof *A), *y = allocate(p->n, sizeof *y), *s = allocate(p->d, sizeof *s);
    lapack_int rank;
    memcpy(A, p->A, (size_t)(p->n * p->d) * sizeof *A);
    memcpy(y, p->y, (size_t)p->n * sizeof *y);
    const lapack_int failed = LAPACKE_dgelsd(LAPACK_ROW_MAJOR, (lapack_int)p->n, (lapack_int)p->d, 1, A,
                                             (lapack_int)p->d, y, 1, s, 0.0, &rank);
    memcpy(x, y, (size_t)p->d * sizeof *x);
    free(A), free(y), free(s);
    return failed == 0;
}

static bool solve_normal(const problem *p, double *x) {
    const int n = (int)p->n, d = (int)p->d;
    double *G = allocate(p->d * p->d, sizeof *G);
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, d, n, 1.0, p->A, d, 0.0, G, d);
    cblas_dgemv(CblasRowMajor, CblasTrans, n, d, 1.0, p->A, d, p->y, 1, 0.0, x, 1);
    const lapack_int failed = LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', d, 1, G, d, x, 1);
    free(G);
    return failed == 0;
}

static bool solve_gpis(gpis_context *context, const problem *p, const char *tol, const char *sketch, double *x,
                       tally *t) {
    gpis_settings settings = gpis_settings_default();
    gpis_source *A = NULL;
    gpis_problem *posed = NULL;
    gpis_result *result = NULL;
    gpis_settings_set(&settings, "tol", tol);
    if (sketch) settings.m = 8 * p->d; /* else the plan would take the Gram matrix all the same */
    gpis_settings_set(&settings, "method", sketch ? "newton" : NULL);
    gpis_settings_set(&settings, "sketch", sketch);
    gpis_status status = gpis_source_dense(context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->n, p->d, p->d, &A);
    if (status == GPIS_OK) status = gpis_problem_create(context, A, &posed);
    if (status == GPIS_OK) status = gpis_problem_response(posed, p->y, p->n, 1);
    if (status == GPIS_OK) status = gpis_solve(posed, &settings, &result);
    if (status != GPIS_OK) fail(gpis_last_error(context));
    memcpy(x, result->x, (size_t)p->d * sizeof *x);
    t->passes += result->passes;
    t->solved += result->outcome == GPIS_SOLVED;
    t->latest = result->backward_error;
    if (t->latest > 0.0) t->stated += log(t->latest), t->stated_count++;
    gpis_result_destroy(result);
    gpis_problem_destroy(posed);
    gpis_source_destroy(A);
    return true;
}

static bool solve(gpis_context *context, int solver, const problem *p, double *x, tally *t) {
    switch (solver) {
    case GELSD: return solve_gelsd(p, x);
    case NORMAL: return solve_normal(p, x);
    case DEFAULT: return solve_gpis(context, p, NULL, NULL, x, t);
    case TIGHT: return solve_gpis(context, p, "1e-14", NULL, x, t);
    default: return solve_gpis(context, p, NULL, "count", x, t);
    }
}

/* ---- the table ---- */

static double forward_error(const problem *p, const double *x) {
    quad error2 = 0, norm2 = 0;
    for (int64_t j = 0; j < p->d; j++) {
        error2 += (x[j] - p->truth[j]) * (x[j] - p->truth[j]);
        norm2 += p->truth[j] * p->truth[j];
    }
    return (double)quad_root(error2 / norm2);
}

static void print_row(double condition, double residual, int draws, const tally *tallies) {
    printf("| %.0e | %.0e |", condition, residual);
    for (int i = 0; i < SOLVERS; i++) {
        const tally *t = &tallies[i];
        if (t->answers < draws)
            printf(" fails | |");
        else
            printf(" %.1e | %.1e |", exp(t->forward / draws), exp(t->backward / draws));
    }
    for (int i = DEFAULT; i < SOLVERS; i++) {
        const tally *t = &tallies[i];
        printf(" %.0f | %d | ", (double)t->passes / draws, t->solved);
        if (t->stated_count > 0) printf("%.1e ", exp(t->stated / t->stated_count));
        printf("|");
    }
    putchar('\n');
    fflush(stdout);
}

/* Below the unit roundoff nothing is left but the rounding of x, and how far below no one needs to know. */
static bool is_near(double stated, double backward) {
    if (isnan(stated)) return true;
    return fmax(stated, DBL_EPSILON) >= 0.1 * backward && stated <= fmax(10.0 * backward, 4.0 * DBL_EPSILON);
}

/* At a condition number of 1e14 the factor in double-double can be too near to singular for an estimate. */
static int count_failures(const tally *tallies, double condition, int draws, double limit) {
    int failures = 0;
    for (int i = DEFAULT; i < SOLVERS; i++) {
        const tally *t = &tallies[i];
        failures += !(exp(t->backward / draws) <= limit * exp(tallies[GELSD].backward / draws));
        failures += t->misstated + (condition < 1e13 && t->stated_count < draws);
    }
    return failures;
}

static int run_kind(gpis_context *context, problem *p, double condition, double residual, int draws, double limit) {
    tally tallies[SOLVERS] = {0};
    double *x = allocate(p->n, sizeof *x);
    for (int draw_number = 0; draw_number < draws; draw_number++) {
        draw(p, condition, residual, (uint64_t)draw_number + 1);
        for (int i = 0; i < SOLVERS; i++) {
            tally *t = &tallies[i];
            t->latest = NAN;
            if (!solve(context, i, p, x, t)) continue;
            const double backward = quad_backward_error(p->n, p->d, p->A, p->y, x);
            t->forward += log(forward_error(p, x));
            t->backward += log(backward);
            t->misstated += !is_near(t->latest, backward);
            t->answers++;
        }
    }
    print_row(condition, residual, draws, tallies);
    free(x);
    return limit > 0.0 ? count_failures(tallies, condition, draws, limit) : 0;
}

int main(int argc, char **argv) {
    const int64_t n = argc > 2 ? atoll(argv[1]) : 4000, d = argc > 2 ? atoll(argv[2]) : 50;
    const int draws = argc > 3 ? atoi(argv[3]) : 3;
    const double limit = argc > 4 ? atof(argv[4]) : 0.0;
    int failures = 0;
    gpis_context *context = NULL;
    if (d < 1 || n < d || draws < 1 || argc == 2) {
        fprintf(stderr, "backward [ROWS COLUMNS [DRAWS [LIMIT]]], with ROWS >= COLUMNS\n");
        return 2;
    }
    if (gpis_context_create(&context) != GPIS_OK) fail("no context");
    problem p = {.n = n,
                 .d = d,
                 .A = allocate(n * d, sizeof(double)),
                 .y = allocate(n, sizeof(double)),
                 .truth = allocate(d, sizeof(quad))};
    printf("%lld x %lld, %d draws\n\n| condition | residual |", (long long)n, (long long)d, draws);
    for (int i = 0; i < SOLVERS; i++) printf(" %s: error | backward |", NAMES[i]);
    for (int i = DEFAULT; i < SOLVERS; i++) printf(" passes | solved | stated |");
    printf("\n|");
    for (int i = 0; i < 2 + 2 * SOLVERS + 3 * (SOLVERS - DEFAULT); i++) printf(" --- |");
    putchar('\n');
    for (int power = 2; power <= 14; power += 2)
        for (int i = 0; i < 2; i++) failures += run_kind(context, &p, pow(10.0, power), i ? 1e-12 : 1e-3, draws, limit);
    free(p.A), free(p.y), free(p.truth);
    gpis_context_destroy(context);
    if (failures > 0) fprintf(stderr, "backward: %d of the claims above do not hold\n", failures);
    return failures > 0;
}
