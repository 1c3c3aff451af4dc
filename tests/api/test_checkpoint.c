/* Checkpoints: wherever a solve was cut off or stopped, what resumes from its file ends with the same bits. */
#define PATH "checkpoint.test"

#include "api/checkpoints.h"

/* ---- cut off anywhere
 * -------------------------------------------------------------------------------------------------
 */

static void resume_from(stage *t, const bytes *b, int64_t size, const gpis_result *whole) {
    store(b->data, size);
    gpis_result *r = solve(t);
    assert_same(t, whole, r);
    assert_int_equal(r->resumed_passes, whole_passes(b, size));
    assert_string_equal(r->warning, whole->warning);
    clear(t, r);
    struct stat info;
    assert_int_equal(stat(PATH, &info), 0);
    assert_int_equal(info.st_size, b->size); /* the rest is there again */
}

static void cut_anywhere_the_bits_are_the_same(void **state) {
    (void)state;
    for (int s = 0; s < SCENES_COUNT; s++) {
        stage t;
        begin(&t, &SCENES[s]);
        gpis_result *whole = run_whole(&t);
        bytes b = load();
        assert_int_equal(b.records, whole->passes + 1);
        for (int i = 0; i + 1 < b.records; i += 1 + b.records / 9) { /* all of a few, some of many */
            resume_from(&t, &b, b.ends[i], whole);
            resume_from(&t, &b, b.ends[i] + 1, whole);     /* a record of one byte */
            resume_from(&t, &b, b.ends[i + 1] - 1, whole); /* one that lacks a byte */
            const int64_t length = b.ends[i + 1] - b.ends[i];
            resume_from(&t, &b, b.ends[i] + (1009 * (i + 1) * (s + 1)) % length, whole);
        }
        resume_from(&t, &b, b.size, whole);
        free(b.data);
        clear(&t, whole);
        end(&t);
    }
}

static void nothing_is_read_of_what_the_file_holds(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[6]);
    gpis_result *whole = run_whole(&t);
    t.rows_made = 0;
    gpis_result *again = solve(&t);
    assert_same(&t, whole, again);
    assert_int_equal(again->resumed_passes, whole->passes);
    assert_int_equal(t.rows_made, 200);                 /* those that tell one A from another */
    for (int threads = 1; threads <= 3; threads += 2) { /* the threads may differ */
        bytes b = load();
        assert_ok(t.context, gpis_context_set_threads(t.context, threads));
        resume_from(&t, &b, b.ends[2], whole);
        free(b.data);
    }
    clear(&t, again);
    clear(&t, whole);
    end(&t);
}

/* ---- ends before the end
 * ------------------------------------------------------------------------------------------------
 */

typedef struct watcher {
    int calls, stop_at;
    int stop_within, pass_calls; /* the pass that is to be stopped, and the calls within it */
} watcher;

static int stop_after(void *user, const gpis_progress *p) {
    watcher *w = user;
    (void)p;
    return ++w->calls == w->stop_at;
}

static int stop_within(void *user, const gpis_pass_progress *p) {
    watcher *w = user;
    assert_true(p->done > 0 && p->done <= p->rows && p->rows == N && p->pass >= 1);
    assert_true(p->pass_seconds >= 0.0 && p->seconds >= p->pass_seconds);
    w->pass_calls += p->pass == w->stop_within;
    return p->pass == w->stop_within;
}

static void limits_and_interruptions_may_differ(void **state) {
    (void)state;
    for (int s = 0; s < SCENES_COUNT; s++)
        for (int way = 0; way < 3; way++) {
            stage t;
            watcher w = {.stop_at = 2};
            begin(&t, &SCENES[s]);
            gpis_result *whole = solve(&t);
            t.settings.checkpoint = PATH;
            if (way == 0) t.settings.max_passes = 2;
            if (way == 1) t.settings.time_limit = 1e-9;
            if (way == 2) t.settings.progress = stop_after;
            t.settings.progress_user = &w;
            gpis_result *part = solve(&t);
            assert_true(part->passes <= whole->passes);
            if (way == 0) assert_true(part->outcome == GPIS_MAX_PASSES || part->outcome == GPIS_SOLVED);
            bytes b = load();
            double clock = INFINITY;
            memcpy(&clock, b.data + b.ends[b.records - 2] + HEAD, sizeof clock);
            assert_true(clock > 0.0 && clock <= part->seconds);
            free(b.data);
            t.settings.max_passes = 40;
            t.settings.time_limit = 0.0;
            t.settings.progress = NULL;
            t.settings.resume = 1;
            gpis_result *r = solve(&t);
            assert_same(&t, whole, r);
            assert_int_equal(r->resumed_passes, part->passes);
            assert_true(r->seconds >= clock); /* which went on */
            clear(&t, part);
            clear(&t, r);
            clear(&t, whole);
            end(&t);
        }
}

/* Stopped within any of its passes, also those that measure again in extended precision: the best point so far, with
 * its objective; before there is any, the start. */
static void stopped_within_a_pass_it_goes_on(void **state) {
    (void)state;
    const scene s = {"newton", "box:-1,2", "count", 0, 1, ILL, MADE, 1e-15, 0, GPIS_CERTIFICATE_ANY};
    const double x0[D] = {0.5, 3.0, -0.5, 0.0, 1.0, -7.0}, inside[D] = {0.5, 2.0, -0.5, 0.0, 1.0, -1.0};
    stage t;
    begin(&t, &s);
    t.settings.x0 = x0;
    t.settings.x0_entries = D;
    gpis_result *whole = solve(&t);
    assert_true(whole->passes > 3);
    t.settings.checkpoint = PATH;
    for (int within = 1; within <= whole->passes; within++) {
        watcher w = {.stop_within = within};
        unlink(PATH);
        t.passes = 0;
        t.slow = within;
        t.settings.resume = 0;
        t.settings.pass_progress = stop_within;
        t.settings.progress_user = &w;
        gpis_result *part = solve(&t);
        assert_int_equal(part->passes, within - 1);
        assert_true(w.pass_calls == 1 && part->feasibility == 0.0);
        if (within == 1) {
            assert_true(isinf(part->objective) && part->gap_kind == GPIS_GAP_NONE);
            assert_memory_equal(part->x, inside, sizeof inside);
        } else {
            const double f = (double)problem_value(&t.p, part->x, NULL);
            assert_close(part->objective, f, 1e-9 * f);
        }
        t.slow = 0;
        t.settings.pass_progress = NULL;
        t.settings.resume = 1;
        gpis_result *r = solve(&t);
        assert_same(&t, whole, r);
        assert_int_equal(r->resumed_passes, part->passes);
        clear(&t, part);
        clear(&t, r);
    }
    clear(&t, whole);
    end(&t);
}

/* The limit of time ends a pass; the best point is that of the passes before. */
static void time_runs_out_within_a_pass(void **state) {
    (void)state;
    const scene s = {"pgd", "l1:0.7", "count", 0, 1, FINE, MADE, 1e-12, 0, GPIS_CERTIFICATE_ANY};
    stage t;
    begin(&t, &s);
    t.slow = 3;
    t.settings.time_limit = 0.14;
    gpis_result *r = solve(&t);
    assert_int_equal(r->outcome, GPIS_TIME_LIMIT);
    assert_int_equal(r->passes, 2); /* the third was given up */
    assert_close(r->objective, (double)problem_value(&t.p, r->x, NULL), 1e-9 * r->objective);
    /* An audit makes its few passes, whatever the limit; who stops it gets no result. */
    gpis_result *audit = NULL;
    watcher w = {.stop_within = 1};
    t.passes = 0;
    t.slow = 1;
    assert_ok(t.context, test_check(t.context, t.A, t.p.Y, 1, t.set, r->x, &t.settings, &audit));
    clear(&t, audit);
    t.passes = 0;
    t.settings.pass_progress = stop_within;
    t.settings.progress_user = &w;
    assert_int_equal(test_check(t.context, t.A, t.p.Y, 1, t.set, r->x, &t.settings, &audit), GPIS_STOPPED);
    clear(&t, r);
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_anywhere_the_bits_are_the_same),  cmocka_unit_test(nothing_is_read_of_what_the_file_holds),
        cmocka_unit_test(limits_and_interruptions_may_differ), cmocka_unit_test(stopped_within_a_pass_it_goes_on),
        cmocka_unit_test(time_runs_out_within_a_pass),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
