/*
 * Penalties on every kind that takes one: the prox by its variational inequality, the conjugate as a bound over members
 * and by a member that attains it.
 */
#include "set/extend.h"
#include "set/multiplier.h"
#include "set/penalty.h"
#include "support.h"

enum { D = 6, MEMBERS = 40, KINDS = 13 };

static const char *const specs[KINDS] = {
    "none",     "nonneg", "box:-1,0.5", "box:0.2,2",          "box:-3,-1", "box:-inf,1", "box:-0.5,inf",
    "linf:0.7", "l1:1.5", "l2:1.2",     "capped-simplex:1.3", "simplex:2", "group:1.7:2"};

static const double lambda[D] = {0.3, 0.0, 1.0, 0.05, 0.6, 0.3};

/* h(x), by the definition. */
static double height(const double *x) {
    double sum = 0;
    for (int j = 0; j < D; j++) sum += lambda[j] * fabs(x[j]);
    return sum;
}

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int j = 0; j < D; j++) sum += a[j] * b[j];
    return sum;
}

static void draw_member(gpis_set *K, int number, double *s) {
    gpis_random_normal(9, 1, (uint64_t)(number * D), D, s);
    for (int j = 0; j < D; j++) s[j] *= number % 3 == 0 ? 10.0 : 1.0;
    assert_int_equal(gpis_set_project(K, s, s), GPIS_OK);
}

/* x minimises 1/2 ||x - v||^2 + step h(x) over K iff <v - x, s - x> <= step (h(s) - h(x)) for every member s. */
static void check_prox(gpis_set *K, gpis_set *set, const char *spec) {
    for (int t = 0; t < 30; t++) {
        double v[D], x[D], s[D], left[D], distance;
        const double step = t % 2 ? 0.4 : 3.0;
        gpis_random_normal(3, 2, (uint64_t)(t * D), D, v);
        assert_int_equal(gpis_set_prox(set, step, v, x), GPIS_OK);
        assert_int_equal(gpis_set_distance(K, x, &distance), GPIS_OK);
        assert_true(distance <= 1e-14);
        for (int i = 0; i < MEMBERS; i++) {
            draw_member(K, i, s);
            for (int j = 0; j < D; j++) left[j] = v[j] - x[j], s[j] = i % 2 ? s[j] : x[j] + 1e-3 * (s[j] - x[j]);
            const double above = dot(left, s) - dot(left, x) - step * (height(s) - height(x));
            if (above > 1e-12) fail_msg("%s: the prox is not the minimiser, by %g", spec, above);
        }
    }
}

/* The value is at least <l, s> - h(s) for every member, and attained at the limit of prox(t l) for large t. */
static void check_conjugate(gpis_set *K, gpis_set *set, const char *spec) {
    for (int t = 0; t < 30; t++) {
        double l[D], given[D], s[D], value, slack;
        gpis_random_normal(4, 5, (uint64_t)(t * D), D, l);
        memcpy(given, l, sizeof l);
        assert_int_equal(gpis_set_support_near(set, l, &value, &slack), GPIS_OK);
        assert_true(isfinite(value) && slack == 0);
        if (gpis_set_is_bounded(set)) assert_memory_equal(l, given, sizeof l);
        for (int i = 0; i < MEMBERS; i++) {
            draw_member(K, i, s);
            if (dot(l, s) - height(s) > value) fail_msg("%s: the conjugate is too small", spec);
        }
        const double far = 1e9;
        for (int j = 0; j < D; j++) s[j] = far * l[j];
        assert_int_equal(gpis_set_prox(set, far, s, s), GPIS_OK);
        if (value - (dot(l, s) - height(s)) > 1e-6) fail_msg("%s: the conjugate is too large", spec);
        gpis_set_support(set, l, &slack);
        assert_close(slack, value, 1e-12);
        if (memcmp(l, given, sizeof l) != 0) {
            gpis_set_support(set, given, &slack);
            assert_true(isinf(slack));
        }
    }
}

/* In double-double the value bounds <l + l_low, s> - h(s) too, and l + l_low is where that is finite. */
static void check_low(gpis_set *K, gpis_set *set) {
    for (int t = 0; t < 30; t++) {
        double l[D], low[D], s[D], work[5 * D];
        const double weight[D] = {1, 1, 1, 1, 1, 1};
        gpis_random_normal(4, 6, (uint64_t)(t * D), D, l);
        for (int j = 0; j < D; j++) {
            if (j == t % D) l[j] = t % 2 ? lambda[j] : -lambda[j]; /* at the end of where it is finite */
            low[j] = ldexp(l[j], -54) * (t % 3 - 1);
        }
        draw_member(K, t, s);
        gpis_multiplier m = {.l = l, .l_low = low, .at = s, .weight = weight, .work = work};
        assert_int_equal(gpis_set_support_low(set, &m), GPIS_OK);
        for (int i = 0; i < MEMBERS; i++) {
            draw_member(K, i, s);
            __float128 sum = 0;
            for (int j = 0; j < D; j++) sum += ((__float128)l[j] + low[j]) * s[j] - (__float128)lambda[j] * fabs(s[j]);
            assert_true(sum <= (__float128)m.value);
        }
    }
}

static void kinds(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < KINDS; i++) {
        gpis_set *K = NULL, *set = NULL;
        assert_ok(context, test_set(context, specs[i], D, 1, &K));
        assert_ok(context, gpis_set_penalise(K, lambda, &set));
        check_prox(K, set, specs[i]);
        check_conjugate(K, set, specs[i]);
        check_low(K, set);
        gpis_set_destroy(set);
        gpis_set_destroy(K);
    }
    test_context_end(context, &memory);
}

/* A product, of which one block has no penalty and could not have one; and two columns. */
static void products(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *parts[2] = {NULL, NULL}, *K = NULL, *set = NULL;
    const int64_t first[] = {0, 2, 4}, second[] = {1, 3, 5};
    const int64_t *columns[2] = {first, second};
    const double some[D] = {0.3, 0, 1.0, 0, 0.6, 0};
    double V[2 * D], X[2 * D], v[D], x[D];
    assert_ok(context, test_set(context, "l2:1", 3, 1, &parts[0]));
    assert_ok(context, test_set(context, "monotone", 3, 1, &parts[1]));
    assert_ok(context, gpis_set_blocks(context, D, 2, columns, parts, &K));
    assert_false(gpis_set_knows_prox(K, lambda));
    assert_true(gpis_set_knows_prox(K, some));
    assert_ok(context, gpis_set_responses(K, 2));
    assert_ok(context, gpis_set_penalise(K, some, &set));
    gpis_random_normal(1, 1, 0, 2 * D, V);
    assert_ok(context, gpis_set_prox(set, 0.7, V, X));
    assert_close(gpis_set_height(set, X),
                 0.3 * (fabs(X[0]) + fabs(X[1])) + fabs(X[4]) + fabs(X[5]) + 0.6 * (fabs(X[8]) + fabs(X[9])), 1e-15);
    for (int c = 0; c < 2; c++) {
        double by_hand[3], norm = 0;
        for (int j = 0; j < D; j++) v[j] = V[2 * j + c], x[j] = X[2 * j + c];
        for (int j = 0; j < 3; j++) {
            const double size = fabs(v[2 * j]) - 0.7 * some[2 * j];
            by_hand[j] = size > 0 ? copysign(size, v[2 * j]) : 0;
            norm = hypot(norm, by_hand[j]);
        }
        for (int j = 0; j < 3; j++) assert_close(x[2 * j], by_hand[j] / fmax(1, norm), 1e-14);
        assert_true(x[1] <= x[3] && x[3] <= x[5]);
    }
    gpis_set_destroy(set);
    gpis_set_destroy(K);
    for (int i = 0; i < 2; i++) gpis_set_destroy(parts[i]);
    test_context_end(context, &memory);
}

/* Sets whose prox with a penalty is not known, alone and in other units, extended by a constant: x is the prox of v if
 * and only if h(x) + h*(l) = <l, x> for l = (v - x) / step. A penalty of zeros is none. */
static void meetings(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const char *const others[] = {"nuclear:1", "tv:1", "l1:1@dct", "monotone@dct"};
    static const double scale[D] = {1, 0.5, 2, 3, 1, 0.25}, step = 0.7;
    const double none[D] = {0};
    for (int i = 0; i < 16; i++) {
        gpis_set *K = NULL, *set = NULL;
        const gpis_extension extension = {.constant = i & 4, .scale = i & 8 ? scale : NULL, .penalty = lambda};
        double v[D + 1] = {0}, x[D + 1] = {0}, l[D + 1] = {0}, conjugate, lost, along = 0;
        assert_ok(context, test_set(context, others[i % 4], D, 1, &K));
        assert_false(gpis_set_knows_prox(K, lambda));
        assert_ok(context, gpis_set_extend(context, K, &extension, &set));
        gpis_random_normal(1, 3, (uint64_t)(8 * i), set->d, v);
        assert_ok(context, gpis_set_prox(set, step, v, x));
        for (int64_t j = 0; j < set->d; j++) l[j] = (v[j] - x[j]) / step;
        assert_ok(context, gpis_set_support_at(set, x, l, &conjugate, &lost));
        for (int64_t j = 0; j < set->d; j++) along += l[j] * x[j];
        const double off = gpis_set_height(set, x) + conjugate - along;
        if (!(off >= -1e-13 && off <= 1e-11)) fail_msg("%s: %g", gpis_set_spec(set), off);
        gpis_set_destroy(set);
        assert_ok(context, gpis_set_penalise(K, none, &set));
        assert_null(set->penalty);
        gpis_set_destroy(set);
        gpis_set_destroy(K);
    }
    test_context_end(context, &memory);
}

static gpis_status make(gpis_context *context, void *user) {
    gpis_set *K = NULL, *set = NULL;
    gpis_status status = test_set(context, user, D, 1, &K);
    if (status == GPIS_OK)
        status = gpis_set_extend(context, K, &(gpis_extension){.constant = true, .penalty = lambda}, &set);
    gpis_set_destroy(set);
    gpis_set_destroy(K);
    return status;
}

/* A meeting with the penalty, in other units, with a constant. */
static gpis_status make_extended(gpis_context *context, void *spec) {
    static const double scale[D] = {1, 0.5, 2, 3, 1, 0.25};
    gpis_set *K = NULL, *set = NULL;
    gpis_status status = test_set(context, spec, D, 1, &K);
    const gpis_extension extension = {.constant = true, .scale = scale, .penalty = lambda};
    if (status == GPIS_OK) status = gpis_set_extend(context, K, &extension, &set);
    gpis_set_destroy(set);
    gpis_set_destroy(K);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    char box[] = "box:-1,1", l1[] = "l1:1", l2[] = "l2:1";
    assert_true(test_every_allocation(make, box) > 5);
    assert_true(test_every_allocation(make, l1) > 5);
    assert_true(test_every_allocation(make, l2) > 5);
    char dct[] = "l1:1@dct", meeting[] = "tv:1 & nonneg";
    assert_true(test_every_allocation(make_extended, dct) > 20);
    assert_true(test_every_allocation(make_extended, meeting) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinds), cmocka_unit_test(products), cmocka_unit_test(meetings),
                                       cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
