/* The sweep: windows of rows from the source, chunks of a window to the strips, strips to threads. */
#include "pass/pass.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include <time.h>

#include "linalg/dense.h"
#include "pass/chunk.h"
#include "pass/parts.h"
#include "pass/window.h"

enum {
    MAX_STRIPS = 64,         /* also the most threads that can work */
    STRIP_DOUBLES = 1 << 24, /* all strips together: 128 MB, unless two of them need more */
    RUN_BYTES = 1 << 22,     /* consecutive chunks of one strip: what a thread takes from a file at a time */
    RUNS_A_STRIP = 4,        /* at least, so that the strips come out even */
    CHUNK_BYTES = 1 << 18,   /* a chunk stays in the second-level cache */
    MAX_CHUNK_ROWS = 1024,
    GRAM_ROWS = MAX_CHUNK_ROWS, /* what dsyrk needs to run at speed */
    SERIAL_WORK = 1 << 15       /* below so many entries threads cost more than they bring */
};

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
    double *scratch;      /* owned: R and unpacked rows, of each thread */
    int64_t residual_size, scratch_size;
    gpis_windows *windows; /* owned */
} sweep;

static int64_t power_of_two_rows(int64_t bytes, double row_bytes, int64_t least, int64_t most) {
    int64_t rows = least;
    while (rows < most && (double)(2 * rows) * row_bytes <= (double)bytes) rows *= 2;
    return rows;
}

static int64_t strip_limit(int64_t per_strip) {
    return gpis_min64(MAX_STRIPS, gpis_max64(2, STRIP_DOUBLES / gpis_max64(1, per_strip)));
}

/* Chunks and strips: functions of the problem's shape alone. */
typedef struct cut {
    int64_t chunk_rows, run, strips, chunks; /* run: its chunks */
} cut;

static cut cut_at(int64_t n, int64_t chunk_rows, int64_t per_strip) {
    const int64_t chunks = (n + chunk_rows - 1) / chunk_rows;
    return (cut){
        .chunk_rows = chunk_rows, .run = 1, .chunks = chunks, .strips = gpis_min64(strip_limit(per_strip), chunks)};
}

static cut cut_rows(const gpis_source *A, int64_t per_strip, bool gram) {
    const bool csr = A->block_kind == GPIS_BLOCK_CSR;
    cut c = cut_at(
        A->n, gram && !csr ? GRAM_ROWS : power_of_two_rows(CHUNK_BYTES, gpis_source_row_bytes(A), 64, MAX_CHUNK_ROWS),
        per_strip);
    const double fit = RUN_BYTES / ((double)c.chunk_rows * gpis_source_row_bytes(A));
    while (2.0 * (double)c.run <= fit && 2 * c.run * c.strips * RUNS_A_STRIP <= c.chunks) c.run *= 2;
    return c;
}

static void plan_sweep(sweep *s, int64_t per_strip) {
    const gpis_source *A = s->A;
    const cut c = cut_rows(A, per_strip, s->pass->gram != NULL);
    s->chunk_rows = c.chunk_rows;
    s->run_rows = c.run * c.chunk_rows;
    s->strips = c.strips;
    s->threads = (int)gpis_min64(s->context->threads, s->strips);
    if (!s->pass->gram && A->nonzeros * gpis_max64(1, s->pass->k) < SERIAL_WORK) s->threads = 1;
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

static gpis_status allocate_strips(sweep *s, int64_t G, int64_t AAV, int64_t norms, int64_t gram) {
    const int64_t per_strip = (G + AAV + norms + gram + 7) / 8 * 8; /* whole cache lines, so that threads share none */
    s->sums = gpis_alloc_zero(s->context, s->strips, sizeof *s->sums);
    s->turns = gpis_alloc_zero(s->context, s->strips, sizeof *s->turns);
    int64_t total;
    if (!gpis_checked_mul(per_strip, s->strips, &total))
        return gpis_fail(s->context, GPIS_TOO_LARGE, "%lld columns are too many", (long long)s->A->d);
    s->accumulators = gpis_alloc(s->context, total, sizeof(double));
    if (!s->sums || !s->turns || !s->accumulators) return GPIS_NO_MEMORY;
        /* By those who will use them: most of it is memory that the system has yet to find. */
#pragma omp parallel for num_threads(s->threads) schedule(static) if (total > SERIAL_WORK)
    for (int64_t t = 0; t < s->strips; t++)
        memset(s->accumulators + t * per_strip, 0, (size_t)per_strip * sizeof(double));
    for (int64_t t = 0; t < s->strips; t++) {
        double *a = s->accumulators + t * per_strip;
        if (G) s->sums[t].G = a;
        if (AAV) s->sums[t].AAV = a + G;
        if (norms) s->sums[t].norms2 = a + G + AAV;
        if (gram) s->sums[t].gram = a + G + AAV + norms;
    }
    return GPIS_OK;
}

static gpis_status prepare(sweep *s) {
    const gpis_pass *pass = s->pass;
    const gpis_source *A = s->A;
    const int64_t G = pass->G ? A->d * pass->k : 0, AAV = pass->V ? A->d * pass->probes : 0;
    const int64_t norms = pass->norms2 ? A->d : 0, columns = gpis_max64(pass->k, pass->V ? pass->probes : 0);
    int64_t gram = 0;
    if (pass->gram && !gpis_checked_mul(A->d, A->d, &gram))
        return gpis_fail(s->context, GPIS_TOO_LARGE, "the Gram matrix of %lld columns is too large", (long long)A->d);
    plan_sweep(s, G + AAV + norms + gram);
    const bool dense = A->block_kind == GPIS_BLOCK_DENSE;
    const bool plain = dense && A->type == GPIS_FLOAT64 && A->order == GPIS_ROW_MAJOR;
    s->plan = (gpis_chunk_plan){.pass = pass, .transposed = dense && columns <= GPIS_FEW_RESPONSES && !pass->extended};
    s->plan.unpack = dense && !plain && (pass->gram || !s->plan.transposed);
    s->residual_size = s->chunk_rows * columns;
    s->scratch_size = s->residual_size + (s->plan.unpack ? s->chunk_rows * A->d : 0) + 8;
    s->scratch = gpis_alloc(s->context, s->scratch_size * s->threads, sizeof(double));
    if (!s->scratch) return GPIS_NO_MEMORY;
    if (s->plan.transposed && (pass->X || pass->P || pass->V)) {
        const gpis_status status = transpose_points(s);
        if (status != GPIS_OK) return status;
    }
    const gpis_status status = allocate_strips(s, G, AAV, norms, gram);
    if (status != GPIS_OK) return status;
    const gpis_window_use use = {
        .chunk_rows = s->chunk_rows, .run_rows = s->run_rows, .whole = pass->sketch != NULL, .threads = s->threads};
    return gpis_windows_start(s->context, s->A, use, &s->windows);
}

/* Rows [begin, end) of the window, all of one run, to the sums of its strip. */
static void add_run(sweep *s, const gpis_block *window, int64_t begin, int64_t end, gpis_sums *sums, int thread) {
    double *scratch = s->scratch + thread * s->scratch_size, *unpacked = scratch + s->residual_size;
    const int64_t step = gpis_windows_step(s->windows);
    for (int64_t first = begin; first < end && !gpis_watch_stopped(s->pass->watch); first += step) {
        const int64_t count = gpis_min64(step, end - first);
        gpis_block rows;
        if (!gpis_windows_take(s->windows, window, first, count, thread, &rows)) return;
        for (int64_t c = 0; s->sums_wanted && c < count; c += s->chunk_rows) {
            const gpis_block chunk = gpis_block_rows(&rows, c, gpis_min64(s->chunk_rows, count - c));
            gpis_chunk_add(&s->plan, &chunk, scratch, unpacked, sums);
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
    const int64_t d = s->A->d;
    double *gram = s->pass->gram;
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 16)
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
        for (int64_t i = 0; pass->G && i < d * k; i++) total->G[i] += part->G[i];
        for (int64_t i = 0; pass->V && i < d * pass->probes; i++) total->AAV[i] += part->AAV[i];
        for (int64_t i = 0; pass->norms2 && i < d; i++) total->norms2[i] += part->norms2[i];
    }
    if (pass->objective) *pass->objective = total->objective;
    if (pass->AP2) *pass->AP2 = total->AP2;
    if (pass->Y2) *pass->Y2 = total->Y2;
    if (pass->norms2) memcpy(pass->norms2, total->norms2, (size_t)d * sizeof(double));
    copy_out(s, total->G, k, pass->G);
    copy_out(s, total->AAV, pass->probes, pass->AAV);
    if (pass->gram) collect_gram(s);
}

static bool all_finite(const double *v, int64_t count, int threads) {
    double sum = 0.0;
    if (!v) return true;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) if (count > SERIAL_WORK)
    for (int64_t i = 0; i < count; i++) sum += 0.0 * v[i];
    return sum == 0.0;
}

bool gpis_pass_is_finite(const gpis_context *context, const gpis_pass *pass, int64_t d) {
    const gpis_sketch *sketch = pass->sketch;
    const int64_t rows = sketch ? sketch->m : 0;
    const struct {
        const double *values;
        int64_t count;
    } answers[] = {{pass->objective, 1},
                   {pass->AP2, 1},
                   {pass->Y2, 1},
                   {pass->G, d * pass->k},
                   {pass->AAV, d * pass->probes},
                   {pass->norms2, d},
                   {pass->gram, d * d},
                   {sketch ? sketch->SA : NULL, rows * d},
                   {sketch ? sketch->SY : NULL, sketch ? rows * sketch->k : 0}};
    bool finite = true;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        finite = finite && all_finite(answers[i].values, answers[i].count, context->threads);
    return finite;
}

/* GPIS_BAD_DATA if an entry of V (k columns) is not finite. */
static gpis_status audit_columns(gpis_context *context, const char *name, const double *V, int64_t rows, int64_t k,
                                 int64_t row0) {
    for (int64_t i = 0; V && i < rows * k; i++)
        if (!isfinite(V[i]))
            return gpis_fail(context, GPIS_BAD_DATA, "%s: row %lld, column %lld is %g; remove or replace it", name,
                             (long long)(row0 + i / k + 1), (long long)(i % k + 1), V[i]);
    return GPIS_OK;
}

gpis_status gpis_pass_audit(gpis_context *context, gpis_source *A, const gpis_pass *pass, int64_t rows) {
    gpis_status status = gpis_source_audit(context, A);
    if (status == GPIS_OK) status = audit_columns(context, "y", pass->Y, rows, pass->k, pass->row0);
    if (status == GPIS_OK) status = audit_columns(context, "x", pass->X, A->d, pass->k, 0);
    return status;
}

gpis_status gpis_pass_overflow(gpis_context *context, const gpis_source *A) {
    return gpis_fail(context, GPIS_BAD_DATA, "%s: sums of squares overflow; scale the data down", gpis_source_name(A));
}

gpis_status gpis_pass_run(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    if (gpis_source_joined(A)) return gpis_parts_run(context, A, pass);
    gpis_watch_begin(pass->watch);
    gpis_status status = gpis_pass_sweep(context, A, pass);
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
    gpis_free(context, s.accumulators);
    gpis_free(context, s.turns);
    gpis_free(context, s.sums);
    return status;
}

/* At most. */
static int64_t chunks_of_a_strip(const cut *c) {
    const int64_t runs = (c->chunks + c->run - 1) / c->run;
    return (runs + c->strips - 1) / c->strips * c->run;
}

/* Rows of a strip one after the other, then the strips. A chunk's part of the objective is summed by itself first: by
 * rows, or in extended precision with no error worth a count. */
static gpis_roundings roundings_of(const gpis_source *A, cut g, cut h, int64_t k, bool extended) {
    const int64_t g_chunks = chunks_of_a_strip(&g), h_chunks = chunks_of_a_strip(&h);
    const int64_t within = extended ? 4 : k + gpis_min64(A->n, g.chunk_rows) + 8;
    /* a chunk's part of the gradient is rounded once, and added once */
    const bool by_chunks = extended && A->block_kind == GPIS_BLOCK_DENSE;
    const int64_t rows = by_chunks ? g_chunks + 2 : gpis_min64(A->n, g_chunks * g.chunk_rows);
    const bool few = A->block_kind == GPIS_BLOCK_DENSE && k <= GPIS_FEW_RESPONSES && !extended;
    const bool by_lanes = few && (A->order == GPIS_ROW_MAJOR || A->class->on_demand);
    return (gpis_roundings){.residual = (double)(by_lanes ? gpis_dense_dot_roundings(A->d) : A->d),
                            .objective = (double)(within + g_chunks + g.strips),
                            .gradient = (double)(rows + g_chunks + g.strips + 8),
                            .gram = (double)(gpis_min64(A->n, h_chunks * h.chunk_rows) + h_chunks + h.strips + 8)};
}

/* Of parts only the longest is known, not how it is cut: the worst of all cuts, then all parts and ranks. */
static gpis_roundings roundings_of_parts(const gpis_source *A, const gpis_join *join, int64_t k, bool extended) {
    const double more = (double)(join->parts_of_all + join->ranks.ranks), runs = 1.0 + 1.0 / RUNS_A_STRIP;
    gpis_roundings worst = {0};
    gpis_source part = *A;
    part.n = join->largest;
    for (int64_t rows = 64; rows <= MAX_CHUNK_ROWS; rows *= 2) {
        const cut h = cut_at(part.n, rows, A->d * (A->d + k + 1));
        const gpis_roundings r = roundings_of(&part, h, h, k, extended);
        worst.residual = fmax(worst.residual, r.residual);
        worst.objective = fmax(worst.objective, r.objective + more);
        worst.gradient = fmax(worst.gradient, r.gradient * runs + more);
        worst.gram = fmax(worst.gram, r.gram * runs + more);
    }
    return worst;
}

gpis_roundings gpis_pass_roundings(const gpis_source *A, int64_t k, bool extended, bool with_gram) {
    const gpis_join *join = gpis_source_joined(A);
    if (join) return roundings_of_parts(A, join, k, extended);
    const cut h = cut_rows(A, A->d * (A->d + k + 1), true), g = with_gram ? h : cut_rows(A, A->d * (k + 1), false);
    return roundings_of(A, g, h, k, extended);
}

double gpis_pass_gram_strips(double n, double d) {
    return fmin(fmin(MAX_STRIPS, fmax(2.0, floor(STRIP_DOUBLES / (d * d)))), ceil(n / GRAM_ROWS));
}

/* The largest part of this rank, and the sums of all parts and of one. */
static double memory_of_parts(const gpis_context *context, const gpis_join *join, int64_t d, gpis_pass_load load) {
    const double sums = (double)(d * (2 * load.k + load.probes + 1)) + (load.gram ? 0.5 * (double)(d * (d + 1)) : 0.0);
    double most = 0.0;
    for (int64_t i = 0; i < join->count; i++) most = fmax(most, gpis_pass_memory(context, join->parts[i], load));
    return most + 8.0 * 2.0 * sums;
}

double gpis_pass_memory(const gpis_context *context, const gpis_source *A, gpis_pass_load load) {
    const gpis_join *join = gpis_source_joined(A);
    if (join) return memory_of_parts(context, join, A->d, load);
    const int64_t vectors = load.k + load.probes, square = load.gram ? A->d * A->d : 0;
    const int64_t per_strip = A->d * (vectors + 1) + square; /* and the norms of the columns */
    const cut c = cut_rows(A, per_strip, load.gram);
    const int threads = (int)gpis_min64(context->threads, c.strips);
    const bool plain = A->block_kind == GPIS_BLOCK_CSR || (A->type == GPIS_FLOAT64 && A->order == GPIS_ROW_MAJOR);
    const bool unpack = !plain && (load.gram || gpis_max64(load.k, load.probes) > GPIS_FEW_RESPONSES);
    const double scratch = (double)(c.chunk_rows * (vectors + (unpack ? A->d : 0))) * threads;
    const gpis_window_use use = {c.chunk_rows, c.run * c.chunk_rows, load.sketch, threads};
    return 8.0 * ((double)(per_strip + 32) * (double)c.strips + scratch + (double)(A->d * (vectors + load.k))) +
           (double)gpis_windows_memory(A, context->limit, use);
}
