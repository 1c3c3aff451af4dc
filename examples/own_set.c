/*
 * A set of one's own: the model of last month is to be fitted to new data, but may not move further than r from what it
 * was, ||x - x_old|| <= r. gpis has no such set; a projection and a support function make one, and the answer is proven
 * like any other.
 *
 *     cc -std=c11 own_set.c -lgpis -lm -o own_set && ./own_set
 */
#include <gpis.h>
#include <math.h>
#include <stdio.h>

enum { ROWS = 400, COLUMNS = 5 };

/* The ball around the model of last month. */
typedef struct ball {
    double center[COLUMNS], r;
} ball;

static double distance(const double *a, const double *b) {
    double sum = 0;
    for (int j = 0; j < COLUMNS; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(sum);
}

/* The nearest point of the ball: on the way to its center, where it begins. */
static int project(void *user, const double *v, double *x) {
    const ball *b = user;
    const double far = distance(v, b->center), part = far > b->r ? b->r / far : 1;
    for (int j = 0; j < COLUMNS; j++) x[j] = b->center[j] + part * (v[j] - b->center[j]);
    return 0;
}

/* The largest <g, s> of its points: sup over ||s - center|| <= r of <g, s> = <g, center> + r ||g||. */
static int support(void *user, const double *g, double *value) {
    const ball *b = user;
    const double zero[COLUMNS] = {0};
    *value = b->r * distance(g, zero);
    for (int j = 0; j < COLUMNS; j++) *value += g[j] * b->center[j];
    return 0;
}

/* Data of a model that has moved further than it may. */
static void make_data(double *A, double *y) {
    const double moved[COLUMNS] = {1.5, -0.5, 0.25, 2.0, 0.0};
    gpis_random_normal(1, 0, 0, (int64_t)ROWS * COLUMNS, A);
    gpis_random_normal(1, 1, 0, ROWS, y);
    for (int i = 0; i < ROWS; i++) {
        y[i] *= 0.1;
        for (int j = 0; j < COLUMNS; j++) y[i] += A[i * COLUMNS + j] * moved[j];
    }
}

static int report(const gpis_result *result, const ball *b) {
    printf("x         ");
    for (int j = 0; j < COLUMNS; j++) printf(" %8.5f", result->x[j]);
    printf("\nmoved      %.6f of %g allowed\n", distance(result->x, b->center), b->r);
    printf("objective  %.8g, %s to be within %.0e of the least, relative\n", result->objective,
           gpis_gap_kind_text(result->gap_kind), gpis_relative_gap(result));
    const int inside = distance(result->x, b->center) <= b->r * (1 + 1e-12);
    return result->outcome == GPIS_SOLVED && result->gap_kind == GPIS_GAP_PROVEN && inside ? 0 : 1;
}

int main(void) {
    static double A[ROWS * COLUMNS], y[ROWS];
    ball b = {{1, -1, 0.5, 1.5, 0}, 0.4};
    const double zero[COLUMNS] = {0};
    const gpis_custom_set functions = {.name = "near the model of last month",
                                       .project = project,
                                       .support = support,
                                       .radius = distance(b.center, zero) + b.r,
                                       .user = &b};
    gpis_context *context = NULL;
    gpis_source *source = NULL;
    gpis_problem *problem = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    if (gpis_context_create(&context) != GPIS_OK) return 1;
    make_data(A, y);
    gpis_status status = gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, ROWS, COLUMNS, COLUMNS, &source);
    if (status == GPIS_OK) status = gpis_problem_create(context, source, &problem);
    if (status == GPIS_OK) status = gpis_problem_response(problem, y, ROWS, 1);
    if (status == GPIS_OK) status = gpis_set_custom(context, &functions, COLUMNS, 1, &set);
    if (status == GPIS_OK) status = gpis_problem_constrain(problem, set);
    if (status == GPIS_OK) status = gpis_solve(problem, NULL, &result);
    if (status != GPIS_OK) fprintf(stderr, "own_set: %s\n", gpis_last_error(context));
    const int code = status == GPIS_OK ? report(result, &b) : 1;
    gpis_result_destroy(result);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    gpis_source_destroy(source);
    gpis_context_destroy(context);
    return code;
}
