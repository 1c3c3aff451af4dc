/* The cut of a pass, and what follows from it: the roundings of the sums, and the memory. */
#include "pass/cut.h"

#include <math.h>

#include "linalg/accurate.h"
#include "linalg/dd.h"
#include "linalg/dense.h"
#include "linalg/gram.h"
#include "linalg/gram_dd.h"
#include "linalg/gram_two.h"
#include "linalg/rounding.h"
#include "pass/ridge.h"
#include "pass/sums.h"
#include "pass/window.h"

enum {
    MAX_STRIPS = 64,          /* also the largest number of threads that can work on a pass */
    STRIPS_DOUBLES = 1 << 24, /* in all strips together: 128 MB, unless two strips need more */
    RUN_BYTES = 1 << 22,      /* of a run, which is also what a thread reads from a file at a time */
    MIN_RUNS_PER_STRIP = 4,   /* so that the strips have about the same number of rows */
    MIN_GRAM_STRIP_ROWS = 1 << 12,
    MIN_GRAM_STRIPS = 16, /* as long as there are chunks: fewer would limit the threads */
    MIN_FOLD_STRIPS = 8,  /* the same where a strip holds the sums of several folds, or the gradients of many points */
    /* Rows of each fold in a chunk, about: so many that two blocks of the quick summary hold them where chance has put
     * a few more into the chunk. */
    FOLD_ROWS = 448,
    MIN_QUICK_STRIPS = 8, /* strips of the quick summary, as long as there are rows: they are twice as large */
    MIN_QUICK_STRIP_ROWS = 1 << 10,
    MAX_FOLDS_BYTES = 1 << 25, /* of a chunk with rows of all folds */
    CHUNK_BYTES = 1 << 18,     /* of a chunk, so that it stays in the second-level cache */
    MIN_CHUNK_ROWS = 64,
    MAX_CHUNK_ROWS = 1024,
    GRAM_ROWS = MAX_CHUNK_ROWS, /* rows that dsyrk needs to run at full speed */
    CACHE_LINE = 8              /* doubles */
};

/* The time that a product takes in the summary, in units of one in the Gram matrix; 5 to 7 were measured. */
static const double SUMMARY_WORK = 6.0;

/* ---- rows to chunks, runs and strips ----------------------------------------------------------------------------- */

static int64_t strip_limit(int64_t strip_size) {
    return gpis_min64(MAX_STRIPS, gpis_max64(2, STRIPS_DOUBLES / gpis_max64(1, strip_size)));
}

/* The Gram matrix of each strip has to be cleared and added to the others, which takes as long as some hundred rows:
 * with two chunks per strip it was a tenth of a solve (measured at 100000 x 100). */
static int64_t strips_of(int64_t chunks, int64_t chunk_rows, int64_t strip_size, bool gram, int64_t folds) {
    const double rows = (double)MIN_GRAM_STRIP_ROWS * (double)gpis_max64(1, folds); /* of a strip, at least */
    const int64_t enough = gpis_max64(MIN_RUNS_PER_STRIP, (int64_t)(rows / (double)chunk_rows)); /* in chunks */
    const int64_t fewest = folds > 1 ? MIN_FOLD_STRIPS : MIN_GRAM_STRIPS;
    const int64_t wanted = gram ? gpis_max64(fewest, chunks / enough) : chunks;
    return gpis_min64(strip_limit(strip_size), gpis_min64(wanted, chunks));
}

/* The chunks of the quick summary have few rows, and a strip of it costs as much as some three hundred: new memory is
 * cleared, twice as much as for the Gram matrix. With 16 strips that was most of a solve at 2000 x 400. */
static int64_t quick_strips(int64_t n, int64_t chunk_rows, int64_t strip_size, int64_t strips) {
    const int64_t by_rows = (n + MIN_QUICK_STRIP_ROWS - 1) / MIN_QUICK_STRIP_ROWS;
    const int64_t chunks = (n + chunk_rows - 1) / chunk_rows, enough = gpis_max64(1, MIN_GRAM_STRIP_ROWS / chunk_rows);
    const int64_t wanted = gpis_max64(gpis_min64(MIN_QUICK_STRIPS, by_rows), chunks / enough);
    return gpis_min64(strips, gpis_min64(strip_limit(strip_size), wanted));
}

/* The rows that fit in the cache, as a power of two. */
static int64_t cached_rows(double row_bytes) {
    int64_t rows = MIN_CHUNK_ROWS;
    while (rows < MAX_CHUNK_ROWS && (double)(2 * rows) * row_bytes <= (double)CHUNK_BYTES) rows *= 2;
    return rows;
}

/* Runs are as long as possible while the strips keep about the same number of rows. */
static void cut_rows(gpis_cut *c, int64_t n, int64_t chunk_rows, double row_bytes, bool gram, const gpis_load *load) {
    c->chunk_rows = chunk_rows;
    c->chunks = (n + chunk_rows - 1) / chunk_rows;
    const bool many = load->many > 0;
    c->strips =
        strips_of(c->chunks, chunk_rows, c->strip_size, gram || many, many ? gpis_max64(2, load->folds) : load->folds);
    c->counted = 0;
    if (load->quick && load->folds <= 1) {
        c->strips = quick_strips(n, chunk_rows, c->strip_size, c->strips);
        c->counted = gpis_min64(c->chunks, gpis_max64(1, MIN_QUICK_STRIP_ROWS / chunk_rows));
    }
    c->run = 1;
    const double fit = RUN_BYTES / ((double)chunk_rows * row_bytes);
    while (2.0 * (double)c->run <= fit && 2 * c->run * c->strips * MIN_RUNS_PER_STRIP <= c->chunks) c->run *= 2;
}

/* ---- the work on a chunk ----------------------------------------------------------------------------------------- */

static bool has_summary(const gpis_load *load) { return gpis_pass_sum_is_wanted(load, GPIS_PASS_SUMMARY); }

static int64_t summary_scratch(gpis_block_kind kind, const gpis_load *load) {
    if (!has_summary(load)) return 0;
    const int64_t columns = load->d + load->k;
    return load->quick ? gpis_gram_two_scratch(kind, columns) : gpis_gram_dd_scratch(kind, columns, load->weights);
}

static int64_t whole_lines(int64_t numbers) { return (numbers + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE; }

static void plan_chunks(gpis_cut *c, const gpis_source *A, const gpis_load *load) {
    const bool dense = A->block_kind == GPIS_BLOCK_DENSE, gram = load->gram > 0;
    const bool plain = dense && A->type == GPIS_FLOAT64 && A->order == GPIS_ROW_MAJOR;
    const int64_t vectors = gpis_max64(load->k, load->probes);
    const bool terms = load->weights || load->constant;
    const int64_t residuals = c->chunk_rows * gpis_max64(vectors, load->many) + 2 * load->many; /* and squares */
    c->transposed = dense && vectors <= GPIS_MAX_FUSED_VECTORS && !load->extended && load->many == 0;
    /* Extended precision takes rows with terms as they are stored. */
    const bool for_gram = gram && !load->some_columns, for_vectors = !c->transposed && !(terms && load->extended);
    c->unpack = dense && (!plain || terms) && (for_gram || for_vectors);
    const bool unpacks = dense && (!plain || terms) && (for_gram || !c->transposed); /* in either precision */
    c->gram_by_parts = dense && gram && gpis_gram_by_blocks(load->gram);
    const bool by_parts = dense && !load->extended && (load->some_columns || c->gram_by_parts);
    c->part_rows = by_parts ? cached_rows(gpis_source_row_bytes(A)) : c->chunk_rows;
    c->unpacked_at = terms ? whole_lines(residuals) : residuals;
    c->unpacked_ld = terms ? whole_lines(load->d) : load->d;
    c->responses_at = c->unpacked_at + (unpacks ? c->chunk_rows * c->unpacked_ld : 0);
    c->columns_at = c->responses_at + (unpacks && load->weights ? c->chunk_rows * load->k : 0);
    c->summary_at = whole_lines(c->columns_at + (load->some_columns ? (dense ? c->chunk_rows : 2) * load->gram : 0));
    const int64_t summary = summary_scratch(A->block_kind, load);
    c->folds_at = whole_lines(c->summary_at + summary);
    c->scratch = whole_lines(c->folds_at + (load->folds > 1 ? load->folds + 2 + 2 * c->chunk_rows : 0)) + CACHE_LINE;
}

/* The cut for chunks of that many rows. Runs become as long as rows of `row_bytes` allow. */
static gpis_cut cut_into(const gpis_source *A, const gpis_load *load, int64_t chunk_rows, double row_bytes) {
    gpis_cut c = {.strip_size = whole_lines(gpis_strip_size(load))};
    cut_rows(&c, A->n, chunk_rows, row_bytes, load->gram > 0 || has_summary(load), load);
    plan_chunks(&c, A, load);
    return c;
}

/* A block of the quick summary, or one for each fold. */
static int64_t rows_of_folds(const gpis_load *load, double row_bytes) {
    if (load->folds <= 1) return GPIS_GRAM_TWO_ROWS;
    const double rows = fmin(FOLD_ROWS * (double)load->folds, MAX_FOLDS_BYTES / row_bytes);
    return gpis_max64(GPIS_GRAM_TWO_ROWS, (int64_t)rows / CACHE_LINE * CACHE_LINE);
}

static int64_t chunk_rows_for(const gpis_source *A, const gpis_load *load) {
    const bool csr = A->block_kind == GPIS_BLOCK_CSR;
    if (load->quick && load->gram == 0 && !csr) return rows_of_folds(load, gpis_source_row_bytes(A));
    return load->gram > 0 && !csr ? GRAM_ROWS : cached_rows(gpis_source_row_bytes(A));
}

gpis_cut gpis_cut_make(const gpis_source *A, const gpis_load *load) {
    return cut_into(A, load, chunk_rows_for(A, load), gpis_source_row_bytes(A));
}

int gpis_cut_threads(const gpis_cut *cut, const gpis_source *A, const gpis_load *load, int threads) {
    /* entries of A times the vectors that they are multiplied with */
    const double work = load->quick ? 1.0 : SUMMARY_WORK;
    const double summary = has_summary(load) ? work * (double)(load->d + load->k) / 4.0 : 0.0;
    const double vectors =
        (double)load->k + (double)load->probes + (double)load->many + (double)load->gram / 4.0 + summary;
    const double numbers = (double)A->nonzeros * fmax(1.0, vectors);
    return (int)gpis_min64(gpis_threads_for(threads, numbers), cut->strips);
}

/* ---- roundings --------------------------------------------------------------------------------------------------- */

/* An upper bound on the chunks that are added to one strip, one after the other. It grows with the rows. */
static int64_t chunks_of_a_strip(const gpis_cut *c) {
    const int64_t runs = (c->chunks + c->run - 1) / c->run;
    return gpis_max64(c->counted, (runs + c->strips - 1) / c->strips * c->run);
}

/*
 * The error of the summary, relative to ||a_i|| ||a_j|| (docs/maths/certificates.md, "The summary in double-double").
 * Dense rows: that of a block of m <= 64 rows, m (m + 3) u^2, or with weights (2 m + 1) (m + 4) u^2, and one addition
 * in double-double for each block of a strip. Compressed rows: one such addition for each row of a strip, and with
 * weights 6 u^2 for the product. Then one for each strip, and u^2 for underflow.
 */
static double accurate_summary_error(const gpis_cut *c, const gpis_source *A, bool weights) {
    const double m = (double)gpis_min64(A->n, GPIS_GRAM_DD_ROWS), unit2 = GPIS_UNIT * GPIS_UNIT;
    const int64_t rows = gpis_min64(A->n, chunks_of_a_strip(c) * c->chunk_rows);
    const int64_t blocks = (rows + GPIS_GRAM_DD_ROWS - 1) / GPIS_GRAM_DD_ROWS;
    const bool by_blocks = A->block_kind == GPIS_BLOCK_DENSE;
    const double additions = (double)((by_blocks ? blocks : rows) + c->strips);
    const double of_a_block = weights ? (2.0 * m + 1.0) * (m + 4.0) : m * (m + 3.0);
    return additions * GPIS_DD_UNIT + ((by_blocks ? of_a_block : weights ? 6.0 : 0.0) + 1.0) * unit2;
}

static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/*
 * The same for the quick summary ("The summary in two doubles"): the roundings q of a product within a block of dense
 * rows, or within a strip of compressed ones, as q / (1 - q 2^-53) <= q + 1; and 6 N^2 u^2 for the low parts, N being
 * the additions to an entry of a strip, two for each strip, and one. More is counted, so that strips of shorter parts
 * of A may be longer by a quarter, or with folds by a half, since they are fewer then (gpis_cut_worst_roundings).
 */
static double quick_summary_error(const gpis_cut *c, const gpis_source *A, bool folds) {
    const double uneven = folds ? 1.5 : 1.25, squares = folds ? 14.0 : 10.0; /* squares >= 6 uneven^2 */
    const bool csr = A->block_kind == GPIS_BLOCK_CSR;
    const int64_t chunks = chunks_of_a_strip(c), of_a_strip = gpis_min64(A->n, chunks * c->chunk_rows);
    const int64_t parts = divide_up(c->part_rows, GPIS_GRAM_TWO_ROWS) * divide_up(c->chunk_rows, c->part_rows);
    const double additions = (double)((csr ? 0 : gpis_min64(A->n, chunks * parts)) + 2 * c->strips + 1);
    const double of_a_block = (double)gpis_gram_two_roundings(gpis_min64(A->n, c->part_rows));
    const double roundings = csr ? uneven * (double)of_a_strip + 1.0 : of_a_block;
    return (roundings + 1.0) * GPIS_UNIT + (squares * additions * additions + 1.0) * (GPIS_UNIT * GPIS_UNIT);
}

static double summary_error(const gpis_cut *c, const gpis_source *A, const gpis_load *load) {
    return load->quick ? quick_summary_error(c, A, load->folds > 1) : accurate_summary_error(c, A, load->weights);
}

/* One for the product of two numbers, and three for terms of second order: q roundings do at most q / (1 - q 2^-53)
 * times the harm of one, which is less than that of q + 3 for q up to 1.6e8. */
enum { FURTHER_ROUNDINGS = 4 };

/* Roundings in extended precision, in units of those in double precision. */
static double extended_roundings(int64_t count) { return (double)count * (GPIS_EXTENDED_UNIT / GPIS_UNIT); }

/* Whether chunks are worked on row by row; otherwise column by column. */
static bool by_rows(const gpis_cut *c, const gpis_source *A) {
    return A->order == GPIS_ROW_MAJOR || A->class->on_demand || c->unpack;
}

/* In A'r and A'A V the rows of a strip are added one after the other, in whatever order the kernels or BLAS prefer; by
 * columns, a part of a chunk is a dot product, which is then added to the strip. */
static double roundings_of_rows(const gpis_cut *c, const gpis_source *A, int64_t of_a_strip) {
    if (!c->transposed || by_rows(c, A)) return (double)of_a_strip;
    const int64_t parts = chunks_of_a_strip(c) * divide_up(c->chunk_rows, c->part_rows);
    return (double)(gpis_dense_dot_roundings(gpis_min64(A->n, c->part_rows), gpis_dense_lanes()) + parts);
}

/* The squares of a part of a chunk are summed by themselves, row by row or by a kernel that takes several rows at a
 * time, then the responses, the parts, and the chunks. In extended precision, all squares of a chunk are one sum. */
static double roundings_of_objective(const gpis_cut *c, const gpis_source *A, const gpis_load *load) {
    const int64_t of_a_part = gpis_min64(A->n, c->part_rows), parts = divide_up(c->chunk_rows, c->part_rows);
    const double chunks = (double)chunks_of_a_strip(c);
    if (load->extended) return chunks + extended_roundings(gpis_min64(A->n, c->chunk_rows) * load->k);
    const bool by_kernel = c->transposed && by_rows(c, A);
    return chunks + (double)((by_kernel ? gpis_dense_square_roundings(of_a_part) : of_a_part) + load->k + parts);
}

/* Our own kernel sums a block of rows by itself, and adds it to the strip. Of BLAS no order is known. */
static double roundings_of_gram(const gpis_cut *c, const gpis_source *A, const gpis_load *load, int64_t of_a_strip) {
    if (!c->gram_by_parts) return (double)of_a_strip;
    const int64_t block = gpis_min64(c->part_rows, gpis_gram_block_rows(load->gram));
    const int64_t blocks = divide_up(c->chunk_rows, c->part_rows) * divide_up(c->part_rows, block);
    return (double)(gpis_min64(A->n, block) + chunks_of_a_strip(c) * blocks);
}

/* In extended precision the gradient is kept in two doubles: what remains is the rounding of their sum, the sums of the
 * chunks, and the roundings of the low parts. N additions make the latter at most 2 N u, so that their errors add up to
 * 6 N^2 u^2. */
static double roundings_of_extended_gradient(const gpis_cut *c, bool dense, int64_t of_a_chunk, int64_t of_a_strip) {
    const double additions = (double)((dense ? chunks_of_a_strip(c) : of_a_strip) + c->strips);
    return 4.0 + extended_roundings((dense ? of_a_chunk : 0) + 2) + 6.0 * additions * additions * GPIS_UNIT;
}

/* What weights and the constant column add (docs/maths/certificates.md, "Weights and the constant column"). */
static gpis_roundings with_terms(gpis_roundings r, const gpis_load *load) {
    if (load->constant) r.residual += 1.0;
    if (!load->weights) return r;
    r.residual += load->extended ? 0.0 : 3.0;
    r.objective += 1.0;
    r.gradient += load->extended ? extended_roundings(2) : 3.0;
    r.products += load->extended ? extended_roundings(2) : 3.0;
    r.gram += 4.0;
    if (load->quick) r.summary += 4.0 * GPIS_UNIT;
    return r;
}

static gpis_roundings roundings_of(const gpis_cut *c, const gpis_source *A, const gpis_load *load) {
    const bool dense = A->block_kind == GPIS_BLOCK_DENSE, wide = load->extended;
    const int64_t chunks = chunks_of_a_strip(c), of_a_chunk = gpis_min64(A->n, c->chunk_rows);
    const int64_t of_a_strip = gpis_min64(A->n, chunks * c->chunk_rows);
    const double strips = (double)(c->strips + FURTHER_ROUNDINGS);
    const double rows = wide && dense ? (double)chunks + extended_roundings(of_a_chunk)
                                      : roundings_of_rows(c, A, of_a_strip); /* of A'A V, and of A'r in double */
    const bool by_lanes = c->transposed && by_rows(c, A);
    const int64_t d = c->unpack ? load->d : A->d;
    const gpis_roundings plain = {.residual = (double)(by_lanes ? gpis_dense_dot_roundings(d, gpis_dense_lanes()) : d),
                                  .objective = roundings_of_objective(c, A, load) + strips,
                                  .gradient = wide ? roundings_of_extended_gradient(c, dense, of_a_chunk, of_a_strip)
                                                   : rows + strips,
                                  .products = rows + strips,
                                  .gram = roundings_of_gram(c, A, load, of_a_strip) + strips,
                                  .summary = summary_error(c, A, load)};
    return with_terms(plain, load);
}

gpis_roundings gpis_cut_larger_roundings(gpis_roundings a, gpis_roundings b) {
    return (gpis_roundings){.residual = fmax(a.residual, b.residual),
                            .objective = fmax(a.objective, b.objective),
                            .gradient = fmax(a.gradient, b.gradient),
                            .products = fmax(a.products, b.products),
                            .gram = fmax(a.gram, b.gram),
                            .summary = fmax(a.summary, b.summary)};
}

/* The counts of kernels with vectors of any length, and of BLAS: the cut as if none of our kernels were used. */
static gpis_roundings roundings_of_any_kernel(gpis_cut c, const gpis_source *A, const gpis_load *load) {
    c.transposed = c.gram_by_parts = false;
    c.part_rows = c.chunk_rows;
    return roundings_of(&c, A, load);
}

/* The cut depends on the number of rows and, for compressed rows, on their mean length, which decides how many make a
 * chunk. Runs of several chunks can make a strip longer than runs of one chunk do, by at most a quarter; the count of
 * an extended gradient has a term with the square of that length. */
gpis_roundings gpis_cut_worst_roundings(const gpis_source *A, const gpis_load *load, bool alike) {
    static const double UNEVEN = 1.0 + 1.0 / MIN_RUNS_PER_STRIP;
    const bool csr = A->block_kind == GPIS_BLOCK_CSR;
    const int64_t shortest = csr ? MIN_CHUNK_ROWS : chunk_rows_for(A, load), longest = csr ? MAX_CHUNK_ROWS : shortest;
    gpis_roundings worst = {0};
    for (int64_t rows = shortest; rows <= longest; rows *= 2) {
        const gpis_cut c = cut_into(A, load, rows, INFINITY); /* with runs of one chunk */
        worst = gpis_cut_larger_roundings(worst, roundings_of(&c, A, load));
        if (!alike) worst = gpis_cut_larger_roundings(worst, roundings_of_any_kernel(c, A, load));
    }
    worst.objective *= UNEVEN;
    worst.gradient *= load->extended ? UNEVEN * UNEVEN : UNEVEN;
    worst.products *= UNEVEN;
    worst.gram *= UNEVEN;
    if (!load->quick) worst.summary *= UNEVEN; /* the error of the quick summary allows for it */
    return worst;
}

gpis_roundings gpis_pass_roundings(const gpis_source *A, const gpis_load *load) {
    if (A->class->walk) return gpis_ridge_roundings(A->class->walk->roundings(A, load), load);
    const gpis_cut c = gpis_cut_make(A, load);
    return gpis_ridge_roundings(roundings_of(&c, A, load), load);
}

/*
 * The computed residual is r + e with |e_i| <= (q + 2) u (|A| |x| + |y|)_i, where q counts the roundings of a row's
 * product and u is the unit of the precision in which it was computed, and one rounding to double. Since
 * |y| <= |r| + |A| |x|,
 *
 *     ||e|| <= (q + 2) u (2 sum_j ||a_j|| ||X_j|| + ||r||) + 2^-53 ||r||,
 *
 * and the sum of squares is off by 2 ||r + e|| ||e|| + ||e||^2, besides its own roundings. The norms of columns and of
 * r on the right sides are computed too, from sums of up to n k terms, and u stands for u / (1 - q u). With the terms
 * of linalg/terms.h, A and r are those of the larger matrix, and ||e|| has the error of the response besides.
 */
static gpis_errors errors_of(const gpis_source *A, const gpis_load *load, double response_error, const double *X,
                             int64_t k, double f, const double *norms2) {
    const gpis_roundings roundings = gpis_pass_roundings(A, load);
    const double unit = load->extended ? GPIS_EXTENDED_UNIT : GPIS_UNIT, r = sqrt(f);
    const int64_t terms = A->n + load->d + k;
    double products = 0.0; /* sum_j ||a_j|| ||X_j|| >= ||A X||_F, as large as the terms that make it up */
    for (int64_t j = 0; j < load->d; j++) products += sqrt(norms2[j]) * gpis_norm2(X + j * k, k);
    const double e =
        gpis_outward((roundings.residual + 2.0) * unit * (2.0 * products + r) + GPIS_UNIT * r + response_error, terms);
    return (gpis_errors){.residual = e,
                         .product = gpis_outward(roundings.gradient * GPIS_UNIT * r, terms),
                         .objective = gpis_outward(2.0 * r * e + e * e + roundings.objective * GPIS_UNIT * f, terms)};
}

gpis_point gpis_pass_point(const gpis_source *A, const gpis_pass *pass, const double *norms2) {
    const gpis_load load = gpis_load_of(pass, A->d);
    return (gpis_point){
        .x = pass->X,
        .g = pass->G,
        .objective = *pass->objective,
        .norms2 = norms2,
        .errors = errors_of(A, &load, pass->terms.response_error, pass->X, pass->k, *pass->objective, norms2)};
}

/* Fewer rows have no more roundings. */
gpis_errors gpis_pass_errors(const gpis_source *A, const gpis_pass *pass, const double *x, double f, bool ridge,
                             const double *norms2) {
    gpis_load load = gpis_load_of(pass, A->d);
    load.ridge = ridge;
    return errors_of(A, &load, pass->terms.response_error, x, 1, f, norms2);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

double gpis_pass_gram_strips(double n, double d) {
    return (double)strips_of((int64_t)ceil(n / GRAM_ROWS), GRAM_ROWS, (int64_t)fmin(d * d, 1e18), true, 1);
}

double gpis_pass_quick_strips(double n, double d) {
    const int64_t rows = (int64_t)fmin(n, 1e18), most = gpis_max64(1, rows / GPIS_GRAM_TWO_ROWS);
    return (double)quick_strips(rows, GPIS_GRAM_TWO_ROWS, (int64_t)fmin(2.0 * (d + 1.0) * (d + 1.0), 1e18), most);
}

double gpis_pass_memory(const gpis_context *context, const gpis_source *A, const gpis_load *load) {
    if (A->class && A->class->walk) return A->class->walk->memory(context, A, load);
    const gpis_cut c = gpis_cut_make(A, load);
    const int threads = (int)gpis_min64(context->threads, c.strips);
    const double strips = ((double)c.strip_size + 2.0 * GPIS_PASS_SUMS + 16.0) * (double)c.strips;
    const double points = (double)(load->d * (2 * load->k + load->probes)), position = 0.5 * (double)load->d;
    const gpis_window_use use = {c.chunk_rows, c.run * c.chunk_rows, load->sketch, threads};
    return 8.0 * (strips + (double)c.scratch * threads + points + position) +
           (double)gpis_windows_memory(A, context->limit, use);
}
