/* What the bounds are about: the objective of a point, with its penalty, and for which sets a gradient alone bounds it.
 */
#include <float.h>
#include <math.h>

#include "certificate/certificate.h"
#include "set/penalty.h"

double gpis_certificate_objective(const gpis_set *set, const gpis_point *point) {
    return set->penalty ? point->objective + gpis_set_height(set, point->x) : point->objective;
}

/* The sum of f and h is rounded once. */
double gpis_certificate_noise(const gpis_set *set, const gpis_point *point) {
    if (!set->penalty) return point->errors.objective;
    const double h = gpis_set_height(set, point->x);
    return point->errors.objective + gpis_set_height_error(set) * h + DBL_EPSILON * (point->objective + h);
}

bool gpis_certificate_has_first(const gpis_set *set) {
    if (!set->has_support) return false;
    if (gpis_set_is_bounded(set)) return true;
    for (int64_t j = 0; set->penalty && j < set->d; j++) {
        double lo = -INFINITY, hi = INFINITY;
        if (set->class->bounds) set->class->bounds(set, j, &lo, &hi);
        if ((isinf(lo) || isinf(hi)) && !(set->penalty[j] > 0.0)) return false;
    }
    return set->penalty && set->class->bounds;
}
