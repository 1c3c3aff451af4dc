/* The first-order bound with a free last entry: the point without that entry, with its errors. */
#include "certificate/centred.h"

#include <float.h>
#include <math.h>

#include "certificate/penalised.h"
#include "linalg/rounding.h"

/* The last entries of the gradient, one for each response: what they are worth. */
typedef struct constant {
    double N, root; /* ||1||^2 and ||1|| */
    double largest; /* of |g_b| */
    double squares; /* an upper bound on the sum of g_b^2 / N */
} constant;

static constant constant_of(const gpis_set *set, const gpis_point *point) {
    const double N = point->norms2[set->d];
    constant c = {.N = N, .root = sqrt(N)};
    for (int64_t i = 0; i < set->k; i++) {
        const double g = fabs(point->g[set->d * set->k + i]);
        const double part = g / c.root + point->errors.residual + point->errors.product;
        c.largest = fmax(c.largest, g);
        c.squares += part * part;
    }
    c.squares *= 1.0 + ((double)set->k + 16.0) * DBL_EPSILON;
    return c;
}

/*
 * g' in `g`, and a bound on its error in units of ||a_j||. The error of g_j is at most product ||a_j|| apart from A'e,
 * which the point keeps as the error of the residual, so that m_j g_b adds as much again, since |m_j| ||1|| <= ||a_j||.
 * m_j is known up to 3 (gamma + 2^-53) ||a_j|| / ||1||; and the two operations that make g' round.
 */
static double reduce(const gpis_set *set, const gpis_point *point, gpis_column_sums sums, const constant *c,
                     double *g) {
    const double eta = point->errors.product, *last = point->g + set->d * set->k;
    double rounding = 0.0;
    for (int64_t j = 0; j < set->d; j++) {
        const double m = sums.sum[j] / c->N;
        for (int64_t i = 0; i < set->k; i++) {
            const double own = point->g[j * set->k + i], part = m * last[i];
            g[j * set->k + i] = own - part;
            if (point->norms2[j] > 0.0)
                rounding = fmax(rounding, GPIS_UNIT * (fabs(own) + 3.0 * fabs(part)) / sqrt(point->norms2[j]));
        }
    }
    const double of_means = 3.0 * (sums.gamma + GPIS_UNIT) * (c->largest / c->root + eta + point->errors.residual);
    return 1.001 * (2.0 * eta + of_means + rounding);
}

double gpis_column_sums_gamma(int64_t n) { return gpis_outward(((double)n + 8.0) * GPIS_UNIT, n); }

/* The point without its last entry, with space for its gradient in `g`. */
static gpis_point reduced_point(const gpis_set *set, const gpis_point *point, gpis_column_sums sums, double *g) {
    const constant c = constant_of(set, point);
    gpis_point reduced = *point;
    reduced.g = g;
    reduced.g_low = NULL;
    reduced.errors.product = reduce(set, point, sums, &c, g);
    reduced.errors.objective += c.squares;
    return reduced;
}

gpis_status gpis_certificate_centred(gpis_context *context, gpis_set *set, const gpis_point *point,
                                     gpis_column_sums sums, double *gap) {
    *gap = INFINITY;
    if (!(point->norms2[set->d] > 0.0) || !gpis_certificate_has_first(set)) return GPIS_OK;
    double *g = gpis_alloc(context, set->d * set->k, sizeof *g);
    if (!g) return GPIS_NO_MEMORY;
    const gpis_point reduced = reduced_point(set, point, sums, g);
    const gpis_status status = gpis_certificate_first(context, set, &reduced, gap);
    gpis_free(context, g);
    return status;
}

gpis_status gpis_certificate_centred_within(gpis_context *context, gpis_set *set, const gpis_point *point,
                                            gpis_column_sums sums, double level, double *gap) {
    *gap = INFINITY;
    if (!(point->norms2[set->d] > 0.0)) return GPIS_OK;
    double *g = gpis_alloc(context, set->d * set->k, sizeof *g);
    if (!g) return GPIS_NO_MEMORY;
    const gpis_point reduced = reduced_point(set, point, sums, g);
    const gpis_status status = gpis_penalised_within(context, set, &reduced, level, gap);
    gpis_free(context, g);
    return status;
}
