/*
 * A reference for small polyhedra: every constraint as one inequality <a, x> <= b, a sum of sizes as one for each
 * pattern of signs, and the minimum of a quadratic over them by trying all sets of constraints that may hold with
 * equality, in long double. It shares nothing with the library but the list of the constraints.
 */
#ifndef GPIS_TESTS_FACES_H
#define GPIS_TESTS_FACES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACES_D = 5, FACES_MOST = 200 };

typedef struct faces {
    int d, count;
    long double a[FACES_MOST][FACES_D], b[FACES_MOST];
} faces;

static inline void faces_add(faces *f, const double *a, double times, double b) {
    if (isinf(b) || f->count == FACES_MOST) return;
    for (int j = 0; j < f->d; j++) f->a[f->count][j] = (long double)times * a[j];
    f->b[f->count++] = b;
}

static inline void faces_bound(faces *f, int j, double lo, double hi) {
    double e[FACES_D] = {0};
    e[j] = 1;
    faces_add(f, e, 1, hi);
    faces_add(f, e, -1, -lo);
}

static inline void faces_row(faces *f, const double *a, double lower, double upper) {
    faces_add(f, a, 1, upper);
    faces_add(f, a, -1, -lower);
}

static inline void faces_sizes(faces *f, const double *weight, double R) {
    for (int pattern = 0; pattern < 1 << f->d; pattern++) {
        double a[FACES_D];
        for (int j = 0; j < f->d; j++) a[j] = pattern >> j & 1 ? -weight[j] : weight[j];
        faces_add(f, a, 1, R);
    }
}

/* Gauss with complete pivoting; false where the matrix is singular. */
static inline int faces_solve(int n, long double M[2 * FACES_D][2 * FACES_D + 1], long double *x) {
    int order[2 * FACES_D];
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = 0; i < n; i++) {
        int r = i, c = i;
        for (int k = i; k < n; k++)
            for (int l = i; l < n; l++)
                if (fabsl(M[k][l]) > fabsl(M[r][c])) r = k, c = l;
        if (!(fabsl(M[r][c]) > 1e-13L)) return 0;
        for (int l = 0; l <= n; l++) {
            const long double t = M[i][l];
            M[i][l] = M[r][l];
            M[r][l] = t;
        }
        for (int k = 0; k < n; k++) {
            const long double t = M[k][i];
            M[k][i] = M[k][c];
            M[k][c] = t;
        }
        const int t = order[i];
        order[i] = order[c];
        order[c] = t;
        for (int k = i + 1; k < n; k++) {
            const long double q = M[k][i] / M[i][i];
            for (int l = i; l <= n; l++) M[k][l] -= q * M[i][l];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        long double sum = M[i][n];
        for (int l = i + 1; l < n; l++) sum -= M[i][l] * x[order[l]];
        x[order[i]] = sum / M[i][i];
    }
    return 1;
}

static inline long double faces_value(const faces *f, const double *H, const double *g, const long double *x) {
    long double value = 0;
    for (int i = 0; i < f->d; i++) {
        value += g[i] * x[i];
        for (int j = 0; j < f->d; j++) value += 0.5L * x[i] * H[i * f->d + j] * x[j];
    }
    return value;
}

/* The minimum with the constraints chosen[0 .. n - 1] met with equality, if it is feasible: then *x and *best become
 * it, where it is lower. */
static inline void faces_try(const faces *f, const double *H, const double *g, const int *chosen, int n,
                             long double *best, long double *x) {
    long double M[2 * FACES_D][2 * FACES_D + 1] = {{0}}, z[2 * FACES_D];
    const int d = f->d;
    for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++) M[i][j] = H[i * d + j];
        for (int k = 0; k < n; k++) M[i][d + k] = M[d + k][i] = f->a[chosen[k]][i];
        M[i][d + n] = -g[i];
    }
    for (int k = 0; k < n; k++) M[d + k][d + n] = f->b[chosen[k]];
    if (!faces_solve(d + n, M, z)) return;
    for (int c = 0; c < f->count; c++) {
        long double sum = -f->b[c], size = fabsl(f->b[c]) + 1e-3L;
        for (int j = 0; j < d; j++) sum += f->a[c][j] * z[j], size += fabsl(f->a[c][j] * z[j]);
        if (sum > 1e-14L * size) return;
    }
    const long double value = faces_value(f, H, g, z);
    if (!(value < *best)) return;
    *best = value;
    for (int j = 0; j < d; j++) x[j] = z[j];
}

/* min of 1/2 x'Hx + g'x over the faces; INFINITY where there is no x. */
static inline long double faces_minimise(const faces *f, const double *H, const double *g, long double *x) {
    long double best = INFINITY;
    int chosen[FACES_D], n = 0;
    faces_try(f, H, g, chosen, 0, &best, x);
    for (int next = 0;;) { /* all sets of at most d constraints, in depth-first order */
        if (next < f->count && n < f->d) {
            chosen[n++] = next++;
            faces_try(f, H, g, chosen, n, &best, x);
        } else if (n > 0) {
            next = chosen[--n] + 1;
        } else {
            return best;
        }
    }
}

/* The same with a penalty: in each orthant it is linear. */
static inline long double faces_penalised(const faces *f, const double *H, const double *g, const double *lambda,
                                          long double *x) {
    long double best = INFINITY, z[FACES_D];
    for (int pattern = 0; pattern < 1 << f->d; pattern++) {
        static faces part;
        double tilted[FACES_D];
        part = *f;
        for (int j = 0; j < f->d; j++) {
            const int minus = pattern >> j & 1;
            faces_bound(&part, j, minus ? -INFINITY : 0, minus ? 0 : INFINITY);
            tilted[j] = g[j] + (minus ? -lambda[j] : lambda[j]);
        }
        const long double value = faces_minimise(&part, H, tilted, z);
        if (value < best) {
            best = value;
            for (int j = 0; j < f->d; j++) x[j] = z[j];
        }
    }
    return best;
}

#endif
