/*
 * Rows that are not resident: the same bits as in memory, whatever the kind of file, the threads and the memory; the
 * contract of windows, checked by a source; failures in the middle; files that change; the account of memory.
 */
#include "pass/window.h"

#include <fcntl.h>
#include <omp.h>
#include <sys/stat.h>

#include "calls.h"
#include "files.h"
#include "pass/pass.h"
#include "source/npy.h"

enum { N = 6000, D = 40, M = 64, PROBES = 3, LIMIT = 1500000 };

static double *normals(int64_t count, uint64_t stream) {
    double *v = calloc((size_t)count, sizeof *v);
    gpis_random_normal(31, stream, 0, count, v);
    return v;
}

/* All results of a pass, in one array. */
enum { ANSWERS = 1 + D + PROBES * D + D + D * D + M * D + M };

static gpis_status sweep(gpis_context *context, gpis_source *A, const double *x, const double *y, const double *V,
                         bool gram, bool sketched, double *out) {
    gpis_sketch *sketch = NULL;
    gpis_status status = GPIS_OK;
    memset(out, 0, ANSWERS * sizeof *out);
    double *G = out + 1, *AAV = G + D, *norms2 = AAV + PROBES * D, *H = norms2 + D, *SA = H + D * D;
    if (sketched)
        status = gpis_sketch_create_in(context, gpis_sketch_find("count"), M, N, D, 1, 3, 0, SA, SA + M * D, &sketch);
    const gpis_pass pass = {.k = 1,
                            .Y = y,
                            .X = x,
                            .V = V,
                            .probes = PROBES,
                            .objective = out,
                            .G = G,
                            .AAV = AAV,
                            .norms2 = norms2,
                            .gram = gram ? H : NULL,
                            .sketch = sketch};
    if (status == GPIS_OK) status = gpis_pass_run(context, A, &pass);
    gpis_sketch_destroy(sketch);
    return status;
}

/* The matrix as a .npy file; `alignment` of its numbers. */
static void write_matrix(const char *path, const double *a, int64_t n, int64_t d, gpis_type type, gpis_order order,
                         size_t alignment) {
    const size_t width = type == GPIS_FLOAT64 ? 8 : 4, bytes = (size_t)(n * d) * width;
    char dictionary[128], *numbers = malloc(bytes);
    unsigned char *image = malloc(bytes + 4096);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            const int64_t at = order == GPIS_ROW_MAJOR ? i * d + j : j * n + i;
            if (type == GPIS_FLOAT64)
                ((double *)numbers)[at] = a[i * d + j];
            else
                ((float *)numbers)[at] = (float)a[i * d + j];
        }
    snprintf(dictionary, sizeof dictionary, "{'descr': '<f%zu', 'fortran_order': %s, 'shape': (%lld, %lld), }", width,
             order == GPIS_ROW_MAJOR ? "False" : "True", (long long)n, (long long)d);
    write_bytes(path, image, npy_image(image, 1, dictionary, alignment, numbers, bytes));
    free(numbers);
    free(image);
}

static void same_bits_as_in_memory(void **state) {
    (void)state;
    static const struct {
        gpis_type type;
        gpis_order order;
        size_t alignment;
    } files[] = {{GPIS_FLOAT64, GPIS_ROW_MAJOR, 64},
                 {GPIS_FLOAT32, GPIS_ROW_MAJOR, 64},
                 {GPIS_FLOAT64, GPIS_COLUMN_MAJOR, 64},
                 {GPIS_FLOAT32, GPIS_COLUMN_MAJOR, 64},
                 {GPIS_FLOAT64, GPIS_ROW_MAJOR, 1}};
    const gpis_open_options small = {.size = sizeof small, .memory = LIMIT};
    double *a = normals(N * D, 1), *x = normals(D, 2), *y = normals(N, 3), *V = normals(D * PROBES, 4);
    double *there = calloc(ANSWERS, sizeof *there), *here = calloc(ANSWERS, sizeof *here);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (int wish = 0; wish < 4; wish++)
            for (int threads = 1; threads <= 3; threads++) {
                test_memory memory;
                gpis_context *context = test_context(&memory);
                gpis_source *mapped, *streamed;
                write_matrix("window.npy", a, N, D, files[f].type, files[f].order, files[f].alignment);
                assert_ok(context, gpis_context_set_threads(context, threads));
                assert_ok(context, gpis_source_open(context, "window.npy", NULL, &mapped));
                assert_true(mapped->resident);
                assert_ok(context, sweep(context, mapped, x, y, V, wish & 1, wish & 2, there));
                gpis_source_destroy(mapped);
                assert_int_equal(gpis_account_used(context), 0);
                assert_ok(context, gpis_context_set_memory(context, 4 * LIMIT)); /* windows of a sixteenth */
                assert_ok(context, gpis_source_open_with(context, "window.npy", &small, &streamed));
                assert_false(streamed->resident);
                assert_ok(context, sweep(context, streamed, x, y, V, wish & 1, wish & 2, here));
                assert_memory_equal(here, there, ANSWERS * sizeof *here);
                gpis_source_destroy(streamed);
                assert_int_equal(gpis_account_used(context), 0);
                test_context_end(context, &memory);
            }
    free(a), free(x), free(y), free(V), free(there), free(here);
}

/* Columns are mapped if windows hold long pieces of them; with an odd number of rows a piece can begin anywhere in a
 * page. */
static void long_columns_are_mapped(void **state) {
    (void)state;
    enum { ROWS = 40013, COLS = 3, LEAST = 1 << 16 };
    double *a = normals(ROWS * COLS, 1), *x = normals(COLS, 2), *y = normals(ROWS, 3);
    for (int width = 4; width <= 8; width += 4)
        for (int threads = 1; threads <= 3; threads++) {
            test_memory memory;
            gpis_context *context = test_context(&memory);
            gpis_source *held, *streamed;
            gpis_block block;
            double f[2], g[2][COLS];
            const int64_t limit = 8 * LEAST * COLS, rows = LEAST / width;
            write_matrix("long.npy", a, ROWS, COLS, width == 8 ? GPIS_FLOAT64 : GPIS_FLOAT32, GPIS_COLUMN_MAJOR, 64);
            assert_ok(context, gpis_context_set_threads(context, threads));
            assert_ok(context, gpis_source_open(context, "long.npy", NULL, &held));
            assert_ok(context, test_evaluate(context, held, y, 1, x, &f[0], g[0]));
            gpis_source_destroy(held);
            const gpis_open_options small = {.size = sizeof small, .memory = LEAST};
            assert_ok(context, gpis_context_set_memory(context, limit));
            assert_ok(context, gpis_source_open_with(context, "long.npy", &small, &streamed));
            assert_ptr_equal(streamed->class, &gpis_source_npy_columns);
            assert_ok(context, test_evaluate(context, streamed, y, 1, x, &f[1], g[1]));
            assert_memory_equal(&f[0], &f[1], sizeof f[0]);
            assert_memory_equal(g[0], g[1], sizeof g[0]);
            assert_ok(context, streamed->class->block(streamed, rows, 100, NULL, &block));
            for (int64_t i = 0; i < 100 * COLS; i++) {
                const int64_t row = i / COLS, col = i % COLS, at = row + col * block.col_stride;
                const double entry = a[(rows + row) * COLS + col];
                if (width == 8) assert_true(((const double *)block.values)[at] == entry);
                if (width == 4) assert_true(((const float *)block.values)[at] == (float)entry);
            }
            streamed->class->done(streamed, &block);
            assert_int_equal(truncate("long.npy", 2 * ROWS * width), 0);
            assert_int_equal(streamed->class->block(streamed, rows, rows, NULL, &block), GPIS_IO);
            assert_message(context, "cut short?");
            gpis_source_destroy(streamed);
            test_context_end(context, &memory);
        }
    free(a), free(x), free(y);
}

/* ---- a source of compressed rows that watches how it is asked -----------------------------------------------------
 */

typedef struct watched {
    const gpis_stored_csr *csr;
    int64_t next, step;
    void *last;
    atomic_int inside;
    int64_t fail_row; /* -1: none */
} watched;

static gpis_status watched_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    watched *w = source->state;
    const int64_t *indptr = w->csr->indptr + row0, count = indptr[nrows] - indptr[0];
    assert_int_equal(atomic_fetch_add(&w->inside, 1), 0);
    assert_int_equal(row0, w->next);
    if (row0 == 0) w->step = nrows;
    assert_int_equal(row0 % w->step, 0);
    assert_true(nrows == w->step || row0 + nrows == source->n);
    assert_true(row0 == 0 || scratch != w->last); /* the other one is being worked on */
    w->last = scratch;
    w->next = row0 + nrows;
    int64_t *own = scratch;
    double *values = (double *)(own + nrows + 1);
    int32_t *indices = (int32_t *)(values + count);
    for (int64_t i = 0; i <= nrows; i++) own[i] = indptr[i] - indptr[0];
    memcpy(values, (const double *)w->csr->values + indptr[0], (size_t)count * sizeof *values);
    memcpy(indices, w->csr->indices + indptr[0], (size_t)count * sizeof *indices);
    *out = (gpis_block){.kind = GPIS_BLOCK_CSR,
                        .type = GPIS_FLOAT64,
                        .row0 = row0,
                        .nrows = nrows,
                        .d = source->d,
                        .values = values,
                        .indptr = own,
                        .indices = indices};
    atomic_fetch_sub(&w->inside, 1);
    if (w->fail_row >= row0 && w->fail_row < row0 + nrows)
        return gpis_fail(source->context, GPIS_IO, "rows from %d on are gone", (int)row0);
    return GPIS_OK;
}

static int64_t watched_bytes(const gpis_source *source, int64_t nrows) {
    const watched *w = source->state;
    int64_t most = 0;
    for (int64_t row0 = 0; row0 < source->n; row0 += nrows)
        most = gpis_max64(most, w->csr->indptr[gpis_min64(row0 + nrows, source->n)] - w->csr->indptr[row0]);
    return 8 * (nrows + 1) + 12 * most;
}

static void windows_keep_their_contract(void **state) {
    (void)state;
    static const gpis_source_class class = {.kind = "watched", .block = watched_block, .scratch_bytes = watched_bytes};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    int64_t *indptr = calloc(N + 1, sizeof *indptr);
    int32_t *indices = calloc(N * D, sizeof *indices);
    double *values = normals(N * D, 1), *x = normals(D, 2), *y = normals(N, 3), *V = normals(D * PROBES, 4);
    double *there = calloc(ANSWERS, sizeof *there), *here = calloc(ANSWERS, sizeof *here);
    for (int64_t i = 0; i < N; i++) {
        indptr[i + 1] = indptr[i];
        for (int32_t j = (int32_t)(i % 3); j < D; j += (int32_t)(2 + i % 5)) indices[indptr[i + 1]++] = j;
    }
    const gpis_stored_csr csr = {indptr, indices, values, false};
    gpis_source *A;
    assert_ok(context, gpis_source_csr(context, N, D, indptr, indices, values, GPIS_FLOAT64, &A));
    assert_ok(context, gpis_context_set_memory(context, LIMIT)); /* small windows: many of them */
    for (int sketched = 0; sketched < 2; sketched++)
        for (int threads = 1; threads <= 3; threads++) {
            watched w = {.csr = &csr, .fail_row = -1};
            gpis_source other = *A;
            other.class = &class;
            other.state = &w;
            other.resident = false;
            other.serial = true;
            assert_ok(context, gpis_context_set_threads(context, threads));
            assert_ok(context, sweep(context, A, x, y, V, true, sketched, there));
            assert_ok(context, sweep(context, &other, x, y, V, true, sketched, here));
            assert_memory_equal(here, there, ANSWERS * sizeof *here);
            assert_int_equal(w.next, N);
            assert_true(w.step < N / 2);
            w = (watched){.csr = &csr, .fail_row = N - 700};
            assert_int_equal(sweep(context, &other, x, y, V, true, sketched, here), GPIS_IO);
            assert_message(context, "are gone");
        }
    gpis_source_destroy(A);
    free(indptr), free(indices), free(values), free(x), free(y), free(V), free(there), free(here);
    test_context_end(context, &memory);
}

/* ---- failures in the middle ---------------------------------------------------------------------------------------
 */

static int make_or_fail(void *user, int64_t row0, int64_t nrows, double *rows) {
    const int64_t bad = *(const int64_t *)user;
    for (int64_t i = 0; i < nrows * D; i++) rows[i] = (double)((row0 * D + i) % 17);
    return bad >= 0 && row0 + nrows > bad; /* this row and all after it */
}

static void first_failing_rows_are_named(void **state) {
    (void)state;
    double *x = normals(D, 2), *y = normals(N, 3), *V = normals(D * PROBES, 4);
    double *out = calloc(ANSWERS, sizeof *out);
    for (int concurrent = 0; concurrent < 2; concurrent++)
        for (int threads = 1; threads <= 4; threads++)
            for (int sketched = 0; sketched < 2; sketched++) {
                test_memory memory;
                gpis_context *context = test_context(&memory);
                gpis_source *A;
                int64_t bad = 4100;
                int first = 0, last = 0;
                assert_ok(context, gpis_context_set_memory(context, 2 * LIMIT));
                assert_ok(context, gpis_context_set_threads(context, threads));
                assert_ok(context, gpis_source_callback(context, N, D, make_or_fail, &bad, concurrent, &A));
                assert_int_equal(sweep(context, A, x, y, V, false, sketched, out), GPIS_BAD_DATA);
                const char *place = strstr(gpis_last_error(context), "rows ");
                assert_non_null(place);
                assert_int_equal(sscanf(place, "rows %d to %d", &first, &last), 2);
                assert_true(first <= bad + 1 && bad + 1 <= last);
                bad = -1;
                assert_ok(context, sweep(context, A, x, y, V, false, sketched, out));
                gpis_source_destroy(A);
                test_context_end(context, &memory);
            }
    free(x), free(y), free(V), free(out);
}

/* ---- files that change --------------------------------------------------------------------------------------------
 */

static void files_that_change(void **state) {
    (void)state;
    double *a = normals(N * D, 1), *x = normals(D, 2), *y = normals(N, 3), *V = normals(D * PROBES, 4);
    double *out = calloc(ANSWERS, sizeof *out);
    for (int order = 0; order < 2; order++)
        for (int64_t limit = 0; limit <= LIMIT; limit += LIMIT) {
            test_memory memory;
            gpis_context *context = test_context(&memory);
            gpis_source *A;
            gpis_block block;
            struct stat info;
            double *scratch = malloc(N * D * sizeof *scratch);
            write_matrix("change.npy", a, N, D, GPIS_FLOAT64, (gpis_order)order, 64);
            assert_ok(context, gpis_context_set_memory(context, limit));
            assert_ok(context, gpis_source_open(context, "change.npy", NULL, &A));
            assert_ok(context, sweep(context, A, x, y, V, false, false, out));
            const int fd = open("change.npy", O_RDWR);
            assert_true(fd >= 0 && fstat(fd, &info) == 0);
            const struct timespec later[2] = {info.st_atim, {info.st_mtim.tv_sec + 5, 0}};
            const struct timespec before[2] = {info.st_atim, info.st_mtim};
            assert_int_equal(futimens(fd, later), 0);
            assert_int_equal(sweep(context, A, x, y, V, false, false, out), GPIS_IO);
            assert_message(context, "change.npy: was written to after it was opened");
            assert_int_equal(futimens(fd, before), 0);
            assert_ok(context, sweep(context, A, x, y, V, false, false, out));
            assert_int_equal(ftruncate(fd, info.st_size / 2), 0);
            assert_int_equal(sweep(context, A, x, y, V, false, false, out), GPIS_IO);
            assert_message(context, "it must not change while it is read");
            /* while a pass is under way */
            if (limit > 0) {
                assert_int_equal(A->class->block(A, N - 500, 500, scratch, &block), GPIS_IO);
                assert_message(context, "cut short?");
            }
            close(fd);
            free(scratch);
            gpis_source_destroy(A);
            test_context_end(context, &memory);
        }
    free(a), free(x), free(y), free(V), free(out);
}

/* ---- the account --------------------------------------------------------------------------------------------------
 */

static void memory_has_a_limit(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    assert_int_equal(gpis_context_set_memory(context, -1), GPIS_BAD_ARGUMENT);
    assert_ok(context, gpis_context_set_memory(context, 1 << 20));
    void *half = gpis_alloc(context, 1 << 19, 1);
    assert_non_null(half);
    assert_null(gpis_alloc(context, 1 << 19, 1)); /* its own size is noted beside it */
    assert_message(context, "513K of memory are needed and 513K are in use already, but only 1.0M are allowed");
    assert_int_equal(gpis_context_memory_peak(context), (1 << 19) + GPIS_ALIGNMENT);
    gpis_free(context, half);
    assert_int_equal(gpis_account_left(context), 1 << 20);
    half = gpis_alloc(context, (1 << 20) - GPIS_ALIGNMENT, 1);
    assert_non_null(half);
    gpis_free(context, half);
    assert_string_equal(gpis_bytes(999).text, "999 bytes");
    assert_string_equal(gpis_bytes(1024 * 1024 + 1).text, "1.1M");
    assert_string_equal(gpis_bytes(2.5e9).text, "2.4G");
    test_context_end(context, &memory);
}

static gpis_status open_and_sweep(gpis_context *context, void *user) {
    double **v = user, *out = calloc(ANSWERS, sizeof *out);
    const gpis_open_options options = {.size = sizeof options, .memory = LIMIT};
    gpis_source *A;
    gpis_status status = gpis_source_open_with(context, "window.npy", &options, &A);
    if (status == GPIS_OK) status = sweep(context, A, v[0], v[1], v[2], false, true, out);
    gpis_source_destroy(A);
    free(out);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    double *a = normals(N * D, 1), *v[] = {normals(D, 2), normals(N, 3), normals(D * PROBES, 4)};
    for (int order = 0; order < 2; order++) {
        write_matrix("window.npy", a, N, D, GPIS_FLOAT64, (gpis_order)order, 64);
        assert_true(test_every_allocation(open_and_sweep, v) > 8);
    }
    free(a), free(v[0]), free(v[1]), free(v[2]);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library: BLAS has no threads of its own */
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_as_in_memory),
                                       cmocka_unit_test(long_columns_are_mapped),
                                       cmocka_unit_test(windows_keep_their_contract),
                                       cmocka_unit_test(first_failing_rows_are_named),
                                       cmocka_unit_test(files_that_change),
                                       cmocka_unit_test(memory_has_a_limit),
                                       cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
