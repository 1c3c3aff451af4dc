/* The yardstick: LAPACK's least squares by pivoted QR, on the dense data of a problem. */
#include <lapacke.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "judge.h"
#include "quad.h"

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double time_dgelsy(const problem *p) {
    enum { TRIES = 5 };
    const lapack_int n = (lapack_int)p->n, d = (lapack_int)p->d, k = (lapack_int)p->k, rows = n > d ? n : d;
    double *A = ALLOCATE(double, p->n * p->d), *B = ALLOCATE(double, (int64_t)rows * p->k), best = 1e300;
    lapack_int *pivots = ALLOCATE(lapack_int, p->d), rank;
    omp_set_num_threads(1);
    for (int attempt = 0; attempt < TRIES; attempt++) {
        for (int64_t i = 0; i < p->n; i++) {
            for (int64_t j = 0; j < p->d; j++) A[i + j * p->n] = p->A[i * p->d + j];
            for (int64_t c = 0; c < p->k; c++) B[i + c * rows] = p->Y[i * p->k + c];
        }
        memset(pivots, 0, (size_t)p->d * sizeof *pivots);
        const double before = seconds();
        const lapack_int info = LAPACKE_dgelsy(LAPACK_COL_MAJOR, n, d, k, A, n, B, rows, pivots, 1e-14, &rank);
        const double taken = seconds() - before;
        if (info == 0 && taken < best) best = taken;
    }
    free(A);
    free(B);
    free(pivots);
    return best < 1e300 ? best : 0;
}
