/* Accelerated projected gradients with restarts: slow where M is ill-conditioned, but it needs nothing except the
 * projection, and shares nothing with the other ways. */
#include <stdlib.h>
#include <string.h>

#include "solvers.h"

/* Squares of singular values of M are at most the largest row sum of |M'M|. */
static quad largest_curvature(const model *z) {
    quad largest = 0;
    for (int64_t j = 0; j < z->p; j++) {
        quad sum = 0;
        for (int64_t i = 0; i < z->p; i++) sum += fabsq(quad_dot(z->m, z->M + i * z->m, z->M + j * z->m));
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

void solve_gradient(const model *z, int64_t iterations, quad *at) {
    const int64_t m = z->m, p = z->p;
    const quad L = largest_curvature(z);
    quad *v = ALLOCATE(quad, p), *next = ALLOCATE(quad, p), *r = ALLOCATE(quad, m), t = 1;
    model_project(z, at);
    memcpy(v, at, (size_t)p * sizeof(quad));
    for (int64_t round = 0; L > 0 && round < iterations; round++) {
        quad against = 0, moved = 0, size = 0;
        memcpy(r, z->c, (size_t)m * sizeof(quad));
        for (int64_t j = 0; j < p; j++) quad_add(m, -v[j], z->M + j * m, r);
        for (int64_t j = 0; j < p; j++) next[j] = v[j] + (quad_dot(m, z->M + j * m, r) - z->cost[j]) / L;
        model_project(z, next);
        for (int64_t j = 0; j < p; j++) {
            against += (v[j] - next[j]) * (next[j] - at[j]);
            moved += (next[j] - at[j]) * (next[j] - at[j]);
            size += next[j] * next[j];
        }
        if (against > 0) t = 1;
        const quad grown = (1 + sqrtq(1 + 4 * t * t)) / 2, beta = (t - 1) / grown;
        for (int64_t j = 0; j < p; j++) v[j] = next[j] + beta * (next[j] - at[j]);
        memcpy(at, next, (size_t)p * sizeof(quad));
        t = grown;
        if (moved <= size * (quad)1e-66) break;
    }
    free(v);
    free(next);
    free(r);
}
