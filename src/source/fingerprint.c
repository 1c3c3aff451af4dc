/*
 * A checksum by which to recognise A without reading all of it: of some hundred rows, as doubles, spread evenly from
 * the first to the last. Callers compare the shape and the number of entries as well.
 */
#include "base/checksum.h"
#include "source/source.h"

gpis_status gpis_source_fingerprint(gpis_context *context, gpis_source *source, uint32_t *sum) {
    enum { MAX_ROWS = 200 };
    if (source->class->fingerprint) return source->class->fingerprint(context, source, sum);
    const int64_t rows = gpis_min64(MAX_ROWS, source->n);
    double *row = gpis_alloc(context, source->d, sizeof *row);
    void *scratch = NULL;
    gpis_status status = row ? GPIS_OK : GPIS_NO_MEMORY;
    if (row && source->class->scratch_bytes && !source->class->in_place) {
        scratch = gpis_alloc(context, source->class->scratch_bytes(source, 1), 1);
        if (!scratch) status = GPIS_NO_MEMORY;
    }
    for (int64_t i = 0; i < rows && status == GPIS_OK; i++) {
        gpis_block block;
        const int64_t index = rows == 1 ? 0 : (int64_t)((double)(source->n - 1) * (double)i / (double)(rows - 1));
        status = source->class->block(source, index, 1, scratch, &block);
        if (status != GPIS_OK) break;
        gpis_block_unpack(&block, row);
        if (source->class->done) source->class->done(source, &block);
        *sum = gpis_checksum(*sum, row, source->d * (int64_t)sizeof *row);
    }
    gpis_free(context, scratch);
    gpis_free(context, row);
    return status;
}
