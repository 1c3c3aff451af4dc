/* .npy files as sources: what the mapped and the streamed kind share. */
#ifndef GPIS_SOURCE_NPY_H
#define GPIS_SOURCE_NPY_H

#include "base/file.h"
#include "base/npy.h"
#include "source/stored.h"

/* An open .npy file and what it was when it was opened. */
typedef struct gpis_npy_file {
    int fd; /* owned; -1: none */
    gpis_file_stamp stamp;
    gpis_npy_header header;
} gpis_npy_file;

/* A source that reads the rows anew at each pass. It takes file->fd over (and leaves -1) once there is a source to hold
 * it. */
gpis_status gpis_npy_stream(gpis_context *context, const char *path, gpis_npy_file *file, gpis_source **out);

#endif
