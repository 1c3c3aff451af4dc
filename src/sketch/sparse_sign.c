/*
 * The sparse sign sketch (Cohen 2016; Tropp et al. 2019): s entries +-1/sqrt(s) in each column of S, here one in each
 * of s stacked count sketches. At the same m it preserves coherent rows far better than the count sketch, at s times
 * the cost.
 */
#include "sketch/buckets.h"
#include "sketch/kinds.h"

#include <math.h>

#include "base/random.h"

enum { MAX_STACKS = 8 };

static int stacks(int64_t m) { return (int)gpis_min64(m, MAX_STACKS); }

static gpis_status start(gpis_sketch *s) {
    return gpis_buckets_create(s->context, s->m, s->n, stacks(s->m), s->seed, gpis_stream(GPIS_STREAM_SKETCH, s->round),
                               (gpis_buckets **)&s->state);
}

static gpis_status absorb(gpis_sketch *s, const gpis_block *rows, const double *Y, int threads) {
    return gpis_buckets_absorb(s->state, rows, Y, s->k, s->into.A, s->into.Y, threads);
}

/* The sums are of rows with signs only; the factor is applied at the end. */
static gpis_status finish(gpis_sketch *s, int threads) {
    const double scale = 1.0 / sqrt((double)stacks(s->m));
#pragma omp parallel for num_threads(gpis_threads_for(threads, (double)(s->m * s->d))) schedule(static)
    for (int64_t p = 0; p < s->m * s->d; p++) s->SA[p] *= scale;
    for (int64_t p = 0; p < s->m * s->k; p++) s->SY[p] *= scale;
    return GPIS_OK;
}

static void stop(gpis_sketch *s) { gpis_buckets_destroy(s->state); }

/* s n d additions */
static double cost(int64_t n, int64_t d, int64_t m) {
    (void)n, (void)d;
    return 0.25 * stacks(m);
}

static double memory(int64_t n, int64_t d, int64_t m, int threads) {
    (void)d;
    return gpis_buckets_memory(m, n, stacks(m), threads);
}

const gpis_sketch_class gpis_sketch_sparse_sign = {.name = "sparse-sign",
                                                   .start = start,
                                                   .absorb = absorb,
                                                   .finish = finish,
                                                   .stop = stop,
                                                   .cost = cost,
                                                   .memory = memory};
