/* A .csv or .tsv file as a dense source; the columns of y, weights and offset, if they are named, are
 * kept apart. */
#include "source/stored.h"
#include "source/table.h"
#include "source/text_source.h"

static const gpis_source_class csv_class = {
    .kind = "csv", .block = gpis_stored_dense_block, .destroy = gpis_stored_dense_destroy};

/* Makes rows of A of the raw rows that the sink holds. */
static gpis_status encode(gpis_context *context, gpis_sink *sink, const gpis_encoding *encoding) {
    const int64_t d = gpis_encoding_width(encoding);
    int64_t entries;
    if (!gpis_checked_mul(sink->rows, d, &entries))
        return gpis_fail(context, GPIS_TOO_LARGE, "the levels of a table make %lld columns of it", (long long)d);
    double *values = gpis_alloc(context, entries, sizeof *values);
    if (!values) return GPIS_NO_MEMORY;
    const gpis_status status = gpis_encode_rows(encoding, sink->held.values, sink->rows, context->threads, values);
    gpis_free(context, sink->held.values);
    sink->held.values = values;
    sink->d = d;
    return status;
}

static gpis_status hold(gpis_context *context, const char *path, gpis_sink *sink, const gpis_encoding *encoding,
                        gpis_source **out) {
    gpis_status status = encoding->plain ? GPIS_OK : encode(context, sink, encoding);
    if (status != GPIS_OK) return status;
    const gpis_stored_dense dense = {.values = sink->held.values, .ld = sink->d, .owned = sink->held.values};
    status =
        gpis_stored_dense_new(context, &csv_class, path, dense, GPIS_FLOAT64, GPIS_ROW_MAJOR, sink->rows, sink->d, out);
    if (status != GPIS_OK) return status;
    sink->held.values = NULL;
    status = gpis_source_take_labels(*out, sink->roles, &sink->held.y);
    if (status == GPIS_OK) return GPIS_OK;
    gpis_source_destroy(*out);
    *out = NULL;
    return status;
}

gpis_status gpis_open_csv(gpis_context *context, const char *path, const gpis_open_options *options,
                          gpis_source **out) {
    static const gpis_text_format format = {.sparse = false, .parse = gpis_table_parse, .hold = hold};
    return gpis_text_source_open(context, path, options, &format, out);
}
