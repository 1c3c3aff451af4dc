/* The sweep: windows of rows from the source, chunks of a window to the strips, strips to threads. */
#include "pass/pass.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include <time.h>

#include "linalg/accurate.h"
#include "linalg/dense.h"
#include "linalg/gram.h"
#include "pass/chunk.h"
#include "pass/cut.h"
#include "pass/parts.h"
#include "pass/window.h"

/* Everything a running pass holds. */
typedef struct sweep {
    gpis_context *context; /* borrowed */
    gpis_source *A;        /* borrowed */
    const gpis_pass *pass; /* borrowed */
    gpis_chunk_plan plan;
    int64_t chunk_rows, run_rows, strips;
    int threads;
    bool sums_wanted;     /* not the sketch alone */
    gpis_sums *sums;      /* strips of them; owned */
    atomic_llong *turns;  /* owned: runs of this window that each strip has had */
    atomic_llong taken;   /* runs of this window that were taken */
    double *accumulators; /* owned: their arrays */
    double *transposed;   /* owned: XT, PT */
    int32_t *position;    /* owned: of each column among those of the Gram matrix */
    double *scratch;      /* owned: of each thread */
    int64_t scratch_size;
    gpis_windows *windows; /* owned */
} sweep;

/* Entries of A times the vectors that they are multiplied with. */
static double numbers_of(const gpis_source *A, const gpis_pass *pass) {
    const double columns = (double)gpis_pass_gram_columns(pass, A->d);
    const double vectors = (double)pass->k + (pass->V ? (double)pass->probes : 0.0) + columns / 4.0;
    return (double)A->nonzeros * fmax(1.0, vectors);
}

static void plan_sweep(sweep *s, int64_t per_strip) {
    const gpis_source *A = s->A;
    const gpis_cut c = gpis_cut_rows(A, per_strip, s->pass->gram != NULL);
    s->chunk_rows = c.chunk_rows;
    s->run_rows = c.run * c.chunk_rows;
    s->strips = c.strips;
    s->threads = (int)gpis_min64(gpis_threads_for(s->context->threads, numbers_of(A, s->pass)), s->strips);
}

static void transpose(const double *X, int64_t d, int64_t k, double *XT) {
    for (int64_t j = 0; j < d; j++)
        for (int64_t c = 0; c < k; c++) XT[c * d + j] = X[j * k + c];
}

/* Few vectors of dense data: the kernel wants each one contiguous. */
static gpis_status transpose_points(sweep *s) {
    const gpis_pass *pass = s->pass;
    const int64_t d = s->A->d, size = d * pass->k, probes = pass->V ? d * pass->probes : 0;
    s->transposed = gpis_alloc(s->context, 2 * size + probes, sizeof(double));
    if (!s->transposed) return GPIS_NO_MEMORY;
    double *XT = s->transposed, *VT = XT + size, *PT = VT + probes;
    if (pass->X) transpose(pass->X, d, pass->k, XT);
    if (pass->V) transpose(pass->V, d, pass->probes, VT);
    if (pass->P) transpose(pass->P, d, pass->k, PT);
    s->plan.XT = XT;
    s->plan.VT = VT;
    s->plan.PT = PT;
    return GPIS_OK;
}

static gpis_status allocate_strips(sweep *s, int64_t G, int64_t AAV, int64_t norms, int64_t gram, int64_t misses) {
    const int64_t low = s->pass->extended ? G : 0;
    const int64_t per_strip =
        (G + AAV + norms + gram + misses + low + 7) / 8 * 8; /* whole cache lines, so that threads share none */
    s->sums = gpis_alloc_zero(s->context, s->strips, sizeof *s->sums);
    s->turns = gpis_alloc_zero(s->context, s->strips, sizeof *s->turns);
    int64_t total;
    if (!gpis_checked_mul(per_strip, s->strips, &total))
        return gpis_fail(s->context, GPIS_TOO_LARGE, "%lld columns are too many", (long long)s->A->d);
    s->accumulators = gpis_alloc(s->context, total, sizeof(double));
    if (!s->sums || !s->turns || !s->accumulators) return GPIS_NO_MEMORY;
        /* By those who will use them: most of it is memory that the system has yet to find. */
#pragma omp parallel for num_threads(gpis_threads_for(s->threads, (double)total)) schedule(dynamic)
    for (int64_t t = 0; t < s->strips; t++)
        memset(s->accumulators + t * per_strip, 0, (size_t)per_strip * sizeof(double));
    for (int64_t t = 0; t < s->strips; t++) {
        double *a = s->accumulators + t * per_strip;
        if (G) s->sums[t].G = a;
        if (AAV) s->sums[t].AAV = a + G;
        if (norms) s->sums[t].norms2 = a + G + AAV;
        if (gram) s->sums[t].gram = a + G + AAV + norms;
        if (misses) s->sums[t].misses = a + G + AAV + norms + gram;
        if (low) s->sums[t].low = a + G + AAV + norms + gram + misses;
    }
    return GPIS_OK;
}

static bool is_zero(const double *v, int64_t size) {
    for (int64_t i = 0; i < size; i++)
        if (v[i] != 0.0) return false;
    return true;
}

/* How chunks are worked on, and the room it takes: R, unpacked rows, and the columns of the Gram matrix. */
static void plan_chunks(sweep *s, int64_t vectors) {
    const gpis_pass *pass = s->pass;
    const gpis_source *A = s->A;
    const bool dense = A->block_kind == GPIS_BLOCK_DENSE, some = pass->gram && pass->columns;
    const bool plain = dense && A->type == GPIS_FLOAT64 && A->order == GPIS_ROW_MAJOR;
    gpis_chunk_plan *plan = &s->plan;
    *plan = (gpis_chunk_plan){.pass = pass, .transposed = dense && vectors <= GPIS_FEW_RESPONSES && !pass->extended};
    plan->unpack = dense && !plain && ((pass->gram && !some) || !plan->transposed);
    plan->zero =
        dense && !pass->extended && pass->X && pass->Y && pass->G && !pass->V && is_zero(pass->X, A->d * pass->k);
    plan->gram_by_parts = dense && pass->gram && gpis_gram_by_blocks(gpis_pass_gram_columns(pass, A->d));
    const bool by_parts = dense && !pass->extended && (some || plan->gram_by_parts);
    plan->part_rows = by_parts ? gpis_cut_rows(A, 1, false).chunk_rows : s->chunk_rows;
    plan->unpacked_at = s->chunk_rows * vectors;
    plan->columns_at = plan->unpacked_at + (plan->unpack ? s->chunk_rows * A->d : 0);
    s->scratch_size = plan->columns_at + (some ? (dense ? s->chunk_rows : 2) * pass->count : 0) + 8;
}

static gpis_status number_columns(sweep *s) {
    const gpis_pass *pass = s->pass;
    s->position = gpis_alloc(s->context, s->A->d, sizeof *s->position);
    if (!s->position) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < s->A->d; j++) s->position[j] = -1;
    for (int64_t c = 0; c < pass->count; c++) s->position[pass->columns[c]] = (int32_t)c;
    s->plan.position = s->position;
    return GPIS_OK;
}

static gpis_status prepare(sweep *s) {
    const gpis_pass *pass = s->pass;
    const gpis_source *A = s->A;
    const int64_t G = pass->G ? A->d * pass->k : 0, AAV = pass->AAV ? A->d * pass->probes : 0;
    const int64_t norms = pass->norms2 ? A->d : 0, misses = pass->misses ? pass->probes : 0,
                  columns = gpis_max64(pass->k, pass->V ? pass->probes : 0);
    const int64_t of_gram = gpis_pass_gram_columns(pass, A->d), gram = of_gram * of_gram;
    plan_sweep(s, G + AAV + norms + gram + misses);
    plan_chunks(s, columns);
    s->scratch = gpis_alloc(s->context, s->scratch_size * s->threads, sizeof(double));
    if (!s->scratch) return GPIS_NO_MEMORY;
    gpis_status status = GPIS_OK;
    if (s->plan.transposed && (pass->X || pass->P || pass->V)) status = transpose_points(s);
    if (status == GPIS_OK && pass->columns) status = number_columns(s);
    if (status == GPIS_OK) status = allocate_strips(s, G, AAV, norms, gram, misses);
    if (status != GPIS_OK) return status;
    const gpis_window_use use = {
        .chunk_rows = s->chunk_rows, .run_rows = s->run_rows, .whole = pass->sketch != NULL, .threads = s->threads};
    return gpis_windows_start(s->context, s->A, use, &s->windows);
}

/* Rows [begin, end) of the window, all of one run, to the sums of its strip. */
static void add_run(sweep *s, const gpis_block *window, int64_t begin, int64_t end, gpis_sums *sums, int thread) {
    double *scratch = s->scratch + thread * s->scratch_size;
    const int64_t step = gpis_windows_step(s->windows);
    for (int64_t first = begin; first < end && !gpis_watch_stopped(s->pass->watch); first += step) {
        const int64_t count = gpis_min64(step, end - first);
        gpis_block rows;
        if (!gpis_windows_take(s->windows, window, first, count, thread, &rows)) return;
        for (int64_t c = 0; s->sums_wanted && c < count; c += s->chunk_rows) {
            const gpis_block chunk = gpis_block_rows(&rows, c, gpis_min64(s->chunk_rows, count - c));
            gpis_chunk_add(&s->plan, &chunk, scratch, sums);
            gpis_watch_count(s->pass->watch, chunk.nrows);
        }
        gpis_windows_give_back(s->windows, &rows);
    }
}

/* Threads take the runs of a window in order, so that a file is read from its beginning to its end. Run r belongs to
 * strip r mod S, and each strip gets its runs in order: the one before was taken S runs ago, and is rarely waited for.
 */
static void add_runs(sweep *s, const gpis_block *window, int thread) {
    const int64_t first = window->row0 / s->run_rows, last = (window->row0 + window->nrows - 1) / s->run_rows;
    for (;;) {
        const int64_t taken = atomic_fetch_add(&s->taken, 1), run = first + taken, strip = run % s->strips;
        if (run > last) return;
        const struct timespec moment = {.tv_nsec = 20000};
        while (atomic_load(&s->turns[strip]) < taken / s->strips) nanosleep(&moment, NULL);
        const int64_t begin = gpis_max64(0, run * s->run_rows - window->row0);
        const int64_t end = gpis_min64(window->nrows, (run + 1) * s->run_rows - window->row0);
        add_run(s, window, begin, end, &s->sums[strip], thread);
        atomic_fetch_add(&s->turns[strip], 1);
    }
}

/* The sketch numbers the rows as the whole of A does. */
static gpis_status feed_sketch(sweep *s, const gpis_block *rows) {
    const gpis_pass *pass = s->pass;
    const int64_t skip = gpis_max64(0, pass->skip - rows->row0);
    if (skip >= rows->nrows) return GPIS_OK;
    gpis_block part = gpis_block_rows(rows, skip, rows->nrows - skip);
    const double *Y = pass->sketch->k ? pass->Y + part.row0 * pass->k : NULL;
    part.row0 += pass->row0;
    return gpis_sketch_absorb(pass->sketch, &part, Y, s->context->threads);
}

/* One window, to all who want it. */
static gpis_status add_window(sweep *s, const gpis_block *window) {
    const gpis_pass *pass = s->pass;
    if (s->sums_wanted || gpis_windows_are_shared(s->windows)) {
        atomic_store(&s->taken, 0);
        for (int64_t strip = 0; strip < s->strips; strip++) atomic_store(&s->turns[strip], 0);
#pragma omp parallel num_threads(s->threads)
        add_runs(s, window, omp_get_thread_num());
        const gpis_status status = gpis_windows_settle(s->windows);
        if (status != GPIS_OK) return status;
    }
    if (pass->sketch && !gpis_watch_stopped(pass->watch)) {
        const gpis_status status = feed_sketch(s, window);
        if (status != GPIS_OK) return status;
    }
    if (!s->sums_wanted) gpis_watch_count(pass->watch, window->nrows);
    return gpis_watch_stopped(pass->watch) ? gpis_fail(s->context, GPIS_STOPPED, "stopped within a pass") : GPIS_OK;
}

static gpis_status sweep_rows(sweep *s) {
    gpis_block window;
    gpis_status status = gpis_windows_next(s->windows, &window);
    while (status == GPIS_OK && window.nrows > 0) {
        status = add_window(s, &window);
        if (status == GPIS_OK) status = gpis_windows_next(s->windows, &window);
    }
    return status;
}

/* A sum of d x columns, as it is held, to where it is wanted. */
static void copy_out(const sweep *s, const double *sum, int64_t columns, double *out) {
    if (!out) return;
    if (s->plan.transposed)
        transpose(sum, columns, s->A->d, out);
    else
        memcpy(out, sum, (size_t)(s->A->d * columns) * sizeof(double));
}

/* The upper triangles of the strips, added up in order, to both triangles. */
static void collect_gram(sweep *s) {
    const int64_t d = gpis_pass_gram_columns(s->pass, s->A->d);
    const int threads = gpis_threads_for(s->threads, 0.5 * (double)(d * d) * (double)s->strips);
    double *gram = s->pass->gram;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t i = 0; i < d; i++) {
        double *row = s->sums[0].gram + i * d;
        for (int64_t t = 1; t < s->strips; t++)
            for (int64_t j = i; j < d; j++) row[j] += s->sums[t].gram[i * d + j];
        for (int64_t j = i; j < d; j++) gram[i * d + j] = gram[j * d + i] = row[j];
    }
}

/* Adds the strips up in order. */
static void collect(sweep *s) {
    const gpis_pass *pass = s->pass;
    const int64_t d = s->A->d, k = pass->k;
    gpis_sums *total = &s->sums[0];
    for (int64_t t = 1; t < s->strips; t++) {
        const gpis_sums *part = &s->sums[t];
        total->objective += part->objective;
        total->AP2 += part->AP2;
        total->Y2 += part->Y2;
        for (int64_t i = 0; pass->G && i < d * k; i++) {
            const double error = gpis_two_sum(&total->G[i], part->G[i]);
            if (total->low) total->low[i] += error + part->low[i];
        }
        for (int64_t i = 0; pass->AAV && i < d * pass->probes; i++) total->AAV[i] += part->AAV[i];
        for (int64_t i = 0; pass->misses && i < pass->probes; i++) total->misses[i] += part->misses[i];
        for (int64_t i = 0; pass->norms2 && i < d; i++) total->norms2[i] += part->norms2[i];
    }
    for (int64_t i = 0; total->low && i < d * k; i++) total->G[i] += total->low[i];
    if (pass->objective) *pass->objective = total->objective;
    if (pass->AP2) *pass->AP2 = total->AP2;
    if (pass->Y2) *pass->Y2 = total->Y2;
    if (pass->norms2) memcpy(pass->norms2, total->norms2, (size_t)d * sizeof(double));
    if (pass->misses) memcpy(pass->misses, total->misses, (size_t)pass->probes * sizeof(double));
    copy_out(s, total->G, k, pass->G);
    copy_out(s, total->AAV, pass->probes, pass->AAV);
    if (pass->gram) collect_gram(s);
}

/* All sizes that are computed from these fit: a chunk of rows, a sum for each strip, all of Y. */
static gpis_status check_sizes(gpis_context *context, const gpis_source *A, const gpis_pass *pass) {
    static const int64_t MOST = INT64_C(1) << 48; /* columns, of A or of vectors */
    const int64_t columns = gpis_pass_gram_columns(pass, A->d);
    int64_t sums, probes, gram, responses;
    const bool fits = A->d <= MOST && pass->k <= MOST && pass->probes <= MOST &&
                      gpis_checked_mul(8 * A->d, pass->k, &sums) && gpis_checked_mul(8 * A->d, pass->probes, &probes) &&
                      gpis_checked_mul(8 * columns, columns, &gram) &&
                      gpis_checked_mul(8 * gpis_max64(1, pass->k), A->n, &responses);
    if (fits) return GPIS_OK;
    return gpis_fail(context, GPIS_TOO_LARGE,
                     "a pass over %lld x %lld with %lld responses and %lld vectors is too large", (long long)A->n,
                     (long long)A->d, (long long)pass->k, (long long)pass->probes);
}

gpis_status gpis_pass_run(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    gpis_status status = check_sizes(context, A, pass);
    if (status != GPIS_OK) return status;
    if (gpis_source_joined(A)) return gpis_parts_run(context, A, pass);
    gpis_watch_begin(pass->watch);
    status = gpis_pass_sweep(context, A, pass);
    if (status == GPIS_OK && pass->sketch) status = gpis_sketch_finish(pass->sketch, context->threads);
    if (status != GPIS_OK || gpis_pass_is_finite(context, pass, A->d)) return status;
    status = gpis_pass_audit(context, A, pass, A->n);
    return status == GPIS_OK ? gpis_pass_overflow(context, A) : status;
}

gpis_status gpis_pass_sweep(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    sweep s = {.context = context, .A = A, .pass = pass};
    s.sums_wanted = pass->X || pass->P || pass->V || pass->Y2 || pass->norms2 || pass->gram;
    gpis_status status = gpis_source_unchanged(A);
    if (status == GPIS_OK) status = prepare(&s);
    if (status == GPIS_OK) status = sweep_rows(&s);
    gpis_windows_end(s.windows, status);
    if (status == GPIS_OK) status = gpis_source_unchanged(A);
    if (status == GPIS_OK) collect(&s);
    gpis_free(context, s.scratch);
    gpis_free(context, s.transposed);
    gpis_free(context, s.position);
    gpis_free(context, s.accumulators);
    gpis_free(context, s.turns);
    gpis_free(context, s.sums);
    return status;
}
