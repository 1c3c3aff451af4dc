/*
 * Signed sums of rows: what a matrix with entries -1, 0, 1 does to a block.
 *
 * Rows are always added one after another, in the order in which they are given: each entry of the result is
 * ((start +- r0) +- r1) +- r2 ..., with the same bits for every storage of the same numbers. A row with a weight counts
 * as the square root of the weight times the row. The column of ones of a block is its column d, behind the stored
 * ones.
 */
#ifndef GPIS_ADDROWS_H
#define GPIS_ADDROWS_H

#include "linalg/block.h"

/* A code: the number of a row, of the block or of the result, and one bit for the sign. */
static inline uint32_t gpis_signed_code(uint32_t number, uint32_t minus) { return number << 1 | minus; }
static inline uint32_t gpis_code_number(uint32_t code) { return code >> 1; }
static inline double gpis_code_sign(uint32_t code) { return 1.0 - 2.0 * (double)(code & 1); }

/* sum += +-row for each of the `count` codes in `terms`; sum has as many entries as the block is wide. The terms from
 * there up to `limit` are likely to come next: their rows are prefetched. Row-major and CSR blocks only. */
void gpis_gather_rows(const gpis_block *block, const uint32_t *terms, int64_t count, const uint32_t *limit,
                      double *sum);

/* Adds each row i of a row-major block, with signs, to the `each` rows of `sums` (leading dimension: the width of the
 * block) given by codes[i * each], codes[i * each + 1], ...; columns [col0, col0 + cols) only. */
void gpis_scatter_rows(const gpis_block *block, int64_t col0, int64_t cols, const uint32_t *codes, int each,
                       double *sums);

/* Adds each entry i of column j of a dense block, with signs, to the `each` sums given by codes[i * each],
 * codes[i * each + 1], ... */
void gpis_scatter_column(const gpis_block *block, int64_t j, const uint32_t *codes, int each, double *sums);

#endif
