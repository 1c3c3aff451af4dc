/*
 * summary: what one sweep over the rows keeps, so that they need not be read again: for each fold f of the rows the
 * sums W_f = [A 1 Y]'[A 1 Y] in two doubles, with a bound on their rounding errors (linalg/quadratic.h), and the names,
 * sizes and conventions that go with them. The sum of all folds is the summary of all rows.
 *
 * Each row counts times the square root of its weight, also in the column of ones, and Y without its offset. The column
 * of ones is always there, so that a problem with an intercept, or with standardised columns, can be stated later.
 */
#ifndef GPIS_SUMMARY_H
#define GPIS_SUMMARY_H

#include "linalg/quadratic.h"
#include "pass/pass.h"
#include "problem/problem.h"

struct gpis_summary {
    gpis_context *context; /* borrowed */
    int64_t d, k;          /* columns of A, responses */
    int64_t folds;         /* at least 1 */
    gpis_quadratic **fold; /* owned: the sums of each fold, d + 1 columns and k responses */
    gpis_quadratic *whole; /* their sum: owned if there are several folds, else fold[0] */
    int64_t *rows;         /* owned: of each fold */
    gpis_source *A;        /* owned: sizes, names and encoding of the columns; it has no rows */
    char **responses;      /* owned, made by gpis_source_names: k names; NULL: none */
    bool weighted, offset; /* there were weights, an offset */
    bool given_folds;      /* the folds were given row by row, not drawn */
    uint64_t seed;         /* that they were drawn with */
};

enum { GPIS_MAX_FOLDS = 1 << 16 };

/* A summary with sums to be filled in, and without names. */
gpis_status gpis_summary_new(gpis_context *context, int64_t d, int64_t k, int64_t folds, gpis_summary **out);
/* Takes the names of the columns, and the encoding, of `from`. */
gpis_status gpis_summary_take_names(gpis_summary *summary, const gpis_source *from);
gpis_status gpis_summary_name_responses(gpis_summary *summary, const char *const *names);

/* The problem with the summary of its rows in the place of the rows. */
static inline gpis_problem gpis_summary_instead_of_rows(const gpis_problem *given, const gpis_summary *summary) {
    gpis_problem p = *given;
    p.A = summary->A;
    p.n = summary->A->n;
    p.Y = p.weights = p.offset = NULL;
    p.summary = summary->whole;
    p.made_of = summary;
    if (p.set && p.set->shape == GPIS_SHAPE_WHOLE) p.set = NULL;
    return p;
}

/* Makes summary->whole, and the number of rows of A, from the folds. */
gpis_status gpis_summary_complete(gpis_summary *summary);
/* The sum of all folds but one, of which there are at least two: the rows for training. The caller destroys it. */
gpis_status gpis_summary_training(const gpis_summary *summary, int64_t fold, gpis_quadratic **out);

/* Makes the sums by one sweep over the rows of a complete problem with a constant column (sweep.c). Rank 0 calls it
 * while the others serve. */
gpis_status gpis_summary_sweep(gpis_summary *summary, const gpis_problem *problem, const gpis_folds *folds,
                               gpis_watch *watch);
/* Bytes that the sweep takes beside the sums that it makes. */
double gpis_summary_memory(const gpis_problem *problem, const gpis_folds *folds);
/* All ranks, which have the sums by now: counts the rows of each fold. */
gpis_status gpis_summary_count_rows(gpis_summary *summary, const gpis_problem *problem, const gpis_folds *folds);

#endif
