/*
 * source: where the rows of A come from.
 *
 * A source hands out blocks: rows row0 .. row0 + nrows - 1 as they are stored (float32 stays float32). How a pass asks
 * for them depends on four marks:
 *
 * - resident: all rows are in memory. block(0, n) returns them at once, without copying and without scratch.
 *
 * - not resident: each pass fetches the rows anew, a window at a time. `block` writes them to the scratch (dense in
 *   either order, or CSR with indptr relative to the arrays there) or points to memory of its own. Either way the block
 *   is borrowed until the next call with the same scratch. A reader thread asks for the windows in ascending order,
 *   with two scratches in turn, while the other threads work on the window before. row0 is a multiple of the nrows of
 *   the first call of the pass.
 *
 * - not serial: `block` may be called by several threads at once, each with a scratch of its own. Of row-major dense
 *   rows that are not resident, each thread then fetches the few it is about to work on, and the reader thread only
 *   announces them (`ahead`).
 *
 * - in_place: not resident, and `block` maps the rows into memory. There is no scratch (NULL is passed), but
 *   scratch_bytes are still entered in the account of memory, and each block is given back (`done`) after use.
 *
 * A call that fails sets the message with gpis_fail and returns the status; the pass ends and reports the first rows
 * that failed. Everything about a file is checked when it is opened, except for NaN and infinity: those show in the
 * first pass, whose sums are then not finite, and gpis_source_audit finds where they are.
 *
 * A new kind is one new file with a const table of functions, and a line in open.c if files carry it.
 */
#ifndef GPIS_SOURCE_H
#define GPIS_SOURCE_H

#include "base/base.h"
#include "linalg/block.h"

/* What columns can be taken out of a table for, besides A. The labels of a row are the numbers of those roles that the
 * table has, in this order; a set of roles has the bit 1 << role for each. */
typedef enum gpis_role { GPIS_ROLE_TARGET, GPIS_ROLE_WEIGHTS, GPIS_ROLE_OFFSET, GPIS_ROLES } gpis_role;

/* A window of a column-major file holds a piece of every column, so it is large: this many bytes, but at most this part
 * of a memory limit. */
enum { GPIS_COLUMNS_BYTES = 1 << 27, GPIS_COLUMNS_SHARE = 8 };

typedef struct gpis_source_class {
    const char *kind; /* what gpis_source_describe reports */
    gpis_status (*block)(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out);
    void (*destroy)(gpis_source *source); /* frees what the kind owns, not the gpis_source itself */
    /* The rest is optional: NULL where a kind does not need it. */
    /* Bytes of scratch for any block of nrows rows whose row0 is a multiple of nrows. Needed unless resident. */
    int64_t (*scratch_bytes)(const gpis_source *source, int64_t nrows);
    /* Takes a block back. Needed if in_place. */
    void (*done)(gpis_source *source, const gpis_block *block);
    /* Starts to read rows that will be asked for soon. It reports no failure: `block` will. */
    void (*ahead)(gpis_source *source, int64_t row0, int64_t nrows);
    /* GPIS_IO if the file has changed since it was opened. Called before and after each pass. */
    gpis_status (*unchanged)(gpis_source *source);
    /* For a source that consists of parts (ranks/): it has no blocks of its own, and answers these questions itself. */
    void (*describe)(const gpis_source *source, gpis_source_info *info); /* corrects *info, which is filled in */
    gpis_status (*audit)(gpis_context *context, gpis_source *source);
    gpis_status (*fingerprint)(gpis_context *context, gpis_source *source, uint32_t *sum);
    int64_t (*rows_here)(const gpis_source *source);
    gpis_source *(*piece)(const gpis_source *source); /* one of the parts on this rank; NULL: none */
    const struct gpis_walk *walk;                     /* how a pass walks over it (pass.h) */
    bool on_demand;                                   /* rows are computed, not read: a pass reads no bytes */
    bool in_place;
    bool by_all; /* `block` uses all threads of the context: the pass calls it between windows, not a reader thread */
} gpis_source_class;

struct gpis_source {
    const gpis_source_class *class;
    gpis_context *context; /* borrowed */
    int64_t n, d;
    int64_t nonzeros;
    gpis_type type;
    gpis_block_kind block_kind; /* dense or compressed rows */
    gpis_order order;           /* of dense blocks */
    bool serial;                /* `block` must not be called by several threads at once */
    bool resident;
    int dimensions; /* of the array in the file: 1 for a plain vector; 0: not known */
    char *name;     /* owned: the file's path, for messages; NULL in memory */
    int64_t first;  /* the row of the file that is row 0 here, for messages */
    /* Borrowed: the source that this one is a part of, which has the names of the columns; NULL: none. */
    const gpis_source *of;
    double *target; /* owned: n x target_k, or NULL */
    int64_t target_k;
    double *weights, *offset; /* owned: columns of the table, n numbers each, or NULL */
    char **columns;           /* owned, made by gpis_source_names: d names, or NULL */
    gpis_encoding *encoding;  /* owned: of a table; NULL: none */
    char *cache_trouble;      /* owned: why the cache that was asked for could not be written; NULL: no trouble */
    void *state;              /* owned by the kind */
};

/* A source of the given class, with all other fields zero for the caller to set. NULL when there is no memory. */
gpis_source *gpis_source_new(gpis_context *context, const gpis_source_class *class, const char *name);

/* The number of roles in a set of them. */
int64_t gpis_roles_count(unsigned roles);
/* Gives the source the labels of its rows (labels.c). *labels, n x gpis_roles_count(roles), is taken over. */
gpis_status gpis_source_take_labels(gpis_source *source, unsigned roles, double **labels);
/* Copies the labels that `from` has of its rows row0 .. row0 + nrows - 1 to the rows of `source` from `to` on. The
 * first call makes space for the labels of all its rows, `all` of them. */
gpis_status gpis_source_copy_labels(gpis_source *source, int64_t all, int64_t to, const gpis_source *from, int64_t row0,
                                    int64_t nrows);
/* The roles of the labels that it has. */
unsigned gpis_source_roles(const gpis_source *source);

/* Bytes of A that may be held in memory, or mapped there; a file that needs more is read at each pass. */
int64_t gpis_source_budget(const gpis_context *context, const gpis_open_options *options);
/* Bytes of a row as it is stored; of compressed rows, the mean. */
double gpis_source_row_bytes(const gpis_source *source);
/* GPIS_IO if the file has changed since it was opened. */
gpis_status gpis_source_unchanged(gpis_source *source);
/* Rows on this rank: all rows, unless the source is spread over several ranks. */
int64_t gpis_source_rows_here(const gpis_source *source);
/* A source in one piece that holds some of the rows: the source itself, or one of its parts on this rank; NULL: this
 * rank has none. */
gpis_source *gpis_source_piece(gpis_source *source);

/* Copies of single rows (pick.c). */

/* Whether single rows can be copied: A is in memory, and in one piece. */
bool gpis_source_can_pick(const gpis_source *A);
/* Bytes that copies of m rows take, about. */
double gpis_source_pick_memory(const gpis_source *A, int64_t m);
/* A source of its own that holds copies of the m rows of A with these numbers, in the order given. */
gpis_status gpis_source_pick(gpis_context *context, gpis_source *A, const int64_t *numbers, int64_t m,
                             gpis_source **out);

/* A source that has the `count` columns of A with these numbers, ascending, and fetches the rows of A, which it borrows
 * and which is in one piece, at each pass (choose_columns.c). It has neither labels nor names. */
gpis_status gpis_source_choose(gpis_context *context, gpis_source *A, const int64_t *columns, int64_t count,
                               gpis_source **out);

/* A source that has the columns of A T, d x d, as sums of two doubles: 2 d columns (turn_columns.c). It fetches the
 * rows of A as the one above does, and has neither labels nor names. T is copied. */
gpis_status gpis_source_turn(gpis_context *context, gpis_source *A, const double *T, gpis_source **out);

/* For messages: the file's name, or "A". */
const char *gpis_source_name(const gpis_source *source);
/* For messages: the name of column j, in quotes and safe to print, or else its number. */
typedef struct gpis_column_label {
    char text[64];
} gpis_column_label;
gpis_column_label gpis_source_label(const gpis_source *source, int64_t j);

/* The names of columns as `columns` above holds them: `count` pointers and the texts they point to in one allocation,
 * so that millions of short names take little more memory than their letters. `words` are the names, each with a NUL
 * behind it, `bytes` bytes in all. NULL when there is no memory. */
char **gpis_source_names(gpis_context *context, const char *words, int64_t bytes, int64_t count);

/* Continues the checksum *sum with some hundred rows spread over A. Equal data give equal checksums, whatever their
 * storage (fingerprint.c). */
gpis_status gpis_source_fingerprint(gpis_context *context, gpis_source *source, uint32_t *sum);

#endif
