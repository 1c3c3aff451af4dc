/* Small matrices in files: .npy, text tables, data sets of HDF5 files. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/npy.h"
#include "base/options.h"
#include "source/hdf5_file.h"
#include "source/table.h"

/* The formats of arrays. */
typedef enum kind { UNKNOWN, NPY, TEXT, HDF5 } kind;

static kind kind_of_name(const char *name) {
    static const char *const text[] = {"csv", "tsv", "txt", "data"};
    if (*name == '.') name++;
    if (strcasecmp(name, "npy") == 0) return NPY;
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        if (strcasecmp(name, text[k]) == 0) return TEXT;
    return UNKNOWN;
}

static kind kind_of_path(const char *path) {
    char ending[8] = "";
    size_t length = strlen(path);
    const char *inside;
    if (gpis_hdf5_path(path, &length, &inside)) return HDF5;
    length = strlen(path);
    const bool gzipped = length > 3 && strcasecmp(path + length - 3, ".gz") == 0;
    if (gzipped) length -= 3;
    const char *dot = memrchr(path, '.', length);
    if (!dot || dot == path || path + length - dot >= (ptrdiff_t)sizeof ending) return UNKNOWN;
    memcpy(ending, dot, (size_t)(path + length - dot));
    const kind found = kind_of_name(ending);
    return gzipped && found != TEXT ? UNKNOWN : found;
}

gpis_status gpis_array_read(gpis_context *context, const char *path, gpis_array *out) {
    const gpis_open_options options = gpis_open_options_default();
    return gpis_array_read_with(context, path, &options, out);
}

gpis_status gpis_array_read_with(gpis_context *context, const char *path, const gpis_open_options *options,
                                 gpis_array *out) {
    if (!context || !path || !options || !out)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a path, options and a place for the array are needed");
    *out = (gpis_array){0};
    gpis_open_options taken;
    gpis_status status = gpis_open_options_take(context, options, &taken);
    if (status != GPIS_OK) return status;
    options = &taken;
    switch (options->format ? kind_of_name(options->format) : kind_of_path(path)) {
    case TEXT: return gpis_table_read(context, path, options, out); /* finite, or refused with line and column */
    case NPY: status = gpis_npy_read(context, path, out); break;
    case HDF5: status = gpis_hdf5_read(context, path, out); break;
    default:
        if (options->format)
            return gpis_fail(context, GPIS_BAD_ARGUMENT,
                             "%s: an array cannot be of the format '%s'; its format is npy, csv, tsv, txt or data",
                             path, options->format);
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "%s: the name does not end in a known format; an array is .npy, .csv, .tsv, .txt, .data or "
                         "FILE.h5:/path",
                         path);
    }
    if (status == GPIS_OK) status = gpis_array_finite(context, path, out);
    if (status != GPIS_OK) gpis_array_clear(context, out);
    return status;
}

gpis_status gpis_array_write(gpis_context *context, const char *path, const double *data, int64_t rows, int64_t cols,
                             int dimensions) {
    if (!context || !path || !data)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a path and the data to write are needed");
    return gpis_npy_write(context, path, data, rows, cols, dimensions);
}

gpis_status gpis_array_create(gpis_context *context, int64_t rows, int64_t cols, int dimensions, gpis_array *out) {
    int64_t entries;
    if (!context || !out) return gpis_fail(context, GPIS_BAD_ARGUMENT, "a place for the array is needed");
    *out = (gpis_array){0};
    if (rows < 1 || cols < 1 || dimensions < 1 || dimensions > 2 || (dimensions == 1 && cols > 1))
        return gpis_fail(context, GPIS_BAD_SHAPE, "an array of %" PRId64 " x %" PRId64 " in %d dimensions cannot be",
                         rows, cols, dimensions);
    if (!gpis_checked_mul(rows, cols, &entries))
        return gpis_fail(context, GPIS_TOO_LARGE, "%" PRId64 " x %" PRId64 " numbers are too many", rows, cols);
    double *data = gpis_alloc_zero(context, entries, sizeof *data);
    if (!data) return GPIS_NO_MEMORY;
    *out = (gpis_array){.data = data, .rows = rows, .cols = cols, .dimensions = dimensions};
    return GPIS_OK;
}
