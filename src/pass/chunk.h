/* What one chunk of rows adds to the sums of its strip. */
#ifndef GPIS_CHUNK_H
#define GPIS_CHUNK_H

#include "pass/cut.h"
#include "pass/sums.h"

/* What is the same for all chunks of a pass. All borrowed. */
typedef struct gpis_chunk_plan {
    const gpis_pass *pass;
    const gpis_cut *cut;
    const double *XT, *VT, *PT; /* where the cut is `transposed`: k x d and, right behind it, probes x d; k x d */
    bool zero;                  /* dense data and X = 0: the residual is -Y */
    const int32_t *position;    /* of each column among those of the Gram matrix, -1: it is not one; NULL: all are */
} gpis_chunk_plan;

void gpis_chunk_add(const gpis_chunk_plan *plan, const gpis_block *chunk, double *scratch, gpis_strip *strip);

#endif
