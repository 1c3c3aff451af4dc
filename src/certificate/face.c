/* The bound on a face: slacks of the columns outside, and the second-order bound of those inside. */
#include "certificate/face.h"

#include <float.h>
#include <math.h>

/* lead^2 must be so many times the gap: the margin covers rounding errors of the gradient (docs/maths). */
static const double LEAD_MARGIN = 1.01;
/* Computed norms of columns may be too small by rounding: so many times the computed norm is an upper bound. */
static const double NORM_MARGIN = 1.0 + 1e-6;

bool gpis_face_applies(const gpis_set *set) { return set->class->select && set->k == 1; }

static bool has_sum(const gpis_set *set) { return set->sum != GPIS_SUM_ANY; }

/* lambda_j / 2. */
static double half_weight(const gpis_set *set, int64_t j) { return set->penalty ? 0.5 * set->penalty[j] : 0.0; }

bool gpis_face_is_at_wall(const gpis_set *set, const double *x, int64_t j) {
    double lo, hi;
    set->class->bounds(set, j, &lo, &hi);
    return has_sum(set) ? x[j] == 0.0 : x[j] == lo || x[j] == hi || (x[j] == 0.0 && half_weight(set, j) > 0.0);
}

/* How much f falls, to first order, for each unit of the sum that is given to entry j. Entries in a sum are 0 at the
 * wall, so that a penalty has the same rate for all steps away. */
static double pull(const gpis_set *set, const double *g, int64_t j) {
    return (set->sum == GPIS_SUM_OF_SIZES_WITHIN ? fabs(g[j]) : -g[j]) - half_weight(set, j);
}

static double slack_at_wall(const gpis_set *set, const double *x, const double *g, int64_t j) {
    double lo, hi;
    set->class->bounds(set, j, &lo, &hi);
    if (lo == hi) return INFINITY;
    if (!(half_weight(set, j) > 0.0)) return x[j] == lo ? g[j] : -g[j];
    const double up = x[j] < hi ? g[j] + (x[j] >= 0.0 ? half_weight(set, j) : -half_weight(set, j)) : INFINITY;
    const double down = x[j] > lo ? -g[j] + (x[j] <= 0.0 ? half_weight(set, j) : -half_weight(set, j)) : INFINITY;
    return fmin(up, down);
}

int64_t gpis_face_slacks(const gpis_set *set, const double *x, const double *g, const bool *member, double *slack) {
    int64_t k = -1;
    for (int64_t j = 0; has_sum(set) && j < set->d; j++)
        if (member[j] && (k < 0 || pull(set, g, j) > pull(set, g, k))) k = j;
    const double best = k < 0 ? -INFINITY : pull(set, g, k);
    for (int64_t j = 0; j < set->d; j++) {
        slack[j] = 0.0;
        if (member[j]) continue;
        if (!gpis_face_is_at_wall(set, x, j))
            slack[j] = -INFINITY;
        else if (!has_sum(set))
            slack[j] = slack_at_wall(set, x, g, j);
        else
            slack[j] = best - pull(set, g, j);
    }
    return k;
}

/* min over j outside the face of slack_j / (||a_j|| + ||a_k||), less what errors of the gradient can have done to it. A
 * column of zeros changes nothing but the sum. */
static double find_lead(const gpis_set *set, const gpis_point *point, const bool *member, double *slack) {
    const int64_t k = gpis_face_slacks(set, point->x, point->g, member, slack);
    const double rounding = 4.0 * DBL_EPSILON * sqrt(point->objective); /* |g_j| <= ||a_j|| ||r|| */
    const double error = point->errors.residual + point->errors.product + rounding;
    const double moved = k < 0 ? 0.0 : NORM_MARGIN * sqrt(point->norms2[k]);
    double lead = INFINITY;
    if (k < 0 && has_sum(set)) return -INFINITY;
    for (int64_t j = 0; j < set->d; j++) {
        const double weight = moved + NORM_MARGIN * sqrt(point->norms2[j]);
        if (member[j]) continue;
        if (weight == 0.0 && set->penalty && slack[j] < 0.0) return -INFINITY; /* it changes h */
        if (weight == 0.0) continue;
        lead = fmin(lead, slack[j] / weight - error);
    }
    return lead;
}

/* The point on the face: its entries there, with the errors of the whole point, as if there were no other columns.
 * `numbers` has space for 3 count of them. */
static gpis_point part_of(const gpis_point *point, const gpis_face *face, double *numbers) {
    double *x = numbers, *g = x + face->count, *norms2 = g + face->count;
    for (int64_t c = 0; c < face->count; c++) {
        x[c] = point->x[face->columns[c]];
        g[c] = point->g[face->columns[c]];
        norms2[c] = point->norms2[face->columns[c]];
    }
    gpis_point part = *point;
    part.x = x;
    part.g = g;
    part.norms2 = norms2;
    return part;
}

gpis_status gpis_certificate_on_face(gpis_context *context, const gpis_set *set, const gpis_point *point,
                                     const gpis_face *face, const double *s, double *gap, double *lead) {
    bool *member = gpis_alloc_zero(context, set->d, sizeof *member);
    double *slack = gpis_alloc(context, set->d + 3 * face->count, sizeof *slack);
    gpis_status status = member && slack ? GPIS_OK : GPIS_NO_MEMORY;
    *gap = INFINITY;
    *lead = -INFINITY;
    if (status == GPIS_OK) {
        for (int64_t c = 0; c < face->count; c++) member[face->columns[c]] = true;
        const gpis_point part = part_of(point, face, slack + set->d);
        *lead = find_lead(set, point, member, slack);
        status = gpis_certificate_curved(context, face->set, &part, face->model, s, gap);
    }
    if (!(*lead > 0.0 && *lead * *lead >= LEAD_MARGIN * *gap)) *gap = INFINITY;
    gpis_free(context, member);
    gpis_free(context, slack);
    return status;
}
