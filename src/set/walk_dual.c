/*
 * The dual method: from the minimum of a face, whose multipliers have the right signs, to that of the problem. The
 * worst broken constraint q is taken in by raising its multiplier tau from 0, while
 *
 *     H_FF dx + b + N'dual = 0,    N dx = 0,    b the normal of q, directed outwards,
 *
 * until q is met or the multiplier of another constraint would change its sign, which is then dropped.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "set/walk.h"

/* The constraint that is taken in: entry j is j, row i is d + i, sum k is d + rows + k. */
typedef struct wanted {
    int64_t q;
    int side;       /* 1: too large, -1: too small */
    double outside; /* how far, >= 0 */
    double tau;     /* its multiplier so far */
} wanted;

/* ---- which constraint ---- */

static void prefer(wanted *best, double *worst, int64_t q, double outside, double unit) {
    const double measure = fabs(outside) / fmax(unit, DBL_MIN);
    if (outside == 0.0 || !(measure > *worst)) return;
    *worst = measure;
    *best = (wanted){q, outside > 0.0 ? 1 : -1, fabs(outside), 0.0};
}

/* The constraint that is broken most, in units of the entries; q = -1: none is. */
static wanted find_broken(const gpis_walk *w) {
    wanted best = {.q = -1};
    double worst = 0.0;
    for (int64_t j = 0; j < w->d; j++) prefer(&best, &worst, j, gpis_walk_entry_outside(w, j), gpis_walk_unit(w, j));
    for (int64_t i = 0; i < w->rows; i++)
        if (w->side[i] == 0) prefer(&best, &worst, w->d + i, gpis_walk_row_outside(w, i), w->row_unit[i]);
    for (int64_t k = 0; k < w->sums; k++) {
        const int64_t c = w->rows + k;
        if (!w->tight[k]) prefer(&best, &worst, w->d + c, gpis_walk_sum_outside(w, k), w->row_unit[c]);
    }
    return best;
}

/* ---- the direction ---- */

/* The signs of the entries in a sum that is about to become tight. It is in the list only when it has been met. */
static void open_sum(gpis_walk *w, const wanted *v) {
    const int64_t c = v->q - w->d;
    if (c < w->rows) return;
    gpis_walk_take_sum(w, c - w->rows);
    w->count--;
}

/* b: the normal of q, directed outwards. */
static void find_normal(gpis_walk *w, const wanted *v) {
    memset(w->b, 0, (size_t)w->d * sizeof *w->b);
    if (v->q < w->d)
        w->b[v->q] = v->side;
    else
        gpis_walk_add_normal(w, v->q - w->d, v->side, w->b);
}

/* Row i adds -rate c_i to the change of t; `size` is that of the terms of the rate. */
static void change_by_row(gpis_walk *w, int64_t i, double rate, double size) {
    const gpis_polyhedron *p = w->p;
    for (int64_t e = p->first[i]; e < p->first[i + 1]; e++) {
        w->dt[p->column[e]] -= rate * p->value[e];
        w->dt_size[p->column[e]] += size * fabs(p->value[e]);
    }
}

/* Sum k adds rate w_k to the change of kappa. */
static void change_by_sum(gpis_walk *w, int64_t k, double rate, double size) {
    const double *weight = w->p->weight + k * w->d;
    for (int64_t j = 0; j < w->d; j++) {
        w->dkappa[j] += rate * weight[j];
        w->dt_size[j] += size * weight[j];
    }
}

/* The largest change of a multiplier of the list, in units. Rounding errors of the others are shares of it. */
static double most_dual(const gpis_walk *w) {
    double most = 0.0;
    for (int64_t i = 0; i < w->count; i++) most = fmax(most, fabs(w->dual[i]) * w->row_unit[w->list[i]]);
    return most;
}

/* The change of t and kappa with tau, and the sizes of the terms that it is made of: where the normal of q depends on
 * those of the working set, they cancel. */
static void find_changes(gpis_walk *w, const wanted *v) {
    const int64_t own = v->q - w->d;
    const double most = most_dual(w);
    w->metric.apply(w->metric.user, w->step, w->Hp);
    w->products++;
    for (int64_t j = 0; j < w->d; j++) {
        w->dt[j] = -w->Hp[j];
        w->dt_size[j] = fabs(w->Hp[j]);
        w->dkappa[j] = 0.0;
    }
    for (int64_t i = 0; i <= w->count; i++) {
        const int64_t c = i < w->count ? w->list[i] : own;
        const double rate = i < w->count ? w->dual[i] : c < w->rows ? v->side : 1.0;
        const double size = i < w->count ? most / fmax(w->row_unit[c], DBL_MIN) : 1.0;
        if (c >= w->rows)
            change_by_sum(w, c - w->rows, rate, size);
        else if (c >= 0)
            change_by_row(w, c, rate, size);
    }
}

/* ---- how far ---- */

/* The first constraint whose multiplier would change its sign: a held entry, or one of the list. */
typedef struct blocker {
    double tau;    /* how far tau can rise; infinite: for ever */
    double speed;  /* how fast that multiplier falls, in units: of several the fastest is dropped */
    int64_t entry; /* -1: list[at] */
    int64_t at;
    double leaving; /* the side to which an entry leaves 0 */
} blocker;

static void block(blocker *first, double wrong, double rate, double unit, int64_t entry, int64_t at, double leaving) {
    const double until = fmax(0.0, -wrong) / rate, speed = rate * unit;
    const double near = 1e-12 * fabs(first->tau);
    if (until > first->tau + near || (until >= first->tau - near && speed <= first->speed)) return;
    *first = (blocker){until, speed, entry, at, leaving};
}

/* What rounding makes of a rate that should be 0. */
static double rate_noise(const gpis_walk *w, int64_t j, double moved) {
    return 64.0 * DBL_EPSILON * (moved / gpis_walk_unit(w, j) + w->dt_size[j]);
}

static void block_entries(const gpis_walk *w, blocker *first) {
    double moved = 0.0;
    for (int64_t j = 0; j < w->d; j++) moved += fabs(w->step[j]) / gpis_walk_unit(w, j);
    for (int64_t j = 0; j < w->d; j++) {
        const double noise = rate_noise(w, j, moved), unit = gpis_walk_unit(w, j);
        if (w->held[j] == GPIS_FREE || !(w->of.lo[j] < w->of.hi[j])) continue;
        if (w->held[j] == GPIS_AT_ZERO) {
            for (double leaving = -1.0; leaving <= 1.0; leaving += 2.0) {
                const double rate = leaving * w->dt[j] - w->dkappa[j];
                if (rate > noise) block(first, leaving * w->t[j] - w->kappa[j], rate, unit, j, -1, leaving);
            }
            continue;
        }
        const double outward = w->held[j] == GPIS_AT_LO ? 1.0 : -1.0;
        const double rate = outward * (w->dt[j] - w->sign[j] * w->dkappa[j]);
        if (rate > noise) block(first, gpis_walk_entry_wrong(w, j), rate, unit, j, -1, 0.0);
    }
}

static void block_list(const gpis_walk *w, blocker *first) {
    const double most = most_dual(w);
    for (int64_t i = 0; i < w->count; i++) {
        const int64_t c = w->list[i];
        const double wrong = gpis_walk_normal_wrong(w, c);
        const double rate = c < w->rows ? -w->side[c] * w->dual[i] : -w->dual[i];
        if (isfinite(wrong) && rate * w->row_unit[c] > 64.0 * DBL_EPSILON * most)
            block(first, wrong, rate, 1.0 / fmax(w->row_unit[c], DBL_MIN), -1, i, 0.0);
    }
}

/* Whether q is that a free entry has the sign that it counts with. */
static bool is_at_kink(const gpis_walk *w, const wanted *v) {
    return v->q < w->d && w->kinks[v->q] > 0 && w->sign[v->q] * v->side < 0.0;
}

/* At 0 the multiplier of an entry reaches from -kappa to kappa: where tau is 2 kappa, it leaves 0 on the other side. */
static void block_own(const gpis_walk *w, const wanted *v, blocker *first) {
    if (!is_at_kink(w, v)) return;
    const double rate = 1.0 - 2.0 * w->dkappa[v->q];
    if (rate > 64.0 * DBL_EPSILON * (1.0 + fabs(w->dkappa[v->q])))
        block(first, v->tau - 2.0 * w->kappa[v->q], rate, gpis_walk_unit(w, v->q), v->q, -1, 0.0);
}

/* ---- steps ---- */

static void advance(gpis_walk *w, wanted *v, double step) {
    for (int64_t j = 0; j < w->d; j++) {
        w->x[j] += step * w->step[j];
        w->G[j] += step * w->Hp[j];
        w->t[j] += step * w->dt[j];
        w->kappa[j] += step * w->dkappa[j];
    }
    for (int64_t i = 0; i < w->count; i++) {
        const int64_t c = w->list[i];
        *(c < w->rows ? &w->y[c] : &w->nu[c - w->rows]) += step * w->dual[i];
    }
    v->tau += step;
    const int64_t own = v->q - w->d;
    if (own >= 0) *(own < w->rows ? &w->y[own] : &w->nu[own - w->rows]) = own < w->rows ? v->side * v->tau : v->tau;
}

static void drop_blocker(gpis_walk *w, const blocker *b) {
    if (b->entry < 0) {
        gpis_walk_drop(w, b->at);
        return;
    }
    const bool zero = w->held[b->entry] == GPIS_AT_ZERO;
    gpis_walk_free_entry(w, b->entry);
    if (zero) w->sign[b->entry] = b->leaving;
}

/* Entry q counts with the other sign from now on, with the multiplier that it has. A sum that it is in lacks something
 * then: it leaves the list, and goes on as q with its own multiplier. Returns false if there are several of them. */
static bool change_sign(gpis_walk *w, wanted *v) {
    const int64_t j = v->q;
    int64_t at = -1;
    bool several = false;
    w->sign[j] = -w->sign[j];
    v->q = -1;
    for (int64_t i = 0; i < w->count; i++) {
        const int64_t k = w->list[i] - w->rows;
        if (k < 0 || !(w->p->weight[k * w->d + j] > 0.0)) continue;
        several = at >= 0;
        at = i;
    }
    if (at < 0 || several) return !several;
    const int64_t c = w->list[at];
    for (int64_t i = at; i + 1 < w->count; i++) w->list[i] = w->list[i + 1];
    w->count--;
    *v = (wanted){w->d + c, 1, 0.0, w->nu[c - w->rows]};
    return true;
}

/* q is met. */
static void take_in(gpis_walk *w, const wanted *v) {
    if (v->q < w->d)
        gpis_walk_hold(w, v->q, v->side > 0);
    else if (v->q < w->d + w->rows)
        gpis_walk_take_row(w, v->q - w->d, v->side);
    else
        w->list[w->count++] = v->q - w->d;
}

/* How far q is outside now, along its normal. */
static double still_outside(const gpis_walk *w, const wanted *v) {
    double size, lo, hi;
    if (v->q < w->d) {
        gpis_walk_piece(w, v->q, &lo, &hi);
        return v->side > 0 ? w->x[v->q] - hi : lo - w->x[v->q];
    }
    const int64_t c = v->q - w->d;
    if (c >= w->rows) return gpis_walk_sum_value(w, c - w->rows, &size) - w->of.R[c - w->rows];
    const double value = gpis_walk_row_value(w, c, w->x, &size);
    return v->side > 0 ? value - w->of.upper[c] : w->of.lower[c] - value;
}

/* Whether what q lacks is more than rounding: of its own terms, or of x. */
static bool is_serious(const gpis_walk *w, const wanted *v) {
    static const double ROUNDING = 1e-11, GRAINS = 1e4;
    double size = 0.0;
    const int64_t c = v->q - w->d;
    if (c >= w->rows)
        gpis_walk_sum_value(w, c - w->rows, &size);
    else if (c >= 0)
        gpis_walk_row_value(w, c, w->x, &size);
    const double unit = c >= 0 ? w->row_unit[c] : gpis_walk_unit(w, v->q);
    return still_outside(w, v) > ROUNDING * size + GRAINS * w->grain * unit;
}

/* How far tau can rise: until q is met (then *met), or until another constraint has to be dropped. */
static double find_reach(gpis_walk *w, const wanted *v, blocker *first, bool *met) {
    find_normal(w, v);
    const double slope = gpis_walk_find_direction(w); /* of the normal times x, downwards */
    find_changes(w, v);
    const double outside = still_outside(w, v);
    const double full = slope > 0.0 ? fmax(0.0, outside) / slope : outside <= 0.0 ? 0.0 : INFINITY;
    *first = (blocker){INFINITY, 0.0, -1, -1, 0.0};
    block_entries(w, first);
    block_list(w, first);
    block_own(w, v, first);
    *met = full <= first->tau;
    return fmin(full, first->tau);
}

/* No x meets q and the working set: unless q lacks only rounding, and is ignored. */
static gpis_walk_end end_empty(gpis_walk *w, const wanted *v, bool *ignored) {
    *ignored = w->ignored[v->q] = !is_serious(w, v);
    w->conflict = v->q;
    w->conflict_side = v->side;
    return *ignored ? GPIS_WALK_SOLVED : GPIS_WALK_EMPTY;
}

/* Raises tau until q is met. *ignored: q depends on others and lacks no more than rounding. */
static gpis_walk_end raise_tau(gpis_walk *w, wanted *v, int64_t *left, bool *ignored) {
    *ignored = false;
    while ((*left)-- > 0) { /* a step that meets q counts, too: rounding may break q again at once */
        bool changed = false, met;
        blocker first;
        const double step = find_reach(w, v, &first, &met);
        if (isinf(step)) return end_empty(w, v, ignored);
        advance(w, v, step);
        if (met)
            take_in(w, v);
        else if (first.entry == v->q && first.entry >= 0)
            changed = !change_sign(w, v);
        else
            drop_blocker(w, &first);
        if (changed || !gpis_walk_factor(w, &changed) || changed) return GPIS_WALK_LOST;
        if (met || v->q < 0) return GPIS_WALK_SOLVED;
    }
    return GPIS_WALK_LOST;
}

/* The same, with a sum that is open only meanwhile, unless it is met. */
static gpis_walk_end take(gpis_walk *w, wanted *v, int64_t *left, bool *ignored) {
    open_sum(w, v);
    const gpis_walk_end end = raise_tau(w, v, left, ignored);
    const int64_t own = v->q - w->d;
    if (own >= w->rows && w->tight[own - w->rows] && (w->count == 0 || w->list[w->count - 1] != own)) {
        w->list[w->count++] = own;
        gpis_walk_drop(w, w->count - 1);
    }
    return end;
}

/* Back to the minimum of the face, without the multiplier of a constraint that is ignored. */
static bool restore_after(gpis_walk *w) {
    bool changed = false;
    if (!gpis_walk_factor(w, &changed) || changed) return false;
    gpis_walk_find_step(w);
    for (int64_t j = 0; j < w->d; j++) w->x[j] += w->step[j];
    gpis_walk_evaluate(w);
    gpis_walk_find_duals(w);
    return true;
}

gpis_walk_end gpis_walk_dual(gpis_walk *w, int64_t most) {
    gpis_walk_end end = GPIS_WALK_SOLVED;
    bool ignored;
    for (int64_t left = most; end == GPIS_WALK_SOLVED;) {
        gpis_walk_find_grain(w);
        wanted v = find_broken(w);
        if (v.q < 0) break;
        end = take(w, &v, &left, &ignored);
        if (ignored && !restore_after(w)) return GPIS_WALK_LOST;
    }
    return end;
}
