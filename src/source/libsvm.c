/*
 * LIBSVM text (.svm, .libsvm): one row per line, "label index:value index:value ... # comment". Indices count from 1
 * and increase; A has as many columns as the largest of them; the labels become the target. A "qid:..." word (ranking
 * files) has no meaning for least squares and is skipped.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "source/stored.h"
#include "source/text.h"
#include "source/text_source.h"

typedef struct reader {
    gpis_context *context;
    const char *path;
    gpis_text text;
    gpis_sink *sink; /* borrowed */
} reader;

static const gpis_source_class libsvm_class = {
    .kind = "libsvm", .block = gpis_stored_csr_block, .destroy = gpis_stored_csr_destroy};

static gpis_status bad_word(const reader *r, gpis_span word, const char *why) {
    return gpis_fail(r->context, GPIS_BAD_DATA, "%s: line %" PRId64 ": '%s' %s", r->path, r->text.line,
                     gpis_text_excerpt(word).text, why);
}

static gpis_status push_pair(reader *r, gpis_span word, int64_t *last) {
    const char *colon = memchr(word.begin, ':', (size_t)(word.end - word.begin));
    int64_t index;
    double value;
    if (!colon) return bad_word(r, word, "is not an 'index:value'");
    if (gpis_text_is((gpis_span){word.begin, colon}, "qid")) return GPIS_OK;
    if (!gpis_parse_count((gpis_span){word.begin, colon}, &index) || index > INT32_MAX)
        return bad_word(r, word, "has no index from 1 to 2147483647");
    if (index < 1) return bad_word(r, word, "has index 0; indices count from 1");
    if (index <= *last) return bad_word(r, word, "has an index not above the one before it; sort each line");
    if (!gpis_parse_number((gpis_span){colon + 1, word.end}, &value) || !isfinite(value))
        return bad_word(r, word, "has a value that is not a finite number");
    gpis_sink *sink = r->sink;
    const gpis_status status = gpis_sink_extend(sink);
    if (status != GPIS_OK) return status;
    sink->held.indices[sink->held.entries] = (int32_t)(index - 1);
    sink->held.values[sink->held.entries++] = value;
    sink->d = gpis_max64(sink->d, index);
    *last = index;
    return GPIS_OK;
}

static gpis_status read_row(reader *r, gpis_span line) {
    const char *comment = memchr(line.begin, '#', (size_t)(line.end - line.begin));
    if (comment) line.end = comment;
    gpis_span word;
    double label;
    if (!gpis_text_word(&line, &word)) return GPIS_OK;
    if (!gpis_parse_number(word, &label) || !isfinite(label))
        return bad_word(r, word, "is not a label, which is a finite number");
    gpis_status status = gpis_sink_reserve(r->sink, r->sink->longest + 1);
    if (status != GPIS_OK) return status;
    int64_t last = 0;
    while (status == GPIS_OK && gpis_text_word(&line, &word)) status = push_pair(r, word, &last);
    if (status != GPIS_OK) return status;
    r->sink->held.y[r->sink->held.rows] = label;
    gpis_sink_end_row(r->sink);
    return GPIS_OK;
}

static gpis_status read_all(reader *r) {
    gpis_status status = gpis_text_open(r->context, r->path, r->sink->options, &r->text);
    while (status == GPIS_OK) {
        gpis_span line;
        bool more;
        status = gpis_text_next(&r->text, false, &line, &more);
        if (status != GPIS_OK || !more) break;
        status = read_row(r, line);
    }
    if (status == GPIS_OK && r->sink->d == 0)
        status =
            gpis_fail(r->context, GPIS_BAD_DATA, "%s: holds %s", r->path, r->sink->rows ? "labels only" : "no rows");
    return status;
}

static gpis_status parse(gpis_context *context, const char *path, gpis_sink *sink, gpis_encoding **encoding) {
    reader r = {.context = context, .path = path, .sink = sink};
    *encoding = NULL;
    sink->labels = 1;
    sink->roles = 1u << GPIS_ROLE_TARGET;
    const gpis_status status = read_all(&r);
    gpis_text_close(&r.text);
    return status;
}

static gpis_status hold(gpis_context *context, const char *path, gpis_sink *sink, const gpis_encoding *encoding,
                        gpis_source **out) {
    (void)encoding;
    gpis_cache_rows *held = &sink->held;
    const gpis_stored_csr csr = {held->indptr, held->indices, held->values, true};
    const gpis_status status =
        gpis_stored_csr_new(context, &libsvm_class, path, csr, GPIS_FLOAT64, sink->rows, sink->d, out);
    if (status != GPIS_OK) return status;
    (*out)->target = held->y;
    (*out)->target_k = 1;
    *held = (gpis_cache_rows){0};
    return GPIS_OK;
}

gpis_status gpis_open_libsvm(gpis_context *context, const char *path, const gpis_open_options *options,
                             gpis_source **out) {
    static const gpis_text_format format = {.sparse = true, .parse = parse, .hold = hold};
    gpis_open_options without_columns = *options; /* its cache does not depend on what names columns */
    without_columns.weights = without_columns.offset = NULL;
    return gpis_text_source_open(context, path, &without_columns, &format, out);
}
