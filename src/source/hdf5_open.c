/*
 * FILE.h5:/path as A or as an array. A dense matrix that fits in memory is read once; of a larger one each pass reads
 * the rows anew, in the order of their chunks.
 */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "source/hdf5_sources.h"

typedef struct dense_file {
    gpis_h5_rows rows;
} dense_file;

static gpis_status dense_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    dense_file *f = source->state;
    const gpis_h5_guard guard = gpis_h5_enter();
    const gpis_status status =
        gpis_h5_rows_read(source->context, gpis_source_name(source), &f->rows, row0, nrows, scratch);
    gpis_h5_leave(guard);
    *out = gpis_block_dense(source->type, row0, nrows, source->d, scratch);
    return status;
}

static int64_t dense_scratch(const gpis_source *source, int64_t nrows) {
    const dense_file *f = source->state;
    return nrows * f->rows.row_bytes;
}

static gpis_status dense_unchanged(gpis_source *source) {
    const dense_file *f = source->state;
    const gpis_h5_guard guard = gpis_h5_enter();
    const gpis_status status = gpis_h5_rows_unchanged(source->context, gpis_source_name(source), &f->rows);
    gpis_h5_leave(guard);
    return status;
}

static void dense_destroy(gpis_source *source) {
    dense_file *f = source->state;
    const gpis_h5_guard guard = gpis_h5_enter();
    gpis_h5_rows_close(source->context, &f->rows);
    gpis_h5_leave(guard);
    gpis_free(source->context, f);
}

static const gpis_source_class held_class = {
    .kind = "hdf5", .block = gpis_stored_dense_block, .destroy = gpis_stored_dense_destroy};
static const gpis_source_class streamed_class = {.kind = "hdf5",
                                                 .block = dense_block,
                                                 .destroy = dense_destroy,
                                                 .scratch_bytes = dense_scratch,
                                                 .unchanged = dense_unchanged};

/* ---- what can be read -------------------------------------------------------------------------------------------- */

/* Refuses a data set that is empty, too large to count, or not of numbers. */
static gpis_status check_numbers(gpis_context *context, const char *name, const gpis_h5_shape *shape) {
    int64_t entries = 1;
    if (!shape->number)
        return gpis_fail(context, GPIS_BAD_DATA, "%s: holds %s, not floats or integers", name, shape->type);
    for (int k = 0; k < shape->rank && k < GPIS_H5_RANK; k++)
        if (!gpis_checked_mul(entries, shape->size[k], &entries) || entries > INT64_MAX / 16)
            return gpis_fail(context, GPIS_TOO_LARGE, "%s: its size overflows 64 bits", name);
    if (shape->rank < 0 || entries == 0) return gpis_fail(context, GPIS_BAD_SHAPE, "%s: is empty", name);
    return GPIS_OK;
}

/* A vector counts as one column. */
static gpis_status check_matrix(gpis_context *context, const char *name, const gpis_h5_shape *shape) {
    const gpis_status status = check_numbers(context, name, shape);
    if (status != GPIS_OK || shape->rank == 1 || shape->rank == 2) return status;
    return gpis_fail(context, GPIS_BAD_SHAPE, "%s: has %d dimensions; 1 or 2 are wanted", name, shape->rank);
}

/* ---- A ----------------------------------------------------------------------------------------------------------- */

/* Reads all rows at once. The data set stays the caller's. */
static gpis_status hold_dense(gpis_context *context, const char *path, gpis_h5_rows *rows, gpis_type type,
                              gpis_source **out) {
    void *values = gpis_alloc(context, rows->n, (size_t)rows->row_bytes);
    gpis_status status = values ? gpis_h5_rows_read(context, path, rows, 0, rows->n, values) : GPIS_NO_MEMORY;
    const gpis_stored_dense dense = {.values = values, .ld = rows->width, .owned = values};
    if (status == GPIS_OK)
        status =
            gpis_stored_dense_new(context, &held_class, path, dense, type, GPIS_ROW_MAJOR, rows->n, rows->width, out);
    if (status != GPIS_OK) gpis_free(context, values);
    return status;
}

/* On success the source owns the data set. */
static gpis_status stream_dense(gpis_context *context, const char *path, gpis_h5_rows *rows, gpis_type type,
                                int64_t budget, gpis_source **out) {
    gpis_status status = gpis_h5_rows_reserve(context, path, rows, budget);
    if (status != GPIS_OK) return status;
    dense_file *f = gpis_alloc_zero(context, 1, sizeof *f);
    gpis_source *source = f ? gpis_source_new(context, &streamed_class, path) : NULL;
    if (!source) {
        gpis_free(context, f);
        return GPIS_NO_MEMORY;
    }
    f->rows = *rows;
    *rows = (gpis_h5_rows){.set = -1};
    source->state = f;
    gpis_stored_dense_describe(source, type, GPIS_ROW_MAJOR, f->rows.n, f->rows.width);
    source->resident = false;
    source->serial = true;
    *out = source;
    return GPIS_OK;
}

/* Describes the data set, and refuses it unless it can be read as a matrix of numbers. */
static gpis_status inspect(gpis_context *context, const char *path, hid_t set, gpis_h5_shape *shape) {
    gpis_h5_describe(set, shape);
    const gpis_status status = check_matrix(context, path, shape);
    return status == GPIS_OK ? gpis_h5_check_filters(context, path, set) : status;
}

/* Owns the data set from then on, also after a failure. */
static gpis_status open_dense(gpis_context *context, const char *path, hid_t set, int64_t budget, gpis_source **out) {
    gpis_h5_shape shape;
    gpis_h5_rows rows = {.set = set};
    gpis_status status = inspect(context, path, set, &shape);
    if (status == GPIS_OK) {
        const gpis_type type = shape.narrow ? GPIS_FLOAT32 : GPIS_FLOAT64;
        gpis_h5_rows_start(set, &shape, shape.narrow ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, &rows);
        status = rows.n * rows.row_bytes <= budget ? hold_dense(context, path, &rows, type, out)
                                                   : stream_dense(context, path, &rows, type, budget, out);
        if (status == GPIS_OK) (*out)->dimensions = shape.rank;
    }
    gpis_h5_rows_close(context, &rows);
    return status;
}

gpis_status gpis_open_hdf5(gpis_context *context, const char *path, const gpis_open_options *options,
                           gpis_source **out) {
    size_t length;
    const char *inside;
    hid_t file, object = -1;
    *out = NULL;
    gpis_hdf5_path(path, &length, &inside);
    const int64_t budget = gpis_source_budget(context, options);
    const gpis_h5_guard guard = gpis_h5_enter();
    gpis_status status = gpis_h5_open(context, path, length, &file);
    if (status == GPIS_OK) status = gpis_h5_find(context, path, file, inside, false, &object);
    if (status == GPIS_OK)
        status = H5Iget_type(object) == H5I_DATASET ? open_dense(context, path, object, budget, out)
                                                    : gpis_h5_open_csr(context, path, object, budget, out);
    gpis_h5_close(file); /* its data sets keep it open */
    gpis_h5_leave(guard);
    return status;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static gpis_status read_array(gpis_context *context, const char *path, hid_t set, gpis_array *out) {
    gpis_h5_shape shape;
    gpis_h5_rows rows = {.set = set};
    gpis_status status = inspect(context, path, set, &shape);
    if (status == GPIS_OK) {
        gpis_h5_rows_start(set, &shape, H5T_NATIVE_DOUBLE, &rows);
        *out = (gpis_array){.rows = rows.n, .cols = rows.width, .dimensions = shape.rank};
        out->data = gpis_alloc(context, rows.n, (size_t)rows.row_bytes);
        status = out->data ? gpis_h5_rows_read(context, path, &rows, 0, rows.n, out->data) : GPIS_NO_MEMORY;
    }
    gpis_h5_rows_close(context, &rows);
    if (status != GPIS_OK) {
        gpis_free(context, out->data);
        *out = (gpis_array){0};
    }
    return status;
}

gpis_status gpis_hdf5_read(gpis_context *context, const char *path, gpis_array *out) {
    size_t length;
    const char *inside;
    hid_t file, object = -1;
    *out = (gpis_array){0};
    gpis_hdf5_path(path, &length, &inside);
    const gpis_h5_guard guard = gpis_h5_enter();
    gpis_status status = gpis_h5_open(context, path, length, &file);
    if (status == GPIS_OK) status = gpis_h5_find(context, path, file, inside, true, &object);
    if (status == GPIS_OK) status = read_array(context, path, object, out);
    gpis_h5_close(file);
    gpis_h5_leave(guard);
    return status;
}

gpis_status gpis_file_contents(gpis_context *context, const char *path, gpis_content_fn report, void *user) {
    size_t length;
    const char *inside;
    hid_t file;
    if (!context || !path || !report)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a path and a function to call are needed");
    if (!gpis_hdf5_path(path, &length, &inside) || inside)
        return gpis_fail(context, GPIS_NOT_APPLICABLE, "%s: is not a file that can hold several things", path);
    const gpis_h5_guard guard = gpis_h5_enter();
    gpis_status status = gpis_h5_open(context, path, length, &file);
    if (status == GPIS_OK) status = gpis_h5_list(context, path, file, report, user);
    gpis_h5_close(file);
    gpis_h5_leave(guard);
    return status;
}
