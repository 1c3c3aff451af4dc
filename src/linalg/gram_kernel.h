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

/* Adds the products of the last column with those from j on, and, with the first of them, its square. */
GPIS_INLINE void KERNEL(add_border)(const task *g, int64_t j, int vectors, const KERNEL(vec) * border, double square) {
    const int64_t last = g->d - 1;
    for (int64_t t = 0; t < vectors * LANES; t++) g->H[(j + t) * g->d + last] += border[t / LANES][t % LANES];
    if (j == 0) g->H[last * g->d + last] += square;
}

/*
 * The tile at (i, j). These are constants where the function is inlined: `vectors`; `ragged`, if the last of them has
 * only `end` entries; `corner`, if the tile has only as many rows; `bordered`, if the products with the last column are
 * summed too. For each row of A, one line of the memory ahead is prefetched.
 */
GPIS_INLINE void KERNEL(tile)(const task *g, int64_t i, int64_t j, int vectors, bool ragged, bool corner, bool bordered,
                              const char *ahead, int64_t step) {
    const int64_t end = g->d % LANES, stride = g->stride;
    const double *left = g->a + i, *right = g->a + j, *last = g->a + g->d - 1;
    KERNEL(vec) sum[LANES][TILE_VECTORS] = {{{0}}}, line[TILE_VECTORS], border[TILE_VECTORS] = {{0}};
    double square = 0.0;
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
        if (!bordered) continue;
        for (int v = 0; v < vectors; v++) border[v] += *last * line[v];
        square += *last * *last;
        last += stride;
    }
    if (bordered) KERNEL(add_border)(g, j, vectors, border, square);
    for (int t = 0; t < (corner ? end : LANES); t++)
        for (int v = 0; v < vectors; v++) {
            double *h = g->H + (i + t) * g->d + j + v * LANES;
            if (ragged && v == vectors - 1)
                KERNEL(store_first)(h, end, KERNEL(first_doubles)(h, end) + sum[t][v]);
            else
                *(KERNEL(entries) *)h += sum[t][v];
        }
}

/*
 * All tiles on and above the diagonal; returns where the memory begins that has not been prefetched yet. Where the last
 * column alone would make one more vector of every row, the tiles of the first rows of H sum its products, too: in
 * tiles of its own seven eighths of the products with that vector (with AVX-512) would be for nothing.
 */
static const char *KERNEL(tiles)(const task *g, const char *ahead, const char *stop) {
    const bool bordered = g->d % LANES == 1 && g->d > LANES;
    const int64_t all = bordered ? g->d / LANES : (g->d + LANES - 1) / LANES;
    for (int64_t i = 0; i < all; i++) {
        /* With AVX2 a tile of three vectors fills the registers, and there is no room for their border. */
        const int64_t most = bordered && i == 0 && LANES == 4 ? 2 : TILE_VECTORS;
        for (int64_t j = i; j < all; j += most) {
            const int64_t step = ahead < stop ? LINE_BYTES : 0, vectors = gpis_min64(most, all - j);
            const char *line = step ? ahead : (const char *)g->a;
            const bool ragged = !bordered && j + vectors == all && g->d % LANES, corner = ragged && i == all - 1;
#define TILE(vectors, ragged, corner, bordered) \
    KERNEL(tile)(g, i * LANES, j * LANES, vectors, ragged, corner, bordered, line, step)
#define TILE_OF(vectors)                                    \
    ragged              ? TILE(vectors, true, false, false) \
    : bordered &&i == 0 ? TILE(vectors, false, false, true) \
                        : TILE(vectors, false, false, false)
            if (corner)
                TILE(1, true, true, false);
            else if (vectors == 1)
                TILE_OF(1);
            else if (vectors == 2)
                TILE_OF(2);
            else
                TILE_OF(TILE_VECTORS);
#undef TILE_OF
#undef TILE
            ahead += g->rows * step;
        }
    }
    return ahead;
}
