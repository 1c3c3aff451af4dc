/* .npy files: valid ones of every kind, wrong headers, every truncation, and writing all or nothing. */
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/npy.h"
#include "files.h"

#define FILE_NAME "base_npy.npy"

static const double numbers[6] = {1, 2, 3, 4, 5, 6};
static const float floats[6] = {1, 2, 3, 4, 5, 6};

static void check_read(const char *dictionary, int version, const void *data, size_t bytes, const double expected[6],
                       int64_t rows, int64_t cols, int dimensions) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_array a;
    write_npy(FILE_NAME, version, dictionary, data, bytes);
    assert_ok(context, gpis_npy_read(context, FILE_NAME, &a));
    assert_int_equal(a.rows, rows);
    assert_int_equal(a.cols, cols);
    assert_int_equal(a.dimensions, dimensions);
    assert_memory_equal(a.data, expected, (size_t)(rows * cols) * sizeof *expected);
    gpis_free(context, a.data);
    test_context_end(context, &memory);
}

static void test_good(void **state) {
    (void)state;
    const double turned[6] = {1, 3, 5, 2, 4, 6};
    for (int version = 1; version <= 3; version++) {
        check_read("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", version, numbers, 48, numbers, 2, 3,
                   2);
        check_read("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", version, numbers, 48, turned, 2, 3, 2);
        check_read("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", version, floats, 24, numbers, 3, 2,
                   2);
        check_read("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", version, floats, 24, turned, 2, 3, 2);
        check_read("{'descr': '<f8', 'fortran_order': True, 'shape': (6,), }", version, numbers, 48, numbers, 6, 1, 1);
    }
    /* Other spellings of the same dictionary, and bytes after the array. */
    check_read("{\"shape\":(2L,3L),\"fortran_order\":False,\"descr\":\"=f8\"}", 1, numbers, 48, numbers, 2, 3, 2);
    check_read("  { 'fortran_order' : False , 'descr' : '<f8', 'shape' : ( 2 , 2 , ) }", 1, numbers, 48, numbers, 2, 2,
               2);
}

static void test_liars(void **state) {
    (void)state;
    static const struct {
        const char *dictionary;
        gpis_status status;
        const char *part;
    } liars[] = {
        {"{'descr': '<i3', 'fortran_order': False, 'shape': (2, 3), }", GPIS_BAD_DATA, "integers of an unknown width"},
        {"{'descr': '|u2', 'fortran_order': False, 'shape': (2, 3), }", GPIS_BAD_DATA, "integers of an unknown width"},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (7,), }", GPIS_BAD_DATA, "56 bytes, but the file has 48"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (49,), }", GPIS_BAD_DATA, "49 bytes, but the file has 48"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (2, 3), }", GPIS_BAD_DATA, "complex"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (2, 3), }", GPIS_BAD_DATA, "floats of an unknown width"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }", GPIS_BAD_DATA, "Python objects"},
        {"{'descr': '<U5', 'fortran_order': False, 'shape': (2, 3), }", GPIS_BAD_DATA, "text"},
        {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2, 3), }", GPIS_BAD_DATA, "dates"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2, 3), }", GPIS_BAD_DATA, "unknown type"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3), }", GPIS_BAD_DATA, "structured"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }", GPIS_BAD_SHAPE, "3 dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", GPIS_BAD_SHAPE, "0 dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", GPIS_BAD_SHAPE, "empty array, 0 x 3"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0), }", GPIS_BAD_SHAPE, "empty array, 3 x 0"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }", GPIS_BAD_SHAPE, "empty array"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }", GPIS_BAD_DATA, "64 bytes, but the file has 48"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (13,), }", GPIS_BAD_DATA, "52 bytes, but the file has 48"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 3), }", GPIS_BAD_DATA, "promises"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", GPIS_TOO_LARGE, "overflows"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,), }", GPIS_TOO_LARGE, "overflows"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 1), }", GPIS_TOO_LARGE, "overflows"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-2, -3), }", GPIS_BAD_DATA, "header must give"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (6), }", GPIS_BAD_DATA, "header must give"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2 3), }", GPIS_BAD_DATA, "header must give"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, }", GPIS_BAD_DATA, "header must give"},
        {"{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 3), }", GPIS_BAD_DATA, "header must give"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'more': 1}", GPIS_BAD_DATA, "header must give"},
        {"{'descr': '<f8', 'shape': (2, 3), }", GPIS_BAD_DATA, "header must give"},
        {"{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3), }", GPIS_BAD_DATA, "header must give"},
        {"{'shape': (2,), 'shape': (3,), 'descr': '<f8', 'fortran_order': False}", GPIS_BAD_DATA, "header must give"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } x", GPIS_BAD_DATA, "header must give"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)", GPIS_BAD_DATA, "header must give"},
        {"{'descr: 1", GPIS_BAD_DATA, "header must give"},
        {"", GPIS_BAD_DATA, "header must give"},
    };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t k = 0; k < sizeof liars / sizeof *liars; k++) {
        for (int version = 1; version <= 3; version++) {
            gpis_array a;
            write_npy(FILE_NAME, version, liars[k].dictionary, numbers, sizeof numbers);
            const gpis_status status = gpis_npy_read(context, FILE_NAME, &a);
            if (status != liars[k].status) fail_msg("%s: status %d", liars[k].dictionary, (int)status);
            assert_message(context, liars[k].part);
            assert_message(context, FILE_NAME);
            assert_null(a.data);
        }
    }
    test_context_end(context, &memory);
}

static void refuse_image(gpis_context *context, const unsigned char *image, size_t size, const char *part) {
    gpis_array a;
    write_bytes(FILE_NAME, image, size);
    assert_int_equal(gpis_npy_read(context, FILE_NAME, &a), GPIS_BAD_DATA);
    assert_message(context, part);
}

static void test_broken_prefix(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const char *dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
    unsigned char image[512];
    const size_t size = npy_image(image, 2, dictionary, 64, numbers, sizeof numbers);
    image[6] = 4;
    refuse_image(context, image, size, "version 4.0");
    image[6] = 0;
    refuse_image(context, image, size, "version 0.0");
    image[6] = 2;
    image[11] = 0xff;
    refuse_image(context, image, size, "ends inside the header");
    image[11] = 0;
    image[0] = 'x';
    refuse_image(context, image, size, "signature");
    for (size_t cut = 1; cut < size; cut++) {
        npy_image(image, 1 + (int)(cut % 3), dictionary, 64, numbers, sizeof numbers);
        refuse_image(context, image, cut, FILE_NAME);
    }
    test_context_end(context, &memory);
}

static void test_not_files(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_array a;
    assert_int_equal(gpis_npy_read(context, "no/such.npy", &a), GPIS_IO);
    assert_message(context, "no/such.npy: cannot be opened: No such file");
    assert_int_equal(gpis_npy_read(context, ".", &a), GPIS_IO);
    assert_message(context, "is a directory");
    assert_int_equal(gpis_npy_read(context, "/dev/null", &a), GPIS_IO);
    assert_message(context, "neither a regular file nor a pipe");
    write_text(FILE_NAME, "");
    assert_int_equal(gpis_npy_read(context, FILE_NAME, &a), GPIS_BAD_DATA);
    assert_message(context, "is empty");
    test_context_end(context, &memory);
}

/* Files in this folder whose names begin with base_out; removes them if asked to. */
static int files_here(bool remove_them) {
    int count = 0;
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (strncmp(entry->d_name, "base_out", 8) != 0) continue;
        if (remove_them) unlink(entry->d_name);
        count++;
    }
    closedir(folder);
    return count;
}

static void test_write(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_array a;
    static const int64_t shapes[][3] = {{2, 3, 2}, {6, 1, 1}, {1, 6, 2}, {6, 1, 2}};
    files_here(true);
    for (int k = 0; k < 4; k++) {
        assert_ok(context,
                  gpis_npy_write(context, "base_out.npy", numbers, shapes[k][0], shapes[k][1], (int)shapes[k][2]));
        assert_ok(context, gpis_npy_read(context, "base_out.npy", &a));
        assert_int_equal(a.rows, shapes[k][0]);
        assert_int_equal(a.cols, shapes[k][1]);
        assert_int_equal(a.dimensions, shapes[k][2]);
        assert_memory_equal(a.data, numbers, sizeof numbers);
        gpis_free(context, a.data);
    }
    /* Exactly what numpy 1.x and 2.x write for a vector of one zero. */
    const double zero = 0.0;
    unsigned char expected[512], found[512];
    const size_t size =
        npy_image(expected, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", 64, &zero, 8);
    assert_ok(context, gpis_npy_write(context, "base_out.npy", &zero, 1, 1, 1));
    FILE *file = fopen("base_out.npy", "rb");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found, file), size);
    fclose(file);
    assert_memory_equal(found, expected, size);
    assert_int_equal(files_here(false), 1);

    /* A symbolic link stays one, and the file that it points to keeps its permissions. */
    struct stat info;
    unlink("base_link.npy");
    assert_int_equal(symlink("base_out.npy", "base_link.npy"), 0);
    assert_int_equal(chmod("base_out.npy", 0600), 0);
    assert_ok(context, gpis_npy_write(context, "base_link.npy", numbers, 6, 1, 1));
    assert_int_equal(lstat("base_link.npy", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat("base_out.npy", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(info.st_size, 128 + 48);
    test_context_end(context, &memory);
}

static void test_write_fails(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    assert_int_equal(gpis_npy_write(context, "/dev/full", numbers, 6, 1, 1), GPIS_IO);
    assert_message(context, "/dev/full: cannot be written: No space left");
    assert_ok(context, gpis_npy_write(context, "/dev/null", numbers, 6, 1, 1));
    assert_int_equal(gpis_npy_write(context, "no/such/folder.npy", numbers, 6, 1, 1), GPIS_IO);
    assert_message(context, "No such file");
    assert_int_equal(gpis_npy_write(context, "/proc/x.npy", numbers, 6, 1, 1), GPIS_IO);
    assert_int_equal(gpis_npy_write(context, ".", numbers, 6, 1, 1), GPIS_IO);
    assert_message(context, "directory");
    assert_int_equal(gpis_npy_write(context, "base_out.npy", numbers, 3, 2, 1), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_npy_write(context, "base_out.npy", numbers, 3, 2, 3), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_npy_write(context, "base_out.npy", numbers, -1, 2, 2), GPIS_TOO_LARGE);
    assert_int_equal(gpis_npy_write(context, "base_out.npy", numbers, INT64_MAX / 2, 4, 2), GPIS_TOO_LARGE);

    /* A disk that becomes full in the middle: the old file is unchanged, and no other file is left. */
    static double many[1024];
    gpis_array a;
    assert_ok(context, gpis_npy_write(context, "base_out.npy", numbers, 6, 1, 1));
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const gpis_status status = gpis_npy_write(context, "base_out.npy", many, 1024, 1, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, GPIS_IO);
    assert_message(context, "base_out.npy: cannot be written: File too large");
    assert_int_equal(files_here(false), 1);
    assert_ok(context, gpis_npy_read(context, "base_out.npy", &a));
    assert_memory_equal(a.data, numbers, sizeof numbers);
    gpis_free(context, a.data);
    test_context_end(context, &memory);
}

static void test_finite(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double data[6] = {1, 2, 3, 4, 5, 6};
    const gpis_array a = {data, 3, 2, 2};
    assert_ok(context, gpis_array_finite(context, "y.npy", &a));
    data[5] = -INFINITY;
    assert_int_equal(gpis_array_finite(context, "y.npy", &a), GPIS_BAD_DATA);
    assert_string_equal(gpis_last_error(context), "y.npy: row 3, column 2 is -inf; remove or replace it");
    data[2] = NAN;
    assert_int_equal(gpis_array_finite(context, "y.npy", &a), GPIS_BAD_DATA);
    assert_message(context, "row 2, column 1 is nan");
    test_context_end(context, &memory);
}

static gpis_status read_and_free(gpis_context *context, void *user) {
    gpis_array a;
    const gpis_status status = gpis_npy_read(context, user, &a);
    gpis_free(context, a.data);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    write_npy(FILE_NAME, 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", floats, sizeof floats);
    assert_int_equal(test_every_allocation(read_and_free, FILE_NAME), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),      cmocka_unit_test(test_liars),       cmocka_unit_test(test_broken_prefix),
        cmocka_unit_test(test_not_files), cmocka_unit_test(test_write),       cmocka_unit_test(test_write_fails),
        cmocka_unit_test(test_finite),    cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
