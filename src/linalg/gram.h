/* The Gram matrix of a chunk of dense rows. */
#ifndef GPIS_GRAM_H
#define GPIS_GRAM_H

#include "linalg/block.h"

/* Memory that is wanted soon and is asked for meanwhile; where it is not mapped, nothing happens. */
typedef struct gpis_ahead {
    const char *from;
    int64_t bytes;
} gpis_ahead;

/*
 * H += A'A for row-major doubles; H is d x d, its upper triangle alone has a meaning.
 * An entry goes through as many roundings as there are rows, and one more for each of the blocks that they are taken
 * in, or fewer.
 */
void gpis_gram_add(const gpis_block *rows, gpis_ahead ahead, double *H);

/* Whether rows are taken in blocks that stay in cache, so that other work on them fits in between; or else the more at
 * once the better. */
bool gpis_gram_by_blocks(int64_t d);

/* By the kernel for one instruction set (simd_level.h), which this machine must run, whatever d is. */
void gpis_gram_add_at(int level, const gpis_block *rows, gpis_ahead ahead, double *H);

#endif
