/* A lasso in quadruple precision, by cyclic descent on its coordinates: an independent reference for paths. */
#ifndef GPIS_TESTS_PATH_LASSO_H
#define GPIS_TESTS_PATH_LASSO_H

#include "certificate/problems.h"
#include "linalg/quadratic.h"

typedef __float128 quad;

/* Rows [A 1 Y] with `constant`, else [A Y], and W of them in quadruple precision. */
typedef struct lasso {
    int64_t d, size; /* columns with the constant; and with y */
    bool constant, nonnegative;
    quad *W; /* size x size; owned */
} lasso;

static inline lasso lasso_make(const problem *p, bool constant, bool nonnegative) {
    const int64_t d = p->d + constant, size = d + 1;
    lasso l = {d, size, constant, nonnegative, calloc((size_t)(size * size), sizeof(quad))};
    double *row = new_vector(size);
    for (int64_t i = 0; i < p->n; i++) {
        memcpy(row, p->A + i * p->d, (size_t)p->d * sizeof *row);
        if (constant) row[p->d] = 1.0;
        row[d] = p->Y[i];
        for (int64_t a = 0; a < size; a++)
            for (int64_t b = 0; b < size; b++) l.W[a * size + b] += (quad)row[a] * row[b];
    }
    free(row);
    return l;
}

/* The same as the library knows it, in two doubles. */
static inline gpis_quadratic *lasso_summary(gpis_context *context, const lasso *l) {
    gpis_quadratic *s = NULL;
    const int64_t all = l->size * l->size;
    assert_ok(context, gpis_quadratic_create(context, l->d, 1, &s));
    for (int64_t i = 0; i < all; i++) s->W[i] = (double)l->W[i], s->W[all + i] = (double)(l->W[i] - (quad)s->W[i]);
    s->gamma = 0x1p-100;
    return s;
}

/* f(x) + lambda sum |x_j| without the constant. */
static inline quad lasso_objective(const lasso *l, const quad *x, double lambda) {
    quad F = l->W[l->size * l->size - 1];
    for (int64_t i = 0; i < l->d; i++) {
        F -= 2 * x[i] * l->W[i * l->size + l->d];
        for (int64_t j = 0; j < l->d; j++) F += x[i] * x[j] * l->W[i * l->size + j];
        if (i < l->d - l->constant) F += (quad)lambda * (x[i] < 0 ? -x[i] : x[i]);
    }
    return F;
}

static inline quad lasso_objective_at(const lasso *l, const double *x, double lambda) {
    quad v[64];
    for (int64_t j = 0; j < l->d; j++) v[j] = x[j];
    return lasso_objective(l, v, lambda);
}

/* Minimises over x from where it is; returns the objective. */
static inline quad lasso_solve(const lasso *l, double lambda, quad *x) {
    for (int sweep = 0; sweep < 100000; sweep++) {
        quad moved = 0;
        for (int64_t j = 0; j < l->d; j++) {
            const quad *row = l->W + j * l->size, half = j < l->d - l->constant ? (quad)lambda / 2 : 0;
            quad z = row[l->d];
            if (row[j] == 0) continue;
            for (int64_t i = 0; i < l->d; i++) z -= i == j ? 0 : row[i] * x[i];
            quad new = z > half ? (z - half) / row[j] : z < -half ? (z + half) / row[j] : 0;
            if (l->nonnegative && j < l->d - l->constant && new < 0) new = 0;
            const quad step = (new - x[j]) * (new - x[j]) * row[j];
            moved = step > moved ? step : moved;
            x[j] = new;
        }
        if (moved <= (quad)1e-50 * l->W[l->size * l->size - 1]) break;
    }
    return lasso_objective(l, x, lambda);
}

#endif
