/*
 * The subsampled randomised Hadamard transform: S = sqrt(N/m) P (1/sqrt(N)) H D, with D random signs, H the Hadamard
 * matrix of N = 2^p >= n rows (A is padded with zeros) and P a choice of m rows without replacement. H spreads the
 * weight of a few rows over all of them, so that a uniform sample is safe.
 *
 * H mixes every row with every other, so all of A must be in memory at once. It is processed in panels of columns: N x
 * 8 doubles for each thread.
 */
#include "sketch/kinds.h"
#include "sketch/permutation.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/random.h"
#include "linalg/fwht.h"
#include "linalg/panel.h"

enum { PANEL = 8, ROWS_PER_DRAW = 128 }; /* columns of a panel; signs from one Philox block */

typedef struct srht {
    int64_t N;
    int64_t *rows;    /* owned: the m rows of H that are kept */
    gpis_bits *signs; /* owned: one bit a row */
} srht;

static void stop(gpis_sketch *s) {
    srht *h = s->state;
    if (!h) return;
    gpis_free(s->context, h->rows);
    gpis_free(s->context, h->signs);
    gpis_free(s->context, h);
}

static gpis_status start(gpis_sketch *s) {
    const gpis_status status = gpis_sketch_check_distinct(s);
    if (status != GPIS_OK) return status;
    srht *h = s->state = gpis_alloc_zero(s->context, 1, sizeof *h);
    if (!h) return GPIS_NO_MEMORY;
    for (h->N = 1; h->N < s->n;) h->N *= 2;
    const int64_t draws = (s->n + ROWS_PER_DRAW - 1) / ROWS_PER_DRAW;
    h->rows = gpis_alloc(s->context, s->m, sizeof *h->rows);
    h->signs = gpis_alloc(s->context, draws, sizeof *h->signs);
    if (!h->rows || !h->signs) return GPIS_NO_MEMORY;
    for (int64_t r = 0; r < s->m; r++) h->rows[r] = gpis_draw(s->seed, s->round, h->N, r);
    for (int64_t i = 0; i < draws; i++)
        h->signs[i] = gpis_random_bits(s->seed, gpis_stream(GPIS_STREAM_SKETCH, s->round), (uint64_t)i);
    return GPIS_OK;
}

static bool is_minus(const srht *h, int64_t i) {
    return h->signs[i / ROWS_PER_DRAW].v[i % ROWS_PER_DRAW / 32] >> (i % 32) & 1;
}

/* Columns [col0, col0 + cols) of S times the block, in `out` (m rows, leading dimension ld); x holds N x cols. */
static void transform_panel(const gpis_sketch *s, const gpis_block *rows, int64_t col0, int64_t cols, double *x,
                            double *out, int64_t ld) {
    const srht *h = s->state;
    const double scale = 1.0 / sqrt((double)s->m);
    gpis_block_unpack_columns(rows, col0, cols, x);
    for (int64_t i = 0; i < s->n; i++)
        if (is_minus(h, i))
            for (int64_t j = 0; j < cols; j++) x[i * cols + j] = -x[i * cols + j];
    memset(x + s->n * cols, 0, (size_t)((h->N - s->n) * cols) * sizeof *x);
    gpis_fwht(x, h->N, cols);
    for (int64_t r = 0; r < s->m; r++)
        for (int64_t j = 0; j < cols; j++) out[r * ld + col0 + j] = scale * x[h->rows[r] * cols + j];
}

static gpis_status absorb(gpis_sketch *s, const gpis_block *rows, const double *Y, int threads) {
    const srht *h = s->state;
    if (rows->row0 != 0 || rows->nrows != s->n)
        return gpis_fail(s->context, GPIS_NOT_APPLICABLE,
                         "the sketch 'srht' needs all %lld rows in memory at once; use 'count' or 'sparse-sign'",
                         (long long)s->n);
    const int64_t panels = (s->d + PANEL - 1) / PANEL + (s->k + PANEL - 1) / PANEL;
    const int team = (int)gpis_min64(threads, panels);
    double *scratch = gpis_alloc(s->context, h->N * PANEL * team, sizeof *scratch);
    if (!scratch) return GPIS_NO_MEMORY;
    gpis_block responses = gpis_block_dense(GPIS_FLOAT64, 0, s->n, s->k, Y);
    responses.weights = rows->weights;
#pragma omp parallel num_threads(team)
    {
        double *x = scratch + h->N * PANEL * omp_get_thread_num();
#pragma omp for schedule(dynamic) nowait
        for (int64_t j = 0; j < s->d; j += PANEL)
            transform_panel(s, rows, j, gpis_min64(PANEL, s->d - j), x, s->into.A, s->d);
#pragma omp for schedule(dynamic)
        for (int64_t j = 0; j < s->k; j += PANEL)
            transform_panel(s, &responses, j, gpis_min64(PANEL, s->k - j), x, s->into.Y, s->k);
    }
    gpis_free(s->context, scratch);
    return GPIS_OK;
}

/* N log2(N) additions a column */
static double cost(int64_t n, int64_t d, int64_t m) {
    (void)d, (void)m;
    const double levels = ceil(log2((double)n));
    return 0.25 * exp2(levels) * levels / (double)n;
}

/* A panel of columns for each thread, the rows drawn, and the signs. */
static double memory(int64_t n, int64_t d, int64_t m, int threads) {
    (void)d;
    return 8.0 * (exp2(ceil(log2((double)n))) * PANEL * threads + (double)m) + (double)n / 8.0;
}

const gpis_sketch_class gpis_sketch_srht = {
    .name = "srht", .whole = true, .start = start, .absorb = absorb, .stop = stop, .cost = cost, .memory = memory};
