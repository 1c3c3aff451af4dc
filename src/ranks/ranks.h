/*
 * ranks: rows in several parts, on this rank and on others. Other modules need not know about it: gpis_source_join
 * makes a source like any other, which a pass walks by the functions of its gpis_walk (pass.h). The functions below are
 * for the code that begins and ends the work of all ranks. They do nothing special for a source in one piece.
 */
#ifndef GPIS_RANKS_H
#define GPIS_RANKS_H

#include "pass/pass.h"

int gpis_ranks_count(const gpis_source *A);         /* 1: there are no others */
int gpis_ranks_machines(const gpis_source *A);      /* that the ranks run on, as far as they know */
int64_t gpis_ranks_rows_here(const gpis_source *A); /* rows of A that this rank holds */
int64_t gpis_ranks_first_row(const gpis_source *A); /* the number of the first of them in A */
/* True on the ranks that serve rank 0 with their rows of this source. */
bool gpis_ranks_is_served(const gpis_source *A);

/* All ranks: each gives its status; all return that of the first rank that has failed, with its message. */
gpis_status gpis_ranks_agree(const gpis_source *A, gpis_status status);
/* All ranks: copies bytes, or numbers, of rank 0 to the others. */
gpis_status gpis_ranks_share(const gpis_source *A, void *bytes, int64_t count);
gpis_status gpis_ranks_share_numbers(const gpis_source *A, double *numbers, int64_t count);
/* All ranks: each number becomes the sum over the ranks. */
gpis_status gpis_ranks_sum(const gpis_source *A, double *numbers, int64_t count);

/* Ranks other than 0: take part in passes with their rows of A and Y, and with the weights in `terms`, until rank 0
 * dismisses all ranks; return the status that rank 0 passes to gpis_ranks_dismiss, with its message. On rank 0,
 * gpis_ranks_dismiss returns `status`. */
gpis_status gpis_ranks_serve(gpis_context *context, gpis_source *A, const double *Y, const gpis_terms *terms);
gpis_status gpis_ranks_dismiss(gpis_context *context, gpis_source *A, gpis_status status);

/* Rank 0: a pass over B, m x d, whose terms may be a ridge. The other ranks of A help with the Gram matrix if that is
 * worth the messages. With X, *point is the point measured there (gpis_pass_point). */
gpis_status gpis_ranks_pass_over(gpis_context *context, gpis_source *A, const double *B, int64_t m, int64_t d,
                                 const gpis_pass *pass, const double *norms2, gpis_point *point);

/* By what A and Y (k columns) are recognised, over all ranks: checksums of some hundred rows of each part of A, of all
 * of Y and of the weights, and of the numbers of rows of the ranks, equal for equal data, whatever their storage; and
 * of what decides how the processors of the ranks sum, since rounding errors are counted accordingly. */
typedef struct gpis_identity {
    int ranks;
    uint32_t cut, processors, A, Y, weights;
} gpis_identity;
gpis_status gpis_ranks_identify(gpis_context *context, gpis_source *A, const double *Y, int64_t k,
                                const gpis_terms *terms, gpis_identity *out);

#endif
