/* The interval in which the least value lies, and the projection: see model.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* Norms of the groups of v. */
static quad *group_norms(const model *z, const quad *v) {
    quad *norms = ALLOCATE(quad, z->groups);
    for (int64_t j = 0; j < z->p; j++)
        if (z->group_of[j] >= 0) norms[z->group_of[j]] += v[j] * v[j];
    for (int64_t g = 0; g < z->groups; g++) norms[g] = sqrtq(norms[g]);
    return norms;
}

/* For each sum its multiplier: the mean of -g over the entries that carry it, weighted by them. A sum that is not
 * exhausted has none, unless it must be R. */
static quad *multipliers(const model *z, const quad *at, const quad *g, const quad *norms) {
    quad *lambda = ALLOCATE(quad, z->sums), *used = ALLOCATE(quad, z->sums);
    for (int64_t j = 0; j < z->p; j++)
        if (z->sum_of[j] >= 0) {
            lambda[z->sum_of[j]] -= g[j] * at[j];
            if (z->group_of[j] < 0) used[z->sum_of[j]] += at[j];
        }
    for (int64_t i = 0; i < z->groups; i++)
        for (int64_t j = 0; j < z->p; j++)
            if (z->group_of[j] == i) {
                used[z->sum_of[j]] += norms[i];
                break;
            }
    for (int64_t t = 0; t < z->sums; t++) {
        lambda[t] = used[t] > 0 ? lambda[t] / used[t] : 0;
        if (!z->sum[t].equal && (lambda[t] < 0 || used[t] < z->sum[t].R * (1 - (quad)1e-25))) lambda[t] = 0;
    }
    free(used);
    return lambda;
}

/* e = -g - l for an l whose support over Z is attained at z, but for what the sums have left; returns
 * support(l) - <l, z>. loose[j]: l_j may be a little larger or smaller, so e_j need not be met. */
static quad split(const model *z, const quad *at, const quad *g, quad *e, int *loose) {
    quad *norms = group_norms(z, at), *slopes = group_norms(z, g), *lambda = multipliers(z, at, g, norms);
    quad *left = ALLOCATE(quad, z->sums), slack = 0;
    for (int64_t t = 0; t < z->sums; t++) left[t] = z->sum[t].R;
    for (int64_t j = 0; j < z->p; j++) {
        const int64_t t = z->sum_of[j], i = z->group_of[j];
        if (i >= 0) {
            const quad shrink = slopes[i] > lambda[t] ? lambda[t] / slopes[i] : 1;
            const quad l = norms[i] > 0 ? lambda[t] * at[j] / norms[i] : -g[j] * shrink;
            e[j] = -g[j] - l;
            if (norms[i] > 0) left[t] -= at[j] * at[j] / norms[i];
            loose[j] = norms[i] == 0 && slopes[i] <= lambda[t];
        } else if (t >= 0) {
            e[j] = at[j] > 0 || -g[j] > lambda[t] ? -g[j] - lambda[t] : 0;
            left[t] -= at[j];
            loose[j] = at[j] == 0 && -g[j] <= lambda[t];
        } else {
            const int pushed = (g[j] > 0 && at[j] == z->lower[j]) || (g[j] < 0 && at[j] == z->upper[j]);
            loose[j] = pushed || z->lower[j] == z->upper[j];
            e[j] = loose[j] ? 0 : -g[j];
        }
    }
    for (int64_t t = 0; t < z->sums; t++) slack += lambda[t] * left[t];
    free(norms);
    free(slopes);
    free(lambda);
    free(left);
    return slack;
}

bracket model_bracket(const model *z, const quad *at) {
    quad *r = ALLOCATE(quad, z->m), *g = ALLOCATE(quad, z->p), *e = ALLOCATE(quad, z->p), outside;
    bracket out = {0};
    for (int64_t i = 0; i < z->m; i++) r[i] = -z->c[i];
    quad size = quad_norm(z->m, z->c);
    for (int64_t j = 0; j < z->p; j++) {
        quad_add(z->m, at[j], z->M + j * z->m, r);
        size += fabsq(at[j]) * quad_norm(z->m, z->M + j * z->m);
    }
    /* Columns of about unit norm: `outside` is then comparable with size. */
    quad *scaled = ALLOCATE(quad, z->m * z->p), *scale = ALLOCATE(quad, z->p);
    for (int64_t j = 0; j < z->p; j++) {
        g[j] = quad_dot(z->m, z->M + j * z->m, r) + z->cost[j];
        scale[j] = 1 / quad_power_of_two(quad_norm(z->m, z->M + j * z->m));
        quad_add(z->m, scale[j], z->M + j * z->m, scaled + j * z->m);
    }
    int *loose = ALLOCATE(int, z->p);
    const quad slack = split(z, at, g, e, loose);
    for (int64_t j = 0; j < z->p; j++) e[j] *= scale[j];
    quad_factor f = quad_pivoted(z->m, z->p, scaled, loose, (quad)1e-27, 0, NULL);
    out.value = quad_dot(z->m, r, r) + 2 * quad_dot(z->p, z->cost, at);
    out.width = 2 * fabsq(slack) + quad_inverse_norm2(&f, e, loose, &outside);
    out.uncertain = size > 0 ? outside / size : 0;
    if (f.kept < (quad)1e-22 || f.dropped > (quad)1e-30) out.uncertain = 1; /* the rank is not clear */
    quad_factor_clear(&f);
    free(r);
    free(g);
    free(e);
    free(loose);
    free(scaled);
    free(scale);
    return out;
}

/* ---- projection ------------------------------------------------------------------------------------------------ */

static int descending(const void *a, const void *b) {
    const quad x = *(const quad *)a, y = *(const quad *)b;
    return (x < y) - (x > y);
}

/* The theta for which the positive parts of v_i - theta add up to R. */
static quad threshold(int64_t count, const quad *v, quad R) {
    quad *sorted = ALLOCATE(quad, count), sum = 0, theta = 0;
    memcpy(sorted, v, (size_t)count * sizeof(quad));
    qsort(sorted, (size_t)count, sizeof(quad), descending);
    for (int64_t i = 0; i < count; i++) {
        sum += sorted[i];
        const quad candidate = (sum - R) / (quad)(i + 1);
        if (i == 0 || candidate < sorted[i]) theta = candidate;
    }
    free(sorted);
    return theta;
}

static void project_sum(const model *z, int64_t t, quad *v) {
    quad *terms = ALLOCATE(quad, z->p + z->groups), *norms = group_norms(z, v), sum = 0;
    int64_t count = 0, last = -1;
    for (int64_t j = 0; j < z->p; j++)
        if (z->sum_of[j] == t && z->group_of[j] != last)
            terms[count++] = norms[last = z->group_of[j]];
        else if (z->sum_of[j] == t && z->group_of[j] < 0)
            terms[count++] = v[j];
    for (int64_t i = 0; i < count; i++) sum += terms[i] > 0 ? terms[i] : 0;
    const int inside = !z->sum[t].equal && sum <= z->sum[t].R;
    const quad theta = inside ? 0 : threshold(count, terms, z->sum[t].R);
    for (int64_t j = 0; j < z->p; j++) {
        if (z->sum_of[j] != t) continue;
        const int64_t g = z->group_of[j];
        if (g < 0)
            v[j] = v[j] > theta ? v[j] - theta : 0;
        else
            v[j] = norms[g] > theta ? v[j] * (1 - theta / norms[g]) : 0;
    }
    free(terms);
    free(norms);
}

void model_project(const model *z, quad *v) {
    for (int64_t j = 0; j < z->p; j++)
        if (z->sum_of[j] < 0) v[j] = v[j] < z->lower[j] ? z->lower[j] : v[j] > z->upper[j] ? z->upper[j] : v[j];
    for (int64_t t = 0; t < z->sums; t++) project_sum(z, t, v);
}
