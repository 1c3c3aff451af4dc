/*
 * A .npy file mapped into memory: its rows are used where the file's pages lie, in either order and either float.
 * Nothing is copied, save where a file puts its numbers at an address that the machine cannot read them from.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/npy.h"
#include "source/stored.h"

typedef struct mapped {
    gpis_dense dense; /* first, so that gpis_dense_block finds it */
    void *map;
    size_t bytes;
} mapped;

static void destroy(gpis_source *source) {
    mapped *m = source->state;
    if (m->map) munmap(m->map, m->bytes);
    gpis_dense_destroy(source);
}

static const gpis_source_class npy_class = {"npy", gpis_dense_block, destroy, NULL, false};

static gpis_status map_file(gpis_context *context, const char *path, mapped *m) {
    int64_t size;
    int fd;
    const gpis_status status = gpis_file_open(context, path, &fd, &size);
    if (status != GPIS_OK) return status;
    void *map = size < 0 ? MAP_FAILED : mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    const int reason = errno;
    close(fd);
    if (size < 0) return gpis_fail(context, GPIS_IO, "%s: is not a regular file; save the .npy file first", path);
    if (map == MAP_FAILED)
        return gpis_fail(context, GPIS_IO, "%s: cannot be mapped into memory: %s", path, strerror(reason));
    m->map = map;
    m->bytes = (size_t)size;
    return GPIS_OK;
}

/* Points the dense view at the numbers. */
static gpis_status view_numbers(gpis_context *context, const gpis_npy_header *h, mapped *m) {
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

gpis_status gpis_open_npy(gpis_context *context, const char *path, const char *target, gpis_source **out) {
    (void)target;
    gpis_npy_header header;
    *out = NULL;
    gpis_source *source = gpis_source_new(context, &npy_class, path);
    mapped *m = source ? gpis_alloc_zero(context, 1, sizeof *m) : NULL;
    if (source) source->state = m;
    gpis_status status = m ? map_file(context, path, m) : GPIS_NO_MEMORY;
    if (status == GPIS_OK)
        status = gpis_npy_parse(context, path, m->map, (int64_t)m->bytes, (int64_t)m->bytes, &header);
    if (status == GPIS_OK) status = view_numbers(context, &header, m);
    if (status != GPIS_OK) {
        gpis_source_destroy(source);
        return status;
    }
    gpis_dense_describe(source, header.type, header.order, header.rows, header.cols);
    source->dimensions = header.dimensions;
    *out = source;
    return GPIS_OK;
}
