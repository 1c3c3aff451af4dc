/* The path of a cache, and the digest of the original file. */
#include "source/cache_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FNV-1a: the names of caches in one folder differ if the target, the format or the folder of their original does. */
static uint64_t mix(uint64_t hash, const char *text) {
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash * UINT64_C(1099511628211);
}

static uint64_t mix_number(uint64_t hash, uint64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return mix(hash, text);
}

gpis_status gpis_cache_find_place(gpis_context *context, const char *path, const gpis_open_options *options,
                                  gpis_cache_place *out) {
    *out = (gpis_cache_place){.path = path, .target = options->target};
    struct stat info;
    int fd;
    int64_t size;
    /* A pipe is opened only once, later: if it were opened and closed here, its writer would see the end of its reader.
     */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return GPIS_OK;
    gpis_status status = gpis_file_open(context, path, &fd, &size);
    if (status != GPIS_OK) return status;
    out->regular = size >= 0;
    out->wanted = out->regular && options->cache != NULL;
    status = gpis_file_stamp_take(context, path, fd, &out->stamp);
    if (fstat(fd, &info) != 0) info = (struct stat){.st_uid = geteuid()};
    close(fd);
    out->owner = info.st_uid;
    out->mode = info.st_mode & S_IROTH ? 0644 : 0600; /* users who may not read the original may not read its cache */
    char whole[PATH_MAX];
    if (status != GPIS_OK || !out->regular) return status;
    if (!realpath(path, whole)) return gpis_fail(context, GPIS_IO, "%s: %s", path, strerror(errno));
    uint64_t hash = mix(UINT64_C(14695981039346656037), options->target ? options->target : "");
    if (options->format) hash = mix(hash, options->format);
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
