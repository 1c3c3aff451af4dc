/*
 * The cut: how the rows of a source are divided into chunks, chunks into runs, and runs among strips (pass.h), and how
 * a chunk is worked on. It is made once for a pass, from the shape of the source and the load alone; the sweep follows
 * it, and the memory and the roundings of the pass are read off it, so that they cannot disagree.
 */
#ifndef GPIS_CUT_H
#define GPIS_CUT_H

#include "pass/pass.h"

/* Up to so many responses go one by one through the fused kernel, more through BLAS; both read the chunk from cache. */
enum { GPIS_FEW_RESPONSES = 8 };

typedef struct gpis_cut {
    int64_t chunk_rows; /* rows that are worked on at a time; they stay in cache */
    int64_t run;        /* chunks in a row that belong to one strip */
    int64_t chunks, strips;
    int64_t strip_size; /* numbers that the sums of a strip take, padded to whole cache lines */
    /* How a chunk is worked on. */
    bool transposed;     /* dense rows and few vectors: X, P, V and the strips' G and A'A V are held transposed */
    bool unpack;         /* BLAS needs row-major doubles, and the blocks are not */
    bool gram_by_parts;  /* the Gram matrix goes through part_rows at a time, as all else does */
    int64_t part_rows;   /* all but the Gram matrix goes through so many rows of a chunk at a time */
    int64_t unpacked_at; /* in the scratch of a thread, whose beginning is the residual: rows as doubles, */
    int64_t columns_at;  /* and the selected columns */
    int64_t scratch;     /* numbers that a thread needs */
} gpis_cut;

gpis_cut gpis_cut_make(const gpis_source *A, const gpis_load *load);
/* The worst roundings of all ways to cut as many rows as A has, or fewer: for parts of which nothing but the length of
 * the longest is known. */
gpis_roundings gpis_cut_worst_roundings(const gpis_source *A, const gpis_load *load);
/* Threads that the sweep can use, out of `threads`. */
int gpis_cut_threads(const gpis_cut *cut, const gpis_source *A, const gpis_load *load, int threads);

#endif
