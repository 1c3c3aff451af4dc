/* Inner problems to test solvers with: random models of a given condition, sets by their spec, and what duality says.
 */
#ifndef GPIS_TESTS_INNER_TASKS_H
#define GPIS_TESTS_INNER_TASKS_H

#include <cblas.h>

#include "certificate/problems.h"
#include "inner/inner.h"
#include "inner/solver.h"

/* H = Q' diag(1 ... 1 / cond) Q for a random orthogonal Q (reflections), columns in units that differ by `spread`. */
static inline double *random_H(gpis_context *context, int64_t d, double cond, double spread, uint64_t seed) {
    double *H = gpis_alloc_zero(context, d * d, sizeof *H), *u = new_vector(d);
    for (int64_t j = 0; j < d; j++) H[j * d + j] = d > 1 ? pow(cond, -(double)j / (double)(d - 1)) : 1.0;
    for (uint64_t r = 0; r < 3; r++) {
        double *v = new_vector(d), norm2 = 0.0, uv = 0.0;
        fill_normal(u, d, seed + 10 * r, 1.0);
        for (int64_t j = 0; j < d; j++) norm2 += u[j] * u[j];
        for (int64_t j = 0; j < d; j++) u[j] /= sqrt(norm2);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)d, (int)d, 1.0, H, (int)d, u, 1, 0.0, v, 1);
        for (int64_t j = 0; j < d; j++) uv += u[j] * v[j];
        for (int64_t i = 0; i < d; i++) /* (I - 2uu') H (I - 2uu'), the same bits in both triangles */
            for (int64_t j = i; j < d; j++)
                H[j * d + i] = H[i * d + j] += -2.0 * u[i] * v[j] - 2.0 * v[i] * u[j] + 4.0 * uv * u[i] * u[j];
        free(v);
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) H[i * d + j] *= pow(spread, (double)(i % 3 + j % 3));
    free(u);
    return H;
}

/* Column and row `copy` become those of `original`. */
static inline void duplicate(double *H, int64_t d, int64_t original, int64_t copy) {
    for (int64_t j = 0; j < d; j++) H[copy * d + j] = H[original * d + j];
    for (int64_t j = 0; j < d; j++) H[j * d + copy] = H[j * d + original];
}

static inline void erase(double *H, int64_t d, int64_t column) {
    for (int64_t j = 0; j < d; j++) H[column * d + j] = H[j * d + column] = 0.0;
}

typedef struct task {
    gpis_context *context;
    gpis_set *set;
    gpis_model *model;
    gpis_inner *inner;
    double *x, *g;
} task;

/* A point of the set near a random one, and a gradient: those of random size, around the set's own. */
static inline task task_make(gpis_context *context, const char *spec, int64_t d, int64_t k, double *H, double unit,
                             uint64_t seed) {
    task t = {.context = context, .x = new_vector(d * k), .g = new_vector(d * k)};
    assert_ok(context, test_set(context, spec, d, k, &t.set));
    assert_ok(context, gpis_model_create(context, d, H, 10.0, &t.model));
    assert_ok(context, gpis_inner_create(context, t.set, t.model, NULL, &t.inner));
    fill_normal(t.x, d * k, seed, unit);
    assert_ok(context, gpis_set_project(t.set, t.x, t.x));
    double *v = new_vector(d * k); /* the free minimiser is at x + v, or nearly */
    fill_normal(v, d * k, seed + 1, 2.0 * unit);
    gpis_model_apply(t.model, k, v, t.g);
    for (int64_t i = 0; i < d * k; i++) t.g[i] = -t.g[i];
    free(v);
    return t;
}

static inline void task_end(task *t) {
    gpis_inner_destroy(t->inner);
    gpis_model_destroy(t->model);
    gpis_set_destroy(t->set);
    free(t->x);
    free(t->g);
}

/* The most that q can fall, by duality. */
static inline double most_fall(const task *t) {
    const int64_t size = t->set->d * t->set->k;
    double *l = new_vector(size), *v = new_vector(size), support, lost, bound = 0.0;
    for (int64_t i = 0; i < size; i++) v[i] = t->inner->dual[i] - t->x[i];
    gpis_model_apply(t->model, t->set->k, v, l);
    for (int64_t i = 0; i < size; i++) l[i] = -(l[i] + t->g[i]);
    assert_ok(t->context, gpis_set_support_near(t->set, l, &support, &lost));
    for (int64_t i = 0; i < size; i++) v[i] = t->g[i] + l[i], bound -= l[i] * t->x[i];
    gpis_model_whiten(t->model, t->set->k, v);
    for (int64_t i = 0; i < size; i++) bound += 0.5 * v[i] * v[i];
    free(l);
    free(v);
    return bound + support;
}

#endif
