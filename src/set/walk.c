/* The active-set method for a polyhedron: block pivoting, then the dual method, then the last digits. */
#include "set/walk.h"

#include <math.h>
#include <string.h>

#include "linalg/accurate.h"

enum { PANEL = 32 };

/* ---- memory ---- */

gpis_status gpis_walk_create(gpis_context *context, const gpis_polyhedron *p, gpis_walk **out) {
    const int64_t d = p->d, normals = p->rows + p->sums;
    gpis_walk *w = *out = gpis_alloc_zero(context, 1, sizeof *w);
    if (!w) return GPIS_NO_MEMORY;
    w->context = context;
    w->p = p;
    w->d = d;
    w->rows = p->rows;
    w->sums = p->sums;
    double **vectors[] = {&w->x,  &w->G,    &w->sign, &w->kappa, &w->t,      &w->a,      &w->p_free,
                          &w->Hp, &w->step, &w->b,    &w->dt,    &w->dkappa, &w->dt_size};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!(*vectors[i] = gpis_alloc_zero(context, d, sizeof(double)))) return GPIS_NO_MEMORY;
    double **others[] = {&w->tau, &w->row_unit, &w->missing, &w->dual};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!(*others[i] = gpis_alloc_zero(context, normals, sizeof(double)))) return GPIS_NO_MEMORY;
    w->y = gpis_alloc_zero(context, w->rows, sizeof(double));
    w->nu = gpis_alloc_zero(context, w->sums, sizeof(double));
    w->side = gpis_alloc_zero(context, w->rows, sizeof *w->side);
    w->tight = gpis_alloc_zero(context, w->sums, sizeof *w->tight);
    w->list = gpis_alloc(context, normals + 1, sizeof *w->list);
    w->factored.list = gpis_alloc(context, normals + 1, sizeof *w->factored.list);
    w->factored.member = gpis_alloc(context, d, sizeof *w->factored.member);
    w->factored.sign = gpis_alloc(context, d, sizeof *w->factored.sign);
    w->ignored = gpis_alloc_zero(context, d + normals, sizeof *w->ignored);
    w->held = gpis_alloc_zero(context, d, sizeof *w->held);
    w->kinks = gpis_alloc_zero(context, d, sizeof *w->kinks);
    w->member = gpis_alloc(context, d, sizeof *w->member);
    w->position = gpis_alloc(context, d, sizeof *w->position);
    w->identity = gpis_alloc(context, d, sizeof *w->identity);
    w->V = gpis_alloc(context, d * normals, sizeof(double));
    w->panel = gpis_alloc(context, PANEL * (normals + 1), sizeof(double));
    const bool all = w->ignored && w->y && w->nu && w->side && w->tight && w->list && w->held && w->kinks &&
                     w->factored.list && w->factored.member && w->factored.sign && w->member && w->position &&
                     w->identity && w->V && w->panel;
    return all ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_walk_destroy(gpis_walk *w) {
    if (!w) return;
    void *const all[] = {w->ignored,
                         w->x,
                         w->G,
                         w->sign,
                         w->kappa,
                         w->t,
                         w->a,
                         w->p_free,
                         w->Hp,
                         w->step,
                         w->b,
                         w->dt,
                         w->dkappa,
                         w->dt_size,
                         w->tau,
                         w->row_unit,
                         w->missing,
                         w->dual,
                         w->y,
                         w->nu,
                         w->side,
                         w->tight,
                         w->list,
                         w->held,
                         w->kinks,
                         w->member,
                         w->position,
                         w->identity,
                         w->V,
                         w->panel,
                         w->factored.list,
                         w->factored.member,
                         w->factored.sign};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gpis_free(w->context, all[i]);
    gpis_free(w->context, w);
}

double gpis_walk_memory(const gpis_polyhedron *p) {
    const double d = (double)p->d, normals = (double)(p->rows + p->sums);
    return 8.0 * (d * normals + 23.0 * d + (PANEL + 9.0) * (normals + 1.0)) + 8192.0;
}

gpis_limits gpis_walk_limits(const gpis_polyhedron *p, const double *penalty) {
    return (gpis_limits){p->lo, p->hi, p->lower, p->upper, p->R, penalty, NULL};
}

/* ---- H = I ---- */

/* A walk that is stopped ends as one that finds no factor does. */
static int64_t factor_identity(void *user, const bool *member, const int64_t **order, bool *changed) {
    gpis_walk *w = user;
    int64_t count = 0;
    (void)changed;
    if (gpis_is_stopped(w->stop)) return -1;
    for (int64_t j = 0; j < w->d; j++)
        if (member[j]) w->identity[count++] = j;
    *order = w->identity;
    return count;
}

static void whiten_identity(void *user, int64_t count, double *V) { (void)user, (void)count, (void)V; }
static void unwhiten_identity(void *user, double *v) { (void)user, (void)v; }
static void apply_identity(void *user, const double *v, double *Hv) {
    memcpy(Hv, v, (size_t)((gpis_walk *)user)->d * sizeof *Hv);
}

gpis_metric gpis_walk_identity(gpis_walk *w) {
    return (gpis_metric){w, NULL, factor_identity, whiten_identity, unwhiten_identity, apply_identity};
}

/* ---- block pivoting ---- */

/* x moves to the minimum of the face. False: there is no factor, or x is not finite. */
static bool go_to_minimum(gpis_walk *w) {
    bool changed = false;
    if (!gpis_walk_factor(w, &changed)) return false;
    if (changed) gpis_walk_evaluate(w);
    gpis_walk_find_step(w);
    for (int64_t j = 0; j < w->d; j++) w->x[j] += w->step[j];
    if (!gpis_all_finite(w->x, w->d)) return false;
    gpis_walk_evaluate(w);
    gpis_walk_find_duals(w);
    return true;
}

/* The worst multiplier with a wrong sign, in units of the entries. */
static double worst_wrong(const gpis_walk *w) {
    double most = 0.0;
    for (int64_t j = 0; j < w->d; j++) most = fmax(most, gpis_walk_entry_wrong(w, j) * gpis_walk_unit(w, j));
    for (int64_t i = 0; i < w->count; i++)
        most = fmax(most, gpis_walk_normal_wrong(w, w->list[i]) * w->row_unit[w->list[i]]);
    return most;
}

/* Lets go what has a wrong multiplier, of at least `share` of the worst. Returns how many there are. */
static int64_t let_go(gpis_walk *w, double share) {
    const double products = gpis_walk_rounding(w), least = share * worst_wrong(w);
    int64_t count = 0;
    for (int64_t j = 0; j < w->d; j++) {
        const double wrong = gpis_walk_entry_wrong(w, j);
        if (!(wrong > gpis_walk_entry_noise(w, j, products))) continue;
        count++;
        if (wrong * gpis_walk_unit(w, j) >= least) gpis_walk_free_entry(w, j);
    }
    for (int64_t i = w->count - 1; i >= 0; i--) {
        const int64_t c = w->list[i];
        const double wrong = gpis_walk_normal_wrong(w, c);
        if (!(wrong > gpis_walk_normal_noise(w, c, products))) continue;
        count++;
        if (wrong * w->row_unit[c] >= least) gpis_walk_drop(w, i);
    }
    return count;
}

/* How far the entry that has left its piece most is outside, in units. */
static double worst_outside(const gpis_walk *w) {
    double most = 0.0;
    for (int64_t j = 0; j < w->d; j++) most = fmax(most, fabs(gpis_walk_entry_outside(w, j)) / gpis_walk_unit(w, j));
    return most;
}

/* Takes rows and sums that are broken, and holds entries that are outside by at least `share` of the worst. Returns how
 * many are broken or outside. Entries that are held move to their bounds, and G with them: the next step begins there.
 */
static int64_t take_broken(gpis_walk *w, double share) {
    int64_t count = 0, outside_count = 0, held = 0;
    for (int64_t k = 0; k < w->sums; k++)
        if (!w->tight[k] && gpis_walk_sum_outside(w, k) > 0.0) gpis_walk_take_sum(w, k), count++;
    const double least = share * worst_outside(w);
    for (int64_t j = 0; j < w->d; j++) {
        const double outside = gpis_walk_entry_outside(w, j);
        outside_count += outside != 0.0;
        if (outside == 0.0 || fabs(outside) / gpis_walk_unit(w, j) < least) continue;
        gpis_walk_hold(w, j, outside > 0.0);
        held++;
    }
    if (held > 0) gpis_walk_evaluate(w);
    for (int64_t i = 0; i < w->rows; i++) {
        const double outside = w->side[i] == 0 ? gpis_walk_row_outside(w, i) : 0.0;
        if (outside != 0.0) gpis_walk_take_row(w, i, outside > 0.0 ? 1 : -1), count++;
    }
    return count + outside_count;
}

/* What changes after a step that has left as much wrong as before, as shares of the worst: what all changes at once may
 * undo each other. */
typedef struct damping {
    double let_go, hold;
} damping;

/* Returns whether nothing is wrong any more. */
static bool pivot(gpis_walk *w, damping after) {
    enum { PATIENCE = 8 };
    int64_t least = INT64_MAX;
    for (int tries = 0; tries < PATIENCE;) {
        if (!go_to_minimum(w)) return false;
        const damping now = tries > 0 ? after : (damping){0.0, 0.0};
        const int64_t wrong = let_go(w, now.let_go), count = wrong + take_broken(w, now.hold);
        if (count == 0) return true;
        tries = count < least ? 0 : tries + 1;
        least = gpis_min64(least, count);
    }
    return false;
}

/* Where one way goes round in circles, the other one seldom does. With hundreds of rows in effect the first is the
 * quicker one; with dependent columns, whose minima are far away, everything that is outside has to be held. */
static bool pivot_to_end(gpis_walk *w) {
    static const damping STRONG = {0.1, 0.3}, WEAK = {0.3, 0.0};
    return pivot(w, STRONG) || pivot(w, WEAK);
}

/* ---- the whole way ---- */

/* Drops what has a wrong multiplier until nothing has: then the dual method can begin. */
static bool restore(gpis_walk *w) {
    for (int64_t i = 0; i <= w->d + w->rows + w->sums; i++) {
        if (!go_to_minimum(w)) return false;
        if (let_go(w, 0.0) == 0) return true;
    }
    return false;
}

static void find_row_units(gpis_walk *w) {
    const gpis_polyhedron *p = w->p;
    for (int64_t i = 0; i < w->rows; i++) {
        double norm = 0.0;
        for (int64_t e = p->first[i]; e < p->first[i + 1]; e++)
            norm = hypot(norm, p->value[e] * gpis_walk_unit(w, p->column[e]));
        w->row_unit[i] = norm;
    }
    for (int64_t k = 0; k < w->sums; k++) {
        double norm = 0.0;
        for (int64_t j = 0; j < w->d; j++) norm = hypot(norm, p->weight[k * w->d + j] * gpis_walk_unit(w, j));
        w->row_unit[w->rows + k] = norm;
    }
}

/* Rounding may have carried free entries past their bounds. */
static void keep_bounds(gpis_walk *w) {
    for (int64_t j = 0; j < w->d; j++) {
        double lo, hi;
        gpis_walk_piece(w, j, &lo, &hi);
        if (w->held[j] == GPIS_FREE) w->x[j] = fmax(lo, fmin(w->x[j], hi));
    }
}

/* Whether the gradient vanishes at the free entries, as it does at the minimum of a face, up to rounding of the terms
 * that it is made of. With H = I there is no factor that could be wrong. */
static bool is_stationary(const gpis_walk *w) {
    static const double STATIONARY = 1e-6;
    const gpis_polyhedron *p = w->p;
    double size = 0.0, most = 0.0;
    if (!w->metric.unit) return true;
    for (int64_t j = 0; j < w->d; j++) {
        const double left = fabs(w->t[j] - w->sign[j] * w->kappa[j]), unit = gpis_walk_unit(w, j);
        size = fmax(size, (fabs(w->G[j]) + (w->g ? fabs(w->g[j]) : 0.0) + w->kappa[j]) * unit);
        if (w->held[j] == GPIS_FREE) most = fmax(most, left * unit);
    }
    for (int64_t i = 0; i < w->rows; i++)
        for (int64_t e = p->first[i]; e < p->first[i + 1]; e++)
            size = fmax(size, fabs(w->y[i] * p->value[e]) * gpis_walk_unit(w, p->column[e]));
    return most <= STATIONARY * size;
}

/* Once more to the minimum of the face, from a gradient that is computed afresh. Where rounding has put something on
 * the wrong side, it changes sides. False: something is still wrong. */
static bool refine(gpis_walk *w) {
    enum { REFINEMENTS = 4 };
    gpis_walk_evaluate(w);
    for (int i = 0; i < REFINEMENTS; i++) {
        if (!go_to_minimum(w)) return false;
        w->allowance = i > 0 ? 1.0 : 0.0;
        const int64_t wrong = let_go(w, 0.0);
        if (wrong + take_broken(w, 0.0) == 0) return true;
    }
    w->allowance = 0.0;
    return false;
}

gpis_walk_end gpis_walk_solve(gpis_walk *w, const gpis_limits *of, const gpis_metric *metric, const double *c,
                              const double *g, double *x) {
    enum { ATTEMPTS = 4 };
    const int64_t most = 100 + 4 * (w->d + w->rows + w->sums); /* faces */
    gpis_walk_end end = GPIS_WALK_LOST;
    w->of = *of;
    w->metric = *metric;
    w->c = c;
    w->g = g;
    memcpy(w->x, x, (size_t)w->d * sizeof *x);
    memset(w->ignored, 0, (size_t)(w->d + w->rows + w->sums) * sizeof *w->ignored);
    w->allowance = 0.0;
    find_row_units(w);
    gpis_walk_read(w);
    gpis_walk_evaluate(w);
    bool solved = pivot_to_end(w) && refine(w) && is_stationary(w);
    for (int i = 0; i < ATTEMPTS && !solved && end != GPIS_WALK_EMPTY; i++) {
        end = restore(w) ? gpis_walk_dual(w, most) : GPIS_WALK_LOST;
        solved = end == GPIS_WALK_SOLVED && refine(w);
    }
    keep_bounds(w);
    memcpy(x, w->x, (size_t)w->d * sizeof *x);
    return solved ? GPIS_WALK_SOLVED : end == GPIS_WALK_EMPTY ? end : GPIS_WALK_LOST;
}
