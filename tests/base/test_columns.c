/* Lists of columns: names, numbers, ranges, patterns and quotes, with and without a header, and every complaint. */
#include "base/columns.h"
#include "support.h"

static const char *const names[] = {"age", "price low", "price high", "7", "a,b", "it's", "age group", "star*", "age"};
enum { COLUMNS = sizeof names / sizeof *names };

static const char *name_at(const void *user, int64_t j) {
    (void)user;
    return names[j];
}

typedef struct heard {
    const char *text;
    char complaint[256];
    long at;
} heard;

static gpis_status hear(const void *user, const char *at, const char *complaint) {
    heard *h = (heard *)user;
    snprintf(h->complaint, sizeof h->complaint, "%s", complaint);
    h->at = (long)(at - h->text);
    return GPIS_BAD_ARGUMENT;
}

/* Reads the list; `expected` are the numbers of the columns, from 1, as "1 2 3", or the complaint behind a '!'. */
static void check(bool named, const char *list, const char *expected) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_lookup lookup = {.context = context, .columns = {COLUMNS, named ? name_at : NULL, NULL}};
    gpis_selection selection;
    heard h = {.text = list};
    gpis_column_text text = {list, list + strlen(list), hear, &h};
    char found[300] = "";
    assert_ok(context, gpis_selection_begin(&lookup, &selection));
    if (gpis_select_list(&selection, &text, ",]") != GPIS_OK)
        snprintf(found, sizeof found, "!%s", h.complaint);
    else
        for (int64_t i = 0; i < selection.count; i++)
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%lld", i ? " " : "",
                     (long long)selection.columns[i] + 1);
    if (strcmp(found, expected) != 0) fail_msg("%s: \"%s\", wanted \"%s\"", list, found, expected);
    gpis_selection_clear(&selection);
    gpis_lookup_clear(&lookup);
    test_context_end(context, &memory);
}

static void test_lists(void **state) {
    (void)state;
    check(true, "price low", "2");
    check(true, " price high , price low ]rest", "3 2");
    check(true, "2-4", "2 3 4");
    check(true, "4-2", "4 3 2");
    check(true, "price*", "2 3");
    check(true, "*low,p*", "2 3");
    check(true, "*", "1 2 3 4 5 6 7 8 9");
    check(true, "'a,b',it's", "5 6");
    check(true, "\"a,b\"", "5");
    check(true, "`star*`", "8");
    check(true, "'7'", "4");
    check(true, "#7", "7");
    check(true, "#1-2", "1 2");
    check(false, "x3,1", "3 1");
    check(false, "x*", "1 2 3 4 5 6 7 8 9");
    check(false, "x1*", "1");
}

static void test_complaints(void **state) {
    (void)state;
    check(true, "prise low", "!there is no column 'prise low' (did you mean 'price low'?)");
    check(true, "nothing like it", "!there is no column 'nothing like it'");
    check(true, "age", "!2 columns are called 'age': say #1 for the first of them");
    check(true, "7",
          "!'7' is the name of column 4 and the number of another: put the name in quotes, or say #7 for the number");
    check(true, "2,price low", "!column 'price low' is listed twice");
    check(true, "0", "!there is no column 0; columns are 1 to 9");
    check(true, "2-10", "!there is no column 10; columns are 1 to 9");
    check(true, "z*", "!no column matches 'z*'");
    check(true, "'age", "!the quote is not closed");
    check(true, "2,,3", "!expected a column, found ','");
    check(true, "", "!expected a column, found the end");
    check(false, "age", "!there is no column 'age': the columns have no names, and are x1 to x9");
    check(false, "x10", "!there is no column 'x10': the columns have no names, and are x1 to x9");
}

static gpis_status select_all(gpis_context *context, void *list) {
    gpis_lookup lookup = {.context = context, .columns = {COLUMNS, name_at, NULL}};
    gpis_selection selection;
    heard h = {.text = list};
    gpis_column_text text = {list, (const char *)list + strlen(list), hear, &h};
    gpis_status status = gpis_selection_begin(&lookup, &selection);
    if (status == GPIS_OK) status = gpis_select_list(&selection, &text, ",");
    gpis_selection_clear(&selection);
    gpis_lookup_clear(&lookup);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    char list[] = "price low,3";
    assert_true(test_every_allocation(select_all, list) >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
