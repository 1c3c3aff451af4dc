/* What an answer claims, held against the reference: see judge.h. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "judge.h"

static const char *const names[] = {
#define FAULT_NAME(name, text, meaning) text,
    FAULT_LIST(FAULT_NAME)
#undef FAULT_NAME
};
static const char *const meanings[] = {
#define FAULT_MEANING(name, text, meaning) meaning,
    FAULT_LIST(FAULT_MEANING)
#undef FAULT_MEANING
};
const char *fault_name(int fault) { return names[fault]; }
const char *fault_meaning(int fault) { return meanings[fault]; }

static quad *widen(const problem *p, const double *x) {
    quad *wide = ALLOCATE(quad, p->d * p->k);
    for (int64_t i = 0; i < p->d * p->k; i++) wide[i] = x[i];
    return wide;
}

/* What rounding of this x and of A x can do to a residual of double precision, for terms of this size. */
static quad rounding(const problem *p, quad size2) { return 4 * (quad)(p->d + 8) * (quad)DBL_EPSILON * sqrtq(size2); }

/* A^2: the squared norm of column j. */
static quad column_norm2(const problem *p, int64_t j) {
    quad sum = 0;
    for (int64_t i = 0; i < p->n; i++) sum += (quad)p->A[i * p->d + j] * p->A[i * p->d + j];
    return sum;
}

/* ||D (best - x)|| / ||Y||, where a column of zeros counts like the longest one. */
static quad distance(const problem *p, const quad *x, const quad *best) {
    quad sum = 0, longest = 0, y2 = 0;
    for (int64_t j = 0; j < p->d; j++) longest = fmaxq(longest, column_norm2(p, j));
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t c = 0; c < p->k; c++) {
            const quad norm2 = column_norm2(p, j), move = best[j * p->k + c] - x[j * p->k + c];
            sum += (norm2 > 0 ? norm2 : longest) * move * move;
        }
    for (int64_t i = 0; i < p->n * p->k; i++) y2 += (quad)p->Y[i] * p->Y[i];
    return sqrtq(sum / y2);
}

/* At least how much f may be higher at a member of K near s = x + t (best - x) than it is at s, where x breaks
 * constraints by `violation` of the numbers that they compare: 2 ||residual|| ||A (member - s)||, for a member that is
 * four times as far away as x breaks its largest number. */
static quad cost_of_membership(const problem *p, const quad *x, quad f, double violation) {
    quad longest2 = 0, size2 = 0;
    for (int64_t j = 0; j < p->d; j++) longest2 = fmaxq(longest2, column_norm2(p, j));
    for (int64_t i = 0; i < p->d * p->k; i++) size2 += x[i] * x[i];
    return 8 * sqrtq(f * longest2 * size2) * violation;
}

/* The least objective that is known of a point of K within the horizon of the claim: that of the reference, or of the
 * point where the way to it leaves the horizon. *beyond says which. */
static quad least_within(const problem *p, const quad *x, const quad *best, verdict *v, int *beyond) {
    const quad horizon = v->answer.horizon, away = horizon > 0 ? distance(p, x, best) : 0;
    *beyond = away > horizon;
    if (!*beyond) return v->reference.value;
    quad error, size2, *s = ALLOCATE(quad, p->d * p->k);
    for (int64_t i = 0; i < p->d * p->k; i++) s[i] = x[i] + horizon / away * (1 - (quad)1e-9) * (best[i] - x[i]);
    const quad f = reference_objective(p, s, &error, &size2);
    free(s);
    return f + cost_of_membership(p, x, f, v->violation);
}

/* A gap for data nearby (nearness > 0) is no claim about f*. */
void judge_answer(const problem *p, const double *x, const quad *best, verdict *v) {
    const answer *a = &v->answer;
    const reference *r = &v->reference;
    int beyond;
    quad error, size2, *wide = widen(p, x);
    const quad f = reference_objective(p, wide, &error, &size2), off = rounding(p, size2);
    const quad certain = r->error + error, larger = f > (quad)a->objective ? f : (quad)a->objective;
    const int exact_data = a->nearness == 0 && r->feasible;
    v->f = f;
    v->excess = larger - r->value;
    v->violation = (double)reference_violation(p, wide);
    const quad excess = larger - least_within(p, wide, best, v, &beyond);
    const int lie = exact_data && a->claim != CLAIM_NONE && isfinite(a->gap) && excess - certain > (quad)a->gap;
    const int zero = a->gap >= a->objective;
    const int off_by_more =
        exact_data && !lie && f - r->value - certain > (quad)(p->tol * (1 + 1e-6)) * r->value + off * off;
    add_fault(v, FAULT_FALSE_GAP, lie && !zero);
    add_fault(v, FAULT_FALSE_ZERO, lie && zero);
    add_fault(v, FAULT_FALSE_SOLVED, a->solved && off_by_more && !beyond);
    add_fault(v, FAULT_BEYOND, a->solved && off_by_more && beyond);
    add_fault(v, FAULT_FAR,
              v->newton && !a->solved && r->feasible &&
                  f - r->value - certain > (quad)(10 * p->tol) * r->value + off * off);
    add_fault(v, FAULT_OUTSIDE, v->violation > 16 * (double)(p->d * p->k + 16) * DBL_EPSILON);
    const quad sum = p->set.penalty ? 4 * (quad)DBL_EPSILON * f : 0; /* of the penalty, and with it */
    add_fault(v, FAULT_OFF_OBJECTIVE, fabsq(f - (quad)a->objective) > 2 * sqrtq(f) * off + off * off + sum);
    free(wide);
}

void judge_tighter(const problem *p, const double *x, verdict *v) {
    quad error, size2, *wide = widen(p, x);
    const quad f = reference_objective(p, wide, &error, &size2), off = rounding(p, size2);
    v->tighter = 1;
    v->tighter_excess = f - v->reference.value;
    add_fault(v, FAULT_WORSE,
              f - v->f > 8 * (quad)DBL_EPSILON * v->f + off * off &&
                  v->tighter_excess > 2 * (v->f - v->reference.value));
    free(wide);
}
