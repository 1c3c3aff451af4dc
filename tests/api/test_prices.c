/* Shadow prices of every kind of set against differences of the least objective, and the texts of the constraints. */
#include "calls.h"
#include "set/world.h"

enum { N = 40, D = 6, MOST = 12 };
static const double STEP = 1e-4;

/* The terms of the problems that follow. */
static bool with_penalty, with_standardized;

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    double A[N * D], Y[N * 2];
    gpis_source *source;
    bool penalty, standardized; /* terms of the problem */
} fixture;

static void begin(fixture *f, uint64_t seed) {
    *f = (fixture){.penalty = with_penalty, .standardized = with_standardized};
    f->context = test_context(&f->memory);
    fill_normal(f->A, N * D, seed, 1);
    fill_normal(f->Y, N * 2, seed + 1, 2);
    assert_ok(f->context, gpis_source_dense(f->context, f->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &f->source));
}

static void end(fixture *f) {
    gpis_source_destroy(f->source);
    test_context_end(f->context, &f->memory);
}

static gpis_result *solve(fixture *f, gpis_set *set, int64_t k) {
    gpis_settings settings = gpis_settings_default();
    gpis_result *r = NULL;
    gpis_problem *problem = NULL;
    settings.tol = 1e-12;
    assert_ok(f->context, gpis_problem_create(f->context, f->source, &problem));
    assert_ok(f->context, gpis_problem_response(problem, f->Y, N, k));
    if (f->penalty) assert_ok(f->context, gpis_problem_penalty(problem, 2.0, NULL, D));
    if (f->standardized) assert_ok(f->context, gpis_problem_intercept(problem, 1));
    if (f->standardized) assert_ok(f->context, gpis_problem_standardize(problem, 1));
    assert_ok(f->context, gpis_problem_constrain(problem, set));
    assert_ok(f->context, gpis_solve(problem, &settings, &r));
    gpis_problem_destroy(problem);
    return r;
}

/* A set whose right sides are all numbers of one array: constraint i is loosened by changing b[i]. */
typedef gpis_set *(*make_fn)(fixture *f, const double *b);

static double least(fixture *f, make_fn make, const double *b, int64_t k) {
    gpis_set *set = make(f, b);
    gpis_result *r = solve(f, set, k);
    const double objective = r->objective;
    gpis_result_destroy(r);
    gpis_set_destroy(set);
    return objective;
}

/* The fall of the least objective for each unit of b[i]. */
static double slope(fixture *f, make_fn make, const double *b, int count, int i, int64_t k) {
    double moved[MOST];
    memcpy(moved, b, (size_t)count * sizeof *b);
    moved[i] = b[i] - STEP;
    const double below = least(f, make, moved, k);
    moved[i] = b[i] + STEP;
    return (below - least(f, make, moved, k)) / (2 * STEP);
}

/* Each constraint that has a text, with the price that differences give; `texts` has one for each b[i]. */
static void check(uint64_t seed, make_fn make, const double *b, const char *const *texts, int count, int64_t k) {
    fixture f;
    begin(&f, seed);
    gpis_set *set = make(&f, b);
    gpis_result *r = solve(&f, set, k);
    int found = 0;
    assert_true(r->violation <= 1e-12);
    for (int i = 0; i < count; i++) {
        const double expected = slope(&f, make, b, count, i, k);
        double price = 0;
        for (int64_t a = 0; a < r->active_count; a++)
            if (strcmp(r->active[a]->text, texts[i]) == 0) price += r->active[a]->multiplier, found++;
        const double sign = strstr(texts[i], ">=") ? -1 : 1; /* a lower limit is loosened downwards */
        if (!(fabs(sign * price - expected) <= 1e-5 * (1 + fabs(expected))))
            fail_msg("%s: %s has the price %g, not %g", gpis_set_spec(set), texts[i], sign * price, expected);
    }
    if (found == 0 || found != r->active_count)
        fail_msg("%s: %d of %d constraints are known", gpis_set_spec(set), found, (int)r->active_count);
    gpis_result_destroy(r);
    gpis_set_destroy(set);
    end(&f);
}

/* ---- one number ------------------------------------------------------------------------------------------------- */

static const char *kind_of;

static gpis_set *make_spec(fixture *f, const double *b) {
    char spec[64];
    gpis_set *set = NULL;
    snprintf(spec, sizeof spec, kind_of, b[0]);
    assert_ok(f->context, test_set(f->context, spec, D, strstr(spec, "nuclear") ? 2 : 1, &set));
    return set;
}

static void test_radii(void **state) {
    (void)state;
    static const char *const kinds[] = {"l1:%.17g", "l2:%.17g",      "simplex:%.17g", "capped-simplex:%.17g",
                                        "tv:%.17g", "group:%.17g:2", "nuclear:%.17g"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[64];
        const double R = 0.25;
        const char *const texts[] = {text};
        kind_of = kinds[i];
        snprintf(text, sizeof text, kinds[i], R);
        if (strstr(text, "simplex")) continue; /* their bounds have prices too: test_simplex */
        check(3, make_spec, &R, texts, 1, strstr(text, "nuclear") ? 2 : 1);
    }
}

/* In other coordinates, in which entries are 0 up to rounding alone, and with terms: the price is that of the set and
 * not of the penalty, for a unit of R as the set has it. */
static void test_terms(void **state) {
    (void)state;
    static const char *const kinds[] = {"l1:%.17g",     "l2:%.17g",     "tv:%.17g",          "group:%.17g:2",
                                        "l1:%.17g@dct", "l2:%.17g@dct", "group:%.17g:2@dct", "nuclear:%.17g"};
    for (int terms = 0; terms < 4; terms++) {
        with_penalty = (terms & 1) != 0;
        with_standardized = (terms & 2) != 0;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            char text[64];
            const double R = 0.25;
            kind_of = kinds[i];
            snprintf(text, sizeof text, kinds[i], R);
            text[strcspn(text, "@")] = '\0';
            check(4, make_spec, &R, (const char *const[]){text}, 1, strstr(text, "nuclear") ? 2 : 1);
        }
    }
    with_penalty = with_standardized = false;
}

static gpis_set *make_groups(fixture *f, const double *b) {
    static const int64_t group[D] = {4, 1, 4, 9, 1, 1};
    gpis_set *set = NULL;
    assert_ok(f->context, gpis_set_group_by(f->context, b[0], group, D, &set));
    return set;
}

static gpis_set *make_weighted(fixture *f, const double *b) {
    static const double weights[D] = {1, 2, 0, 1, 0.5, 3};
    gpis_set *set = NULL;
    assert_ok(f->context, gpis_set_l1_weighted(f->context, b[0], weights, D, &set));
    return set;
}

static gpis_set *make_sum(fixture *f, const double *b) {
    gpis_set *set = NULL;
    assert_ok(f->context, gpis_set_sum(f->context, b[0], b[0], D, &set));
    return set;
}

static void test_others(void **state) {
    (void)state;
    const double R = 0.25, sum = 3;
    fixture f;
    begin(&f, 3);
    gpis_set *groups = make_groups(&f, &R), *weighted = make_weighted(&f, &R);
    char group_text[64], weighted_text[64];
    snprintf(group_text, sizeof group_text, "%s", gpis_set_spec(groups));
    snprintf(weighted_text, sizeof weighted_text, "%s", gpis_set_spec(weighted));
    gpis_set_destroy(groups);
    gpis_set_destroy(weighted);
    end(&f);
    check(3, make_groups, &R, (const char *const[]){group_text}, 1, 1);
    check(3, make_weighted, &R, (const char *const[]){weighted_text}, 1, 1);
    check(3, make_sum, &sum, (const char *const[]){"sum:3"}, 1, 1);
}

/* ---- many ------------------------------------------------------------------------------------------------------- */

static const char *const COLUMNS[D] = {"tv", "radio", "age", "x4", "price", "web"};

static gpis_set *make_bounds(fixture *f, const double *b) {
    gpis_set *set = NULL;
    assert_ok(f->context, gpis_set_box(f->context, b, b + D, D, &set));
    assert_ok(f->context, gpis_set_name_columns(set, COLUMNS, D));
    return set;
}

static void test_bounds(void **state) {
    (void)state;
    static const double b[2 * D] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.12, 0.12, 0.12, 0.12, 0.12, 0.12};
    static const char *const texts[2 * D] = {"tv >= 0.1",    "radio >= 0.1", "age >= 0.1",    "x4 >= 0.1",
                                             "price >= 0.1", "web >= 0.1",   "tv <= 0.12",    "radio <= 0.12",
                                             "age <= 0.12",  "x4 <= 0.12",   "price <= 0.12", "web <= 0.12"};
    check(5, make_bounds, b, texts, 2 * D, 1);
    with_penalty = true;
    check(5, make_bounds, b, texts, 2 * D, 1);
    with_penalty = false;
}

/* Where x_j = 0 lies between the two slopes of the penalty, no bound holds it; and a bound at 0 that is loosened is
 * worth what the penalty leaves of it. */
static void test_bound_at_kink(void **state) {
    (void)state;
    fixture f;
    gpis_set *set = NULL;
    with_penalty = true;
    begin(&f, 5);
    with_penalty = false;
    assert_ok(f.context, gpis_set_nonneg(f.context, D, &set));
    gpis_result *r = solve(&f, set, 1);
    for (int64_t j = 0; j < D; j++) {
        double slope = 0, price = 0;
        for (int i = 0; i < N; i++) {
            double residual = f.Y[i];
            for (int c = 0; c < D; c++) residual -= f.A[i * D + c] * r->x[c];
            slope += 2 * f.A[i * D + j] * residual;
        }
        for (int64_t a = 0; a < r->active_count; a++)
            if (r->active[a]->column == j) price = r->active[a]->multiplier;
        assert_true(fabs(price - (r->x[j] > 0 ? 0 : fmax(0, -slope - 2))) <= 1e-6);
    }
    assert_true(r->active_count > 0);
    gpis_result_destroy(r);
    gpis_set_destroy(set);
    end(&f);
}

/* simplex:R with a penalty on some entries: a price of the sum, and of the bounds at 0. */
static void test_penalised_simplex(void **state) {
    (void)state;
    with_penalty = true;
    fixture f;
    const double R = 0.25;
    kind_of = "simplex:%.17g";
    begin(&f, 5);
    gpis_set *set = make_spec(&f, &R);
    gpis_result *r = solve(&f, set, 1);
    const double expected = slope(&f, make_spec, &R, 1, 0, 1);
    double price = 0;
    for (int64_t a = 0; a < r->active_count; a++)
        if (r->active[a]->column < 0) price = r->active[a]->multiplier;
    assert_true(fabs(price - expected) <= 1e-5 * (1 + fabs(expected)));
    gpis_result_destroy(r);
    gpis_set_destroy(set);
    end(&f);
    with_penalty = false;
}

/* sum = b0, rows between limits, and the sizes within a limit, all together. */
static gpis_set *make_together(fixture *f, const double *b) {
    static const double C[3 * D] = {1, 1, 1, 1, 1, 1, 1, -1, 0, 0, 0, 0, 0, 0, 1, 2, 0, -1};
    static const char *const names[3] = {"all = 1", "tv - radio >= -0.1", "age + 2 x4 - web <= 0"};
    const double lower[3] = {b[0], b[1], -INFINITY}, upper[3] = {b[0], INFINITY, b[2]};
    double ones[D] = {1, 1, 1, 1, 1, 2};
    gpis_set *parts[2] = {NULL, NULL}, *set = NULL;
    assert_ok(f->context, gpis_set_linear(f->context, C, lower, upper, 3, D, names, &parts[0]));
    assert_ok(f->context, gpis_set_l1_weighted(f->context, b[3], ones, D, &parts[1]));
    assert_ok(f->context, gpis_set_intersection(f->context, 2, parts, &set));
    gpis_set_destroy(parts[0]);
    gpis_set_destroy(parts[1]);
    return set;
}

static void test_together(void **state) {
    (void)state;
    static const double b[4] = {1, -0.1, 0, 1.3};
    for (uint64_t seed = 3; seed < 9; seed++) {
        fixture f;
        char sizes[64];
        begin(&f, seed);
        gpis_set *set = make_together(&f, b);
        gpis_result *r = solve(&f, set, 1);
        snprintf(sizes, sizeof sizes, "none");
        for (int64_t i = 0; i < r->active_count; i++)
            if (strncmp(r->active[i]->text, "l1:", 3) == 0) snprintf(sizes, sizeof sizes, "%s", r->active[i]->text);
        gpis_result_destroy(r);
        gpis_set_destroy(set);
        end(&f);
        check(seed, make_together, b,
              (const char *const[]){"all = 1", "tv - radio >= -0.1", "age + 2 x4 - web <= 0", sizes}, 4, 1);
    }
}

static gpis_set *make_plane(fixture *f, const double *b) {
    static const double C[2 * D] = {1, 2, 0, 0, 0, 0, 0, 0, 1, -1, 1, 0};
    gpis_set *set = NULL;
    assert_ok(f->context, gpis_set_affine(f->context, C, b, 2, D, &set));
    assert_ok(f->context, gpis_set_name_columns(set, COLUMNS, D));
    return set;
}

static void test_plane(void **state) {
    (void)state;
    static const double b[2] = {1, -2};
    check(3, make_plane, b, (const char *const[]){"tv + 2 radio = 1", "age - x4 + price = -2"}, 2, 1);
}

/* x_i - x_(i+1) <= b_i as rows has the prices of monotone, whose limits are 0. */
static const char *first_of, *second_of;

static gpis_set *make_meeting(fixture *f, const double *b) {
    char spec[160], part[2][64];
    gpis_set *set = NULL;
    snprintf(part[0], sizeof part[0], first_of, b[0]);
    snprintf(part[1], sizeof part[1], second_of, b[1]);
    snprintf(spec, sizeof spec, "%s & %s", part[0], part[1]);
    assert_ok(f->context, test_set(f->context, spec, D, 1, &set));
    return set;
}

/* Curved sets that meet others: entries are 0, or equal to each other, up to rounding alone, and each set is named by
 * its own text. */
static void test_meeting(void **state) {
    (void)state;
    static const struct {
        const char *first, *second;
        double b[2];
    } cases[] = {{"l1:%.17g", "l2:%.17g", {0.359375, 0.21875}},
                 {"tv:%.17g", "l2:%.17g", {0.25, 0.1875}},
                 {"tv:%.17g", "l1:%.17g", {0.3125, 0.4375}},
                 {"sum:%.17g", "l2:%.17g", {0.1875, 0.1875}},
                 {"l1:%.17g", "l2:%.17g", {0.375, 0.234375}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 1; seed < 6; seed++) {
            char texts[2][64];
            first_of = cases[i].first, second_of = cases[i].second;
            snprintf(texts[0], sizeof texts[0], first_of, cases[i].b[0]);
            snprintf(texts[1], sizeof texts[1], second_of, cases[i].b[1]);
            check(seed, make_meeting, cases[i].b, (const char *const[]){texts[0], texts[1]}, 2, 1);
        }
}

/* A set of bounds and a sum is one of the simple kinds; its sum is named by its own text. */
static void test_sum_of_simple_set(void **state) {
    (void)state;
    static const char *const specs[] = {"nonneg & sum:0.5", "sum:0.5 & nonneg", "l1:0.5 & box:-9,9",
                                        "nonneg & simplex:0.5"};
    static const char *const sums[] = {"sum:0.5", "sum:0.5", "l1:0.5", "simplex:0.5"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fixture f;
        gpis_set *set;
        int found = 0;
        begin(&f, 2);
        assert_ok(f.context, test_set(f.context, specs[i], D, 1, &set));
        gpis_result *r = solve(&f, set, 1);
        for (int64_t a = 0; a < r->active_count; a++)
            if (r->active[a]->column < 0) found += strcmp(r->active[a]->text, sums[i]) == 0 ? 1 : 100;
        if (found != 1) fail_msg("%s: the sum is not called %s", specs[i], sums[i]);
        gpis_result_destroy(r);
        gpis_set_destroy(set);
        end(&f);
    }
}

static void test_monotone(void **state) {
    (void)state;
    fixture f;
    gpis_set *set = NULL, *rows = NULL;
    double C[(D - 1) * D] = {0}, zero[D] = {0};
    begin(&f, 3);
    for (int i = 0; i + 1 < D; i++) C[i * D + i] = 1, C[i * D + i + 1] = -1;
    assert_ok(f.context, gpis_set_monotone(f.context, D, &set));
    assert_ok(f.context, gpis_set_linear(f.context, C, NULL, zero, D - 1, D, NULL, &rows));
    gpis_result *a = solve(&f, set, 1), *b = solve(&f, rows, 1);
    assert_true(a->active_count > 0 && a->active_count == b->active_count);
    for (int64_t i = 0; i < a->active_count; i++)
        assert_true(fabs(a->active[i]->multiplier - b->active[i]->multiplier) <= 1e-7 * b->active[i]->multiplier);
    assert_string_equal(a->active[0]->text, "x1 <= x2");
    assert_string_equal(b->active[0]->text, "x1 - x2 <= 0");
    gpis_result_destroy(a);
    gpis_result_destroy(b);
    gpis_set_destroy(set);
    gpis_set_destroy(rows);
    end(&f);
}

/* What a set keeps for its prices does not depend on the problem: asked again with other rows, and with a penalty in
 * between, it tells what a new set tells. */
static void test_again(void **state) {
    (void)state;
    static const char *const kinds[] = {"l1:0.4", "simplex:0.7", "capped-simplex:0.7", "box:-0.1,0.1"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        fixture f;
        gpis_set *kept, *fresh;
        begin(&f, 10 + i);
        assert_ok(f.context, test_set(f.context, kinds[i], D, 1, &kept));
        gpis_result_destroy(solve(&f, kept, 1));
        f.penalty = true;
        gpis_result_destroy(solve(&f, kept, 1));
        f.penalty = false;
        fill_normal(f.A, N * D, 20 + i, 1);
        assert_ok(f.context, test_set(f.context, kinds[i], D, 1, &fresh));
        gpis_result *again = solve(&f, kept, 1), *first = solve(&f, fresh, 1);
        assert_true(first->active_count > 0);
        assert_int_equal(again->active_count, first->active_count);
        for (int64_t a = 0; a < first->active_count; a++) {
            assert_string_equal(again->active[a]->text, first->active[a]->text);
            assert_close(again->active[a]->multiplier, first->active[a]->multiplier,
                         1e-10 * first->active[a]->multiplier);
        }
        gpis_result_destroy(again);
        gpis_result_destroy(first);
        gpis_set_destroy(kept);
        gpis_set_destroy(fresh);
        end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radii),         cmocka_unit_test(test_again),
        cmocka_unit_test(test_others),        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_together),      cmocka_unit_test(test_plane),
        cmocka_unit_test(test_meeting),       cmocka_unit_test(test_sum_of_simple_set),
        cmocka_unit_test(test_monotone),      cmocka_unit_test(test_terms),
        cmocka_unit_test(test_bound_at_kink), cmocka_unit_test(test_penalised_simplex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
