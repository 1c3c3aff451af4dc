/* Sets in simple coordinates: see model.h. */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static model empty_model(int64_t d, int64_t p, int64_t sums) {
    model z = {.d = d, .p = p, .sums = sums};
    z.x0 = ALLOCATE(quad, d);
    z.T = ALLOCATE(quad, d * p);
    z.cost = ALLOCATE(quad, p);
    z.lower = ALLOCATE(quad, p);
    z.upper = ALLOCATE(quad, p);
    z.sum_of = ALLOCATE(int64_t, p);
    z.group_of = ALLOCATE(int64_t, p);
    z.sum = ALLOCATE(sum_limit, sums);
    for (int64_t j = 0; j < p; j++) {
        z.lower[j] = -(quad)INFINITY;
        z.upper[j] = (quad)INFINITY;
        z.sum_of[j] = z.group_of[j] = -1;
    }
    return z;
}

void model_clear(model *z) {
    free(z->x0);
    free(z->T);
    free(z->cost);
    free(z->lower);
    free(z->upper);
    free(z->sum_of);
    free(z->group_of);
    free(z->sum);
    free(z->M);
    free(z->c);
    *z = (model){0};
}

static void identity(model *z, int64_t column, int sign) {
    for (int64_t j = 0; j < z->d; j++) z->T[j + (column + j) * z->d] = sign;
}

/* Entries [first, p) are >= 0 and in sum 0. */
static void in_sum(model *z, int64_t first, double R, int equal) {
    for (int64_t j = first; j < z->p; j++) {
        z->lower[j] = 0;
        z->sum_of[j] = 0;
    }
    z->sum[0] = (sum_limit){R, equal, 0};
    if (R == 0) /* all of them are 0: no sum is needed, and no face of it can be degenerate */
        for (int64_t j = first; j < z->p; j++) {
            z->upper[j] = 0;
            z->sum_of[j] = -1;
        }
}

static model bounds_model(const constraint *c) {
    model z = empty_model(c->d, c->d, 0);
    identity(&z, 0, 1);
    for (int64_t j = 0; j < c->d; j++) {
        if (c->kind == KIND_NONNEG) z.lower[j] = 0;
        if (c->kind == KIND_BOX) {
            z.lower[j] = c->lower[j];
            z.upper[j] = c->upper[j];
        }
        if (c->kind == KIND_LINF) {
            z.lower[j] = -(quad)c->R;
            z.upper[j] = c->R;
        }
    }
    return z;
}

static model simplex_model(const constraint *c) {
    model z = empty_model(c->d, c->d, 1);
    identity(&z, 0, 1);
    in_sum(&z, 0, c->R, c->kind == KIND_SIMPLEX);
    return z;
}

static model l1_model(const constraint *c) {
    model z = empty_model(c->d, 2 * c->d, 1);
    identity(&z, 0, 1);
    identity(&z, c->d, -1);
    in_sum(&z, 0, c->R, 0);
    return z;
}

/* x_i = z_0 + z_1 + ... + z_i: column j of T has ones from row j on. */
static void jump_column(model *z, int64_t column, int64_t j, int sign) {
    for (int64_t i = j; i < z->d; i++) z->T[i + column * z->d] = sign;
}

static model jumps_model(const constraint *c) {
    const int tv = c->kind == KIND_TV;
    model z = empty_model(c->d, tv ? 2 * c->d - 1 : c->d, tv);
    for (int64_t j = 0; j < c->d; j++) jump_column(&z, j, j, 1);
    for (int64_t j = 1; tv && j < c->d; j++) jump_column(&z, c->d + j - 1, j, -1);
    if (tv)
        in_sum(&z, 1, c->R, 0);
    else
        for (int64_t j = 1; j < c->d; j++) z.lower[j] = 0;
    return z;
}

static model ball_model(const constraint *c) {
    model z = empty_model(c->d, c->d, 1);
    identity(&z, 0, 1);
    z.sum[0] = (sum_limit){c->R, 0, 1};
    z.groups = c->kind == KIND_L2 ? 1 : c->d / c->size;
    for (int64_t j = 0; j < c->d; j++) {
        z.sum_of[j] = 0;
        z.group_of[j] = c->kind == KIND_L2 ? 0 : j / c->size;
        if (c->R == 0) {
            z.lower[j] = z.upper[j] = 0;
            z.sum_of[j] = z.group_of[j] = -1;
        }
    }
    return z;
}

/* C x = b: C' P = Q R with rank r; x0 = Q_1 R^-T P'b solves it, the other columns of Q are a basis of the null space.
 * Q is applied to the unit vectors by factoring [C' | I] with the pivots of C' alone. */
static model affine_model(const constraint *c) {
    const int64_t d = c->d, m = c->rows;
    quad *Ct = ALLOCATE(quad, d * m), *Qt = ALLOCATE(quad, d * d);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < d; j++) Ct[j + i * d] = c->C[i * d + j];
    for (int64_t j = 0; j < d; j++) Qt[j + j * d] = 1;
    quad_factor f = quad_pivoted(d, m, Ct, NULL, (quad)1e-25, d, Qt); /* Qt becomes Q' */
    model z = empty_model(d, d - f.rank, 0);
    quad *w = ALLOCATE(quad, f.rank);
    for (int64_t i = 0; i < f.rank; i++) w[i] = (c->b[f.order[i]] - quad_dot(i, f.R + i * d, w)) / f.R[i + i * d];
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < f.rank; i++) z.x0[j] += Qt[i + j * d] * w[i];
        for (int64_t i = f.rank; i < d; i++) z.T[j + (i - f.rank) * d] = Qt[i + j * d];
    }
    quad_factor_clear(&f);
    free(Ct);
    free(Qt);
    free(w);
    return z;
}

static model blocks_model(const constraint *c) {
    model parts[8], z;
    int64_t p = 0, sums = 0, column = 0, sum = 0;
    for (int64_t b = 0; b < c->count; b++) {
        parts[b] = model_of_set(c->parts + b);
        p += parts[b].p;
        sums += parts[b].sums;
    }
    z = empty_model(c->d, p, sums);
    for (int64_t b = 0; b < c->count; b++) {
        model *q = parts + b;
        for (int64_t i = 0; i < q->d; i++) z.x0[c->columns[b][i]] = q->x0[i];
        for (int64_t j = 0; j < q->p; j++, column++) {
            for (int64_t i = 0; i < q->d; i++) z.T[c->columns[b][i] + column * z.d] = q->T[i + j * q->d];
            z.lower[column] = q->lower[j];
            z.upper[column] = q->upper[j];
            if (q->sum_of[j] >= 0) z.sum_of[column] = sum + q->sum_of[j];
            if (q->group_of[j] >= 0) z.group_of[column] = z.groups + q->group_of[j];
        }
        for (int64_t t = 0; t < q->sums; t++) z.sum[sum++] = q->sum[t];
        z.groups += q->groups;
        model_clear(q);
    }
    return z;
}

quad *model_turn(const constraint *c) {
    const int64_t d = c->d;
    const quad pi = acosq(-1);
    quad *U = ALLOCATE(quad, d * d);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            if (c->turn == TURN_MATRIX)
                U[i + j * d] = c->U[i * d + j];
            else
                U[i + j * d] = sqrtq((quad)(i ? 2 : 1) / (quad)d) * cosq(pi * (quad)((2 * j + 1) * i) / (quad)(2 * d));
    return U;
}

static void turn_model(const constraint *c, model *z) {
    const int64_t d = c->d;
    quad *U = model_turn(c), *column = ALLOCATE(quad, d);
    for (int64_t j = -1; j < z->p; j++) {
        quad *v = j < 0 ? z->x0 : z->T + j * d;
        memcpy(column, v, (size_t)d * sizeof(quad));
        quad_least_squares(d, d, U, column, 0, v);
    }
    free(U);
    free(column);
}

/* ---- penalties -------------------------------------------------------------------------------------------------- */

static int64_t entry_of(const model *z, int64_t column) {
    int64_t j = 0;
    while (z->T[j + column * z->d] == 0) j++;
    return j;
}

static int is_split(const model *z, int64_t column, const double *penalty) {
    return penalty[entry_of(z, column)] > 0 && z->lower[column] < 0 && z->upper[column] > 0;
}

/* The model with costs. Every column of T is an entry of x or minus one; columns of entries on both sides of 0 are
 * followed by their negatives. */
static model penalised_model(model *z, const double *penalty) {
    int64_t p = z->p, at = 0;
    for (int64_t j = 0; j < z->p; j++) p += is_split(z, j, penalty);
    model out = empty_model(z->d, p, z->sums);
    memcpy(out.x0, z->x0, (size_t)z->d * sizeof(quad));
    memcpy(out.sum, z->sum, (size_t)z->sums * sizeof *z->sum);
    for (int64_t j = 0; j < z->p; j++) {
        const int64_t entry = entry_of(z, j);
        const int split = is_split(z, j, penalty);
        for (int side = 0; side < 1 + split; side++, at++) {
            out.T[entry + at * z->d] = (side ? -1 : 1) * z->T[entry + j * z->d];
            out.lower[at] = split ? 0 : z->lower[j];
            out.upper[at] = side ? -z->lower[j] : z->upper[j];
            out.sum_of[at] = z->sum_of[j];
            out.cost[at] = (quad)penalty[entry] / (out.lower[at] >= 0 ? 2 : -2);
        }
    }
    model_clear(z);
    return out;
}

model model_of_set(const constraint *c) {
    model z;
    switch (c->kind) {
    case KIND_L1: z = l1_model(c); break;
    case KIND_SIMPLEX:
    case KIND_CAPPED_SIMPLEX: z = simplex_model(c); break;
    case KIND_MONOTONE:
    case KIND_TV: z = jumps_model(c); break;
    case KIND_L2:
    case KIND_GROUP: z = ball_model(c); break;
    case KIND_AFFINE: z = affine_model(c); break;
    case KIND_BLOCKS: z = blocks_model(c); break;
    default: z = bounds_model(c);
    }
    if (c->turn != TURN_NONE) turn_model(c, &z);
    return c->penalty ? penalised_model(&z, c->penalty) : z;
}

void model_load(model *z, int64_t m, const quad *R, const quad *b) {
    free(z->M);
    free(z->c);
    z->m = m;
    z->M = ALLOCATE(quad, m * z->p);
    z->c = ALLOCATE(quad, m);
    memcpy(z->c, b, (size_t)m * sizeof(quad));
    for (int64_t i = 0; i < z->d; i++) {
        if (z->x0[i] != 0) quad_add(m, -z->x0[i], R + i * m, z->c);
        for (int64_t j = 0; j < z->p; j++)
            if (z->T[i + j * z->d] != 0) quad_add(m, z->T[i + j * z->d], R + i * m, z->M + j * m);
    }
}

void model_x(const model *z, const quad *at, quad *x) {
    memcpy(x, z->x0, (size_t)z->d * sizeof(quad));
    for (int64_t j = 0; j < z->p; j++) quad_add(z->d, at[j], z->T + j * z->d, x);
}
