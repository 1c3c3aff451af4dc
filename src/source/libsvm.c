/*
 * LIBSVM text (.svm, .libsvm): a row a line, "label index:value index:value ... # comment". Indices count from 1 and
 * increase; A has as many columns as the largest of them; the labels become the target. A "qid:..." word (ranking
 * files) has no meaning for least squares and is skipped.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "source/stored.h"
#include "source/text.h"

typedef struct reader {
    gpis_context *context;
    const char *path;
    gpis_text text;
    int64_t rows, d, used;
    int64_t *indptr; /* owned, as are all four */
    int32_t *indices;
    double *values, *labels;
    int64_t indptr_capacity, indices_capacity, values_capacity, labels_capacity;
} reader;

static const gpis_source_class libsvm_class = {.kind = "libsvm", .block = gpis_csr_block, .destroy = gpis_csr_destroy};

static gpis_status bad_word(const reader *r, gpis_span word, const char *why) {
    return gpis_fail(r->context, GPIS_BAD_DATA, "%s: line %" PRId64 ": '%s' %s", r->path, r->text.line,
                     gpis_text_excerpt(word).text, why);
}

/* Room for one element more; `array` is the address of any of the reader's arrays. */
static gpis_status grow_one(reader *r, void *array, int64_t *capacity, int64_t used, size_t size) {
    void *memory;
    memcpy(&memory, array, sizeof memory);
    const gpis_status status = gpis_grow(r->context, &memory, capacity, used, used + 1, size);
    memcpy(array, &memory, sizeof memory);
    return status;
}

static gpis_status push_pair(reader *r, gpis_span word, int64_t *last) {
    const char *colon = memchr(word.begin, ':', (size_t)(word.end - word.begin));
    int64_t index;
    double value;
    if (!colon) return bad_word(r, word, "is no 'index:value'");
    if (gpis_text_is((gpis_span){word.begin, colon}, "qid")) return GPIS_OK;
    if (!gpis_parse_count((gpis_span){word.begin, colon}, &index) || index > INT32_MAX)
        return bad_word(r, word, "has no index from 1 to 2147483647");
    if (index < 1) return bad_word(r, word, "has index 0; indices count from 1");
    if (index <= *last) return bad_word(r, word, "has an index not above the one before it; sort each line");
    if (!gpis_parse_number((gpis_span){colon + 1, word.end}, &value) || !isfinite(value))
        return bad_word(r, word, "has a value that is not a finite number");
    gpis_status status = grow_one(r, &r->indices, &r->indices_capacity, r->used, sizeof *r->indices);
    if (status == GPIS_OK) status = grow_one(r, &r->values, &r->values_capacity, r->used, sizeof *r->values);
    if (status != GPIS_OK) return status;
    r->indices[r->used] = (int32_t)(index - 1);
    r->values[r->used++] = value;
    r->d = gpis_max64(r->d, index);
    *last = index;
    return GPIS_OK;
}

static gpis_status read_row(reader *r, gpis_span line) {
    const char *comment = memchr(line.begin, '#', (size_t)(line.end - line.begin));
    if (comment) line.end = comment;
    gpis_span word;
    double label;
    if (!gpis_text_word(&line, &word)) return GPIS_OK;
    if (!gpis_parse_number(word, &label) || !isfinite(label)) return bad_word(r, word, "is no label: a finite number");
    gpis_status status = grow_one(r, &r->labels, &r->labels_capacity, r->rows, sizeof *r->labels);
    if (status == GPIS_OK) status = grow_one(r, &r->indptr, &r->indptr_capacity, r->rows + 1, sizeof *r->indptr);
    if (status != GPIS_OK) return status;
    int64_t last = 0;
    while (status == GPIS_OK && gpis_text_word(&line, &word)) status = push_pair(r, word, &last);
    if (status != GPIS_OK) return status;
    r->labels[r->rows++] = label;
    r->indptr[r->rows] = r->used;
    return GPIS_OK;
}

static gpis_status read_all(reader *r) {
    gpis_status status = gpis_text_open(r->context, r->path, &r->text);
    if (status == GPIS_OK) status = grow_one(r, &r->indptr, &r->indptr_capacity, 0, sizeof *r->indptr);
    if (status == GPIS_OK) r->indptr[0] = 0;
    while (status == GPIS_OK) {
        gpis_span line;
        bool more;
        status = gpis_text_next(&r->text, false, &line, &more);
        if (status != GPIS_OK || !more) break;
        status = read_row(r, line);
    }
    if (status == GPIS_OK && r->d == 0)
        status = gpis_fail(r->context, GPIS_BAD_DATA, "%s: holds %s", r->path, r->rows ? "labels only" : "no rows");
    return status;
}

gpis_status gpis_open_libsvm(gpis_context *context, const char *path, const gpis_open_options *options,
                             gpis_source **out) {
    (void)options;
    reader r = {.context = context, .path = path};
    *out = NULL;
    gpis_status status = read_all(&r);
    gpis_csr csr = {r.indptr, r.indices, r.values, true};
    if (status == GPIS_OK) status = gpis_csr_new(context, &libsvm_class, path, csr, GPIS_FLOAT64, r.rows, r.d, out);
    if (status == GPIS_OK) {
        (*out)->target = r.labels;
        (*out)->target_k = 1;
    } else {
        gpis_csr_free(context, &csr);
        gpis_free(context, r.labels);
    }
    gpis_text_close(&r.text);
    return status;
}
