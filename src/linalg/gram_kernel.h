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

/* All tiles on and above the diagonal; returns where the memory begins that has not been prefetched yet. */
static const char *KERNEL(tiles)(const task *g, const char *ahead, const char *stop) {
    const int64_t all = (g->d + LANES - 1) / LANES;
    for (int64_t i = 0; i < all; i++)
        for (int64_t j = i; j < all; j += TILE_VECTORS) {
            const int64_t step = ahead < stop ? LINE_BYTES : 0, vectors = gpis_min64(TILE_VECTORS, all - j);
            const char *line = step ? ahead : (const char *)g->a;
            const bool ragged = j + vectors == all && g->d % LANES, corner = ragged && i == all - 1;
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
