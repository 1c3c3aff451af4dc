/*
 * GPIS_HOT before a function makes the compiler build it three times, for AVX-512, AVX2 and plain machines; the loader
 * picks the right one. Elsewhere it says nothing. Only for plain functions of loops: an OpenMP region inside one is
 * compiled apart and stays plain. Where bits matter, write sums whose products are exact (times +-1) or have none:
 * the clones may fuse a multiply and an add.
 */
#ifndef GPIS_HOT_H
#define GPIS_HOT_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define GPIS_HOT __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GPIS_HOT
#endif

#endif
