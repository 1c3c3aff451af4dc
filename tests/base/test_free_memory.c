/*
 * The limit if the caller has set none: the free memory of the system. The tests themselves decide how much that is. It
 * only refuses requests: all choices, and every bit of an answer, are the same however little is free.
 */
#include "base/free_memory.h"
#include "calls.h"

#include <sys/resource.h>

#include "certificate/problems.h"

static int64_t fixed_free; /* the free memory that the tests pretend */
static long asked;

static int64_t say_free(int64_t allocated) {
    (void)allocated;
    asked++;
    return fixed_free;
}

static gpis_context *context_with(int64_t bytes_free) {
    gpis_context *context = NULL;
    assert_int_equal(gpis_context_create(&context), GPIS_OK);
    assert_non_null(context->free_memory);
    context->free_memory = say_free;
    fixed_free = bytes_free;
    asked = 0;
    return context;
}

static bool says(const gpis_context *context, const char *text) { return strstr(gpis_last_error(context), text); }

enum { MB = 1 << 20 };

static void large_allocations_are_refused(void **state) {
    (void)state;
    gpis_context *context = context_with(100 * MB);
    void *small = gpis_alloc(context, 1000, 8);
    assert_non_null(small);
    assert_int_equal(asked, 0); /* too little to ask the system */
    assert_null(gpis_alloc(context, 101 * MB, 1));
    assert_true(says(context, "102M more of memory are needed") && says(context, "only 100M are free here"));
    void *large = gpis_alloc(context, 99 * MB, 1);
    assert_non_null(large);
    assert_int_equal(gpis_account_left(context), INT64_MAX); /* choices do not depend on it */
    assert_true(gpis_context_memory_peak(context) < 100 * (int64_t)MB);
    gpis_free(context, large);
    gpis_free(context, small);
    assert_int_equal(atomic_load(&context->allocated), 0);
    /* Asked again after memory was freed: other processes may have taken it meanwhile. */
    fixed_free = 50 * MB;
    assert_null(gpis_alloc(context, 99 * MB, 1));
    gpis_context_destroy(context);
}

static void many_small_ones_are_refused(void **state) {
    (void)state;
    enum { PIECE = 1000, MAX_PIECES = 100000 };
    gpis_context *context = context_with(8 * MB);
    void **pieces = calloc(MAX_PIECES, sizeof *pieces);
    int count = 0;
    assert_non_null(pieces);
    while (count < MAX_PIECES && (pieces[count] = gpis_alloc(context, PIECE, 1))) {
        count++;
        if (asked > 0) fixed_free = 0; /* it was there once, and is used up now */
    }
    assert_true(asked > 0 && count < MAX_PIECES && count * PIECE < 48 * MB);
    for (int i = 0; i < count; i++) gpis_free(context, pieces[i]);
    free(pieces);
    gpis_context_destroy(context);
}

/* A caller who sets a limit or an allocator is responsible for it. */
static void explicit_limits_come_first(void **state) {
    (void)state;
    gpis_context *context = context_with(MB);
    assert_ok(context, gpis_context_set_memory(context, 200 * MB));
    void *large = gpis_alloc(context, 100 * MB, 1);
    assert_non_null(large);
    assert_true(gpis_account_affords(context, "A", 1e15));
    gpis_free(context, large);
    gpis_context_destroy(context);
    test_memory memory;
    gpis_context *other = test_context(&memory);
    assert_null(other->free_memory);
    test_context_end(other, &memory);
}

/* A limit counts what is allocated and what is mapped together; what is refused is not in use. */
static void a_limit_counts_everything(void **state) {
    (void)state;
    gpis_context *context = context_with(INT64_MAX);
    assert_ok(context, gpis_context_set_memory(context, 10 * MB));
    assert_true(gpis_account_take(context, 6 * MB));
    assert_null(gpis_alloc(context, 5 * MB, 1));
    assert_int_equal(gpis_account_used(context), 6 * MB);
    void *piece = gpis_alloc(context, 3 * MB, 1);
    assert_non_null(piece);
    const int64_t used = gpis_account_used(context);
    assert_true(used >= 9 * MB && gpis_account_left(context) == 10 * MB - used);
    assert_false(gpis_account_take(context, 2 * MB));
    assert_true(says(context, "only 10M are allowed"));
    assert_true(gpis_account_used(context) == used && gpis_context_memory_peak(context) == used);
    gpis_free(context, piece);
    gpis_account_return(context, 6 * MB);
    assert_int_equal(gpis_account_used(context), 0);
    gpis_context_destroy(context);
}

static gpis_status solve_l1(gpis_context *context, const problem *p, const char *method, gpis_result **r) {
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.method = method;
    gpis_status status = gpis_source_dense(context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->n, p->d, p->d, &A);
    if (status == GPIS_OK) status = test_set(context, "l1:0.7", p->d, 1, &set);
    if (status == GPIS_OK) status = test_solve(context, A, p->Y, 1, set, &settings, r);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return status;
}

/* A solve is refused as soon as its need is known, or gives the same bits as with plenty of memory. */
static void solves_are_refused_or_the_same(void **state) {
    (void)state;
    enum { N = 3000, D = 900 };
    const problem p = problem_make(FINE, N, D, 1, 31);
    gpis_context *rich = context_with(INT64_MAX);
    gpis_result *expected = NULL, *r = NULL;
    assert_ok(rich, solve_l1(rich, &p, "auto", &expected));
    assert_true(asked > 0);
    const int64_t peak = gpis_context_memory_peak(rich);
    for (int64_t bytes_free = 2 * peak; bytes_free > 0; bytes_free = bytes_free / 3 - MB) {
        gpis_context *context = context_with(bytes_free);
        const gpis_status status = solve_l1(context, &p, "auto", &r);
        if (status == GPIS_OK) {
            assert_memory_equal(r->x, expected->x, D * sizeof(double));
            assert_string_equal(r->plan, expected->plan);
            gpis_result_destroy(r);
        } else {
            assert_int_equal(status, GPIS_NO_MEMORY);
            assert_true(says(context, "newton needs") && says(context, "are free here"));
            assert_true(gpis_context_memory_peak(context) < peak / 4); /* before anything large was allocated */
        }
        assert_int_equal(status == GPIS_OK, bytes_free > peak);
        gpis_context_destroy(context);
    }
    gpis_result_destroy(expected);
    gpis_context_destroy(rich);
    problem_clear((problem *)&p);
}

/* An x that is too large is refused before anything of its size is allocated. */
static void a_wide_problem_is_refused(void **state) {
    (void)state;
    static const int64_t indptr[2] = {0, 1};
    static const int32_t indices[1] = {INT32_MAX - 1};
    static const double value[1] = {1.0};
    static const char *const specs[] = {"none", "l1:1", "nonneg", "simplex:1", "monotone", "tv:1", "group:1:7"};
    gpis_context *context = context_with((int64_t)100 << 30);
    gpis_source *A;
    gpis_set *set;
    assert_ok(context, gpis_source_csr(context, 1, INT32_MAX, indptr, indices, value, GPIS_FLOAT64, &A));
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        assert_int_equal(test_set(context, specs[i], INT32_MAX, 1, &set), GPIS_NO_MEMORY);
        assert_true(says(context, "x of 2147483647 x 1 coefficients needs 128G of memory, and only 100G are free"));
    }
    assert_true(gpis_context_memory_peak(context) < MB);
    gpis_source_destroy(A);
    gpis_context_destroy(context);
}

/* The system's own answer: some memory, less under an address-space limit, and memory that was not written to counts.
 */
static void the_system_is_asked(void **state) {
    (void)state;
    const int64_t idle = gpis_free_memory(0);
    struct rlimit usual, tight;
    assert_true(idle > 16 * MB);
    assert_true(gpis_free_memory(idle / 2 + ((int64_t)1 << 50)) == 0);
#if !defined(__SANITIZE_ADDRESS__)
    assert_int_equal(getrlimit(RLIMIT_AS, &usual), 0);
    tight = usual;
    tight.rlim_cur = (rlim_t)1 << 20; /* below what is in use */
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    const int64_t none = gpis_free_memory(0);
    assert_int_equal(setrlimit(RLIMIT_AS, &usual), 0);
    assert_int_equal(none, 0);
#else
    (void)usual;
    (void)tight;
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_allocations_are_refused),
        cmocka_unit_test(many_small_ones_are_refused),
        cmocka_unit_test(a_limit_counts_everything),
        cmocka_unit_test(explicit_limits_come_first),
        cmocka_unit_test(solves_are_refused_or_the_same),
        cmocka_unit_test(a_wide_problem_is_refused),
        cmocka_unit_test(the_system_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
