/*
 * Balls. One group: z(mu) = (M'M + mu I)^-1 M'c with ||z(mu)|| = R, from the singular values of M. Several groups: the
 * sum of their norms is at most R exactly if, for some weights w_g >= 0 that add up to R, the sum of ||z_g||^2 / w_g is
 * at most R. For given weights that is one group again; w_g = R ||z_g|| / (sum of norms) then makes the value smaller.
 * Newton's method on the conditions for a minimum finishes.
 */
#include <stdlib.h>
#include <string.h>

#include "solvers.h"

/* ---- one group ------------------------------------------------------------------------------------------------ */

/* The length of z(mu) and, in `slope`, the sum of q_j^2 / (sigma_j^2 + mu)^3. */
static quad length_at(int64_t p, const quad *sigma2, const quad *q, quad mu, quad *slope) {
    quad sum = 0;
    *slope = 0;
    for (int64_t j = 0; j < p; j++) {
        if (!(sigma2[j] + mu > 0)) continue;
        const quad z = q[j] / (sigma2[j] + mu);
        sum += z * z;
        *slope += z * z / (sigma2[j] + mu);
    }
    return sqrtq(sum);
}

/* Newton's method on 1 / length = 1 / R, which is nearly linear in mu, kept between bounds. */
quad solve_secular(int64_t p, const quad *sigma2, const quad *q, quad R) {
    quad slope;
    if (length_at(p, sigma2, q, 0, &slope) <= R) return 0;
    quad high = quad_norm(p, q) / R, low = high;
    for (int i = 0; i < 2000 && length_at(p, sigma2, q, low, &slope) < R; i++) low /= 65536;
    quad mu = low;
    for (int i = 0; i < 200; i++) {
        const quad length = length_at(p, sigma2, q, mu, &slope), off = 1 / length - 1 / R;
        if (fabsq(off) * R <= (quad)1e-33) break;
        if (off < 0)
            low = mu;
        else
            high = mu;
        const quad next = mu - off * length * length * length / slope;
        mu = next > low && next < high ? next : sqrtq(low) * sqrtq(high);
        if (mu <= low || mu >= high) break;
    }
    return mu;
}

/* min ||c - M z|| over ||z|| <= R. */
static void one_group(int64_t m, int64_t p, const quad *M, const quad *c, quad R, quad *z) {
    quad *W = ALLOCATE(quad, m * p), *V = ALLOCATE(quad, p * p), *sigma = ALLOCATE(quad, p), *q = ALLOCATE(quad, p);
    quad largest = 0;
    memcpy(W, M, (size_t)(m * p) * sizeof(quad));
    quad_svd(m, p, W, sigma, V);
    for (int64_t j = 0; j < p; j++) largest = sigma[j] > largest ? sigma[j] : largest;
    for (int64_t j = 0; j < p; j++) {
        if (sigma[j] <= largest * (quad)1e-31) sigma[j] = 0;
        q[j] = sigma[j] > 0 ? quad_dot(m, W + j * m, c) : 0;
        sigma[j] *= sigma[j];
    }
    const quad mu = solve_secular(p, sigma, q, R);
    for (int64_t j = 0; j < p; j++) z[j] = 0;
    for (int64_t j = 0; j < p; j++)
        if (sigma[j] + mu > 0) quad_add(p, q[j] / (sigma[j] + mu), V + j * p, z);
    const quad length = quad_norm(p, z);
    for (int64_t j = 0; j < p && (mu > 0 || length > R) && length > 0; j++) z[j] *= R / length;
    free(W);
    free(V);
    free(sigma);
    free(q);
}

void solve_ball(const model *z, quad *at) { one_group(z->m, z->p, z->M, z->c, z->sum[0].R, at); }

/* ---- several groups -------------------------------------------------------------------------------------------- */

static quad norms_of(const model *z, const quad *at, quad *norms) {
    quad sum = 0;
    memset(norms, 0, (size_t)z->groups * sizeof(quad));
    for (int64_t j = 0; j < z->p; j++) norms[z->group_of[j]] += at[j] * at[j];
    for (int64_t g = 0; g < z->groups; g++) sum += norms[g] = sqrtq(norms[g]);
    return sum;
}

static void reweigh(const model *z, int rounds, quad *at) {
    const quad R = z->sum[0].R;
    quad *norms = ALLOCATE(quad, z->groups), *M = ALLOCATE(quad, z->m * z->p), *v = ALLOCATE(quad, z->p);
    for (int round = 0; round < rounds; round++) {
        const quad sum = norms_of(z, at, norms);
        for (int64_t g = 0; g < z->groups; g++) {
            const quad least = R * (quad)1e-20 / (quad)z->groups;
            norms[g] = sum > 0 ? R * norms[g] / sum : R / (quad)z->groups;
            norms[g] = sqrtq(norms[g] > least ? norms[g] : least);
        }
        memset(M, 0, (size_t)(z->m * z->p) * sizeof(quad));
        for (int64_t j = 0; j < z->p; j++) quad_add(z->m, norms[z->group_of[j]], z->M + j * z->m, M + j * z->m);
        one_group(z->m, z->p, M, z->c, sqrtq(R), v);
        for (int64_t j = 0; j < z->p; j++) at[j] = v[j] * norms[z->group_of[j]];
    }
    free(norms);
    free(M);
    free(v);
}

/* One step of Newton's method for the entries of groups that are not 0, with u = z_g / ||z_g|| and the new residual r
 * and multiplier lambda+ as unknowns beside the step dz:
 *
 *     r + M dz = c - M z,   M'r - lambda B dz - lambda+ u = 0,   u'dz = R - sum of norms,   B = (I - u u') / ||z_g||.
 */
static void newton_step(const model *z, quad *at, quad *lambda) {
    const int64_t m = z->m, p = z->p, size = m + p + 1;
    quad *K = ALLOCATE(quad, size * size), *right = ALLOCATE(quad, size), *step = ALLOCATE(quad, size);
    quad *norms = ALLOCATE(quad, z->groups);
    const quad sum = norms_of(z, at, norms);
    memcpy(right, z->c, (size_t)m * sizeof(quad));
    for (int64_t i = 0; i < m; i++) K[i + i * size] = 1;
    for (int64_t j = 0; j < p; j++) {
        const int64_t row = m + j;
        const quad norm = norms[z->group_of[j]];
        if (norm == 0) {
            K[row + row * size] = 1;
            continue;
        }
        quad_add(m, -at[j], z->M + j * m, right);
        for (int64_t i = 0; i < m; i++) K[i + row * size] = K[row + i * size] = z->M[i + j * m];
        for (int64_t i = 0; i < p; i++)
            if (z->group_of[i] == z->group_of[j])
                K[row + (m + i) * size] = -*lambda * ((i == j) - at[i] * at[j] / (norm * norm)) / norm;
        K[row + (size - 1) * size] = -at[j] / norm;
        K[size - 1 + row * size] = at[j] / norm;
    }
    right[size - 1] = z->sum[0].R - sum;
    quad_least_squares(size, size, K, right, (quad)1e-30, step);
    for (int64_t j = 0; j < p; j++) at[j] += step[m + j];
    *lambda = step[size - 1];
    free(K);
    free(right);
    free(step);
    free(norms);
}

static quad first_multiplier(const model *z, const quad *at) {
    quad *r = ALLOCATE(quad, z->m), sum = 0;
    memcpy(r, z->c, (size_t)z->m * sizeof(quad));
    for (int64_t j = 0; j < z->p; j++) quad_add(z->m, -at[j], z->M + j * z->m, r);
    for (int64_t j = 0; j < z->p; j++) sum += at[j] * quad_dot(z->m, z->M + j * z->m, r);
    free(r);
    return sum / z->sum[0].R;
}

static int narrow(const model *z, const bracket *b) {
    return b->width <= (quad)1e-17 * b->value + (quad)1e-38 * quad_dot(z->m, z->c, z->c);
}

/* Takes `at` as the best point if its bracket is narrower. */
static void offer(const model *z, const quad *at, quad *best, bracket *b) {
    const bracket now = model_bracket(z, at);
    if (now.uncertain > (quad)1e-27 || !(now.width < b->width)) return;
    *b = now;
    memcpy(best, at, (size_t)z->p * sizeof(quad));
}

/* Newton's method with the groups whose norm is above `threshold` times R. `best` is the point with the narrowest
 * bracket so far. */
static void finish(const model *z, const quad *start, quad threshold, quad *best, bracket *b) {
    const quad R = z->sum[0].R;
    quad *at = ALLOCATE(quad, z->p), *norms = ALLOCATE(quad, z->groups);
    memcpy(at, start, (size_t)z->p * sizeof(quad));
    norms_of(z, at, norms);
    for (int64_t j = 0; j < z->p; j++)
        if (norms[z->group_of[j]] <= threshold * R) at[j] = 0;
    quad lambda = first_multiplier(z, at);
    for (int round = 0; round < 12; round++) {
        const quad sum = norms_of(z, at, norms);
        for (int64_t j = 0; j < z->p && sum > R; j++) at[j] *= R / sum;
        offer(z, at, best, b);
        if (!(sum > 0) || lambda <= 0 || isnanq(sum) || narrow(z, b)) break;
        newton_step(z, at, &lambda);
    }
    free(at);
    free(norms);
}

void solve_groups(const model *z, quad *at) {
    static const double thresholds[] = {0, 1e-12, 1e-8, 1e-5, 1e-3, 3e-2};
    const size_t count = sizeof thresholds / sizeof *thresholds;
    quad *best = ALLOCATE(quad, z->p), *other = ALLOCATE(quad, z->p), *norms = ALLOCATE(quad, z->groups);
    model_project(z, at);
    memcpy(best, at, (size_t)z->p * sizeof(quad));
    bracket b = model_bracket(z, at);
    one_group(z->m, z->p, z->M, z->c, quad_norm(z->m, z->c) * (quad)1e300, other); /* as if there were no radius */
    if (norms_of(z, other, norms) <= z->sum[0].R) offer(z, other, best, &b);
    for (int attempt = 0; attempt < 3 && !narrow(z, &b); attempt++) {
        for (size_t i = 0; i < count && !narrow(z, &b); i++) finish(z, at, (quad)thresholds[i], best, &b);
        if (narrow(z, &b)) break;
        if (attempt == 0) memset(at, 0, (size_t)z->p * sizeof(quad));
        reweigh(z, z->p > 24 ? 6 : attempt ? 40 : 15, at);
        const quad sum = norms_of(z, at, norms);
        for (int64_t j = 0; j < z->p && sum > z->sum[0].R; j++) at[j] *= z->sum[0].R / sum;
        offer(z, at, best, &b);
    }
    memcpy(at, best, (size_t)z->p * sizeof(quad));
    free(best);
    free(other);
    free(norms);
}
