/* Columns of a table that are y, weights and offset: any of them, in any order, held in memory, read at each pass,
 * through the cache, in slices and in joined parts. */
#include "windows.h"

enum { ROWS = 5, PARTS = 2 };

/* Row i has a = i, o = i + 0.25, y = i + 0.5, w = i + 0.75 and b = -i. */
static const char table[] = "a,o,y,w,b\n0,0.25,0.5,0.75,0\n1,1.25,1.5,1.75,-1\n2,2.25,2.5,2.75,-2\n3,3.25,3.5,3.75,-3\n"
                            "4,4.25,4.5,4.75,-4\n";

/* numbers[i] must be first + i + step; NULL where the role was not asked for. */
static void check_label(const double *numbers, bool wanted, int64_t first, int64_t rows, double step) {
    assert_true((numbers != NULL) == wanted);
    for (int64_t i = 0; wanted && i < rows; i++) assert_true(numbers[i] == (double)(first + i) + step);
}

/* The bits of `roles`: y, weights, offset. */
static void check_labels(const gpis_source *source, unsigned roles, int64_t first, int64_t rows) {
    int64_t k;
    check_label(gpis_source_target(source, &k), roles & 1, first, rows, 0.5);
    assert_int_equal(k, roles & 1);
    check_label(gpis_source_weights(source), roles & 2, first, rows, 0.75);
    check_label(gpis_source_offset(source), roles & 4, first, rows, 0.25);
}

static gpis_open_options ask_for(unsigned roles) {
    gpis_open_options options = gpis_open_options_default();
    options.target = roles & 1 ? "y" : NULL;
    options.weights = roles & 2 ? "w" : NULL;
    options.offset = roles & 4 ? "2" : NULL;
    return options;
}

static void check_parts(gpis_context *context, gpis_source *source, unsigned roles) {
    gpis_source *slices[PARTS], *joined;
    assert_ok(context, gpis_source_slice(context, source, 2, 3, &slices[0]));
    assert_ok(context, gpis_source_slice(context, source, 0, 2, &slices[1]));
    check_labels(slices[0], roles, 2, 3);
    check_labels(slices[1], roles, 0, 2);
    gpis_source *order[PARTS] = {slices[1], slices[0]};
    assert_ok(context, gpis_source_join(context, order, PARTS, NULL, &joined));
    check_labels(joined, roles, 0, ROWS);
    gpis_source_destroy(joined);
    for (int i = 0; i < PARTS; i++) gpis_source_destroy(slices[i]);
}

static void test_roles(void **state) {
    (void)state;
    write_text("labels.csv", table);
    for (unsigned roles = 0; roles < 8; roles++) {
        gpis_open_options options = ask_for(roles);
        if (system("rm -rf labels_cache && mkdir labels_cache") != 0) fail();
        for (int way = 0; way < 4; way++) { /* held; read at each pass, new and from the cache; held from the cache */
            test_memory memory;
            gpis_context *context = test_context(&memory);
            gpis_source *source;
            options.cache = way > 0 ? "labels_cache" : NULL;
            options.memory = way == 1 || way == 2 ? 16 : 0;
            assert_ok(context, gpis_source_open_with(context, "labels.csv", &options, &source));
            assert_int_equal(source->resident, options.memory == 0);
            assert_int_equal(source->d, 5 - (roles & 1) - (roles >> 1 & 1) - (roles >> 2 & 1));
            check_labels(source, roles, 0, ROWS);
            check_parts(context, source, roles);
            gpis_source_destroy(source);
            test_context_end(context, &memory);
        }
    }
}

/* Text that names no column changes nothing, in the cache either, where another column may be found. */
static void test_no_column(void **state) {
    (void)state;
    write_text("labels.csv", table);
    if (system("rm -rf labels_cache && mkdir labels_cache") != 0) fail();
    for (int turn = 0; turn < 2; turn++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        gpis_source *source;
        gpis_open_options options = ask_for(1 | 4);
        options.weights = "weights.npy";
        options.cache = "labels_cache";
        assert_ok(context, gpis_source_open_with(context, "labels.csv", &options, &source));
        assert_int_equal(source->d, 3);
        check_labels(source, 1 | 4, 0, ROWS);
        gpis_source_destroy(source);
        test_context_end(context, &memory);
    }
}

/* Parts that differ in what they carry are not joined. */
static void test_uneven(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *parts[PARTS], *joined;
    gpis_open_options options = ask_for(2);
    write_text("labels.csv", table);
    assert_ok(context, gpis_source_open_with(context, "labels.csv", &options, &parts[0]));
    options = ask_for(4);
    assert_ok(context, gpis_source_open_with(context, "labels.csv", &options, &parts[1]));
    assert_int_equal(gpis_source_join(context, parts, PARTS, NULL, &joined), GPIS_BAD_SHAPE);
    assert_message(context, "only one has the column of the weights or of the offset");
    for (int i = 0; i < PARTS; i++) gpis_source_destroy(parts[i]);
    test_context_end(context, &memory);
}

static gpis_status open_slice(gpis_context *context, void *path) {
    gpis_source *source, *slice = NULL;
    const gpis_open_options options = ask_for(7);
    gpis_status status = gpis_source_open_with(context, path, &options, &source);
    if (status == GPIS_OK) status = gpis_source_slice(context, source, 1, 3, &slice);
    gpis_source_destroy(slice);
    gpis_source_destroy(source);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    write_text("labels.csv", table);
    assert_true(test_every_allocation(open_slice, "labels.csv") > 10);
    assert_null(gpis_source_weights(NULL));
    assert_null(gpis_source_offset(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_no_column),
        cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
