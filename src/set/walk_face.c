/* One face of a polyhedron: its factor, the step to its minimum, and the multipliers there. */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "set/walk.h"

enum { PANEL = 32 }; /* columns that LAPACK takes at a time */
/* A row of which so small a share is left after the rows before it depends on them. */
static const double DEPENDENT = 1e-12;

void gpis_walk_add_normal(const gpis_walk *w, int64_t c, double times, double *out) {
    const gpis_polyhedron *p = w->p;
    if (c < w->rows) {
        for (int64_t e = p->first[c]; e < p->first[c + 1]; e++) out[p->column[e]] += times * p->value[e];
        return;
    }
    const double *weight = p->weight + (c - w->rows) * w->d;
    for (int64_t j = 0; j < w->d; j++)
        if (weight[j] > 0.0 && w->held[j] != GPIS_AT_ZERO) out[j] += times * w->sign[j] * weight[j];
}

/* The free entries of normal c. */
static void gather_normal(const gpis_walk *w, int64_t c, double *out) {
    const gpis_polyhedron *p = w->p;
    memset(out, 0, (size_t)w->free_count * sizeof *out);
    if (c < w->rows) {
        for (int64_t e = p->first[c]; e < p->first[c + 1]; e++)
            if (w->position[p->column[e]] >= 0) out[w->position[p->column[e]]] = p->value[e];
        return;
    }
    const double *weight = p->weight + (c - w->rows) * w->d;
    for (int64_t i = 0; i < w->free_count; i++) out[i] = w->sign[w->order[i]] * weight[w->order[i]];
}

/* V and its QR decomposition. Returns the first row that depends on those before it; -1: none. In `missing` are the
 * norms of the rows. */
static int64_t decompose(gpis_walk *w) {
    const int64_t n = w->free_count, count = gpis_min64(w->count, n);
    for (int64_t i = 0; i < w->count; i++) gather_normal(w, w->list[i], w->V + i * n);
    if (w->count > 0 && n > 0) w->metric.whiten(w->metric.user, w->count, w->V);
    for (int64_t i = 0; i < w->count; i++) w->missing[i] = n > 0 ? cblas_dnrm2((int)n, w->V + i * n, 1) : 0.0;
    if (count > 0)
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)w->count, w->V, (lapack_int)n, w->tau,
                            w->panel, (lapack_int)(PANEL * (w->rows + w->sums)));
    for (int64_t i = 0; i < w->count; i++)
        if (i >= n || !(fabs(w->V[i * n + i]) > DEPENDENT * w->missing[i])) return i;
    return -1;
}

/* What is left of row i of the list, as it is in the decomposition, after the first `count` rows. */
static double left_of(const gpis_walk *w, int64_t i, int64_t count) {
    const int64_t n = w->free_count, last = gpis_min64(i, n - 1);
    return count <= last ? cblas_dnrm2((int)(last - count + 1), w->V + i * n + count, 1) : 0.0;
}

/* Drops every row that depends on the first `independent` ones. Returns whether a sum was among them. */
static bool drop_dependent(gpis_walk *w, int64_t independent) {
    bool sum = false;
    for (int64_t i = w->count - 1; i >= independent; i--) {
        if (left_of(w, i, independent) > DEPENDENT * w->missing[i]) continue;
        sum = sum || w->list[i] >= w->rows;
        gpis_walk_drop(w, i);
    }
    return sum;
}

/* Whether the face is the one that was factored last. The signs matter where sums are tight. */
static bool is_factored(const gpis_walk *w) {
    const gpis_factored *f = &w->factored;
    bool signs = true, sums = false;
    if (!f->valid || f->count != w->count) return false;
    if (w->count > 0 && memcmp(f->list, w->list, (size_t)w->count * sizeof *w->list) != 0) return false;
    if (memcmp(f->member, w->member, (size_t)w->d * sizeof *w->member) != 0) return false;
    for (int64_t j = 0; j < w->d; j++) signs = signs && (!w->member[j] || f->sign[j] == w->sign[j]);
    for (int64_t i = 0; i < w->count; i++) sums = sums || w->list[i] >= w->rows;
    return signs || !sums;
}

static void note_factored(gpis_walk *w) {
    gpis_factored *f = &w->factored;
    f->valid = true;
    f->count = w->count;
    if (w->count > 0) memcpy(f->list, w->list, (size_t)w->count * sizeof *w->list);
    memcpy(f->member, w->member, (size_t)w->d * sizeof *w->member);
    memcpy(f->sign, w->sign, (size_t)w->d * sizeof *w->sign);
}

bool gpis_walk_factor(gpis_walk *w, bool *changed) {
    for (int64_t j = 0; j < w->d; j++) w->member[j] = w->held[j] == GPIS_FREE;
    w->faces++;
    if (is_factored(w)) return true;
    w->factored.valid = false;
    for (int64_t j = 0; j < w->d; j++) w->position[j] = -1;
    w->free_count = w->metric.factor(w->metric.user, w->member, &w->order, changed);
    if (w->free_count < 0) return false;
    for (int64_t i = 0; i < w->free_count; i++) w->position[w->order[i]] = i;
    for (int64_t dependent; (dependent = decompose(w)) >= 0;)
        if (drop_dependent(w, dependent)) return gpis_walk_factor(w, changed); /* entries that it held at 0 are free */
    note_factored(w);
    return true;
}

/* Applies Q or Q' to v. */
static void reflect(gpis_walk *w, char way, double *v) {
    const lapack_int n = (lapack_int)w->free_count;
    if (w->count > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', way, n, 1, (lapack_int)w->count, w->V, n, w->tau, v, n, w->panel,
                            (lapack_int)(PANEL * (w->rows + w->sums)));
}

static void solve_triangle(gpis_walk *w, CBLAS_TRANSPOSE way, double *v) {
    if (w->count > 0)
        cblas_dtrsv(CblasColMajor, CblasUpper, way, CblasNonUnit, (int)w->count, w->V, (int)w->free_count, v, 1);
}

/* With a = L^-1 (-b) and z = R^-T missing: (y, nu) = R^-1 (Q_1'a - z) in `dual` and p = L^-T Q (z, Q_2'a) in `step`.
 * Returns ||Q_2'a||^2. */
static double solve(gpis_walk *w) {
    double *a = w->a;
    for (int64_t i = 0; i < w->free_count; i++) a[i] = -w->b[w->order[i]];
    if (w->free_count > 0) w->metric.whiten(w->metric.user, 1, a);
    reflect(w, 'T', a);
    solve_triangle(w, CblasTrans, w->missing);
    for (int64_t i = 0; i < w->count; i++) {
        w->dual[i] = a[i] - w->missing[i];
        a[i] = w->missing[i];
    }
    solve_triangle(w, CblasNoTrans, w->dual);
    const double left = w->free_count > w->count ? cblas_dnrm2((int)(w->free_count - w->count), a + w->count, 1) : 0.0;
    reflect(w, 'N', a);
    if (w->free_count > 0) w->metric.unwhiten(w->metric.user, a);
    memset(w->step, 0, (size_t)w->d * sizeof *w->step);
    for (int64_t i = 0; i < w->free_count; i++) w->step[w->order[i]] = a[i];
    return left * left;
}

double gpis_walk_row_value(const gpis_walk *w, int64_t i, const double *x, double *size) {
    const gpis_polyhedron *p = w->p;
    gpis_sum sum = {0, 0};
    *size = 0.0;
    for (int64_t e = p->first[i]; e < p->first[i + 1]; e++) {
        const double term = p->value[e] * x[p->column[e]];
        gpis_sum_add(&sum, term);
        *size += fabs(term);
    }
    return gpis_sum_value(sum);
}

double gpis_walk_sum_value(const gpis_walk *w, int64_t k, double *size) {
    const double *weight = w->p->weight + k * w->d;
    gpis_sum sum = {0, 0};
    *size = 0.0;
    for (int64_t j = 0; j < w->d; j++) {
        if (!(weight[j] > 0.0) || w->held[j] == GPIS_AT_ZERO) continue;
        gpis_sum_add(&sum, w->sign[j] * weight[j] * w->x[j]);
        *size += fabs(weight[j] * w->x[j]);
    }
    return gpis_sum_value(sum);
}

/* What constraint c of the list lacks to equality. */
static double lacks(const gpis_walk *w, int64_t c) {
    double size;
    if (c >= w->rows) return w->of.R[c - w->rows] - gpis_walk_sum_value(w, c - w->rows, &size);
    return (w->side[c] > 0 ? w->of.upper[c] : w->of.lower[c]) - gpis_walk_row_value(w, c, w->x, &size);
}

void gpis_walk_find_step(gpis_walk *w) {
    for (int64_t i = 0; i < w->count; i++) w->missing[i] = lacks(w, w->list[i]);
    for (int64_t j = 0; j < w->d; j++) w->b[j] = w->G[j] + w->sign[j] * gpis_walk_lambda(w, j);
    solve(w);
    memset(w->y, 0, (size_t)w->rows * sizeof *w->y);
    memset(w->nu, 0, (size_t)w->sums * sizeof *w->nu);
    for (int64_t i = 0; i < w->count; i++) {
        const int64_t c = w->list[i];
        *(c < w->rows ? &w->y[c] : &w->nu[c - w->rows]) = w->dual[i];
    }
}

double gpis_walk_find_direction(gpis_walk *w) {
    memset(w->missing, 0, (size_t)w->count * sizeof *w->missing);
    double whole = 0.0;
    for (int64_t i = 0; i < w->free_count; i++) w->p_free[i] = w->b[w->order[i]];
    if (w->free_count > 0) {
        w->metric.whiten(w->metric.user, 1, w->p_free);
        whole = cblas_dnrm2((int)w->free_count, w->p_free, 1);
    }
    const double left = solve(w);
    return sqrt(left) > DEPENDENT * whole ? left : 0.0;
}

void gpis_walk_evaluate(gpis_walk *w) {
    for (int64_t j = 0; j < w->d; j++) w->step[j] = w->x[j] - w->c[j];
    w->metric.apply(w->metric.user, w->step, w->G);
    w->products++;
    for (int64_t j = 0; w->g && j < w->d; j++) w->G[j] += w->g[j];
    gpis_walk_find_grain(w);
}

/* x is as inexact as the way from the centre to it, too: in a cone it may be 0. */
void gpis_walk_find_grain(gpis_walk *w) {
    w->grain = 0.0;
    for (int64_t j = 0; j < w->d; j++) {
        const double size = fmax(fabs(w->x[j]), fabs(w->x[j] - w->c[j]));
        w->grain = fmax(w->grain, 16.0 * DBL_EPSILON * size / gpis_walk_unit(w, j));
    }
}

void gpis_walk_find_duals(gpis_walk *w) {
    const gpis_polyhedron *p = w->p;
    for (int64_t j = 0; j < w->d; j++) {
        w->t[j] = -w->G[j];
        w->kappa[j] = gpis_walk_lambda(w, j);
    }
    for (int64_t i = 0; i < w->rows; i++)
        for (int64_t e = p->first[i]; w->y[i] != 0.0 && e < p->first[i + 1]; e++)
            w->t[p->column[e]] -= w->y[i] * p->value[e];
    for (int64_t k = 0; k < w->sums; k++)
        for (int64_t j = 0; w->nu[k] != 0.0 && j < w->d; j++) w->kappa[j] += w->nu[k] * p->weight[k * w->d + j];
}
