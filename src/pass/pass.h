/*
 * pass: the only code that walks the rows of A. One sweep feeds every accumulator that is asked for.
 *
 * Rows are cut into chunks that stay in cache, and chunks into runs; run r belongs to strip r mod S, and each strip has
 * sums of its own, which are added up in order at the end. The cut depends on the shape of the problem alone, so the
 * result has the same bits whatever the number of threads, the windows that rows come in (window.h) and the memory.
 */
#ifndef GPIS_PASS_H
#define GPIS_PASS_H

#include "base/base.h"
#include "linalg/point.h"
#include "pass/watch.h"
#include "sketch/sketch.h"
#include "source/source.h"

typedef struct gpis_pass {
    int64_t k;       /* responses: columns of X, Y, P */
    const double *Y; /* n x k */
    const double *X; /* d x k: where to evaluate; NULL: no objective and no gradient */
    const double *P; /* d x k: a direction; NULL: none */
    const double *V; /* d x probes: vectors that ride along; NULL: none */
    int64_t probes;
    bool extended;          /* residuals in extended precision: slow, for the last digits */
    const int64_t *columns; /* rising: those that the Gram matrix is of; NULL: all */
    int64_t count;          /* of columns */
    int64_t row0;           /* what number the first row has for the sketch, where the rows are a part of A */
    int64_t skip;           /* so many of the first rows are not for the sketch */
    /* What is wanted; NULL: not wanted. */
    double *objective;   /* ||A X - Y||_F^2 */
    double *G;           /* A'(A X - Y), d x k */
    double *AP2;         /* ||A P||_F^2 */
    double *AAV;         /* A'A V, d x probes */
    double *misses;      /* of each of the probes v, the rows for which A v is not exactly zero (linalg/exact.h) */
    double *norms2;      /* squared norms of the columns of A, d */
    double *gram;        /* A'A, d x d, both triangles; with `columns`, of those alone: count x count */
    gpis_sketch *sketch; /* absorbs all rows (and Y when it was made with k > 0), then finishes */
    gpis_watch *watch;   /* asked while the pass runs; NULL: nobody is */
} gpis_pass;

/* GPIS_BAD_DATA with row and column when a sum comes out not finite because A or Y is not; GPIS_STOPPED when the watch
 * said so. Where A is spread over ranks, rank 0 calls it and the others serve (ranks.h); Y are the rows of this rank.
 */
gpis_status gpis_pass_run(gpis_context *context, gpis_source *A, const gpis_pass *pass);

/* ---- what a pass costs and how exact it is: all of it follows from one cut (cut.h) ----------------------------------
 */

/* What a pass carries, as numbers: with the source, all that its cut, its roundings and its memory depend on. */
typedef struct gpis_load {
    int64_t d, k, probes;
    int64_t gram;      /* columns of the Gram matrix; 0: there is none */
    bool some_columns; /* they are named one by one, and need not be all of A */
    unsigned wanted;   /* a bit for each sum (sums.h) */
    bool extended, sketch;
} gpis_load;

gpis_load gpis_load_of(const gpis_pass *pass, int64_t d);
/* For plans: a pass with objective, gradient, norms of the columns, these probes and this Gram matrix, in the precision
 * that takes more memory. */
gpis_load gpis_load_worst(int64_t d, int64_t k, int64_t probes, int64_t gram, bool sketch);

/* Bytes that a pass takes while it runs: sums of the strips, scratch of the threads, windows. What the sketch holds is
 * not among them. */
double gpis_pass_memory(const gpis_context *context, const gpis_source *A, const gpis_load *load);
/* Strips of a Gram pass over n rows of d columns: each has a d x d sum of its own. */
double gpis_pass_gram_strips(double n, double d);

/* Upper bounds on the number of roundings that a term of a sum goes through, each worth 2^-53 of the sum of the
 * absolute terms: an entry of A'r is within gradient * 2^-53 * ||a_j|| ||r|| of the exact sum. */
typedef struct gpis_roundings {
    double residual; /* of a product a_i x, in the precision in which it is computed */
    double objective, gradient, gram;
} gpis_roundings;
gpis_roundings gpis_pass_roundings(const gpis_source *A, const gpis_load *load);

/* The point that a pass has measured: what it was asked at X, with the errors of this very pass. `norms2`, the squared
 * norms of the columns of A, is borrowed by the point. */
gpis_point gpis_pass_point(const gpis_source *A, const gpis_pass *pass, const double *norms2);

/* ---- sources in several parts
 * -------------------------------------------------------------------------------------------
 */

/* How a pass goes over a source that has no blocks of its own, since its rows lie in several places. */
struct gpis_walk {
    gpis_status (*run)(gpis_context *context, gpis_source *A, const gpis_pass *pass);
    gpis_roundings (*roundings)(const gpis_source *A, const gpis_load *load);
    double (*memory)(const gpis_context *context, const gpis_source *A, const gpis_load *load);
};

#endif
