/* Reading sources by windows: for windows of any size the rows are as expected. */
#ifndef GPIS_TESTS_WINDOWS_H
#define GPIS_TESTS_WINDOWS_H

#include "reading.h"

/* One sweep over all rows in windows of `nrows`, two scratches in turn, as a pass does. */
static inline void check_sweep(gpis_context *context, gpis_source *source, int64_t nrows, const double *expected) {
    const int64_t d = source->d;
    const size_t bytes = source->class->scratch_bytes ? (size_t)source->class->scratch_bytes(source, nrows) : 1;
    void *scratch[2] = {malloc(bytes),
                        malloc(bytes)}; /* of the exact size, so that a sanitizer notices one byte too many */
    double *found = malloc((size_t)(nrows * d) * sizeof *found);
    assert_true(scratch[0] && scratch[1] && found);
    for (int64_t row0 = 0, turn = 0; row0 < source->n; row0 += nrows, turn = !turn) {
        const int64_t count = nrows < source->n - row0 ? nrows : source->n - row0;
        gpis_block block;
        assert_ok(context, source->class->block(source, row0, count, scratch[turn], &block));
        assert_int_equal(block.row0, row0);
        assert_int_equal(block.nrows, count);
        assert_int_equal(block.type, source->type);
        assert_sorted(&block);
        gpis_block_unpack(&block, found);
        if (memcmp(found, expected + row0 * d, (size_t)(count * d) * sizeof *found) != 0)
            fail_msg("windows of %lld rows: those from row %lld on are not as expected", (long long)nrows,
                     (long long)row0);
    }
    free(scratch[0]);
    free(scratch[1]);
    free(found);
}

static inline void check_windows(gpis_context *context, gpis_source *source, const double *expected) {
    static const int64_t sizes[] = {1, 3, 64, 100, 128, 1000, 1024, 2048};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (sizes[k] > 30 || source->n <= 3000) check_sweep(context, source, sizes[k], expected);
    check_sweep(context, source, source->n, expected);
}

#endif
