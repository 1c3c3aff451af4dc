/*
 * HDF5 files in which a search for data sets would never end, or would go down until the stack is full: groups nested
 * thousands deep, and groups that contain each other. libhdf5 recognises a group that it has seen by its count of
 * links; if a damaged file has the wrong count, it never ends. Such files are refused with one line, but an object that
 * is named is still found.
 */
#include "hdf5_files.h"

static void ignore(void *user, const gpis_content *content) {
    (void)content;
    ++*(long *)user;
}

/* Listing the file fails with this message, but /A can be opened by its name. */
static void refused(const char *path, const char *reason) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    char name[64];
    long reported = 0;
    assert_int_equal(gpis_file_contents(context, path, ignore, &reported), GPIS_BAD_DATA);
    assert_message(context, reason);
    assert_message(context, path);
    snprintf(name, sizeof name, "%s:/A", path);
    assert_ok(context, gpis_source_open(context, name, NULL, &source));
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

static hid_t new_file_with_A(const char *path) {
    static const double a[4] = {1, 2, 3, 4};
    const hid_t file = new_file(path);
    put_doubles(file, "A", 2, 2, (storage){0}, a);
    return file;
}

static void nested(const char *path, int depth) {
    const hid_t file = new_file_with_A(path);
    hid_t group = file;
    for (int i = 0; i < depth; i++) {
        const hid_t next = H5Gcreate2(group, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(next >= 0);
        if (group != file) H5Gclose(group);
        group = next;
    }
    H5Gclose(group);
    H5Fclose(file);
}

static void test_deep(void **state) {
    (void)state;
    nested("deep.h5", 20000);
    refused("deep.h5", "nested more than 64 deep");
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    assert_int_equal(gpis_source_open(context, "deep.h5", NULL, &source), GPIS_BAD_DATA);
    assert_message(context, "nested more than 64 deep");
    assert_int_equal(gpis_source_open(context, "deep.h5:/nothing", NULL, &source), GPIS_BAD_ARGUMENT);
    assert_message(context, "there is nothing of that name in the file");
    /* As deep as real files are. */
    nested("deep.h5", 60);
    assert_ok(context, gpis_source_open(context, "deep.h5", NULL, &source));
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

static void test_long_names(void **state) {
    (void)state;
    char name[2000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const hid_t file = new_file_with_A("names.h5");
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    refused("names.h5", "longer than 1022 characters");
}

/* Writes 1 over the count of links in the head of a group: version 1 of it, which has no checksum. */
static void forget_links(const char *path, const haddr_t *groups, int count) {
    const uint32_t one = 1;
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    for (int i = 0; i < count; i++) {
        assert_int_equal(fseek(file, (long)groups[i], SEEK_SET), 0);
        assert_int_equal(getc(file), 1);
        assert_int_equal(fseek(file, (long)groups[i] + 4, SEEK_SET), 0);
        assert_int_equal(fwrite(&one, sizeof one, 1, file), 1);
    }
    assert_int_equal(fclose(file), 0);
}

static haddr_t address(hid_t file, const char *group) {
    H5O_info_t info;
    assert_true(H5Oget_info_by_name(file, group, &info, H5P_DEFAULT) >= 0);
    return info.addr;
}

static void test_loops(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    const hid_t file = new_file_with_A("loop.h5");
    H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_hard(file, "g", file, "g/itself", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/g/soft", file, "g/soft", H5P_DEFAULT, H5P_DEFAULT);
    const haddr_t g = address(file, "g");
    H5Fclose(file);
    assert_ok(context, gpis_source_open(context, "loop.h5", NULL, &source)); /* an undamaged file may contain a loop */
    gpis_source_destroy(source);
    test_context_end(context, &memory);
    forget_links("loop.h5", &g, 1);
    refused("loop.h5", "nested more than 64 deep");
}

/* Each group holds the next one twice: 2^40 paths, none of them long. */
static void test_many_paths(void **state) {
    (void)state;
    enum { LEVELS = 40 };
    haddr_t groups[LEVELS];
    char name[16], link[32];
    const hid_t file = new_file_with_A("paths.h5");
    for (int i = 0; i < LEVELS; i++) {
        snprintf(name, sizeof name, "g%d", i);
        H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        groups[i] = address(file, name);
        for (int k = 0; i > 0 && k < 2; k++) {
            snprintf(link, sizeof link, "g%d/%d", i - 1, k);
            assert_true(H5Lcreate_hard(file, name, file, link, H5P_DEFAULT, H5P_DEFAULT) >= 0);
        }
    }
    H5Fclose(file);
    forget_links("paths.h5", groups, LEVELS);
    refused("paths.h5", "more than 65536 things");
}

int main(void) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_deep), cmocka_unit_test(test_long_names),
                                       cmocka_unit_test(test_loops), cmocka_unit_test(test_many_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
