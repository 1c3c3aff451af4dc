/* How the rows of a source are cut into chunks, chunks into runs, and runs dealt to strips (pass.h): a function of the
 * problem's shape alone. */
#ifndef GPIS_CUT_H
#define GPIS_CUT_H

#include "source/source.h"

typedef struct gpis_cut {
    int64_t chunk_rows, run, strips, chunks; /* run: its chunks */
} gpis_cut;

/* per_strip: doubles that the sums of a strip take; gram: a Gram matrix is among them. */
gpis_cut gpis_cut_rows(const gpis_source *A, int64_t per_strip, bool gram);

#endif
