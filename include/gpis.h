/*
 * gpis.h: large-scale constrained least squares with a certificate.
 *
 *     minimise  f(X) = ||Y - A X||_F^2   over X in a convex set K
 *
 * A is n x d, usually with many more rows than columns, Y is n x k (k responses) and X is d x k. Matrices are row-major
 * arrays of doubles unless a function says otherwise. With k > 1 a set constrains each column of X by itself, except
 * `nuclear`, which constrains X as a matrix.
 *
 * A program makes a context, a source (the rows of A) and a problem from it; gives the problem a response Y and a set;
 * solves it; reads the result; and destroys what it has made, the context last.
 *
 * Every function that can fail returns a gpis_status, and leaves one line of text in the context (gpis_last_error). The
 * library prints nothing and has no global state. A context, and everything made with it, is used by one thread at a
 * time; different contexts are independent. "Borrowed" means that the library keeps the pointer, or hands one out to
 * what it owns: nobody frees it twice, and it is valid for as long as its owner is there.
 *
 * How the interface grows. New fields are only ever added at the end of a struct, so that a program need not be
 * compiled again for a newer library. This is possible for the structs that the library makes (results, plans, paths,
 * and what is handed to progress functions), and for those that begin with their size: the caller fills gpis_settings,
 * gpis_open_options, gpis_machine, gpis_summary_options, gpis_path_options and gpis_bounds_problem; the library fills
 * gpis_encoding_info, gpis_encoding_column and gpis_summary_info. All other structs stay as they are for as long as the
 * name of the shared library stays the same.
 */
#ifndef GPIS_H
#define GPIS_H

#include <stddef.h>
#include <stdint.h>

#define GPIS_VERSION_MAJOR 0
#define GPIS_VERSION_MINOR 2
#define GPIS_VERSION_PATCH 0

#if defined(__GNUC__)
#define GPIS_API __attribute__((visibility("default")))
#else
#define GPIS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status ------------------------------------------------------------------------------------------------- */

/* One list makes the enum and the texts. */
#define GPIS_STATUS_LIST(ENTRY)                  \
    ENTRY(OK, "success")                         \
    ENTRY(BAD_ARGUMENT, "bad argument")          \
    ENTRY(BAD_DATA, "bad data")                  \
    ENTRY(BAD_SHAPE, "shapes do not match")      \
    ENTRY(BAD_SET, "bad constraint set")         \
    ENTRY(NOT_APPLICABLE, "not applicable here") \
    ENTRY(TOO_LARGE, "size too large")           \
    ENTRY(NO_MEMORY, "out of memory")            \
    ENTRY(IO, "file trouble")                    \
    ENTRY(INTERNAL, "internal error")            \
    ENTRY(STOPPED, "stopped as the caller asked")

typedef enum gpis_status {
#define GPIS_STATUS_ENUM(name, text) GPIS_##name,
    GPIS_STATUS_LIST(GPIS_STATUS_ENUM)
#undef GPIS_STATUS_ENUM
} gpis_status;

GPIS_API const char *gpis_status_text(gpis_status status);
GPIS_API const char *gpis_version(void);

/* ---- context: threads, memory, messages ---------------------------------------------------------------------- */

typedef struct gpis_context gpis_context;

/* Where memory comes from. `allocate` returns at least `bytes` bytes aligned to `alignment` (a power of two), or NULL.
 * Threads of the library call these functions too, but never two threads at once for one context. */
typedef struct gpis_allocator {
    void *(*allocate)(void *user, size_t alignment, size_t bytes);
    void (*release)(void *user, void *memory);
    void *user;
} gpis_allocator;

GPIS_API gpis_status gpis_context_create(gpis_context **out);
GPIS_API gpis_status gpis_context_create_with(const gpis_allocator *allocator, gpis_context **out);
/* Everything that was made with the context has to be destroyed before. NULL is fine. */
GPIS_API void gpis_context_destroy(gpis_context *context);

/* 0: as many as the machine offers. The answer has the same bits whatever the number. */
GPIS_API gpis_status gpis_context_set_threads(gpis_context *context, int threads);
GPIS_API int gpis_context_threads(const gpis_context *context);

/* Limits the memory of everything that is made with this context, in bytes: an allocation beyond the limit fails with
 * GPIS_NO_MEMORY. Rows of files that do not fit are then read window by window (gpis_source_open).
 *
 * 0, the default: the caller sets no limit. Then the free memory of the machine is the limit: a file or a solve that
 * needs more fails with GPIS_NO_MEMORY and says how much it needs, instead of taking memory until the system ends the
 * program. This limit only refuses; it never changes how a problem is solved. It does not apply to a context with an
 * allocator of the caller's, which decides for itself. */
GPIS_API gpis_status gpis_context_set_memory(gpis_context *context, int64_t bytes);
GPIS_API int64_t gpis_context_memory_peak(const gpis_context *context); /* the most bytes in use at one time so far */

/* The text of the last failure of a call that used this context; "" if none. Valid until the next call.
 *
 * Where a message speaks of an option (see "options" below) it says "option NAME", as in "raise the limit (option
 * memory)", so that a program can put its own way to set that option in the place of these words. */
GPIS_API const char *gpis_last_error(const gpis_context *context);

/* Makes a text safe to show on a terminal, in place, and returns it. Control characters (escape sequences, line ends,
 * U+0080 to U+009F), characters that change the direction of the text or end a line, and what is not UTF-8 become '?',
 * one for each byte. The messages and warnings of this library are safe already. Names of columns, files and data sets
 * are not: they are handed out as the files have them. */
GPIS_API char *gpis_make_printable(char *text);

/* ---- arrays in files ----------------------------------------------------------------------------------------- */

/* A small matrix held in memory as row-major doubles; `dimensions` is 1 for a plain vector (then cols is 1). */
typedef struct gpis_array {
    double *data; /* owned: gpis_array_clear */
    int64_t rows, cols;
    int dimensions;
} gpis_array;

/* Reads .npy, text (.csv, .tsv, .txt, .data, gzipped or not) or a data set of an HDF5 file (FILE.h5:/path). An entry
 * that is not finite is refused, with its row and column in the message. */
GPIS_API gpis_status gpis_array_read(gpis_context *context, const char *path, gpis_array *out);
struct gpis_open_options;
/* The same with format, delimiter, header and progress as in `options`, of which the rest is ignored. */
GPIS_API gpis_status gpis_array_read_with(gpis_context *context, const char *path,
                                          const struct gpis_open_options *options, gpis_array *out);
/* Writes a .npy file of float64 under another name and then renames it, so that the file is whole or not there. With 1
 * dimension cols is 1. */
GPIS_API gpis_status gpis_array_write(gpis_context *context, const char *path, const double *data, int64_t rows,
                                      int64_t cols, int dimensions);
/* An array of zeros to fill. */
GPIS_API gpis_status gpis_array_create(gpis_context *context, int64_t rows, int64_t cols, int dimensions,
                                       gpis_array *out);
GPIS_API void gpis_array_clear(gpis_context *context, gpis_array *array);

/* ---- source: where the rows of A come from ------------------------------------------------------------------- */

typedef struct gpis_source gpis_source;

typedef enum gpis_type { GPIS_FLOAT64, GPIS_FLOAT32 } gpis_type;
typedef enum gpis_order { GPIS_ROW_MAJOR, GPIS_COLUMN_MAJOR } gpis_order;

/* Element (i, j) is data[i * ld + j] (row-major, ld >= d) or data[i + j * ld] (column-major, ld >= n). Borrowed. */
GPIS_API gpis_status gpis_source_dense(gpis_context *context, const void *data, gpis_type type, gpis_order order,
                                       int64_t n, int64_t d, int64_t ld, gpis_source **out);

/* Compressed rows: row i holds values[p], column indices[p], for p in [indptr[i], indptr[i+1]), with strictly
 * increasing columns. Checked here, then borrowed. */
GPIS_API gpis_status gpis_source_csr(gpis_context *context, int64_t n, int64_t d, const int64_t *indptr,
                                     const int32_t *indices, const void *values, gpis_type type, gpis_source **out);

/* Makes rows on demand: writes rows row0 .. row0 + nrows - 1 to `rows` (nrows x d, row-major) and returns 0, or
 * non-zero if it has failed. It must make the same rows at every pass. Threads of the library call it while others work
 * on earlier rows; one thread at a time, unless `concurrent` is non-zero. */
typedef int (*gpis_rows_fn)(void *user, int64_t row0, int64_t nrows, double *rows);
GPIS_API gpis_status gpis_source_callback(gpis_context *context, int64_t n, int64_t d, gpis_rows_fn rows, void *user,
                                          int concurrent, gpis_source **out);

/* Opens .npy, .csv, .tsv, .txt, .data, .mtx, .svm, .libsvm (text may be gzipped: .csv.gz, ...), and FILE.h5:/path, a
 * data set or a group of compressed rows in an HDF5 file (FILE.h5 alone if it holds only one). "/dev/stdin" is standard
 * input. It needs a `format` (below), and so does every other name that ends differently. `target` names the column of
 * a table that holds y, by its name in the header or by its number, from 1; NULL: none. */
GPIS_API gpis_status gpis_source_open(gpis_context *context, const char *path, const char *target, gpis_source **out);

/* How far the reading of a text file has come. */
typedef struct gpis_open_progress {
    const char *path;    /* as it was given */
    int64_t done, bytes; /* bytes read so far and the size of the file on disk; bytes is 0 if it is unknown (a pipe) */
    double seconds;      /* since it was opened */
    const char *cache;   /* the cache of the file that has just been written; NULL: none, or not yet */
    int64_t cache_bytes; /* its size */
} gpis_open_progress;

/* Called about ten times a second while text is read, and once when a cache has been written. If it returns non-zero,
 * reading ends, and the call that opens the file fails with GPIS_STOPPED. */
typedef int (*gpis_open_progress_fn)(void *user, const gpis_open_progress *progress);

/* What happens to a row of a table in which a field is missing. Missing fields are empty, NA, N/A, NaN, null or ?. */
typedef enum gpis_missing {
    GPIS_MISSING_ERROR, /* the table is refused, with line and column */
    GPIS_MISSING_DROP,  /* the row is left out */
    GPIS_MISSING_MEAN   /* the field becomes the mean of its column; a row without y, weight or offset is left out */
} gpis_missing;

/* Whether the first line of a table is a header. */
typedef enum gpis_header {
    GPIS_HEADER_AUTO, /* it is one if it has text where the lines after it have numbers, or nothing but text */
    GPIS_HEADER_YES,
    GPIS_HEADER_NO
} gpis_header;

typedef struct gpis_encoding gpis_encoding; /* how the columns of a table become numbers; see below */

/* How to open a file: begin with gpis_open_options_default and set what differs. The fields from `delimiter` on are for
 * tables, that is .csv, .tsv, .txt and .data. A LIST has items between commas: names of columns, numbers from 1, ranges
 * 3-7, patterns price*. */
typedef struct gpis_open_options {
    size_t size;        /* of this struct in the caller's program; set by gpis_open_options_init */
    const char *target; /* as above */
    int64_t memory;     /* bytes for A, y and the solve together; 0: the limit of the context, if it has one */
    const char *cache;  /* folder for the caches of text files; NULL: a cache is made only for a file that does not fit
                           in memory, beside the file */
    const char *format; /* "npy", "csv", "tsv", "txt", "mtx", "svm", ...; NULL: what the ending of the path says */
    gpis_open_progress_fn progress; /* NULL: progress is not reported */
    void *progress_user;
    const char *delimiter;   /* "," ";" "|" "tab" "space" or another character; NULL: what the first lines show */
    const char *columns;     /* LIST of the columns that A has, in this order; NULL: all but the target */
    const char *exclude;     /* LIST of columns that are left out; NULL: none */
    const char *categorical; /* LIST of columns of text: each level but the first becomes a column of 0 and 1. Levels
                                are in the order of their first appearance, or as listed: NAME=a|b|c. NULL: none */
    gpis_missing missing;
    gpis_header header;
    const gpis_encoding *encoding; /* borrowed: treat this table as another one was treated, and ignore `columns`,
                                      `exclude`, `categorical` and `missing`. NULL: as the options say */
    /* The columns that hold the weights of the rows and the offset of y, named as `target` is. They are taken out of A.
     * A text that names no column is ignored, since it may be the name of a file: gpis_source_weights and
     * gpis_source_offset tell whether there is such a column. NULL: none. */
    const char *weights, *offset;
} gpis_open_options;
/* Fills the struct, which has `size` bytes, with the defaults, as gpis_settings_init does below. */
GPIS_API gpis_status gpis_open_options_init(gpis_open_options *options, size_t size);
static inline gpis_open_options gpis_open_options_default(void) {
    gpis_open_options options;
    gpis_open_options_init(&options, sizeof options);
    return options;
}
/* A file that takes at most half of the memory allowed or, without a limit, half of that of the machine, is mapped or
 * held in memory. Of a larger file each pass reads the rows again, a window at a time. (.mtx files are always held.) */
GPIS_API gpis_status gpis_source_open_with(gpis_context *context, const char *path, const gpis_open_options *options,
                                           gpis_source **out);
GPIS_API void gpis_source_destroy(gpis_source *source);

/* One of the things that an HDF5 file holds. The texts are valid during the call only. */
enum { GPIS_CONTENT_DIMENSIONS = 8 };
typedef struct gpis_content {
    const char *path;    /* inside the file: "/A" */
    const char *kind;    /* "data set", or "csr": a group of data, indices and indptr */
    const char *type;    /* "float64", "int32", "text", ... */
    const char *filters; /* what its chunks went through, "shuffle, gzip"; "" for nothing */
    int numbers;         /* non-zero: floats or integers */
    int dimensions;      /* may be 0, and -1 where it holds nothing; if more than 8, only the first are reported */
    int64_t shape[GPIS_CONTENT_DIMENSIONS];
    int64_t chunk[GPIS_CONTENT_DIMENSIONS]; /* shape of its chunks, csr: length of those of data; 0: no chunks */
    int64_t nonzeros;                       /* csr: stored entries */
} gpis_content;
typedef void (*gpis_content_fn)(void *user, const gpis_content *content);
/* Calls `report` for each thing in an HDF5 file; GPIS_NOT_APPLICABLE for other files and for FILE.h5:/path. `report`
 * must not read HDF5 files by this library: it would wait for itself. */
GPIS_API gpis_status gpis_file_contents(gpis_context *context, const char *path, gpis_content_fn report, void *user);

typedef struct gpis_source_info {
    int64_t rows, cols;
    int64_t nonzeros; /* stored entries: rows * cols when dense */
    gpis_type type;
    const char *kind;   /* "dense", "csr", "npy", "csv", "mtx", "libsvm", "hdf5", "callback" */
    const char *layout; /* "row-major", "column-major", "compressed rows", "rows on demand" */
    int64_t bytes;      /* what one pass reads; 0 for rows on demand */
    int resident;       /* non-zero: A lies in memory or is mapped there; zero: rows are read or made at each pass */
    int dimensions;     /* 1 where the file holds a plain vector */
    /* Why the cache that was asked for could not be written; NULL: it was written, or none was asked for. The rows are
     * complete all the same: they are held in memory. Borrowed from the source. */
    const char *cache_trouble;
} gpis_source_info;

GPIS_API void gpis_source_describe(const gpis_source *source, gpis_source_info *info);
/* The y that the file itself holds, n x k, row-major: the labels of a LIBSVM file, or the column of a table that was
 * named as the target. NULL: there is none. Borrowed. */
GPIS_API const double *gpis_source_target(const gpis_source *source, int64_t *k);
/* The columns of a table that were named as the weights and as the offset: a number for each row of this rank, as
 * gpis_problem_weights and gpis_problem_offset take them. NULL: the table has no such column. Borrowed. */
GPIS_API const double *gpis_source_weights(const gpis_source *source);
GPIS_API const double *gpis_source_offset(const gpis_source *source);
/* Gives the d columns other names, which are copied. Specs, messages and results use them. */
GPIS_API gpis_status gpis_source_name_columns(gpis_source *source, const char *const *names, int64_t d);
/* The header name of column j (counted from 0), or NULL where there is none. Borrowed. */
GPIS_API const char *gpis_source_column(const gpis_source *source, int64_t j);

/* An encoding is all that it takes to make the same columns of A from another table: which columns are used, the levels
 * of each categorical one, and the means that took the place of missing fields. The encoding of a source that was
 * opened from a table, borrowed from it; NULL for other sources. */
GPIS_API const gpis_encoding *gpis_source_encoding(const gpis_source *source);
typedef struct gpis_encoding_info {
    size_t size;     /* of this struct in the caller's program, which sets it */
    int64_t columns; /* columns of the table that became columns of A */
    int64_t rows;    /* rows of A */
    int64_t dropped; /* rows that were left out because a field was missing */
    int64_t filled;  /* fields that were missing and became the mean of their column */
    gpis_missing missing;
} gpis_encoding_info;
/* GPIS_BAD_ARGUMENT for an impossible size. */
GPIS_API gpis_status gpis_encoding_describe(const gpis_encoding *encoding, gpis_encoding_info *info);
typedef struct gpis_encoding_column {
    size_t size;      /* of this struct in the caller's program, which sets it */
    const char *name; /* NULL: the table has no header */
    int64_t number;   /* in the table, from 1 */
    int64_t first;    /* the first column of A that it became, from 0 */
    int64_t levels;   /* 0: it is a column of numbers. Otherwise levels - 1 columns of A are made of it */
    int64_t filled;   /* fields that were missing and became the mean */
    double mean;      /* of a column of numbers, if missing fields become means; otherwise 0 */
} gpis_encoding_column;
/* Column j of those that are used, from 0. GPIS_BAD_ARGUMENT if there is none, or for an impossible size. */
GPIS_API gpis_status gpis_encoding_column_at(const gpis_encoding *encoding, int64_t j, gpis_encoding_column *column);
/* Level `level` of column j. Level 0 is the reference: rows that have it are 0 in all columns of A that column j
 * became. NULL where there is none. Borrowed. */
GPIS_API const char *gpis_encoding_level(const gpis_encoding *encoding, int64_t j, int64_t level);
/* One encoding for several tables that are parts of one: levels in the order of their first appearance in the parts,
 * and means over all rows. The parts must have been opened with the same options. Then each of them is opened again
 * with the result. */
GPIS_API gpis_status gpis_encoding_merge(gpis_context *context, const gpis_encoding *const *parts, int64_t count,
                                         gpis_encoding **out);
/* The encoding as text: several lines of UTF-8 without control characters, from which gpis_encoding_parse makes an
 * equal one. Returns the length of the text. `text`, which may be NULL, receives as much of it as fits into `size`
 * bytes with a NUL. */
GPIS_API size_t gpis_encoding_text(const gpis_encoding *encoding, char *text, size_t size);
GPIS_API gpis_status gpis_encoding_parse(gpis_context *context, const char *text, gpis_encoding **out);
GPIS_API void gpis_encoding_destroy(gpis_encoding *encoding); /* NULL is fine; only for those made by merge and parse */

/* Writes rows row0 .. row0 + nrows - 1 as doubles to `out`, nrows x d, row-major. An entry that is not finite is
 * refused, with its row and column in the message. */
GPIS_API gpis_status gpis_source_rows(gpis_context *context, gpis_source *source, int64_t row0, int64_t nrows,
                                      double *out);
/* Makes a source of rows row0 .. row0 + nrows - 1 of another one, with their target, weights and offset. The whole is
 * borrowed. */
GPIS_API gpis_status gpis_source_slice(gpis_context *context, gpis_source *whole, int64_t row0, int64_t nrows,
                                       gpis_source **out);

/* ---- rows in several parts, and on several machines ----------------------------------------------------------- */

/* This process as one of several (ranks), each of which holds some rows of A, and how it talks to the others. Where one
 * of the functions returns non-zero, the call of the library that needed it fails. */
typedef struct gpis_ranks {
    int rank, ranks; /* the number of this rank, from 0; how many there are */
    int neighbours;  /* ranks that share a machine; 0: all of them do */
    /* Adds values[i] up over all ranks, in place. All ranks call it with the same count and get the same bits. */
    int (*reduce_sum)(void *user, double *values, int64_t count);
    /* Optional, both or none: sends numbers to another rank, receives them from it. Without them reduce_sum is used. */
    int (*send)(void *user, int to, const double *values, int64_t count);
    int (*receive)(void *user, int from, double *values, int64_t count);
    void *user;
} gpis_ranks;

/* Makes an A whose rows are those of all parts, one after the other: the parts of rank 0, then those of rank 1, and so
 * on. The parts are borrowed. ranks NULL: all parts are here. A rank may have no part (count 0). One that could not
 * open its parts says so by count = -status: then all ranks fail with its status and the text of its last failure.
 *
 * On several ranks, all of them together make the call that makes this source, gpis_problem_create, and the calls that
 * read the rows: gpis_solve, gpis_check, gpis_evaluate, gpis_gram, gpis_sketch_rows, gpis_summary_make, gpis_path_make,
 * gpis_cv_make and gpis_ranges_make. Each rank gives its problem its own rows of Y, of the weights and of the offset;
 * of everything else, what rank 0 has given counts. The method runs on rank 0, while the other ranks serve it their
 * rows. All ranks return the same status and text. gpis_evaluate, gpis_gram and gpis_sketch_rows give their output to
 * rank 0 only, the others to all ranks. No other function talks to other ranks: a rank that fails to give its problem a
 * response or a set still makes the call that follows, and then all ranks fail together. */
GPIS_API gpis_status gpis_source_join(gpis_context *context, gpis_source *const *parts, int64_t count,
                                      const gpis_ranks *ranks, gpis_source **out);
/* Where the share of a rank begins when `rows` rows are shared out evenly: at a multiple of 1024, so that all sketches
 * have the same bits on any number of ranks. The share of rank r ends where that of rank r + 1 begins. */
GPIS_API int64_t gpis_share_begin(int64_t rows, int rank, int ranks);

/* Reads all rows once: GPIS_BAD_DATA, with row and column in the message, if an entry is NaN or infinite. */
GPIS_API gpis_status gpis_source_audit(gpis_context *context, gpis_source *source);

/* ---- set: the constraint ------------------------------------------------------------------------------------- */

typedef struct gpis_set gpis_set;

/* A set is made from a text or, by the functions below, from numbers and arrays in memory, which are copied. The
 * context, and other sets that it is made of, are borrowed: they are destroyed after it.
 *
 * What a set contains does not change, but it has scratch memory of its own. So functions that compute with it take a
 * gpis_set * that is not const, and neither a set nor two problems that hold the same set are used by two threads at
 * once. */

struct gpis_problem;
/* Parses a spec such as "l1:3.5", "l1:2@dct" or "simplex:1[w*] & box:,0.1[w*] & nonneg[age]" for the columns of the
 * problem's A, with their names, and for as many responses as the problem has (1 if it has none yet). The set owns
 * what it is made of. docs/howto/constraints.md has the grammar. */
GPIS_API gpis_status gpis_set_parse(gpis_context *context, const char *spec, const struct gpis_problem *problem,
                                    gpis_set **out);
/* How specs of kind number `index`, from 0, are written: "l1:R or l1:R,WEIGHTS.npy". NULL: there are no more kinds. */
GPIS_API const char *gpis_set_usage(int64_t index);
/* The set of all x that satisfy `count` linear constraints: "tv + radio <= 0.5", "2 x2 - x1 >= 0",
 * "0.1 <= price <= 0.4", "sum(w*) = 1". */
GPIS_API gpis_status gpis_set_parse_linear(gpis_context *context, const char *const *texts, int64_t count,
                                           const struct gpis_problem *problem, gpis_set **out);
/* Bounds from a table in text, a line for each column: its name, the lower and the upper bound. An empty field is no
 * bound, and a column without a line has none. The first line may be a header. */
GPIS_API gpis_status gpis_set_read_bounds(gpis_context *context, const char *path, const struct gpis_problem *problem,
                                          gpis_set **out);
GPIS_API void gpis_set_destroy(gpis_set *set); /* NULL is fine */
/* The text of the set, which parses back to the same set. A set from memory that no spec can describe has a text that
 * only names it: '#' and a checksum stand for an array, [1-3] for a block of columns, custom:NAME for a set of the
 * caller's own. */
GPIS_API const char *gpis_set_spec(const gpis_set *set);

/* Sets of x with d entries; gpis_set_responses makes one for several responses, of which each column is in the set. R
 * is finite and >= 0. */
GPIS_API gpis_status gpis_set_none(gpis_context *context, int64_t d, gpis_set **out);   /* every x */
GPIS_API gpis_status gpis_set_nonneg(gpis_context *context, int64_t d, gpis_set **out); /* x >= 0 */
/* lower_i <= x_i <= upper_i. Bounds may be infinite; NULL: no entry has a bound on that side. */
GPIS_API gpis_status gpis_set_box(gpis_context *context, const double *lower, const double *upper, int64_t d,
                                  gpis_set **out);
GPIS_API gpis_status gpis_set_l1(gpis_context *context, double R, int64_t d, gpis_set **out);      /* sum |x_i| <= R */
GPIS_API gpis_status gpis_set_l2(gpis_context *context, double R, int64_t d, gpis_set **out);      /* ||x||_2 <= R */
GPIS_API gpis_status gpis_set_linf(gpis_context *context, double R, int64_t d, gpis_set **out);    /* |x_i| <= R */
GPIS_API gpis_status gpis_set_simplex(gpis_context *context, double R, int64_t d, gpis_set **out); /* x >= 0, sum R */
/* x >= 0 with a sum of at most R. */
GPIS_API gpis_status gpis_set_capped_simplex(gpis_context *context, double R, int64_t d, gpis_set **out);
/* The 2-norms of the blocks of `size` consecutive entries add up to at most R; size divides d. */
GPIS_API gpis_status gpis_set_group(gpis_context *context, double R, int64_t size, int64_t d, gpis_set **out);
GPIS_API gpis_status gpis_set_monotone(gpis_context *context, int64_t d, gpis_set **out); /* x_1 <= x_2 <= ... */
/* The jumps |x_(i+1) - x_i| add up to at most R. */
GPIS_API gpis_status gpis_set_tv(gpis_context *context, double R, int64_t d, gpis_set **out);
/* C x = b for C of rows x d, row-major. Rows may depend on each other; where they contradict each other the message
 * names one. */
GPIS_API gpis_status gpis_set_affine(gpis_context *context, const double *C, const double *b, int64_t rows, int64_t d,
                                     gpis_set **out);
/* The sizes |x_i|, each times a weight >= 0, add up to at most R; an entry of weight 0 is exempt. */
GPIS_API gpis_status gpis_set_l1_weighted(gpis_context *context, double R, const double *weights, int64_t d,
                                          gpis_set **out);
/* The entries add up to a number from lower to upper, which may be infinite. */
GPIS_API gpis_status gpis_set_sum(gpis_context *context, double lower, double upper, int64_t d, gpis_set **out);
/* lower_i <= (C x)_i <= upper_i for C of rows x d, row-major. Limits may be infinite; NULL: no row has one on that
 * side. names[i] is what messages and results call row i, such as "tv + radio <= 0.5"; NULL, or a NULL in it: the row
 * is written out. Rows may depend on each other; where they contradict each other the message names them. */
GPIS_API gpis_status gpis_set_linear(gpis_context *context, const double *C, const double *lower, const double *upper,
                                     int64_t rows, int64_t d, const char *const *names, gpis_set **out);
/* As gpis_set_group, for groups of any sizes: group[i] is the number of the group that entry i is in. */
GPIS_API gpis_status gpis_set_group_by(gpis_context *context, double R, const int64_t *group, int64_t d,
                                       gpis_set **out);
/* The singular values of X, d x k, add up to at most R. */
GPIS_API gpis_status gpis_set_nuclear(gpis_context *context, double R, int64_t d, int64_t k, gpis_set **out);

/* The x for which U x is in `base`: U is d x d, row-major, and orthogonal to 1e-12; or the orthonormal DCT-II. The base
 * is borrowed and must not work on X as a matrix. */
GPIS_API gpis_status gpis_set_transform(gpis_context *context, gpis_set *base, const double *U, gpis_set **out);
GPIS_API gpis_status gpis_set_dct(gpis_context *context, gpis_set *base, gpis_set **out);

/* A product: entries columns[b][0], columns[b][1], ... of x, in this order, are in sets[b], for each block b of
 * `count`. Block b has as many columns as its set has entries; columns are counted from 0, and each of the d is in one
 * block. The sets are borrowed. */
GPIS_API gpis_status gpis_set_blocks(gpis_context *context, int64_t d, int64_t count, const int64_t *const *columns,
                                     gpis_set *const *sets, gpis_set **out);

/* An intersection: x is in each of the `count` sets, which are borrowed. Constraints that contradict each other are
 * refused with a message that names them. The entries are called what they are called in these sets. */
GPIS_API gpis_status gpis_set_intersection(gpis_context *context, int64_t count, gpis_set *const *sets, gpis_set **out);

/* Gives names to the d entries, for messages and results; the names are copied. NULL: the entry has no name. */
GPIS_API gpis_status gpis_set_name_columns(gpis_set *set, const char *const *names, int64_t d);
/* What the caller should know about the constraints, such as one that always holds; "" if nothing. */
GPIS_API const char *gpis_set_warning(const gpis_set *set);

/* Makes the set one for X of d x k, each column of which is in it. Sets are made for k = 1. The base of a transform
 * changes, too. A set that constrains X as a matrix (nuclear, a set of the caller's own that says so, a product that
 * holds one of them) has its k from the start and takes no other. */
GPIS_API gpis_status gpis_set_responses(gpis_set *set, int64_t k);

/* A function of a set of the caller's own: computes x, which is another array, from v. It returns 0, or non-zero if it
 * has failed; then the call that needed it fails. */
typedef int (*gpis_map_fn)(void *user, const double *v, double *x);
/* A closed convex set K of the caller's own. The functions take one column of X, of d entries, or, if `matrix` is
 * non-zero, X as a whole, d x k, row-major. They compute to working accuracy. The thread that solves calls them, never
 * two threads at once.
 *
 * The projection is enough to solve. A certificate needs more: K = B + C, with a bounded core B and the cone C of the
 * directions in which K is unbounded (its recession cone). For a bounded set, B is K; for a cone, B is {0}, the support
 * function is 0, and the recession is the projection. A proven gap is as reliable as these functions are.
 * gpis_set_custom tries them on a few vectors, and refuses a map that is not a projection, or functions that contradict
 * each other, by more than 1e-8. */
typedef struct gpis_custom_set {
    const char *name;    /* one line, for messages and checkpoints, which take sets of one name for the same; copied */
    gpis_map_fn project; /* x = the member nearest to v */
    gpis_map_fn recession; /* x = the projection of v on C; NULL: the set is bounded */
    /* *value = sup over s in B of <g, s>. NULL: it is not known; then there is no certificate, gap_kind is none, and
     * the result has a warning. */
    int (*support)(void *user, const double *g, double *value);
    double radius; /* with `support`: an upper bound on ||s||_2 over s in B */
    int matrix;
    void *user; /* handed to the functions */
} gpis_custom_set;
GPIS_API gpis_status gpis_set_custom(gpis_context *context, const gpis_custom_set *functions, int64_t d, int64_t k,
                                     gpis_set **out);

GPIS_API gpis_status gpis_set_project(gpis_set *set, const double *v, double *x);         /* nearest member */
GPIS_API gpis_status gpis_set_support(gpis_set *set, const double *g, double *value);     /* sup <g, s>, may be inf */
GPIS_API gpis_status gpis_set_distance(gpis_set *set, const double *x, double *distance); /* ||x - project(x)|| */

/* ---- problem: what is solved ---------------------------------------------------------------------------------- */

/* minimise  f(X, b) = sum_i w_i ||y_i - o_i - a_i X - b||^2 + lambda sum_j ||X_j||^2 + penalty(X)
 *
 * over X in K and every b,
 *
 * where a_i, y_i, o_i are rows of A, Y and the offset, w_i is the weight of the row, and X_j is a row of X. Without
 * weights, offset, intercept, lambda and penalty f is ||Y - A X||_F^2. A is given when the problem is made, each other
 * term by a function of its own, in any order; a term that is given again replaces the one before. A problem with a
 * term that was refused cannot be used until that term is given again. A, K and arrays are borrowed, unless a function
 * says that it copies, and must stay unchanged until the problem is destroyed. A problem can be used for any number of
 * calls. On several ranks each gives the rows that it holds, and the same of everything else. */
typedef struct gpis_problem gpis_problem;

GPIS_API gpis_status gpis_problem_create(gpis_context *context, gpis_source *A, gpis_problem **out);
/* Y, rows x k, row-major. `rows` is the number of rows of A; on several ranks, of those that this rank holds. */
GPIS_API gpis_status gpis_problem_response(gpis_problem *problem, const double *Y, int64_t rows, int64_t k);
/* w, one number for each row of A, 0 or from 1e-90 to 1e90. A row of weight 2 counts like two such rows. One of weight
 * 0 counts as if it were not there, but its numbers must be finite, too. NULL and 0 rows: no weights. */
GPIS_API gpis_status gpis_problem_weights(gpis_problem *problem, const double *weights, int64_t rows);
/* o, rows x k, row-major, like Y: the part of the response that is known beforehand, which is subtracted from Y. NULL
 * and 0 rows: none. */
GPIS_API gpis_status gpis_problem_offset(gpis_problem *problem, const double *offset, int64_t rows, int64_t k);
/* Non-zero: the problem has an intercept b of k numbers, the coefficients of a column of ones that A does not hold. No
 * set constrains b, and neither lambda nor the penalty shrinks it. 0, and without this call: b is 0. */
GPIS_API gpis_status gpis_problem_intercept(gpis_problem *problem, int yes);
/* lambda >= 0. */
GPIS_API gpis_status gpis_problem_ridge(gpis_problem *problem, double lambda);
/* Non-zero: K, lambda and the penalty are about columns of unit standard deviation. With s_j the standard deviation of
 * column j, over all rows with their weights (1 for a column that does not vary), the matrix of the rows s_j X_j is in
 * K instead of X, lambda s_j^2 takes the place of lambda, and s_j |X_jc| that of |X_jc| in the penalty. X itself is on
 * the scale of A. It takes one or two passes to find s_j. */
GPIS_API gpis_status gpis_problem_standardize(gpis_problem *problem, int yes);
/* K, made for as many columns as A has and for as many responses as Y has. NULL, and without this call: every X. */
GPIS_API gpis_status gpis_problem_constrain(gpis_problem *problem, gpis_set *set);
/* Adds lambda sum_j weights_j |X_jc|, summed over all responses c, to the objective: an l1 penalty (the lasso). The d
 * weights are copied; NULL: all are 1; a weight of 0 exempts an entry. lambda = 0: no penalty. It can be combined with
 * every set. */
GPIS_API gpis_status gpis_problem_penalty(gpis_problem *problem, double lambda, const double *weights, int64_t d);
GPIS_API void gpis_problem_destroy(gpis_problem *problem); /* NULL is fine */

/* The calls that take a problem do not change it. They do use the scratch memory of its source and its set. */

/* ---- the building blocks, each one pass over A --------------------------------------------------------------- */

/* objective = ||Y - A X||_F^2 and, if G is not NULL, G = A'(A X - Y), d x k. X has `entries` = d k numbers. The set and
 * the penalty are ignored. With the other terms of the problem the objective is f, G is half of its gradient, and with
 * an intercept X, G, V and AAV have one row more, the last. */
GPIS_API gpis_status gpis_evaluate(const gpis_problem *problem, const double *X, int64_t entries, double *objective,
                                   double *G);
/* The same, and AAV = A'A V for V of d x count, in the same pass: a few vectors cost little more than none. */
GPIS_API gpis_status gpis_evaluate_with(const gpis_problem *problem, const double *X, int64_t entries,
                                        double *objective, double *G, const double *V, int64_t count, double *AAV);
/* H = A'A, d x d, both triangles. */
GPIS_API gpis_status gpis_gram(gpis_context *context, gpis_source *A, double *H);
/* SA (m x d) and, if SY is not NULL, SY (m x k), for a random S with E[S'S] = I. kind: "count", "sparse-sign",
 * "gaussian", "srht", "count-gauss", "sample". S depends on (kind, m, seed, round) and the numbers of the rows alone.
 * Without SY the problem needs no response. Each row is multiplied by the square root of its weight, and the offset is
 * subtracted from Y. With an intercept SA has d + 1 columns, of which the last is that of the column of ones. The ridge
 * is ignored. */
GPIS_API gpis_status gpis_sketch_rows(const gpis_problem *problem, const char *kind, int64_t m, uint64_t seed,
                                      uint64_t round, double *SA, double *SY);

/* Entry i is a function of (seed, stream, first + i) alone. */
GPIS_API void gpis_random_uniform(uint64_t seed, uint64_t stream, uint64_t first, int64_t count, double *out);
GPIS_API void gpis_random_normal(uint64_t seed, uint64_t stream, uint64_t first, int64_t count, double *out);

/* ---- settings: how a problem is solved, and how its progress is followed --------------------------------------- */

/* How a solve ended. solved: the gap is within the tolerance. max_passes, time_limit: a limit of the settings was
 * reached before. stalled: rounding errors, or the bounds that are known, allow no smaller gap. interrupted: a progress
 * function asked for the end. The best point so far is returned in every case. */
#define GPIS_OUTCOME_LIST(ENTRY)    \
    ENTRY(SOLVED, "solved")         \
    ENTRY(MAX_PASSES, "max_passes") \
    ENTRY(TIME_LIMIT, "time_limit") \
    ENTRY(STALLED, "stalled")       \
    ENTRY(INTERRUPTED, "interrupted")

typedef enum gpis_outcome {
#define GPIS_OUTCOME_ENUM(name, text) GPIS_##name,
    GPIS_OUTCOME_LIST(GPIS_OUTCOME_ENUM)
#undef GPIS_OUTCOME_ENUM
} gpis_outcome;
GPIS_API const char *gpis_outcome_text(gpis_outcome outcome);

/* none: no finite bound. proven: holds whatever the data. probable: holds with probability 1 - gap_delta over the
 * library's own random numbers, whatever the data. */
typedef enum gpis_gap_kind { GPIS_GAP_NONE, GPIS_GAP_PROVEN, GPIS_GAP_PROBABLE } gpis_gap_kind;
GPIS_API const char *gpis_gap_kind_text(gpis_gap_kind kind);

/* Which bound may end a solve: any, only a proven one, or none. With none a limit (max_passes, time_limit) ends it. */
typedef enum gpis_certificate { GPIS_CERTIFICATE_ANY, GPIS_CERTIFICATE_PROVEN, GPIS_CERTIFICATE_NONE } gpis_certificate;
/* When accelerated methods give up their momentum: where it points uphill (against the gradient), where the objective
 * has risen, or never. */
typedef enum gpis_restart { GPIS_RESTART_GRADIENT, GPIS_RESTART_FUNCTION, GPIS_RESTART_NONE } gpis_restart;

/* One line of a trace: the state after a pass. */
typedef struct gpis_progress {
    int64_t pass;
    double seconds, epochs;
    double objective;   /* of the best feasible point so far; infinite: none has been measured yet */
    double gap;         /* bound on objective - f*; infinite: none yet */
    double contraction; /* the gap after this pass over that after the pass before; NaN: unknown */
    int64_t m;          /* rows of the sketch in use; 0: none */
    int64_t inner_iterations;
    double step; /* mean step of the line searches since the last report; 0: there were none */
    /* Processor time of the whole process, all threads together, for the work that took `seconds`. With one thread it
     * is what `seconds` would be on a machine with nothing else to do. */
    double processor_seconds;
} gpis_progress;

/* Called by the solving thread after each pass, whatever the pass was for. If it returns non-zero the solve ends, and
 * returns the best point so far. */
typedef int (*gpis_progress_fn)(void *user, const gpis_progress *progress);

/* How far the current pass has come. */
typedef struct gpis_pass_progress {
    int64_t pass;        /* its number, from 1 */
    int64_t done, rows;  /* rows read so far, of all rows of A */
    double pass_seconds; /* since it began */
    double seconds;      /* of the solve */
} gpis_pass_progress;

/* Called by the solving thread about ten times a second: within passes and, with done = rows, between the steps of the
 * work after them. If it returns non-zero the solve ends at once, and returns the best point so far. */
typedef int (*gpis_pass_progress_fn)(void *user, const gpis_pass_progress *progress);

/* The speed of a machine, from which plans predict times. */
typedef struct gpis_machine {
    size_t size;           /* of this struct in the caller's program; set by gpis_machine_init */
    int threads;           /* all speeds are those of so many threads together */
    double read_bytes;     /* a second: a plain read of memory */
    double gradient_bytes; /* a second: a gradient pass over dense rows of doubles */
    double syrk_flops;     /* a second: A'A of dense rows, counted as n d^2 */
    double memory;         /* bytes that a solve may take besides A */
    double disk_bytes;     /* a second: reading of files that are not in memory; 0: a usual figure */
} gpis_machine;
/* Usual figures, for machines that were not measured. */
GPIS_API gpis_status gpis_machine_init(gpis_machine *machine, size_t size);
static inline gpis_machine gpis_machine_default(void) {
    gpis_machine machine;
    gpis_machine_init(&machine, sizeof machine);
    return machine;
}
/* Measures this machine with the threads of the context, which takes some tenths of a second and 256 MB. *machine has
 * been filled by gpis_machine_init, and holds the measured figures afterwards. */
GPIS_API gpis_status gpis_machine_measure(gpis_context *context, gpis_machine *machine);

/* How a problem is solved: begin with gpis_settings_default and set what differs. Most fields can also be set by name
 * and text (gpis_settings_set); their ranges are in the table of options. */
typedef struct gpis_settings {
    size_t size;        /* of this struct in the caller's program; set by gpis_settings_init */
    const char *method; /* "auto" or the name of a method. Texts are borrowed, here as in all fields. */
    double tol;         /* stop when gap <= tol * (objective - gap) */
    int64_t max_passes; /* 0: no limit */
    double time_limit;  /* seconds; 0: none */
    gpis_certificate certificate;
    int threads;  /* of the context during this call; 0: as the context has it */
    double delta; /* a probable bound may be wrong with this probability */
    uint64_t seed;
    const double *x0;   /* the starting point, d x k, borrowed; NULL: zero. It is projected on K first. */
    int64_t x0_entries; /* d k or, with an intercept, also (d + 1) k: then its k numbers come last. Without them the
                           intercept starts at 0 */
    /* Line search (the paper's Algorithm 3) of the gradient methods: the step grows by gamma_d before each search and
     * shrinks by gamma_u while it is too long. A positive fixed_step turns the search off. */
    double gamma_u, gamma_d, fixed_step;
    gpis_restart restart;
    int gpcs; /* non-zero: start from the solution of the problem with a sketch of A and y in their place */
    /* Sketched methods (gpis, acc-gpis, and newton where the plan or m says so). */
    const char *sketch; /* its kind: "count", ...; "auto": count, or a sample of rows where newton's plan says so;
                           "none": newton's model is the Gram matrix */
    int64_t m;          /* rows of the sketch; 0: 8 d, but not more than n; for newton, what the plan says */
    int64_t rounds;     /* GPIHS rounds; 0: no limit */
    /* Inner iterations of each round in turn, such as "20,40,80". The last number holds for all further rounds; with
     * gpcs the first one is for the problem that gives the starting point. NULL: a round ends
     * when more of them would only fit the errors of the sketch. */
    const char *inner;
    int64_t batch;               /* saga: rows of a minibatch */
    int64_t memory;              /* limit of the context during this call, in bytes; 0: as the context has it */
    const gpis_machine *machine; /* what the plan is made for, borrowed; NULL: gpis_machine_default */
    gpis_progress_fn progress;
    gpis_pass_progress_fn pass_progress;
    void *progress_user; /* handed to both functions */
    /* gpis_solve keeps the results of its passes in this file, so that a solve that was killed can be continued
     * (docs/howto/checkpoints.md). Not for saga. NULL: there is no such file. */
    const char *checkpoint;
    int resume;              /* non-zero: continue from the file if it exists; 0: it must not exist */
    double checkpoint_every; /* seconds between two writes to the disk itself; 0: one after each pass */
} gpis_settings;

/* Fills the struct, which has `size` bytes in the caller's program, with the defaults. A program that was compiled with
 * an older gpis.h has a smaller struct: fields that it does not know keep their defaults. One compiled with a newer
 * gpis.h has a larger struct: it is taken as long as the fields that this library does not know are zero.
 * GPIS_BAD_ARGUMENT for an impossible size. */
GPIS_API gpis_status gpis_settings_init(gpis_settings *settings, size_t size);
static inline gpis_settings gpis_settings_default(void) {
    gpis_settings settings;
    gpis_settings_init(&settings, sizeof settings);
    return settings;
}

/* ---- summary: what one sweep over the rows keeps --------------------------------------------------------------- */

/* With d columns and k responses, the (d + 1 + k)^2 sums of products of the columns of [A 1 Y] are all that a
 * least-squares problem needs to know of its rows, whatever its set, penalty and ridge, with an intercept or without.
 * (The rows count with their weights, and the offset is subtracted from Y.) One sweep over the rows makes these sums,
 * as pairs of doubles with a bound on their rounding errors, so that answers from them are proven as answers from the
 * rows are. Summaries of different rows add up.
 *
 * With folds there is one such summary for each fold of the rows, and the summary of all rows is their sum. */
typedef struct gpis_summary gpis_summary;

typedef struct gpis_summary_options {
    size_t size;         /* of this struct in the caller's program; set by gpis_summary_options_init */
    int64_t folds;       /* 0 and 1: none; at most 65536 */
    const int64_t *fold; /* a number from 0 to folds - 1 for each row of this rank, borrowed; NULL: the folds are drawn,
                          * as a function of seed and row number alone, so that they do not depend on how the rows are
                          * spread over parts, ranks and machines */
    int64_t fold_rows;   /* how many numbers `fold` has */
    uint64_t seed;
    int64_t first_row; /* the number of the first row of A, from 0, among the rows of all summaries to be merged */
    const char *const *responses; /* k names, copied; NULL, or a NULL in it: none */
    gpis_pass_progress_fn pass_progress;
    void *progress_user;
} gpis_summary_options;
GPIS_API gpis_status gpis_summary_options_init(gpis_summary_options *options, size_t size);
static inline gpis_summary_options gpis_summary_options_default(void) {
    gpis_summary_options options;
    gpis_summary_options_init(&options, sizeof options);
    return options;
}

/* Makes the summary of the rows of a problem: of A, Y, weights and offset. Its other terms are ignored; they are chosen
 * when the summary is used. NULL options are the defaults. All ranks call it together, and all get the summary. */
GPIS_API gpis_status gpis_summary_make(const gpis_problem *problem, const gpis_summary_options *options,
                                       gpis_summary **out);
GPIS_API void gpis_summary_destroy(gpis_summary *summary); /* NULL is fine */

typedef struct gpis_summary_info {
    size_t size;  /* of this struct in the caller's program, which sets it */
    int64_t rows; /* of all folds together */
    int64_t columns, responses;
    int64_t folds;      /* at least 1 */
    double weights_sum; /* the number of rows where there are no weights */
    /* A bound: each sum of products of two columns is within gamma times the product of their norms of the exact sum.
     */
    double gamma;
    int weighted, offset; /* non-zero: the problem had weights, an offset */
    int given_folds;      /* non-zero: the caller has given the folds; 0: they were drawn */
    uint64_t seed;        /* with which the folds were drawn */
} gpis_summary_info;
/* GPIS_BAD_ARGUMENT for an impossible size. */
GPIS_API gpis_status gpis_summary_describe(const gpis_summary *summary, gpis_summary_info *info);
GPIS_API int64_t gpis_summary_fold_rows(const gpis_summary *summary, int64_t fold); /* -1: there is no such fold */
/* The name of column j of A, and of response c, from 0; NULL where there is none. Borrowed. */
GPIS_API const char *gpis_summary_column(const gpis_summary *summary, int64_t j);
GPIS_API const char *gpis_summary_response(const gpis_summary *summary, int64_t c);

/* The summary of the rows of all parts together. The parts must have the same columns, responses and folds, and all or
 * none of them weights and an offset; the message says what differs. The parts are not changed. */
GPIS_API gpis_status gpis_summary_merge(gpis_context *context, const gpis_summary *const *parts, int64_t count,
                                        gpis_summary **out);

/* The summary of one fold of another summary (others = 0), or of all its folds but that one, which stay folds. Folds
 * are counted from 0. */
GPIS_API gpis_status gpis_summary_fold(const gpis_summary *summary, int64_t fold, int others, gpis_summary **out);

/* Writes a summary to a file, which is whole or not there, and reads it: an archive of arrays that numpy.load reads
 * (docs/howto/summaries.md), with a checksum for each. A file that is damaged, or is something else, is refused. */
GPIS_API gpis_status gpis_summary_save(const gpis_summary *summary, const char *path);
GPIS_API gpis_status gpis_summary_load(gpis_context *context, const char *path, gpis_summary **out);
/* Non-zero if the file begins as a summary does, whatever its name. */
GPIS_API int gpis_is_summary(const char *path);

/* A source that stands for A: it has the number of rows, the names of the columns and their encoding, but no row can be
 * read from it. Borrowed from the summary. */
GPIS_API const gpis_source *gpis_summary_source(const gpis_summary *summary);

/* A problem whose rows are known by their summary alone. Set, penalty, ridge, intercept and standardised columns are
 * given to it as usual; A, Y, weights and offset are those of the summary. gpis_solve, gpis_check, gpis_plan_make,
 * gpis_path_make, gpis_cv_make and gpis_ranges_make take it and read nothing; calls that need the rows themselves
 * refuse it (GPIS_NOT_APPLICABLE). Where the rounding errors of the summary do not allow the tolerance, the outcome is
 * GPIS_STALLED, with the gap that they do allow. The summary is borrowed, and has to be of the same context. */
GPIS_API gpis_status gpis_problem_of_summary(gpis_context *context, const gpis_summary *summary, gpis_problem **out);

/* ---- options: settings by name and text ------------------------------------------------------------------------- */

/* What the value of an option looks like. */
typedef enum gpis_option_type {
    GPIS_OPTION_TEXT,     /* any text */
    GPIS_OPTION_FILE,     /* the name of a file */
    GPIS_OPTION_NUMBER,   /* a number from low to high */
    GPIS_OPTION_INTEGER,  /* a whole number from low to high; an infinite high stands for the largest int64_t, and 2^64
                              for the largest uint64_t */
    GPIS_OPTION_INTEGERS, /* 1 to 64 whole numbers from low to high: "20,40,80" */
    GPIS_OPTION_BYTES,    /* a number of bytes, at least 1: "800000000", "300MB", "512K", "1.5G", "1GiB" */
    GPIS_OPTION_FLAG,     /* "yes" or "no" */
    GPIS_OPTION_CHOICE    /* one of the words of `choices` */
} gpis_option_type;

/* Where an option counts. */
enum {
    GPIS_OPTION_OPEN = 1,    /* a field of gpis_open_options */
    GPIS_OPTION_PROBLEM = 2, /* a term of the problem, such as the text of gpis_set_parse */
    GPIS_OPTION_SOLVE = 4,   /* a field of gpis_settings that gpis_solve uses */
    GPIS_OPTION_PLAN = 8,    /* ... that gpis_plan_make uses */
    GPIS_OPTION_CHECK = 16   /* ... that gpis_check uses */
};

/* A row of the table of options, from which the program has its options and their help. */
typedef struct gpis_option {
    const char *name; /* "max-passes"; "max_passes" names the same option */
    gpis_option_type type;
    unsigned where; /* GPIS_OPTION_OPEN and so on, added up */
    double low, high;
    const char *choices;  /* "any, proven, none"; NULL where the type is another */
    const char *fallback; /* the default as text; "" where no value is the default */
    const char *unset;    /* what it means to have no value, in words: "as planned"; NULL: no words are needed */
    const char *argument; /* what help calls the value: "SECONDS"; NULL for a flag */
    const char *group;    /* "Problem", "Accuracy", "Method", "Running" */
    const char *help;     /* what it does, in a line */
    /* The methods that use it: "gpis, acc-gpis, newton with a sketch". "newton" by itself is newton with a sketch or
     * with the Gram matrix. NULL: all methods. */
    const char *methods;
    int in_checkpoint; /* non-zero: a checkpoint is continued only with the value that it was made with */
    int repeated;      /* non-zero: it may be given several times, and all of them count */
    const char *words; /* what the value of a text may begin with, "auto, newton, gpis"; NULL: anything */
} gpis_option;

GPIS_API const gpis_option *gpis_option_at(int64_t index);      /* NULL behind the last */
GPIS_API const gpis_option *gpis_option_find(const char *name); /* NULL: there is none */
/* Why an option does not take this value: "tol wants a number from 0 to 1, not 'x'"; "" if it takes it. Returns the
 * length of the whole text, of which `text` receives as much as fits into `size` bytes. */
GPIS_API size_t gpis_option_explain(const gpis_option *option, const char *value, char *text, size_t size);

/* Sets a field by the name of its option; value NULL: to its default. If the field is a text, the value is borrowed.
 * GPIS_BAD_ARGUMENT, with nothing set, if there is no such field or the value is refused (gpis_option_explain). */
GPIS_API gpis_status gpis_settings_set(gpis_settings *settings, const char *name, const char *value);
GPIS_API gpis_status gpis_open_options_set(gpis_open_options *options, const char *name, const char *value);
/* The value of a field as gpis_settings_set takes it; "" if it has none, or if there is no such field. Returns the
 * length of the whole text, of which `text` receives as much as fits into `size` bytes. */
GPIS_API size_t gpis_settings_get(const gpis_settings *settings, const char *name, char *text, size_t size);

/* ---- solve and check ----------------------------------------------------------------------------------------- */

/* A constraint that x meets with equality and that has a price. */
typedef struct gpis_active {
    const char *text; /* "age >= 0", "l1:3", "tv + radio <= 0.5" */
    int64_t column;   /* the row of X that it bounds, counted from 0; -1: it concerns several */
    int64_t response; /* the column of X, counted from 0 */
    /* The shadow price, >= 0: the rate at which the least objective falls when the constraint is loosened, for each
     * unit of its right side. Of an equation: the rate at which it falls when the right side grows, which may be
     * negative. */
    double multiplier;
} gpis_active;

/* Made by gpis_solve and gpis_check. It owns all that its pointers point to, until gpis_result_destroy. */
typedef struct gpis_result {
    gpis_outcome outcome;
    gpis_gap_kind gap_kind;
    const char *method;
    const double *x; /* d x k, row-major */
    int64_t d, k;
    double objective;   /* f with the penalty; ||Y - A x||^2 if the problem has no other terms */
    double gap;         /* bound on objective - the best possible one */
    double gap_delta;   /* probability that a probable bound is wrong; 0 when proven */
    double feasibility; /* distance of x from K */
    int64_t passes, sketches;
    int64_t resumed_passes; /* how many of the passes were taken from a checkpoint */
    double epochs;          /* arithmetic, in units of one full gradient A'(A x - y) */
    double bytes_read;
    double seconds;
    int64_t predicted_passes; /* by the plan; 0: it predicted nothing */
    double predicted_seconds; /* NaN: it predicted nothing */
    const char *plan;         /* what was done and why, in words */
    const char *warning;      /* what the caller should know although nothing has failed; "" if there is nothing */
    /* gpis_check: the objective of the X that was given, which need not be in K. gpis_solve: the same as objective. */
    double given_objective;
    /* Why the file settings->checkpoint does not hold all passes of this solve, although the solve itself is fine: the
     * disk was full, the file was removed, ... "" if the file is complete or was not asked for. */
    const char *checkpoint_trouble;
    /* 0: the gap holds for A as given. Otherwise columns of A depend on each other up to rounding, and the gap holds
     * for some A near the given one for which they depend on each other exactly: its column j differs from a_j by at
     * most nearness ||a_j||. The warning names the columns. */
    double nearness;
    /* If every x is allowed and Y has one column: an estimate of how much A has to be changed for x to be an exact
     * minimiser, min ||E||_F / ||A||_F over all E for which x minimises ||Y - (A + E) x|| (Karlson and Walden's
     * estimate, docs/maths/accuracy.md). A stable method, such as QR, reaches about 1e-16. NaN: it was not estimated.
     */
    double backward_error;
    /* 0: the gap holds on all of K. Otherwise columns of A nearly depend on each other, and the gap holds for every s
     * in K with ||D (s - x)|| <= horizon ||Y||, D = diag(||a_j||): an s that is better by more than the gap would need
     * terms a_j s_j about `horizon` times as long as Y, which cancel each other. */
    double horizon;
    /* Whether x is the only answer: 1 yes, 0 no, -1 not known. There are others if columns of A depend on each other,
     * exactly or up to the rounding of the data, and x can move along the dependence within K. Without a set, x is then
     * the answer of least norm. */
    int unique;
    const char *unique_reason; /* the columns that can trade places, in words; "" if there is nothing to say */
    const double *intercept;   /* b, k numbers; NULL: the problem has none */
    double penalty;            /* the part of the objective that is due to the penalty */
    double violation;          /* the largest amount by which x breaks a constraint, in the units of that constraint */
    /* The constraints that x meets with equality and that have a price; none if the gradient at x is not known. */
    int64_t active_count;
    const gpis_active *const *active;
    int64_t sweeps; /* how often this call has read A: without passes that were taken from a checkpoint, with those that
                       find standard deviations; 0 for a problem of a summary */
    /* How well x fits, with SSR = sum_i w_i ||y_i - o_i - a_i x - b||^2, without penalties. NaN: not known. */
    double r2; /* 1 - SSR / SST, where SST = sum_i w_i ||y_i - o_i - c||^2 with the weighted mean c of each response if
                  there is an intercept, else with c = 0. NaN if SST is 0 */
    double rmse; /* sqrt(SSR / (k sum of w)) */
    /* In how many directions x can move while the constraints that it meets with equality stay met and penalised
     * entries that are 0 stay 0; with the k numbers of the intercept. Where every x is allowed, columns that depend on
     * others do not count. The ridge makes no difference. docs/maths/fit.md has the number for each set. */
    double degrees_of_freedom;
    double sigma2; /* SSR / (k n - degrees_of_freedom), n being the number of rows of positive weight; NaN if the
                      divisor is not positive. A summary does not know which weights were 0: there n counts all rows */
    double radius; /* the sum of |x_i|, without b */
} gpis_result;

/* Solves the problem. NULL settings are the defaults. *result is NULL after a failure. */
GPIS_API gpis_status gpis_solve(const gpis_problem *problem, const gpis_settings *settings, gpis_result **result);
/* Audits a given X, of `entries` = d k numbers, from the data alone. given_objective and feasibility (the distance from
 * K) are those of X itself; x, objective and certificate are those of its projection on K, which is X if X is in K. For
 * a problem with an intercept, X may have its k numbers behind the d k; if it has not, the best ones for this X are
 * taken. */
GPIS_API gpis_status gpis_check(const gpis_problem *problem, const double *X, int64_t entries,
                                const gpis_settings *settings, gpis_result **result);
GPIS_API double gpis_relative_gap(const gpis_result *result); /* gap / (objective - gap); infinite where that is <= 0 */
GPIS_API void gpis_result_destroy(gpis_result *result);       /* NULL is fine */

/* ---- paths and cross-validation: many answers from one sweep ---------------------------------------------------- */

/* How far a path or a cross-validation has come. */
typedef struct gpis_path_progress {
    int64_t done,
        points; /* points that are solved, of all points: of the path and, for each fold, of that without it */
    int64_t folds_done, folds; /* folds times repeats; 0 for a path */
    double seconds;            /* since the call began */
} gpis_path_progress;
/* Called by the solving thread about ten times a second while points are solved. */
typedef void (*gpis_path_progress_fn)(void *user, const gpis_path_progress *progress);

/* A path: answers for a grid of radii, or of penalties, from the most restricted to the least, each with its
 * certificate. The rows are read once, for their summary; for a problem of a summary nothing is read. Points that the
 * summary cannot prove to the tolerance are solved from the rows, if there are any. If the summary is too large (more
 * than 4096 columns, or no memory for it), the points of an l1 sum or penalty, with bounds or without, share a few
 * sweeps, which sum products of some of the columns and measure all points. Points that are not proven in this way, and
 * those of other sets, are solved one by one, each from the point before. */
typedef struct gpis_path_options {
    size_t size; /* of this struct in the caller's program; set by gpis_path_options_init */
    /* The set without its radius: "l1", "l1 & nonneg", "simplex[w*]", or with R in its place, "group:R:3". NULL: "l1".
     * The set and the penalty of the problem hold at every point, too. */
    const char *set;
    /* Non-zero: a path of penalties instead. Each point has the penalty of the problem (gpis_problem_penalty) times the
     * value or, if the problem has none, the sum of all |X_jc| times the value. */
    int penalised;
    int64_t points; /* points of the grid; default 100 */
    double eps;     /* the grid goes from the largest value that has an effect down to eps times that; default 1e-3 */
    int linear;     /* non-zero: the values are in equal steps; 0: in equal ratios */
    const double *values; /* the grid itself, borrowed; NULL: as `points`, `eps` and `linear` say */
    int64_t value_count;
    /* For gpis_cv_make. A problem of a summary has the folds of the summary. */
    int64_t folds;       /* how many; 0, the default: 10, or as many as the summary has */
    const int64_t *fold; /* a number from 0 to folds - 1 for each row, borrowed; NULL: drawn, by settings->seed */
    int64_t fold_rows;   /* how many numbers `fold` has */
    int64_t repeats; /* how often the folds are drawn, each time with another seed and by another sweep; default 1 */
    gpis_path_progress_fn progress; /* NULL: none */
    void *progress_user;            /* handed to it */
    /* Non-zero: where gpis_path_make is stopped after the first points, it returns these, and GPIS_OK; path->asked says
     * how many there should be. */
    int64_t keep_done;
} gpis_path_options;
GPIS_API gpis_status gpis_path_options_init(gpis_path_options *options, size_t size);
static inline gpis_path_options gpis_path_options_default(void) {
    gpis_path_options options;
    gpis_path_options_init(&options, sizeof options);
    return options;
}

/* One point of a path. */
typedef struct gpis_path_point {
    double value;            /* the radius, or the factor of the penalty */
    const double *x;         /* d x k */
    const double *intercept; /* k numbers; NULL: the problem has none */
    double objective;        /* with the penalty */
    double penalty;          /* the part of the objective that is due to the penalty */
    double gap;              /* bound on objective - the best possible one */
    gpis_gap_kind gap_kind;
    gpis_outcome outcome; /* GPIS_SOLVED: the gap is within the tolerance; else GPIS_STALLED */
    int64_t nonzeros;     /* entries of x that are not 0 */
    double norm1;         /* the sum of |x_i| */
} gpis_path_point;

/* Made by gpis_path_make. It owns all that its pointers point to, until gpis_path_destroy. */
typedef struct gpis_path {
    int64_t count, d, k;
    const gpis_path_point *const *points; /* radii ascending, or penalties descending */
    int penalised;                        /* values are penalties */
    const char *set;                      /* the set without its radius; "" for penalties */
    double rows_weight;                   /* the sum of the weights: the number of rows where there are none */
    int64_t exact;                        /* points that come from the exact path of an l1 sum or penalty */
    int64_t sweeps;                       /* how often A was read */
    double bytes_read, seconds;
    const char *warning; /* what the caller should know although nothing has failed; "" if there is nothing */
    int64_t asked; /* points of the grid: more than count where the call was stopped (gpis_path_options.keep_done) */
} gpis_path;

/* NULL options and settings are the defaults; of the settings, tol, threads, memory, seed, machine and pass_progress
 * count. The last is also called between points; if it returns non-zero, the call ends with GPIS_STOPPED. */
GPIS_API gpis_status gpis_path_make(const gpis_problem *problem, const gpis_path_options *options,
                                    const gpis_settings *settings, gpis_path **out);
GPIS_API void gpis_path_destroy(gpis_path *path); /* NULL is fine */

/* Cross-validation of a path. The rows of each fold are predicted by the answers for the rows of all other folds. For
 * these, penalties and the ridge are multiplied by their share of the weights of all rows, and standard deviations are
 * those of these rows. Made by gpis_cv_make. It owns all that its pointers point to, until gpis_cv_destroy. */
typedef struct gpis_cv {
    const gpis_path *path; /* on all rows */
    int64_t folds;         /* folds times repeats */
    /* The mean squared error of fold f at point i, sum w (y - prediction)^2 / (k sum w), is errors[i * folds + f]. */
    const double *errors;
    /* Of each point: the mean over all folds, which count alike, and its standard error, the mean of those of the
     * repeats: drawing the folds again says nothing more about other rows. */
    const double *mean, *standard_error;
    int64_t best;           /* the point of the least mean */
    int64_t one_se;         /* the first point whose mean is at most that of `best` plus its standard error */
    int64_t stalled;        /* points of folds that are not proven to the tolerance */
    const gpis_result *fit; /* of the best point, on all rows */
} gpis_cv;
GPIS_API gpis_status gpis_cv_make(const gpis_problem *problem, const gpis_path_options *options,
                                  const gpis_settings *settings, gpis_cv **out);
GPIS_API void gpis_cv_destroy(gpis_cv *cv); /* NULL is fine */

/* ---- near-optimal ranges ---------------------------------------------------------------------------------------- */

/* How far a coefficient can move, over K, while the objective stays at or below a level near its least value. That it
 * stays within [lower, upper] is proven. It reaches inner_lower and inner_upper, at points that have been found (both
 * at x itself, if the objective is nothing but rounding errors). */
typedef struct gpis_range_ends {
    double lower, upper; /* infinite where nothing could be proven */
    double inner_lower, inner_upper;
} gpis_range_ends;

/* Made by gpis_ranges_make. It owns all that its pointers point to, until gpis_ranges_destroy. */
typedef struct gpis_ranges {
    int64_t d, k;
    const gpis_range_ends *ends;      /* d x k */
    const gpis_range_ends *intercept; /* k; NULL: the problem has none */
    double level;                     /* of the objective */
    int64_t sweeps;  /* how often A was read: once, for its summary; never for a problem of a summary */
    double nearness; /* 0: the ends are proven for A itself; else for A + E, as in gpis_result */
} gpis_ranges;

/* `result` is that of gpis_solve for this problem. The level is 1 + eps times the least objective. With a confidence
 * above 0, it is the least objective plus sigma^2 times the quantile of the chi-square distribution with one degree of
 * freedom: then the ranges are likelihood-ratio intervals, approximate where constraints are active. Of the settings
 * (NULL: the defaults) pass_progress counts, with progress_user: if it returns non-zero, the call ends with
 * GPIS_STOPPED. */
GPIS_API gpis_status gpis_ranges_make(const gpis_problem *problem, const gpis_result *result, double eps,
                                      double confidence, const gpis_settings *settings, gpis_ranges **out);
GPIS_API void gpis_ranges_destroy(gpis_ranges *ranges); /* NULL is fine */

/* ---- plan: what a solve would cost ---------------------------------------------------------------------------- */

/* One way to solve the problem. */
typedef struct gpis_plan_candidate {
    const char *method;
    const char *sketch;       /* kind of the sketch; "": none */
    int64_t m;                /* rows of the sketch; 0: none */
    int64_t passes, sketches; /* sketches are made during passes or, of rows in memory, without one; 0: unknown */
    double flops;             /* arithmetic */
    double memory;            /* the most bytes at one time, besides A, y and the set */
    double seconds; /* NaN: not predicted. Over a set with bounds or a sum the time depends on how many entries of the
                       answer are free: this is between the times for few and for many */
    int applicable, chosen;
    const char *reason; /* why it is not the one chosen; "" for that one */
} gpis_plan_candidate;

/* Made by gpis_plan_make. It owns all that its pointers point to, until gpis_plan_destroy. */
typedef struct gpis_plan {
    int64_t count; /* of candidates */
    const gpis_plan_candidate *const *candidates;
    const gpis_plan_candidate *chosen; /* the one that gpis_solve would take */
    const char *text;                  /* the choice and its reason in words */
} gpis_plan;

/* What gpis_solve would do with this problem and these settings (NULL: the defaults), and what it would cost. Nothing
 * of A and Y is read. Without a response, Y is taken to have as many columns as the set is made for. The choice depends
 * on the shape of the problem, the settings and settings->machine, never on the threads of the context, which only
 * scale the seconds. */
GPIS_API gpis_status gpis_plan_make(const gpis_problem *problem, const gpis_settings *settings, gpis_plan **plan);
GPIS_API void gpis_plan_destroy(gpis_plan *plan); /* NULL is fine */

/* ---- theory: the paper's bounds for Gaussian sketches (docs/maths/theory.md) --------------------------------- */

/* A sketched problem as the theory sees it: begin with gpis_bounds_default and set what is known. */
typedef struct gpis_bounds_problem {
    size_t size;        /* of this struct in the caller's program; set by gpis_bounds_init */
    int64_t m;          /* rows of the sketch */
    int64_t n, d;       /* shape of A; n (0: not known) matters to the work alone */
    double cond;        /* L / mu, ratio of the extreme eigenvalues of A'A; infinite when mu = 0 */
    double width;       /* Gaussian width W of (A C) on the unit sphere; clipped at sqrt(d), which serves for any set */
    double theta;       /* deviation: larger is safer and looser */
    double gamma_u;     /* 1: fixed steps; above: line search that shrinks the step by so much */
    int64_t inner;      /* iterations a round; 0: inner problems solved exactly (bounds), the best number (work) */
    int direct;         /* non-zero: rates from rho_direct instead of Proposition 2 */
    double tol;         /* work: reduce ||A (x - x*)|| to so much of its first value */
    double sketch_cost; /* work: a sketch in units of a full gradient; 0.25 is the count sketch */
} gpis_bounds_problem;
GPIS_API gpis_status gpis_bounds_init(gpis_bounds_problem *problem, size_t size);
static inline gpis_bounds_problem gpis_bounds_default(void) {
    gpis_bounds_problem bounds;
    gpis_bounds_init(&bounds, sizeof bounds);
    return bounds;
}

/* What cannot be bounded is infinite (alpha: 1). Each holds with its probability over one sketch; 0: no promise. */
typedef struct gpis_bounds {
    double b;                                  /* b_m = sqrt(2) Gamma((m + 1)/2) / Gamma(m/2) */
    double width;                              /* W in use */
    double step;                               /* L times the fixed step of Theorem 1, for E[S'S] = I */
    double alpha, alpha_probability;           /* Proposition 1: factor of an inner iteration */
    double alpha_gap;                          /* 1 - alpha, in full precision */
    double rho, rho_probability;               /* Proposition 2: factor of a round solved exactly */
    double rho_direct, rho_direct_probability; /* the same by a direct argument, far more probable */
    double sigma, sigma_probability;           /* Proposition 3: distortion of range(A), squared */
    double round_gpis, round_acc;              /* factor of a round of `inner` iterations: Theorem 1; from Theorem 3 */
    double floor_gpis, floor_acc;              /* Theorems 2, 3, corrected: last term, in units of sqrt(L R) */
    double probability;                        /* of all that the rates use */
} gpis_bounds;
GPIS_API gpis_status gpis_bounds_compute(gpis_context *context, const gpis_bounds_problem *problem, gpis_bounds *out);

/* Width of the cone of an l1 ball at a point with s nonzeros: min(sqrt(d), sqrt(2 s log(d/s) + 5 s/4)). It is the W
 * above where the columns of A are orthonormal; for other A times sqrt(cond), at most. */
GPIS_API gpis_status gpis_bounds_width_l1(gpis_context *context, int64_t d, int64_t s, double *width);
/* The smallest theta for which `probability` above is 1 - delta. */
GPIS_API gpis_status gpis_bounds_theta(gpis_context *context, double delta, int direct, double *theta);

typedef struct gpis_work {
    int64_t m, rounds, inner; /* 0 where nothing is guaranteed to reach the tolerance */
    double epochs;            /* rounds (1 + sketch_cost + inner m/n); infinite then */
    double contraction;       /* of a round */
    double probability;       /* that it holds in all rounds */
} gpis_work;

/* The predicted work of GPIS (accelerated = 0) or Acc-GPIS with the problem's m; and with the m of [d + 1, n], the
 * paper's sweet spot, that makes it least. */
GPIS_API gpis_status gpis_bounds_work(gpis_context *context, const gpis_bounds_problem *problem, int accelerated,
                                      gpis_work *out);
GPIS_API gpis_status gpis_bounds_advise(gpis_context *context, const gpis_bounds_problem *problem, int accelerated,
                                        gpis_work *out);

#ifdef __cplusplus
}
#endif
#endif
