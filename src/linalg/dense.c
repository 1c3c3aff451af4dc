/* The fused gradient of a dense chunk, for each instruction set, and the choice among them. */
#include "linalg/dense.h"

#include <string.h>

#include "linalg/hot.h"

enum { LINES = 8, FEW_LINES = 4, MOST_VECTORS = GPIS_DENSE_VECTORS };

GPIS_INLINE double element(const void *line, int64_t j, bool single) {
    return single ? (double)((const float *)line)[j] : ((const double *)line)[j];
}

GPIS_INLINE const void *element_at(const void *line, int64_t j, bool single) {
    return single ? (const void *)((const float *)line + j) : (const void *)((const double *)line + j);
}

GPIS_INLINE const void *line_at(const void *a, int64_t t, int64_t stride, bool single) {
    return element_at(a, t * stride, single);
}

/* r -= y; returns ||r||^2. */
GPIS_INLINE double residual(int64_t rows, const double *y, int64_t y_stride, double *r) {
    double norm2 = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        if (y) r[i] -= y[i * y_stride];
        norm2 += r[i] * r[i];
    }
    return norm2;
}

#define KERNEL(name) name##_plain
#define LANES 2
#define SUM_LANES(v) ((v)[0] + (v)[1])
#define LOAD_FLOATS(p) ((vec_plain){(p)[0], (p)[1]})
#define SUM_FOUR(v, s) \
    for (int i = 0; i < 4; i++) (s)[i] = (v)[i][0] + (v)[i][1]
#define FIRST_DOUBLES(p, n) ((void)(n), (vec_plain){(p)[0], 0.0}) /* n is 1 */
#define FIRST_FLOATS(p, n) ((void)(n), (vec_plain){(p)[0], 0.0})
#define STORE_FIRST(p, n, v) ((p)[0] = (v)[0])
#include "linalg/dense_kernel.h"

#if GPIS_X86_DISPATCH
#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
GPIS_INLINE __m256d sum_four_avx2(__m256d a, __m256d b, __m256d c, __m256d d) {
    const __m256d ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
    return _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31));
}

/* All ones where i < n. */
GPIS_INLINE __m256i first_avx2(int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}

GPIS_INLINE __m256d first_floats_avx2(const float *p, int64_t n) {
    const __m128i mask = _mm_cmpgt_epi32(_mm_set1_epi32((int)n), _mm_setr_epi32(0, 1, 2, 3));
    return _mm256_cvtps_pd(_mm_maskload_ps(p, mask));
}

#define KERNEL(name) name##_avx2
#define LANES 4
#define SUM_LANES(v) (((v)[0] + (v)[2]) + ((v)[1] + (v)[3]))
#define LOAD_FLOATS(p) _mm256_cvtps_pd(_mm_loadu_ps(p))
#define SUM_FOUR(v, s) _mm256_storeu_pd(s, sum_four_avx2((v)[0], (v)[1], (v)[2], (v)[3]))
#define FIRST_DOUBLES(p, n) _mm256_maskload_pd(p, first_avx2(n))
#define FIRST_FLOATS(p, n) first_floats_avx2(p, n)
#define STORE_FIRST(p, n, v) _mm256_maskstore_pd(p, first_avx2(n), v)
#include "linalg/dense_kernel.h"
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
/* Pairs of lanes, then quarters of the register. */
GPIS_INLINE __m256d sum_four_avx512(__m512d a, __m512d b, __m512d c, __m512d d) {
    const __m512d ab = _mm512_unpacklo_pd(a, b) + _mm512_unpackhi_pd(a, b);
    const __m512d cd = _mm512_unpacklo_pd(c, d) + _mm512_unpackhi_pd(c, d);
    const __m512d halves = _mm512_shuffle_f64x2(ab, cd, 0x44) + _mm512_shuffle_f64x2(ab, cd, 0xee);
    const __m512d sums = halves + _mm512_shuffle_f64x2(halves, halves, 0xb1);
    return _mm512_castpd512_pd256(_mm512_shuffle_f64x2(sums, sums, 0x08));
}

GPIS_INLINE __mmask8 first_avx512(int64_t n) { return (__mmask8)((1u << n) - 1u); }

#define KERNEL(name) name##_avx512
#define LANES 8
#define SUM_LANES(v) _mm512_reduce_add_pd(v)
#define LOAD_FLOATS(p) _mm512_cvtps_pd(_mm256_loadu_ps(p))
#define SUM_FOUR(v, s) _mm256_storeu_pd(s, sum_four_avx512((v)[0], (v)[1], (v)[2], (v)[3]))
#define FIRST_DOUBLES(p, n) _mm512_maskz_loadu_pd(first_avx512(n), p)
#define FIRST_FLOATS(p, n) _mm512_cvtps_pd(_mm256_maskz_loadu_ps(first_avx512(n), p))
#define STORE_FIRST(p, n, v) _mm512_mask_storeu_pd(p, first_avx512(n), v)
#include "linalg/dense_kernel.h"
#pragma GCC pop_options
#endif

const gpis_dense_kernels *gpis_dense_kernels_at(int level) {
    static const gpis_dense_kernels plain = {gradient_plain, gradients_plain, norms_plain, 2};
#if GPIS_X86_DISPATCH
    static const gpis_dense_kernels avx2 = {gradient_avx2, gradients_avx2, norms_avx2, 4};
    static const gpis_dense_kernels avx512 = {gradient_avx512, gradients_avx512, norms_avx512, 8};
    if (level == GPIS_DENSE_AVX512) return __builtin_cpu_supports("x86-64-v4") ? &avx512 : NULL;
    if (level == GPIS_DENSE_AVX2) return __builtin_cpu_supports("x86-64-v3") ? &avx2 : NULL;
#endif
    return level == GPIS_DENSE_PLAIN ? &plain : NULL;
}

/* What this machine runs best. */
static const gpis_dense_kernels *choose(void) {
    int level = GPIS_DENSE_LEVELS - 1;
    while (!gpis_dense_kernels_at(level)) level--;
    return gpis_dense_kernels_at(level);
}

double gpis_dense_gradient(const gpis_block *b, const double *x, const double *y, int64_t y_stride, double *r,
                           double *g) {
    return choose()->gradient(b, x, y, y_stride, r, g);
}

double gpis_dense_gradients(const gpis_block *b, int count, const double *X, const double *y, int64_t y_stride,
                            double *r, double *G) {
    if (gpis_block_is_row_major(b)) return choose()->gradients(b, count, X, y, y_stride, G);
    double norm2 = 0.0;
    for (int v = count - 1; v >= 0; v--)
        norm2 = gpis_dense_gradient(b, X + v * b->d, v ? NULL : y, y_stride, r, G + v * b->d);
    return norm2;
}

/* A lane's own terms, or the tail's, then the other lanes and the tail. */
int64_t gpis_dense_dot_roundings(int64_t d) {
    const int lanes = choose()->lanes;
    return gpis_max64(d / lanes, lanes) + lanes + 2;
}

void gpis_dense_column_norms(const gpis_block *b, double *norms2) {
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
