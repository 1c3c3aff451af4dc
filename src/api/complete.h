/*
 * The complete problem of a call: what everything behind the interface works with (problem/problem.h). It is made in
 * steps, since plans read nothing, and since ranks have to take some of the steps together:
 *
 * - gpis_complete_begin checks that the terms fit each other, and counts the rows of X; it reads nothing;
 * - gpis_complete_response subtracts the offset from Y;
 * - gpis_complete_together, which all ranks call, adds up what the ranks have, finds the standard deviations by one or
 *   two passes or from the summary, and makes ridge_j and the summary of the columns of the complete problem;
 * - gpis_complete_set makes the set of all rows of X.
 */
#ifndef GPIS_API_COMPLETE_H
#define GPIS_API_COMPLETE_H

#include "problem/problem.h"

typedef struct gpis_completion {
    gpis_problem problem; /* complete, as far as the steps have come */
    gpis_set *every_x;    /* owned: K of a problem without a set; NULL: it has one */
    gpis_set *extended;   /* owned: K with b, for standardised columns; NULL: K itself */
    gpis_set *every_core; /* owned: every x without b; NULL: the problem has a set, or no constant */
    gpis_set *core;       /* owned: what problem.core is, where that is not the caller's set; NULL: it is, or none is */
    double *Y;            /* owned: Y minus the offset; NULL: there is no offset */
    double *scale;   /* owned: the standard deviations of the columns of A, 1 for a column that does not vary; NULL: the
                        columns are not standardised */
    double *ridge;   /* owned: problem.d numbers; NULL: none */
    double *penalty; /* owned: problem.d numbers; NULL: none */
    gpis_quadratic *summary; /* owned: what problem.summary points to; NULL: that is borrowed, or there is none */
    int64_t sweeps;          /* passes that were made for the standard deviations */
} gpis_completion;

/* *c is empty after a failure, too, and gpis_complete_end takes it in any case. */
gpis_status gpis_complete_begin(const gpis_problem *given, gpis_completion *c);
gpis_status gpis_complete_response(gpis_completion *c);
gpis_status gpis_complete_together(gpis_completion *c);
gpis_status gpis_complete_set(gpis_completion *c);
void gpis_complete_end(gpis_completion *c);

/* For a problem without rows: makes problem.summary that of the complete problem, its columns and its ridge, and the
 * standard deviations of standardised columns (complete_summary.c). */
gpis_status gpis_complete_spread_of_summary(gpis_completion *c);
gpis_status gpis_complete_summary(gpis_completion *c);

#endif
