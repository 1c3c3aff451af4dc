/* Minimising f over the hull of past points: a quadratic in at most a dozen weights, solved exactly by active sets. */
#include "method/hull.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/rounding.h"
#include "set/penalty.h"

enum { MAX_POINTS = GPIS_HULL_POINTS };

gpis_status gpis_hull_create(gpis_context *context, int64_t d, int64_t k, bool affine, const gpis_set *set,
                             gpis_hull **out) {
    const int64_t size = d * k;
    *out = NULL;
    gpis_hull *h = gpis_alloc_zero(context, 1, sizeof *h);
    if (!h) return GPIS_NO_MEMORY;
    *h = (gpis_hull){.context = context, .d = d, .k = k, .size = size, .affine = affine};
    if (set && set->penalty) h->set = set;
    h->memory = gpis_alloc(context, 2 * MAX_POINTS * size, sizeof(double));
    if (!h->memory) {
        gpis_free(context, h);
        return GPIS_NO_MEMORY;
    }
    for (int i = 0; i < MAX_POINTS; i++) {
        h->x[i] = h->memory + 2 * i * size;
        h->g[i] = h->memory + (2 * i + 1) * size;
    }
    *out = h;
    return GPIS_OK;
}

void gpis_hull_destroy(gpis_hull *h) {
    if (!h) return;
    gpis_free(h->context, h->memory);
    gpis_free(h->context, h);
}

void gpis_hull_add(gpis_hull *h, const gpis_point *point) {
    if (h->count == MAX_POINTS) { /* the oldest leaves, and its memory serves again */
        double *old_x = h->x[0], *old_g = h->g[0];
        for (int i = 1; i < MAX_POINTS; i++) {
            h->x[i - 1] = h->x[i];
            h->g[i - 1] = h->g[i];
            h->points[i - 1] = h->points[i];
            h->height[i - 1] = h->height[i];
        }
        h->x[MAX_POINTS - 1] = old_x;
        h->g[MAX_POINTS - 1] = old_g;
        h->count--;
    }
    double *x = h->x[h->count], *g = h->g[h->count];
    memcpy(x, point->x, (size_t)h->size * sizeof *x);
    memcpy(g, point->g, (size_t)h->size * sizeof *g);
    h->points[h->count] = *point;
    h->points[h->count].x = x;
    h->points[h->count].g = g;
    h->height[h->count] = h->set ? gpis_set_height(h->set, x) : 0.0;
    h->count++;
}

void gpis_hull_empty(gpis_hull *h) { h->count = 0; }

/* Q_ij = <x_i - x_r, g_j - g_r> and b_i = <g_r, x_i - x_r>, r the best point. */
typedef struct weights {
    int count, reference;
    double Q[MAX_POINTS][MAX_POINTS], b[MAX_POINTS], t[MAX_POINTS];
    double x_size[MAX_POINTS],
        g_size[MAX_POINTS];  /* ||x_i - x_r||, ||g_i - g_r||: |Q_ij| rounds like x_size_i g_size_j */
    double g_norm;           /* ||g_r|| */
    double rise[MAX_POINTS]; /* 1/2 (h(x_i) - h(x_r)) */
} weights;

/* <a - a0, b - b0>, summed in extended precision so that its error is about one rounding. */
static double difference_dot(const double *a, const double *a0, const double *b, const double *b0, int64_t size) {
    long double sum = 0.0L;
    for (int64_t i = 0; i < size; i++) sum += (long double)(a[i] - a0[i]) * (b[i] - b0[i]);
    return (double)sum;
}

static int best_point(const gpis_hull *h) {
    int best = 0;
    for (int i = 1; i < h->count; i++)
        if (h->points[i].objective + h->height[i] < h->points[best].objective + h->height[best]) best = i;
    return best;
}

static void form(const gpis_hull *h, weights *w) {
    const int r = best_point(h);
    w->count = h->count;
    w->reference = r;
    w->g_norm = cblas_dnrm2((int)h->size, h->g[r], 1);
    for (int i = 0; i < h->count; i++) {
        long double slope = 0.0L;
        for (int64_t l = 0; l < h->size; l++) slope += (long double)h->g[r][l] * (h->x[i][l] - h->x[r][l]);
        w->b[i] = (double)slope;
        w->rise[i] = 0.5 * (h->height[i] - h->height[r]);
        for (int j = 0; j <= i; j++)
            w->Q[i][j] = w->Q[j][i] = 0.5 * (difference_dot(h->x[i], h->x[r], h->g[j], h->g[r], h->size) +
                                             difference_dot(h->x[j], h->x[r], h->g[i], h->g[r], h->size));
        w->t[i] = i == r;
        w->x_size[i] = sqrt(difference_dot(h->x[i], h->x[r], h->x[i], h->x[r], h->size));
        w->g_size[i] = sqrt(difference_dot(h->g[i], h->g[r], h->g[i], h->g[r], h->size));
    }
}

/* The minimiser over the affine hull of the active points. The weights of all but one of them, `pivot`, are free, so
 * they solve a linear system, which is scaled to a unit diagonal. Returns false if that is not positive definite. */
static bool affine_minimiser(const weights *w, const bool *active, int pivot, double *t) {
    double M[MAX_POINTS * MAX_POINTS], v[MAX_POINTS], scale[MAX_POINTS];
    int index[MAX_POINTS], n = 0;
    for (int i = 0; i < w->count; i++) {
        const double square = w->Q[i][i] - 2.0 * w->Q[i][pivot] + w->Q[pivot][pivot]; /* ||A (x_i - x_pivot)||^2 */
        if (!active[i] || i == pivot || !(square > 0.0)) continue;
        scale[n] = 1.0 / sqrt(square);
        index[n++] = i;
    }
    for (int i = 0; i < n; i++) {
        const double *Qi = w->Q[index[i]], *Qp = w->Q[pivot];
        const double slope = w->b[index[i]] - w->b[pivot] + (w->rise[index[i]] - w->rise[pivot]);
        v[i] = -(slope + Qi[pivot] - Qp[pivot]) * scale[i];
        for (int j = 0; j < n; j++)
            M[i * n + j] = (Qi[index[j]] - Qi[pivot] - Qp[index[j]] + Qp[pivot]) * scale[i] * scale[j];
        M[i * n + i] += 64.0 * DBL_EPSILON;
    }
    if (n > 0 && LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', n, 1, M, n, v, n) != 0) return false;
    for (int i = 0; i < w->count; i++) t[i] = 0.0;
    t[pivot] = 1.0;
    for (int i = 0; i < n; i++) {
        t[index[i]] = v[i] * scale[i];
        t[pivot] -= t[index[i]];
    }
    return true;
}

/* Goes from the feasible w->t towards t as far as the weights stay nonnegative. Returns true if t is reached; otherwise
 * the point that blocked the way leaves the active set. */
static bool go_towards(weights *w, bool *active, const double *t) {
    double share = 1.0;
    int blocking = -1;
    for (int i = 0; i < w->count; i++)
        if (t[i] < 0.0 && w->t[i] / (w->t[i] - t[i]) < share) {
            share = w->t[i] / (w->t[i] - t[i]);
            blocking = i;
        }
    for (int i = 0; i < w->count; i++) w->t[i] += share * (t[i] - w->t[i]);
    if (blocking < 0) return true;
    w->t[blocking] = 0.0;
    active[blocking] = false;
    return false;
}

/* The inactive point whose addition lowers f most steeply; -1 if none does. */
static int entering(const weights *w, const bool *active) {
    double mean = 0.0, slope[MAX_POINTS], best = 0.0;
    int found = -1;
    for (int i = 0; i < w->count; i++) {
        slope[i] = w->b[i] + w->rise[i];
        for (int j = 0; j < w->count; j++) slope[i] += w->Q[i][j] * w->t[j];
        mean += w->t[i] * slope[i];
    }
    for (int i = 0; i < w->count; i++)
        if (!active[i] && slope[i] - mean < best) {
            best = slope[i] - mean;
            found = i;
        }
    return found;
}

static int heaviest(const weights *w) {
    int found = 0;
    for (int i = 1; i < w->count; i++)
        if (w->t[i] > w->t[found]) found = i;
    return found;
}

/* Wolfe's algorithm for the nearest point of a hull, in the norm of A: minimise over the affine hull of the active
 * points, drop those that would get a negative weight, add the one that lowers f most. */
static void convex_minimiser(weights *w) {
    bool active[MAX_POINTS] = {false};
    active[w->reference] = true;
    for (int round = 0; round < 8 * MAX_POINTS; round++) {
        double t[MAX_POINTS];
        if (!affine_minimiser(w, active, heaviest(w), t)) return;
        if (!go_towards(w, active, t)) continue;
        const int next = entering(w, active);
        if (next < 0) return;
        active[next] = true;
    }
}

/* The minimiser over the affine hull of all points. Returns false if it would be a difference of large multiples of
 * them, since that loses digits. */
static bool moderate_affine_minimiser(weights *w) {
    static const double MAX_WEIGHTS = 50.0; /* sum of |t_i|: rounding errors of the points grow by that factor */
    bool all[MAX_POINTS];
    double t[MAX_POINTS], sum = 0.0;
    for (int i = 0; i < MAX_POINTS; i++) all[i] = true;
    if (!affine_minimiser(w, all, w->reference, t)) return false;
    for (int i = 0; i < w->count; i++) sum += fabs(t[i]);
    if (!(sum <= MAX_WEIGHTS)) return false;
    memcpy(w->t, t, sizeof t);
    return true;
}

/* 2 <b, t> + <t, Q t>: how f changes from the reference. Summed in extended precision, and added to f only once. */
static double fall(const weights *w) {
    long double sum = 0.0L;
    for (int i = 0; i < w->count; i++) {
        sum += 2.0L * w->b[i] * w->t[i];
        for (int j = 0; j < w->count; j++) sum += (long double)w->t[i] * w->Q[i][j] * w->t[j];
    }
    return (double)sum;
}

/* ---- errors ----
 *
 * With p_i = x_i - x_r and p = sum_i t_i p_i, the gradients are off by A'e_i of the residuals and by h_i of the
 * products, so that the gradient of the combination is off by A'e + h with
 *
 *     e = sum over i of the weights of the points times e_i,   h likewise,
 *
 * where the reference has the weight 1 - sum_{i != r} t_i. The objective, which starts from f_r, is off by
 *
 *     error of f_r + <p, A'(e + e_r) + h + h_r>
 *         <=  error of f_r + ||A p|| (||e|| + ||e_r||) + sum_j |p_j| (|h_j| + |h_rj|)
 *
 * and x itself is rounded, which moves A x by at most `moved`.
 */
typedef struct spread {
    double images;   /* sum_i |t_i| ||A p_i|| >= ||A p|| */
    double columns;  /* sum_i |t_i| sum_j ||a_j|| |p_i|_j */
    double residual; /* ||e|| */
    double product;  /* |h_j| / ||a_j|| */
    double rest;     /* the weight of the reference, 1 - sum_{i != r} t_i */
} spread;

/* ||A p_i||, of which <p_i, g_i - g_r> = Q_ii is known: ||A p||^2 <= Q_ii + ||A p|| (e_i + e_r) + (h_i + h_r) columns.
 */
static double image_of(const gpis_hull *h, const weights *w, int i, double columns) {
    const gpis_errors a = h->points[i].errors, b = h->points[w->reference].errors;
    const double half = 0.5 * (a.residual + b.residual), lost = (a.product + b.product) * columns;
    const double rounded = 16.0 * GPIS_UNIT * w->x_size[i] * w->g_size[i];
    return half + sqrt(half * half + fmax(0.0, w->Q[i][i]) + lost + rounded);
}

static spread spread_of(const gpis_hull *h, const weights *w) {
    const gpis_point *reference = &h->points[w->reference];
    spread s = {.rest = 1.0};
    for (int i = 0; i < w->count; i++) {
        double columns = 0.0;
        if (w->t[i] == 0.0 || i == w->reference) continue;
        for (int64_t l = 0; l < h->size; l++)
            columns += sqrt(reference->norms2[l / h->k]) * fabs(h->x[i][l] - reference->x[l]);
        s.columns += fabs(w->t[i]) * columns;
        s.images += fabs(w->t[i]) * image_of(h, w, i, columns);
        s.residual += fabs(w->t[i]) * h->points[i].errors.residual;
        s.product += fabs(w->t[i]) * h->points[i].errors.product;
        s.rest -= w->t[i];
    }
    s.residual += fabs(s.rest) * reference->errors.residual;
    s.product += fabs(s.rest) * reference->errors.product;
    return s;
}

/* In double precision are rounded: both differences of a dot, the dot, the mean of two of them, the sum of all, and f:
 * 6 roundings. The dots and their sum are taken in extended precision. */
static double rounding_error(const weights *w, int64_t size, double f) {
    const double units = 8.0 * GPIS_UNIT + ((double)size + 2.0 * MAX_POINTS * MAX_POINTS) * 2.0 * GPIS_EXTENDED_UNIT;
    double x = 0.0, g = 0.0;
    for (int i = 0; i < w->count; i++) {
        x += fabs(w->t[i]) * w->x_size[i];
        g += fabs(w->t[i]) * w->g_size[i];
    }
    return units * (f + 2.0 * w->g_norm * x + x * g);
}

/* Entries of x and g are sums of a dozen differences and that of the reference, each rounded. */
static gpis_errors errors_of(const gpis_hull *h, const weights *w, const double *x, double f, double *added) {
    const gpis_point *reference = &h->points[w->reference];
    const spread s = spread_of(h, w);
    double products = 0.0; /* sum_j ||a_j|| |x_j| */
    for (int64_t l = 0; l < h->size; l++) products += sqrt(reference->norms2[l / h->k]) * fabs(x[l]);
    const double beyond = h->affine ? 0.0 : 2.0 * (fmax(0.0, -s.rest) + 16.0 * GPIS_UNIT); /* see between_points */
    const double moved = GPIS_UNIT * (2.0 * products + 16.0 * s.columns) + beyond * s.columns;
    const double known = rounding_error(w, h->size, reference->objective) +
                         s.images * (s.residual + reference->errors.residual) +
                         s.columns * (s.product + reference->errors.product);
    const double r = sqrt(f + known + reference->errors.objective);
    const double more = known + 2.0 * r * moved + moved * moved;
    if (added) *added = gpis_outward(more, h->size);
    return (gpis_errors){
        .residual = gpis_outward(s.residual + moved, h->size),
        .product = gpis_outward(s.product + GPIS_UNIT * (2.0 * r + 16.0 * s.images), h->size),
        .objective = gpis_outward(reference->errors.objective + more, h->size),
    };
}

/* ---- the point ---- */

gpis_point gpis_hull_best(const gpis_hull *h, double *x, double *g) {
    gpis_point best = h->points[best_point(h)];
    memcpy(x, best.x, (size_t)h->size * sizeof *x);
    memcpy(g, best.g, (size_t)h->size * sizeof *g);
    best.x = x;
    best.g = g;
    return best;
}

/* An entry of a convex combination lies between those of its points. The computed sum may leave that range by a
 * rounding, and would then break a bound that every point keeps; so the nearest entry x of the range is taken. Let c be
 * the exact sum and x~ the computed one. If the weight of the reference, `rest`, is rounded below zero, then
 * (c - rest x_r) / (1 - rest) is in the range and not c itself, hence
 *
 *     |x - c|  <=  |x~ - c| + 2 max(0, -rest) sum_i |t_i| |x_i - x_r|. */
static double between_points(const gpis_hull *h, const weights *w, int64_t l, double x) {
    double least = h->x[w->reference][l], most = least;
    for (int i = 0; i < w->count; i++)
        if (w->t[i] > 0.0) {
            least = fmin(least, h->x[i][l]);
            most = fmax(most, h->x[i][l]);
        }
    return fmin(fmax(x, least), most);
}

static void combine(const gpis_hull *h, const weights *w, double *x, double *g) {
    const double *xr = h->x[w->reference], *gr = h->g[w->reference];
    for (int64_t l = 0; l < h->size; l++) {
        double dx = 0.0, dg = 0.0;
        for (int i = 0; i < w->count; i++) {
            dx += w->t[i] * (h->x[i][l] - xr[l]);
            dg += w->t[i] * (h->g[i][l] - gr[l]);
        }
        x[l] = h->affine ? xr[l] + dx : between_points(h, w, l, xr[l] + dx);
        g[l] = gr[l] + dg;
    }
}

gpis_point gpis_hull_minimise(const gpis_hull *h, double *x, double *g, double *added) {
    weights w;
    if (added) *added = 0.0;
    if (h->count == 1) return gpis_hull_best(h, x, g);
    form(h, &w);
    const gpis_point *reference = &h->points[w.reference];
    if (!h->affine || !moderate_affine_minimiser(&w)) convex_minimiser(&w);
    const double f = reference->objective + fall(&w);
    if (!h->set && !(f < reference->objective)) return gpis_hull_best(h, x, g); /* it would be mere rounding */
    combine(h, &w, x, g);
    if (h->set && !(f + gpis_set_height(h->set, x) < reference->objective + h->height[w.reference]))
        return gpis_hull_best(h, x, g);
    gpis_point point = {.x = x, .g = g, .objective = fmax(f, 0.0), .norms2 = reference->norms2};
    point.errors = errors_of(h, &w, x, point.objective, added);
    return point;
}
