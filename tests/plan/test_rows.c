/* A method is a row: the planner takes whatever methods it is given, knows none by name, and treats a proposal as its
 * row says. A toy method stands beside the real ones here. */
#include "plan/plan.h"
#include "support.h"

static const double NO_DATA[8] __attribute__((aligned(64))) = {0};

/* ---- a toy ----------------------------------------------------------------------------------------------------------
 */

/* What the toy proposes and predicts; the test sets it. */
static struct {
    double seconds, memory;
    double many; /* seconds if many entries are free; 0: as many as otherwise */
    int count;   /* proposals */
    gpis_proposal says;
} toy;

static void toy_propose(const gpis_inquiry *inquiry, gpis_proposals *all) {
    assert_true(inquiry->work->n == (double)inquiry->run->problem->n);
    for (int i = 0; i < toy.count; i++) {
        gpis_proposal *p = gpis_propose(all);
        assert_true(p->worthwhile == 1.0 && !p->impossible && !p->sketch && p->m == 0);
        *p = toy.says;
        snprintf(p->title, sizeof p->title, "toy with a spade");
    }
}

static gpis_effort toy_cost(const gpis_workload *work, const gpis_speed *speed, int64_t m) {
    (void)work, (void)speed, (void)m;
    gpis_effort effort = gpis_effort_of(7, 1.0, toy.seconds);
    if (toy.many > 0.0) effort.many = toy.many;
    return effort;
}

static double toy_memory(const gpis_run *run, const gpis_workload *work, int64_t m) {
    (void)run, (void)work, (void)m;
    return toy.memory;
}

static void toy_explain(const gpis_verdict *v, char *text, size_t size) {
    snprintf(text, size, "%s: it digs %lld times", v->chosen->title, (long long)v->chosen->effort.passes);
}

static gpis_status toy_run(gpis_run *run, const double *x0) {
    (void)run, (void)x0;
    return GPIS_OK;
}

static const gpis_method TOY = {.name = "toy",
                                .applicable = gpis_always_applicable,
                                .run = toy_run,
                                .propose = toy_propose,
                                .cost = toy_cost,
                                .memory = toy_memory,
                                .explain = toy_explain};
/* A method that predicts nothing. */
static const gpis_method SHY = {.name = "shy", .applicable = gpis_always_applicable, .run = toy_run};

enum { MAX_METHODS = 16 };

static gpis_methods with_toys(const gpis_method *rows[MAX_METHODS]) {
    const gpis_methods real = gpis_all_methods();
    assert_true(real.count + 2 <= MAX_METHODS);
    memcpy(rows, real.rows, (size_t)real.count * sizeof *rows);
    rows[real.count] = &TOY;
    rows[real.count + 1] = &SHY;
    return (gpis_methods){rows, real.count + 2};
}

static gpis_status choose(gpis_context *context, const char *method, int64_t limit, gpis_plan_table *plan) {
    const gpis_method *rows[MAX_METHODS];
    gpis_settings settings = gpis_settings_default();
    gpis_problem problem = {.context = context, .n = 100000, .d = 100, .k = 1, .size = 100};
    settings.method = method;
    assert_ok(context, gpis_source_dense(context, NO_DATA, GPIS_FLOAT64, GPIS_ROW_MAJOR, 100000, 100, 100, &problem.A));
    assert_ok(context, test_set(context, "none", 100, 1, &problem.set));
    context->limit = limit;
    const gpis_status status = gpis_plan_choose_among(with_toys(rows), &problem, &settings, 0, false, plan);
    context->limit = 0;
    gpis_set_destroy(problem.set);
    gpis_source_destroy(problem.A);
    return status;
}

static const gpis_candidate *find(const gpis_plan_table *plan, const char *method) {
    for (int i = 0; i < plan->count; i++)
        if (strcmp(plan->candidates[i].method, method) == 0) return &plan->candidates[i];
    return NULL;
}

static void set_toy(double seconds) {
    memset(&toy, 0, sizeof toy);
    toy.seconds = seconds;
    toy.memory = 1000.0;
    toy.count = 1;
    toy.says.worthwhile = 1.0;
}

/* ---- the tests ------------------------------------------------------------------------------------------------------
 */

typedef struct bed {
    test_memory memory;
    gpis_context *context;
    gpis_plan_table plan;
} bed;

static int make_bed(void **state) {
    bed *b = calloc(1, sizeof *b);
    b->context = test_context(&b->memory);
    *state = b;
    return 0;
}

static int clear_bed(void **state) {
    bed *b = *state;
    test_context_end(b->context, &b->memory);
    free(b);
    return 0;
}

static void test_the_fastest_is_chosen(void **state) {
    bed *b = *state;
    set_toy(1e-9);
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_ptr_equal(find(&b->plan, "toy"), &b->plan.candidates[b->plan.chosen]);
    assert_string_equal(b->plan.text, "toy with a spade: it digs 7 times");
    assert_int_equal(gpis_plan_choice(&b->plan).passes, 7);
    set_toy(1e9);
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_int_equal(b->plan.chosen, 0);
    assert_non_null(strstr(find(&b->plan, "toy")->reason, "times as long"));
    assert_string_equal(find(&b->plan, "toy")->sketch, "");
}

/* What is less certain must save more. */
static void test_a_doubtful_one_must_save_more(void **state) {
    bed *b = *state;
    set_toy(1e9);
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    set_toy(0.5 * b->plan.candidates[0].seconds);
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_true(find(&b->plan, "toy")->chosen);
    toy.says.worthwhile = 0.1;
    toy.says.doubt = "spades break";
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_int_equal(b->plan.chosen, 0);
    assert_string_equal(find(&b->plan, "toy")->reason, "spades break");
}

/* It is not known how many entries are free: what is fast in one case and slow in the other is not taken. */
static void test_the_worse_case_decides(void **state) {
    bed *b = *state;
    set_toy(1e9);
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    const double gram = b->plan.candidates[0].seconds;
    set_toy(0.5 * gram);
    toy.many = 1.5 * gram; /* 1.5 times as long at worst; the Gram matrix, 2 times */
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_true(find(&b->plan, "toy")->chosen);
    toy.many = 3.0 * gram;
    toy.says.risk = "longer if the soil is hard";
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_int_equal(b->plan.chosen, 0);
    assert_string_equal(find(&b->plan, "toy")->reason, "longer if the soil is hard");
}

static void test_ruled_out(void **state) {
    bed *b = *state;
    set_toy(1e-9);
    toy.says.unwise = "the ground is hard";
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_string_equal(find(&b->plan, "toy")->reason, "the ground is hard");
    assert_false(find(&b->plan, "toy")->applicable);
    toy.says.settled = true; /* then nobody argues */
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_true(find(&b->plan, "toy")->chosen);
    toy.says.impossible = "there is no spade";
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_string_equal(find(&b->plan, "toy")->reason, "there is no spade");
    assert_int_equal(b->plan.chosen, 0);
}

/* A guess at the free memory rules out what is not settled; a limit of the caller's rules out everything. */
static void test_memory_rules_out(void **state) {
    bed *b = *state;
    set_toy(1e-9);
    toy.memory = 1e15;
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_non_null(strstr(find(&b->plan, "toy")->reason, "of memory"));
    toy.says.settled = true;
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_true(find(&b->plan, "toy")->chosen);
    assert_int_equal(choose(b->context, "toy", 1 << 30, &b->plan), GPIS_NO_MEMORY);
    assert_non_null(strstr(gpis_last_error(b->context), "toy with a spade needs "));
}

static void test_asked_for_by_name(void **state) {
    bed *b = *state;
    set_toy(1e9);
    assert_ok(b->context, choose(b->context, "toy", 0, &b->plan));
    assert_string_equal(b->plan.text, "toy, as asked for");
    assert_string_equal(b->plan.candidates[0].reason, "not what was asked for");
    assert_null(find(&b->plan, "shy"));
    assert_ok(b->context, choose(b->context, "shy", 0, &b->plan)); /* it predicts nothing */
    assert_true(find(&b->plan, "shy")->chosen && isnan(find(&b->plan, "shy")->seconds));
    assert_string_equal(b->plan.text, "shy, as asked for");
    assert_int_equal(choose(b->context, "magic", 0, &b->plan), GPIS_BAD_ARGUMENT);
    assert_non_null(strstr(gpis_last_error(b->context), "saga, toy, shy"));
}

/* More proposals than the list can hold are ignored, and nothing is written where it must not be. */
static void test_too_many_proposals(void **state) {
    bed *b = *state;
    set_toy(1e9);
    toy.count = 3 * GPIS_MAX_PROPOSALS;
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_int_equal(b->plan.count, GPIS_MAX_PROPOSALS);
    assert_int_equal(b->plan.chosen, 0);
}

/* A plan follows from the problem, the settings and the machine, and from nothing that was planned or solved before. */
static void test_no_memory_of_other_plans(void **state) {
    bed *b = *state;
    static gpis_plan_table again;
    set_toy(1e9);
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_ok(b->context, choose(b->context, "apgd", 0, &again));
    gpis_context_set_threads(b->context, 7);
    assert_ok(b->context, choose(b->context, "toy", 0, &again));
    gpis_context_set_threads(b->context, 1);
    assert_ok(b->context, choose(b->context, "auto", 0, &b->plan));
    assert_int_equal(choose(b->context, "magic", 0, &again), GPIS_BAD_ARGUMENT);
    assert_ok(b->context, choose(b->context, "auto", 0, &again));
    assert_memory_equal(&again, &b->plan, sizeof again);
}

/* Rows are whole: all that the planner asks a method for is there, and names fit where they are written. */
static void test_real_rows(void **state) {
    (void)state;
    const gpis_methods all = gpis_all_methods();
    gpis_candidate c;
    for (int i = 0; i < all.count; i++) {
        const gpis_method *m = all.rows[i];
        assert_true(m->run && m->applicable && strlen(m->name) < sizeof c.method);
        assert_true(!m->propose == !m->cost && !m->propose == !m->memory && !m->propose == !m->explain);
        assert_ptr_equal(gpis_method_named(all, m->name), m);
        assert_false(m->chooses_m && !m->propose);
    }
    assert_non_null(all.rows[0]->propose); /* which the others have to beat */
    assert_null(gpis_method_named(all, "auto"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_fastest_is_chosen, make_bed, clear_bed),
        cmocka_unit_test_setup_teardown(test_a_doubtful_one_must_save_more, make_bed, clear_bed),
        cmocka_unit_test_setup_teardown(test_the_worse_case_decides, make_bed, clear_bed),
        cmocka_unit_test_setup_teardown(test_ruled_out, make_bed, clear_bed),
        cmocka_unit_test_setup_teardown(test_memory_rules_out, make_bed, clear_bed),
        cmocka_unit_test_setup_teardown(test_asked_for_by_name, make_bed, clear_bed),
        cmocka_unit_test_setup_teardown(test_too_many_proposals, make_bed, clear_bed),
        cmocka_unit_test_setup_teardown(test_no_memory_of_other_plans, make_bed, clear_bed),
        cmocka_unit_test(test_real_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
