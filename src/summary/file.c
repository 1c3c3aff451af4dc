/*
 * Summaries in files: .npz archives that numpy reads (base/npz.h), with the members
 *
 *     gpis_summary.npy    whole numbers: the fields of `head` below
 *     rows.npy            rows of each fold
 *     gamma.npy           the bound on the rounding errors of each fold
 *     response_error.npy  ||Y - Y*||, for the Y* that is meant, of each fold
 *     columns.npy, responses.npy, encoding.npy
 *                         bytes: names, each with a NUL behind it, and the text of gpis_encoding_text; or nothing
 *     fold0.npy, ...      2 x p x p: the sums of [A 1 Y]'[A 1 Y], p = d + 1 + k, high parts and low parts
 *
 * The first member decides what the others are; nothing in it is believed before it fits the size of the file.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/npz.h"
#include "source/encoding.h"
#include "summary/summary.h"

enum { VERSION = 1, MEMBERS = 7 }; /* besides those of the folds */

/* The whole numbers of the first member. */
enum head {
    HEAD_VERSION,
    HEAD_COLUMNS,
    HEAD_RESPONSES,
    HEAD_FOLDS,
    HEAD_WEIGHTED,
    HEAD_OFFSET,
    HEAD_GIVEN_FOLDS,
    HEAD_SEED,
    HEAD_COLUMNS_BYTES,
    HEAD_RESPONSES_BYTES,
    HEAD_ENCODING_BYTES,
    HEAD_RESERVED,
    HEAD_SIZE
};

/* A summary as it is in a file. */
typedef struct image {
    int64_t head[HEAD_SIZE];
    gpis_npz npz;
    double *gamma, *response_error;       /* owned: of each fold */
    char *columns, *responses, *encoding; /* owned: the bytes of these members */
} image;

static const char *const FIRST = "gpis_summary.npy";

static void clear(gpis_context *context, image *f) {
    gpis_npz_end(&f->npz);
    gpis_free(context, f->gamma);
    gpis_free(context, f->response_error);
    gpis_free(context, f->columns);
    gpis_free(context, f->responses);
    gpis_free(context, f->encoding);
}

/* Bytes of `count` names as they are in memory, one behind the other. */
static int64_t bytes_of_names(char *const *names, int64_t count) {
    int64_t bytes = 0;
    for (int64_t j = 0; names && j < count; j++) bytes += (int64_t)strlen(names[j]) + 1;
    return bytes;
}

/* Space for the numbers and bytes that are not in the summary as the file has them. */
static gpis_status reserve(gpis_context *context, image *f) {
    const int64_t folds = f->head[HEAD_FOLDS];
    f->gamma = gpis_alloc(context, folds, sizeof *f->gamma);
    f->response_error = gpis_alloc(context, folds, sizeof *f->response_error);
    f->columns = gpis_alloc(context, gpis_max64(1, f->head[HEAD_COLUMNS_BYTES]), 1);
    f->responses = gpis_alloc(context, gpis_max64(1, f->head[HEAD_RESPONSES_BYTES]), 1);
    f->encoding = gpis_alloc(context, f->head[HEAD_ENCODING_BYTES] + 1, 1); /* with a NUL behind it */
    const bool all = f->gamma && f->response_error && f->columns && f->responses && f->encoding;
    return all ? GPIS_OK : GPIS_NO_MEMORY;
}

/* The members. Without a summary only their sizes are known. False if these overflow. */
static bool list_members(image *f, gpis_summary *s) {
    const int64_t *head = f->head, folds = head[HEAD_FOLDS], p = head[HEAD_COLUMNS] + 1 + head[HEAD_RESPONSES];
    const int64_t size = HEAD_SIZE, square[] = {2, p, p};
    gpis_npz *z = &f->npz;
    bool fits = gpis_npz_add(z, FIRST, "i8", 1, &size, f->head) &&
                gpis_npz_add(z, "rows.npy", "i8", 1, &folds, s ? s->rows : NULL) &&
                gpis_npz_add(z, "gamma.npy", "f8", 1, &folds, f->gamma) &&
                gpis_npz_add(z, "response_error.npy", "f8", 1, &folds, f->response_error) &&
                gpis_npz_add(z, "columns.npy", "u1", 1, &head[HEAD_COLUMNS_BYTES], f->columns) &&
                gpis_npz_add(z, "responses.npy", "u1", 1, &head[HEAD_RESPONSES_BYTES], f->responses) &&
                gpis_npz_add(z, "encoding.npy", "u1", 1, &head[HEAD_ENCODING_BYTES], f->encoding);
    for (int64_t i = 0; fits && i < folds; i++) {
        char name[GPIS_NPZ_NAME];
        snprintf(name, sizeof name, "fold%u.npy", (unsigned)i & 0xffffu);
        fits = gpis_npz_add(z, name, "f8", 3, square, s ? s->fold[i]->W : NULL);
    }
    return fits;
}

/* ---- writing ---- */

static void describe(const gpis_summary *s, image *f) {
    const gpis_encoding *encoding = s->A->encoding;
    const int64_t head[HEAD_SIZE] = {
        [HEAD_VERSION] = VERSION,
        [HEAD_COLUMNS] = s->d,
        [HEAD_RESPONSES] = s->k,
        [HEAD_FOLDS] = s->folds,
        [HEAD_WEIGHTED] = s->weighted,
        [HEAD_OFFSET] = s->offset,
        [HEAD_GIVEN_FOLDS] = s->given_folds,
        [HEAD_SEED] = (int64_t)s->seed,
        [HEAD_COLUMNS_BYTES] = bytes_of_names(s->A->columns, s->d),
        [HEAD_RESPONSES_BYTES] = bytes_of_names(s->responses, s->k),
        [HEAD_ENCODING_BYTES] = encoding ? (int64_t)gpis_encoding_text(encoding, NULL, 0) : 0,
    };
    memcpy(f->head, head, sizeof head);
}

static void fill(const gpis_summary *s, image *f) {
    for (int64_t i = 0; i < s->folds; i++) {
        f->gamma[i] = s->fold[i]->gamma;
        f->response_error[i] = s->fold[i]->response_error;
    }
    if (s->A->columns) memcpy(f->columns, s->A->columns[0], (size_t)f->head[HEAD_COLUMNS_BYTES]);
    if (s->responses) memcpy(f->responses, s->responses[0], (size_t)f->head[HEAD_RESPONSES_BYTES]);
    if (s->A->encoding) gpis_encoding_text(s->A->encoding, f->encoding, (size_t)f->head[HEAD_ENCODING_BYTES] + 1);
}

gpis_status gpis_summary_save(const gpis_summary *s, const char *path) {
    if (!s) return GPIS_BAD_ARGUMENT;
    gpis_context *context = s->context;
    if (!path) return gpis_fail(context, GPIS_BAD_ARGUMENT, "the file of a summary needs a name");
    image f = {0};
    describe(s, &f);
    gpis_status status = gpis_npz_begin(context, MEMBERS + s->folds, &f.npz);
    if (status == GPIS_OK) status = reserve(context, &f);
    if (status == GPIS_OK) {
        fill(s, &f);
        if (!list_members(&f, (gpis_summary *)s)) /* nothing of it is changed */
            status = gpis_fail(context, GPIS_TOO_LARGE, "%s: the summary is too large for a file", path);
    }
    if (status == GPIS_OK) status = gpis_npz_write(&f.npz, path);
    clear(context, &f);
    return status;
}

/* ---- reading ---- */

static gpis_status refuse(gpis_context *context, const char *path, const char *why) {
    return gpis_fail(context, GPIS_BAD_DATA, "%s: is not a valid summary: %s", path, why);
}

/* The head with plausible numbers, read by itself, since the layout of the rest depends on it. */
static gpis_status read_head(gpis_context *context, const char *path, int fd, int64_t size, image *f) {
    const int64_t count = HEAD_SIZE;
    gpis_npz first;
    gpis_status status = gpis_npz_begin(context, 1, &first);
    if (status != GPIS_OK) return status;
    gpis_npz_add(&first, FIRST, "i8", 1, &count, f->head);
    if (size >= 0 && size < first.bytes)
        status = refuse(context, path, "it is too short");
    else
        status = gpis_npz_read(&first, 0, path, fd);
    gpis_npz_end(&first);
    return status;
}

static bool is_flag(int64_t number) { return number == 0 || number == 1; }

static gpis_status check_head(gpis_context *context, const char *path, const int64_t *head) {
    enum { MAX_COLUMNS = 1 << 24, MAX_TEXT = 1 << 30 };
    if (head[HEAD_VERSION] != VERSION)
        return gpis_fail(context, GPIS_BAD_DATA,
                         "%s: is a summary of version %" PRId64 "; this version of gpis reads version %d", path,
                         head[HEAD_VERSION], VERSION);
    const bool sizes = head[HEAD_COLUMNS] >= 1 && head[HEAD_COLUMNS] <= MAX_COLUMNS && head[HEAD_RESPONSES] >= 1 &&
                       head[HEAD_RESPONSES] <= MAX_COLUMNS && head[HEAD_FOLDS] >= 1 &&
                       head[HEAD_FOLDS] <= GPIS_MAX_FOLDS;
    const bool flags = is_flag(head[HEAD_WEIGHTED]) && is_flag(head[HEAD_OFFSET]) && is_flag(head[HEAD_GIVEN_FOLDS]) &&
                       head[HEAD_RESERVED] == 0;
    bool texts = true;
    for (int i = HEAD_COLUMNS_BYTES; i <= HEAD_ENCODING_BYTES; i++)
        texts = texts && head[i] >= 0 && head[i] <= MAX_TEXT;
    return sizes && flags && texts ? GPIS_OK : refuse(context, path, "its sizes are impossible");
}

/* The file is as long as its head says: only then is memory taken for what it promises. */
static gpis_status check_size(gpis_context *context, const char *path, int64_t size, image *f) {
    gpis_status status = gpis_npz_begin(context, MEMBERS + f->head[HEAD_FOLDS], &f->npz);
    if (status != GPIS_OK) return status;
    const int64_t wanted = list_members(f, NULL) ? gpis_npz_bytes(&f->npz) : INT64_MAX;
    gpis_npz_end(&f->npz);
    if (size < 0) return gpis_fail(context, GPIS_BAD_DATA, "%s: a summary is read from a file, not from a pipe", path);
    if (size == wanted) return GPIS_OK;
    return gpis_fail(context, GPIS_BAD_DATA,
                     "%s: is not a valid summary: it has %" PRId64 " bytes and should have %" PRId64
                     "; was it cut short?",
                     path, size, wanted);
}

static gpis_status read_members(gpis_context *context, const char *path, int fd, image *f, gpis_summary *s) {
    gpis_status status = gpis_npz_begin(context, MEMBERS + s->folds, &f->npz);
    if (status == GPIS_OK) status = reserve(context, f);
    if (status != GPIS_OK) return status;
    list_members(f, s);
    for (int64_t i = 0; status == GPIS_OK && i < f->npz.count; i++) status = gpis_npz_read(&f->npz, i, path, fd);
    return status == GPIS_OK ? gpis_npz_check_tail(&f->npz, path, fd) : status;
}

/* Names that end where the bytes end; none at all is fine, too. */
static gpis_status take_names(gpis_context *context, const char *path, const char *words, int64_t bytes, int64_t count,
                              char ***out) {
    int64_t ends = 0;
    for (int64_t i = 0; i < bytes; i++) ends += words[i] == '\0';
    if (bytes == 0) return GPIS_OK;
    if (ends != count || words[bytes - 1] != '\0') return refuse(context, path, "its names do not fit its columns");
    *out = gpis_source_names(context, words, bytes, count);
    return *out ? GPIS_OK : GPIS_NO_MEMORY;
}

static gpis_status take_encoding(const char *path, image *f, gpis_summary *s) {
    const int64_t bytes = f->head[HEAD_ENCODING_BYTES];
    if (bytes == 0) return GPIS_OK;
    f->encoding[bytes] = '\0';
    gpis_status status = memchr(f->encoding, '\0', (size_t)bytes)
                             ? GPIS_BAD_DATA
                             : gpis_encoding_parse(s->context, f->encoding, &s->A->encoding);
    if (status == GPIS_OK && gpis_encoding_width(s->A->encoding) != s->d) status = GPIS_BAD_DATA;
    return status == GPIS_OK || status == GPIS_NO_MEMORY
               ? status
               : refuse(s->context, path, "the encoding of its columns cannot be read");
}

/* Numbers that no rows have: damage that no checksum has shown. */
static gpis_status check_numbers(const char *path, const image *f, const gpis_summary *s) {
    static const double MAX_GAMMA = 1e-3;
    const int64_t size = s->d + 1 + s->k;
    int64_t rows = 0;
    bool possible = true;
    for (int64_t i = 0; possible && i < s->folds; i++) {
        const double gamma = f->gamma[i], error = f->response_error[i];
        possible = s->rows[i] >= 0 && gpis_checked_add(rows, s->rows[i], &rows) && gamma >= 0.0 && gamma < MAX_GAMMA &&
                   isfinite(error) && error >= 0.0 && gpis_quadratic_is_possible(s->fold[i]->W, size);
    }
    if (!possible || rows < 1) return refuse(s->context, path, "no rows have such sums");
    for (int64_t i = 0; i < s->folds; i++) {
        s->fold[i]->gamma = f->gamma[i];
        s->fold[i]->response_error = f->response_error[i];
    }
    return GPIS_OK;
}

static gpis_status load(gpis_context *context, const char *path, int fd, image *f, gpis_summary **out) {
    gpis_status status =
        gpis_summary_new(context, f->head[HEAD_COLUMNS], f->head[HEAD_RESPONSES], f->head[HEAD_FOLDS], out);
    if (status != GPIS_OK) return status;
    gpis_summary *s = *out;
    s->weighted = f->head[HEAD_WEIGHTED];
    s->offset = f->head[HEAD_OFFSET];
    s->given_folds = f->head[HEAD_GIVEN_FOLDS];
    s->seed = (uint64_t)f->head[HEAD_SEED];
    s->A->name = gpis_duplicate_text(context, path);
    if (!s->A->name) return GPIS_NO_MEMORY;
    status = read_members(context, path, fd, f, s);
    if (status == GPIS_OK) status = check_numbers(path, f, s);
    if (status == GPIS_OK)
        status = take_names(context, path, f->columns, f->head[HEAD_COLUMNS_BYTES], s->d, &s->A->columns);
    if (status == GPIS_OK)
        status = take_names(context, path, f->responses, f->head[HEAD_RESPONSES_BYTES], s->k, &s->responses);
    if (status == GPIS_OK) status = take_encoding(path, f, s);
    return status == GPIS_OK ? gpis_summary_complete(s) : status;
}

gpis_status gpis_summary_load(gpis_context *context, const char *path, gpis_summary **out) {
    if (!context || !path || !out)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "a summary is read from a file, with a place to put it");
    *out = NULL;
    int fd;
    int64_t size;
    image f = {0};
    gpis_summary *s = NULL;
    gpis_status status = gpis_file_open(context, path, &fd, &size);
    if (status != GPIS_OK) return status;
    if (!gpis_is_summary(path))
        status = refuse(context, path, "it does not begin as one");
    else
        status = read_head(context, path, fd, size, &f);
    if (status == GPIS_OK) status = check_head(context, path, f.head);
    if (status == GPIS_OK) status = check_size(context, path, size, &f);
    if (status == GPIS_OK) status = load(context, path, fd, &f, &s);
    close(fd);
    clear(context, &f);
    if (status == GPIS_OK)
        *out = s;
    else
        gpis_summary_destroy(s);
    return status;
}

/* By the signature of a zip archive and the name of its first member. A pipe is left alone: its writer would see it
 * closed before anything was read. */
int gpis_is_summary(const char *path) {
    enum { NAME_AT = 30 };
    char begin[NAME_AT + GPIS_NPZ_NAME];
    const size_t wanted = NAME_AT + strlen(FIRST);
    struct stat file;
    if (!path || stat(path, &file) != 0 || !S_ISREG(file.st_mode)) return 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return 0;
    const ssize_t got = pread(fd, begin, wanted, 0);
    close(fd);
    return got == (ssize_t)wanted && memcmp(begin, "PK\3\4", 4) == 0 &&
           memcmp(begin + NAME_AT, FIRST, strlen(FIRST)) == 0;
}
