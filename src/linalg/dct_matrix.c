/* The matrix of the orthonormal DCT-II in double-double. */
#include "linalg/dct.h"
#include "linalg/dd.h"

/* The sum of the series of the cosine (first = 0) or of the sine (first = 1) at 0 <= angle <= pi / 4. */
static gpis_dd series(gpis_dd angle, int first) {
    enum { TERMS = 16 }; /* the next one is below 1e-36 */
    const gpis_dd square = gpis_dd_negate(gpis_dd_multiply(angle, angle));
    gpis_dd term = first ? angle : gpis_dd_of(1.0), sum = term;
    for (int i = 1; i < TERMS; i++) {
        const double a = 2.0 * i - 1.0 + first;
        term = gpis_dd_divide(gpis_dd_multiply(term, square), gpis_dd_of(a * (a + 1.0)));
        sum = gpis_dd_add(sum, term);
    }
    return sum;
}

/* cos(pi m / (2 n)), 0 <= m < 4 n. */
static gpis_dd cosine(int64_t m, int64_t n) {
    static const gpis_dd PI = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
    if (m > 2 * n) m = 4 * n - m;
    const bool negative = m > n;
    if (negative) m = 2 * n - m;
    const bool steep = 2 * m > n; /* sin(pi (n - m) / (2 n)) is the same number */
    const gpis_dd part = gpis_dd_scale(PI, (double)(steep ? n - m : m));
    const gpis_dd value = series(gpis_dd_divide(part, gpis_dd_of(2.0 * (double)n)), steep);
    return negative ? gpis_dd_negate(value) : value;
}

/* An angle has a relative error of two units and is less than 1; the terms of a series decrease, and their errors add
 * up to less than six units of the largest; scaling adds three. */
double gpis_dct_matrix(int64_t n, double *U, double *U_low) {
    for (int64_t i = 0; i < n; i++) {
        const gpis_dd scale = gpis_dd_sqrt(gpis_dd_divide(gpis_dd_of(i ? 2.0 : 1.0), gpis_dd_of((double)n)));
        for (int64_t j = 0; j < n; j++) {
            const gpis_dd entry = gpis_dd_multiply(scale, cosine(i * (2 * j + 1) % (4 * n), n));
            U[i * n + j] = entry.high;
            U_low[i * n + j] = entry.low;
        }
    }
    return 16.0;
}
