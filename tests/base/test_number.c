/* Numbers in text: the same bits as strtod, in any locale, and nothing else accepted. */
#include <locale.h>

#include "base/number.h"
#include "support.h"

static gpis_span span_of(const char *text) { return (gpis_span){text, text + strlen(text)}; }

static void same_as_strtod(const char *text) {
    double value;
    if (!gpis_parse_number(span_of(text), &value)) fail_msg("'%s' was refused", text);
    const double expected = strtod(text, NULL);
    if (memcmp(&value, &expected, sizeof value) != 0) fail_msg("'%s' gave %.17g", text, value);
}

static void test_special(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+1",
        "1.",
        ".5",
        "-.5e1",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "1E+5",
        "1e308",
        "1e309",
        "-1e999",
        "1e-400",
        "5e-324",
        "2.5e-324",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993e1",
        "0.1",
        "0.30000000000000004",
        "1.7976931348623157e308",
        "123456789012345678901234567890",
        "00000000000000000000000000000000001.5",
        "0.000000000000000000000000000000000000015",
        "1e99999999999",
        "1e-99999999999",
        "0e99999999999",
        "1.0000000000000000000000000000000000001",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) same_as_strtod(texts[k]);
}

static void test_random(void **state) {
    (void)state;
    static const char *const formats[] = {"%.0f", "%.3f", "%g", "%.9g", "%.15g", "%.17g", "%.25e"};
    for (uint64_t i = 0; i < 30000; i++) {
        const gpis_bits bits = gpis_random_bits(7, 0, i);
        char text[400];
        double value;
        memcpy(&value, bits.v, sizeof value);
        if (i % 2) value = ldexp((double)(int32_t)bits.v[0], (int)(bits.v[1] % 60) - 40);
        if (!isfinite(value)) continue;
        snprintf(text, sizeof text, formats[bits.v[2] % 7], value);
        same_as_strtod(text);
    }
}

/* Numbers with 16 to 19 digits and any exponent, and those halfway between two doubles: what is not certain without
 * strtod must be left to it. */
static void test_many_digits(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 40000; i++) {
        const gpis_bits bits = gpis_random_bits(8, 0, i);
        const unsigned long long w = (unsigned long long)bits.v[0] << 32 | bits.v[1];
        char text[80];
        snprintf(text, sizeof text, "%llue%d", w, (int)(bits.v[2] % 110) - 55);
        same_as_strtod(text);
        snprintf(text, sizeof text, "-0.00%llu", w);
        same_as_strtod(text);
        snprintf(text, sizeof text, "%llu.5", (w >> 11) | 1ull << 52); /* halfway */
        same_as_strtod(text);
        snprintf(text, sizeof text, "%llue-1", 10 * ((w >> 12) | 1ull << 51) + 5);
        same_as_strtod(text);
    }
}

/* A decimal comma, and where the number ends. */
static void test_scan(void **state) {
    (void)state;
    static const char text[] = "12,5;0,30000000000000004|1,2,3 1e5e", *end = text + sizeof text - 1;
    double value;
    assert_ptr_equal(gpis_scan_number(text, end, ',', &value), text + 4);
    assert_true(value == 12.5);
    assert_ptr_equal(gpis_scan_number(text, end, '.', &value), text + 2);
    assert_true(value == 12.0);
    assert_ptr_equal(gpis_scan_number(text + 5, end, ',', &value), text + 24);
    assert_true(value == 0.30000000000000004);
    assert_ptr_equal(gpis_scan_number(text + 25, end, ',', &value), text + 28);
    assert_true(value == 1.2);
    assert_ptr_equal(gpis_scan_number(text + 31, end, '.', &value), text + 34);
    assert_null(gpis_scan_number(text + 4, end, '.', &value));
    char digits[1300];
    memset(digits, '3', sizeof digits);
    digits[1] = ',';
    digits[1200] = '\0';
    assert_null(gpis_scan_number(digits, digits + 1200, ',', &value)); /* too long for a copy with a point */
    digits[1] = '.';
    assert_ptr_equal(gpis_scan_number(digits, digits + 1200, '.', &value), digits + 1200);
    assert_true(value == strtod(digits, NULL));
}

static void test_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"",    "-",   ".",   "e5",  "1e",  "1e+",      "1x",   " 1",    "1 ",
                                        "--1", "0x1", "1,5", "nan", "inf", "infinity", "1e5.", "1.2.3", "1_0"};
    double value;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        if (gpis_parse_number(span_of(texts[k]), &value)) fail_msg("'%s' was accepted", texts[k]);
    }
}

/* In a locale with a decimal comma, strtod itself would stop at the point. Skipped if no such locale is installed. */
static void test_locale(void **state) {
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) skip();
    double value;
    const bool parsed = gpis_parse_number(span_of("0.30000000000000004"), &value);
    setlocale(LC_NUMERIC, "C");
    assert_true(parsed);
    assert_close(value, 0.30000000000000004, 0.0);
}

static void test_count(void **state) {
    (void)state;
    int64_t count;
    assert_true(gpis_parse_count(span_of("9223372036854775807"), &count));
    assert_true(count == INT64_MAX);
    assert_true(gpis_parse_count(span_of("007"), &count));
    assert_int_equal(count, 7);
    assert_false(gpis_parse_count(span_of("9223372036854775808"), &count));
    assert_false(gpis_parse_count(span_of("-1"), &count));
    assert_false(gpis_parse_count(span_of(""), &count));
    assert_false(gpis_parse_count(span_of("1.0"), &count));
}

static void test_grow(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    void *array = NULL;
    int64_t capacity = 0;
    for (int64_t used = 0; used < 1000; used++) {
        assert_ok(context, gpis_grow(context, &array, &capacity, used, used + 1, sizeof(int)));
        ((int *)array)[used] = (int)used;
    }
    for (int k = 0; k < 1000; k++) assert_int_equal(((int *)array)[k], k);
    assert_true(memory.calls < 10); /* doubling, not one by one */
    assert_int_equal(gpis_grow(context, &array, &capacity, 1000, INT64_MAX, sizeof(int)), GPIS_NO_MEMORY);
    gpis_free(context, array);
    test_context_end(context, &memory);
}

/* Against printf. */
static void test_texts(void **state) {
    static const int64_t whole[] = {0, 7, -1, 10, 1234567890123456789, INT64_MAX, INT64_MIN};
    static const double numbers[] = {0.0, -0.0, 3.0, -40.0, 999999999999999.0, 1e15, 0.1, -2.5, 1e300, 5e-324};
    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        char text[GPIS_WHOLE_TEXT], expected[32];
        gpis_whole_text(whole[i], text);
        snprintf(expected, sizeof expected, "%lld", (long long)whole[i]);
        assert_string_equal(text, expected);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[GPIS_NUMBER_TEXT];
        gpis_number_text(numbers[i], text);
        assert_true(strtod(text, NULL) == numbers[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),       cmocka_unit_test(test_special), cmocka_unit_test(test_random),
        cmocka_unit_test(test_many_digits), cmocka_unit_test(test_scan),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_locale),      cmocka_unit_test(test_count),   cmocka_unit_test(test_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
