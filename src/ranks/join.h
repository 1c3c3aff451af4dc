/*
 * A whose rows lie in several parts, here and on other ranks, and how ranks talk about it.
 *
 * Two rules keep ranks from waiting for each other forever. Every exchange is made by all ranks, in the same order and
 * of the same length, by those that have failed too: they add zeros. And whether somebody has failed is agreed upon
 * (gpis_join_agree) before anything is done with what came out.
 */
#ifndef GPIS_JOIN_H
#define GPIS_JOIN_H

#include "pass/pass.h"

/* Ways to store rows that make a difference to how they are summed: type, dense or compressed, order, on demand or not.
 */
enum { GPIS_STORAGES = 16 };

typedef struct gpis_join {
    gpis_context *context; /* borrowed */
    gpis_ranks ranks;
    gpis_source **parts; /* owned array of borrowed sources: those of this rank */
    int64_t count;
    int64_t *begin;                 /* owned: ranks + 1: the first row of each rank, then the number of rows */
    int64_t bytes;                  /* that a pass reads, on all ranks */
    int64_t largest[GPIS_STORAGES]; /* rows of the largest part, on all ranks, that is stored in this way; 0: none is */
    int64_t parts_of_all;
    double *buffer; /* owned: GPIS_JOIN_BUFFER doubles, for those who have nothing to say */
} gpis_join;

enum { GPIS_JOIN_BUFFER = 1 << 16 };

/* NULL for a source that is in one piece. */
const gpis_join *gpis_source_joined(const gpis_source *source);
/* How a pass goes over a joined source (parts.c). */
extern const struct gpis_walk gpis_join_walk;

/* A stand-in for the largest part that is stored in way `storage`: its shape, without any rows to be had. */
gpis_source gpis_join_part_like(const gpis_source *source, const gpis_join *join, int storage);

static inline int64_t gpis_join_rows(const gpis_join *j) {
    return j->begin[j->ranks.rank + 1] - j->begin[j->ranks.rank];
}

/* Adds values up over all ranks; NULL: this rank adds zeros, and does not learn the sums. */
gpis_status gpis_join_sum(const gpis_join *join, double *values, int64_t count);
/* Each rank says how it fared; all return the status of the first that has failed, with its text. */
gpis_status gpis_join_agree(const gpis_join *join, gpis_status status);
/* Makes `bytes` bytes on all ranks those of rank `from`. */
gpis_status gpis_join_share(const gpis_join *join, int from, void *bytes, int64_t count);
/* Numbers of rank `from` to rank `to`, where they replace what is there. All ranks call it. */
gpis_status gpis_join_move(const gpis_join *join, int from, int to, double *values, int64_t count);

#endif
