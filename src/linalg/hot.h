/*
 * For the few functions that touch every row: they are compiled for AVX-512, AVX2 and plain x86-64, and the machine
 * decides which one runs.
 *
 * GPIS_HOT before a plain function of loops does it by the compiler, picked once at load time (an OpenMP region inside
 * one is compiled apart and stays plain). GPIS_X86_DISPATCH says that a file may do it by hand. On other machines the
 * same source compiles plainly; under sanitizers too, whose run time is not up yet when the loader picks.
 *
 * The variants may fuse a multiply and an add, so bits can differ between machines, never between runs on one.
 */
#ifndef GPIS_HOT_H
#define GPIS_HOT_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GPIS_X86_DISPATCH 1
#define GPIS_HOT __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GPIS_X86_DISPATCH 0
#define GPIS_HOT
#endif

#define GPIS_INLINE static inline __attribute__((always_inline))

#endif
