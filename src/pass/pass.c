/* The sweep: superblocks of rows from the source, chunks of a superblock to the strips, strips to threads. */
#include "pass/pass.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "pass/chunk.h"
#include "pass/parts.h"

enum {
    MAX_STRIPS = 64,         /* also the most threads that can work */
    STRIP_DOUBLES = 1 << 25, /* all strips together: 256 MB, unless two of them need more */
    CHUNK_BYTES = 1 << 18,   /* a chunk stays in the second-level cache */
    MAX_CHUNK_ROWS = 1024,
    GRAM_ROWS = MAX_CHUNK_ROWS, /* what dsyrk needs to run at speed */
    SUPERBLOCK_BYTES = 1 << 25, /* rows made on demand are made so many at a time */
    SERIAL_WORK = 1 << 15       /* below so many entries threads cost more than they bring */
};

/* Everything a running pass holds. */
typedef struct sweep {
    gpis_context *context; /* borrowed */
    gpis_source *A;        /* borrowed */
    const gpis_pass *pass; /* borrowed */
    gpis_chunk_plan plan;
    int64_t chunk_rows, superblock_rows, strips;
    int threads;
    gpis_sums *sums;      /* strips of them; owned */
    double *accumulators; /* owned: their arrays */
    double *transposed;   /* owned: XT, PT */
    double *scratch;      /* owned: R and unpacked rows, of each thread */
    int64_t residual_size, scratch_size;
    double *made; /* owned: a superblock of rows made on demand; NULL when all rows are at hand */
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
    int64_t chunk_rows, strips, chunks;
} cut;

static cut cut_at(int64_t n, int64_t chunk_rows, int64_t per_strip) {
    const int64_t chunks = (n + chunk_rows - 1) / chunk_rows;
    return (cut){.chunk_rows = chunk_rows, .chunks = chunks, .strips = gpis_min64(strip_limit(per_strip), chunks)};
}

static cut cut_rows(const gpis_source *A, int64_t per_strip, bool gram) {
    const bool csr = A->block_kind == GPIS_BLOCK_CSR;
    const double width = A->type == GPIS_FLOAT64 ? 8.0 : 4.0;
    const double row_bytes = csr ? 8.0 + (4.0 + width) * (double)A->nonzeros / (double)A->n : width * (double)A->d;
    const int64_t rows = gram && !csr ? GRAM_ROWS : power_of_two_rows(CHUNK_BYTES, row_bytes, 64, MAX_CHUNK_ROWS);
    return cut_at(A->n, rows, per_strip);
}

static void plan_sweep(sweep *s, int64_t per_strip) {
    const gpis_source *A = s->A;
    const cut c = cut_rows(A, per_strip, s->pass->gram != NULL);
    s->chunk_rows = c.chunk_rows;
    s->strips = c.strips;
    const int64_t quantum = s->pass->sketch ? gpis_max64(s->chunk_rows, GPIS_SKETCH_QUANTUM) : s->chunk_rows;
    s->superblock_rows = A->resident ? A->n : quantum * gpis_max64(1, SUPERBLOCK_BYTES / (8 * A->d * quantum));
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
    int64_t total;
    if (!gpis_checked_mul(per_strip, s->strips, &total))
        return gpis_fail(s->context, GPIS_TOO_LARGE, "%lld columns are too many", (long long)s->A->d);
    s->accumulators = gpis_alloc_zero(s->context, total, sizeof(double));
    if (!s->sums || !s->accumulators) return GPIS_NO_MEMORY;
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
    if (!A->resident) {
        s->made = gpis_alloc(s->context, gpis_min64(s->superblock_rows, A->n) * A->d, sizeof(double));
        if (!s->made) return GPIS_NO_MEMORY;
    }
    if (s->plan.transposed && (pass->X || pass->P || pass->V)) {
        const gpis_status status = transpose_points(s);
        if (status != GPIS_OK) return status;
    }
    return allocate_strips(s, G, AAV, norms, gram);
}

/* Rows made on demand: chunks of the superblock are made side by side if the source allows it. The first failure in
 * row order is the one reported. */
static gpis_status make_rows(sweep *s, int64_t row0, int64_t rows, gpis_block *out) {
    const gpis_source_class *class = s->A->class;
    if (s->A->resident) return class->block(s->A, row0, rows, NULL, out);
    const int64_t chunks = (rows + s->chunk_rows - 1) / s->chunk_rows;
    const int threads = s->A->serial ? 1 : s->threads;
    int64_t failed = chunks;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(min : failed)
    for (int64_t c = 0; c < chunks; c++) {
        const int64_t first = c * s->chunk_rows, count = gpis_min64(s->chunk_rows, rows - first);
        gpis_block ignored;
        if (class->block(s->A, row0 + first, count, s->made + first * s->A->d, &ignored) != GPIS_OK)
            failed = gpis_min64(failed, c);
    }
    if (failed < chunks) {
        const int64_t first = failed * s->chunk_rows;
        return gpis_fail(s->context, GPIS_BAD_DATA, "%s: rows %lld to %lld could not be made", gpis_source_name(s->A),
                         (long long)(s->A->first + row0 + first + 1),
                         (long long)(s->A->first + row0 + gpis_min64(first + s->chunk_rows, rows)));
    }
    *out = (gpis_block){.kind = GPIS_BLOCK_DENSE,
                        .type = GPIS_FLOAT64,
                        .row0 = row0,
                        .nrows = rows,
                        .d = s->A->d,
                        .values = s->made,
                        .row_stride = s->A->d,
                        .col_stride = 1};
    return GPIS_OK;
}

/* The chunks of one strip that lie in this superblock, in order. */
static void add_strip(sweep *s, const gpis_block *rows, int64_t strip, double *scratch) {
    double *unpacked = scratch + s->residual_size;
    const int64_t first_chunk = rows->row0 / s->chunk_rows;
    const int64_t chunks = (rows->nrows + s->chunk_rows - 1) / s->chunk_rows;
    const int64_t offset = ((strip - first_chunk) % s->strips + s->strips) % s->strips;
    for (int64_t c = offset; c < chunks; c += s->strips) {
        const int64_t first = c * s->chunk_rows;
        const gpis_block chunk = gpis_block_rows(rows, first, gpis_min64(s->chunk_rows, rows->nrows - first));
        gpis_chunk_add(&s->plan, &chunk, scratch, unpacked, &s->sums[strip]);
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

static gpis_status sweep_rows(sweep *s) {
    const gpis_pass *pass = s->pass;
    const bool sums_wanted = pass->X || pass->P || pass->V || pass->Y2 || pass->norms2 || pass->gram;
    for (int64_t row0 = 0; row0 < s->A->n; row0 += s->superblock_rows) {
        gpis_block rows;
        gpis_status status = make_rows(s, row0, gpis_min64(s->superblock_rows, s->A->n - row0), &rows);
        if (status != GPIS_OK) return status;
        if (sums_wanted) {
#pragma omp parallel num_threads(s->threads)
            {
                double *scratch = s->scratch + omp_get_thread_num() * s->scratch_size;
#pragma omp for schedule(dynamic)
                for (int64_t strip = 0; strip < s->strips; strip++) add_strip(s, &rows, strip, scratch);
            }
        }
        if (pass->sketch) status = feed_sketch(s, &rows);
        if (status != GPIS_OK) return status;
    }
    return GPIS_OK;
}

/* A sum of d x columns, as it is held, to where it is wanted. */
static void copy_out(const sweep *s, const double *sum, int64_t columns, double *out) {
    if (!out) return;
    if (s->plan.transposed)
        transpose(sum, columns, s->A->d, out);
    else
        memcpy(out, sum, (size_t)(s->A->d * columns) * sizeof(double));
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
        for (int64_t i = 0; pass->gram && i < d * d; i++) total->gram[i] += part->gram[i];
    }
    if (pass->objective) *pass->objective = total->objective;
    if (pass->AP2) *pass->AP2 = total->AP2;
    if (pass->Y2) *pass->Y2 = total->Y2;
    if (pass->norms2) memcpy(pass->norms2, total->norms2, (size_t)d * sizeof(double));
    copy_out(s, total->G, k, pass->G);
    copy_out(s, total->AAV, pass->probes, pass->AAV);
    for (int64_t i = 0; pass->gram && i < d; i++)
        for (int64_t j = i; j < d; j++) pass->gram[i * d + j] = pass->gram[j * d + i] = total->gram[i * d + j];
}

static bool all_finite(const double *v, int64_t count) {
    double sum = 0.0;
    for (int64_t i = 0; v && i < count; i++) sum += 0.0 * v[i];
    return sum == 0.0;
}

bool gpis_pass_is_finite(const gpis_pass *pass, int64_t d) {
    const gpis_sketch *sketch = pass->sketch;
    return all_finite(pass->objective, 1) && all_finite(pass->AP2, 1) && all_finite(pass->Y2, 1) &&
           all_finite(pass->G, d * pass->k) && all_finite(pass->AAV, d * pass->probes) && all_finite(pass->norms2, d) &&
           all_finite(pass->gram, d * d) &&
           (!sketch || (all_finite(sketch->SA, sketch->m * d) && all_finite(sketch->SY, sketch->m * sketch->k)));
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
    gpis_status status = gpis_pass_sweep(context, A, pass);
    if (status == GPIS_OK && pass->sketch) status = gpis_sketch_finish(pass->sketch, context->threads);
    if (status != GPIS_OK || gpis_pass_is_finite(pass, A->d)) return status;
    status = gpis_pass_audit(context, A, pass, A->n);
    return status == GPIS_OK ? gpis_pass_overflow(context, A) : status;
}

gpis_status gpis_pass_sweep(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    sweep s = {.context = context, .A = A, .pass = pass};
    gpis_status status = prepare(&s);
    if (status == GPIS_OK) status = sweep_rows(&s);
    if (status == GPIS_OK) collect(&s);
    gpis_free(context, s.made);
    gpis_free(context, s.scratch);
    gpis_free(context, s.transposed);
    gpis_free(context, s.accumulators);
    gpis_free(context, s.sums);
    return status;
}

/* Rows of a strip one after the other, then the strips. A chunk's part of the objective is summed by itself first: by
 * rows, or in extended precision with no error worth a count. */
static gpis_roundings roundings_of(const gpis_source *A, cut g, cut h, int64_t k, bool extended) {
    const int64_t g_chunks = (g.chunks + g.strips - 1) / g.strips, h_chunks = (h.chunks + h.strips - 1) / h.strips;
    const int64_t within = extended ? 4 : k + gpis_min64(A->n, g.chunk_rows) + 8;
    return (gpis_roundings){.objective = (double)(within + g_chunks + g.strips),
                            .gradient = (double)(gpis_min64(A->n, g_chunks * g.chunk_rows) + g_chunks + g.strips + 8),
                            .gram = (double)(gpis_min64(A->n, h_chunks * h.chunk_rows) + h_chunks + h.strips + 8)};
}

/* Of parts only the longest is known, not how it is cut: the worst of all cuts, then all parts and ranks. */
static gpis_roundings roundings_of_parts(const gpis_source *A, const gpis_join *join, int64_t k, bool extended) {
    const double more = (double)(join->parts_of_all + join->ranks.ranks);
    gpis_roundings worst = {0};
    gpis_source part = *A;
    part.n = join->largest;
    for (int64_t rows = 64; rows <= MAX_CHUNK_ROWS; rows *= 2) {
        const cut g = cut_at(part.n, rows, A->d * (k + 1)), h = cut_at(part.n, rows, A->d * A->d);
        const gpis_roundings r = roundings_of(&part, g, h, k, extended);
        worst.objective = fmax(worst.objective, r.objective + more);
        worst.gradient = fmax(worst.gradient, r.gradient + more);
        worst.gram = fmax(worst.gram, r.gram + more);
    }
    return worst;
}

gpis_roundings gpis_pass_roundings(const gpis_source *A, int64_t k, bool extended) {
    const gpis_join *join = gpis_source_joined(A);
    if (join) return roundings_of_parts(A, join, k, extended);
    return roundings_of(A, cut_rows(A, A->d * (k + 1), false), cut_rows(A, A->d * A->d, true), k, extended);
}
