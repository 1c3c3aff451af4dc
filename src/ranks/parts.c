/*
 * A pass over a joined source, whose parts are on this rank and on others.
 *
 * The method runs on rank 0 alone: only there are clocks read, progress reported, decisions made and d x d problems
 * solved. The other ranks serve. For a pass, rank 0 sends the request: the sums that are wanted, the points X, V and P,
 * and the key of the sketch. Every rank, rank 0 included, walks its own parts. Then all agree whether one of them has
 * failed, the sums are added up, and a sketch is gathered (gather.c). So ranks cannot come to different decisions,
 * whatever their clocks and processors.
 */
#include <math.h>
#include <string.h>

#include "linalg/dd.h"
#include "pass/cut.h"
#include "pass/sums.h"
#include "ranks/gather.h"
#include "ranks/request.h"

/* The inputs of a pass, as bits. */
enum given {
    HAS_X = 1,
    HAS_P = 2,
    HAS_V = 4,
    HAS_Y = 8,
    HAS_COLUMNS = 16,
    HAS_SKETCH = 32,
    EXTENDED = 64,
    HAS_WEIGHTS = 128,
    HAS_CONSTANT = 256,
    HAS_FOLD = 512,
    QUICK = 1024,
    SPARING = 2048,
    HAS_XS = 4096,
    HAS_LEAVE = 8192
};

/* What a rank holds for a pass. */
typedef struct work {
    gpis_context *context; /* borrowed */
    const gpis_join *join; /* borrowed */
    gpis_pass pass;        /* of this rank, with memory of its own for the points and for the sums of one part */
    gpis_load load;
    int given;
    double *points; /* owned: X, P, V, XS, what its columns leave out, and the columns of the Gram matrix */
    int64_t point_count;
    double *part; /* owned: the sums of one part, without those for which the caller's memory is used */
    double *sums; /* owned: the sums of all parts, as a message */
    int64_t sum_count;
    int64_t *columns;        /* owned: of the Gram matrix; NULL: all */
    int64_t *leave;          /* owned: of the columns of XS; NULL: none leaves anything out */
    gpis_sketch *own_sketch; /* owned, on ranks that serve */
} work;

/* ---- points, sums and the request -------------------------------------------------------------------------------- */

/* Takes the next `count` numbers at *at; NULL if they are not wanted. */
static double *next(double **at, bool wanted, int64_t count) {
    double *here = *at;
    if (!wanted) return NULL;
    *at += count;
    return here;
}

static int64_t count_points(const gpis_load *load, int given) {
    const int64_t vectors = (given & HAS_X ? load->k : 0) + (given & HAS_P ? load->k : 0) +
                            (given & HAS_V ? load->probes : 0) + (given & HAS_XS ? load->many : 0);
    return vectors * load->d + (given & HAS_LEAVE ? load->many : 0) + (given & HAS_COLUMNS ? load->gram : 0);
}

static void place_points(work *w) {
    double *at = w->points;
    const int64_t d = w->load.d;
    w->pass.X = next(&at, w->given & HAS_X, d * w->load.k);
    w->pass.P = next(&at, w->given & HAS_P, d * w->load.k);
    w->pass.V = next(&at, w->given & HAS_V, d * w->load.probes);
    w->pass.XS = next(&at, w->given & HAS_XS, d * w->load.many);
}

/* The Gram matrix and the summary of each part in turn are written to the caller's memory. `caller` is the pass of rank
 * 0, and NULL on the other ranks. */
static bool has_place(gpis_pass_sum sum, const gpis_pass *caller) {
    return caller && (sum == GPIS_PASS_GRAM || sum == GPIS_PASS_SUMMARY);
}

static int64_t count_part(const gpis_load *load, const gpis_pass *caller) {
    int64_t count = 0;
    for (int s = 0; s < GPIS_PASS_SUMS; s++)
        if (!has_place((gpis_pass_sum)s, caller)) count += gpis_pass_sum_count(load, (gpis_pass_sum)s);
    return count;
}

static void place_sums(work *w, const gpis_pass *caller) {
    double *at = w->part;
    for (int s = 0; s < GPIS_PASS_SUMS; s++) {
        const gpis_pass_sum sum = (gpis_pass_sum)s;
        const bool wanted = gpis_pass_sum_is_wanted(&w->load, sum);
        gpis_pass_sum_set_place(&w->pass, sum,
                                has_place(sum, caller) ? gpis_pass_sum_place(caller, sum)
                                                       : next(&at, wanted, gpis_pass_sum_count(&w->load, sum)));
    }
}

static int given_to(const gpis_pass *p) {
    return (p->X ? HAS_X : 0) | (p->P ? HAS_P : 0) | (p->V ? HAS_V : 0) | (p->Y ? HAS_Y : 0) |
           (p->gram && p->columns ? HAS_COLUMNS : 0) | (p->sketch ? HAS_SKETCH : 0) | (p->extended ? EXTENDED : 0) |
           (p->terms.weights ? HAS_WEIGHTS : 0) | (p->terms.constant ? HAS_CONSTANT : 0) |
           (p->terms.fold ? HAS_FOLD : 0) | (p->summary && p->quick ? QUICK : 0) | (p->sparing ? SPARING : 0) |
           (p->XS ? HAS_XS : 0) | (p->XS && p->leave ? HAS_LEAVE : 0);
}

static void halve(uint64_t number, double *halves) {
    halves[0] = (double)(number >> 32);
    halves[1] = (double)(number & UINT32_MAX);
}

static uint64_t whole(const double *halves) { return (uint64_t)halves[0] << 32 | (uint64_t)halves[1]; }

static void write_request(const work *w, double *request) {
    const gpis_sketch *sketch = w->pass.sketch;
    request[GPIS_REQUEST_TASK] = GPIS_TASK_PASS;
    request[GPIS_REQUEST_K] = (double)w->load.k;
    request[GPIS_REQUEST_PROBES] = (double)w->load.probes;
    request[GPIS_REQUEST_MANY] = (double)w->load.many;
    request[GPIS_REQUEST_GRAM_COLUMNS] = (double)w->load.gram;
    request[GPIS_REQUEST_WANTED] = w->load.wanted;
    request[GPIS_REQUEST_GIVEN] = w->given;
    request[GPIS_REQUEST_FOLDS] = (double)w->pass.folds.count;
    halve(w->pass.folds.seed, &request[GPIS_REQUEST_FOLD_SEED]);
    halve((uint64_t)w->pass.folds.first, &request[GPIS_REQUEST_FOLD_FIRST]);
    if (!sketch) return;
    request[GPIS_REQUEST_KIND] = gpis_sketch_number(sketch->class);
    request[GPIS_REQUEST_M] = (double)sketch->m;
    request[GPIS_REQUEST_SKETCH_K] = (double)sketch->k;
    halve(sketch->seed, &request[GPIS_REQUEST_SEED]);
    halve(sketch->round, &request[GPIS_REQUEST_ROUND]);
}

static void clear_work(work *w) {
    gpis_sketch_destroy(w->own_sketch);
    gpis_free(w->context, w->points);
    gpis_free(w->context, w->columns);
    gpis_free(w->context, w->leave);
    gpis_free(w->context, w->sums);
    gpis_free(w->context, w->part);
}

/* Allocates memory for a pass. Even if that fails, the lengths of all exchanges are known afterwards. */
static gpis_status allocate(work *w, const gpis_pass *caller) {
    w->point_count = count_points(&w->load, w->given);
    w->sum_count = gpis_message_size(&w->load);
    w->points = gpis_alloc_zero(w->context, w->point_count, sizeof(double));
    w->sums = gpis_alloc_zero(w->context, w->sum_count, sizeof(double));
    w->part = gpis_alloc_zero(w->context, count_part(&w->load, caller), sizeof(double));
    if (w->given & HAS_COLUMNS) w->columns = gpis_alloc_zero(w->context, w->load.gram, sizeof *w->columns);
    if (w->given & HAS_LEAVE) w->leave = gpis_alloc_zero(w->context, w->load.many, sizeof *w->leave);
    if (!w->points || !w->sums || !w->part || (w->given & HAS_COLUMNS && !w->columns) ||
        (w->given & HAS_LEAVE && !w->leave))
        return GPIS_NO_MEMORY;
    w->pass.columns = w->columns;
    w->pass.leave = w->leave;
    place_points(w);
    place_sums(w, caller);
    return GPIS_OK;
}

/* ---- this rank's parts ------------------------------------------------------------------------------------------- */

static gpis_status sweep_parts(work *w) {
    const gpis_join *join = w->join;
    gpis_status status = GPIS_OK;
    if (w->pass.sketch) gpis_ranks_gather_plan(join, &w->pass);
    for (int64_t i = 0, row = 0; i < join->count && status == GPIS_OK; row += join->parts[i++]->n) {
        const gpis_pass pass = gpis_join_part_pass(&w->pass, row);
        status = gpis_pass_sweep(w->context, join->parts[i], &pass);
        if (status == GPIS_OK) gpis_message_add(&pass, &w->load, w->sums);
    }
    return status == GPIS_OK && w->pass.sketch ? gpis_ranks_gather_reserve(join, &w->pass) : status;
}

/* Behind the points are sent the folds that the columns of XS leave out, then the numbers of the columns of the Gram
 * matrix. */
static double *place_of_columns(const work *w) { return w->points + w->point_count - (w->columns ? w->pass.count : 0); }
static double *place_of_folds(const work *w) { return place_of_columns(w) - (w->leave ? w->load.many : 0); }

static void read_numbers(work *w) {
    const double *columns = place_of_columns(w), *folds = place_of_folds(w);
    for (int64_t c = 0; w->columns && c < w->pass.count; c++) w->columns[c] = (int64_t)columns[c];
    for (int64_t c = 0; w->leave && c < w->load.many; c++) w->leave[c] = (int64_t)folds[c];
}

static void write_numbers(const work *w, const gpis_pass *pass) {
    double *columns = place_of_columns(w), *folds = place_of_folds(w);
    for (int64_t c = 0; w->columns && c < pass->count; c++) columns[c] = (double)pass->columns[c];
    for (int64_t c = 0; w->leave && c < pass->many; c++) folds[c] = (double)pass->leave[c];
}

/* Adds up the sums in double-double, for which reduce_sum would not do, on rank 0. Ranks are added in pairs, then pairs
 * of pairs and so on, so that the order does not depend on when messages arrive. What is received is held in the memory
 * for the summary of one part, which is no longer needed. */
static gpis_status add_up_summaries(const work *w) {
    const gpis_join *join = w->join;
    const int64_t first = gpis_message_doubles(&w->load), numbers = w->sum_count - first;
    const int ranks = join->ranks.ranks, me = join->ranks.rank;
    double *mine = w->sums + first, *received = w->pass.summary;
    gpis_status status = GPIS_OK;
    for (int64_t step = 1; numbers > 0 && step < ranks; step *= 2)
        for (int64_t to = 0; to + step < ranks && status == GPIS_OK; to += 2 * step) {
            const int from = (int)(to + step);
            status = gpis_join_move(join, from, (int)to, me == from ? mine : received, numbers);
            if (status == GPIS_OK && me == to) gpis_message_add_dd(mine, received, numbers / 2);
        }
    return status;
}

/* What every rank does once the request is known; `status` is that of its preparations. */
static gpis_status take_part(work *w, gpis_status status) {
    const gpis_join *join = w->join;
    gpis_status talk = gpis_join_sum(join, status == GPIS_OK ? w->points : NULL, w->point_count);
    if (talk != GPIS_OK) return talk;
    if (status == GPIS_OK) read_numbers(w);
    if (status == GPIS_OK) status = sweep_parts(w);
    status = gpis_join_agree(join, status);
    if (status == GPIS_OK) status = gpis_join_sum(join, w->sums, gpis_message_doubles(&w->load));
    if (status == GPIS_OK) status = add_up_summaries(w);
    return status == GPIS_OK && w->pass.sketch ? gpis_ranks_gather_run(join, &w->pass) : status;
}

/* ---- rank 0 ------------------------------------------------------------------------------------------------------ */

static void copy(double *to, const double *from, int64_t count) {
    if (to) memcpy(to, from, (size_t)count * sizeof *to);
}

/* A sum is not finite: all ranks search their data for the reason. */
static gpis_status explain(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    const gpis_join *join = gpis_source_joined(A);
    double request[GPIS_REQUEST_SIZE] = {[GPIS_REQUEST_TASK] = GPIS_TASK_AUDIT,
                                         [GPIS_REQUEST_K] = (double)pass->k,
                                         [GPIS_REQUEST_GIVEN] = given_to(pass)};
    gpis_status status = gpis_request_exchange(join, request);
    if (status != GPIS_OK) return status;
    status = gpis_join_agree(join, gpis_pass_audit(context, A, pass, gpis_join_rows(join)));
    return status == GPIS_OK ? gpis_pass_overflow(context, A) : status;
}

static gpis_status run(gpis_context *context, gpis_source *A, const gpis_pass *pass) {
    const gpis_join *join = gpis_source_joined(A);
    double request[GPIS_REQUEST_SIZE] = {0};
    work w = {
        .context = context, .join = join, .pass = *pass, .load = gpis_load_of(pass, A->d), .given = given_to(pass)};
    gpis_watch_begin(pass->watch);
    gpis_status status = allocate(&w, pass);
    if (status == GPIS_OK) {
        copy((double *)w.pass.X, pass->X, w.load.d * pass->k);
        copy((double *)w.pass.P, pass->P, w.load.d * pass->k);
        copy((double *)w.pass.V, pass->V, w.load.d * pass->probes);
        copy((double *)w.pass.XS, pass->XS, w.load.d * pass->many);
        write_numbers(&w, pass);
        write_request(&w, request);
        status = gpis_request_exchange(join, request);
        if (status == GPIS_OK) status = take_part(&w, GPIS_OK);
    }
    if (status == GPIS_OK) gpis_message_deliver(pass, &w.load, w.sums);
    clear_work(&w);
    if (status == GPIS_OK && pass->sketch) status = gpis_sketch_finish(pass->sketch, context->threads);
    if (status != GPIS_OK || gpis_pass_is_finite(context, pass, A->d)) return status;
    return explain(context, A, pass);
}

/* ---- what it takes ----------------------------------------------------------------------------------------------- */

/* The worst of all storages, and one more rounding for each part and each rank that is added. */
static gpis_roundings roundings(const gpis_source *A, const gpis_load *load) {
    const gpis_join *join = A->state;
    const double more = (double)join->additions;
    gpis_roundings worst = {0};
    for (int s = 0; s < GPIS_STORAGES; s++) {
        if (join->largest[s] == 0) continue;
        const gpis_source part = gpis_join_part_like(A, join, s);
        worst = gpis_cut_larger_roundings(worst, gpis_cut_worst_roundings(&part, load, join->alike));
    }
    worst.objective += more;
    worst.gradient += more;
    worst.products += more;
    worst.gram += more;
    worst.summary += more * GPIS_DD_UNIT;
    return worst;
}

/* For a pass over the largest part of this rank, the points, and the sums of one part and of all parts. */
static double memory(const gpis_context *context, const gpis_source *A, const gpis_load *load) {
    const gpis_join *join = A->state;
    const double points = (double)(load->d * (load->k + load->probes + load->many) + load->many);
    const double sums = (double)gpis_message_size(load);
    double most = 0.0;
    for (int64_t i = 0; i < join->count; i++) most = fmax(most, gpis_pass_memory(context, join->parts[i], load));
    return most + 8.0 * (2.0 * sums + points);
}

const struct gpis_walk gpis_join_walk = {run, roundings, memory};

/* ---- the other ranks --------------------------------------------------------------------------------------------- */

static gpis_load load_asked_for(const double *request, int64_t columns) {
    const int given = (int)request[GPIS_REQUEST_GIVEN];
    return (gpis_load){.d = columns + (given & HAS_CONSTANT ? 1 : 0),
                       .k = (int64_t)request[GPIS_REQUEST_K],
                       .probes = (int64_t)request[GPIS_REQUEST_PROBES],
                       .many = (int64_t)request[GPIS_REQUEST_MANY],
                       .gram = (int64_t)request[GPIS_REQUEST_GRAM_COLUMNS],
                       .some_columns = given & HAS_COLUMNS,
                       .wanted = (unsigned)request[GPIS_REQUEST_WANTED],
                       .extended = given & EXTENDED,
                       .quick = given & QUICK,
                       .folds = (int64_t)request[GPIS_REQUEST_FOLDS],
                       .sketch = given & HAS_SKETCH,
                       .weights = given & HAS_WEIGHTS,
                       .constant = given & HAS_CONSTANT};
}

gpis_status gpis_parts_serve_pass(gpis_context *context, gpis_source *A, const double *Y, const gpis_terms *terms,
                                  const double *request) {
    const gpis_join *join = gpis_source_joined(A);
    work w = {.context = context,
              .join = join,
              .load = load_asked_for(request, A->d),
              .given = (int)request[GPIS_REQUEST_GIVEN]};
    w.pass = (gpis_pass){.k = w.load.k,
                         .Y = w.given & HAS_Y ? Y : NULL,
                         .terms = {.weights = w.load.weights ? terms->weights : NULL,
                                   .constant = w.load.constant,
                                   .fold = w.given & HAS_FOLD ? terms->fold : NULL},
                         .folds = {.count = w.load.folds,
                                   .seed = whole(&request[GPIS_REQUEST_FOLD_SEED]),
                                   .first = (int64_t)whole(&request[GPIS_REQUEST_FOLD_FIRST])},
                         .probes = w.load.probes,
                         .many = w.load.many,
                         .count = w.load.some_columns ? w.load.gram : 0,
                         .extended = w.load.extended,
                         .quick = w.load.quick,
                         .sparing = w.given & SPARING,
                         .row0 = join->begin[join->ranks.rank]};
    gpis_status status = allocate(&w, NULL);
    if (status == GPIS_OK && w.load.sketch)
        status = gpis_sketch_create(context, gpis_sketch_numbered((int)request[GPIS_REQUEST_KIND]),
                                    (int64_t)request[GPIS_REQUEST_M], A->n, w.load.d,
                                    (int64_t)request[GPIS_REQUEST_SKETCH_K], whole(&request[GPIS_REQUEST_SEED]),
                                    whole(&request[GPIS_REQUEST_ROUND]), &w.own_sketch);
    w.pass.sketch = w.own_sketch;
    status = take_part(&w, status);
    clear_work(&w);
    return status;
}

gpis_status gpis_parts_serve_audit(gpis_context *context, gpis_source *A, const double *Y, const double *request) {
    const gpis_join *join = gpis_source_joined(A);
    const gpis_pass pass = {.k = (int64_t)request[GPIS_REQUEST_K],
                            .Y = (int)request[GPIS_REQUEST_GIVEN] & HAS_Y ? Y : NULL,
                            .row0 = join->begin[join->ranks.rank]};
    return gpis_join_agree(join, gpis_pass_audit(context, A, &pass, gpis_join_rows(join)));
}
