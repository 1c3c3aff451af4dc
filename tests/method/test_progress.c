/*
 * Whatever the method, progress is called once after each pass over A, including the last one. Epochs never fall from
 * one report to the next, also where a pass is not charged; and a report has the objective that its pass has measured,
 * also where further passes follow before the point is certified.
 */
#include "calls.h"

enum { N = 600, D = 12 };

typedef struct watcher {
    int64_t calls, last, stop_at;
    bool in_order;
    double first_objective, epochs; /* of the first report; of the latest report */
    bool epochs_fell;
} watcher;

static int watch(void *user, const gpis_progress *now) {
    watcher *w = user;
    w->calls++;
    w->in_order = w->in_order && now->pass == w->last + 1;
    w->last = now->pass;
    if (now->pass == 1) w->first_objective = now->objective;
    w->epochs_fell = w->epochs_fell || now->epochs < w->epochs;
    w->epochs = now->epochs;
    return now->pass == w->stop_at;
}

typedef struct problem {
    test_memory memory;
    gpis_context *context;
    gpis_source *A;
    gpis_set *set;
    double rows[N * D], y[N];
} problem;

/* Columns of very different lengths, so that line searches take several passes. `dependent`: two of them are the same,
 * so that newton makes a pass to prove it. */
static void begin(problem *p, const char *spec, bool dependent) {
    p->context = test_context(&p->memory);
    gpis_random_normal(1, 0, 0, N * D, p->rows);
    gpis_random_normal(2, 0, 0, N, p->y);
    for (int64_t i = 0; i < N * D; i++) p->rows[i] *= pow(10.0, -(double)(i % D) / 4.0);
    for (int64_t i = 0; dependent && i < N; i++) p->rows[i * D + 1] = p->rows[i * D];
    assert_ok(p->context, gpis_source_dense(p->context, p->rows, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &p->A));
    assert_ok(p->context, test_set(p->context, spec, D, 1, &p->set));
}

static void end(problem *p) {
    gpis_set_destroy(p->set);
    gpis_source_destroy(p->A);
    test_context_end(p->context, &p->memory);
}

static void every_pass_is_reported(void **state) {
    (void)state;
    static const char *const methods[] = {"auto", "newton", "gpis", "acc-gpis", "pgd", "apgd", "saga"};
    static const char *const specs[] = {"none", "l1:0.5", "box:0,0.1"};
    static problem p;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
            for (int variant = 0; variant < 4; variant++) {
                const bool gpcs = variant % 2, dependent = variant / 2;
                begin(&p, specs[s], dependent);
                watcher w = {.in_order = true};
                gpis_settings settings = gpis_settings_default();
                settings.method = methods[m];
                settings.gpcs = gpcs;
                settings.tol = 1e-10;
                settings.max_passes = 300;
                settings.progress = watch;
                settings.progress_user = &w;
                if (gpcs) settings.m = 60;
                gpis_result *r = NULL;
                assert_ok(p.context, test_solve(p.context, p.A, p.y, 1, p.set, &settings, &r));
                if (!w.in_order || w.calls != r->passes)
                    fail_msg("%s on %s: %lld calls for %lld passes%s", methods[m], specs[s], (long long)w.calls,
                             (long long)r->passes, w.in_order ? "" : ", out of order");
                if (w.epochs_fell) fail_msg("%s on %s: epochs fell from one report to the next", methods[m], specs[s]);
                if (r->sketches == 0 && !isfinite(w.first_objective))
                    fail_msg("%s on %s: the first pass measured a point, and was reported without", methods[m],
                             specs[s]);
                /* stopped after each of the first passes: the next one is not made */
                const int64_t passes = r->passes;
                gpis_result_destroy(r);
                for (int64_t stop = 1; stop < passes && stop < 6; stop++) {
                    w = (watcher){.in_order = true, .stop_at = stop};
                    assert_ok(p.context, test_solve(p.context, p.A, p.y, 1, p.set, &settings, &r));
                    assert_int_equal(r->outcome, GPIS_INTERRUPTED);
                    assert_true(w.calls == stop && r->passes == stop);
                    gpis_result_destroy(r);
                }
                end(&p);
            }
}

static void checks_report_their_passes(void **state) {
    (void)state;
    static problem p;
    begin(&p, "l1:0.5", false);
    watcher w = {.in_order = true};
    gpis_settings settings = gpis_settings_default();
    settings.progress = watch;
    settings.progress_user = &w;
    const double x[D] = {0};
    gpis_result *r = NULL;
    assert_ok(p.context, test_check(p.context, p.A, p.y, 1, p.set, x, &settings, &r));
    assert_true(w.in_order && w.calls == r->passes && r->passes >= 1);
    gpis_result_destroy(r);
    end(&p);
}

/* ---- between passes ---- */

static int refuse_between_passes(void *user, const gpis_pass_progress *now) {
    int *asked = user;
    *asked += now->done == now->rows;
    return now->done == now->rows;
}

/* What follows a pass can take longer than the pass: the caller is asked there, too. */
static void inner_problems_can_be_stopped(void **state) {
    (void)state;
    static const char *const specs[] = {"l1:0.5",      "box:0,0.1",         "tv:0.1",
                                        "group:0.5:3", "sum:0.1 & box:0,1", "l1:0.5 & l2:0.2"};
    static problem p;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        begin(&p, specs[s], false);
        int asked = 0;
        gpis_settings settings = gpis_settings_default();
        settings.method = "newton";
        settings.sketch = "none";
        settings.pass_progress = refuse_between_passes;
        settings.progress_user = &asked;
        gpis_result *r = NULL;
        assert_ok(p.context, test_solve(p.context, p.A, p.y, 1, p.set, &settings, &r));
        if (r->outcome != GPIS_INTERRUPTED || asked == 0)
            fail_msg("%s: outcome %d, asked %d times between passes", specs[s], (int)r->outcome, asked);
        assert_true(isfinite(r->objective) && r->violation <= 1e-12);
        gpis_result_destroy(r);
        end(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_pass_is_reported),
                                       cmocka_unit_test(inner_problems_can_be_stopped),
                                       cmocka_unit_test(checks_report_their_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
