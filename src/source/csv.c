/* A .csv or .tsv file as a dense source; the target column, if one is named, is kept apart. */
#include "source/stored.h"
#include "source/table.h"
#include "source/text_source.h"

static const gpis_source_class csv_class = {
    .kind = "csv", .block = gpis_stored_dense_block, .destroy = gpis_stored_dense_destroy};

static gpis_status hold(gpis_context *context, const char *path, gpis_sink *sink, gpis_source **out) {
    const gpis_stored_dense dense = {.values = sink->held.values, .ld = sink->d, .owned = sink->held.values};
    const gpis_status status =
        gpis_stored_dense_new(context, &csv_class, path, dense, GPIS_FLOAT64, GPIS_ROW_MAJOR, sink->rows, sink->d, out);
    if (status != GPIS_OK) return status;
    (*out)->target = sink->held.y;
    (*out)->target_k = sink->held.y ? 1 : 0;
    sink->held.values = sink->held.y = NULL;
    return GPIS_OK;
}

gpis_status gpis_open_csv(gpis_context *context, const char *path, const gpis_open_options *options,
                          gpis_source **out) {
    static const gpis_text_format format = {.sparse = false, .parse = gpis_table_parse, .hold = hold};
    return gpis_text_source_open(context, path, options, &format, out);
}
