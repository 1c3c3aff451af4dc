/*
 * A text file as a source. A good cache of the file is used in its place. Else the file is parsed into a sink, and its
 * rows are held in memory or, where they do not fit or a cache was asked for, read back from the cache just written.
 */
#include "source/text_source.h"

#include <unistd.h>

/* Reports the cache that was written, at fd, to the caller's progress function. A temporary cache, of a pipe, has no
 * name to report. */
static gpis_status report_cache(gpis_context *context, const gpis_cache_place *place, const gpis_open_options *options,
                                int fd) {
    gpis_file_stamp stamp;
    if (!options->progress || !place->regular) return GPIS_OK;
    const gpis_status status = gpis_file_stamp_take(context, place->cache, fd, &stamp);
    if (status != GPIS_OK) return status;
    const gpis_open_progress progress = {.path = place->path,
                                         .done = place->stamp.size,
                                         .bytes = place->stamp.size,
                                         .cache = place->cache,
                                         .cache_bytes = stamp.size};
    if (options->progress(options->progress_user, &progress) == 0) return GPIS_OK;
    return gpis_fail(context, GPIS_STOPPED, "%s: reading was interrupted", place->path);
}

/* A source over the cache just written, at fd, which it takes over. */
static gpis_status open_new_cache(gpis_context *context, const gpis_cache_place *place,
                                  const gpis_open_options *options, int64_t budget, int fd, gpis_source **out) {
    gpis_cache cache;
    gpis_status status = report_cache(context, place, options, fd);
    if (status != GPIS_OK) {
        close(fd);
        return status;
    }
    status = gpis_cache_take(context, place, fd, &cache);
    return status == GPIS_OK ? gpis_cache_source(context, place, &cache, budget, out) : status;
}

/* The text of the encoding for the cache, "" for none; NULL when there is no memory. */
static char *text_of(gpis_context *context, const gpis_encoding *encoding) {
    const size_t length = gpis_encoding_text(encoding, NULL, 0);
    char *text = gpis_alloc(context, (int64_t)length + 1, 1);
    if (text) gpis_encoding_text(encoding, text, length + 1);
    return text;
}

/* Whether the rows of A take more than the budget, though those of the table may not. */
static bool is_too_large(const gpis_encoding *encoding, int64_t budget) {
    return encoding && (double)encoding->rows * (double)gpis_encoding_width(encoding) * 8.0 > (double)budget;
}

/* Holds the rows of the sink in memory. */
static gpis_status hold_rows(gpis_context *context, const gpis_cache_place *place, const gpis_text_format *format,
                             gpis_sink *sink, gpis_encoding **encoding, gpis_source **out) {
    char **names = NULL;
    gpis_status status = *encoding ? gpis_encoding_names(context, *encoding, &names) : GPIS_OK;
    if (status == GPIS_OK) status = format->hold(context, place->path, sink, *encoding, out);
    if (status != GPIS_OK) {
        gpis_free(context, names);
        return status;
    }
    (*out)->columns = names;
    (*out)->encoding = *encoding;
    *encoding = NULL;
    return GPIS_OK;
}

/* *unwritten: the cache was begun, but it could not be written to its end. */
static gpis_status parse_file(gpis_context *context, const gpis_cache_place *place, const gpis_open_options *options,
                              const gpis_text_format *format, int64_t budget, bool *unwritten, gpis_source **out) {
    gpis_sink sink = {
        .context = context, .place = place, .options = options, .budget = budget, .sparse = format->sparse};
    gpis_encoding *encoding = NULL;
    char *text = NULL;
    int fd = -1;
    gpis_status status = format->parse(context, place->path, &sink, &encoding);
    if (status == GPIS_OK && !(text = text_of(context, encoding))) status = GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_sink_finish(&sink, text, is_too_large(encoding, budget), &fd);
    if (status == GPIS_OK && fd >= 0) {
        gpis_sink_clear(&sink); /* first, since the rows may need the memory that the sink still holds */
        status = open_new_cache(context, place, options, budget, fd, out);
    } else if (status == GPIS_OK) {
        status = hold_rows(context, place, format, &sink, &encoding, out);
    }
    *unwritten = gpis_cache_failed(sink.writer);
    gpis_encoding_destroy(encoding);
    gpis_free(context, text);
    gpis_sink_clear(&sink);
    return status;
}

/* The cache could not be written, but the caller did not depend on it: parses the file once more and holds its rows in
 * memory. The source keeps the message about the cache, for the caller to report. If the rows do not fit in memory,
 * that message is the failure of the call. */
static gpis_status parse_without_cache(gpis_context *context, gpis_cache_place *place, const gpis_open_options *options,
                                       const gpis_text_format *format, int64_t budget, gpis_source **out) {
    char *trouble = gpis_duplicate_text(context, gpis_last_error(context));
    bool unwritten;
    if (!trouble) return GPIS_NO_MEMORY;
    place->wanted = place->regular = false;
    gpis_status status = parse_file(context, place, options, format, budget, &unwritten, out);
    if (status == GPIS_OK) {
        (*out)->cache_trouble = trouble;
        return GPIS_OK;
    }
    if (status == GPIS_NO_MEMORY) status = gpis_fail(context, GPIS_IO, "%s", trouble);
    gpis_free(context, trouble);
    return status;
}

gpis_status gpis_text_source_open(gpis_context *context, const char *path, const gpis_open_options *options,
                                  const gpis_text_format *format, gpis_source **out) {
    *out = NULL;
    gpis_cache_place *place = gpis_alloc(context, 1, sizeof *place); /* too large for the stack: it holds a path */
    if (!place) return GPIS_NO_MEMORY;
    gpis_cache cache;
    bool found = false, unwritten = false;
    const int64_t budget = gpis_source_budget(context, options);
    gpis_status status = gpis_cache_find_place(context, path, options, place);
    if (status == GPIS_OK) status = gpis_cache_open(context, place, &cache, &found);
    if (status == GPIS_OK)
        status = found ? gpis_cache_source(context, place, &cache, budget, out)
                       : parse_file(context, place, options, format, budget, &unwritten, out);
    if (status != GPIS_OK && unwritten && place->wanted)
        status = parse_without_cache(context, place, options, format, budget, out);
    gpis_cache_place_clear(context, place);
    gpis_free(context, place);
    return status;
}
