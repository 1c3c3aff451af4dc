/*
 * buckets: s stacked count sketches, the engine of count, sparse-sign and count-gauss.
 *
 * The m rows of S are divided into s stacks of nearly equal size; each column of S has one entry, +1 or -1, in each
 * stack, in a row drawn uniformly. Its row and its sign come from one Philox word, a function of (seed, stream, stack,
 * global row): (SA)_b = sum over the rows i of bucket b of +-A_i, added in the order of i.
 */
#ifndef GPIS_BUCKETS_H
#define GPIS_BUCKETS_H

#include "sketch/sketch.h"

typedef struct gpis_buckets gpis_buckets;

gpis_status gpis_buckets_create(gpis_context *context, int64_t m, int64_t n, int stacks, uint64_t seed, uint64_t stream,
                                gpis_buckets **out);
void gpis_buckets_destroy(gpis_buckets *buckets); /* may be NULL */

/* Bytes that they need, including the scratch of absorbing on this many threads. */
double gpis_buckets_memory(int64_t m, int64_t n, int stacks, int threads);

/* SA += S A and, where k > 0, SY += S Y over the rows of a block; Y holds the same rows, k columns. */
gpis_status gpis_buckets_absorb(gpis_buckets *buckets, const gpis_block *rows, const double *Y, int64_t k, double *SA,
                                double *SY, int threads);

#endif
