/* Minimising f over the hull of past points: a quadratic in at most a dozen weights, solved exactly by active sets. */
#include "method/hull.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { MOST = GPIS_HULL_POINTS };

gpis_status gpis_hull_create(gpis_context *context, int64_t d, int64_t k, const double *norms2, bool affine,
                             gpis_hull **out) {
    const int64_t size = d * k;
    *out = NULL;
    gpis_hull *h = gpis_alloc_zero(context, 1, sizeof *h);
    if (!h) return GPIS_NO_MEMORY;
    *h = (gpis_hull){.context = context, .d = d, .k = k, .size = size, .norms2 = norms2, .affine = affine};
    h->memory = gpis_alloc(context, 2 * MOST * size, sizeof(double));
    if (!h->memory) {
        gpis_free(context, h);
        return GPIS_NO_MEMORY;
    }
    for (int i = 0; i < MOST; i++) {
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

void gpis_hull_add(gpis_hull *h, const double *x, const double *g, double f, gpis_errors errors) {
    if (h->count == 0) h->errors = errors;
    h->errors.residual = fmax(h->errors.residual, errors.residual);
    h->errors.product = fmax(h->errors.product, errors.product);
    if (h->count == MOST) { /* the oldest makes room */
        double *old_x = h->x[0], *old_g = h->g[0];
        for (int i = 1; i < MOST; i++) {
            h->x[i - 1] = h->x[i];
            h->g[i - 1] = h->g[i];
            h->f[i - 1] = h->f[i];
        }
        h->x[MOST - 1] = old_x;
        h->g[MOST - 1] = old_g;
        h->count--;
    }
    memcpy(h->x[h->count], x, (size_t)h->size * sizeof(double));
    memcpy(h->g[h->count], g, (size_t)h->size * sizeof(double));
    h->f[h->count++] = f;
}

/* Q_ij = <x_i - x_r, g_j - g_r> and b_i = <g_r, x_i - x_r>, r the best point. */
typedef struct weights {
    int count, reference;
    double Q[MOST][MOST], b[MOST], t[MOST];
    double x_size[MOST], g_size[MOST]; /* ||x_i - x_r||, ||g_i - g_r||: |Q_ij| rounds like x_size_i g_size_j */
    double g_norm;                     /* ||g_r|| */
} weights;

/* In extended precision, so that its error is one of rounding once. */
static double difference_dot(const double *a, const double *a0, const double *b, const double *b0, int64_t size) {
    long double sum = 0.0L;
    for (int64_t i = 0; i < size; i++) sum += (long double)(a[i] - a0[i]) * (b[i] - b0[i]);
    return (double)sum;
}

static int best_point(const gpis_hull *h) {
    int best = 0;
    for (int i = 1; i < h->count; i++)
        if (h->f[i] < h->f[best]) best = i;
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
        for (int j = 0; j <= i; j++)
            w->Q[i][j] = w->Q[j][i] = 0.5 * (difference_dot(h->x[i], h->x[r], h->g[j], h->g[r], h->size) +
                                             difference_dot(h->x[j], h->x[r], h->g[i], h->g[r], h->size));
        w->t[i] = i == r;
        w->x_size[i] = sqrt(difference_dot(h->x[i], h->x[r], h->x[i], h->x[r], h->size));
        w->g_size[i] = sqrt(difference_dot(h->g[i], h->g[r], h->g[i], h->g[r], h->size));
    }
}

/* The minimiser over the affine hull of the active points, around one of them, `pivot`: the weights of the others are
 * free, so it is a linear system, scaled to a unit diagonal. False when that is not positive definite. */
static bool affine_minimiser(const weights *w, const bool *active, int pivot, double *t) {
    double M[MOST * MOST], v[MOST], scale[MOST];
    int index[MOST], n = 0;
    for (int i = 0; i < w->count; i++) {
        const double square = w->Q[i][i] - 2.0 * w->Q[i][pivot] + w->Q[pivot][pivot]; /* ||A (x_i - x_pivot)||^2 */
        if (!active[i] || i == pivot || !(square > 0.0)) continue;
        scale[n] = 1.0 / sqrt(square);
        index[n++] = i;
    }
    for (int i = 0; i < n; i++) {
        const double *Qi = w->Q[index[i]], *Qp = w->Q[pivot];
        v[i] = -(w->b[index[i]] - w->b[pivot] + Qi[pivot] - Qp[pivot]) * scale[i];
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

/* From feasible w->t towards t: as far as the weights stay nonnegative. True when t is reached; the point that blocked
 * the way leaves the active set otherwise. */
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

/* The point outside whose addition lowers f most steeply; -1 when none does. */
static int entering(const weights *w, const bool *active) {
    double mean = 0.0, slope[MOST], best = 0.0;
    int found = -1;
    for (int i = 0; i < w->count; i++) {
        slope[i] = w->b[i];
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

/* Wolfe's way to the nearest point of a hull, in the norm of A: minimise over the affine hull of the active points,
 * drop those that would get a negative weight, add the one that lowers f most. */
static void convex_minimiser(weights *w) {
    bool active[MOST] = {false};
    active[w->reference] = true;
    for (int round = 0; round < 8 * MOST; round++) {
        double t[MOST];
        if (!affine_minimiser(w, active, heaviest(w), t)) return;
        if (!go_towards(w, active, t)) continue;
        const int next = entering(w, active);
        if (next < 0) return;
        active[next] = true;
    }
}

/* Over the affine hull of all points; false where it would take differences of large multiples of them. */
static bool moderate_affine_minimiser(weights *w) {
    bool all[MOST];
    double t[MOST], sum = 0.0;
    for (int i = 0; i < MOST; i++) all[i] = true;
    if (!affine_minimiser(w, all, w->reference, t)) return false;
    for (int i = 0; i < w->count; i++) sum += fabs(t[i]);
    if (!(sum <= 50.0)) return false;
    memcpy(w->t, t, sizeof t);
    return true;
}

static double value(const weights *w, double f) {
    double sum = f;
    for (int i = 0; i < w->count; i++) {
        sum += 2.0 * w->b[i] * w->t[i];
        for (int j = 0; j < w->count; j++) sum += w->t[i] * w->Q[i][j] * w->t[j];
    }
    return sum;
}

/* Differences, dots of them and the sums of those here: a few units of the product of their norms. */
static double rounding_error(const weights *w, double f) {
    double x = 0.0, g = 0.0;
    for (int i = 0; i < w->count; i++) {
        x += fabs(w->t[i]) * w->x_size[i];
        g += fabs(w->t[i]) * w->g_size[i];
    }
    return (MOST + 8.0) * DBL_EPSILON * (f + 2.0 * w->g_norm * x + x * g);
}

/*
 * The gradients are themselves off, by A'e_i of the residuals and by h_i of the products. With p = x - x_r the
 * objective is then off by <p, (A'e_r + h_r) + sum_i t_i (A'e_i + h_i)>, at most
 *
 *     (1 + sum_i |t_i|) (||A p|| ||e|| + product * sum_j ||a_j|| |p_j|).
 */
static double gradient_error(const gpis_hull *h, const weights *w, double images, double columns) {
    double weight = 1.0;
    for (int i = 0; i < w->count; i++) weight += fabs(w->t[i]);
    return weight * (images * h->errors.residual + h->errors.product * columns);
}

static gpis_combination combination(const gpis_hull *h, const weights *w, double f) {
    const double *xr = h->x[w->reference];
    double columns = 0.0, images = 0.0, rest = 1.0, all = 0.0;
    for (int i = 0; i < w->count; i++) {
        double sum = 0.0;
        for (int64_t l = 0; w->t[i] != 0.0 && l < h->size; l++)
            sum += sqrt(h->norms2[l / h->k]) * fabs(h->x[i][l] - xr[l]);
        columns += fabs(w->t[i]) * sum;
        rest -= w->t[i];
        all += fabs(w->t[i]);
        images += fabs(w->t[i]) * sqrt(fmax(0.0, w->Q[i][i]));
    }
    return (gpis_combination){
        .objective = rounding_error(w, f) + gradient_error(h, w, images, columns),
        .columns = columns,
        .images = images,
        .parts = {(all + fabs(rest)) * h->errors.residual, (all + fabs(rest)) * h->errors.product},
        .made = true};
}

void gpis_hull_best(const gpis_hull *h, double *x, double *g, double *f) {
    const int best = best_point(h);
    memcpy(x, h->x[best], (size_t)h->size * sizeof *x);
    memcpy(g, h->g[best], (size_t)h->size * sizeof *g);
    *f = h->f[best];
}

void gpis_hull_minimise(const gpis_hull *h, double *x, double *g, double *f, gpis_combination *made) {
    weights w;
    form(h, &w);
    const double best = h->f[w.reference];
    if (!h->affine || !moderate_affine_minimiser(&w)) convex_minimiser(&w);
    *f = value(&w, best);
    if (!(*f < best)) { /* nothing but rounding: stay at the best measured point */
        gpis_hull_best(h, x, g, f);
        *made = (gpis_combination){0};
        return;
    }
    *f = fmax(*f, 0.0);
    *made = combination(h, &w, best);
    const double *xr = h->x[w.reference], *gr = h->g[w.reference];
    for (int64_t l = 0; l < h->size; l++) {
        double dx = 0.0, dg = 0.0;
        for (int i = 0; i < w.count; i++) {
            dx += w.t[i] * (h->x[i][l] - xr[l]);
            dg += w.t[i] * (h->g[i][l] - gr[l]);
        }
        x[l] = xr[l] + dx;
        g[l] = gr[l] + dg;
    }
}
