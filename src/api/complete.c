/* The complete problem: what the terms are together. */
#include "api/complete.h"

#include <inttypes.h>
#include <math.h>

#include "api/problem.h"
#include "api/spread.h"
#include "linalg/accurate.h"
#include "linalg/rounding.h"
#include "ranks/ranks.h"
#include "set/extend.h"

void gpis_complete_end(gpis_completion *c) {
    gpis_context *context = c->problem.context;
    if (!context) return;
    gpis_set_destroy(c->core);
    gpis_set_destroy(c->every_core);
    gpis_set_destroy(c->extended);
    gpis_set_destroy(c->every_x);
    gpis_free(context, c->Y);
    gpis_free(context, c->scale);
    gpis_free(context, c->ridge);
    gpis_free(context, c->penalty);
    gpis_quadratic_destroy(c->summary);
    *c = (gpis_completion){0};
}

/* ---- what fits ---- */

static gpis_status check_terms(const gpis_problem *p) {
    gpis_context *context = p->context;
    if (p->refused & GPIS_REFUSED_RESPONSE)
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "the problem has no y: the one that was given did not fit; give it another one by "
                         "gpis_problem_response");
    if (p->k < 1)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the problem has no y: give it one by gpis_problem_response");
    if (p->refused & GPIS_REFUSED_SET)
        return gpis_fail(context, GPIS_BAD_SHAPE, "the set of the problem did not fit; give it another one");
    if (p->refused)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the %s of the problem did not fit; give it again",
                         p->refused & GPIS_REFUSED_WEIGHTS  ? "weights"
                         : p->refused & GPIS_REFUSED_OFFSET ? "offset"
                         : p->refused & GPIS_REFUSED_RIDGE  ? "ridge"
                                                            : "penalty");
    if (p->offset && p->offset_k != p->k)
        return gpis_fail(context, GPIS_BAD_SHAPE, "the offset has %" PRId64 " columns and y has %" PRId64, p->offset_k,
                         p->k);
    return p->set && p->set->k != p->k ? gpis_problem_refuse_shape(p, p->set, p->k) : GPIS_OK;
}

gpis_status gpis_complete_begin(const gpis_problem *given, gpis_completion *c) {
    *c = (gpis_completion){.problem = *given};
    const gpis_status status = check_terms(given);
    if (status != GPIS_OK) return status;
    gpis_problem *p = &c->problem;
    p->terms = (gpis_terms){.weights = given->weights, .constant = given->intercept};
    p->d = given->d + given->intercept;
    if (gpis_checked_mul(p->d, p->k, &p->size)) return GPIS_OK;
    return gpis_fail(p->context, GPIS_TOO_LARGE, "x of %" PRId64 " x %" PRId64 " coefficients is too large", p->d,
                     p->k);
}

/* ---- the response ---- */

gpis_status gpis_complete_response(gpis_completion *c) {
    gpis_problem *p = &c->problem;
    const int64_t count = gpis_ranks_rows_here(p->A) * p->k;
    double lost2 = 0.0;
    if (!p->offset) return GPIS_OK;
    c->Y = gpis_alloc(p->context, gpis_max64(1, count), sizeof *c->Y);
    if (!c->Y) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(p->offset[i]))
            return gpis_fail(p->context, GPIS_BAD_DATA, "offset: row %" PRId64 ", column %" PRId64 " is %g",
                             i / p->k + 1, i % p->k + 1, p->offset[i]);
        double y = p->Y[i];
        const double lost = gpis_two_sum(&y, -p->offset[i]);
        c->Y[i] = y;
        if (isfinite(y)) lost2 += (p->weights ? p->weights[i / p->k] : 1.0) * lost * lost;
    }
    p->Y = c->Y;
    p->terms.response_error = gpis_outward(sqrt(lost2), count);
    return GPIS_OK;
}

/* ---- what ranks do together ---- */

/* Whether some weight is not zero, and the rounding error of the response over all ranks. */
static gpis_status add_up_ranks(gpis_problem *p) {
    const int64_t rows = gpis_ranks_rows_here(p->A);
    double sums[2] = {0.0, p->terms.response_error * p->terms.response_error};
    for (int64_t i = 0; p->weights && i < rows && sums[0] == 0.0; i++) sums[0] = p->weights[i];
    const gpis_status status = gpis_ranks_sum(p->A, sums, 2);
    if (status != GPIS_OK) return status;
    p->terms.response_error = gpis_outward(sqrt(sums[1]), gpis_ranks_count(p->A));
    if (!p->weights || sums[0] > 0.0) return GPIS_OK;
    return gpis_fail(p->context, GPIS_BAD_DATA, "all weights are zero: no row counts");
}

/* ridge_j = ridge s_j^2, and 0 for b. */
static gpis_status make_ridge(gpis_completion *c) {
    gpis_problem *p = &c->problem;
    if (p->ridge == 0.0) return GPIS_OK;
    c->ridge = gpis_alloc_zero(p->context, p->d, sizeof *c->ridge);
    if (!c->ridge) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < p->A->d; j++) c->ridge[j] = c->scale ? p->ridge * c->scale[j] * c->scale[j] : p->ridge;
    p->terms.ridge = c->ridge;
    return GPIS_OK;
}

gpis_status gpis_complete_together(gpis_completion *c) {
    gpis_problem *p = &c->problem;
    gpis_status status = p->weights || p->offset ? add_up_ranks(p) : GPIS_OK;
    if (status != GPIS_OK) return status;
    if (p->standardize)
        status = p->summary ? gpis_complete_spread_of_summary(c) : gpis_spread_find(p, &c->scale, &c->sweeps);
    if (status == GPIS_OK) status = make_ridge(c);
    if (status == GPIS_OK && p->summary) status = gpis_complete_summary(c);
    return p->weights || p->offset || p->standardize || p->ridge > 0.0 ? gpis_ranks_agree(p->A, status) : status;
}

/* ---- the set ---- */

/* Every X of d rows. */
static gpis_status make_every_x(const gpis_problem *p, int64_t d, gpis_set **out) {
    const gpis_status status = gpis_set_none(p->context, d, out);
    return status == GPIS_OK ? gpis_set_responses(*out, p->k) : status;
}

/* s_j lambda_j, and 0 for b. */
static gpis_status make_penalty(gpis_completion *c) {
    gpis_problem *p = &c->problem;
    if (!p->penalty) return GPIS_OK;
    c->penalty = gpis_alloc_zero(p->context, p->d, sizeof *c->penalty);
    for (int64_t j = 0; c->penalty && j < p->A->d; j++)
        c->penalty[j] = c->scale ? c->scale[j] * p->penalty[j] : p->penalty[j];
    return c->penalty ? GPIS_OK : GPIS_NO_MEMORY;
}

/* K without b, for first-order bounds (certificate/centred.h): it may be bounded, which K with b is not. */
static gpis_status make_core(gpis_completion *c, gpis_set *K, const double *scale) {
    gpis_problem *p = &c->problem;
    gpis_status status = GPIS_OK;
    if (!K) status = make_every_x(p, p->A->d, &c->every_core);
    p->core = K ? K : c->every_core;
    const gpis_extension extension = {.scale = scale, .penalty = c->penalty};
    if (status != GPIS_OK || (!scale && !c->penalty)) return status;
    status = gpis_set_extend(p->context, p->core, &extension, &c->core);
    p->core = c->core;
    return status;
}

gpis_status gpis_complete_set(gpis_completion *c) {
    gpis_problem *p = &c->problem;
    gpis_set *const K = p->set;
    const bool whole = !K || K->shape == GPIS_SHAPE_WHOLE;
    const double *scale = whole ? NULL : c->scale;
    gpis_status status = make_penalty(c);
    if (status == GPIS_OK && p->intercept) status = make_core(c, K, scale);
    if (status == GPIS_OK && (!K || (whole && p->intercept))) {
        status = make_every_x(p, p->d, &c->every_x);
        p->set = c->every_x;
    }
    const gpis_extension extension = {.constant = !whole && p->intercept, .scale = scale, .penalty = c->penalty};
    if (status != GPIS_OK || (!extension.constant && !extension.scale && !extension.penalty)) return status;
    status = gpis_set_extend(p->context, p->set, &extension, &c->extended);
    p->set = c->extended;
    return status;
}
