/* Lists of columns: names, numbers, ranges and patterns; what is refused and where; text that reads back. */
#include "set/columns.h"
#include "support.h"

enum { D = 9 };
static const char *const names[D] = {"age",        "price_a",      "price_b", "a,b]", "5",
                                     "say \"hi\"", "driver's age", " x ",     "age"};

static const char *name_of(const void *user, int64_t j) {
    (void)user;
    return names[j];
}

typedef struct fixture {
    test_memory memory;
    gpis_context *context;
    gpis_lookup lookup;
} fixture;

static int begin(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->context = test_context(&f->memory);
    f->lookup = (gpis_lookup){f->context, {D, name_of, NULL}, NULL};
    *state = f;
    return 0;
}

static int end(void **state) {
    fixture *f = *state;
    gpis_lookup_clear(&f->lookup);
    test_context_end(f->context, &f->memory);
    free(f);
    return 0;
}

static gpis_status select_columns(gpis_lookup *lookup, const char *text, gpis_selection *out) {
    gpis_spec spec = {lookup->context, text, text, text + strlen(text), "", "list"};
    gpis_status status = gpis_select_columns(lookup, &spec, ']', out);
    if (status == GPIS_OK) status = gpis_spec_end(&spec);
    return status;
}

/* `expected` holds the columns from 1, and 0 at its end. */
static void assert_selects(gpis_lookup *lookup, const char *text, const int *expected) {
    gpis_selection got = {0};
    assert_ok(lookup->context, select_columns(lookup, text, &got));
    int64_t count = 0;
    while (expected[count] > 0) count++;
    assert_int_equal(got.count, count);
    for (int64_t i = 0; i < count; i++) assert_int_equal(got.columns[i], expected[i] - 1);
    gpis_free(lookup->context, got.columns);
}
#define SELECTS(lookup, text, ...) assert_selects(lookup, text, (const int[]){__VA_ARGS__, 0})

static void test_lists(void **state) {
    fixture *f = *state;
    SELECTS(&f->lookup, "price_a]", 2);
    SELECTS(&f->lookup, " price_b , price_a ]", 3, 2);
    SELECTS(&f->lookup, "price*]", 2, 3);
    SELECTS(&f->lookup, "price_b,price*]", 3, 2); /* a pattern adds what is not listed yet */
    SELECTS(&f->lookup, "*]", 1, 2, 3, 4, 5, 6, 7, 8, 9);
    SELECTS(&f->lookup, "*_*]", 2, 3);
    SELECTS(&f->lookup, "*a*b*]", 4);
    SELECTS(&f->lookup, "2]", 2);
    SELECTS(&f->lookup, "2-4]", 2, 3, 4);
    SELECTS(&f->lookup, "4-2,1]", 4, 3, 2, 1);
    SELECTS(&f->lookup, "#9]", 9);
    SELECTS(&f->lookup, "5]", 5); /* the name and the number are those of one column */
    SELECTS(&f->lookup, "\"a,b]\"]", 4);
    SELECTS(&f->lookup, "'a,b]',2]", 4, 2);
    SELECTS(&f->lookup, "`a,b]`]", 4);
    SELECTS(&f->lookup, "\"say \"\"hi\"\"\"]", 6);
    SELECTS(&f->lookup, "'say \"hi\"']", 6);
    SELECTS(&f->lookup, "driver's age]", 7);
    SELECTS(&f->lookup, "\" x \"]", 8);
    SELECTS(&f->lookup, "\"a,\"*]", 4);            /* stars outside quotes, the rest inside */
    SELECTS(&f->lookup, "price_a:5]", 2, 3, 4, 5); /* from one name to another, either way */
    SELECTS(&f->lookup, "5:price_a,\" x \"]", 5, 4, 3, 2, 8);
    SELECTS(&f->lookup, "'a,b]':driver's age]", 4, 5, 6, 7);
}

static void test_no_names(void **state) {
    fixture *f = *state;
    gpis_lookup plain = {f->context, {12, NULL, NULL}, NULL};
    SELECTS(&plain, "x3]", 3);
    SELECTS(&plain, "x12,3]", 12, 3);
    SELECTS(&plain, "x1*]", 1, 10, 11, 12);
    SELECTS(&plain, "3-5]", 3, 4, 5);
    SELECTS(&plain, "x3:x5]", 3, 4, 5);
    gpis_selection none = {0};
    assert_int_equal(select_columns(&plain, "x13]", &none), GPIS_BAD_SET);
    assert_int_equal(select_columns(&plain, "x0]", &none), GPIS_BAD_SET);
    assert_int_equal(select_columns(&plain, "x01]", &none), GPIS_BAD_SET);
    assert_int_equal(select_columns(&plain, "age]", &none), GPIS_BAD_SET);
    assert_non_null(strstr(gpis_last_error(f->context), "the columns have no names, and are x1 to x12"));
}

static const struct {
    const char *text, *says;
} refused[] = {
    {"", "expected a column, found the end at position 1"},
    {"]", "expected a column, found ']' at position 1"},
    {"price_a:price_c]", "there is no column 'price_a:price_c'"},
    {"age:price_a]", "there is no column 'age:price_a'"}, /* two columns are called age */
    {"price_a,]", "expected a column, found ']' at position 9"},
    {"price_a,,2]", "expected a column, found ',' at position 9"},
    {"price_a", "expected ']', found the end at position 8"},
    {"price_c]", "there is no column 'price_c' (did you mean 'price_a'?) at position 1"},
    {"2, pirce_b]", "there is no column 'pirce_b' (did you mean 'price_b'?) at position 4"},
    {"PRICE_A]", "(did you mean 'price_a'?)"},
    {"volume]", "there is no column 'volume' at position 1"},
    {"zip*]", "no column matches 'zip*' at position 1"},
    {"2,zip*,3]", "no column matches 'zip*' at position 3"},
    {"10]", "there is no column 10; columns are 1 to 9 at position 1"},
    {"0]", "there is no column 0; columns are 1 to 9"},
    {"3-12]", "there is no column 12"},
    {"99999999999999999999]", "there is no column '99999999999999999999'"},
    {"age]", "2 columns are called 'age': say #1 for the first of them at position 1"},
    {"2,price_a]", "column 'price_a' is listed twice at position 3"},
    {"2-3,3]", "column 'price_b' is listed twice at position 5"},
    {"\"price_a]", "the quote is not closed at position 1"},
    {"\"2\"]", "there is no column '2'"}, /* in quotes it is a name */
};

static void test_refused(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        gpis_selection none = {0};
        const gpis_status status = select_columns(&f->lookup, refused[i].text, &none);
        if (status != GPIS_BAD_SET || none.columns || !strstr(gpis_last_error(f->context), refused[i].says))
            fail_msg("'%s': '%s'; expected '%s'", refused[i].text, gpis_last_error(f->context), refused[i].says);
    }
}

/* A name that is the number of another column is neither, unless the text says which. */
static const char *shifted(const void *user, int64_t j) {
    static const char *const texts[] = {"0", "1", "2", "2-3", "2015", "2010-2014", "2016", "2016"};
    (void)user;
    return texts[j];
}

static void test_names_that_are_numbers(void **state) {
    fixture *f = *state;
    gpis_lookup lookup = {f->context, {8, shifted, NULL}, NULL};
    gpis_selection none = {0};
    assert_int_equal(select_columns(&lookup, "2]", &none), GPIS_BAD_SET);
    assert_non_null(strstr(gpis_last_error(f->context),
                           "'2' is the name of column 3 and the number of another: put the "
                           "name in quotes, or say #2 for the number"));
    assert_int_equal(select_columns(&lookup, "2-3]", &none), GPIS_BAD_SET);
    SELECTS(&lookup, "\"2\"]", 3);
    SELECTS(&lookup, "#2]", 2);
    SELECTS(&lookup, "#2-3]", 2, 3);
    SELECTS(&lookup, "4]", 4);
    SELECTS(&lookup, "0]", 1); /* no column has the number 0, or 2015 */
    SELECTS(&lookup, "2015,2010-2014]", 5, 6);
    assert_int_equal(select_columns(&lookup, "2016]", &none), GPIS_BAD_SET);
    assert_non_null(strstr(gpis_last_error(f->context), "2 columns are called '2016': say #7 for the first of them"));
    static const int64_t columns[] = {1, 2, 0, 3};
    char *text = gpis_columns_text(f->context, &lookup, columns, 4);
    assert_string_equal(text, "#2-3,#1,4");
    gpis_free(f->context, text);
    gpis_lookup_clear(&lookup);
}

/* Any list of columns reads back from its text, in its order. */
static void test_text_round_trip(void **state) {
    fixture *f = *state;
    for (int round = 0; round < 500; round++) {
        int64_t columns[D], count = 0;
        double u[2 * D];
        gpis_random_uniform(7, (uint64_t)round, 0, 2 * D, u);
        for (int64_t j = 0; j < D; j++)
            if (u[j] < 0.6) columns[count++] = j;
        for (int64_t i = count - 1; i > 0 && u[0] < 0.4; i--) { /* shuffled, or ascending */
            const int64_t k = (int64_t)(u[D + i] * (double)(i + 1)), held = columns[i];
            columns[i] = columns[k];
            columns[k] = held;
        }
        if (count == 0) continue;
        char *text = gpis_columns_text(f->context, &f->lookup, columns, count), closed[200];
        snprintf(closed, sizeof closed, "%s]", text);
        gpis_selection got = {0};
        assert_ok(f->context, select_columns(&f->lookup, closed, &got));
        assert_int_equal(got.count, count);
        assert_memory_equal(got.columns, columns, (size_t)count * sizeof *columns);
        gpis_free(f->context, got.columns);
        gpis_free(f->context, text);
    }
}

static gpis_status select_and_free(gpis_context *context, void *text) {
    gpis_lookup lookup = {context, {D, name_of, NULL}, NULL};
    gpis_selection got = {0};
    const gpis_status status = select_columns(&lookup, text, &got);
    gpis_free(context, got.columns);
    gpis_lookup_clear(&lookup);
    return status;
}

static void test_failing_allocations(void **state) {
    (void)state;
    char text[] = "price*,\"a,b]\",1]";
    assert_true(test_every_allocation(select_and_free, text) >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lists, begin, end),
        cmocka_unit_test_setup_teardown(test_no_names, begin, end),
        cmocka_unit_test_setup_teardown(test_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_names_that_are_numbers, begin, end),
        cmocka_unit_test_setup_teardown(test_text_round_trip, begin, end),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
