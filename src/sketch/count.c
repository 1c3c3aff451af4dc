/*
 * The count sketch (Charikar, Chen, Farach-Colton 2002; Clarkson and Woodruff 2013): each row of A is added, with a
 * random sign, to one of m buckets. One addition per entry of A, and S'S = I on average.
 */
#include "sketch/buckets.h"
#include "sketch/kinds.h"

#include "base/random.h"

static gpis_status start(gpis_sketch *s) {
    return gpis_buckets_create(s->context, s->m, s->n, 1, s->seed, gpis_stream(GPIS_STREAM_SKETCH, s->round),
                               (gpis_buckets **)&s->state);
}

static gpis_status absorb(gpis_sketch *s, const gpis_block *rows, const double *Y, int threads) {
    return gpis_buckets_absorb(s->state, rows, Y, s->k, s->into.A, s->into.Y, threads);
}

static void stop(gpis_sketch *s) { gpis_buckets_destroy(s->state); }

/* n d additions */
static double cost(int64_t n, int64_t d, int64_t m) {
    (void)n, (void)d, (void)m;
    return 0.25;
}

static double memory(int64_t n, int64_t d, int64_t m, int threads) {
    (void)d;
    return gpis_buckets_memory(m, n, 1, threads);
}

const gpis_sketch_class gpis_sketch_count = {
    .name = "count", .start = start, .absorb = absorb, .stop = stop, .cost = cost, .memory = memory};
