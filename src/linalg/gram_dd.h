/*
 * The Gram matrix of [A Y] in double-double (dd.h): W += [A Y]'[A Y] for a chunk of rows, where Y has k columns.
 *
 * W is p x p with p = d + k: p * p high parts, then as many low parts. Only the lower triangle is meaningful.
 *
 * Dense rows are taken GPIS_GRAM_DD_ROWS at a time. Within such a block of m rows an entry of W is a compensated dot
 * product (Ogita, Rump, Oishi: Accurate sum and dot product, 2005): the errors of products and sums are added up in
 * double. Its error is at most m (m + 3) 2^-106 sum_r |a_ri a_rj|. The block is then added to W by one addition in
 * double-double. For compressed rows each product is added to W by an addition in double-double. The proof is in
 * docs/maths/certificates.md, "The summary in double-double".
 *
 * With weights, row r adds w_r a_ri a_rj: the product w_r a_ri is held exactly, as the sum of a double and its rounding
 * error, of which the latter enters the low part by one more product in double. A column of ones follows those of A.
 *
 * Rows are added in their order, and no operation is fused or reordered, so the bits are the same for every instruction
 * set, unless products underflow.
 */
#ifndef GPIS_GRAM_DD_H
#define GPIS_GRAM_DD_H

#include "linalg/block.h"

enum { GPIS_GRAM_DD_ROWS = 64 };

/* The number of doubles of `scratch` for rows of d + k = p entries, where d counts a column of ones. */
int64_t gpis_gram_dd_scratch(gpis_block_kind kind, int64_t p, bool weighted);

/* The number of products for each dense row, as many as are computed: more than p (p + 1) / 2. */
double gpis_gram_dd_products(int64_t p);

/* Y: the rows of Y that belong to the block, nrows x k; NULL: they count as zeros. Columns increase along a compressed
 * row. */
void gpis_gram_dd_add(const gpis_block *rows, const double *Y, int64_t k, double *scratch, double *W);

/* The same by the kernel for one instruction set (simd_level.h), which this machine must be able to run. */
void gpis_gram_dd_add_at(int level, const gpis_block *rows, const double *Y, int64_t k, double *scratch, double *W);

#endif
