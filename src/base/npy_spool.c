/*
 * A .npy file that comes through a pipe can be read only once, in order, but sources and arrays read at any offset. So
 * it is copied to a temporary file first: as many bytes as its header promises; what follows is ignored.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/npy.h"

/* Reads up to `bytes` bytes, fewer at the end only; -1, with errno set, on failure. */
static int64_t read_fully(int fd, unsigned char *to, int64_t bytes) {
    int64_t done = 0;
    while (done < bytes) {
        const ssize_t got = read(fd, to + done, (size_t)(bytes - done));
        if (got < 0 && errno != EINTR) return -1;
        if (got == 0) break;
        if (got > 0) done += got;
    }
    return done;
}

static bool write_fully(int fd, const unsigned char *from, int64_t bytes) {
    for (int64_t done = 0; done < bytes;) {
        const ssize_t put = write(fd, from + done, (size_t)(bytes - done));
        if (put < 0 && errno != EINTR) return false;
        if (put > 0) done += put;
    }
    return true;
}

/* Bytes of the whole file, as its header promises. */
static gpis_status promised_bytes(gpis_context *context, const char *path, const unsigned char *head, int64_t available,
                                  int64_t *bytes) {
    gpis_npy_header header;
    if (available == 0) return gpis_fail(context, GPIS_BAD_DATA, "%s: is empty (0 bytes)", path);
    const gpis_status status = gpis_npy_parse(context, path, head, available, INT64_MAX, &header);
    if (status == GPIS_OK) *bytes = header.offset + header.rows * header.cols * header.stored.width;
    return status;
}

/* `piece` has GPIS_NPY_HEADER_BYTES. */
static gpis_status copy(gpis_context *context, const char *path, int from, int to, unsigned char *piece) {
    int64_t bytes = 0, done = 0;
    int64_t got = read_fully(from, piece, GPIS_NPY_HEADER_BYTES);
    gpis_status status = got < 0 ? GPIS_OK : promised_bytes(context, path, piece, got, &bytes);
    while (status == GPIS_OK && got > 0) {
        if (!write_fully(to, piece, got))
            status = gpis_fail(context, GPIS_IO,
                               "%s: the temporary file for it cannot be written: %s; set TMPDIR to another folder",
                               path, strerror(errno));
        done += got;
        got = done < bytes ? read_fully(from, piece, gpis_min64(GPIS_NPY_HEADER_BYTES, bytes - done)) : 0;
    }
    if (status == GPIS_OK && got < 0)
        status = gpis_fail(context, GPIS_IO, "%s: cannot be read: %s", path, strerror(errno));
    return status;
}

gpis_status gpis_npy_spool(gpis_context *context, const char *path, int *fd, int64_t *size) {
    struct stat info;
    int temporary = -1;
    if (fstat(*fd, &info) != 0) return gpis_fail(context, GPIS_IO, "%s: cannot be examined: %s", path, strerror(errno));
    if (S_ISREG(info.st_mode) && lseek(*fd, 0, SEEK_CUR) == 0) {
        *size = info.st_size;
        return GPIS_OK;
    }
    if (!S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode) && !S_ISREG(info.st_mode))
        return gpis_fail(context, GPIS_IO, "%s: is neither a regular file nor a pipe; save the .npy file first", path);
    unsigned char *piece = gpis_alloc(context, GPIS_NPY_HEADER_BYTES, 1);
    if (!piece) return GPIS_NO_MEMORY;
    gpis_status status = GPIS_OK;
    if (!gpis_file_temporary(&temporary))
        status = gpis_fail(context, GPIS_IO, "%s: there is no place for a temporary file: %s; set TMPDIR to a folder",
                           path, strerror(errno));
    if (status == GPIS_OK) status = copy(context, path, *fd, temporary, piece);
    gpis_free(context, piece);
    if (status == GPIS_OK && fstat(temporary, &info) != 0)
        status = gpis_fail(context, GPIS_IO, "%s: its temporary copy cannot be examined: %s", path, strerror(errno));
    if (status != GPIS_OK) {
        if (temporary >= 0) close(temporary);
        return status;
    }
    close(*fd);
    *fd = temporary;
    *size = info.st_size;
    return GPIS_OK;
}
