/* How rows are cut, and what follows from it: roundings of the sums, and their memory. */
#include "pass/cut.h"

#include <math.h>

#include "linalg/dense.h"
#include "pass/chunk.h"
#include "pass/parts.h"
#include "pass/pass.h"
#include "pass/window.h"
#include "source/join.h"

enum {
    MAX_STRIPS = 64,         /* also the most threads that can work */
    STRIP_DOUBLES = 1 << 24, /* all strips together: 128 MB, unless two of them need more */
    RUN_BYTES = 1 << 22,     /* consecutive chunks of one strip: what a thread takes from a file at a time */
    RUNS_A_STRIP = 4,        /* at least, so that the strips come out even */
    GRAM_STRIPS = 16,        /* so many have a Gram matrix each before they get more rows */
    CHUNK_BYTES = 1 << 18,   /* a chunk stays in the second-level cache */
    MAX_CHUNK_ROWS = 1024,
    GRAM_ROWS = MAX_CHUNK_ROWS /* what dsyrk needs to run at speed */
};

static int64_t power_of_two_rows(int64_t bytes, double row_bytes, int64_t least, int64_t most) {
    int64_t rows = least;
    while (rows < most && (double)(2 * rows) * row_bytes <= (double)bytes) rows *= 2;
    return rows;
}

static int64_t strip_limit(int64_t per_strip) {
    return gpis_min64(MAX_STRIPS, gpis_max64(2, STRIP_DOUBLES / gpis_max64(1, per_strip)));
}

/* A Gram matrix has to be cleared and added for each strip, which takes as long as some hundred rows: measured, a tenth
 * of a solve at 100000 x 100 with two chunks a strip. */
static int64_t strips_of(int64_t chunks, int64_t per_strip, bool gram) {
    const int64_t wanted = gram ? gpis_max64(GRAM_STRIPS, chunks / RUNS_A_STRIP) : chunks;
    return gpis_min64(strip_limit(per_strip), gpis_min64(wanted, chunks));
}

static gpis_cut cut_at(int64_t n, int64_t chunk_rows, int64_t per_strip, bool gram) {
    const int64_t chunks = (n + chunk_rows - 1) / chunk_rows;
    return (gpis_cut){
        .chunk_rows = chunk_rows, .run = 1, .chunks = chunks, .strips = strips_of(chunks, per_strip, gram)};
}

gpis_cut gpis_cut_rows(const gpis_source *A, int64_t per_strip, bool gram) {
    const bool csr = A->block_kind == GPIS_BLOCK_CSR;
    gpis_cut c = cut_at(
        A->n, gram && !csr ? GRAM_ROWS : power_of_two_rows(CHUNK_BYTES, gpis_source_row_bytes(A), 64, MAX_CHUNK_ROWS),
        per_strip, gram);
    const double fit = RUN_BYTES / ((double)c.chunk_rows * gpis_source_row_bytes(A));
    while (2.0 * (double)c.run <= fit && 2 * c.run * c.strips * RUNS_A_STRIP <= c.chunks) c.run *= 2;
    return c;
}

/* At most. */
static int64_t chunks_of_a_strip(const gpis_cut *c) {
    const int64_t runs = (c->chunks + c->run - 1) / c->run;
    return (runs + c->strips - 1) / c->strips * c->run;
}

/* Rows of a strip one after the other, then the strips. A chunk's part of the objective is summed by itself first: by
 * rows, or in extended precision with no error worth a count. */
static gpis_roundings roundings_of(const gpis_source *A, gpis_cut c, int64_t k, bool extended) {
    const int64_t chunks = chunks_of_a_strip(&c), of_a_strip = gpis_min64(A->n, chunks * c.chunk_rows);
    const int64_t within = extended ? 4 : k + gpis_min64(A->n, c.chunk_rows) + 8;
    /* a chunk's part of the gradient is rounded once, and added once */
    const bool by_chunks = extended && A->block_kind == GPIS_BLOCK_DENSE;
    const int64_t rows = by_chunks ? chunks + 2 : of_a_strip;
    const bool few = A->block_kind == GPIS_BLOCK_DENSE && k <= GPIS_FEW_RESPONSES && !extended;
    const bool by_lanes = few && (A->order == GPIS_ROW_MAJOR || A->class->on_demand);
    return (gpis_roundings){.residual = (double)(by_lanes ? gpis_dense_dot_roundings(A->d) : A->d),
                            .objective = (double)(within + chunks + c.strips),
                            .gradient = (double)(rows + chunks + c.strips + 8),
                            .gram = (double)(of_a_strip + chunks + c.strips + 8)};
}

/* Of parts only the longest is known, not how it is cut: the worst of all cuts, then all parts and ranks. */
static gpis_roundings roundings_of_parts(const gpis_source *A, const gpis_join *join, int64_t k, bool extended,
                                         int64_t gram) {
    const double more = (double)(join->parts_of_all + join->ranks.ranks), runs = 1.0 + 1.0 / RUNS_A_STRIP;
    gpis_roundings worst = {0};
    gpis_source part = *A;
    part.n = join->largest;
    for (int64_t rows = 64; rows <= MAX_CHUNK_ROWS; rows *= 2) {
        const gpis_roundings r =
            roundings_of(&part, cut_at(part.n, rows, A->d * (k + 1) + gram * gram, gram > 0), k, extended);
        worst.residual = fmax(worst.residual, r.residual);
        worst.objective = fmax(worst.objective, r.objective + more);
        worst.gradient = fmax(worst.gradient, r.gradient * runs + more);
        worst.gram = fmax(worst.gram, r.gram * runs + more);
    }
    return worst;
}

gpis_roundings gpis_pass_roundings(const gpis_source *A, int64_t k, bool extended, int64_t gram) {
    const gpis_join *join = gpis_source_joined(A);
    if (join) return roundings_of_parts(A, join, k, extended, gram);
    const gpis_cut c = gpis_cut_rows(A, A->d * (k + 1) + gram * gram, gram > 0);
    return roundings_of(A, c, k, extended);
}

double gpis_pass_gram_strips(double n, double d) {
    return (double)strips_of((int64_t)ceil(n / GRAM_ROWS), (int64_t)fmin(d * d, 1e18), true);
}

/* The largest part of this rank, and the sums of all parts and of one. */
static double memory_of_parts(const gpis_context *context, const gpis_join *join, int64_t d, gpis_pass_load load) {
    const double sums = (double)(d * (2 * load.k + load.probes + 1)) + (double)gpis_triangle(load.gram);
    double most = 0.0;
    for (int64_t i = 0; i < join->count; i++) most = fmax(most, gpis_pass_memory(context, join->parts[i], load));
    return most + 8.0 * 2.0 * sums;
}

double gpis_pass_memory(const gpis_context *context, const gpis_source *A, gpis_pass_load load) {
    const gpis_join *join = gpis_source_joined(A);
    if (join) return memory_of_parts(context, join, A->d, load);
    const int64_t vectors = load.k + load.probes;
    /* and the norms of the columns, and what extended precision adds to G */
    const int64_t per_strip = A->d * (vectors + load.k + 1) + load.gram * load.gram;
    const gpis_cut c = gpis_cut_rows(A, per_strip, load.gram > 0);
    const int threads = (int)gpis_min64(context->threads, c.strips);
    const bool plain = A->block_kind == GPIS_BLOCK_CSR || (A->type == GPIS_FLOAT64 && A->order == GPIS_ROW_MAJOR);
    const bool some = load.gram > 0 && load.gram < A->d;
    const bool unpack = !plain && ((load.gram > 0 && !some) || gpis_max64(load.k, load.probes) > GPIS_FEW_RESPONSES);
    const int64_t gathered = !some                             ? 0
                             : A->block_kind == GPIS_BLOCK_CSR ? 2 * load.gram + A->d
                                                               : c.chunk_rows * load.gram;
    const double scratch = (double)(c.chunk_rows * (vectors + (unpack ? A->d : 0)) + gathered) * threads;
    const gpis_window_use use = {c.chunk_rows, c.run * c.chunk_rows, load.sketch, threads};
    return 8.0 * ((double)(per_strip + 32) * (double)c.strips + scratch + (double)(A->d * (vectors + load.k))) +
           (double)gpis_windows_memory(A, context->limit, use);
}
