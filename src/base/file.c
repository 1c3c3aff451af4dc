/* Files by plain system calls: every return value is checked, every message gives the path and the reason. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linux transfers at most about 2 GiB per call, and other systems may transfer less. */
enum { MAX_TRANSFER = 1 << 30 };

gpis_status gpis_file_open(gpis_context *context, const char *path, int *fd, int64_t *size) {
    struct stat info;
    const bool standard = strcmp(path, GPIS_STANDARD_INPUT) == 0;
    *fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0) return gpis_fail(context, GPIS_IO, "%s: cannot be opened: %s", path, strerror(errno));
    gpis_status status = GPIS_OK;
    if (fstat(*fd, &info) != 0)
        status = gpis_fail(context, GPIS_IO, "%s: cannot be examined: %s", path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        status = gpis_fail(context, GPIS_IO, "%s: is a directory, not a file; name a file in it", path);
    else if (S_ISREG(info.st_mode) && info.st_size == 0)
        status = gpis_fail(context, GPIS_BAD_DATA, "%s: is empty (0 bytes)", path);
    if (status != GPIS_OK) {
        close(*fd);
        *fd = -1;
        return status;
    }
    *size = S_ISREG(info.st_mode) && !standard ? (int64_t)info.st_size : -1;
    return GPIS_OK;
}

gpis_status gpis_file_read(gpis_context *context, const char *path, int fd, int64_t offset, void *to, int64_t bytes) {
    int64_t done = 0;
    while (done < bytes) {
        const ssize_t got = pread(fd, (char *)to + done, (size_t)gpis_min64(bytes - done, MAX_TRANSFER), offset + done);
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
    if (fstat(fd, &info) != 0) return gpis_fail(context, GPIS_IO, "%s: cannot be examined: %s", path, strerror(errno));
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

static gpis_status write_parts(gpis_context *context, const char *path, int fd, const gpis_file_part *parts,
                               int count) {
    for (int k = 0; k < count; k++) {
        for (int64_t done = 0; done < parts[k].bytes;) {
            const size_t wanted = (size_t)gpis_min64(parts[k].bytes - done, MAX_TRANSFER);
            const ssize_t put = write(fd, (const char *)parts[k].data + done, wanted);
            if (put < 0 && errno != EINTR) return write_failed(context, path);
            if (put > 0) done += put;
        }
    }
    return GPIS_OK;
}

/* Writes to a device or a pipe. */
static gpis_status write_directly(gpis_context *context, const char *path, const gpis_file_part *parts, int count) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return write_failed(context, path);
    gpis_status status = write_parts(context, path, fd, parts, count);
    if (close(fd) != 0 && status == GPIS_OK) status = write_failed(context, path);
    return status;
}

/* ---- new files --------------------------------------------------------------------------------------------------- */

/* Tries names in the folder of `path` until `make` succeeds with one, which is then in `name`; -1, with errno set, if
 * none does. */
static int try_names(const char *path, char name[PATH_MAX], int (*make)(const char *name, int argument), int argument) {
    for (int attempt = 0; attempt < 100; attempt++) {
        const int length = snprintf(name, PATH_MAX, "%s.%ld-%d.tmp", path, (long)getpid(), attempt);
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            break;
        }
        const int made = make(name, argument);
        if (made >= 0) return made;
        if (errno != EEXIST) break;
    }
    name[0] = '\0';
    return -1;
}

static int make_file(const char *name, int mode) {
    return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)mode);
}

static int link_file(const char *name, int fd) {
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* A file without a name in the folder of `path`; -1 if the file system has no such files, or cannot name one later. */
static int make_nameless(const char *path, mode_t mode) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) + 1 : 1;
    if (length >= PATH_MAX || access("/proc/self/fd", X_OK) != 0) return -1;
    snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".");
    return open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
}

bool gpis_file_begin(const char *path, mode_t mode, gpis_new_file *out) {
    out->beside[0] = '\0';
    out->fd = make_nameless(path, mode);
    if (out->fd < 0) out->fd = try_names(path, out->beside, make_file, (int)mode);
    return out->fd >= 0;
}

/* link() cannot replace a file, but rename() can: so the file has another name for a moment. */
bool gpis_file_name(gpis_new_file *file, const char *path) {
    if (!file->beside[0] && try_names(path, file->beside, link_file, file->fd) < 0) return false;
    if (rename(file->beside, path) != 0) return false;
    file->beside[0] = '\0';
    return true;
}

void gpis_file_drop(gpis_new_file *file) {
    if (file->beside[0]) unlink(file->beside);
    if (file->fd >= 0) close(file->fd);
    *file = (gpis_new_file){.fd = -1};
}

bool gpis_file_temporary(int *fd) {
    const char *folder = getenv("TMPDIR");
    char name[PATH_MAX];
    if (!folder || !*folder) folder = "/tmp";
    *fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (*fd >= 0) return true;
    const int length = snprintf(name, sizeof name, "%s/gpis-XXXXXX", folder);
    if (length < 0 || length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    *fd = mkostemp(name, O_CLOEXEC);
    if (*fd >= 0) unlink(name);
    return *fd >= 0;
}

/* `withheld`: permissions that the file must not have, in addition to those that the umask removes. */
static gpis_status replace(gpis_context *context, const char *path, mode_t withheld, const gpis_file_part *parts,
                           int count) {
    char target[PATH_MAX];
    gpis_new_file file;
    struct stat old;
    const bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return gpis_fail(context, GPIS_IO, "%s: is a directory; name a file to write", path);
    if (exists && !S_ISREG(old.st_mode)) return write_directly(context, path, parts, count);
    /* If `path` is a symbolic link, the file that it points to is replaced, not the link. */
    const char *name = exists && realpath(path, target) ? target : path;
    if (!gpis_file_begin(name, 0666 & ~withheld, &file)) return write_failed(context, path);
    if (exists)
        fchmod(file.fd, old.st_mode & 07777 & ~withheld); /* not checked: some file systems have no permissions */
    gpis_status status = write_parts(context, path, file.fd, parts, count);
    if (status == GPIS_OK && (fsync(file.fd) != 0 || !gpis_file_name(&file, name)))
        status = write_failed(context, path);
    gpis_file_drop(&file);
    return status;
}

gpis_status gpis_file_replace(gpis_context *context, const char *path, const gpis_file_part *parts, int count) {
    return replace(context, path, 0, parts, count);
}

gpis_status gpis_file_replace_own(gpis_context *context, const char *path, const gpis_file_part *parts, int count) {
    return replace(context, path, S_IWGRP | S_IWOTH, parts, count);
}

bool gpis_file_is_trusted(const struct stat *info, uid_t user) {
    return S_ISREG(info->st_mode) && info->st_uid == user && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}
