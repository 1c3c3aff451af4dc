/*
 * A problem without rows: what its summary of [A 1 Y] says about the columns of the complete problem.
 *
 * The summary of some of the columns is a part of the matrix, without any rounding. The ridge is added to its diagonal
 * in double-double, one rounding.
 */
#include <math.h>
#include <string.h>

#include "api/complete.h"
#include "linalg/dd.h"
#include "pass/ridge.h"

/* ---- standard deviations ---- */

/*
 * s^2 = (M2 - M1^2 / S) / S, with S the sum of the weights, M1 and M2 those of a_ij and a_ij^2. Each of the three sums
 * is known up to gamma times the norms of its columns, so that M2 - M1^2 / S, which is at most M2, is known up to about
 * 4 gamma M2. What is not more than that is nothing: the column counts as one that does not vary, with s = 1.
 */
static double deviation_of(const gpis_quadratic *s, int64_t j, int64_t ones) {
    const gpis_dd S = gpis_quadratic_entry(s, ones, ones), M1 = gpis_quadratic_entry(s, j, ones);
    const gpis_dd M2 = gpis_quadratic_entry(s, j, j);
    const gpis_dd square = gpis_dd_divide(gpis_dd_multiply(M1, M1), S);
    const double left = gpis_dd_value(gpis_dd_subtract(M2, square));
    const bool varies = left > (4.0 * s->gamma + 0x1p-90) * M2.high;
    return varies ? sqrt(left / S.high) : 1.0;
}

gpis_status gpis_complete_spread_of_summary(gpis_completion *c) {
    const gpis_problem *p = &c->problem;
    const int64_t d = p->A->d;
    c->scale = gpis_alloc(p->context, d, sizeof *c->scale);
    for (int64_t j = 0; c->scale && j < d; j++) c->scale[j] = deviation_of(p->summary, j, d);
    return c->scale ? GPIS_OK : GPIS_NO_MEMORY;
}

/* ---- the columns ---- */

/* Copies the summary without row and column `left_out` (-1: all of it). */
static void copy_without(const gpis_quadratic *from, int64_t left_out, gpis_quadratic *to) {
    const int64_t size = from->d + from->k, small = to->d + to->k;
    const int64_t before = left_out < 0 ? size : left_out, after = size - before - (left_out < 0 ? 0 : 1);
    for (int64_t part = 0; part < 2; part++) /* the high parts, then the low parts */
        for (int64_t i = 0; i < small; i++) {
            const double *row = from->W + part * size * size + (i < before ? i : i + 1) * size;
            double *out = to->W + part * small * small + i * small;
            memcpy(out, row, (size_t)before * sizeof *out);
            if (after > 0) memcpy(out + before, row + before + 1, (size_t)after * sizeof *out);
        }
    to->gamma = from->gamma;
    to->response_error = from->response_error;
}

gpis_status gpis_complete_summary(gpis_completion *c) {
    gpis_problem *p = &c->problem;
    const gpis_quadratic *given = p->summary;
    p->terms.response_error = given->response_error;
    if (p->intercept && !p->terms.ridge) return GPIS_OK;
    const gpis_status status = gpis_quadratic_create(p->context, p->d, p->k, &c->summary);
    if (status != GPIS_OK) return status;
    copy_without(given, p->intercept ? -1 : p->A->d, c->summary);
    if (p->terms.ridge) {
        gpis_ridge_add_summary(p->terms.ridge, p->d, p->k, c->summary->W);
        c->summary->gamma = gpis_quadratic_one_more(c->summary->gamma);
    }
    p->summary = c->summary;
    return GPIS_OK;
}
