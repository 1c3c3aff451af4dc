/*
 * The account of a run, without a run: entries, the clock with its pauses, and reports. Nothing depends on how fast the
 * machine is: a paused clock stands still for any length of time, and a clock that was set shows at least that time.
 */
#include "method/account.h"

#include <math.h>

#include "support.h"

/* Uses the processor until both clocks have moved on. */
static void let_time_pass(void) {
    const double wall = gpis_clock(), processor = gpis_processor_clock();
    volatile double sum = 0.0;
    while (gpis_clock() - wall < 1e-3 || gpis_processor_clock() - processor < 1e-3) sum = sum + 1.0;
}

static void entries_add_up(void **state) {
    (void)state;
    gpis_account a;
    gpis_account_begin(&a, 77, true);
    assert_true(a.passes == 0 && a.epochs == 0.0 && a.memory_before == 77);
    gpis_account_enter_pass(&a, 1.5, 800.0);
    gpis_account_enter_pass(&a, 1.0, 800.0);
    gpis_account_enter_work(&a, 0.25, 50.0);
    gpis_account_enter_sketch(&a);
    gpis_account_enter_inner(&a, 12);
    gpis_account_enter_inner(&a, 5); /* of the latest inner problem, not of all */
    assert_int_equal(a.passes, 2);
    assert_int_equal(a.sketches, 1);
    assert_int_equal(a.inner_iterations, 5);
    assert_true(a.epochs == 2.75 && a.bytes_read == 1650.0);
}

/* While the clock is paused neither seconds nor arithmetic are charged; passes and bytes are. */
static void a_paused_clock_stands_still(void **state) {
    (void)state;
    gpis_account a;
    gpis_account_begin(&a, 0, true);
    let_time_pass();
    gpis_account_pause(&a);
    const double seconds = gpis_account_seconds(&a), processor = gpis_account_processor_seconds(&a);
    assert_true(seconds > 0.0 && processor > 0.0);
    let_time_pass();
    gpis_account_enter_pass(&a, 3.0, 100.0);
    assert_true(gpis_account_seconds(&a) == seconds && gpis_account_processor_seconds(&a) == processor);
    assert_true(a.epochs == 0.0 && a.passes == 1 && a.bytes_read == 100.0);
    gpis_account_pause(&a); /* paused already: the same instant counts */
    assert_true(gpis_account_seconds(&a) == seconds);
    const double wall = gpis_clock(), busy = gpis_processor_clock();
    gpis_account_resume(&a);
    /* what was not charged is gone: less has passed than since the clock was read, besides what was charged before */
    const double now = gpis_account_seconds(&a), work = gpis_account_processor_seconds(&a);
    assert_true(now >= seconds - 1e-9 && now <= seconds + (gpis_clock() - wall) + 1e-9);
    assert_true(work >= processor - 1e-9 && work <= processor + (gpis_processor_clock() - busy) + 1e-9);
    gpis_account_enter_work(&a, 2.0, 0.0);
    assert_true(a.epochs == 2.0);
    gpis_account_resume(&a); /* not paused: nothing happens */
    assert_true(gpis_account_seconds(&a) >= now);
}

/* Where nobody is told of processor time, the system is not asked for it. */
static void processor_time_is_for_reports(void **state) {
    (void)state;
    gpis_account a;
    gpis_account_begin(&a, 0, false);
    let_time_pass();
    assert_true(gpis_account_seconds(&a) > 0.0 && gpis_account_processor_seconds(&a) == 0.0);
    gpis_account_pause(&a);
    gpis_account_resume(&a);
    assert_true(gpis_account_processor_seconds(&a) == 0.0);
}

/* A checkpoint sets the clock to when a pass was recorded. */
static void the_clock_can_be_set(void **state) {
    (void)state;
    gpis_account a;
    gpis_account_begin(&a, 0, true);
    gpis_account_set_seconds(&a, 5000.0);
    assert_true(gpis_account_seconds(&a) >= 5000.0 - 1e-9);
    gpis_account_pause(&a);
    gpis_account_set_seconds(&a, 100.0);
    assert_true(gpis_account_seconds(&a) == 100.0); /* and stands still there */
    gpis_account_resume(&a);
    assert_true(gpis_account_seconds(&a) >= 100.0 - 1e-9 && gpis_account_seconds(&a) < 5000.0);
}

/* Each pass is reported once. A report carries what happened since the one before. */
static void reports(void **state) {
    (void)state;
    gpis_account a;
    gpis_progress p = {.pass = -1};
    gpis_account_begin(&a, 0, true);
    gpis_account_enter_steps(&a, 3.0, 2);
    assert_false(gpis_account_report(&a, 1.0, 1.0, 0, &p)); /* there was no pass */
    assert_int_equal(p.pass, -1);
    gpis_account_enter_pass(&a, 1.0, 8.0);
    gpis_account_enter_steps(&a, 3.0, 1);
    gpis_account_enter_inner(&a, 9);
    assert_true(gpis_account_report(&a, 10.0, 8.0, 40, &p));
    assert_true(p.pass == 1 && p.epochs == 1.0 && p.objective == 10.0 && p.gap == 8.0 && p.m == 40);
    assert_true(p.inner_iterations == 9 && p.step == 2.0 && isnan(p.contraction) && p.seconds >= 0.0);
    assert_false(gpis_account_report(&a, 10.0, 8.0, 40, &p));
    gpis_account_enter_pass(&a, 1.0, 8.0);
    assert_true(gpis_account_report(&a, 9.0, 2.0, 40, &p));
    assert_true(p.pass == 2 && p.contraction == 0.25 && p.step == 0.0); /* those steps have been reported */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_add_up),
        cmocka_unit_test(a_paused_clock_stands_still),
        cmocka_unit_test(processor_time_is_for_reports),
        cmocka_unit_test(the_clock_can_be_set),
        cmocka_unit_test(reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
