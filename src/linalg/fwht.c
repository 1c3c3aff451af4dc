/*
 * H_n = [H H; H -H] with H of half the size: one level of sums and differences of the two halves, then each half by
 * itself. Two levels are done at once (quarters a, b, c, d), which halves the memory traffic; by the recursion the work
 * fits into each level of cache in turn, whatever the sizes of the caches.
 */
#include "linalg/fwht.h"

#include "linalg/hot.h"

/* One level: the halves x and x + half. */
GPIS_HOT static void halves(double *restrict a, double *restrict b, int64_t count) {
    for (int64_t p = 0; p < count; p++) {
        const double sum = a[p] + b[p], difference = a[p] - b[p];
        a[p] = sum;
        b[p] = difference;
    }
}

/* Two levels. */
GPIS_HOT static void quarters(double *restrict a, double *restrict b, double *restrict c, double *restrict d,
                              int64_t count) {
    for (int64_t p = 0; p < count; p++) {
        const double ac = a[p] + c[p], a_c = a[p] - c[p], bd = b[p] + d[p], b_d = b[p] - d[p];
        a[p] = ac + bd;
        b[p] = ac - bd;
        c[p] = a_c + b_d;
        d[p] = a_c - b_d;
    }
}

void gpis_fwht(double *x, int64_t n, int64_t width) {
    if (n < 2) return;
    if (n == 2) {
        halves(x, x + width, width);
        return;
    }
    const int64_t step = n / 4 * width;
    quarters(x, x + step, x + 2 * step, x + 3 * step, step);
    for (int q = 0; q < 4; q++) gpis_fwht(x + q * step, n / 4, width);
}
