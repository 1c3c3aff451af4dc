/*
 * A .npy file mapped into memory: its rows are used where they are, row-major or column-major, float32 or float64.
 * Nothing is copied, unless the numbers of the file are not aligned. A file that does not fit in memory is read at each
 * pass instead (npy_stream.c); numbers that are not the machine's floats are converted (npy_converted.c).
 */
#include "source/npy.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct mapped {
    gpis_stored_dense dense; /* the first field: gpis_stored_dense_block takes the state for one of these */
    gpis_source_npy_file file;
    void *map;
    int64_t bytes; /* bytes that are mapped, and in the account of the context's memory */
} mapped;

static void destroy(gpis_source *source) {
    mapped *m = source->state;
    if (m->map) {
        munmap(m->map, (size_t)m->bytes);
        gpis_account_return(source->context, m->bytes);
    }
    if (m->file.fd >= 0) close(m->file.fd);
    gpis_stored_dense_destroy(source);
}

static gpis_status unchanged(gpis_source *source) {
    const mapped *m = source->state;
    return gpis_file_stamp_check(source->context, source->name, m->file.fd, &m->file.stamp);
}

static const gpis_source_class npy_class = {
    .kind = "npy", .block = gpis_stored_dense_block, .destroy = destroy, .unchanged = unchanged};

/* Opens the file and reads its header; file->fd is the caller's to close, also after a failure. */
static gpis_status open_file(gpis_context *context, const char *path, gpis_source_npy_file *file) {
    int64_t size;
    *file = (gpis_source_npy_file){.fd = -1};
    gpis_status status = gpis_file_open(context, path, &file->fd, &size);
    if (status != GPIS_OK) return status;
    if (size < 0) status = gpis_npy_spool(context, path, &file->fd, &size);
    if (status == GPIS_OK) status = gpis_file_stamp_take(context, path, file->fd, &file->stamp);
    if (status != GPIS_OK) return status;
    const int64_t available = gpis_min64(size, GPIS_NPY_HEADER_BYTES);
    unsigned char *head = gpis_alloc(context, available, 1);
    if (!head) return GPIS_NO_MEMORY;
    status = gpis_file_read(context, path, file->fd, 0, head, available);
    if (status == GPIS_OK) status = gpis_npy_parse(context, path, head, available, size, &file->header);
    gpis_free(context, head);
    return status;
}

static gpis_status map_file(gpis_context *context, const char *path, mapped *m) {
    const int64_t bytes = m->file.stamp.size;
    if (!gpis_account_take(context, bytes)) return GPIS_NO_MEMORY;
    void *map = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, m->file.fd, 0);
    if (map == MAP_FAILED) {
        gpis_account_return(context, bytes);
        return gpis_fail(context, GPIS_IO, "%s: cannot be mapped into memory: %s", path, strerror(errno));
    }
    m->map = map;
    m->bytes = bytes;
    return GPIS_OK;
}

/* Points the dense view at the numbers. */
static gpis_status view_numbers(gpis_context *context, mapped *m) {
    const gpis_npy_header *h = &m->file.header;
    const int64_t width = h->type == GPIS_FLOAT64 ? sizeof(double) : sizeof(float);
    m->dense.ld = h->order == GPIS_ROW_MAJOR ? h->cols : h->rows;
    m->dense.values = (const char *)m->map + h->offset;
    if (h->offset % width == 0) return GPIS_OK;
    m->dense.owned = gpis_alloc(context, h->rows * h->cols, (size_t)width);
    if (!m->dense.owned) return GPIS_NO_MEMORY;
    memcpy(m->dense.owned, m->dense.values, (size_t)(h->rows * h->cols * width));
    m->dense.values = m->dense.owned;
    return GPIS_OK;
}

/* Takes over file->fd, and leaves -1 there, once there is a source to own it. */
static gpis_status map_source(gpis_context *context, const char *path, gpis_source_npy_file *file, gpis_source **out) {
    gpis_source *source = gpis_source_new(context, &npy_class, path);
    mapped *m = source ? gpis_alloc_zero(context, 1, sizeof *m) : NULL;
    if (m) {
        source->state = m;
        m->file = *file;
        file->fd = -1;
    }
    gpis_status status = m ? map_file(context, path, m) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = view_numbers(context, m);
    if (status != GPIS_OK) {
        gpis_source_destroy(source);
        return status;
    }
    gpis_stored_dense_describe(source, m->file.header.type, m->file.header.order, m->file.header.rows,
                               m->file.header.cols);
    source->dimensions = m->file.header.dimensions;
    *out = source;
    return GPIS_OK;
}

gpis_status gpis_open_npy(gpis_context *context, const char *path, const gpis_open_options *options,
                          gpis_source **out) {
    gpis_source_npy_file file;
    *out = NULL;
    gpis_status status = open_file(context, path, &file);
    if (status == GPIS_OK) {
        const int64_t budget = gpis_source_budget(context, options);
        const bool converted = gpis_npy_is_converted(file.header.stored);
        if (converted && file.header.rows * file.header.cols * (int64_t)sizeof(double) <= budget)
            status = gpis_source_npy_hold(context, path, &file, out);
        else if (!converted && file.stamp.size <= budget)
            status = map_source(context, path, &file, out);
        else
            status = gpis_source_npy_stream(context, path, &file, out);
    }
    if (file.fd >= 0) close(file.fd);
    return status;
}
