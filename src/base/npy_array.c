/* Whole arrays in memory: read from .npy files, checked, freed. */
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "base/npy.h"

static gpis_status read_header(gpis_context *context, const char *path, int fd, int64_t size, gpis_npy_header *header) {
    const int64_t available = gpis_min64(size, GPIS_NPY_HEADER_BYTES);
    unsigned char *bytes = gpis_alloc(context, available, 1);
    if (!bytes) return GPIS_NO_MEMORY;
    gpis_status status = gpis_file_read(context, path, fd, 0, bytes, available);
    if (status == GPIS_OK) status = gpis_npy_parse(context, path, bytes, available, size, header);
    gpis_free(context, bytes);
    return status;
}

static void to_row_major(const gpis_npy_header *h, const void *stored, double *out) {
    const int64_t row_stride = h->order == GPIS_ROW_MAJOR ? h->cols : 1;
    const int64_t col_stride = h->order == GPIS_ROW_MAJOR ? 1 : h->rows;
    for (int64_t i = 0; i < h->rows; i++) {
        for (int64_t j = 0; j < h->cols; j++) {
            const int64_t p = i * row_stride + j * col_stride;
            out[i * h->cols + j] =
                h->type == GPIS_FLOAT64 ? ((const double *)stored)[p] : (double)((const float *)stored)[p];
        }
    }
}

/* Converts the numbers at the end of `stored` to doubles, in the order of the file. */
static gpis_status convert_stored(gpis_context *context, const char *path, const gpis_npy_header *h, void *stored) {
    const int64_t count = h->rows * h->cols;
    if (!gpis_npy_is_converted(h->stored)) return GPIS_OK;
    const int64_t done =
        gpis_npy_convert(h->stored, (const char *)stored + gpis_npy_lead(h->stored, count), count, stored);
    if (done == count) return GPIS_OK;
    const bool by_rows = h->order == GPIS_ROW_MAJOR;
    return gpis_npy_inexact(context, path, by_rows ? done / h->cols : done % h->rows,
                            by_rows ? done % h->cols : done / h->rows);
}

/* Row-major numbers are read, and converted, in place; column-major ones and float32 by way of a copy. */
static gpis_status read_numbers(gpis_context *context, const char *path, int fd, const gpis_npy_header *h,
                                double *data) {
    const int64_t count = h->rows * h->cols;
    const bool in_place = h->type == GPIS_FLOAT64 && h->order == GPIS_ROW_MAJOR;
    void *stored =
        in_place ? data : gpis_alloc(context, count, h->type == GPIS_FLOAT64 ? sizeof(double) : sizeof(float));
    if (!stored) return GPIS_NO_MEMORY;
    const int64_t lead = gpis_npy_is_converted(h->stored) ? gpis_npy_lead(h->stored, count) : 0;
    gpis_status status =
        gpis_file_read(context, path, fd, h->offset, (char *)stored + lead, count * (int64_t)h->stored.width);
    if (status == GPIS_OK) status = convert_stored(context, path, h, stored);
    if (status == GPIS_OK && !in_place) to_row_major(h, stored, data);
    if (!in_place) gpis_free(context, stored);
    return status;
}

gpis_status gpis_npy_read(gpis_context *context, const char *path, gpis_array *out) {
    gpis_npy_header header;
    double *data = NULL;
    int64_t size;
    int fd;
    *out = (gpis_array){0};
    gpis_status status = gpis_file_open(context, path, &fd, &size);
    if (status != GPIS_OK) return status;
    if (size < 0) status = gpis_npy_spool(context, path, &fd, &size);
    if (status == GPIS_OK) status = read_header(context, path, fd, size, &header);
    if (status == GPIS_OK) {
        data = gpis_alloc(context, header.rows * header.cols, sizeof *data);
        status = data ? read_numbers(context, path, fd, &header, data) : GPIS_NO_MEMORY;
    }
    close(fd);
    if (status == GPIS_OK)
        *out = (gpis_array){data, header.rows, header.cols, header.dimensions};
    else
        gpis_free(context, data);
    return status;
}

gpis_status gpis_array_finite(gpis_context *context, const char *path, const gpis_array *array) {
    for (int64_t i = 0; i < array->rows; i++) {
        for (int64_t j = 0; j < array->cols; j++) {
            const double v = array->data[i * array->cols + j];
            if (isfinite(v)) continue;
            return gpis_fail(context, GPIS_BAD_DATA,
                             "%s: row %" PRId64 ", column %" PRId64 " is %s; remove or replace it", path, i + 1, j + 1,
                             isnan(v) ? "nan"
                             : v > 0  ? "inf"
                                      : "-inf");
        }
    }
    return GPIS_OK;
}

void gpis_array_clear(gpis_context *context, gpis_array *array) {
    if (!context || !array) return;
    gpis_free(context, array->data);
    *array = (gpis_array){0};
}
