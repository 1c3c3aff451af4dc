/* Linear algebra in quadruple precision: see quad.h. Plain loops, written to be read. */
#include "quad.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *stress_allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "stress: out of memory\n");
        abort();
    }
    return memory;
}

quad quad_dot(int64_t n, const quad *x, const quad *y) {
    quad sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

quad quad_norm(int64_t n, const quad *x) { return sqrtq(quad_dot(n, x, x)); }

void quad_add(int64_t n, quad a, const quad *x, quad *y) {
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

quad quad_power_of_two(quad value) {
    int exponent;
    if (value == 0) return 1;
    frexpq(fabsq(value), &exponent);
    return ldexpq(1, exponent);
}

/* Turns v (n entries) into the Householder vector of H = I - 2 v v' / v'v with H v = beta e_1. Returns beta; v'v is 0
 * where there is nothing to do. */
static quad reflector(int64_t n, quad *v, quad *vv) {
    quad norm = quad_norm(n, v), first = v[0];
    if (norm == 0) {
        *vv = 0;
        return 0;
    }
    const quad beta = first > 0 ? -norm : norm;
    v[0] = first - beta;
    *vv = quad_dot(n, v, v);
    return beta;
}

static void reflect(int64_t n, const quad *v, quad vv, quad *x) {
    if (vv != 0) quad_add(n, -2 * quad_dot(n, v, x) / vv, v, x);
}

/* Step j of a QR factorisation of M, applied to the later columns and to B. */
static void qr_step(int64_t m, int64_t p, quad *M, int64_t j, int64_t k, quad *B) {
    quad vv, *v = M + j + j * m;
    const quad beta = reflector(m - j, v, &vv);
    for (int64_t c = j + 1; c < p; c++) reflect(m - j, v, vv, M + j + c * m);
    for (int64_t c = 0; c < k; c++) reflect(m - j, v, vv, B + j + c * m);
    v[0] = beta;
    for (int64_t i = 1; i < m - j; i++) v[i] = 0;
}

void quad_qr(int64_t m, int64_t p, quad *M, int64_t k, quad *B) {
    for (int64_t j = 0; j < p && j < m; j++) qr_step(m, p, M, j, k, B);
}

static void swap_columns(quad_factor *f, quad *own, int64_t a, int64_t b) {
    if (a == b) return;
    for (int64_t i = 0; i < f->m; i++) {
        const quad t = f->R[i + a * f->m];
        f->R[i + a * f->m] = f->R[i + b * f->m];
        f->R[i + b * f->m] = t;
    }
    const int64_t o = f->order[a];
    f->order[a] = f->order[b];
    f->order[b] = o;
    const quad t = own[a];
    own[a] = own[b];
    own[b] = t;
}

/* The column from f->rank on with the largest remainder relative to its own norm, of those that are late or of the
 * others; -1: none is above the tolerance. `largest` becomes the larger one of itself and what was found. */
static int64_t next_pivot(const quad_factor *f, const quad *own, const int *late, int want_late, quad tolerance,
                          quad *largest) {
    int64_t best = -1;
    quad found = 0;
    for (int64_t j = f->rank; j < f->p && f->rank < f->m; j++) {
        const quad left = quad_norm(f->m - f->rank, f->R + f->rank + j * f->m);
        if ((late && late[f->order[j]]) != want_late || own[j] == 0 || left / own[j] <= found) continue;
        found = left / own[j];
        best = j;
    }
    if (found > *largest) *largest = found;
    return found > tolerance ? best : -1;
}

quad_factor quad_pivoted(int64_t m, int64_t p, const quad *M, const int *late, quad tolerance, int64_t k, quad *B) {
    quad_factor f = {.m = m, .p = p, .R = ALLOCATE(quad, m * p), .order = ALLOCATE(int64_t, p), .kept = 1};
    quad *own = ALLOCATE(quad, p); /* norms of the columns of M */
    memcpy(f.R, M, (size_t)(m * p) * sizeof(quad));
    for (int64_t j = 0; j < p; j++) {
        f.order[j] = j;
        own[j] = quad_norm(m, f.R + j * m);
    }
    for (; f.rank < p; f.rank++) {
        quad largest = 0;
        int64_t best = next_pivot(&f, own, late, 0, tolerance, &largest);
        if (best < 0 && late) best = next_pivot(&f, own, late, 1, tolerance, &largest);
        if (best < 0) {
            f.dropped = largest;
            break;
        }
        const quad left = quad_norm(m - f.rank, f.R + f.rank + best * m) / own[best];
        f.kept = left < f.kept ? left : f.kept;
        swap_columns(&f, own, f.rank, best);
        qr_step(m, p, f.R, f.rank, k, B);
    }
    free(own);
    return f;
}

void quad_factor_clear(quad_factor *f) {
    free(f->R);
    free(f->order);
    *f = (quad_factor){0};
}

/* z = R^-1 right for the independent columns; `right` is overwritten. */
static void back_substitute(const quad_factor *f, quad *right, quad *z) {
    for (int64_t j = f->rank - 1; j >= 0; j--) {
        right[j] /= f->R[j + j * f->m];
        z[f->order[j]] = right[j];
        quad_add(j, -right[j], f->R + j * f->m, right);
    }
}

void quad_least_squares(int64_t m, int64_t p, const quad *M, const quad *b, quad tolerance, quad *z) {
    quad *right = ALLOCATE(quad, m);
    memcpy(right, b, (size_t)m * sizeof(quad));
    quad_factor f = quad_pivoted(m, p, M, NULL, tolerance, 1, right);
    for (int64_t j = 0; j < p; j++) z[j] = 0;
    back_substitute(&f, right, z);
    quad_factor_clear(&f);
    free(right);
}

/* w = R^-T cost for the independent columns. A dependent column t = (a combination y of those) costs cost_t - <y, cost>
 * more than what it replaces; the direction takes it in, or out, and its combination the other way. */
int quad_least_with_cost(int64_t m, int64_t p, const quad *M, const quad *b, const quad *cost, quad tolerance,
                         quad *z) {
    quad *right = ALLOCATE(quad, m), *w = ALLOCATE(quad, p), size = 0;
    int falls = 0;
    memcpy(right, b, (size_t)m * sizeof(quad));
    quad_factor f = quad_pivoted(m, p, M, NULL, tolerance, 1, right);
    for (int64_t j = 0; j < p; j++) z[j] = 0;
    for (int64_t j = 0; j < p; j++) size += fabsq(cost[j]);
    for (int64_t j = 0; j < f.rank; j++) w[j] = (cost[f.order[j]] - quad_dot(j, f.R + j * m, w)) / f.R[j + j * m];
    quad *along = ALLOCATE(quad, m);
    for (int64_t t = f.rank; t < p; t++) {
        const quad more = cost[f.order[t]] - quad_dot(f.rank, f.R + t * m, w);
        if (fabsq(more) <= (quad)1e-27 * size) continue;
        falls = 1;
        z[f.order[t]] = -more;
        quad_add(f.rank, more, f.R + t * m, along);
    }
    for (int64_t j = 0; !falls && j < f.rank; j++) right[j] -= w[j];
    back_substitute(&f, falls ? along : right, z);
    quad_factor_clear(&f);
    free(right);
    free(along);
    free(w);
    return falls;
}

quad quad_inverse_norm2(const quad_factor *f, const quad *e, const int *late, quad *outside) {
    quad *w = ALLOCATE(quad, f->rank), sum = 0;
    for (int64_t j = 0; j < f->rank; j++) {
        w[j] = (e[f->order[j]] - quad_dot(j, f->R + j * f->m, w)) / f->R[j + j * f->m];
        sum += w[j] * w[j];
    }
    *outside = 0;
    for (int64_t j = f->rank; j < f->p; j++) {
        const quad off = fabsq(e[f->order[j]] - quad_dot(f->rank, f->R + j * f->m, w));
        if (!(late && late[f->order[j]]) && off > *outside) *outside = off;
    }
    free(w);
    return sum;
}

static void rotate(int64_t n, quad *a, quad *b, quad c, quad s) {
    for (int64_t i = 0; i < n; i++) {
        const quad x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

void quad_svd(int64_t m, int64_t p, quad *W, quad *sigma, quad *V) {
    for (int64_t j = 0; j < p; j++)
        for (int64_t i = 0; i < p; i++) V[i + j * p] = i == j;
    int turned = 1;
    quad noise2 = 0; /* columns shorter than rounding of the longest one are 0 */
    for (int64_t j = 0; j < p; j++) {
        const quad length2 = quad_dot(m, W + j * m, W + j * m) * ldexpq(1, -218);
        noise2 = length2 > noise2 ? length2 : noise2;
    }
    for (int sweep = 0; turned && sweep < 60; sweep++) {
        turned = 0;
        for (int64_t a = 0; a < p; a++)
            for (int64_t b = a + 1; b < p; b++) {
                quad *u = W + a * m, *v = W + b * m;
                const quad uu = quad_dot(m, u, u), vv = quad_dot(m, v, v), uv = quad_dot(m, u, v);
                if (uu <= noise2 || vv <= noise2 || fabsq(uv) <= sqrtq(uu) * sqrtq(vv) * ldexpq(1, -110)) continue;
                const quad t0 = (vv - uu) / (2 * uv);
                const quad t = (t0 >= 0 ? 1 : -1) / (fabsq(t0) + sqrtq(1 + t0 * t0)), c = 1 / sqrtq(1 + t * t);
                rotate(m, u, v, c, c * t);
                rotate(p, V + a * p, V + b * p, c, c * t);
                turned = 1;
            }
    }
    for (int64_t j = 0; j < p; j++) sigma[j] = quad_norm(m, W + j * m);
}
