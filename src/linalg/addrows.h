/*
 * Signed sums of rows: what a matrix with entries -1, 0, 1 does to a block.
 *
 * Rows are always added one after another, in the order they are named: each entry of the result is
 * ((start +- r0) +- r1) +- r2 ..., the same bits for every storage of the same numbers.
 */
#ifndef GPIS_ADDROWS_H
#define GPIS_ADDROWS_H

#include "linalg/block.h"

/* A signed number: a row of the block, or a row of the result, and one bit that says to subtract. */
static inline uint32_t gpis_signed_code(uint32_t number, uint32_t minus) { return number << 1 | minus; }
static inline uint32_t gpis_code_number(uint32_t code) { return code >> 1; }
static inline double gpis_code_sign(uint32_t code) { return 1.0 - 2.0 * (double)(code & 1); }

/* sum += +-row for each of the `count` signed rows in `terms`; sum has d entries. The terms up to `limit` come next,
 * most likely: their rows are fetched ahead. Row-major and CSR blocks only. */
void gpis_gather_rows(const gpis_block *block, const uint32_t *terms, int64_t count, const uint32_t *limit,
                      double *sum);

/* Row i of a row-major block is added to the `each` rows of `sums` (leading dimension block->d) that codes[i * each],
 * ... name, with their signs; columns [col0, col0 + cols) only. */
void gpis_scatter_rows(const gpis_block *block, int64_t col0, int64_t cols, const uint32_t *codes, int each,
                       double *sums);

/* Along column j of a dense block: entry i is added to the `each` sums that codes[i * each], codes[i * each + 1], ...
 * name, with their signs. */
void gpis_scatter_column(const gpis_block *block, int64_t j, const uint32_t *codes, int each, double *sums);

#endif
