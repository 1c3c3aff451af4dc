/*
 * sketch: S of m x n with E[S'S] = I, applied to the rows of A (and of Y) as they pass.
 *
 * The contract. Entry (r, i) of S is a function of (kind, m, seed, round, r, i) and, for sampling, of n: never of
 * blocks, threads or ranks. `absorb` is given blocks of rows, in order, by one thread, and may use `threads` threads
 * inside; row0 and nrows are multiples of GPIS_SKETCH_QUANTUM, except where A or a part of it ends. It adds to s->into,
 * and the sums run in an order fixed by the row numbers. Leaves of rows (tree.h) are added up by the callers, so SA has
 * the same bits for any block size, thread count and partition of the rows.
 *
 * A new kind is one new file and one line in the list of base/names.h; it inherits tests/sketch/test_conformance.c.
 */
#ifndef GPIS_SKETCH_H
#define GPIS_SKETCH_H

#include "base/base.h"
#include "linalg/block.h"
#include "sketch/tree.h"

enum { GPIS_SKETCH_QUANTUM = 1024 };

typedef struct gpis_sketch gpis_sketch;

typedef struct gpis_sketch_class {
    const char *name;
    bool whole;   /* needs all rows in one block (SRHT): not possible for rows made on demand */
    bool of_rows; /* rows of SA are multiples of rows of A: if A is resident, they can be copied without a pass */
    /* Allocates s->state; SA and SY are allocated and zero already. If `finish` computes them from longer sums, these
     * are allocated and zeroed here, and s->sums and s->rows are set to them. */
    gpis_status (*start)(gpis_sketch *s);
    /* Y: the same rows of Y, rows->nrows x k, row-major; ignored if k is 0 */
    gpis_status (*absorb)(gpis_sketch *s, const gpis_block *rows, const double *Y, int threads);
    gpis_status (*finish)(gpis_sketch *s, int threads); /* optional: from s->sums to SA and SY */
    void (*stop)(gpis_sketch *s);                       /* frees s->state, which may be NULL */
    /* flops to sketch n x d to m rows, in units of one full gradient (4 n d flops) */
    double (*cost)(int64_t n, int64_t d, int64_t m);
    /* bytes that it holds while it absorbs, besides SA and SY */
    double (*memory)(int64_t n, int64_t d, int64_t m, int threads);
} gpis_sketch_class;

struct gpis_sketch {
    const gpis_sketch_class *class;
    gpis_context *context; /* borrowed */
    int64_t m, n, d, k;    /* k: columns of Y, which is sketched as well; 0: none */
    uint64_t seed, round;
    double *SA;          /* m x d, row-major */
    double *SY;          /* m x k, row-major; NULL when k is 0 */
    double *owned[2];    /* SA and SY, if they do not belong to the caller */
    int64_t rows;        /* of `sums`: m, or more if `finish` computes SA and SY from them */
    gpis_tree_sums sums; /* the sums over the rows of A: SA and SY, or what `finish` computes them from */
    gpis_tree_sums into; /* where absorb adds: a leaf of the tree */
    gpis_tree tree;
    void *state;
};

/* The kind of that name; NULL if there is none. gpis_sketch_names: all of them, comma separated, for messages. */
const gpis_sketch_class *gpis_sketch_find(const char *name);
const char *gpis_sketch_names(void);
/* Kinds by number, from 0, for messages between ranks. */
int gpis_sketch_number(const gpis_sketch_class *class);
const gpis_sketch_class *gpis_sketch_numbered(int number);

/* 1 <= m; m <= n where the kind needs it (srht, sample). */
gpis_status gpis_sketch_create(gpis_context *context, const gpis_sketch_class *class, int64_t m, int64_t n, int64_t d,
                               int64_t k, uint64_t seed, uint64_t round, gpis_sketch **out);
/* The same in the caller's memory, SA of m x d and SY of m x k; NULL: in memory of its own. */
gpis_status gpis_sketch_create_in(gpis_context *context, const gpis_sketch_class *class, int64_t m, int64_t n,
                                  int64_t d, int64_t k, uint64_t seed, uint64_t round, double *SA, double *SY,
                                  gpis_sketch **out);
/* Clears SA and SY, and starts again with another round. */
gpis_status gpis_sketch_restart(gpis_sketch *s, uint64_t round);
/* Absorbs the next rows; at the end, `finish` computes SA and SY. Y: the same rows, k columns. */
gpis_status gpis_sketch_absorb(gpis_sketch *s, const gpis_block *rows, const double *Y, int threads);
gpis_status gpis_sketch_finish(gpis_sketch *s, int threads);
void gpis_sketch_destroy(gpis_sketch *s);

#endif
