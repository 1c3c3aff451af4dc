/*
 * pass: the only code that walks the rows of A. One sweep computes all sums that are asked for.
 *
 * Rows are cut into chunks that stay in cache, and chunks into runs; run r belongs to strip r mod S, and each strip has
 * sums of its own, which are added up in order at the end. The cut depends on the shape of the problem alone, so the
 * result has the same bits whatever the number of threads, the windows that rows come in (window.h) and the memory.
 */
#ifndef GPIS_PASS_H
#define GPIS_PASS_H

#include "base/base.h"
#include "linalg/point.h"
#include "linalg/terms.h"
#include "pass/watch.h"
#include "sketch/sketch.h"
#include "source/source.h"

/* Squares of numbers below this lose digits by underflow, or all of them. */
static const double GPIS_TINY = 0x1p-450;

/* By which folds the summary is summed. Row i of A is in the fold that terms.fold[i] names or, where that is NULL, in
 * one that depends on the seed and on its number in the whole of A alone (folds.h). */
typedef struct gpis_folds {
    int64_t count; /* 0 and 1: there are no folds */
    uint64_t seed;
    int64_t first; /* the number of the first row of A among all rows that have folds */
} gpis_folds;

typedef struct gpis_pass {
    int64_t k;       /* responses: columns of X, Y, P */
    const double *Y; /* n x k */
    const double *X; /* d x k: where to evaluate; NULL: no objective and no gradient */
    const double *P; /* d x k: a direction; NULL: none */
    const double *V; /* d x probes: more vectors to multiply by A; NULL: none */
    int64_t probes;
    const double *XS; /* d x many: points whose residuals are summed apart; NULL: none. Column c is about response
                       * c mod k, and without Y all responses count as 0 */
    int64_t many;
    const int64_t *leave;   /* of each column of XS, the fold whose rows it leaves out; -1: none */
    gpis_terms terms;       /* with a constant column, d counts it, here and below, and it is the last column */
    bool extended;          /* compute residuals in extended precision: slow, for the last digits */
    bool quick;             /* sum short blocks of the summary in double (linalg/gram_two.h), which is about as fast as
                             * the Gram matrix; else all of it in double-double (linalg/gram_dd.h) */
    bool sparing;           /* entries are looked at for `nonzeros` only as long as the squares of their column, which
                             * the quick summary has, add up to less than GPIS_TINY^2: for most data, never */
    const int64_t *columns; /* the columns that the Gram matrix is of, increasing; NULL: all */
    int64_t count;          /* how many `columns` there are */
    gpis_folds folds;       /* of the quick summary, of the moments and of `leave` */
    int64_t row0; /* for sketch and folds: the number of the first row in the whole of A, if these rows are a part */
    int64_t skip; /* the sketch does not absorb this many of the first rows */
    /* Results; those that are NULL are not computed. */
    double *objective; /* ||A X - Y||_F^2 */
    double *G;         /* A'(A X - Y), d x k */
    double *AP2;       /* ||A P||_F^2 */
    double *AAV;       /* A'A V, d x probes */
    double *misses;    /* for each probe v, the number of rows where A v is not exactly zero (linalg/exact.h) */
    double *norms2;    /* squared norms of the columns of A, d */
    double *gram;      /* A'A, d x d, both triangles; with `columns`, count x count */
    double *nonzeros; /* of each column of A, the number of entries that are not zero, d; with `sparing` a number > 0 or
                         0 */
    double *y_sizes;  /* how many entries of Y are not zero but smaller than GPIS_TINY, and how many are larger; 2 */
    double *summary;  /* [A Y]'[A Y] in two doubles: (d + k)^2 high parts, then the low parts; with folds, as many
                       * again for each fold */
    double *moments;  /* of the columns of A about the numbers in V, one vector: 3 x d (linalg/moments.h); with folds,
                       * as many again for each fold */
    double *GS;       /* A'(A x - y) for each column x of XS, over the rows that it does not leave out, d x many */
    double *squares;  /* ||A x - y||^2 for each column of XS: over these rows, then over those left out, 2 x many */
    gpis_sketch *sketch; /* absorbs all rows (and Y when it was made with k > 0), then finishes */
    gpis_watch *watch;   /* may stop the pass while it runs (watch.h); NULL: none */
} gpis_pass;

/* The summary is (d + k) x (d + k), with both triangles. If Y is NULL, it counts as 0 there.
 *
 * GPIS_BAD_DATA, with row and column in the message, when a sum is not finite because A or Y is not; GPIS_STOPPED when
 * the watch has stopped the pass. If A is spread over ranks, rank 0 calls this while the others serve (ranks.h), and Y
 * are the rows of this rank. */
gpis_status gpis_pass_run(gpis_context *context, gpis_source *A, const gpis_pass *pass);

/* ---- what a pass costs and how exact it is: all of it follows from one cut (cut.h) ------------------------------- */

/* What a pass computes, in numbers. Together with the source it determines the cut, the roundings and the memory. */
typedef struct gpis_load {
    int64_t d, k, probes, many;
    int64_t gram;      /* columns of the Gram matrix; 0: there is none */
    bool some_columns; /* the Gram matrix is of selected columns */
    unsigned wanted;   /* a bit for each sum (sums.h) */
    bool extended, sketch;
    bool quick;                    /* of the summary */
    int64_t folds;                 /* of what is summed by folds; 0 and 1: there are no folds */
    bool weights, constant, ridge; /* the terms; d counts the constant column */
} gpis_load;

/* columns: of A as it is stored. */
gpis_load gpis_load_of(const gpis_pass *pass, int64_t columns);
/* For predictions: a pass with objective, gradient, norms of the columns, `probes` probes and a Gram matrix of `gram`
 * columns, in the precision that takes more memory. */
gpis_load gpis_load_worst(int64_t d, int64_t k, int64_t probes, int64_t gram, bool sketch);

/* For predictions: the same with the summary; the same for a problem with these terms, whose constant column d counts.
 */
gpis_load gpis_load_with_summary(gpis_load load, bool quick);
gpis_load gpis_load_with_terms(gpis_load load, const gpis_terms *terms);

/* Bytes that a pass allocates while it runs: sums of the strips, scratch of the threads, windows. The memory of the
 * sketch is not included. */
double gpis_pass_memory(const gpis_context *context, const gpis_source *A, const gpis_load *load);
/* The number of strips of a pass with a Gram matrix over n x d; each strip holds d x d numbers. */
double gpis_pass_gram_strips(double n, double d);
/* The same of a pass with the quick summary over dense rows; each strip holds 2 (d + k)^2 numbers. */
double gpis_pass_quick_strips(double n, double d);

/* Upper bounds on the number of roundings that a term of a sum goes through, each worth 2^-53 of the sum of the
 * absolute terms: an entry of A'r is within gradient * 2^-53 * ||a_j|| ||r|| of the exact sum. Roundings in a higher
 * precision count as fractions. tests/pass/test_longest_path.c compares the counts with the roundings of real passes.
 */
typedef struct gpis_roundings {
    double residual; /* of a product a_i x, in the precision in which it is computed */
    double objective;
    double gradient; /* A'r, for a computed r */
    double products; /* A'(A V), for a computed A V */
    double gram;
    /* Not a number of roundings but the error itself: each entry (i, j) of the summary is within summary ||a_i||
     * ||a_j|| of the exact one, where a_i is column i of [A Y]. This assumes that each of these columns is zero or has
     * a norm of at least GPIS_TINY (method/range.c). */
    double summary;
} gpis_roundings;
gpis_roundings gpis_pass_roundings(const gpis_source *A, const gpis_load *load);

/* The point that a pass has measured: X, the results there, and the rounding errors of this very pass. The point
 * borrows `norms2`, the squared norms of the columns of A. */
gpis_point gpis_pass_point(const gpis_source *A, const gpis_pass *pass, const double *norms2);
/* The rounding errors of a column x of XS, d numbers, whose squares add up to f. `ridge`: a ridge has been added to the
 * sums since, with one rounding each. */
gpis_errors gpis_pass_errors(const gpis_source *A, const gpis_pass *pass, const double *x, double f, bool ridge,
                             const double *norms2);

/* ---- sources in several parts ------------------------------------------------------------------------------------ */

/* How a pass walks over a source that consists of parts and has no blocks of its own. */
struct gpis_walk {
    gpis_status (*run)(gpis_context *context, gpis_source *A, const gpis_pass *pass);
    gpis_roundings (*roundings)(const gpis_source *A, const gpis_load *load);
    double (*memory)(const gpis_context *context, const gpis_source *A, const gpis_load *load);
};

#endif
