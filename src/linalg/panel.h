/* A few columns of a block, for work that goes column by column. */
#ifndef GPIS_PANEL_H
#define GPIS_PANEL_H

#include "linalg/block.h"

/* Writes columns [col0, col0 + cols) of the block as row-major doubles, nrows x cols. */
void gpis_block_unpack_columns(const gpis_block *block, int64_t col0, int64_t cols, double *panel);

#endif
