/*
 * The reference of the stress suite against solutions by hand, against a second way of its own that shares nothing but
 * the projection, and against points of the set that must not be better; and the judge against false answers.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "judge.h"
#include "nuclear.h"
#include "solvers.h"

static void assert_near(quad a, quad b, double tolerance) {
    if (!(fabsq(a - b) <= (quad)tolerance)) {
        char x[64], y[64];
        quadmath_snprintf(x, sizeof x, "%.34Qg", a);
        quadmath_snprintf(y, sizeof y, "%.34Qg", b);
        fail_msg("%s is not %s", x, y);
    }
}

/* ---- by hand ---------------------------------------------------------------------------------------------------- */

/* The projection of y (d x k) on the set: A is the identity. */
static void expect_projection(constraint set, int64_t k, const double *y, quad f) {
    enum { MOST = 16 };
    double A[MOST] = {0}, Y[MOST];
    const int64_t d = set.d;
    for (int64_t j = 0; j < d; j++) A[j * d + j] = 1;
    memcpy(Y, y, (size_t)(d * k) * sizeof *Y);
    const problem p = {.n = d, .d = d, .k = k, .A = A, .Y = Y, .set = set, .tol = 1e-8};
    const reference r = reference_solve(&p, NULL, NULL);
    if (!r.sharp || !r.feasible)
        fail_msg("kind %d: violation %g, width %g", set.kind, (double)r.violation, (double)r.width);
    assert_near(r.value, f, 1e-28 + (double)r.width);
}

static void by_hand(void **state) {
    (void)state;
    static double lower[] = {-INFINITY, 2}, upper[] = {1, 2}, C[] = {1, 1}, b[] = {1};
    const double y[] = {3, -1}, z[] = {3, 4, 0, 1};
    expect_projection((constraint){.kind = KIND_NONE, .d = 2}, 1, y, 0);
    expect_projection((constraint){.kind = KIND_NONNEG, .d = 2}, 1, y, 1);
    expect_projection((constraint){.kind = KIND_BOX, .d = 2, .lower = lower, .upper = upper}, 1, y, 4 + 9);
    expect_projection((constraint){.kind = KIND_LINF, .d = 2, .R = 0.5}, 1, y, 6.25 + 0.25);
    expect_projection((constraint){.kind = KIND_L1, .d = 2, .R = 2}, 1, y, 1 + 1);
    expect_projection((constraint){.kind = KIND_L1, .d = 2, .R = 3}, 1, y, 0.25 + 0.25);
    expect_projection((constraint){.kind = KIND_L1, .d = 2, .R = 0}, 1, y, 10);
    expect_projection((constraint){.kind = KIND_L2, .d = 2, .R = 1}, 1, z, 16);
    expect_projection((constraint){.kind = KIND_SIMPLEX, .d = 2, .R = 5}, 1, y, 2.25 + 2.25);
    expect_projection((constraint){.kind = KIND_CAPPED_SIMPLEX, .d = 2, .R = 1}, 1, y, 4 + 1);
    expect_projection((constraint){.kind = KIND_CAPPED_SIMPLEX, .d = 2, .R = 9}, 1, y, 1);
    expect_projection((constraint){.kind = KIND_GROUP, .d = 4, .R = 2, .size = 2}, 1, z, 9 + 1);
    expect_projection((constraint){.kind = KIND_MONOTONE, .d = 2}, 1, y, 8);
    expect_projection((constraint){.kind = KIND_TV, .d = 2, .R = 2}, 1, y, 2);
    expect_projection((constraint){.kind = KIND_AFFINE, .d = 2, .rows = 1, .C = C, .b = b}, 1, y, 0.5);
    expect_projection((constraint){.kind = KIND_NUCLEAR, .d = 2, .R = 2}, 2, (const double[]){3, 0, 0, 0.5}, 1.25);
    expect_projection((constraint){.kind = KIND_NUCLEAR, .d = 2, .R = 4}, 2, (const double[]){0, 5, 3, 0}, 8);
    expect_projection((constraint){.kind = KIND_NUCLEAR, .d = 2, .R = 1}, 1, z, 16);
    /* the DCT of (3, -1) is (sqrt 2, 2 sqrt 2) */
    expect_projection((constraint){.kind = KIND_L1, .d = 2, .R = 0, .turn = TURN_DCT}, 1, y, 10);
    expect_projection((constraint){.kind = KIND_LINF, .d = 2, .R = 2, .turn = TURN_DCT}, 1, y,
                      (2 * sqrtq(2) - 2) * (2 * sqrtq(2) - 2));
}

/* ---- linear algebra --------------------------------------------------------------------------------------------- */

static void linear_algebra(void **state) {
    (void)state;
    enum { M = 9, P = 5 };
    draw r = draw_begin(3, 0, 0);
    quad A[M * P], b[M], z[P], W[M * P], sigma[P], V[P * P];
    for (int i = 0; i < M * P; i++) A[i] = draw_normal(&r) * (i / M == 2 ? 1e-9 : 1);
    for (int i = 0; i < M; i++) b[i] = draw_normal(&r);
    for (int i = 0; i < M; i++) A[i + 4 * M] = 3 * A[i] - A[i + M]; /* column 4 depends on columns 0 and 1 */
    quad_least_squares(M, P, A, b, (quad)1e-28, z);
    for (int j = 0; j < P; j++) quad_add(M, -z[j], A + j * M, b);
    for (int j = 0; j < P; j++) assert_near(quad_dot(M, A + j * M, b) / quad_norm(M, A + j * M), 0, 1e-31);
    quad_factor f = quad_pivoted(M, P, A, NULL, (quad)1e-28, 0, NULL);
    assert_int_equal(f.rank, 4);
    quad_factor_clear(&f);
    memcpy(W, A, sizeof W);
    quad_svd(M, P, W, sigma, V);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < P; j++) {
            quad sum = 0;
            for (int c = 0; c < P; c++) sum += W[i + c * M] * V[j + c * P];
            assert_near(sum, A[i + j * M], 1e-31);
        }
}

/* ---- two ways, and points of the set ------------------------------------------------------------------------------
 */

enum { TRIED = 1500, SEED = 77 };

/* The model of a problem's first response, from all rows of A: no QR has touched it. */
static model whole_model(const problem *p) {
    quad *A = ALLOCATE(quad, p->n * p->d), *y = ALLOCATE(quad, p->n);
    for (int64_t i = 0; i < p->n; i++) {
        y[i] = p->Y[i * p->k];
        for (int64_t j = 0; j < p->d; j++) A[i + j * p->n] = p->A[i * p->d + j];
    }
    model z = model_of_set(&p->set);
    model_load(&z, p->n, A, y);
    free(A);
    free(y);
    return z;
}

static quad model_value(const model *z, const quad *at) {
    quad *r = ALLOCATE(quad, z->m);
    memcpy(r, z->c, (size_t)z->m * sizeof(quad));
    for (int64_t j = 0; j < z->p; j++) quad_add(z->m, -at[j], z->M + j * z->m, r);
    const quad value = quad_dot(z->m, r, r) + 2 * quad_dot(z->p, z->cost, at);
    free(r);
    return value;
}

/* Gradients need a condition that is small. */
static int gentle(const problem *p) {
    const uint32_t easy = UINT32_C(1) << FLAVOUR_PLAIN | UINT32_C(1) << FLAVOUR_TIES | UINT32_C(1) << FLAVOUR_FIXED |
                          UINT32_C(1) << FLAVOUR_ZERO_COLUMN | UINT32_C(1) << FLAVOUR_RADIUS_TOUCHES |
                          UINT32_C(1) << FLAVOUR_RADIUS_0 | UINT32_C(1) << FLAVOUR_DUPLICATE;
    return p->k == 1 && p->d <= 5 && p->n >= 4 * p->d && p->n <= 60 && !(p->flavours & ~easy) &&
           p->set.kind != KIND_NUCLEAR && p->set.kind != KIND_MONOTONE && p->set.kind != KIND_TV;
}

static void two_ways_agree(void **state) {
    (void)state;
    int compared = 0, kinds[KINDS] = {0};
    for (uint64_t number = 0; number < TRIED; number++) {
        problem p = problem_draw(SEED, number);
        if (gentle(&p)) {
            model z = whole_model(&p);
            quad *at = ALLOCATE(quad, z.p);
            const reference r = reference_solve(&p, NULL, NULL);
            solve_gradient(&z, 6000, at);
            const quad slow = model_value(&z, at);
            assert_true(r.feasible);
            assert_true(r.value - slow <= (quad)1e-25 * r.size2);          /* the reference is never worse */
            assert_true(slow - r.value <= (quad)1e-15 * (r.value + slow)); /* and gradients come close */
            compared++;
            kinds[p.set.kind]++;
            free(at);
            model_clear(&z);
        }
        problem_clear(&p);
    }
    assert_true(compared > 40);
    for (int kind = 0; kind < KINDS; kind++)
        if (kind != KIND_NUCLEAR && kind != KIND_MONOTONE && kind != KIND_TV) assert_true(kinds[kind] > 0);
}

/* No point of the set is below value - width, whatever the flavour. */
static void bracket_holds(void **state) {
    (void)state;
    int tried = 0, sharp = 0;
    for (uint64_t number = 0; number < TRIED / 3; number++) {
        problem p = problem_draw(SEED, number);
        if (p.k == 1 && p.n <= 60 && p.d <= 10 && p.set.kind != KIND_NUCLEAR) {
            draw r = draw_begin(SEED, number, 9);
            model z = whole_model(&p);
            quad *x = ALLOCATE(quad, p.d), *at = ALLOCATE(quad, z.p), *near = ALLOCATE(quad, z.p);
            const reference f = reference_solve(&p, NULL, x);
            for (int64_t j = 0; j < p.d; j++) x[j] -= z.x0[j];
            quad_least_squares(p.d, z.p, z.T, x, (quad)1e-20, near);
            for (int point = 0; point < 12; point++) {
                const double far = draw_power(&r, -12, 1);
                for (int64_t j = 0; j < z.p; j++)
                    at[j] =
                        near[j] * (1 + (quad)(far * draw_normal(&r))) + (point % 2 ? (quad)(far * draw_normal(&r)) : 0);
                model_project(&z, at);
                assert_true(model_value(&z, at) >= f.value - f.width - f.error - (quad)1e-28 * f.size2);
            }
            tried++;
            sharp += f.sharp;
            free(x);
            free(at);
            free(near);
            model_clear(&z);
        }
        problem_clear(&p);
    }
    assert_true(tried > 100);
    assert_true(sharp * 100 > tried * 95);
}

/* ---- the judge ------------------------------------------------------------------------------------------------ */

/* y = (1, 2, 4), A a column of ones: x = 7/3, f* = 14/3. */
static uint32_t faults_within(double x, double objective, double gap, double horizon, int solved, constraint set) {
    double A[] = {1, 1, 1}, Y[] = {1, 2, 4};
    const problem p = {.n = 3, .d = 1, .k = 1, .A = A, .Y = Y, .set = set, .tol = 1e-8};
    verdict v = {.newton = 1, .answer = {.solved = solved, .claim = CLAIM_PROVEN, .objective = objective, .gap = gap}};
    v.answer.horizon = horizon;
    quad at;
    v.reference = reference_solve(&p, &x, &at);
    assert_true(v.reference.sharp);
    judge_answer(&p, &x, &at, &v);
    return v.faults;
}

static uint32_t faults_of(double x, double objective, double gap, int solved, constraint set) {
    return faults_within(x, objective, gap, 0.0, solved, set);
}

/* At x = 0, where f = 21, the best point is sqrt(3) 7/3 / ||y|| = 0.88 away; half-way there f is lower by 12.25. */
static void horizons_are_judged(void **state) {
    (void)state;
    const constraint none = {.kind = KIND_NONE, .d = 1};
    assert_int_equal(faults_within(0, 21, 12.5, 0.9, 0, none) & 1 << FAULT_FALSE_GAP, 1 << FAULT_FALSE_GAP);
    assert_int_equal(faults_within(0, 21, 12.5, 0.44, 0, none) & 1 << FAULT_FALSE_GAP, 0);
    assert_int_equal(faults_within(0, 21, 12.0, 0.45, 0, none) & 1 << FAULT_FALSE_GAP, 1 << FAULT_FALSE_GAP);
    assert_int_equal(faults_within(0, 21, 12.5, 0.44, 1, none), 1 << FAULT_BEYOND);
}

static void false_answers_are_seen(void **state) {
    (void)state;
    const constraint none = {.kind = KIND_NONE, .d = 1}, nonneg = {.kind = KIND_NONNEG, .d = 1};
    const double best = 14.0 / 3, x = 7.0 / 3, off = 1e-4, worse = best + 3 * off * off;
    assert_int_equal(faults_of(x, best, 1e-12, 1, none), 0);
    assert_int_equal(faults_of(x + off, worse, 4e-8, 0, none), 0);
    assert_int_equal(faults_of(x + off, worse, 2.9e-8, 0, none), 1 << FAULT_FALSE_GAP);
    assert_int_equal(faults_of(x + off, best, 2.9e-8, 0, none), 1 << FAULT_FALSE_GAP | 1 << FAULT_OFF_OBJECTIVE);
    assert_int_equal(faults_of(x, worse, 2.9e-8, 0, none), 1 << FAULT_FALSE_GAP | 1 << FAULT_OFF_OBJECTIVE);
    assert_int_equal(faults_of(x + 10 * off, best + 3e-6, 4e-6, 1, none), 1 << FAULT_FALSE_SOLVED);
    assert_int_equal(faults_of(x + 10 * off, best + 3e-6, 4e-6, 0, none), 1 << FAULT_FAR);
    assert_int_equal(faults_of(-1, 4 + 9 + 25, 40, 0, nonneg), 1 << FAULT_OUTSIDE | 1 << FAULT_FAR);
}

/* A fit that is exact in the data: an objective of 0 with a gap of 0 is a claim that x is exact. */
static void zero_gap_is_a_claim(void **state) {
    (void)state;
    double A[] = {1, 2, 3}, Y[] = {0.1, 0.2, 0.1 * 3}, x = 0.1;
    const problem p = {.n = 3, .d = 1, .k = 1, .A = A, .Y = Y, .set = {.kind = KIND_NONE, .d = 1}, .tol = 1e-8};
    verdict v = {.answer = {.solved = 1, .claim = CLAIM_PROVEN}};
    quad at;
    v.reference = reference_solve(&p, NULL, &at);
    assert_true(v.reference.sharp && v.reference.value > 0);
    judge_answer(&p, &x, &at, &v);
    assert_int_equal(v.faults, 1 << FAULT_FALSE_ZERO);
}

static void problems_are_functions_of_their_number(void **state) {
    (void)state;
    for (uint64_t number = 0; number < 50; number++) {
        char first[512], second[512];
        problem a = problem_draw(5, number), b = problem_draw(5, number);
        problem_describe(&a, first, sizeof first);
        problem_describe(&b, second, sizeof second);
        assert_string_equal(first, second);
        assert_memory_equal(a.A, b.A, (size_t)(a.n * a.d) * sizeof(double));
        assert_memory_equal(a.Y, b.Y, (size_t)(a.n * a.k) * sizeof(double));
        problem_clear(&a);
        problem_clear(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(linear_algebra),
        cmocka_unit_test(two_ways_agree),
        cmocka_unit_test(bracket_holds),
        cmocka_unit_test(false_answers_are_seen),
        cmocka_unit_test(horizons_are_judged),
        cmocka_unit_test(zero_gap_is_a_claim),
        cmocka_unit_test(problems_are_functions_of_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
