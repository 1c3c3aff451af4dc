/*
 * Rows of [A 1 Y] packed for kernels that multiply columns with each other: panels of GPIS_PANEL columns. In a panel
 * the rows follow each other, whatever the storage was. The column of ones, if the block has one, and those of Y follow
 * the columns of A; each row is multiplied by the square root of its weight; and the last panel is filled up with
 * zeros.
 */
#ifndef GPIS_PACKED_H
#define GPIS_PACKED_H

#include "linalg/block.h"

enum { GPIS_PANEL = 8 };

/* A block of rows, and what stands beside it. */
typedef struct gpis_bordered {
    const gpis_block *rows;
    int64_t k;       /* columns of Y */
    const double *Y; /* nrows x k: the rows of Y that belong to the block; NULL: they count as zeros */
    /* The numbers of the rows to take, in the block; NULL: all of them. */
    const int64_t *picked;
    int64_t count; /* how many `picked` there are */
} gpis_bordered;

static inline int64_t gpis_bordered_rows(const gpis_bordered *b) { return b->picked ? b->count : b->rows->nrows; }

/* The columns of [A 1 Y]. */
static inline int64_t gpis_bordered_columns(const gpis_bordered *b) { return gpis_block_width(b->rows) + b->k; }

static inline int64_t gpis_panels_of(int64_t columns) { return (columns + GPIS_PANEL - 1) / GPIS_PANEL; }

/* Where entry (row, column) is in panels that have room for `room` rows. */
static inline int64_t gpis_packed_at(int64_t room, int64_t row, int64_t column) {
    return column / GPIS_PANEL * GPIS_PANEL * room + row * GPIS_PANEL + column % GPIS_PANEL;
}

enum { GPIS_PACKED_ROWS = 256 }; /* that are packed at once, at most */

/* Packs `count` rows, from number `first` of those to take on, into panels with room for `room` rows. Dense rows only.
 */
void gpis_pack(const gpis_bordered *from, int64_t first, int64_t count, int64_t room, double *packed);

#endif
