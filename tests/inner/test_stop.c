/*
 * A run of an inner problem that is stopped between its steps ends at once, in K, and not above where it began; and
 * where nobody wants it to stop, being asked changes no bit.
 */
#include "tasks.h"

enum { D = 24 };

/* How often a solver has asked, and after how often the answer is yes. */
typedef struct counter {
    int asked, patience;
} counter;

static bool asked(void *user) {
    counter *c = user;
    return ++c->asked > c->patience;
}

/* A problem that takes many steps: an ill-conditioned H, and columns in different units. */
static task make(gpis_context *context, const char *spec) {
    return task_make(context, spec, D, 1, random_H(context, D, 1e8, 10.0, 3), 1.0, 7);
}

static void run(const task *t, const gpis_stop *stop) {
    bool done = false;
    t->inner->stop = stop;
    gpis_inner_begin(t->inner, t->x, t->g);
    for (int i = 0; i < 200 && !done; i++) assert_ok(t->context, gpis_inner_run(t->inner, 50, &done));
    assert_true(done);
}

static void check(gpis_context *context, const char *spec) {
    counter patient = {.patience = INT32_MAX}, hasty = {.patience = 3};
    const gpis_stop never = {asked, &patient}, soon = {asked, &hasty};
    task plain = make(context, spec), watched = make(context, spec), stopped = make(context, spec);
    double away;
    run(&plain, NULL);
    run(&watched, &never);
    assert_memory_equal(plain.inner->s, watched.inner->s, D * sizeof(double));
    if (patient.asked <= 3) fail_msg("%s: asked only %d times", spec, patient.asked);
    run(&stopped, &soon);
    assert_ok(context, gpis_set_distance(stopped.set, stopped.inner->s, &away));
    if (away > 1e-12 || stopped.inner->value > 0.0 || stopped.inner->iterations > plain.inner->iterations)
        fail_msg("%s: distance %g, value %g, %lld steps", spec, away, stopped.inner->value,
                 (long long)stopped.inner->iterations);
    task_end(&plain);
    task_end(&watched);
    task_end(&stopped);
}

static void every_solver(void **state) {
    (void)state;
    static const char *const specs[] = {"nonneg",        "l1:2", "box:-0.5,1", "simplex:3",   "group:2:3",
                                        "monotone",      "tv:1", "l1:2@dct",   "l2:1 & l1:2", "sum:1 & box:0,0.4",
                                        "box:0,1 & l1:3"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) check(context, specs[i]);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_solver)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
