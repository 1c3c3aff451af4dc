/* How far a point breaks the constraints of a set. */
#include <math.h>

#include "linalg/accurate.h"
#include "set/polyhedron.h"
#include "set/price.h"

/* The largest amount by which column c of X breaks a constraint of the list. */
static double outside(const gpis_polyhedron *p, const double *X, int64_t k, int64_t c) {
    double worst = 0.0;
    for (int64_t j = 0; j < p->d; j++) worst = fmax(worst, fmax(p->lo[j] - X[j * k + c], X[j * k + c] - p->hi[j]));
    for (int64_t i = 0; i < p->rows; i++) {
        gpis_sum sum = {0, 0};
        for (int64_t e = p->first[i]; e < p->first[i + 1]; e++)
            gpis_sum_add(&sum, p->value[e] * X[p->column[e] * k + c]);
        const double value = gpis_sum_value(sum);
        worst = fmax(worst, fmax(p->lower[i] - value, value - p->upper[i]));
    }
    for (int64_t s = 0; s < p->sums; s++) {
        gpis_sum sum = {-p->R[s], 0};
        for (int64_t j = 0; j < p->d; j++) gpis_sum_add(&sum, p->weight[s * p->d + j] * fabs(X[j * k + c]));
        worst = fmax(worst, gpis_sum_value(sum));
    }
    return worst;
}

static gpis_status of_polyhedron(const gpis_set *set, const double *X, double *violation) {
    gpis_polyhedron *list = NULL;
    gpis_status status = GPIS_OK;
    if (!set->polyhedron) {
        status = gpis_polyhedron_create(set->context, set->d, &list);
        if (status == GPIS_OK) status = gpis_polyhedron_add_set(list, set, NULL, NULL);
    }
    *violation = 0.0;
    for (int64_t c = 0; c < set->k && status == GPIS_OK; c++)
        *violation = fmax(*violation, outside(set->polyhedron ? set->polyhedron : list, X, set->k, c));
    gpis_polyhedron_destroy(list);
    return status;
}

gpis_status gpis_set_violation(gpis_set *set, const double *X, double *violation) {
    gpis_set *piece;
    gpis_status status = GPIS_OK;
    if (gpis_polyhedron_describes(set)) return of_polyhedron(set, X, violation);
    if (!set->class->piece) return gpis_set_distance(set, X, violation);
    *violation = 0.0;
    for (int64_t i = 0; status == GPIS_OK && (piece = set->class->piece(set, i)); i++) {
        double one;
        status = gpis_set_violation(piece, X, &one);
        if (status == GPIS_OK) *violation = fmax(*violation, one);
    }
    return status;
}
