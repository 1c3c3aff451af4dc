/* Sources in memory and by a function: the contents of blocks, what is refused, and what an audit finds. */
#include "files.h"
#include "linalg/block.h"
#include "source/source.h"

enum { N = 7, D = 3 };

static double entry(int64_t i, int64_t j) { return 10.0 * (double)i + (double)j + 0.5; }

/* Every block of every length unpacks to the matrix it is part of. */
static void check_blocks(gpis_context *context, gpis_source *source) {
    double rows[N * D], scratch[N * D];
    assert_int_equal(source->n, N);
    assert_int_equal(source->d, D);
    for (int64_t row0 = 0; row0 < N; row0++) {
        for (int64_t nrows = 1; row0 + nrows <= N; nrows++) {
            gpis_block block;
            assert_ok(context, source->class->block(source, row0, nrows, scratch, &block));
            assert_int_equal(block.row0, row0);
            assert_int_equal(block.nrows, nrows);
            gpis_block_unpack(&block, rows);
            for (int64_t i = 0; i < nrows; i++)
                for (int64_t j = 0; j < D; j++) assert_close(rows[i * D + j], entry(row0 + i, j), 0.0);
        }
    }
    assert_ok(context, gpis_source_audit(context, source));
}

static void test_dense(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int variant = 0; variant < 8; variant++) {
        const gpis_type type = variant & 1 ? GPIS_FLOAT32 : GPIS_FLOAT64;
        const gpis_order order = variant & 2 ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR;
        const int64_t ld = (order == GPIS_ROW_MAJOR ? D : N) + (variant & 4 ? 2 : 0);
        double wide[64];
        float narrow[64];
        for (int k = 0; k < 64; k++) wide[k] = narrow[k] = NAN;
        for (int64_t i = 0; i < N; i++) {
            for (int64_t j = 0; j < D; j++) {
                const int64_t p = order == GPIS_ROW_MAJOR ? i * ld + j : i + j * ld;
                wide[p] = entry(i, j);
                narrow[p] = (float)entry(i, j);
            }
        }
        gpis_source *source;
        gpis_source_info info;
        const void *data = type == GPIS_FLOAT64 ? (const void *)wide : (const void *)narrow;
        assert_ok(context, gpis_source_dense(context, data, type, order, N, D, ld, &source));
        check_blocks(context, source);
        gpis_source_describe(source, &info);
        assert_int_equal(info.bytes, N * D * (type == GPIS_FLOAT64 ? 8 : 4));
        assert_string_equal(info.layout, order == GPIS_ROW_MAJOR ? "row-major" : "column-major");
        assert_string_equal(info.kind, "dense");
        assert_true(source->resident && !source->serial);
        assert_null(gpis_source_target(source, NULL));
        assert_null(gpis_source_column(source, 0));
        gpis_source_destroy(source);
    }
    test_context_end(context, &memory);
}

static void test_dense_refused(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const double a[1] = {1};
    gpis_source *s;
    const gpis_type t = GPIS_FLOAT64;
    assert_int_equal(gpis_source_dense(context, NULL, t, GPIS_ROW_MAJOR, 1, 1, 1, &s), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_source_dense(context, a, (gpis_type)7, GPIS_ROW_MAJOR, 1, 1, 1, &s), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_source_dense(context, a, t, (gpis_order)7, 1, 1, 1, &s), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_source_dense(context, a, t, GPIS_ROW_MAJOR, 1, 1, 1, NULL), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_source_dense(context, a, t, GPIS_ROW_MAJOR, 0, 1, 1, &s), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_source_dense(context, a, t, GPIS_ROW_MAJOR, 1, -1, 1, &s), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_source_dense(context, a, t, GPIS_ROW_MAJOR, 1, 2, 1, &s), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_source_dense(context, a, t, GPIS_COLUMN_MAJOR, 2, 1, 1, &s), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_source_dense(context, a, t, GPIS_ROW_MAJOR, INT64_MAX / 4, 8, 8, &s), GPIS_TOO_LARGE);
    assert_null(s);
    gpis_source_destroy(NULL);
    test_context_end(context, &memory);
}

static void test_csr(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    int64_t indptr[N + 1];
    int32_t indices[N * D];
    double wide[N * D];
    float narrow[N * D];
    for (int64_t i = 0; i <= N; i++) indptr[i] = i * D;
    for (int64_t p = 0; p < N * D; p++) {
        indices[p] = (int32_t)(p % D);
        wide[p] = entry(p / D, p % D);
        narrow[p] = (float)wide[p];
    }
    for (int variant = 0; variant < 2; variant++) {
        gpis_source *source;
        gpis_source_info info;
        const void *values = variant ? (const void *)narrow : (const void *)wide;
        assert_ok(context, gpis_source_csr(context, N, D, indptr, indices, values,
                                           variant ? GPIS_FLOAT32 : GPIS_FLOAT64, &source));
        check_blocks(context, source);
        gpis_source_describe(source, &info);
        assert_int_equal(info.bytes, N * D * ((variant ? 4 : 8) + 4) + (N + 1) * 8);
        assert_string_equal(info.layout, "compressed rows");
        gpis_source_destroy(source);
    }
    test_context_end(context, &memory);
}

static void refuse_csr(gpis_context *context, const int64_t *indptr, const int32_t *indices, const char *part) {
    const double values[4] = {1, 2, 3, 4};
    gpis_source *source;
    assert_int_equal(gpis_source_csr(context, 3, 3, indptr, indices, values, GPIS_FLOAT64, &source), GPIS_BAD_DATA);
    assert_message(context, part);
    assert_null(source);
}

static void test_csr_refused(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const int64_t good[4] = {0, 2, 2, 4};
    const int32_t columns[4] = {0, 2, 1, 2};
    refuse_csr(context, (int64_t[]){1, 2, 2, 4}, columns, "indptr[0] is 1");
    refuse_csr(context, (int64_t[]){0, 3, 2, 4}, columns, "row 2: indptr[2] = 2 is below indptr[1] = 3");
    refuse_csr(context, (int64_t[]){0, -1, 2, 4}, columns, "row 1: indptr[1] = -1");
    refuse_csr(context, good, (int32_t[]){0, 3, 1, 2}, "row 1: indices[1] = 3 is not in [0, 3)");
    refuse_csr(context, good, (int32_t[]){0, 2, -1, 2}, "row 3: indices[2] = -1 is not in [0, 3)");
    refuse_csr(context, good, (int32_t[]){2, 0, 1, 2}, "row 1: indices[1] = 0 is below the one before");
    refuse_csr(context, good, (int32_t[]){0, 2, 1, 1}, "row 3: indices[3] = 1 occurs twice");
    gpis_source *s;
    const double v[4] = {0};
    assert_int_equal(gpis_source_csr(context, 3, 3, NULL, columns, v, GPIS_FLOAT64, &s), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_source_csr(context, 3, 3, good, NULL, v, GPIS_FLOAT64, &s), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_source_csr(context, 0, 3, good, columns, v, GPIS_FLOAT64, &s), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_source_csr(context, 3, INT64_MAX, good, columns, v, GPIS_FLOAT64, &s), GPIS_TOO_LARGE);
    /* A matrix without entries is a matrix of zeros. */
    const int64_t zeros[4] = {0, 0, 0, 0};
    assert_ok(context, gpis_source_csr(context, 3, 3, zeros, NULL, NULL, GPIS_FLOAT64, &s));
    assert_ok(context, gpis_source_audit(context, s));
    gpis_source_destroy(s);
    test_context_end(context, &memory);
}

static int make_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    const int64_t *bad_row = user;
    for (int64_t i = 0; i < nrows; i++) {
        if (row0 + i == *bad_row) return 42;
        for (int64_t j = 0; j < D; j++) rows[i * D + j] = entry(row0 + i, j);
    }
    return 0;
}

static void test_callback(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    gpis_source_info info;
    gpis_block block;
    double scratch[N * D];
    int64_t bad_row = -1;
    assert_ok(context, gpis_source_callback(context, N, D, make_rows, &bad_row, 0, &source));
    check_blocks(context, source);
    assert_true(source->serial && !source->resident);
    gpis_source_describe(source, &info);
    assert_int_equal(info.bytes, 0);
    assert_string_equal(info.layout, "rows on demand");
    bad_row = 4;
    assert_int_equal(source->class->block(source, 3, 3, scratch, &block), GPIS_BAD_DATA);
    assert_message(context, "rows 4 to 6 could not be made: the function for them returned 42");
    assert_int_equal(gpis_source_audit(context, source), GPIS_BAD_DATA);
    gpis_source_destroy(source);
    assert_ok(context, gpis_source_callback(context, N, D, make_rows, &bad_row, 1, &source));
    assert_false(source->serial);
    gpis_source_destroy(source);
    assert_int_equal(gpis_source_callback(context, N, D, NULL, NULL, 0, &source), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_source_callback(context, 0, D, make_rows, NULL, 0, &source), GPIS_BAD_SHAPE);
    assert_int_equal(gpis_source_callback(context, INT64_MAX, D, make_rows, NULL, 0, &source), GPIS_TOO_LARGE);
    test_context_end(context, &memory);
}

/* The first bad entry by rows is named, wherever the blocks of the audit end. */
static void test_audit(void **state) {
    (void)state;
    enum { ROWS = 300000 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *data = calloc(2 * ROWS, sizeof *data);
    gpis_source *source;
    assert_non_null(data);
    data[ROWS + 250000] = NAN; /* row 250001, column 2 */
    data[299999] = -INFINITY;  /* row 300000, column 1 */
    assert_ok(context, gpis_source_dense(context, data, GPIS_FLOAT64, GPIS_COLUMN_MAJOR, ROWS, 2, ROWS, &source));
    assert_int_equal(gpis_source_audit(context, source), GPIS_BAD_DATA);
    assert_string_equal(gpis_last_error(context), "A: row 250001, column 2 is nan; remove or replace it");
    data[ROWS + 250000] = 0;
    assert_int_equal(gpis_source_audit(context, source), GPIS_BAD_DATA);
    assert_message(context, "row 300000, column 1 is -inf");
    gpis_source_destroy(source);
    free(data);

    const double values[2] = {1, INFINITY};
    const int64_t indptr[3] = {0, 0, 2};
    const int32_t indices[2] = {3, 8};
    assert_ok(context, gpis_source_csr(context, 2, 9, indptr, indices, values, GPIS_FLOAT64, &source));
    assert_int_equal(gpis_source_audit(context, source), GPIS_BAD_DATA);
    assert_message(context, "row 2, column 9 is inf");
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

static gpis_status make_all(gpis_context *context, void *user) {
    (void)user;
    static const double a[2] = {1, 2};
    static const int64_t indptr[3] = {0, 1, 2};
    static const int32_t indices[2] = {0, 0};
    int64_t bad_row = -1;
    gpis_source *s[3] = {NULL, NULL, NULL};
    gpis_status status = gpis_source_dense(context, a, GPIS_FLOAT64, GPIS_ROW_MAJOR, 2, 1, 1, &s[0]);
    if (status == GPIS_OK) status = gpis_source_csr(context, 2, 1, indptr, indices, a, GPIS_FLOAT64, &s[1]);
    if (status == GPIS_OK) status = gpis_source_callback(context, N, D, make_rows, &bad_row, 0, &s[2]);
    if (status == GPIS_OK) status = gpis_source_audit(context, s[2]);
    for (int k = 0; k < 3; k++) gpis_source_destroy(s[k]);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    assert_int_equal(test_every_allocation(make_all, NULL), 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),       cmocka_unit_test(test_dense_refused), cmocka_unit_test(test_csr),
        cmocka_unit_test(test_csr_refused), cmocka_unit_test(test_callback),      cmocka_unit_test(test_audit),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
