/*
 * The .npz format of numpy: a zip archive, here without compression, whose members are .npy arrays. numpy.load reads
 * it. A file is known by the list of its members, with their types and shapes: the same list writes it and reads it
 * back, and a file with other members, or with one byte more or less, is refused. Every member has a CRC-32.
 *
 * All sizes are written in the 64 bits of the zip64 extension, whether they need them or not.
 */
#ifndef GPIS_NPZ_H
#define GPIS_NPZ_H

#include "base/npy.h"

enum { GPIS_NPZ_NAME = 24, GPIS_NPZ_DIMENSIONS = 3, GPIS_NPZ_HEAD = 50 + GPIS_NPZ_NAME + GPIS_NPY_WRITTEN_HEADER };

typedef struct gpis_npz_member {
    char name[GPIS_NPZ_NAME]; /* with its ending: "rows.npy" */
    void *data;               /* borrowed: the numbers, of this machine's own byte order */
    int64_t bytes;            /* of the numbers */
    int64_t offset;           /* where the member begins in the file */
    char head[GPIS_NPZ_HEAD]; /* what comes before the numbers: the local header of zip, and that of .npy */
    int64_t head_bytes, npy_bytes;
    uint32_t checksum; /* of all bytes of the member, its .npy header included */
} gpis_npz_member;

/* A file: members in their order. */
typedef struct gpis_npz {
    gpis_context *context;    /* borrowed */
    gpis_npz_member *members; /* owned */
    int64_t count, added;
    char *tail; /* owned: the directory behind the members */
    int64_t tail_bytes;
    int64_t bytes; /* of the members added so far */
} gpis_npz;

gpis_status gpis_npz_begin(gpis_context *context, int64_t count, gpis_npz *out);
void gpis_npz_end(gpis_npz *file);

/* Adds the next member: "f8", "i8" or "u1" numbers in the given shape, to be written from `data` or read there. False
 * if the sizes overflow. */
bool gpis_npz_add(gpis_npz *file, const char *name, const char *type, int dimensions, const int64_t *shape, void *data);
/* Bytes of the whole file, once all members have been added; INT64_MAX if that overflows. */
int64_t gpis_npz_bytes(const gpis_npz *file);

/* Writes the file, all or nothing (gpis_file_replace). */
gpis_status gpis_npz_write(gpis_npz *file, const char *path);
/* Reads member i from the open file and checks it: GPIS_BAD_DATA if it is another one, or damaged. */
gpis_status gpis_npz_read(gpis_npz *file, int64_t i, const char *path, int fd);
/* Checks what follows the members, once all of them have been read. */
gpis_status gpis_npz_check_tail(gpis_npz *file, const char *path, int fd);

#endif
