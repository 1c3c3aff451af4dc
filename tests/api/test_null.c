/* Every public function, called with NULL for each of its pointers in turn: refused, and nothing is dereferenced. */
#include "support.h"

/* Valid arguments for all of them. */
typedef struct valid {
    gpis_context *context;
    gpis_source *A;
    gpis_set *set;
    gpis_settings settings;
    double rows[12], Y[4], X[3], G[9], V[3], AAV[3], number;
    int64_t indptr[3];
    int32_t indices[2];
    gpis_problem *problem;
} valid;

/* The call's pointers are numbered from 0; number `hole` is NULL. */
#define OR_NULL(number, pointer) (hole == (number) ? NULL : (pointer))
#define CONTEXT OR_NULL(0, v->context)

static int no_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    (void)user, (void)row0, (void)nrows, (void)rows;
    return 1;
}

static void nothing(void *user, const gpis_content *content) { (void)user, (void)content; }

/* What was made in spite of the hole is taken down again. */
static gpis_status made(gpis_status status, gpis_source *source) {
    gpis_source_destroy(source);
    return status;
}

static gpis_status create_with(valid *v, int hole) {
    const gpis_allocator good = {test_allocate, test_release, NULL}, none = {NULL, test_release, NULL},
                         leaking = {test_allocate, NULL, NULL};
    const gpis_allocator *const given[] = {NULL, &good, &none, &leaking};
    gpis_context *context;
    (void)v;
    return gpis_context_create_with(given[hole], OR_NULL(1, &context));
}
static gpis_status create(valid *v, int hole) {
    gpis_context *context;
    (void)v;
    return gpis_context_create(OR_NULL(0, &context));
}
static gpis_status set_threads(valid *v, int hole) { return gpis_context_set_threads(CONTEXT, 1); }
static gpis_status set_memory(valid *v, int hole) { return gpis_context_set_memory(CONTEXT, 0); }
static gpis_status array_read(valid *v, int hole) {
    gpis_array array;
    return gpis_array_read(CONTEXT, OR_NULL(1, "x.npy"), OR_NULL(2, &array));
}
static gpis_status array_write(valid *v, int hole) {
    return gpis_array_write(CONTEXT, OR_NULL(1, "/nowhere/x.npy"), OR_NULL(2, v->X), 3, 1, 1);
}
static gpis_status array_create(valid *v, int hole) {
    gpis_array array;
    return gpis_array_create(CONTEXT, 2, 2, 2, OR_NULL(1, &array));
}
static gpis_status dense(valid *v, int hole) {
    gpis_source *source = NULL;
    const gpis_status status =
        gpis_source_dense(CONTEXT, OR_NULL(1, v->rows), GPIS_FLOAT64, GPIS_ROW_MAJOR, 4, 3, 3, OR_NULL(2, &source));
    return made(status, source);
}
static gpis_status csr(valid *v, int hole) {
    gpis_source *source = NULL;
    const gpis_status status = gpis_source_csr(CONTEXT, 2, 3, OR_NULL(1, v->indptr), OR_NULL(2, v->indices),
                                               OR_NULL(3, v->rows), GPIS_FLOAT64, OR_NULL(4, &source));
    return made(status, source);
}
static gpis_status callback(valid *v, int hole) {
    gpis_source *source = NULL;
    return made(gpis_source_callback(CONTEXT, 4, 3, OR_NULL(1, no_rows), NULL, 0, OR_NULL(2, &source)), source);
}
static gpis_status open_file(valid *v, int hole) {
    gpis_source *source;
    return gpis_source_open(CONTEXT, OR_NULL(1, "A.npy"), NULL, OR_NULL(2, &source));
}
static gpis_status open_with(valid *v, int hole) {
    const gpis_open_options options = gpis_open_options_default();
    gpis_source *source;
    return gpis_source_open_with(CONTEXT, OR_NULL(1, "A.npy"), OR_NULL(2, &options), OR_NULL(3, &source));
}
static gpis_status contents(valid *v, int hole) {
    return gpis_file_contents(CONTEXT, OR_NULL(1, "A.h5"), OR_NULL(2, nothing), NULL);
}
static gpis_status rows(valid *v, int hole) {
    return gpis_source_rows(CONTEXT, OR_NULL(1, v->A), 0, 1, OR_NULL(2, v->G));
}
static gpis_status slice(valid *v, int hole) {
    gpis_source *source = NULL;
    return made(gpis_source_slice(CONTEXT, OR_NULL(1, v->A), 0, 1, OR_NULL(2, &source)), source);
}
static gpis_status join(valid *v, int hole) {
    gpis_source *source = NULL, *parts[] = {OR_NULL(3, v->A)};
    return made(gpis_source_join(CONTEXT, OR_NULL(1, parts), 1, NULL, OR_NULL(2, &source)), source);
}
static gpis_status join_ranks(valid *v, int hole) {
    gpis_source *source = NULL;
    const gpis_ranks mute = {.ranks = 1};
    (void)hole;
    return made(gpis_source_join(v->context, &v->A, 1, &mute, &source), source);
}
static gpis_status audit(valid *v, int hole) { return gpis_source_audit(CONTEXT, OR_NULL(1, v->A)); }
static gpis_status parse(valid *v, int hole) {
    gpis_set *set = NULL;
    const gpis_status status = gpis_set_parse(CONTEXT, OR_NULL(1, "l1:1"), OR_NULL(2, v->problem), OR_NULL(3, &set));
    gpis_set_destroy(set);
    return status;
}
static gpis_status parse_linear(valid *v, int hole) {
    gpis_set *set = NULL;
    const char *const texts[] = {"x1 <= 1"};
    const gpis_status status =
        gpis_set_parse_linear(CONTEXT, OR_NULL(1, texts), 1, OR_NULL(2, v->problem), OR_NULL(3, &set));
    gpis_set_destroy(set);
    return status;
}
static gpis_status read_bounds(valid *v, int hole) {
    gpis_set *set = NULL;
    const gpis_status status =
        gpis_set_read_bounds(CONTEXT, OR_NULL(1, "bounds.csv"), OR_NULL(2, v->problem), OR_NULL(3, &set));
    gpis_set_destroy(set);
    return status;
}
static gpis_status project(valid *v, int hole) {
    return gpis_set_project(OR_NULL(0, v->set), OR_NULL(1, v->X), OR_NULL(2, v->V));
}
static gpis_status support(valid *v, int hole) {
    return gpis_set_support(OR_NULL(0, v->set), OR_NULL(1, v->X), OR_NULL(2, &v->number));
}
static gpis_status distance(valid *v, int hole) {
    return gpis_set_distance(OR_NULL(0, v->set), OR_NULL(1, v->X), OR_NULL(2, &v->number));
}
/* A problem whose terms are there but for those in the hole: 1 is A, 2 is Y, 3 is all of it. */
typedef struct posed {
    gpis_problem *problem;
    gpis_status status;
} posed;

static posed pose(valid *v, int hole) {
    posed p = {NULL, gpis_problem_create(CONTEXT, OR_NULL(1, v->A), &p.problem)};
    if (p.status == GPIS_OK) p.status = gpis_problem_response(p.problem, OR_NULL(2, v->Y), 4, 1);
    if (p.status == GPIS_OK) p.status = gpis_problem_constrain(p.problem, v->set);
    return p;
}

static gpis_status end(posed p, gpis_status status) {
    gpis_problem_destroy(p.problem);
    return p.status == GPIS_OK ? status : p.status;
}

static gpis_status create_problem(valid *v, int hole) {
    gpis_problem *problem = NULL;
    const gpis_status status = gpis_problem_create(CONTEXT, OR_NULL(1, v->A), OR_NULL(2, &problem));
    gpis_problem_destroy(problem);
    return status;
}
static gpis_status no_problem(valid *v, int hole) {
    gpis_result *result = NULL;
    gpis_plan *planned = NULL;
    (void)v;
    switch (hole) {
    case 0: return gpis_problem_response(NULL, v->Y, 4, 1);
    case 1: return gpis_problem_constrain(NULL, v->set);
    case 2: return gpis_solve(NULL, NULL, &result);
    case 3: return gpis_check(NULL, v->X, 3, NULL, &result);
    case 4: return gpis_plan_make(NULL, NULL, &planned);
    case 5: return gpis_evaluate(NULL, v->X, 3, &v->number, v->G);
    case 6: return gpis_sketch_rows(NULL, "count", 2, 0, 0, v->G, NULL);
    default: return gpis_evaluate_with(NULL, v->X, 3, &v->number, v->G, NULL, 0, NULL);
    }
}
static gpis_status evaluate(valid *v, int hole) {
    const posed p = pose(v, hole);
    const gpis_status status = gpis_evaluate(p.problem, OR_NULL(3, v->X), 3, OR_NULL(4, &v->number), v->G);
    return end(p, status);
}
static gpis_status evaluate_with(valid *v, int hole) {
    const posed p = pose(v, hole);
    const gpis_status status = gpis_evaluate_with(p.problem, OR_NULL(3, v->X), 3, OR_NULL(4, &v->number), v->G,
                                                  OR_NULL(5, v->V), hole == 7 ? 0 : 1, OR_NULL(6, v->AAV));
    return end(p, status);
}
static gpis_status gram(valid *v, int hole) { return gpis_gram(CONTEXT, OR_NULL(1, v->A), OR_NULL(2, v->G)); }
static gpis_status sketch(valid *v, int hole) {
    const posed p = pose(v, hole);
    return end(p, gpis_sketch_rows(p.problem, OR_NULL(3, "count"), 2, 0, 0, OR_NULL(4, v->G), v->AAV));
}
static gpis_status measure(valid *v, int hole) {
    gpis_machine machine = gpis_machine_default();
    return gpis_machine_measure(CONTEXT, OR_NULL(1, &machine));
}
/* No set is every x, and no settings are the defaults: neither is a hole. */
static gpis_status solve(valid *v, int hole) {
    const posed p = pose(v, hole);
    gpis_result *result = NULL;
    const gpis_status status = end(p, gpis_solve(p.problem, &v->settings, OR_NULL(3, &result)));
    gpis_result_destroy(result);
    return status;
}
static gpis_status check(valid *v, int hole) {
    const posed p = pose(v, hole);
    gpis_result *result = NULL;
    const gpis_status status = end(p, gpis_check(p.problem, OR_NULL(3, v->X), 3, &v->settings, OR_NULL(4, &result)));
    gpis_result_destroy(result);
    return status;
}
static gpis_status plan(valid *v, int hole) {
    gpis_plan *planned = NULL;
    const posed p = pose(v, hole);
    const gpis_status status = end(p, gpis_plan_make(p.problem, &v->settings, OR_NULL(3, &planned)));
    gpis_plan_destroy(planned);
    return status;
}
/* Structs that begin with their size, and options. */
static gpis_status init(valid *v, int hole) {
    gpis_settings settings = v->settings;
    gpis_open_options options = gpis_open_options_default();
    switch (hole) {
    case 0: return gpis_settings_init(NULL, sizeof(gpis_settings));
    case 1: return gpis_open_options_init(NULL, sizeof(gpis_open_options));
    case 2: return gpis_machine_init(NULL, sizeof(gpis_machine));
    case 3: return gpis_bounds_init(NULL, sizeof(gpis_bounds_problem));
    case 4: return gpis_settings_set(NULL, "tol", "0.1");
    case 5: return gpis_settings_set(&settings, NULL, "0.1");
    case 6: return gpis_open_options_set(NULL, "cache", ".");
    default: return gpis_open_options_set(&options, NULL, ".");
    }
}
static gpis_status bounds(valid *v, int hole) {
    gpis_bounds_problem problem = gpis_bounds_default();
    gpis_bounds out;
    return gpis_bounds_compute(CONTEXT, OR_NULL(1, &problem), OR_NULL(2, &out));
}
static gpis_status width(valid *v, int hole) { return gpis_bounds_width_l1(CONTEXT, 10, 2, OR_NULL(1, &v->number)); }
static gpis_status theta(valid *v, int hole) { return gpis_bounds_theta(CONTEXT, 0.1, 0, OR_NULL(1, &v->number)); }
static gpis_bounds_problem workable(void) {
    gpis_bounds_problem problem = gpis_bounds_default();
    problem.n = 1000, problem.d = 10, problem.m = 80, problem.cond = 10.0;
    return problem;
}
static gpis_status work(valid *v, int hole) {
    const gpis_bounds_problem problem = workable();
    gpis_work out;
    return gpis_bounds_work(CONTEXT, OR_NULL(1, &problem), 0, OR_NULL(2, &out));
}
static gpis_status advise(valid *v, int hole) {
    const gpis_bounds_problem problem = workable();
    gpis_work out;
    return gpis_bounds_advise(CONTEXT, OR_NULL(1, &problem), 0, OR_NULL(2, &out));
}

static const struct {
    const char *name;
    gpis_status (*call)(valid *, int hole);
    int holes;
} functions[] = {
    {"create", create, 1},
    {"create_with", create_with, 4},
    {"set_threads", set_threads, 1},
    {"set_memory", set_memory, 1},
    {"array_read", array_read, 3},
    {"array_write", array_write, 3},
    {"array_create", array_create, 2},
    {"source_dense", dense, 3},
    {"source_csr", csr, 5},
    {"source_callback", callback, 3},
    {"source_open", open_file, 3},
    {"source_open_with", open_with, 4},
    {"file_contents", contents, 3},
    {"source_rows", rows, 3},
    {"source_slice", slice, 3},
    {"source_join", join, 4},
    {"source_join with ranks that cannot add", join_ranks, 1},
    {"source_audit", audit, 2},
    {"set_parse", parse, 4},
    {"set_parse_linear", parse_linear, 4},
    {"set_read_bounds", read_bounds, 4},
    {"set_project", project, 3},
    {"set_support", support, 3},
    {"set_distance", distance, 3},
    {"evaluate", evaluate, 5},
    {"evaluate_with", evaluate_with, 8}, /* the last: V and AAV, but a count of 0 */
    {"gram", gram, 3},
    {"sketch_rows", sketch, 5},
    {"machine_measure", measure, 2},
    {"problem_create", create_problem, 3},
    {"... without a problem", no_problem, 8},
    {"solve", solve, 4},
    {"check", check, 5},
    {"plan_make", plan, 4},
    {"..._init and ..._set", init, 8},
    {"bounds_compute", bounds, 3},
    {"bounds_width_l1", width, 2},
    {"bounds_theta", theta, 2},
    {"bounds_work", work, 3},
    {"bounds_advise", advise, 3},
};

static void null_is_refused(void **state) {
    (void)state;
    test_memory memory;
    valid v = {.context = test_context(&memory), .settings = gpis_settings_default(), .indptr = {0, 1, 2}};
    for (int i = 0; i < 12; i++) v.rows[i] = i % 5 - 2.0;
    assert_ok(v.context, gpis_source_dense(v.context, v.rows, GPIS_FLOAT64, GPIS_ROW_MAJOR, 4, 3, 3, &v.A));
    assert_ok(v.context, gpis_set_l1(v.context, 1, 3, &v.set));
    assert_ok(v.context, gpis_problem_create(v.context, v.A, &v.problem));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (int hole = 0; hole < functions[i].holes; hole++) {
            if (functions[i].call == create_with && hole == 1) continue; /* its allocator is good: see the last lines */
            const gpis_status status = functions[i].call(&v, hole);
            if (status != GPIS_BAD_ARGUMENT)
                fail_msg("gpis_%s, pointer %d NULL: %s", functions[i].name, hole, gpis_status_text(status));
        }
    gpis_problem_destroy(v.problem);
    gpis_set_destroy(v.set);
    gpis_source_destroy(v.A);
    test_context_end(v.context, &memory);
    assert_int_equal(create_with(&v, 1), GPIS_BAD_ARGUMENT);
}

/* Functions that cannot fail do nothing, or give what stands for nothing. */
static void null_is_nothing(void **state) {
    (void)state;
    gpis_source_info info = {.rows = 7};
    gpis_array array = {0};
    int64_t k = 7;
    gpis_context_destroy(NULL);
    gpis_source_destroy(NULL);
    gpis_set_destroy(NULL);
    gpis_array_clear(NULL, &array);
    gpis_array_clear(NULL, NULL);
    gpis_problem_destroy(NULL);
    gpis_result_destroy(NULL);
    gpis_plan_destroy(NULL);
    assert_null(gpis_option_at(-1));
    assert_null(gpis_option_find(NULL));
    assert_int_equal(gpis_option_explain(NULL, "1", NULL, 0), 0);
    assert_int_equal(gpis_settings_get(NULL, "tol", NULL, 0), 0);
    gpis_random_uniform(0, 0, 0, 3, NULL);
    gpis_random_normal(0, 0, 1, 3, NULL);
    gpis_source_describe(NULL, NULL);
    gpis_source_describe(NULL, &info);
    assert_true(info.rows == 0 && info.cols == 0 && info.kind && info.layout);
    assert_null(gpis_source_target(NULL, NULL));
    assert_null(gpis_source_target(NULL, &k));
    assert_int_equal(k, 0);
    assert_null(gpis_source_column(NULL, 0));
    assert_string_equal(gpis_set_spec(NULL), "");
    assert_string_equal(gpis_set_warning(NULL), "");
    assert_string_equal(gpis_last_error(NULL), "");
    assert_int_equal(gpis_context_threads(NULL), 0);
    assert_int_equal(gpis_context_memory_peak(NULL), 0);
    assert_true(isinf(gpis_relative_gap(NULL)));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(null_is_refused), cmocka_unit_test(null_is_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
