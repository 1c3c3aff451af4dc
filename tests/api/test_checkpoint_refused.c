/* Checkpoints: what does not belong to the file is refused by name; damage, a full disk and lack of memory do no
 * harm. */
#define PATH "checkpoint_refused.test"

#include "api/checkpoints.h"

/* ---- what does not belong together
 * ----------------------------------------------------------------------------------------
 */

static void refused(stage *t, const char *word) {
    gpis_result *r = NULL;
    const gpis_status status = test_solve(t->context, t->A, t->p.Y, t->p.k, t->set, &t->settings, &r);
    if (status != GPIS_BAD_ARGUMENT || !strstr(gpis_last_error(t->context), word))
        fail_msg("'%s' has no '%s' (%s)", gpis_last_error(t->context), word, gpis_status_text(status));
}

/* A value of the option that is not the one of the scene. */
static const char *other_value(const gpis_option *o) {
    switch (o->type) {
    case GPIS_OPTION_NUMBER: return o->low <= 0.25 && o->high >= 0.25 ? "0.25" : "3";
    case GPIS_OPTION_INTEGER: return "1";
    case GPIS_OPTION_INTEGERS: return "3,4";
    case GPIS_OPTION_BYTES: return "1G";
    case GPIS_OPTION_FLAG: return "yes";
    case GPIS_OPTION_CHOICE: return "none";
    case GPIS_OPTION_TEXT: return strcmp(o->name, "method") == 0 ? "acc-gpis" : "gaussian";
    default: return NULL;
    }
}

/* Every option of the table is part of the key, and refused by its name, or has no say in the answer and is not. */
static void every_option_is_in_the_key_or_not(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[7]);
    gpis_result *whole = run_whole(&t);
    bytes b = load();
    const gpis_settings usual = t.settings;
    const gpis_option *o;
    int in_key = 0, others = 0;
    for (int i = 0; (o = gpis_option_at(i)) != NULL; i++) {
        const char *value = other_value(o);
        char words[80];
        if (!(o->where & GPIS_OPTION_SOLVE) || !value || strcmp(o->name, "resume") == 0) continue;
        store(b.data, b.size);
        assert_int_equal(gpis_settings_set(&t.settings, o->name, value), GPIS_OK);
        if (strcmp(value, "none") == 0) t.settings.max_passes = 40; /* which ends a run without a certificate */
        if (o->in_checkpoint) {
            snprintf(words, sizeof words, "was made with option %s ", o->name);
            refused(&t, words);
            in_key++;
        } else {
            gpis_result *r = solve(&t);
            assert_true(r->resumed_passes > 0);
            clear(&t, r);
            others++;
        }
        t.settings = usual;
    }
    assert_true(in_key >= 13 && others >= 5);
    clear(&t, whole);
    free(b.data);
    end(&t);
}

static void other_settings_are_refused(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[7]);
    gpis_result *whole = run_whole(&t);
    bytes b = load();
    const gpis_settings usual = t.settings;
    double x0[D] = {0.1};
#define REFUSE(field, value, word)  \
    do {                            \
        t.settings.field = (value); \
        refused(&t, word);          \
        t.settings = usual;         \
    } while (0)
    REFUSE(resume, 0, "add option resume");
    REFUSE(tol, 1e-6, "was made with option tol 1e-09, not 1e-06");
    REFUSE(method, "acc-gpis", "was made with option method gpis, not acc-gpis");
    REFUSE(sketch, "srht", "was made with option sketch count, not srht");
    REFUSE(m, 0, "was made with option m 30, not as planned");
    REFUSE(m, 31, "was made with option m 30, not 31");
    REFUSE(seed, 7, "was made with option seed 0, not 7");
    REFUSE(delta, 1e-3, "was made with option delta 1e-09, not 0.001");
    REFUSE(certificate, GPIS_CERTIFICATE_PROVEN, "was made with option certificate any, not proven");
    REFUSE(gpcs, 1, "option gpcs no, not yes");
    REFUSE(gamma_u, 3.0, "option gamma-u 2, not 3");
    REFUSE(gamma_d, 1.5, "option gamma-d 2, not 1.5");
    REFUSE(fixed_step, 0.25, "option step 0, not 0.25");
    REFUSE(restart, GPIS_RESTART_NONE, "option restart gradient, not none");
    t.settings.x0_entries = D;
    REFUSE(x0, x0, "another start (x0)");
    REFUSE(inner, "3", "was made with option inner as many as the sketch is worth, not 3");
    REFUSE(checkpoint, NULL, "to resume needs the checkpoint");
    REFUSE(checkpoint_every, -1.0, "checkpoint_every");
    gpis_set *l1 = t.set;
    t.set = problem_set(t.context, &t.w, "l1:0.8", "1", 1);
    refused(&t, "was made with option set l1:0.7, not l1:0.8");
    gpis_set_destroy(t.set);
    t.set = l1;
    bytes after = load();
    assert_memory_equal(after.data, b.data, (size_t)b.size); /* nobody has touched it */
    gpis_result *r = solve(&t);
    assert_same(&t, whole, r);
    clear(&t, r);
    clear(&t, whole);
    free(b.data);
    free(after.data);
    end(&t);
}

static void other_data_are_refused(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[4]);
    gpis_result *whole = run_whole(&t);
    t.p.Y[N / 2] += 1e-9;
    refused(&t, "was made with another y");
    t.p.Y[N / 2] -= 1e-9;
    t.p.A[(N - 1) * D] += 1.0; /* the last row is always looked at */
    refused(&t, "was made with another A");
    t.p.A[(N - 1) * D] -= 1.0;
    gpis_source *A = t.A;
    assert_ok(t.context, gpis_source_dense(t.context, t.floats, GPIS_FLOAT32, GPIS_ROW_MAJOR, N, D, D, &t.A));
    refused(&t, "was made with A of float64, row-major, not float32, row-major");
    gpis_source_destroy(t.A);
    assert_ok(t.context, gpis_source_dense(t.context, t.p.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N - 1, D, D, &t.A));
    refused(&t, "was made with A of 400 x 6, not 399 x 6");
    gpis_source_destroy(t.A);
    t.A = A;
    clear(&t, whole);
    end(&t);
}

/* A set that names files is as good as what is in them. */
static void other_files_of_a_set_are_refused(void **state) {
    (void)state;
    const scene s = {"newton", "box:$/lo.npy,$/hi.npy", "count", 0, 1, FINE, DENSE, 1e-8, 0, GPIS_CERTIFICATE_ANY};
    stage t;
    char path[96];
    begin(&t, &s);
    gpis_result *whole = run_whole(&t);
    gpis_set *before = t.set;
    for (int j = 0; j < D; j++) t.w.lo[j] -= 0.5;
    snprintf(path, sizeof path, "%s/lo.npy", t.w.folder);
    write_npy(path, t.w.lo, D, 1, 1);
    t.set = problem_set(t.context, &t.w, s.spec, "1", 1);
    refused(&t, "another content of the files of option set");
    gpis_set_destroy(t.set);
    t.set = before;
    clear(&t, whole);
    end(&t);
}

/* Passes that do not answer this run's questions, as those of another processor would not: here those that were made
 * with another seed or step, behind the key of this run. The first question is the same, the second is not. */
static void passes_of_another_run_are_refused(void **state) {
    (void)state;
    static const int scenes[] = {1, 11};
    for (int i = 0; i < 2; i++) {
        stage t;
        begin(&t, &SCENES[scenes[i]]);
        gpis_result *whole = run_whole(&t);
        bytes b = load();
        unlink(PATH);
        const gpis_settings usual = t.settings;
        t.settings.seed = 5;
        t.settings.gamma_d = 1.25;
        gpis_result *other = solve(&t);
        t.settings = usual;
        bytes o = load();
        int64_t size = b.ends[0] + o.size - o.ends[0];
        unsigned char *mixed = malloc((size_t)size);
        memcpy(mixed, b.data, (size_t)b.ends[0]);
        memcpy(mixed + b.ends[0], o.data + o.ends[0], (size_t)(o.size - o.ends[0]));
        store(mixed, size);
        refused(&t, "its pass 2 is not that of this run");
        size -= o.size - o.ends[1];
        store(mixed, size);
        gpis_result *again = solve(&t); /* without it all is well */
        assert_int_equal(again->resumed_passes, 1);
        free(mixed);
        free(b.data);
        free(o.data);
        clear(&t, again);
        clear(&t, other);
        clear(&t, whole);
        end(&t);
    }
}

static void saga_has_no_checkpoint(void **state) {
    (void)state;
    stage t;
    gpis_result *r = NULL;
    begin(&t, &SCENES[0]);
    t.settings.method = "saga";
    t.settings.checkpoint = PATH;
    assert_int_equal(test_solve(t.context, t.A, t.p.Y, 1, t.set, &t.settings, &r), GPIS_NOT_APPLICABLE);
    assert_non_null(strstr(gpis_last_error(t.context), "saga reads rows one by one"));
    assert_int_equal(access(PATH, F_OK), -1);
    end(&t);
}

/* ---- damage
 * -----------------------------------------------------------------------------------------------------------
 */

static void damage_is_seen_and_mended(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[1]);
    gpis_result *whole = run_whole(&t);
    bytes b = load();
    int warned = 0;
    for (int64_t at = 0; at < b.size; at += at < 2 * HEAD ? 1 : 37) {
        gpis_result *r = NULL;
        b.data[at] ^= 0x10;
        store(b.data, b.size);
        b.data[at] ^= 0x10;
        const gpis_status status = test_solve(t.context, t.A, t.p.Y, t.p.k, t.set, &t.settings, &r);
        if (at < b.ends[0]) {
            assert_int_equal(status, GPIS_BAD_DATA);
            continue;
        }
        assert_int_equal(status, GPIS_OK);
        assert_same(&t, whole, r);
        assert_int_equal(r->resumed_passes, whole_passes(&b, at)); /* those before the damage */
        warned += strstr(r->warning, "damaged after pass") != NULL;
        clear(&t, r);
    }
    assert_true(warned > 10);
    for (int64_t size = 0; size < b.ends[0]; size += 101) { /* not even the key is whole */
        gpis_result *r = NULL;
        store(b.data, size);
        assert_int_equal(test_solve(t.context, t.A, t.p.Y, t.p.k, t.set, &t.settings, &r), GPIS_BAD_DATA);
    }
    free(b.data);
    clear(&t, whole);
    end(&t);
}

static void a_full_disk_is_reported_and_does_no_harm(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[1]);
    gpis_result *whole = run_whole(&t), *r = NULL;
    bytes b = load();
    struct rlimit usual, low;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &usual);
    low = usual;
    for (int kept = 0; kept < 3; kept++) {
        unlink(PATH);
        t.settings.resume = 0;
        low.rlim_cur = (rlim_t)b.ends[kept] + 10;
        setrlimit(RLIMIT_FSIZE, &low);
        r = solve(&t);
        setrlimit(RLIMIT_FSIZE, &usual);
        assert_same(&t, whole, r);
        assert_non_null(strstr(r->checkpoint_trouble, "cannot be written"));
        assert_string_equal(r->warning, "");
        clear(&t, r);
        t.settings.resume = 1;
        r = solve(&t); /* the disk is no longer full */
        assert_same(&t, whole, r);
        assert_int_equal(r->resumed_passes, kept);
        assert_string_equal(r->warning, "");
        assert_string_equal(r->checkpoint_trouble, "");
        clear(&t, r);
    }
    unlink(PATH);
    low.rlim_cur = 10; /* not even the beginning fits */
    setrlimit(RLIMIT_FSIZE, &low);
    assert_int_equal(test_solve(t.context, t.A, t.p.Y, 1, t.set, &t.settings, &r), GPIS_IO);
    setrlimit(RLIMIT_FSIZE, &usual);
    assert_int_equal(access(PATH, F_OK), -1);
    free(b.data);
    clear(&t, whole);
    end(&t);
}

typedef struct attempt {
    problem p;
    bool resume;
    bytes file;
} attempt;

static gpis_status attempt_solve(gpis_context *context, void *user) {
    attempt *a = user;
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_result *r = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.m = 30;
    settings.tol = 1e-3; /* a few passes do */
    settings.checkpoint = PATH;
    settings.resume = a->resume;
    unlink(PATH);
    if (a->resume) store(a->file.data, a->file.ends[3]);
    gpis_status status = gpis_source_dense(context, a->p.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &A);
    if (status == GPIS_OK) status = test_set(context, "l1:0.7", D, 1, &set);
    if (status == GPIS_OK) status = test_solve(context, A, a->p.Y, 1, set, &settings, &r);
    if (status == GPIS_OK && a->resume) assert_int_equal(r->resumed_passes, 3);
    gpis_result_destroy(r);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return status;
}

static void memory_failures_are_clean(void **state) {
    (void)state;
    attempt a = {.p = problem_make(FINE, N, D, 1, 31)};
    assert_true(test_every_allocation(attempt_solve, &a) > 20);
    a.file = load();
    a.resume = true;
    assert_true(test_every_allocation(attempt_solve, &a) > 20);
    free(a.file.data);
    problem_clear(&a.p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_settings_are_refused),
        cmocka_unit_test(every_option_is_in_the_key_or_not),
        cmocka_unit_test(other_data_are_refused),
        cmocka_unit_test(other_files_of_a_set_are_refused),
        cmocka_unit_test(passes_of_another_run_are_refused),
        cmocka_unit_test(saga_has_no_checkpoint),
        cmocka_unit_test(damage_is_seen_and_mended),
        cmocka_unit_test(a_full_disk_is_reported_and_does_no_harm),
        cmocka_unit_test(memory_failures_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
