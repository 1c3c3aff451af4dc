/*
 * A pass over rows in several parts, here and on other ranks.
 *
 * The method runs on rank 0 alone: only there are clocks read, progress reported, rules applied, d x d problems solved.
 * The others serve. For a pass rank 0 sends the request (what is wanted, the points X, V, P, the key of the sketch);
 * every rank, rank 0 too, walks its own parts; whether all could is agreed upon; the sums are added up; and a sketch is
 * gathered (gather.c). So ranks cannot come to different decisions, whatever their clocks and processors.
 */
#include "pass/parts.h"

#include <string.h>

/* What rank 0 sends: whole numbers, as doubles. Seeds and rounds are sent in halves of 32 bits. */
enum { TASK, K, PROBES, COUNT, WANTED, KIND, M, SKETCH_K, SEED, SEED_LOW, ROUND, ROUND_LOW, NUMBER, REQUEST };
enum wanted {
    HAS_X = 1,
    HAS_P = 2,
    HAS_V = 4,
    HAS_Y = 8,
    EXTENDED = 16,
    OBJECTIVE = 32,
    GRADIENT = 64,
    NORM_AP = 128,
    PRODUCTS = 256,
    NORM_Y = 512,
    NORMS = 1024,
    GRAM_MATRIX = 2048,
    SKETCH = 4096,
    SOME_COLUMNS = 8192,
    MISSES = 16384
};

/* All that a rank holds for a pass. */
typedef struct work {
    gpis_context *context; /* borrowed */
    const gpis_join *join; /* borrowed */
    int64_t d;
    gpis_pass pass; /* of this rank; what is wanted goes to `sums`, H to `gram` */
    double *points; /* owned: X, P, V, and the columns of the Gram matrix, one after the other */
    int64_t point_count;
    double *sums, *one; /* owned: of all parts; of one, where there are several */
    int64_t sum_count;
    int64_t *columns;        /* owned: of the Gram matrix; NULL: all */
    double *gram;            /* of one part */
    double *owned_gram;      /* the same, unless it is the caller's */
    gpis_sketch *own_sketch; /* owned, on ranks that serve */
} work;

/* ---- where things are -----------------------------------------------------------------------------------------------
 */

static int64_t columns_of(const gpis_pass *p, int wanted, int64_t d) { return wanted & SOME_COLUMNS ? p->count : d; }

/* Numbers to be summed: the objective, ||A P||^2 and ||Y||^2, then what is wanted of the rest, H last, as a triangle.
 */
static int64_t count_sums(const gpis_pass *p, int wanted, int64_t d) {
    return 3 + (wanted & GRADIENT ? d * p->k : 0) + (wanted & PRODUCTS ? d * p->probes : 0) + (wanted & NORMS ? d : 0) +
           (wanted & MISSES ? p->probes : 0) + (wanted & GRAM_MATRIX ? gpis_triangle(columns_of(p, wanted, d)) : 0);
}

/* The next `count` numbers at *at, or NULL where they are not wanted. */
static double *next(double **at, bool wanted, int64_t count) {
    double *here = *at;
    if (!wanted) return NULL;
    *at += count;
    return here;
}

/* Sends what the pass wants to its places in `sums`, but for H. */
static void place_sums(gpis_pass *p, int wanted, int64_t d, double *sums) {
    double *at = sums + 3;
    p->objective = wanted & OBJECTIVE ? sums : NULL;
    p->AP2 = wanted & NORM_AP ? sums + 1 : NULL;
    p->Y2 = wanted & NORM_Y ? sums + 2 : NULL;
    p->G = next(&at, wanted & GRADIENT, d * p->k);
    p->AAV = next(&at, wanted & PRODUCTS, d * p->probes);
    p->norms2 = next(&at, wanted & NORMS, d);
    p->misses = next(&at, wanted & MISSES, p->probes);
}

static int64_t count_points(const gpis_pass *p, int wanted, int64_t d) {
    return ((wanted & HAS_X ? p->k : 0) + (wanted & HAS_P ? p->k : 0) + (wanted & HAS_V ? p->probes : 0)) * d +
           (wanted & SOME_COLUMNS ? p->count : 0);
}

static void place_points(gpis_pass *p, int wanted, int64_t d, double *points) {
    p->X = next(&points, wanted & HAS_X, d * p->k);
    p->P = next(&points, wanted & HAS_P, d * p->k);
    p->V = next(&points, wanted & HAS_V, d * p->probes);
}

static int wanted_by(const gpis_pass *p) {
    return (p->X ? HAS_X : 0) | (p->P ? HAS_P : 0) | (p->V ? HAS_V : 0) | (p->Y ? HAS_Y : 0) |
           (p->extended ? EXTENDED : 0) | (p->objective ? OBJECTIVE : 0) | (p->G ? GRADIENT : 0) |
           (p->AP2 ? NORM_AP : 0) | (p->AAV ? PRODUCTS : 0) | (p->Y2 ? NORM_Y : 0) | (p->norms2 ? NORMS : 0) |
           (p->gram ? GRAM_MATRIX : 0) | (p->sketch ? SKETCH : 0) | (p->gram && p->columns ? SOME_COLUMNS : 0) |
           (p->misses ? MISSES : 0);
}

static void halve(uint64_t number, double *halves) {
    halves[0] = (double)(number >> 32);
    halves[1] = (double)(number & UINT32_MAX);
}

static uint64_t whole(const double *halves) { return (uint64_t)halves[0] << 32 | (uint64_t)halves[1]; }

static void write_request(const gpis_pass *p, double *request) {
    request[TASK] = GPIS_TASK_PASS;
    request[K] = (double)p->k;
    request[PROBES] = (double)p->probes;
    request[COUNT] = (double)p->count;
    request[WANTED] = wanted_by(p);
    if (!p->sketch) return;
    request[KIND] = gpis_sketch_number(p->sketch->class);
    request[M] = (double)p->sketch->m;
    request[SKETCH_K] = (double)p->sketch->k;
    halve(p->sketch->seed, &request[SEED]);
    halve(p->sketch->round, &request[ROUND]);
}

static void clear_work(work *w) {
    gpis_sketch_destroy(w->own_sketch);
    gpis_free(w->context, w->points);
    gpis_free(w->context, w->columns);
    gpis_free(w->context, w->sums);
    gpis_free(w->context, w->one);
    gpis_free(w->context, w->owned_gram);
}

/* Memory for a pass. The lengths of what is exchanged are known afterwards, even if there was none. */
static gpis_status allocate(work *w, int wanted, double *gram) {
    const int64_t d = w->d;
    w->point_count = count_points(&w->pass, wanted, d);
    w->sum_count = count_sums(&w->pass, wanted, d);
    w->points = gpis_alloc_zero(w->context, w->point_count, sizeof(double));
    w->sums = gpis_alloc_zero(w->context, w->sum_count, sizeof(double));
    if (w->join->count > 1) w->one = gpis_alloc_zero(w->context, w->sum_count, sizeof(double));
    const int64_t of_gram = columns_of(&w->pass, wanted, d);
    if (wanted & GRAM_MATRIX && !gram) gram = w->owned_gram = gpis_alloc(w->context, of_gram * of_gram, sizeof(double));
    if (wanted & SOME_COLUMNS) w->columns = gpis_alloc_zero(w->context, of_gram, sizeof *w->columns);
    if (!w->points || !w->sums || (w->join->count > 1 && !w->one) || (wanted & GRAM_MATRIX && !gram) ||
        (wanted & SOME_COLUMNS && !w->columns))
        return GPIS_NO_MEMORY;
    w->gram = w->pass.gram = gram;
    w->pass.columns = w->columns;
    place_points(&w->pass, wanted, d, w->points);
    place_sums(&w->pass, wanted, d, w->one ? w->one : w->sums);
    return GPIS_OK;
}

/* ---- this rank's parts ----------------------------------------------------------------------------------------------
 */

/* H of a part to the triangle at the end of `sums`, and the other numbers to those of all parts. */
static void add_part(work *w) {
    const int64_t d = gpis_pass_gram_columns(&w->pass, w->d), tail = gpis_triangle(d);
    double *to = w->sums + w->sum_count - tail;
    for (int64_t i = 0; w->one && i < w->sum_count - tail; i++) w->sums[i] += w->one[i];
    for (int64_t i = 0; tail && i < d; i++)
        for (int64_t j = i; j < d; j++) *to++ += w->gram[i * d + j];
}

static gpis_status sweep_parts(work *w) {
    const gpis_join *join = w->join;
    gpis_status status = GPIS_OK;
    if (w->pass.sketch) gpis_gather_plan(join, &w->pass);
    for (int64_t i = 0, row = 0; i < join->count && status == GPIS_OK; row += join->parts[i++]->n) {
        gpis_pass pass = w->pass;
        pass.Y = pass.Y ? pass.Y + row * pass.k : NULL;
        pass.row0 += row;
        pass.skip = gpis_max64(0, pass.skip - row);
        status = gpis_pass_sweep(w->context, join->parts[i], &pass);
        if (status == GPIS_OK) add_part(w);
    }
    return status == GPIS_OK && w->pass.sketch ? gpis_gather_reserve(join, &w->pass) : status;
}

/* The columns of the Gram matrix came as the last of the points. */
static void read_columns(work *w) {
    const double *from = w->points + w->point_count - w->pass.count;
    for (int64_t c = 0; w->columns && c < w->pass.count; c++) w->columns[c] = (int64_t)from[c];
}

/* What every rank does once the request is known; `status`: whether it is ready. */
static gpis_status take_part(work *w, gpis_status status) {
    const gpis_join *join = w->join;
    gpis_status talk = gpis_join_sum(join, status == GPIS_OK ? w->points : NULL, w->point_count);
    if (talk != GPIS_OK) return talk;
    if (status == GPIS_OK) read_columns(w);
    if (status == GPIS_OK) status = sweep_parts(w);
    status = gpis_join_agree(join, status);
    if (status == GPIS_OK) status = gpis_join_sum(join, w->sums, w->sum_count);
    return status == GPIS_OK && w->pass.sketch ? gpis_gather_run(join, &w->pass) : status;
}

/* ---- rank 0 ---------------------------------------------------------------------------------------------------------
 */

static gpis_status send_request(const gpis_join *join, double *request) {
    return gpis_join_sum(join, request, REQUEST);
}

gpis_status gpis_parts_ask(const gpis_join *join, gpis_task task, int64_t number) {
    double request[REQUEST] = {[TASK] = task, [NUMBER] = (double)number};
    return send_request(join, request);
}

static void copy(double *to, const double *from, int64_t count) {
    if (to) memcpy(to, from, (size_t)count * sizeof *to);
}

static void deliver(const work *w, const gpis_pass *pass) {
    const int64_t d = w->d;
    gpis_pass at = *pass;
    place_sums(&at, wanted_by(pass), d, w->sums);
    copy(pass->objective, at.objective, 1);
    copy(pass->AP2, at.AP2, 1);
    copy(pass->Y2, at.Y2, 1);
    copy(pass->G, at.G, d * pass->k);
    copy(pass->AAV, at.AAV, d * pass->probes);
    copy(pass->norms2, at.norms2, d);
    copy(pass->misses, at.misses, pass->probes);
    const int64_t of_gram = gpis_pass_gram_columns(pass, d);
    const double *from = w->sums + w->sum_count - gpis_triangle(of_gram);
    for (int64_t i = 0; i < of_gram; i++)
        for (int64_t j = i; j < of_gram; j++) pass->gram[i * of_gram + j] = pass->gram[j * of_gram + i] = *from++;
}

/* A sum is not finite: all ranks look where that comes from. */
static gpis_status explain(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    const gpis_join *join = gpis_source_joined(A);
    double request[REQUEST] = {[TASK] = GPIS_TASK_AUDIT, [K] = (double)pass->k, [WANTED] = wanted_by(pass)};
    gpis_status status = send_request(join, request);
    if (status != GPIS_OK) return status;
    status = gpis_join_agree(join, gpis_pass_audit(context, A, pass, gpis_join_rows(join)));
    return status == GPIS_OK ? gpis_pass_overflow(context, A) : status;
}

gpis_status gpis_parts_run(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    const gpis_join *join = gpis_source_joined(A);
    const int wanted = wanted_by(pass);
    double request[REQUEST] = {0};
    work w = {.context = context, .join = join, .d = A->d, .pass = *pass};
    gpis_watch_begin(pass->watch);
    gpis_status status = allocate(&w, wanted, pass->gram);
    if (status == GPIS_OK) {
        copy((double *)w.pass.X, pass->X, A->d * pass->k);
        copy((double *)w.pass.P, pass->P, A->d * pass->k);
        copy((double *)w.pass.V, pass->V, A->d * pass->probes);
        for (int64_t c = 0; w.columns && c < pass->count; c++)
            w.points[w.point_count - pass->count + c] = (double)pass->columns[c];
        write_request(pass, request);
        status = send_request(join, request);
        if (status == GPIS_OK) status = take_part(&w, GPIS_OK);
    }
    if (status == GPIS_OK) deliver(&w, pass);
    clear_work(&w);
    if (status == GPIS_OK && pass->sketch) status = gpis_sketch_finish(pass->sketch, context->threads);
    if (status != GPIS_OK || gpis_pass_is_finite(context, pass, A->d)) return status;
    return explain(context, A, pass);
}

gpis_status gpis_pass_dismiss(gpis_context *context, gpis_source *A, gpis_status status) {
    const gpis_join *join = gpis_source_joined(A);
    if (!join || join->ranks.ranks == 1) return status;
    double request[REQUEST] = {[TASK] = GPIS_TASK_DISMISS, [K] = (double)status};
    gpis_status talk = send_request(join, request);
    if (talk == GPIS_OK && status != GPIS_OK)
        talk = gpis_join_share(join, 0, context->message, sizeof context->message);
    return talk == GPIS_OK ? status : talk;
}

/* ---- the other ranks ------------------------------------------------------------------------------------------------
 */

static gpis_status serve_pass(gpis_context *context, gpis_source *A, const double *Y, const double *request) {
    const gpis_join *join = gpis_source_joined(A);
    const int wanted = (int)request[WANTED];
    work w = {.context = context, .join = join, .d = A->d};
    w.pass = (gpis_pass){.k = (int64_t)request[K],
                         .Y = wanted & HAS_Y ? Y : NULL,
                         .probes = (int64_t)request[PROBES],
                         .count = (int64_t)request[COUNT],
                         .extended = wanted & EXTENDED,
                         .row0 = join->begin[join->ranks.rank]};
    gpis_status status = allocate(&w, wanted, NULL);
    if (status == GPIS_OK && wanted & SKETCH)
        status = gpis_sketch_create(context, gpis_sketch_numbered((int)request[KIND]), (int64_t)request[M], A->n, A->d,
                                    (int64_t)request[SKETCH_K], whole(&request[SEED]), whole(&request[ROUND]),
                                    &w.own_sketch);
    w.pass.sketch = w.own_sketch;
    status = take_part(&w, status);
    clear_work(&w);
    return status;
}

static gpis_status serve_audit(gpis_context *context, gpis_source *A, const double *Y, const double *request) {
    const gpis_join *join = gpis_source_joined(A);
    const gpis_pass pass = {
        .k = (int64_t)request[K], .Y = (int)request[WANTED] & HAS_Y ? Y : NULL, .row0 = join->begin[join->ranks.rank]};
    return gpis_join_agree(join, gpis_pass_audit(context, A, &pass, gpis_join_rows(join)));
}

/* ---- serving --------------------------------------------------------------------------------------------------------
 */

/* A request that fails is rank 0's to deal with: it knows, and will say what comes next. */
gpis_status gpis_pass_serve(gpis_context *context, gpis_source *A, const double *Y) {
    const gpis_join *join = gpis_source_joined(A);
    for (;;) {
        double request[REQUEST] = {0};
        gpis_status status = send_request(join, request);
        if (status != GPIS_OK) return status;
        const int64_t number = (int64_t)request[NUMBER];
        switch ((gpis_task)request[TASK]) {
        case GPIS_TASK_PASS: status = serve_pass(context, A, Y, request); break;
        case GPIS_TASK_AUDIT: status = serve_audit(context, A, Y, request); break;
        case GPIS_TASK_GRAM: status = gpis_over_serve(context, A, number); break;
        case GPIS_TASK_IDENTIFY: status = gpis_identify_serve(context, A, Y, number); break;
        case GPIS_TASK_DISMISS:
            status = (gpis_status)request[K];
            if (status == GPIS_OK) return GPIS_OK;
            char text[GPIS_MESSAGE_SIZE] = "";
            const gpis_status talk = gpis_join_share(join, 0, text, sizeof text);
            return talk == GPIS_OK ? gpis_fail(context, status, "%s", text) : talk;
        }
    }
}
