/* Rows of [A Y] in panels of columns. */
#include "linalg/packed.h"

#include "linalg/hot.h"

/* Columns [j0, j0 + columns) of the rows of b, to one panel; `columns` is a constant for whole panels. */
#define DEFINE_PANEL(name, type)                                                                           \
    GPIS_INLINE void name(const gpis_block *b, int64_t j0, int64_t columns, double *restrict panel) {      \
        const type *restrict a = (const type *)b->values + j0 * b->col_stride;                             \
        const int64_t rs = b->row_stride, cs = b->col_stride;                                              \
        for (int64_t i = 0; cs == 1 && i < b->nrows; i++)                                                  \
            for (int64_t j = 0; j < columns; j++) panel[i * GPIS_PANEL + j] = (double)a[i * rs + j];       \
        for (int64_t j = 0; cs != 1 && j < columns; j++)                                                   \
            for (int64_t i = 0; i < b->nrows; i++) panel[i * GPIS_PANEL + j] = (double)a[i * rs + j * cs]; \
    }
DEFINE_PANEL(panel_double, double)
DEFINE_PANEL(panel_float, float)

#define DEFINE_PACK(name, panel)                                                                    \
    GPIS_HOT static void name(const gpis_block *b, int64_t room, double *packed) {                  \
        int64_t j = 0;                                                                              \
        for (; j + GPIS_PANEL <= b->d; j += GPIS_PANEL) panel(b, j, GPIS_PANEL, packed + j * room); \
        if (j < b->d) panel(b, j, b->d - j, packed + j * room);                                     \
    }
DEFINE_PACK(pack_double, panel_double)
DEFINE_PACK(pack_float, panel_float)

static void fill_column(double *column, int64_t count, double value) {
    for (int64_t i = 0; i < count; i++) column[i * GPIS_PANEL] = value;
}

void gpis_pack(const gpis_bordered *from, int64_t first, int64_t count, int64_t room, double *packed) {
    const gpis_block b = gpis_block_rows(from->rows, first, count);
    const int64_t columns = gpis_bordered_columns(from), k = from->k, y0 = columns - k;
    const double *Y = from->Y ? from->Y + first * k : NULL;
    if (b.type == GPIS_FLOAT64)
        pack_double(&b, room, packed);
    else
        pack_float(&b, room, packed);
    for (int64_t c = 0; c < k; c++) {
        double *column = packed + gpis_packed_at(room, 0, y0 + c);
        if (!Y) fill_column(column, count, 0.0);
        for (int64_t i = 0; Y && i < count; i++) column[i * GPIS_PANEL] = Y[i * k + c];
    }
    for (int64_t j = columns; j % GPIS_PANEL != 0; j++) fill_column(packed + gpis_packed_at(room, 0, j), count, 0.0);
}
