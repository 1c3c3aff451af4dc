/*
 * Compressed rows in an HDF5 group: data, indices, indptr, and a shape. What fits in memory is read once and checked as
 * a whole. Else indptr is checked when the file is opened, and every QUANTUM-th entry of it is kept, which is enough to
 * know how much memory any window needs; the columns of a window are checked when it is read.
 */
#include <inttypes.h>
#include <string.h>

#include "source/hdf5_sources.h"

enum { QUANTUM = 1024 }; /* rows */

typedef struct csr_file {
    gpis_h5_rows indptr, indices, data;
    int64_t *starts;          /* owned: where rows 0, QUANTUM, 2 QUANTUM, ... begin, and the end; NULL while held */
    int64_t last, last_start; /* the row after the last window read, and where that row begins */
} csr_file;

static int64_t quanta(int64_t rows) { return (rows + QUANTUM - 1) / QUANTUM; }

static void close_files(gpis_context *context, csr_file *f) {
    gpis_h5_rows_close(context, &f->indptr);
    gpis_h5_rows_close(context, &f->indices);
    gpis_h5_rows_close(context, &f->data);
    gpis_free(context, f->starts);
    f->starts = NULL;
}

/* ---- a window ---------------------------------------------------------------------------------------------------- */

/* The arrays of a window in its scratch. */
typedef struct places {
    int64_t *indptr;
    char *values;
    int32_t *indices;
} places;

static int64_t aligned(int64_t bytes) { return (bytes + GPIS_ALIGNMENT - 1) / GPIS_ALIGNMENT * GPIS_ALIGNMENT; }

static int64_t window_bytes(int64_t rows, int64_t entries, int64_t width) {
    return aligned((rows + 1) * (int64_t)sizeof(int64_t)) + aligned(entries * width) +
           aligned(entries * (int64_t)sizeof(int32_t));
}

/* An upper bound on the entries of any window of nrows rows, from the kept entries of indptr. */
static int64_t entries_bound(const gpis_source *source, int64_t nrows) {
    const csr_file *f = source->state;
    int64_t most = 0;
    for (int64_t row = 0; row < source->n; row += gpis_min64(nrows, source->n)) {
        const int64_t end = gpis_min64(row + nrows, source->n);
        most = gpis_max64(most, f->starts[quanta(end)] - f->starts[row / QUANTUM]);
    }
    return most;
}

static int64_t csr_scratch(const gpis_source *source, int64_t nrows) {
    const csr_file *f = source->state;
    return window_bytes(nrows, entries_bound(source, nrows), f->data.row_bytes);
}

/* Reads indptr of the rows. Its first entry is the last one of the window before, which was kept. */
static gpis_status read_starts(gpis_source *source, int64_t row0, int64_t nrows, int64_t *indptr) {
    csr_file *f = source->state;
    const int64_t known = row0 == f->last ? 1 : 0;
    indptr[0] = f->last_start;
    const gpis_status status = gpis_h5_rows_read(source->context, gpis_source_name(source), &f->indptr, row0 + known,
                                                 nrows + 1 - known, indptr + known);
    if (status != GPIS_OK) return status;
    f->last = row0 + nrows;
    f->last_start = indptr[nrows];
    /* The file was checked when it was opened, but it may have changed since: entries must still fit in the scratch. */
    for (int64_t i = 0; i < nrows; i++)
        if (indptr[i + 1] < indptr[i] || indptr[i] < f->starts[row0 / QUANTUM] ||
            indptr[i + 1] > f->starts[quanta(row0 + nrows)])
            return gpis_fail(source->context, GPIS_IO, "%s: was changed while it was read", gpis_source_name(source));
    return GPIS_OK;
}

static gpis_status read_window(gpis_source *source, int64_t row0, int64_t nrows, places at) {
    csr_file *f = source->state;
    const char *name = gpis_source_name(source);
    gpis_status status = read_starts(source, row0, nrows, at.indptr);
    if (status != GPIS_OK) return status;
    const int64_t first = at.indptr[0], entries = at.indptr[nrows] - first;
    status = gpis_h5_rows_read(source->context, name, &f->data, first, entries, at.values);
    if (status == GPIS_OK) status = gpis_h5_rows_read(source->context, name, &f->indices, first, entries, at.indices);
    for (int64_t i = 0; i <= nrows; i++) at.indptr[i] -= first;
    const gpis_stored_csr_window window = {name, row0, nrows, source->d, first, at.indptr, at.indices};
    return status == GPIS_OK ? gpis_stored_csr_check_columns(source->context, &window) : status;
}

static gpis_status csr_block(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out) {
    const csr_file *f = source->state;
    const int64_t entries = f->starts[quanta(row0 + nrows)] - f->starts[row0 / QUANTUM];
    places at = {.indptr = scratch};
    at.values = (char *)scratch + aligned((nrows + 1) * (int64_t)sizeof(int64_t));
    at.indices = (int32_t *)(void *)(at.values + aligned(entries * f->data.row_bytes));
    const gpis_h5_guard guard = gpis_h5_enter();
    const gpis_status status = read_window(source, row0, nrows, at);
    gpis_h5_leave(guard);
    *out = (gpis_block){.kind = GPIS_BLOCK_CSR,
                        .type = source->type,
                        .row0 = row0,
                        .nrows = nrows,
                        .d = source->d,
                        .values = at.values,
                        .indptr = at.indptr,
                        .indices = at.indices};
    return status;
}

static gpis_status csr_unchanged(gpis_source *source) {
    const csr_file *f = source->state;
    const gpis_h5_guard guard = gpis_h5_enter();
    const gpis_status status = gpis_h5_rows_unchanged(source->context, gpis_source_name(source), &f->data);
    gpis_h5_leave(guard);
    return status;
}

static void csr_destroy(gpis_source *source) {
    const gpis_h5_guard guard = gpis_h5_enter();
    close_files(source->context, source->state);
    gpis_h5_leave(guard);
    gpis_free(source->context, source->state);
}

static const gpis_source_class held_class = {
    .kind = "hdf5", .block = gpis_stored_csr_block, .destroy = gpis_stored_csr_destroy};
static const gpis_source_class streamed_class = {.kind = "hdf5",
                                                 .block = csr_block,
                                                 .destroy = csr_destroy,
                                                 .scratch_bytes = csr_scratch,
                                                 .unchanged = csr_unchanged};

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Whether an attribute, as some tools write it, says that the group holds compressed columns. */
static bool is_by_columns(hid_t group) {
    static const char *const attributes[] = {"encoding-type", "h5sparse_format"};
    bool columns = false;
    for (int k = 0; k < 2; k++) {
        if (H5Aexists(group, attributes[k]) <= 0) continue;
        const hid_t attribute = H5Aopen(group, attributes[k], H5P_DEFAULT), type = H5Aget_type(attribute);
        if (H5Tget_class(type) == H5T_STRING) {
            char fixed[64] = "", *text = NULL;
            const bool variable = H5Tis_variable_str(type) > 0;
            if (variable && H5Aread(attribute, type, &text) >= 0 && text) {
                columns = columns || strncmp(text, "csc", 3) == 0;
                H5free_memory(text);
            } else if (!variable && H5Tget_size(type) < sizeof fixed && H5Aread(attribute, type, fixed) >= 0) {
                columns = columns || strncmp(fixed, "csc", 3) == 0;
            }
        }
        gpis_h5_close(type);
        gpis_h5_close(attribute);
    }
    return columns;
}

/* Opens a 1-D data set of the group, and describes it in *shape. */
static gpis_status open_part(gpis_context *context, const char *path, hid_t group, const char *part, hid_t type,
                             gpis_h5_shape *shape, gpis_h5_rows *out) {
    const hid_t set = H5Dopen2(group, part, H5P_DEFAULT);
    if (set < 0) return gpis_fail(context, GPIS_BAD_DATA, "%s/%s: %s", path, part, gpis_h5_reason().text);
    gpis_h5_describe(set, shape);
    out->set = set;
    const bool whole = type != H5T_NATIVE_DOUBLE; /* indices are whole numbers */
    if (shape->narrow && !whole) type = H5T_NATIVE_FLOAT;
    if (shape->rank != 1 || !shape->number || (whole && strstr(shape->type, "int") == NULL))
        return gpis_fail(context, GPIS_BAD_DATA, "%s/%s: is %s in %d dimensions; a vector of %s is wanted", path, part,
                         shape->type, shape->rank, whole ? "integers" : "numbers");
    gpis_h5_rows_start(set, shape, type, out);
    return gpis_h5_check_filters(context, path, set);
}

static gpis_status open_parts(gpis_context *context, const char *path, hid_t group, int64_t *d, gpis_type *type,
                              csr_file *f) {
    gpis_h5_shape shape;
    int64_t n;
    if (is_by_columns(group))
        return gpis_fail(context, GPIS_BAD_DATA, "%s: is stored by columns (csc); write it by rows (tocsr)", path);
    if (!gpis_h5_csr_shape(group, &n, d))
        return gpis_fail(context, GPIS_BAD_DATA, "%s: has no attribute 'shape' of two numbers, rows and columns", path);
    gpis_status status = open_part(context, path, group, "indptr", H5T_NATIVE_INT64, &shape, &f->indptr);
    if (status == GPIS_OK) status = open_part(context, path, group, "indices", H5T_NATIVE_INT32, &shape, &f->indices);
    if (status == GPIS_OK) status = open_part(context, path, group, "data", H5T_NATIVE_DOUBLE, &shape, &f->data);
    if (status != GPIS_OK) return status;
    *type = shape.narrow ? GPIS_FLOAT32 : GPIS_FLOAT64;
    if (n < 1 || *d < 1)
        return gpis_fail(context, GPIS_BAD_SHAPE, "%s: is %" PRId64 " x %" PRId64 "; it needs a row and a column", path,
                         n, *d);
    if (*d > INT32_MAX || n > INT64_MAX / 32 || f->data.n > INT64_MAX / 32)
        return gpis_fail(context, GPIS_TOO_LARGE, "%s: a matrix of %" PRId64 " x %" PRId64 " is too large", path, n,
                         *d);
    if (f->indptr.n != n + 1 || f->data.n != f->indices.n)
        return gpis_fail(context, GPIS_BAD_SHAPE,
                         "%s: %" PRId64 " rows need an indptr of %" PRId64 ", not %" PRId64 ", and data (%" PRId64
                         ") as long as indices (%" PRId64 ")",
                         path, n, n + 1, f->indptr.n, f->data.n, f->indices.n);
    return GPIS_OK;
}

static gpis_status bad_start(gpis_context *context, const char *path, int64_t row, int64_t got, int64_t entries) {
    return gpis_fail(context, GPIS_BAD_DATA,
                     "%s/indptr: entry %" PRId64 " is %" PRId64 "; it must go up from 0 to the %" PRId64 " entries",
                     path, row + 1, got, entries);
}

/* indptr in pieces: every start is at least the one before, the first is 0 and the last is the number of entries. */
static gpis_status walk_starts(gpis_context *context, const char *path, int64_t n, csr_file *f) {
    int64_t piece[QUANTUM], before = 0;
    for (int64_t row = 0; row <= n; row += QUANTUM) {
        const int64_t count = gpis_min64(QUANTUM, n + 1 - row);
        const gpis_status status = gpis_h5_rows_read(context, path, &f->indptr, row, count, piece);
        if (status != GPIS_OK) return status;
        for (int64_t i = 0; i < count; i++) {
            const bool ends = row + i == 0 || row + i == n;
            if (piece[i] < before || (ends && piece[i] != (row + i == 0 ? 0 : f->data.n)))
                return bad_start(context, path, row + i, piece[i], f->data.n);
            before = piece[i];
        }
        f->starts[row / QUANTUM] = piece[0];
    }
    f->starts[quanta(n)] = before;
    return GPIS_OK;
}

static gpis_status stream_csr(gpis_context *context, const char *path, csr_file *parts, int64_t d, gpis_type type,
                              int64_t budget, gpis_source **out) {
    const int64_t n = parts->indptr.n - 1;
    gpis_status status = gpis_h5_rows_reserve(context, path, &parts->indptr, budget);
    if (status == GPIS_OK) status = gpis_h5_rows_reserve(context, path, &parts->indices, budget);
    if (status == GPIS_OK) status = gpis_h5_rows_reserve(context, path, &parts->data, budget);
    if (status != GPIS_OK) return status;
    parts->starts = gpis_alloc(context, quanta(n) + 1, sizeof *parts->starts);
    status = parts->starts ? walk_starts(context, path, n, parts) : GPIS_NO_MEMORY;
    if (status != GPIS_OK) return status;
    csr_file *f = gpis_alloc(context, 1, sizeof *f);
    gpis_source *source = f ? gpis_source_new(context, &streamed_class, path) : NULL;
    if (!source) {
        gpis_free(context, f);
        return GPIS_NO_MEMORY;
    }
    *f = *parts;
    f->last = -1;
    *parts = (csr_file){{.set = -1}, {.set = -1}, {.set = -1}, NULL, 0, 0};
    source->state = f;
    source->n = n;
    source->d = d;
    source->nonzeros = f->data.n;
    source->type = type;
    source->block_kind = GPIS_BLOCK_CSR;
    source->serial = true;
    *out = source;
    return GPIS_OK;
}

static gpis_status hold_csr(gpis_context *context, const char *path, csr_file *f, int64_t d, gpis_type type,
                            gpis_source **out) {
    const int64_t n = f->indptr.n - 1, entries = f->data.n;
    int64_t *indptr = gpis_alloc(context, n + 1, sizeof *indptr);
    int32_t *indices = indptr ? gpis_alloc(context, entries, sizeof *indices) : NULL;
    void *values = indices ? gpis_alloc(context, entries, (size_t)f->data.row_bytes) : NULL;
    gpis_stored_csr csr = {indptr, indices, values, true};
    gpis_status status = values ? gpis_h5_rows_read(context, path, &f->indptr, 0, n + 1, indptr) : GPIS_NO_MEMORY;
    if (status == GPIS_OK) status = gpis_h5_rows_read(context, path, &f->indices, 0, entries, indices);
    if (status == GPIS_OK) status = gpis_h5_rows_read(context, path, &f->data, 0, entries, values);
    if (status == GPIS_OK && indptr[n] != entries) status = bad_start(context, path, n, indptr[n], entries);
    const gpis_stored_csr_window all = {path, 0, n, d, 0, indptr, indices};
    if (status == GPIS_OK) status = gpis_stored_csr_check(context, &all);
    if (status == GPIS_OK) status = gpis_stored_csr_new(context, &held_class, path, csr, type, n, d, out);
    if (status != GPIS_OK) gpis_stored_csr_free(context, &csr);
    return status;
}

gpis_status gpis_h5_open_csr(gpis_context *context, const char *path, hid_t group, int64_t budget, gpis_source **out) {
    csr_file f = {{.set = -1}, {.set = -1}, {.set = -1}, NULL, 0, 0};
    int64_t d = 0;
    gpis_type type = GPIS_FLOAT64;
    gpis_status status = open_parts(context, path, group, &d, &type, &f);
    if (status == GPIS_OK) {
        const int64_t bytes = window_bytes(f.indptr.n - 1, f.data.n, f.data.row_bytes);
        status = bytes <= budget ? hold_csr(context, path, &f, d, type, out)
                                 : stream_csr(context, path, &f, d, type, budget, out);
    }
    close_files(context, &f);
    gpis_h5_close(group);
    return status;
}
