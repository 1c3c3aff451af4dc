/*
 * The .npy format of numpy, versions 1 to 3:
 *
 *     "\x93NUMPY" major minor length header numbers
 *
 * The length has 2 bytes in version 1 and 4 later, little-endian; the header is a Python dictionary in text,
 * {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, padded with blanks. The numbers follow immediately.
 */
#include "base/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HOST_ORDER '<'
#else
#define HOST_ORDER '>'
#endif

enum { MAGIC_BYTES = 6, PREFIX_MAX = 12, DESCR_MAX = 16, ALIGNMENT = 64 };
static const char magic[] = "\x93NUMPY";

/* ---- the header's text ------------------------------------------------------------------------------------------- */

typedef struct cursor {
    const char *at, *end;
} cursor;

/* The values of the dictionary; `seen` has a bit for each key found. */
enum { SEEN_DESCR = 1, SEEN_ORDER = 2, SEEN_SHAPE = 4, SEEN_ALL = 7 };
typedef struct fields {
    char descr[DESCR_MAX];
    bool structured, fortran, overflow;
    int dimensions;
    int64_t shape[2];
    int seen;
} fields;

static void skip_blanks(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) c->at++;
}

static bool accept(cursor *c, char wanted) {
    skip_blanks(c);
    if (c->at == c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

static bool accept_word(cursor *c, const char *word) {
    const size_t length = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return false;
    c->at += length;
    return true;
}

/* Reads a string in either kind of quotes, without escapes; false if it does not fit in `size` bytes. */
static bool read_string(cursor *c, char *out, size_t size) {
    const char quote = accept(c, '\'') ? '\'' : accept(c, '"') ? '"' : '\0';
    if (!quote) return false;
    const char *close = memchr(c->at, quote, (size_t)(c->end - c->at));
    if (!close || (size_t)(close - c->at) >= size) return false;
    memcpy(out, c->at, (size_t)(close - c->at));
    out[close - c->at] = '\0';
    c->at = close + 1;
    return true;
}

static bool read_size(cursor *c, int64_t *out, bool *overflow) {
    skip_blanks(c);
    const char *begin = c->at;
    int64_t value = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        if (!gpis_checked_mul(value, 10, &value) || !gpis_checked_add(value, *c->at - '0', &value)) *overflow = true;
    }
    if (c->at == begin) return false;
    accept(c, 'L'); /* as Python 2 wrote long integers */
    *out = value;
    return true;
}

/* (), (n,), (n, d), ... A lone (n) is no tuple in Python. */
static bool read_shape(cursor *c, fields *f) {
    if (!accept(c, '(')) return false;
    bool comma = true;
    while (!accept(c, ')')) {
        int64_t size;
        if (!comma || !read_size(c, &size, &f->overflow)) return false;
        comma = accept(c, ',');
        if (!comma && f->dimensions == 0) return false;
        if (f->dimensions < 2) f->shape[f->dimensions] = size;
        f->dimensions++;
    }
    return true;
}

static bool read_value(cursor *c, const char *key, fields *f) {
    if (strcmp(key, "descr") == 0) {
        f->seen |= SEEN_DESCR;
        f->structured = accept(c, '[');
        return f->structured || read_string(c, f->descr, sizeof f->descr);
    }
    if (strcmp(key, "fortran_order") == 0) {
        f->seen |= SEEN_ORDER;
        f->fortran = accept_word(c, "True");
        return f->fortran || accept_word(c, "False");
    }
    if (strcmp(key, "shape") == 0 && !(f->seen & SEEN_SHAPE)) {
        f->seen |= SEEN_SHAPE;
        return read_shape(c, f);
    }
    return false;
}

static bool read_dictionary(cursor *c, fields *f) {
    if (!accept(c, '{')) return false;
    bool comma = true;
    while (!accept(c, '}')) {
        char key[16];
        if (!comma || !read_string(c, key, sizeof key) || !accept(c, ':') || !read_value(c, key, f)) return false;
        if (f->structured) return true; /* it will be refused: the rest need not be parsed */
        comma = accept(c, ',');
    }
    skip_blanks(c);
    return c->at == c->end && f->seen == SEEN_ALL;
}

/* ---- the meaning of the header
 * ----------------------------------------------------------------------------------------------- */

static const char *type_word(char letter) {
    switch (letter) {
    case 'i':
    case 'u': return "integers of an unknown width";
    case 'c': return "complex numbers";
    case 'f': return "floats of an unknown width";
    case 'O': return "Python objects";
    case 'S':
    case 'a':
    case 'U': return "text";
    case 'M':
    case 'm': return "dates or times";
    default: return "of an unknown type";
    }
}

/* Parses '<f8', '|b1', '>i4', ...: byte order, letter and width in bytes. False if this is not a known type of real
 * numbers. */
static bool parse_descr(const char *descr, gpis_npy_stored *out) {
    static const struct {
        const char *name; /* letter and width */
        gpis_npy_kind kind;
    } known[] = {
        {"f8", GPIS_NPY_FLOAT},    {"f4", GPIS_NPY_FLOAT},    {"f2", GPIS_NPY_FLOAT},    {"i1", GPIS_NPY_SIGNED},
        {"i2", GPIS_NPY_SIGNED},   {"i4", GPIS_NPY_SIGNED},   {"i8", GPIS_NPY_SIGNED},   {"u1", GPIS_NPY_UNSIGNED},
        {"u2", GPIS_NPY_UNSIGNED}, {"u4", GPIS_NPY_UNSIGNED}, {"u8", GPIS_NPY_UNSIGNED}, {"b1", GPIS_NPY_BOOL},
    };
    const char order = descr[0];
    for (size_t k = 0; order && k < sizeof known / sizeof *known; k++) {
        if (strcmp(descr + 1, known[k].name) != 0) continue;
        *out = (gpis_npy_stored){.kind = known[k].kind, .width = known[k].name[1] - '0'};
        out->swapped = out->width > 1 && (order == '<' || order == '>') && order != HOST_ORDER;
        return strchr(out->width > 1 ? "<>=" : "<>=|", order) != NULL;
    }
    return false;
}

static gpis_status decide_type(gpis_context *context, const char *path, const fields *f, gpis_npy_header *out) {
    if (f->structured)
        return gpis_fail(context, GPIS_BAD_DATA, "%s: holds a structured array; save a plain array of numbers instead",
                         path);
    if (!parse_descr(f->descr, &out->stored)) {
        const char letter = f->descr[0] && strchr("<>=|", f->descr[0]) ? f->descr[1] : f->descr[0];
        return gpis_fail(context, GPIS_BAD_DATA,
                         "%s: its entries ('%s') are %s; real numbers are needed: save it again with astype('%cf8')",
                         path, f->descr, type_word(letter), HOST_ORDER);
    }
    const bool narrow = out->stored.kind == GPIS_NPY_FLOAT && out->stored.width == 4 && !out->stored.swapped;
    out->type = narrow ? GPIS_FLOAT32 : GPIS_FLOAT64;
    return GPIS_OK;
}

static gpis_status decide_shape(gpis_context *context, const char *path, const fields *f, int64_t size,
                                gpis_npy_header *out) {
    if (f->overflow) return gpis_fail(context, GPIS_TOO_LARGE, "%s: its shape overflows 64 bits", path);
    if (f->dimensions < 1 || f->dimensions > 2)
        return gpis_fail(context, GPIS_BAD_SHAPE, "%s: has %d dimensions; 1 or 2 are needed", path, f->dimensions);
    out->dimensions = f->dimensions;
    out->rows = f->shape[0];
    out->cols = f->dimensions == 2 ? f->shape[1] : 1;
    out->order = f->fortran && f->dimensions == 2 ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR;
    if (out->rows == 0 || out->cols == 0)
        return gpis_fail(context, GPIS_BAD_SHAPE, "%s: holds an empty array, %" PRId64 " x %" PRId64, path, out->rows,
                         out->cols);
    int64_t cells, bytes;
    if (!gpis_checked_mul(out->rows, out->cols, &cells) || !gpis_checked_mul(cells, sizeof(double), &bytes))
        return gpis_fail(context, GPIS_TOO_LARGE, "%s: its shape, %" PRId64 " x %" PRId64 ", overflows 64 bits", path,
                         out->rows, out->cols);
    bytes = cells * out->stored.width;
    if (bytes > size - out->offset)
        return gpis_fail(context, GPIS_BAD_DATA,
                         "%s: its header promises %" PRId64 " x %" PRId64 " numbers ('%s'), %" PRId64
                         " bytes, but the file has %" PRId64 " bytes of them; was it cut short?",
                         path, out->rows, out->cols, f->descr, bytes, size - out->offset);
    return GPIS_OK;
}

static gpis_status not_npy(gpis_context *context, const char *path, const char *why) {
    return gpis_fail(context, GPIS_BAD_DATA, "%s: is not a valid .npy file: %s", path, why);
}

gpis_status gpis_npy_parse(gpis_context *context, const char *path, const unsigned char *bytes, int64_t available,
                           int64_t size, gpis_npy_header *out) {
    if (available < MAGIC_BYTES || memcmp(bytes, magic, MAGIC_BYTES) != 0)
        return not_npy(context, path, "it does not begin with the .npy signature");
    if (available < PREFIX_MAX) return not_npy(context, path, "it ends inside the header");
    if (bytes[6] < 1 || bytes[6] > 3)
        return gpis_fail(context, GPIS_BAD_DATA, "%s: has version %d.%d of the .npy format; 1 to 3 are known", path,
                         bytes[6], bytes[7]);
    int64_t length = bytes[8] | (int64_t)bytes[9] << 8;
    if (bytes[6] > 1) length |= (int64_t)bytes[10] << 16 | (int64_t)bytes[11] << 24;
    const int64_t prefix = bytes[6] > 1 ? 12 : 10;
    if (prefix + length > size) return not_npy(context, path, "it ends inside the header");
    if (prefix + length > available) return not_npy(context, path, "its header is too long for a plain array");

    cursor c = {(const char *)bytes + prefix, (const char *)bytes + prefix + length};
    fields f = {.dimensions = 0};
    if (!read_dictionary(&c, &f))
        return not_npy(context, path, "its header must give descr, fortran_order and shape, and nothing else");
    *out = (gpis_npy_header){.offset = prefix + length};
    const gpis_status status = decide_type(context, path, &f, out);
    return status == GPIS_OK ? decide_shape(context, path, &f, size, out) : status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

int64_t gpis_npy_write_header(const char *type, int dimensions, const int64_t *shape,
                              char header[GPIS_NPY_WRITTEN_HEADER]) {
    char sizes[80] = "";
    int used = 0;
    for (int i = 0; i < dimensions; i++) {
        const char *behind = dimensions == 1 ? "," : i + 1 < dimensions ? ", " : "";
        used += snprintf(sizes + used, sizeof sizes - (size_t)used, "%" PRId64 "%s", shape[i], behind);
    }
    const int text = snprintf(header, GPIS_NPY_WRITTEN_HEADER,
                              "%s%c%c%c%c{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }", magic, 1, 0, 0, 0,
                              type[1] == '1' ? '|' : HOST_ORDER, type, sizes);
    /* The numbers begin at a multiple of 64 bytes; the header ends in a newline. */
    const int total = (text + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(header + text, ' ', (size_t)(total - text));
    header[total - 1] = '\n';
    header[8] = (char)((total - 10) & 0xff);
    header[9] = (char)((total - 10) >> 8);
    return total;
}

gpis_status gpis_npy_write(gpis_context *context, const char *path, const double *data, int64_t rows, int64_t cols,
                           int dimensions) {
    int64_t bytes;
    if (dimensions < 1 || dimensions > 2 || (dimensions == 1 && cols != 1))
        return gpis_fail(context, GPIS_BAD_SHAPE,
                         "%s: a vector has 1 dimension and 1 column, a matrix has 2 dimensions", path);
    if (!gpis_checked_mul(rows, cols, &bytes) || !gpis_checked_mul(bytes, sizeof *data, &bytes))
        return gpis_fail(context, GPIS_TOO_LARGE, "%s: cannot hold %" PRId64 " x %" PRId64 " numbers", path, rows,
                         cols);
    char header[GPIS_NPY_WRITTEN_HEADER];
    const int64_t shape[] = {rows, cols};
    const int64_t size = gpis_npy_write_header("f8", dimensions, shape, header);
    const gpis_file_part parts[] = {{header, size}, {data, bytes}};
    return gpis_file_replace(context, path, parts, 2);
}
