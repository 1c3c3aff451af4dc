/*
 * A random permutation of [0, size) that is never stored: the image of one element costs a few Philox blocks. The
 * images of the first m elements are m rows drawn without replacement.
 */
#ifndef GPIS_PERMUTATION_H
#define GPIS_PERMUTATION_H

#include "sketch/sketch.h"

/* The image of `element` under the permutation of (seed, stream); 1 <= size <= 2^62. */
uint64_t gpis_permute(uint64_t seed, uint64_t stream, uint64_t size, uint64_t element);

/* The r-th of the rows drawn from n rows without replacement, for (seed, round). */
int64_t gpis_draw(uint64_t seed, uint64_t round, int64_t n, int64_t r);

/* Fails with a message when s->m rows cannot be drawn from s->n without replacement. */
gpis_status gpis_sketch_check_distinct(const gpis_sketch *s);

#endif
