/* A problem of the stress suite as gpis sees it: source, settings, result. */
#include "run.h"

#include <gpis.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "quad.h"
#include "sets.h"

enum { PARTS = 3 };

/* Everything that is alive while a problem is solved; all owned. */
typedef struct workplace {
    gpis_context *context;
    gpis_source *source, *parts[PARTS];
    set_stack sets;
    void *values;
    int64_t *indptr;
    int32_t *indices;
} workplace;

/* ---- the source ----------------------------------------------------------------------------------------------- */

static int give_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    const problem *p = user;
    memcpy(rows, p->A + row0 * p->d, (size_t)(nrows * p->d) * sizeof *rows);
    return 0;
}

static void *column_major(const problem *p) {
    double *values = ALLOCATE(double, p->n * p->d);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->d; j++) values[i + j * p->n] = p->A[i * p->d + j];
    return values;
}

static void *single(const problem *p) {
    float *values = ALLOCATE(float, p->n * p->d);
    for (int64_t i = 0; i < p->n * p->d; i++) values[i] = (float)p->A[i];
    return values;
}

/* The rows without their zeros. */
static void *compressed(const problem *p, workplace *r) {
    double *values = ALLOCATE(double, p->n * p->d);
    r->indptr = ALLOCATE(int64_t, p->n + 1);
    r->indices = ALLOCATE(int32_t, p->n * p->d);
    int64_t used = 0;
    for (int64_t i = 0; i < p->n; i++) {
        for (int64_t j = 0; j < p->d; j++)
            if (p->A[i * p->d + j] != 0) {
                r->indices[used] = (int32_t)j;
                values[used++] = p->A[i * p->d + j];
            }
        r->indptr[i + 1] = used;
    }
    return values;
}

static gpis_status csr_source(const problem *p, workplace *r, int64_t row0, int64_t rows, gpis_source **out) {
    const int64_t first = r->indptr[row0];
    int64_t *indptr = ALLOCATE(int64_t, rows + 1);
    for (int64_t i = 0; i <= rows; i++) indptr[i] = r->indptr[row0 + i] - first;
    free(r->indptr);
    r->indptr = indptr;
    return gpis_source_csr(r->context, rows, p->d, indptr, r->indices + first, (double *)r->values + first,
                           GPIS_FLOAT64, out);
}

/* Three parts joined: dense rows, compressed rows, dense rows. */
static gpis_status parts_source(problem *p, workplace *r) {
    const int64_t first = p->n / 3, second = 2 * p->n / 3;
    r->values = compressed(p, r);
    gpis_status status =
        gpis_source_dense(r->context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, first, p->d, p->d, &r->parts[0]);
    if (!status) status = csr_source(p, r, first, second - first, &r->parts[1]);
    if (!status)
        status = gpis_source_dense(r->context, p->A + second * p->d, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->n - second, p->d,
                                   p->d, &r->parts[2]);
    return status ? status : gpis_source_join(r->context, r->parts, PARTS, NULL, &r->source);
}

static gpis_status make_source(problem *p, workplace *r) {
    const int64_t n = p->n, d = p->d;
    switch (p->storage) {
    case STORAGE_COLUMNS:
        return gpis_source_dense(r->context, r->values = column_major(p), GPIS_FLOAT64, GPIS_COLUMN_MAJOR, n, d, n,
                                 &r->source);
    case STORAGE_FLOAT32:
        return gpis_source_dense(r->context, r->values = single(p), GPIS_FLOAT32, GPIS_ROW_MAJOR, n, d, d, &r->source);
    case STORAGE_CSR: r->values = compressed(p, r); return csr_source(p, r, 0, n, &r->source);
    case STORAGE_CALLBACK: return gpis_source_callback(r->context, n, d, give_rows, p, 0, &r->source);
    case STORAGE_PARTS:
        if (n >= PARTS) return parts_source(p, r);
    /* fall through */
    default: return gpis_source_dense(r->context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, d, &r->source);
    }
}

/* ---- the solve ------------------------------------------------------------------------------------------------ */

static gpis_settings make_settings(const problem *p, double tol) {
    gpis_settings s = gpis_settings_default();
    s.method = p->method;
    s.sketch = p->sketch;
    s.m = p->m;
    s.tol = tol;
    s.max_passes = p->max_passes;
    s.certificate = p->proven ? GPIS_CERTIFICATE_PROVEN : GPIS_CERTIFICATE_ANY;
    s.seed = p->number + 1;
    return s;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static gpis_status solve(const problem *p, double tol, workplace *r, answer *out, double *x) {
    const gpis_settings settings = make_settings(p, tol);
    gpis_problem *posed = NULL;
    gpis_result *result = NULL;
    gpis_status status = gpis_problem_create(r->context, r->source, &posed);
    if (!status) status = gpis_problem_response(posed, p->Y, p->n, p->k);
    if (!status) status = gpis_problem_constrain(posed, sets_last(&r->sets));
    if (!status && p->set.penalty) status = gpis_problem_penalty(posed, 1, p->set.penalty, p->d);
    const double before = now();
    if (!status) status = gpis_solve(posed, &settings, &result);
    gpis_problem_destroy(posed);
    if (status) return status;
    out->seconds = now() - before;
    out->solved = result->outcome == GPIS_SOLVED;
    out->stalled = result->outcome == GPIS_STALLED;
    out->claim = result->gap_kind == GPIS_GAP_PROVEN     ? CLAIM_PROVEN
                 : result->gap_kind == GPIS_GAP_PROBABLE ? CLAIM_PROBABLE
                                                         : CLAIM_NONE;
    out->objective = result->objective;
    out->gap = result->gap;
    out->feasibility = result->feasibility;
    out->nearness = result->nearness;
    out->horizon = result->horizon;
    out->passes = result->passes;
    snprintf(out->text, sizeof out->text, "%s", result->warning);
    memcpy(x, result->x, (size_t)(p->d * p->k) * sizeof *x);
    gpis_result_destroy(result);
    return GPIS_OK;
}

static void clear_workplace(workplace *r) {
    sets_clear(&r->sets);
    gpis_source_destroy(r->source);
    for (int i = 0; i < PARTS; i++) gpis_source_destroy(r->parts[i]);
    gpis_context_destroy(r->context);
    free(r->values);
    free(r->indptr);
    free(r->indices);
}

/* All of it, for the rows that p has; `ranks` NULL: these are all rows. */
static void run_rows(const problem *p, double tol, const gpis_ranks *ranks, answer *out, double *x) {
    workplace r = {0};
    problem borrowed = *p;
    *out = (answer){0};
    gpis_status status = gpis_context_create(&r.context);
    if (!status) status = gpis_context_set_threads(r.context, p->threads);
    if (!status) status = make_source(&borrowed, &r);
    if (!status && ranks) {
        r.parts[0] = r.source;
        r.source = NULL;
        status = gpis_source_join(r.context, r.parts, 1, ranks, &r.source);
    }
    if (!status) status = sets_make(r.context, &p->set, p->k, &r.sets);
    if (!status && p->k > 1 && p->set.kind != KIND_NUCLEAR) status = gpis_set_responses(sets_last(&r.sets), p->k);
    if (!status) status = solve(p, tol, &r, out, x);
    if (status) {
        out->refused = 1;
        snprintf(out->text, sizeof out->text, "%s: %s", gpis_status_text(status),
                 r.context ? gpis_last_error(r.context) : "");
    }
    clear_workplace(&r);
}

/* ---- two ranks ------------------------------------------------------------------------------------------------ */

enum { RANKS = 2 };

/* What the ranks share: each waits at the barrier until the other one has come as far. */
typedef struct meeting {
    pthread_barrier_t barrier;
    const double *values[RANKS];
} meeting;

typedef struct member {
    meeting *meeting;
    gpis_ranks ranks;
    problem rows;
    double tol;
    answer answer;
    double *x; /* borrowed or, of ranks other than 0, owned */
} member;

static int add_up(void *user, double *values, int64_t count) {
    member *m = user;
    double *sum = ALLOCATE(double, count);
    m->meeting->values[m->ranks.rank] = values;
    pthread_barrier_wait(&m->meeting->barrier);
    for (int64_t i = 0; i < count; i++) sum[i] = m->meeting->values[0][i] + m->meeting->values[1][i];
    pthread_barrier_wait(&m->meeting->barrier);
    memcpy(values, sum, (size_t)count * sizeof *values);
    free(sum);
    return 0;
}

static void *run_member(void *user) {
    member *m = user;
    run_rows(&m->rows, m->tol, &m->ranks, &m->answer, m->x);
    return NULL;
}

static void run_ranks(const problem *p, double tol, answer *out, double *x) {
    meeting meet = {0};
    member members[RANKS];
    pthread_t threads[RANKS];
    pthread_barrier_init(&meet.barrier, NULL, RANKS);
    for (int i = 0; i < RANKS; i++) {
        member *m = members + i;
        const int64_t begin = p->n * i / RANKS, end = p->n * (i + 1) / RANKS;
        *m = (member){.meeting = &meet, .rows = *p, .tol = tol};
        m->ranks = (gpis_ranks){.rank = i, .ranks = RANKS, .reduce_sum = add_up, .user = m};
        m->rows.n = end - begin;
        m->rows.A += begin * p->d;
        m->rows.Y += begin * p->k;
        m->x = i ? ALLOCATE(double, p->d * p->k) : x;
        if (pthread_create(&threads[i], NULL, run_member, m)) abort();
    }
    for (int i = 0; i < RANKS; i++) pthread_join(threads[i], NULL);
    *out = members[0].answer;
    free(members[1].x);
    pthread_barrier_destroy(&meet.barrier);
}

void run_gpis(const problem *p, double tol, answer *out, double *x) {
    if (p->storage == STORAGE_RANKS && p->n >= RANKS)
        run_ranks(p, tol, out, x);
    else
        run_rows(p, tol, NULL, out, x);
}
