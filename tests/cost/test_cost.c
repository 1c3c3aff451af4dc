/* The cost model: its units, how costs move with the problem and the machine, and that what a run asks within its
 * rounds is the same model as the one that plans are made from. */
#include "cost/cost.h"
#include "linalg/gram_dd.h"

#include "method/run.h"
#include "pass/pass.h"
#include "support.h"

static const gpis_storage STORAGES[] = {GPIS_STORED_ROWS, GPIS_STORED_COLUMNS, GPIS_STORED_FLOATS, GPIS_STORED_SPARSE,
                                        GPIS_STORED_NOWHERE};
enum { STORAGE_COUNT = sizeof STORAGES / sizeof *STORAGES, PER_ROW = 20 };

static gpis_workload workload(gpis_storage storage, double n, double d) {
    return (gpis_workload){.n = n,
                           .d = d,
                           .k = 1.0,
                           .entries = storage == GPIS_STORED_SPARSE ? n * PER_ROW : n * d,
                           .ranks = 1.0,
                           .storage = storage,
                           .tol = 1e-8,
                           .delta = 1e-3,
                           .probing = true,
                           .sketch = gpis_sketch_find("count")};
}

static gpis_machine times_as_fast(double factor) {
    gpis_machine machine = gpis_machine_default();
    machine.read_bytes *= factor;
    machine.gradient_bytes *= factor;
    machine.syrk_flops *= factor;
    machine.disk_bytes *= factor;
    return machine;
}

/* Everything that can be asked for, in seconds. */
enum { GRADIENT, PROBING, GRAM, SKETCH, SKETCH_GRAM, SAMPLE, FACTOR, PROBES, INNER, COSTS };

static void all_costs(const gpis_workload *w, const gpis_speed *s, double costs[COSTS]) {
    const double m = 8000.0, rounds = 5.0;
    costs[GRADIENT] = gpis_cost_gradient_pass(w, s, false);
    costs[PROBING] = gpis_cost_gradient_pass(w, s, true);
    costs[GRAM] = gpis_cost_gram_pass(w, s);
    costs[SKETCH] = gpis_cost_sketch_pass(w, s, m);
    costs[SKETCH_GRAM] = gpis_cost_sketch_gram(w, s, m);
    costs[SAMPLE] = gpis_cost_sample(w, s, m);
    costs[FACTOR] = gpis_cost_factor(w, s);
    costs[PROBES] = gpis_cost_probes(w, s, rounds);
    costs[INNER] = gpis_cost_inner(w, s, rounds);
}

static bool is_pass(int cost) { return cost <= SKETCH; }

static void test_units(void **state) {
    (void)state;
    const gpis_machine machine = gpis_machine_default();
    const gpis_speed s = gpis_speed_of(&machine, machine.threads);
    const gpis_workload w = workload(GPIS_STORED_ROWS, 1e6, 1000.0);
    /* a gradient pass over dense doubles is what gradient_bytes was measured with */
    const double gradient = 8.0 * 1e9 / machine.gradient_bytes, start = gpis_cost_measured.pass_start;
    assert_float_equal(gpis_cost_gradient_pass(&w, &s, false), gradient + start, 1e-12);
    /* dsyrk takes n d^2 flops; every strip of the pass has a sum to clear and to add */
    const double strips = 2.0 * gpis_pass_gram_strips(1e6, 1000.0) * 8.0 * 1e6 / machine.read_bytes;
    assert_float_equal(gpis_cost_gram_pass(&w, &s), gradient + 1e12 / machine.syrk_flops + strips + start, 1e-9);
    /* bytes a second, where the disk is slower than the arithmetic */
    gpis_workload cold = w;
    cold.windows = true;
    cold.disk = 8e9;
    assert_float_equal(gpis_cost_gradient_pass(&cold, &s, false), 8e9 / machine.disk_bytes + start, 1e-9);
    assert_float_equal(gpis_cost_gradient_pass(&cold, &s, true), 8e9 / machine.disk_bytes + start, 1e-9);
}

/* More rows never cost less, and a pass over them always costs more. More columns cost more, but for two things: what
 * sparse rows cost depends on their entries, and a larger Gram matrix of a sketch may be made in single precision. */
static void test_monotone(void **state) {
    (void)state;
    const gpis_machine machine = gpis_machine_default();
    const gpis_speed s = gpis_speed_of(&machine, machine.threads);
    static const gpis_inner_cost INNERS[] = {GPIS_INNER_BY_FACTOR, GPIS_INNER_BY_FACES, GPIS_INNER_BY_WALK,
                                             GPIS_INNER_BY_GRADIENT};
    for (int i = 0; i < STORAGE_COUNT; i++) {
        const bool sparse = STORAGES[i] == GPIS_STORED_SPARSE;
        for (double n = 1e5; n < 1e9; n *= 3.0)
            for (double d = 50.0; d < 5000.0; d *= 1.7) {
                gpis_workload all[] = {workload(STORAGES[i], n, d), workload(STORAGES[i], 1.5 * n, d),
                                       workload(STORAGES[i], n, 1.5 * d)};
                double costs[3][COSTS];
                for (int j = 0; j < 3; j++) {
                    all[j].inner = INNERS[i % 4];
                    all[j].rows_of_set = 20.0;
                    all_costs(&all[j], &s, costs[j]);
                }
                for (int c = 0; c < COSTS; c++) {
                    assert_true(costs[0][c] > 0.0 && isfinite(costs[0][c]));
                    assert_true(is_pass(c) ? costs[1][c] > costs[0][c] : costs[1][c] >= costs[0][c] * (1.0 - 1e-12));
                    if (!(sparse && c <= SAMPLE) && c != SKETCH_GRAM) assert_true(costs[2][c] > costs[0][c]);
                }
                assert_true(costs[0][PROBING] > costs[0][GRADIENT] && costs[0][GRAM] > costs[0][GRADIENT]);
            }
    }
}

/* Each linear row of the set makes inner problems dearer. A later round begins on the face where the one before has
 * ended: it takes less than the first, and as long as any other. Where the rows are many, all of them together take far
 * less than the Gram matrix of many rows of A, so that a sketch, which has several rounds, is not ruled out by them. */
static void test_rows_of_set(void **state) {
    (void)state;
    const gpis_machine machine = gpis_machine_default();
    const gpis_speed s = gpis_speed_of(&machine, machine.threads);
    gpis_workload w = workload(GPIS_STORED_ROWS, 2e5, 500.0);
    w.inner = GPIS_INNER_BY_WALK;
    double last = 0.0;
    for (w.rows_of_set = 1.0; w.rows_of_set < 300.0; w.rows_of_set *= 3.0) {
        const double seconds = gpis_cost_inner(&w, &s, 1.0);
        assert_true(seconds > last);
        const double second = gpis_cost_inner(&w, &s, 2.0) - seconds;
        assert_true(second > 0.0 && second < seconds);
        assert_float_equal(gpis_cost_inner(&w, &s, 3.0), seconds + 2.0 * second, 1e-9 * seconds);
        last = seconds;
    }
    w.rows_of_set = 200.0;
    assert_true(gpis_cost_inner(&w, &s, 1.0) < 0.5 * gpis_cost_gram_pass(&w, &s));
}

/* On a machine that is twice as fast in everything, everything takes half as long, but for the start of a pass. */
static void test_scales_with_the_machine(void **state) {
    (void)state;
    const gpis_machine slow = times_as_fast(1.0), fast = times_as_fast(2.0);
    const gpis_speed a = gpis_speed_of(&slow, 2), b = gpis_speed_of(&fast, 2);
    for (int i = 0; i < STORAGE_COUNT; i++) {
        const gpis_workload w = workload(STORAGES[i], 3e6, 700.0);
        double one[COSTS], two[COSTS];
        all_costs(&w, &a, one);
        all_costs(&w, &b, two);
        for (int c = 0; c < COSTS; c++) {
            if (c == SAMPLE) continue; /* random numbers are drawn at a speed of their own */
            const double start = is_pass(c) ? gpis_cost_measured.pass_start : 0.0;
            assert_float_equal((one[c] - start) / (two[c] - start), 2.0, 1e-9);
        }
    }
}

/* Threads share the machine: half of them get half of it, and twice as many get no more bandwidth than there is. */
static void test_threads(void **state) {
    (void)state;
    gpis_machine machine = gpis_machine_default();
    machine.threads = 8;
    const gpis_speed half = gpis_speed_of(&machine, 4), whole = gpis_speed_of(&machine, 8),
                     more = gpis_speed_of(&machine, 16);
    assert_float_equal(half.entry / whole.entry, 2.0, 1e-12);
    assert_float_equal(whole.flops / half.flops, 2.0, 1e-12);
    assert_true(more.entry == whole.entry && more.copy == whole.copy);
    assert_true(half.flops_of_1 == whole.flops_of_1 && half.disk == whole.disk);
    /* what runs on one thread does not depend on how many there are */
    const gpis_workload w = workload(GPIS_STORED_ROWS, 1e5, 500.0);
    assert_true(gpis_cost_factor(&w, &half) == gpis_cost_factor(&w, &whole));
    assert_true(gpis_cost_inner(&w, &half, 3.0) == gpis_cost_inner(&w, &whole, 3.0));
}

static void test_ranks_talk(void **state) {
    (void)state;
    const gpis_machine machine = gpis_machine_default();
    const gpis_speed s = gpis_speed_of(&machine, 2);
    gpis_workload w = workload(GPIS_STORED_ROWS, 1e6, 500.0);
    double before[COSTS], now[COSTS];
    all_costs(&w, &s, before);
    for (w.ranks = 2.0; w.ranks <= 1024.0; w.ranks *= 4.0) {
        all_costs(&w, &s, now);
        for (int c = GRADIENT; c <= SKETCH; c++) assert_true(now[c] > before[c]);
        memcpy(before, now, sizeof before);
    }
    assert_true(gpis_cost_single_pays(8000.0, 500.0, 1.0));
    assert_false(gpis_cost_single_pays(8000.0, 500.0, 2.0)); /* ranks share it in double precision */
    assert_false(gpis_cost_single_pays(800.0, 100.0, 1.0));
}

/* Within a run: the quotient of the two passes, for so many rows that nothing else counts. */
static void check_ratios(gpis_context *context, double d, int64_t a_row) {
    static const double NO_DATA[8] __attribute__((aligned(64))) = {0};
    const double n = 1e12;
    const gpis_machine machine = gpis_machine_default();
    const gpis_speed s = gpis_speed_of(&machine, machine.threads);
    gpis_workload w = workload(a_row ? GPIS_STORED_SPARSE : GPIS_STORED_ROWS, n, d);
    if (a_row) w.entries = n * (double)a_row;
    gpis_source *A;
    assert_ok(context, gpis_source_dense(context, NO_DATA, GPIS_FLOAT64, GPIS_ROW_MAJOR, (int64_t)n, (int64_t)d,
                                         (int64_t)d, &A));
    if (a_row) {
        A->block_kind = GPIS_BLOCK_CSR;
        A->nonzeros = A->n * a_row;
    }
    gpis_set *set = NULL;
    assert_ok(context, test_set(context, "none", A->d, 1, &set));
    const gpis_problem problem = {.context = context, .A = A, .set = set, .n = A->n, .d = A->d, .k = 1, .size = A->d};
    const gpis_settings settings = gpis_settings_default();
    gpis_run run;
    assert_ok(context, gpis_run_start(&run, &problem, &settings));
    const double gradient = gpis_cost_gradient_pass(&w, &s, false);
    assert_float_equal(run.prices.gram / (gpis_cost_gram_pass(&w, &s) / gradient), 1.0, 1e-3);
    assert_float_equal(run.prices.probing / (gpis_cost_gradient_pass(&w, &s, true) / gradient), 1.0, 1e-3);
    const double more = gpis_cost_summary_ratio(A, 0) - 1.0, gram = run.prices.gram - 1.0;
    const double narrow = a_row || d > 384.0 ? 1.0 : gpis_cost_measured.narrow_gram; /* the kernel of gram.h */
    const double padding = a_row ? 1.0 : gpis_gram_dd_products((int64_t)d) / (0.5 * d * d);
    if (a_row && d > 512.0) /* most of the time goes into waiting for memory, and there is twice as much of it */
        assert_true(more > 2.0 * gram && more < gpis_cost_measured.summary_pair * gram);
    else
        assert_float_equal(more * narrow / (gram * padding),
                           a_row ? gpis_cost_measured.summary_pair : gpis_cost_measured.summary, 0.05);
    assert_true(padding >= 1.0 && padding <= (d + 7.0) * (d + 15.0) / (d * d));
    for (int64_t k = 1; k <= 100; k *= 10)
        assert_true(gpis_cost_summary_ratio(A, k) >= gpis_cost_summary_ratio(A, k - 1));
    gpis_run_clear(&run);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
}

static void test_runs_ask_the_same_model(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const double COLUMNS[] = {10.0, 100.0, 512.0, 513.0, 2000.0};
    for (size_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; i++) {
        check_ratios(context, COLUMNS[i], 0);
        check_ratios(context, COLUMNS[i], 1);
        check_ratios(context, COLUMNS[i], 7);
    }
    test_context_end(context, &memory);
}

/* Whatever the bench wrote there. */
static void test_constants(void **state) {
    (void)state;
    const gpis_cost_constants *c = &gpis_cost_measured;
    const double *numbers = (const double *)c;
    for (size_t i = 0; i < sizeof *c / sizeof *numbers; i++) assert_true(isfinite(numbers[i]) && numbers[i] > 0.0);
    assert_true(c->storage[GPIS_STORED_ROWS].gradient == 1.0); /* the unit */
    for (int i = 0; i < GPIS_STORED_KINDS; i++) assert_true(c->storage[i].probing > c->storage[i].gradient);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_rows_of_set),
        cmocka_unit_test(test_scales_with_the_machine),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_ranks_talk),
        cmocka_unit_test(test_runs_ask_the_same_model),
        cmocka_unit_test(test_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
