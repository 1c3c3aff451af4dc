/* Rows in arrays that grow, and their move to a cache before the arrays become too large. */
#include "source/sink.h"

#include <string.h>

#include "base/number.h"

static int64_t entry_bytes(const gpis_sink *s) { return s->sparse ? 12 : 8; }

/* Grows one of the arrays of s->held. */
#define GROW(s, array, used, wanted) \
    grow((s)->context, &(s)->held.array, &(s)->array##_capacity, (used), (wanted), sizeof *(s)->held.array)

static gpis_status grow(gpis_context *context, void *array, int64_t *capacity, int64_t used, int64_t wanted,
                        size_t size) {
    void *memory;
    memcpy(&memory, array, sizeof memory);
    const gpis_status status = gpis_grow(context, &memory, capacity, used, wanted, size);
    memcpy(array, &memory, sizeof memory);
    return status;
}

static void free_held(gpis_sink *s) {
    gpis_free(s->context, s->held.values);
    gpis_free(s->context, s->held.indices);
    gpis_free(s->context, s->held.indptr);
    gpis_free(s->context, s->held.y);
    s->held = (gpis_cache_rows){0};
    s->values_capacity = s->indices_capacity = s->indptr_capacity = s->y_capacity = 0;
}

/* Writes all rows that are held to the cache, in segments. */
static gpis_status write_held(gpis_sink *s) {
    gpis_status status = s->writer ? GPIS_OK : gpis_cache_begin(s->context, s->place, s->sparse, s->roles, &s->writer);
    for (int64_t first = 0; first < s->held.rows && status == GPIS_OK;) {
        int64_t count = 0, bytes = 0;
        for (; first + count < s->held.rows && bytes < GPIS_CACHE_SEGMENT; count++) {
            const int64_t row = first + count;
            bytes += 16 + entry_bytes(s) * (s->sparse ? s->held.indptr[row + 1] - s->held.indptr[row] : s->d);
        }
        status = gpis_cache_add(s->writer, &s->held, first, count, s->d, s->labels);
        first += count;
    }
    if (status == GPIS_OK && s->values_capacity * entry_bytes(s) > 4 * GPIS_CACHE_SEGMENT) free_held(s);
    s->held.rows = s->held.entries = 0;
    return status;
}

/* Whether the rows held must be written to the cache before other rows are added. */
static bool is_full(const gpis_sink *s, int64_t rows, int64_t entries) {
    if (!s->place || s->held.rows == 0) return false;
    if (s->writer || s->place->wanted)
        return s->held.entries * entry_bytes(s) + 16 * s->held.rows >= GPIS_CACHE_SEGMENT;
    /* At most 1.5 times the budget is allocated, while an array is copied to one of twice its size. */
    const bool grows =
        s->held.entries + entries > s->values_capacity || (s->held.rows + rows) * s->labels > s->y_capacity;
    return grows && 2 * (s->values_capacity * entry_bytes(s) + s->y_capacity * 8) > s->budget;
}

/* Makes space for rows with that many entries together. */
static gpis_status reserve(gpis_sink *s, int64_t rows, int64_t entries) {
    gpis_status status = is_full(s, rows, entries) ? write_held(s) : GPIS_OK;
    if (status == GPIS_OK) status = GROW(s, values, s->held.entries, s->held.entries + entries);
    if (status == GPIS_OK && s->sparse) status = GROW(s, indices, s->held.entries, s->held.entries + entries);
    if (status == GPIS_OK && s->sparse)
        status = GROW(s, indptr, s->held.indptr ? s->held.rows + 1 : 0, s->held.rows + rows + 1);
    if (status == GPIS_OK && s->labels)
        status = GROW(s, y, s->held.rows * s->labels, (s->held.rows + rows) * s->labels);
    if (status == GPIS_OK && s->sparse && s->held.rows == 0) s->held.indptr[0] = 0;
    return status;
}

gpis_status gpis_sink_reserve(gpis_sink *s, int64_t entries) { return reserve(s, 1, entries); }

gpis_status gpis_sink_append(gpis_sink *s, int64_t rows, const double *values, const double *labels) {
    const int64_t step = gpis_max64(1, GPIS_CACHE_SEGMENT / (16 + 8 * s->d)); /* about a segment at a time */
    gpis_status status = GPIS_OK;
    for (int64_t i = 0; i < rows && status == GPIS_OK; i += step) {
        const int64_t count = gpis_min64(step, rows - i);
        status = reserve(s, count, count * s->d);
        if (status != GPIS_OK) break;
        memcpy(s->held.values + s->held.entries, values + i * s->d, (size_t)(count * s->d) * sizeof *values);
        if (s->labels)
            memcpy(s->held.y + s->held.rows * s->labels, labels + i * s->labels,
                   (size_t)(count * s->labels) * sizeof *labels);
        s->held.entries += count * s->d;
        s->held.rows += count;
        s->rows += count;
    }
    return status;
}

gpis_status gpis_sink_expect(gpis_sink *s, double rows) {
    const double entries = rows * (double)s->d, bytes = 8.0 * (entries + rows * (double)s->labels);
    if (s->writer || (s->place && (s->place->wanted || bytes > 0.5 * (double)s->budget)) || s->held.rows == 0 ||
        bytes > (double)gpis_account_left(s->context) / 2)
        return GPIS_OK;
    gpis_status status = GROW(s, values, s->held.entries, (int64_t)entries);
    if (status == GPIS_OK && s->labels) status = GROW(s, y, s->held.rows * s->labels, (int64_t)rows * s->labels);
    return status;
}

gpis_status gpis_sink_extend(gpis_sink *s) {
    const int64_t wanted = s->held.entries + 1;
    if (wanted <= s->values_capacity && wanted <= s->indices_capacity) return GPIS_OK;
    const gpis_status status = GROW(s, values, s->held.entries, wanted);
    return status == GPIS_OK ? GROW(s, indices, s->held.entries, wanted) : status;
}

void gpis_sink_end_row(gpis_sink *s) {
    s->rows++;
    s->held.rows++;
    if (!s->sparse) return;
    s->held.indptr[s->held.rows] = s->held.entries;
    s->longest = gpis_max64(s->longest, s->held.entries - s->held.indptr[s->held.rows - 1]);
}

gpis_status gpis_sink_finish(gpis_sink *s, const char *encoding, bool cached, int *fd) {
    *fd = -1;
    cached = s->place && (cached || s->writer || (s->place->wanted && s->place->regular));
    gpis_status status = cached ? write_held(s) : GPIS_OK;
    return cached && status == GPIS_OK ? gpis_cache_finish(s->writer, s->d, encoding, fd) : status;
}

void gpis_sink_clear(gpis_sink *s) {
    free_held(s);
    gpis_cache_abandon(s->writer);
    s->writer = NULL;
}
