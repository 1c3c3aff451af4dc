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

/* Column c of X, of k columns, whose entries are known up to `grain`. */
static void judge_column(const gpis_polyhedron *p, const double *X, int64_t k, int64_t c, double roundings,
                         double grain, gpis_violation *worst) {
    for (int64_t j = 0; j < p->d; j++) judge(worst, fmax(p->lo[j] - X[j * k + c], X[j * k + c] - p->hi[j]), grain);
    for (int64_t i = 0; i < p->rows; i++) {
        gpis_sum sum = {0, 0};
        double size = 0.0, unknown = 0.0;
        for (int64_t e = p->first[i]; e < p->first[i + 1]; e++) {
            const double term = p->value[e] * X[p->column[e] * k + c];
            gpis_sum_add(&sum, term);
            size += fabs(term);
            unknown += fabs(p->value[e]) * grain;
        }
        const double value = gpis_sum_value(sum);
        judge(worst, p->lower[i] - value, roundings * (size + fabs(p->lower[i])) + unknown);
        judge(worst, value - p->upper[i], roundings * (size + fabs(p->upper[i])) + unknown);
    }
    for (int64_t s = 0; s < p->sums; s++) {
        gpis_sum sum = {-p->R[s], 0};
        double unknown = 0.0;
        for (int64_t j = 0; j < p->d; j++) {
            gpis_sum_add(&sum, p->weight[s * p->d + j] * fabs(X[j * k + c]));
            unknown += p->weight[s * p->d + j] * grain;
        }
        judge(worst, gpis_sum_value(sum), roundings * 2.0 * p->R[s] + unknown);
    }
}

static gpis_status of_polyhedron(gpis_set *set, const double *X, double grain, gpis_violation *worst) {
    const double roundings = set->class->equations ? gpis_set_rounding(1) : ROUNDINGS;
    const gpis_polyhedron *list;
    const gpis_status status = gpis_polyhedron_of(set, &list);
    for (int64_t c = 0; c < set->k && status == GPIS_OK; c++) judge_column(list, X, set->k, c, roundings, grain, worst);
    return status;
}

/* A set that is known by its projection, which has rounding errors of its own. */
static gpis_status of_other(gpis_set *set, const double *X, double grain, gpis_violation *worst) {
    const int64_t size = set->d * set->k;
    double distance = 0.0;
    const gpis_status status = gpis_set_distance(set, X, &distance);
    judge(worst, distance, 4.0 * gpis_set_rounding(set->d) * gpis_norm2(X, size) + grain * sqrt((double)size));
    return status;
}

static gpis_status add_violation(gpis_set *set, const double *X, double grain, gpis_violation *worst);

/* Z = T^-1 X, a column at a time; `column` has 2 d numbers. */
static void turn_columns(const gpis_set *set, const double *X, double *column, double *Z) {
    const int64_t d = set->d, k = set->k;
    for (int64_t c = 0; c < k; c++) {
        for (int64_t j = 0; j < d; j++) column[j] = X[j * k + c];
        set->class->turn(set, GPIS_TO_INSIDE, 1, column, column + d);
        for (int64_t j = 0; j < d; j++) Z[j * k + c] = column[d + j];
    }
}

/* A set that is another one in other coordinates is judged there: in x, the errors of its projection would count. The
 * coordinates have rounding errors of their own. */
static gpis_status of_inside(const gpis_set *set, const double *X, double grain, gpis_violation *worst) {
    const int64_t size = set->d * set->k;
    double *Z = gpis_alloc(set->context, size, sizeof *Z);
    double *column = gpis_alloc(set->context, 2 * set->d, sizeof *column);
    gpis_status status = Z && column ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        turn_columns(set, X, column, Z);
        status = add_violation(set->inside, Z, grain + gpis_set_rounding(set->d) * gpis_norm2(Z, size), worst);
    }
    gpis_free(set->context, column);
    gpis_free(set->context, Z);
    return status;
}

static gpis_status add_violation(gpis_set *set, const double *X, double grain, gpis_violation *worst) {
    gpis_set *piece;
    gpis_status status = GPIS_OK;
    if (gpis_polyhedron_describes(set)) return of_polyhedron(set, X, grain, worst);
    if (set->inside && set->loose == 0) return of_inside(set, X, grain, worst);
    if (!set->class->piece) return of_other(set, X, grain, worst);
    for (int64_t i = 0; status == GPIS_OK && (piece = set->class->piece(set, i)); i++)
        status = add_violation(piece, X, grain, worst);
    return status;
}

gpis_status gpis_set_violation(gpis_set *set, const double *X, gpis_violation *out) {
    *out = (gpis_violation){0};
    return add_violation(set, X, 0.0, out);
}
