/*
 * A projection that is stopped fails with GPIS_STOPPED, also where the set is a part of another one; being asked, and
 * having been stopped before, changes no bit of a projection.
 */
#include "linalg/accurate.h"
#include "set/set.h"
#include "support.h"

enum { D = 12 };

typedef struct counter {
    int asked, patience;
} counter;

static bool asked(void *user) {
    counter *c = user;
    return ++c->asked > c->patience;
}

static void check(gpis_context *context, gpis_set *set) {
    double v[D], plain[D], watched[D], again[D];
    counter patient = {.patience = INT32_MAX}, hasty = {.patience = 0};
    const gpis_stop never = {asked, &patient}, soon = {asked, &hasty};
    for (int j = 0; j < D; j++) v[j] = 3.0 * sin(1.0 + 2.0 * j);
    assert_ok(context, gpis_set_project(set, v, plain));
    gpis_set_watch(set, &never);
    assert_ok(context, gpis_set_project(set, v, watched));
    if (patient.asked == 0) fail_msg("%s: nobody was asked", gpis_set_spec(set));
    gpis_set_watch(set, &soon);
    assert_int_equal(gpis_set_project(set, v, again), GPIS_STOPPED);
    gpis_set_watch(set, NULL);
    assert_ok(context, gpis_set_project(set, v, again));
    assert_int_equal(hasty.asked > 0, true);
    assert_memory_equal(plain, watched, sizeof plain);
    assert_memory_equal(plain, again, sizeof plain);
}

/* The set, and the same in half as many entries with another one for the rest. */
static void check_both(gpis_context *context, const char *spec) {
    int64_t columns[D];
    const int64_t *const places[2] = {columns, columns + D / 2};
    gpis_set *set = NULL, *half[2] = {NULL, NULL}, *product = NULL;
    for (int j = 0; j < D; j++) columns[j] = j;
    assert_ok(context, test_set(context, spec, D, 1, &set));
    check(context, set);
    assert_ok(context, test_set(context, spec, D / 2, 1, &half[0]));
    assert_ok(context, gpis_set_l2(context, 1, D / 2, &half[1]));
    assert_ok(context, gpis_set_blocks(context, D, 2, places, half, &product));
    check(context, product);
    gpis_set_destroy(product);
    gpis_set_destroy(half[0]);
    gpis_set_destroy(half[1]);
    gpis_set_destroy(set);
}

static void every_iteration(void **state) {
    (void)state;
    static const char *const specs[] = {"l2:1 & l1:1.5", "sum:1 & box:0,0.4", "l2:1 & sum:0.5 & box:-0.2,0.4",
                                        "box:-1,1 & l1:3"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) check_both(context, specs[i]);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_iteration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
