/* Adds one chunk of rows to the sums of its strip. */
#ifndef GPIS_CHUNK_H
#define GPIS_CHUNK_H

#include "pass/cut.h"
#include "pass/sums.h"

/* What is the same for all chunks of a pass. All borrowed. */
typedef struct gpis_chunk_plan {
    const gpis_pass *pass;
    const gpis_cut *cut;
    const double *XT, *VT, *PT; /* if cut->transposed: X' (k x d), V' (probes x d, contiguous with X') and P' (k x d) */
    bool zero;                  /* dense data and X = 0: the residual is -Y */
    /* The place of each column among those of the Gram matrix, -1 if it is not one of them; NULL: all are. */
    const int32_t *position;
} gpis_chunk_plan;

void gpis_chunk_add(const gpis_chunk_plan *plan, const gpis_block *chunk, double *scratch, gpis_strip *strip);

#endif
