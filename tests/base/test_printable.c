/* Text made printable: all control characters are replaced, and nothing else is. */
#include "support.h"

static void becomes(const char *text, const char *expected) {
    char copy[256];
    snprintf(copy, sizeof copy, "%s", text);
    assert_ptr_equal(gpis_make_printable(copy), copy);
    if (strcmp(copy, expected) != 0) fail_msg("'%s' became '%s', not '%s'", text, copy, expected);
}

static void good_text_stays(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "price [EUR] ~",
                                        "gr\xC3\xB6\xC3\x9F"
                                        "e",
                                        "\xE4\xBB\xB7\xE6\xA0\xBC",
                                        "\xF0\x9F\x93\x88",
                                        "\xC2\xA0",
                                        "\xED\x9F\xBF\xEE\x80\x80",
                                        "\xF4\x8F\xBF\xBF",
                                        "\xE2\x80\xA7\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) becomes(texts[i], texts[i]);
    assert_null(gpis_make_printable(NULL));
}

static void control_characters_go(void **state) {
    (void)state;
    char text[2] = "", expected[2] = "";
    for (int c = 1; c < 128; c++) {
        text[0] = (char)c;
        expected[0] = (char)(c < 0x20 || c == 0x7F ? '?' : c);
        becomes(text, expected);
    }
    becomes("a\033[31mb\r\n\tc", "a?[31mb???c");
    for (int c = 0x80; c < 0xA0; c++) { /* C1, as UTF-8 has it */
        const char two[] = {'a', (char)0xC2, (char)c, 'b', 0};
        becomes(two, "a??b");
    }
    for (int c = 0xA8; c <= 0xAE; c++) { /* U+2028 to U+202E */
        const char three[] = {(char)0xE2, (char)0x80, (char)c, 0};
        becomes(three, "???");
    }
    for (int c = 0xA6; c <= 0xA9; c++) { /* U+2066 to U+2069 */
        const char three[] = {(char)0xE2, (char)0x81, (char)c, 0};
        becomes(three, "???");
    }
}

static void what_is_no_utf8_goes(void **state) {
    (void)state;
    becomes("\x80"
            "a\xBF",
            "?a?");       /* without a beginning */
    becomes("\xC3", "?"); /* cut short by the end, */
    becomes("\xE4\xBB", "??");
    becomes("\xF0\x9F\x93", "???");
    becomes("\xC3"
            "a\xE4\xBB"
            "b\xF0\x9F\x93"
            "c",
            "?a??b???c");                               /* and by other text */
    becomes("\xC0\x8A\xC1\xBF", "????");                /* longer than need be: a line end, DEL */
    becomes("\xE0\x82\x9B\xF0\x80\x82\x9B", "???????"); /* CSI */
    becomes("\xED\xA0\x80\xED\xBF\xBF", "??????");      /* surrogates */
    becomes("\xF4\x90\x80\x80\xF8\x88\x80\x80\x80\xFE\xFF", "???????????");
}

/* Messages that quote the contents of files are made printable. */
static void messages_are_printable(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_fail(context, GPIS_BAD_DATA, "%s: column %s!", "a\nb", "\033[2J\xC2\x9B");
    assert_string_equal(gpis_last_error(context), "a?b: column ?[2J?"
                                                  "?!");
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_text_stays),
        cmocka_unit_test(control_characters_go),
        cmocka_unit_test(what_is_no_utf8_goes),
        cmocka_unit_test(messages_are_printable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
