/*
 * Checkpoints made by somebody who means harm: every field of every record is changed, one at a time, and the checksum
 * made right again. Whatever the file says, the solve ends with an answer or with a refusal, and takes no more memory
 * than the problem needs.
 */
#define PATH "checkpoint_forged.test"

#include "api/checkpoints.h"
#include "base/checksum.h"
#include "method/replay.h"

enum { KIND = 0, CHECKSUM = 4, LENGTH = 8 }; /* where they are in the head of a record, of HEAD bytes */

static int64_t record_begin(const bytes *b, int record) { return record == 0 ? HEAD : b->ends[record - 1]; }

/* Makes the checksum right again of the record that begins at `at`. */
static void sign(unsigned char *data, int64_t at) {
    int64_t length;
    memcpy(&length, data + at + LENGTH, sizeof length);
    uint32_t sum = gpis_checksum(0, data + at + KIND, 4);
    sum = gpis_checksum(sum, data + at + LENGTH, 8);
    sum = gpis_checksum(sum, data + at + HEAD, length);
    memcpy(data + at + CHECKSUM, &sum, sizeof sum);
}

/* Resumes from these bytes; the memory it may take is that of an honest run, and some for the plan and messages. */
static gpis_status resume_from(stage *t, const unsigned char *data, int64_t size, int64_t honest, gpis_result **r) {
    store(data, size);
    atomic_store(&t->context->peak, 0);
    const gpis_status status = test_solve(t->context, t->A, t->p.Y, t->p.k, t->set, &t->settings, r);
    const int64_t peak = gpis_context_memory_peak(t->context);
    if (peak > 4 * honest + (1 << 20))
        fail_msg("%lld bytes were taken, and %lld honestly", (long long)peak, (long long)honest);
    if (status != GPIS_OK) assert_true(strlen(gpis_last_error(t->context)) > 10);
    return status;
}

static bool is_refusal(gpis_status status) {
    return status == GPIS_BAD_DATA || status == GPIS_BAD_ARGUMENT || status == GPIS_NOT_APPLICABLE ||
           status == GPIS_NO_MEMORY || status == GPIS_TOO_LARGE || status == GPIS_BAD_SHAPE;
}

/* Writes `size` bytes of `value` over the record at `offset` behind its head, signs it, and resumes. */
static gpis_status forge(stage *t, const bytes *b, int record, int64_t offset, const void *value, size_t size,
                         int64_t honest) {
    unsigned char *data = malloc((size_t)b->size);
    const int64_t at = record_begin(b, record);
    gpis_result *r = NULL;
    assert_non_null(data);
    memcpy(data, b->data, (size_t)b->size);
    memcpy(data + at + HEAD + offset, value, size);
    sign(data, at);
    const gpis_status status = resume_from(t, data, b->size, honest, &r);
    free(data);
    if (status == GPIS_OK) {
        for (int64_t i = 0; i < t->p.d * t->p.k; i++) assert_true(isfinite(r->x[i]));
        assert_true(memchr(r->plan, '\0', 256) && memchr(r->method, '\0', 16));
        clear(t, r);
    } else if (!is_refusal(status)) {
        fail_msg("record %d, byte %lld: %s (%s)", record, (long long)offset, gpis_status_text(status),
                 gpis_last_error(t->context));
    }
    return status;
}

static const int64_t NUMBERS[] = {
    0, 1, -1, 5, 7, 399, 400, 401, 1 << 20, INT64_C(1) << 40, INT64_MAX / 16, INT64_MAX, INT64_MIN};
static const double VALUES[] = {NAN, INFINITY, -INFINITY, -1.0, 0.0, 1e300, -1e300, 1e-320, 1.0, 1e9};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* What the planner chose: a choice that this problem cannot have led to is refused, whatever is wrong with it. */
static void forged_choices(void **state) {
    (void)state;
    static const int scenes[] = {0, 1, 7, 12};
    for (int i = 0; i < COUNT(scenes); i++) {
        stage t;
        gpis_choice kept;
        begin(&t, &SCENES[scenes[i]]);
        gpis_result *whole = run_whole(&t);
        const int64_t honest = gpis_context_memory_peak(t.context);
        bytes b = load();
        memcpy(&kept, b.data + HEAD + HEAD, sizeof kept);
#define REFUSED(field, value) \
    assert_int_equal(forge(&t, &b, 0, offsetof(gpis_choice, field), value, sizeof kept.field, honest), GPIS_BAD_DATA)
        char full[256];
        memset(full, 'x', sizeof full); /* no end */
        REFUSED(method, full);
        REFUSED(sketch, full);
        REFUSED(plan, full);
        static const char *const words[] = {"nosuch", "none", "auto", "%s%n", "saga", "\x1b[31m", "gaussian", "pgd"};
        for (int w = 0; w < COUNT(words); w++) {
            char text[16] = {0};
            snprintf(text, sizeof text, "%s", words[w]);
            REFUSED(sketch, text);
            if (strcmp(text, kept.method) != 0) REFUSED(method, text);
        }
        char plan[256] = "newton\x1b]0;owned\x07";
        REFUSED(plan, plan);
        for (int v = 0; v < COUNT(NUMBERS); v++) {
            if (NUMBERS[v] != kept.m) REFUSED(m, &NUMBERS[v]);
            if (NUMBERS[v] < 0) REFUSED(passes, &NUMBERS[v]);
        }
        REFUSED(seconds, &(double){-1.0});
        REFUSED(seconds, &(double){INFINITY});
        gpis_result *r = NULL;
        assert_int_equal(resume_from(&t, b.data, b.size, honest, &r), GPIS_OK); /* the honest file is taken */
        assert_same(&t, whole, r);
        clear(&t, r);
        clear(&t, whole);
        free(b.data);
        end(&t);
    }
}

/* Every eighth byte of the first record, the key among them, gets every number. */
static void forged_beginnings(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[7]);
    gpis_result *whole = run_whole(&t);
    const int64_t honest = gpis_context_memory_peak(t.context);
    bytes b = load();
    for (int64_t at = 0; at + 8 <= b.ends[0] - 2 * HEAD; at += 8)
        forge(&t, &b, 0, at, &NUMBERS[at / 8 % COUNT(NUMBERS)], 8, honest);
    /* Escape sequences of a key do not reach a terminal. */
    const char *tol = strstr((const char *)b.data + 2 * HEAD + sizeof(gpis_choice), "option tol\t");
    assert_non_null(tol);
    const int64_t offset = tol - (const char *)b.data - 2 * HEAD + 6;
    assert_int_equal(forge(&t, &b, 0, offset, "\x1b[2J", 4, honest), GPIS_BAD_ARGUMENT);
    assert_null(strchr(gpis_last_error(t.context), '\x1b'));
    clear(&t, whole);
    free(b.data);
    end(&t);
}

/* A checkpoint of a processor with vectors of another length: its sums may have gone through more roundings than are
 * counted here, so it is refused before any pass is answered from it. */
static void another_processor(void **state) {
    (void)state;
    static const char name[] = "kind of processor\t#";
    stage t;
    begin(&t, &SCENES[4]);
    gpis_result *whole = run_whole(&t);
    const int64_t honest = gpis_context_memory_peak(t.context);
    bytes b = load();
    const char *mark = strstr((const char *)b.data + 2 * HEAD + sizeof(gpis_choice), name);
    assert_non_null(mark);
    const int64_t offset = mark - (const char *)b.data - 2 * HEAD + (int64_t)strlen(name);
    assert_int_equal(forge(&t, &b, 0, offset, mark[strlen(name)] == '0' ? "1" : "0", 1, honest), GPIS_BAD_ARGUMENT);
    assert_non_null(strstr(gpis_last_error(t.context), "was made with another kind of processor"));
    clear(&t, whole);
    free(b.data);
    end(&t);
}

/* Every number of every pass. */
static void forged_passes(void **state) {
    (void)state;
    static const int scenes[] = {0, 1, 2, 4, 7, 8, 9, 16, 18};
    for (int i = 0; i < COUNT(scenes); i++) {
        stage t;
        begin(&t, &SCENES[scenes[i]]);
        gpis_result *whole = run_whole(&t);
        const int64_t honest = gpis_context_memory_peak(t.context);
        bytes b = load();
        int turn = 0;
        for (int record = 1; record < b.records && record < 5; record++) {
            const int64_t length = b.ends[record] - record_begin(&b, record) - HEAD;
            const int64_t stride = 8 * gpis_max64(1, length / 8 / 40);
            for (int64_t at = 0; at + 8 <= length; at += at < 32 ? 8 : stride) {
                const double value = VALUES[turn++ % COUNT(VALUES)];
                const gpis_status status = forge(&t, &b, record, at, &value, 8, honest);
                if (at != 8 && !isfinite(value)) assert_int_equal(status, GPIS_BAD_DATA);
            }
        }
        clear(&t, whole);
        free(b.data);
        end(&t);
    }
}

/* Sums that cannot be negative are not. The first pass of apgd has the objective, d x k numbers of the gradient and the
 * norms; the second the objective and ||A p||^2. Each record begins with 16 bytes that are no sums. */
static void negative_sums(void **state) {
    (void)state;
    const double negative = -1.0;
    stage t;
    begin(&t, &SCENES[12]);
    gpis_result *whole = run_whole(&t);
    const int64_t honest = gpis_context_memory_peak(t.context);
    bytes b = load();
    const struct {
        int record;
        int64_t sums_before;
    } places[] = {{1, 0}, {1, 1 + t.p.d * t.p.k}, {2, 0}, {2, 1}};
    for (int i = 0; i < COUNT(places); i++)
        assert_int_equal(forge(&t, &b, places[i].record, 16 + 8 * places[i].sums_before, &negative, 8, honest),
                         GPIS_BAD_DATA);
    /* A gradient may have any sign, but another gradient leads to another second pass. */
    assert_int_equal(forge(&t, &b, 1, 24, &negative, 8, honest), GPIS_BAD_ARGUMENT);
    clear(&t, whole);
    free(b.data);
    end(&t);
}

/* Kinds, lengths, records that are missing or there twice, and a file that says it is huge. */
static void forged_records(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[1]);
    gpis_result *whole = run_whole(&t), *r = NULL;
    const int64_t honest = gpis_context_memory_peak(t.context);
    bytes b = load();
    unsigned char *data = malloc((size_t)b.size * 2);
    for (int record = 0; record < b.records; record++) {
        const int64_t at = record_begin(&b, record), length = b.ends[record] - at - HEAD;
        for (int v = 0; v < COUNT(NUMBERS); v++) {
            const uint32_t kind = (uint32_t)NUMBERS[v];
            memcpy(data, b.data, (size_t)b.size);
            memcpy(data + at + KIND, &kind, sizeof kind);
            sign(data, at);
            if (resume_from(&t, data, b.size, honest, &r) == GPIS_OK) clear(&t, r);
            const int64_t lengths[] = {NUMBERS[v], length + v, length - 8 * v};
            for (int l = 0; l < COUNT(lengths); l++) {
                if (lengths[l] < 0 || lengths[l] > b.size - at - HEAD) continue; /* refused without a checksum */
                memcpy(data, b.data, (size_t)b.size);
                memcpy(data + at + LENGTH, &lengths[l], 8);
                sign(data, at);
                if (resume_from(&t, data, b.size, honest, &r) == GPIS_OK) clear(&t, r);
            }
        }
        memcpy(data, b.data, (size_t)at); /* without it */
        memcpy(data + at, b.data + b.ends[record], (size_t)(b.size - b.ends[record]));
        if (resume_from(&t, data, b.size - HEAD - length, honest, &r) == GPIS_OK) clear(&t, r);
        memcpy(data, b.data, (size_t)b.ends[record]); /* twice */
        memcpy(data + b.ends[record], b.data + at, (size_t)(b.size - at));
        if (resume_from(&t, data, b.size + HEAD + length, honest, &r) == GPIS_OK) clear(&t, r);
    }
    free(data);
    /* A sparse file of 1 TB whose first record, or first pass, claims all of it. */
    const int64_t huge = INT64_C(1) << 40;
    for (int record = 0; record < 2; record++) {
        store(b.data, b.size);
        const int64_t at = record_begin(&b, record), length = huge - at - HEAD;
        FILE *f = fopen(PATH, "r+b");
        assert_non_null(f);
        assert_int_equal(fseek(f, (long)at + LENGTH, SEEK_SET), 0);
        assert_int_equal(fwrite(&length, 8, 1, f), 1);
        assert_int_equal(fclose(f), 0);
        if (truncate(PATH, huge) != 0) continue; /* the file system has no such files */
        atomic_store(&t.context->peak, 0);
        const gpis_status status = test_solve(t.context, t.A, t.p.Y, t.p.k, t.set, &t.settings, &r);
        assert_int_equal(status, record == 0 ? GPIS_BAD_DATA : GPIS_OK);
        assert_true(gpis_context_memory_peak(t.context) < 4 * honest + (1 << 20));
        if (status == GPIS_OK) assert_same(&t, whole, r);
        if (status == GPIS_OK) clear(&t, r);
    }
    clear(&t, whole);
    free(b.data);
    end(&t);
}

/* A checkpoint that somebody else may have written is refused, and what is made is not for others to write. */
static void strangers_are_refused(void **state) {
    (void)state;
    stage t;
    gpis_result *r = NULL;
    struct stat info;
    begin(&t, &SCENES[0]);
    const mode_t usual = umask(0);
    gpis_result *whole = run_whole(&t);
    umask(usual);
    assert_int_equal(stat(PATH, &info), 0);
    assert_int_equal(info.st_mode & 022, 0);
    static const mode_t open_to_others[] = {0664, 0646, 0620};
    for (int i = 0; i < COUNT(open_to_others); i++) {
        assert_int_equal(chmod(PATH, open_to_others[i]), 0);
        assert_int_equal(test_solve(t.context, t.A, t.p.Y, t.p.k, t.set, &t.settings, &r), GPIS_IO);
        assert_non_null(strstr(gpis_last_error(t.context), "others may write to it"));
    }
    assert_int_equal(chmod(PATH, 0600), 0);
    if (geteuid() == 0 && chown(PATH, 12345, (gid_t)-1) == 0) {
        assert_int_equal(test_solve(t.context, t.A, t.p.Y, t.p.k, t.set, &t.settings, &r), GPIS_IO);
        assert_int_equal(chown(PATH, 0, (gid_t)-1), 0);
    }
    r = solve(&t);
    assert_same(&t, whole, r);
    clear(&t, r);
    clear(&t, whole);
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forged_choices),        cmocka_unit_test(forged_beginnings), cmocka_unit_test(forged_passes),
        cmocka_unit_test(another_processor),     cmocka_unit_test(negative_sums),     cmocka_unit_test(forged_records),
        cmocka_unit_test(strangers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
