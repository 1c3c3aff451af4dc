/*
 * Whether the answer is the only one. f does not change along a null vector v of A, so x + t v is as good as x, if it
 * is in K. Where A has no null vector the answer is unique. Where K is all of space the answer of least norm is taken,
 * as other least-squares programs do.
 */
#ifndef GPIS_UNIQUE_H
#define GPIS_UNIQUE_H

#include "method/run.h"

/* What is known about it. */
typedef enum gpis_uniqueness { GPIS_UNIQUE_UNKNOWN = -1, GPIS_UNIQUE_NO = 0, GPIS_UNIQUE_YES = 1 } gpis_uniqueness;

/* Directions along which f does not change: null vectors of A, exact or up to the rounding of the data. */
typedef struct gpis_null_space {
    gpis_context *context; /* borrowed */
    int64_t d, count;
    double *V;     /* owned: count rows of d entries, linearly independent; NULL: there are none */
    bool complete; /* there are no others */
} gpis_null_space;

/* What the run knows; makes no pass. To be cleared also after a failure. */
gpis_status gpis_null_space_find(const gpis_run *run, gpis_null_space *space);
void gpis_null_space_clear(gpis_null_space *space);
/* Where A has fewer rows than columns, and fewer null vectors are kept than there are: finds the others, as accurately
 * as the model allows. That takes memory for them, and time. */
gpis_status gpis_null_space_complete(const gpis_run *run, gpis_null_space *space);
/* Replaces the rows of V by an orthonormal basis of their span. */
gpis_status gpis_null_space_orthonormalise(gpis_null_space *space);
/* X := X minus its part in the space, for each of the k columns of X (d x k). The rows of V are orthonormal. */
void gpis_null_space_remove(const gpis_null_space *space, int64_t k, double *X);

/* The end of a run: finds null vectors that have not been looked for, by passes of its own where the model is too flat
 * to exclude them; and where K is all of space takes the answer of least norm, which is measured by a pass. */
gpis_status gpis_run_settle_uniqueness(gpis_run *run);
/* Whether the best point is the only answer; `reason` says in words why it is not, or "". Makes no pass. */
gpis_status gpis_run_judge_uniqueness(const gpis_run *run, gpis_uniqueness *unique, char *reason, size_t size);

#endif
