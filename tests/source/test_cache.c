/*
 * The cache of text files: the same rows, y and names as without it, held and by windows; used while it is good, made
 * anew when the original or the cache is not what it was; and what happens when it cannot be written.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "windows.h"

enum { N = 20000, D = 6, LITTLE = 1 << 18 };
static const char *const folder = "cache_folder";

static double number(int64_t i, int64_t j) { return (double)((i * 7919 + j * 104729) % 100003) / 64.0 - 700.0; }

static void write_csv(const char *path, int64_t rows) {
    unlink(path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "a,b,the y,c,\"d, e\",f,g\n");
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < D; j++) {
            if (j == 2) fprintf(file, "%lld,", (long long)i); /* y */
            fprintf(file, "%.17g%c", number(i, j), j == D - 1 ? '\n' : ',');
        }
    assert_int_equal(fclose(file), 0);
}

/* Rows of very different lengths; the widest column comes last. */
static void write_svm(const char *path, double *all) {
    unlink(path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    memset(all, 0, N * D * sizeof *all);
    for (int64_t i = 0; i < N; i++) {
        fprintf(file, "%lld", (long long)i);
        for (int64_t j = 0; j < D; j++) {
            if (i % 900 > 300 || (j == D - 1 && i < 1000) || (i + j) % 3 == 0) continue;
            fprintf(file, " %lld:%.17g", (long long)j + 1, number(i, j));
            all[i * D + j] = number(i, j);
        }
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

static double *csv_numbers(void) {
    double *a = malloc(N * D * sizeof *a);
    assert_non_null(a);
    for (int64_t p = 0; p < N * D; p++) a[p] = number(p / D, p % D);
    return a;
}

/* How many files there are in the folder, temporary ones too; the last one's name is left in `name`. */
static int caches(char *name, size_t room) {
    DIR *d = opendir(folder);
    int count = 0;
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        if (entry->d_name[0] == '.') continue;
        count++;
        if (name) snprintf(name, room, "%s/%s", folder, entry->d_name);
    }
    closedir(d);
    return count;
}

static void empty_folder(void) {
    char name[512];
    mkdir(folder, 0777);
    while (caches(name, sizeof name) > 0) assert_int_equal(unlink(name), 0);
}

static gpis_open_options in_folder(int64_t memory, const char *target) {
    gpis_open_options options = gpis_open_options_default();
    options.memory = memory;
    options.target = target;
    options.cache = folder;
    return options;
}

/* Opens, checks everything, and returns whether the rows are resident. */
static bool check_open(const char *path, gpis_open_options options, const double *expected) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    int64_t k;
    assert_ok(context, gpis_source_open_with(context, path, &options, &source));
    const bool resident = source->resident;
    assert_int_equal(source->n, N);
    assert_int_equal(source->d, D);
    check_windows(context, source, expected);
    const double *y = gpis_source_target(source, &k);
    assert_int_equal(k, 1);
    for (int64_t i = 0; i < N; i++) assert_true(y[i] == (double)i);
    if (options.target) {
        assert_string_equal(gpis_source_column(source, 2), "c");
        assert_string_equal(gpis_source_column(source, 3), "d, e");
    } else {
        assert_null(gpis_source_column(source, 0));
    }
    assert_ok(context, gpis_source_audit(context, source));
    gpis_source_destroy(source);
    test_context_end(context, &memory);
    return resident;
}

static void test_same(void **state) {
    (void)state;
    double *a = csv_numbers(), *b = malloc(N * D * sizeof *b);
    write_csv("cache.csv", N);
    write_svm("cache.svm", b);
    for (int sparse = 0; sparse < 2; sparse++) {
        const char *path = sparse ? "cache.svm" : "cache.csv", *target = sparse ? NULL : "the y";
        const double *expected = sparse ? b : a;
        empty_folder();
        gpis_open_options plain = gpis_open_options_default();
        plain.target = target;
        assert_true(check_open(path, plain, expected));
        assert_int_equal(caches(NULL, 0), 0);
        assert_true(check_open(path, in_folder(0, target), expected)); /* made, and held all the same */
        assert_int_equal(caches(NULL, 0), 1);
        assert_true(check_open(path, in_folder(0, target), expected));
        assert_false(check_open(path, in_folder(LITTLE, target), expected));
        empty_folder();
        assert_false(check_open(path, in_folder(LITTLE, target), expected));
        assert_int_equal(caches(NULL, 0), 1);
        /* Beside the file, when the rows turn out to be too many. */
        plain.memory = LITTLE;
        assert_false(check_open(path, plain, expected));
        assert_false(check_open(path, plain, expected));
        char command[64];
        snprintf(command, sizeof command, "rm %s.*.gpis-cache", path);
        assert_int_equal(system(command), 0);
    }
    free(a);
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
