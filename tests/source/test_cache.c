/*
 * The cache of text files: the same rows, y and names as without it, held in memory and by windows; it is used while it
 * is valid, and replaced when the original or the cache has changed; and what happens when it cannot be written.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "calls.h"
#include "source/cache.h"
#include "windows.h"

enum { N = 20000, D = 6, SMALL_MEMORY = 1 << 18 }; /* bytes: too few for the rows */
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

/* The number of files in the folder, including temporary ones; the name of the last one is left in `name`. */
static int caches(char *name, size_t size) {
    DIR *d = opendir(folder);
    int count = 0;
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        if (entry->d_name[0] == '.') continue;
        count++;
        if (name) snprintf(name, size, "%s/%s", folder, entry->d_name);
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
        assert_true(check_open(path, in_folder(0, target),
                               expected)); /* the cache is written, and the rows are held in memory as well */
        assert_int_equal(caches(NULL, 0), 1);
        assert_true(check_open(path, in_folder(0, target), expected));
        assert_false(check_open(path, in_folder(SMALL_MEMORY, target), expected));
        empty_folder();
        assert_false(check_open(path, in_folder(SMALL_MEMORY, target), expected));
        assert_int_equal(caches(NULL, 0), 1);
        /* Beside the file, when the rows turn out to be too many. */
        plain.memory = SMALL_MEMORY;
        assert_false(check_open(path, plain, expected));
        assert_false(check_open(path, plain, expected));
        char command[64];
        snprintf(command, sizeof command, "rm %s.*.gpis-cache", path);
        assert_int_equal(system(command), 0);
    }
    free(a);
    free(b);
}

static void touch(const char *path, time_t seconds) {
    const struct timeval times[2] = {{seconds, 0}, {seconds, 0}};
    assert_int_equal(utimes(path, times), 0);
}

static size_t slurp(const char *path, unsigned char **bytes) {
    FILE *file = fopen(path, "rb");
    struct stat info;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    *bytes = malloc((size_t)info.st_size + 1);
    assert_non_null(*bytes);
    assert_int_equal(fread(*bytes, 1, (size_t)info.st_size, file), (size_t)info.st_size);
    fclose(file);
    return (size_t)info.st_size;
}

static ino_t inode(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_ino;
}

/* Opens the small file of the tests below; its sum shows which numbers were read. */
static double sum_of(const char *path, const char *target) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    gpis_block block;
    double rows[64], sum = 0;
    gpis_open_options options = in_folder(0, target);
    assert_ok(context, gpis_source_open_with(context, path, &options, &source));
    assert_true(source->n * source->d <= 64);
    assert_ok(context, source->class->block(source, 0, source->n, NULL, &block));
    gpis_block_unpack(&block, rows);
    for (int64_t p = 0; p < source->n * source->d; p++) sum += rows[p];
    const double *y = gpis_source_target(source, NULL);
    for (int64_t i = 0; y && i < source->n; i++) sum += 1000 * y[i];
    gpis_source_destroy(source);
    test_context_end(context, &memory);
    return sum;
}

/* Whatever changes about the original, the cache is replaced. */
static void test_original_changes(void **state) {
    (void)state;
    char name[512];
    empty_folder();
    write_text("small.csv", "1,2\n3,4\n");
    touch("small.csv", 1000000);
    assert_true(sum_of("small.csv", NULL) == 10);
    assert_int_equal(caches(name, sizeof name), 1);
    const ino_t first = inode(name);
    assert_true(sum_of("small.csv", NULL) == 10);
    assert_int_equal(inode(name), first); /* used */
    write_text("small.csv", "1,2\n3,5\n");
    touch("small.csv", 1000000); /* same size, same time, another byte */
    assert_true(sum_of("small.csv", NULL) == 11);
    write_text("small.csv", "1,2\n3,50\n");
    touch("small.csv", 1000000);
    assert_true(sum_of("small.csv", NULL) == 56);
    unsigned char *before, *after;
    const size_t size = slurp(name, &before);
    touch("small.csv", 1000001); /* same bytes, another time: it counts as another file */
    assert_true(sum_of("small.csv", NULL) == 56);
    assert_int_equal(slurp(name, &after), size);
    assert_true(memcmp(before, after, size) != 0);
    free(before);
    free(after);
    /* Another target is another cache. */
    assert_true(sum_of("small.csv", "1") == 4052);
    assert_true(sum_of("small.csv", "2") == 52004);
    assert_true(sum_of("small.csv", NULL) == 56);
    assert_int_equal(caches(NULL, 0), 3);
}

/* A cache with any one byte changed, cut anywhere or grown is not used. */
static void damage(const char *path, const char *text, double sum) {
    char name[512];
    unsigned char *bytes;
    empty_folder();
    write_text(path, text);
    assert_true(sum_of(path, NULL) == sum);
    assert_int_equal(caches(name, sizeof name), 1);
    const size_t size = slurp(name, &bytes);
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= (unsigned char)(1u << (at % 8));
        write_bytes(name, bytes, size);
        const ino_t damaged = inode(name);
        assert_true(sum_of(path, NULL) == sum);
        /* Bytes between segments, to align them, mean nothing. */
        if (inode(name) == damaged)
            assert_true(at >= sizeof(gpis_cache_header) && (bytes[at] & ~(1u << (at % 8))) == 0);
        bytes[at] ^= (unsigned char)(1u << (at % 8));
    }
    for (size_t cut = 0; cut <= size; cut += 3) {
        write_bytes(name, bytes, cut == size ? cut - 1 : cut);
        assert_true(sum_of(path, NULL) == sum);
    }
    bytes[size] = 0;
    write_bytes(name, bytes, size + 1);
    assert_true(sum_of(path, NULL) == sum);
    free(bytes);
    assert_int_equal(slurp(name, &bytes), size);
    free(bytes);
}

static void test_damage(void **state) {
    (void)state;
    damage("small.csv", "a,b\n1,2\n3,4\n", 10);
    damage("small.svm", "1 1:2 3:1\n2 2:5\n3\n4 1:7\n", 10015);
}

static gpis_status open_status(const char *path, gpis_open_options options, const char *part) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    const gpis_status status = gpis_source_open_with(context, path, &options, &source);
    if (status != GPIS_OK) {
        assert_null(source);
        assert_message(context, part);
    }
    gpis_source_destroy(source);
    test_context_end(context, &memory);
    return status;
}

/* The cache cannot be written: one line, and no file is left behind. */
static void test_cannot_write(void **state) {
    (void)state;
    gpis_open_options options = in_folder(SMALL_MEMORY, "the y");
    write_csv("cache.csv", N);
    empty_folder();
    options.cache = "cache_no_such_folder";
    assert_int_equal(
        open_status("cache.csv", options, "No such file or directory; name another folder for it (option cache)"),
        GPIS_IO);
    options.cache = folder;
    struct rlimit old, tight = {1 << 19, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    tight.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const gpis_status status = open_status("cache.csv", options, "cannot be written: File too large");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, GPIS_IO);
    assert_int_equal(caches(NULL, 0), 0);
    /* A bad row after the cache was begun: the message of the parser, and no cache. */
    FILE *file = fopen("cache.csv", "a");
    fprintf(file, "1,2,3\n");
    fclose(file);
    assert_int_equal(open_status("cache.csv", options, "line 20002 has 3 fields"), GPIS_BAD_SHAPE);
    assert_int_equal(caches(NULL, 0), 0);
}

static gpis_status open_little(gpis_context *context, void *path) {
    gpis_source *source;
    gpis_status status = GPIS_OK;
    for (int held = 0; held < 2 && status == GPIS_OK; held++) {
        for (int again = 0; again < 2 && status == GPIS_OK; again++) {
            gpis_open_options options = in_folder(held ? 0 : 64, NULL);
            status = gpis_source_open_with(context, path, &options, &source);
            if (status == GPIS_OK) status = gpis_source_audit(context, source);
            gpis_source_destroy(source);
        }
        empty_folder();
    }
    empty_folder();
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    write_text("small.csv", "a,b\n1,2\n3,4\n5,6\n7,8\n");
    write_text("small.svm", "1 1:2 3:1\n2 2:5\n3\n4 1:7\n");
    empty_folder();
    assert_true(test_every_allocation(open_little, "small.csv") > 20);
    assert_true(test_every_allocation(open_little, "small.svm") > 20);
    assert_int_equal(caches(NULL, 0), 0);
}

/* Sums over rows from the cache have the bits of those over rows that were parsed into memory. */
static void test_bits(void **state) {
    (void)state;
    double *b = malloc(N * D * sizeof *b);
    write_csv("cache.csv", N);
    write_svm("cache.svm", b);
    empty_folder();
    for (int sparse = 0; sparse < 2; sparse++) {
        double G[2][D], f[2], SA[2][50 * D];
        const double x[D] = {1, -2, 0.1, 4, 0.7, 1e-3};
        for (int cached = 0; cached < 2; cached++) {
            test_memory memory;
            gpis_context *context = test_context(&memory);
            gpis_source *source;
            gpis_open_options options = in_folder(SMALL_MEMORY, sparse ? NULL : "the y");
            if (!cached) options.memory = 0, options.cache = NULL;
            assert_ok(context, gpis_source_open_with(context, sparse ? "cache.svm" : "cache.csv", &options, &source));
            assert_int_equal(source->resident, !cached);
            const double *y = gpis_source_target(source, NULL);
            assert_ok(context, test_evaluate(context, source, y, 1, x, &f[cached], G[cached]));
            assert_ok(context, test_sketch(context, source, NULL, 0, "count", 50, 1, 0, SA[cached], NULL));
            gpis_source_destroy(source);
            test_context_end(context, &memory);
        }
        assert_memory_equal(G[0], G[1], sizeof G[0]);
        assert_memory_equal(SA[0], SA[1], sizeof SA[0]);
        assert_true(f[0] == f[1] && f[0] > 0);
    }
    free(b);
}

/* Parsing into a cache needs the memory of about one segment, however long the file is. */
static void test_memory_taken(void **state) {
    (void)state;
    gpis_context *context;
    gpis_source *source;
    gpis_open_options options = in_folder(0, "the y");
    write_csv("cache.csv", N);
    empty_folder();
    assert_int_equal(gpis_context_create(&context), GPIS_OK);
    const int64_t limit = 4 << 20; /* a segment and what it takes to parse and to check one */
    assert_ok(context, gpis_context_set_memory(context, limit));
    options.memory = SMALL_MEMORY;
    assert_ok(context, gpis_source_open_with(context, "cache.csv", &options, &source));
    assert_false(source->resident);
    assert_true(gpis_context_memory_peak(context) <= limit);
    gpis_source_destroy(source);
    gpis_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),         cmocka_unit_test(test_original_changes), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_cannot_write), cmocka_unit_test(test_allocations),      cmocka_unit_test(test_bits),
        cmocka_unit_test(test_memory_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
