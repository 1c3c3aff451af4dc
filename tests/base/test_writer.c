/* Texts of several pieces, against snprintf; what does not fit is left out, at any size. */
#include "base/writer.h"

#include <inttypes.h>

#include "support.h"

static void pieces_follow_each_other(void **state) {
    (void)state;
    static const int64_t wholes[] = {0, 7, -12, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        for (size_t size = 1; size < 64; size++) {
            char text[64], expected[64];
            gpis_writer w = {text, size, 0};
            gpis_write_text(&w, "rows: ");
            gpis_write_whole(&w, wholes[i]);
            gpis_write_text(&w, "");
            gpis_write_text(&w, ", ");
            gpis_write_number(&w, 0.1);
            snprintf(expected, size, "rows: %" PRId64 ", 0.1", wholes[i]);
            assert_string_equal(text, expected);
            assert_int_equal(w.used, strlen(expected));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_follow_each_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
