/*
 * Choices that must be good however many entries of the answer are free: the plan's, which cannot know, by the regret
 * in the worse case; and a run's, which weighs its ways again with what it has seen. All of them follow from given
 * speeds and prices; nothing is timed.
 */
#include <cblas.h>
#include <unistd.h>

#include "calls.h"
#include "method/look.h"
#include "method/newton_plan.h"
#include "method/on_face.h"
#include "plan/plan.h"

/* ---- pure: the outlook of a run -------------------------------------------------------------------------------------
 */

static const gpis_prices IN_MEMORY = {.gram = 12.0, .finish = 1.2, .probing = 1.5, .sketch = 2.0};
/* Every pass takes as long as the disk takes, whatever is computed meanwhile. */
static const gpis_prices ON_DISK = {.gram = 1.0, .finish = 1.0, .probing = 1.0, .sketch = 1.0};

static gpis_outlook outlook(const gpis_prices *prices, double share, double probed) {
    const gpis_seen seen = {.free = {share, 0.05}, .rounds_to_face = 3.0, .rounds_with_probes = 12.0, .probed = probed};
    return gpis_newton_outlook(prices, &seen);
}

static void the_cheapest_way(void **state) {
    (void)state;
    gpis_outlook few = outlook(&IN_MEMORY, 0.05, 0.0), many = outlook(&IN_MEMORY, 1.0, 0.0);
    assert_true(few.face < few.gram && few.face < few.probes);
    assert_true(many.gram < many.face && many.gram < many.probes);
    gpis_prices wide = IN_MEMORY; /* with many columns the Gram matrix is the dearest way */
    wide.gram = 60.0;
    many = outlook(&wide, 1.0, 0.0);
    assert_true(many.probes < many.gram && many.probes < many.face);
    /* out of core one sweep for the Gram matrix and one more beat every number of sweeps with a sketch */
    for (double share = 0.0; share <= 1.0; share += 0.1) {
        const gpis_outlook cold = outlook(&ON_DISK, share, 0.0);
        assert_true(cold.gram < cold.face && cold.gram < cold.probes);
    }
}

static void more_free_entries_never_cost_less(void **state) {
    (void)state;
    for (double share = 0.0; share < 0.95; share += 0.05) {
        const gpis_outlook a = outlook(&IN_MEMORY, share, 0.0), b = outlook(&IN_MEMORY, share + 0.05, 0.0);
        assert_true(b.face > a.face && b.gram == a.gram && b.probes == a.probes);
    }
}

/* Rounds that were made count; rounds beyond the forecast are a reason to expect more of them. */
static void rounds_beyond_the_forecast(void **state) {
    (void)state;
    gpis_prices prices = IN_MEMORY;
    prices.gram = 18.0;
    assert_true(outlook(&prices, 1.0, 0.0).probes < outlook(&prices, 1.0, 0.0).gram);
    for (double made = 0.0; made < 11.0; made++)
        assert_true(outlook(&prices, 1.0, made + 1.0).probes < outlook(&prices, 1.0, made).probes);
    assert_true(outlook(&prices, 1.0, 12.0).probes > outlook(&prices, 1.0, 11.0).probes);
    bool given_up = false; /* in the end the Gram matrix is the cheaper way, after a bounded number of rounds */
    for (double made = 12.0; made < 40.0 && !given_up; made++)
        given_up = outlook(&prices, 1.0, made).gram < outlook(&prices, 1.0, made).probes;
    assert_true(given_up);
}

static void a_proof_does_not_wait_for_probes(void **state) {
    (void)state;
    const gpis_seen seen = {.free = {1.0, 0.0}, .rounds_to_face = 3.0, .rounds_with_probes = 2.0, .proof = true};
    assert_true(isinf(gpis_newton_outlook(&IN_MEMORY, &seen).probes));
}

/* ---- the plan -------------------------------------------------------------------------------------------------------
 */

/* Speeds of threads that multiply fast or slowly compared with how they read. */
static gpis_machine machine_of(double gradient_bytes, double syrk_flops) {
    gpis_machine machine = gpis_machine_default();
    machine.read_bytes = 1.5 * gradient_bytes;
    machine.gradient_bytes = gradient_bytes;
    machine.syrk_flops = syrk_flops;
    return machine;
}

static gpis_workload workload(double n, double d, bool walls) {
    return (gpis_workload){.n = n,
                           .d = d,
                           .k = 1.0,
                           .entries = n * d,
                           .ranks = 1.0,
                           .inner = walls ? GPIS_INNER_BY_FACES : GPIS_INNER_BY_FACTOR,
                           .tol = 1e-8,
                           .delta = 1e-9,
                           .probing = true,
                           .walls = walls,
                           .sketch = gpis_sketch_find("count"),
                           .at_hand = true};
}

static const int64_t FACTORS[] = {0, 3, 5, 8, 12, 16, 24, 32};
enum { WAYS = sizeof FACTORS / sizeof *FACTORS };

/* The least worst-case regret that a way has, over all ways with at most n / 4 rows. */
static double least_regret(const gpis_workload *w, const gpis_speed *s) {
    double few = INFINITY, many = INFINITY, least = INFINITY;
    gpis_effort all[WAYS];
    for (int i = 0; i < WAYS; i++) {
        all[i] = gpis_newton_cost(w, s, FACTORS[i] * (int64_t)w->d);
        if (FACTORS[i] * w->d > 0.25 * w->n) all[i].few = all[i].many = INFINITY;
        few = fmin(few, all[i].few);
        many = fmin(many, all[i].many);
    }
    for (int i = 0; i < WAYS; i++) least = fmin(least, fmax(all[i].few / few, all[i].many / many));
    return least;
}

/* Since a run weighs its ways again, some way is good in both cases: for every shape, on machines that differ by a
 * factor of six in how fast they multiply. */
static void some_way_is_good_in_both_cases(void **state) {
    (void)state;
    const gpis_machine machines[] = {machine_of(20e9, 30e9), machine_of(10e9, 30e9), machine_of(10e9, 90e9)};
    for (int i = 0; i < 3; i++)
        for (double n = 2000.0; n <= 2e6; n *= sqrt(10.0))
            for (double d = 50.0; d <= 1600.0; d *= sqrt(2.0)) {
                const gpis_workload w = workload(n, d, true);
                const gpis_speed s = gpis_speed_of(&machines[i], 2);
                const double regret = least_regret(&w, &s);
                if (regret > 1.35) fail_msg("%g x %g, machine %d: regret %g", n, d, i, regret);
            }
}

static void the_cases_differ_only_between_walls(void **state) {
    (void)state;
    const gpis_machine machine = gpis_machine_default();
    const gpis_speed s = gpis_speed_of(&machine, 2);
    for (int i = 0; i < WAYS; i++) {
        const gpis_workload open = workload(1e5, 400.0, false), walled = workload(1e5, 400.0, true);
        const gpis_effort a = gpis_newton_cost(&open, &s, FACTORS[i] * 400),
                          b = gpis_newton_cost(&walled, &s, FACTORS[i] * 400);
        assert_true(a.few == a.many);
        assert_float_equal(a.seconds, a.few, 1e-9 * a.few);
        assert_true(b.few < b.many && b.few < b.seconds && b.seconds < b.many); /* the prediction is between them */
    }
}

/* 2400256 x 256 on a disk: a sweep takes as long as the disk takes, and two are enough with the Gram matrix. */
static void out_of_core_the_gram_matrix(void **state) {
    (void)state;
    const gpis_machine machine = gpis_machine_default();
    const gpis_speed s = gpis_speed_of(&machine, 2);
    gpis_workload w = workload(2400256.0, 256.0, true);
    w.at_hand = false;
    w.windows = true;
    w.disk = 8.0 * w.entries;
    const gpis_effort gram = gpis_newton_cost(&w, &s, 0);
    for (int i = 1; i < WAYS; i++) {
        const gpis_effort sketch = gpis_newton_cost(&w, &s, FACTORS[i] * 256);
        assert_true(gram.few < 0.8 * sketch.few && gram.many < sketch.many);
    }
    /* in the page cache the arithmetic of the Gram matrix hides the reading, and is not slower for it */
    w.disk = 0.0;
    gpis_workload resident = w;
    resident.windows = false;
    assert_float_equal(gpis_cost_gram_pass(&w, &s), gpis_cost_gram_pass(&resident, &s), 1e-9);
    assert_true(gpis_cost_gradient_pass(&w, &s, false) > 1.1 * gpis_cost_gradient_pass(&resident, &s, false));
}

/* ---- runs -----------------------------------------------------------------------------------------------------------
 */

enum { N = 6000, D = 120 };

typedef struct data {
    double *A, *y;
    char spec[64];
} data;

/* An l1 ball that nearly the whole of the true x fills. Of its entries, one in `every` is not zero. */
static data make(int64_t every) {
    data p = {calloc(N * D, sizeof(double)), calloc(N, sizeof(double)), ""};
    double radius = 0.0, x[D];
    gpis_random_normal(3, 1, 0, N * D, p.A);
    gpis_random_normal(3, 2, 0, N, p.y);
    gpis_random_normal(3, 3, 0, D, x);
    for (int64_t j = 0; j < D; j++) {
        x[j] = j % every == 0 ? 3.0 + x[j] : 0.0;
        radius += 0.95 * fabs(x[j]);
        for (int64_t i = 0; i < N; i++) p.y[i] += p.A[i * D + j] * x[j];
    }
    snprintf(p.spec, sizeof p.spec, "l1:%.17g", radius);
    return p;
}

static void clear(data *p) {
    free(p->A);
    free(p->y);
}

static gpis_result *solve_of(gpis_context *context, const data *p, int64_t n, int64_t d,
                             const gpis_settings *settings) {
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_result *r = NULL;
    assert_ok(context, gpis_source_dense(context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, d, &A));
    assert_ok(context, test_set(context, p->spec, d, 1, &set));
    assert_ok(context, test_solve(context, A, p->y, 1, set, settings, &r));
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return r;
}

static gpis_result *solve(gpis_context *context, const data *p, const gpis_settings *settings) {
    return solve_of(context, p, N, D, settings);
}

/* On this machine the plan begins with a sketch, since few entries may be free. */
static gpis_machine wants_sketch(void) { return machine_of(20e9, 13e9); }

/* A run that finds most entries free takes the Gram matrix at once: in the pass after the sketch, or, after a look at
 * some rows, in the first one. With few free entries the same plan ends on a face. Both are proofs. */
static void a_run_weighs_its_ways_again(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const gpis_machine machine = wants_sketch();
    gpis_settings settings = gpis_settings_default();
    settings.machine = &machine;
    for (int few = 0; few < 2; few++) {
        data p = make(few ? 20 : 1);
        gpis_result *r = solve(context, &p, &settings);
        assert_non_null(strstr(r->plan, "newton after a look at "));
        assert_non_null(strstr(r->plan, few ? "; few were seen" : "; many were seen"));
        assert_int_equal(r->outcome, GPIS_SOLVED);
        assert_int_equal(r->gap_kind, GPIS_GAP_PROVEN);
        assert_true(r->passes <= (few ? r->predicted_passes : 3));
        gpis_result_destroy(r);
        clear(&p);
    }
    test_context_end(context, &memory);
}

/* Ten of 100 entries of the true x are not zero, but A has singular values from 1 to 1 / 100: entries come and go for
 * many rounds, and a face is found late. */
enum { TALL_N = 40000, TALL_D = 100 };

/* A = Z S C: normal numbers Z, a diagonal S, and the orthogonal matrix C of the cosine transform. */
static data make_badly_conditioned(void) {
    data p = {calloc(TALL_N * TALL_D, sizeof(double)), calloc(TALL_N, sizeof(double)), ""};
    double *Z = calloc(TALL_N * TALL_D, sizeof(double)), SC[TALL_D * TALL_D], x[TALL_D] = {0}, radius = 0.0, y2 = 0.0;
    gpis_random_normal(5, 1, 0, TALL_N * TALL_D, Z);
    gpis_random_normal(5, 2, 0, TALL_N, p.y);
    gpis_random_normal(5, 3, 0, TALL_D, x);
    for (int64_t j = 0; j < TALL_D; j++) {
        if (j % 10) x[j] = 0.0;
        radius += fabs(x[j]);
        for (int64_t i = 0; i < TALL_D; i++)
            SC[i * TALL_D + j] = pow(1e-4, 0.5 * (double)i / (TALL_D - 1)) * sqrt((i == 0 ? 1.0 : 2.0) / TALL_D) *
                                 cos(M_PI * (double)i * ((double)j + 0.5) / TALL_D);
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, TALL_N, TALL_D, TALL_D, 1.0, Z, TALL_D, SC, TALL_D, 0.0, p.A,
                TALL_D);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, TALL_N, TALL_D, 1.0, p.A, TALL_D, x, 1, 0.0, Z, 1);
    for (int64_t i = 0; i < TALL_N; i++) y2 += Z[i] * Z[i];
    for (int64_t i = 0; i < TALL_N; i++) p.y[i] = Z[i] + 0.1 * sqrt(y2 / TALL_N) * p.y[i];
    snprintf(p.spec, sizeof p.spec, "l1:%.17g", radius);
    free(Z);
    return p;
}

/* The measured speeds of a machine are never twice the same. On a machine that multiplies and reads as most do, the
 * Gram matrix of 100 columns costs little more than a few passes, and whatever the plan makes of such speeds, the run
 * ends with it after one pass: the answer has the same bits. */
static void noise_in_the_speeds_changes_no_bit(void **state) {
    enum { TRIALS = 20 };
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_settings settings = gpis_settings_default();
    data p = make_badly_conditioned();
    double first[TALL_D], noise[3 * TRIALS];
    int looks = 0;
    gpis_random_uniform(7, 1, 0, 3 * TRIALS, noise);
    for (int i = 0; i < TRIALS; i++) {
        gpis_machine machine = machine_of(28e9 * (0.7 + 0.6 * noise[3 * i]), 78e9 * (0.7 + 0.6 * noise[3 * i + 1]));
        machine.read_bytes = 36e9 * (0.7 + 0.6 * noise[3 * i + 2]);
        settings.machine = &machine;
        gpis_result *r = solve_of(context, &p, TALL_N, TALL_D, &settings);
        assert_int_equal(r->outcome, GPIS_SOLVED);
        assert_int_equal(r->passes, 1);
        if (i == 0) memcpy(first, r->x, sizeof first);
        assert_memory_equal(first, r->x, sizeof first);
        looks += strstr(r->plan, "many were seen") != NULL;
        gpis_result_destroy(r);
    }
    assert_true(looks > TRIALS / 2); /* otherwise the case is not the one that this is about */
    clear(&p);
    test_context_end(context, &memory);
}

/* A look that has missed a few heavy rows promises far less than the first pass measures. The run then takes the Gram
 * matrix at once, instead of rounds with a model that is not one of A. */
static void a_look_that_has_missed_heavy_rows(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const gpis_machine machine = wants_sketch();
    gpis_settings settings = gpis_settings_default();
    settings.machine = &machine;
    data p = make(20);
    for (int64_t i = 7; i < N; i += N / 4) {
        for (int64_t j = 0; j < D; j++) p.A[i * D + j] *= j % 2 ? 1e3 : -1e3;
        p.y[i] *= 1e3;
    }
    gpis_result *r = solve(context, &p, &settings);
    assert_non_null(strstr(r->plan, "newton after a look at "));
    assert_int_equal(r->outcome, GPIS_SOLVED);
    assert_int_equal(r->gap_kind, GPIS_GAP_PROVEN);
    assert_true(r->passes <= 3);
    gpis_result_destroy(r);
    clear(&p);
    test_context_end(context, &memory);
}

/* A sketch that was asked for is kept. */
static void an_m_that_was_asked_for_is_kept(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_settings settings = gpis_settings_default();
    settings.m = 8 * D;
    data p = make(1);
    gpis_result *r = solve(context, &p, &settings);
    assert_int_equal(r->outcome, GPIS_SOLVED);
    assert_true(r->sketches >= 1 && r->gap_kind == GPIS_GAP_PROBABLE);
    gpis_result_destroy(r);
    clear(&p);
    test_context_end(context, &memory);
}

/* A run that is resumed on a machine with other speeds decides as it did: its prices are in the checkpoint. */
static void prices_are_kept(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const gpis_machine machine = wants_sketch(), other = machine_of(20e9, 1e7);
    gpis_settings settings = gpis_settings_default();
    settings.machine = &machine;
    settings.tol = 1e-13; /* more than one pass proves */
    data p = make(1);
    gpis_result *whole = solve(context, &p, &settings);
    settings.checkpoint = "plan_weigh.test";
    settings.max_passes = 1;
    unlink(settings.checkpoint);
    gpis_result *first = solve(context, &p, &settings);
    settings.max_passes = 0;
    settings.resume = 1;
    settings.machine = &other;
    gpis_result *rest = solve(context, &p, &settings);
    assert_int_equal(rest->resumed_passes, first->passes);
    assert_true(first->passes < whole->passes);
    assert_int_equal(rest->passes, whole->passes);
    assert_memory_equal(rest->x, whole->x, D * sizeof *whole->x);
    unlink(settings.checkpoint);
    gpis_result_destroy(whole);
    gpis_result_destroy(first);
    gpis_result_destroy(rest);
    clear(&p);
    test_context_end(context, &memory);
}

/* ---- a look ---------------------------------------------------------------------------------------------------------
 */

typedef struct looker {
    const data *data;
    gpis_free_share glance;
    double share;
    bool seen;
} looker;

/* By a glance, and by the solution of the model's inner problem. */
static gpis_status look_at(gpis_run *run, gpis_source *A, const double *zero, looker *l) {
    const int64_t m = (int64_t)gpis_look_rows(N, D);
    gpis_sample *sample = NULL;
    gpis_point point;
    double g[D];
    bool done;
    gpis_status status = gpis_sample_create(run->context, A, l->data->y, 1, &run->problem->terms, m, 0, 0, &sample);
    if (status == GPIS_OK) status = gpis_look_glance(run, sample, zero, &l->glance);
    if (status == GPIS_OK) status = gpis_look_model(run, sample, zero, g, &point, &l->seen);
    if (status == GPIS_OK && l->seen) {
        gpis_inner_begin(run->curvature.inner, zero, g);
        status = gpis_inner_run(run->curvature.inner, 1000, &done);
        l->share = (double)gpis_on_face_free(run->problem, run->curvature.inner->s) / D;
    }
    gpis_sample_destroy(sample);
    return status;
}

static gpis_status look(gpis_context *context, void *user) {
    looker *l = user;
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_problem *problem = NULL;
    gpis_run run = {.context = context};
    const gpis_settings settings = gpis_settings_default();
    const double zero[D] = {0};
    gpis_status status = gpis_source_dense(context, l->data->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &A);
    if (status == GPIS_OK) status = test_set(context, l->data->spec, D, 1, &set);
    if (status == GPIS_OK) status = test_problem(context, A, l->data->y, 1, set, &problem);
    if (status == GPIS_OK) status = gpis_run_start(&run, problem, &settings);
    if (status == GPIS_OK) status = look_at(&run, A, zero, l);
    gpis_run_clear(&run);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return status;
}

static void a_look_tells_few_from_many(void **state) {
    (void)state;
    data few = make(20), many = make(1);
    looker l = {.data = &few};
    assert_true(test_every_allocation(look, &l) > 0);
    assert_true(l.seen && l.share > 0.0 && l.share < 0.35);
    assert_true(l.glance.share > 0.0 && l.glance.share + l.glance.unsettled < 0.35);
    l.data = &many;
    assert_true(test_every_allocation(look, &l) > 0);
    assert_true(l.seen && l.share > 0.65 && l.share <= 1.0);
    assert_true(l.glance.share > 0.65 && l.glance.share + l.glance.unsettled <= 1.0);
    for (int64_t i = 0; i < N; i++) many.A[i * D] = many.A[i * D + 1]; /* dependent columns */
    assert_true(test_every_allocation(look, &l) > 0);
    assert_false(l.seen);
    for (int64_t i = 0; i < N; i++) many.A[i * D] = 0.0; /* a column of zeros */
    assert_true(test_every_allocation(look, &l) > 0);
    assert_false(l.seen);
    clear(&few);
    clear(&many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_way),
        cmocka_unit_test(more_free_entries_never_cost_less),
        cmocka_unit_test(rounds_beyond_the_forecast),
        cmocka_unit_test(a_proof_does_not_wait_for_probes),
        cmocka_unit_test(some_way_is_good_in_both_cases),
        cmocka_unit_test(the_cases_differ_only_between_walls),
        cmocka_unit_test(out_of_core_the_gram_matrix),
        cmocka_unit_test(a_run_weighs_its_ways_again),
        cmocka_unit_test(noise_in_the_speeds_changes_no_bit),
        cmocka_unit_test(a_look_that_has_missed_heavy_rows),
        cmocka_unit_test(an_m_that_was_asked_for_is_kept),
        cmocka_unit_test(prices_are_kept),
        cmocka_unit_test(a_look_tells_few_from_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
