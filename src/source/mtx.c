/*
 * Matrix Market files (.mtx):
 *
 *     %%MatrixMarket matrix coordinate real|integer|pattern general|symmetric      entries "row column value"
 *     %%MatrixMarket matrix array real|integer general                             values, column by column
 *
 * Coordinates become compressed rows: entries are distributed to their rows in the order of the file, then each row
 * that is not sorted yet is sorted. A symmetric file stores one triangle; the other one is filled in. A pattern's
 * entries are 1. No array is sized by what the header promises before the entries have been seen.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "source/stored.h"
#include "source/text.h"

typedef struct entry {
    int64_t row;
    int32_t col;
    double value;
} entry;

typedef struct reader {
    gpis_context *context;
    const char *path;
    gpis_text text;
    bool coordinate, pattern, symmetric;
    int64_t n, d, promised; /* promised: the number of entries that the header gives */
    entry *entries;         /* owned: coordinate, mirrored ones included */
    double *values;         /* owned: array */
    int64_t used, capacity;
} reader;

static const gpis_source_class mtx_dense_class = {
    .kind = "mtx", .block = gpis_stored_dense_block, .destroy = gpis_stored_dense_destroy};
static const gpis_source_class mtx_csr_class = {
    .kind = "mtx", .block = gpis_stored_csr_block, .destroy = gpis_stored_csr_destroy};

static gpis_status bad_line(const reader *r, const char *wanted) {
    return gpis_fail(r->context, GPIS_BAD_DATA, "%s: line %" PRId64 ": expected %s", r->path, r->text.line, wanted);
}

/* The next line that is neither blank nor a comment. */
static gpis_status next_line(reader *r, gpis_span *line, bool *more) {
    for (;;) {
        gpis_span word;
        const gpis_status status = gpis_text_next(&r->text, false, line, more);
        if (status != GPIS_OK || !*more) return status;
        gpis_span rest = *line;
        if (gpis_text_word(&rest, &word) && *word.begin != '%') return GPIS_OK;
    }
}

/* ---- banner and sizes -------------------------------------------------------------------------------------------- */

static gpis_status read_banner(reader *r) {
    static const char shown[] = "'%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric'";
    gpis_span line, word[5];
    bool more;
    const gpis_status status = gpis_text_next(&r->text, false, &line, &more);
    if (status != GPIS_OK) return status;
    for (int k = 0; more && k < 5; k++) more = gpis_text_word(&line, &word[k]);
    if (!more || !gpis_text_is(word[0], "%%MatrixMarket") || !gpis_text_is(word[1], "matrix"))
        return bad_line(r, shown);
    r->coordinate = gpis_text_is(word[2], "coordinate");
    r->pattern = gpis_text_is(word[3], "pattern");
    r->symmetric = gpis_text_is(word[4], "symmetric");
    const bool number = gpis_text_is(word[3], "real") || gpis_text_is(word[3], "integer") ||
                        gpis_text_is(word[3], "double") || (r->pattern && r->coordinate);
    if (!r->coordinate && !gpis_text_is(word[2], "array")) return bad_line(r, shown);
    if (!number)
        return gpis_fail(r->context, GPIS_BAD_DATA,
                         "%s: holds entries of kind '%s'; real, integer or pattern is needed", r->path,
                         gpis_text_excerpt(word[3]).text);
    if (!gpis_text_is(word[4], "general") && !(r->symmetric && r->coordinate))
        return gpis_fail(r->context, GPIS_BAD_DATA, "%s: has symmetry '%s'; %s is needed", r->path,
                         gpis_text_excerpt(word[4]).text, r->coordinate ? "general or symmetric" : "general");
    return GPIS_OK;
}

static gpis_status read_sizes(reader *r) {
    gpis_span line, word;
    bool more;
    int64_t size[3] = {0, 0, 0};
    const int count = r->coordinate ? 3 : 2;
    const gpis_status status = next_line(r, &line, &more);
    if (status != GPIS_OK) return status;
    for (int k = 0; more && k < count; k++) more = gpis_text_word(&line, &word) && gpis_parse_count(word, &size[k]);
    if (!more || gpis_text_word(&line, &word))
        return bad_line(r, r->coordinate ? "the sizes 'rows columns entries'" : "the sizes 'rows columns'");
    r->n = size[0];
    r->d = size[1];
    r->promised = size[2];
    int64_t cells, bytes;
    if (r->n < 1 || r->d < 1)
        return gpis_fail(r->context, GPIS_BAD_SHAPE, "%s: holds an empty matrix, %" PRId64 " x %" PRId64, r->path, r->n,
                         r->d);
    if (r->d > INT32_MAX || r->n > INT64_MAX / 16)
        return gpis_fail(r->context, GPIS_TOO_LARGE, "%s: a matrix of %" PRId64 " x %" PRId64 " is too large", r->path,
                         r->n, r->d);
    if (r->symmetric && r->n != r->d)
        return gpis_fail(r->context, GPIS_BAD_SHAPE, "%s: is said to be symmetric but is %" PRId64 " x %" PRId64,
                         r->path, r->n, r->d);
    if (r->coordinate) return GPIS_OK;
    if (!gpis_checked_mul(r->n, r->d, &cells) || !gpis_checked_mul(cells, sizeof(double), &bytes))
        return gpis_fail(r->context, GPIS_TOO_LARGE, "%s: a matrix of %" PRId64 " x %" PRId64 " is too large", r->path,
                         r->n, r->d);
    r->promised = cells;
    return GPIS_OK;
}

/* Refuses a file that memory cannot hold, before its entries are read: a header can promise any number of rows in a few
 * bytes. Entries come in any order, so all of them are held, as they are read, in arrays that grow twofold, and then as
 * compressed rows. Where no limit is set, the free memory must be enough for twice the rows and y, since a solve needs
 * memory of its own. */
static gpis_status check_memory(const reader *r, const gpis_open_options *options) {
    const double entries = (r->symmetric ? 2.0 : 1.0) * (double)r->promised, starts = 8.0 * (double)r->n;
    const double reading =
        r->coordinate ? entries * (double)(3 * sizeof(entry) + 12) + starts : 3.0 * sizeof(double) * entries;
    const int64_t left = gpis_account_left(r->context);
    if (options->memory == 0 && r->context->limit == 0) {
        char what[GPIS_MESSAGE_SIZE / 2];
        const double held = (r->coordinate ? 12.0 * entries + starts : 8.0 * entries) + 8.0 * (double)r->n;
        snprintf(what, sizeof what, "%s: to read it and to solve with it", r->path);
        return gpis_account_affords(r->context, what, fmax(reading, 2.0 * held)) ? GPIS_OK : GPIS_NO_MEMORY;
    }
    if (reading <= (double)(options->memory > 0 ? gpis_min64(options->memory, left) : left)) return GPIS_OK;
    return gpis_fail(
        r->context, GPIS_NO_MEMORY,
        "%s: a .mtx file is read whole, and this one takes %s of memory; raise option memory, or save it by rows "
        "(.svm, or compressed rows in HDF5), which are read at each pass",
        r->path, gpis_bytes(reading).text);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static gpis_status push_entry(reader *r, int64_t row, int64_t col, double value) {
    void *memory = r->entries;
    const gpis_status status = gpis_grow(r->context, &memory, &r->capacity, r->used, r->used + 1, sizeof *r->entries);
    r->entries = memory;
    if (status == GPIS_OK) r->entries[r->used++] = (entry){row, (int32_t)col, value};
    return status;
}

static gpis_status push_value(reader *r, double value) {
    void *memory = r->values;
    const gpis_status status = gpis_grow(r->context, &memory, &r->capacity, r->used, r->used + 1, sizeof *r->values);
    r->values = memory;
    if (status == GPIS_OK) r->values[r->used++] = value;
    return status;
}

static gpis_status read_number(const reader *r, gpis_span word, double *value) {
    if (gpis_parse_number(word, value) && isfinite(*value)) return GPIS_OK;
    return gpis_fail(r->context, GPIS_BAD_DATA, "%s: line %" PRId64 ": '%s' is not a finite number", r->path,
                     r->text.line, gpis_text_excerpt(word).text);
}

static gpis_status read_entry(reader *r, gpis_span line) {
    gpis_span row_word, col_word, value_word, word;
    int64_t row, col;
    double value = 1.0;
    if (!gpis_text_word(&line, &row_word) || !gpis_text_word(&line, &col_word) || !gpis_parse_count(row_word, &row) ||
        !gpis_parse_count(col_word, &col) || (!r->pattern && !gpis_text_word(&line, &value_word)) ||
        gpis_text_word(&line, &word))
        return bad_line(r, r->pattern ? "'row column'" : "'row column value'");
    if (row < 1 || row > r->n || col < 1 || col > r->d)
        return gpis_fail(r->context, GPIS_BAD_DATA,
                         "%s: line %" PRId64 ": entry (%" PRId64 ", %" PRId64 ") is not in the %" PRId64 " x %" PRId64
                         " matrix; rows and columns count from 1",
                         r->path, r->text.line, row, col, r->n, r->d);
    gpis_status status = r->pattern ? GPIS_OK : read_number(r, value_word, &value);
    if (status == GPIS_OK) status = push_entry(r, row - 1, col - 1, value);
    if (status == GPIS_OK && r->symmetric && row != col) status = push_entry(r, col - 1, row - 1, value);
    return status;
}

static gpis_status read_values(reader *r, gpis_span line) {
    gpis_status status = GPIS_OK;
    gpis_span word;
    double value;
    while (status == GPIS_OK && gpis_text_word(&line, &word)) {
        status = read_number(r, word, &value);
        if (status == GPIS_OK) status = push_value(r, value);
    }
    return status;
}

/* Reads all entries, of which there must be exactly as many as the header promises. */
static gpis_status read_entries(reader *r) {
    int64_t lines = 0;
    for (;;) {
        gpis_span line;
        bool more;
        gpis_status status = next_line(r, &line, &more);
        const int64_t count = r->coordinate ? lines : r->used;
        if (status == GPIS_OK && (more ? r->coordinate && count == r->promised : count != r->promised))
            return gpis_fail(r->context, GPIS_BAD_DATA, "%s: promises %" PRId64 " entries but holds %s%" PRId64,
                             r->path, r->promised, more ? "more than " : "", count);
        if (status != GPIS_OK || !more) return status;
        status = r->coordinate ? read_entry(r, line) : read_values(r, line);
        if (status != GPIS_OK) return status;
        lines++;
    }
}

/* ---- to compressed rows ------------------------------------------------------------------------------------------ */

/* A step of heapsort: the entry at `root` moves down until no child is larger. */
static void sift(int32_t *cols, double *values, int64_t root, int64_t count) {
    const int32_t col = cols[root];
    const double value = values[root];
    for (int64_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && cols[child + 1] > cols[child]) child++;
        if (cols[child] <= col) break;
        cols[root] = cols[child];
        values[root] = values[child];
    }
    cols[root] = col;
    values[root] = value;
}

static void sort_row(int32_t *cols, double *values, int64_t count) {
    bool sorted = true;
    for (int64_t p = 1; p < count && sorted; p++) sorted = cols[p - 1] <= cols[p];
    if (sorted) return;
    for (int64_t root = count / 2; root-- > 0;) sift(cols, values, root, count);
    for (int64_t last = count - 1; last > 0; last--) {
        const int32_t col = cols[last];
        const double value = values[last];
        cols[last] = cols[0];
        values[last] = values[0];
        cols[0] = col;
        values[0] = value;
        sift(cols, values, 0, last);
    }
}

/* Distributes the entries to rows: afterwards indptr[i] is where row i begins. */
static void distribute(const reader *r, int64_t *indptr, int32_t *cols, double *values) {
    for (int64_t p = 0; p < r->used; p++) indptr[r->entries[p].row + 1]++;
    for (int64_t i = 0; i < r->n; i++) indptr[i + 1] += indptr[i];
    for (int64_t p = r->used; p-- > 0;) { /* from the back, so that each row keeps the file's order */
        const entry *e = &r->entries[p];
        const int64_t to = --indptr[e->row + 1];
        cols[to] = e->col;
        values[to] = e->value;
    }
    /* Now indptr[i + 1] is the beginning of row i. */
    for (int64_t i = 0; i < r->n; i++) indptr[i] = indptr[i + 1];
    indptr[r->n] = r->used;
}

static gpis_status build_csr(reader *r, gpis_source **out) {
    int64_t *indptr = gpis_alloc_zero(r->context, r->n + 1, sizeof *indptr);
    int32_t *cols = indptr ? gpis_alloc(r->context, r->used, sizeof *cols) : NULL;
    double *values = cols ? gpis_alloc(r->context, r->used, sizeof *values) : NULL;
    gpis_stored_csr csr = {indptr, cols, values, true};
    gpis_status status = values ? GPIS_OK : GPIS_NO_MEMORY;
    if (status == GPIS_OK) distribute(r, indptr, cols, values);
    for (int64_t i = 0; i < r->n && status == GPIS_OK; i++) {
        sort_row(cols + indptr[i], values + indptr[i], indptr[i + 1] - indptr[i]);
        for (int64_t p = indptr[i] + 1; p < indptr[i + 1] && status == GPIS_OK; p++) {
            if (cols[p] == cols[p - 1])
                status = gpis_fail(r->context, GPIS_BAD_DATA,
                                   "%s: entry (%" PRId64 ", %d) occurs twice; sum or remove duplicates", r->path, i + 1,
                                   (int)cols[p] + 1);
        }
    }
    if (status == GPIS_OK)
        status = gpis_stored_csr_new(r->context, &mtx_csr_class, r->path, csr, GPIS_FLOAT64, r->n, r->d, out);
    if (status != GPIS_OK) gpis_stored_csr_free(r->context, &csr);
    return status;
}

static gpis_status build_dense(reader *r, gpis_source **out) {
    const gpis_stored_dense dense = {.values = r->values, .ld = r->n, .owned = r->values};
    const gpis_status status = gpis_stored_dense_new(r->context, &mtx_dense_class, r->path, dense, GPIS_FLOAT64,
                                                     GPIS_COLUMN_MAJOR, r->n, r->d, out);
    if (status == GPIS_OK) r->values = NULL;
    return status;
}

gpis_status gpis_open_mtx(gpis_context *context, const char *path, const gpis_open_options *options,
                          gpis_source **out) {
    reader r = {.context = context, .path = path};
    *out = NULL;
    gpis_status status = gpis_text_open(context, path, options, &r.text);
    if (status == GPIS_OK) status = read_banner(&r);
    if (status == GPIS_OK) status = read_sizes(&r);
    if (status == GPIS_OK) status = check_memory(&r, options);
    if (status == GPIS_OK) status = read_entries(&r);
    if (status == GPIS_OK) status = r.coordinate ? build_csr(&r, out) : build_dense(&r, out);
    gpis_text_close(&r.text);
    gpis_free(context, r.entries);
    gpis_free(context, r.values);
    return status;
}
