/* The fused gradient of a dense chunk, for each instruction set, and the choice among them. */
#include "linalg/dense.h"

#include <string.h>

#include "linalg/hot.h"

/* Lines (rows or columns) that a kernel works on at a time: for one vector, for several vectors; and the vectors. */
enum { LINES = 8, LINES_OF_SEVERAL = 4, MAX_VECTORS = GPIS_DENSE_VECTORS };

GPIS_INLINE double element(const void *line, int64_t j, bool single) {
    return single ? (double)((const float *)line)[j] : ((const double *)line)[j];
}

GPIS_INLINE const void *element_at(const void *line, int64_t j, bool single) {
    return single ? (const void *)((const float *)line + j) : (const void *)((const double *)line + j);
}

GPIS_INLINE const void *line_at(const void *a, int64_t t, int64_t stride, bool single) {
    return element_at(a, t * stride, single);
}

/* r = A x becomes A x - y, for the rows [first, first + rows) of a block without terms. Returns ||r||^2. */
GPIS_INLINE double residual(int64_t first, int64_t rows, const double *y, int64_t y_stride, double *r) {
    double norm2 = 0.0;
    if (y) y += first * y_stride;
    for (int64_t i = 0; i < rows; i++) {
        if (y) r[i] -= y[i * y_stride];
        norm2 += r[i] * r[i];
    }
    return norm2;
}

/* Sums over the rows of a block with weights or a column of ones, each in as many parts as there are lines: of w r^2,
 * and of w r, which is the gradient of the coefficient of the column of ones. */
typedef struct row_sums {
    double squares[LINES], ones[LINES];
} row_sums;

GPIS_INLINE bool has_terms(const gpis_block *b) { return b->weights || b->constant; }

GPIS_INLINE double add_parts(const double part[LINES]) {
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

/* Adds to the gradient of the coefficient of ones, and returns the sum of w r^2. */
GPIS_INLINE double close_sums(const gpis_block *b, const row_sums *sums, double *g) {
    if (b->constant && g) g[b->d] += add_parts(sums->ones);
    return add_parts(sums->squares);
}

#define SIMD_BODY "linalg/dense_kernel.h"
#include "linalg/simd.h"

const gpis_dense_kernels *gpis_dense_kernels_at(int level) {
    static const gpis_dense_kernels kernels[] = {
        {gradient_plain, gradients_plain, norms_plain, 2},
#if GPIS_X86_DISPATCH
        {gradient_avx2, gradients_avx2, norms_avx2, 4},
        {gradient_avx512, gradients_avx512, norms_avx512, 8}
#endif
    };
    return gpis_simd_runs(level) ? &kernels[level] : NULL;
}

/* The best kernels that this machine can run. */
static const gpis_dense_kernels *choose(void) { return gpis_dense_kernels_at(gpis_simd_best()); }

double gpis_dense_gradient(const gpis_block *b, const double *x, const double *y, int64_t y_stride, double *r,
                           double *g) {
    return choose()->gradient(b, x, y, y_stride, r, g);
}

double gpis_dense_gradients(const gpis_block *b, int count, const double *X, const double *y, int64_t y_stride,
                            double *r, double *G) {
    if (gpis_block_is_row_major(b)) return choose()->gradients(b, count, X, y, y_stride, G);
    const int64_t width = gpis_block_width(b);
    double norm2 = 0.0;
    for (int v = count - 1; v >= 0; v--)
        norm2 = gpis_dense_gradient(b, X + v * width, v ? NULL : y, y_stride, r, G + v * width);
    return norm2;
}

int gpis_dense_lanes(void) { return choose()->lanes; }

/* The product, the terms of one lane, the last of which may be in a vector padded with zeros, and the other lanes. */
int64_t gpis_dense_dot_roundings(int64_t length, int lanes) { return length / lanes + lanes + 2; }

/* The square, the rows that are worked on at a time, then what they add up to, and the last rows one by one. */
int64_t gpis_dense_square_roundings(int64_t rows) { return 1 + rows / LINES_OF_SEVERAL + 2 * LINES; }

/* The same with weights. The norms are found once in a solve. */
static void weighted_norms(const gpis_block *b, double *norms2) {
    for (int64_t j = 0; j < b->d; j++) {
        double sum = 0.0;
        for (int64_t i = 0; i < b->nrows; i++) {
            const double v = gpis_block_entry(b, i, j);
            sum += (b->weights[i] * v) * v;
        }
        norms2[j] += sum;
    }
}

void gpis_dense_column_norms(const gpis_block *b, double *norms2) {
    double ones = 0.0;
    for (int64_t i = 0; b->constant && i < b->nrows; i++) ones += b->weights ? b->weights[i] : 1.0;
    if (b->constant) norms2[b->d] += ones;
    if (b->weights) {
        weighted_norms(b, norms2);
        return;
    }
    if (gpis_block_is_row_major(b)) {
        choose()->norms(b, norms2);
        return;
    }
    const bool single = b->type == GPIS_FLOAT32;
    for (int64_t j = 0; j < b->d; j++) {
        const void *column = line_at(b->values, j, b->col_stride, single);
        double sum = 0.0;
        for (int64_t i = 0; i < b->nrows; i++) {
            const double v = element(column, i, single);
            sum += v * v;
        }
        norms2[j] += sum;
    }
}
