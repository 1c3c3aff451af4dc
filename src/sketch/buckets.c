/*
 * Two ways to the same bits, since either way a bucket adds its rows in ascending order:
 *   gather   the rows are sorted by bucket, then each bucket sums its own: A is read once, SA is read and written once;
 *   scatter  threads share out the columns, and each row is added to its buckets in a panel of SA narrow enough to stay
 *            in cache: the only way along a column-major A, and the better one when a row has many buckets.
 */
#include "sketch/buckets.h"

#include <string.h>

#include "base/random.h"
#include "linalg/addrows.h"
#include "linalg/hot.h"

enum {
    WORDS = 4,            /* of a Philox block: the rows it serves */
    MAX_PIECES = 16,      /* parts of a slab that are sorted side by side */
    SLAB_TERMS = 1 << 20, /* entries of S held at a time, at least; more when m is large, so that a bucket ... */
    SLAB_PER_BUCKET = 16, /* ... has this many, and the traffic of SA is small beside that of A */
    PANEL_DOUBLES = 1 << 17,
    PANEL_MIN = 8,
    PANEL_MAX = 32
};

struct gpis_buckets {
    gpis_context *context; /* borrowed */
    int64_t m;
    int stacks;
    uint64_t seed, stream;
    int64_t slab;    /* rows taken at a time */
    uint32_t *codes; /* owned: for each row of the slab and each stack, the signed bucket */
    uint32_t *terms; /* owned: signed rows of the slab, sorted by bucket */
    int32_t *places; /* owned: MAX_PIECES x m; where each piece puts its next row of a bucket */
};

gpis_status gpis_buckets_create(gpis_context *context, int64_t m, int64_t n, int stacks, uint64_t seed, uint64_t stream,
                                gpis_buckets **out) {
    *out = NULL;
    if (m > INT32_MAX / SLAB_PER_BUCKET / 2)
        return gpis_fail(context, GPIS_TOO_LARGE, "a sketch of %lld rows is too large", (long long)m);
    gpis_buckets *b = gpis_alloc_zero(context, 1, sizeof *b);
    if (!b) return GPIS_NO_MEMORY;
    const int64_t terms = gpis_max64(SLAB_TERMS, SLAB_PER_BUCKET * m), quantum = GPIS_SKETCH_QUANTUM;
    const int64_t rows = gpis_min64(n, terms / stacks);
    *b = (gpis_buckets){.context = context, .m = m, .stacks = stacks, .seed = seed, .stream = stream};
    b->slab = (rows + quantum - 1) / quantum * quantum;
    b->codes = gpis_alloc(context, b->slab * stacks, sizeof *b->codes);
    b->terms = gpis_alloc(context, b->slab * stacks, sizeof *b->terms);
    b->places = gpis_alloc(context, MAX_PIECES * m, sizeof *b->places);
    if (!b->codes || !b->terms || !b->places) {
        gpis_buckets_destroy(b);
        return GPIS_NO_MEMORY;
    }
    *out = b;
    return GPIS_OK;
}

void gpis_buckets_destroy(gpis_buckets *b) {
    if (!b) return;
    gpis_free(b->context, b->codes);
    gpis_free(b->context, b->terms);
    gpis_free(b->context, b->places);
    gpis_free(b->context, b);
}

/* The codes of `count` rows from global row `first`, a multiple of WORDS. The low bit of a word is the sign, so signs
 * are fair and independent of buckets; the other 31 choose a bucket of the stack by multiplication. One block past the
 * last row may be drawn in part: codes has room up to a multiple of WORDS. */
GPIS_HOT static void draw(uint64_t seed, uint64_t stream, uint64_t first, int64_t count, uint64_t m, uint64_t stacks,
                          uint32_t *restrict codes) {
    for (uint64_t t = 0; t < stacks; t++) {
        const uint64_t begin = m * t / stacks, size = m * (t + 1) / stacks - begin;
        for (int64_t i = 0; i < count; i += WORDS) {
            const gpis_bits bits = gpis_random_bits(seed, stream, (first + (uint64_t)i) / WORDS * stacks + t);
            for (int w = 0; w < WORDS; w++) {
                const uint64_t bucket = begin + (((bits.v[w] >> 1) * size) >> 31);
                codes[((uint64_t)i + (uint64_t)w) * stacks + t] = gpis_signed_code((uint32_t)bucket, bits.v[w] & 1);
            }
        }
    }
}

static void draw_slab(const gpis_buckets *b, int64_t row0, int64_t nrows, int threads) {
    const int64_t quantum = GPIS_SKETCH_QUANTUM;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < nrows; i += quantum)
        draw(b->seed, b->stream, (uint64_t)(row0 + i), gpis_min64(quantum, nrows - i), (uint64_t)b->m,
             (uint64_t)b->stacks, b->codes + i * b->stacks);
}

/* Counting sort of the slab's codes by bucket, rows ascending within one. Pieces of the slab are counted and placed
 * side by side; piece p's rows of a bucket come after those of the pieces before it, so the order does not depend on
 * the number of pieces. Leaves the end of bucket v in the returned array. */
static const int32_t *sort_slab(const gpis_buckets *b, int64_t nrows, int threads) {
    const int64_t m = b->m, terms = nrows * b->stacks;
    const int pieces = (int)gpis_max64(1, gpis_min64(MAX_PIECES, terms / m));
    memset(b->places, 0, (size_t)(pieces * m) * sizeof *b->places);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int p = 0; p < pieces; p++) {
        int32_t *count = b->places + p * m;
        const int64_t end = nrows * (p + 1) / pieces * b->stacks;
        for (int64_t e = nrows * p / pieces * b->stacks; e < end; e++) count[gpis_code_number(b->codes[e])]++;
    }
    int32_t place = 0;
    for (int64_t v = 0; v < m; v++)
        for (int p = 0; p < pieces; p++) {
            const int32_t count = b->places[p * m + v];
            b->places[p * m + v] = place;
            place += count;
        }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int p = 0; p < pieces; p++) {
        int32_t *next = b->places + p * m;
        const int64_t end = nrows * (p + 1) / pieces;
        for (int64_t i = nrows * p / pieces; i < end; i++)
            for (int t = 0; t < b->stacks; t++) {
                const uint32_t code = b->codes[i * b->stacks + t];
                b->terms[next[gpis_code_number(code)]++] = gpis_signed_code((uint32_t)i, code & 1);
            }
    }
    return b->places + (pieces - 1) * m;
}

static void gather(const gpis_buckets *b, const gpis_block *rows, const int32_t *ends, double *sums, int threads) {
    const uint32_t *limit = b->terms + ends[b->m - 1];
    const int64_t chunk = gpis_max64(1, gpis_min64(16, b->m / (8 * (int64_t)threads)));
#pragma omp parallel for num_threads(threads) schedule(dynamic, chunk)
    for (int64_t v = 0; v < b->m; v++) {
        const int64_t begin = v ? ends[v - 1] : 0;
        gpis_gather_rows(rows, b->terms + begin, ends[v] - begin, limit, sums + v * rows->d);
    }
}

static void scatter(const gpis_buckets *b, const gpis_block *rows, double *sums, int threads) {
    const int64_t fit = PANEL_DOUBLES / b->m / PANEL_MIN * PANEL_MIN;
    const int64_t panel = gpis_max64(PANEL_MIN, gpis_min64(PANEL_MAX, fit));
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t j = 0; j < rows->d; j += panel)
        gpis_scatter_rows(rows, b->codes, b->stacks, j, gpis_min64(panel, rows->d - j), sums, rows->d);
}

void gpis_buckets_absorb(gpis_buckets *b, const gpis_block *rows, const double *Y, int64_t k, double *SA, double *SY,
                         int threads) {
    const bool column_major = rows->kind == GPIS_BLOCK_DENSE && !gpis_block_is_row_major(rows);
    const bool gathers = rows->kind == GPIS_BLOCK_CSR || (b->stacks == 1 && !column_major);
    for (int64_t i = 0; i < rows->nrows; i += b->slab) {
        const gpis_block part = gpis_block_rows(rows, i, gpis_min64(b->slab, rows->nrows - i));
        const gpis_block responses = {.kind = GPIS_BLOCK_DENSE,
                                      .type = GPIS_FLOAT64,
                                      .row0 = part.row0,
                                      .nrows = part.nrows,
                                      .d = k,
                                      .values = k ? Y + i * k : NULL,
                                      .row_stride = k,
                                      .col_stride = 1};
        draw_slab(b, part.row0, part.nrows, threads);
        if (gathers) {
            const int32_t *ends = sort_slab(b, part.nrows, threads);
            gather(b, &part, ends, SA, threads);
            if (k) gather(b, &responses, ends, SY, threads);
        } else {
            scatter(b, &part, SA, threads);
            if (k) scatter(b, &responses, SY, threads);
        }
    }
}
