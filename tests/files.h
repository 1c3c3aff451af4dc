/* Files for tests, written byte by byte: valid ones, and ones whose header is wrong. */
#ifndef GPIS_TESTS_FILES_H
#define GPIS_TESTS_FILES_H

#include <zlib.h>

#include "support.h"

static inline void write_bytes(const char *path, const void *bytes, size_t size) {
    unlink(path); /* a new file: some file systems write a truncated one to the disk at once, which takes long */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text) { write_bytes(path, text, strlen(text)); }

static inline void write_gzip(const char *path, const char *text) {
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)strlen(text)), (int)strlen(text));
    assert_int_equal(gzclose(file), Z_OK);
}

/* A .npy file image of the given version with this dictionary, padded so that the numbers begin at a multiple of
 * `alignment`; returns its size. */
static inline size_t npy_image(unsigned char *to, int version, const char *dictionary, size_t alignment,
                               const void *numbers, size_t bytes) {
    const size_t prefix = version == 1 ? 10 : 12, text = strlen(dictionary) + 1;
    const size_t total = (prefix + text + alignment - 1) / alignment * alignment, length = total - prefix;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (unsigned char)version;
    to[7] = 0;
    for (size_t k = 8; k < prefix; k++) to[k] = (unsigned char)(length >> (8 * (k - 8)));
    memset(to + prefix, ' ', length);
    memcpy(to + prefix, dictionary, text - 1);
    to[total - 1] = '\n';
    memcpy(to + total, numbers, bytes);
    return total + bytes;
}

static inline void write_npy(const char *path, int version, const char *dictionary, const void *numbers, size_t bytes) {
    unsigned char image[4096];
    write_bytes(path, image, npy_image(image, version, dictionary, 64, numbers, bytes));
}

#define assert_message(context, part)                                                           \
    do {                                                                                        \
        if (!strstr(gpis_last_error(context), part))                                            \
            fail_msg("the message \"%s\" does not say \"%s\"", gpis_last_error(context), part); \
    } while (0)

#endif
