/* The Gram matrix of a chunk of dense rows. */
#ifndef GPIS_GRAM_H
#define GPIS_GRAM_H

#include "linalg/block.h"

/* Memory that will be used soon and is prefetched meanwhile. It need not be mapped: a prefetch does not fault. */
typedef struct gpis_ahead {
    const char *from;
    int64_t bytes;
} gpis_ahead;

/*
 * H += A'A for row-major doubles; H is d x d, and only its upper triangle is computed.
 * An entry goes through at most one rounding for each row and one more for each block of rows.
 */
void gpis_gram_add(const gpis_block *rows, gpis_ahead ahead, double *H);

/* Whether gpis_gram_add takes rows in blocks that stay in cache, so that other work on the same rows should be done
 * block by block too. If not, it is the faster the more rows it is given at once. */
bool gpis_gram_by_blocks(int64_t d);
/* The rows of such a block, at most. They are summed by themselves, and then added to H. */
int64_t gpis_gram_block_rows(int64_t d);

/* The same by the kernel for one instruction set (simd_level.h), which this machine must be able to run, for any d. */
void gpis_gram_add_at(int level, const gpis_block *rows, gpis_ahead ahead, double *H);

#endif
