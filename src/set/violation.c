/* How far a point breaks the constraints of a set, and whether that is more than rounding. */
#include <float.h>
#include <math.h>

#include "linalg/accurate.h"
#include "set/polyhedron.h"
#include "set/price.h"

/* A row or a sum is met up to so many units in the last place of its terms. The equations of a plane, which may nearly
 * depend on each other, are met as well as gpis_set_approach demands. */
static const double ROUNDINGS = 16.0 * DBL_EPSILON;

/* A constraint that is off by `off` (at most 0: it is met), with terms of this size. */
static void judge(gpis_violation *worst, double off, double allowed) {
    worst->most = fmax(worst->most, off);
    worst->broken = worst->broken || off > allowed;
}

/* Column c of X, of k columns. */
static void judge_column(const gpis_polyhedron *p, const double *X, int64_t k, int64_t c, double roundings,
                         gpis_violation *worst) {
    for (int64_t j = 0; j < p->d; j++) judge(worst, fmax(p->lo[j] - X[j * k + c], X[j * k + c] - p->hi[j]), 0.0);
    for (int64_t i = 0; i < p->rows; i++) {
        gpis_sum sum = {0, 0};
        double size = 0.0;
        for (int64_t e = p->first[i]; e < p->first[i + 1]; e++) {
            const double term = p->value[e] * X[p->column[e] * k + c];
            gpis_sum_add(&sum, term);
            size += fabs(term);
        }
        const double value = gpis_sum_value(sum);
        judge(worst, p->lower[i] - value, roundings * (size + fabs(p->lower[i])));
        judge(worst, value - p->upper[i], roundings * (size + fabs(p->upper[i])));
    }
    for (int64_t s = 0; s < p->sums; s++) {
        gpis_sum sum = {-p->R[s], 0};
        for (int64_t j = 0; j < p->d; j++) gpis_sum_add(&sum, p->weight[s * p->d + j] * fabs(X[j * k + c]));
        judge(worst, gpis_sum_value(sum), roundings * 2.0 * p->R[s]);
    }
}

static gpis_status of_polyhedron(const gpis_set *set, const double *X, gpis_violation *worst) {
    const double roundings = set->class->equations ? gpis_set_rounding(1) : ROUNDINGS;
    gpis_polyhedron *list = NULL;
    gpis_status status = GPIS_OK;
    if (!set->polyhedron) {
        status = gpis_polyhedron_create(set->context, set->d, &list);
        if (status == GPIS_OK) status = gpis_polyhedron_add_set(list, set, NULL, NULL);
    }
    for (int64_t c = 0; c < set->k && status == GPIS_OK; c++)
        judge_column(set->polyhedron ? set->polyhedron : list, X, set->k, c, roundings, worst);
    gpis_polyhedron_destroy(list);
    return status;
}

/* A set that is known by its projection, which has rounding errors of its own. */
static gpis_status of_other(gpis_set *set, const double *X, gpis_violation *worst) {
    const int64_t size = set->d * set->k;
    double distance = 0.0;
    const gpis_status status = gpis_set_distance(set, X, &distance);
    judge(worst, distance, 4.0 * gpis_set_rounding(set->d) * gpis_norm2(X, size));
    return status;
}

static gpis_status add_violation(gpis_set *set, const double *X, gpis_violation *worst) {
    gpis_set *piece;
    gpis_status status = GPIS_OK;
    if (gpis_polyhedron_describes(set)) return of_polyhedron(set, X, worst);
    if (!set->class->piece) return of_other(set, X, worst);
    for (int64_t i = 0; status == GPIS_OK && (piece = set->class->piece(set, i)); i++)
        status = add_violation(piece, X, worst);
    return status;
}

gpis_status gpis_set_violation(gpis_set *set, const double *X, gpis_violation *out) {
    *out = (gpis_violation){0};
    return add_violation(set, X, out);
}
