/* Tables in text: separators, headers, quotes, gzip, targets, and everything that is refused. */
#include "reading.h"

static const double six[6] = {1, 2, 3, 4, 5, 6};

static void good(const char *path, const char *text) {
    write_text(path, text);
    check_file(path, NULL, 2, 3, six, NULL);
}

static void test_good(void **state) {
    (void)state;
    good("csv_a.csv", "1,2,3\n4,5,6\n");
    good("csv_a.csv", "1,2,3\n4,5,6");
    good("csv_a.csv", "1,2,3\r\n4,5,6\r\n\r\n\n  \n");
    good("csv_a.csv", "\n\n1, 2 ,3\n4,\t5,6");
    good("csv_a.csv", "1;2;3\n4;5;6\n");
    good("csv_a.csv", "1\t2\t3\n4\t5\t6\n");
    good("csv_a.csv", "a,b,c\n1,2,3\n4,5,6\n");
    good("csv_a.csv", "\xEF\xBB\xBF"
                      "1,2,3\n4,5,6\n");
    good("csv_a.csv", "\"a, first\",\"b \"\"x\"\"\",\"c\nover two lines\"\n\"1\",2, \"3\" \n4,5,6\n");
    good("csv_a.csv", "\"\",x,1\n1,2,3\n4,5,6\n"); /* an unnamed column, as R writes it */
    good("csv_a.csv", "+1,2.0,.3e1\n0.4E+1,5.,600e-2\n");
    good("csv_a.tsv", "1\t2\t3\n4\t5\t6\n");
    good("csv_a.tsv", "a\tb c\td\n1\t2\t3\n4\t5\t6\n");
    good("csv_a.txt", "  1 2   3\n4\t5 6  \n");
    good("csv_a.data", "a b \"c d\"\n1 2 3\n4 5 \"6\"\n");
    good("csv_a.DATA", "1,2,3\n4,5,6\n");
    write_gzip("csv_a.csv.gz", "x,y,z\n1,2,3\n4,5,6\n");
    check_file("csv_a.csv.gz", NULL, 2, 3, six, NULL);
}

static void test_target(void **state) {
    (void)state;
    const double rest[4] = {1, 3, 4, 6}, y[2] = {2, 5};
    write_text("csv_t.csv", "a,b,c\n1,2,3\n4,5,6\n");
    check_file("csv_t.csv", "b", 2, 2, rest, y);
    check_file("csv_t.csv", "2", 2, 2, rest, y);
    refuse_file("csv_t.csv", "d", GPIS_BAD_ARGUMENT,
                "no column 'd' to be the target; its columns are 1 to 3, 'a' to 'c'");
    refuse_file("csv_t.csv", "0", GPIS_BAD_ARGUMENT, "no column '0'");
    refuse_file("csv_t.csv", "4", GPIS_BAD_ARGUMENT, "no column '4'");
    refuse_file("csv_t.csv", "", GPIS_BAD_ARGUMENT, "no column ''");
    write_text("csv_t.csv", "1,2,3\n4,5,6\n");
    check_file("csv_t.csv", "2", 2, 2, rest, y);
    refuse_file("csv_t.csv", "b", GPIS_BAD_ARGUMENT, "its columns are 1 to 3");
    write_text("csv_t.csv", "a,b,b\n1,2,3\n");
    refuse_file("csv_t.csv", "b", GPIS_BAD_ARGUMENT, "columns 2 and 3 are both named 'b'");
    write_text("csv_t.csv", "a\n1\n");
    refuse_file("csv_t.csv", "a", GPIS_BAD_SHAPE, "no column but the target");
    write_npy("csv_t.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", six, sizeof six);
    refuse_file("csv_t.npy", "a", GPIS_BAD_ARGUMENT, "a .npy file has none");
}

static void test_names(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    write_text("csv_n.csv", "\"a, \"\"1st\"\"\",b,\"c\nd\"\n1,2,3\n");
    assert_ok(context, gpis_source_open(context, "csv_n.csv", "b", &source));
    assert_string_equal(gpis_source_column(source, 0), "a, \"1st\"");
    assert_string_equal(gpis_source_column(source, 1), "c\nd");
    assert_null(gpis_source_column(source, 2));
    assert_null(gpis_source_column(source, -1));
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

static void test_bad(void **state) {
    (void)state;
    static const struct {
        const char *text;
        gpis_status status;
        const char *part;
    } bad[] = {
        {"a,b\n1,2\n3,\n", GPIS_BAD_DATA, "line 3, column 2 (b) is missing; fill it in"},
        {"a,b\n1,2\nNA,3\n", GPIS_BAD_DATA, "line 3, column 1 (a) is missing"},
        {"1,nan\n", GPIS_BAD_DATA, "line 1, column 2 is missing"},
        {"1,2\n1,-NaN\n", GPIS_BAD_DATA, "line 2, column 2 is missing"},
        {"1,inf\n1,2\n", GPIS_BAD_DATA, "line 1, column 2 is 'inf', not a finite number"},
        {"1,2\n1,1e999\n", GPIS_BAD_DATA, "line 2, column 2 is '1e999', not a finite"},
        {"1,2\n1,2x\n", GPIS_BAD_DATA, "line 2, column 2 is '2x', not a finite number"},
        {"1,2\n1,0x10\n", GPIS_BAD_DATA, "'0x10'"},
        {"1,2\n1,\x1b[2J\n", GPIS_BAD_DATA, "is '?[2J'"},
        {"a\tb\n1,5\t2\n", GPIS_BAD_DATA, "text in 'a', column 1 ('1,5')"},
        {"1,2\n1,2,3\n", GPIS_BAD_SHAPE, "line 2 has 3 fields, line 1 has 2"},
        {"1,2\n\"1\"\n", GPIS_BAD_SHAPE, "line 2 has 1 fields, line 1 has 2"},
        {"\"a\nb\",c\n1,2\n3\n", GPIS_BAD_SHAPE, "line 4 has 1 fields, line 1 has 2"},
        {"1\n\n3\n", GPIS_BAD_DATA, "line 2 is blank"},
        {"1,2\n\"3,4\n5,6\n", GPIS_BAD_DATA, "line 2 opens a quote that is never closed"},
        {"1,2\n\"3\"4,5\n", GPIS_BAD_DATA, "line 2 has text after a closing quote"},
        {"a,b\n", GPIS_BAD_DATA, "has a header and no rows"},
        {"\n \n\r\n", GPIS_BAD_DATA, "blank lines only"},
        {"1,2\n3,1234567890123456789012345678901234567890123456789x\n", GPIS_BAD_DATA, "34567890...'"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_text("csv_b.csv", bad[k].text);
        refuse_file("csv_b.csv", NULL, bad[k].status, bad[k].part);
        write_gzip("csv_b.csv.gz", bad[k].text);
        refuse_file("csv_b.csv.gz", NULL, bad[k].status, bad[k].part);
    }
    write_bytes("csv_b.csv", "1,2\n3,\0004\n", 9);
    refuse_file("csv_b.csv", NULL, GPIS_BAD_DATA, "line 2 holds a zero byte");
    write_text("csv_b.csv", "");
    refuse_file("csv_b.csv", NULL, GPIS_BAD_DATA, "is empty");
}

static void test_broken_gzip(void **state) {
    (void)state;
    unsigned char bytes[512];
    write_gzip("csv_g.csv.gz", "1,2,3\n4,5,6\n7,8,9\n1,3,5\n");
    FILE *file = fopen("csv_g.csv.gz", "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 12; cut < size; cut++) {
        write_bytes("csv_g.csv.gz", bytes, cut);
        refuse_file("csv_g.csv.gz", NULL, GPIS_BAD_DATA, "is a broken gzip file");
    }
    bytes[size - 6] ^= 0xff; /* the checksum */
    write_bytes("csv_g.csv.gz", bytes, size);
    refuse_file("csv_g.csv.gz", NULL, GPIS_BAD_DATA, "is a broken gzip file");
}

/* Many rows and long lines: the buffers grow, and records cross their ends. */
static void test_large(void **state) {
    (void)state;
    enum { ROWS = 40, COLS = 30000 };
    double *expected = malloc(sizeof *expected * ROWS * COLS);
    FILE *file = fopen("csv_l.csv", "w");
    assert_non_null(expected);
    assert_non_null(file);
    for (int64_t p = 0; p < ROWS * COLS; p++) {
        expected[p] = (double)(p % 977) / 8;
        fprintf(file, "%.3f%c", expected[p], p % COLS == COLS - 1 ? '\n' : ',');
    }
    fclose(file);
    check_file("csv_l.csv", NULL, ROWS, COLS, expected, NULL);
    file = fopen("csv_l.csv", "w");
    assert_non_null(file);
    for (int64_t p = 0; p < ROWS * COLS; p++) fprintf(file, "%.3f%c", expected[p], p % 3 == 2 ? '\n' : ',');
    fclose(file);
    check_file("csv_l.csv", NULL, ROWS * COLS / 3, 3, expected, NULL);
    free(expected);
    unlink("csv_l.csv");
}

static gpis_status open_with_target(gpis_context *context, void *path) {
    gpis_source *source;
    const gpis_status status = gpis_source_open(context, path, "b", &source);
    gpis_source_destroy(source);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    FILE *file = fopen("csv_f.csv", "w");
    assert_non_null(file);
    fputs("a,b,c\n", file);
    for (int i = 0; i < 200; i++) fputs("1,2,3\n", file);
    fclose(file);
    assert_true(test_every_allocation(open_with_target, "csv_f.csv") >= 10);
    write_text("csv_f.csv", "1,2,3\n4,5,6\n");
    assert_true(test_every_allocation(open_and_destroy, "csv_f.csv") >= 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),        cmocka_unit_test(test_target),      cmocka_unit_test(test_names),
        cmocka_unit_test(test_bad),         cmocka_unit_test(test_broken_gzip), cmocka_unit_test(test_large),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
