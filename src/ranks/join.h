/*
 * A joined source: a matrix A whose rows are in several parts, on this rank and on others; and the exchanges between
 * ranks.
 *
 * Two rules keep ranks from waiting for each other forever. All ranks take part in every exchange, in the same order
 * and with the same length, also those that have failed: they add zeros. And all ranks agree whether one of them has
 * failed (gpis_join_agree) before the result of an exchange is used.
 */
#ifndef GPIS_JOIN_H
#define GPIS_JOIN_H

#include "pass/pass.h"

/* The number of storages, which differ in how their rows are summed: type, dense or compressed, order, on demand or
 * not. */
enum { GPIS_STORAGES = 16 };

typedef struct gpis_join {
    gpis_context *context; /* borrowed */
    gpis_ranks ranks;
    gpis_source **parts; /* owned array of borrowed sources: the parts on this rank */
    int64_t count;
    int64_t *begin;                 /* owned: ranks + 1 entries: the first row of each rank, then the number of rows */
    int64_t bytes;                  /* that a pass reads on all ranks together */
    int64_t largest[GPIS_STORAGES]; /* rows of the largest part of all ranks with this storage; 0: there is none */
    int64_t additions; /* that the sums of a part go through: of the parts of its rank, then of ranks with parts */
    bool alike;        /* all ranks sum dot products in the same number of lanes, so use the same kernels */
    double *buffer;    /* owned: GPIS_JOIN_BUFFER doubles, for a rank that adds zeros */
} gpis_join;

enum { GPIS_JOIN_BUFFER = 1 << 16 };

/* The parts of a joined source; NULL for a source in one piece. */
const gpis_join *gpis_source_joined(const gpis_source *source);
/* How a pass walks over a joined source (parts.c). */
extern const struct gpis_walk gpis_join_walk;

/* A source with the shape of the largest part of this storage, but without rows: for predictions. */
gpis_source gpis_join_part_like(const gpis_source *source, const gpis_join *join, int storage);

static inline int64_t gpis_join_rows(const gpis_join *j) {
    return j->begin[j->ranks.rank + 1] - j->begin[j->ranks.rank];
}

/* The pass over the part of this rank that begins with the rank's row number `row`: what a pass has for each row of the
 * rank, for the rows of the part. */
static inline gpis_pass gpis_join_part_pass(const gpis_pass *pass, int64_t row) {
    gpis_pass part = *pass;
    if (pass->Y) part.Y += row * pass->k;
    if (pass->terms.weights) part.terms.weights += row;
    if (pass->terms.fold) part.terms.fold += row;
    part.row0 += row;
    part.skip = gpis_max64(0, pass->skip - row);
    return part;
}

/* Adds up the values of all ranks. If `values` is NULL, this rank adds zeros and does not receive the sums. */
gpis_status gpis_join_sum(const gpis_join *join, double *values, int64_t count);
/* Each rank gives its status; all return that of the first rank that has failed, with its message. */
gpis_status gpis_join_agree(const gpis_join *join, gpis_status status);
/* Copies `count` bytes of rank `from` to all ranks. */
gpis_status gpis_join_share(const gpis_join *join, int from, void *bytes, int64_t count);
/* Copies numbers of rank `from` to rank `to`. All ranks call it. */
gpis_status gpis_join_move(const gpis_join *join, int from, int to, double *values, int64_t count);

#endif
