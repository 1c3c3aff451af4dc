/*
 * The inner problem of gpis (src/inner) on models that are as ill conditioned as the arithmetic allows, against the
 * reference in quadruple precision.
 *
 * The data and the set are those of the stress suite. There are two models of the data: the Gram matrix in double
 * precision, shifted where it is too near to singular, and rows that keep the digits which a Gram matrix loses
 * (gpis_model_hold_rows). With M'M the matrix of the model, exactly, and M'c = A'Y, the problem is
 *
 *     minimise 1/2 ||M x - c||^2 over K.
 *
 * From a point of K some rounds are made: the gradient at x, in quadruple precision and then rounded, one inner
 * problem, and its solution is the next x. The error is what is left of the fall from the first point, in quadruple
 * precision, beyond what the rounding of x explains. It is judged after one round and after all of them, and so is the
 * bound that duality gives at inner->dual.
 */
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inner/inner.h"
#include "linalg/accurate.h"
#include "reference.h"
#include "set/penalty.h"
#include "sets.h"

enum { ROUNDS = 6, MAX_ITERATIONS = 3000, BURST = 100, MAX_NAMES = 64 };

static const double ONE_ROUND = 1e-2, ALL_ROUNDS = 1e-7; /* errors above these, of the fall, are faults */

/* ---- the problem ----------------------------------------------------------------------------------------------- */

typedef struct hard {
    problem drawn;
    int64_t d, k;
    gpis_context *context;
    set_stack sets;
    gpis_set *set; /* borrowed from `sets` */
    gpis_model *model;
    quad *M, *c; /* d x d and d x k, by columns */
    double *x, *g;
} hard;

/* What was found. Errors are relative to the fall. */
typedef struct verdict {
    int judged; /* zero: the reference is not sharp, or there is no such model */
    double once, after, dual;
    double seconds; /* of the slowest round */
    int64_t iterations;
} verdict;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *gram(gpis_context *context, const problem *p) {
    const int n = (int)p->n, d = (int)p->d;
    double *H = gpis_alloc_zero(context, p->d * p->d, sizeof *H);
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, d, n, 1.0, p->A, d, 0.0, H, d);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < i; j++) H[i * d + j] = H[j * d + i];
    return H;
}

/* The rows of the R of a QR decomposition of A in quadruple precision, rounded. */
static double *exact_rows(const problem *p) {
    const int64_t n = p->n < p->d ? p->d : p->n, d = p->d;
    quad *A = ALLOCATE(quad, n * d);
    double *rows = ALLOCATE(double, d *d);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < d; j++) A[i + j * n] = p->A[i * d + j];
    quad_qr(n, d, A, 0, NULL);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) rows[i * d + j] = (double)A[i + j * n];
    free(A);
    return rows;
}

/* M of the model as it is: R D, or the Cholesky factor of H. Zero if H is not positive. */
static int exact_factor(hard *h) {
    const int64_t d = h->d;
    const gpis_model *m = h->model;
    h->M = ALLOCATE(quad, d * d);
    if (m->by_rows) {
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = i; j < d; j++) h->M[i + j * d] = (quad)m->R[i * d + j] / m->scale[j];
        return 1;
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) {
            quad v = m->H[i * d + j];
            for (int64_t t = 0; t < i; t++) v -= h->M[t + i * d] * h->M[t + j * d];
            if (i == j && m->H[i * d + i] > 0 && !(v > 0)) return 0;
            h->M[i + j * d] = i == j ? sqrtq(v) : h->M[i + i * d] > 0 ? v / h->M[i + i * d] : 0;
        }
    return 1;
}

/* c of M'c = A'Y. */
static void find_c(hard *h) {
    const problem *p = &h->drawn;
    const int64_t d = h->d, k = h->k;
    h->c = ALLOCATE(quad, d * k);
    for (int64_t r = 0; r < k; r++)
        for (int64_t j = 0; j < d; j++) {
            quad v = 0;
            for (int64_t i = 0; i < p->n; i++) v += (quad)p->A[i * d + j] * p->Y[i * k + r];
            for (int64_t t = 0; t < j; t++) v -= h->M[t + j * d] * h->c[t + r * d];
            h->c[j + r * d] = h->M[j + j * d] > 0 ? v / h->M[j + j * d] : 0;
        }
}

static int make(hard *h, uint64_t seed, uint64_t number, int by_rows) {
    *h = (hard){.drawn = problem_draw(seed, number)};
    problem *p = &h->drawn;
    h->d = p->d, h->k = p->k;
    h->x = ALLOCATE(double, h->d * h->k);
    h->g = ALLOCATE(double, h->d * h->k);
    if (p->flavours & (1u << FLAVOUR_UNDERFLOW | 1u << FLAVOUR_EXTREME)) return 0;
    if (gpis_context_create(&h->context) || sets_make(h->context, &p->set, p->k, &h->sets)) return 0;
    h->set = sets_last(&h->sets);
    if (p->k > 1 && p->set.kind != KIND_NUCLEAR && gpis_set_responses(h->set, p->k)) return 0;
    if (p->set.penalty && gpis_set_penalise(h->set, p->set.penalty, &h->sets.sets[h->sets.count])) return 0;
    if (p->set.penalty) h->set = h->sets.sets[h->sets.count++];
    if (gpis_model_create(h->context, h->d, gram(h->context, p), (double)p->n, &h->model)) return 0;
    if (by_rows) {
        double *rows = exact_rows(p);
        const gpis_status status = gpis_model_hold_rows(h->model, h->d, rows);
        free(rows);
        if (status || !h->model->by_rows) return 0;
    }
    if (!exact_factor(h)) return 0;
    find_c(h);
    return gpis_set_project(h->set, h->x, h->x) == GPIS_OK;
}

static void clear(hard *h) {
    gpis_model_destroy(h->model);
    sets_clear(&h->sets);
    gpis_context_destroy(h->context);
    problem_clear(&h->drawn);
    free(h->M);
    free(h->c);
    free(h->x);
    free(h->g);
}

/* ---- judging --------------------------------------------------------------------------------------------------- */

/* 1/2 (||M x - c||^2 + penalty); g, if not NULL, becomes the gradient of the first part. */
static quad value_at(const hard *h, const quad *x, double *g) {
    const int64_t d = h->d, k = h->k;
    const double *penalty = h->drawn.set.penalty;
    quad *r = ALLOCATE(quad, d), sum = 0;
    for (int64_t t = 0; t < k; t++) {
        for (int64_t i = 0; i < d; i++) r[i] = -h->c[i + t * d];
        for (int64_t j = 0; j < d; j++) quad_add(d, x[j * k + t], h->M + j * d, r);
        sum += quad_dot(d, r, r) / 2;
        for (int64_t j = 0; penalty && j < d; j++) sum += penalty[j] * fabsq(x[j * k + t]) / 2;
        for (int64_t j = 0; g && j < d; j++) g[j * k + t] = (double)quad_dot(d, h->M + j * d, r);
    }
    free(r);
    return sum;
}

static quad value_of(const hard *h, const double *x, double *g) {
    quad *exact = ALLOCATE(quad, h->d * h->k);
    for (int64_t i = 0; i < h->d * h->k; i++) exact[i] = x[i];
    const quad value = value_at(h, exact, g);
    free(exact);
    return value;
}

/* By how much the value changes where x is rounded, on the boundary of K as well. A matrix U of a transform may be off
 * from an orthogonal one by 1e-12, and is made orthogonal; several rows of `affine` may be nearly dependent. */
static double grain(const hard *h, const double *g) {
    const constraint *set = &h->drawn.set;
    const double rough = set->turn == TURN_MATRIX ? 1e-12 : set->rows > 1 ? 1e-6 : DBL_EPSILON;
    double slope = 0.0, size = 0.0, norm = 0.0;
    for (int64_t i = 0; i < h->d * h->k; i++) norm = hypot(norm, h->x[i]);
    for (int64_t i = 0; i < h->d * h->k; i++) {
        const double step =
            4.0 * (double)h->d * rough * (set->turn == TURN_NONE && set->rows < 2 ? fabs(h->x[i]) : norm);
        slope += (fabs(g[i]) + (set->penalty ? 0.5 * set->penalty[i / h->k] : 0.0)) * step;
        size += step / h->model->scale[i / h->k];
    }
    return slope + size * size;
}

/* The most that q can fall below q(x) = 0, by duality, from the multiplier at `dual`. */
static double most_fall(hard *h, const double *dual) {
    const int64_t size = h->d * h->k;
    double *l = ALLOCATE(double, size), *v = ALLOCATE(double, size), support = INFINITY, lost = 0, bound = 0;
    for (int64_t i = 0; i < size; i++) v[i] = dual[i] - h->x[i];
    gpis_model_apply(h->model, h->k, v, l);
    for (int64_t i = 0; i < size; i++) l[i] = -(l[i] + h->g[i]);
    const double scale = h->set->penalty ? 2.0 : 1.0; /* the conjugate of h / 2 at l is half of that of h at 2 l */
    for (int64_t i = 0; i < size; i++) l[i] *= scale;
    if (gpis_set_support_near(h->set, l, &support, &lost)) support = INFINITY;
    support = support / scale + 0.5 * gpis_set_height(h->set, h->x);
    for (int64_t i = 0; i < size; i++) l[i] /= scale;
    for (int64_t i = 0; i < size; i++) v[i] = h->g[i] + l[i], bound -= l[i] * h->x[i];
    gpis_model_whiten(h->model, h->k, v);
    for (int64_t i = 0; i < size; i++) bound += 0.5 * v[i] * v[i];
    free(l);
    free(v);
    return bound + support;
}

static int solve_once(hard *h, gpis_inner *inner, verdict *v) {
    const int64_t before = inner->iterations;
    const double start = now();
    int64_t bursts = 0;
    bool done = false;
    gpis_inner_begin(inner, h->x, h->g);
    while (!done && bursts++ < MAX_ITERATIONS / BURST)
        if (gpis_inner_run(inner, BURST, &done)) return 0;
    v->seconds = fmax(v->seconds, now() - start);
    v->iterations = inner->iterations - before > v->iterations ? inner->iterations - before : v->iterations;
    return 1;
}

static verdict judge(hard *h) {
    verdict v = {0};
    gpis_inner *inner = NULL;
    const int64_t size = h->d * h->k;
    quad *best = ALLOCATE(quad, size), width, value = value_of(h, h->x, h->g), first = value, once = value;
    if (gpis_inner_create(h->context, h->set, h->model, NULL, &inner)) {
        fprintf(stderr, "no inner problem: %s\n", gpis_last_error(h->context));
        v.judged = 1, v.once = v.after = INFINITY;
        return v;
    }
    double dual = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        if (!solve_once(h, inner, &v)) v.after = INFINITY;
        dual = fmin(dual, most_fall(h, inner->dual));
        memcpy(h->x, inner->s, (size_t)size * sizeof *h->x);
        value = value_of(h, h->x, h->g);
        if (round == 0) once = value;
    }
    const int certain = reference_solve_rows(&h->drawn.set, h->k, h->d, h->M, h->c, h->x, best, &width);
    const quad least = value_at(h, best, NULL) - width / 2, fall = first - least;
    const double noise = grain(h, h->g), scale = fmax(fmax((double)fall, noise), DBL_MIN);
    v.judged = certain && width <= (quad)1e-9 * fall + noise;
    v.once = fmax(0.0, (double)(once - least) - noise) / scale;
    v.after = fmax(v.after, fmax(0.0, (double)(value - least) - noise) / scale);
    v.dual = fmax(0.0, dual - noise) / scale;
    gpis_inner_destroy(inner);
    free(best);
    return v;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

typedef struct line {
    char name[48];
    int judged, once, after, dual;
    double worst, slowest;
    int64_t iterations;
} line;

static line *line_of(line *lines, int *count, const char *name) {
    for (int i = 0; i < *count; i++)
        if (!strcmp(lines[i].name, name)) return lines + i;
    snprintf(lines[*count].name, sizeof lines->name, "%s", name);
    return lines + (*count)++;
}

static void enter(line *l, const verdict *v) {
    l->judged++;
    l->once += !(v->once <= ONE_ROUND);
    l->after += !(v->after <= ALL_ROUNDS);
    l->dual += !(v->dual <= 1e-5);
    l->worst = fmax(l->worst, v->after);
    l->slowest = fmax(l->slowest, v->seconds);
    l->iterations = v->iterations > l->iterations ? v->iterations : l->iterations;
}

static int by_name(const void *a, const void *b) { return strcmp(((const line *)a)->name, ((const line *)b)->name); }

int main(int argc, char **argv) {
    uint64_t seed = 1, from = 0, count = 300;
    int told = 0, faults = 0, names = 0;
    static line lines[2 * MAX_NAMES];
    omp_set_num_threads(1); /* as inside the library */
    for (int i = 1; i + 1 < argc; i += 2) {
        const uint64_t number = strtoull(argv[i + 1], NULL, 10);
        if (!strcmp(argv[i], "--seed")) seed = number;
        if (!strcmp(argv[i], "--count")) count = number;
        if (!strcmp(argv[i], "--case")) from = number, count = 1, told = 1;
    }
    for (uint64_t number = from; number < from + count; number++)
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            hard h;
            verdict v = {0};
            char text[512], name[40], full[48];
            if (make(&h, seed, number, by_rows)) v = judge(&h);
            constraint_name(&h.drawn.set, name, sizeof name);
            snprintf(full, sizeof full, "%s %s", name, by_rows ? "rows" : "gram");
            problem_describe(&h.drawn, text, sizeof text);
            const int bad = v.judged && !(v.once <= ONE_ROUND && v.after <= ALL_ROUNDS);
            if (bad || told || (v.judged && !(v.dual <= 1e-5)))
                printf("%llu %s: once %.1e, after %.1e, dual %.1e, %.4f s, %lld iterations; inverse %.1e%s: %s\n",
                       (unsigned long long)number, full, v.once, v.after, v.dual, v.seconds, (long long)v.iterations,
                       h.model ? h.model->inverse : NAN, v.judged ? "" : " (not judged)", text);
            if (v.judged) enter(line_of(lines, &names, full), &v);
            faults += bad;
            clear(&h);
        }
    qsort(lines, (size_t)names, sizeof *lines, by_name);
    printf("\n%-22s %6s %6s %6s %6s %9s %9s %6s\n", "set, model", "judged", "once", "after", "dual", "worst", "slowest",
           "steps");
    for (int i = 0; i < names; i++)
        printf("%-22s %6d %6d %6d %6d %9.1e %9.4f %6lld\n", lines[i].name, lines[i].judged, lines[i].once,
               lines[i].after, lines[i].dual, lines[i].worst, lines[i].slowest, (long long)lines[i].iterations);
    printf("faults: %d\n", faults);
    return faults > 0;
}
