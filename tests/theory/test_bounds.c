/* The formulas: against independent forms, in their limits, where they say nothing, and the search for the best m. */
#include "support.h"

#include "theory/theory.h"

static gpis_bounds_problem problem_of(int64_t m, int64_t d, double cond, double theta) {
    gpis_bounds_problem p = gpis_bounds_default();
    p.m = m, p.d = d, p.cond = cond, p.theta = theta;
    return p;
}

static gpis_bounds bounds_of(const gpis_bounds_problem *p) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_bounds bounds;
    assert_ok(context, gpis_bounds_compute(context, p, &bounds));
    test_context_end(context, &memory);
    return bounds;
}

/* ---- b_m ----------------------------------------------------------------------------------------------------------
 */

static void mean_length(void **state) {
    (void)state;
    assert_close(gpis_theory_mean_length(1), sqrt(2 / M_PI), 1e-15);
    assert_close(gpis_theory_mean_length(2), sqrt(M_PI / 2), 1e-15);
    /* b_m b_{m+1} = m, across the place where the series takes over, and for huge m */
    for (int64_t m = 1; m < 1000; m++)
        assert_close(gpis_theory_mean_length(m) * gpis_theory_mean_length(m + 1) / (double)m, 1, 2e-14);
    for (int64_t m = 1; m < 400; m++) {
        const double x = (double)m, b = sqrt(2) * exp(lgamma((x + 1) / 2) - lgamma(x / 2));
        assert_close(gpis_theory_mean_length(m) / b, 1, 1e-12);
    }
    for (double m = 1e3; m < 1e13; m *= 10) { /* the variance of the length, m - b_m^2, tends to 1/2 */
        const double b = gpis_theory_mean_length((int64_t)m);
        assert_true(b < sqrt(m) && b > sqrt(m - 1));
        assert_close((sqrt(m) - b) * 4 * sqrt(m), 1, 1e-3 + 1e-15 * m);
    }
}

/* ---- the factors --------------------------------------------------------------------------------------------------
 */

/* The propositions as they are printed, term by term. */
static void as_printed(void **state) {
    (void)state;
    gpis_bounds_problem p = problem_of(3000, 50, 300, 5);
    p.width = 4;
    p.inner = 40;
    const gpis_bounds b = bounds_of(&p);
    const double bm = gpis_theory_mean_length(3000), low = bm - sqrt(50) - 5, high = bm + sqrt(50) + 5;
    assert_close(b.alpha, 1 - low * low / (high * high) / 300, 1e-15);
    assert_close(b.alpha_gap, low * low / (high * high) / 300, 1e-17);
    assert_close(b.sigma, high * high / (low * low), 1e-12);
    assert_close(b.rho, 3000 / pow(bm - 9, 2) * (sqrt(2) * bm * 9 / 3000 + fabs(bm * bm / 3000 - 1)), 1e-14);
    assert_close(b.alpha_probability, 1 - 2 * exp(-12.5), 1e-15);
    assert_close(b.sigma_probability, 1 - 2 * exp(-12.5), 1e-15);
    assert_close(b.rho_probability, (1 - exp(-12.5)) * (1 - 8 * exp(-25.0 / 8)), 1e-15);
    assert_close(b.rho_direct_probability, 1 - 4 * exp(-12.5), 1e-15);
    assert_close(b.round_gpis, pow(b.alpha, 40) * (1 + b.rho) * sqrt(300) + b.rho, 1e-12);
    assert_close(b.floor_gpis, sqrt(b.sigma / 40) / (1 - b.rho), 1e-13);
    assert_close(b.floor_acc, sqrt(4 * b.sigma / (41 * 41)) / (1 - b.rho), 1e-13);
    /* our step is m times the paper's 1/(L (b_m + sqrt(d) + theta)^2) */
    assert_close(b.step / 3000, 1 / (high * high), 1e-18);
    p.gamma_u = 2; /* beta = 2 under the roots */
    assert_close(bounds_of(&p).floor_acc / b.floor_acc, sqrt(2), 1e-14);
    assert_close(bounds_of(&p).floor_gpis / b.floor_gpis, sqrt(2), 1e-14);
    assert_true(bounds_of(&p).alpha > b.alpha);
}

static void monotone(void **state) {
    (void)state;
    for (int direct = 0; direct < 2; direct++) {
        gpis_bounds before = {.alpha = 1,
                              .rho = INFINITY,
                              .rho_direct = INFINITY,
                              .sigma = INFINITY,
                              .round_gpis = INFINITY,
                              .round_acc = INFINITY};
        for (int64_t m = 400; m < 1000000000; m = m * 5 / 4) { /* more rows: all bounds tighten */
            gpis_bounds_problem p = problem_of(m, 100, 50, 3);
            p.inner = 300, p.direct = direct;
            const gpis_bounds b = bounds_of(&p);
            assert_true(b.alpha < before.alpha && b.rho < before.rho && b.rho_direct < before.rho_direct);
            assert_true(b.sigma < before.sigma && b.round_gpis < before.round_gpis && b.round_acc < before.round_acc);
            before = b;
        }
        before = (gpis_bounds){0};
        for (double theta = 0; theta < 12; theta += 0.25) { /* more certainty: all bounds loosen */
            gpis_bounds_problem p = problem_of(2000, 100, 50, theta);
            p.direct = direct;
            const gpis_bounds b = bounds_of(&p);
            assert_true(b.alpha > before.alpha && b.rho > before.rho && b.rho_direct > before.rho_direct);
            assert_true(b.sigma > before.sigma && b.probability >= before.probability);
            assert_true(b.rho_probability >= before.rho_probability && b.rho_probability <= 1);
            before = b;
        }
    }
}

static void limits(void **state) {
    (void)state;
    gpis_bounds_problem p = problem_of(1000000000000, 10, 1e3, 5);
    p.inner = 1000000;
    gpis_bounds b = bounds_of(&p); /* m without end: the sketch is no loss */
    assert_close(b.sigma, 1, 1e-4);
    assert_close(b.alpha, 1 - 1e-3, 1e-6);
    assert_true(b.rho < 1e-4 && b.rho_direct < 1e-4);
    assert_close(b.round_gpis, b.rho, 1e-12);
    p = problem_of(5000, 10, 1e25, 5); /* alpha rounds to 1, alpha^k does not */
    p.inner = INT64_MAX;
    b = bounds_of(&p);
    assert_true(b.alpha_gap > 0 && b.alpha_gap < 1e-24);
    p.cond = 1e18;
    assert_true(bounds_of(&p).round_gpis < 1e9 * 0.2);
    p.cond = INFINITY; /* mu = 0: Theorems 2 and 3 alone are left */
    p.inner = 100;
    b = bounds_of(&p);
    assert_true(b.alpha == 1 && isinf(b.round_gpis) && isinf(b.round_acc));
    assert_true(isfinite(b.floor_gpis) && b.floor_acc < b.floor_gpis);
    p.inner = 0; /* inner problems solved exactly */
    p.cond = 10;
    b = bounds_of(&p);
    assert_true(b.round_gpis == b.rho && b.round_acc == b.rho && b.floor_gpis == 0 && b.floor_acc == 0);
}

/* Where b_m <= sqrt(d) + theta the squares would look like bounds; they must not. */
static void vacuous(void **state) {
    (void)state;
    for (int64_t m = 1; m <= 400; m++) {
        gpis_bounds_problem p = problem_of(m, 100, 10, 5);
        p.inner = 50;
        const gpis_bounds b = bounds_of(&p);
        const bool nothing = gpis_theory_mean_length(m) <= 15;
        assert_int_equal(isinf(b.sigma), nothing);
        assert_int_equal(b.alpha == 1, nothing);
        assert_int_equal(isinf(b.rho), nothing);
        assert_int_equal(isinf(b.rho_direct), nothing);
        assert_int_equal(isinf(b.round_gpis) && isinf(b.round_acc), nothing);
        assert_true(b.rho >= 1 ? isinf(b.floor_gpis) && isinf(b.floor_acc) : isfinite(b.floor_gpis));
        p.width = 3; /* a thin cone: rho has something to say where alpha and sigma have not */
        assert_int_equal(isinf(bounds_of(&p).rho), gpis_theory_mean_length(m) <= 8);
        assert_int_equal(isinf(bounds_of(&p).round_gpis), nothing);
    }
    gpis_bounds_problem p = problem_of(10000, 100, 10, 4); /* 8 exp(-2) > 1 */
    assert_true(bounds_of(&p).rho_probability == 0 && bounds_of(&p).probability == 0);
    p.direct = 1;
    assert_true(bounds_of(&p).rho_direct_probability > 0.99 && bounds_of(&p).probability > 0.99);
    p.theta = 0.5;
    assert_true(bounds_of(&p).alpha_probability == 0 && bounds_of(&p).sigma_probability == 0);
}

static void widths_and_thetas(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double width = 0, theta = 0;
    assert_ok(context, gpis_bounds_width_l1(context, 100, 10, &width));
    assert_close(width, sqrt(20 * log(10) + 12.5), 1e-14);
    assert_ok(context, gpis_bounds_width_l1(context, 100, 100, &width));
    assert_close(width, 10, 1e-14); /* 5 s/4 > d: sqrt(d) is better */
    assert_ok(context, gpis_bounds_width_l1(context, 1, 1, &width));
    assert_close(width, 1, 1e-14);
    for (int direct = 0; direct < 2; direct++)
        for (double delta = 0.9; delta > 1e-12; delta /= 7) {
            assert_ok(context, gpis_bounds_theta(context, delta, direct, &theta));
            gpis_bounds_problem p = problem_of(1000, 10, 10, theta);
            p.direct = direct;
            assert_close(bounds_of(&p).probability, 1 - delta, 1e-12);
        }
    gpis_bounds_problem p = problem_of(1000, 16, 10, 1);
    assert_close(bounds_of(&p).width, 4, 0); /* not given: sqrt(d) */
    p.width = 5;
    assert_close(bounds_of(&p).width, 4, 0);
    test_context_end(context, &memory);
}

/* ---- work ---------------------------------------------------------------------------------------------------------
 */

static gpis_work work_of(gpis_context *context, const gpis_bounds_problem *p, int accelerated) {
    gpis_work work;
    assert_ok(context, gpis_bounds_work(context, p, accelerated, &work));
    return work;
}

/* The plan keeps its promise, and fewer inner iterations (rounds, where those are given) would not. */
static void assert_minimal(gpis_bounds_problem p, int accelerated, const gpis_work *w) {
    assert_close(w->epochs, (double)w->rounds * (1 + p.sketch_cost + (double)(w->inner * w->m) / (double)p.n),
                 1e-9 * w->epochs);
    assert_true(pow(w->contraction, (double)w->rounds) <= p.tol * (1 + 1e-9));
    if (p.inner > 0) {
        assert_true(w->rounds == 1 || pow(w->contraction, (double)(w->rounds - 1)) > p.tol);
    } else if (w->inner > 1) {
        p.m = w->m;
        p.inner = w->inner - 1;
        const gpis_bounds b = bounds_of(&p);
        assert_true(pow(accelerated ? b.round_acc : b.round_gpis, (double)w->rounds) > p.tol * (1 - 1e-9));
    }
}

static void advice_is_best(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < 12; i++) {
        gpis_bounds_problem p = problem_of(1, i % 2 ? 20 : 5, i % 3 ? 1e4 : 3, 2.5);
        p.n = 4000 + 1000 * i;
        p.direct = 1, p.gamma_u = i % 4 ? 2 : 1, p.inner = i < 8 ? 0 : 200000;
        for (int accelerated = 0; accelerated < 2; accelerated++) {
            gpis_work best, least = {.epochs = INFINITY};
            assert_ok(context, gpis_bounds_advise(context, &p, accelerated, &best));
            for (int64_t m = p.d + 1; m <= p.n; m += 3) {
                p.m = m;
                const gpis_work w = work_of(context, &p, accelerated);
                if (w.epochs < least.epochs) least = w;
            }
            assert_true(isfinite(least.epochs));
            assert_true(best.epochs <= least.epochs * 1.005);
            assert_minimal(p, accelerated, &best);
        }
    }
    test_context_end(context, &memory);
}

/* For a given m: every number of rounds, one after the other. */
static void rounds_are_best(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int accelerated = 0; accelerated < 2; accelerated++)
        for (double tol = 0.3; tol > 1e-9; tol /= 10) {
            gpis_bounds_problem p = problem_of(1500, 20, 1e3, 3);
            p.n = 100000, p.direct = 1, p.tol = tol;
            const gpis_work best = work_of(context, &p, accelerated);
            assert_minimal(p, accelerated, &best);
            for (p.inner = 1; p.inner < 20000; p.inner += 1 + p.inner / 50)
                assert_true(work_of(context, &p, accelerated).epochs >= best.epochs * (1 - 1e-9));
        }
    test_context_end(context, &memory);
}

static void nothing_promised(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_bounds_problem p = problem_of(300, 100, 10, 5);
    gpis_work w;
    p.n = 1000; /* even m = n is too little for these bounds */
    assert_ok(context, gpis_bounds_advise(context, &p, 1, &w));
    assert_true(w.m == 0 && w.rounds == 0 && w.inner == 0 && isinf(w.epochs) && w.probability == 0);
    p.n = 1000000, p.m = 5000, p.inner = 1; /* one iteration does not make up for sqrt(L/mu) */
    assert_true(isinf(work_of(context, &p, 0).epochs) && isinf(work_of(context, &p, 1).epochs));
    p.inner = 0, p.cond = INFINITY;
    assert_true(isinf(work_of(context, &p, 0).epochs) && isinf(work_of(context, &p, 1).epochs));
    p.cond = 1e300;
    assert_true(isinf(work_of(context, &p, 0).epochs) && isinf(work_of(context, &p, 1).epochs));
    p.cond = 1, p.n = 1000000000000;
    assert_ok(context, gpis_bounds_advise(context, &p, 0, &w));
    assert_true(w.m > 100 && isfinite(w.epochs));
    test_context_end(context, &memory);
}

static void refusals(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const gpis_bounds_problem good = {
        .m = 100, .n = 1000, .d = 10, .cond = 10, .width = 3, .theta = 1, .gamma_u = 1, .tol = 0.1};
    gpis_bounds_problem bad[] = {good, good, good, good, good, good, good, good, good, good};
    bad[0].m = 0, bad[1].d = 0, bad[2].cond = 0.5, bad[3].cond = NAN, bad[4].width = -1;
    bad[5].theta = -1, bad[6].theta = INFINITY, bad[7].gamma_u = 0.5, bad[8].inner = -1, bad[9].width = NAN;
    gpis_bounds bounds;
    gpis_work work;
    double out;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(gpis_bounds_compute(context, &bad[i], &bounds), GPIS_BAD_ARGUMENT);
        assert_true(strlen(gpis_last_error(context)) > 0);
        assert_int_equal(gpis_bounds_work(context, &bad[i], 0, &work), GPIS_BAD_ARGUMENT);
    }
    gpis_bounds_problem few[] = {good, good, good, good, good, good};
    few[0].n = 0, few[1].n = 50, few[2].tol = 0, few[3].tol = 1, few[4].sketch_cost = -1, few[5].tol = NAN;
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        assert_int_equal(gpis_bounds_work(context, &few[i], 1, &work), GPIS_BAD_ARGUMENT);
        if (i != 1) assert_int_equal(gpis_bounds_advise(context, &few[i], 1, &work), GPIS_BAD_ARGUMENT);
    }
    assert_int_equal(gpis_bounds_compute(context, NULL, &bounds), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_bounds_advise(context, NULL, 0, &work), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_bounds_width_l1(context, 10, 11, &out), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_bounds_width_l1(context, 10, 0, &out), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_bounds_theta(context, 0, 0, &out), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_bounds_theta(context, 1, 1, &out), GPIS_BAD_ARGUMENT);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_length),    cmocka_unit_test(as_printed),      cmocka_unit_test(monotone),
        cmocka_unit_test(limits),         cmocka_unit_test(vacuous),         cmocka_unit_test(widths_and_thetas),
        cmocka_unit_test(advice_is_best), cmocka_unit_test(rounds_are_best), cmocka_unit_test(nothing_promised),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
