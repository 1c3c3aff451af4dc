/* Linear constraints as text: the rows they mean, what is refused and where, and text that reads back as the same. */
#include "set/linear_read.h"
#include "support.h"

enum { D = 5 };
static const char *const names[D] = {"tv", "radio", "x1", "fixed-acidity", "net sales"};

static const char *name_of(const void *user, int64_t j) {
    (void)user;
    return names[j];
}

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    gpis_lookup named, plain;
    gpis_linear linear;
} fixture;

static int begin(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->context = test_context(&f->memory);
    f->named = (gpis_lookup){f->context, {D, name_of, NULL}, NULL};
    f->plain = (gpis_lookup){f->context, {D, NULL, NULL}, NULL};
    *state = f;
    return 0;
}

static int end(void **state) {
    fixture *f = *state;
    gpis_lookup_clear(&f->named);
    test_context_end(f->context, &f->memory);
    free(f);
    return 0;
}

static gpis_status read_text(gpis_lookup *lookup, const char *text, gpis_linear *out) {
    gpis_spec spec = {lookup->context, text, text, text + strlen(text), "", "constraint"};
    *out = (gpis_linear){.lookup = lookup};
    return gpis_linear_add(out, &spec);
}

/* The factors of row i, for all columns. */
static void spread(const gpis_linear *l, int64_t i, double factors[D]) {
    memset(factors, 0, D * sizeof *factors);
    for (int64_t t = 0; t < l->rows[i].count; t++)
        factors[l->terms[l->rows[i].first + t].column] = l->terms[l->rows[i].first + t].factor;
}

static const double inf = INFINITY;

/* Texts of one row, with the row that they mean. */
static const struct {
    const char *text;
    bool named;
    double factors[D], lower, upper;
} rows[] = {
    {"tv + radio <= 0.5", true, {1, 1}, -INFINITY, 0.5},
    {"  tv+radio<=0.5  ", true, {1, 1}, -INFINITY, 0.5},
    {"0.5 >= radio + tv", true, {-1, -1}, -0.5, INFINITY}, /* left - right */
    {"2 x2 - x1 >= 0", false, {-1, 2}, 0, INFINITY},
    {"2*x2 - x1 >= 0", false, {-1, 2}, 0, INFINITY},
    {"2x2 - x1 >= 0", false, {-1, 2}, 0, INFINITY},
    {"0.1 <= x3 <= 0.4", false, {0, 0, 1}, 0.1, 0.4},
    {"0.4 >= x3 >= 0.1", false, {0, 0, 1}, 0.1, 0.4},
    {"sum(x*) = 1", false, {1, 1, 1, 1, 1}, 1, 1},
    {"sum(x1, x4-5 ) == 1", false, {0}, 0, 0}, /* refused below: x4-5 is no range */
    {"sum(1,4-5) == 1", false, {1, 0, 0, 1, 1}, 1, 1},
    {"x2 >= x1", false, {-1, 1}, 0, INFINITY},
    {"x1 + 1 <= x2 + 3", false, {1, -1}, -INFINITY, 2},
    {"-(x1 - 2 (x2 + 1)) / 4 = 1", false, {-0.25, 0.5}, 0.5, 0.5},
    {"3 - -x1 <= 5", false, {1}, -INFINITY, 2},
    {"x1 * 2 / 8 <= 1", false, {0.25}, -INFINITY, 1},
    {"2 * (3 * (x1 + x2)) - x2 <= 1", false, {6, 5}, -INFINITY, 1},
    {"x1 + x1 - x2 <= 1", false, {2, -1}, -INFINITY, 1},
    {"1e-3x1 <= 1E2", false, {1e-3}, -INFINITY, 100},
    {".5 x1 <= 1.", false, {0.5}, -INFINITY, 1},
    {"2 \"net sales\" - 'fixed-acidity' <= `tv`", true, {-1, 0, 0, -1, 2}, -INFINITY, 0},
    {"[#2] + [tv] <= 1", true, {1, 1}, -INFINITY, 1},
    {"x1 <= 3", true, {0, 0, 1}, -INFINITY, 3}, /* a name, where columns have names */
    {"sum(*) \xE2\x89\xA4 3", true, {1, 1, 1, 1, 1}, -INFINITY, 3},
    {"x1 + x2 \xE2\x89\xA5 3", false, {1, 1}, 3, INFINITY},
    {"x1 - x1 + x2 <= 3", false, {0, 1}, -INFINITY, 3},
};

static void test_rows(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gpis_linear l;
        double factors[D];
        const gpis_status status = read_text(rows[i].named ? &f->named : &f->plain, rows[i].text, &l);
        if (strstr(rows[i].text, "x4-5")) {
            assert_int_equal(status, GPIS_BAD_SET);
            gpis_linear_clear(&l);
            continue;
        }
        if (status != GPIS_OK) fail_msg("'%s': %s", rows[i].text, gpis_last_error(f->context));
        assert_int_equal(l.count, 1);
        spread(&l, 0, factors);
        for (int j = 0; j < D; j++)
            if (factors[j] != rows[i].factors[j]) fail_msg("'%s': factor %d is %g", rows[i].text, j + 1, factors[j]);
        if (l.rows[0].lower != rows[i].lower || l.rows[0].upper != rows[i].upper)
            fail_msg("'%s': from %g to %g", rows[i].text, l.rows[0].lower, l.rows[0].upper);
        gpis_linear_clear(&l);
    }
}

/* A chain is a row for each relation, which is called by its own part of the text. */
static void test_chains(void **state) {
    fixture *f = *state;
    gpis_linear l;
    double factors[D];
    assert_ok(f->context, read_text(&f->plain, " 0 <= x1 <= x2 + 1 <= 2 x3 = 4", &l));
    static const struct {
        const char *text;
        double factors[D], lower, upper;
    } expected[] = {
        {"0 <= x1", {-1}, -INFINITY, 0},
        {"x1 <= x2 + 1", {1, -1}, -INFINITY, 1},
        {"x2 + 1 <= 2 x3", {0, 1, -2}, -INFINITY, -1},
        {"2 x3 = 4", {0, 0, 2}, 4, 4},
    };
    assert_int_equal(l.count, 4);
    for (int64_t i = 0; i < 4; i++) {
        spread(&l, i, factors);
        assert_memory_equal(factors, expected[i].factors, sizeof factors);
        assert_true(l.rows[i].lower == expected[i].lower && l.rows[i].upper == expected[i].upper);
        assert_string_equal(l.rows[i].text, expected[i].text);
    }
    gpis_linear_clear(&l);
}

static const struct {
    const char *text;
    bool named;
    const char *says;
} refused[] = {
    {"", false, "constraint : expected a number or a column, found the end at position 1"},
    {"tv + radio", true, "constraint tv + radio: expected <=, >= or =, found the end at position 11"},
    {"tv + <= 1", true, "expected a number or a column, found '<' at position 6"},
    {"tv radio <= 1", true, "expected +, -, *, /, <=, >= or =, found 'r' at position 4"},
    {"tv + radoi <= 1", true, "there is no column 'radoi' (did you mean 'radio'?) at position 6"},
    {"tv + volume <= 1", true, "there is no column 'volume' at position 6"},
    {"fixed-acidity <= 1", true, "there is no column 'fixed'; put the name \"fixed-acidity\" in quotes at position 1"},
    {"\"net sale\" <= 1", true, "there is no column 'net sale' (did you mean 'net sales'?) at position 1"},
    {"\"net sales <= 1", true, "the quote is not closed at position 1"},
    {"x2 <= 1", true, "there is no column 'x2'"},
    {"tv <= 1", false, "there is no column 'tv': the columns have no names, and are x1 to x5 at position 1"},
    {"x6 <= 1", false, "there is no column 'x6'"},
    {"x1 < 1", false, "'<' leaves out the boundary, where the best x may be: write <= at position 4"},
    {"x1 > 1", false, "write >= at position 4"},
    {"x1 * x2 <= 1", false, "a product of two columns is not linear at position 4"},
    {"x1 / x2 <= 1", false, "a division by a column is not linear at position 4"},
    {"x1 / 0 <= 1", false, "a division by 0 at position 4"},
    {"x1 / (2 - 2) <= 1", false, "a division by 0 at position 4"},
    {"(x1 <= 1", false, "expected ')', found '<' at position 5"},
    {"x1) <= 1", false, "expected +, -, *, /, <=, >= or =, found ')' at position 3"},
    {"x1 <= 1 2", false, "found '2' at position 9"},
    {"1 <= 2", false, "the constraint names no column at position 1"},
    {"x1 - x1 >= 1", false, "the constraint is false for every x at position 1"},
    {"0.5 <= x1 <= 0.1", false, "the constraint is false for every x at position 1"},
    {"0 <= x1 >= -1", false, "the relations of one constraint point in both directions at position 9"},
    {"sum(zip*) = 1", false, "no column matches 'zip*' at position 5"},
    {"sum() = 1", false, "expected a column, found ')' at position 5"},
    {"sum(x1 = 1", false, "there is no column 'x1 = 1'"},
    {"[x*] <= 1", false, "expected one column, found 5: write sum(...) for their sum at position 2"},
    {"1e999 x1 <= 1", false, "the number is too large at position 1"},
    {"1e300 * 1e300 x1 <= 1", false, "too large at position 1"},
    {"x1 <= 1e300 * 1e300", false, "a number is too large at position 7"},
    {"|x1| <= 1", false, "expected a number or a column, found '|' at position 1"},
};

static void test_refused(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        gpis_linear l;
        const gpis_status status = read_text(refused[i].named ? &f->named : &f->plain, refused[i].text, &l);
        if (status != GPIS_BAD_SET || !strstr(gpis_last_error(f->context), refused[i].says))
            fail_msg("'%s': '%s'; expected '%s'", refused[i].text, gpis_last_error(f->context), refused[i].says);
        gpis_linear_clear(&l);
    }
    char deep[400];
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    gpis_linear l;
    assert_int_equal(read_text(&f->plain, deep, &l), GPIS_BAD_SET);
    assert_non_null(strstr(gpis_last_error(f->context), "more than 64 parentheses within each other"));
    gpis_linear_clear(&l);
}

static void test_always_true(void **state) {
    fixture *f = *state;
    gpis_linear l;
    assert_ok(f->context, read_text(&f->plain, "x1 - x1 <= 3 ", &l));
    assert_int_equal(l.count, 0);
    assert_string_equal(l.always_true, "x1 - x1 <= 3");
    gpis_linear_clear(&l);
}

/* ---- random expressions ------------------------------------------------------------------------------------------ */

/* Text that is built together with its value: small integers and quarters, so that all of it is exact. */
typedef struct built {
    char text[2000];
    double number, factors[D];
} built;

typedef struct dice {
    uint64_t seed, rolled;
} dice;
static int roll(dice *d, int sides) {
    double u;
    gpis_random_uniform(d->seed, 3, d->rolled++, 1, &u);
    return (int)(u * sides);
}

static void blank(dice *d, built *b) {
    if (roll(d, 3) == 0) strcat(b->text, " ");
}

static void scale_built(built *b, double by) {
    b->number *= by;
    for (int j = 0; j < D; j++) b->factors[j] *= by;
}

static void build_sum(dice *d, int depth, built *out);

static void build_factor(dice *d, int depth, built *out) {
    const int kind = roll(d, depth > 0 ? 4 : 3), column = roll(d, D), digit = 1 + roll(d, 7);
    *out = (built){0};
    if (kind == 0) {
        sprintf(out->text, "%d", digit);
        out->number = digit;
    } else if (kind == 1) {
        sprintf(out->text, "x%d", column + 1);
        out->factors[column] = 1;
    } else if (kind == 2) {
        sprintf(out->text, "%d%sx%d", digit, roll(d, 2) ? " " : "*", column + 1);
        out->factors[column] = digit;
    } else {
        built inside;
        build_sum(d, depth - 1, &inside);
        const bool divided = roll(d, 2) == 0, minus = roll(d, 3) == 0;
        snprintf(out->text, sizeof out->text, "%s(%.1900s)%s", minus ? "-" : "", inside.text, divided ? "/4" : "*3");
        out->number = inside.number;
        memcpy(out->factors, inside.factors, sizeof out->factors);
        scale_built(out, (divided ? 0.25 : 3) * (minus ? -1 : 1));
    }
}

static void build_sum(dice *d, int depth, built *out) {
    *out = (built){0};
    for (int i = 0, terms = 1 + roll(d, 3); i < terms; i++) {
        built next;
        build_factor(d, depth, &next);
        const bool minus = i > 0 && roll(d, 2) == 0;
        blank(d, out);
        if (i > 0) strcat(out->text, minus ? "-" : "+");
        blank(d, out);
        strncat(out->text, next.text, sizeof out->text - strlen(out->text) - 4);
        out->number += minus ? -next.number : next.number;
        for (int j = 0; j < D; j++) out->factors[j] += minus ? -next.factors[j] : next.factors[j];
    }
}

static void assert_same_rows(const gpis_linear *a, const gpis_linear *b) {
    assert_int_equal(a->count, b->count);
    for (int64_t i = 0; i < a->count; i++) {
        double p[D], q[D];
        spread(a, i, p);
        spread(b, i, q);
        assert_memory_equal(p, q, sizeof p);
        assert_true(a->rows[i].lower == b->rows[i].lower && a->rows[i].upper == b->rows[i].upper);
    }
}

static void test_random(void **state) {
    fixture *f = *state;
    int kept = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        static const char *const relations[] = {"<=", ">=", "="};
        dice d = {seed, 0};
        built left, right;
        char text[4096];
        build_sum(&d, 3, &left);
        build_sum(&d, 2, &right);
        if (strlen(left.text) > 1800 || strlen(right.text) > 1800) continue;
        const int relation = roll(&d, 3);
        snprintf(text, sizeof text, "%s%s%s", left.text, relations[relation], right.text);
        double factors[D], number = right.number - left.number;
        int columns = 0;
        for (int j = 0; j < D; j++) columns += (left.factors[j] -= right.factors[j]) != 0;
        gpis_linear l, again;
        const gpis_status status = read_text(&f->plain, text, &l);
        if (columns == 0) { /* no column, always true or never */
            assert_true(status == GPIS_BAD_SET || (status == GPIS_OK && l.count == 0 && l.always_true));
            gpis_linear_clear(&l);
            continue;
        }
        if (status != GPIS_OK) fail_msg("'%s': %s", text, gpis_last_error(f->context));
        spread(&l, 0, factors);
        for (int j = 0; j < D; j++)
            if (factors[j] != left.factors[j])
                fail_msg("'%s': %g x%d, not %g", text, factors[j], j + 1, left.factors[j]);
        assert_true(l.rows[0].lower == (relation == 0 ? -inf : number));
        assert_true(l.rows[0].upper == (relation == 1 ? inf : number));
        char *canonical = gpis_linear_text(&l);
        assert_ok(f->context, read_text(&f->plain, canonical, &again));
        assert_same_rows(&l, &again);
        gpis_free(f->context, canonical);
        gpis_linear_clear(&again);
        gpis_linear_clear(&l);
        kept++;
    }
    assert_true(kept > 1500);
}

/* Canonical text with names, and with names that need quotes or numbers. */
static void test_text(void **state) {
    fixture *f = *state;
    gpis_linear l;
    assert_ok(f->context, read_text(&f->named, "0.10 <= 2*'net sales' -tv - 'fixed-acidity'<= 4e-1", &l));
    char *text = gpis_linear_text(&l);
    assert_string_equal(text, "0.1 <= -tv - \"fixed-acidity\" + 2 \"net sales\" <= 0.4");
    gpis_free(f->context, text);
    gpis_linear_clear(&l);
}

static gpis_status read_and_free(gpis_context *context, void *text) {
    gpis_lookup lookup = {context, {D, name_of, NULL}, NULL};
    gpis_linear l;
    gpis_status status = read_text(&lookup, text, &l);
    if (status == GPIS_OK) {
        char *canonical = gpis_linear_text(&l);
        if (!canonical) status = GPIS_NO_MEMORY;
        gpis_free(context, canonical);
    }
    gpis_linear_clear(&l);
    gpis_lookup_clear(&lookup);
    return status;
}

static void test_failing_allocations(void **state) {
    (void)state;
    char texts[][80] = {"0 <= 2 (tv + 'net sales') - sum(*) <= 3", "tv <= radio <= x1", "tv - tv <= 1"};
    for (int i = 0; i < 3; i++) assert_true(test_every_allocation(read_and_free, texts[i]) >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows, begin, end),
        cmocka_unit_test_setup_teardown(test_chains, begin, end),
        cmocka_unit_test_setup_teardown(test_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_always_true, begin, end),
        cmocka_unit_test_setup_teardown(test_random, begin, end),
        cmocka_unit_test_setup_teardown(test_text, begin, end),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
