/*
 * source: where the rows of A come from.
 *
 * The contract. A source hands out blocks: rows row0 .. row0 + nrows - 1 as they are stored (float32 stays float32).
 *
 * resident      All rows can be had at once, block(0, n), without copying and without scratch.
 * not resident  Each pass fetches the rows anew, a window at a time. `block` writes them to the scratch, dense in
 *               either order or CSR with indptr relative to the arrays there, or points to where it has them itself;
 *               either is borrowed until the next call with the same scratch. A reader thread asks for the windows in
 *               ascending order, with two scratches in turn, while others work on the window before. row0 is a
 *               multiple of the nrows of the first call of the pass.
 * !serial       `block` may be called from several threads at once, each with a scratch of its own: of dense rows in
 *               row-major order that are not resident each thread then fetches the few it is about to work on, and
 *               the reader thread only announces them (`ahead`).
 * in_place      Not resident, and `block` maps the rows into memory: no scratch is given (NULL), but scratch_bytes of
 *               it are accounted for, and each block is given back (`done`) when it has been used.
 *
 * A call that fails says why with gpis_fail and returns the status; the pass ends and reports the first rows that
 * failed. Everything about a file is checked when it is opened, save for NaN and infinity: those show in the first pass
 * (the sums they enter are not finite), and gpis_source_audit then finds the place.
 *
 * A new kind is one new file with a const table of functions, and a line in open.c if files carry it.
 */
#ifndef GPIS_SOURCE_H
#define GPIS_SOURCE_H

#include "base/base.h"
#include "linalg/block.h"

/* A window of a column-major file: a piece of every column, so as large as may be, and of a memory limit this part. */
enum { GPIS_COLUMNS_BYTES = 1 << 27, GPIS_COLUMNS_SHARE = 8 };

typedef struct gpis_source_class {
    const char *kind; /* what gpis_source_describe reports */
    gpis_status (*block)(gpis_source *source, int64_t row0, int64_t nrows, void *scratch, gpis_block *out);
    void (*destroy)(gpis_source *source); /* frees what the kind owns, not the gpis_source itself */
    /* The rest is optional; NULL: there is no need. */
    /* Bytes of scratch for any block of nrows rows whose row0 is a multiple of nrows. Needed unless resident. */
    int64_t (*scratch_bytes)(const gpis_source *source, int64_t nrows);
    /* Takes back a block. Needed where blocks are in place. */
    void (*done)(gpis_source *source, const gpis_block *block);
    /* These rows will be asked for soon: starts to bring them near. Cannot fail: `block` will. */
    void (*ahead)(gpis_source *source, int64_t row0, int64_t nrows);
    /* GPIS_IO if the file is not what it was when it was opened. Asked before and after each pass. */
    gpis_status (*unchanged)(gpis_source *source);
    /* For a source whose rows lie in several places (ranks/): it has no blocks of its own, and answers these itself. */
    void (*describe)(const gpis_source *source, gpis_source_info *info); /* corrects what was filled in */
    gpis_status (*audit)(gpis_context *context, gpis_source *source);
    gpis_status (*fingerprint)(gpis_context *context, gpis_source *source, uint32_t *sum);
    int64_t (*rows_here)(const gpis_source *source);
    gpis_source *(*piece)(const gpis_source *source); /* one of its pieces that is here; NULL: there is none */
    const struct gpis_walk *walk;                     /* how a pass goes over it (pass.h) */
    bool on_demand;                                   /* rows are made, not read: a pass reads no bytes */
    bool in_place;
    bool by_all; /* `block` works with all threads of the context: no reader thread, it is called between the windows */
} gpis_source_class;

struct gpis_source {
    const gpis_source_class *class;
    gpis_context *context; /* borrowed */
    int64_t n, d;
    int64_t nonzeros;
    gpis_type type;
    gpis_block_kind block_kind; /* what its blocks look like */
    gpis_order order;           /* of dense blocks */
    bool serial;                /* one call of block at a time */
    bool resident;
    int dimensions;        /* of the array in the file: 1 for a plain vector; 0: it does not say */
    char *name;            /* owned: the file's path, for messages; NULL in memory */
    int64_t first;         /* row 0 is this row of the file, for messages */
    const gpis_source *of; /* borrowed: the source it is a part of, which knows the columns; NULL: none */
    double *target;        /* owned: n x target_k, or NULL */
    int64_t target_k;
    int64_t
        target_number;   /* number, from 1, of the file's column that became the target; 0: none, or there are names */
    char **columns;      /* owned, made by gpis_source_names: d names, or NULL */
    char *cache_trouble; /* owned: why the cache that was asked for could not be written; NULL: nothing to say */
    void *state;         /* owned by the kind */
};

/* A cleared source of the given kind; its owner fills the rest. NULL when there is no memory. */
gpis_source *gpis_source_new(gpis_context *context, const gpis_source_class *class, const char *name);

/* Bytes of A that may be held in memory, or mapped there; a file that needs more is read at each pass. */
int64_t gpis_source_budget(const gpis_context *context, const gpis_open_options *options);
/* Bytes of a row as it is stored; the mean, for compressed rows. */
double gpis_source_row_bytes(const gpis_source *source);
/* GPIS_IO if the file has changed since it was opened. */
gpis_status gpis_source_unchanged(gpis_source *source);
/* Rows that are on this rank; all of them where there are no others. */
int64_t gpis_source_rows_here(const gpis_source *source);
/* A source in one piece whose rows are some of this one's: itself, or one of its pieces on this rank; NULL: there is
 * none. */
gpis_source *gpis_source_piece(gpis_source *source);

/* Copies of single rows (pick.c). */

/* Whether single rows can be copied: A is in memory, and in one piece. */
bool gpis_source_can_pick(const gpis_source *A);
/* Bytes that copies of m rows take, about. */
double gpis_source_pick_memory(const gpis_source *A, int64_t m);
/* A source of its own that holds copies of the m rows of A with these numbers, in the order given. */
gpis_status gpis_source_pick(gpis_context *context, gpis_source *A, const int64_t *numbers, int64_t m,
                             gpis_source **out);

/* For messages: the file's name, or "A". */
const char *gpis_source_name(const gpis_source *source);
/* For messages: the number of column j (from 0) as whoever wrote the file counts, from 1 and with the target. */
int64_t gpis_source_column_number(const gpis_source *source, int64_t j);
/* For messages: the name of column j, in quotes and safe to print, or else its number. */
typedef struct gpis_column_label {
    char text[64];
} gpis_column_label;
gpis_column_label gpis_source_label(const gpis_source *source, int64_t j);

/* The names of columns as `columns` above holds them: `count` pointers and the texts they point to in one allocation,
 * so that millions of short names take little more memory than their letters. `words` are the names, each with a NUL
 * behind it, `bytes` bytes in all. NULL when there is no memory. */
char **gpis_source_names(gpis_context *context, const char *words, int64_t bytes, int64_t count);

/* Goes on with a checksum, by some hundred rows spread over A: equal for equal data, wherever they lie
 * (fingerprint.c). */
gpis_status gpis_source_fingerprint(gpis_context *context, gpis_source *source, uint32_t *sum);

#endif
