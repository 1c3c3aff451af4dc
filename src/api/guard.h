/*
 * BLAS threads and ours must not fight, and BLAS must give the same bits whatever the number of threads. The OpenMP
 * build of OpenBLAS takes as many threads as omp_get_max_threads() says, and one inside a parallel region; so between
 * enter and leave the calling thread's number is 1, and our own regions ask for theirs explicitly.
 */
#ifndef GPIS_GUARD_H
#define GPIS_GUARD_H

#include <omp.h>

static inline int gpis_guard_enter(void) {
    const int outside = omp_get_max_threads();
    omp_set_num_threads(1);
    return outside;
}

static inline void gpis_guard_leave(int outside) { omp_set_num_threads(outside); }

#endif
