/*
 * The fused gradient of compressed rows: a row's entries are read for its product with x and are still in cache when
 * they are scattered into g.
 */
#include "linalg/csr.h"

#include "linalg/hot.h"

GPIS_INLINE double value(const void *values, int64_t p, bool single) {
    return single ? (double)((const float *)values)[p] : ((const double *)values)[p];
}

/* Entries this far ahead are prefetched: for short rows the hardware's own prefetching comes too late. */
enum { PREFETCH_DISTANCE = 256 };

/* One response: four independent sums, since with one each addition would wait for the one before. */
GPIS_INLINE double one_response(const gpis_block *b, const double *restrict x, const double *restrict y,
                                double *restrict r, double *restrict g, bool single) {
    const int64_t *restrict indptr = b->indptr;
    const int32_t *restrict indices = b->indices;
    const void *restrict values = b->values;
    const double *restrict weights = b->weights, shift = b->constant ? x[b->d] : 0.0;
    double norm2 = 0.0, ones = 0.0; /* the gradient of the coefficient of ones */
    for (int64_t i = 0; i < b->nrows; i++) {
        const int64_t begin = indptr[i], end = indptr[i + 1];
        double s0 = y ? -y[i] : 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        if (b->constant) s0 += shift;
        int64_t p = begin;
        for (; p + 4 <= end; p += 4) {
            __builtin_prefetch((const char *)values + (p + PREFETCH_DISTANCE) * (single ? 4 : 8));
            __builtin_prefetch(indices + p + PREFETCH_DISTANCE);
            s0 += value(values, p, single) * x[indices[p]];
            s1 += value(values, p + 1, single) * x[indices[p + 1]];
            s2 += value(values, p + 2, single) * x[indices[p + 2]];
            s3 += value(values, p + 3, single) * x[indices[p + 3]];
        }
        for (; p < end; p++) s0 += value(values, p, single) * x[indices[p]];
        double ri = (s0 + s1) + (s2 + s3);
        const double factor = weights ? weights[i] * ri : ri; /* of the row in the gradient */
        norm2 += factor * ri;
        ones += factor;
        r[i] = ri = factor;
        if (!g) continue;
#pragma GCC unroll 4
        for (p = begin; p < end; p++) g[indices[p]] += ri * value(values, p, single);
    }
    if (g && b->constant) g[b->d] += ones;
    return norm2;
}

GPIS_HOT static double one_response_double(const gpis_block *b, const double *x, const double *y, double *r,
                                           double *g) {
    return one_response(b, x, y, r, g, false);
}
GPIS_HOT static double one_response_float(const gpis_block *b, const double *x, const double *y, double *r, double *g) {
    return one_response(b, x, y, r, g, true);
}

/* Many responses: rows of X, R and G are contiguous, so each entry is an axpy of length k. */
GPIS_HOT static double many_responses(const gpis_block *b, int64_t k, const double *restrict X,
                                      const double *restrict Y, double *restrict R, double *restrict G) {
    const bool single = b->type == GPIS_FLOAT32;
    double norm2 = 0.0;
    for (int64_t i = 0; i < b->nrows; i++) {
        double *r = R + i * k;
        for (int64_t c = 0; c < k; c++) r[c] = Y ? -Y[i * k + c] : 0.0;
        for (int64_t c = 0; b->constant && c < k; c++) r[c] += X[b->d * k + c];
        for (int64_t p = b->indptr[i]; p < b->indptr[i + 1]; p++) {
            const double a = value(b->values, p, single), *x = X + b->indices[p] * k;
            for (int64_t c = 0; c < k; c++) r[c] += a * x[c];
        }
        double row2 = 0.0;
        for (int64_t c = 0; c < k; c++) {
            const double factor = b->weights ? b->weights[i] * r[c] : r[c];
            row2 += factor * r[c];
            r[c] = factor;
        }
        norm2 += row2;
        if (!G) continue;
        for (int64_t c = 0; b->constant && c < k; c++) G[b->d * k + c] += r[c];
        for (int64_t p = b->indptr[i]; p < b->indptr[i + 1]; p++) {
            const double a = value(b->values, p, single);
            double *g = G + b->indices[p] * k;
            for (int64_t c = 0; c < k; c++) g[c] += a * r[c];
        }
    }
    return norm2;
}

double gpis_csr_gradient(const gpis_block *b, int64_t k, const double *X, const double *Y, double *R, double *G) {
    if (k != 1) return many_responses(b, k, X, Y, R, G);
    return b->type == GPIS_FLOAT32 ? one_response_float(b, X, Y, R, G) : one_response_double(b, X, Y, R, G);
}

GPIS_HOT static void add_scaled(double *restrict g, double a, const double *restrict r, int64_t k) {
    for (int64_t c = 0; c < k; c++) g[c] += a * r[c];
}

void gpis_csr_add_products(const gpis_block *b, int64_t k, const double *R, double *G) {
    const bool single = b->type == GPIS_FLOAT32;
    for (int64_t i = 0; i < b->nrows; i++) {
        const double *r = R + i * k;
        for (int64_t p = b->indptr[i]; p < b->indptr[i + 1]; p++)
            add_scaled(G + b->indices[p] * k, value(b->values, p, single), r, k);
        if (b->constant) add_scaled(G + b->d * k, 1.0, r, k);
    }
}

/* The upper triangle, pair by pair. Nearly every pair touches a cache line of H that is not in the second-level cache:
 * the fewer instructions between two pairs, the more of these lines are fetched at once. */
GPIS_INLINE void gram(const gpis_block *b, double *restrict H, bool single) {
    const int32_t *restrict indices = b->indices;
    const void *restrict values = b->values;
    const double *restrict weights = b->weights;
    const int64_t d = b->d, width = gpis_block_width(b);
    for (int64_t i = 0; i < b->nrows; i++) {
        const int64_t end = b->indptr[i + 1];
        for (int64_t p = b->indptr[i]; p < end; p++) {
            const double a = weights ? weights[i] * value(values, p, single) : value(values, p, single);
            double *restrict row = H + indices[p] * width;
#pragma GCC unroll 4
            for (int64_t q = p; q < end; q++) row[indices[q]] += a * value(values, q, single);
            if (width > d) row[d] += a;
        }
        if (width > d) H[d * width + d] += weights ? weights[i] : 1.0;
    }
}

GPIS_HOT static void gram_double(const gpis_block *b, double *H) { gram(b, H, false); }
GPIS_HOT static void gram_float(const gpis_block *b, double *H) { gram(b, H, true); }

void gpis_csr_gram(const gpis_block *b, double *H) {
    if (b->type == GPIS_FLOAT32)
        gram_float(b, H);
    else
        gram_double(b, H);
}

/* Collects the entries of a row in the selected columns, then adds their products. */
GPIS_INLINE void gram_of(const gpis_block *b, const int32_t *restrict position, int64_t count, double *restrict kept,
                         int32_t *restrict at, double *restrict H, bool single) {
    for (int64_t i = 0; i < b->nrows; i++) {
        int64_t entries = 0;
        for (int64_t p = b->indptr[i]; p < b->indptr[i + 1] && entries < count; p++) {
            const int32_t where = position[b->indices[p]];
            kept[entries] = value(b->values, p, single);
            at[entries] = where;
            entries += where >= 0;
        }
        if (b->constant && position[b->d] >= 0) {
            kept[entries] = 1.0;
            at[entries++] = position[b->d];
        }
        for (int64_t p = 0; p < entries; p++) {
            const double a = b->weights ? b->weights[i] * kept[p] : kept[p];
            double *restrict row = H + at[p] * count;
            for (int64_t q = p; q < entries; q++) row[at[q]] += a * kept[q];
        }
    }
}

GPIS_HOT static void gram_of_double(const gpis_block *b, const int32_t *position, int64_t count, double *kept,
                                    int32_t *at, double *H) {
    gram_of(b, position, count, kept, at, H, false);
}
GPIS_HOT static void gram_of_float(const gpis_block *b, const int32_t *position, int64_t count, double *kept,
                                   int32_t *at, double *H) {
    gram_of(b, position, count, kept, at, H, true);
}

void gpis_csr_gram_of(const gpis_block *b, const int32_t *position, int64_t count, double *row, double *H) {
    int32_t *at = (int32_t *)(row + count);
    if (b->type == GPIS_FLOAT32)
        gram_of_float(b, position, count, row, at, H);
    else
        gram_of_double(b, position, count, row, at, H);
}

/* The same with weights, and the norm of the column of ones. */
static void norms_with_terms(const gpis_block *b, double *norms2) {
    for (int64_t i = 0; i < b->nrows; i++) {
        const double w = b->weights ? b->weights[i] : 1.0;
        for (int64_t p = b->indptr[i]; p < b->indptr[i + 1]; p++) {
            const double a = gpis_block_entry(b, i, p);
            norms2[b->indices[p]] += (w * a) * a;
        }
        if (b->constant) norms2[b->d] += w;
    }
}

void gpis_csr_column_norms(const gpis_block *b, double *norms2) {
    const bool single = b->type == GPIS_FLOAT32;
    if (b->weights || b->constant) {
        norms_with_terms(b, norms2);
        return;
    }
    for (int64_t p = b->indptr[0]; p < b->indptr[b->nrows]; p++) {
        const double a = value(b->values, p, single);
        norms2[b->indices[p]] += a * a;
    }
}
