/* Moments of columns, row by row. Each sum of a chunk is made by itself first. */
#include "linalg/moments.h"

enum { COLUMNS = 8 }; /* of dense rows that are summed at a time */

static double weight_of(const gpis_block *b, int64_t i) { return b->weights ? b->weights[i] : 1.0; }

static void add_term(double w, double off, double sum[3]) {
    sum[0] += w;
    sum[1] += w * off;
    sum[2] += (w * off) * off;
}

static void add_dense(const gpis_block *b, const double *c, double *moments) {
    const int64_t width = gpis_block_width(b);
    for (int64_t first = 0; first < b->d; first += COLUMNS) {
        const int64_t count = gpis_min64(COLUMNS, b->d - first);
        double sum[COLUMNS][3] = {{0}};
        for (int64_t i = 0; i < b->nrows; i++)
            for (int64_t t = 0; t < count; t++)
                add_term(weight_of(b, i), gpis_block_entry(b, i, first + t) - c[first + t], sum[t]);
        for (int64_t t = 0; t < count; t++)
            for (int m = 0; m < 3; m++) moments[m * width + first + t] += sum[t][m];
    }
}

static void add_compressed(const gpis_block *b, const double *c, double *moments) {
    const int64_t width = gpis_block_width(b);
    for (int64_t i = 0; i < b->nrows; i++)
        for (int64_t p = b->indptr[i]; p < b->indptr[i + 1]; p++) {
            const int64_t j = b->indices[p];
            double sum[3] = {0};
            add_term(weight_of(b, i), gpis_block_entry(b, i, p) - c[j], sum);
            for (int m = 0; m < 3; m++) moments[m * width + j] += sum[m];
        }
}

void gpis_moments_add(const gpis_block *b, const double *c, double *moments) {
    const int64_t width = gpis_block_width(b);
    double ones[3] = {0};
    if (b->kind == GPIS_BLOCK_CSR)
        add_compressed(b, c, moments);
    else
        add_dense(b, c, moments);
    for (int64_t i = 0; b->constant && i < b->nrows; i++) add_term(weight_of(b, i), 1.0 - c[b->d], ones);
    for (int m = 0; b->constant && m < 3; m++) moments[m * width + b->d] += ones[m];
}
