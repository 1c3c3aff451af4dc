/* Solves over sets from memory: the same bits as over the same sets from specs, and products that are what they say. */
#include "calls.h"
#include "certificate/problems.h"

enum { N = 60, D = 6 };

static const char *const METHODS[] = {"newton", "apgd", "acc-gpis"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static gpis_result *solve(gpis_context *context, const problem *p, gpis_set *set, const char *method, double tol) {
    gpis_settings settings = gpis_settings_default();
    gpis_result *result = NULL;
    settings.method = method;
    settings.tol = tol;
    settings.max_passes = 400;
    gpis_source *A = problem_source(context, p);
    assert_ok(context, test_solve(context, A, p->Y, p->k, set, &settings, &result));
    gpis_source_destroy(A);
    return result;
}

/* The whole result, to the bit; and the audit of its x. */
static void assert_same_solves(gpis_context *context, const problem *p, gpis_set *a, gpis_set *b) {
    const size_t bytes = (size_t)(p->d * p->k) * sizeof(double);
    for (int m = 0; m < METHOD_COUNT; m++) {
        gpis_result *r = solve(context, p, a, METHODS[m], 1e-9), *s = solve(context, p, b, METHODS[m], 1e-9), *c = NULL;
        assert_memory_equal(r->x, s->x, bytes);
        assert_true(r->objective == s->objective && r->gap == s->gap && r->gap_kind == s->gap_kind &&
                    r->passes == s->passes);
        const gpis_settings settings = gpis_settings_default();
        gpis_source *A = problem_source(context, p);
        assert_ok(context, test_check(context, A, p->Y, p->k, a, s->x, &settings, &c));
        assert_true(c->outcome == GPIS_SOLVED && c->objective <= s->objective * (1 + 1e-14));
        gpis_source_destroy(A);
        gpis_result_destroy(c);
        gpis_result_destroy(r);
        gpis_result_destroy(s);
    }
}

static void from_memory_as_from_text(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"memory:box", "box:$/lo.npy,$/hi.npy"},
                                           {"memory:affine", "affine:$/C.npy,$/b.npy"},
                                           {"memory:transform:#", "simplex:#@$/U.npy"},
                                           {"memory:dct:#", "l1:#@dct"}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int64_t k = 1; k <= 2; k++) {
            problem p = problem_make(FINE, N, D, k, 40 + i);
            gpis_set *made = world_set(context, &w, pairs[i][0], "0.7", k);
            gpis_set *parsed = world_set(context, &w, pairs[i][1], "0.7", k);
            assert_same_solves(context, &p, made, parsed);
            gpis_set_destroy(made);
            gpis_set_destroy(parsed);
            problem_clear(&p);
        }
    world_end(&w);
    test_context_end(context, &memory);
}

/* A product of bounds is a box; a box without bounds is no constraint, and is solved as such. */
static void products_of_bounds_are_boxes(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    problem p = problem_make(FINE, N, D, 1, 50);
    const double lower[D] = {0, -1, 0, -1, 0, -1}, upper[D] = {INFINITY, 2, INFINITY, 2, INFINITY, 2};
    gpis_set *product = world_set(context, &w, "memory:bounds", "1", 1), *box = NULL, *none = NULL;
    assert_ok(context, gpis_set_box(context, lower, upper, D, &box));
    assert_same_solves(context, &p, product, box);
    gpis_set_destroy(box);
    assert_ok(context, gpis_set_box(context, NULL, NULL, D, &box));
    assert_ok(context, gpis_set_none(context, D, &none));
    assert_same_solves(context, &p, box, none);
    gpis_set_destroy(product);
    gpis_set_destroy(box);
    gpis_set_destroy(none);
    problem_clear(&p);
    world_end(&w);
    test_context_end(context, &memory);
}

/* A whose columns of one block are orthogonal to those of the other: the product's answer is that of each block alone.
 */
static void blocks_that_do_not_meet(void **state) {
    (void)state;
    static const char *const specs[][2] = {
        {"l1:0.3", "tv:0.2"}, {"simplex:1", "none"}, {"group:0.4:3", "nonneg"}, {"l2:0.2", "monotone"}};
    const int64_t first[] = {0, 2, 4}, second[] = {5, 3, 1};
    const int64_t *columns[] = {first, second};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        problem p = problem_make(FINE, N, D, 1, 60 + i), parts[2];
        gpis_set *sets[2] = {NULL, NULL}, *product = NULL;
        for (int b = 0; b < 2; b++) { /* block 0 lives in the even rows, block 1 in the odd ones */
            parts[b] = (problem){N, 3, 1, new_vector(N * 3), new_vector(N)};
            for (int64_t r = b; r < N; r += 2) {
                parts[b].Y[r] = p.Y[r];
                for (int64_t j = 0; j < 3; j++) parts[b].A[r * 3 + j] = p.A[r * D + columns[b][j]];
                for (int64_t j = 0; j < 3; j++) p.A[r * D + columns[1 - b][j]] = 0.0;
            }
            assert_ok(context, test_set(context, specs[i][b], 3, 1, &sets[b]));
        }
        assert_ok(context, gpis_set_blocks(context, D, 2, columns, sets, &product));
        for (int m = 0; m < 2; m++) {
            gpis_result *whole = solve(context, &p, product, METHODS[m], 1e-10);
            assert_true(whole->outcome == GPIS_SOLVED && whole->gap_kind == GPIS_GAP_PROVEN);
            double sum = 0.0;
            for (int b = 0; b < 2; b++) {
                gpis_result *part = solve(context, &parts[b], sets[b], "newton", 1e-10);
                assert_int_equal(part->outcome, GPIS_SOLVED);
                for (int64_t j = 0; j < 3; j++) assert_close(whole->x[columns[b][j]], part->x[j], 1e-4);
                sum += part->objective;
                gpis_result_destroy(part);
            }
            assert_close(whole->objective, sum, 1e-9 * sum);
            gpis_result_destroy(whole);
        }
        gpis_set_destroy(product);
        for (int b = 0; b < 2; b++) gpis_set_destroy(sets[b]), problem_clear(&parts[b]);
        problem_clear(&p);
    }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(from_memory_as_from_text),
                                       cmocka_unit_test(products_of_bounds_are_boxes),
                                       cmocka_unit_test(blocks_that_do_not_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
