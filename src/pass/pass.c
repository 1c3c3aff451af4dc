/* The sweep: windows of rows from the source, chunks of a window to the strips, strips to threads. */
#include "pass/pass.h"

#include <omp.h>
#include <string.h>
#include <time.h>

#include "pass/chunk.h"
#include "pass/ridge.h"
#include "pass/sweep.h"
#include "pass/window.h"

/* Everything a running pass holds. */
typedef struct sweep {
    gpis_context *context; /* borrowed */
    gpis_source *A;        /* borrowed */
    const gpis_pass *pass; /* borrowed */
    gpis_load load;
    gpis_cut cut;
    gpis_chunk_plan plan;
    int64_t run_rows;
    int threads;
    bool sums_wanted;      /* false: the pass is for a sketch only */
    gpis_strip *strips;    /* owned: cut.strips of them */
    atomic_llong *turns;   /* owned: for each strip, the runs of this window that have been added to it */
    atomic_llong taken;    /* runs of this window that threads have taken */
    double *accumulators;  /* owned: the sums of the strips */
    double *transposed;    /* owned: XT, VT, PT */
    int32_t *position;     /* owned: of each column among those of the Gram matrix */
    double *scratch;       /* owned: of each thread */
    gpis_windows *windows; /* owned */
} sweep;

static void transpose(const double *X, int64_t d, int64_t k, double *XT) {
    for (int64_t j = 0; j < d; j++)
        for (int64_t c = 0; c < k; c++) XT[c * d + j] = X[j * k + c];
}

/* For few vectors and dense rows: the kernel needs each vector contiguous. */
static gpis_status transpose_points(sweep *s) {
    const gpis_pass *pass = s->pass;
    const int64_t d = s->load.d, size = d * pass->k, probes = d * s->load.probes;
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

/* Cleared by all threads, since most of the time is spent by the system in finding the pages. */
static void clear_strips(sweep *s) {
    const int64_t strips = s->cut.strips, size = s->cut.strip_size;
    const int threads = gpis_threads_for(s->threads, (double)(strips * size));
    if (threads == 1) {
        memset(s->accumulators, 0, (size_t)(strips * size) * sizeof(double));
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t t = 0; t < strips; t++) memset(s->accumulators + t * size, 0, (size_t)size * sizeof(double));
}

static gpis_status allocate_strips(sweep *s) {
    const int64_t strips = s->cut.strips, size = s->cut.strip_size;
    int64_t total;
    if (!gpis_checked_mul(size, strips, &total))
        return gpis_fail(s->context, GPIS_TOO_LARGE, "the sums of %lld columns are too large", (long long)s->A->d);
    s->strips = gpis_alloc_zero(s->context, strips, sizeof *s->strips);
    s->turns = gpis_alloc_zero(s->context, strips, sizeof *s->turns);
    s->accumulators = gpis_alloc(s->context, total, sizeof(double));
    if (!s->strips || !s->turns || !s->accumulators) return GPIS_NO_MEMORY;
    clear_strips(s);
    for (int64_t t = 0; t < strips; t++) s->strips[t] = gpis_strip_at(&s->load, s->accumulators + t * size);
    return GPIS_OK;
}

static bool is_zero(const double *v, int64_t size) {
    for (int64_t i = 0; i < size; i++)
        if (v[i] != 0.0) return false;
    return true;
}

/* Whether X is zero, as in the first pass of most solves: the residual is then -Y. */
static bool starts_at_zero(const sweep *s) {
    const gpis_pass *pass = s->pass;
    return s->A->block_kind == GPIS_BLOCK_DENSE && !pass->extended && pass->X && pass->Y && pass->G && !pass->V &&
           is_zero(pass->X, s->load.d * pass->k);
}

static gpis_status number_columns(sweep *s) {
    const gpis_pass *pass = s->pass;
    s->position = gpis_alloc(s->context, s->load.d, sizeof *s->position);
    if (!s->position) return GPIS_NO_MEMORY;
    for (int64_t j = 0; j < s->load.d; j++) s->position[j] = -1;
    for (int64_t c = 0; c < pass->count; c++) s->position[pass->columns[c]] = (int32_t)c;
    s->plan.position = s->position;
    return GPIS_OK;
}

static gpis_status prepare(sweep *s) {
    const gpis_pass *pass = s->pass;
    s->cut = gpis_cut_make(s->A, &s->load);
    s->run_rows = s->cut.run * s->cut.chunk_rows;
    s->threads = gpis_cut_threads(&s->cut, s->A, &s->load, s->context->threads);
    s->plan = (gpis_chunk_plan){.pass = pass, .cut = &s->cut, .zero = starts_at_zero(s)};
    s->scratch = gpis_alloc(s->context, s->cut.scratch * s->threads, sizeof(double));
    if (!s->scratch) return GPIS_NO_MEMORY;
    gpis_status status = GPIS_OK;
    if (s->cut.transposed && (pass->X || pass->P || pass->V)) status = transpose_points(s);
    if (status == GPIS_OK && s->load.some_columns) status = number_columns(s);
    if (status == GPIS_OK) status = allocate_strips(s);
    if (status != GPIS_OK) return status;
    const gpis_window_use use = {
        .chunk_rows = s->cut.chunk_rows, .run_rows = s->run_rows, .whole = pass->sketch != NULL, .threads = s->threads};
    return gpis_windows_start(s->context, s->A, use, &s->windows);
}

/* Rows of the source with the terms of the pass. */
static gpis_block with_terms(const gpis_pass *pass, gpis_block rows) {
    rows.weights = pass->terms.weights ? pass->terms.weights + rows.row0 : NULL;
    rows.constant = pass->terms.constant;
    return rows;
}

/* Adds rows [begin, end) of the window, which belong to one run, to the sums of its strip. */
static void add_run(sweep *s, const gpis_block *window, int64_t begin, int64_t end, gpis_strip *strip, int thread) {
    double *scratch = s->scratch + thread * s->cut.scratch;
    const int64_t step = gpis_windows_step(s->windows);
    for (int64_t first = begin; first < end && !gpis_watch_stopped(s->pass->watch); first += step) {
        const int64_t count = gpis_min64(step, end - first);
        gpis_block rows;
        if (!gpis_windows_take(s->windows, window, first, count, thread, &rows)) return;
        for (int64_t c = 0; s->sums_wanted && c < count; c += s->cut.chunk_rows) {
            const gpis_block chunk =
                with_terms(s->pass, gpis_block_rows(&rows, c, gpis_min64(s->cut.chunk_rows, count - c)));
            gpis_chunk_add(&s->plan, &chunk, scratch, strip);
            gpis_watch_count(s->pass->watch, chunk.nrows);
        }
        gpis_windows_give_back(s->windows, &rows);
    }
}

/* Threads take the runs of a window in order, so that a file is read from its beginning to its end. Run r belongs to
 * strip r mod S, and each strip adds its runs in order: the run before was taken S runs ago, so that a thread rarely
 * has to wait for it. */
static void add_runs(sweep *s, const gpis_block *window, int thread) {
    const int64_t first = window->row0 / s->run_rows, last = (window->row0 + window->nrows - 1) / s->run_rows;
    for (;;) {
        const int64_t taken = atomic_fetch_add(&s->taken, 1), run = first + taken, strip = run % s->cut.strips;
        if (run > last) return;
        const struct timespec moment = {.tv_nsec = 20000};
        while (atomic_load(&s->turns[strip]) < taken / s->cut.strips) nanosleep(&moment, NULL);
        const int64_t begin = gpis_max64(0, run * s->run_rows - window->row0);
        const int64_t end = gpis_min64(window->nrows, (run + 1) * s->run_rows - window->row0);
        add_run(s, window, begin, end, &s->strips[strip], thread);
        atomic_fetch_add(&s->turns[strip], 1);
    }
}

/* For the sketch, rows have the numbers that they have in the whole of A. */
static gpis_status feed_sketch(sweep *s, const gpis_block *rows) {
    const gpis_pass *pass = s->pass;
    const int64_t skip = gpis_max64(0, pass->skip - rows->row0);
    if (skip >= rows->nrows) return GPIS_OK;
    gpis_block part = with_terms(pass, gpis_block_rows(rows, skip, rows->nrows - skip));
    const double *Y = pass->sketch->k ? pass->Y + part.row0 * pass->k : NULL;
    part.row0 += pass->row0;
    return gpis_sketch_absorb(pass->sketch, &part, Y, s->context->threads);
}

/* A team of one thread would cost a small solve some microseconds. */
static void add_runs_together(sweep *s, const gpis_block *window) {
    if (s->threads == 1) {
        add_runs(s, window, 0);
        return;
    }
#pragma omp parallel num_threads(s->threads)
    add_runs(s, window, omp_get_thread_num());
}

/* Adds one window to the sums and to the sketch. */
static gpis_status add_window(sweep *s, const gpis_block *window) {
    const gpis_pass *pass = s->pass;
    if (s->sums_wanted || gpis_windows_are_shared(s->windows)) {
        atomic_store(&s->taken, 0);
        for (int64_t strip = 0; strip < s->cut.strips; strip++) atomic_store(&s->turns[strip], 0);
        add_runs_together(s, window);
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

/* Makes sure that no size overflows that is computed later: of a chunk, of the sums of a strip, of Y. */
static gpis_status check_sizes(gpis_context *context, const gpis_source *A, const gpis_pass *pass) {
    static const int64_t MAX_COLUMNS = INT64_C(1) << 48; /* of A, X or V: small enough that 8 times as many fit */
    const int64_t d = A->d + pass->terms.constant, columns = gpis_load_of(pass, A->d).gram;
    const bool countable =
        A->d <= MAX_COLUMNS && pass->k <= MAX_COLUMNS && pass->probes <= MAX_COLUMNS && pass->many <= INT32_MAX;
    const int64_t both = countable && pass->summary ? d + pass->k : 0; /* columns of the summary */
    int64_t sums, probes, gram, summary, responses, many;
    const bool fits = countable && gpis_checked_mul(8 * d, pass->k, &sums) &&
                      gpis_checked_mul(8 * d, pass->probes, &probes) && gpis_checked_mul(8 * columns, columns, &gram) &&
                      gpis_checked_mul(16 * both, both, &summary) && gpis_checked_mul(8 * d, pass->many, &many) &&
                      gpis_checked_mul(gpis_max64(1, pass->folds.count), summary, &summary) &&
                      gpis_checked_mul(8 * gpis_max64(1, pass->k), A->n, &responses);
    if (fits) return GPIS_OK;
    return gpis_fail(context, GPIS_TOO_LARGE,
                     "a pass over %lld x %lld with %lld responses and %lld vectors is too large", (long long)A->n,
                     (long long)A->d, (long long)pass->k, (long long)pass->probes);
}

/* A pass over a source in one piece. */
static gpis_status run_piece(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    gpis_watch_begin(pass->watch);
    gpis_status status = gpis_pass_sweep(context, A, pass);
    if (status == GPIS_OK && pass->sketch) status = gpis_sketch_finish(pass->sketch, context->threads);
    if (status != GPIS_OK || gpis_pass_is_finite(context, pass, A->d)) return status;
    status = gpis_pass_audit(context, A, pass, A->n);
    return status == GPIS_OK ? gpis_pass_overflow(context, A) : status;
}

gpis_status gpis_pass_run(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    gpis_status status = check_sizes(context, A, pass);
    if (status != GPIS_OK) return status;
    status = A->class->walk ? A->class->walk->run(context, A, pass) : run_piece(context, A, pass);
    if (status == GPIS_OK) gpis_ridge_add(pass, A->d + pass->terms.constant);
    return status;
}

gpis_status gpis_pass_sweep(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    sweep s = {.context = context, .A = A, .pass = pass, .load = gpis_load_of(pass, A->d)};
    s.sums_wanted = s.load.wanted != 0;
    gpis_status status = gpis_source_unchanged(A);
    if (status == GPIS_OK) status = prepare(&s);
    if (status == GPIS_OK) status = sweep_rows(&s);
    gpis_windows_end(s.windows, status);
    if (status == GPIS_OK) status = gpis_source_unchanged(A);
    if (status == GPIS_OK) gpis_strips_collect(pass, &s.load, s.cut.transposed, s.strips, s.cut.strips, s.threads);
    gpis_free(context, s.scratch);
    gpis_free(context, s.transposed);
    gpis_free(context, s.position);
    gpis_free(context, s.accumulators);
    gpis_free(context, s.turns);
    gpis_free(context, s.strips);
    return status;
}
