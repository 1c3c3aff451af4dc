/* Polyhedra: projections, proximal points and supports against an enumeration of all faces; what is refused. */
#include <float.h>

#include "set/draw.h"
#include "set/extend.h"
#include "set/penalty.h"
#include "set/polyhedron.h"
#include "set/polyhedron_state.h"
#include "set/price.h"

static const double IDENTITY[FACES_D][FACES_D * FACES_D] = {
    {1}, {1, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

static void test_projection(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        random_polyhedron p;
        double v[FACES_D], minus[FACES_D], x[FACES_D];
        long double best[FACES_D];
        draw(context, seed, &p);
        fill_normal(v, p.f.d, seed, 4);
        for (int j = 0; j < p.f.d; j++) {
            if (seed % 7 == 0) v[j] = round(v[j]);
            minus[j] = -v[j];
        }
        assert_true(isfinite((double)faces_minimise(&p.f, IDENTITY[p.f.d - 1], minus, best)));
        assert_ok(context, gpis_set_project(p.set, v, x));
        for (int j = 0; j < p.f.d; j++)
            if (!(fabsl(x[j] - best[j]) <= 1e-12L * (1 + fabsl(best[j]))))
                fail_msg("seed %d, %s: entry %d is %.17g, not %.17Lg", (int)seed, gpis_set_spec(p.set), j, x[j],
                         best[j]);
        let_go(&p);
    }
    test_context_end(context, &memory);
}

/* Vectors near underflow, of which differences lose digits, have a projection too. */
static void test_underflow(void **state) {
    (void)state;
    enum { D = 147 };
    static const double tiny[] = {1e-290, 1e-306, 1e-320, 5e-324};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *set = NULL;
    double v[D], x[D], size = 0;
    assert_ok(context, test_set(context, "monotone & nonneg", D, 1, &set));
    for (uint64_t seed = 0; seed < 40; seed++) {
        fill_normal(v, D, seed, 1);
        for (int j = 0; j < D; j++) v[j] = seed % 2 ? round(v[j]) * tiny[seed % 4] : v[j] * tiny[seed % 4];
        for (int j = 0; j < D; j++) size = fmax(fabs(v[j]), j > 0 ? size : DBL_MIN);
        assert_ok(context, gpis_set_project(set, v, x));
        for (int j = 0; j < D; j++)
            if (!(x[j] >= (j > 0 ? x[j - 1] - 1e-14 * size : 0)))
                fail_msg("seed %d: entry %d is %g after %g", (int)seed, j, x[j], j > 0 ? x[j - 1] : 0);
    }
    gpis_set_destroy(set);
    test_context_end(context, &memory);
}

/* argmin of 1/2 ||x - v||^2 + sum of lambda_j |x_j|. */
static void test_prox(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        random_polyhedron p;
        double v[FACES_D], minus[FACES_D], lambda[FACES_D], x[FACES_D];
        long double best[FACES_D];
        gpis_set *penalised = NULL;
        draw(context, seed, &p);
        fill_normal(v, p.f.d, seed, 4);
        for (int j = 0; j < p.f.d; j++) minus[j] = -v[j], lambda[j] = whole(seed, 500 + j, 0, 3);
        faces_penalised(&p.f, IDENTITY[p.f.d - 1], minus, lambda, best);
        assert_ok(context, gpis_set_extend(context, p.set, &(gpis_extension){.penalty = lambda}, &penalised));
        assert_ok(context, gpis_set_prox(penalised, 1, v, x));
        for (int j = 0; j < p.f.d; j++)
            if (!(fabsl(x[j] - best[j]) <= 1e-12L * (1 + fabsl(best[j]))))
                fail_msg("seed %d, %s: entry %d is %.17g, not %.17Lg", (int)seed, gpis_set_spec(penalised), j, x[j],
                         best[j]);
        gpis_set_destroy(penalised);
        let_go(&p);
    }
    test_context_end(context, &memory);
}

/* The support function at the corners of bounded sets; unbounded ones have it where no direction of theirs goes up. */
static void test_support(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    int bounded = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        static const double zero[FACES_D * FACES_D] = {0};
        random_polyhedron p;
        double v[FACES_D], minus[FACES_D], value, near, slack;
        long double corner[FACES_D];
        draw(context, seed, &p);
        fill_normal(v, p.f.d, seed, 2);
        for (int j = 0; j < p.f.d; j++) minus[j] = -v[j];
        if (gpis_set_is_bounded(p.set)) {
            const double most = -(double)faces_minimise(&p.f, zero, minus, corner);
            assert_ok(context, gpis_set_support(p.set, v, &value));
            assert_ok(context, gpis_set_support_near(p.set, v, &near, &slack));
            if (!(fabs(value - most) <= 1e-12 * (1 + fabs(most)) && near >= most - 1e-15 * fabs(most) && slack == 0))
                fail_msg("seed %d, %s: the support is %.17g, not %.17g", (int)seed, gpis_set_spec(p.set), value, most);
            bounded++;
        }
        let_go(&p);
    }
    assert_true(bounded > 100);
    test_context_end(context, &memory);
}

/* x_1 - sum of the others <= 0, the first of them 1 and the others just below half a unit of 1: summed one after the
 * other they are lost. x_1 can be as large as their exact sum, and the support function of e_1 is that. */
static void long_rows(void **state) {
    (void)state;
    enum { ENTRIES = 20000 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static double C[ENTRIES], lower[ENTRIES], upper[ENTRIES], l[ENTRIES];
    const double tiny = 0x1.fp-54, zero = 0, exact = 1.0 + (ENTRIES - 2) * tiny;
    double value, slack;
    gpis_set *row = NULL, *box = NULL, *K = NULL;
    for (int j = 0; j < ENTRIES; j++) {
        C[j] = j == 0 ? 1 : -1;
        lower[j] = 0;
        upper[j] = j == 0 ? INFINITY : j == 1 ? 1 : tiny;
        l[j] = j == 0;
    }
    assert_ok(context, gpis_set_linear(context, C, NULL, &zero, 1, ENTRIES, NULL, &row));
    assert_ok(context, gpis_set_box(context, lower, upper, ENTRIES, &box));
    assert_ok(context, gpis_set_intersection(context, 2, (gpis_set *[]){row, box}, &K));
    assert_true(gpis_set_is_bounded(K));
    const gpis_polyhedron_state *p = K->state;
    assert_true(p->reach_hi[0] >= exact && p->reach_hi[0] <= exact + 1e-10);
    assert_ok(context, gpis_set_support_near(K, l, &value, &slack));
    assert_true(value >= exact && slack == 0);
    gpis_set_destroy(K);
    gpis_set_destroy(box);
    gpis_set_destroy(row);
    test_context_end(context, &memory);
}

/* A constant is a free last entry; scaled entries and weights. */
static void test_extension(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const double scale[3] = {2, 0.5, 4}, v[4] = {5, -5, 1, 7};
    gpis_set *K = NULL, *extended = NULL, *ball = NULL;
    double x[4];
    assert_ok(context, gpis_set_l1(context, 2, 3, &K));
    assert_ok(context, gpis_set_extend(context, K, &(gpis_extension){.constant = true, .scale = scale}, &extended));
    assert_int_equal(extended->d, 4);
    assert_ok(context, gpis_set_project(extended, v, x));
    assert_true(fabs(2 * fabs(x[0]) + 0.5 * fabs(x[1]) + 4 * fabs(x[2]) - 2) <= 1e-15);
    assert_true(x[3] == 7);
    /* the normal of the face: v - x = nu (2, -0.5, within 4) */
    assert_true(fabs((v[0] - x[0]) / 2 - (v[1] - x[1]) / -0.5) <= 1e-14 && x[2] == 0);
    gpis_set_destroy(extended);
    assert_ok(context, gpis_set_l2(context, 2, 3, &ball));
    assert_ok(context, gpis_set_extend(context, ball, &(gpis_extension){.constant = true}, &extended));
    assert_ok(context, gpis_set_project(extended, v, x));
    assert_true(fabs(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 2) <= 1e-15 && x[3] == 7);
    gpis_set_destroy(extended);
    assert_ok(context, gpis_set_extend(context, ball, &(gpis_extension){.scale = scale}, &extended));
    assert_ok(context, gpis_set_project(extended, v, x));
    assert_true(fabs(hypot(hypot(2 * x[0], 0.5 * x[1]), 4 * x[2]) - 2) <= 1e-15);
    /* the normal of an ellipsoid: v - x = nu (4 x_1, x_2 / 4, 16 x_3) */
    const double nu = (v[0] - x[0]) / (4 * x[0]);
    assert_true(fabs((v[1] - x[1]) / (0.25 * x[1]) - nu) <= 1e-13 * nu);
    assert_true(fabs((v[2] - x[2]) / (16 * x[2]) - nu) <= 1e-13 * nu);
    gpis_set_destroy(extended);
    gpis_set_destroy(ball);
    gpis_set_destroy(K);
    test_context_end(context, &memory);
}

/* ---- what is broken ---------------------------------------------------------------------------------------------- */

/* Bounds are met exactly or broken; rows, sums and norms may be off by rounding of their terms. */
static void test_violation(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const struct {
        const char *spec;
        double x[3], off;
        bool broken;
    } cases[] = {
        {"nonneg", {0, 1, 2}, 0, false},
        {"nonneg", {0, 1, -0x1p-60}, 0x1p-60, true},
        {"box:-1,1", {1, 1 + 0x1p-52, 0}, 0x1p-52, true},
        {"sum:3", {1, 1, 1 + 0x1p-50}, 0x1p-50, false},
        {"sum:3", {1e8, -1e8, 3 + 0x1p-30}, 0x1p-30, false}, /* of terms of 1e8 */
        {"sum:3", {1, 1, 1 + 0x1p-40}, 0x1p-40, true},
        {"l1:3", {1, -1, 1 + 0x1p-50}, 0x1p-50, false},
        {"l1:3", {1, -1, 1.01}, 0.01, true},
        {"l2:5", {3, 4, 0}, 0, false},
        {"l2:5", {3, 4.5, 0}, 0.40832691319598, true},
        {"l2:5 & nonneg", {3, 4, -0x1p-40}, 0x1p-40, true},
        {"sum:0@dct", {1, 0, -1}, 1.4142135623731, true}, /* judged by what is said of the DCT of x */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpis_set *set = NULL;
        gpis_violation violation;
        assert_ok(context, test_set(context, cases[i].spec, 3, 1, &set));
        assert_ok(context, gpis_set_violation(set, cases[i].x, &violation));
        if (violation.broken != cases[i].broken || fabs(violation.most - cases[i].off) > 1e-6 * cases[i].off)
            fail_msg("%s: off by %g, %s", cases[i].spec, violation.most, violation.broken ? "broken" : "met");
        gpis_set_destroy(set);
    }
    test_context_end(context, &memory);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static const char *const NAMES[3] = {"tv", "radio", "age"};

/* Bounds, rows with names and a sum of sizes (R = 0: none), all of 3 entries. */
static gpis_status make_named(gpis_context *context, const double *lo, const double *hi, const double *C,
                              const double *lower, const double *upper, const char *const *rows, int count, double R,
                              gpis_set **out) {
    gpis_set *parts[3] = {NULL};
    int64_t used = 1;
    gpis_status status = gpis_set_box(context, lo, hi, 3, &parts[0]);
    if (status == GPIS_OK) status = gpis_set_name_columns(parts[0], NAMES, 3);
    if (status == GPIS_OK && count > 0)
        status = gpis_set_linear(context, C, lower, upper, count, 3, rows, &parts[used++]);
    if (status == GPIS_OK && R > 0) status = gpis_set_l1(context, R, 3, &parts[used++]);
    if (status == GPIS_OK) status = gpis_set_intersection(context, used, parts, out);
    for (int i = 0; i < 3; i++) gpis_set_destroy(parts[i]);
    return status;
}

/* Rows would keep them at 0 up to rounding only. */
static void test_sums_of_zero(void **state) {
    (void)state;
    static const char *const specs[] = {"simplex:0[1,2] & {x3 - x4 <= 1}", "capped-simplex:0[1,2] & {x3 - x4 <= 1}"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < 2; i++) {
        gpis_set *set = NULL;
        const gpis_polyhedron *list;
        assert_ok(context, test_set(context, specs[i], 4, 1, &set));
        assert_ok(context, gpis_polyhedron_of(set, &list));
        for (int j = 0; j < 4; j++) assert_true((list->lo[j] == 0.0 && list->hi[j] == 0.0) == (j < 2));
        assert_int_equal(list->rows, 1);
        gpis_set_destroy(set);
    }
    test_context_end(context, &memory);
}

static void test_messages(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *set = NULL;
    const double zero[3] = {0}, hi[3] = {0.5, 0.3, 9}, C[6] = {1, 1, 0, 1, 0, -1}, one = 1, both[2] = {0.7, 0.4},
                 none[2] = {INFINITY, INFINITY}, five = 5;
    const char *const names[2] = {"tv + radio >= 1", "tv >= age + 0.4"};
    assert_int_equal(make_named(context, zero, hi, C, &one, NULL, names, 1, 0, &set), GPIS_BAD_SET);
    assert_string_equal(gpis_last_error(context),
                        "'tv + radio >= 1' cannot hold: the bounds of tv and radio allow 0.8 at most");
    assert_int_equal(make_named(context, zero, hi, C, &one, NULL, NULL, 1, 0, &set), GPIS_BAD_SET);
    assert_string_equal(gpis_last_error(context),
                        "'tv + radio >= 1' cannot hold: the bounds of tv and radio allow 0.8 at most");
    assert_int_equal(make_named(context, zero, hi, C, both, none, names, 2, 0.6, &set), GPIS_BAD_SET);
    assert_non_null(strstr(gpis_last_error(context), "cannot hold together with"));
    assert_non_null(strstr(gpis_last_error(context), "'l1:0.6'"));
    assert_non_null(strstr(gpis_last_error(context), "'tv + radio >= 1'"));
    /* signs of entries, which a sum of sizes decides, are no constraints; sets that are not polyhedra are named too */
    static const char *const specs[][2] = {
        {"l1:1 & {x2 + x3 >= 1.5}", "'x2 + x3 >= 1.5' cannot hold together with 'l1:1'"},
        {"l2:1 & {x2 + x3 >= 1.5}", "'x2 + x3 >= 1.5' cannot hold together with 'l2:1'"},
        {"l2:1 & box:0.6,[2-4]", "'x2 >= 0.6' cannot hold together with 'x3 >= 0.6', 'x4 >= 0.6', 'l2:1'"},
        {"tv:0.1 & {x1 = 0; x4 = 1}", "'tv:0.1' cannot hold together with 'x1 = 0', 'x4 = 1'"},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        assert_int_equal(test_set(context, specs[i][0], 4, 1, &set), GPIS_BAD_SET);
        assert_string_equal(gpis_last_error(context), specs[i][1]);
    }
    /* one that is always true */
    assert_ok(context,
              make_named(context, zero, hi, C, NULL, &five, (const char *const[]){"tv + radio <= 5"}, 1, 0, &set));
    assert_string_equal(gpis_set_warning(set), "'tv + radio <= 5' always holds: the bounds say more");
    gpis_set_destroy(set);
    /* the tighter of two bounds holds, and a box stays a box */
    gpis_set *parts[2] = {NULL};
    const double wide[3] = {1, 0.2, 3};
    double x[3] = {5, 5, 5};
    assert_ok(context, gpis_set_box(context, zero, hi, 3, &parts[0]));
    assert_ok(context, gpis_set_box(context, NULL, wide, 3, &parts[1]));
    assert_ok(context, gpis_set_intersection(context, 2, parts, &set));
    assert_non_null(set->class->bounds);
    assert_ok(context, gpis_set_project(set, x, x));
    assert_true(x[0] == 0.5 && x[1] == 0.2 && x[2] == 3);
    for (int i = 0; i < 2; i++) gpis_set_destroy(parts[i]);
    gpis_set_destroy(set);
    const double above[3] = {1, 0, 0};
    gpis_set *low = NULL, *high = NULL;
    assert_ok(context, gpis_set_box(context, above, NULL, 3, &low));
    assert_ok(context, gpis_set_box(context, NULL, hi, 3, &high));
    assert_ok(context, gpis_set_name_columns(low, NAMES, 3));
    assert_int_equal(gpis_set_intersection(context, 2, (gpis_set *[]){low, high}, &set), GPIS_BAD_SET);
    assert_string_equal(gpis_last_error(context), "'tv >= 1' cannot hold: tv is at most 0.5");
    gpis_set_destroy(low);
    gpis_set_destroy(high);
    test_context_end(context, &memory);
}

/* What the constructors refuse. */
static void test_bad_arguments(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_set *set = NULL;
    const double negative[2] = {1, -1}, wrong[2] = {1, NAN};
    assert_int_equal(gpis_set_l1_weighted(context, 1, negative, 2, &set), GPIS_BAD_SET);
    assert_string_equal(gpis_last_error(context), "set l1: weight 2 must be finite and >= 0, not -1");
    assert_int_equal(gpis_set_l1_weighted(context, NAN, negative, 2, &set), GPIS_BAD_SET);
    assert_int_equal(gpis_set_l1_weighted(context, 1, NULL, 2, &set), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_set_sum(context, 2, 1, 3, &set), GPIS_BAD_SET);
    assert_string_equal(gpis_last_error(context), "set sum: no number is from 2 to 1; LO must not exceed HI");
    assert_int_equal(gpis_set_linear(context, wrong, NULL, NULL, 1, 2, NULL, &set), GPIS_BAD_DATA);
    assert_int_equal(gpis_set_linear(context, negative, wrong + 1, NULL, 1, 2, NULL, &set), GPIS_BAD_DATA);
    assert_int_equal(gpis_set_linear(context, NULL, NULL, NULL, 1, 2, NULL, &set), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_set_linear(context, negative, NULL, NULL, 0, 2, NULL, &set), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_set_group_by(context, 1, NULL, 2, &set), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_set_intersection(context, 0, NULL, &set), GPIS_BAD_ARGUMENT);
    assert_null(set);
    test_context_end(context, &memory);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static gpis_status make_everything(gpis_context *context, void *user) {
    (void)user;
    static const double C[8] = {1, 1, 0, 0, 0, 1, -1, 0}, lower[2] = {-1, -INFINITY}, upper[2] = {1, 2},
                        weights[4] = {1, 0, 2, 1}, scale[4] = {1, 3, 2, 1}, penalty[4] = {1, 1, 0, 1};
    static const char *const names[4] = {"a", "b", "c", "d"};
    gpis_set *parts[3] = {NULL}, *meet = NULL, *set = NULL, *ball = NULL, *extended = NULL;
    gpis_status status = gpis_set_linear(context, C, lower, upper, 2, 4, (const char *const[]){"r", NULL}, &parts[0]);
    if (status == GPIS_OK) status = gpis_set_l1_weighted(context, 1, weights, 4, &parts[1]);
    if (status == GPIS_OK) status = gpis_set_nonneg(context, 4, &parts[2]);
    if (status == GPIS_OK) status = gpis_set_name_columns(parts[2], names, 4);
    if (status == GPIS_OK) status = gpis_set_intersection(context, 3, parts, &set);
    if (status == GPIS_OK) status = gpis_set_extend(context, set, &(gpis_extension){true, scale, penalty}, &extended);
    gpis_set_destroy(extended);
    if (status == GPIS_OK) status = gpis_set_l2(context, 1, 4, &ball);
    if (status == GPIS_OK) status = gpis_set_intersection(context, 2, (gpis_set *[]){ball, set}, &meet);
    extended = NULL;
    if (status == GPIS_OK) status = gpis_set_extend(context, meet, &(gpis_extension){.constant = true}, &extended);
    gpis_set_destroy(extended);
    gpis_set_destroy(meet);
    gpis_set_destroy(set);
    gpis_set_destroy(ball);
    for (int i = 0; i < 3; i++) gpis_set_destroy(parts[i]);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    test_every_allocation(make_everything, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projection),   cmocka_unit_test(test_underflow), cmocka_unit_test(test_prox),
        cmocka_unit_test(test_support),      cmocka_unit_test(test_extension), cmocka_unit_test(test_violation),
        cmocka_unit_test(test_sums_of_zero), cmocka_unit_test(test_messages),  cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_allocations),  cmocka_unit_test(long_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
