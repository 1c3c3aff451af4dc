/* The face that a point is on, and what is wrong there. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "set/walk.h"

static double side_of(const gpis_walk *w, int64_t j) { return w->of.side ? w->of.side[j] : 0.0; }

/* |x_j| has its kink inside the bounds. */
static bool can_kink(const gpis_walk *w, int64_t j) {
    return side_of(w, j) == 0.0 && w->of.lo[j] < 0.0 && w->of.hi[j] > 0.0;
}

static void find_sign(gpis_walk *w, int64_t j) {
    const double side = side_of(w, j), lo = w->of.lo[j], hi = w->of.hi[j];
    if (side != 0.0)
        w->sign[j] = side;
    else if (lo >= 0.0 || hi <= 0.0)
        w->sign[j] = lo >= 0.0 ? 1.0 : -1.0;
    else
        w->sign[j] = w->x[j] < 0.0 ? -1.0 : 1.0;
}

static void find_kinks(gpis_walk *w) {
    for (int64_t j = 0; j < w->d; j++) w->kinks[j] = can_kink(w, j) && gpis_walk_lambda(w, j) > 0.0;
    for (int64_t k = 0; k < w->sums; k++)
        for (int64_t j = 0; w->tight[k] && j < w->d; j++)
            w->kinks[j] += w->p->weight[k * w->d + j] > 0.0 && can_kink(w, j);
}

static void read_entry(gpis_walk *w, int64_t j) {
    const double lo = w->of.lo[j], hi = w->of.hi[j];
    w->held[j] = GPIS_FREE;
    if (w->x[j] <= lo)
        w->held[j] = GPIS_AT_LO, w->x[j] = lo;
    else if (w->x[j] >= hi)
        w->held[j] = GPIS_AT_HI, w->x[j] = hi;
    else if (w->kinks[j] > 0 && w->x[j] == 0.0)
        w->held[j] = GPIS_AT_ZERO;
    find_sign(w, j);
}

void gpis_walk_read(gpis_walk *w) {
    static const double NEAR = 1e-13;
    double size;
    w->count = 0;
    memset(w->y, 0, (size_t)w->rows * sizeof *w->y);
    memset(w->nu, 0, (size_t)w->sums * sizeof *w->nu);
    for (int64_t j = 0; j < w->d; j++) {
        w->held[j] = GPIS_FREE;
        find_sign(w, j);
    }
    for (int64_t i = 0; i < w->rows; i++) {
        const double value = gpis_walk_row_value(w, i, w->x, &size), lower = w->of.lower[i], upper = w->of.upper[i];
        w->side[i] = 0;
        if (value >= upper - NEAR * (size + fabs(upper)))
            gpis_walk_take_row(w, i, 1);
        else if (value <= lower + NEAR * (size + fabs(lower)))
            gpis_walk_take_row(w, i, -1);
    }
    for (int64_t k = 0; k < w->sums; k++) {
        w->tight[k] = gpis_walk_sum_value(w, k, &size) >= w->of.R[k] * (1.0 - NEAR);
        if (w->tight[k]) w->list[w->count++] = w->rows + k;
    }
    find_kinks(w);
    for (int64_t j = 0; j < w->d; j++) read_entry(w, j);
}

void gpis_walk_piece(const gpis_walk *w, int64_t j, double *lo, double *hi) {
    const bool kinked = w->kinks[j] > 0;
    *lo = kinked && w->sign[j] > 0.0 ? fmax(w->of.lo[j], 0.0) : w->of.lo[j];
    *hi = kinked && w->sign[j] < 0.0 ? fmin(w->of.hi[j], 0.0) : w->of.hi[j];
}

/* ---- changes of the face ---- */

void gpis_walk_hold(gpis_walk *w, int64_t j, bool upper) {
    double lo, hi;
    gpis_walk_piece(w, j, &lo, &hi);
    w->x[j] = upper ? hi : lo;
    if (w->x[j] == w->of.lo[j])
        w->held[j] = GPIS_AT_LO;
    else if (w->x[j] == w->of.hi[j])
        w->held[j] = GPIS_AT_HI;
    else
        w->held[j] = GPIS_AT_ZERO;
    find_sign(w, j);
}

/* From 0 the entry leaves to the side that its multiplier t asks for. */
void gpis_walk_free_entry(gpis_walk *w, int64_t j) {
    if (w->held[j] == GPIS_AT_ZERO) w->sign[j] = w->t[j] < 0.0 ? -1.0 : 1.0;
    w->held[j] = GPIS_FREE;
}

void gpis_walk_take_row(gpis_walk *w, int64_t i, int side) {
    w->side[i] = side;
    w->list[w->count++] = i;
}

/* Entries without a kink so far get the sign that they have. */
void gpis_walk_take_sum(gpis_walk *w, int64_t k) {
    const double *weight = w->p->weight + k * w->d;
    w->tight[k] = true;
    w->list[w->count++] = w->rows + k;
    for (int64_t j = 0; j < w->d; j++) {
        if (!(weight[j] > 0.0) || !can_kink(w, j)) continue;
        if (w->kinks[j] == 0 && w->held[j] == GPIS_FREE) find_sign(w, j);
        w->kinks[j]++;
    }
}

/* Entries that are held at 0 by nothing any more are free. */
static void leave_sum(gpis_walk *w, int64_t k) {
    const double *weight = w->p->weight + k * w->d;
    w->tight[k] = false;
    w->nu[k] = 0.0;
    for (int64_t j = 0; j < w->d; j++) {
        if (!(weight[j] > 0.0) || !can_kink(w, j)) continue;
        w->kinks[j]--;
        if (w->kinks[j] == 0 && w->held[j] == GPIS_AT_ZERO) w->held[j] = GPIS_FREE;
    }
}

void gpis_walk_drop(gpis_walk *w, int64_t at) {
    const int64_t c = w->list[at];
    for (int64_t i = at; i + 1 < w->count; i++) w->list[i] = w->list[i + 1];
    w->count--;
    if (c < w->rows)
        w->side[c] = 0, w->y[c] = 0.0;
    else
        leave_sum(w, c - w->rows);
}

/* ---- what is wrong ---- */

double gpis_walk_entry_outside(const gpis_walk *w, int64_t j) {
    double lo, hi;
    if (w->held[j] != GPIS_FREE || w->ignored[j]) return 0.0;
    gpis_walk_piece(w, j, &lo, &hi);
    const double outside = w->x[j] < lo ? w->x[j] - lo : w->x[j] > hi ? w->x[j] - hi : 0.0;
    return fabs(outside) > w->grain * gpis_walk_unit(w, j) ? outside : 0.0;
}

/* A few units in the last place of its terms are allowed. */
static const double ROUNDINGS = 8.0 * DBL_EPSILON;

double gpis_walk_row_outside(const gpis_walk *w, int64_t i) {
    double size;
    const double value = gpis_walk_row_value(w, i, w->x, &size), lower = w->of.lower[i], upper = w->of.upper[i];
    const double more = w->allowance * w->grain * w->row_unit[i];
    if (w->ignored[w->d + i]) return 0.0;
    if (value > upper + ROUNDINGS * (size + fabs(upper)) + more) return value - upper;
    if (value < lower - ROUNDINGS * (size + fabs(lower)) - more) return value - lower;
    return 0.0;
}

/* With the signs that the entries would have in the sum. */
double gpis_walk_sum_outside(const gpis_walk *w, int64_t k) {
    const double *weight = w->p->weight + k * w->d, R = w->of.R[k];
    double sum = 0.0, size = 0.0;
    for (int64_t j = 0; j < w->d; j++) {
        const double term = weight[j] * w->x[j];
        const bool fixed = !can_kink(w, j) || (w->kinks[j] > 0 && w->held[j] == GPIS_FREE);
        sum += fixed ? w->sign[j] * term : fabs(term);
        size += fabs(term);
    }
    const double more = w->allowance * w->grain * w->row_unit[w->rows + k];
    if (w->ignored[w->d + w->rows + k]) return 0.0;
    return sum > R + ROUNDINGS * (size + R) + more ? sum - R : 0.0;
}

double gpis_walk_entry_wrong(const gpis_walk *w, int64_t j) {
    if (w->held[j] == GPIS_AT_ZERO) return fabs(w->t[j]) - w->kappa[j];
    if (w->held[j] == GPIS_FREE || !(w->of.lo[j] < w->of.hi[j])) return -INFINITY;
    const double excess = w->t[j] - w->sign[j] * w->kappa[j];
    return w->held[j] == GPIS_AT_LO ? excess : -excess;
}

double gpis_walk_normal_wrong(const gpis_walk *w, int64_t c) {
    if (c >= w->rows) return -w->nu[c - w->rows];
    return w->of.lower[c] == w->of.upper[c] ? -INFINITY : -w->side[c] * w->y[c];
}

/* The rounding error of an entry of G in units of the entries, without that of g: products with H of x - c, and the
 * rounding of x itself. */
double gpis_walk_rounding(const gpis_walk *w) {
    double sum = 0.0;
    for (int64_t j = 0; j < w->d; j++) sum += (4.0 * fabs(w->x[j] - w->c[j]) + fabs(w->x[j])) / gpis_walk_unit(w, j);
    return DBL_EPSILON * sum;
}

double gpis_walk_entry_noise(const gpis_walk *w, int64_t j, double products) {
    const double terms = (w->g ? fabs(w->g[j]) : 0.0) + fabs(w->t[j]) + w->kappa[j] + fabs(w->G[j]);
    return products / gpis_walk_unit(w, j) + 4.0 * DBL_EPSILON * terms;
}

double gpis_walk_normal_noise(const gpis_walk *w, int64_t c, double products) {
    const double y = fabs(c < w->rows ? w->y[c] : w->nu[c - w->rows]);
    return products / fmax(w->row_unit[c], DBL_MIN) + 4.0 * DBL_EPSILON * y;
}
