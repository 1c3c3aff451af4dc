/*
 * Compiles the file SIMD_BODY once for each instruction set: plain x86-64 (or whatever the machine is), AVX2, AVX-512.
 * The body can use LANES, the number of doubles in a vector, and KERNEL(name), the name with the suffix of the
 * instruction set, for what it defines and for these, which vector types alone cannot express:
 *     vec                   the type of a vector
 *     sum_lanes(v)          the sum of a vector's lanes
 *     sum_four(v, s)        the same for v[0] .. v[3] at once, to s[0] .. s[3]
 *     load_floats(p)        doubles from LANES floats (GCC 12 makes poor code of __builtin_convertvector)
 *     first_doubles(p, n), first_floats(p, n), store_first(p, n, v)
 *                           of the n < LANES elements where a line ends: the other lanes are zeros, and their memory
 *                           is not touched
 *     product_less(a, b, p, c)
 *                           a b - c with one rounding, where p = fl(a b), and p - c must be exact
 *     scalar_product_error(a, b, p)
 *                           the rounding error a b - p of the product p = fl(a b) of two numbers
 *                           The last two assume that nothing underflows, and that the file is compiled without
 *                           contraction (-ffp-contract=off). They have the same bits for every instruction set.
 * At run time gpis_simd_runs says which variants this machine can run.
 */
#ifndef GPIS_SIMD_H
#define GPIS_SIMD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "linalg/hot.h"
#include "linalg/simd_level.h"

typedef double vec_plain __attribute__((vector_size(16)));
GPIS_INLINE double sum_lanes_plain(vec_plain v) { return v[0] + v[1]; }
GPIS_INLINE void sum_four_plain(const vec_plain *v, double *s) {
    for (int i = 0; i < 4; i++) s[i] = v[i][0] + v[i][1];
}
GPIS_INLINE vec_plain load_floats_plain(const float *p) { return (vec_plain){p[0], p[1]}; }
/* n is 1 */
GPIS_INLINE vec_plain first_doubles_plain(const double *p, int64_t n) { return (void)n, (vec_plain){p[0], 0.0}; }
GPIS_INLINE vec_plain first_floats_plain(const float *p, int64_t n) { return (void)n, (vec_plain){p[0], 0.0}; }
GPIS_INLINE void store_first_plain(double *p, int64_t n, vec_plain v) { (void)n, p[0] = v[0]; }

#ifdef __FP_FAST_FMA
GPIS_INLINE double scalar_product_error_plain(double a, double b, double p) { return fma(a, b, -p); }
GPIS_INLINE vec_plain product_less_plain(vec_plain a, vec_plain b, vec_plain p, vec_plain c) {
    return (void)p, (vec_plain){fma(a[0], b[0], -c[0]), fma(a[1], b[1], -c[1])};
}
#else
/* Where a fused multiplication and addition would be a slow function: Dekker's product of Veltkamp's halves. */
#define DEFINE_PRODUCT_ERROR(name, number)                                          \
    GPIS_INLINE number name(number a, number b, number p) {                         \
        const number x = a * 0x1.0000002p27, y = b * 0x1.0000002p27; /* 2^27 + 1 */ \
        const number a1 = x - (x - a), b1 = y - (y - b), a2 = a - a1, b2 = b - b1;  \
        return a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2);                     \
    }
DEFINE_PRODUCT_ERROR(scalar_product_error_plain, double)
DEFINE_PRODUCT_ERROR(product_error_plain, vec_plain)
GPIS_INLINE vec_plain product_less_plain(vec_plain a, vec_plain b, vec_plain p, vec_plain c) {
    return (p - c) + product_error_plain(a, b, p);
}
#endif

#define KERNEL(name) name##_plain
#define LANES 2
#include SIMD_BODY
#undef KERNEL
#undef LANES

#if GPIS_X86_DISPATCH
#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
typedef double vec_avx2 __attribute__((vector_size(32)));
GPIS_INLINE double sum_lanes_avx2(vec_avx2 v) { return (v[0] + v[2]) + (v[1] + v[3]); }
GPIS_INLINE void sum_four_avx2(const vec_avx2 *v, double *s) {
    const __m256d ab = _mm256_hadd_pd(v[0], v[1]), cd = _mm256_hadd_pd(v[2], v[3]);
    _mm256_storeu_pd(s, _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31)));
}
GPIS_INLINE vec_avx2 load_floats_avx2(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
/* All ones where i < n. */
GPIS_INLINE __m256i first_avx2(int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
GPIS_INLINE vec_avx2 first_doubles_avx2(const double *p, int64_t n) { return _mm256_maskload_pd(p, first_avx2(n)); }
GPIS_INLINE vec_avx2 first_floats_avx2(const float *p, int64_t n) {
    const __m128i mask = _mm_cmpgt_epi32(_mm_set1_epi32((int)n), _mm_setr_epi32(0, 1, 2, 3));
    return _mm256_cvtps_pd(_mm_maskload_ps(p, mask));
}
GPIS_INLINE void store_first_avx2(double *p, int64_t n, vec_avx2 v) { _mm256_maskstore_pd(p, first_avx2(n), v); }

GPIS_INLINE vec_avx2 product_less_avx2(vec_avx2 a, vec_avx2 b, vec_avx2 p, vec_avx2 c) {
    return (void)p, _mm256_fmsub_pd(a, b, c);
}
GPIS_INLINE double scalar_product_error_avx2(double a, double b, double p) { return __builtin_fma(a, b, -p); }

#define KERNEL(name) name##_avx2
#define LANES 4
#include SIMD_BODY
#undef KERNEL
#undef LANES
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
typedef double vec_avx512 __attribute__((vector_size(64)));
GPIS_INLINE double sum_lanes_avx512(vec_avx512 v) { return _mm512_reduce_add_pd(v); }
/* First pairs of lanes, then quarters of the register. */
GPIS_INLINE void sum_four_avx512(const vec_avx512 *v, double *s) {
    const __m512d ab = _mm512_unpacklo_pd(v[0], v[1]) + _mm512_unpackhi_pd(v[0], v[1]);
    const __m512d cd = _mm512_unpacklo_pd(v[2], v[3]) + _mm512_unpackhi_pd(v[2], v[3]);
    const __m512d halves = _mm512_shuffle_f64x2(ab, cd, 0x44) + _mm512_shuffle_f64x2(ab, cd, 0xee);
    const __m512d sums = halves + _mm512_shuffle_f64x2(halves, halves, 0xb1);
    _mm256_storeu_pd(s, _mm512_castpd512_pd256(_mm512_shuffle_f64x2(sums, sums, 0x08)));
}
GPIS_INLINE vec_avx512 load_floats_avx512(const float *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
GPIS_INLINE __mmask8 first_avx512(int64_t n) { return (__mmask8)((1u << n) - 1u); }
GPIS_INLINE vec_avx512 first_doubles_avx512(const double *p, int64_t n) {
    return _mm512_maskz_loadu_pd(first_avx512(n), p);
}
GPIS_INLINE vec_avx512 first_floats_avx512(const float *p, int64_t n) {
    return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(first_avx512(n), p));
}
GPIS_INLINE void store_first_avx512(double *p, int64_t n, vec_avx512 v) {
    _mm512_mask_storeu_pd(p, first_avx512(n), v);
}

GPIS_INLINE vec_avx512 product_less_avx512(vec_avx512 a, vec_avx512 b, vec_avx512 p, vec_avx512 c) {
    return (void)p, _mm512_fmsub_pd(a, b, c);
}
GPIS_INLINE double scalar_product_error_avx512(double a, double b, double p) { return __builtin_fma(a, b, -p); }

#define KERNEL(name) name##_avx512
#define LANES 8
#include SIMD_BODY
#undef KERNEL
#undef LANES
#pragma GCC pop_options
#endif

#endif
