/*
 * The body of the Gram kernel, compiled once for each instruction set (simd.h).
 *
 * A tile of H, LANES rows by up to WIDE vectors, stays in registers while the rows of A go by, and each adds its outer
 * product: the entries i .. i + LANES - 1 of the row, one by one, times its vectors from j on. Rows are read as they
 * lie in memory, from cache for all tiles but the first; nothing is packed.
 *
 * No include guard: it is meant to be included several times.
 */
typedef KERNEL(vec) KERNEL(entries) __attribute__((aligned(8), may_alias)); /* of a row: they start anywhere */

/* The tile at (i, j). Constants where this is inlined: `vectors`; `ragged`, that the last of them has `end` entries
 * only; `corner`, that the tile has as many rows only. Each row of A asks for one line of the memory ahead. */
GPIS_INLINE void KERNEL(tile)(const task *g, int64_t i, int64_t j, int vectors, bool ragged, bool corner,
                              const char *ahead, int64_t step) {
    const int64_t end = g->d % LANES, stride = g->stride;
    const double *left = g->a + i, *right = g->a + j;
    KERNEL(vec) sum[LANES][WIDE] = {{{0}}}, line[WIDE];
    for (int64_t r = g->rows; r > 0; r--, left += stride, right += stride, ahead += step) {
        __builtin_prefetch(ahead, 0, 2);
        for (int v = 0; v < vectors; v++)
            if (ragged && v == vectors - 1)
                line[v] = KERNEL(first_doubles)(right + v * LANES, end);
            else
                line[v] = *(const KERNEL(entries) *)(right + v * LANES);
        for (int t = 0; t < LANES; t++) { /* in the corner the last entry stands for those that are not there */
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

/* All tiles on and above the diagonal; returns where the memory ahead has still to be asked for. */
static const char *KERNEL(tiles)(const task *g, const char *ahead, const char *stop) {
    const int64_t all = (g->d + LANES - 1) / LANES;
    for (int64_t i = 0; i < all; i++)
        for (int64_t j = i; j < all; j += WIDE) {
            const int64_t step = ahead < stop ? LINE : 0, vectors = gpis_min64(WIDE, all - j);
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
                ragged ? TILE(WIDE, true, false) : TILE(WIDE, false, false);
#undef TILE
            ahead += g->rows * step;
        }
    return ahead;
}
