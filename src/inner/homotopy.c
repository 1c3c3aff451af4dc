/* The path of an l1 penalty, from one change of the free entries to the next. */
#include "inner/homotopy.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/hot.h"

/* What an entry is. LEFT_OUT is one at 0 whose column depends on those of the free ones. */
enum { AT_ZERO, POSITIVE, NEGATIVE, UNWEIGHTED, AT_LOWER, AT_UPPER, LEFT_OUT };

/* The next change: entry `j` becomes `state` after nu has fallen by t. */
typedef struct event {
    double t;
    int64_t j; /* -1: none before the walk is where it was sent */
    signed char state;
} event;

static double sign_of(const gpis_homotopy *h, int64_t j) {
    return h->state[j] == POSITIVE ? 1.0 : h->state[j] == NEGATIVE ? -1.0 : 0.0;
}

/* out += sum over i of c_i times row index_i of H, four rows at a time. */
GPIS_HOT static void add_rows(const double *restrict H, int64_t d, const int64_t *restrict index,
                              const double *restrict c, int64_t count, double *restrict out) {
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const double *a = H + index[i] * d, *b = H + index[i + 1] * d, *e = H + index[i + 2] * d,
                     *f = H + index[i + 3] * d;
        for (int64_t j = 0; j < d; j++) out[j] += (c[i] * a[j] + c[i + 1] * b[j]) + (c[i + 2] * e[j] + c[i + 3] * f[j]);
    }
    for (; i < count; i++) {
        const double *a = H + index[i] * d;
        for (int64_t j = 0; j < d; j++) out[j] += c[i] * a[j];
    }
}

/* ---- the direction ---- */

/* v, q and the growth of the sum for the present F. */
static void find_direction(gpis_homotopy *h) {
    const gpis_block_factor *f = h->factor;
    for (int64_t i = 0; i < f->count; i++) h->v[i] = h->terms.weight[f->index[i]] * sign_of(h, f->index[i]);
    gpis_block_factor_solve(f, h->v);
    memset(h->q, 0, (size_t)h->terms.d * sizeof *h->q);
    add_rows(h->terms.H, h->terms.d, f->index, h->v, f->count, h->q);
    h->growth = 0.0;
    for (int64_t i = 0; i < f->count; i++)
        h->growth += h->terms.weight[f->index[i]] * sign_of(h, f->index[i]) * h->v[i];
}

static void move(gpis_homotopy *h, double t) {
    const gpis_block_factor *f = h->factor;
    for (int64_t i = 0; i < f->count; i++) h->x[f->index[i]] += t * h->v[i];
    for (int64_t j = 0; j < h->terms.d; j++) h->G[j] += t * h->q[j];
    h->nu = fmax(0.0, h->nu - t);
    h->sum += t * h->growth;
    if (t > 0.0) h->idle = 0;
}

/* ---- events ---- */

/* A quantity that is 0 or more, and falls by `rate` as nu falls by 1: when it reaches 0. */
static double when(double left, double rate) { return rate > 0.0 ? fmax(0.0, left) / rate : INFINITY; }

static void consider(event *next, double t, int64_t j, signed char state) {
    if (t < next->t) *next = (event){t, j, state};
}

/* Free entries reach 0 or the bound on their side. */
static void consider_free(const gpis_homotopy *h, event *next) {
    const gpis_block_factor *f = h->factor;
    for (int64_t i = 0; i < f->count; i++) {
        const int64_t j = f->index[i];
        const double x = h->x[j], v = h->v[i];
        if (h->state[j] == POSITIVE) {
            consider(next, when(x, -v), j, AT_ZERO);
            consider(next, when(h->terms.hi[j] - x, v), j, AT_UPPER);
        } else if (h->state[j] == NEGATIVE) {
            consider(next, when(-x, v), j, AT_ZERO);
            consider(next, when(x - h->terms.lo[j], -v), j, AT_LOWER);
        }
    }
}

/* Fixed entries are freed when their inequality becomes an equation. */
static void consider_fixed(const gpis_homotopy *h, event *next) {
    for (int64_t j = 0; j < h->terms.d; j++) {
        const double w = h->terms.weight[j], up = h->nu * w + h->G[j], down = h->nu * w - h->G[j];
        const double up_rate = w - h->q[j], down_rate = w + h->q[j];
        if (h->state[j] == AT_ZERO && h->terms.hi[j] > 0.0) consider(next, when(up, up_rate), j, POSITIVE);
        if (h->state[j] == AT_ZERO && h->terms.lo[j] < 0.0) consider(next, when(down, down_rate), j, NEGATIVE);
        if (h->state[j] == AT_UPPER) consider(next, when(-up, -up_rate), j, POSITIVE);
        if (h->state[j] == AT_LOWER) consider(next, when(-down, -down_rate), j, NEGATIVE);
    }
}

/* ---- changes of F ---- */

static int64_t place_of(const gpis_homotopy *h, int64_t j) {
    int64_t p = 0;
    while (h->factor->index[p] != j) p++;
    return p;
}

static void fix(gpis_homotopy *h, int64_t j, signed char state) {
    gpis_block_factor_remove(h->factor, place_of(h, j));
    h->state[j] = state;
    h->x[j] = state == AT_ZERO ? 0.0 : state == AT_UPPER ? h->terms.hi[j] : h->terms.lo[j];
    for (int64_t i = 0; i < h->terms.d; i++)
        if (h->state[i] == LEFT_OUT) h->state[i] = AT_ZERO;
}

static void release(gpis_homotopy *h, int64_t j, signed char state) {
    const bool from_zero = h->state[j] == AT_ZERO;
    if (gpis_block_factor_add(h->factor, j))
        h->state[j] = state;
    else if (from_zero)
        h->state[j] = LEFT_OUT;
    else
        h->lost = true; /* a column at a bound depends on free ones: the path is not unique here */
}

static void change(gpis_homotopy *h, const event *e) {
    if (e->state == POSITIVE || e->state == NEGATIVE)
        release(h, e->j, e->state);
    else
        fix(h, e->j, e->state);
    h->steps++;
    if (++h->idle > 4 * h->terms.d + 100) h->lost = true;
    if (!h->lost) find_direction(h);
}

/* ---- the walk ---- */

/* Until nu has fallen to `nu` or the sum has grown to R, whatever comes first. */
static bool go_on(gpis_homotopy *h, double nu, double R) {
    while (!h->lost) {
        const double to_sum = h->growth > 0.0 ? fmax(0.0, R - h->sum) / h->growth : INFINITY;
        event next = {fmin(h->nu - nu, to_sum), -1, AT_ZERO};
        consider_free(h, &next);
        consider_fixed(h, &next);
        if (!isfinite(next.t)) h->lost = true;
        if (!h->lost) move(h, next.t);
        if (next.j < 0) break;
        change(h, &next);
    }
    return !h->lost;
}

bool gpis_homotopy_go_to_nu(gpis_homotopy *h, double nu) { return nu >= h->nu ? !h->lost : go_on(h, nu, INFINITY); }

bool gpis_homotopy_go_to_sum(gpis_homotopy *h, double R) { return go_on(h, 0.0, R); }

static double weighted_sum(const gpis_homotopy *h) {
    double sum = 0.0;
    for (int64_t j = 0; j < h->terms.d; j++) sum += h->terms.weight[j] * fabs(h->x[j]);
    return sum;
}

/* The face's minimum is at x_F - H_FF^-1 (G + nu w s)_F. With the sum held, nu + u takes the place of nu, where u v
 * makes up for what that step does to the sum. */
void gpis_homotopy_correct(gpis_homotopy *h, const double *G, bool hold_sum, double R) {
    const gpis_block_factor *f = h->factor;
    double *step = h->q, change_of_sum = 0.0; /* q is found again below */
    memcpy(h->G, G, (size_t)h->terms.d * sizeof *G);
    for (int64_t i = 0; i < f->count; i++) {
        const int64_t j = f->index[i];
        step[i] = -(G[j] + h->nu * h->terms.weight[j] * sign_of(h, j));
    }
    gpis_block_factor_solve(f, step);
    for (int64_t i = 0; i < f->count; i++)
        change_of_sum += h->terms.weight[f->index[i]] * sign_of(h, f->index[i]) * step[i];
    const double missing = R - weighted_sum(h) - change_of_sum;
    const double t = hold_sum && h->growth > 0.0 ? missing / h->growth : 0.0;
    for (int64_t i = 0; i < f->count; i++) step[i] += t * h->v[i], h->x[f->index[i]] += step[i];
    add_rows(h->terms.H, h->terms.d, f->index, step, f->count, h->G);
    h->nu = fmax(0.0, h->nu - t);
    h->sum = weighted_sum(h);
    find_direction(h);
}

/* ---- the start ---- */

bool gpis_homotopy_suits(const gpis_homotopy_terms *terms) {
    for (int64_t j = 0; j < terms->d; j++) {
        if (!(terms->lo[j] <= 0.0 && terms->hi[j] >= 0.0)) return false;
        if (!(terms->weight[j] > 0.0) && !(isinf(terms->lo[j]) && isinf(terms->hi[j]))) return false;
    }
    return true;
}

/* Entries without a weight at their minimum, the others at 0, and the nu at which the first of these leaves it. */
static void begin(gpis_homotopy *h) {
    const gpis_homotopy_terms *terms = &h->terms;
    gpis_block_factor *f = h->factor;
    for (int64_t j = 0; j < terms->d; j++) {
        h->G[j] = -terms->b[j];
        h->state[j] = AT_ZERO;
        if (terms->weight[j] > 0.0) continue;
        h->state[j] = UNWEIGHTED;
        gpis_block_factor_add(f, j); /* a column that depends on others has x_j = 0 */
    }
    for (int64_t i = 0; i < f->count; i++) h->v[i] = terms->b[f->index[i]];
    gpis_block_factor_solve(f, h->v);
    for (int64_t i = 0; i < f->count; i++) h->x[f->index[i]] = h->v[i];
    add_rows(terms->H, terms->d, f->index, h->v, f->count, h->G);
    for (int64_t j = 0; j < terms->d; j++) {
        if (!(terms->weight[j] > 0.0)) continue;
        if (terms->hi[j] > 0.0) h->nu = fmax(h->nu, -h->G[j] / terms->weight[j]);
        if (terms->lo[j] < 0.0) h->nu = fmax(h->nu, h->G[j] / terms->weight[j]);
    }
    find_direction(h);
}

gpis_status gpis_homotopy_create(gpis_context *context, const gpis_homotopy_terms *terms, gpis_homotopy **out) {
    const int64_t d = terms->d;
    gpis_homotopy *h = *out = gpis_alloc_zero(context, 1, sizeof *h);
    if (!h) return GPIS_NO_MEMORY;
    h->context = context;
    h->terms = *terms;
    h->state = gpis_alloc_zero(context, d, sizeof *h->state);
    h->x = gpis_alloc_zero(context, d, sizeof *h->x);
    h->G = gpis_alloc(context, d, sizeof *h->G);
    h->v = gpis_alloc(context, d, sizeof *h->v);
    h->q = gpis_alloc(context, d, sizeof *h->q);
    const gpis_status status = gpis_block_factor_create(context, d, terms->H, &h->factor);
    if (!h->state || !h->x || !h->G || !h->v || !h->q) return GPIS_NO_MEMORY;
    if (status == GPIS_OK) begin(h);
    return status;
}

void gpis_homotopy_destroy(gpis_homotopy *h) {
    if (!h) return;
    gpis_block_factor_destroy(h->factor);
    gpis_free(h->context, h->state);
    gpis_free(h->context, h->x);
    gpis_free(h->context, h->G);
    gpis_free(h->context, h->v);
    gpis_free(h->context, h->q);
    gpis_free(h->context, h);
}
