/* The planner: its choices at the extremes, how its predictions move with the problem, its words, and that what it
 * predicts is what a solve reports. A plan reads nothing of A, so most matrices here have a shape and no data. */
#include "calls.h"
#include "plan/plan.h"

static const double NO_DATA[8] __attribute__((aligned(64))) = {0};

typedef struct problem {
    int64_t n, d, k;
    const char *set;
    gpis_settings settings;
    int threads;
    int64_t a_row;  /* entries of a compressed row; 0: rows are dense */
    bool elsewhere; /* rows are not in memory */
} problem;

static problem usual(int64_t n, int64_t d, const char *set) {
    problem p = {.n = n, .d = d, .k = 1, .set = set, .settings = gpis_settings_default(), .threads = 2};
    p.settings.tol = 1e-10;
    return p;
}

static int no_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    (void)user, (void)row0, (void)nrows, (void)rows;
    return 1;
}

/* A plan by value, with its texts, for when its context is gone. */
static gpis_plan_table keep(const gpis_plan *plan) {
    gpis_plan_table table = {.count = (int)plan->count};
    assert_true(plan->count <= GPIS_MAX_CANDIDATES);
    snprintf(table.text, sizeof table.text, "%s", plan->text);
    for (int i = 0; i < table.count; i++) {
        const gpis_plan_candidate *from = plan->candidates[i];
        gpis_candidate *c = &table.candidates[i];
        if (from == plan->chosen) table.chosen = i;
        *c = (gpis_candidate){.m = from->m,
                              .passes = from->passes,
                              .sketches = from->sketches,
                              .flops = from->flops,
                              .memory = from->memory,
                              .seconds = from->seconds,
                              .applicable = from->applicable,
                              .chosen = from->chosen};
        snprintf(c->method, sizeof c->method, "%s", from->method);
        snprintf(c->sketch, sizeof c->sketch, "%s", from->sketch);
        snprintf(c->reason, sizeof c->reason, "%s", from->reason);
    }
    return table;
}

static gpis_status plan_for(gpis_context *context, gpis_source *A, gpis_set *set, const gpis_settings *settings,
                            gpis_plan_table *plan) {
    gpis_problem *posed = NULL;
    gpis_plan *made = NULL;
    gpis_status status = gpis_problem_create(context, A, &posed);
    if (status == GPIS_OK) status = gpis_problem_constrain(posed, set);
    if (status == GPIS_OK) status = gpis_plan_make(posed, settings, plan ? &made : NULL);
    if (made) *plan = keep(made);
    gpis_plan_destroy(made);
    gpis_problem_destroy(posed);
    return status;
}

static gpis_status make_in(gpis_context *context, const problem *p, gpis_plan_table *plan) {
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_status status = p->elsewhere
                             ? gpis_source_callback(context, p->n, p->d, no_rows, NULL, 0, &A)
                             : gpis_source_dense(context, NO_DATA, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->n, p->d, p->d, &A);
    if (status == GPIS_OK && p->a_row > 0) {
        A->block_kind = GPIS_BLOCK_CSR;
        A->nonzeros = p->n * p->a_row;
    }
    if (status == GPIS_OK) status = gpis_context_set_threads(context, p->threads);
    if (status == GPIS_OK) status = test_set(context, p->set, p->d, p->k, &set);
    if (status == GPIS_OK) status = plan_for(context, A, set, &p->settings, plan);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return status;
}

static gpis_plan_table make(const problem *p) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_plan_table plan;
    assert_ok(context, make_in(context, p, &plan));
    test_context_end(context, &memory);
    return plan;
}

static const gpis_candidate *chosen(const gpis_plan_table *plan) { return &plan->candidates[plan->chosen]; }

static const gpis_candidate *with_rows(const gpis_plan_table *plan, int64_t m) {
    for (int i = 0; i < plan->count; i++)
        if (strcmp(plan->candidates[i].method, "newton") == 0 && plan->candidates[i].m == m)
            return &plan->candidates[i];
    fail_msg("no candidate has %lld rows", (long long)m);
    return NULL;
}

static void assert_choice(const problem *p, const char *method, bool sketched, const char *words) {
    const gpis_plan_table plan = make(p);
    assert_string_equal(chosen(&plan)->method, method);
    assert_int_equal(chosen(&plan)->m > 0, sketched);
    if (!strstr(plan.text, words)) fail_msg("'%s' does not say '%s'", plan.text, words);
}

static void test_extremes(void **state) {
    (void)state;
    problem p = usual(1000000, 10, "none");
    assert_choice(&p, "newton", false, "Gram matrix of 10 columns");
    p = usual(20000, 50, "l1:1");
    assert_choice(&p, "newton", false, "no sketch would save much");
    p = usual(100000, 200, "l1:1");
    assert_choice(&p, "newton", true,
                  "newton after a look at 1600 rows: 3 passes expected if few entries are free, else the Gram matrix "
                  "of 200 columns");
    p = usual(200000, 1000, "l1:1");
    assert_choice(&p, "newton", true,
                  "newton after a look at 5000 rows: 3 passes expected if few entries are free, else a sketch of ");
    p = usual(200000, 1000, "none");
    assert_choice(&p, "newton", true, "times as long");
    p.settings.certificate = GPIS_CERTIFICATE_PROVEN;
    assert_choice(&p, "newton", false, "a sketch would prove nothing");
    p = usual(200000, 1000, "l1:1");
    p.settings.certificate = GPIS_CERTIFICATE_PROVEN; /* on a face it does */
    assert_choice(&p, "newton", true, "3 passes expected if few entries are free, else the Gram matrix");
    p = usual(50, 100, "nonneg");
    assert_choice(&p, "newton", false, "too few rows for a sketch");
    p = usual(100, 5000, "l1:1");
    assert_choice(&p, "newton", false, "too few rows for a sketch");
    p = usual(1, 1, "none");
    assert_choice(&p, "newton", false, "Gram matrix of 1 column,");
    p = usual(1000000, 100000, "l1:1");
    assert_choice(&p, "apgd", false, "does not fit in memory");
}

static int of_kind(const gpis_plan_table *plan, const char *sketch) {
    int count = 0;
    for (int i = 0; i < plan->count; i++) count += strcmp(plan->candidates[i].sketch, sketch) == 0;
    return count;
}

static void assert_all_say(const gpis_plan_table *plan, const char *sketch, const char *words) {
    for (int i = 0; i < plan->count; i++) {
        const gpis_candidate *c = &plan->candidates[i];
        if (strcmp(c->sketch, sketch) == 0 && (c->applicable || !strstr(c->reason, words)))
            fail_msg("%s of %lld rows: '%s' is not '%s'", sketch, (long long)c->m, c->reason, words);
    }
}

/* Long sparse rows make the Gram matrix dear and their sample cheap; short ones, and dense ones, do not. */
static void test_samples(void **state) {
    (void)state;
    problem p = usual(2000000, 2000, "l1:1");
    p.a_row = 120;
    assert_choice(&p, "newton", true, "newton with a sample of ");
    assert_choice(&p, "newton", true, "Gram matrix of 2000 columns would take");
    gpis_plan_table plan = make(&p);
    assert_string_equal(chosen(&plan)->sketch, "sample");
    assert_string_equal(gpis_plan_choice(&plan).sketch, "sample");
    assert_int_equal(gpis_plan_choice(&plan).m, chosen(&plan)->m);
    p.a_row = 5;
    assert_choice(&p, "newton", false, "no sketch would save much");
    p.a_row = 0;
    plan = make(&p);
    assert_string_equal(chosen(&plan)->sketch, "count");
    assert_int_equal(of_kind(&plan, "sample"), 3);
    bool seen = false;
    for (p.a_row = 10; p.a_row < 120; p.a_row++) {
        plan = make(&p);
        for (int i = 0; i < plan.count; i++)
            seen = seen || strcmp(plan.candidates[i].reason, "saves too little: a few heavy rows would spoil it") == 0;
    }
    assert_true(seen);
}

static void test_samples_are_refused(void **state) {
    (void)state;
    problem p = usual(2000000, 2000, "l1:1");
    p.elsewhere = true;
    gpis_plan_table plan = make(&p);
    assert_all_say(&plan, "sample", "its rows are not at hand in memory");
    p.elsewhere = false;
    p.a_row = 120;
    p.n = 16 * 8 * 2000 - 1;
    plan = make(&p);
    assert_all_say(&plan, "sample", "too many rows for a sample of this A");
    p.settings.certificate = GPIS_CERTIFICATE_PROVEN;
    p.set = "none";
    plan = make(&p);
    assert_all_say(&plan, "sample", "a sample has no proven bound");
}

/* A kind that is named is the only one. */
static void test_kinds_that_are_named(void **state) {
    (void)state;
    problem p = usual(2000000, 2000, "l1:1");
    p.a_row = 120;
    p.settings.sketch = "sparse-sign";
    gpis_plan_table plan = make(&p);
    assert_true(of_kind(&plan, "sparse-sign") > 3);
    assert_int_equal(of_kind(&plan, "sample") + of_kind(&plan, "count"), 0);
    p.settings.sketch = "sample";
    plan = make(&p);
    assert_int_equal(of_kind(&plan, "sample"), 3);
    assert_int_equal(of_kind(&plan, "count"), 0);
    p.elsewhere = true; /* as a sketch, by a pass */
    plan = make(&p);
    assert_true(of_kind(&plan, "sample") > 3);
    assert_true(with_rows(&plan, 32000)->applicable);
    p.elsewhere = false;
    p.settings.m = 3000;
    assert_choice(&p, "newton", true, "sample of 3000 rows, as asked for");
    p.settings.sketch = "auto";
    assert_choice(&p, "newton", true, "sketch of 3000 rows, as asked for");
}

static void test_memory_decides(void **state) {
    (void)state;
    gpis_machine machine = gpis_machine_default();
    problem p = usual(200000, 1000, "l1:1");
    p.settings.machine = &machine;
    machine.memory = 1e6;
    assert_choice(&p, "apgd", false, "does not fit in memory");
    const gpis_plan_table plan = make(&p);
    assert_false(with_rows(&plan, 0)->applicable);
    assert_non_null(strstr(with_rows(&plan, 0)->reason, "of memory, and 977K are left"));
}

/* A machine that multiplies fast wants the Gram matrix; one that reads fast, a sketch. */
static void test_machine_decides(void **state) {
    (void)state;
    gpis_machine machine = gpis_machine_default();
    problem p = usual(200000, 1000, "none");
    p.settings.machine = &machine;
    machine.syrk_flops *= 100.0;
    assert_choice(&p, "newton", false, "no sketch");
    p = usual(100000, 200, "none");
    p.settings.machine = &machine;
    machine = gpis_machine_default();
    assert_choice(&p, "newton", false, "no sketch");
    machine.read_bytes *= 100.0;
    machine.gradient_bytes *= 100.0;
    assert_choice(&p, "newton", true, "times as long");
}

/* The choice has the bits of the answer in it, so threads must not move it; they do shorten the work. */
static void test_threads_do_not_decide(void **state) {
    (void)state;
    for (int64_t d = 20; d <= 1280; d *= 2) {
        problem p = usual(100000, d, "l1:1");
        p.threads = 1;
        const gpis_plan_table one = make(&p);
        p.threads = 8;
        const gpis_plan_table eight = make(&p);
        assert_int_equal(one.chosen, eight.chosen);
        assert_string_equal(one.text, eight.text);
        assert_true(chosen(&eight)->seconds < chosen(&one)->seconds);
    }
}

static void test_monotone(void **state) {
    (void)state;
    static const char *const sets[] = {"none", "l1:1", "l2:1", "group:1:5"};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        for (int64_t d = 20; d <= 640; d *= 2) {
            const problem small = usual(50000, d, sets[s]), tall = usual(100000, d, sets[s]),
                          wide = usual(50000, 2 * d, sets[s]);
            const gpis_plan_table a = make(&small), b = make(&tall), c = make(&wide);
            assert_int_equal(a.count, b.count);
            for (int i = 0; i < a.count; i++) {
                assert_true(b.candidates[i].seconds > a.candidates[i].seconds);
                assert_true(b.candidates[i].flops > a.candidates[i].flops);
                assert_true(b.candidates[i].memory >= a.candidates[i].memory);
                assert_true(c.candidates[i].seconds > a.candidates[i].seconds);
                const gpis_candidate *one = &a.candidates[i], *before = one - 1;
                if (one->m > 0 && strcmp(one->sketch, before->sketch) == 0) /* more rows, fewer passes */
                    assert_true(one->passes <= before->passes);
            }
        }
}

/* Tighter tolerances and bolder certificates cost passes; the prototype's table is matched within two passes. */
static void test_passes(void **state) {
    (void)state;
    static const struct { int64_t factor, none; } prototype[] = {{5, 18}, {8, 14}, {16, 10}};
    for (int i = 0; i < 3; i++) {
        /* with so many rows x is not refined beyond the tolerance */
        const problem none = usual(4000000, 500, "none"), l1 = usual(100000, 500, "l1:1");
        const gpis_plan_table a = make(&none), b = make(&l1);
        assert_in_range(with_rows(&a, prototype[i].factor * 500)->passes + 2, prototype[i].none, prototype[i].none + 4);
        /* on a face: after a look, two rounds and the solution */
        assert_int_equal(with_rows(&b, prototype[i].factor * 500)->passes, 3);
    }
    problem p = usual(100000, 500, "none");
    int64_t before = 0;
    for (p.settings.tol = 1e-2; p.settings.tol > 1e-13; p.settings.tol *= 1e-2) {
        const gpis_plan_table plan = make(&p);
        assert_true(with_rows(&plan, 4000)->passes >= before);
        before = with_rows(&plan, 4000)->passes;
    }
}

static void test_asked_for(void **state) {
    (void)state;
    problem p = usual(200000, 1000, "l1:1");
    p.settings.m = 3000;
    assert_choice(&p, "newton", true, "3000 rows, as asked for");
    p.settings.m = 0;
    p.settings.method = "saga";
    assert_choice(&p, "saga", false, "saga, as asked for");
    const gpis_plan_table plan = make(&p);
    assert_true(isnan(chosen(&plan)->seconds) && chosen(&plan)->passes == 0);
    p.settings.method = "apgd";
    assert_choice(&p, "apgd", false, "as asked for");
    p.settings.method = "newton";
    assert_choice(&p, "newton", true, "newton after a look");
}

static void test_one_is_chosen_and_the_others_say_why(void **state) {
    (void)state;
    static const char *const methods[] = {"auto", "newton", "apgd", "pgd", "gpis"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        problem p = usual(60000, 400, "simplex:1");
        p.settings.method = methods[i];
        const gpis_plan_table plan = make(&p);
        int count = 0;
        for (int j = 0; j < plan.count; j++) {
            const gpis_candidate *c = &plan.candidates[j];
            count += c->chosen;
            assert_int_equal(c->chosen, j == plan.chosen);
            assert_int_equal(c->reason[0] == '\0', c->chosen);
        }
        assert_int_equal(count, 1);
    }
}

static void test_refusals(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_plan_table plan;
    problem p = usual(1000, 10, "none");
    p.settings.method = "magic";
    assert_int_equal(make_in(context, &p, &plan), GPIS_BAD_ARGUMENT);
    assert_non_null(strstr(gpis_last_error(context), "magic"));
    gpis_machine machine = gpis_machine_default();
    machine.read_bytes = NAN;
    p = usual(1000, 10, "none");
    p.settings.machine = &machine;
    assert_int_equal(make_in(context, &p, &plan), GPIS_BAD_ARGUMENT);
    p = usual(1000, 10, "none");
    assert_int_equal(make_in(context, &p, NULL), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_machine_measure(context, NULL), GPIS_BAD_ARGUMENT);
    test_context_end(context, &memory);
}

static gpis_status plan_once(gpis_context *context, void *user) {
    gpis_plan_table plan;
    return make_in(context, user, &plan);
}

static void test_failing_allocations(void **state) {
    (void)state;
    problem p = usual(1000, 10, "l1:1");
    assert_true(test_every_allocation(plan_once, &p) > 0);
}

/* The first allocations are the measurement's own, then come those of the passes, which have tests of their own. */
static void test_measurement(void **state) {
    (void)state;
    gpis_machine machine = gpis_machine_default();
    for (long fail_at = 0; fail_at < 6; fail_at++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        memory.fail_at = fail_at;
        assert_int_equal(gpis_machine_measure(context, &machine), fail_at ? GPIS_NO_MEMORY : GPIS_OK);
        test_context_end(context, &memory);
        assert_true(machine.threads >= 1 && machine.read_bytes > 0.0 && machine.gradient_bytes > 0.0);
        assert_true(machine.syrk_flops > 0.0 && machine.memory > 0.0);
    }
}

/* A solve does what the plan says, and reports what it said. */
static void test_solve_keeps_to_the_plan(void **state) {
    (void)state;
    enum { N = 12000, D = 40 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = malloc(sizeof(double) * N * D), y[N];
    gpis_random_normal(1, 1, 0, (int64_t)N * D, a);
    gpis_random_normal(1, 2, 0, N, y);
    gpis_machine machine = gpis_machine_default();
    machine.syrk_flops *= 1e-2; /* so slow that a sketch pays */
    gpis_settings settings = gpis_settings_default();
    settings.machine = &machine;
    gpis_source *A;
    gpis_set *set;
    assert_ok(context, gpis_source_dense(context, a, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &A));
    assert_ok(context, test_set(context, "l1:0.02", D, 1, &set));
    for (int i = 0; i < 3; i++) {
        settings.machine = i == 0 ? &machine : NULL;
        settings.method = i == 2 ? "pgd" : "auto";
        gpis_plan_table plan;
        gpis_result *r = NULL;
        assert_ok(context, plan_for(context, A, set, &settings, &plan));
        assert_ok(context, test_solve(context, A, y, 1, set, &settings, &r));
        assert_int_equal(r->outcome, GPIS_SOLVED);
        assert_memory_equal(r->plan, plan.text, strlen(plan.text));
        assert_string_equal(r->plan + strlen(plan.text), i == 0 ? "; few were seen" : "");
        assert_string_equal(r->method, chosen(&plan)->method);
        assert_int_equal(r->predicted_passes, chosen(&plan)->passes);
        assert_int_equal(r->sketches > 0, i == 0);
        if (i == 2)
            assert_true(isnan(r->predicted_seconds));
        else
            assert_in_range(r->passes + 3, r->predicted_passes, r->predicted_passes + 6);
        gpis_result_destroy(r);
    }
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    free(a);
    test_context_end(context, &memory);
}

typedef struct memory_rows {
    const double *a;
    int64_t d;
} memory_rows;

static int copy_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    const memory_rows *m = user;
    memcpy(rows, m->a + row0 * m->d, (size_t)(nrows * m->d) * sizeof *rows);
    return 0;
}

/* What is predicted is what is taken, as the account of memory has it: never less, and not much more. */
static void check_memory(int64_t n, int64_t d, const char *spec, const char *sketch, int64_t m, int rows_on_demand) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = calloc((size_t)(n * d), sizeof *a), *y = calloc((size_t)n, sizeof *y);
    gpis_source *A;
    gpis_set *set;
    gpis_plan_table plan;
    gpis_result *result = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.method = "newton";
    settings.sketch = sketch;
    settings.m = m;
    settings.tol = 1e-6;
    if (m == 0) settings.certificate = GPIS_CERTIFICATE_PROVEN;
    gpis_random_normal(5, 1, 0, n * d, a);
    gpis_random_normal(5, 2, 0, n, y);
    memory_rows rows = {a, d};
    assert_ok(context, rows_on_demand ? gpis_source_callback(context, n, d, copy_rows, &rows, rows_on_demand > 1, &A)
                                      : gpis_source_dense(context, a, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, d, &A));
    assert_ok(context, test_set(context, spec, d, 1, &set));
    assert_ok(context, plan_for(context, A, set, &settings, &plan));
    gpis_problem *posed = NULL;
    assert_ok(context, test_problem(context, A, y, 1, set, &posed));
    const double before = (double)gpis_account_used(context), predicted = plan.candidates[plan.chosen].memory;
    assert_ok(context, gpis_solve(posed, &settings, &result));
    const double taken = (double)gpis_context_memory_peak(context) - before;
    if (!(taken <= predicted && predicted <= 1.5 * taken + 1e6))
        fail_msg("%lld x %lld, %s, m = %lld: %g bytes predicted, %g taken", (long long)n, (long long)d, spec,
                 (long long)m, predicted, taken);
    /* so much is enough, beside what the set keeps from the first solve, and far less is refused with what would be */
    gpis_result_destroy(result);
    settings.memory = (int64_t)((double)gpis_account_used(context) + predicted);
    assert_ok(context, gpis_solve(posed, &settings, &result));
    gpis_result_destroy(result);
    settings.memory = (int64_t)(before + 200000);
    assert_int_equal(gpis_solve(posed, &settings, &result), GPIS_NO_MEMORY);
    assert_non_null(strstr(gpis_last_error(context), "are allowed: give option memory "));
    assert_int_equal(context->limit, 0);
    gpis_problem_destroy(posed);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    free(a), free(y);
    test_context_end(context, &memory);
}

static void test_memory_is_true(void **state) {
    (void)state;
    for (int rows_on_demand = 0; rows_on_demand < 3; rows_on_demand++) {
        check_memory(20000, 60, "none", "auto", 0, rows_on_demand);
        check_memory(20000, 60, "l1:0.1", "auto", 480, rows_on_demand);
        check_memory(6000, 200, "l1:0.1", "none", 0, rows_on_demand);
        check_memory(6000, 200, "none", "auto", 1600, rows_on_demand);
        check_memory(6000, 200, "l2:0.1", "auto", 800, rows_on_demand);
        check_memory(20000, 60, "l1:0.1", "sample", 2000, rows_on_demand);
        check_memory(6000, 200, "none", "sample", 3000, rows_on_demand);
    }
}

/* Compressed rows, all of a_row entries; y is noise. */
typedef struct sparse_rows {
    int64_t *indptr;
    int32_t *indices;
    double *values, *y;
} sparse_rows;

static sparse_rows sparse_make(int64_t n, int64_t d, int64_t a_row) {
    sparse_rows s = {calloc((size_t)n + 1, sizeof *s.indptr), calloc((size_t)(n * a_row), sizeof *s.indices),
                     calloc((size_t)(n * a_row), sizeof *s.values), calloc((size_t)n, sizeof *s.y)};
    gpis_random_normal(6, 1, 0, n * a_row, s.values);
    gpis_random_normal(6, 2, 0, n, s.y);
    for (int64_t i = 0; i < n; i++) {
        s.indptr[i + 1] = (i + 1) * a_row;
        for (int64_t p = 0; p < a_row; p++) /* one in each of a_row stretches of the columns */
            s.indices[i * a_row + p] = (int32_t)(p * d / a_row + (i * 7 + p * i) % (d / a_row));
    }
    return s;
}

/* A sample that the plan chose is what newton works with, and takes no more memory than it said. Without a certificate
 * the gradients are so cheap that sparse rows need not be many. */
static void test_solve_by_a_sample(void **state) {
    (void)state;
    enum { N = 67000, D = 520, A_ROW = 26, PASSES = 5 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    sparse_rows s = sparse_make(N, D, A_ROW);
    gpis_settings settings = gpis_settings_default();
    gpis_machine other = gpis_machine_default();
    gpis_source *A;
    gpis_set *set;
    gpis_plan_table plan;
    gpis_result *r = NULL, *first = NULL, *rest = NULL;
    settings.certificate = GPIS_CERTIFICATE_NONE;
    settings.max_passes = PASSES;
    assert_ok(context, gpis_source_csr(context, N, D, s.indptr, s.indices, s.values, GPIS_FLOAT64, &A));
    assert_ok(context, test_set(context, "none", D, 1, &set));
    assert_ok(context, plan_for(context, A, set, &settings, &plan));
    assert_string_equal(chosen(&plan)->sketch, "sample");
    const double before = (double)gpis_account_used(context);
    assert_ok(context, test_solve(context, A, s.y, 1, set, &settings, &r));
    const double taken = (double)gpis_context_memory_peak(context) - before;
    assert_int_equal(r->passes, PASSES);
    assert_int_equal(r->sketches, 1);
    assert_string_equal(r->plan, plan.text);
    if (!(taken <= chosen(&plan)->memory && chosen(&plan)->memory <= 1.5 * taken + 1e6))
        fail_msg("%g bytes predicted, %g taken", chosen(&plan)->memory, taken);
    /* stopped and resumed, on a machine for which another plan would be made: the same */
    settings.checkpoint = "plan_sample.test";
    settings.max_passes = 2;
    unlink(settings.checkpoint);
    assert_ok(context, test_solve(context, A, s.y, 1, set, &settings, &first));
    settings.max_passes = PASSES;
    settings.resume = 1;
    settings.machine = &other;
    other.gradient_bytes *= 1e-3;
    assert_ok(context, test_solve(context, A, s.y, 1, set, &settings, &rest));
    assert_int_equal(rest->resumed_passes, 2);
    assert_memory_equal(rest->x, r->x, D * sizeof *r->x);
    assert_true(rest->passes == r->passes && rest->sketches == r->sketches && rest->objective == r->objective);
    unlink(settings.checkpoint);
    gpis_result_destroy(first);
    gpis_result_destroy(rest);
    gpis_result_destroy(r);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    free(s.indptr), free(s.indices), free(s.values), free(s.y);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_samples_are_refused),
        cmocka_unit_test(test_kinds_that_are_named),
        cmocka_unit_test(test_memory_decides),
        cmocka_unit_test(test_memory_is_true),
        cmocka_unit_test(test_machine_decides),
        cmocka_unit_test(test_threads_do_not_decide),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_asked_for),
        cmocka_unit_test(test_one_is_chosen_and_the_others_say_why),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_measurement),
        cmocka_unit_test(test_solve_keeps_to_the_plan),
        cmocka_unit_test(test_solve_by_a_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
