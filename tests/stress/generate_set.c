/* The set of a problem, of sizes that bind for the data of the problem, or just touch, or are far away, or 0. */
#include "generate.h"
#include "quad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The radius for which x, a column of the solution without noise, is on the boundary. */
static double radius_of(set_kind kind, const double *x, int64_t d, int64_t size) {
    double sum = 0, squares = 0, largest = 0, groups = 0, jumps = 0;
    for (int64_t j = 0; j < d; j++) {
        sum += fabs(x[j]);
        squares = hypot(squares, x[j]);
        largest = fmax(largest, fabs(x[j]));
        if (j) jumps += fabs(x[j] - x[j - 1]);
    }
    for (int64_t j = 0; kind == KIND_GROUP && j < d; j += size) {
        double norm = 0;
        for (int64_t i = 0; i < size; i++) norm = hypot(norm, x[j + i]);
        groups += norm;
    }
    switch (kind) {
    case KIND_LINF: return largest;
    case KIND_L2:
    case KIND_NUCLEAR: return squares;
    case KIND_GROUP: return groups;
    case KIND_TV: return jumps;
    default: return sum;
    }
}

static double draw_radius(problem *p, draw *r, double touching) {
    const double what = draw_uniform(r);
    if (!(touching > 0)) touching = 1;
    if (what < 0.04) {
        add_flavour(p, FLAVOUR_RADIUS_0);
        return 0;
    }
    if (what < 0.24) {
        add_flavour(p, FLAVOUR_RADIUS_FAR);
        return touching * draw_power(r, 2, 8);
    }
    if (what < 0.32) {
        add_flavour(p, FLAVOUR_RADIUS_TOUCHES);
        return touching;
    }
    return touching * draw_power(r, -1.5, 0.3);
}

static void draw_box(problem *p, constraint *c, draw *r, const double *x) {
    double scale = 0;
    for (int64_t j = 0; j < c->d; j++) scale = fmax(scale, fabs(x[j]));
    if (!(scale > 0)) scale = 1;
    c->lower = ALLOCATE(double, c->d);
    c->upper = ALLOCATE(double, c->d);
    const double fixed = draw_chance(r, 0.2) ? 0.3 : 0;
    for (int64_t j = 0; j < c->d; j++) {
        const double middle = draw_chance(r, 0.7) ? 0 : 0.5 * scale * draw_normal(r);
        const double half = scale * draw_power(r, -1.5, 1);
        c->lower[j] = draw_chance(r, 0.15) ? -INFINITY : middle - half;
        c->upper[j] = draw_chance(r, 0.15) ? INFINITY : middle + half;
        if (draw_chance(r, fixed)) {
            c->lower[j] = c->upper[j] = middle;
            add_flavour(p, FLAVOUR_FIXED);
        }
    }
}

/* C of a few rows, which may repeat each other exactly or be nearly dependent; b from a point near x. */
static void draw_affine(constraint *c, draw *r, const double *x) {
    const int64_t d = c->d;
    c->rows = draw_chance(r, 0.4) ? 1 : draw_integer(r, 1, d < 6 ? d : 6);
    c->C = ALLOCATE(double, c->rows *d);
    c->b = ALLOCATE(double, c->rows);
    const double near = draw_chance(r, 0.3) ? draw_power(r, -10, -2) : 0;
    for (int64_t i = 0; i < c->rows; i++) {
        double *row = c->C + i * d;
        const int repeat = i > 0 && draw_chance(r, 0.1);
        for (int64_t j = 0; j < d; j++)
            row[j] = repeat              ? 2 * c->C[(i - 1) * d + j]
                     : i > 0 && near > 0 ? c->C[j] + near * draw_normal(r)
                                         : draw_normal(r);
        for (int64_t j = 0; !repeat && j < d; j++) c->b[i] += row[j] * 0.7 * x[j];
        if (repeat) c->b[i] = 2 * c->b[i - 1];
    }
}

/* I - 2 v v' - 2 w w' + ..., a product of two reflections, rounded; sometimes off by up to 4e-13, which gpis accepts.
 */
static double *draw_orthogonal(int64_t d, draw *r) {
    quad *U = ALLOCATE(quad, d * d), *v = ALLOCATE(quad, d);
    double *out = ALLOCATE(double, d *d);
    const double off = draw_chance(r, 0.2) ? 4e-13 / (double)d : 0;
    for (int64_t j = 0; j < d; j++) U[j + j * d] = 1;
    for (int i = 0; i < 2; i++) {
        for (int64_t j = 0; j < d; j++) v[j] = draw_normal(r);
        const quad norm2 = quad_dot(d, v, v);
        for (int64_t j = 0; j < d; j++) quad_add(d, -2 * quad_dot(d, v, U + j * d) / norm2, v, U + j * d);
    }
    for (int64_t i = 0; i < d * d; i++) out[i] = (double)U[i] + off * (2 * draw_uniform(r) - 1);
    free(U);
    free(v);
    return out;
}

static void draw_turn(constraint *c, draw *r) {
    if (draw_chance(r, 0.8)) return;
    c->turn = draw_chance(r, 0.5) ? TURN_DCT : TURN_MATRIX;
    if (c->turn == TURN_MATRIX) c->U = draw_orthogonal(c->d, r);
}

static void draw_kind(problem *p, constraint *c, set_kind kind, int64_t d, draw *r, const double *x);

/* Columns are dealt out to two or three blocks; each has a set of its own, polyhedral ones more often. */
static void draw_blocks(problem *p, constraint *c, draw *r, const double *x) {
    static const set_kind kinds[] = {KIND_NONE,           KIND_NONNEG,   KIND_BOX, KIND_LINF,   KIND_L1, KIND_SIMPLEX,
                                     KIND_CAPPED_SIMPLEX, KIND_MONOTONE, KIND_TV,  KIND_AFFINE, KIND_L2, KIND_GROUP};
    c->count = c->d > 2 ? draw_integer(r, 2, 3) : c->d;
    c->columns = ALLOCATE(int64_t *, c->count);
    c->parts = ALLOCATE(constraint, c->count);
    const int interleaved = draw_chance(r, 0.5);
    double *own = ALLOCATE(double, c->d);
    for (int64_t b = 0; b < c->count; b++) {
        int64_t size = 0;
        c->columns[b] = ALLOCATE(int64_t, c->d);
        for (int64_t j = 0; j < c->d; j++)
            if ((interleaved ? j % c->count : j * c->count / c->d) == b) {
                own[size] = x[j];
                c->columns[b][size++] = j;
            }
        draw_kind(p, c->parts + b, kinds[draw_integer(r, 0, draw_chance(r, 0.2) ? 11 : 9)], size, r, own);
    }
    free(own);
}

static void draw_kind(problem *p, constraint *c, set_kind kind, int64_t d, draw *r, const double *x) {
    c->kind = kind;
    c->d = d;
    c->size = 1;
    if (kind == KIND_GROUP)
        for (int64_t size = 2; size <= 4 && size <= d; size++)
            if (d % size == 0 && draw_chance(r, 0.7)) c->size = size;
    switch (kind) {
    case KIND_NONE:
    case KIND_NONNEG:
    case KIND_MONOTONE: break;
    case KIND_BOX: draw_box(p, c, r, x); break;
    case KIND_AFFINE: draw_affine(c, r, x); break;
    case KIND_BLOCKS: draw_blocks(p, c, r, x); break;
    default: c->R = draw_radius(p, r, radius_of(kind, x, d, c->size));
    }
}

void generate_set(problem *p, set_kind kind, draw *r, const double *x) {
    double *first = ALLOCATE(double, p->d);
    for (int64_t j = 0; j < p->d; j++) first[j] = x[j * p->k];
    draw_kind(p, &p->set, kind, p->d, r, first);
    if (kind != KIND_NUCLEAR && kind != KIND_NONE) draw_turn(&p->set, r);
    free(first);
}

/* ---- the penalty ------------------------------------------------------------------------------------------------ */

/* Bounds and sums, whose coordinates are entries of x. */
static int takes_penalty(const constraint *c) {
    if (c->turn != TURN_NONE) return 0;
    for (int64_t b = 0; b < c->count; b++)
        if (!takes_penalty(c->parts + b)) return 0;
    switch (c->kind) {
    case KIND_NONE:
    case KIND_NONNEG:
    case KIND_BOX:
    case KIND_LINF:
    case KIND_L1:
    case KIND_SIMPLEX:
    case KIND_CAPPED_SIMPLEX:
    case KIND_BLOCKS: return 1;
    default: return 0;
    }
}

/* 2 max |A'Y|: with a larger penalty on every entry, x is 0. */
static double largest_slope(const problem *p) {
    double largest = 0;
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t c = 0; c < p->k; c++) {
            quad sum = 0;
            for (int64_t i = 0; i < p->n; i++) sum += (quad)p->A[i * p->d + j] * p->Y[i * p->k + c];
            largest = fmax(largest, 2 * fabs((double)sum));
        }
    return largest;
}

void generate_penalty(problem *p, draw *r) {
    const int wanted = draw_chance(r, 0.3), weighted = draw_chance(r, 0.4), exempt = draw_chance(r, 0.3);
    const double share = draw_power(r, -5, 0.3);
    if (!wanted || !takes_penalty(&p->set)) return;
    const double lambda = share * largest_slope(p);
    if (!(lambda > 1e-290 && lambda < 1e290)) return;
    p->set.penalty = ALLOCATE(double, p->d);
    for (int64_t j = 0; j < p->d; j++) {
        const double weight = weighted ? draw_power(r, -1, 1) : 1;
        p->set.penalty[j] = exempt && draw_chance(r, 0.3) ? 0 : lambda * weight;
    }
    add_flavour(p, FLAVOUR_PENALTY);
}
