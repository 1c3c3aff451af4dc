/* The path of a cache, and the digest of the original file. */
#include "source/cache_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"

/* FNV-1a: the names of caches in one folder differ if the options or the folder of their original do. */
static uint64_t mix(uint64_t hash, const char *text) {
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash * UINT64_C(1099511628211);
}

static uint64_t mix_number(uint64_t hash, uint64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return mix(hash, text);
}

/* Writes "target=y" and so on, a line for each option that is given and that changes what a file is read as, to `text`,
 * and behind them the encoding that is given; returns the length. `text` NULL: only the length. */
static size_t write_key(const gpis_open_options *options, char *text) {
    size_t used = 0;
    const gpis_option_row *row;
    for (int64_t i = 0; (row = gpis_option_row_at(i)) != NULL; i++) {
        const bool counts = row->in_open != GPIS_NO_FIELD && strcmp(row->option.name, "memory") != 0 &&
                            strcmp(row->option.name, "cache") != 0;
        const void *field = (const char *)options + gpis_max64(row->in_open, 0);
        const size_t length = counts ? gpis_option_text(row, field, NULL, 0) : 0;
        if (length == 0) continue;
        if (text) {
            const int name = sprintf(text + used, "%s=", row->option.name);
            gpis_option_text(row, field, text + used + name, length + 1);
            text[used + (size_t)name + length] = '\n';
        }
        used += strlen(row->option.name) + 1 + length + 1;
    }
    const size_t encoding = gpis_encoding_text(options->encoding, NULL, 0);
    if (text) gpis_encoding_text(options->encoding, text + used, encoding + 1);
    if (text) text[used + encoding] = '\0';
    return used + encoding;
}

static gpis_status make_key(gpis_context *context, const gpis_open_options *options, char **out) {
    *out = gpis_alloc(context, (int64_t)write_key(options, NULL) + 1, 1);
    if (!*out) return GPIS_NO_MEMORY;
    write_key(options, *out);
    return GPIS_OK;
}

void gpis_cache_place_clear(gpis_context *context, gpis_cache_place *place) {
    gpis_free(context, place->key);
    place->key = NULL;
}

/* The path of the cache, beside the original or in the folder that the options name. */
static gpis_status name_cache(gpis_context *context, const gpis_open_options *options, gpis_cache_place *out) {
    const char *path = out->path;
    char whole[PATH_MAX];
    if (!realpath(path, whole)) return gpis_fail(context, GPIS_IO, "%s: %s", path, strerror(errno));
    uint64_t hash = mix(UINT64_C(14695981039346656037), out->key);
    if (options->cache) hash = mix(mix_number(hash, geteuid()), whole); /* users may share the folder, not the files */
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const int folder = options->cache ? (int)strlen(options->cache) : (int)(name - path);
    const int length = snprintf(out->cache, sizeof out->cache, "%.*s%s%s.%08x.gpis-cache", folder,
                                options->cache ? options->cache : path, options->cache ? "/" : "", name,
                                (unsigned)(hash ^ hash >> 32));
    if (length < 0 || (size_t)length >= sizeof out->cache)
        return gpis_fail(context, GPIS_IO, "%s: the name of its cache is too long", path);
    return GPIS_OK;
}

gpis_status gpis_cache_find_place(gpis_context *context, const char *path, const gpis_open_options *options,
                                  gpis_cache_place *out) {
    *out = (gpis_cache_place){.path = path};
    gpis_status status = make_key(context, options, &out->key);
    if (status != GPIS_OK) return status;
    struct stat info;
    int fd;
    int64_t size;
    /* A pipe is opened only once, later: if it were opened and closed here, its writer would see the end of its reader.
     */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return GPIS_OK;
    status = gpis_file_open(context, path, &fd, &size);
    if (status != GPIS_OK) return status;
    out->regular = size >= 0;
    out->wanted = out->regular && options->cache != NULL;
    status = gpis_file_stamp_take(context, path, fd, &out->stamp);
    if (fstat(fd, &info) != 0) info = (struct stat){.st_uid = geteuid()};
    close(fd);
    out->owner = info.st_uid;
    out->mode = info.st_mode & S_IROTH ? 0644 : 0600; /* users who may not read the original may not read its cache */
    return status == GPIS_OK && out->regular ? name_cache(context, options, out) : status;
}

gpis_status gpis_original_digest(gpis_context *context, const gpis_cache_place *place,
                                 unsigned char out[GPIS_DIGEST_BYTES]) {
    enum { PIECE = 1 << 20 };
    gpis_digest digest;
    int fd;
    int64_t size;
    gpis_digest_start(&digest);
    gpis_status status = gpis_file_open(context, place->path, &fd, &size);
    if (status != GPIS_OK) return status;
    unsigned char *piece = gpis_alloc(context, PIECE, 1);
    if (!piece) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_file_stamp_check(context, place->path, fd, &place->stamp);
    for (int64_t at = 0; at < size && status == GPIS_OK; at += PIECE) {
        const int64_t bytes = gpis_min64(PIECE, size - at);
        status = gpis_file_read(context, place->path, fd, at, piece, bytes);
        if (status == GPIS_OK) gpis_digest_add(&digest, piece, bytes);
    }
    if (status == GPIS_OK) status = gpis_file_stamp_check(context, place->path, fd, &place->stamp);
    gpis_digest_finish(&digest, out);
    gpis_free(context, piece);
    close(fd);
    return status;
}
