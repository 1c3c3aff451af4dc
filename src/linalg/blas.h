/*
 * BLAS as gpis calls it: on one thread, after a check that it has the memory it needs.
 *
 * BLAS threads and ours must not compete, and BLAS must give the same bits whatever the number of threads. The OpenMP
 * build of OpenBLAS takes as many threads as omp_get_max_threads() says, and one inside a parallel region. So between
 * enter and leave that number is 1 for the calling thread, and our own regions ask for their threads explicitly.
 *
 * OpenBLAS maps a buffer of 128 MB for each call that runs at the same time, and if it cannot it tries again forever.
 * libgomp ends the whole process if it cannot start a thread. So the first call of a context checks whether the process
 * may map as much as both will need, and fails with GPIS_NO_MEMORY if it may not.
 */
#ifndef GPIS_BLAS_H
#define GPIS_BLAS_H

#include "base/base.h"

/* `threads`: how many will call BLAS at the same time. *outside is for gpis_blas_leave, which must be called even after
 * a failure. */
gpis_status gpis_blas_enter(gpis_context *context, int threads, int *outside);
void gpis_blas_leave(int outside);

#endif
