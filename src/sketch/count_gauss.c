/*
 * Count-Gauss: S = G C, a count sketch C to m1 rows as the rows pass, then a Gaussian G of m x m1 at the end. Near the
 * quality of the Gaussian sketch at nearly the price of the count sketch when n is much larger than m.
 *
 * m1 = min(n, 4 m): the relative variance of ||S x||^2 is about 2/m from G and 2/m1 from C, so C adds a quarter to what
 * cannot be avoided; a larger m1 would cost memory (m1 x d) and time (2 m m1 d flops) for little.
 */
#include "sketch/buckets.h"
#include "sketch/gaussian.h"
#include "sketch/kinds.h"

#include "base/random.h"

enum { OVERSAMPLING = 4 }; /* m1 / m */

typedef struct count_gauss {
    int64_t m1;
    gpis_buckets *buckets; /* owned */
    double *CA, *CY;       /* owned: m1 x d, m1 x k */
} count_gauss;

static int64_t middle_rows(int64_t n, int64_t m) { return m > n / OVERSAMPLING ? n : OVERSAMPLING * m; }

static void stop(gpis_sketch *s) {
    count_gauss *c = s->state;
    if (!c) return;
    gpis_buckets_destroy(c->buckets);
    gpis_free(s->context, c->CA);
    gpis_free(s->context, c->CY);
    gpis_free(s->context, c);
}

static gpis_status start(gpis_sketch *s) {
    const int64_t m1 = middle_rows(s->n, s->m);
    int64_t size;
    gpis_status status = gpis_gaussian_check(s->context, s->d, s->k);
    if (status != GPIS_OK) return status;
    if (!gpis_checked_mul(m1, gpis_max64(s->d, s->k), &size))
        return gpis_fail(s->context, GPIS_TOO_LARGE, "a sketch of %lld x %lld is too large", (long long)m1,
                         (long long)s->d);
    count_gauss *c = s->state = gpis_alloc_zero(s->context, 1, sizeof *c);
    if (!c) return GPIS_NO_MEMORY;
    c->m1 = m1;
    c->CA = gpis_alloc_zero(s->context, m1 * s->d, sizeof(double));
    c->CY = gpis_alloc_zero(s->context, m1 * s->k, sizeof(double));
    if (!c->CA || !c->CY) return GPIS_NO_MEMORY;
    s->rows = m1;
    s->sums = (gpis_tree_sums){c->CA, c->CY};
    return gpis_buckets_create(s->context, m1, s->n, 1, s->seed, gpis_stream(GPIS_STREAM_SKETCH, s->round),
                               &c->buckets);
}

static gpis_status absorb(gpis_sketch *s, const gpis_block *rows, const double *Y, int threads) {
    count_gauss *c = s->state;
    return gpis_buckets_absorb(c->buckets, rows, Y, s->k, s->into.A, s->into.Y, threads);
}

/* SA = G CA, from a random stream of its own, which must be independent of that of the count sketch. */
static gpis_status finish(gpis_sketch *s, int threads) {
    const count_gauss *c = s->state;
    const gpis_gaussian g = {s->m, s->seed, gpis_stream(GPIS_STREAM_MIX, s->round)};
    double *scratch = gpis_alloc(s->context, gpis_gaussian_scratch(threads), sizeof *scratch);
    if (!scratch) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < c->m1; i += GPIS_GAUSSIAN_CHUNK)
        gpis_gaussian_add(&g, i, gpis_min64(GPIS_GAUSSIAN_CHUNK, c->m1 - i), c->CA + i * s->d, s->d, s->SA,
                          c->CY + i * s->k, s->k, s->SY, scratch, threads);
    gpis_free(s->context, scratch);
    return GPIS_OK;
}

/* n d additions, then 2 m m1 d */
static double cost(int64_t n, int64_t d, int64_t m) {
    (void)d;
    return 0.25 + 0.5 * (double)m * (double)middle_rows(n, m) / (double)n;
}

static double memory(int64_t n, int64_t d, int64_t m, int threads) {
    const int64_t m1 = middle_rows(n, m);
    return 8.0 * ((double)m1 * (double)(d + 1) + (double)gpis_gaussian_scratch(threads)) +
           gpis_buckets_memory(m1, n, 1, threads);
}

const gpis_sketch_class gpis_sketch_count_gauss = {.name = "count-gauss",
                                                   .start = start,
                                                   .absorb = absorb,
                                                   .finish = finish,
                                                   .stop = stop,
                                                   .cost = cost,
                                                   .memory = memory};
