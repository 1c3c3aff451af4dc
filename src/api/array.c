/* Small matrices in files: .npy, text tables, data sets of HDF5 files. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/npy.h"
#include "source/hdf5_file.h"
#include "source/table.h"

static bool is_npy(const char *path) {
    const size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".npy") == 0;
}

static bool is_text(const char *path) {
    static const char *const endings[] = {".csv", ".tsv", ".txt", ".data"};
    size_t length = strlen(path);
    if (length > 3 && strcasecmp(path + length - 3, ".gz") == 0) length -= 3;
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        const size_t size = strlen(endings[k]);
        if (length > size && strncasecmp(path + length - size, endings[k], size) == 0) return true;
    }
    return false;
}

gpis_status gpis_array_read(gpis_context *context, const char *path, gpis_array *out) {
    if (!context || !path || !out)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a path and a place for the array are needed");
    *out = (gpis_array){0};
    if (is_text(path)) return gpis_table_read(context, path, out); /* finite, or refused with line and column */
    size_t length;
    const char *inside;
    const bool hdf5 = gpis_hdf5_path(path, &length, &inside);
    if (!hdf5 && !is_npy(path))
        return gpis_fail(context, GPIS_BAD_ARGUMENT,
                         "%s: what it is does not show in its ending; an array is .npy, .csv, .tsv, .txt, .data or "
                         "FILE.h5:/path",
                         path);
    gpis_status status = hdf5 ? gpis_hdf5_read(context, path, out) : gpis_npy_read(context, path, out);
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

void gpis_array_clear(gpis_context *context, gpis_array *array) {
    if (!context || !array) return;
    gpis_free(context, array->data);
    *array = (gpis_array){0};
}
