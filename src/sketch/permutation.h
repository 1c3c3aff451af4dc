/*
 * A random permutation of [0, size) that is never written down: the place of one element costs a few Philox blocks.
 * Drawing m rows without replacement is then taking the first m of it.
 */
#ifndef GPIS_PERMUTATION_H
#define GPIS_PERMUTATION_H

#include "sketch/sketch.h"

/* Where the permutation of (seed, stream) sends `element`; 1 <= size <= 2^62. */
uint64_t gpis_permute(uint64_t seed, uint64_t stream, uint64_t size, uint64_t element);

/* The r-th of the rows that are drawn from n for (seed, round), without replacement. */
int64_t gpis_draw(uint64_t seed, uint64_t round, int64_t n, int64_t r);

/* Fails with a message when s->m rows cannot be drawn from s->n without replacement. */
gpis_status gpis_sketch_check_distinct(const gpis_sketch *s);

#endif
