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
#include "sketch/sketch.h"
#include "source/source.h"

typedef struct gpis_pass {
    int64_t k;       /* responses: columns of X, Y, P */
    const double *Y; /* n x k */
    const double *X; /* d x k: where to evaluate; NULL: no objective and no gradient */
    const double *P; /* d x k: a direction; NULL: none */
    const double *V; /* d x probes: vectors that ride along; NULL: none */
    int64_t probes;
    bool extended; /* residuals in extended precision: slow, for the last digits */
    /* What is wanted; NULL: not wanted. */
    double *objective;   /* ||A X - Y||_F^2 */
    double *G;           /* A'(A X - Y), d x k */
    double *AP2;         /* ||A P||_F^2 */
    double *AAV;         /* A'A V, d x probes */
    double *Y2;          /* ||Y||_F^2 */
    double *norms2;      /* squared norms of the columns of A, d */
    double *gram;        /* A'A, d x d, both triangles */
    gpis_sketch *sketch; /* absorbs all rows (and Y when it was made with k > 0), then finishes */
} gpis_pass;

/* GPIS_BAD_DATA with row and column when a sum comes out not finite because A or Y is not. */
gpis_status gpis_pass_run(gpis_context *context, gpis_source *A, const gpis_pass *pass);

/* Bytes that a pass takes while it runs: sums of the strips, scratch of the threads, windows. What the sketch holds is
 * not among them. */
typedef struct gpis_pass_load {
    int64_t k, probes;
    bool gram, sketch; /* what it makes besides gradients */
} gpis_pass_load;
double gpis_pass_memory(const gpis_context *context, const gpis_source *A, gpis_pass_load load);
/* Strips of a Gram pass over n rows of d columns: each has a d x d sum of its own. */
double gpis_pass_gram_strips(double n, double d);

/* How many roundings, at most, a sum of a pass goes through, each worth 2^-53 of the sum of the absolute terms: an
 * entry of A'R is within gradient * 2^-53 * ||a_j|| ||r|| of the exact sum. */
typedef struct gpis_roundings {
    double objective, gradient, gram;
} gpis_roundings;
gpis_roundings gpis_pass_roundings(const gpis_source *A, int64_t k, bool extended);

#endif
