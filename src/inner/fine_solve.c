/* The problem in double-double: the starting point, the iteration, and the answer. */
#include <math.h>
#include <string.h>

#include "inner/fine.h"

enum { MAX_STEPS = 100, PAIRS = 6 };

/* ---- the starting point ---- */

static const double LEAST = 1e-3; /* distance from a boundary, relative to the size of what is bounded */

static gpis_fine_pair open_pair(double there, double room) {
    return (gpis_fine_pair){.slack = gpis_dd_of(fmax(there, room))};
}

/* What is bounded: entry j of z, or row j - d of those with limits. */
static gpis_dd bounded_value(const gpis_fine *f, int64_t j) {
    return j < f->d ? f->z[j] : gpis_fine_row_value(f, j - f->d, f->z);
}

static double lo_of(const gpis_fine *f, int64_t j) {
    return f->unit * (j < f->d ? f->flat->lo[j] : f->lift->p->lower[f->lift->limited[j - f->d]]);
}

static double hi_of(const gpis_fine *f, int64_t j) {
    return f->unit * (j < f->d ? f->flat->hi[j] : f->lift->p->upper[f->lift->limited[j - f->d]]);
}

static void open_bounds(gpis_fine *f) {
    for (int64_t j = 0; j < f->d + f->limits; j++) {
        const double lo = lo_of(f, j), hi = hi_of(f, j), z = bounded_value(f, j).high;
        const double size = isinf(lo) ? fabs(hi) : fabs(lo);
        const double room = fmin(fmax(f->omega * f->near[j], LEAST * size), 0.5 * (hi - lo));
        f->lower[j] = isfinite(lo) ? open_pair(z - lo, room) : (gpis_fine_pair){0};
        f->upper[j] = isfinite(hi) ? open_pair(hi - z, room) : (gpis_fine_pair){0};
    }
}

/* The bounds t on the norms of the groups of sum s; returns their sum, and adds what they have to spare to *room. */
static double open_groups(gpis_fine *f, int64_t s, double R, double *room) {
    double sum = 0.0;
    for (int64_t c = 0; c < f->flat->groups; c++) {
        if (f->flat->group_sum[c] != s) continue;
        const double norm = sqrt(gpis_fine_norm2(f, c, f->z).high);
        double own = 0.0;
        for (int64_t i = f->flat->first[c]; i < f->flat->first[c + 1]; i++)
            own = fmax(own, f->omega * f->near[f->flat->member[i]]);
        own = fmax(fmin(own, R), LEAST * norm);
        f->cones[c] = (gpis_fine_cone){.t = gpis_dd_of(norm + own)};
        sum += norm + own, *room += own;
    }
    return sum;
}

static void open_sums(gpis_fine *f) {
    for (int64_t s = 0; s < f->flat->sums; s++) {
        const double R = f->flat->sum[s].R * f->unit;
        double room = 0.0, sum = open_groups(f, s, R, &room);
        for (int64_t j = 0; !f->flat->sum[s].norms && j < f->d; j++)
            if (f->flat->sum_of[j] == s) sum += f->z[j].high, room += f->omega * f->near[j];
        f->sums[s] = (gpis_fine_pair){0};
        if (!f->flat->sum[s].equal) f->sums[s] = open_pair(R - sum, fmin(fmax(room, LEAST * R), R));
    }
}

/* Calls `visit` for each pair that exists. Returns how many there are. */
static int64_t each_pair(gpis_fine *f, void (*visit)(gpis_fine_pair *, double, gpis_dd *), double step,
                         gpis_dd *value) {
    const int64_t bounded = f->d + f->limits, sized = f->lift ? f->own : 0;
    gpis_fine_pair *const lists[PAIRS] = {f->lower, f->upper, f->sums, f->plus, f->minus, f->ball};
    const int64_t lengths[PAIRS] = {bounded, bounded, f->flat->sums, sized, sized, f->balls};
    int64_t count = 0;
    for (int i = 0; i < PAIRS; i++)
        for (int64_t j = 0; j < lengths[i]; j++)
            if (lists[i][j].slack.high > 0.0) visit(lists[i] + j, step, value), count++;
    return count;
}

static void set_dual(gpis_fine_pair *pair, double mu, gpis_dd *unused) {
    (void)unused;
    pair->dual = gpis_dd_of(mu / pair->slack.high);
}

/* Multipliers for which every product with the slack is mu. */
static void find_duals(gpis_fine *f, double mu) {
    const gpis_flat *flat = f->flat;
    each_pair(f, set_dual, mu, NULL);
    for (int64_t c = 0; c < flat->groups; c++) {
        const double t = f->cones[c].t.high, norm = sqrt(gpis_fine_norm2(f, c, f->z).high);
        const double factor = mu / (t - norm) / (t + norm);
        f->cones[c].y = gpis_dd_of(factor * t);
        for (int64_t i = flat->first[c]; i < flat->first[c + 1]; i++)
            f->y[flat->member[i]] = gpis_dd_scale(f->z[flat->member[i]], -factor);
    }
}

static void clear(gpis_dd *v, int64_t count) { memset(v, 0, (size_t)count * sizeof *v); }

/* The norm of the residual at x, or that of y, which is about 1, if that is larger. */
static double size_of_problem(const gpis_fine *f, int64_t c) {
    double sum = gpis_fine_entry(f, f->own + c, f->own + c).high;
    for (int64_t i = 0; i < f->d; i++) {
        double row = -2.0 * f->b[i].high;
        for (int64_t j = 0; j < f->d; j++) row += f->G[i * f->d + j] * f->x[j].high;
        sum += row * f->x[i].high;
    }
    return sqrt(fmax(1.0, sum));
}

/* Begins at x, for response c, `room` times as far inside as usual. Returns the number of products of slack and
 * multiplier. */
static int64_t start(gpis_fine *f, int64_t c, const double *x, double room) {
    const gpis_dd none = {0.0, 0.0};
    for (int64_t j = 0; j < f->own; j++) f->off[j] = x[j * f->k + c];
    if (f->lift) gpis_lift_extend(f->lift, f->off);
    for (int64_t j = 0; j < f->d; j++) {
        f->z[j] = f->x[j] = gpis_dd_of(f->off[j] * f->unit);
        f->b[j] = gpis_dd_subtract(j < f->own ? gpis_fine_entry(f, j, f->own + c) : none, gpis_fine_slope(f, j));
    }
    gpis_fine_turn_in(f, f->z);
    clear(f->p, f->d);
    clear(f->y, f->d);
    clear(f->dy, f->d);
    clear(f->nu, f->equalities);
    clear(f->dnu, f->equalities);
    f->omega = room * size_of_problem(f, c);
    open_bounds(f);
    open_sums(f);
    if (f->lift) gpis_fine_open_sizes(f);
    const int64_t count = each_pair(f, set_dual, 1.0, NULL) + f->flat->groups;
    find_duals(f, f->omega * f->omega / (double)gpis_max64(count, 1));
    return count;
}

/* ---- the iteration ---- */

/* What `rest` leaves of the slack. Returns whether it is less than the slack, or no more than rounding errors of
 * numbers of this size: then the point meets the limit. */
static bool find_miss(gpis_fine_pair *pair, gpis_dd rest, double size) {
    static const double ROUNDING = 1e-28;
    if (!(pair->slack.high > 0.0)) return true;
    pair->miss = gpis_dd_subtract(rest, pair->slack);
    return fabs(pair->miss.high) <= fmax(pair->slack.high, ROUNDING * size);
}

static bool find_misses_of_sizes(gpis_fine *f) {
    bool inside = true;
    for (int64_t j = 0; f->lift && j < f->own; j++) {
        const double size = f->near[j] + f->t[j].high;
        inside = find_miss(f->plus + j, gpis_dd_subtract(f->t[j], f->x[j]), size) && inside;
        inside = find_miss(f->minus + j, gpis_dd_add(f->t[j], f->x[j]), size) && inside;
    }
    for (int64_t k = 0; k < f->balls; k++) {
        const double R = f->lift->p->R[k] * f->unit;
        inside = find_miss(f->ball + k, gpis_dd_subtract(gpis_dd_of(R), gpis_fine_size_of_sum(f, k)), R) && inside;
    }
    return inside;
}

/* What z leaves of every slack. Returns whether z meets all limits. */
static bool find_misses(gpis_fine *f) {
    const gpis_flat *flat = f->flat;
    bool inside = true;
    for (int64_t j = 0; j < f->d + f->limits; j++) {
        const gpis_dd lo = gpis_dd_of(lo_of(f, j)), hi = gpis_dd_of(hi_of(f, j)), z = bounded_value(f, j);
        const double size = f->near[j] + fabs(z.high);
        inside = find_miss(f->lower + j, gpis_dd_subtract(z, lo), size) && inside;
        inside = find_miss(f->upper + j, gpis_dd_subtract(hi, z), size) && inside;
    }
    for (int64_t s = 0; s < flat->sums; s++) {
        gpis_dd rest = gpis_dd_of(flat->sum[s].R * f->unit);
        for (int64_t j = 0; !flat->sum[s].norms && j < f->d; j++)
            if (flat->sum_of[j] == s) rest = gpis_dd_subtract(rest, f->z[j]);
        for (int64_t c = 0; c < flat->groups; c++)
            if (flat->group_sum[c] == s) rest = gpis_dd_subtract(rest, f->cones[c].t);
        inside = find_miss(f->sums + s, rest, flat->sum[s].R * f->unit) && inside;
    }
    return find_misses_of_sizes(f) && inside;
}

static void add_gap(gpis_fine_pair *pair, double step, gpis_dd *gap) {
    const gpis_dd slack = gpis_dd_add(pair->slack, gpis_dd_scale(pair->dslack, step));
    const gpis_dd dual = gpis_dd_add(pair->dual, gpis_dd_scale(pair->ddual, step));
    *gap = gpis_dd_add(*gap, gpis_dd_multiply(slack, dual));
}

static gpis_dd gap_after(gpis_fine *f, double step) {
    gpis_dd gap = {0.0, 0.0};
    each_pair(f, add_gap, step, &gap);
    return gpis_dd_add(gap, gpis_fine_cone_gap(f, step));
}

static void shorten(gpis_fine_pair *pair, double unused, gpis_dd *most) {
    (void)unused;
    if (pair->dslack.high < 0.0) most->high = fmin(most->high, -pair->slack.high / pair->dslack.high);
    if (pair->ddual.high < 0.0) most->high = fmin(most->high, -pair->dual.high / pair->ddual.high);
}

static double reach(gpis_fine *f) {
    gpis_dd most = gpis_dd_of(INFINITY);
    each_pair(f, shorten, 0.0, &most);
    return gpis_fine_cone_reach(f, most.high);
}

static void take(gpis_fine_pair *pair, double step, gpis_dd *unused) {
    (void)unused;
    pair->slack = gpis_dd_add(pair->slack, gpis_dd_scale(pair->dslack, step));
    pair->dual = gpis_dd_add(pair->dual, gpis_dd_scale(pair->ddual, step));
}

static void go(gpis_fine *f, double step) {
    each_pair(f, take, step, NULL);
    for (int64_t j = 0; j < f->d; j++) {
        f->z[j] = f->x[j] = gpis_dd_add(f->x[j], gpis_dd_scale(f->step[j], step));
        f->y[j] = gpis_dd_add(f->y[j], gpis_dd_scale(f->dy[j], step));
    }
    gpis_fine_turn_in(f, f->z);
    for (int64_t j = 0; f->lift && j < f->own; j++) f->t[j] = gpis_dd_add(f->t[j], gpis_dd_scale(f->dt[j], step));
    for (int64_t c = 0; c < f->flat->groups; c++) {
        gpis_fine_cone *cone = f->cones + c;
        cone->t = gpis_dd_add(cone->t, gpis_dd_scale(cone->dt, step));
        cone->y = gpis_dd_add(cone->y, gpis_dd_scale(cone->dy, step));
    }
    for (int64_t r = 0; r < f->equalities; r++) f->nu[r] = gpis_dd_add(f->nu[r], gpis_dd_scale(f->dnu[r], step));
}

/* One step of Mehrotra's method; false if there is none. */
static bool advance(gpis_fine *f, double gap, double count) {
    static const double SHORT_OF_THE_BOUNDARY = 0.995, NO_STEP = 1e-9;
    gpis_fine_scale_cones(f);
    if (!gpis_fine_factor(f)) return false;
    gpis_fine_direction(f, gpis_dd_of(0.0), false);
    if (count > 0.0) {
        const double left = fmin(1.0, gap_after(f, fmin(1.0, reach(f))).high / gap);
        gpis_fine_direction(f, gpis_dd_of(left * left * left * gap / count), true);
    }
    for (int64_t j = 0; j < f->d; j++)
        if (!isfinite(f->p[j].high)) return false;
    const double step = fmin(1.0, SHORT_OF_THE_BOUNDARY * reach(f));
    if (!(step > NO_STEP)) return false;
    go(f, step);
    f->steps++;
    return true;
}

/* How far the gradient of the Lagrangian is from 0, and the equations are from being met, in units of the columns. */
static double off_balance(const gpis_fine *f) {
    double sum = 0.0;
    for (int64_t j = 0; j < f->d; j++) sum += fabs(f->r[j].high) * f->unit_x[j];
    for (int64_t j = 0; f->lift && j < f->own; j++) sum += fabs(f->rt[j].high) * f->near[j];
    for (int64_t r = 0; r < f->equalities; r++) sum += fabs(gpis_fine_miss(f, r).high) * sqrt(f->rho[r]);
    return sum;
}

/* ---- the answer ---- */

/* An upper bound on <m, z> for all z that satisfy the constraints. */
static gpis_dd support(const gpis_fine *f) {
    const gpis_flat *flat = f->flat;
    gpis_fine_sum s = {.terms = 4};
    for (int64_t j = 0; j < f->d; j++) {
        if (f->upper[j].slack.high > 0.0) gpis_fine_add_term(&s, f->upper[j].dual, flat->hi[j] * f->unit);
        if (f->lower[j].slack.high > 0.0) gpis_fine_add_term(&s, f->lower[j].dual, -flat->lo[j] * f->unit);
    }
    for (int64_t i = 0; i < flat->sums; i++) {
        const gpis_dd sigma = flat->sum[i].norms ? gpis_fine_multiplier_of_norms(f, i) : f->sums[i].dual;
        if (!flat->sum[i].equal) gpis_fine_add_term(&s, sigma, flat->sum[i].R * f->unit);
    }
    for (int64_t r = 0; r < f->equalities; r++) gpis_fine_add_term(&s, f->nu[r], f->e[r]);
    return gpis_dd_add(s.sum, gpis_dd_of(gpis_fine_sum_error(&s)));
}

/* m of entry j, and an upper bound on the error of its computation. */
static gpis_dd multiplier(const gpis_fine *f, int64_t j, double *error) {
    const int64_t s = f->flat->sum_of[j];
    gpis_fine_sum m = {.terms = 4};
    gpis_fine_add_term(&m, f->upper[j].dual, 1.0);
    gpis_fine_add_term(&m, f->lower[j].dual, -1.0);
    if (s >= 0 && f->flat->sum[s].norms) gpis_fine_add_term(&m, f->y[j], -1.0);
    if (s >= 0 && !f->flat->sum[s].norms) gpis_fine_add_term(&m, f->sums[s].dual, 1.0);
    for (int64_t r = 0; r < f->equalities; r++)
        if (f->E[r * f->d + j] != 0.0) gpis_fine_add_term(&m, f->nu[r], f->E[r * f->d + j]);
    *error = gpis_fine_sum_error(&m);
    return m.sum;
}

/* m of x in p, and its support function. */
static gpis_dd find_multiplier(gpis_fine *f) {
    for (int64_t j = 0; j < f->d; j++) f->p[j] = multiplier(f, j, f->off + j);
    gpis_fine_turn_back(f, f->p, f->off);
    return support(f);
}

/* Everything in the units of the caller, which differ by powers of two. */
static void hand_out(gpis_fine *f, int64_t c, const gpis_fine_point *v, gpis_known_multiplier *l) {
    const double f_unit = f->response * f->response, l_unit = 2.0 * f_unit * f->unit;
    const gpis_dd most = gpis_dd_scale(f->lift ? gpis_fine_lifted(f) : find_multiplier(f), 2.0 * f_unit);
    for (int64_t j = 0; j < f->own; j++) {
        const int64_t i = j * f->k + c;
        v->x[i] = f->x[j].high / f->unit;
        v->x_low[i] = f->x[j].low / f->unit;
        l->l[i] = f->p[j].high * l_unit;
        l->l_low[i] = f->p[j].low * l_unit;
        l->off[i] = f->off[j] * l_unit;
    }
    l->support = gpis_dd_add(l->support, most);
}

typedef enum ending { SHORT, OUTSIDE, SOLVED } ending; /* the gap is too large; a limit is broken; neither */

/* Steps until the gap is `enough`, and the Lagrangian is as balanced as it gets. Without rows an entry that breaks its
 * bound can be moved to it alone, and no more is asked. */
static ending make_steps(gpis_fine *f, double count, double enough, const gpis_stop *stop) {
    static const double PROGRESS = 0.5;
    double before = INFINITY;
    for (int i = 0; i < MAX_STEPS; i++) {
        const ending solved = find_misses(f) || !f->lift ? SOLVED : OUTSIDE;
        gpis_fine_balance(f);
        const double gap = gap_after(f, 0.0).high, off = off_balance(f);
        if (gap <= enough && !(off < PROGRESS * before)) return solved;
        if (gpis_is_stopped(stop) || !advance(f, gap, count)) return gap <= enough ? solved : SHORT;
        before = off;
    }
    return SHORT;
}

/* Where columns are of very different lengths, a point near many boundaries may be a bad start: steps soon become too
 * short, or limits stay broken. From farther inside the way is longer, but open. If no way leads inside, the first that
 * ends is gone again: its multipliers are as good. */
void gpis_fine_solve(gpis_fine *f, int64_t c, const double *x, gpis_fine_aim aim, const gpis_fine_point *v,
                     gpis_known_multiplier *l) {
    static const double FLOOR = 1e-30, ALLOWED = 1e4, ROOM[] = {1.0, 1e3, 1e6};
    enum { STARTS = sizeof ROOM / sizeof *ROOM };
    const double enough = fmax(FLOOR, 0.5 * aim.goal / f->response / f->response);
    ending end = SHORT;
    int first = STARTS;
    f->part = aim.shift;
    f->allowance = ALLOWED * enough / (double)f->own;
    for (int i = 0; i < STARTS && end != SOLVED && (i == 0 || !gpis_is_stopped(aim.stop)); i++) {
        end = make_steps(f, (double)start(f, c, x, ROOM[i]), enough, aim.stop);
        if (end == OUTSIDE && first == STARTS) first = i;
    }
    if (end == SHORT && first < STARTS) make_steps(f, (double)start(f, c, x, ROOM[first]), enough, aim.stop);
    hand_out(f, c, v, l);
}
