/*
 * The nuclear ball: the singular values of X add up to at most r exactly if, for some W >= 0 (k x k) of trace r,
 * X = V W^(1/2) with ||V||_F^2 <= r. For a given W = Q diag(s^2) Q' and R = U diag(sigma) P' that is a ball in V, whose
 * solution is V = P Z Q', Z_ij = sigma_i s_j (U'B Q)_ij / (sigma_i^2 s_j^2 + mu); then W = r (X'X)^(1/2) / trace makes
 * the value smaller. Repeated until the first-order bound  2 (r sigma_max(G) - <G, X>),  G = R'(B - R X), is small.
 */
#include "nuclear.h"

#include <stdlib.h>
#include <string.h>

#include "solvers.h"

enum { MAX_K = 3, MAX_ROUNDS = 3000 };

typedef struct nuclear {
    int64_t m, d, k;
    const quad *R, *B;
    quad r;
    quad *US, *sigma, *P; /* R = US P', columns of US of length sigma; owned */
    quad *UB;             /* U'B (d x k); owned */
} nuclear;

/* Singular values s and right vectors Q (k x k) of X (d x k). */
static void singular(int64_t d, int64_t k, const quad *X, quad *s, quad *Q) {
    quad *copy = ALLOCATE(quad, d * k);
    memcpy(copy, X, (size_t)(d * k) * sizeof(quad));
    quad_svd(d, k, copy, s, Q);
    free(copy);
}

quad nuclear_norm(int64_t d, int64_t k, const quad *X) {
    quad s[MAX_K], Q[MAX_K * MAX_K], sum = 0;
    singular(d, k, X, s, Q);
    for (int64_t j = 0; j < k; j++) sum += s[j];
    return sum;
}

/* X for the weights s (square roots of W's eigenvalues) and Q: sigma_i s_j are the singular values of the ball in V. */
static void weighted(const nuclear *p, const quad *s, const quad *Q, quad *X) {
    const int64_t d = p->d, k = p->k;
    quad *w2 = ALLOCATE(quad, d * k), *q = ALLOCATE(quad, d * k);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < k; j++) {
            quad b = 0;
            for (int64_t c = 0; c < k; c++) b += p->UB[i + c * d] * Q[c + j * k];
            const quad w = p->sigma[i] * s[j];
            w2[i + j * d] = w * w;
            q[i + j * d] = w * b;
        }
    const quad mu = solve_secular(d * k, w2, q, sqrtq(p->r));
    memset(X, 0, (size_t)(d * k) * sizeof(quad));
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < k; j++) {
            const quad below = w2[i + j * d] + mu, v = below > 0 ? q[i + j * d] / below : 0;
            for (int64_t c = 0; c < k; c++) quad_add(d, v * s[j] * Q[c + j * k], p->P + i * d, X + c * d);
        }
    free(w2);
    free(q);
}

static void reweigh(const nuclear *p, quad *X) {
    quad s[MAX_K], Q[MAX_K * MAX_K], trace = 0;
    singular(p->d, p->k, X, s, Q);
    for (int64_t j = 0; j < p->k; j++) trace += s[j];
    for (int64_t j = 0; j < p->k; j++) {
        const quad share = trace > 0 ? s[j] / trace : 1 / (quad)p->k;
        s[j] = sqrtq(p->r * (share > (quad)1e-28 ? share : (quad)1e-28));
    }
    weighted(p, s, Q, X);
}

static quad first_order(const nuclear *p, const quad *X, quad *value) {
    const int64_t m = p->m, d = p->d, k = p->k;
    quad *r = ALLOCATE(quad, m * k), *G = ALLOCATE(quad, d * k), s[MAX_K], Q[MAX_K * MAX_K], largest = 0;
    memcpy(r, p->B, (size_t)(m * k) * sizeof(quad));
    for (int64_t c = 0; c < k; c++)
        for (int64_t j = 0; j < d; j++) quad_add(m, -X[j + c * d], p->R + j * m, r + c * m);
    for (int64_t c = 0; c < k; c++)
        for (int64_t j = 0; j < d; j++) G[j + c * d] = quad_dot(m, p->R + j * m, r + c * m);
    singular(d, k, G, s, Q);
    for (int64_t j = 0; j < k; j++) largest = s[j] > largest ? s[j] : largest;
    const quad bound = 2 * (p->r * largest - quad_dot(d * k, G, X));
    *value = quad_dot(m * k, r, r);
    free(r);
    free(G);
    return fabsq(bound);
}

static void prepare(nuclear *p) {
    const int64_t m = p->m, d = p->d, k = p->k;
    quad largest = 0;
    p->US = ALLOCATE(quad, m * d);
    p->sigma = ALLOCATE(quad, d);
    p->P = ALLOCATE(quad, d * d);
    p->UB = ALLOCATE(quad, d * k);
    memcpy(p->US, p->R, (size_t)(m * d) * sizeof(quad));
    quad_svd(m, d, p->US, p->sigma, p->P);
    for (int64_t j = 0; j < d; j++) largest = p->sigma[j] > largest ? p->sigma[j] : largest;
    for (int64_t j = 0; j < d; j++) {
        if (p->sigma[j] <= largest * (quad)1e-31) p->sigma[j] = 0;
        for (int64_t c = 0; c < k && p->sigma[j] > 0; c++)
            p->UB[j + c * d] = quad_dot(m, p->US + j * m, p->B + c * m) / p->sigma[j];
    }
}

/* The solution without a radius that has the least norm. */
static void unconstrained(const nuclear *p, quad *X) {
    memset(X, 0, (size_t)(p->d * p->k) * sizeof(quad));
    for (int64_t i = 0; i < p->d; i++)
        for (int64_t c = 0; c < p->k && p->sigma[i] > 0; c++)
            quad_add(p->d, p->UB[i + c * p->d] / p->sigma[i], p->P + i * p->d, X + c * p->d);
}

/* Repeats until the bound is small, or 200 rounds have not halved it, or the rounds are used up. */
static void iterate(const nuclear *p, quad *X) {
    quad value, bound = first_order(p, X, &value), earlier = bound;
    for (int round = 1; round <= MAX_ROUNDS && bound > (quad)1e-17 * value; round++) {
        reweigh(p, X);
        if (round % 10 == 0) bound = first_order(p, X, &value);
        if (round % 200) continue;
        if (bound > earlier / 2) break;
        earlier = bound;
    }
}

static void into_ball(const nuclear *p, quad *X) {
    const quad norm = nuclear_norm(p->d, p->k, X);
    for (int64_t i = 0; i < p->d * p->k && norm > p->r; i++) X[i] *= p->r / norm;
}

int solve_nuclear(int64_t m, int64_t d, int64_t k, const quad *R, const quad *B, double radius, const double *hint,
                  quad *x, quad *width) {
    nuclear p = {.m = m, .d = d, .k = k, .R = R, .B = B, .r = radius};
    quad *X = ALLOCATE(quad, d * k), value;
    prepare(&p);
    unconstrained(&p, X);
    *width = 0;
    if (radius == 0) {
        memset(X, 0, (size_t)(d * k) * sizeof(quad));
    } else if (nuclear_norm(d, k, X) > p.r) {
        for (int64_t i = 0; hint && i < d * k; i++) X[i / k + i % k * d] = hint[i];
        into_ball(&p, X);
        iterate(&p, X);
        into_ball(&p, X);
        *width = first_order(&p, X, &value);
    }
    for (int64_t i = 0; i < d * k; i++) x[i] = X[i / k + i % k * d];
    free(p.US);
    free(p.sigma);
    free(p.P);
    free(p.UB);
    free(X);
    return 1;
}
