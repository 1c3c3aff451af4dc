/* gpis_solve and gpis_check from the caller's side: starts, limits, outcomes, progress, refusals, bits, memory. */
#include <omp.h>

#include "calls.h"
#include "certificate/problems.h"
#include "pass/pass.h"

enum { N = 60, D = 6 };

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    world w;
    problem p;
    gpis_source *A;
    gpis_set *set;
    gpis_settings settings;
} fixture;

static void begin(fixture *t, flavour what, int64_t k, const char *spec) {
    t->context = test_context(&t->memory);
    world_begin(&t->w, D);
    t->p = problem_make(what, N, D, k, 31);
    t->A = problem_source(t->context, &t->p);
    t->set = problem_set(t->context, &t->w, spec, "1", k);
    t->settings = gpis_settings_default();
}

static void end(fixture *t) {
    gpis_set_destroy(t->set);
    gpis_source_destroy(t->A);
    problem_clear(&t->p);
    world_end(&t->w);
    test_context_end(t->context, &t->memory);
}

static gpis_result *solve(fixture *t) {
    gpis_result *r = NULL;
    assert_ok(t->context, test_solve(t->context, t->A, t->p.Y, t->p.k, t->set, &t->settings, &r));
    return r;
}

static const char *const METHODS[] = {"newton", "apgd"};

/* ---- starts -------------------------------------------------------------------------------------------------- */

static void warm_start_and_infeasible_start(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        fixture t;
        begin(&t, FINE, 1, "l1:0.7");
        t.settings.method = METHODS[m];
        t.settings.tol = 1e-9;
        gpis_result *cold = solve(&t);
        assert_int_equal(cold->outcome, GPIS_SOLVED);
        t.settings.x0 = cold->x;
        t.settings.x0_entries = D;
        gpis_result *warm = solve(&t);
        assert_int_equal(warm->outcome, GPIS_SOLVED);
        assert_true(warm->objective <= cold->objective * (1.0 + 1e-15));
        assert_true(warm->passes <= (m == 0 ? 2 : cold->passes - 1));
        double far[D];
        for (int j = 0; j < D; j++) far[j] = 1e6 * (j - 2.5);
        t.settings.x0 = far; /* projected first */
        t.settings.max_passes = 1;
        gpis_result *start = solve(&t);
        double projected[D];
        assert_ok(t.context, gpis_set_project(t.set, far, projected));
        assert_memory_equal(start->x, projected, sizeof projected);
        assert_true(start->feasibility <= 1e-15);
        t.settings.max_passes = 0;
        gpis_result *infeasible = solve(&t);
        assert_close(infeasible->objective, cold->objective, 1e-8 * cold->objective);
        gpis_result_destroy(cold);
        gpis_result_destroy(warm);
        gpis_result_destroy(start);
        gpis_result_destroy(infeasible);
        end(&t);
    }
}

/* ---- limits and progress ------------------------------------------------------------------------------------------
 */

typedef struct watcher {
    int calls, stop_at;
    gpis_progress last;
    bool first;
} watcher;

static int watch(void *user, const gpis_progress *now) {
    watcher *w = user;
    assert_true(now->pass >= 1 && now->seconds >= 0.0 && now->epochs > 0.0);
    assert_true(isfinite(now->objective) && now->gap >= 0.0 &&
                now->gap <= now->objective * (1.0 + 1e-12)); /* and its rounding */
    if (w->calls == 0) {
        assert_true(isnan(now->contraction)); /* nothing to compare with yet */
    } else {
        assert_true(now->pass >= w->last.pass && now->seconds >= w->last.seconds && now->epochs >= w->last.epochs);
        assert_true(now->objective <= w->last.objective && now->gap <= w->last.gap);
        if (w->last.gap > 0.0) assert_close(now->contraction, now->gap / w->last.gap, 1e-15);
    }
    w->last = *now;
    return ++w->calls == w->stop_at;
}

static void progress_is_sane_and_agrees(void **state) {
    (void)state;
    static const char *const specs[] = {"none", "nonneg", "l1:0.7", "simplex:1", "monotone"};
    for (int m = 0; m < 2; m++)
        for (int s = 0; s < 5; s++) {
            fixture t;
            watcher w = {0};
            begin(&t, FINE, 1, specs[s]);
            t.settings.method = METHODS[m];
            t.settings.progress = watch;
            t.settings.progress_user = &w;
            gpis_result *r = solve(&t);
            assert_int_equal(r->outcome, GPIS_SOLVED);
            assert_true(w.calls > 0 && w.last.pass == r->passes && w.last.objective == r->objective);
            assert_true(w.last.gap == r->gap && w.last.epochs == r->epochs);
            assert_true(r->bytes_read == (double)r->passes * N * D * sizeof(double));
            assert_true(r->seconds >= 0.0 && r->sketches == 0 && r->plan[0] != '\0');
            gpis_result_destroy(r);
            end(&t);
        }
}

/* However it ends, x is the best point seen, its objective is true, and so is its bound. */
static void check_ending(fixture *t, gpis_outcome outcome, double best) {
    gpis_result *r = solve(t);
    assert_int_equal(r->outcome, outcome);
    const double f = (double)problem_value(&t->p, r->x, NULL);
    assert_close(r->objective, f, 1e-12 * f);
    assert_true(r->objective - r->gap <= best * (1.0 + 1e-12));
    assert_true(r->feasibility <= 1e-14);
    if (t->settings.max_passes) assert_true(r->passes <= t->settings.max_passes);
    gpis_result_destroy(r);
}

static void limits_end_a_run(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        fixture t;
        begin(&t, COHERENT, 1, "l1:0.7");
        t.settings.method = METHODS[m];
        t.settings.tol = 1e-11;
        gpis_result *good = solve(&t);
        const double best = good->objective;
        const int64_t enough = good->passes;
        gpis_result_destroy(good);
        for (int64_t passes = 1; passes < enough; passes++) {
            t.settings.max_passes = passes;
            check_ending(&t, GPIS_MAX_PASSES, best);
        }
        t.settings.max_passes = 0;
        t.settings.time_limit = 1e-9;
        check_ending(&t, GPIS_TIME_LIMIT, best);
        t.settings.time_limit = 0.0;
        for (int stop = 1; stop <= 2 && stop < enough; stop++) {
            watcher w = {.stop_at = stop};
            t.settings.progress = watch;
            t.settings.progress_user = &w;
            check_ending(&t, GPIS_INTERRUPTED, best);
            assert_int_equal(w.calls, stop);
        }
        end(&t);
    }
}

static void certificate_settings(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        fixture t;
        begin(&t, FINE, 1, "l1:0.7");
        t.settings.method = METHODS[m];
        t.settings.certificate = GPIS_CERTIFICATE_PROVEN;
        gpis_result *r = solve(&t);
        assert_int_equal(r->outcome, GPIS_SOLVED);
        assert_int_equal(r->gap_kind, GPIS_GAP_PROVEN);
        assert_true(gpis_relative_gap(r) <= 1e-8);
        const double best = r->objective;
        gpis_result_destroy(r);
        t.settings.certificate = GPIS_CERTIFICATE_NONE; /* nothing but a limit, or no movement, ends it */
        t.settings.max_passes = 40;
        r = solve(&t);
        assert_true(r->outcome == GPIS_MAX_PASSES || r->outcome == GPIS_STALLED);
        assert_true(r->objective <= best * (1.0 + 1e-8));
        gpis_result_destroy(r);
        end(&t);
    }
}

static void fixed_step_and_restarts(void **state) {
    (void)state;
    static const gpis_restart restarts[] = {GPIS_RESTART_GRADIENT, GPIS_RESTART_FUNCTION, GPIS_RESTART_NONE};
    fixture t;
    begin(&t, FINE, 1, "l1:0.7");
    gpis_result *good = solve(&t);
    t.settings.method = "apgd";
    for (int i = 0; i < 3; i++)
        for (int fixed = 0; fixed < 2; fixed++) {
            t.settings.restart = restarts[i];
            t.settings.fixed_step = fixed ? 1.0 / (4.0 * N) : 0.0;
            t.settings.max_passes = 3000;
            gpis_result *r = solve(&t);
            assert_int_equal(r->outcome, GPIS_SOLVED);
            assert_close(r->objective, good->objective, 1e-7 * good->objective);
            gpis_result_destroy(r);
        }
    gpis_result_destroy(good);
    end(&t);
}

/* ---- refusals ------------------------------------------------------------------------------------------------ */

static void refuse(fixture *t, gpis_settings settings, gpis_status status, const char *word) {
    gpis_result *r = (gpis_result *)t;
    assert_int_equal(test_solve(t->context, t->A, t->p.Y, t->p.k, t->set, &settings, &r), status);
    if (!strstr(gpis_last_error(t->context), word)) fail_msg("'%s' lacks '%s'", gpis_last_error(t->context), word);
    assert_null(r);
    double x[D] = {0};
    if (strcmp(word, "method") != 0 &&
        settings.certificate != GPIS_CERTIFICATE_NONE) /* an audit has no method, and ends */
        assert_int_equal(test_check(t->context, t->A, t->p.Y, t->p.k, t->set, x, &settings, &r), status);
    gpis_result_destroy(r);
}

#define REFUSE(field, value, word)                        \
    do {                                                  \
        gpis_settings settings_ = t.settings;             \
        settings_.field = (value);                        \
        refuse(&t, settings_, GPIS_BAD_ARGUMENT, (word)); \
    } while (0)

static void bad_settings_are_refused(void **state) {
    (void)state;
    fixture t;
    begin(&t, FINE, 1, "l1:0.7");
    const double tols[] = {0.0, -1e-8, 1.0, 2.0, NAN, INFINITY};
    for (int i = 0; i < 6; i++) REFUSE(tol, tols[i], "tolerance");
    REFUSE(method, "simplex", "method");
    REFUSE(method, "", "method");
    REFUSE(max_passes, -1, "max_passes");
    REFUSE(time_limit, -1.0, "time_limit");
    REFUSE(time_limit, NAN, "time_limit");
    REFUSE(gamma_u, 1.0, "gamma_u");
    REFUSE(gamma_u, NAN, "gamma_u");
    REFUSE(gamma_u, INFINITY, "gamma_u");
    REFUSE(gamma_d, 0.5, "gamma_d");
    REFUSE(gamma_d, NAN, "gamma_d");
    REFUSE(fixed_step, -1.0, "fixed_step");
    REFUSE(fixed_step, NAN, "fixed_step");
    REFUSE(threads, -1, "threads");
    REFUSE(threads, 4097, "threads must be from 0 to 4096, not 4097");
    REFUSE(certificate, (gpis_certificate)7, "certificate");
    REFUSE(restart, (gpis_restart)7, "restart");
    REFUSE(certificate, GPIS_CERTIFICATE_NONE, "option max-passes");
    gpis_settings settings = t.settings;
    const double x0[D] = {0, 0, 0, NAN, 0, 0};
    settings.x0 = x0;
    settings.x0_entries = D;
    refuse(&t, settings, GPIS_BAD_DATA, "entry 4 of x0");
    end(&t);
}

static void bad_problems_are_refused(void **state) {
    (void)state;
    fixture t;
    begin(&t, FINE, 1, "l1:0.7");
    const double x[D] = {0};
    gpis_result *r = NULL;
    gpis_set *other = NULL;
    assert_ok(t.context, test_set(t.context, "none", D + 1, 1, &other));
    assert_int_equal(test_solve(t.context, t.A, t.p.Y, 1, other, &t.settings, &r), GPIS_BAD_SHAPE);
    assert_int_equal(test_solve(t.context, t.A, t.p.Y, 2, t.set, &t.settings, &r), GPIS_BAD_SHAPE);
    assert_int_equal(test_solve(t.context, t.A, t.p.Y, 0, t.set, &t.settings, &r), GPIS_BAD_SHAPE);
    assert_int_equal(test_solve(t.context, NULL, t.p.Y, 1, t.set, &t.settings, &r), GPIS_BAD_ARGUMENT);
    assert_int_equal(test_solve(t.context, t.A, NULL, 1, t.set, &t.settings, &r), GPIS_BAD_ARGUMENT);
    assert_int_equal(test_check(t.context, t.A, t.p.Y, 1, t.set, NULL, &t.settings, &r), GPIS_BAD_ARGUMENT);
    double objective, bad[D] = {0, NAN};
    assert_int_equal(test_check(t.context, t.A, t.p.Y, 1, t.set, bad, &t.settings, &r), GPIS_BAD_DATA);
    assert_int_equal(test_evaluate(t.context, t.A, t.p.Y, 1, bad, &objective, NULL), GPIS_BAD_DATA);
    assert_int_equal(test_evaluate(t.context, t.A, t.p.Y, 0, x, &objective, NULL), GPIS_BAD_SHAPE);
    assert_int_equal(test_evaluate(t.context, t.A, NULL, 1, x, &objective, NULL), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_gram(t.context, t.A, NULL), GPIS_BAD_ARGUMENT);
    double SA[4 * D], SY[4];
    assert_int_equal(test_sketch(t.context, t.A, NULL, 0, "fog", 4, 1, 0, SA, NULL), GPIS_BAD_ARGUMENT);
    assert_int_equal(test_sketch(t.context, t.A, NULL, 1, "count", 4, 1, 0, SA, SY), GPIS_BAD_ARGUMENT);
    assert_int_equal(test_sketch(t.context, t.A, NULL, 0, "count", 0, 1, 0, SA, NULL), GPIS_BAD_ARGUMENT);
    gpis_set_destroy(other);
    end(&t);
}

/* ---- the audit ----------------------------------------------------------------------------------------------- */

static void check_agrees_with_solve(void **state) {
    (void)state;
    for (int spec = 0; spec < SPEC_COUNT; spec++)
        for (int64_t k = 1; k <= 2; k++) {
            fixture t;
            begin(&t, FINE, k, SPECS[spec]);
            gpis_result *r = solve(&t), *c = NULL;
            assert_ok(t.context, test_check(t.context, t.A, t.p.Y, k, t.set, r->x, &t.settings, &c));
            assert_int_equal(c->outcome, GPIS_SOLVED);
            assert_string_equal(c->method, "check");
            assert_close(c->objective, r->objective, 1e-13 * r->objective);
            assert_true(gpis_relative_gap(c) <= 1e-8 && c->feasibility <= 1e-12);
            assert_close(c->given_objective, c->objective, 1e-13 * r->objective);
            assert_true(r->given_objective == r->objective);
            gpis_result_destroy(c);
            /* a point off the set: how far is reported, the certificate is that of its projection */
            double away[2 * D], near[2 * D], distance = 0.0;
            for (int i = 0; i < D * k; i++) away[i] = r->x[i] + (i % 2 ? 40.0 : -30.0);
            assert_ok(t.context, gpis_set_project(t.set, away, near));
            for (int i = 0; i < D * k; i++) distance = hypot(distance, away[i] - near[i]);
            assert_ok(t.context, test_check(t.context, t.A, t.p.Y, k, t.set, away, &t.settings, &c));
            assert_close(c->feasibility, distance, 1e-9 * (1.0 + distance));
            assert_memory_equal(c->x, near, sizeof(double) * (size_t)(D * k));
            const double f = (double)problem_value(&t.p, near, NULL);
            assert_close(c->objective, f, 1e-12 * f);
            const double given = (double)problem_value(&t.p, away, NULL); /* of the point as it was given */
            assert_close(c->given_objective, given, 1e-12 * given);
            assert_true(c->objective - c->gap <= r->objective * (1.0 + 1e-12));
            if (f > r->objective * 1.001) assert_int_equal(c->outcome, GPIS_STALLED);
            gpis_result_destroy(c);
            gpis_result_destroy(r);
            end(&t);
        }
}

/* Y = A X of the X that is given: f is 0 there and large at its projection, of which nothing may be left in it. */
static void a_perfect_fit_outside_the_set(void **state) {
    (void)state;
    for (int64_t k = 1; k <= 2; k++) {
        fixture t;
        gpis_result *c = NULL;
        double x[2 * D];
        begin(&t, FINE, k, "l1:1e-3");
        for (int i = 0; i < D * k; i++) x[i] = i % 2 ? 40.0 : -30.0;
        double *Y = calloc((size_t)(t.p.n * k), sizeof *Y), size = 0.0;
        for (int64_t i = 0; i < t.p.n; i++)
            for (int64_t j = 0; j < D; j++)
                for (int64_t l = 0; l < k; l++) Y[i * k + l] += t.p.A[i * D + j] * x[j * k + l];
        for (int64_t i = 0; i < t.p.n * k; i++) size += Y[i] * Y[i];
        assert_ok(t.context, test_check(t.context, t.A, Y, k, t.set, x, &t.settings, &c));
        assert_true(c->given_objective >= 0.0 && c->given_objective <= 1e-26 * size);
        assert_true(c->objective > 0.5 * size && c->passes <= 3);
        gpis_result_destroy(c);
        free(Y);
        end(&t);
    }
}

/* ---- bits ---------------------------------------------------------------------------------------------------- */

static int copy_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    const problem *p = user;
    memcpy(rows, p->A + row0 * p->d, (size_t)(nrows * p->d) * sizeof *rows);
    return 0;
}

/* Large enough for several threads to have work. */
static gpis_source *source_of(gpis_context *context, problem *p, int how, int64_t *indptr, int32_t *indices) {
    gpis_source *A = NULL;
    for (int64_t i = 0; how == 1 && i <= p->n; i++) indptr[i] = i * p->d;
    for (int64_t i = 0; how == 1 && i < p->n * p->d; i++) indices[i] = (int32_t)(i % p->d);
    if (how == 0) return problem_source(context, p);
    if (how == 1)
        assert_ok(context, gpis_source_csr(context, p->n, p->d, indptr, indices, p->A, GPIS_FLOAT64, &A));
    else
        assert_ok(context, gpis_source_callback(context, p->n, p->d, copy_rows, p, 1, &A));
    return A;
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    enum { ROWS = 6000, COLS = 12 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem p = problem_make(FINE, ROWS, COLS, 2, 3);
    int64_t *indptr = malloc((ROWS + 1) * sizeof *indptr);
    int32_t *indices = malloc(ROWS * COLS * sizeof *indices);
    gpis_set *set = NULL;
    assert_ok(context, test_set(context, "l1:0.02", COLS, 2, &set));
    for (int how = 0; how < 3; how++)
        for (int m = 0; m < 2; m++) {
            gpis_result *one = NULL;
            for (int threads = 1; threads <= 4; threads++) {
                gpis_result *r = NULL;
                gpis_settings settings = gpis_settings_default();
                settings.method = METHODS[m];
                gpis_source *A = source_of(context, &p, how, indptr, indices);
                assert_ok(context, gpis_context_set_threads(context, threads));
                assert_ok(context, test_solve(context, A, p.Y, 2, set, &settings, &r));
                gpis_source_destroy(A);
                assert_int_equal(r->outcome, GPIS_SOLVED);
                if (threads == 1) {
                    one = r;
                    continue;
                }
                assert_memory_equal(r->x, one->x, COLS * 2 * sizeof *r->x);
                assert_true(r->objective == one->objective && r->gap == one->gap && r->passes == one->passes);
                gpis_result_destroy(r);
            }
            gpis_result_destroy(one);
        }
    gpis_set_destroy(set);
    problem_clear(&p);
    free(indptr), free(indices);
    test_context_end(context, &memory);
}

/* The caller's OpenMP setting is left as it was, also by calls that fail. */
static void threads_of_the_caller_are_left_alone(void **state) {
    (void)state;
    fixture t;
    begin(&t, FINE, 1, "l1:0.7");
    const int before = omp_get_max_threads();
    omp_set_num_threads(3);
    double x[D] = {0}, objective, H[D * D], SA[4 * D];
    gpis_result *r = solve(&t);
    assert_int_equal(omp_get_max_threads(), 3);
    gpis_result_destroy(r);
    assert_ok(t.context, test_check(t.context, t.A, t.p.Y, 1, t.set, x, &t.settings, &r));
    gpis_result_destroy(r);
    assert_ok(t.context, test_evaluate(t.context, t.A, t.p.Y, 1, x, &objective, NULL));
    assert_ok(t.context, gpis_gram(t.context, t.A, H));
    assert_ok(t.context, test_sketch(t.context, t.A, NULL, 0, "count", 4, 1, 0, SA, NULL));
    assert_int_equal(omp_get_max_threads(), 3);
    t.p.Y[4] = NAN;
    assert_int_equal(test_solve(t.context, t.A, t.p.Y, 1, t.set, &t.settings, &r), GPIS_BAD_DATA);
    assert_int_equal(test_evaluate(t.context, t.A, t.p.Y, 1, x, &objective, NULL), GPIS_BAD_DATA);
    t.settings.method = "none";
    assert_int_equal(test_solve(t.context, t.A, t.p.Y, 1, t.set, &t.settings, &r), GPIS_BAD_ARGUMENT);
    assert_int_equal(omp_get_max_threads(), 3);
    omp_set_num_threads(before);
    end(&t);
}

/* ---- memory -------------------------------------------------------------------------------------------------- */

typedef struct wish {
    problem *p;
    const char *method; /* NULL: check and the building blocks */
} wish;

static gpis_status work(gpis_context *context, void *user) {
    const wish *q = user;
    problem *p = q->p;
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_result *r = NULL;
    gpis_settings settings = gpis_settings_default();
    double x[D] = {3.0}, objective, G[D], H[D * D], SA[8 * D], SY[8]; /* x is not in the set */
    settings.method = q->method;
    settings.max_passes = 12;
    gpis_status status = gpis_source_dense(context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->n, D, D, &A);
    if (status == GPIS_OK) status = test_set(context, "l1:0.7", D, 1, &set);
    if (status == GPIS_OK && q->method) status = test_solve(context, A, p->Y, 1, set, &settings, &r);
    if (status == GPIS_OK && !q->method) status = test_check(context, A, p->Y, 1, set, x, &settings, &r);
    if (status == GPIS_OK && !q->method) status = test_evaluate(context, A, p->Y, 1, x, &objective, G);
    if (status == GPIS_OK && !q->method) status = gpis_gram(context, A, H);
    if (status == GPIS_OK && !q->method) status = test_sketch(context, A, p->Y, 1, "count", 8, 1, 0, SA, SY);
    if (status != GPIS_OK && q->method) assert_null(r);
    gpis_result_destroy(r);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    static const char *const methods[] = {"newton", "apgd", NULL};
    problem p = problem_make(FINE, N, D, 1, 31);
    for (int i = 0; i < 3; i++) {
        wish q = {&p, methods[i]};
        assert_true(test_every_allocation(work, &q) > 20);
    }
    problem_clear(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(warm_start_and_infeasible_start),
                                       cmocka_unit_test(progress_is_sane_and_agrees),
                                       cmocka_unit_test(limits_end_a_run),
                                       cmocka_unit_test(certificate_settings),
                                       cmocka_unit_test(fixed_step_and_restarts),
                                       cmocka_unit_test(bad_settings_are_refused),
                                       cmocka_unit_test(bad_problems_are_refused),
                                       cmocka_unit_test(check_agrees_with_solve),
                                       cmocka_unit_test(a_perfect_fit_outside_the_set),
                                       cmocka_unit_test(same_bits_for_any_threads),
                                       cmocka_unit_test(threads_of_the_caller_are_left_alone),
                                       cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
