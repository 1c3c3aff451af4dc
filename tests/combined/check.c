/* Solves one combined problem and judges the answer by the reference: see check.h. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TOLERANCE = 1e-10;

/* A linear constraint may be missed by this many units in the last place of its terms. */
enum { UNITS = 8 };

static bool breaks_row(const combined *p, int i, const double *x) {
    quad sum = 0, size = 0;
    for (int j = 0; j < p->d; j++) {
        const quad term = (quad)p->C[i * p->d + j] * x[j];
        sum += term;
        size += term < 0 ? -term : term;
    }
    const quad lower = p->row_lower[i], upper = p->row_upper[i];
    const quad slack = UNITS * DBL_EPSILON *
                       (size + fmax(isfinite(p->row_lower[i]) ? fabs(p->row_lower[i]) : 0.0,
                                    isfinite(p->row_upper[i]) ? fabs(p->row_upper[i]) : 0.0));
    return sum < lower - slack || sum > upper + slack;
}

static bool breaks_norm(quad size, double R) { return size > R * (1 + UNITS * (quad)DBL_EPSILON); }

static const char *broken(const combined *p, const double *x) {
    quad groups[MAX_COLUMNS] = {0}, sum2 = 0, all = 0;
    for (int j = 0; j < p->d; j++)
        if (x[j] < p->lower[j] || x[j] > p->upper[j]) return "a bound";
    for (int i = 0; i < p->rows; i++)
        if (breaks_row(p, i, x)) return "a linear constraint";
    for (int s = 0; s < p->sums; s++) {
        quad sum = 0;
        for (int j = 0; j < p->d; j++) sum += (quad)p->v[s][j] * fabs(x[j]);
        if (breaks_norm(sum, p->R[s])) return "a sum";
    }
    for (int j = 0; j < p->d; j++) {
        sum2 += (quad)x[j] * x[j];
        groups[p->group[j]] += (quad)x[j] * x[j];
    }
    for (int g = 0; g < p->d; g++) all += quad_sqrt(groups[g]);
    if (p->ball > 0 && breaks_norm(quad_sqrt(sum2), p->ball)) return "the ball";
    return p->group_R > 0 && breaks_norm(all, p->group_R) ? "the sum of norms" : NULL;
}

/* An objective below this is zero to the working accuracy of the data and of x, and counts as solved. */
static double working_accuracy(const combined *p, const double *x, double constant) {
    double sum2 = 0.0;
    for (int i = 0; i < p->n; i++) {
        double terms = fabs(p->y[i]) + fabs(p->offset[i]) + fabs(constant);
        for (int j = 0; j < p->d; j++) terms += fabs(p->A[i * p->d + j] * x[j]);
        sum2 += p->weight[i] * terms * terms;
    }
    return 64.0 * DBL_EPSILON * DBL_EPSILON * sum2;
}

static verdict judge(const combined *p, const gpis_result *r, char *why, size_t size) {
    quad x[MAX_COLUMNS], lowest, highest;
    const char *what = broken(p, r->x);
    for (int j = 0; j < p->d; j++) x[j] = r->x[j];
    const double constant = r->intercept ? r->intercept[0] : 0.0;
    const quad F = combined_value(p, x, constant);
    snprintf(why, size, "%s, objective %.17g, gap %.3g", gpis_outcome_text(r->outcome), r->objective, r->gap);
    if (what) {
        snprintf(why, size, "%s, x breaks %s, violation %.3g told", gpis_outcome_text(r->outcome), what, r->violation);
        return VERDICT_BROKEN;
    }
    if (!combined_bracket(p, &lowest, &highest)) return VERDICT_UNKNOWN;
    const double error = (double)(F - highest), off = fabs((double)(F - r->objective));
    snprintf(why, size, "%s, objective %.17g (off by %.3g), gap %.3g, true error %.3g to %.3g",
             gpis_outcome_text(r->outcome), r->objective, off, r->gap, error, (double)(F - lowest));
    if (r->gap_kind != GPIS_GAP_NONE && (error > r->gap || off > r->gap)) return VERDICT_FALSE;
    if (r->outcome == GPIS_SOLVED && error > TOLERANCE * (double)F + working_accuracy(p, r->x, constant))
        return VERDICT_FALSE;
    return r->outcome == GPIS_SOLVED ? VERDICT_SOLVED : VERDICT_OPEN;
}

verdict check_combined(uint64_t seed, uint64_t number, bool curved, char *why, size_t size) {
    static drawn d;
    static posed p;
    gpis_context *context = NULL;
    gpis_result *result = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.tol = TOLERANCE;
    settings.time_limit = 100.0; /* against a solve that does not end; a busy machine takes its time */
    draw(seed, number, curved, &d);
    gpis_status status = gpis_context_create(&context);
    if (status == GPIS_OK) status = pose(context, &d, &p);
    if (status == GPIS_OK) status = gpis_solve(p.problem, &settings, &result);
    verdict v = VERDICT_FAILED;
    if (status == GPIS_OK)
        v = judge(&d.p, result, why, size);
    else
        snprintf(why, size, "%s", context ? gpis_last_error(context) : gpis_status_text(status));
    const size_t used = strlen(why);
    snprintf(why + used, size - used, "; ");
    describe_drawn(&d, why + used + 2, size > used + 2 ? size - used - 2 : 0);
    gpis_result_destroy(result);
    unpose(&p);
    gpis_context_destroy(context);
    return v;
}
