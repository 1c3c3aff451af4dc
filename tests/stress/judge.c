/* One problem from its number to the verdict: see judge.h. */
#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void introduce(const problem *p, verdict *v) {
    problem_describe(p, v->text, sizeof v->text);
    constraint_name(&p->set, v->set, sizeof v->set);
    snprintf(v->method, sizeof v->method, "%s", p->method);
    snprintf(v->storage, sizeof v->storage, "%s", storage_name(p->storage));
    v->newton = p->max_passes == 0;
    v->flavours = p->flavours;
    v->entries = p->n * p->d;
    v->step = STEP_DRAWN;
}

static void time_against_dgelsy(const problem *p, verdict *v, double *x) {
    answer again;
    if (!v->newton || p->threads > 1 || p->d < 2 || 2.0 * (double)(p->n * p->d * p->d) < 1e6) return;
    const double seconds = time_dgelsy(p);
    if (seconds < 1e-3) return;
    for (int attempt = 0; attempt < 2 && v->answer.seconds < 0.5; attempt++) { /* the machine may have been busy */
        run_gpis(p, p->tol, &again, x);
        if (!again.refused && again.seconds < v->answer.seconds) v->answer.seconds = again.seconds;
    }
    v->dgelsy = seconds;
    add_fault(v, FAULT_SLOW, v->answer.seconds > 20 * seconds);
}

/* Quadruple precision takes some seconds for this many operations. What larger problems claim is not judged. */
static int fits_reference(const problem *p) { return p->d <= 64 && (double)(p->n * p->d * p->d) <= 1e8; }

static void solve_and_judge(const problem *p, verdict *v, void (*reached)(const verdict *v)) {
    double *x = ALLOCATE(double, p->d * p->k), *tighter = ALLOCATE(double, p->d * p->k);
    answer *a = &v->answer, second = {.refused = 1};
    run_gpis(p, p->tol, a, x);
    v->step = STEP_FIRST;
    if (p->again && !a->refused) run_gpis(p, p->tol * 1e-3, &second, tighter);
    add_fault(v, FAULT_REFUSED, a->refused);
    add_fault(v, FAULT_SILENT, !a->refused && a->stalled && !a->text[0]);
    add_fault(v, FAULT_PASSES, !a->refused && v->newton && a->passes > 60);
    add_fault(v, FAULT_UNSOLVED, !a->refused && v->newton && !a->solved);
    v->step = STEP_ANSWERED;
    if (reached) reached(v);
    if (!a->refused) {
        const double before = now();
        quad *best = ALLOCATE(quad, p->d * p->k);
        if (fits_reference(p)) v->reference = reference_solve(p, x, best);
        v->reference_seconds = now() - before;
        judge_answer(p, x, best, v);
        free(best);
        if (!second.refused) judge_tighter(p, tighter, v);
        time_against_dgelsy(p, v, tighter);
    }
    v->step = STEP_JUDGED;
    free(x);
    free(tighter);
}

void judge(uint64_t seed, uint64_t number, const char *only, verdict *v, void (*reached)(const verdict *v)) {
    *v = (verdict){.number = number};
    problem p = problem_draw(seed, number);
    introduce(&p, v);
    if (reached) reached(v);
    v->left_out = only && strcmp(only, v->set) != 0;
    if (!v->left_out) solve_and_judge(&p, v, reached);
    problem_clear(&p);
}
