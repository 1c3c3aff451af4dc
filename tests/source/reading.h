/* What the tests of file sources share: write a file, open it, compare it with what is expected or check the refusal.
 */
#ifndef GPIS_TESTS_READING_H
#define GPIS_TESTS_READING_H

#include "files.h"
#include "linalg/block.h"
#include "source/source.h"

static inline void assert_sorted(const gpis_block *block) {
    if (block->kind != GPIS_BLOCK_CSR) return;
    for (int64_t i = 0; i < block->nrows; i++)
        for (int64_t p = block->indptr[i] + 1; p < block->indptr[i + 1]; p++)
            assert_true(block->indices[p - 1] < block->indices[p]);
}

/* Opens `path` and compares it with the rows x cols numbers expected, and y with the target unless it is NULL. */
static inline void check_file(const char *path, const char *target, int64_t rows, int64_t cols, const double *expected,
                              const double *y) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    gpis_block block;
    double *found = calloc((size_t)(rows * cols), sizeof *found);
    int64_t k;
    assert_non_null(found);
    assert_ok(context, gpis_source_open(context, path, target, &source));
    assert_int_equal(source->n, rows);
    assert_int_equal(source->d, cols);
    assert_true(source->resident);
    assert_ok(context, source->class->block(source, 0, rows, NULL, &block));
    assert_sorted(&block);
    gpis_block_unpack(&block, found);
    for (int64_t p = 0; p < rows * cols; p++) assert_close(found[p], expected[p], 0.0);
    const double *held = gpis_source_target(source, &k);
    assert_int_equal(k, y ? 1 : 0);
    assert_true((held != NULL) == (y != NULL));
    for (int64_t i = 0; y && i < rows; i++) assert_close(held[i], y[i], 0.0);
    free(found);
    gpis_source_destroy(source);
    test_context_end(context, &memory);
}

static inline void refuse_file(const char *path, const char *target, gpis_status expected, const char *part) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *source;
    const gpis_status status = gpis_source_open(context, path, target, &source);
    if (status != expected)
        fail_msg("%s: status %d, \"%s\", wanted \"%s\"", path, (int)status, gpis_last_error(context), part);
    assert_message(context, part);
    assert_message(context, path);
    assert_null(source);
    test_context_end(context, &memory);
}

static inline gpis_status open_and_destroy(gpis_context *context, void *path) {
    gpis_source *source;
    const gpis_status status = gpis_source_open(context, path, NULL, &source);
    gpis_source_destroy(source);
    return status;
}

#endif
