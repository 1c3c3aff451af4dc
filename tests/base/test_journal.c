/* The journal: what was appended is read back, whatever happens to the end of the file. */
#include "base/journal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support.h"

enum { RECORDS = 6, FILE_HEAD = 16, RECORD_HEAD = 16 };
static const char PATH[] = "journal.test";

static int64_t length_of(int i) { return i == 3 ? 100000 : 7 * i; } /* one of no bytes, one longer than a buffer */

static void fill(char *bytes, int i) {
    for (int64_t j = 0; j < length_of(i); j++) bytes[j] = (char)(31 * i + j * j);
}

static gpis_journal *start(gpis_context *context, double every) {
    char first[] = "first";
    const gpis_journal_part parts[] = {{first, 2}, {first + 2, 3}};
    gpis_journal *j = NULL;
    unlink(PATH);
    assert_ok(context, gpis_journal_create(context, PATH, every, 9, parts, 2, &j));
    return j;
}

static void append(gpis_journal *j, int i) {
    char *bytes = malloc((size_t)length_of(i) + 1);
    fill(bytes, i);
    const gpis_journal_part parts[] = {{bytes, length_of(i) / 3},
                                       {bytes + length_of(i) / 3, length_of(i) - length_of(i) / 3}};
    gpis_journal_append(j, (uint32_t)i + 1, parts, 2);
    free(bytes);
}

static void write_all(gpis_context *context) {
    gpis_journal *j = start(context, 0.0);
    for (int i = 0; i < RECORDS; i++) append(j, i);
    assert_string_equal(j->trouble, "");
    gpis_journal_close(j);
}

static int64_t size_of_file(void) {
    struct stat info;
    assert_int_equal(stat(PATH, &info), 0);
    return info.st_size;
}

/* Reads the first record and as many of the others as there are; returns how many. */
static int read_all(gpis_journal *j) {
    gpis_journal_record record;
    char first[5], *got = malloc(200000), *expected = malloc(200000);
    assert_true(gpis_journal_next(j, INT64_MAX, &record));
    assert_true(record.kind == 9 && record.length == 5);
    assert_ok(j->context, gpis_journal_read(j, &(gpis_journal_part){first, 5}, 1));
    assert_memory_equal(first, "first", 5);
    int i = 0;
    for (; gpis_journal_next(j, INT64_MAX, &record); i++) {
        assert_true(record.kind == (uint32_t)i + 1 && record.length == length_of(i));
        assert_ok(j->context, gpis_journal_read(j, &(gpis_journal_part){got, record.length}, 1));
        fill(expected, i);
        assert_memory_equal(got, expected, (size_t)record.length);
    }
    free(got);
    free(expected);
    return i;
}

static void what_was_written_is_read(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    write_all(context);
    gpis_journal *j = NULL;
    assert_ok(context, gpis_journal_open(context, PATH, 10.0, &j));
    assert_int_equal(read_all(j), RECORDS);
    assert_true(j->at == j->size && !j->damaged);
    gpis_journal_close(j);
    gpis_journal_close(NULL);
    test_context_end(context, &memory);
}

/* Cut at any byte, read the complete records, append the rest: the file is the same as before. */
static void a_torn_end_is_written_over(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    write_all(context);
    const int64_t whole = size_of_file();
    const int64_t cuts[] = {FILE_HEAD + RECORD_HEAD + 5,
                            FILE_HEAD + RECORD_HEAD + 6,
                            whole - 1,
                            whole - 20,
                            whole - 80,
                            whole - 50000,
                            FILE_HEAD + 2 * RECORD_HEAD + 5,
                            100,
                            130};
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
        write_all(context);
        assert_int_equal(truncate(PATH, cuts[c]), 0);
        gpis_journal *j = NULL;
        assert_ok(context, gpis_journal_open(context, PATH, 10.0, &j));
        const int kept = read_all(j);
        assert_true(kept < RECORDS && !j->damaged);
        for (int i = kept; i < RECORDS; i++) append(j, i);
        gpis_journal_close(j);
        assert_int_equal(size_of_file(), whole);
        assert_ok(context, gpis_journal_open(context, PATH, 10.0, &j));
        assert_int_equal(read_all(j), RECORDS);
        gpis_journal_close(j);
    }
    test_context_end(context, &memory);
}

/* Any single bit flipped after the first record ends the journal there, or changes nothing that is read. */
static void flipped_bits_are_seen(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const int64_t first_end = FILE_HEAD + RECORD_HEAD + 5;
    for (int64_t at = first_end; at < first_end + 3 * RECORD_HEAD + 21; at++) {
        write_all(context);
        const int fd = open(PATH, O_RDWR);
        char byte;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte ^= (char)(1 << (at % 8));
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        close(fd);
        gpis_journal *j = NULL;
        assert_ok(context, gpis_journal_open(context, PATH, 10.0, &j));
        const int kept = read_all(j);
        assert_true(kept <= 2);
        append(j, kept); /* what followed the damaged record is not found again */
        gpis_journal_close(j);
        assert_ok(context, gpis_journal_open(context, PATH, 10.0, &j));
        assert_int_equal(read_all(j), kept + 1);
        assert_true(j->at == j->size);
        gpis_journal_close(j);
    }
    test_context_end(context, &memory);
}

static void refuse(gpis_context *context, const void *bytes, size_t size, gpis_status expected, const char *word) {
    gpis_journal *j = (gpis_journal *)1;
    FILE *f = fopen(PATH, "wb");
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
    assert_int_equal(gpis_journal_open(context, PATH, 1.0, &j), expected);
    assert_null(j);
    if (!strstr(gpis_last_error(context), word)) fail_msg("'%s' has no '%s'", gpis_last_error(context), word);
}

static void other_files_are_refused(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_journal *j = NULL;
    refuse(context, "", 0, GPIS_BAD_DATA, "only 0 bytes");
    refuse(context, "gpis-jou", 8, GPIS_BAD_DATA, "only 8 bytes");
    refuse(context, "\x93NUMPY and so on, for long", 26, GPIS_BAD_DATA, "is not a checkpoint of gpis");
    refuse(context, "gpis-journal\2\0\0\0", 16, GPIS_BAD_DATA, "version 2");
    unlink(PATH);
    assert_int_equal(gpis_journal_open(context, PATH, 1.0, &j), GPIS_IO);
    assert_int_equal(gpis_journal_open(context, ".", 1.0, &j), GPIS_IO);
    assert_int_equal(gpis_journal_open(context, "/dev/null", 1.0, &j), GPIS_IO);
    assert_non_null(strstr(gpis_last_error(context), "regular file"));
    assert_int_equal(gpis_journal_create(context, "no/such/folder", 1.0, 1, NULL, 0, &j), GPIS_IO);
    j = start(context, 1.0); /* while one process has it open, another cannot open it */
    gpis_journal *other = NULL;
    assert_int_equal(gpis_journal_open(context, PATH, 1.0, &other), GPIS_IO);
    assert_non_null(strstr(gpis_last_error(context), "another solve"));
    gpis_journal_close(j);
    assert_ok(context, gpis_journal_open(context, PATH, 1.0, &other));
    gpis_journal_close(other);
    test_context_end(context, &memory);
}

/* A full disk: complete records stay complete, and nothing is appended after a gap. */
static void a_full_disk_harms_nothing(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    struct rlimit usual, low;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &usual);
    gpis_journal *j = start(context, 0.0);
    low = usual;
    low.rlim_cur = 5000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    for (int i = 0; i < RECORDS; i++) append(j, i); /* number 3 is too long, those after it would fit */
    setrlimit(RLIMIT_FSIZE, &usual);
    assert_true(j->failed && strstr(j->trouble, "cannot be written") != NULL);
    gpis_journal_close(j);
    assert_ok(context, gpis_journal_open(context, PATH, 0.0, &j));
    assert_int_equal(read_all(j), 3);
    assert_true(j->at == j->size);
    for (int i = 3; i < RECORDS; i++) append(j, i);
    gpis_journal_close(j);
    assert_ok(context, gpis_journal_open(context, PATH, 0.0, &j));
    assert_int_equal(read_all(j), RECORDS);
    gpis_journal_close(j);
    test_context_end(context, &memory);
}

/* If the file is removed, or replaced by another of the same name, its records are lost: that is reported at the end.
 */
static void a_lost_file_is_told(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int replaced = -1; replaced < 2; replaced++) {
        gpis_journal *j = start(context, 0.0);
        append(j, 1);
        if (replaced >= 0) unlink(PATH);
        if (replaced == 1) close(open(PATH, O_WRONLY | O_CREAT, 0666));
        append(j, 2);
        assert_false(j->failed);
        gpis_journal_finish(j);
        assert_int_equal(j->failed, replaced >= 0);
        assert_int_equal(strstr(j->trouble, "was removed, moved or replaced") != NULL, replaced >= 0);
        gpis_journal_close(j);
    }
    unlink(PATH);
    test_context_end(context, &memory);
}

static gpis_status make_and_open(gpis_context *context, void *user) {
    (void)user;
    gpis_journal *j = NULL;
    char byte = 1;
    unlink(PATH);
    const gpis_status status = gpis_journal_create(context, PATH, 1.0, 1, &(gpis_journal_part){&byte, 1}, 1, &j);
    gpis_journal_close(j);
    return status;
}

static void memory_failures_are_clean(void **state) {
    (void)state;
    assert_true(test_every_allocation(make_and_open, NULL) >= 2);
}

static int remove_file(void **state) {
    (void)state;
    unlink(PATH);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),  cmocka_unit_test(a_torn_end_is_written_over),
        cmocka_unit_test(flipped_bits_are_seen),     cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_full_disk_harms_nothing), cmocka_unit_test(a_lost_file_is_told),
        cmocka_unit_test(memory_failures_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
