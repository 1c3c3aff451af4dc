/*
 * Answers of gpis to difficult problems with a reference in quadruple precision: fits that are exact or nearly exact,
 * on every set that holds the x behind them; and a tighter tolerance, which must not give a worse x.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "generate.h"
#include "judge.h"

enum { N = 40, D = 6 };

/* ---- exact and nearly exact fits -------------------------------------------------------------------------------- */

/* A set of each kind with x on its boundary, where it has one that x can be on; x is changed to be a member. */
static constraint around(set_kind kind, double *x, double *lower, double *upper, double *row, double *sum) {
    constraint c = {.kind = kind, .d = D, .size = 2, .lower = lower, .upper = upper, .rows = 1, .C = row, .b = sum};
    double sizes = 0, squares = 0, groups = 0, jumps = 0, largest = 0;
    for (int j = 0; j < D; j++) {
        if (kind == KIND_NONNEG || kind == KIND_SIMPLEX || kind == KIND_CAPPED_SIMPLEX) x[j] = fabs(x[j]);
        if (kind == KIND_MONOTONE && j > 0 && x[j] < x[j - 1]) x[j] = x[j - 1];
    }
    for (int j = 0; j < D; j++) {
        sizes += fabs(x[j]);
        squares = hypot(squares, x[j]);
        largest = fmax(largest, fabs(x[j]));
        if (j % 2) groups += hypot(x[j - 1], x[j]);
        if (j > 0) jumps += fabs(x[j] - x[j - 1]);
        lower[j] = j % 2 ? x[j] : -4; /* at a bound, or not */
        upper[j] = 4;
        row[j] = 1;
    }
    *sum = x[0] + x[1] + x[2] + x[3] + x[4] + x[5];
    c.R = kind == KIND_L2 || kind == KIND_NUCLEAR ? squares
          : kind == KIND_LINF                     ? largest
          : kind == KIND_GROUP                    ? groups
          : kind == KIND_TV                       ? jumps
                                                  : sizes;
    return c;
}

static void expect_solved(set_kind kind, double noise, uint64_t number) {
    double A[N * D], y[N], x[D], lower[D], upper[D], row[D], sum, found[D], norm = 0;
    draw r = draw_begin(20, number, 1);
    for (int i = 0; i < N * D; i++) A[i] = (double)draw_integer(&r, -5, 5);
    for (int j = 0; j < D; j++) x[j] = (double)draw_integer(&r, -3, 3);
    problem p = {.n = N, .d = D, .k = 1, .A = A, .Y = y, .method = "auto", .sketch = "auto", .tol = 1e-8, .threads = 1};
    p.set = around(kind, x, lower, upper, row, &sum);
    for (int i = 0; i < N; i++) {
        y[i] = 0;
        for (int j = 0; j < D; j++) y[i] += A[i * D + j] * x[j];
        norm = hypot(norm, y[i]);
    }
    for (int i = 0; i < N; i++) y[i] += noise * norm / sqrt(N) * draw_normal(&r);
    verdict v = {.newton = 1};
    run_gpis(&p, p.tol, &v.answer, found);
    char name[32];
    constraint_name(&p.set, name, sizeof name);
    /* rounding an x on a curved or slanted boundary moves f to first order, beyond what a tolerance of 1e-8 allows */
    const int curved = kind == KIND_L2 || kind == KIND_GROUP || kind == KIND_AFFINE || kind == KIND_NUCLEAR;
    const int expected = !curved || noise < 1e-14;
    if (v.answer.refused || (expected && !v.answer.solved) || !(v.answer.solved || v.answer.text[0]))
        fail_msg("%s, noise %g: %s, %s", name, noise, v.answer.refused ? "refused" : "not solved", v.answer.text);
    v.newton = 0; /* whether it is solved has been looked at */
    quad *best = ALLOCATE(quad, p.d * p.k);
    v.reference = reference_solve(&p, found, best);
    judge_answer(&p, found, best, &v);
    free(best);
    if (!v.reference.feasible || v.faults)
        fail_msg("%s, noise %g: objective %g, gap %g, f(x) - f* %g, faults %x", name, noise, v.answer.objective,
                 v.answer.gap, (double)v.excess, v.faults);
    const int said = strstr(v.answer.text, "exact") != NULL;
    if (noise == 0 && v.answer.objective > 0 && !said) fail_msg("%s: a fit that is exact, and no word of it", name);
    if (noise >= 1e-6 && said) fail_msg("%s, noise %g: no fit that is exact, but: %s", name, noise, v.answer.text);
}

static void exact_fits(void **state) {
    (void)state;
    static const double noises[] = {0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-6};
    for (set_kind kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; kind != KIND_BLOCKS && i < sizeof noises / sizeof *noises; i++)
            expect_solved(kind, noises[i], 100 * (uint64_t)kind + i);
}

/* ---- a tighter tolerance ---------------------------------------------------------------------------------------- */

typedef struct measured {
    quad f, off;
    double violation;
} measured;

static measured measure(const problem *p, const double *x) {
    quad error, size2, *wide = calloc((size_t)(p->d * p->k), sizeof *wide);
    for (int64_t i = 0; i < p->d * p->k; i++) wide[i] = x[i];
    measured m = {.f = reference_objective(p, wide, &error, &size2)};
    m.off = 4 * (quad)(p->d + 8) * (quad)DBL_EPSILON * sqrtq(size2);
    m.violation = (double)reference_violation(p, wide);
    free(wide);
    return m;
}

/* f at the tighter tolerance is not above f at the looser one, and no constraint is broken more. Returns whether the
 * problem was one to try. */
static int expect_no_worse(uint64_t seed, uint64_t number, double looser, double tighter) {
    enum { MOST_ENTRIES = 12000 };
    problem p = problem_draw(seed, number);
    const uint32_t extreme = UINT32_C(1) << FLAVOUR_EXTREME | UINT32_C(1) << FLAVOUR_UNDERFLOW;
    const int tried = p.max_passes == 0 && p.n * p.d <= MOST_ENTRIES && !(p.flavours & extreme);
    double *loose = calloc((size_t)(p.d * p.k), sizeof *loose), *tight = calloc((size_t)(p.d * p.k), sizeof *tight);
    answer a, b;
    if (tried) run_gpis(&p, looser, &a, loose);
    if (tried) run_gpis(&p, tighter, &b, tight);
    if (tried && !a.refused && !b.refused) {
        const measured one = measure(&p, loose), two = measure(&p, tight);
        const double rounding = 16 * (double)(p.d * p.k + 16) * DBL_EPSILON;
        char text[512];
        problem_describe(&p, text, sizeof text);
        if (two.f - one.f > 8 * (quad)DBL_EPSILON * one.f + two.off * two.off)
            fail_msg("case %llu, %s: f %.17g at %g, above that by %g at %g", (unsigned long long)number, text,
                     (double)one.f, looser, (double)(two.f - one.f), tighter);
        if (two.violation > fmax(one.violation, rounding))
            fail_msg("case %llu, %s: outside by %g at %g, by %g at %g", (unsigned long long)number, text, one.violation,
                     looser, two.violation, tighter);
    }
    free(loose);
    free(tight);
    problem_clear(&p);
    return tried;
}

static void tighter_is_no_worse(void **state) {
    (void)state;
    int tried = 0;
    for (uint64_t number = 0; tried < 400; number++) tried += expect_no_worse(12, number, 1e-6, 1e-12);
    /* dependent columns, where the looser run is lucky and ends at the last digit of f */
    expect_no_worse(1, 3962, 1e-8, 1e-11);
    expect_no_worse(1, 496, 2.3e-7, 2.3e-10);
}

/* A model of tv that lost all digits of a diagonal entry was once reported as a lack of memory. */
static void no_model_is_refused(void **state) {
    (void)state;
    problem p = problem_draw(3, 160);
    double *x = calloc((size_t)(p.d * p.k), sizeof *x);
    answer a;
    run_gpis(&p, p.tol, &a, x);
    if (a.refused) fail_msg("%s", a.text);
    free(x);
    problem_clear(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_fits), cmocka_unit_test(tighter_is_no_worse),
                                       cmocka_unit_test(no_model_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
