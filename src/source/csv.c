/* A .csv or .tsv file, read whole into a dense array; the target column, if one is named, is kept apart. */
#include "source/stored.h"
#include "source/table.h"

static const gpis_source_class csv_class = {.kind = "csv", .block = gpis_dense_block, .destroy = gpis_dense_destroy};

gpis_status gpis_open_csv(gpis_context *context, const char *path, const gpis_open_options *options,
                          gpis_source **out) {
    gpis_table table;
    *out = NULL;
    gpis_status status = gpis_table_read(context, path, options->target, &table);
    if (status != GPIS_OK) return status;
    const gpis_dense dense = {.values = table.data, .ld = table.cols, .owned = table.data};
    status =
        gpis_dense_new(context, &csv_class, path, dense, GPIS_FLOAT64, GPIS_ROW_MAJOR, table.rows, table.cols, out);
    if (status != GPIS_OK) {
        gpis_table_clear(context, &table);
        return status;
    }
    (*out)->target = table.target;
    (*out)->target_k = table.target ? 1 : 0;
    (*out)->columns = table.names;
    return GPIS_OK;
}
