/* Scenes of checkpoints: a solve of each kind, over each kind of storage, and its file taken apart. */
#ifndef GPIS_TESTS_CHECKPOINTS_H
#define GPIS_TESTS_CHECKPOINTS_H

#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "calls.h"
#include "certificate/problems.h"

enum { N = 400, D = 6, HEAD = 16 };
/* PATH, the file, is defined by who includes this: tests run side by side. */

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
    {"newton", "l1:0.7", "sample", 60, 2, FINE, SPARSE, 1e-10, 0, GPIS_CERTIFICATE_ANY},
    {"newton", "none", "sample", 30, 1, COHERENT, COLUMNS, 1e-9, 0, GPIS_CERTIFICATE_ANY},         /* samples again */
    {"newton", "none", "count", 40, 1, ZERO_AND_DUPLICATE, DENSE, 1e-10, 0, GPIS_CERTIFICATE_ANY}, /* null vectors */
    {"newton", "none", "count", 0, 2, DUPLICATE, SPARSE, 1e-10, 0, GPIS_CERTIFICATE_ANY},
    {"newton", "l1:0.2", "count", 60, 1, FINE, COLUMNS, 1e-10, 0, GPIS_CERTIFICATE_PROVEN}, /* on a face */
    {"newton", "none", "count", 0, 1, NEARLY, DENSE, 1e-8, 0, GPIS_CERTIFICATE_ANY},        /* nearly null vectors */
    {"newton", "none", "count", 0, 3, NEARLY, SPARSE, 1e-8, 0, GPIS_CERTIFICATE_ANY},
    {"newton", "none", "count", 40, 2, NEARLY, COLUMNS, 1e-8, 0, GPIS_CERTIFICATE_PROVEN},
    {"newton", "memory:blocks:#", "count", 0, 2, FINE, DENSE, 1e-8, 0, GPIS_CERTIFICATE_ANY},
    {"apgd", "memory:cone", "count", 0, 1, FINE, SPARSE, 1e-8, 0, GPIS_CERTIFICATE_ANY},
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
    int passes, slow; /* passes over them so far; the one that is slow */
    gpis_source *A;
    gpis_set *set;
    gpis_settings settings;
} stage;

static inline int make_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    stage *t = user;
    const bool begins = row0 == 0 && nrows > 1;
    t->passes += begins;
    if (begins && t->passes == t->slow) usleep(150000);
    memcpy(rows, t->p.A + row0 * t->p.d, (size_t)(nrows * t->p.d) * sizeof *rows);
    t->rows_made += nrows;
    return 0;
}

static inline void make_source(stage *t, storage kind) {
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

static inline void begin(stage *t, const scene *s) {
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

static inline void end(stage *t) {
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

static inline gpis_result *solve(stage *t) {
    gpis_result *r = NULL;
    assert_ok(t->context, test_solve(t->context, t->A, t->p.Y, t->p.k, t->set, &t->settings, &r));
    return r;
}

static inline void assert_same(const stage *t, const gpis_result *a, const gpis_result *b) {
    assert_memory_equal(a->x, b->x, (size_t)(t->p.d * t->p.k) * sizeof(double));
    assert_true(a->objective == b->objective && a->gap == b->gap && a->feasibility == b->feasibility);
    assert_true(a->outcome == b->outcome && a->gap_kind == b->gap_kind && a->gap_delta == b->gap_delta);
    assert_true(a->passes == b->passes && a->sketches == b->sketches && a->epochs == b->epochs);
    assert_true(a->bytes_read == b->bytes_read && a->predicted_passes == b->predicted_passes);
    assert_string_equal(a->method, b->method);
    assert_string_equal(a->plan, b->plan);
}

static inline void clear(stage *t, gpis_result *r) {
    (void)t;
    gpis_result_destroy(r);
}

/* ---- the file -------------------------------------------------------------------------------------------------------
 */

typedef struct bytes {
    unsigned char *data;
    int64_t size;
    int64_t ends[100]; /* of the records, the key's first */
    int records;
} bytes;

static inline bytes load(void) {
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

static inline void store(const unsigned char *data, int64_t size) {
    FILE *f = fopen(PATH, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, (size_t)size, f), size);
    assert_int_equal(fclose(f), 0);
}

static inline int whole_passes(const bytes *b, int64_t size) {
    int count = 0;
    for (int i = 1; i < b->records; i++) count += b->ends[i] <= size;
    return count;
}

/* Runs once without and once with a checkpoint, which must not matter; the file stays. */
static inline gpis_result *run_whole(stage *t) {
    gpis_result *plain = solve(t);
    t->settings.checkpoint = PATH;
    gpis_result *kept = solve(t);
    assert_same(t, plain, kept);
    assert_int_equal(kept->resumed_passes, 0);
    clear(t, kept);
    t->settings.resume = 1;
    return plain;
}

static inline int remove_file(void **state) {
    (void)state;
    unlink(PATH);
    return 0;
}

#endif
