/*
 * The body of the Gram kernel in two doubles, compiled once for each instruction set (simd.h). Products may be fused
 * with the additions after them; the additions to W contain no product, so TwoSum stays what it is.
 *
 * There is no include guard, since the file is included several times.
 */
typedef KERNEL(vec) KERNEL(any) __attribute__((aligned(8), may_alias)); /* in memory, at any alignment */

/* *high := fl(*high + sum), *low += the rounding error of that (Knuth's TwoSum). Only the first `count` entries exist.
 */
GPIS_INLINE void KERNEL(add_to)(double *high, double *low, int64_t count, KERNEL(vec) sum) {
    const bool whole = count >= LANES;
    KERNEL(vec) h, l;
    if (whole)
        h = *(const KERNEL(any) *)high, l = *(const KERNEL(any) *)low;
    else
        h = KERNEL(first_doubles)(high, count), l = KERNEL(first_doubles)(low, count);
    const KERNEL(vec) s = h + sum, z = s - h;
    l += (h - (s - z)) + (sum - z);
    if (whole)
        *(KERNEL(any) *)high = s, *(KERNEL(any) *)low = l;
    else
        KERNEL(store_first)(high, count, s), KERNEL(store_first)(low, count, l);
}

/*
 * The tile of W from row i and column j on, `factors` rows by `vectors` vectors, which are constants where the function
 * is inlined. It stays in registers while the rows of a short sum are added to it, and each row of data adds its outer
 * product: entries i .. i + factors - 1, one by one, times its vectors from j on. For each row, one line of the memory
 * ahead is prefetched.
 */
GPIS_INLINE void KERNEL(tile)(const task *g, int64_t i, int64_t j, int factors, int vectors, const char *ahead,
                              int64_t step) {
    const double *left = g->packed + gpis_packed_at(g->room, 0, i), *right[TILE_VECTORS];
    KERNEL(vec) total[LANES][TILE_VECTORS] = {{{0}}};
    for (int v = 0; v < vectors; v++) right[v] = g->packed + gpis_packed_at(g->room, 0, j + v * LANES);
    for (int64_t first = 0; first < g->rows; first += GPIS_GRAM_TWO_SHORT) {
        const int64_t end = gpis_min64(g->rows, first + GPIS_GRAM_TWO_SHORT) * GPIS_PANEL;
        KERNEL(vec) sum[LANES][TILE_VECTORS] = {{{0}}}, line[TILE_VECTORS];
        for (int64_t at = first * GPIS_PANEL; at < end; at += GPIS_PANEL, ahead += step) {
            __builtin_prefetch(ahead, 0, 2);
            for (int v = 0; v < vectors; v++) line[v] = *(const KERNEL(any) *)(right[v] + at);
            for (int t = 0; t < factors; t++)
                for (int v = 0; v < vectors; v++) sum[t][v] += left[at + t] * line[v];
        }
        for (int t = 0; t < factors; t++)
            for (int v = 0; v < vectors; v++) total[t][v] += sum[t][v];
    }
    for (int t = 0; t < factors; t++)
        for (int v = 0; v < vectors; v++) {
            double *high = g->W + (i + t) * g->p + j + v * LANES;
            KERNEL(add_to)(high, high + g->p * g->p, g->p - j - v * LANES, total[t][v]);
        }
}

/* The tile of `factors` rows from row i on, and of those of up to TILE_VECTORS vectors from column j on that are not
 * above the diagonal; returns where the memory begins that has not been prefetched yet. */
GPIS_INLINE const char *KERNEL(tile_at)(const task *g, int64_t i, int64_t j, int factors, const char *ahead,
                                        int64_t step) {
    const int64_t vectors = (i + factors - 1 - j) / LANES + 1;
    if (vectors == 1)
        KERNEL(tile)(g, i, j, factors, 1, ahead, step);
    else if (vectors == 2)
        KERNEL(tile)(g, i, j, factors, 2, ahead, step);
    else
        KERNEL(tile)(g, i, j, factors, TILE_VECTORS, ahead, step);
    return ahead + g->rows * step;
}

/* The tiles of TILE_VECTORS vectors from column j on. The last rows of W may be fewer than the lanes of a vector. */
GPIS_INLINE const char *KERNEL(tiles_of_columns)(const task *g, int64_t j, const char *ahead, int64_t step) {
    int64_t i = j;
    for (; i + LANES <= g->p; i += LANES) ahead = KERNEL(tile_at)(g, i, j, LANES, ahead, step);
    switch (g->p - i) {
    case 0: return ahead;
    case 1: return KERNEL(tile_at)(g, i, j, 1, ahead, step);
#if LANES > 2
    case 2: return KERNEL(tile_at)(g, i, j, 2, ahead, step);
    case 3: return KERNEL(tile_at)(g, i, j, 3, ahead, step);
#endif
#if LANES > 4
    case 4: return KERNEL(tile_at)(g, i, j, 4, ahead, step);
    case 5: return KERNEL(tile_at)(g, i, j, 5, ahead, step);
    case 6: return KERNEL(tile_at)(g, i, j, 6, ahead, step);
#endif
    default: return KERNEL(tile_at)(g, i, j, LANES - 1, ahead, step);
    }
}

/*
 * All tiles on and below the diagonal, vectors by vectors: those of a tile, most of what it reads, are then in the
 * first-level cache for the tiles below it. The memory ahead is prefetched evenly, since memory answers only so many
 * requests at a time, and the loads of a tile would wait for the rest: at 100 columns all in the first tiles took 1.08
 * times as long.
 */
static void KERNEL(tiles)(const task *g, gpis_ahead ahead) {
    int64_t tiles = 0;
    for (int64_t j = 0; j < g->p; j += TILE_VECTORS * LANES) tiles += (g->p - j + LANES - 1) / LANES;
    const int64_t step = gpis_min64(LINE_BYTES, ahead.bytes / (g->rows * tiles) + 1);
    for (int64_t j = 0; j < g->p; j += TILE_VECTORS * LANES)
        ahead.from = KERNEL(tiles_of_columns)(g, j, ahead.from, ahead.bytes ? step : 0);
}
