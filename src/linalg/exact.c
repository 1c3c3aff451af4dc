/*
 * Exact sums of products. With fl(.) rounding to nearest, the errors of a product and of a sum are doubles themselves,
 *
 *     a b = p + e,  p = fl(a b), e = fma(a, b, -p)                    unless e is too small to be one,
 *     a + b = s + e, s = fl(a + b)                                    (gpis_two_sum),
 *
 * so a sum can be held exactly as a few doubles: each term is added to the first, the error of that addition to the
 * second, and so on. If the last addition has an error too, the attempt has failed, and nothing is concluded.
 */
#include "linalg/exact.h"

#include <math.h>

#include "linalg/accurate.h"

enum { PARTS = 4 };

/* False if the error of the product may be too small for a double. */
static bool two_product(double a, double b, double *p, double *e) {
    static const double MIN_EXACT_PRODUCT = 0x1p-960; /* the error of a larger product is a normal double */
    *p = a * b;
    *e = fma(a, b, -*p);
    return fabs(*p) >= MIN_EXACT_PRODUCT || a == 0.0 || b == 0.0;
}

static bool add(double sum[PARTS], double term) {
    for (int i = 0; i < PARTS; i++) {
        term = gpis_two_sum(&sum[i], term);
        if (term == 0.0) return true;
    }
    return false;
}

/* Adding the parts from the last to the first gives zeros only if the sum is zero. Infinities give NaN, and not zero.
 */
static bool is_zero(double sum[PARTS]) {
    for (int round = 1; round < PARTS; round++)
        for (int i = PARTS - 1; i > 0; i--) sum[i] = gpis_two_sum(&sum[i - 1], sum[i]);
    for (int i = 0; i < PARTS; i++)
        if (!(sum[i] == 0.0)) return false;
    return true;
}

static bool add_product(double sum[PARTS], double a, double b) {
    double p, e;
    return two_product(a, b, &p, &e) && add(sum, p) && add(sum, e);
}

double gpis_exact_cross(double a, double b, double c, double d) {
    double p, e, q, f;
    if (!two_product(a, b, &p, &e) || !two_product(c, d, &q, &f) || e != f) return NAN;
    return gpis_two_sum(&p, -q) == 0.0 ? p : NAN;
}

static bool row_vanishes(const gpis_block *b, int64_t i, int64_t count, const double *V, int64_t c) {
    const bool csr = b->kind == GPIS_BLOCK_CSR;
    const int64_t begin = csr ? b->indptr[i] : 0, end = csr ? b->indptr[i + 1] : b->d;
    double sum[PARTS] = {0};
    for (int64_t p = begin; p < end; p++) {
        const double v = V[(csr ? b->indices[p] : p) * count + c];
        if (v != 0.0 && !add_product(sum, gpis_block_entry(b, i, p), v)) return false;
    }
    if (b->constant && !add(sum, V[b->d * count + c])) return false;
    return is_zero(sum);
}

void gpis_exact_misses(const gpis_block *b, int64_t count, const double *V, double *misses) {
    for (int64_t i = 0; i < b->nrows; i++)
        for (int64_t c = 0; (!b->weights || b->weights[i] > 0.0) && c < count; c++)
            misses[c] += !row_vanishes(b, i, count, V, c);
}
