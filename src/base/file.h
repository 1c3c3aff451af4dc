/* Files: opening, with a clear message for each way it can fail; reading; writing all or nothing. */
#ifndef GPIS_FILE_H
#define GPIS_FILE_H

#include <limits.h>
#include <sys/types.h>

#include "base/base.h"

/* The name of standard input, which is read by its own descriptor, from its current position. */
#define GPIS_STANDARD_INPUT "/dev/stdin"

/* Opens for reading. *size is the length of the file in bytes, or -1 if it can only be read once, in order: a pipe, and
 * standard input in any case. Refuses directories and empty files. */
gpis_status gpis_file_open(gpis_context *context, const char *path, int *fd, int64_t *size);

/* Reads exactly `bytes` bytes from `offset` on; fewer is a failure. */
gpis_status gpis_file_read(gpis_context *context, const char *path, int fd, int64_t offset, void *to, int64_t bytes);

/* The state of a file at one moment, by which to notice that it has been written to since. */
typedef struct gpis_file_stamp {
    int64_t size, seconds, nanoseconds;
} gpis_file_stamp;
gpis_status gpis_file_stamp_take(gpis_context *context, const char *path, int fd, gpis_file_stamp *out);
/* GPIS_IO, with the change in the message, if the file has changed. */
gpis_status gpis_file_stamp_check(gpis_context *context, const char *path, int fd, const gpis_file_stamp *stamp);

/* A new file that gets its name when it is complete. Until then it has none, so that a program that is killed leaves
 * nothing behind; if the file system has no files without a name, it has another name in the same folder. */
typedef struct gpis_new_file {
    int fd;                /* owned; -1: none */
    char beside[PATH_MAX]; /* its temporary name; "": none */
} gpis_new_file;
/* Begins a file that will be called `path`. This function and the next return false, with errno set, on failure. */
bool gpis_file_begin(const char *path, mode_t mode, gpis_new_file *out);
/* Gives the file its name, and replaces a file that had the name; the descriptor stays open. */
bool gpis_file_name(gpis_new_file *file, const char *path);
/* Closes the descriptor, and removes the file if it has not got its name. */
void gpis_file_drop(gpis_new_file *file);

/* A file without a name in $TMPDIR, or else in /tmp, which disappears when it is closed. False, with errno set, on
 * failure. */
bool gpis_file_temporary(int *fd);

typedef struct gpis_file_part {
    const void *data;
    int64_t bytes;
} gpis_file_part;

/* Writes the parts, one after the other, to a new file that replaces `path` when it is complete: readers see the old
 * file or the whole new one. A device or a pipe is written to directly. */
gpis_status gpis_file_replace(gpis_context *context, const char *path, const gpis_file_part *parts, int count);
/* The same for a file that will be trusted later: only its owner may write to it, whatever the umask. */
gpis_status gpis_file_replace_own(gpis_context *context, const char *path, const gpis_file_part *parts, int count);

struct stat;
/* Whether the file can be trusted as much as the user `uid`: it is a regular file of that user, and nobody else may
 * write to it. */
bool gpis_file_is_trusted(const struct stat *info, uid_t user);

#endif
