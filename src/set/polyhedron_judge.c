/* What follows from the constraints of a polyhedron: bounds that they imply, the radius, a simpler kind, warnings. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/accurate.h"
#include "set/kinds.h"
#include "set/polyhedron_state.h"

/* Implied bounds are widened by so much of their terms, which covers the rounding of short sums; a sum of many terms is
 * off by up to a unit for each of them. */
static const double WIDER = 1e-13;
static double wider_for(int64_t terms) { return WIDER + (double)terms * DBL_EPSILON; }

/* ---- implied bounds ---------------------------------------------------------------------------------------------- */

static void tighten(gpis_polyhedron_state *p, int64_t j, double lo, double hi) {
    if (lo > p->reach_lo[j]) p->reach_lo[j] = fmin(lo, p->reach_hi[j]);
    if (hi < p->reach_hi[j]) p->reach_hi[j] = fmax(hi, p->reach_lo[j]);
}

/* c x_j <= limit - (what the other entries of row i add at least); for lower limits with all signs changed. */
static void tighten_by_row(gpis_polyhedron_state *p, int64_t i, double sign, double limit) {
    const gpis_polyhedron *list = p->list;
    const int64_t terms = list->first[i + 1] - list->first[i];
    double sum = 0.0, size = fabs(limit);
    int64_t endless = 0, which = -1;
    if (isinf(limit)) return;
    for (int64_t e = list->first[i]; e < list->first[i + 1]; e++) {
        const double c = sign * list->value[e], term = c * (c > 0.0 ? p->reach_lo : p->reach_hi)[list->column[e]];
        if (isinf(term))
            endless++, which = e;
        else
            sum += term, size += fabs(term);
    }
    if (endless > 1) return;
    for (int64_t e = list->first[i]; e < list->first[i + 1]; e++) {
        const double c = sign * list->value[e];
        if (endless == 1 && e != which) continue;
        const int64_t j = list->column[e];
        const double own = endless == 1 ? 0.0 : c * (c > 0.0 ? p->reach_lo : p->reach_hi)[j];
        const double end = (limit - (sum - own)) / c, wider = wider_for(terms) * size / fabs(c);
        tighten(p, j, c > 0.0 ? -INFINITY : end - wider, c > 0.0 ? end + wider : INFINITY);
    }
}

static void find_reach(gpis_polyhedron_state *p) {
    enum { ROUNDS = 4 };
    const gpis_polyhedron *list = p->list;
    memcpy(p->reach_lo, list->lo, (size_t)list->d * sizeof *list->lo);
    memcpy(p->reach_hi, list->hi, (size_t)list->d * sizeof *list->hi);
    for (int64_t k = 0; k < list->sums; k++)
        for (int64_t j = 0; j < list->d; j++) {
            const double w = list->weight[k * list->d + j], end = list->R[k] / w * (1.0 + WIDER);
            if (w > 0.0) tighten(p, j, -end, end);
        }
    for (int round = 0; round < ROUNDS; round++)
        for (int64_t i = 0; i < list->rows; i++) {
            tighten_by_row(p, i, 1.0, list->upper[i]);
            tighten_by_row(p, i, -1.0, -list->lower[i]);
        }
}

/* Of a bounded set: the farthest corner of the bounds, or the farthest point of a sum over all entries. Of another: the
 * size of its numbers, on which no bound depends. */
static void find_radius(gpis_set *s) {
    gpis_polyhedron_state *p = s->state;
    const gpis_polyhedron *list = p->list;
    double corner = 0.0;
    for (int64_t j = 0; j < s->d; j++) {
        const double lo = p->reach_lo[j], hi = p->reach_hi[j];
        s->unbounded = s->unbounded || isinf(lo) || isinf(hi);
        const double end = fmax(isinf(lo) ? 0.0 : fabs(lo), isinf(hi) ? 0.0 : fabs(hi));
        corner = hypot(corner, end);
        p->size = fmax(p->size, end);
    }
    for (int64_t i = 0; i < list->rows; i++) {
        double norm = 0.0;
        for (int64_t e = list->first[i]; e < list->first[i + 1]; e++) norm = hypot(norm, list->value[e]);
        const double lower = isinf(list->lower[i]) ? 0.0 : fabs(list->lower[i]);
        const double upper = isinf(list->upper[i]) ? 0.0 : fabs(list->upper[i]);
        if (norm > 0.0) p->size = fmax(p->size, fmax(lower, upper) / norm);
    }
    s->radius = s->unbounded ? fmax(corner, p->size) : corner * (1.0 + wider_for(s->d));
    for (int64_t k = 0; k < list->sums && !s->unbounded; k++) {
        double most = 0.0;
        for (int64_t j = 0; j < s->d; j++) most = fmax(most, list->R[k] / list->weight[k * s->d + j]);
        s->radius = fmin(s->radius, most * (1.0 + WIDER));
    }
}

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

static bool always_holds(const gpis_polyhedron *list, int64_t constraint) {
    double least = 0.0, most = 0.0;
    if (constraint < list->rows) {
        gpis_polyhedron_range(list, constraint, &least, &most);
        return least >= list->lower[constraint] && most <= list->upper[constraint];
    }
    const int64_t k = constraint - list->rows;
    for (int64_t j = 0; j < list->d; j++)
        if (list->weight[k * list->d + j] > 0.0)
            most += list->weight[k * list->d + j] * fmax(fabs(list->lo[j]), fabs(list->hi[j]));
    return most <= list->R[k];
}

static gpis_status warn(gpis_set *s) {
    const gpis_polyhedron *list = s->polyhedron;
    for (int64_t c = 0; c < list->rows + list->sums && !s->warning; c++) {
        char text[GPIS_CONSTRAINT_TEXT], line[GPIS_CONSTRAINT_TEXT + 64];
        if (!always_holds(list, c)) continue;
        gpis_polyhedron_text(list, (const char *const *)s->names, list->d + c, 1, text);
        snprintf(line, sizeof line, "'%s' always holds: the bounds say more", text);
        s->warning = gpis_duplicate_text(s->context, line);
        if (!s->warning) return GPIS_NO_MEMORY;
    }
    return GPIS_OK;
}

gpis_status gpis_polyhedron_judge(gpis_set *s) {
    find_reach(s->state);
    find_radius(s);
    return warn(s);
}

/* ---- simpler kinds ----------------------------------------------------------------------------------------------- */

static bool is_all(const double *v, int64_t d, double value) {
    for (int64_t j = 0; j < d; j++)
        if (v[j] != value) return false;
    return true;
}

/* x >= 0 and one row of ones with an upper limit: simplex or capped-simplex. */
static bool is_simplex(const gpis_polyhedron *list) {
    if (list->rows != 1 || list->sums != 0 || list->first[1] != list->d || !(list->upper[0] >= 0.0)) return false;
    if (isinf(list->upper[0]) || !(isinf(list->lower[0]) || list->lower[0] == list->upper[0])) return false;
    return is_all(list->value, list->d, 1.0) && is_all(list->lo, list->d, 0.0) && is_all(list->hi, list->d, INFINITY);
}

static bool is_l1(const gpis_polyhedron *list) {
    return list->rows == 0 && list->sums == 1 && is_all(list->weight, list->d, 1.0) &&
           is_all(list->lo, list->d, -INFINITY) && is_all(list->hi, list->d, INFINITY);
}

gpis_status gpis_polyhedron_simplify(const gpis_polyhedron *list, gpis_set **out) {
    gpis_context *context = list->context;
    *out = NULL;
    if (list->rows == 0 && list->sums == 0) return gpis_set_box(context, list->lo, list->hi, list->d, out);
    if (is_l1(list)) return gpis_set_l1(context, list->R[0], list->d, out);
    if (!is_simplex(list)) return GPIS_OK;
    return (isinf(list->lower[0]) ? gpis_set_capped_simplex : gpis_set_simplex)(context, list->upper[0], list->d, out);
}
