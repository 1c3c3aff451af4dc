/* The model q at a point, and the rounding errors of that value: what all solvers need. */
#include <float.h>
#include <math.h>

#include "inner/solver.h"

double gpis_inner_value(const gpis_inner *inner, const double *s, double *p, double *Hp) {
    const int64_t size = inner->set->d * inner->set->k;
    double value = 0.0;
    for (int64_t i = 0; i < size; i++) p[i] = s[i] - inner->x[i];
    gpis_model_apply(inner->model, inner->set->k, p, Hp);
    for (int64_t i = 0; i < size; i++) value += p[i] * (0.5 * Hp[i] + inner->g[i]);
    return value;
}

double gpis_inner_noise(const gpis_inner *inner, const double *s, const double *Hp) {
    const int64_t size = inner->set->d * inner->set->k;
    double sum = 0.0;
    for (int64_t i = 0; i < size; i++)
        sum += fabs((inner->g[i] + Hp[i]) * s[i]) + fabs((inner->g[i] + 0.5 * Hp[i]) * (s[i] - inner->x[i]));
    return 2.0 * DBL_EPSILON * sum;
}
