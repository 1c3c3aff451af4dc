/*
 * The Gaussian sketch: independent entries N(0, 1/m). The best embedding for its m, at 2 m n d flops.
 *
 * S is never held: for each chunk of rows of A (fixed by the row numbers) and each panel of rows of S, a small piece of
 * S is made and multiplied. Threads divide the panels among them, so the shapes of the products, and with them the
 * bits, do not depend on the number of threads.
 */
#include "sketch/gaussian.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>

#include "base/random.h"
#include "sketch/kinds.h"

enum { PANEL = 32 }; /* rows of S */

int64_t gpis_gaussian_scratch(int threads) { return (int64_t)threads * PANEL * GPIS_GAUSSIAN_CHUNK; }

gpis_status gpis_gaussian_check(gpis_context *context, int64_t d, int64_t k) {
    if (d <= INT32_MAX && k <= INT32_MAX) return GPIS_OK;
    return gpis_fail(context, GPIS_TOO_LARGE, "%lld columns are too many for a Gaussian sketch",
                     (long long)gpis_max64(d, k));
}

/* out[r0 .. r0 + rows) += scale P' X, with P the piece of G, held as count x PANEL. */
static void multiply(const double *P, int64_t rows, int64_t count, double scale, const double *X, int64_t d,
                     double *out) {
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows, (int)d, (int)count, scale, P, PANEL, X, (int)d, 1.0,
                out, (int)d);
}

void gpis_gaussian_add(const gpis_gaussian *g, int64_t i0, int64_t count, const double *X, int64_t d, double *out,
                       const double *X2, int64_t k, double *out2, double *scratch, int threads) {
    const double scale = 1.0 / sqrt((double)g->m);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t r = 0; r < g->m; r += PANEL) {
        double *P = scratch + gpis_gaussian_scratch(omp_get_thread_num());
        const int64_t rows = gpis_min64(PANEL, g->m - r);
        for (int64_t i = 0; i < count; i++)
            gpis_random_normal(g->seed, g->stream, (uint64_t)(i0 + i) * (uint64_t)g->m + (uint64_t)r, rows,
                               P + i * PANEL);
        multiply(P, rows, count, scale, X, d, out + r * d);
        if (k) multiply(P, rows, count, scale, X2, k, out2 + r * k);
    }
}

static gpis_status start(gpis_sketch *s) {
    const gpis_status status = gpis_gaussian_check(s->context, s->d, s->k);
    if (status != GPIS_OK) return status;
    s->state = gpis_alloc(s->context, GPIS_GAUSSIAN_CHUNK * s->d, sizeof(double)); /* rows as plain doubles */
    return s->state ? GPIS_OK : GPIS_NO_MEMORY;
}

static gpis_status absorb(gpis_sketch *s, const gpis_block *rows, const double *Y, int threads) {
    const gpis_gaussian g = {s->m, s->seed, gpis_stream(GPIS_STREAM_SKETCH, s->round)};
    const int64_t normals = gpis_gaussian_scratch(threads), responses = rows->weights ? GPIS_GAUSSIAN_CHUNK * s->k : 0;
    double *scratch = gpis_alloc(s->context, normals + responses, sizeof *scratch);
    if (!scratch) return GPIS_NO_MEMORY;
    for (int64_t i = 0, count; i < rows->nrows; i += count) {
        count = gpis_min64(GPIS_GAUSSIAN_CHUNK - (rows->row0 + i) % GPIS_GAUSSIAN_CHUNK, rows->nrows - i);
        const gpis_block part = gpis_block_rows(rows, i, count);
        const double *Yi = s->k ? Y + i * s->k : NULL;
        gpis_block_unpack(&part, s->state);
        if (responses > 0) {
            gpis_block y = gpis_block_dense(GPIS_FLOAT64, part.row0, count, s->k, Yi);
            y.weights = part.weights;
            gpis_block_unpack(&y, scratch + normals);
            Yi = scratch + normals;
        }
        gpis_gaussian_add(&g, part.row0, count, s->state, s->d, s->into.A, Yi, s->k, s->into.Y, scratch, threads);
    }
    gpis_free(s->context, scratch);
    return GPIS_OK;
}

static void stop(gpis_sketch *s) { gpis_free(s->context, s->state); }

/* 2 m n d */
static double cost(int64_t n, int64_t d, int64_t m) {
    (void)n, (void)d;
    return 0.5 * (double)m;
}

static double memory(int64_t n, int64_t d, int64_t m, int threads) {
    (void)n, (void)m;
    return 8.0 * ((double)GPIS_GAUSSIAN_CHUNK * (double)d + (double)gpis_gaussian_scratch(threads));
}

const gpis_sketch_class gpis_sketch_gaussian = {
    .name = "gaussian", .start = start, .absorb = absorb, .stop = stop, .cost = cost, .memory = memory};
