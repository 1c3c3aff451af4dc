/* The table of sketches, and what they share: creating, restarting and destroying one. */
#include "sketch/sketch.h"

#include <math.h>
#include <string.h>

#include "sketch/kinds.h"

static const gpis_sketch_class *const kinds[] = {
#define ADDRESS(symbol, name) &gpis_sketch_##symbol,
    GPIS_SKETCH_LIST(ADDRESS)
#undef ADDRESS
};

const gpis_sketch_class *gpis_sketch_find(const char *name) {
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
    return NULL;
}

const char *gpis_sketch_names(void) { return &(GPIS_SKETCH_LIST(GPIS_COMMA_NAME))[2]; /* past the first comma */ }

int gpis_sketch_number(const gpis_sketch_class *class) {
    int number = 0;
    while (kinds[number] != class) number++;
    return number;
}

const gpis_sketch_class *gpis_sketch_numbered(int number) { return kinds[number]; }

static gpis_status check_sizes(gpis_context *context, int64_t m, int64_t n, int64_t d, int64_t k) {
    int64_t size;
    if (m < 1) return gpis_fail(context, GPIS_BAD_ARGUMENT, "a sketch needs at least 1 row, not %lld", (long long)m);
    if (n < 1 || d < 1 || k < 0)
        return gpis_fail(context, GPIS_BAD_ARGUMENT, "cannot sketch a matrix of %lld x %lld with %lld responses",
                         (long long)n, (long long)d, (long long)k);
    if (!gpis_checked_mul(m, d, &size) || !gpis_checked_mul(m, k, &size))
        return gpis_fail(context, GPIS_TOO_LARGE, "a sketch of %lld x %lld is too large", (long long)m, (long long)d);
    return GPIS_OK;
}

gpis_status gpis_sketch_create(gpis_context *context, const gpis_sketch_class *class, int64_t m, int64_t n, int64_t d,
                               int64_t k, uint64_t seed, uint64_t round, gpis_sketch **out) {
    return gpis_sketch_create_in(context, class, m, n, d, k, seed, round, NULL, NULL, out);
}

gpis_status gpis_sketch_create_in(gpis_context *context, const gpis_sketch_class *class, int64_t m, int64_t n,
                                  int64_t d, int64_t k, uint64_t seed, uint64_t round, double *SA, double *SY,
                                  gpis_sketch **out) {
    *out = NULL;
    gpis_status status = check_sizes(context, m, n, d, k);
    if (status != GPIS_OK) return status;
    gpis_sketch *s = gpis_alloc(context, 1, sizeof *s);
    if (!s) return GPIS_NO_MEMORY;
    *s = (gpis_sketch){.class = class, .context = context, .m = m, .n = n, .d = d, .k = k, .seed = seed};
    s->owned[0] = SA ? NULL : gpis_alloc(context, m * d, sizeof(double));
    s->owned[1] = SY || !k ? NULL : gpis_alloc(context, m * k, sizeof(double));
    s->SA = SA ? SA : s->owned[0];
    s->SY = SY ? SY : s->owned[1];
    status = s->SA && (!k || s->SY) ? gpis_sketch_restart(s, round) : GPIS_NO_MEMORY;
    if (status == GPIS_OK)
        *out = s;
    else
        gpis_sketch_destroy(s);
    return status;
}

/* Cleared by all threads, since most of the time is spent by the system in finding the pages. */
static void clear(double *v, int64_t count, int threads) {
    enum { PIECE = 1 << 17 }; /* doubles that a thread clears at a time */
#pragma omp parallel for num_threads(gpis_threads_for(threads, (double)count)) schedule(dynamic)
    for (int64_t i = 0; i < count; i += PIECE) memset(v + i, 0, (size_t)gpis_min64(PIECE, count - i) * sizeof *v);
}

gpis_status gpis_sketch_restart(gpis_sketch *s, uint64_t round) {
    s->class->stop(s);
    gpis_tree_clear(&s->tree);
    s->state = NULL;
    s->round = round;
    s->rows = s->m;
    s->sums = (gpis_tree_sums){s->SA, s->SY};
    clear(s->SA, s->m * s->d, s->context->threads);
    if (s->k) clear(s->SY, s->m * s->k, s->context->threads);
    const gpis_status status = s->class->start(s);
    if (status != GPIS_OK) return status;
    gpis_tree_start(&s->tree, s->context, s->n, s->rows, s->d, s->k, s->class->whole, s->sums);
    return GPIS_OK;
}

/* The number of entries read or written, from the cost in units of a gradient, of which one quarter is one flop per
 * entry. */
static double numbers_of(const gpis_sketch *s, const gpis_block *rows) {
    const int64_t entries =
        rows->kind == GPIS_BLOCK_CSR ? rows->indptr[rows->nrows] - rows->indptr[0] : rows->nrows * rows->d;
    return (double)entries * fmax(1.0, 4.0 * s->class->cost(s->n, s->d, s->m));
}

gpis_status gpis_sketch_absorb(gpis_sketch *s, const gpis_block *rows, const double *Y, int threads) {
    gpis_tree *tree = &s->tree;
    threads = gpis_threads_for(threads, numbers_of(s, rows));
    for (int64_t i = 0, count; i < rows->nrows; i += count) {
        const int64_t row = rows->row0 + i, leaf = row / tree->leaf, end = gpis_min64((leaf + 1) * tree->leaf, s->n);
        count = gpis_min64(rows->nrows - i, end - row);
        gpis_status status = gpis_tree_open(tree, threads);
        if (status != GPIS_OK) return status;
        const gpis_block part = gpis_block_rows(rows, i, count);
        s->into = tree->open;
        status = s->class->absorb(s, &part, s->k ? Y + i * s->k : NULL, threads);
        if (status != GPIS_OK) return status;
        if (row + count == end) gpis_tree_close(tree, leaf, threads);
    }
    return GPIS_OK;
}

gpis_status gpis_sketch_finish(gpis_sketch *s, int threads) {
    return s->class->finish ? s->class->finish(s, threads) : GPIS_OK;
}

void gpis_sketch_destroy(gpis_sketch *s) {
    if (!s) return;
    s->class->stop(s);
    gpis_tree_clear(&s->tree);
    gpis_free(s->context, s->owned[0]);
    gpis_free(s->context, s->owned[1]);
    gpis_free(s->context, s);
}
