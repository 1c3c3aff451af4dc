/* A pass with a watch: rows are counted, the function is called, and the pass stops at once if it says so. */
#include "pass/watch.h"

#include "pass/pass.h"
#include "support.h"

enum { N = 100000, D = 4, CHUNK = 1024 };

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    double *A, *Y, X[D], G[D], objective;
    gpis_source *source;
    gpis_pass pass;
} fixture;

typedef struct asked {
    int times;
    int64_t rows; /* the last answer was asked for at */
    bool stop;
} asked;

static bool answer(void *user, int64_t rows) {
    asked *a = user;
    assert_true(rows > a->rows && rows <= N);
    a->times++;
    a->rows = rows;
    return a->stop;
}

static void begin(fixture *t, int threads) {
    *t = (fixture){0};
    t->context = test_context(&t->memory);
    t->A = calloc((size_t)N * D, sizeof(double));
    t->Y = calloc(N, sizeof(double));
    gpis_random_normal(1, 1, 0, N * D, t->A);
    gpis_random_normal(2, 2, 0, N, t->Y);
    gpis_random_normal(3, 3, 0, D, t->X);
    assert_ok(t->context, gpis_context_set_threads(t->context, threads));
    assert_ok(t->context, gpis_source_dense(t->context, t->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &t->source));
    t->pass = (gpis_pass){.k = 1, .Y = t->Y, .X = t->X, .objective = &t->objective, .G = t->G};
}

static void end(fixture *t) {
    gpis_source_destroy(t->source);
    free(t->A);
    free(t->Y);
    test_context_end(t->context, &t->memory);
}

/* `due` in the past: asked at the first opportunity, and then not before it is time again. */
static gpis_watch watch_for(asked *a) { return (gpis_watch){.stop = answer, .user = a, .due = 1e-9}; }

static void all_rows_are_counted_and_the_bits_are_the_same(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        fixture t;
        asked a = {0};
        gpis_watch watch = watch_for(&a);
        begin(&t, threads);
        assert_ok(t.context, gpis_pass_run(t.context, t.source, &t.pass));
        const double objective = t.objective, first = t.G[0];
        t.pass.watch = &watch;
        assert_ok(t.context, gpis_pass_run(t.context, t.source, &t.pass));
        assert_true(t.objective == objective && t.G[0] == first);
        assert_int_equal(watch.rows, N);
        if (threads == 1)
            assert_true(a.times >= 1); /* with several threads, others may be quicker than the one that asks */
        watch.due = gpis_clock() + 1000.0;
        a = (asked){0};
        assert_ok(t.context, gpis_pass_run(t.context, t.source, &t.pass));
        assert_true(a.times == 0 && watch.rows == N);
        end(&t);
    }
}

static void a_stop_is_obeyed_within_a_chunk(void **state) {
    (void)state;
    fixture t;
    asked a = {.stop = true};
    gpis_watch watch = watch_for(&a);
    begin(&t, 1);
    t.pass.watch = &watch;
    assert_int_equal(gpis_pass_run(t.context, t.source, &t.pass), GPIS_STOPPED);
    assert_int_equal(a.times, 1);
    assert_int_equal(watch.rows, CHUNK);
    a = (asked){0}; /* the next pass is a new one */
    assert_ok(t.context, gpis_pass_run(t.context, t.source, &t.pass));
    assert_int_equal(watch.rows, N);
    end(&t);
}

/* A pass that only sketches also counts its rows and can be stopped. */
static void sketches_are_watched(void **state) {
    (void)state;
    fixture t;
    asked a = {.stop = true};
    gpis_watch watch = watch_for(&a);
    gpis_sketch *sketch = NULL;
    begin(&t, 1);
    assert_ok(t.context, gpis_sketch_create(t.context, gpis_sketch_find("count"), 32, N, D, 0, 1, 0, &sketch));
    const gpis_pass pass = {.k = 1, .sketch = sketch, .watch = &watch};
    assert_int_equal(gpis_pass_run(t.context, t.source, &pass), GPIS_STOPPED);
    assert_int_equal(watch.rows, N);
    gpis_sketch_destroy(sketch);
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rows_are_counted_and_the_bits_are_the_same),
        cmocka_unit_test(a_stop_is_obeyed_within_a_chunk),
        cmocka_unit_test(sketches_are_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
