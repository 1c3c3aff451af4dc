/* Files: opening with a clear word for each way it can go wrong, reading whole, writing all or nothing. */
#ifndef GPIS_FILE_H
#define GPIS_FILE_H

#include <sys/types.h>

#include "base/base.h"

/* Opens for reading. *size is the file's length in bytes, or -1 where it has none (a pipe). Refuses directories and
 * empty files. */
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

/* A new file beside `path`, to be renamed when it is whole; its name is left in `name`. -1, with errno set, when there
 * can be none. */
int gpis_file_beside(const char *path, mode_t mode, char *name, size_t room);

typedef struct gpis_file_part {
    const void *data;
    int64_t bytes;
} gpis_file_part;

/* Makes `path` the parts one after the other. They are written to a new file in the same folder, which then takes the
 * name: whoever looks sees the old file or the whole new one. What is no regular file (a device, a pipe) is written to
 * directly. */
gpis_status gpis_file_replace(gpis_context *context, const char *path, const gpis_file_part *parts, int count);

#endif
