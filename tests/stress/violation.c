/* How far an x of double precision is outside of K: see reference.h. Each constraint is measured in its own units,
 * relative to the size of the numbers that it compares, so that rounding is some 1e-16 whatever the scales are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "nuclear.h"
#include "reference.h"

static quad larger(quad a, quad b) { return a > b ? a : b; }
/* value must be at most limit, both of about this size. */
static quad over(quad value, quad limit, quad size) {
    return value <= limit ? 0 : size > 0 ? (value - limit) / size : (quad)INFINITY;
}

static quad bounds(const constraint *c, const quad *x, quad size) {
    quad worst = 0;
    for (int64_t j = 0; j < c->d; j++) {
        const quad lower = c->kind == KIND_BOX ? (quad)c->lower[j] : c->kind == KIND_LINF ? -(quad)c->R : 0;
        const quad upper = c->kind == KIND_BOX ? (quad)c->upper[j] : c->kind == KIND_LINF ? (quad)c->R : (quad)INFINITY;
        worst = larger(worst, over(lower, x[j], larger(size, fabsq(lower))));
        worst = larger(worst, over(x[j], upper, larger(size, fabsq(upper))));
    }
    return worst;
}

static quad sums(const constraint *c, const quad *x, quad turned_size) {
    quad sum = 0, absolute = 0, squares = 0, jumps = 0, groups = 0, least = 0;
    for (int64_t j = 0; j < c->d; j++) {
        sum += x[j];
        absolute += fabsq(x[j]);
        squares += x[j] * x[j];
        least = x[j] < least ? x[j] : least;
        if (j) jumps += fabsq(x[j] - x[j - 1]);
        if (c->kind == KIND_GROUP && (j + 1) % c->size == 0) groups += quad_norm(c->size, x + j + 1 - c->size);
    }
    const quad R = c->R, size = larger(turned_size, larger(R, absolute));
    switch (c->kind) {
    case KIND_L1: return over(absolute, R, size);
    case KIND_L2: return over(sqrtq(squares), R, size);
    case KIND_GROUP: return over(groups, R, size);
    case KIND_TV: return over(jumps, R, size);
    case KIND_SIMPLEX: return larger(over(fabsq(sum - R), 0, size), over(-least, 0, size));
    default: return larger(over(sum, R, size), over(-least, 0, size));
    }
}

static quad rows(const constraint *c, const quad *x, quad turned_size) {
    quad worst = 0;
    for (int64_t i = 0; i < c->rows; i++) {
        quad sum = -(quad)c->b[i], size = fabsq(sum);
        for (int64_t j = 0; j < c->d; j++) {
            sum += (quad)c->C[i * c->d + j] * x[j];
            size += fabsq((quad)c->C[i * c->d + j]) * larger(turned_size, fabsq(x[j]));
        }
        worst = larger(worst, over(fabsq(sum), 0, size));
    }
    return worst;
}

static quad violation(const constraint *c, const quad *x, quad size);

static quad blocks(const constraint *c, const quad *x, quad size) {
    quad worst = 0, *own = ALLOCATE(quad, c->d);
    for (int64_t b = 0; b < c->count; b++) {
        for (int64_t i = 0; i < c->parts[b].d; i++) own[i] = x[c->columns[b][i]];
        worst = larger(worst, violation(c->parts + b, own, size));
    }
    free(own);
    return worst;
}

/* size: 0, or the size of x where it has been turned, so that none of its entries is exact. */
static quad violation(const constraint *c, const quad *x, quad size) {
    quad worst = 0;
    switch (c->kind) {
    case KIND_NONE: return 0;
    case KIND_NONNEG:
    case KIND_BOX:
    case KIND_LINF: return bounds(c, x, size);
    case KIND_MONOTONE:
        for (int64_t j = 1; j < c->d; j++)
            worst = larger(worst, over(x[j - 1], x[j], larger(size, larger(fabsq(x[j]), fabsq(x[j - 1])))));
        return worst;
    case KIND_AFFINE: return rows(c, x, size);
    case KIND_BLOCKS: return blocks(c, x, size);
    default: return sums(c, x, size);
    }
}

/* z = U x. */
static void turned(const constraint *c, const quad *x, quad *z) {
    quad *U = model_turn(c);
    for (int64_t i = 0; i < c->d; i++) z[i] = 0;
    for (int64_t j = 0; j < c->d; j++) quad_add(c->d, x[j], U + j * c->d, z);
    free(U);
}

quad reference_violation(const problem *p, const quad *x) {
    quad *column = ALLOCATE(quad, p->d * p->k), *z = ALLOCATE(quad, p->d), worst = 0;
    for (int64_t c = 0; c < p->k; c++)
        for (int64_t j = 0; j < p->d; j++) column[j + c * p->d] = x[j * p->k + c];
    if (p->set.kind == KIND_NUCLEAR) {
        const quad norm = nuclear_norm(p->d, p->k, column);
        worst = over(norm, p->set.R, larger(norm, p->set.R));
    }
    for (int64_t c = 0; c < p->k && p->set.kind != KIND_NUCLEAR; c++) {
        const quad *own = column + c * p->d;
        const int turns = p->set.turn != TURN_NONE;
        if (turns) turned(&p->set, own, z);
        worst = larger(worst, violation(&p->set, turns ? z : own, turns ? quad_norm(p->d, own) : 0));
    }
    free(column);
    free(z);
    return worst;
}
