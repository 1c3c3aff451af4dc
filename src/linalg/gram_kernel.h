/*
 * The body of the Gram kernel, compiled once for each instruction set (simd.h).
 *
 * A tile of H, LANES rows by up to TILE_VECTORS vectors, stays in registers while all rows of A are added to it. Each
 * row adds its outer product: the entries i .. i + LANES - 1, one by one, times its vectors from j on. Rows are used
 * where they are, from cache for all tiles but the first; nothing is packed.
 *
 * There is no include guard, since the file is included several times.
 */
typedef KERNEL(vec) KERNEL(entries) __attribute__((aligned(8), may_alias)); /* of a row, at any alignment */

/* The tile at (i, j). These are constants where the function is inlined: `vectors`; `ragged`, if the last of them has
 * only `end` entries; `corner`, if the tile has only as many rows. For each row of A, one line of the memory ahead is
 * prefetched. */
GPIS_INLINE void KERNEL(tile)(const task *g, int64_t i, int64_t j, int vectors, bool ragged, bool corner,
                              const char *ahead, int64_t step) {
    const int64_t end = g->d % LANES, stride = g->stride;
    const double *left = g->a + i, *right = g->a + j;
    KERNEL(vec) sum[LANES][TILE_VECTORS] = {{{0}}}, line[TILE_VECTORS];
    for (int64_t r = g->rows; r > 0; r--, left += stride, right += stride, ahead += step) {
        __builtin_prefetch(ahead, 0, 2);
        for (int v = 0; v < vectors; v++)
            if (ragged && v == vectors - 1)
                line[v] = KERNEL(first_doubles)(right + v * LANES, end);
            else
                line[v] = *(const KERNEL(entries) *)(right + v * LANES);
        for (int t = 0; t < LANES; t++) { /* in the corner the last entry is repeated for those that do not exist */
            const double factor = left[corner && t >= end ? end - 1 : t];
            for (int v = 0; v < vectors; v++) sum[t][v] += factor * line[v];
        }
    }
    for (int t = 0; t < (corner ? end : LANES); t++)
        for (int v = 0; v < vectors; v++) {
            double *h = g->H + (i + t) * g->d + j + v * LANES;
            if (ragged && v == vectors - 1)
                KERNEL(store_first)(h, end, KERNEL(first_doubles)(h, end) + sum[t][v]);
            else
                *(KERNEL(entries) *)h += sum[t][v];
        }
}

/* Products of the last column with those from j on, `vectors` of them, or with the `end` last ones if it is `ragged`.
 */
GPIS_INLINE void KERNEL(border_part)(const task *g, int64_t j, int vectors, bool ragged) {
    const int64_t last = g->d - 1, end = g->d % LANES, stride = g->stride;
    const double *row = g->a;
    KERNEL(vec) sum[BORDER_VECTORS] = {{0}};
    for (int64_t r = g->rows; r > 0; r--, row += stride)
        for (int v = 0; v < vectors; v++) {
            const double *at = row + j + v * LANES;
            KERNEL(vec) line;
            if (ragged)
                line = KERNEL(first_doubles)(at, end);
            else
                line = *(const KERNEL(entries) *)at;
            sum[v] += row[last] * line;
        }
    for (int64_t t = 0; t < (ragged ? end : vectors * LANES); t++)
        g->H[(j + t) * g->d + last] += sum[t / LANES][t % LANES];
}

/* The last column, where it alone would make one more vector of every row: in tiles seven eighths of the products with
 * that vector (with AVX-512) would be for nothing. Each sum is made of the same operations as in a tile. */
static void KERNEL(border)(const task *g) {
    const int64_t whole = g->d - g->d % LANES;
    int64_t j = 0;
    for (; j + BORDER_VECTORS * LANES <= whole; j += BORDER_VECTORS * LANES)
        KERNEL(border_part)(g, j, BORDER_VECTORS, false);
    if (j + BORDER_VECTORS / 2 * LANES <= whole) {
        KERNEL(border_part)(g, j, BORDER_VECTORS / 2, false);
        j += BORDER_VECTORS / 2 * LANES;
    }
    for (; j < whole; j += LANES) KERNEL(border_part)(g, j, 1, false);
    KERNEL(border_part)(g, j, 1, true);
}

/* All tiles on and above the diagonal; returns where the memory begins that has not been prefetched yet. */
static const char *KERNEL(tiles)(const task *g, const char *ahead, const char *stop) {
    const bool bordered = g->d % LANES == 1 && g->d > LANES;
    const int64_t all = bordered ? g->d / LANES : (g->d + LANES - 1) / LANES;
    if (bordered) KERNEL(border)(g);
    for (int64_t i = 0; i < all; i++)
        for (int64_t j = i; j < all; j += TILE_VECTORS) {
            const int64_t step = ahead < stop ? LINE_BYTES : 0, vectors = gpis_min64(TILE_VECTORS, all - j);
            const char *line = step ? ahead : (const char *)g->a;
            const bool ragged = !bordered && j + vectors == all && g->d % LANES, corner = ragged && i == all - 1;
#define TILE(vectors, ragged, corner) KERNEL(tile)(g, i * LANES, j * LANES, vectors, ragged, corner, line, step)
            if (corner)
                TILE(1, true, true);
            else if (vectors == 1)
                ragged ? TILE(1, true, false) : TILE(1, false, false);
            else if (vectors == 2)
                ragged ? TILE(2, true, false) : TILE(2, false, false);
            else
                ragged ? TILE(TILE_VECTORS, true, false) : TILE(TILE_VECTORS, false, false);
#undef TILE
            ahead += g->rows * step;
        }
    return ahead;
}
