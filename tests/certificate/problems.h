/* Small random problems of many flavours, over every kind of set: what the tests of bounds and methods share. */
#ifndef GPIS_TESTS_PROBLEMS_H
#define GPIS_TESTS_PROBLEMS_H

#include "set/made.h"

typedef enum flavour {
    FINE,
    SCALED,   /* columns in wildly different units */
    ILL,      /* nearly parallel columns */
    COHERENT, /* a few rows carry everything */
    DUPLICATE,
    ZERO,
    ZERO_AND_DUPLICATE,
    WIDE,      /* fewer rows than columns */
    EXACT_FIT, /* y = A x for some x */
    NEARLY,    /* the last column is the sum of two others but for rounding */
    FLAVOURS
} flavour;

typedef struct problem {
    int64_t n, d, k;
    double *A, *Y; /* n x d, n x k; owned */
} problem;

static const char *const SPECS[] = {"none",
                                    "nonneg",
                                    "box:-1,2",
                                    "box:0.1,0.3",
                                    "box:0,inf",
                                    "box:-0.1,1e9",
                                    "capped-simplex:1e9",
                                    "box:$/lo.npy,$/hi.npy",
                                    "l1:#",
                                    "l2:#",
                                    "linf:#",
                                    "simplex:#",
                                    "capped-simplex:#",
                                    "group:#:1",
                                    "group:#:%",
                                    "tv:#",
                                    "monotone",
                                    "affine:$/C.npy,$/b.npy",
                                    "nuclear:#",
                                    "l1:#@dct",
                                    "nonneg@dct",
                                    "simplex:#@$/U.npy",
                                    "monotone@$/U.npy",
                                    "memory:blocks:#",
                                    "memory:cones",
                                    "memory:nuclear:#",
                                    "memory:ball:#",
                                    "memory:half:#"};
enum { SPEC_COUNT = sizeof SPECS / sizeof *SPECS, TEXT_SPECS = SPEC_COUNT - 5 /* those before are from text */ };

static inline problem problem_make(flavour what, int64_t n, int64_t d, int64_t k, uint64_t seed) {
    if (what == WIDE) n = (d + 1) / 2;
    problem p = {n, d, k, new_vector(n * d), new_vector(n * k)};
    fill_normal(p.A, n * d, seed, 1.0);
    fill_normal(p.Y, n * k, seed + 1, 2.0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            double *v = &p.A[i * d + j];
            if (what == SCALED) *v *= pow(10.0, (double)(j % 5) - 2.0);
            if (what == ILL && j > 0) *v = p.A[i * d] + 1e-4 * *v;
            if (what == COHERENT && i > d) *v *= 1e-3;
            if ((what == DUPLICATE || what == ZERO_AND_DUPLICATE) && j == d - 1) *v = p.A[i * d];
            if ((what == ZERO || what == ZERO_AND_DUPLICATE) && j == d / 2) *v = 0.0;
            if (what == NEARLY && j == d - 1 && d > 2) *v = p.A[i * d] + p.A[i * d + 1];
        }
    if (what == EXACT_FIT)
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < k; c++) {
                p.Y[i * k + c] = 0.0;
                for (int64_t j = 0; j < d; j++) p.Y[i * k + c] += p.A[i * d + j] * (double)(j % 3 + c) / 8.0;
            }
    return p;
}

/* Vectors v with A v = 0, rows of N: of columns of zeros, and of columns that are the same as the first. */
static inline int64_t problem_nulls(const problem *p, double *N) {
    int64_t count = 0;
    for (int64_t j = 0; j < p->d; j++) {
        bool zero = true, same = j > 0;
        for (int64_t i = 0; i < p->n; i++) {
            zero = zero && p->A[i * p->d + j] == 0.0;
            same = same && p->A[i * p->d + j] == p->A[i * p->d];
        }
        if (!zero && !same) continue;
        double *v = N + count++ * p->d;
        for (int64_t t = 0; t < p->d; t++) v[t] = t == j ? 1.0 : 0.0;
        if (!zero) v[0] = -1.0;
    }
    return count;
}

static inline void problem_clear(problem *p) {
    free(p->A);
    free(p->Y);
}

/* ||A x - y||^2 and, where g is not NULL, A'(A x - y), in long double. */
static inline long double problem_value(const problem *p, const double *x, long double *g) {
    long double total = 0;
    for (int64_t i = 0; g && i < p->d * p->k; i++) g[i] = 0;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t c = 0; c < p->k; c++) {
            long double r = -(long double)p->Y[i * p->k + c];
            for (int64_t j = 0; j < p->d; j++) r += (long double)p->A[i * p->d + j] * x[j * p->k + c];
            for (int64_t j = 0; g && j < p->d; j++) g[j * p->k + c] += r * p->A[i * p->d + j];
            total += r * r;
        }
    return total;
}

static inline gpis_source *problem_source(gpis_context *context, const problem *p) {
    gpis_source *source = NULL;
    assert_ok(context, gpis_source_dense(context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->n, p->d, p->d, &source));
    return source;
}

static inline gpis_set *problem_set(gpis_context *context, const world *w, const char *pattern, const char *R,
                                    int64_t k) {
    return world_set(context, w, pattern, R, k);
}

/* How much lower than the best member f can be at a point that is a member up to rounding. */
static inline double membership_noise(const problem *p, const double *x) {
    enum { MAX_ENTRIES = 64 };
    long double g[MAX_ENTRIES], g2 = 0, x2 = 0;
    assert_true(p->d * p->k <= MAX_ENTRIES);
    problem_value(p, x, g);
    for (int64_t i = 0; i < p->d * p->k; i++) g2 += g[i] * g[i], x2 += (long double)x[i] * x[i];
    return 2.0 * (double)sqrtl(g2) * 4.0 * gpis_set_rounding(p->d) * (double)sqrtl(x2);
}

#endif
