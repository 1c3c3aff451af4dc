/*
 * The Gram matrix of [A 1 Y] in two doubles, at about the speed of the Gram matrix of A in one: W += [A 1 Y]'[A 1 Y].
 *
 * W is p x p with p columns of [A 1 Y]: p * p high parts, then as many low parts. Only the lower triangle is
 * meaningful.
 *
 * Dense rows are taken in blocks of GPIS_GRAM_TWO_ROWS. Within a block an entry of W is summed in double, in two
 * levels: GPIS_GRAM_TWO_SHORT rows at a time, and then these short sums. So no product goes through more than
 * gpis_gram_two_roundings. The sum of a block is added to the high part by TwoSum, and the error of this addition to
 * the low part, which makes errors of second order only. The products of compressed rows are added to the high part one
 * by one: with TwoSum that would take 2.4 times as long (measured, with 100 to 2000 columns). The proof is in
 * docs/maths/certificates.md, "The summary in two doubles". With weights each row counts times the square root of its
 * weight, which makes four roundings more.
 */
#ifndef GPIS_GRAM_TWO_H
#define GPIS_GRAM_TWO_H

#include "linalg/gram.h"
#include "linalg/packed.h"

/* The rows of a block, and of a short sum. For each block all of W is read and written, its low parts too: with 128
 * rows that took a tenth of the time at 100 columns and a quarter at 1000. More than 256 rows are hardly faster, and
 * fill the cache. */
enum { GPIS_GRAM_TWO_ROWS = GPIS_PACKED_ROWS, GPIS_GRAM_TWO_SHORT = 32 };

/* An upper bound on the roundings of a product of dense rows, its own included, within the blocks of that many rows. */
int64_t gpis_gram_two_roundings(int64_t rows);
/* The number of doubles of `scratch` for rows of p columns; it must be aligned to a cache line. */
int64_t gpis_gram_two_scratch(gpis_block_kind kind, int64_t p);

/* Columns increase along a compressed row. Meanwhile the memory `ahead` is prefetched. */
void gpis_gram_two_add(const gpis_bordered *rows, gpis_ahead ahead, double *scratch, double *W);

/* The same by the kernel for one instruction set (simd_level.h), which this machine must be able to run. */
void gpis_gram_two_add_at(int level, const gpis_bordered *rows, gpis_ahead ahead, double *scratch, double *W);

#endif
