/* The table of options: complete, true to the structs, and careful with texts. */
#include "base/options.h"
#include "method/method.h"
#include "sketch/kinds.h"
#include "support.h"

static int64_t count_rows(void) {
    int64_t count = 0;
    while (gpis_option_at(count)) count++;
    return count;
}

static size_t bytes_of(const gpis_option_row *row) {
    switch (row->held) {
    case GPIS_HELD_AS_TEXT: return sizeof(const char *);
    case GPIS_HELD_AS_DOUBLE: return sizeof(double);
    case GPIS_HELD_AS_INT64: return sizeof(int64_t);
    case GPIS_HELD_AS_UINT64: return sizeof(uint64_t);
    case GPIS_HELD_AS_INT: return sizeof(int);
    }
    return 0;
}

/* Marks the bytes of a field; none of them may have been marked before. */
static void mark(unsigned char *map, size_t offset, size_t bytes, const char *name) {
    for (size_t i = offset; i < offset + bytes; i++) {
        if (map[i]) fail_msg("byte %zu of %s belongs to another option, too", i, name);
        map[i] = 1;
    }
}

#define MARK(map, type, field) mark(map, offsetof(type, field), sizeof(((type *)NULL)->field), #field)

/* What is not marked is padding: never four bytes in a row that begin at the place of an int. */
static void assert_complete(const unsigned char *map, size_t size, const char *what, size_t padding) {
    size_t holes = 0;
    for (size_t i = 0; i + sizeof(int) <= size; i += sizeof(int)) holes += !map[i];
    if (holes != padding) fail_msg("%zu ints of %s are no option, and %zu are padding", holes, what, padding);
}

/* Every field is an option, but for those that no text can say. A new field that is forgotten here or there fails. */
static void every_field_is_an_option(void **state) {
    (void)state;
    unsigned char settings[sizeof(gpis_settings)] = {0}, opening[sizeof(gpis_open_options)] = {0};
    const gpis_option_row *row;
    for (int64_t i = 0; (row = gpis_option_row_at(i)) != NULL; i++) {
        if (row->in_settings != GPIS_NO_FIELD)
            mark(settings, (size_t)row->in_settings, bytes_of(row), row->option.name);
        if (row->in_open != GPIS_NO_FIELD) mark(opening, (size_t)row->in_open, bytes_of(row), row->option.name);
        const unsigned calls = GPIS_OPTION_SOLVE | GPIS_OPTION_PLAN | GPIS_OPTION_CHECK;
        assert_int_equal((row->option.where & calls) != 0, row->in_settings != GPIS_NO_FIELD);
        assert_int_equal((row->option.where & GPIS_OPTION_OPEN) != 0, row->in_open != GPIS_NO_FIELD);
    }
    MARK(settings, gpis_settings, size);
    MARK(settings, gpis_settings, x0);
    MARK(settings, gpis_settings, x0_entries);
    MARK(settings, gpis_settings, machine);
    MARK(settings, gpis_settings, progress);
    MARK(settings, gpis_settings, pass_progress);
    MARK(settings, gpis_settings, progress_user);
    assert_complete(settings, sizeof settings, "gpis_settings", 1); /* beside `resume` */
    MARK(opening, gpis_open_options, size);
    MARK(opening, gpis_open_options, progress);
    MARK(opening, gpis_open_options, progress_user);
    MARK(opening, gpis_open_options, encoding);
    assert_complete(opening, sizeof opening, "gpis_open_options", 0);
}

static void rows_are_whole(void **state) {
    (void)state;
    const gpis_option *o;
    assert_true(count_rows() > 20);
    for (int64_t i = 0; (o = gpis_option_at(i)) != NULL; i++) {
        assert_true(o->name && *o->name && o->help && *o->help && o->group && *o->group && o->where != 0);
        assert_int_equal(o->argument == NULL, o->type == GPIS_OPTION_FLAG);
        assert_int_equal(o->choices != NULL, o->type == GPIS_OPTION_CHOICE);
        assert_non_null(o->fallback); /* "" where no value is the default */
        assert_true(!*o->fallback || !o->unset);
        assert_true(*o->fallback || o->unset || strcmp(o->name, "step") == 0); /* no step needs no words */
        assert_null(strstr(o->help, "--"));
        assert_ptr_equal(gpis_option_find(o->name), o); /* so no name is there twice */
        char underlined[40];
        snprintf(underlined, sizeof underlined, "%s", o->name);
        for (char *c = underlined; *c; c++) *c = *c == '-' ? '_' : *c;
        assert_ptr_equal(gpis_option_find(underlined), o);
    }
    assert_null(gpis_option_find("tolerance"));
    assert_null(gpis_option_find("to"));
    assert_null(gpis_option_find(""));
    assert_null(gpis_option_at(count_rows()));
}

/* True if `name` is one of the names in `list`, such as "auto, newton, gpis". */
static bool lists_name(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

/* The lists of names.h say what the rows are called, and the help of the options shows them all. */
static void help_names_all_methods_and_sketches(void **state) {
    (void)state;
#define CHECK_METHOD(symbol, text)                        \
    assert_string_equal(gpis_method_##symbol.name, text); \
    assert_true(lists_name(gpis_option_find("method")->help, text));
    GPIS_METHOD_LIST(CHECK_METHOD)
#define CHECK_SKETCH(symbol, text)                        \
    assert_string_equal(gpis_sketch_##symbol.name, text); \
    assert_true(lists_name(gpis_option_find("sketch")->help, text));
    GPIS_SKETCH_LIST(CHECK_SKETCH)
}

/* Options name the methods that use them, and no others. */
static void options_name_methods(void **state) {
    (void)state;
    const gpis_option *o;
    for (int64_t i = 0; (o = gpis_option_at(i)) != NULL; i++) {
        char list[80], *rest = list;
        snprintf(list, sizeof list, "%s", o->methods ? o->methods : "");
        for (char *name; (name = strtok_r(rest, ",", &rest)) != NULL;) {
            while (*name == ' ') name++;
            name[strcspn(name, " ")] = '\0'; /* "newton with a sketch" */
            if (!gpis_method_named(gpis_all_methods(), name)) fail_msg("option %s: no method is '%s'", o->name, name);
        }
    }
}

/* ---- values
 * ---------------------------------------------------------------------------------------------------------- */

static void assert_text(const gpis_settings *settings, const char *name, const char *text) {
    char found[80];
    assert_int_equal(gpis_settings_get(settings, name, found, sizeof found), strlen(text));
    assert_string_equal(found, text);
}

/* What a default is called in the table is what the struct begins with, as known from outside. */
static void defaults(void **state) {
    (void)state;
    const gpis_settings s = gpis_settings_default();
    assert_int_equal(s.size, sizeof s);
    assert_string_equal(s.method, "auto");
    assert_string_equal(s.sketch, "auto");
    assert_true(s.tol == 1e-8 && s.delta == 1e-9 && s.gamma_u == 2.0 && s.gamma_d == 2.0 && s.fixed_step == 0.0);
    assert_true(s.checkpoint_every == 10.0 && s.time_limit == 0.0 && s.batch == 10 && s.m == 0 && s.rounds == 0);
    assert_true(s.max_passes == 0 && s.memory == 0 && s.seed == 0 && s.threads == 0 && !s.gpcs && !s.resume);
    assert_true(s.certificate == GPIS_CERTIFICATE_ANY && s.restart == GPIS_RESTART_GRADIENT);
    assert_true(!s.x0 && !s.inner && !s.machine && !s.progress && !s.pass_progress && !s.checkpoint);
    const gpis_option *o;
    for (int64_t i = 0; (o = gpis_option_at(i)) != NULL; i++) {
        char text[80];
        if (!(o->where & GPIS_OPTION_SOLVE)) continue;
        gpis_settings_get(&s, o->name, text, sizeof text);
        if (strcmp(o->name, "tol") == 0 || strcmp(o->name, "delta") == 0)
            assert_true(strtod(text, NULL) == strtod(o->fallback, NULL)); /* 1e-08 and 1e-8 */
        else
            assert_string_equal(text, o->fallback);
        /* what is read can be set again */
        gpis_settings copy = gpis_settings_default();
        assert_int_equal(gpis_settings_set(&copy, o->name, *text ? text : NULL), GPIS_OK);
        if (o->type != GPIS_OPTION_TEXT) assert_memory_equal(&copy, &s, sizeof s);
    }
    const gpis_open_options open = gpis_open_options_default();
    assert_true(open.size == sizeof open && !open.target && !open.cache && !open.format && open.memory == 0);
}

static void assert_refused(const gpis_option *o, const char *value) {
    gpis_settings settings = gpis_settings_default(), before = settings;
    gpis_open_options open = gpis_open_options_default();
    char why[300];
    if (o->where & GPIS_OPTION_SOLVE && gpis_settings_set(&settings, o->name, value) != GPIS_BAD_ARGUMENT)
        fail_msg("%s took '%s'", o->name, value);
    if (o->where & GPIS_OPTION_OPEN) assert_int_equal(gpis_open_options_set(&open, o->name, value), GPIS_BAD_ARGUMENT);
    assert_memory_equal(&settings, &before, sizeof settings);
    const size_t length = gpis_option_explain(o, value, why, sizeof why);
    assert_true(length > strlen(o->name) && length == strlen(why) && strncmp(why, o->name, strlen(o->name)) == 0);
    char cut[8];
    assert_int_equal(gpis_option_explain(o, value, cut, sizeof cut), length);
    assert_int_equal(strlen(cut), 7);
}

/* Taken, and the same again after it was read back as text. */
static void assert_taken(const gpis_option *o, const char *value) {
    gpis_settings one = gpis_settings_default(), two = one;
    char text[80], why[8];
    if (gpis_settings_set(&one, o->name, value) != GPIS_OK) fail_msg("%s refused '%s'", o->name, value);
    assert_int_equal(gpis_option_explain(o, value, why, sizeof why), 0);
    assert_string_equal(why, "");
    gpis_settings_get(&one, o->name, text, sizeof text);
    assert_int_equal(gpis_settings_set(&two, o->name, text), GPIS_OK);
    if (o->type != GPIS_OPTION_TEXT && o->type != GPIS_OPTION_FILE && o->type != GPIS_OPTION_INTEGERS)
        assert_memory_equal(&one, &two, sizeof one);
    assert_text(&two, o->name, text);
    assert_int_equal(gpis_settings_set(&one, o->name, NULL), GPIS_OK); /* back to the default */
    const gpis_settings usual = gpis_settings_default();
    assert_memory_equal(&one, &usual, sizeof one);
}

/* The ends of each range, what is beyond them, garbage, and nothing. */
static void ranges(void **state) {
    (void)state;
    const gpis_option *o;
    char low[40], high[40], below[40], beyond[40];
    for (int64_t i = 0; (o = gpis_option_at(i)) != NULL; i++) {
        if (o->type == GPIS_OPTION_TEXT) continue;
        assert_refused(o, "");
        if (o->type != GPIS_OPTION_FILE) {
            static const char *const garbage[] = {"x",   "1x",   " ",  "nan",  "inf",   "-inf", "--1",   "1e", "0x1",
                                                  "1,,", "1, 2", ",1", "yes ", "none.", "\x1b", "1e999", "-1", "-0.5"};
            for (size_t g = 0; g < sizeof garbage / sizeof *garbage; g++) assert_refused(o, garbage[g]);
        }
        if (!(o->where & GPIS_OPTION_SOLVE)) continue;
        switch (o->type) {
        case GPIS_OPTION_NUMBER:
            snprintf(low, sizeof low, "%.17g", o->low);
            snprintf(high, sizeof high, "%.17g", o->high);
            snprintf(beyond, sizeof beyond, "%.17g", o->high * 1.0001);
            snprintf(below, sizeof below, "%.17g", o->low > 0 ? o->low * 0.9999 : -1e-9);
            break;
        case GPIS_OPTION_INTEGER:
        case GPIS_OPTION_INTEGERS:
            snprintf(low, sizeof low, "%.0f", o->low);
            snprintf(below, sizeof below, "%.0f", o->low - 1);
            if (isinf(o->high)) {
                snprintf(high, sizeof high, "9223372036854775807");
                snprintf(beyond, sizeof beyond, "9223372036854775808");
            } else if (o->high == 0x1p64) {
                snprintf(high, sizeof high, "18446744073709551615");
                snprintf(beyond, sizeof beyond, "18446744073709551616");
            } else {
                snprintf(high, sizeof high, "%.0f", o->high);
                snprintf(beyond, sizeof beyond, "%.0f", o->high + 1);
            }
            break;
        case GPIS_OPTION_BYTES:
            snprintf(low, sizeof low, "1");
            snprintf(high, sizeof high, "1e18");
            snprintf(below, sizeof below, "0.9");
            snprintf(beyond, sizeof beyond, "1.1e18");
            break;
        case GPIS_OPTION_FLAG:
            snprintf(low, sizeof low, "no");
            snprintf(high, sizeof high, "yes");
            snprintf(below, sizeof below, "No");
            snprintf(beyond, sizeof beyond, "true");
            break;
        default:
            snprintf(low, sizeof low, "none");
            snprintf(high, sizeof high, "%.*s", o->choices ? (int)strcspn(o->choices, ",") : 1,
                     o->choices ? o->choices : "f");
            snprintf(below, sizeof below, "%s", o->choices ? "None" : "");
            snprintf(beyond, sizeof beyond, "%s", o->choices ? o->choices : "");
        }
        assert_taken(o, low);
        assert_taken(o, high);
        assert_refused(o, below);
        assert_refused(o, beyond);
    }
}

static void lists(void **state) {
    (void)state;
    gpis_settings s = gpis_settings_default();
    assert_int_equal(gpis_settings_set(&s, "inner", "20,40,80"), GPIS_OK);
    static const int64_t wanted[] = {20, 40, 80, 80, 80};
    for (int i = 0; i < 5; i++) assert_int_equal(gpis_list_at(s.inner, i), wanted[i]);
    assert_int_equal(gpis_list_at("+7", 3), 7);
    char many[3 * GPIS_MAX_LIST_NUMBERS + 4] = "1", why[80];
    for (int i = 1; i < GPIS_MAX_LIST_NUMBERS; i++) strcat(many, ",1");
    assert_int_equal(gpis_settings_set(&s, "inner", many), GPIS_OK);
    strcat(many, ",1");
    assert_int_equal(gpis_settings_set(&s, "inner", many), GPIS_BAD_ARGUMENT);
    gpis_option_explain(gpis_option_find("inner"), many, why, sizeof why);
    assert_string_equal(why, "inner takes at most 64 numbers");
}

/* Any number but zero means yes in a field that is a flag. */
static void flags(void **state) {
    (void)state;
    gpis_settings s = gpis_settings_default();
    s.gpcs = 2;
    s.resume = -1;
    assert_text(&s, "gpcs", "yes");
    assert_text(&s, "resume", "yes");
    s.certificate = (gpis_certificate)-1; /* no such word */
    s.restart = (gpis_restart)7;
    assert_text(&s, "certificate", "");
    assert_text(&s, "restart", "");
}

/* Numbers mean the same whatever the locale, and texts of options that are none, or elsewhere, are refused. */
static void names(void **state) {
    (void)state;
    gpis_settings s = gpis_settings_default();
    gpis_open_options open = gpis_open_options_default();
    char text[40] = "?";
    assert_int_equal(gpis_settings_set(&s, "max_passes", "7"), GPIS_OK);
    assert_int_equal(s.max_passes, 7);
    assert_int_equal(gpis_settings_set(&s, "memory", "1.5 KiB"), GPIS_OK);
    assert_int_equal(gpis_open_options_set(&open, "memory", "2K"), GPIS_OK);
    assert_true(s.memory == 1536 && open.memory == 2048);
    assert_int_equal(gpis_settings_set(&s, "cache", "."), GPIS_BAD_ARGUMENT); /* of files */
    assert_int_equal(gpis_open_options_set(&open, "tol", "0.1"), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_settings_set(&s, "set", "l1:1"), GPIS_BAD_ARGUMENT); /* of the problem */
    assert_int_equal(gpis_settings_set(&s, "nothing", "1"), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_settings_get(&s, "cache", text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_text(&s, "certificate", "any");
    assert_text(&s, "checkpoint", "");
    assert_text(&s, "m", "");
    assert_text(&s, "tol", "1e-08");
    assert_int_equal(gpis_settings_get(&s, "method", NULL, 0), 4);
}

/* A seed has 64 bits, and all of them are read back. */
static void seeds(void **state) {
    (void)state;
    gpis_settings s = gpis_settings_default(), copy = s;
    char text[40];
    s.seed = UINT64_MAX - 4;
    gpis_settings_get(&s, "seed", text, sizeof text);
    assert_string_equal(text, "18446744073709551611");
    assert_int_equal(gpis_settings_set(&copy, "seed", text), GPIS_OK);
    assert_true(copy.seed == s.seed);
    assert_int_equal(gpis_settings_set(&copy, "seed", "18446744073709551616"), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_settings_set(&copy, "m", "9223372036854775808"), GPIS_BAD_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_field_is_an_option),
                                       cmocka_unit_test(rows_are_whole),
                                       cmocka_unit_test(help_names_all_methods_and_sketches),
                                       cmocka_unit_test(options_name_methods),
                                       cmocka_unit_test(defaults),
                                       cmocka_unit_test(ranges),
                                       cmocka_unit_test(lists),
                                       cmocka_unit_test(flags),
                                       cmocka_unit_test(names),
                                       cmocka_unit_test(seeds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
