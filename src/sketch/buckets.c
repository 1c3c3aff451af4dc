/*
 * Three methods with the same bits, since in each of them a bucket adds its rows in ascending order:
 *   gather   rows are sorted by bucket, then each bucket adds its own: A and SA are read once;
 *   stream   rows of few entries are added to their buckets as they come, without sorting. Threads divide the columns
 *            among them, and each reads all rows, which for long rows is slower (5.1 ms instead of 2.7 at 100 columns);
 *   scatter  for a column-major A, threads divide the columns among them, and add each entry to its bucket.
 */
#include "sketch/buckets.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/random.h"
#include "linalg/addrows.h"
#include "linalg/hot.h"

enum {
    WORDS = 4,               /* of a Philox block, one for each row */
    SLAB_TERMS = 1 << 20,    /* entries of S held at a time, or those of a piece if they are more */
    PIECE_PER_BUCKET = 64,   /* entries of a piece for each bucket: enough that SA is rarely visited, few enough that
                                the rows of a piece are near each other in memory */
    RANGE_DOUBLES = 1 << 16, /* of SA that a thread gathers at a time: they fit in its cache */
    MAX_STREAM_COLUMNS = 16, /* rows of at most this many columns are streamed */
    PANEL = 8                /* columns scattered between two visits to SA: a cache line */
};

struct gpis_buckets {
    gpis_context *context; /* borrowed */
    int64_t m;
    int stacks;
    uint64_t seed, stream;
    int64_t slab;    /* rows processed at a time */
    int64_t piece;   /* rows of a piece: a part of a slab that one thread sorts */
    uint32_t *codes; /* owned: for each row of the slab and each stack, the signed bucket */
    uint32_t *terms; /* owned: signed rows of the slab, each piece sorted by bucket */
    int32_t *ends;   /* owned: for each piece, where the terms of each bucket end */
};

static int64_t whole_quanta(int64_t rows) {
    const int64_t quantum = GPIS_SKETCH_QUANTUM;
    return (rows + quantum - 1) / quantum * quantum;
}

static int64_t piece_rows(int64_t m, int64_t n, int stacks) {
    return whole_quanta(gpis_min64(n, PIECE_PER_BUCKET * m / stacks));
}

static int64_t slab_rows(int64_t m, int64_t n, int stacks) {
    return gpis_max64(piece_rows(m, n, stacks), whole_quanta(gpis_min64(n, SLAB_TERMS / stacks)));
}

gpis_status gpis_buckets_create(gpis_context *context, int64_t m, int64_t n, int stacks, uint64_t seed, uint64_t stream,
                                gpis_buckets **out) {
    *out = NULL;
    if (m > INT32_MAX / PIECE_PER_BUCKET / 2)
        return gpis_fail(context, GPIS_TOO_LARGE, "a sketch of %lld rows is too large", (long long)m);
    gpis_buckets *b = gpis_alloc_zero(context, 1, sizeof *b);
    if (!b) return GPIS_NO_MEMORY;
    *b = (gpis_buckets){.context = context, .m = m, .stacks = stacks, .seed = seed, .stream = stream};
    b->piece = piece_rows(m, n, stacks);
    b->slab = slab_rows(m, n, stacks);
    b->codes = gpis_alloc(context, b->slab * stacks, sizeof *b->codes);
    b->terms = gpis_alloc(context, b->slab * stacks, sizeof *b->terms);
    b->ends = gpis_alloc(context, (b->slab + b->piece - 1) / b->piece * m, sizeof *b->ends);
    if (!b->codes || !b->terms || !b->ends) {
        gpis_buckets_destroy(b);
        return GPIS_NO_MEMORY;
    }
    *out = b;
    return GPIS_OK;
}

double gpis_buckets_memory(int64_t m, int64_t n, int stacks, int threads) {
    const double slab = (double)slab_rows(m, n, stacks), pieces = ceil(slab / (double)piece_rows(m, n, stacks));
    return sizeof(uint32_t) * (2.0 * slab * stacks + pieces * (double)m) + 8.0 * PANEL * (double)m * threads;
}

void gpis_buckets_destroy(gpis_buckets *b) {
    if (!b) return;
    gpis_free(b->context, b->codes);
    gpis_free(b->context, b->terms);
    gpis_free(b->context, b->ends);
    gpis_free(b->context, b);
}

/* The low bit of a word is the sign, so that signs are unbiased and independent of buckets; the other 31 bits choose a
 * bucket of the stack by multiplication. */
static inline uint32_t code_of(uint32_t word, uint64_t begin, uint64_t size) {
    return gpis_signed_code((uint32_t)(begin + (((word >> 1) * size) >> 31)), word & 1);
}

/* The codes of `count` rows from global row `first`, both multiples of WORDS. */
GPIS_HOT static void draw_blocks(uint64_t seed, uint64_t stream, uint64_t first, int64_t count, uint64_t m,
                                 uint64_t stacks, uint32_t *restrict codes) {
    for (uint64_t t = 0; t < stacks; t++) {
        const uint64_t begin = m * t / stacks, size = m * (t + 1) / stacks - begin;
        for (int64_t i = 0; i < count; i += WORDS) {
            const gpis_bits bits = gpis_random_bits(seed, stream, (first + (uint64_t)i) / WORDS * stacks + t);
            for (int w = 0; w < WORDS; w++)
                codes[((uint64_t)i + (uint64_t)w) * stacks + t] = code_of(bits.v[w], begin, size);
        }
    }
}

/* The same for rows that share one Philox block, as at the ends of a part of A. */
static void draw_few(uint64_t seed, uint64_t stream, uint64_t first, int64_t count, uint64_t m, uint64_t stacks,
                     uint32_t *codes) {
    for (uint64_t t = 0; t < stacks && count > 0; t++) {
        const uint64_t begin = m * t / stacks, size = m * (t + 1) / stacks - begin;
        const gpis_bits bits = gpis_random_bits(seed, stream, first / WORDS * stacks + t);
        for (int64_t i = 0; i < count; i++)
            codes[(uint64_t)i * stacks + t] = code_of(bits.v[(first + (uint64_t)i) % WORDS], begin, size);
    }
}

static void draw(const gpis_buckets *b, int64_t first, int64_t count, uint32_t *codes) {
    const int64_t lead = gpis_min64(count, (WORDS - first % WORDS) % WORDS), whole = (count - lead) / WORDS * WORDS;
    const uint64_t m = (uint64_t)b->m, s = (uint64_t)b->stacks;
    draw_few(b->seed, b->stream, (uint64_t)first, lead, m, s, codes);
    draw_blocks(b->seed, b->stream, (uint64_t)(first + lead), whole, m, s, codes + lead * b->stacks);
    draw_few(b->seed, b->stream, (uint64_t)(first + lead + whole), count - lead - whole, m, s,
             codes + (lead + whole) * b->stacks);
}

/* Draws the codes of a piece and, for `gather`, sorts them by bucket (counting sort), rows ascending within a bucket.
 */
static void prepare_piece(const gpis_buckets *b, int64_t piece, int64_t row0, int64_t nrows, bool sort) {
    const int64_t first = piece * b->piece, count = gpis_min64(b->piece, nrows - first), s = b->stacks;
    const uint32_t *codes = b->codes + first * s;
    uint32_t *terms = b->terms + first * s;
    int32_t *ends = b->ends + piece * b->m, place = 0;
    draw(b, row0 + first, count, b->codes + first * s);
    if (!sort) return;
    memset(ends, 0, (size_t)b->m * sizeof *ends);
    for (int64_t e = 0; e < count * s; e++) ends[gpis_code_number(codes[e])]++;
    for (int64_t v = 0; v < b->m; v++) {
        const int32_t size = ends[v];
        ends[v] = place;
        place += size;
    }
    for (int64_t i = 0; i < count; i++)
        for (int64_t t = 0; t < s; t++) {
            const uint32_t code = codes[i * s + t];
            terms[ends[gpis_code_number(code)]++] = gpis_signed_code((uint32_t)(first + i), code & 1);
        }
}

static void prepare(const gpis_buckets *b, int64_t row0, int64_t nrows, bool sort, int threads) {
    const int64_t pieces = (nrows + b->piece - 1) / b->piece;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < pieces; p++) prepare_piece(b, p, row0, nrows, sort);
}

/* Adds the rows of buckets [begin, end), piece by piece: their part of SA stays in cache, and the rows of a piece are
 * near each other in memory. */
static void gather_range(const gpis_buckets *b, const gpis_block *rows, int64_t begin, int64_t end, double *sums) {
    for (int64_t p = 0; p * b->piece < rows->nrows; p++) {
        const uint32_t *terms = b->terms + p * b->piece * b->stacks;
        const int32_t *ends = b->ends + p * b->m;
        const uint32_t *limit = terms + ends[end - 1];
        for (int64_t v = begin; v < end; v++) {
            const int64_t place = v ? ends[v - 1] : 0;
            gpis_gather_rows(rows, terms + place, ends[v] - place, limit, sums + v * gpis_block_width(rows));
        }
    }
}

static void gather(const gpis_buckets *b, const gpis_block *rows, double *sums, int threads) {
    const int64_t fit = RANGE_DOUBLES / gpis_block_width(rows), share = b->m / (2 * (int64_t)threads);
    const int64_t range = gpis_max64(1, gpis_min64(fit, share));
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t v = 0; v < b->m; v += range) gather_range(b, rows, v, gpis_min64(b->m, v + range), sums);
}

/* Divides the columns among the threads in whole cache lines of SA, as far as possible. */
static void stream(const gpis_buckets *b, const gpis_block *rows, double *sums, int threads) {
    enum { LINE = 8 }; /* doubles */
    const int64_t all = gpis_block_width(rows);
    const int64_t lines = (all + LINE - 1) / LINE, width = (lines + threads - 1) / threads * LINE;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t col0 = 0; col0 < all; col0 += width)
        gpis_scatter_rows(rows, col0, gpis_min64(width, all - col0), b->codes, b->stacks, sums);
}

/* Copies columns [col0, col0 + cols) of the sums to the panel, each column contiguous, or back. */
static void exchange(double *sums, int64_t m, int64_t d, int64_t col0, int64_t cols, double *panel, bool back) {
    for (int64_t v = 0; v < m; v++)
        for (int64_t j = 0; j < cols; j++) {
            double *here = sums + v * d + col0 + j, *there = panel + j * m + v;
            if (back)
                *here = *there;
            else
                *there = *here;
        }
}

/* panels: m x PANEL doubles for each thread, where the sums of one column are contiguous and stay in cache. */
static void scatter(const gpis_buckets *b, const gpis_block *rows, double *sums, double *panels, int threads) {
    const int64_t width = gpis_block_width(rows);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t col0 = 0; col0 < width; col0 += PANEL) {
        const int64_t cols = gpis_min64(PANEL, width - col0);
        double *panel = panels + omp_get_thread_num() * b->m * PANEL;
        exchange(sums, b->m, width, col0, cols, panel, false);
        for (int64_t j = 0; j < cols; j++) gpis_scatter_column(rows, col0 + j, b->codes, b->stacks, panel + j * b->m);
        exchange(sums, b->m, width, col0, cols, panel, true);
    }
}

typedef enum way { GATHER, STREAM, SCATTER } way;

static way way_of(const gpis_block *rows) {
    if (rows->kind == GPIS_BLOCK_CSR) return GATHER;
    if (!gpis_block_is_row_major(rows)) return SCATTER;
    return rows->d <= MAX_STREAM_COLUMNS ? STREAM : GATHER;
}

static void add(const gpis_buckets *b, const gpis_block *rows, way chosen, double *sums, double *panels, int threads) {
    switch (chosen) {
    case GATHER: gather(b, rows, sums, threads); break;
    case STREAM: stream(b, rows, sums, threads); break;
    case SCATTER: scatter(b, rows, sums, panels, threads); break;
    }
}

gpis_status gpis_buckets_absorb(gpis_buckets *b, const gpis_block *rows, const double *Y, int64_t k, double *SA,
                                double *SY, int threads) {
    const way chosen = way_of(rows);
    double *panels = chosen == SCATTER ? gpis_alloc(b->context, threads * b->m * PANEL, sizeof *panels) : NULL;
    if (chosen == SCATTER && !panels) return GPIS_NO_MEMORY;
    for (int64_t i = 0; i < rows->nrows; i += b->slab) {
        const gpis_block part = gpis_block_rows(rows, i, gpis_min64(b->slab, rows->nrows - i));
        gpis_block responses = gpis_block_dense(GPIS_FLOAT64, part.row0, part.nrows, k, k ? Y + i * k : NULL);
        responses.weights = part.weights;
        prepare(b, part.row0, part.nrows, chosen == GATHER, threads);
        add(b, &part, chosen, SA, panels, threads);
        if (k) add(b, &responses, chosen == GATHER ? way_of(&responses) : STREAM, SY, NULL, threads);
    }
    gpis_free(b->context, panels);
    return GPIS_OK;
}
