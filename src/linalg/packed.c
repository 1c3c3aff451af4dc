/* Rows of [A 1 Y] in panels of columns. */
#include "linalg/packed.h"

#include <string.h>

#include "linalg/hot.h"
#include "linalg/terms.h"

/* The rows to pack: those of the block, or those that `picked` numbers. */
static inline int64_t number_of(const int64_t *picked, int64_t i) { return picked ? picked[i] : i; }

enum { ROWS_AHEAD = 4, LINE_BYTES = 64 }; /* fewer come too late, more push each other out of the cache */

/* Picked rows lie too far apart for the processor to see which come next. */
GPIS_INLINE void prefetch_row(const void *row, int64_t bytes) {
    for (int64_t at = 0; at < bytes; at += LINE_BYTES) __builtin_prefetch((const char *)row + at, 0, 3);
}

/* Row by row where rows are contiguous, so that memory is read in order; else panel by panel, so that it is written in
 * order, while the same columns of as many rows after these are prefetched. Row i counts times roots[i]; NULL: once. */
#define DEFINE_PACK(name, type)                                                                               \
    GPIS_HOT static void name(const gpis_block *b, const int64_t *picked, const double *roots, int64_t count, \
                              int64_t room, double *restrict packed) {                                        \
        const type *restrict values = b->values;                                                              \
        const int64_t rs = b->row_stride, cs = b->col_stride, whole = b->d / GPIS_PANEL * GPIS_PANEL;         \
        for (int64_t i = 0; cs == 1 && i < count; i++) {                                                      \
            const type *restrict a = values + number_of(picked, i) * rs;                                      \
            const double root = roots ? roots[i] : 1.0;                                                       \
            if (picked && i + ROWS_AHEAD < count)                                                             \
                prefetch_row(values + picked[i + ROWS_AHEAD] * rs, b->d * (int64_t)sizeof *a);                \
            double *restrict to = packed + i * GPIS_PANEL;                                                    \
            for (int64_t j = 0; j < whole; j += GPIS_PANEL)                                                   \
                for (int64_t l = 0; l < GPIS_PANEL; l++) to[j * room + l] = root * (double)a[j + l];          \
            for (int64_t j = whole; j < b->d; j++) to[whole * room + j - whole] = root * (double)a[j];        \
        }                                                                                                     \
        for (int64_t j = 0; cs != 1 && j < b->d; j += GPIS_PANEL) {                                           \
            const int64_t width = gpis_min64(GPIS_PANEL, b->d - j), ahead = picked ? 0 : count;               \
            for (int64_t i = 0; i < count; i++) {                                                             \
                const type *restrict a = values + number_of(picked, i) * rs + j * cs;                         \
                const double root = roots ? roots[i] : 1.0;                                                   \
                double *restrict to = packed + j * room + i * GPIS_PANEL;                                     \
                for (int64_t l = 0; ahead && i % GPIS_PANEL == 0 && l < width; l++)                           \
                    __builtin_prefetch(a + ahead + l * cs, 0, 2);                                             \
                if (width == GPIS_PANEL)                                                                      \
                    for (int64_t l = 0; l < GPIS_PANEL; l++) to[l] = root * (double)a[l * cs];                \
                else                                                                                          \
                    for (int64_t l = 0; l < width; l++) to[l] = root * (double)a[l * cs];                     \
            }                                                                                                 \
        }                                                                                                     \
    }
DEFINE_PACK(pack_double, double)
DEFINE_PACK(pack_float, float)

static void fill_column(double *column, int64_t count, double value) {
    for (int64_t i = 0; i < count; i++) column[i * GPIS_PANEL] = value;
}

/* The square roots of the weights of the rows to pack, in `roots`; NULL without weights. */
static const double *find_roots(const double *weights, const int64_t *picked, int64_t count, double *roots) {
    if (!weights) return NULL;
    for (int64_t i = 0; i < count; i++) roots[i] = gpis_root_weight(weights, number_of(picked, i));
    return roots;
}

void gpis_pack(const gpis_bordered *from, int64_t first, int64_t count, int64_t room, double *packed) {
    const int64_t *picked = from->picked ? from->picked + first : NULL;
    const gpis_block b = picked ? *from->rows : gpis_block_rows(from->rows, first, count);
    const int64_t columns = gpis_bordered_columns(from), k = from->k, y0 = columns - k;
    const double *Y = from->Y && !picked ? from->Y + first * k : from->Y;
    double room_for_roots[GPIS_PACKED_ROWS];
    const double *roots = find_roots(b.weights, picked, count, room_for_roots);
    if (columns % GPIS_PANEL != 0)
        memset(packed + gpis_packed_at(room, 0, columns / GPIS_PANEL * GPIS_PANEL), 0,
               (size_t)(count * GPIS_PANEL) * sizeof *packed);
    if (b.type == GPIS_FLOAT64)
        pack_double(&b, picked, roots, count, room, packed);
    else
        pack_float(&b, picked, roots, count, room, packed);
    for (int64_t i = 0; b.constant && i < count; i++) packed[gpis_packed_at(room, i, b.d)] = roots ? roots[i] : 1.0;
    for (int64_t c = 0; c < k; c++) {
        double *column = packed + gpis_packed_at(room, 0, y0 + c);
        if (!Y) fill_column(column, count, 0.0);
        for (int64_t i = 0; Y && i < count; i++)
            column[i * GPIS_PANEL] = (roots ? roots[i] : 1.0) * Y[number_of(picked, i) * k + c];
    }
}
