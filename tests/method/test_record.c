/*
 * The record of a run, without a run: which point and which bounds are kept, how bounds of different kinds combine into
 * a gap, and what counts as solved.
 */
#include "method/record.h"

#include <math.h>

#include "support.h"

enum { D = 2 };

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    gpis_set *set;
    gpis_problem problem;
    gpis_record record;
} fixture;

static void begin(fixture *f, double tol, gpis_certificate wanted) {
    f->context = test_context(&f->memory);
    assert_ok(f->context, gpis_set_nonneg(f->context, D, &f->set));
    f->problem = (gpis_problem){.context = f->context, .n = 10, .d = D, .k = 1, .size = D, .set = f->set};
    assert_ok(f->context, gpis_record_begin(&f->record, &f->problem, tol, wanted));
}

static void end(fixture *f) {
    gpis_record_clear(&f->record);
    gpis_record_clear(&f->record); /* a second time is harmless */
    gpis_set_destroy(f->set);
    test_context_end(f->context, &f->memory);
}

/* A measured point with this objective, which rounding can have moved by `noise`. */
static gpis_point point_of(const double *x, double objective, double noise) {
    static const double norms2[D] = {4.0, 9.0};
    return (gpis_point){.x = x, .g = x, .objective = objective, .norms2 = norms2, .errors.objective = noise};
}

static void the_best_point_is_kept(void **state) {
    (void)state;
    fixture f;
    begin(&f, 1e-8, GPIS_CERTIFICATE_ANY);
    gpis_record *r = &f.record;
    const double start[D] = {9, 9}, first[D] = {1, 2}, better[D] = {3, 4}, worse[D] = {5, 6};
    const gpis_point points[] = {point_of(first, 10.0, 0.25), point_of(better, 5.0, 0.125), point_of(worse, 7.0, 0.5)};
    gpis_record_start_at(r, start);
    assert_memory_equal(r->best, start, sizeof start);
    assert_true(isinf(r->objective) && isinf(gpis_record_gap(r)));
    for (int i = 0; i < 3; i++) gpis_record_offer(r, &points[i]);
    assert_memory_equal(r->best, better, sizeof better);
    assert_true(r->objective == 5.0 && r->noise == 0.125);
    /* half a unit in the last place of each product: (2 * 3 + 3 * 4) 2^-53, squared */
    assert_close(r->grain, 18.0 * 0x1p-53 * 18.0 * 0x1p-53, 1e-12 * r->grain);
    gpis_record_replace(r, &points[2]); /* in any case */
    assert_memory_equal(r->best, worse, sizeof worse);
    assert_true(r->objective == 7.0 && r->noise == 0.5);
    end(&f);
}

/* Before the best point is measured again, the next point takes its place whatever it is; a pass that is stopped
 * changes nothing. */
static void an_objective_is_forgotten_and_recalled(void **state) {
    (void)state;
    fixture f;
    begin(&f, 1e-8, GPIS_CERTIFICATE_ANY);
    gpis_record *r = &f.record;
    const double x[D] = {1, 2}, again[D] = {1, 3};
    const gpis_point point = point_of(x, 10.0, 0.0), measured_again = point_of(again, 10.5, 0.0);
    gpis_record_offer(r, &point);
    gpis_record_forget_objective(r);
    assert_true(isinf(r->objective) && gpis_record_known_objective(r) == 10.0);
    gpis_record_recall_objective(r);
    assert_true(r->objective == 10.0);
    gpis_record_forget_objective(r);
    gpis_record_offer(r, &measured_again);
    assert_true(r->objective == 10.5 && gpis_record_known_objective(r) == 10.5);
    gpis_record_recall_objective(r); /* nothing is forgotten */
    assert_true(r->objective == 10.5);
    assert_memory_equal(r->best, again, sizeof again);
    end(&f);
}

static void bounds_combine(void **state) {
    (void)state;
    fixture f;
    begin(&f, 1e-8, GPIS_CERTIFICATE_ANY);
    gpis_record *r = &f.record;
    const double x[D] = {1, 2};
    const gpis_point point = point_of(x, 10.0, 0.0);
    gpis_record_offer(r, &point);
    assert_true(gpis_record_lower(r) == 0.0 && gpis_record_gap(r) == 10.0); /* a sum of squares is not negative */
    gpis_record_enter_proven(r, NULL, 6.0);
    gpis_record_enter_proven(r, NULL, 2.0); /* of another point: a bound never falls */
    gpis_record_enter_proven(r, NULL, NAN);
    assert_true(gpis_record_lower(r) == 6.0 && gpis_record_gap(r) == 4.0);
    gpis_record_enter_proven(r, NULL, 11.0); /* above the objective, as rounding can have it */
    assert_true(gpis_record_gap(r) == 0.0);
    end(&f);
}

static void check_bound(const gpis_record *r, double lower, bool probable, double nearness) {
    const gpis_bound bound = gpis_record_bound(r);
    assert_true(bound.lower == lower && bound.probable == probable && bound.nearness == nearness);
}

/* A point that was not measured takes the place of the best one: the gap grows by as much as f can have changed,
 * however little that is, and so does the error of the objective. */
static void the_best_point_moves(void **state) {
    (void)state;
    fixture f;
    begin(&f, 1e-2, GPIS_CERTIFICATE_ANY);
    gpis_record *r = &f.record;
    const double x[D] = {1, 2}, near[D] = {1.25, 2}, nearer[D] = {1.5, 2};
    const gpis_point point = point_of(x, 10.0, 0.25);
    gpis_record_offer(r, &point);
    gpis_record_enter_proven(r, &point, 9.0);
    assert_true(gpis_record_gap(r) == 1.0);
    assert_false(gpis_record_move(r, near, 0.5)); /* more than the objective is known to */
    assert_memory_equal(r->best, x, sizeof x);
    assert_true(gpis_record_gap(r) == 1.0 && gpis_record_move(r, near, 0.125));
    assert_memory_equal(r->best, near, sizeof near);
    assert_true(r->objective == 10.0 && r->noise >= 0.375 && r->noise <= 0.376);
    assert_true(gpis_record_gap(r) >= 1.125 && gpis_record_gap(r) <= 1.126);
    const double gap = gpis_record_gap(r);
    assert_true(gpis_record_move(r, nearer, 1e-30));
    assert_true(gpis_record_gap(r) > gap && r->noise > 0.375);
    gpis_record_enter_proven(r, NULL, 9.5); /* of another point: lowered by the whole error */
    assert_true(gpis_record_gap(r) >= 0.875 && gpis_record_gap(r) <= 0.876);
    end(&f);
}

/* Among bounds that meet the tolerance proven goes before probable, and probable before nearby, however high the others
 * are; where none does, the highest counts. */
static void kinds_of_bounds(void **state) {
    (void)state;
    fixture f;
    begin(&f, 1e-2, GPIS_CERTIFICATE_ANY);
    gpis_record *r = &f.record;
    const double x[D] = {1, 2};
    const gpis_point point = point_of(x, 10.0, 0.0);
    gpis_record_offer(r, &point);
    gpis_record_enter_proven(r, NULL, 1.0);
    gpis_record_enter_nearby(r, NULL, 2.0, 1e-15);
    check_bound(r, 2.0, false, 1e-15);
    gpis_record_enter_nearby(r, NULL, 1.5, 1e-12); /* a lower bound is not kept, nor what it is worth */
    check_bound(r, 2.0, false, 1e-15);
    gpis_record_enter_probable(r, NULL, 3.0);
    check_bound(r, 3.0, true, 0.0);
    assert_false(gpis_record_is_solved(r));
    gpis_record_enter_nearby(r, NULL, 9.99, 1e-15); /* within 1 % */
    check_bound(r, 9.99, false, 1e-15);
    assert_true(gpis_record_is_solved(r));
    gpis_record_enter_probable(r, NULL, 9.96);
    check_bound(r, 9.96, true, 0.0);
    gpis_record_enter_proven(r, NULL, 9.95);
    check_bound(r, 9.95, false, 0.0);
    end(&f);
}

static void a_proof_can_be_insisted_on(void **state) {
    (void)state;
    fixture f;
    begin(&f, 1e-2, GPIS_CERTIFICATE_PROVEN);
    gpis_record *r = &f.record;
    const double x[D] = {1, 2};
    const gpis_point point = point_of(x, 10.0, 0.0);
    gpis_record_offer(r, &point);
    gpis_record_enter_proven(r, NULL, 1.0);
    gpis_record_enter_probable(r, NULL, 9.99);
    check_bound(r, 1.0, false, 0.0);
    assert_false(gpis_record_is_solved(r));
    gpis_record_enter_proven(r, NULL, 9.95);
    assert_true(gpis_record_is_solved(r));
    end(&f);
    begin(&f, 1e-2, GPIS_CERTIFICATE_NONE);
    gpis_record_offer(&f.record, &point);
    gpis_record_enter_proven(&f.record, NULL, 9.99);
    assert_false(gpis_record_is_solved(&f.record)); /* nothing counts */
    end(&f);
}

/* An objective that rounding alone can explain is zero. */
static void zero_is_solved(void **state) {
    (void)state;
    fixture f;
    begin(&f, 1e-8, GPIS_CERTIFICATE_ANY);
    const double x[D] = {1, 2};
    const gpis_point above = point_of(x, 2e-20, 1e-20), below = point_of(x, 1e-20, 1e-20);
    gpis_record_offer(&f.record, &above);
    assert_false(gpis_record_is_solved(&f.record));
    gpis_record_offer(&f.record, &below);
    assert_true(gpis_record_is_solved(&f.record));
    end(&f);
}

static void progress_is_judged(void **state) {
    (void)state;
    fixture f;
    begin(&f, 1e-2, GPIS_CERTIFICATE_ANY);
    gpis_record *r = &f.record;
    const double x[D] = {1, 2};
    const gpis_point point = point_of(x, 10.0, 0.02);
    gpis_record_offer(r, &point);
    gpis_record_enter_proven(r, NULL, 5.0);
    assert_true(gpis_record_judge(r, 10.0, 5.0) && r->idle);
    assert_true(gpis_record_judge(r, 10.015, 5.0)); /* a fall of 0.015 may be rounding */
    assert_false(gpis_record_judge(r, 10.03, 5.0) || r->idle);
    assert_true(gpis_record_judge(r, 10.0, 5.5)); /* the gap is still more than nine tenths of that */
    assert_false(gpis_record_judge(r, 10.0, 5.6));
    end(&f);
}

static void noise_in_the_way(void **state) {
    (void)state;
    fixture f;
    begin(&f, 1e-3, GPIS_CERTIFICATE_ANY);
    gpis_record *r = &f.record;
    const double x[D] = {1, 2};
    const gpis_point quiet = point_of(x, 10.0, 0.0005), loud = point_of(x, 9.9, 0.05);
    gpis_record_offer(r, &quiet);
    gpis_record_enter_proven(r, NULL, 9.97);
    assert_false(gpis_record_is_solved(r) || gpis_record_is_limited_by_noise(r)); /* noise: 5 % of the tolerance */
    end(&f);
    begin(&f, 1e-3, GPIS_CERTIFICATE_ANY);
    gpis_record_offer(r, &loud);
    gpis_record_enter_proven(r, NULL, 9.6);
    assert_false(gpis_record_is_limited_by_noise(r)); /* a gap of 0.3 has other reasons */
    gpis_record_enter_proven(r, NULL, 9.8);
    assert_true(gpis_record_is_limited_by_noise(r)); /* 0.1 is within four times 0.0099 + 0.05 */
    gpis_record_enter_proven(r, NULL, 9.895);
    assert_true(gpis_record_is_limited_by_noise(r)); /* 9.9 may be 9.95 */
    assert_close(gpis_record_gap(r), 0.055, 1e-12);
    gpis_record_enter_proven(r, &loud, 9.895); /* found at this very point, the bound contains its error */
    assert_true(gpis_record_is_solved(r) && !gpis_record_is_limited_by_noise(r));
    const double other[D] = {3, 4};
    const gpis_point better = point_of(other, 9.899, 0.05);
    gpis_record_offer(r, &better); /* of which it says less */
    assert_false(gpis_record_is_solved(r));
    assert_close(gpis_record_gap(r), 0.054, 1e-12);
    end(&f);
    begin(&f, 1e-3, GPIS_CERTIFICATE_ANY);
    gpis_record_offer(r, &loud);
    assert_false(gpis_record_is_limited_by_noise(r)); /* no bound, but the rounds may still get on */
    gpis_record_judge(r, 9.9, INFINITY);
    assert_false(r->idle); /* a gap has appeared */
    gpis_record_judge(r, 9.9, 9.9);
    assert_true(r->idle && gpis_record_is_limited_by_noise(r));
    end(&f);
}

/* With f(s) >= 9.9 - t r - k r^2 at f = 10 and a tolerance of 0.1, 10/11 is the least bound that will do, and r the
 * largest distance at which it holds. */
static void bounds_within_a_horizon(void **state) {
    (void)state;
    fixture f;
    begin(&f, 0.1, GPIS_CERTIFICATE_ANY);
    gpis_record *r = &f.record;
    const double x[D] = {1, 2}, other[D] = {1, 3}, left = 9.9 - 10.0 / 1.1;
    const gpis_point point = point_of(x, 10.0, 0.0), elsewhere = point_of(other, 10.0, 0.0);
    gpis_record_offer(r, &point);
    gpis_record_enter_within(r, &elsewhere, (gpis_within){9.99, 0.0, 1e-12}); /* not at the best point */
    gpis_record_set_response(r, 2.0);
    assert_false(gpis_record_is_solved(r));
    gpis_record_enter_within(r, &point, (gpis_within){9.9, 0.0, 1e-3}); /* 28 away: too near */
    assert_false(gpis_record_is_solved(r));
    gpis_record_enter_within(r, &point, (gpis_within){9.9, 0.0, 1e-8});
    assert_true(gpis_record_is_solved(r));
    gpis_bound bound = gpis_record_bound(r);
    assert_close(bound.horizon, sqrt(left / 1e-8) / 2.0, 1e-5 * bound.horizon);
    assert_true(bound.horizon < sqrt(left / 1e-8) / 2.0 && 10.0 - bound.lower <= 0.1 * bound.lower);
    gpis_record_enter_within(r, &point, (gpis_within){9.9, 1e-3, 1e-8}); /* nearer: not kept */
    assert_true(gpis_record_bound(r).horizon == bound.horizon);
    gpis_record_enter_within(r, &point, (gpis_within){9.9, 1e-4, 0.0});
    assert_true(gpis_record_bound(r).horizon == bound.horizon);
    gpis_record_enter_within(r, &point, (gpis_within){9.9, 1e-6, 1e-12});
    const double far = gpis_record_bound(r).horizon * 2.0;
    assert_close(1e-6 * far + 1e-12 * far * far, left, 1e-4 * left);
    gpis_record_enter_proven(r, NULL, 9.5); /* holds everywhere */
    assert_true(gpis_record_bound(r).horizon == 0.0 && gpis_record_bound(r).lower == 9.5);
    end(&f);
    begin(&f, 0.1, GPIS_CERTIFICATE_ANY);
    gpis_record_offer(r, &point);
    gpis_record_set_response(r, 2.0);
    gpis_record_enter_within(r, &point, (gpis_within){9.9, 0.0, 1e-8});
    const gpis_point better = point_of(other, 9.99, 0.0);
    gpis_record_offer(r, &better); /* distances are measured from the best point */
    assert_false(gpis_record_is_solved(r));
    end(&f);
}

/* d = 2, columns of norm 2 and 3: at x = (1, 2) Sigma is 8. Everything is in units of the grain, (Sigma u)^2. */
static void what_rounding_explains(void **state) {
    (void)state;
    static const double GRAIN = 64.0 * 0x1p-106, W = 4.0 * 100.0; /* (2 (d + 8))^2 grains */
    static const struct {
        double objective, noise, gap; /* in grains */
        gpis_settled settled;
    } cases[] = {
        {0.9 * W, 0, 0.9 * W, GPIS_SETTLED_AS_ZERO},       /* no more than rounding of A x */
        {1.1 * W, 0, 1.1 * W, GPIS_SETTLED_NOT},           /* more */
        {1e6, 2e6, 2e6, GPIS_SETTLED_AS_ZERO},             /* not more than its own noise */
        {1e8, 0, 0.9 * W, GPIS_SETTLED_BY_GRAIN},          /* a gap that is no more than rounding of A x */
        {1e8, 0, 1.1 * W, GPIS_SETTLED_NOT},               /* ... that is more */
        {1e8, 0, 0.9e-8 * 1e8, GPIS_SETTLED_BY_TOLERANCE}, /* the tolerance goes first */
        {1e8, 2e3, 3.9 * 2e3, GPIS_SETTLED_BY_GRAIN},      /* noise far below that of the data, 2e4 */
        {1e8, 3e3, 3.9 * 3e3, GPIS_SETTLED_NOT},           /* noise that extended precision would lower */
        {1e16, 1e7, 3.9e7 + 1e8, GPIS_SETTLED_NOT},        /* the data determine f to 1e-8: no nearly exact fit */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        begin(&f, 1e-8, GPIS_CERTIFICATE_ANY);
        const double x[D] = {1, 2}, objective = cases[i].objective * GRAIN;
        const gpis_point point = point_of(x, objective, cases[i].noise * GRAIN);
        gpis_record_offer(&f.record, &point);
        assert_close(f.record.grain, GRAIN, 1e-12 * GRAIN);
        gpis_record_enter_proven(&f.record, &point, objective - cases[i].gap * GRAIN);
        if (gpis_record_settled(&f.record) != cases[i].settled)
            fail_msg("case %zu: %d", i, (int)gpis_record_settled(&f.record));
        assert_int_equal(gpis_record_is_solved(&f.record), cases[i].settled != GPIS_SETTLED_NOT);
        end(&f);
    }
}

/* Another point of about the same objective takes the place of the best one, unless that undoes the solution. */
static void points_are_exchanged(void **state) {
    (void)state;
    fixture f;
    begin(&f, 1e-2, GPIS_CERTIFICATE_ANY);
    gpis_record *r = &f.record;
    const double x[D] = {1, 2}, other[D] = {2, 1}, third[D] = {0, 3};
    const gpis_point best = point_of(x, 10.0, 0.0), near = point_of(other, 10.05, 0.0),
                     far = point_of(third, 10.2, 0.0);
    gpis_record_offer(r, &best);
    assert_false(gpis_record_exchange(r, &near)); /* not solved, and the objective would rise */
    gpis_record_enter_proven(r, NULL, 9.99);
    assert_true(gpis_record_is_solved(r));
    assert_true(gpis_record_exchange(r, &near));
    assert_memory_equal(r->best, other, sizeof other);
    assert_true(r->objective == 10.05 && gpis_record_is_solved(r));
    assert_false(gpis_record_exchange(r, &far)); /* no longer within 1 % */
    assert_memory_equal(r->best, other, sizeof other);
    assert_true(r->objective == 10.05);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_point_is_kept),
        cmocka_unit_test(what_rounding_explains),
        cmocka_unit_test(points_are_exchanged),
        cmocka_unit_test(an_objective_is_forgotten_and_recalled),
        cmocka_unit_test(bounds_combine),
        cmocka_unit_test(the_best_point_moves),
        cmocka_unit_test(kinds_of_bounds),
        cmocka_unit_test(bounds_within_a_horizon),
        cmocka_unit_test(a_proof_can_be_insisted_on),
        cmocka_unit_test(zero_is_solved),
        cmocka_unit_test(progress_is_judged),
        cmocka_unit_test(noise_in_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
