/* Checkpoints: wherever a solve was cut off, what resumes from its file ends with the same bits; what does not belong
 * to the file is refused by name. */
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "certificate/problems.h"

enum { N = 400, D = 6, HEAD = 16 };
static const char PATH[] = "checkpoint.test";

typedef enum storage { DENSE, FLOATS, COLUMNS, SPARSE, MADE } storage;

typedef struct scene {
    const char *method, *spec, *sketch;
    int64_t m, k;
    flavour what;
    storage kind;
    double tol;
    int gpcs;
    gpis_certificate certificate;
} scene;

static const scene SCENES[] = {
    {"auto", "l1:0.7", "count", 0, 1, FINE, DENSE, 1e-8, 0, GPIS_CERTIFICATE_ANY},
    {"newton", "none", "count", 30, 1, FINE, DENSE, 1e-12, 0, GPIS_CERTIFICATE_ANY}, /* probes */
    {"newton", "simplex:1", "sparse-sign", 20, 2, FINE, FLOATS, 1e-10, 0, GPIS_CERTIFICATE_PROVEN},
    {"newton", "none", "gaussian", 12, 1, COHERENT, COLUMNS, 1e-9, 0, GPIS_CERTIFICATE_ANY}, /* sketches again */
    {"newton", "box:-1,2", "count", 0, 1, ILL, DENSE, 1e-15, 0, GPIS_CERTIFICATE_ANY},       /* extended precision */
    {"newton", "monotone", "srht", 40, 1, ILL, DENSE, 1e-14, 0, GPIS_CERTIFICATE_ANY},
    {"newton", "nonneg", "count", 48, 1, FINE, MADE, 1e-10, 0, GPIS_CERTIFICATE_ANY},
    {"gpis", "l1:0.7", "count", 30, 1, FINE, SPARSE, 1e-9, 0, GPIS_CERTIFICATE_ANY},
    {"gpis", "nuclear:0.5", "srht", 30, 3, FINE, DENSE, 1e-6, 1, GPIS_CERTIFICATE_ANY}, /* Y sketched, too */
    {"acc-gpis", "l2:0.5", "count-gauss", 30, 1, SCALED, DENSE, 1e-6, 0, GPIS_CERTIFICATE_ANY},
    {"acc-gpis", "tv:1", "sample", 60, 1, FINE, MADE, 1e-6, 1, GPIS_CERTIFICATE_ANY},
    {"pgd", "l1:0.7", "count", 0, 1, FINE, DENSE, 1e-8, 0, GPIS_CERTIFICATE_ANY},
    {"apgd", "none", "count", 0, 2, FINE, SPARSE, 1e-8, 0, GPIS_CERTIFICATE_ANY},
    {"apgd", "nonneg@dct", "count", 0, 1, SCALED, FLOATS, 1e-5, 0, GPIS_CERTIFICATE_ANY},
};
enum { SCENES_COUNT = sizeof SCENES / sizeof *SCENES };

/* ---- a problem in any storage
 * -----------------------------------------------------------------------------------------
 */

typedef struct stage {
    test_memory memory;
    gpis_context *context;
    world w;
    problem p;
    float *floats;
    double *columns;
    int64_t *indptr;
    int32_t *indices;
    long rows_made;   /* by MADE */
    int passes, slow; /* passes over them so far, each one block; the one that is slow */
    gpis_source *A;
    gpis_set *set;
    gpis_settings settings;
} stage;

static int make_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    stage *t = user;
    t->passes += nrows > 1;
    if (nrows > 1 && t->passes == t->slow) usleep(150000);
    memcpy(rows, t->p.A + row0 * t->p.d, (size_t)(nrows * t->p.d) * sizeof *rows);
    t->rows_made += nrows;
    return 0;
}

static void make_source(stage *t, storage kind) {
    gpis_context *c = t->context;
    const int64_t n = t->p.n, d = t->p.d;
    t->floats = calloc((size_t)(n * d), sizeof *t->floats);
    t->columns = calloc((size_t)(n * d), sizeof *t->columns);
    t->indptr = calloc((size_t)n + 1, sizeof *t->indptr);
    t->indices = calloc((size_t)(n * d), sizeof *t->indices);
    for (int64_t i = 0; i < n; i++) {
        t->indptr[i + 1] = (i + 1) * d;
        for (int64_t j = 0; j < d; j++) {
            t->floats[i * d + j] = (float)t->p.A[i * d + j];
            t->columns[i + j * n] = t->p.A[i * d + j];
            t->indices[i * d + j] = (int32_t)j;
        }
    }
    gpis_status status = GPIS_INTERNAL;
    switch (kind) {
    case DENSE: status = gpis_source_dense(c, t->p.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, d, &t->A); break;
    case FLOATS: status = gpis_source_dense(c, t->floats, GPIS_FLOAT32, GPIS_ROW_MAJOR, n, d, d, &t->A); break;
    case COLUMNS: status = gpis_source_dense(c, t->columns, GPIS_FLOAT64, GPIS_COLUMN_MAJOR, n, d, n, &t->A); break;
    case SPARSE: status = gpis_source_csr(c, n, d, t->indptr, t->indices, t->p.A, GPIS_FLOAT64, &t->A); break;
    case MADE: status = gpis_source_callback(c, n, d, make_rows, t, 0, &t->A); break;
    }
    assert_ok(c, status);
}

static void begin(stage *t, const scene *s) {
    *t = (stage){.rows_made = 0};
    t->context = test_context(&t->memory);
    world_begin(&t->w, D);
    t->p = problem_make(s->what, N, D, s->k, 31);
    make_source(t, s->kind);
    t->set = problem_set(t->context, &t->w, s->spec, "1", s->k);
    t->settings = gpis_settings_default();
    t->settings.method = s->method;
    t->settings.sketch = s->sketch;
    t->settings.m = s->m;
    t->settings.tol = s->tol;
    t->settings.gpcs = s->gpcs;
    t->settings.certificate = s->certificate;
    t->settings.max_passes = 40;
    unlink(PATH);
}

static void end(stage *t) {
    gpis_set_destroy(t->set);
    gpis_source_destroy(t->A);
    problem_clear(&t->p);
    free(t->floats);
    free(t->columns);
    free(t->indptr);
    free(t->indices);
    world_end(&t->w);
    test_context_end(t->context, &t->memory);
}

static gpis_result solve(stage *t) {
    gpis_result r;
    assert_ok(t->context, gpis_solve(t->context, t->A, t->p.Y, t->p.k, t->set, &t->settings, &r));
    return r;
}

static void assert_same(const stage *t, const gpis_result *a, const gpis_result *b) {
    assert_memory_equal(a->x, b->x, (size_t)(t->p.d * t->p.k) * sizeof(double));
    assert_true(a->objective == b->objective && a->gap == b->gap && a->feasibility == b->feasibility);
    assert_true(a->outcome == b->outcome && a->gap_kind == b->gap_kind && a->gap_delta == b->gap_delta);
    assert_true(a->passes == b->passes && a->sketches == b->sketches && a->epochs == b->epochs);
    assert_true(a->bytes_read == b->bytes_read && a->predicted_passes == b->predicted_passes);
    assert_string_equal(a->method, b->method);
    assert_string_equal(a->plan, b->plan);
}

static void clear(stage *t, gpis_result *r) { gpis_result_clear(t->context, r); }

/* ---- the file -------------------------------------------------------------------------------------------------------
 */

typedef struct bytes {
    unsigned char *data;
    int64_t size;
    int64_t ends[100]; /* of the records, the key's first */
    int records;
} bytes;

static bytes load(void) {
    bytes b = {0};
    struct stat info;
    FILE *f = fopen(PATH, "rb");
    assert_non_null(f);
    fstat(fileno(f), &info);
    b.size = info.st_size;
    b.data = malloc((size_t)b.size);
    assert_int_equal(fread(b.data, 1, (size_t)b.size, f), b.size);
    fclose(f);
    for (int64_t at = HEAD; at < b.size;) {
        int64_t length;
        memcpy(&length, b.data + at + 8, sizeof length);
        at += HEAD + length;
        b.ends[b.records++] = at;
    }
    assert_true(b.records > 1 && b.ends[b.records - 1] == b.size);
    return b;
}

static void store(const unsigned char *data, int64_t size) {
    FILE *f = fopen(PATH, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, (size_t)size, f), size);
    assert_int_equal(fclose(f), 0);
}

static int whole_passes(const bytes *b, int64_t size) {
    int count = 0;
    for (int i = 1; i < b->records; i++) count += b->ends[i] <= size;
    return count;
}

/* Runs once without and once with a checkpoint, which must not matter; the file stays. */
static gpis_result run_whole(stage *t) {
    gpis_result plain = solve(t);
    t->settings.checkpoint = PATH;
    gpis_result kept = solve(t);
    assert_same(t, &plain, &kept);
    assert_int_equal(kept.resumed_passes, 0);
    clear(t, &kept);
    t->settings.resume = 1;
    return plain;
}

/* ---- cut off anywhere
 * -------------------------------------------------------------------------------------------------
 */

static void resume_from(stage *t, const bytes *b, int64_t size, const gpis_result *whole) {
    store(b->data, size);
    gpis_result r = solve(t);
    assert_same(t, whole, &r);
    assert_int_equal(r.resumed_passes, whole_passes(b, size));
    assert_string_equal(r.warning, whole->warning);
    clear(t, &r);
    struct stat info;
    assert_int_equal(stat(PATH, &info), 0);
    assert_int_equal(info.st_size, b->size); /* the rest is there again */
}

static void cut_anywhere_the_bits_are_the_same(void **state) {
    (void)state;
    for (int s = 0; s < SCENES_COUNT; s++) {
        stage t;
        begin(&t, &SCENES[s]);
        gpis_result whole = run_whole(&t);
        bytes b = load();
        assert_int_equal(b.records, whole.passes + 1);
        for (int i = 0; i + 1 < b.records; i += 1 + b.records / 9) { /* all of a few, some of many */
            resume_from(&t, &b, b.ends[i], &whole);
            resume_from(&t, &b, b.ends[i] + 1, &whole);     /* a record of one byte */
            resume_from(&t, &b, b.ends[i + 1] - 1, &whole); /* one that lacks a byte */
            const int64_t room = b.ends[i + 1] - b.ends[i];
            resume_from(&t, &b, b.ends[i] + (1009 * (i + 1) * (s + 1)) % room, &whole);
        }
        resume_from(&t, &b, b.size, &whole);
        free(b.data);
        clear(&t, &whole);
        end(&t);
    }
}

static void nothing_is_read_of_what_the_file_holds(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[6]);
    gpis_result whole = run_whole(&t);
    t.rows_made = 0;
    gpis_result again = solve(&t);
    assert_same(&t, &whole, &again);
    assert_int_equal(again.resumed_passes, whole.passes);
    assert_int_equal(t.rows_made, 200);                 /* those that tell one A from another */
    for (int threads = 1; threads <= 3; threads += 2) { /* the threads may differ */
        bytes b = load();
        assert_ok(t.context, gpis_context_set_threads(t.context, threads));
        resume_from(&t, &b, b.ends[2], &whole);
        free(b.data);
    }
    clear(&t, &again);
    clear(&t, &whole);
    end(&t);
}

/* ---- ends before the end
 * ------------------------------------------------------------------------------------------------
 */

typedef struct watcher {
    int calls, stop_at, pass_calls, stop_within; /* stop_within: the pass */
} watcher;

static int stop_after(void *user, const gpis_progress *p) {
    watcher *w = user;
    (void)p;
    return ++w->calls == w->stop_at;
}

static int stop_within(void *user, const gpis_pass_progress *p) {
    watcher *w = user;
    assert_true(p->done > 0 && p->done <= p->rows && p->rows == N && p->pass >= 1);
    assert_true(p->pass_seconds >= 0.0 && p->seconds >= p->pass_seconds);
    w->pass_calls++;
    return p->pass == w->stop_within;
}

static void limits_and_interruptions_may_differ(void **state) {
    (void)state;
    for (int s = 0; s < SCENES_COUNT; s++)
        for (int way = 0; way < 3; way++) {
            stage t;
            watcher w = {.stop_at = 2};
            begin(&t, &SCENES[s]);
            gpis_result whole = solve(&t);
            t.settings.checkpoint = PATH;
            if (way == 0) t.settings.max_passes = 2;
            if (way == 1) t.settings.time_limit = 1e-9;
            if (way == 2) t.settings.progress = stop_after;
            t.settings.progress_user = &w;
            gpis_result part = solve(&t);
            assert_true(part.passes <= whole.passes);
            if (way == 0) assert_true(part.outcome == GPIS_MAX_PASSES || part.outcome == GPIS_SOLVED);
            bytes b = load();
            double clock = INFINITY;
            memcpy(&clock, b.data + b.ends[b.records - 2] + HEAD, sizeof clock);
            assert_true(clock > 0.0 && clock <= part.seconds);
            free(b.data);
            t.settings.max_passes = 40;
            t.settings.time_limit = 0.0;
            t.settings.progress = NULL;
            t.settings.resume = 1;
            gpis_result r = solve(&t);
            assert_same(&t, &whole, &r);
            assert_int_equal(r.resumed_passes, part.passes);
            assert_true(r.seconds >= clock); /* which went on */
            clear(&t, &part);
            clear(&t, &r);
            clear(&t, &whole);
            end(&t);
        }
}

/* Stopped within any of its passes, also those that measure again in extended precision: the best point so far, with
 * its objective; before there is any, the start. */
static void stopped_within_a_pass_it_goes_on(void **state) {
    (void)state;
    const scene s = {"newton", "box:-1,2", "count", 0, 1, ILL, MADE, 1e-15, 0, GPIS_CERTIFICATE_ANY};
    const double x0[D] = {0.5, 3.0, -0.5, 0.0, 1.0, -7.0}, inside[D] = {0.5, 2.0, -0.5, 0.0, 1.0, -1.0};
    stage t;
    begin(&t, &s);
    t.settings.x0 = x0;
    gpis_result whole = solve(&t);
    assert_true(whole.passes > 5);
    t.settings.checkpoint = PATH;
    for (int within = 1; within <= whole.passes; within++) {
        watcher w = {.stop_within = within};
        unlink(PATH);
        t.passes = 0;
        t.slow = within;
        t.settings.resume = 0;
        t.settings.pass_progress = stop_within;
        t.settings.progress_user = &w;
        gpis_result part = solve(&t);
        assert_int_equal(part.passes, within - 1);
        assert_true(w.pass_calls == 1 && part.feasibility == 0.0);
        if (within == 1) {
            assert_true(isinf(part.objective) && part.gap_kind == GPIS_GAP_NONE);
            assert_memory_equal(part.x, inside, sizeof inside);
        } else {
            const double f = (double)problem_value(&t.p, part.x, NULL);
            assert_close(part.objective, f, 1e-9 * f);
        }
        t.slow = 0;
        t.settings.pass_progress = NULL;
        t.settings.resume = 1;
        gpis_result r = solve(&t);
        assert_same(&t, &whole, &r);
        assert_int_equal(r.resumed_passes, part.passes);
        clear(&t, &part);
        clear(&t, &r);
    }
    clear(&t, &whole);
    end(&t);
}

/* The limit of time ends a pass; the best point is that of the passes before. */
static void time_runs_out_within_a_pass(void **state) {
    (void)state;
    const scene s = {"pgd", "l1:0.7", "count", 0, 1, FINE, MADE, 1e-12, 0, GPIS_CERTIFICATE_ANY};
    stage t;
    begin(&t, &s);
    t.slow = 3;
    t.settings.time_limit = 0.14;
    gpis_result r = solve(&t);
    assert_int_equal(r.outcome, GPIS_TIME_LIMIT);
    assert_int_equal(r.passes, 2); /* the third was given up */
    assert_close(r.objective, (double)problem_value(&t.p, r.x, NULL), 1e-9 * r.objective);
    /* An audit makes its few passes, whatever the limit; who stops it gets no result. */
    gpis_result audit;
    watcher w = {.stop_within = 1};
    t.passes = 0;
    t.slow = 1;
    assert_ok(t.context, gpis_check(t.context, t.A, t.p.Y, 1, t.set, r.x, &t.settings, &audit));
    clear(&t, &audit);
    t.passes = 0;
    t.settings.pass_progress = stop_within;
    t.settings.progress_user = &w;
    assert_int_equal(gpis_check(t.context, t.A, t.p.Y, 1, t.set, r.x, &t.settings, &audit), GPIS_STOPPED);
    clear(&t, &r);
    end(&t);
}

/* ---- what does not belong together
 * ----------------------------------------------------------------------------------------
 */

static void refused(stage *t, const char *word) {
    gpis_result r;
    const gpis_status status = gpis_solve(t->context, t->A, t->p.Y, t->p.k, t->set, &t->settings, &r);
    if (status != GPIS_BAD_ARGUMENT || !strstr(gpis_last_error(t->context), word))
        fail_msg("'%s' has no '%s' (%s)", gpis_last_error(t->context), word, gpis_status_text(status));
}

static void other_settings_are_refused(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[7]);
    gpis_result whole = run_whole(&t);
    bytes b = load();
    const gpis_settings usual = t.settings;
    static const int64_t inner[] = {3};
    double x0[D] = {0.1};
#define REFUSE(field, value, word)  \
    do {                            \
        t.settings.field = (value); \
        refused(&t, word);          \
        t.settings = usual;         \
    } while (0)
    REFUSE(resume, 0, "add --resume");
    REFUSE(tol, 1e-6, "was made with --tol 1e-09, not 1e-06");
    REFUSE(method, "acc-gpis", "was made with --method gpis, not acc-gpis");
    REFUSE(sketch, "srht", "was made with --sketch count, not srht");
    REFUSE(m, 0, "was made with --m 30, not as planned");
    REFUSE(m, 31, "was made with --m 30, not 31");
    REFUSE(seed, 7, "was made with --seed 0, not 7");
    REFUSE(delta, 1e-3, "was made with --delta 1e-09, not 0.001");
    REFUSE(certificate, GPIS_CERTIFICATE_PROVEN, "was made with --certificate any, not proven");
    REFUSE(gpcs, 1, "--gpcs no, not yes");
    REFUSE(gamma_u, 3.0, "--gamma-u 2, not 3");
    REFUSE(gamma_d, 1.5, "--gamma-d 2, not 1.5");
    REFUSE(fixed_step, 0.25, "--step 0, not 0.25");
    REFUSE(restart, GPIS_RESTART_NONE, "--restart gradient, not none");
    REFUSE(x0, x0, "another start (--x0)");
    t.settings.inner_iterations = inner;
    REFUSE(inner_rounds, 1, "another list --inner");
    REFUSE(checkpoint, NULL, "to resume needs the checkpoint");
    REFUSE(checkpoint_every, -1.0, "checkpoint_every");
    gpis_set *l1 = t.set;
    t.set = problem_set(t.context, &t.w, "l1:0.8", "1", 1);
    refused(&t, "was made with --set l1:0.7, not l1:0.8");
    gpis_set_destroy(t.set);
    t.set = l1;
    bytes after = load();
    assert_memory_equal(after.data, b.data, (size_t)b.size); /* nobody has touched it */
    gpis_result r = solve(&t);
    assert_same(&t, &whole, &r);
    clear(&t, &r);
    clear(&t, &whole);
    free(b.data);
    free(after.data);
    end(&t);
}

static void other_data_are_refused(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[4]);
    gpis_result whole = run_whole(&t);
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
    clear(&t, &whole);
    end(&t);
}

/* A set that names files is as good as what is in them. */
static void other_files_of_a_set_are_refused(void **state) {
    (void)state;
    const scene s = {"newton", "box:$/lo.npy,$/hi.npy", "count", 0, 1, FINE, DENSE, 1e-8, 0, GPIS_CERTIFICATE_ANY};
    stage t;
    char path[96];
    begin(&t, &s);
    gpis_result whole = run_whole(&t);
    gpis_set *before = t.set;
    for (int j = 0; j < D; j++) t.w.lo[j] -= 0.5;
    snprintf(path, sizeof path, "%s/lo.npy", t.w.folder);
    write_npy(path, t.w.lo, D, 1, 1);
    t.set = problem_set(t.context, &t.w, s.spec, "1", 1);
    refused(&t, "another content of the files of --set");
    gpis_set_destroy(t.set);
    t.set = before;
    clear(&t, &whole);
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
        gpis_result whole = run_whole(&t);
        bytes b = load();
        unlink(PATH);
        const gpis_settings usual = t.settings;
        t.settings.seed = 5;
        t.settings.gamma_d = 1.25;
        gpis_result other = solve(&t);
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
        gpis_result again = solve(&t); /* without it all is well */
        assert_int_equal(again.resumed_passes, 1);
        free(mixed);
        free(b.data);
        free(o.data);
        clear(&t, &again);
        clear(&t, &other);
        clear(&t, &whole);
        end(&t);
    }
}

static void saga_has_no_checkpoint(void **state) {
    (void)state;
    stage t;
    gpis_result r;
    begin(&t, &SCENES[0]);
    t.settings.method = "saga";
    t.settings.checkpoint = PATH;
    assert_int_equal(gpis_solve(t.context, t.A, t.p.Y, 1, t.set, &t.settings, &r), GPIS_NOT_APPLICABLE);
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
    gpis_result whole = run_whole(&t);
    bytes b = load();
    int told = 0;
    for (int64_t at = 0; at < b.size; at += at < 2 * HEAD ? 1 : 37) {
        gpis_result r;
        b.data[at] ^= 0x10;
        store(b.data, b.size);
        b.data[at] ^= 0x10;
        const gpis_status status = gpis_solve(t.context, t.A, t.p.Y, t.p.k, t.set, &t.settings, &r);
        if (at < b.ends[0]) {
            assert_int_equal(status, GPIS_BAD_DATA);
            continue;
        }
        assert_int_equal(status, GPIS_OK);
        assert_same(&t, &whole, &r);
        assert_int_equal(r.resumed_passes, whole_passes(&b, at)); /* those before the damage */
        told += strstr(r.warning, "damaged after pass") != NULL;
        clear(&t, &r);
    }
    assert_true(told > 10);
    for (int64_t size = 0; size < b.ends[0]; size += 101) { /* not even the key is whole */
        gpis_result r;
        store(b.data, size);
        assert_int_equal(gpis_solve(t.context, t.A, t.p.Y, t.p.k, t.set, &t.settings, &r), GPIS_BAD_DATA);
    }
    free(b.data);
    clear(&t, &whole);
    end(&t);
}

static void a_full_disk_is_told_and_harms_nothing(void **state) {
    (void)state;
    stage t;
    begin(&t, &SCENES[1]);
    gpis_result whole = run_whole(&t), r;
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
        assert_same(&t, &whole, &r);
        assert_non_null(strstr(r.warning, "cannot be written"));
        clear(&t, &r);
        t.settings.resume = 1;
        r = solve(&t); /* there is room again */
        assert_same(&t, &whole, &r);
        assert_int_equal(r.resumed_passes, kept);
        assert_string_equal(r.warning, "");
        clear(&t, &r);
    }
    unlink(PATH);
    low.rlim_cur = 10; /* not even the beginning fits */
    setrlimit(RLIMIT_FSIZE, &low);
    assert_int_equal(gpis_solve(t.context, t.A, t.p.Y, 1, t.set, &t.settings, &r), GPIS_IO);
    setrlimit(RLIMIT_FSIZE, &usual);
    assert_int_equal(access(PATH, F_OK), -1);
    free(b.data);
    clear(&t, &whole);
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
    gpis_result r = {0};
    gpis_settings settings = gpis_settings_default();
    settings.m = 30;
    settings.tol = 1e-3; /* a few passes do */
    settings.checkpoint = PATH;
    settings.resume = a->resume;
    unlink(PATH);
    if (a->resume) store(a->file.data, a->file.ends[3]);
    gpis_status status = gpis_source_dense(context, a->p.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &A);
    if (status == GPIS_OK) status = gpis_set_parse(context, "l1:0.7", D, 1, &set);
    if (status == GPIS_OK) status = gpis_solve(context, A, a->p.Y, 1, set, &settings, &r);
    if (status == GPIS_OK && a->resume) assert_int_equal(r.resumed_passes, 3);
    gpis_result_clear(context, &r);
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

static int remove_file(void **state) {
    (void)state;
    unlink(PATH);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_anywhere_the_bits_are_the_same),
        cmocka_unit_test(nothing_is_read_of_what_the_file_holds),
        cmocka_unit_test(limits_and_interruptions_may_differ),
        cmocka_unit_test(stopped_within_a_pass_it_goes_on),
        cmocka_unit_test(time_runs_out_within_a_pass),
        cmocka_unit_test(other_settings_are_refused),
        cmocka_unit_test(other_data_are_refused),
        cmocka_unit_test(other_files_of_a_set_are_refused),
        cmocka_unit_test(passes_of_another_run_are_refused),
        cmocka_unit_test(saga_has_no_checkpoint),
        cmocka_unit_test(damage_is_seen_and_mended),
        cmocka_unit_test(a_full_disk_is_told_and_harms_nothing),
        cmocka_unit_test(memory_failures_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
