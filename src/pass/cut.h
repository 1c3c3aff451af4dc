/*
 * The cut: how the rows of a source are divided into chunks, chunks into runs, and runs among strips (pass.h), and how
 * a chunk is worked on. It is made once for a pass, from the shape of the source and the load alone; the sweep follows
 * it, and the memory and the roundings of the pass are read off it, so that they cannot disagree.
 */
#ifndef GPIS_CUT_H
#define GPIS_CUT_H

#include "pass/pass.h"

/* Up to this many vectors go one by one through the fused kernel; more go through BLAS, which is then faster. */
enum { GPIS_MAX_FUSED_VECTORS = 8 };

typedef struct gpis_cut {
    int64_t chunk_rows; /* rows that are worked on at a time; they stay in cache */
    int64_t run;        /* consecutive chunks that belong to one strip */
    int64_t chunks, strips;
    int64_t counted;    /* so many chunks of a strip are counted at least: fewer rows may be cut into longer strips */
    int64_t strip_size; /* numbers that a strip holds, padded to whole cache lines */
    /* How a chunk is worked on. */
    bool transposed;      /* dense rows and few vectors: X, P, V, and G and A'A V of the strips, are held transposed */
    bool unpack;          /* BLAS needs row-major doubles, and the blocks are not, or not with their terms */
    int64_t part_rows;    /* rows of a chunk that are worked on at a time, for all sums but the Gram matrix */
    bool gram_by_parts;   /* the Gram matrix takes part_rows at a time too, else the whole chunk */
    int64_t unpacked_at;  /* offset of the rows as doubles in the scratch of a thread, which begins with the residual */
    int64_t unpacked_ld;  /* numbers from one of these rows to the next; with terms whole cache lines */
    int64_t responses_at; /* offset of Y with its weights */
    int64_t columns_at;   /* offset of the selected columns in the scratch */
    int64_t summary_at;   /* offset of what the summary needs (linalg/gram_dd.h) in the scratch */
    int64_t folds_at;     /* offset of the numbers of the rows, sorted by folds: whole numbers, as large as doubles */
    int64_t scratch;      /* numbers in the scratch of a thread */
} gpis_cut;

gpis_cut gpis_cut_make(const gpis_source *A, const gpis_load *load);
/* Upper bounds on the roundings of all ways to cut A->n rows or fewer: for parts of which only the length of the
 * longest is known. Where the machines that hold the parts are not alike, the bounds hold for the kernels of all. */
gpis_roundings gpis_cut_worst_roundings(const gpis_source *A, const gpis_load *load, bool alike);
/* The larger of two counts, for each sum. */
gpis_roundings gpis_cut_larger_roundings(gpis_roundings a, gpis_roundings b);
/* Threads that the sweep can use, out of `threads`. */
int gpis_cut_threads(const gpis_cut *cut, const gpis_source *A, const gpis_load *load, int threads);

#endif
