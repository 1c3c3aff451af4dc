/*
 * Which caches are trusted. Each cache here is forged: its numbers are not those of the original, but all its checksums
 * are right. It is trusted if it belongs to this user and nobody else may write to it, which shows that the forgery is
 * good; and never otherwise. And an original is distinguished from another one with the same size, time and CRC-32.
 */
#include <dirent.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "base/checksum.h"
#include "source/cache.h"
#include "windows.h"

static const char *const folder = "trust_folder", *const original = "trust.csv";
enum { HONEST = 10, FORGED = 49 };

/* The only cache in the folder, or "" if there is none. */
static void find_cache(char *name, size_t capacity) {
    DIR *d = opendir(folder);
    assert_non_null(d);
    name[0] = '\0';
    for (struct dirent *entry; (entry = readdir(d));)
        if (entry->d_name[0] != '.') snprintf(name, capacity, "%s/%s", folder, entry->d_name);
    closedir(d);
}

static void empty_folder(void) {
    char name[512];
    mkdir(folder, 0777);
    for (find_cache(name, sizeof name); name[0]; find_cache(name, sizeof name)) assert_int_equal(unlink(name), 0);
}

static void write_original(const char *text) {
    const struct timeval times[2] = {{1000000, 0}, {1000000, 0}};
    write_text(original, text);
    assert_int_equal(utimes(original, times), 0);
}

/* The sum of the numbers of the original, as they are read. */
static double sum_of_rows(void) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    gpis_block block;
    double rows[64], sum = 0.0;
    gpis_open_options options = gpis_open_options_default();
    options.cache = folder;
    assert_ok(context, gpis_source_open_with(context, original, &options, &source));
    assert_ok(context, source->class->block(source, 0, source->n, NULL, &block));
    gpis_block_unpack(&block, rows);
    for (int64_t p = 0; p < source->n * source->d; p++) sum += rows[p];
    gpis_source_destroy(source);
    test_context_end(context, &memory);
    return sum;
}

/* Makes the cache of the original, and changes its first number from 1 to 40, with all checksums right. */
static void forge(char *name, size_t capacity) {
    gpis_cache_header h;
    gpis_cache_segment s;
    unsigned char bytes[4096];
    empty_folder();
    write_original("1,2\n3,4\n");
    assert_true(sum_of_rows() == HONEST);
    find_cache(name, capacity);
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    memcpy(&h, bytes, sizeof h);
    memcpy(&s, bytes + h.footer, sizeof s);
    const double wrong = 40.0;
    memcpy(bytes + s.offset, &wrong, sizeof wrong);
    s.crc = gpis_checksum(0, bytes + s.offset, 8 * s.entries);
    memcpy(bytes + h.footer, &s, sizeof s);
    h.footer_crc = gpis_checksum(0, bytes + h.footer, h.footer_bytes);
    h.header_crc = gpis_checksum(0, &h, offsetof(gpis_cache_header, header_crc));
    memcpy(bytes, &h, sizeof h);
    unlink(name);
    write_bytes(name, bytes, size);
    assert_int_equal(chmod(name, 0644), 0);
}

static void a_cache_of_ones_own_is_believed(void **state) {
    (void)state;
    char name[512];
    forge(name, sizeof name);
    assert_true(sum_of_rows() == FORGED);
    assert_int_equal(chmod(name, 0600), 0);
    assert_true(sum_of_rows() == FORGED);
}

static void a_cache_that_others_may_write_is_not_believed(void **state) {
    (void)state;
    static const mode_t modes[] = {0666, 0664, 0646, 0620, 0602, 0777};
    char name[512];
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct stat info;
        forge(name, sizeof name);
        assert_int_equal(chmod(name, modes[i]), 0);
        assert_true(sum_of_rows() == HONEST);
        assert_int_equal(stat(name, &info), 0); /* a valid one has taken its place */
        assert_int_equal(info.st_mode & 022, 0);
        assert_true(sum_of_rows() == HONEST);
    }
}

static void a_link_is_not_believed(void **state) {
    (void)state;
    char name[512];
    struct stat info;
    forge(name, sizeof name);
    assert_int_equal(rename(name, "trust_elsewhere"), 0);
    assert_int_equal(symlink("../trust_elsewhere", name), 0);
    assert_true(sum_of_rows() == HONEST);
    assert_int_equal(lstat(name, &info), 0);
    assert_true(S_ISREG(info.st_mode)); /* the link is gone, and the file that it pointed to is unchanged */
    assert_int_equal(stat("trust_elsewhere", &info), 0);
    assert_int_equal(unlink("trust_elsewhere"), 0);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(mkfifo(name, 0600), 0); /* a FIFO is not waited for, and is replaced */
    assert_true(sum_of_rows() == HONEST);
}

/* Only root can give files away: for other users this test has nothing to do. */
static void a_cache_of_a_stranger_is_not_believed(void **state) {
    (void)state;
    enum { STRANGER = 12345 };
    char name[512];
    if (geteuid() != 0) skip();
    forge(name, sizeof name);
    assert_int_equal(chown(name, STRANGER, (gid_t)-1), 0);
    assert_true(sum_of_rows() == HONEST);
    forge(name, sizeof name);
    assert_int_equal(chown(name, STRANGER, (gid_t)-1), 0);
    assert_int_equal(chown(original, STRANGER, (gid_t)-1), 0); /* whose owner could change the original as well */
    assert_true(sum_of_rows() == FORGED);
    assert_int_equal(chmod(name, 0664), 0);
    assert_true(sum_of_rows() == HONEST);
    assert_int_equal(unlink(original), 0);
}

/* Nobody else may write to a cache, whatever the umask; and users who may not read the original may not read it. */
static void caches_are_made_with_care(void **state) {
    (void)state;
    static const mode_t of_original[] = {0644, 0600, 0640, 0666, 0444}, expected[] = {0644, 0600, 0600, 0644, 0644};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char name[512];
        struct stat info;
        empty_folder();
        write_original("1,2\n3,4\n");
        assert_int_equal(chmod(original, of_original[i]), 0);
        const mode_t usual = umask(0);
        assert_true(sum_of_rows() == HONEST);
        umask(usual);
        find_cache(name, sizeof name);
        assert_int_equal(stat(name, &info), 0);
        assert_int_equal(info.st_mode & 0777, expected[i]);
        assert_int_equal(unlink(original), 0);
    }
}

typedef struct numbered {
    uint32_t crc, number;
} numbered;

static int compare(const void *a, const void *b) {
    const uint32_t x = ((const numbered *)a)->crc, y = ((const numbered *)b)->crc;
    return (x > y) - (x < y);
}

/* Two texts that differ and have the same CRC-32, found among some hundred thousand. */
static void originals_with_one_checksum_are_told_apart(void **state) {
    (void)state;
    enum { COUNT = 400000 };
    numbered *all = malloc(COUNT * sizeof *all);
    char text[2][64];
    int found = -1;
    assert_non_null(all);
    for (uint32_t i = 0; i < COUNT; i++) {
        const int length = snprintf(text[0], sizeof text[0], "0,%08u\n0,0\n", i * 251u);
        all[i] = (numbered){gpis_checksum(0, text[0], length), i * 251u};
    }
    qsort(all, COUNT, sizeof *all, compare);
    for (int i = 0; i + 1 < COUNT && found < 0; i++)
        if (all[i].crc == all[i + 1].crc) found = i;
    assert_true(found >= 0);
    empty_folder();
    for (int i = 0; i < 2; i++) {
        snprintf(text[i], sizeof text[i], "0,%08u\n0,0\n", all[found + i].number);
        write_original(text[i]);
        assert_true(sum_of_rows() == (double)all[found + i].number);
    }
    assert_int_equal(gpis_checksum(0, text[0], (int64_t)strlen(text[0])),
                     gpis_checksum(0, text[1], (int64_t)strlen(text[1])));
    free(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_of_ones_own_is_believed),
        cmocka_unit_test(a_cache_that_others_may_write_is_not_believed),
        cmocka_unit_test(a_link_is_not_believed),
        cmocka_unit_test(a_cache_of_a_stranger_is_not_believed),
        cmocka_unit_test(caches_are_made_with_care),
        cmocka_unit_test(originals_with_one_checksum_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
