/* Files over plain system calls: every return value is looked at, every message names the path and the reason. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linux moves at most about 2 GiB a call; asking for less keeps every system happy. */
enum { CHUNK = 1 << 30 };

gpis_status gpis_file_open(gpis_context *context, const char *path, int *fd, int64_t *size) {
    struct stat info;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0) return gpis_fail(context, GPIS_IO, "%s: cannot be opened: %s", path, strerror(errno));
    gpis_status status = GPIS_OK;
    if (fstat(*fd, &info) != 0)
        status = gpis_fail(context, GPIS_IO, "%s: cannot be looked at: %s", path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        status = gpis_fail(context, GPIS_IO, "%s: is a directory, not a file; name a file in it", path);
    else if (S_ISREG(info.st_mode) && info.st_size == 0)
        status = gpis_fail(context, GPIS_BAD_DATA, "%s: is empty (0 bytes)", path);
    if (status != GPIS_OK) {
        close(*fd);
        *fd = -1;
        return status;
    }
    *size = S_ISREG(info.st_mode) ? (int64_t)info.st_size : -1;
    return GPIS_OK;
}

gpis_status gpis_file_read(gpis_context *context, const char *path, int fd, int64_t offset, void *to, int64_t bytes) {
    int64_t done = 0;
    while (done < bytes) {
        const ssize_t got = pread(fd, (char *)to + done, (size_t)gpis_min64(bytes - done, CHUNK), offset + done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return gpis_fail(context, GPIS_IO, "%s: cannot be read: %s", path, strerror(errno));
        if (got == 0)
            return gpis_fail(context, GPIS_IO, "%s: ended at byte %lld while it was read; was it cut short?", path,
                             (long long)(offset + done));
        done += got;
    }
    return GPIS_OK;
}

gpis_status gpis_file_stamp_take(gpis_context *context, const char *path, int fd, gpis_file_stamp *out) {
    struct stat info;
    if (fstat(fd, &info) != 0) return gpis_fail(context, GPIS_IO, "%s: cannot be looked at: %s", path, strerror(errno));
    *out = (gpis_file_stamp){info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    return GPIS_OK;
}

gpis_status gpis_file_stamp_check(gpis_context *context, const char *path, int fd, const gpis_file_stamp *stamp) {
    gpis_file_stamp now;
    const gpis_status status = gpis_file_stamp_take(context, path, fd, &now);
    if (status != GPIS_OK) return status;
    if (now.size != stamp->size)
        return gpis_fail(context, GPIS_IO,
                         "%s: had %lld bytes when it was opened and has %lld now; it must not change while it is read",
                         path, (long long)stamp->size, (long long)now.size);
    if (now.seconds != stamp->seconds || now.nanoseconds != stamp->nanoseconds)
        return gpis_fail(context, GPIS_IO,
                         "%s: was written to after it was opened; it must not change while it is read", path);
    return GPIS_OK;
}

static gpis_status write_failed(gpis_context *context, const char *path) {
    return gpis_fail(context, GPIS_IO, "%s: cannot be written: %s", path, strerror(errno));
}

/* Writes all parts and closes fd whatever happens; a file that is to last is also synchronised. */
static gpis_status write_and_close(gpis_context *context, const char *path, int fd, const gpis_file_part *parts,
                                   int count, bool lasting) {
    gpis_status status = GPIS_OK;
    for (int k = 0; k < count && status == GPIS_OK; k++) {
        for (int64_t done = 0; done < parts[k].bytes && status == GPIS_OK;) {
            const size_t wanted = (size_t)gpis_min64(parts[k].bytes - done, CHUNK);
            const ssize_t put = write(fd, (const char *)parts[k].data + done, wanted);
            if (put >= 0)
                done += put;
            else if (errno != EINTR)
                status = write_failed(context, path);
        }
    }
    if (status == GPIS_OK && lasting && fsync(fd) != 0) status = write_failed(context, path);
    if (close(fd) != 0 && status == GPIS_OK) status = write_failed(context, path);
    return status;
}

int gpis_file_beside(const char *path, mode_t mode, char *name, size_t room) {
    for (int attempt = 0; attempt < 100; attempt++) {
        const int length = snprintf(name, room, "%s.%ld-%d.tmp", path, (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= room) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

gpis_status gpis_file_replace(gpis_context *context, const char *path, const gpis_file_part *parts, int count) {
    char target[PATH_MAX], beside[PATH_MAX];
    struct stat old;
    const bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return gpis_fail(context, GPIS_IO, "%s: is a directory; name a file to write", path);
    if (exists && !S_ISREG(old.st_mode)) {
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        return fd < 0 ? write_failed(context, path) : write_and_close(context, path, fd, parts, count, false);
    }
    /* Behind a symbolic link it is the file that changes, not the link. */
    const char *name = exists && realpath(path, target) ? target : path;
    const int fd = gpis_file_beside(name, 0666, beside, sizeof beside);
    if (fd < 0) return write_failed(context, path);
    if (exists) fchmod(fd, old.st_mode & 07777); /* a courtesy: some file systems know no modes */
    gpis_status status = write_and_close(context, path, fd, parts, count, true);
    if (status == GPIS_OK && rename(beside, name) != 0) status = write_failed(context, path);
    if (status != GPIS_OK) unlink(beside);
    return status;
}
