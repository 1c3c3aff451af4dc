/*
 * source: where the rows of A come from.
 *
 * The contract. A source hands out blocks: rows row0 .. row0 + nrows - 1 as they are stored, borrowed until the next
 * call with the same scratch. `block` may be called from several threads at once, each with a scratch of its own,
 * unless the source is `serial`. Everything about a file is checked when it is opened, save for NaN and infinity: those
 * show in the first pass (the sums they enter are not finite), and gpis_source_audit then finds the place.
 *
 * A new kind is one new file with a const table of functions, and a line in open.c if files carry it.
 */
#ifndef GPIS_SOURCE_H
#define GPIS_SOURCE_H

#include "base/base.h"
#include "linalg/block.h"

typedef struct gpis_source_class {
    const char *kind; /* what gpis_source_describe reports */
    /* Required. Fails only where rows are made or read anew (callback). `scratch` has scratch_doubles(nrows) doubles.
     */
    gpis_status (*block)(gpis_source *source, int64_t row0, int64_t nrows, double *scratch, gpis_block *out);
    void (*destroy)(gpis_source *source); /* frees what the kind owns, not the gpis_source itself */
    /* Optional (NULL: none needed): doubles of scratch for a block of nrows rows. */
    int64_t (*scratch_doubles)(const gpis_source *source, int64_t nrows);
    bool on_demand; /* rows are made, not read: a pass reads no bytes */
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
    bool resident;              /* all rows can be had at once, block(0, n), without copying */
    int dimensions;             /* of the array in the file: 1 for a plain vector; 0: it does not say */
    char *name;                 /* owned: the file's path, for messages; NULL in memory */
    int64_t first;              /* row 0 is this row of the file, for messages */
    const gpis_source *of;      /* borrowed: the source it is a part of, which knows the columns; NULL: none */
    double *target;             /* owned: n x target_k, or NULL */
    int64_t target_k;
    char **columns; /* owned: d names, or NULL */
    void *state;    /* owned by the kind */
};

/* A cleared source of the given kind; its owner fills the rest. NULL when there is no memory. */
gpis_source *gpis_source_new(gpis_context *context, const gpis_source_class *class, const char *name);

/* True on ranks that serve rank 0 their part of this source (join.h). */
bool gpis_source_is_elsewhere(const gpis_source *source);

/* For messages: the file's name, or "A". */
const char *gpis_source_name(const gpis_source *source);

#endif
