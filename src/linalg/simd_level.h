/* The instruction sets that kernels are compiled for by hand (simd.h), best last. */
#ifndef GPIS_SIMD_LEVEL_H
#define GPIS_SIMD_LEVEL_H

#include <stdbool.h>

#include "linalg/hot.h"

enum { GPIS_SIMD_PLAIN, GPIS_SIMD_AVX2, GPIS_SIMD_AVX512, GPIS_SIMD_LEVELS };

/* Whether this machine, and this build, can run them. */
static inline bool gpis_simd_runs(int level) {
#if GPIS_X86_DISPATCH
    if (level == GPIS_SIMD_AVX512) return __builtin_cpu_supports("x86-64-v4");
    if (level == GPIS_SIMD_AVX2) return __builtin_cpu_supports("x86-64-v3");
#endif
    return level == GPIS_SIMD_PLAIN;
}

/* The best one that this machine can run. */
static inline int gpis_simd_best(void) {
    int level = GPIS_SIMD_LEVELS - 1;
    while (!gpis_simd_runs(level)) level--;
    return level;
}

#endif
