/*
 * Summaries in files: what is loaded is what was saved, to the last bit; every damaged byte and every length but the
 * right one is refused in one line; other files are refused; the file is whole or not there.
 */
#include "summary/summaries.h"

#include <sys/stat.h>

static const char *const PATH = "summary.tmp.npz";

static unsigned char *read_all(const char *path, int64_t *size) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    rewind(f);
    unsigned char *bytes = malloc((size_t)*size);
    assert_int_equal(fread(bytes, 1, (size_t)*size, f), *size);
    fclose(f);
    return bytes;
}

static void write_all(const char *path, const unsigned char *bytes, int64_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, (size_t)size, f), size);
    fclose(f);
}

static void check_equal(const gpis_summary *a, const gpis_summary *b) {
    const int64_t p = a->d + 1 + a->k;
    assert_int_equal(a->d, b->d);
    assert_int_equal(a->k, b->k);
    assert_int_equal(a->folds, b->folds);
    assert_int_equal(a->weighted, b->weighted);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->given_folds, b->given_folds);
    assert_true(a->seed == b->seed);
    assert_int_equal(a->A->n, b->A->n);
    for (int64_t f = 0; f < a->folds; f++) {
        assert_memory_equal(a->fold[f]->W, b->fold[f]->W, (size_t)(2 * p * p) * sizeof(double));
        assert_true(a->fold[f]->gamma == b->fold[f]->gamma);
        assert_true(a->fold[f]->response_error == b->fold[f]->response_error);
        assert_int_equal(a->rows[f], b->rows[f]);
    }
    for (int64_t c = 0; c < a->k; c++) {
        const char *x = gpis_summary_response(a, c), *y = gpis_summary_response(b, c);
        assert_true(!x == !y && (!x || strcmp(x, y) == 0));
    }
    for (int64_t j = 0; j < a->d; j++) {
        const char *x = gpis_summary_column(a, j), *y = gpis_summary_column(b, j);
        assert_true(!x == !y && (!x || strcmp(x, y) == 0));
    }
}

static gpis_summary *some(gpis_context *context, int64_t k, int64_t folds) {
    static const char *const names[] = {"sales, \"net\"", "\xc3\xbc"};
    table t = summaries_table(200, 4, k, 0.2);
    t.folds = folds;
    t.weighted = t.shifted = folds > 1;
    gpis_summary *s = summaries_make(context, &t, 0, 0, t.n, folds == 5);
    assert_ok(context, gpis_summary_name_responses(s, names));
    summaries_free(&t);
    return s;
}

static void test_same(void **state) {
    (void)state;
    for (int64_t folds = 1; folds <= 5; folds += 2) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        gpis_summary *s = some(context, 1 + folds % 2, folds), *loaded;
        assert_ok(context, gpis_summary_save(s, PATH));
        assert_true(gpis_is_summary(PATH));
        assert_ok(context, gpis_summary_load(context, PATH, &loaded));
        check_equal(s, loaded);
        gpis_summary_destroy(s);
        gpis_summary_destroy(loaded);
        test_context_end(context, &memory);
        unlink(PATH);
    }
}

static gpis_source *open_table(gpis_context *context, const char *path) {
    gpis_open_options options = gpis_open_options_default();
    gpis_source *source;
    options.target = "y";
    options.categorical = "b";
    assert_ok(context, gpis_source_open_with(context, path, &options, &source));
    return source;
}

/* Names and levels of a table go along. */
static void test_table(void **state) {
    (void)state;
    const char *text = "a,b,y\n1,north,2\n2,south,3\n4,north,1\n0,east,2\n5,south,4\n3,east,7\n";
    const char *path = "summary.tmp.csv";
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_summary *s, *loaded;
    gpis_problem *problem;
    int64_t k;
    write_all(path, (const unsigned char *)text, (int64_t)strlen(text));
    gpis_source *source = open_table(context, path);
    assert_ok(context, gpis_problem_create(context, source, &problem));
    assert_ok(context, gpis_problem_response(problem, gpis_source_target(source, &k), 6, 1));
    assert_ok(context, gpis_summary_make(problem, NULL, &s));
    assert_ok(context, gpis_summary_save(s, PATH));
    assert_ok(context, gpis_summary_load(context, PATH, &loaded));
    check_equal(s, loaded);
    assert_string_equal(gpis_summary_column(loaded, 0), "a");
    assert_non_null(gpis_source_encoding(loaded->A));
    char before[512], after[512];
    gpis_encoding_text(gpis_source_encoding(s->A), before, sizeof before);
    gpis_encoding_text(gpis_source_encoding(loaded->A), after, sizeof after);
    assert_string_equal(before, after);
    gpis_summary_destroy(s);
    gpis_summary_destroy(loaded);
    gpis_problem_destroy(problem);
    gpis_source_destroy(source);
    test_context_end(context, &memory);
    unlink(path);
    unlink(PATH);
}

/* ---- damage ---- */

static void refuse(gpis_context *context, const char *path) {
    gpis_summary *loaded;
    const gpis_status status = gpis_summary_load(context, path, &loaded);
    if (status != GPIS_BAD_DATA && status != GPIS_IO) fail_msg("%s: status %d", path, status);
    assert_null(loaded);
    assert_true(strstr(gpis_last_error(context), path) != NULL);
    assert_null(strchr(gpis_last_error(context), '\n'));
}

static void test_damage(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_summary *s = some(context, 1, 2);
    int64_t size;
    assert_ok(context, gpis_summary_save(s, PATH));
    unsigned char *bytes = read_all(PATH, &size);
    for (int64_t at = 0; at < size; at += at < 300 || at > size - 1200 ? 1 : 7) { /* any byte that is changed */
        bytes[at] ^= 1 << at % 8;
        write_all(PATH, bytes, size);
        refuse(context, PATH);
        bytes[at] ^= 1 << at % 8;
    }
    for (int64_t cut = 1; cut < size; cut += 97) { /* any end that is missing */
        write_all(PATH, bytes, size - cut);
        refuse(context, PATH);
    }
    write_all(PATH, bytes, size);
    FILE *f = fopen(PATH, "ab"); /* something behind it */
    fputc(0, f);
    fclose(f);
    refuse(context, PATH);
    free(bytes);
    gpis_summary_destroy(s);
    test_context_end(context, &memory);
    unlink(PATH);
}

static void test_others(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const double y[] = {1.0, 2.0};
    gpis_summary *s = some(context, 1, 1), *loaded;
    assert_ok(context, gpis_array_write(context, PATH, y, 2, 1, 1));
    assert_false(gpis_is_summary(PATH));
    refuse(context, PATH);
    assert_false(gpis_is_summary("no such file"));
    assert_int_equal(gpis_summary_load(context, "no such file", &loaded), GPIS_IO);
    assert_int_equal(gpis_summary_load(context, ".", &loaded), GPIS_IO);
    assert_false(gpis_is_summary("."));
    /* An existing file stays as it is where the new one cannot be written. */
    assert_int_equal(gpis_summary_save(s, "no such folder/s"), GPIS_IO);
    gpis_summary_destroy(s);
    test_context_end(context, &memory);
    unlink(PATH);
}

static gpis_status save_and_load(gpis_context *context, void *user) {
    (void)user;
    gpis_summary *s = NULL;
    gpis_status status = gpis_summary_load(context, PATH, &s);
    if (status == GPIS_OK) status = gpis_summary_save(s, "again.tmp.npz");
    gpis_summary_destroy(s);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_summary *s = some(context, 2, 3);
    assert_ok(context, gpis_summary_save(s, PATH));
    gpis_summary_destroy(s);
    test_context_end(context, &memory);
    assert_true(test_every_allocation(save_and_load, NULL) > 10);
    unlink(PATH);
    unlink("again.tmp.npz");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),   cmocka_unit_test(test_table),     cmocka_unit_test(test_damage),
        cmocka_unit_test(test_others), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
