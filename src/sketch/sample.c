/*
 * Uniform sampling of rows without replacement: row r of S is sqrt(n/m) e_{perm(r)}'. The cheapest sketch, and the only
 * one that fails on coherent rows: a row that matters may not be among the m. With m = n, S is a permutation.
 */
#include "sketch/kinds.h"
#include "sketch/permutation.h"

#include <math.h>
#include <stdlib.h>

#include "linalg/terms.h"

typedef struct pick {
    int64_t row, place; /* row of A, row of SA */
} pick;

static int by_row(const void *a, const void *b) {
    const int64_t x = ((const pick *)a)->row, y = ((const pick *)b)->row;
    return (x > y) - (x < y);
}

/* All picks, sorted by row, so that those of a block are next to each other. */
static gpis_status start(gpis_sketch *s) {
    const gpis_status status = gpis_sketch_check_distinct(s);
    if (status != GPIS_OK) return status;
    pick *picks = gpis_alloc(s->context, s->m, sizeof *picks);
    if (!picks) return GPIS_NO_MEMORY;
    for (int64_t r = 0; r < s->m; r++) picks[r] = (pick){gpis_draw(s->seed, s->round, s->n, r), r};
    qsort(picks, (size_t)s->m, sizeof *picks, by_row);
    s->state = picks;
    return GPIS_OK;
}

/* The first pick at or after `row`. */
static int64_t first_pick(const gpis_sketch *s, int64_t row) {
    const pick *picks = s->state;
    int64_t begin = 0, end = s->m;
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (picks[middle].row < row)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static gpis_status absorb(gpis_sketch *s, const gpis_block *rows, const double *Y, int threads) {
    const pick *picks = s->state;
    const double scale = sqrt((double)s->n / (double)s->m);
    const int64_t begin = first_pick(s, rows->row0), end = first_pick(s, rows->row0 + rows->nrows);
#pragma omp parallel for num_threads(gpis_threads_for(threads, (double)((end - begin) * s->d))) schedule(dynamic, 64)
    for (int64_t p = begin; p < end; p++) {
        const int64_t i = picks[p].row - rows->row0, r = picks[p].place;
        const gpis_block one = gpis_block_rows(rows, i, 1);
        double *row = s->into.A + r * s->d;
        gpis_block_unpack(&one, row);
        for (int64_t j = 0; j < s->d; j++)
            row[j] = scale * row[j] + 0.0; /* + 0.0 turns -0 into 0, as in a sum of rows */
        const double root = gpis_root_weight(rows->weights, i);
        for (int64_t j = 0; j < s->k; j++) s->into.Y[r * s->k + j] = scale * (root * Y[i * s->k + j]) + 0.0;
    }
    return GPIS_OK;
}

static void stop(gpis_sketch *s) { gpis_free(s->context, s->state); }

/* m d products */
static double cost(int64_t n, int64_t d, int64_t m) {
    (void)d;
    return 0.25 * (double)m / (double)n;
}

static double memory(int64_t n, int64_t d, int64_t m, int threads) {
    (void)n, (void)d, (void)threads;
    return (double)m * (double)sizeof(pick);
}

const gpis_sketch_class gpis_sketch_sample = {
    .name = "sample", .of_rows = true, .start = start, .absorb = absorb, .stop = stop, .cost = cost, .memory = memory};
