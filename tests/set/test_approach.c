/*
 * Members near a vector that is one up to rounding: it stays as it is where the projection would only add errors, and
 * is projected where it is not a member.
 */
#include "world.h"

static gpis_set *parse(gpis_context *context, const char *spec, int64_t d) {
    gpis_set *set = NULL;
    assert_ok(context, test_set(context, spec, d, 1, &set));
    return set;
}

/* x becomes `expected`; where that is NULL, its projection. */
static void check(gpis_context *context, gpis_set *set, const double *v, const double *expected) {
    enum { MAX_ENTRIES = 8 };
    double x[MAX_ENTRIES], projected[MAX_ENTRIES];
    assert_true(set->d <= MAX_ENTRIES);
    assert_ok(context, gpis_set_approach(set, v, x));
    assert_ok(context, gpis_set_project(set, v, projected));
    for (int64_t i = 0; i < set->d; i++) assert_true(x[i] == (expected ? expected : projected)[i]);
}

static void sums(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *simplex = parse(context, "simplex:1e8", 3), *ball = parse(context, "l1:1", 2),
             *nonneg = parse(context, "nonneg", 2);
    const double met[] = {1e-9, 1e8, -1e-12}, clipped[] = {1e-9, 1e8, 0.0}, missed[] = {1.0, 1e8, 0.0};
    check(context, simplex, met, clipped); /* the projection would take 1e-9 away, or more */
    check(context, simplex, missed, NULL);
    const double inside[] = {0.25, -0.5}, rounded[] = {1.0, 1e-17}, outside[] = {1.0, 1e-10};
    check(context, ball, inside, inside);
    check(context, ball, rounded, rounded);
    check(context, ball, outside, NULL);
    const double below[] = {-1e-300, 1.0}, at[] = {0.0, 1.0};
    check(context, nonneg, below, at);
    gpis_set_destroy(simplex);
    gpis_set_destroy(ball);
    gpis_set_destroy(nonneg);
    test_context_end(context, &memory);
}

/* Two rows that differ by 1e-12: the projection is off by far more than rounding, and (1, 1) is the only member. */
static void planes(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const double C[] = {1.0, 1.0, 1.0, 1.0 + 0x1p-40}, b[] = {2.0, 2.0 + 0x1p-40}, member[] = {1.0, 1.0};
    const double other[] = {1.0, 1.0 + 1e-9};
    gpis_set *plane = NULL, *turned = NULL;
    assert_ok(context, gpis_set_affine(context, C, b, 2, 2, &plane));
    check(context, plane, member, member);
    check(context, plane, other, NULL);
    const double U[] = {0.0, 1.0, 1.0, 0.0};
    assert_ok(context, gpis_set_transform(context, plane, U, &turned));
    check(context, turned, member, member);
    check(context, turned, other, NULL);
    gpis_set_destroy(turned);
    gpis_set_destroy(plane);
    test_context_end(context, &memory);
}

/* In other coordinates entries of very different sizes are mixed by the projection. A point that is well inside stays.
 */
static void other_coordinates(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *box = parse(context, "linf:1e9@dct", 4), *sphere = parse(context, "l2:1@dct", 2);
    const double inside[] = {1e8, 1e-10, -3.0, 1e-5}, outside[] = {0.8, 0.8};
    check(context, box, inside, inside);
    check(context, sphere, outside, NULL);
    gpis_set_destroy(box);
    gpis_set_destroy(sphere);
    test_context_end(context, &memory);
}

/* Each block by itself. */
static void products(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *parts[2] = {parse(context, "simplex:1e8", 2), parse(context, "nonneg", 1)}, *product = NULL;
    const int64_t first[] = {0, 2}, second[] = {1};
    const int64_t *const columns[] = {first, second};
    assert_ok(context, gpis_set_blocks(context, 3, 2, columns, parts, &product));
    const double v[] = {1e8, -1e-3, 1e-9}, expected[] = {1e8, 0.0, 1e-9};
    check(context, product, v, expected);
    gpis_set_destroy(product);
    gpis_set_destroy(parts[0]);
    gpis_set_destroy(parts[1]);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(planes),
                                       cmocka_unit_test(other_coordinates), cmocka_unit_test(products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
