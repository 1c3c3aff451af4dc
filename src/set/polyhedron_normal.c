/*
 * Multipliers of a polyhedron: those for which a vector v is nearest to a normal of K at a member `at`, and the bound
 * on the support function that multipliers give.
 *
 * The normals at a point are the polar of the directions d that stay in K from there, a polyhedral cone T. By Moreau's
 * theorem v less its projection on T is the nearest normal, and the multipliers of that projection, which the
 * active-set method finds, are those of the normal.
 */
#include <math.h>
#include <string.h>

#include "linalg/accurate.h"
#include "linalg/rounding.h"
#include "set/polyhedron_state.h"

gpis_limits gpis_polyhedron_cone(const gpis_polyhedron_state *p) {
    return (gpis_limits){p->cone.lo, p->cone.hi, p->cone.lower, p->cone.upper, p->cone.R, NULL, p->cone.side};
}

/* The directions from `at`, which meets a limit if it is nearer than `met` times its terms. Entries that are not 0
 * count in sums with their sign. */
static void find_cone(const gpis_set *s, const double *at, double met) {
    gpis_polyhedron_state *p = s->state;
    const gpis_polyhedron *list = s->polyhedron;
    const double near = met > GPIS_MET ? met * gpis_max_abs(at, s->d) : 0.0; /* entries are at their bounds exactly */
    for (int64_t j = 0; j < s->d; j++) {
        p->cone.lo[j] = at[j] <= list->lo[j] + near ? 0.0 : -INFINITY;
        p->cone.hi[j] = at[j] >= list->hi[j] - near ? 0.0 : INFINITY;
        p->cone.side[j] = at[j] > near ? 1.0 : at[j] < -near ? -1.0 : 0.0;
        p->lambda[j] = s->penalty ? s->penalty[j] : 0.0;
    }
    for (int64_t i = 0; i < list->rows; i++) {
        double size;
        const double value = gpis_walk_row_value(p->walk, i, at, &size);
        const bool above = value >= list->upper[i] - met * (size + fabs(list->upper[i]));
        const bool below = value <= list->lower[i] + met * (size + fabs(list->lower[i]));
        p->cone.upper[i] = isfinite(list->upper[i]) && above ? 0.0 : INFINITY;
        p->cone.lower[i] = isfinite(list->lower[i]) && below ? 0.0 : -INFINITY;
    }
    for (int64_t k = 0; k < list->sums; k++) {
        gpis_sum sum = {0, 0};
        for (int64_t j = 0; j < s->d; j++) gpis_sum_add(&sum, list->weight[k * s->d + j] * fabs(at[j]));
        p->cone.R[k] = gpis_sum_value(sum) >= (1.0 - met) * list->R[k] ? 0.0 : INFINITY;
    }
}

/* Multipliers of the wrong sign, by rounding, are 0. */
static void take_multipliers(gpis_polyhedron_state *p) {
    const gpis_polyhedron *list = p->list;
    for (int64_t i = 0; i < list->rows; i++) {
        const double y = p->walk->y[i], limit = y > 0.0 ? list->upper[i] : list->lower[i];
        p->y[i] = isfinite(y) && isfinite(limit) ? y : 0.0;
    }
    for (int64_t k = 0; k < list->sums; k++) p->nu[k] = isfinite(p->walk->nu[k]) ? fmax(0.0, p->walk->nu[k]) : 0.0;
}

gpis_status gpis_polyhedron_fit(gpis_set *s, const double *at, double met, const double *v) {
    gpis_polyhedron_state *p = s->state;
    const gpis_metric metric = gpis_walk_identity(p->walk);
    find_cone(s, at, met);
    gpis_limits of = gpis_polyhedron_cone(p);
    of.lambda = s->penalty ? p->lambda : NULL;
    memcpy(p->centre, v, (size_t)s->d * sizeof *v);
    memset(p->along, 0, (size_t)s->d * sizeof *p->along);
    p->walk->stop = s->stop;
    gpis_walk_solve(p->walk, &of, &metric, p->centre, NULL, p->along); /* where it gives up, any multipliers will do */
    take_multipliers(p);
    return GPIS_OK;
}

/* ---- the bound --------------------------------------------------------------------------------------------------- */

/* sup of r x - kappa |x| over [lo, hi], whose ends may be infinite where r allows it. */
static double supremum(double r, double kappa, double lo, double hi) {
    double most = lo <= 0.0 && hi >= 0.0 ? 0.0 : -INFINITY;
    if (isfinite(lo)) most = fmax(most, r * lo - kappa * fabs(lo));
    if (isfinite(hi)) most = fmax(most, r * hi - kappa * fabs(hi));
    return most;
}

/* One entry: its part of the bound; v_j is moved where r_j must be. `e` bounds the error of r. Returns the part; adds
 * what is lost to *lost2. */
static double take_entry(const gpis_polyhedron_state *p, int64_t j, double r, double kappa, double e, double *v,
                         double *lost2) {
    const double lo = p->reach_lo[j], hi = p->reach_hi[j];
    double low = isinf(lo) ? -kappa : -INFINITY, high = isinf(hi) ? kappa : INFINITY;
    const double moved = fmax(low, fmin(r, high));
    if (isfinite(low) || isfinite(high)) {
        const double lost = e + (moved != r ? GPIS_UNIT * fabs(*v) + 4.0 * GPIS_UNIT * fabs(moved - r) : 0.0);
        *v += moved - r;
        *lost2 += lost * lost;
    }
    const double reach = fmax(isinf(lo) ? 0.0 : fabs(lo), isinf(hi) ? 0.0 : fabs(hi));
    const double part = supremum(moved, kappa, lo, hi);
    return part + reach * (e + 4.0 * GPIS_UNIT * (fabs(moved) + kappa));
}

void gpis_polyhedron_conjugate(gpis_set *s, double *v, double *value, double *slack) {
    gpis_polyhedron_state *p = s->state;
    const gpis_polyhedron *list = s->polyhedron;
    long double *r = p->extended, total = 0.0L;
    double sizes = 0.0, lost2 = 0.0, *size = p->along, *kappa = p->kappa;
    for (int64_t j = 0; j < s->d; j++) r[j] = v[j], size[j] = fabs(v[j]), kappa[j] = s->penalty ? s->penalty[j] : 0.0;
    for (int64_t i = 0; i < list->rows; i++) {
        if (p->y[i] == 0.0) continue;
        const double limit = p->y[i] > 0.0 ? list->upper[i] : list->lower[i];
        total += (long double)p->y[i] * limit;
        sizes += fabs(p->y[i] * limit);
        for (int64_t e = list->first[i]; e < list->first[i + 1]; e++) {
            r[list->column[e]] -= (long double)p->y[i] * list->value[e];
            size[list->column[e]] += fabs(p->y[i] * list->value[e]);
        }
    }
    for (int64_t k = 0; k < list->sums; k++) {
        total += (long double)p->nu[k] * list->R[k];
        sizes += p->nu[k] * list->R[k];
        for (int64_t j = 0; j < s->d; j++) kappa[j] += p->nu[k] * list->weight[k * s->d + j];
    }
    const double extended = ((double)(list->rows + list->sums) + 4.0) * GPIS_EXTENDED_UNIT;
    for (int64_t j = 0; j < s->d; j++) {
        const double e =
            GPIS_UNIT * fabs((double)r[j]) + extended * size[j] + ((double)list->sums + 1.0) * GPIS_UNIT * kappa[j];
        const double part = take_entry(p, j, (double)r[j], kappa[j], e, v + j, &lost2);
        total += part;
        sizes += fabs(part);
    }
    *value = (double)total + (GPIS_UNIT + extended + (double)s->d * GPIS_EXTENDED_UNIT) * sizes;
    *slack = sqrt(lost2) * (1.0 + gpis_set_rounding(s->d));
}

/* ---- the same, complementary to a point -------------------------------------------------------------------------- */

/* What is left of r_j for the bounds of x_j: 0 unless s_j is at the bound on that side; at 0 the kink takes its part.
 */
static long double rest_of(const gpis_polyhedron *list, int64_t j, double s, long double r, long double kappa) {
    if (s == 0.0) r = r > kappa ? r - kappa : r < -kappa ? r + kappa : 0.0L;
    const double wall = r > 0.0L ? list->hi[j] : list->lo[j];
    return s == wall ? r : 0.0L;
}

/* Term by term for the rows and sums: y (b - <c, x>) and nu (R - sum of w |x|), each with a bound on its rounding. */
static long double limits_beyond(const gpis_polyhedron_state *p, const double *x, long double *error) {
    const gpis_polyhedron *list = p->list;
    long double total = 0.0L;
    for (int64_t i = 0; i < list->rows; i++) {
        const long double limit = p->y[i] > 0.0 ? list->upper[i] : list->lower[i];
        long double sum = limit, size = fabsl(limit);
        if (p->y[i] == 0.0) continue;
        for (int64_t e = list->first[i]; e < list->first[i + 1]; e++) {
            const long double term = (long double)list->value[e] * x[list->column[e]];
            sum -= term;
            size += fabsl(term);
        }
        total += p->y[i] * sum;
        *error += (long double)(list->first[i + 1] - list->first[i] + 4) * GPIS_EXTENDED_UNIT * fabs(p->y[i]) * size;
    }
    for (int64_t k = 0; k < list->sums; k++) {
        long double sum = list->R[k], size = list->R[k];
        for (int64_t j = 0; p->nu[k] > 0.0 && j < list->d; j++) {
            const long double term = (long double)list->weight[k * list->d + j] * fabs(x[j]);
            sum -= term;
            size += term;
        }
        total += p->nu[k] * sum;
        *error += (long double)(list->d + 4) * GPIS_EXTENDED_UNIT * p->nu[k] * size;
    }
    return total;
}

/* C'y and kappa in extended precision; size: the sum of the sizes of the terms of C'y. */
static void combine(const gpis_set *s, long double *Cy, double *size, long double *kappa) {
    const gpis_polyhedron_state *p = s->state;
    const gpis_polyhedron *list = s->polyhedron;
    for (int64_t j = 0; j < s->d; j++) {
        Cy[j] = 0.0L;
        size[j] = 0.0;
        kappa[j] = s->penalty ? s->penalty[j] : 0.0L;
        for (int64_t k = 0; k < list->sums; k++) kappa[j] += (long double)p->nu[k] * list->weight[k * s->d + j];
    }
    for (int64_t i = 0; i < list->rows; i++)
        for (int64_t e = list->first[i]; p->y[i] != 0.0 && e < list->first[i + 1]; e++) {
            Cy[list->column[e]] += (long double)p->y[i] * list->value[e];
            size[list->column[e]] += fabs(p->y[i] * list->value[e]);
        }
}

gpis_status gpis_polyhedron_complementary(gpis_set *set, const double *x, const double *s, double *l, double *l_low,
                                          double *linear, double *lost) {
    gpis_polyhedron_state *p = set->state;
    const gpis_polyhedron *list = set->polyhedron;
    long double *Cy = p->extended, *kappas = Cy + set->d, total, error = 0.0L, off2 = 0.0L;
    const long double rounding = (long double)(list->rows + list->sums + 8) * GPIS_EXTENDED_UNIT;
    const gpis_status status = gpis_polyhedron_fit(set, s, GPIS_MET, l);
    if (status != GPIS_OK) return status;
    combine(set, Cy, p->along, kappas);
    total = limits_beyond(p, x, &error);
    for (int64_t j = 0; j < set->d; j++) {
        const long double kappa = kappas[j], sign = s[j] > 0.0 ? 1.0L : s[j] < 0.0 ? -1.0L : 0.0L;
        const long double r = (long double)l[j] - Cy[j] - sign * kappa;
        const long double rest = rest_of(list, j, s[j], r, sign == 0.0L ? kappa : 0.0L);
        const long double share = sign != 0.0L ? sign * kappa : fmaxl(-kappa, fminl(kappa, r)); /* within +-kappa */
        total += kappa * fabsl((long double)x[j]) - share * x[j];
        if (rest != 0.0L) total += rest * ((rest > 0.0L ? list->hi[j] : list->lo[j]) - (long double)x[j]);
        error += 2.0L * rounding * (kappa * fabs(x[j]) + fabsl(rest) * (fabs(x[j]) + fabs(s[j])));
        const long double w = Cy[j] + share + rest, off = rounding * (p->along[j] + kappa + fabsl(rest));
        l[j] = (double)w;
        l_low[j] = (double)(w - l[j]);
        off2 += (off + GPIS_EXTENDED_UNIT * fabsl(w)) * (off + GPIS_EXTENDED_UNIT * fabsl(w));
        error += 2.0L * off * fabs(x[j]);
    }
    *linear = (double)(total + error + (long double)(set->d + 8) * GPIS_EXTENDED_UNIT * fabsl(total));
    *linear += 2.0 * GPIS_UNIT * fabs(*linear);
    *lost = (double)sqrtl(off2) * (1.0 + gpis_set_rounding(set->d));
    return GPIS_OK;
}
