/* The summary of a pass in a checkpoint: it is answered bit for bit, and one that no pass gives is refused. */
#include "method/run.h"

#include <omp.h>

#include "certificate/problems.h"

enum { N = 40, D = 5, K = 2, P = D + K, SIZE = P * P };
#define PATH "replay.test"

/* A run with a checkpoint, without a method. */
typedef struct stage {
    test_memory memory;
    gpis_context *context;
    world w;
    problem p;
    gpis_source *A;
    gpis_set *set;
    gpis_settings settings;
    gpis_problem stated;
    gpis_run run;
} stage;

static void begin(stage *t, bool resume) {
    memset(t, 0, sizeof *t);
    t->context = test_context(&t->memory);
    world_begin(&t->w, D);
    t->p = problem_make(FINE, N, D, K, 5);
    t->A = problem_source(t->context, &t->p);
    t->set = problem_set(t->context, &t->w, "l1:0.7", "1", K);
    t->settings = gpis_settings_default();
    t->settings.checkpoint = PATH;
    t->settings.resume = resume;
    t->stated = (gpis_problem){
        .context = t->context, .A = t->A, .Y = t->p.Y, .n = N, .d = D, .k = K, .size = D * K, .set = t->set};
    assert_ok(t->context, gpis_run_start(&t->run, &t->stated, &t->settings));
    gpis_choice choice = {.method = "newton"};
    bool found = false;
    if (resume) {
        assert_ok(t->context, gpis_replay_resume(&t->run, &choice, &found));
        assert_true(found);
    } else {
        unlink(PATH);
        assert_ok(t->context, gpis_replay_create(&t->run, &choice));
        t->run.replay->live = true;
    }
}

static void end(stage *t) {
    char trouble[256];
    gpis_replay_finish(&t->run, trouble, sizeof trouble);
    assert_string_equal(trouble, "");
    gpis_run_clear(&t->run);
    gpis_set_destroy(t->set);
    gpis_source_destroy(t->A);
    problem_clear(&t->p);
    world_end(&t->w);
    test_context_end(t->context, &t->memory);
}

static gpis_pass pass_of(const stage *t, double *W) { return (gpis_pass){.k = K, .Y = t->p.Y, .summary = W}; }

/* Records the summary after `change` has been made to it, and returns what a run that resumes says to it. */
static gpis_status resumed(void (*change)(double *W), double *made, double *answered) {
    stage t;
    begin(&t, false);
    const gpis_pass pass = pass_of(&t, made);
    assert_ok(t.context, gpis_pass_run(t.context, t.A, &pass));
    if (change) change(made);
    gpis_replay_keep(&t.run, &pass);
    end(&t);
    begin(&t, true);
    bool is_answered = false;
    const gpis_pass again = pass_of(&t, answered);
    const gpis_status status = gpis_replay_answer(&t.run, &again, &is_answered);
    assert_int_equal(is_answered, status == GPIS_OK);
    if (status != GPIS_OK) assert_non_null(strstr(gpis_last_error(t.context), "numbers that no pass gives"));
    end(&t);
    unlink(PATH);
    return status;
}

static void nan_low(double *W) { W[SIZE + 3] = NAN; }
static void large_low(double *W) { W[SIZE] = W[0] * 0x1p-50; }
static void one_sided_low(double *W) { W[SIZE + 1] = W[SIZE + 1] == 0.0 ? W[1] * 0x1p-54 : 0.0; }
static void one_sided_high(double *W) { W[1] *= 1.5; }
static void negative_norm(double *W) { W[SIZE - 1] = -W[SIZE - 1]; }
static void large_product(double *W) { W[1] = W[P] = 2.0 * sqrt(W[0] * W[P + 1]); }

static void a_summary_is_answered(void **state) {
    (void)state;
    double made[2 * SIZE], answered[2 * SIZE];
    assert_int_equal(resumed(NULL, made, answered), GPIS_OK);
    assert_memory_equal(made, answered, sizeof made);
}

static void forged_summaries_are_refused(void **state) {
    (void)state;
    static void (*const changes[])(double *) = {nan_low,        large_low,     one_sided_low,
                                                one_sided_high, negative_norm, large_product};
    double made[2 * SIZE], answered[2 * SIZE];
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (resumed(changes[i], made, answered) != GPIS_BAD_DATA) fail_msg("change %zu is accepted", i);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library */
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_summary_is_answered),
                                       cmocka_unit_test(forged_summaries_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
