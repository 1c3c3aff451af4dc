/*
 * How far a set goes, entry by entry: sup over s in K of sum_j e_j |s_j|, e_j >= 0. Errors that are known for each
 * entry of a gradient cost no more than this. Where sum_j w_j |s_j| <= R it is at most R max_j e_j / w_j, and an entry
 * without a weight counts with its bounds; that is far less than radius ||e|| where the columns of A are of very
 * different lengths.
 */
#include <math.h>

#include "set/polyhedron.h"
#include "set/set.h"

/* The bounds of entry j: of a kind that has them, or of a polyhedron. */
static double farthest(const gpis_set *s, int64_t j) {
    double lo = -INFINITY, hi = INFINITY;
    if (s->polyhedron)
        lo = s->polyhedron->lo[j], hi = s->polyhedron->hi[j];
    else if (s->class->bounds)
        s->class->bounds(s, j, &lo, &hi);
    return fmax(fabs(lo), fabs(hi));
}

/* weight NULL: all are 1; R infinite: there is no sum. */
static double reach_of_sum(const gpis_set *s, const double *weight, double R, const double *e) {
    double largest = 0.0, rest = 0.0;
    for (int64_t j = 0; j < s->d; j++) {
        const double w = isinf(R) ? 0.0 : weight ? weight[j] : 1.0;
        if (!(e[j] > 0.0)) continue;
        if (w > 0.0)
            largest = fmax(largest, e[j] / w);
        else
            rest += e[j] * farthest(s, j);
    }
    return (largest > 0.0 ? R * largest : 0.0) + rest;
}

/* A row of entries that are not negative is a sum of sizes, if it is that of all entries with an error. */
static double reach_of_row(const gpis_polyhedron *p, int64_t row, const double *e) {
    double largest = 0.0, rest = 0.0;
    int64_t at = p->first[row];
    for (int64_t j = 0; j < p->d; j++) {
        const bool member = at < p->first[row + 1] && p->column[at] == j;
        const double w = member ? p->value[at++] : 0.0;
        if (member && !(w > 0.0 && p->lo[j] >= 0.0)) return INFINITY;
        if (!(e[j] > 0.0)) continue;
        if (member)
            largest = fmax(largest, e[j] / w);
        else
            rest += e[j] * fmax(fabs(p->lo[j]), fabs(p->hi[j]));
    }
    return (largest > 0.0 ? p->upper[row] * largest : 0.0) + rest;
}

static double reach_of_polyhedron(const gpis_set *s, const double *e) {
    const gpis_polyhedron *p = s->polyhedron;
    double reach = reach_of_sum(s, NULL, INFINITY, e);
    for (int64_t i = 0; i < p->sums; i++) reach = fmin(reach, reach_of_sum(s, p->weight + i * p->d, p->R[i], e));
    for (int64_t i = 0; i < p->rows; i++) reach = fmin(reach, reach_of_row(p, i, e));
    return reach;
}

/* The sum of the entries is that of their sizes where none is negative, as in every kind that has R as such a sum. */
static double reach_of_bounds(const gpis_set *s, const double *e) {
    bool sizes = s->sum == GPIS_SUM_OF_SIZES_WITHIN;
    if (s->sum == GPIS_SUM_IS_R || s->sum == GPIS_SUM_AT_MOST_R) {
        sizes = true;
        for (int64_t j = 0; j < s->d; j++) {
            double lo, hi;
            s->class->bounds(s, j, &lo, &hi);
            sizes = sizes && lo >= 0.0;
        }
    }
    return fmin(reach_of_sum(s, NULL, INFINITY, e), sizes ? reach_of_sum(s, NULL, s->R, e) : INFINITY);
}

double gpis_set_reach(const gpis_set *s, const double *e) {
    double reach = INFINITY;
    if (!s->matrix && s->polyhedron)
        reach = reach_of_polyhedron(s, e);
    else if (!s->matrix && s->class->bounds)
        reach = reach_of_bounds(s, e);
    return (double)s->k * reach;
}
