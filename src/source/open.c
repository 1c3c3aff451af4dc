/* Opening a file by the format that the caller names or that its ending shows. A new format is a row of the table. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/options.h"
#include "source/hdf5_file.h"
#include "source/stored.h"
#include "source/text.h"

typedef struct format {
    const char *ending;
    gpis_status (*open)(gpis_context *context, const char *path, const gpis_open_options *options, gpis_source **out);
    bool text;     /* may be gzipped */
    bool is_table; /* has columns that can be chosen, one of them as the target */
} format;

static const format formats[] = {
    {".npy", gpis_open_npy, false, false},   {".csv", gpis_open_csv, true, true},
    {".tsv", gpis_open_csv, true, true},     {".txt", gpis_open_csv, true, true},
    {".data", gpis_open_csv, true, true},    {".mtx", gpis_open_mtx, true, false},
    {".svm", gpis_open_libsvm, true, false}, {".libsvm", gpis_open_libsvm, true, false},
};

/* The format that the caller names, with or without the dot; NULL: there is none of that name. */
static const format *find_format(const char *name) {
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (strcasecmp(name, formats[k].ending) == 0 || strcasecmp(name, formats[k].ending + 1) == 0)
            return &formats[k];
    return NULL;
}

/* The endings of the table for a message, each after a space, `from` characters from its beginning (1: without the
 * dot). */
static const char *list_endings(size_t from, char *text, size_t size) {
    *text = '\0';
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, " %s", formats[k].ending + from);
    }
    return text;
}

static bool ends_with(const char *path, size_t length, const char *ending) {
    const size_t size = strlen(ending);
    return length > size && strncasecmp(path + length - size, ending, size) == 0;
}

static gpis_status unknown_format(gpis_context *context, const char *path, const char *name) {
    char list[128];
    if (name)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "there is no format '%s'; known are%s", name,
                         list_endings(1, list, sizeof list));
    if (ends_with(path, strlen(path), ".npz"))
        return gpis_fail(context, GPIS_BAD_DATA,
                         "%s: is not a summary: it does not begin as one, and no other .npz file is read", path);
    return gpis_fail(context, GPIS_BAD_ARGUMENT,
                     "%s: the name does not end in a known format; known are%s .h5 .hdf5, and .gz after a text format; "
                     "others need a format (option format csv)",
                     path, list_endings(0, list, sizeof list));
}

/* The format that the ending of a path shows; NULL: none. */
static const format *format_of(const char *path) {
    size_t length = strlen(path);
    if (ends_with(path, length, ".gz")) length -= strlen(".gz");
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (ends_with(path, length, formats[k].ending)) return &formats[k];
    return NULL;
}

static bool is_hdf5(const char *path) {
    size_t length;
    const char *inside;
    return gpis_hdf5_path(path, &length, &inside);
}

static gpis_status no_target(gpis_context *context, const char *path, const char *ending) {
    return gpis_fail(context, GPIS_BAD_ARGUMENT,
                     "%s: a target names a column of a .csv or .tsv file; a %s file has none", path, ending);
}

/* The first option that is given and that only tables have; NULL: none is. */
static const char *option_of_tables(const gpis_open_options *options) {
    if (options->target) return "target";
    if (options->columns) return "columns";
    if (options->exclude) return "exclude";
    if (options->categorical) return "categorical";
    if (options->delimiter) return "delimiter";
    if (options->missing != GPIS_MISSING_ERROR) return "missing";
    if (options->header != GPIS_HEADER_AUTO) return "header";
    return options->encoding ? "encoding" : NULL;
}

/* GPIS_OK unless an option is given that a file without columns in text cannot have. */
static gpis_status check_plain(gpis_context *context, const char *path, const char *ending,
                               const gpis_open_options *options) {
    const char *name = option_of_tables(options);
    if (!name) return GPIS_OK;
    if (options->target) return no_target(context, path, ending);
    return gpis_fail(context, GPIS_BAD_ARGUMENT,
                     "%s: option %s is for tables in text, .csv, .tsv, .txt or .data; this is a %s file", path, name,
                     ending);
}

gpis_status gpis_source_open(gpis_context *context, const char *path, const char *target, gpis_source **out) {
    gpis_open_options options = gpis_open_options_default();
    options.target = target;
    return gpis_source_open_with(context, path, &options, out);
}

static gpis_status open_file(gpis_context *context, const char *path, const gpis_open_options *options,
                             gpis_source **out) {
    if (options->cache && !*options->cache)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "the folder for the cache has no name; \".\" is this one");
    if (options->memory < 0) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the memory for a source is negative");
    if ((unsigned)options->missing > GPIS_MISSING_MEAN || (unsigned)options->header > GPIS_HEADER_NO)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "options missing and header have no such value");
    if (!options->format && is_hdf5(path)) {
        const gpis_status plain = check_plain(context, path, ".h5", options);
        return plain == GPIS_OK ? gpis_open_hdf5(context, path, options, out) : plain;
    }
    const format *chosen = options->format ? find_format(options->format) : format_of(path);
    if (!chosen) return unknown_format(context, path, options->format);
    if (!chosen->text && ends_with(path, strlen(path), ".gz"))
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "%s: a %s file is mapped into memory; gunzip it first", path,
                         chosen->ending);
    gpis_status status = chosen->is_table ? GPIS_OK : check_plain(context, path, chosen->ending, options);
    return status == GPIS_OK ? chosen->open(context, path, options, out) : status;
}

gpis_status gpis_source_open_with(gpis_context *context, const char *path, const gpis_open_options *options,
                                  gpis_source **out) {
    gpis_open_options taken;
    if (!context || !path || !options || !out)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a path, options and a place for the source are needed");
    *out = NULL;
    const gpis_status status = gpis_open_options_take(context, options, &taken);
    return status == GPIS_OK ? open_file(context, path, &taken, out) : status;
}
