/* The first-order bound, with its rounding terms. */
#include <math.h>

#include "certificate/certificate.h"
#include "certificate/penalised.h"
#include "certificate/rounded.h"
#include "linalg/accurate.h"
#include "set/penalty.h"

/* The errors of <g, x - s>, an entry of g being off by at most errors.product ||a_j||: by the lengths of x and s, or
 * entry by entry. `norms` has d numbers. */
static double cost_of_products(const gpis_set *set, const gpis_point *point, double *norms) {
    double columns2 = 0.0, here = 0.0;
    for (int64_t j = 0; j < set->d; j++) {
        columns2 += point->norms2[j];
        norms[j] = sqrt(point->norms2[j]);
        for (int64_t c = 0; c < set->k; c++) here += norms[j] * fabs(point->x[j * set->k + c]);
    }
    const double reach = gpis_set_radius(set) + gpis_norm2(point->x, set->d * set->k);
    return point->errors.product * fmin(reach * sqrt(columns2 * (double)set->k), here + gpis_set_reach(set, norms));
}

gpis_status gpis_certificate_first(gpis_context *context, gpis_set *set, const gpis_point *point, double *gap) {
    *gap = INFINITY;
    if (!gpis_certificate_has_first(set)) return GPIS_OK;
    if (set->penalty) return gpis_penalised_first(context, set, point, gap);
    const int64_t size = set->d * set->k;
    double *minus_g = gpis_alloc(context, size, sizeof *minus_g);
    if (!minus_g) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < size; i++) minus_g[i] = -point->g[i];
    double support, lost;
    const gpis_status status = gpis_set_support_near(set, minus_g, &support, &lost);
    const double products = cost_of_products(set, point, minus_g); /* minus_g has done its part */
    gpis_free(context, minus_g);
    if (status != GPIS_OK) return status;
    const gpis_errors errors = point->errors;
    const double rounding = products + 2.0 * gpis_bound_dot_error(point->g, point->x, size);
    const double linear = gpis_bound_at_least_zero(gpis_bound_dot(point->g, point->x, size) + support);
    *gap =
        gpis_outward(2.0 * (linear + rounding) + errors.residual * errors.residual + errors.objective, set->d * set->k);
    return GPIS_OK;
}
