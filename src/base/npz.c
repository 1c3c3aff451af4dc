/* A .npz file with known members: written from them, and compared with them. */
#include "base/npz.h"

#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/file.h"

enum {
    VERSION = 45, /* of the zip format, in which the 64-bit extension came */
    DATE = 0x21,  /* the first of January 1980, the first day that zip knows: equal data make equal files */
    MAX32 = -1,   /* all bits set, in a field of 4 bytes: the number is in the extension */
    LOCAL = 30,
    LOCAL_EXTRA = 20,
    CENTRAL = 46,
    CENTRAL_EXTRA = 28,
    END64 = 56,
    LOCATOR = 20,
    END = 22,
    CHECKSUM_AT = 14 /* in a local header */
};

/* Numbers are little-endian, whatever the machine. */
static char *put(char *at, int bytes, int64_t number) {
    for (int i = 0; i < bytes; i++) at[i] = (char)((uint64_t)number >> (8 * i));
    return at + bytes;
}

static char *put_text(char *at, const char *text) {
    memcpy(at, text, strlen(text));
    return at + strlen(text);
}

gpis_status gpis_npz_begin(gpis_context *context, int64_t count, gpis_npz *out) {
    *out = (gpis_npz){.context = context, .count = count};
    out->members = gpis_alloc_zero(context, count, sizeof *out->members);
    return out->members ? GPIS_OK : GPIS_NO_MEMORY;
}

void gpis_npz_end(gpis_npz *file) {
    if (!file->context) return;
    gpis_free(file->context, file->members);
    gpis_free(file->context, file->tail);
    *file = (gpis_npz){0};
}

/* ---- members ---- */

/* The local header, all but the checksum, which the next function enters. */
static void write_head(gpis_npz_member *m, const char *npy) {
    char *at = m->head;
    at = put(at, 4, 0x04034b50);
    at = put(at, 2, VERSION);
    at = put(at, 4, 0); /* no flags; stored */
    at = put(at, 2, 0); /* midnight */
    at = put(at, 2, DATE);
    at = put(at, 4, 0);
    at = put(at, 4, MAX32);
    at = put(at, 4, MAX32);
    at = put(at, 2, (int64_t)strlen(m->name));
    at = put(at, 2, LOCAL_EXTRA);
    at = put_text(at, m->name);
    at = put(at, 2, 1); /* the 64-bit extension: 16 bytes, the size before and after no compression */
    at = put(at, 2, LOCAL_EXTRA - 4);
    at = put(at, 8, m->npy_bytes + m->bytes);
    at = put(at, 8, m->npy_bytes + m->bytes);
    memcpy(at, npy, (size_t)m->npy_bytes);
    m->head_bytes = at + m->npy_bytes - m->head;
}

static void enter_checksum(gpis_npz_member *m, uint32_t checksum) {
    m->checksum = checksum;
    put(m->head + CHECKSUM_AT, 4, checksum);
}

static uint32_t checksum_of(const gpis_npz_member *m) {
    const uint32_t of_header = gpis_checksum(0, m->head + m->head_bytes - m->npy_bytes, m->npy_bytes);
    return m->bytes > 0 ? gpis_checksum(of_header, m->data, m->bytes) : of_header;
}

bool gpis_npz_add(gpis_npz *file, const char *name, const char *type, int dimensions, const int64_t *shape,
                  void *data) {
    gpis_npz_member *m = &file->members[file->added++];
    char npy[GPIS_NPY_WRITTEN_HEADER];
    int64_t next;
    gpis_copy_text(m->name, sizeof m->name, name);
    m->data = data;
    m->bytes = type[1] - '0';
    m->offset = file->bytes;
    for (int i = 0; i < dimensions; i++)
        if (!gpis_checked_mul(m->bytes, shape[i], &m->bytes)) return false;
    m->npy_bytes = gpis_npy_write_header(type, dimensions, shape, npy);
    write_head(m, npy);
    if (!gpis_checked_add(m->offset, m->head_bytes, &next) || !gpis_checked_add(next, m->bytes, &next)) return false;
    file->bytes = next;
    return true;
}

/* ---- the directory ---- */

static int64_t tail_bytes(const gpis_npz *file) {
    int64_t bytes = END64 + LOCATOR + END;
    for (int64_t i = 0; i < file->count; i++) bytes += CENTRAL + CENTRAL_EXTRA + (int64_t)strlen(file->members[i].name);
    return bytes;
}

int64_t gpis_npz_bytes(const gpis_npz *file) {
    int64_t bytes;
    return gpis_checked_add(file->bytes, tail_bytes(file), &bytes) ? bytes : INT64_MAX;
}

static char *write_entry(char *at, const gpis_npz_member *m) {
    at = put(at, 4, 0x02014b50);
    at = put(at, 2, VERSION);
    at = put(at, 2, VERSION);
    at = put(at, 4, 0);
    at = put(at, 2, 0);
    at = put(at, 2, DATE);
    at = put(at, 4, m->checksum);
    at = put(at, 4, MAX32);
    at = put(at, 4, MAX32);
    at = put(at, 2, (int64_t)strlen(m->name));
    at = put(at, 2, CENTRAL_EXTRA);
    at = put(at, 2, 0); /* no comment, the first disk, no attributes */
    at = put(at, 2, 0);
    at = put(at, 2, 0);
    at = put(at, 4, 0);
    at = put(at, 4, MAX32);
    at = put_text(at, m->name);
    at = put(at, 2, 1);
    at = put(at, 2, CENTRAL_EXTRA - 4);
    at = put(at, 8, m->npy_bytes + m->bytes);
    at = put(at, 8, m->npy_bytes + m->bytes);
    return put(at, 8, m->offset);
}

static void write_end(const gpis_npz *file, char *at, int64_t directory) {
    at = put(at, 4, 0x06064b50);
    at = put(at, 8, END64 - 12);
    at = put(at, 2, VERSION);
    at = put(at, 2, VERSION);
    at = put(at, 8, 0); /* one disk */
    at = put(at, 8, file->count);
    at = put(at, 8, file->count);
    at = put(at, 8, directory);
    at = put(at, 8, file->bytes);
    at = put(at, 4, 0x07064b50);
    at = put(at, 4, 0);
    at = put(at, 8, file->bytes + directory);
    at = put(at, 4, 1);
    at = put(at, 4, 0x06054b50);
    at = put(at, 4, 0);
    at = put(at, 2, MAX32);
    at = put(at, 2, MAX32);
    at = put(at, 4, MAX32);
    at = put(at, 4, MAX32);
    put(at, 2, 0);
}

static gpis_status make_tail(gpis_npz *file) {
    gpis_free(file->context, file->tail);
    file->tail_bytes = tail_bytes(file);
    file->tail = gpis_alloc(file->context, file->tail_bytes, 1);
    if (!file->tail) return GPIS_NO_MEMORY;
    char *at = file->tail;
    for (int64_t i = 0; i < file->count; i++) at = write_entry(at, &file->members[i]);
    write_end(file, at, at - file->tail);
    return GPIS_OK;
}

/* ---- files ---- */

gpis_status gpis_npz_write(gpis_npz *file, const char *path) {
    for (int64_t i = 0; i < file->count; i++) enter_checksum(&file->members[i], checksum_of(&file->members[i]));
    gpis_file_part *parts = gpis_alloc(file->context, 2 * file->count + 1, sizeof *parts);
    gpis_status status = parts ? make_tail(file) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) {
        for (int64_t i = 0; i < file->count; i++) {
            parts[2 * i] = (gpis_file_part){file->members[i].head, file->members[i].head_bytes};
            parts[2 * i + 1] = (gpis_file_part){file->members[i].data, file->members[i].bytes};
        }
        parts[2 * file->count] = (gpis_file_part){file->tail, file->tail_bytes};
        status = gpis_file_replace(file->context, path, parts, (int)(2 * file->count + 1));
    }
    gpis_free(file->context, parts);
    return status;
}

gpis_status gpis_npz_read(gpis_npz *file, int64_t i, const char *path, int fd) {
    gpis_npz_member *m = &file->members[i];
    char head[GPIS_NPZ_HEAD];
    gpis_status status = gpis_file_read(file->context, path, fd, m->offset, head, m->head_bytes);
    if (status == GPIS_OK && m->bytes > 0)
        status = gpis_file_read(file->context, path, fd, m->offset + m->head_bytes, m->data, m->bytes);
    if (status != GPIS_OK) return status;
    uint32_t stored = 0;
    for (int b = 0; b < 4; b++) stored |= (uint32_t)(unsigned char)head[CHECKSUM_AT + b] << (8 * b);
    enter_checksum(m, stored);
    if (memcmp(head, m->head, (size_t)m->head_bytes) != 0)
        return gpis_fail(file->context, GPIS_BAD_DATA,
                         "%s: where %s should begin there is something else: the file is damaged, or was written by "
                         "something else or on another kind of machine",
                         path, m->name);
    if (gpis_checksum_matches(stored, checksum_of(m))) return GPIS_OK;
    return gpis_fail(file->context, GPIS_BAD_DATA, "%s: is damaged: the checksum of %s does not match", path, m->name);
}

gpis_status gpis_npz_check_tail(gpis_npz *file, const char *path, int fd) {
    gpis_status status = make_tail(file);
    char *there = gpis_alloc(file->context, file->tail_bytes, 1);
    if (status == GPIS_OK && !there) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_file_read(file->context, path, fd, file->bytes, there, file->tail_bytes);
    if (status == GPIS_OK && memcmp(there, file->tail, (size_t)file->tail_bytes) != 0)
        status =
            gpis_fail(file->context, GPIS_BAD_DATA, "%s: is damaged: its directory does not match its contents", path);
    gpis_free(file->context, there);
    return status;
}
