/* .npy, Matrix Market and LIBSVM files as sources, the choice by ending, and arrays in files. */
#include <sys/stat.h>

#include "reading.h"

static const double six[6] = {1, 2, 3, 4, 5, 6};

static void test_npy(void **state) {
    (void)state;
    const float narrow[6] = {1, 2, 3, 4, 5, 6};
    const double turned[6] = {1, 3, 5, 2, 4, 6};
    for (int version = 1; version <= 3; version++) {
        write_npy("files.npy", version, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", six, 48);
        check_file("files.npy", NULL, 2, 3, six, NULL);
        write_npy("files.npy", version, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", six, 48);
        check_file("files.npy", NULL, 2, 3, turned, NULL);
        write_npy("files.npy", version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", narrow, 24);
        check_file("files.npy", NULL, 2, 3, six, NULL);
        write_npy("files.npy", version, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", narrow, 24);
        check_file("files.npy", NULL, 2, 3, turned, NULL);
        write_npy("files.npy", version, "{'descr': '<f8', 'fortran_order': True, 'shape': (6,), }", six, 48);
        check_file("files.npy", NULL, 6, 1, six, NULL);
    }
    /* Numbers that are not aligned are read correctly. */
    unsigned char image[512];
    const char *dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
    for (size_t alignment = 1; alignment < 20; alignment++) {
        write_bytes("files.npy", image, npy_image(image, 1, dictionary, alignment, six, 48));
        check_file("files.npy", NULL, 2, 3, six, NULL);
    }
    const size_t size = npy_image(image, 1, dictionary, 64, six, 48);
    for (size_t cut = 1; cut < size; cut++) {
        write_bytes("files.npy", image, cut);
        refuse_file("files.npy", NULL, GPIS_BAD_DATA, "files.npy");
    }
    write_bytes("files.npy", image, size - 1);
    refuse_file("files.npy", NULL, GPIS_BAD_DATA, "48 bytes, but the file has 47");
    write_npy("files.npy", 1, "{'descr': '<c16', 'fortran_order': False, 'shape': (3,), }", six, 48);
    refuse_file("files.npy", NULL, GPIS_BAD_DATA, "complex");
}

static void test_npy_is_not_copied(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    gpis_source_info info;
    write_npy("files.npy", 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", six, 48);
    assert_ok(context, gpis_source_open(context, "files.npy", NULL, &source));
    assert_int_equal(memory.calls, 4); /* the header while it is read; the source, its name, its state */
    gpis_source_describe(source, &info);
    assert_string_equal(info.kind, "npy");
    assert_string_equal(info.layout, "column-major");
    assert_int_equal(info.bytes, 48);
    gpis_source_destroy(source);
    const double bad[2] = {0, NAN};
    write_npy("files.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", bad, 16);
    assert_ok(context, gpis_source_open(context, "files.npy", NULL, &source));
    assert_int_equal(gpis_source_audit(context, source), GPIS_BAD_DATA);
    assert_string_equal(gpis_last_error(context), "files.npy: row 1, column 2 is nan; remove or replace it");
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

#define COORDINATE "%%MatrixMarket matrix coordinate real general\n"

static void test_mtx(void **state) {
    (void)state;
    const double a[6] = {0, 1.5, 0, -2, 0, 4};
    write_text("files.mtx", COORDINATE "% a comment\n\n2 3 3\n2 3 4\n1 2 1.5\n2 1 -2\n");
    check_file("files.mtx", NULL, 2, 3, a, NULL);
    write_gzip("files.mtx.gz", "%%matrixmarket MATRIX Coordinate Real General\r\n2 3 3\r\n2 1 -2\r\n1 2 1.5\r\n2 3 4");
    check_file("files.mtx.gz", NULL, 2, 3, a, NULL);
    const double pattern[4] = {0, 1, 1, 0}, symmetric[4] = {1, 2, 2, 3};
    write_text("files.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n");
    check_file("files.mtx", NULL, 2, 2, pattern, NULL);
    write_text("files.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 3\n");
    check_file("files.mtx", NULL, 2, 2, symmetric, NULL);
    const double turned[6] = {1, 3, 5, 2, 4, 6};
    write_text("files.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3 4\n%x\n5\n6\n");
    check_file("files.mtx", NULL, 2, 3, turned, NULL);

    /* One long row in a scrambled order comes out sorted. */
    enum { COLS = 997 };
    double expected[COLS];
    FILE *file = fopen("files.mtx", "w");
    assert_non_null(file);
    fprintf(file, "%s1 %d %d\n", COORDINATE, COLS, COLS);
    for (int k = 0; k < COLS; k++) {
        const int j = k * 355 % COLS;
        expected[j] = k + 1;
        fprintf(file, "1 %d %d\n", j + 1, k + 1);
    }
    fclose(file);
    check_file("files.mtx", NULL, 1, COLS, expected, NULL);
    write_text("files.mtx", COORDINATE "3 3 0\n");
    check_file("files.mtx", NULL, 3, 3, (double[9]){0}, NULL);
}

static void test_mtx_bad(void **state) {
    (void)state;
    static const struct {
        const char *text;
        gpis_status status;
        const char *part;
    } bad[] = {
        {"1 2 3\n", GPIS_BAD_DATA, "line 1: expected '%%MatrixMarket"},
        {"%%MatrixMarket vector coordinate real general\n", GPIS_BAD_DATA, "line 1: expected"},
        {"%%MatrixMarket matrix heap real general\n", GPIS_BAD_DATA, "line 1: expected"},
        {"%%MatrixMarket matrix coordinate complex general\n", GPIS_BAD_DATA, "kind 'complex'"},
        {"%%MatrixMarket matrix array pattern general\n", GPIS_BAD_DATA, "kind 'pattern'"},
        {"%%MatrixMarket matrix coordinate real hermitian\n", GPIS_BAD_DATA, "symmetry 'hermitian'"},
        {"%%MatrixMarket matrix array real symmetric\n", GPIS_BAD_DATA, "symmetry 'symmetric'"},
        {COORDINATE, GPIS_BAD_DATA, "the sizes 'rows columns entries'"},
        {COORDINATE "2 3\n", GPIS_BAD_DATA, "line 2: expected the sizes"},
        {COORDINATE "2 3 1 1\n", GPIS_BAD_DATA, "line 2: expected the sizes"},
        {COORDINATE "2 -3 1\n", GPIS_BAD_DATA, "line 2: expected the sizes"},
        {COORDINATE "2 99999999999999999999 1\n", GPIS_BAD_DATA, "line 2: expected the sizes"},
        {COORDINATE "0 3 0\n", GPIS_BAD_SHAPE, "empty matrix, 0 x 3"},
        {COORDINATE "2 3000000000 0\n", GPIS_TOO_LARGE, "too large"},
        {COORDINATE "9223372036854775807 3 0\n", GPIS_TOO_LARGE, "too large"},
        {"%%MatrixMarket matrix array real general\n4000000000000 2000000000\n", GPIS_TOO_LARGE, "too large"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", GPIS_BAD_SHAPE, "symmetric but is 2 x 3"},
        {COORDINATE "2 3 2\n1 1 1\n", GPIS_BAD_DATA, "promises 2 entries but holds 1"},
        {COORDINATE "2 3 9000000000000000000\n1 1 1\n", GPIS_BAD_DATA, "promises 9000000000000000000 entries"},
        {COORDINATE "2 3 1\n1 1 1\n1 2 1\n", GPIS_BAD_DATA, "promises 1 entries but holds more than 1"},
        {COORDINATE "2 3 1\n3 1 1\n", GPIS_BAD_DATA, "line 3: entry (3, 1) is not in the 2 x 3 matrix"},
        {COORDINATE "2 3 1\n1 0 1\n", GPIS_BAD_DATA, "line 3: entry (1, 0) is not in"},
        {COORDINATE "2 3 1\n1 x 1\n", GPIS_BAD_DATA, "line 3: expected 'row column value'"},
        {COORDINATE "2 3 1\n1 1\n", GPIS_BAD_DATA, "line 3: expected 'row column value'"},
        {COORDINATE "2 3 1\n1 1 1 1\n", GPIS_BAD_DATA, "line 3: expected 'row column value'"},
        {COORDINATE "2 3 1\n1 1 nan\n", GPIS_BAD_DATA, "line 3: 'nan' is not a finite number"},
        {COORDINATE "2 3 3\n1 1 1\n2 2 1\n1 1 2\n", GPIS_BAD_DATA, "entry (1, 1) occurs twice"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n", GPIS_BAD_DATA,
         "(1, 2) occurs twice"},
        {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1 1\n", GPIS_BAD_DATA, "expected 'row column'"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", GPIS_BAD_DATA, "promises 4 entries but holds 3"},
        {"%%MatrixMarket matrix array real general\n1 2\n1\n2\n3\n", GPIS_BAD_DATA, "promises 2 entries but holds 3"},
        {"%%MatrixMarket matrix array real general\n1 2\n1\nx\n", GPIS_BAD_DATA, "line 4: 'x' is not a finite number"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_text("files_bad.mtx", bad[k].text);
        refuse_file("files_bad.mtx", NULL, bad[k].status, bad[k].part);
    }
}

static void test_libsvm(void **state) {
    (void)state;
    const double a[9] = {0.5, 0, 2, 0, 0, 0, 0, 1e-3, 0}, y[3] = {1, -1, 2.5};
    write_text("files.svm", "+1 1:0.5 3:2 # a comment 9:9\n\n# nothing\n-1\r\n2.5 qid:7 2:1e-3  \n");
    check_file("files.svm", NULL, 3, 3, a, y);
    write_gzip("files.libsvm.gz", "1 1:.5 3:2\n-1\n2.5 2:.001");
    check_file("files.libsvm.gz", NULL, 3, 3, a, y);
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"1 1:1\n1 0:1\n", "line 2: '0:1' has index 0; indices count from 1"},
        {"1 2:1 1:1\n", "line 1: '1:1' has an index not above"},
        {"1 2:1 2:1\n", "line 1: '2:1' has an index not above"},
        {"1 -2:1\n", "'-2:1' has no index"},
        {"1 3000000000:1\n", "'3000000000:1' has no index"},
        {"1 x:1\n", "'x:1' has no index"},
        {"1 1:\n", "'1:' has a value that is not"},
        {"1 1:nan\n", "'1:nan' has a value that is not"},
        {"1 1:2:3\n", "'1:2:3' has a value"},
        {"1 1\n", "'1' is not an 'index:value'"},
        {"1:2 2:1\n", "'1:2' is not a label"},
        {"inf 2:1\n", "'inf' is not a label"},
        {"1\n2\n", "holds labels only"},
        {"# 1 2:3\n", "holds no rows"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_text("files_bad.svm", bad[k].text);
        refuse_file("files_bad.svm", NULL, GPIS_BAD_DATA, bad[k].part);
    }
}

static void test_open(void **state) {
    (void)state;
    refuse_file("no/such.csv", NULL, GPIS_IO, "cannot be opened: No such file");
    refuse_file("no/such.npy", NULL, GPIS_IO, "cannot be opened: No such file");
    refuse_file("a.parquet", NULL, GPIS_BAD_ARGUMENT, "known are .npy .csv .tsv .txt .data .mtx .svm .libsvm .h5");
    refuse_file(".h5", NULL, GPIS_BAD_ARGUMENT, "known are .npy");
    refuse_file(".csv", NULL, GPIS_BAD_ARGUMENT, "known are .npy");
    refuse_file(".gz", NULL, GPIS_BAD_ARGUMENT, "known are .npy");
    refuse_file("a.npy.gz", NULL, GPIS_BAD_ARGUMENT, "gunzip it first");
    refuse_file("a.svm", "y", GPIS_BAD_ARGUMENT, "a .svm file has none");
    mkdir("files_folder.npy", 0777);
    refuse_file("files_folder.npy", NULL, GPIS_IO, "is a directory");
    mkdir("files_folder.mtx", 0777);
    refuse_file("files_folder.mtx", NULL, GPIS_IO, "is a directory");
    write_text("files_empty.npy", "");
    refuse_file("files_empty.npy", NULL, GPIS_BAD_DATA, "is empty");
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    assert_int_equal(gpis_source_open(context, NULL, NULL, &source), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_source_open(context, "a.npy", NULL, NULL), GPIS_BAD_ARGUMENT);
    test_context_end(context, &memory);
}

static void test_allocations(void **state) {
    (void)state;
    write_npy("files_f.npy", 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", six, 48);
    assert_int_equal(test_every_allocation(open_and_destroy, "files_f.npy"), 4);
    unsigned char image[512];
    const size_t size = npy_image(image, 1, "{'descr':'<f8','fortran_order':True,'shape':(2,3)}", 1, six, 48);
    write_bytes("files_f.npy", image, size);
    assert_int_equal(test_every_allocation(open_and_destroy, "files_f.npy"), 5);
    write_text("files_f.mtx", COORDINATE "2 3 3\n2 3 4\n1 2 1.5\n2 1 -2\n");
    assert_int_equal(test_every_allocation(open_and_destroy, "files_f.mtx"), 8);
    write_text("files_f.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
    assert_int_equal(test_every_allocation(open_and_destroy, "files_f.mtx"), 5);
    write_text("files_f.svm", "1 1:2 2:3\n2 2:3\n");
    assert_int_equal(test_every_allocation(open_and_destroy, "files_f.svm"), 11);
}

static void test_array(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_array a;
    assert_ok(context, gpis_array_write(context, "files_a.npy", six, 3, 2, 2));
    assert_ok(context, gpis_array_read(context, "files_a.npy", &a));
    assert_memory_equal(a.data, six, sizeof six);
    gpis_array_clear(context, &a);
    assert_null(a.data);
    gpis_array_clear(context, &a);
    gpis_array_clear(context, NULL);
    write_gzip("files_a.txt.gz", "y\n1\n2\n3\n4\n5\n6\n");
    assert_ok(context, gpis_array_read(context, "files_a.txt.gz", &a));
    assert_int_equal(a.rows, 6);
    assert_int_equal(a.dimensions, 1);
    assert_memory_equal(a.data, six, sizeof six);
    gpis_array_clear(context, &a);
    write_text("files_a.csv", "1,2\n3,4\n5,6\n");
    assert_ok(context, gpis_array_read(context, "files_a.csv", &a));
    assert_int_equal(a.dimensions, 2);
    gpis_array_clear(context, &a);
    const double bad[2] = {1, INFINITY};
    assert_ok(context, gpis_array_write(context, "files_a.npy", bad, 2, 1, 1));
    assert_int_equal(gpis_array_read(context, "files_a.npy", &a), GPIS_BAD_DATA);
    assert_message(context, "files_a.npy: row 2, column 1 is inf");
    assert_null(a.data);
    assert_int_equal(gpis_array_read(context, "a.mtx", &a), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_array_read(context, NULL, &a), GPIS_BAD_ARGUMENT);

    assert_ok(context, gpis_array_create(context, 3, 2, 2, &a));
    for (int i = 0; i < 6; i++) assert_true(a.data[i] == 0.0);
    gpis_array_clear(context, &a);
    assert_int_equal(gpis_array_create(context, 3, 2, 1, &a), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_array_create(context, 0, 2, 2, &a), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_array_create(context, INT64_MAX, 2, 2, &a), GPIS_TOO_LARGE);
    assert_null(a.data);
    assert_int_equal(gpis_array_write(context, "files_a.npy", NULL, 1, 1, 1), GPIS_BAD_ARGUMENT);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy),    cmocka_unit_test(test_npy_is_not_copied),
        cmocka_unit_test(test_mtx),    cmocka_unit_test(test_mtx_bad),
        cmocka_unit_test(test_libsvm), cmocka_unit_test(test_open),
        cmocka_unit_test(test_array),  cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
