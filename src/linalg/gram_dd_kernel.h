/*
 * The body of the Gram kernel in double-double, compiled once for each instruction set (simd.h). The file that includes
 * it must be compiled without contraction (-ffp-contract=off in CMakeLists.txt): a product that is fused with an
 * addition has another error than the one computed here.
 *
 * There is no include guard, since the file is included several times.
 */

/* A tile of W, up to FACTORS rows by VECTORS vectors, stays in registers while the rows of a block are added to it. */
enum { KERNEL(FACTORS) = LANES == 8 ? 8 : 2, KERNEL(VECTORS) = LANES == 8 ? 1 : 2 };

typedef KERNEL(vec) KERNEL(any) __attribute__((aligned(8), may_alias)); /* in memory, at any alignment */

/* *a := fl(*a + b); returns the rounding error. */
GPIS_INLINE KERNEL(vec) KERNEL(two_sum)(KERNEL(vec) * a, KERNEL(vec) b) {
    const KERNEL(vec) s = *a + b, z = s - *a, error = (*a - (s - z)) + (b - z);
    *a = s;
    return error;
}

/* The same where |*a| >= |b| or *a = 0. */
GPIS_INLINE KERNEL(vec) KERNEL(fast_two_sum)(KERNEL(vec) * a, KERNEL(vec) b) {
    const KERNEL(vec) s = *a + b, error = b - (s - *a);
    *a = s;
    return error;
}

/* gpis_dd_add for vectors: (*high, *low) += (h, l), where h + l need not be normalised yet. */
GPIS_INLINE void KERNEL(add_dd)(KERNEL(vec) * high, KERNEL(vec) * low, KERNEL(vec) h, KERNEL(vec) l) {
    l = KERNEL(two_sum)(&h, l);
    KERNEL(vec) s = *high, t = *low;
    const KERNEL(vec) s_error = KERNEL(two_sum)(&s, h), t_error = KERNEL(two_sum)(&t, l);
    const KERNEL(vec) v_error = KERNEL(fast_two_sum)(&s, s_error + t);
    *low = KERNEL(fast_two_sum)(&s, t_error + v_error);
    *high = s;
}

/* Adds a row of a tile to W, of which only the first `count` entries exist. */
GPIS_INLINE void KERNEL(add_to)(double *high, double *low, int64_t count, KERNEL(vec) h, KERNEL(vec) l) {
    KERNEL(vec) wh, wl;
    if (count >= LANES) {
        wh = *(const KERNEL(any) *)high, wl = *(const KERNEL(any) *)low;
        KERNEL(add_dd)(&wh, &wl, h, l);
        *(KERNEL(any) *)high = wh, *(KERNEL(any) *)low = wl;
    } else if (count > 0) {
        wh = KERNEL(first_doubles)(high, count), wl = KERNEL(first_doubles)(low, count);
        KERNEL(add_dd)(&wh, &wl, h, l);
        KERNEL(store_first)(high, count, wh), KERNEL(store_first)(low, count, wl);
    }
}

/*
 * The tile whose first row is column i of the data and whose first column is column j; `left` and `right` point to
 * their entries in the first row of their panels. `factors`, the number of its rows, and `weighted` are constants where
 * the function is inlined.
 *
 * For each product p = fl(a b), high becomes s = fl(high + p), and low gets what that leaves out, high + a b - s. With
 * z = fl(s - high), both high - (s - z) and p - z are exact, and their sum is high + p - s (Knuth). So a b - z in place
 * of p - z includes the rounding error of the product, too. With weights, a is the double nearest to w a_i, and `rest`,
 * what it leaves out, times b is added to low.
 */
GPIS_INLINE void KERNEL(tile)(const task *g, int64_t i, int64_t j, const double *left, const double *right, int factors,
                              bool weighted) {
    KERNEL(vec) high[KERNEL(FACTORS)][KERNEL(VECTORS)] = {{{0}}}, low[KERNEL(FACTORS)][KERNEL(VECTORS)] = {{{0}}};
    const double *rest = weighted ? left + (g->rest - g->left) : NULL;
    for (int64_t r = g->rows; r > 0; r--, left += GPIS_PANEL, right += GPIS_PANEL) {
        KERNEL(vec) line[KERNEL(VECTORS)];
        for (int v = 0; v < KERNEL(VECTORS); v++) line[v] = *(const KERNEL(any) *)(right + v * LANES);
        for (int t = 0; t < factors; t++) {
            const KERNEL(vec) a = left[t] - (KERNEL(vec)){0}; /* in all lanes */
            for (int v = 0; v < KERNEL(VECTORS); v++) {
                const KERNEL(vec) p = a * line[v], s = high[t][v] + p, z = s - high[t][v];
                low[t][v] += (high[t][v] - (s - z)) + KERNEL(product_less)(a, line[v], p, z);
                if (weighted) low[t][v] += rest[t] * line[v];
                high[t][v] = s;
            }
        }
        if (weighted) rest += GPIS_PANEL;
    }
    for (int t = 0; t < factors; t++)
        for (int v = 0; v < KERNEL(VECTORS); v++) {
            double *at = g->W + (i + t) * g->p + j + v * LANES;
            KERNEL(add_to)(at, at + g->p * g->p, g->p - j - v * LANES, high[t][v], low[t][v]);
        }
}

/* All tiles of the panels on and below the diagonal. The last panel has only as many rows as there are columns of data
 * in it: with one response there is often but one. */
static void KERNEL(tiles)(const task *g) {
    for (int64_t i = 0, some; i < g->p; i += some) {
        const int64_t rest = gpis_min64(GPIS_PANEL - i % GPIS_PANEL, g->p - i);
        some = KERNEL(FACTORS);
        while (some > rest) some /= 2;
        const double *left = g->left + packed_at(0, i);
        for (int64_t j = 0; j <= i; j += KERNEL(VECTORS) * LANES) {
            const double *right = g->packed + packed_at(0, j);
#define TILE(factors) \
    g->rest ? KERNEL(tile)(g, i, j, left, right, factors, true) : KERNEL(tile)(g, i, j, left, right, factors, false)
            if (KERNEL(FACTORS) == 8 && some == 8) TILE(8);
            if (KERNEL(FACTORS) == 8 && some == 4) TILE(4);
            if (some == 2) TILE(2);
            if (some == 1) TILE(1);
#undef TILE
        }
    }
}

/* W += weight times the products of one compressed row: `count` values at increasing columns. If W is not in cache,
 * most of the time goes into waiting for it, so the entries of its next row that will be needed are prefetched. */
static void KERNEL(pairs)(const double *restrict values, const int32_t *restrict columns, int64_t count, double weight,
                          int64_t p, double *restrict W) {
    double *restrict lows = W + p * p;
    for (int64_t s = 0; s < count; s++) {
        const int64_t row = columns[s] * p, next = columns[s + 1 < count ? s + 1 : s] * p;
        double *restrict high = W + row, *restrict low = lows + row;
        const double a = weight * values[s], rest = KERNEL(scalar_product_error)(weight, values[s], a);
        for (int64_t t = 0; t <= s; t++) {
            const int32_t j = columns[t];
            __builtin_prefetch(W + next + j, 1, 2);
            __builtin_prefetch(lows + next + j, 1, 2);
            const double product = a * values[t], error = KERNEL(scalar_product_error)(a, values[t], product);
            const gpis_dd term = gpis_dd_fast_two_sum(product, error + rest * values[t]);
            const gpis_dd sum = gpis_dd_add((gpis_dd){high[j], low[j]}, term);
            high[j] = sum.high;
            low[j] = sum.low;
        }
    }
}
