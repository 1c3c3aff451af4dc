/* The interior-point method: the model in the coordinates z, the starting point, and the iteration. */
#include "inner/barrier.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"

enum { MAX_STEPS = 60 };

/* ---- the model in z ---- */

/* The curvature of a column of zeros: 1e-8 of the smallest one. It keeps the entry where it is, unless something
 * depends on it. */
static double norm_of_zero(const gpis_model *model) {
    double least = INFINITY;
    for (int64_t j = 0; j < model->d; j++)
        if (model->H[j * (model->d + 1)] > 0.0) least = fmin(least, 1.0 / model->scale[j]);
    return isinf(least) ? 1.0 : 1e-4 * least;
}

/* The norms of the columns of R D, and of R D T, which are the units of z. */
static void find_units(gpis_barrier *b) {
    const gpis_model *model = b->model;
    const int64_t d = b->d;
    const double instead = norm_of_zero(model);
    memset(b->near, 0, (size_t)d * sizeof *b->near);
    for (int64_t j = 0; j < d; j++) b->unit[j] = model->H[j * (d + 1)] > 0.0 ? model->scale[j] : 1.0 / instead;
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < d; j++) b->v[j] = j >= i ? model->R[i * d + j] / b->unit[j] : 0.0;
        gpis_flat_change(b->flat, GPIS_TRANSPOSED, b->v);
        for (int64_t j = 0; j < d; j++) b->near[j] = hypot(b->near[j], b->v[j]);
    }
    for (int64_t j = 0; j < d; j++) b->near[j] = b->near[j] > 0.0 ? 1.0 / b->near[j] : 1.0;
}

/* The rows of E z = e and of sums that must be R, in x; and with H = (R D)'(R D) the span of R^-T times them. */
static void turn_rows(gpis_barrier *b) {
    const gpis_flat *f = b->flat;
    const int64_t d = b->d;
    double *row = b->E;
    memcpy(row, f->E, (size_t)(f->rows * d) * sizeof *row);
    row += f->rows * d;
    for (int64_t s = 0; s < f->sums; s++) {
        if (!f->sum[s].equal) continue;
        for (int64_t j = 0; j < d; j++) row[j] = f->sum_of[j] == s ? 1.0 : 0.0;
        row += d;
    }
    for (row = b->E; row < b->E + b->equalities * d; row += d) {
        gpis_flat_change(f, GPIS_TRANSPOSED_BACK, row);
        for (int64_t j = 0; j < d; j++) row[j] *= b->unit[j];
    }
    if (b->equalities == 0) return;
    const int n = (int)d, count = (int)b->equalities;
    memcpy(b->span, b->E, (size_t)(b->equalities * d) * sizeof *b->span);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, count, 1.0, b->model->R, n,
                b->span, n);
    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, count, b->span, n, b->span_tau, b->work, GPIS_BARRIER_PANEL * n);
}

static gpis_status take_memory(gpis_barrier *b) {
    gpis_context *context = b->context;
    const int64_t d = b->d;
    double **vectors[] = {&b->unit,   &b->near,  &b->tau, &b->rows_tau, &b->span_tau, &b->z,  &b->step,
                          &b->moved,  &b->G,     &b->p,   &b->best,     &b->y,        &b->dy, &b->lambda,
                          &b->second, &b->right, &b->w,   &b->v,        &b->Bv};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!(*vectors[i] = gpis_alloc_zero(context, d, sizeof(double)))) return GPIS_NO_MEMORY;
    b->E = gpis_alloc(context, b->equalities * d, sizeof(double));
    b->stack = gpis_alloc(context, b->height * d, sizeof(double));
    b->rows = gpis_alloc(context, b->equalities * d, sizeof(double));
    b->span = gpis_alloc(context, b->equalities * d, sizeof(double));
    b->work = gpis_alloc(context, GPIS_BARRIER_PANEL * d, sizeof(double));
    b->lower = gpis_alloc_zero(context, d, sizeof *b->lower);
    b->upper = gpis_alloc_zero(context, d, sizeof *b->upper);
    b->sums = gpis_alloc_zero(context, d, sizeof *b->sums);
    b->cones = gpis_alloc_zero(context, d, sizeof *b->cones);
    const bool all = b->E && b->stack && b->rows && b->span && b->work && b->lower && b->upper && b->sums && b->cones;
    return all ? GPIS_OK : GPIS_NO_MEMORY;
}

gpis_status gpis_barrier_create(gpis_context *context, gpis_set *set, const gpis_model *model, gpis_barrier **out) {
    gpis_barrier *b = *out = gpis_alloc_zero(context, 1, sizeof *b);
    if (!b) return GPIS_NO_MEMORY;
    b->context = context;
    b->set = set;
    b->model = model;
    b->d = set->d;
    gpis_status status = gpis_flat_create(context, set, false, &b->flat);
    if (status == GPIS_OK) {
        b->height = 2 * b->d + b->flat->sums;
        b->equalities = b->flat->rows;
        for (int64_t s = 0; s < b->flat->sums; s++) b->equalities += b->flat->sum[s].equal;
        status = take_memory(b);
    }
    if (status == GPIS_OK) {
        find_units(b);
        turn_rows(b);
        return GPIS_OK;
    }
    gpis_barrier_destroy(b);
    *out = NULL;
    return status;
}

/* The stack, four arrays of equalities, vectors, pairs, and the scratch of LAPACK. */
double gpis_barrier_memory(const gpis_set *set) {
    enum { VECTORS = 80 };
    const double d = (double)set->d;
    int64_t sums = 0, rows = 0;
    gpis_flat_count(set, &sums, &rows);
    return 8.0 * d * (2.0 * d + (double)sums + 4.0 * (double)rows + VECTORS + GPIS_BARRIER_PANEL) + 8192.0;
}

void gpis_barrier_destroy(gpis_barrier *b) {
    if (!b) return;
    gpis_flat_destroy(b->flat);
    void *const all[] = {b->unit,   b->near,   b->tau,   b->rows_tau, b->span_tau, b->span, b->z,
                         b->step,   b->moved,  b->G,     b->p,        b->best,     b->y,    b->dy,
                         b->lambda, b->second, b->right, b->w,        b->v,        b->Bv,   b->E,
                         b->stack,  b->rows,   b->work,  b->lower,    b->upper,    b->sums, b->cones};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpis_free(b->context, all[i]);
    gpis_free(b->context, b);
}

/* ---- the starting point ---- */

static const double LEAST = 1e-3; /* distance from a boundary, relative to the size of what is bounded */

/* A distance from a bound of entry j: what would change q by about as much as there is to gain. */
static double distance(const gpis_barrier *b, int64_t j) { return b->omega * b->near[j]; }

/* A pair for what is `there` of a slack, which is enlarged to at least `room`. */
static gpis_pair open_pair(double there, double room) {
    const double slack = fmax(there, room);
    return (gpis_pair){.slack = slack, .miss = there - slack};
}

static void open_bounds(gpis_barrier *b) {
    const gpis_flat *f = b->flat;
    for (int64_t j = 0; j < b->d; j++) {
        const double lo = f->lo[j], hi = f->hi[j], size = isinf(lo) ? fabs(hi) : fabs(lo);
        const double room = fmin(fmax(distance(b, j), LEAST * size), 0.5 * (hi - lo));
        b->lower[j] = isfinite(lo) ? open_pair(b->z[j] - lo, room) : (gpis_pair){0};
        b->upper[j] = isfinite(hi) ? open_pair(hi - b->z[j], room) : (gpis_pair){0};
    }
}

/* The bounds t on the norms of groups, and the slacks of sums. */
static void open_sums(gpis_barrier *b) {
    const gpis_flat *f = b->flat;
    for (int64_t s = 0; s < f->sums; s++) {
        const double R = f->sum[s].R;
        double sum = 0.0, room = 0.0;
        b->sums[s] = (gpis_pair){0};
        for (int64_t j = 0; !f->sum[s].norms && j < b->d; j++)
            if (f->sum_of[j] == s) sum += b->z[j], room += distance(b, j);
        for (int64_t c = 0; c < f->groups; c++) {
            if (f->group_sum[c] != s) continue;
            double norm = 0.0, own = 0.0;
            for (int64_t i = f->first[c]; i < f->first[c + 1]; i++) {
                norm = hypot(norm, b->z[f->member[i]]);
                own = fmax(own, distance(b, f->member[i]));
            }
            own = fmax(fmin(own, R), LEAST * norm);
            b->cones[c] = (gpis_cone){.t = norm + own};
            sum += norm + own, room += own;
        }
        if (!f->sum[s].equal) b->sums[s] = open_pair(R - sum, fmin(fmax(room, LEAST * R), R));
    }
}

/* Calls `visit` for each pair that exists. Returns how many there are. */
static int64_t each_pair(gpis_barrier *b, void (*visit)(gpis_pair *, double *), double *value) {
    gpis_pair *const lists[] = {b->lower, b->upper, b->sums};
    const int64_t lengths[] = {b->d, b->d, b->flat->sums};
    int64_t count = 0;
    for (int i = 0; i < 3; i++)
        for (int64_t j = 0; j < lengths[i]; j++)
            if (lists[i][j].slack > 0.0) visit(lists[i] + j, value), count++;
    return count;
}

static void set_dual(gpis_pair *pair, double *mu) { pair->dual = *mu / pair->slack; }

/* Multipliers for which every product with the slack is mu. */
static void find_duals(gpis_barrier *b, double mu) {
    const gpis_flat *f = b->flat;
    each_pair(b, set_dual, &mu);
    for (int64_t c = 0; c < f->groups; c++) {
        double norm = 0.0;
        for (int64_t i = f->first[c]; i < f->first[c + 1]; i++) norm = hypot(norm, b->z[f->member[i]]);
        const double factor = mu / (b->cones[c].t - norm) / (b->cones[c].t + norm);
        b->cones[c].y = factor * b->cones[c].t; /* y = mu J v / det v */
        for (int64_t i = f->first[c]; i < f->first[c + 1]; i++) b->y[f->member[i]] = -factor * b->z[f->member[i]];
    }
}

/* ---- the iteration ---- */

static void add_gap(gpis_pair *pair, double *gap) { *gap += pair->slack * pair->dual; }
static void add_next_gap(gpis_pair *pair, double *value) {
    value[1] += (pair->slack + value[0] * pair->dslack) * (pair->dual + value[0] * pair->ddual);
}
static void shorten(gpis_pair *pair, double *step) {
    if (pair->dslack < 0.0) *step = fmin(*step, -pair->slack / pair->dslack);
    if (pair->ddual < 0.0) *step = fmin(*step, -pair->dual / pair->ddual);
}
static void take(gpis_pair *pair, double *step) {
    pair->slack += *step * pair->dslack;
    pair->miss *= 1.0 - *step;
    pair->dual += *step * pair->ddual;
}

/* The gradient G after the way `moved`; returns q. */
static double evaluate(gpis_barrier *b) {
    double value = 0.0;
    gpis_model_apply(b->model, 1, b->moved, b->G);
    for (int64_t j = 0; j < b->d; j++) {
        value += b->moved[j] * (0.5 * b->G[j] + b->g[j]);
        b->G[j] += b->g[j];
    }
    return value;
}

/* v := R^-T D^-1 v less its part along the equalities, whose multipliers are free; returns its norm. */
static double whiten(gpis_barrier *b, double *v) {
    const int d = (int)b->d, count = (int)b->equalities;
    for (int64_t j = 0; j < b->d; j++) v[j] *= b->unit[j];
    cblas_dtrsv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, d, b->model->R, d, v, 1);
    if (count > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', d, 1, count, b->span, d, b->span_tau, v, d, b->work,
                            GPIS_BARRIER_PANEL * d);
    return gpis_norm2(v + count, b->d - count);
}

/* 1/2 <r, H^-1 r> for the gradient r of the Lagrangian: with the gap, q is above its minimum by at most this. */
static double off_balance(gpis_barrier *b) {
    const gpis_flat *f = b->flat;
    for (int64_t j = 0; j < b->d; j++) {
        const int64_t s = f->sum_of[j];
        b->v[j] = b->upper[j].dual - b->lower[j].dual - b->y[j];
        if (s >= 0 && !f->sum[s].norms) b->v[j] += b->sums[s].dual;
    }
    gpis_flat_change(f, GPIS_TRANSPOSED_BACK, b->v);
    for (int64_t j = 0; j < b->d; j++) b->v[j] += b->G[j];
    const double norm = whiten(b, b->v);
    return 0.5 * norm * norm;
}

static double reach(gpis_barrier *b) {
    double step = INFINITY;
    each_pair(b, shorten, &step);
    return gpis_barrier_cone_reach(b, step);
}

static double gap_after(gpis_barrier *b, double step) {
    double value[2] = {step, 0.0};
    each_pair(b, add_next_gap, value);
    return value[1] + gpis_barrier_cone_gap(b, step);
}

static void go(gpis_barrier *b, double step) {
    each_pair(b, take, &step);
    for (int64_t j = 0; j < b->d; j++) {
        b->z[j] += step * b->p[j];
        b->moved[j] += step * b->step[j];
        b->y[j] += step * b->dy[j];
    }
    for (int64_t c = 0; c < b->flat->groups; c++) {
        b->cones[c].t += step * b->cones[c].dt;
        b->cones[c].y += step * b->cones[c].dy;
    }
}

/* One step of Mehrotra's method. Returns its length, 0 if there is none. */
static double advance(gpis_barrier *b, double gap, double count) {
    static const double SHORT_OF_THE_BOUNDARY = 0.99;
    gpis_barrier_scale_cones(b);
    gpis_barrier_factor(b);
    gpis_barrier_direction(b, 0.0, false);
    if (count > 0.0) {
        const double left = fmin(1.0, gap_after(b, fmin(1.0, reach(b))) / gap);
        gpis_barrier_direction(b, left * left * left * gap / count, true);
    }
    if (!gpis_all_finite(b->step, b->d)) return 0.0;
    const double step = fmin(1.0, SHORT_OF_THE_BOUNDARY * reach(b));
    if (!(step > 0.0)) return 0.0;
    go(b, step);
    b->steps++;
    return step;
}

/* Starts at x, with slacks that are larger than they are there, and with multipliers of the size of the problem. */
static double start(gpis_barrier *b, const double *x, const double *g, double *count) {
    double unused = 0.0;
    memcpy(b->z, x, (size_t)b->d * sizeof *b->z);
    b->g = g;
    memcpy(b->v, g, (size_t)b->d * sizeof *b->v);
    gpis_model_whiten(b->model, 1, b->v);
    b->omega = gpis_norm2(b->v, b->d);
    gpis_flat_change(b->flat, GPIS_TO_INSIDE, b->z);
    memset(b->y, 0, (size_t)b->d * sizeof *b->y);
    memset(b->dy, 0, (size_t)b->d * sizeof *b->dy);
    memset(b->p, 0, (size_t)b->d * sizeof *b->p);
    memset(b->moved, 0, (size_t)b->d * sizeof *b->moved);
    open_bounds(b);
    open_sums(b);
    *count = (double)each_pair(b, add_gap, &unused) + (double)b->flat->groups;
    const double mu = b->omega * b->omega / fmax(*count, 1.0);
    find_duals(b, mu);
    return mu;
}

/* Whether a bound is met: of its slack and its multiplier, in units of z_j, the slack is nothing. */
static bool is_met(const gpis_barrier *b, const gpis_pair *pair, int64_t j) {
    static const double NOTHING = 1e-6;
    const double slack = pair->slack / b->near[j], dual = pair->dual * b->near[j];
    return pair->slack > 0.0 && slack < NOTHING * dual && slack < NOTHING * b->omega;
}

/* Entries that are so near to a bound that they belong there are set to it: certificates look at the faces of s. */
static void snap(const gpis_barrier *b, double *s) {
    for (int64_t j = 0; j < b->d; j++) {
        if (is_met(b, b->lower + j, j)) s[j] = b->flat->lo[j];
        if (is_met(b, b->upper + j, j)) s[j] = b->flat->hi[j];
    }
}

/* What the rounding of x can change. */
static double noise(const gpis_barrier *b, const double *x) {
    double sum = 0.0;
    for (int64_t j = 0; j < b->d; j++) sum += fabs(b->G[j]) * (fabs(x[j]) + fabs(b->moved[j]));
    return DBL_EPSILON * sum;
}

gpis_status gpis_barrier_solve(gpis_barrier *b, const double *x, const double *g, double *s) {
    static const double ENOUGH = 1e-12; /* of the fall */
    double count, step = 1.0, missing = 1.0, best = INFINITY;
    memcpy(s, x, (size_t)b->d * sizeof *s);
    start(b, x, g, &count);
    if (!(b->omega > 0.0) || !isfinite(b->omega)) return GPIS_OK;
    memset(b->best, 0, (size_t)b->d * sizeof *b->best);
    for (int i = 0; i < MAX_STEPS && step > 1e-6; i++) {
        const double value = evaluate(b), gap = gap_after(b, 0.0),
                     left = gap + off_balance(b) + missing * b->omega * b->omega;
        if (left < best) {
            best = left;
            memcpy(b->best, b->moved, (size_t)b->d * sizeof *b->best);
        }
        if (left <= ENOUGH * fabs(value) + noise(b, x) || !(left < 1e4 * best) || gpis_is_stopped(b->stop)) break;
        step = advance(b, gap, count);
        missing *= 1.0 - step;
    }
    for (int64_t j = 0; j < b->d; j++) s[j] = x[j] + b->best[j];
    if (b->flat->turn_count == 0) snap(b, s);
    return GPIS_OK;
}
