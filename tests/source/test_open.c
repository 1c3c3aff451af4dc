/* Opening by format, from pipes, and with a progress function, which is called and can stop the reading. */
#include <sys/stat.h>
#include <sys/wait.h>

#include "windows.h"

static const double six[6] = {1, 2, 3, 4, 5, 6};

/* ---- pipes ---------------------------------------------------------------------------------------------------------
 */

/* A pipe that another process writes `bytes` to, `times` over, with a pause before each time but the first. */
typedef struct sender {
    int fd;
    pid_t process;
    char path[32];
} sender;

static sender send_bytes(const void *bytes, size_t size, int times, int milliseconds) {
    int ends[2];
    sender s;
    assert_int_equal(pipe(ends), 0);
    s.process = fork();
    assert_true(s.process >= 0);
    if (s.process == 0) {
        close(ends[0]);
        for (int k = 0; k < times; k++) {
            if (k > 0) usleep((useconds_t)milliseconds * 1000);
            for (size_t done = 0; done < size;) {
                const ssize_t put = write(ends[1], (const char *)bytes + done, size - done);
                if (put <= 0) _exit(1);
                done += (size_t)put;
            }
        }
        _exit(0);
    }
    close(ends[1]);
    s.fd = ends[0];
    snprintf(s.path, sizeof s.path, "/dev/fd/%d", s.fd);
    return s;
}

static void end_sender(sender *s) {
    close(s->fd);
    waitpid(s->process, NULL, 0);
}

static void test_pipes(void **state) {
    (void)state;
    unsigned char image[512];
    const char *csv = "a,b,c\n1,2,3\n4,5,6\n", *svm = "0 1:1 2:2 3:3\n0 1:4 2:5 3:6\n";
    const char *mtx = "%%MatrixMarket matrix array real general\n2 3\n1\n4\n2\n5\n3\n6\n";
    const size_t size = npy_image(image, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 64, six, 48);
    const struct {
        const char *format;
        const void *bytes;
        size_t size;
    } cases[] = {
        {"csv", csv, strlen(csv)}, {"svm", svm, strlen(svm)}, {"MTX", mtx, strlen(mtx)}, {".npy", image, size}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        gpis_open_options options = gpis_open_options_default();
        gpis_source *source;
        double rows[6];
        options.format = cases[k].format;
        sender s = send_bytes(cases[k].bytes, cases[k].size, 1, 0);
        assert_ok(context, gpis_source_open_with(context, s.path, &options, &source));
        assert_ok(context, gpis_source_rows(context, source, 0, 2, rows));
        assert_memory_equal(rows, six, sizeof six);
        gpis_source_destroy(source);
        end_sender(&s);
        if (strcmp(cases[k].format, "csv") == 0 || strcmp(cases[k].format, ".npy") == 0) {
            gpis_array array;
            s = send_bytes(cases[k].bytes, cases[k].size, 1, 0);
            assert_ok(context, gpis_array_read_with(context, s.path, &options, &array));
            assert_memory_equal(array.data, six, sizeof six);
            gpis_array_clear(context, &array);
            end_sender(&s);
        }
        test_context_end(context, &memory);
    }
}

/* Bytes after the numbers of a .npy file are not waited for; missing numbers are reported. */
static void test_npy_pipe(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_open_options options = gpis_open_options_default();
    gpis_source *source;
    static unsigned char image[200000];
    options.format = "npy";
    npy_image(image, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 64, six, 48);
    sender s = send_bytes(image, sizeof image, 1000000, 0); /* 200 GB, if they were read */
    assert_ok(context, gpis_source_open_with(context, s.path, &options, &source));
    gpis_source_destroy(source);
    end_sender(&s);
    s = send_bytes(image, 128 + 47, 1, 0);
    assert_int_equal(gpis_source_open_with(context, s.path, &options, &source), GPIS_BAD_DATA);
    assert_message(context, "48 bytes, but the file has 47");
    end_sender(&s);
    s = send_bytes("no numpy", 8, 100000000, 0);
    assert_int_equal(gpis_source_open_with(context, s.path, &options, &source), GPIS_BAD_DATA);
    assert_message(context, "signature");
    end_sender(&s);
    test_context_end(context, &memory);
}

/* ---- formats -------------------------------------------------------------------------------------------------------
 */

static void test_formats(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_open_options options = gpis_open_options_default();
    gpis_source *source;
    gpis_array array;
    double rows[6];
    write_text("open_plain", "1,2,3\n4,5,6\n");
    options.format = "csv";
    assert_ok(context, gpis_source_open_with(context, "open_plain", &options, &source));
    assert_ok(context, gpis_source_rows(context, source, 0, 2, rows));
    assert_memory_equal(rows, six, sizeof six);
    gpis_source_destroy(source);
    write_gzip("open_plain", "1 2 3\n4 5 6\n"); /* gzipped without saying so, and with blanks between */
    options.format = "txt";
    assert_ok(context, gpis_source_open_with(context, "open_plain", &options, &source));
    assert_int_equal(source->d, 3);
    gpis_source_destroy(source);
    options.format = "csv";
    assert_int_equal(gpis_source_open_with(context, "open_plain", &options, &source), GPIS_BAD_DATA);
    options.format = "xls";
    assert_int_equal(gpis_source_open_with(context, "open_plain", &options, &source), GPIS_BAD_ARGUMENT);
    assert_message(context, "there is no format 'xls'");
    assert_int_equal(gpis_array_read_with(context, "open_plain", &options, &array), GPIS_BAD_ARGUMENT);
    options.format = "mtx";
    assert_int_equal(gpis_array_read_with(context, "open_plain", &options, &array), GPIS_BAD_ARGUMENT);
    options.target = "1";
    assert_int_equal(gpis_source_open_with(context, "open_plain", &options, &source), GPIS_BAD_ARGUMENT);
    assert_message(context, "a .mtx file has none");
    test_context_end(context, &memory);
}

/* The cache of a file that was read in one format is not used for another. */
static void test_cache_of_format(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_open_options options = gpis_open_options_default();
    gpis_source *source;
    write_text("open_labels", "1 1:2 2:3\n2 1:4 2:5\n3 1:7 2:1\n");
    mkdir("open_folder", 0777);
    options.cache = "open_folder";
    options.format = "svm";
    for (int again = 0; again < 2; again++) {
        assert_ok(context, gpis_source_open_with(context, "open_labels", &options, &source));
        gpis_source_destroy(source);
    }
    options.format = "csv";
    assert_int_equal(gpis_source_open_with(context, "open_labels", &options, &source), GPIS_BAD_DATA);
    test_context_end(context, &memory);
}

/* ---- who watches ---------------------------------------------------------------------------------------------------
 */

typedef struct watcher {
    int calls, caches, stop_at;
    int64_t last, bytes, cache_bytes;
    char cache[512];
} watcher;

static int watch(void *user, const gpis_open_progress *p) {
    watcher *w = user;
    assert_true(p->done >= w->last);
    w->last = p->done;
    w->bytes = p->bytes;
    w->calls++;
    if (p->cache) {
        w->caches++;
        w->cache_bytes = p->cache_bytes;
        snprintf(w->cache, sizeof w->cache, "%s", p->cache);
    }
    return w->calls == w->stop_at;
}

static void test_progress(void **state) {
    (void)state;
    enum { SIZE = 300000 };
    static char text[SIZE];
    for (int i = 0; i < SIZE; i += 6) memcpy(text + i, "1,2,3\n", 6);
    for (int stop = 0; stop < 2; stop++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        gpis_open_options options = gpis_open_options_default();
        gpis_source *source;
        watcher w = {.stop_at = stop};
        options.format = "csv";
        options.progress = watch;
        options.progress_user = &w;
        sender s = send_bytes(text, SIZE, 4, 150); /* longer than the time between two calls */
        const gpis_status status = gpis_source_open_with(context, s.path, &options, &source);
        assert_int_equal(status, stop ? GPIS_STOPPED : GPIS_OK);
        if (stop) assert_message(context, "reading was interrupted");
        assert_true(stop ? w.calls == 1 : w.calls >= 2);
        assert_true(w.last > 0 && w.last <= 4 * SIZE);
        assert_int_equal(w.bytes, 0); /* the size is not known */
        assert_int_equal(w.caches, 0);
        assert_true((source == NULL) == stop);
        gpis_source_destroy(source);
        end_sender(&s);
        test_context_end(context, &memory);
    }
}

static void test_cache_is_told(void **state) {
    (void)state;
    write_text("open_table.csv", "1,2,3\n4,5,6\n");
    mkdir("open_folder", 0777);
    for (int stop = 0; stop < 2; stop++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        gpis_open_options options = gpis_open_options_default();
        gpis_source *source;
        struct stat info;
        watcher w = {.stop_at = stop};
        options.cache = "open_folder";
        options.progress = watch;
        options.progress_user = &w;
        assert_int_equal(gpis_source_open_with(context, "open_table.csv", &options, &source),
                         stop ? GPIS_STOPPED : GPIS_OK);
        assert_int_equal(w.caches, 1);
        assert_int_equal(stat(w.cache, &info), 0);
        assert_int_equal(w.cache_bytes, info.st_size);
        gpis_source_destroy(source);
        if (!stop) { /* it is there already */
            assert_ok(context, gpis_source_open_with(context, "open_table.csv", &options, &source));
            assert_int_equal(w.caches, 1);
            gpis_source_destroy(source);
        }
        assert_int_equal(unlink(w.cache), 0);
        test_context_end(context, &memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pipes),    cmocka_unit_test(test_npy_pipe),
                                       cmocka_unit_test(test_formats),  cmocka_unit_test(test_cache_of_format),
                                       cmocka_unit_test(test_progress), cmocka_unit_test(test_cache_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
