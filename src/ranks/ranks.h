/*
 * ranks: rows in several parts, here and on other ranks. Other modules need not know that there are any:
 * gpis_source_join makes a source as all others are, over which a pass goes by the functions of gpis_walk (pass.h).
 * What is below is for those who begin and end the work of all ranks, and means nothing for a source in one piece.
 */
#ifndef GPIS_RANKS_H
#define GPIS_RANKS_H

#include "pass/pass.h"

int gpis_ranks_count(const gpis_source *A);         /* 1: there are no others */
int gpis_ranks_machines(const gpis_source *A);      /* that the ranks run on, as far as they know */
int64_t gpis_ranks_rows_here(const gpis_source *A); /* rows of A that this rank holds */
/* True on the ranks that serve rank 0 with their rows of this source. */
bool gpis_ranks_is_served(const gpis_source *A);

/* All ranks: each says how it fared; all return the status of the first that has failed, with its text. */
gpis_status gpis_ranks_agree(const gpis_source *A, gpis_status status);
/* All ranks: makes these bytes, and these numbers, those of rank 0. */
gpis_status gpis_ranks_share(const gpis_source *A, void *bytes, int64_t count);
gpis_status gpis_ranks_share_numbers(const gpis_source *A, double *numbers, int64_t count);

/* Ranks other than 0: takes part in passes with this rank's rows until rank 0 dismisses everybody; returns the status
 * with which it does so, and its text. On rank 0, dismiss returns `status`. */
gpis_status gpis_ranks_serve(gpis_context *context, gpis_source *A, const double *Y);
gpis_status gpis_ranks_dismiss(gpis_context *context, gpis_source *A, gpis_status status);

/* A pass over the m rows of B, m x d, that rank 0 holds; the other ranks of A help with its Gram matrix where it is
 * worth it. With X, *point is what it has measured there (gpis_pass_point). */
gpis_status gpis_ranks_pass_over(gpis_context *context, gpis_source *A, const double *B, int64_t m,
                                 const gpis_pass *pass, const double *norms2, gpis_point *point);

/* What tells A and Y (k columns) from others, on all ranks together: checksums of some hundred rows of each part of A,
 * of all of Y, and of how many rows each rank has. Equal for equal data, wherever they lie. */
typedef struct gpis_identity {
    int ranks;
    uint32_t cut, A, Y;
} gpis_identity;
gpis_status gpis_ranks_identify(gpis_context *context, gpis_source *A, const double *Y, int64_t k, gpis_identity *out);

#endif
