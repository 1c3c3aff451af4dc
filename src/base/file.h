/* Files: opening with a clear word for each way it can go wrong, reading whole, writing all or nothing. */
#ifndef GPIS_FILE_H
#define GPIS_FILE_H

#include <limits.h>
#include <sys/types.h>

#include "base/base.h"

/* Standard input by this name is read with the descriptor it has, from where that stands. */
#define GPIS_STANDARD_INPUT "/dev/stdin"

/* Opens for reading. *size is the file's length in bytes, or -1 where it has to be read in order, once: a pipe, and
 * standard input whatever that is. Refuses directories and empty files. */
gpis_status gpis_file_open(gpis_context *context, const char *path, int *fd, int64_t *size);

/* Exactly `bytes` bytes from `offset` on; fewer is a failure. */
gpis_status gpis_file_read(gpis_context *context, const char *path, int fd, int64_t offset, void *to, int64_t bytes);

/* What a file was at one moment: enough to see that someone has written to it since. */
typedef struct gpis_file_stamp {
    int64_t size, seconds, nanoseconds;
} gpis_file_stamp;
gpis_status gpis_file_stamp_take(gpis_context *context, const char *path, int fd, gpis_file_stamp *out);
/* GPIS_IO, and how it has changed, unless the file is as it was. */
gpis_status gpis_file_stamp_check(gpis_context *context, const char *path, int fd, const gpis_file_stamp *stamp);

/* A new file that takes its name when it is whole. Until then it has none, so that a program which is killed leaves
 * nothing behind; where the file system knows no such files, it has another name in the same folder. */
typedef struct gpis_new_file {
    int fd;                /* owned; -1: none */
    char beside[PATH_MAX]; /* the name it has so far; "": none */
} gpis_new_file;
/* A file that is to be called `path`. These return false, with errno set, when they cannot do it. */
bool gpis_file_begin(const char *path, mode_t mode, gpis_new_file *out);
/* Gives it the name, in place of what had it; the descriptor stays open. */
bool gpis_file_name(gpis_new_file *file, const char *path);
/* Closes the descriptor, and removes a file that has not got its name. */
void gpis_file_drop(gpis_new_file *file);

/* A file without a name in $TMPDIR, or else in /tmp, which is gone when it is closed. False, with errno set: none. */
bool gpis_file_temporary(int *fd);

typedef struct gpis_file_part {
    const void *data;
    int64_t bytes;
} gpis_file_part;

/* Makes `path` the parts one after the other. They are written to a new file in the same folder, which then takes the
 * name: whoever looks sees the old file or the whole new one. What is no regular file (a device, a pipe) is written to
 * directly. */
gpis_status gpis_file_replace(gpis_context *context, const char *path, const gpis_file_part *parts, int count);
/* The same for a file that is to be trusted later: nobody but its owner may write to it, whatever the umask. */
gpis_status gpis_file_replace_own(gpis_context *context, const char *path, const gpis_file_part *parts, int count);

struct stat;
/* Whether what is in the file is as trustworthy as this user: it is a regular file of theirs that nobody else may write
 * to. */
bool gpis_file_is_trusted(const struct stat *info, uid_t user);

#endif
