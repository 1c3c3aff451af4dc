/*
 * min ||c - M z||^2 + 2 <cost, z> subject to lower <= z <= upper and sums over disjoint entries: a primal active-set
 * method.
 *
 * On a face (some entries at a bound, some sums exhausted) the least-squares problem of the free entries is solved by
 * pivoted QR (dependent columns of unlike cost give a direction in which the value falls until a bound is met); an
 * exhausted sum takes one of its free entries, the pivot, out: p_pivot = - sum of (a_j / a_pivot) p_j.
 * The step is cut where it meets a bound or a sum, which joins the face; at the minimiser of the face the entry or sum
 * whose multiplier has the wrong sign leaves it. Columns are scaled to about unit norm by powers of two, so that one
 * tolerance fits all; a_j are the scales, with which entries count in their sum.
 */
#include <math.h>
#include <stdlib.h>

#include "solvers.h"

enum { FREE, AT_LOWER, AT_UPPER };

typedef struct face {
    const model *z;
    quad *M, *scale, *lower, *upper; /* scaled: M_j scale_j, bounds / scale_j; owned */
    quad *cost;                      /* cost_j scale_j; owned */
    quad *at, *r, *step;             /* scaled z; c - M z; owned */
    int *where;                      /* of each entry; owned */
    int *exhausted;                  /* of each sum; owned */
    int64_t *pivot;                  /* of each exhausted sum; owned */
    quad size;                       /* ||c|| + sum |z_j|, the size of what gradients are the difference of */
} face;

static face face_begin(const model *z, const quad *start) {
    face f = {.z = z};
    f.M = ALLOCATE(quad, z->m * z->p);
    f.scale = ALLOCATE(quad, z->p);
    f.cost = ALLOCATE(quad, z->p);
    f.lower = ALLOCATE(quad, z->p);
    f.upper = ALLOCATE(quad, z->p);
    f.at = ALLOCATE(quad, z->p);
    f.r = ALLOCATE(quad, z->m);
    f.step = ALLOCATE(quad, z->p);
    f.where = ALLOCATE(int, z->p);
    f.exhausted = ALLOCATE(int, z->sums);
    f.pivot = ALLOCATE(int64_t, z->sums);
    for (int64_t j = 0; j < z->p; j++) {
        f.scale[j] = 1 / quad_power_of_two(quad_norm(z->m, z->M + j * z->m));
        quad_add(z->m, f.scale[j], z->M + j * z->m, f.M + j * z->m);
        f.lower[j] = z->lower[j] / f.scale[j];
        f.upper[j] = z->upper[j] / f.scale[j];
        f.at[j] = start[j] / f.scale[j];
        f.cost[j] = z->cost[j] * f.scale[j];
        f.where[j] = f.at[j] == f.lower[j] ? AT_LOWER : f.at[j] == f.upper[j] ? AT_UPPER : FREE;
    }
    for (int64_t t = 0; t < z->sums; t++) f.exhausted[t] = z->sum[t].equal;
    return f;
}

static void face_end(face *f) {
    free(f->M);
    free(f->scale);
    free(f->cost);
    free(f->lower);
    free(f->upper);
    free(f->at);
    free(f->r);
    free(f->step);
    free(f->where);
    free(f->exhausted);
    free(f->pivot);
}

static void measure(face *f) {
    const int64_t m = f->z->m;
    for (int64_t i = 0; i < m; i++) f->r[i] = f->z->c[i];
    f->size = quad_norm(m, f->r);
    for (int64_t j = 0; j < f->z->p; j++) {
        quad_add(m, -f->at[j], f->M + j * m, f->r);
        f->size += fabsq(f->at[j]) + fabsq(f->cost[j]);
    }
}

/* Of each exhausted sum the free entry that counts most; -1 where there is none. */
static void choose_pivots(face *f) {
    for (int64_t t = 0; t < f->z->sums; t++) f->pivot[t] = -1;
    for (int64_t j = 0; j < f->z->p; j++) {
        const int64_t t = f->z->sum_of[j];
        if (t < 0 || !f->exhausted[t] || f->where[j] != FREE) continue;
        if (f->pivot[t] < 0 || f->scale[j] > f->scale[f->pivot[t]]) f->pivot[t] = j;
    }
}

static int64_t pivot_of(const face *f, int64_t j) {
    const int64_t t = f->z->sum_of[j];
    return t >= 0 && f->exhausted[t] ? f->pivot[t] : -1;
}

/* How fast the value falls when z_j grows. */
static quad fall_of(const face *f, int64_t j) { return quad_dot(f->z->m, f->M + j * f->z->m, f->r) - f->cost[j]; }

/* The step to the minimiser of the face; non-zero if that is infinitely far. */
static int face_step(face *f) {
    const int64_t m = f->z->m, p = f->z->p;
    quad *columns = ALLOCATE(quad, m * p), *solution = ALLOCATE(quad, p), *cost = ALLOCATE(quad, p);
    int64_t *entry = ALLOCATE(int64_t, p), count = 0;
    for (int64_t j = 0; j < p; j++) {
        const int64_t pivot = pivot_of(f, j);
        f->step[j] = 0;
        if (f->where[j] != FREE || j == pivot) continue;
        quad_add(m, 1, f->M + j * m, columns + count * m);
        if (pivot >= 0) quad_add(m, -f->scale[j] / f->scale[pivot], f->M + pivot * m, columns + count * m);
        cost[count] = f->cost[j] - (pivot >= 0 ? f->scale[j] / f->scale[pivot] * f->cost[pivot] : 0);
        /* Equal columns leave rounding behind, which must not count as a direction. */
        if (quad_norm(m, columns + count * m) < (quad)1e-30)
            for (int64_t i = 0; i < m; i++) columns[i + count * m] = 0;
        entry[count++] = j;
    }
    const int falls = quad_least_with_cost(m, count, columns, f->r, cost, (quad)1e-27, solution);
    for (int64_t i = 0; i < count; i++) {
        const int64_t j = entry[i], pivot = pivot_of(f, j);
        f->step[j] = solution[i];
        if (pivot >= 0) f->step[pivot] -= f->scale[j] / f->scale[pivot] * solution[i];
    }
    free(columns);
    free(solution);
    free(entry);
    free(cost);
    return falls;
}

static quad sum_value(const face *f, int64_t t, const quad *v) {
    quad sum = 0;
    for (int64_t j = 0; j < f->z->p; j++)
        if (f->z->sum_of[j] == t) sum += f->scale[j] * v[j];
    return sum;
}

/* Goes along the step as far as the bounds and sums allow, at most so far; what stops it joins the face. Returns
 * non-zero if nothing did. */
static int advance(face *f, quad length) {
    int64_t entry = -1, sum = -1;
    for (int64_t j = 0; j < f->z->p; j++) {
        if (f->where[j] != FREE || f->step[j] == 0) continue;
        const quad to = f->step[j] < 0 ? f->lower[j] : f->upper[j], t = (to - f->at[j]) / f->step[j];
        if (!isinfq(to) && t < length) {
            length = t > 0 ? t : 0;
            entry = j;
        }
    }
    for (int64_t t = 0; t < f->z->sums; t++) {
        const quad slope = sum_value(f, t, f->step);
        if (f->exhausted[t] || slope <= 0) continue;
        const quad reach = (f->z->sum[t].R - sum_value(f, t, f->at)) / slope;
        if (reach < length) {
            length = reach > 0 ? reach : 0;
            sum = t;
        }
    }
    if (isinfq(length)) return 1;
    quad_add(f->z->p, length, f->step, f->at);
    if (sum >= 0) {
        f->exhausted[sum] = 1;
    } else if (entry >= 0) {
        f->where[entry] = f->step[entry] < 0 ? AT_LOWER : AT_UPPER;
        f->at[entry] = f->step[entry] < 0 ? f->lower[entry] : f->upper[entry];
    }
    return sum < 0 && entry < 0;
}

/* Releases the entry or sum whose multiplier is most wrong, or (`first`) the first that is wrong. Returns zero if there
 * is none. */
static int release(face *f, int first) {
    const int64_t p = f->z->p;
    const quad tolerance = (quad)1e-31 * f->size;
    quad worst = tolerance;
    int64_t entry = -1, sum = -1;
    for (int64_t t = 0; t < f->z->sums && !(first && sum >= 0); t++) {
        if (!f->exhausted[t] || f->z->sum[t].equal || f->pivot[t] < 0) continue;
        const quad slope = -fall_of(f, f->pivot[t]); /* = - lambda a_pivot */
        if (slope > worst) {
            worst = slope;
            sum = t;
        }
    }
    for (int64_t j = 0; j < p && !(first && (sum >= 0 || entry >= 0)); j++) {
        if (f->where[j] == FREE || f->lower[j] == f->upper[j]) continue;
        const int64_t pivot = pivot_of(f, j);
        quad down = fall_of(f, j);
        if (pivot >= 0) down -= f->scale[j] / f->scale[pivot] * fall_of(f, pivot);
        if (f->where[j] == AT_UPPER) down = -down;
        if (down > worst) {
            worst = down;
            entry = j;
        }
    }
    if (entry >= 0)
        f->where[entry] = FREE;
    else if (sum >= 0)
        f->exhausted[sum] = 0;
    return entry >= 0 || sum >= 0;
}

/* Rounding has moved exhausted sums a little off: the pivot makes up for it. */
static void restore_sums(face *f) {
    for (int64_t t = 0; t < f->z->sums; t++)
        if (f->exhausted[t] && f->pivot[t] >= 0)
            f->at[f->pivot[t]] += (f->z->sum[t].R - sum_value(f, t, f->at)) / f->scale[f->pivot[t]];
}

void solve_polyhedron(const model *z, quad *at) {
    for (int64_t j = 0; j < z->p; j++) at[j] = 0;
    model_project(z, at);
    /* A vertex rather than the middle of a sum that must be R. */
    for (int64_t t = 0; t < z->sums; t++)
        for (int64_t j = 0, given = 0; z->sum[t].equal && j < z->p; j++)
            if (z->sum_of[j] == t) at[j] = given++ ? 0 : z->sum[t].R;
    face f = face_begin(z, at);
    const int64_t most = 30 * z->p + 100;
    for (int64_t round = 0; round < most; round++) {
        choose_pivots(&f);
        measure(&f);
        const int falls = face_step(&f);
        if (!advance(&f, falls ? (quad)INFINITY : 1)) continue;
        measure(&f);
        if (!release(&f, round > most / 2)) break;
    }
    choose_pivots(&f);
    restore_sums(&f);
    for (int64_t j = 0; j < z->p; j++) at[j] = f.at[j] * f.scale[j];
    face_end(&f);
}
