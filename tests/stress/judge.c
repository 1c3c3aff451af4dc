/* One problem from its number to the verdict: see judge.h. */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reference.h"

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

static void add_fault(verdict *v, int fault, int present) {
    if (present) v->faults |= UINT32_C(1) << fault;
}

static quad objective_at(const problem *p, const double *x, quad *error, quad *size2) {
    quad *wide = ALLOCATE(quad, p->d * p->k);
    for (int64_t i = 0; i < p->d * p->k; i++) wide[i] = x[i];
    const quad value = reference_objective(p, wide, error, size2);
    free(wide);
    return value;
}

/* What double precision can do at best for an f that is the square of a difference of terms of this size. */
static quad working_accuracy(const problem *p, quad f, quad size2) {
    const quad off = 4 * (quad)(p->d + 8) * (quad)DBL_EPSILON * sqrtq(size2);
    return 2 * sqrtq(f) * off + off * off;
}

/* What can be said against the answer itself. A gap for data nearby (backward_error > 0) is no claim about f*. */
static void judge_answer(const problem *p, const double *x, const reference *r, verdict *v) {
    const answer *a = &v->answer;
    quad error, size2;
    const quad f = objective_at(p, x, &error, &size2);
    const quad larger = f > (quad)a->objective ? f : (quad)a->objective, certain = r->error + error;
    const quad excess = larger - r->value;
    v->f = (double)f;
    v->least = (double)r->value;
    v->width = (double)r->width;
    v->sharp = r->sharp;
    v->excess = (double)excess;
    v->violation = (double)reference_violation(p, x);
    const int claims = a->claim != CLAIM_NONE && a->backward_error == 0;
    add_fault(v, FAULT_FALSE_GAP, claims && isfinite(a->gap) && excess - certain > (quad)a->gap);
    const quad off = 4 * (quad)(p->d + 8) * (quad)DBL_EPSILON * sqrtq(size2); /* f of a fit exact in double */
    add_fault(v, FAULT_FALSE_SOLVED,
              a->solved && a->backward_error == 0 && !has_fault(v, FAULT_FALSE_GAP) &&
                  f - r->value - certain > (quad)(p->tol * (1 + 1e-6)) * r->value + off * off);
    add_fault(v, FAULT_OUTSIDE, v->violation > 16 * (double)(p->d * p->k + 16) * DBL_EPSILON);
    add_fault(v, FAULT_OFF_OBJECTIVE, fabsq(f - (quad)a->objective) > working_accuracy(p, f, size2));
}

static void judge_tighter(const problem *p, const double *tighter, const reference *r, verdict *v) {
    quad error, size2;
    const quad f = objective_at(p, tighter, &error, &size2), before = (quad)v->f;
    v->tighter_excess = (double)(f - r->value);
    add_fault(v, FAULT_WORSE,
              f - before > 8 * (quad)DBL_EPSILON * before + working_accuracy(p, 0, size2) &&
                  f - r->value > 2 * (before - r->value));
}

static void time_against_dgelsy(const problem *p, verdict *v, double *x) {
    answer again;
    if (!v->newton || p->threads > 1 || p->d < 2 || 2.0 * (double)(p->n * p->d * p->d) < 4e6) return;
    const double seconds = time_dgelsy(p);
    if (seconds < 1e-3) return;
    run_gpis(p, p->tol, &again, x); /* the first solve has also started threads and loaded pages */
    if (again.seconds < v->answer.seconds) v->answer.seconds = again.seconds;
    v->dgelsy = seconds;
    add_fault(v, FAULT_SLOW, v->answer.seconds > 20 * seconds);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void introduce(const problem *p, verdict *v) {
    problem_describe(p, v->text, sizeof v->text);
    constraint_name(&p->set, v->set, sizeof v->set);
    snprintf(v->method, sizeof v->method, "%s", p->method);
    v->newton = p->max_passes == 0;
    v->flavours = p->flavours;
    v->entries = p->n * p->d;
    v->tighter_excess = NAN;
    v->step = STEP_DRAWN;
}

void judge(uint64_t seed, uint64_t number, verdict *v) {
    *v = (verdict){.number = number};
    problem p = problem_draw(seed, number);
    introduce(&p, v);
    double *x = ALLOCATE(double, p.d *p.k), *tighter = ALLOCATE(double, p.d *p.k);
    answer second = {.refused = 1};
    run_gpis(&p, p.tol, &v->answer, x);
    if (p.again && !v->answer.refused) run_gpis(&p, p.tol * 1e-3, &second, tighter);
    add_fault(v, FAULT_REFUSED, v->answer.refused);
    add_fault(v, FAULT_SILENT, !v->answer.refused && v->answer.stalled && !v->answer.text[0]);
    add_fault(v, FAULT_PASSES, !v->answer.refused && v->newton && v->answer.passes > 60);
    add_fault(v, FAULT_UNSOLVED, !v->answer.refused && v->newton && !v->answer.solved);
    v->step = STEP_ANSWERED;
    if (!v->answer.refused) {
        const double before = now();
        const reference r = reference_solve(&p, x, NULL);
        judge_answer(&p, x, &r, v);
        if (!second.refused) judge_tighter(&p, tighter, &r, v);
        v->reference_seconds = now() - before;
        time_against_dgelsy(&p, v, tighter);
    }
    v->step = STEP_JUDGED;
    free(x);
    free(tighter);
    problem_clear(&p);
}
