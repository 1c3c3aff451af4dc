/*
 * For the few functions that touch every row: they are compiled for AVX-512, AVX2 and plain x86-64, and the machine
 * decides which variant runs.
 *
 * GPIS_HOT before a plain function of loops makes the compiler do so; the variant is chosen once, at load time (an
 * OpenMP region inside such a function is compiled separately, for plain x86-64). GPIS_X86_DISPATCH is 1 where a file
 * may do it by hand. On other machines there is one variant; under sanitizers too, since their run time is not
 * initialised yet when the loader chooses.
 *
 * The variants may fuse a multiplication and an addition if the file is listed for it in CMakeLists.txt, so bits can
 * differ between machines, but not between runs on one machine.
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
