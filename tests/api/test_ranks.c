/* Rows in several parts and on several ranks: the same sketches to the bit, the same answers to rounding, and what
 * happens when something goes wrong on one of them. Ranks are threads here. */
#include <unistd.h>

#include "calls.h"
#include "ranks.h"
#include "sketch/kinds.h"
#include "sketch/matrices.h"

/* How a rank's rows are held. */
typedef enum kind { FROM_STORAGE = 0, MADE = STORAGES, KINDS } kind;

/* What is kept of a result when its rank is gone. */
typedef struct kept {
    gpis_outcome outcome;
    double objective, gap, bytes_read, nearness;
    int64_t passes, sketches;
    char method[16], plan[256], warning[256];
} kept;

/* One problem, and what is done with it on every rank. */
typedef struct problem {
    int64_t n, d, k;
    const double *A, *Y;
    int how;                     /* a storage, or MADE */
    int64_t cuts[MAX_RANKS + 1]; /* begin of each rank; all 0: shared out evenly */
    int parts;                   /* each rank's rows in so many */
    int fail_rank;               /* whose rows cannot be made; -1: none */
    gpis_settings settings;
    const char *set;
    const char *sketch;
    int64_t m;
    const double *x;    /* for a check */
    const double *null; /* d entries: along this vector x is not determined by the data; NULL: it is everywhere */
    /* what comes out */
    gpis_status status[MAX_RANKS];
    char message[MAX_RANKS][512];
    kept result[MAX_RANKS]; /* x: in `points` */
    double *points[MAX_RANKS];
    double *out; /* of rank 0 */
} problem;

typedef struct rows_maker {
    const problem *p;
    int64_t row0;
    bool fails;
} rows_maker;

static int make_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    const rows_maker *m = user;
    if (m->fails) return 7;
    memcpy(rows, m->p->A + (m->row0 + row0) * m->p->d, (size_t)(nrows * m->p->d) * sizeof *rows);
    return 0;
}

/* What a rank holds: some parts, joined. */
enum { MAX_PARTS = 4 };
typedef struct holding {
    matrix stored[MAX_PARTS];
    rows_maker makers[MAX_PARTS];
    gpis_source *parts[MAX_PARTS], *A;
    int count;
    int64_t begin, end;
} holding;

static gpis_status hold_part(gpis_context *context, const problem *p, int64_t begin, int64_t end, bool fails,
                             holding *h) {
    const int i = h->count;
    gpis_status status;
    if (p->how == MADE) {
        h->makers[i] = (rows_maker){p, begin, fails};
        status = gpis_source_callback(context, end - begin, p->d, make_rows, &h->makers[i], 0, &h->parts[i]);
    } else {
        h->stored[i] = store(p->A + begin * p->d, end - begin, p->d, (storage)p->how);
        const gpis_block *b = &h->stored[i].block;
        const bool columns = p->how == COLUMN_64 || p->how == COLUMN_32;
        if (b->kind == GPIS_BLOCK_CSR)
            status = gpis_source_csr(context, b->nrows, b->d, b->indptr, b->indices, b->values, b->type, &h->parts[i]);
        else
            status = gpis_source_dense(context, b->values, b->type, columns ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR,
                                       b->nrows, b->d, columns ? b->col_stride : b->row_stride, &h->parts[i]);
    }
    h->count++;
    return status;
}

static void let_go(holding *h) {
    gpis_source_destroy(h->A);
    for (int i = 0; i < h->count; i++) {
        gpis_source_destroy(h->parts[i]);
        matrix_clear(&h->stored[i]);
    }
}

static int64_t cut(const problem *p, int rank, int ranks) {
    return p->cuts[ranks] ? p->cuts[rank] : gpis_share_begin(p->n, rank, ranks);
}

/* `status`: what went wrong before. */
static gpis_status take_hold(member *m, const problem *p, gpis_status status, holding *h) {
    const int rank = m->ranks.rank, ranks = m->ranks.ranks;
    *h = (holding){.begin = cut(p, rank, ranks), .end = cut(p, rank + 1, ranks)};
    const int64_t rows = h->end - h->begin;
    for (int i = 0; i < p->parts && status == GPIS_OK; i++) {
        const int64_t begin = h->begin + rows * i / p->parts, end = h->begin + rows * (i + 1) / p->parts;
        if (end > begin) status = hold_part(m->context, p, begin, end, rank == p->fail_rank, h);
    }
    /* who has failed says so to the others */
    return gpis_source_join(m->context, h->parts, status == GPIS_OK ? h->count : -(int64_t)status, &m->ranks, &h->A);
}

static void keep(member *m, problem *p, gpis_status status, gpis_result *result, int64_t size) {
    const int rank = m->ranks.rank;
    p->status[rank] = status;
    snprintf(p->message[rank], sizeof p->message[rank], "%s", gpis_last_error(m->context));
    if (!result || status != GPIS_OK) return;
    kept *k = &p->result[rank];
    *k = (kept){.outcome = result->outcome,
                .objective = result->objective,
                .gap = result->gap,
                .bytes_read = result->bytes_read,
                .nearness = result->nearness,
                .passes = result->passes,
                .sketches = result->sketches};
    snprintf(k->method, sizeof k->method, "%s", result->method);
    snprintf(k->plan, sizeof k->plan, "%s", result->plan);
    snprintf(k->warning, sizeof k->warning, "%s", result->warning);
    p->points[rank] = malloc((size_t)size * sizeof(double));
    memcpy(p->points[rank], result->x, (size_t)size * sizeof(double));
    gpis_result_destroy(result);
}

static void forget(problem *p) {
    for (int r = 0; r < MAX_RANKS; r++) {
        free(p->points[r]);
        p->points[r] = NULL;
    }
}

static void solve(member *m) {
    problem *p = m->user;
    holding h;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    gpis_status status = take_hold(m, p, test_set(m->context, p->set, p->d, p->k, &set), &h);
    const double *Y = p->Y + h.begin * p->k;
    if (status == GPIS_OK && p->x)
        status = test_check(m->context, h.A, Y, p->k, set, p->x, &p->settings, &result);
    else if (status == GPIS_OK)
        status = test_solve(m->context, h.A, Y, p->k, set, &p->settings, &result);
    keep(m, p, status, result, p->d * p->k);
    gpis_set_destroy(set);
    let_go(&h);
}

static void sketch(member *m) {
    problem *p = m->user;
    holding h;
    gpis_status status = take_hold(m, p, GPIS_OK, &h);
    double *out = calloc((size_t)(p->m * (p->d + p->k)), sizeof *out);
    if (status == GPIS_OK)
        status =
            test_sketch(m->context, h.A, p->Y + h.begin * p->k, p->k, p->sketch, p->m, 5, 6, out, out + p->m * p->d);
    keep(m, p, status, NULL, 0);
    if (m->ranks.rank == 0)
        p->out = out;
    else
        free(out);
    let_go(&h);
}

/* f, G, A'A V for two vectors and H, all in one array. */
static int64_t sums_count(const problem *p) { return 1 + p->d * p->k + 2 * p->d + p->d * p->d; }

static void sums(member *m) {
    problem *p = m->user;
    holding h;
    gpis_status status = take_hold(m, p, GPIS_OK, &h);
    double *out = calloc((size_t)sums_count(p), sizeof *out), *G = out + 1, *AAV = G + p->d * p->k;
    if (status == GPIS_OK)
        status = test_evaluate_with(m->context, h.A, p->Y + h.begin * p->k, p->k, p->x, out, G, p->A, 2, AAV);
    if (status == GPIS_OK) status = gpis_gram(m->context, h.A, AAV + 2 * p->d);
    keep(m, p, status, NULL, 0);
    if (m->ranks.rank == 0)
        p->out = out;
    else
        free(out);
    let_go(&h);
}

/* The last rank has no place for a result. */
static void solve_without_place(member *m) {
    problem *p = m->user;
    holding h;
    gpis_problem *posed = NULL;
    gpis_result *result = NULL, **place = m->ranks.rank == m->ranks.ranks - 1 ? NULL : &result;
    gpis_status status = take_hold(m, p, GPIS_OK, &h);
    if (status == GPIS_OK) status = test_problem(m->context, h.A, p->Y + h.begin * p->k, p->k, NULL, &posed);
    if (status == GPIS_OK && p->x)
        status = gpis_check(posed, p->x, p->d * p->k, &p->settings, place);
    else if (status == GPIS_OK)
        status = gpis_solve(posed, &p->settings, place);
    keep(m, p, status, result, p->d * p->k);
    gpis_problem_destroy(posed);
    let_go(&h);
}

/* One rank, one part: what the others are compared with. */
static void alone(problem *p, void (*work)(member *)) {
    const int parts = p->parts;
    p->parts = 1;
    world_run(1, false, -1, 0, work, p);
    p->parts = parts;
    assert_int_equal(p->status[0], GPIS_OK);
}

static problem make_problem(int64_t n, int64_t d, int64_t k) {
    problem p = {.n = n, .d = d, .k = k, .parts = 1, .fail_rank = -1, .set = "none"};
    p.settings = gpis_settings_default();
    double *A = small_numbers(n * d, 3), *Y = malloc((size_t)(n * k) * sizeof *Y);
    gpis_random_normal(9, 9, 0, n * k, Y);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) Y[i * k + c] += 0.02 * A[i * d] - 0.01 * A[i * d + d - 1];
    p.A = A;
    p.Y = Y;
    return p;
}

static void end_problem(problem *p) {
    forget(p);
    free((void *)p->A);
    free((void *)p->Y);
}

static void same_everywhere(const problem *p, int ranks, gpis_status status) {
    for (int r = 0; r < ranks; r++) {
        if (p->status[r] != status)
            fail_msg("rank %d of %d: %s (%s)", r, ranks, gpis_status_text(p->status[r]), p->message[r]);
        if (status != GPIS_OK) assert_string_equal(p->message[r], p->message[0]);
    }
}

/* ---- sketches -----------------------------------------------------------------------------------------------------
 */

static void check_sketch(problem *p, const double *want, int ranks, bool direct) {
    world_run(ranks, direct, -1, 0, sketch, p);
    same_everywhere(p, ranks, GPIS_OK);
    if (memcmp(p->out, want, (size_t)(p->m * (p->d + p->k)) * sizeof(double)) != 0)
        fail_msg("%s, storage %d, %d ranks, %d parts, cuts at %d...: other bits", p->sketch, p->how, ranks, p->parts,
                 (int)p->cuts[1]);
    free(p->out);
}

static const char *const additive[] = {"count", "sparse-sign", "gaussian", "count-gauss", "sample"};

static void sketches_have_the_same_bits(void **state) {
    (void)state;
    problem p = make_problem(9 * 1024 + 77, 9, 2);
    p.m = 40;
    for (int i = 0; i < 5; i++) {
        p.sketch = additive[i];
        p.how = ROW_64;
        alone(&p, sketch);
        double *want = p.out;
        for (int ranks = 1; ranks <= 4; ranks++) check_sketch(&p, want, ranks, ranks % 2);
        for (p.how = 0; p.how < KINDS; p.how++) check_sketch(&p, want, 3, p.how % 2);
        free(want);
    }
    end_problem(&p);
}

/* Four leaves and a bit, cut evenly, oddly, and so that a rank has no rows or lies within one leaf. */
static void same_bits_over_several_leaves(void **state) {
    (void)state;
    problem p = make_problem(4 * 65536 + 12 * 1024 + 5, 2, 1);
    const int64_t n = p.n;
    const int64_t cuts[][6] = {{0, n / 5, 2 * n / 5, 3 * n / 5, 4 * n / 5, n},
                               {0, 65536, 65537, 2 * 65536 + 7, 3 * 65536, n},
                               {0, 70000, 80001, 90000, 90000, n},
                               {0, 10, 20, 30, 4 * 65536 + 1, n},
                               {0, 65536, 2 * 65536, 3 * 65536, 4 * 65536, n}};
    p.m = 11;
    for (int i = 0; i < 5; i++) {
        p.sketch = additive[i];
        alone(&p, sketch);
        double *want = p.out;
        memset(p.cuts, 0, sizeof p.cuts);
        for (int ranks = 2; ranks <= 7; ranks++) check_sketch(&p, want, ranks, true);
        p.parts = 3;
        if (i != 2) check_sketch(&p, want, 1, false); /* a Gaussian sketch takes 256 rows at a time */
        for (int c = 0; c < 5 && i != 2; c++) {
            memcpy(p.cuts, cuts[c], sizeof cuts[c]);
            p.parts = 1 + c % 2;
            check_sketch(&p, want, 5, c != 1);
        }
        memset(p.cuts, 0, sizeof p.cuts);
        p.parts = 1;
        free(want);
    }
    end_problem(&p);
}

static void srht_is_refused(void **state) {
    (void)state;
    problem p = make_problem(3000, 4, 1);
    p.m = 16;
    p.sketch = "srht";
    world_run(2, true, -1, 0, sketch, &p);
    same_everywhere(&p, 2, GPIS_NOT_APPLICABLE);
    assert_non_null(strstr(p.message[0], "all rows at once"));
    free(p.out);
    end_problem(&p);
}

/* ---- sums ---------------------------------------------------------------------------------------------------------
 */

static void sums_agree(void **state) {
    (void)state;
    problem p = make_problem(5 * 1024 + 300, 6, 2);
    double x[12];
    gpis_random_normal(4, 4, 0, 12, x);
    p.x = x;
    for (p.how = 0; p.how < KINDS; p.how++) {
        alone(&p, sums);
        double *want = p.out;
        for (int ranks = 1; ranks <= 4; ranks++) {
            p.parts = 1 + ranks % 3;
            world_run(ranks, true, -1, 0, sums, &p);
            same_everywhere(&p, ranks, GPIS_OK);
            double *got = p.out;
            for (int64_t i = 0; i < sums_count(&p); i++) assert_close(got[i], want[i], 1e-13 * (fabs(want[i]) + 1e5));
            world_run(ranks, false, -1, 0, sums, &p); /* again, to the bit */
            assert_memory_equal(p.out, got, (size_t)sums_count(&p) * sizeof *got);
            free(got);
            free(p.out);
        }
        free(want);
        p.parts = 1;
    }
    end_problem(&p);
}

/* ---- methods ------------------------------------------------------------------------------------------------------
 */

/* What two answers differ by in entry i, but for a multiple of the null vector, which the data do not determine. */
static double difference(const problem *p, const double *a, const double *b, int64_t i) {
    double along = 0.0, norm2 = 0.0;
    for (int64_t j = 0; p->null && j < p->d; j++) {
        along += p->null[j] * (a[j] - b[j]);
        norm2 += p->null[j] * p->null[j];
    }
    return a[i] - b[i] - (p->null ? along / norm2 * p->null[i] : 0.0);
}

/* On 1 to 4 ranks: objective, gap and x as on one; the same result on every rank. */
static void check_solve(problem *p) {
    alone(p, solve);
    const kept want = p->result[0];
    double *x = p->points[0], size = 0.0;
    p->points[0] = NULL;
    for (int64_t i = 0; i < p->d * p->k; i++) size = fmax(size, fabs(x[i]));
    for (int ranks = 1; ranks <= 4; ranks++) {
        world_run(ranks, ranks != 3, -1, 0, solve, p);
        same_everywhere(p, ranks, GPIS_OK);
        const kept *got = &p->result[0];
        assert_int_equal(got->outcome, want.outcome);
        assert_string_equal(got->method, want.method);
        assert_int_equal(got->passes, want.passes);
        assert_int_equal(got->sketches, want.sketches);
        assert_close(got->objective, want.objective, 1e-12 * want.objective);
        assert_close(got->bytes_read, want.bytes_read, 8.0 * (double)(ranks * got->passes));
        for (int64_t i = 0; i < p->d * p->k; i++) assert_close(difference(p, p->points[0], x, i), 0.0, 1e-12 * size);
        for (int r = 1; r < ranks; r++) {
            assert_memory_equal(p->points[r], p->points[0], (size_t)(p->d * p->k) * sizeof(double));
            assert_true(p->result[r].objective == got->objective && p->result[r].gap == got->gap);
            assert_string_equal(p->result[r].plan, got->plan);
        }
        forget(p);
    }
    free(x);
}

static void every_method(void **state) {
    (void)state;
    static const struct {
        const char *method, *set, *sketch;
        int64_t m;
        double tol;
        int how;
    } cases[] = {
        {"auto", "none", "count", 0, 1e-8, ROW_64},
        {"newton", "l1:0.05", "count", 0, 1e-13, ROW_64},
        {"newton", "l1:0.05", "count", 120, 1e-10, ROW_64}, /* on a face */
        {"newton", "l1:0.05", "count", 120, 1e-10, CSR_64},
        {"newton", "none", "count", 120, 1e-10, ROW_32},
        {"newton", "nonneg", "gaussian", 80, 1e-8, COLUMN_64},
        {"newton", "l2:0.02", "sparse-sign", 90, 1e-9, CSR_64},
        {"gpis", "l1:0.05", "count", 200, 1e-6, ROW_64},
        {"acc-gpis", "none", "count-gauss", 200, 1e-6, MADE},
        {"pgd", "nonneg", "count", 0, 1e-6, CSR_32},
        {"apgd", "box:-0.01,0.01", "count", 0, 1e-6, COLUMN_32},
    };
    problem p = make_problem(6 * 1024 + 11, 8, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        p.settings = gpis_settings_default();
        p.settings.method = cases[i].method;
        p.settings.sketch = cases[i].sketch;
        p.settings.m = cases[i].m;
        p.settings.tol = cases[i].tol;
        p.settings.max_passes = 500;
        p.set = cases[i].set;
        p.how = cases[i].how;
        check_solve(&p);
    }
    end_problem(&p);
}

/* Large enough that the Gram matrix of the sketch is made by all ranks. */
static void several_responses_and_a_large_sketch(void **state) {
    (void)state;
    problem p = make_problem(5 * 1024, 160, 3);
    p.settings.method = "newton";
    p.settings.m = 4096;
    p.set = "none";
    check_solve(&p);
    end_problem(&p);
}

/* Columns that depend on others, exactly: every rank has to find it so. In one row of the last rank they do not quite,
 * and that is said of the bound. */
static void dependent_columns(void **state) {
    (void)state;
    problem p = make_problem(4000, 6, 1);
    double *A = (double *)p.A;
    for (int64_t i = 0; i < p.n; i++) A[i * 6 + 5] = A[i * 6 + 1] + 2.0 * A[i * 6 + 2];
    static const double null[] = {0.0, 1.0, 2.0, 0.0, 0.0, -1.0};
    p.null = null;
    for (p.how = 0; p.how < KINDS; p.how++) check_solve(&p);
    assert_int_equal(p.result[0].outcome, GPIS_SOLVED);
    p.how = ROW_64;
    A[(p.n - 1) * 6 + 5] = nextafter(A[(p.n - 1) * 6 + 5], INFINITY);
    world_run(3, true, -1, 0, solve, &p);
    same_everywhere(&p, 3, GPIS_OK);
    assert_int_equal(p.result[1].outcome, GPIS_SOLVED);
    assert_true(p.result[1].nearness > 0.0 && p.result[1].nearness < 1e-16);
    assert_non_null(strstr(p.result[1].warning, "columns 2, 3 and 6 depend on each other but for rounding"));
    end_problem(&p);
}

static void check_of_a_point(void **state) {
    (void)state;
    problem p = make_problem(4 * 1024, 5, 1);
    p.set = "nonneg";
    p.settings.tol = 1e-10;
    alone(&p, solve);
    double *x = p.points[0];
    p.points[0] = NULL;
    p.x = x;
    check_solve(&p);
    free(x);
    end_problem(&p);
}

static void saga_is_refused(void **state) {
    (void)state;
    problem p = make_problem(3000, 4, 1);
    p.settings.method = "saga";
    world_run(3, true, -1, 0, solve, &p);
    same_everywhere(&p, 3, GPIS_NOT_APPLICABLE);
    assert_non_null(strstr(p.message[0], "several parts"));
    end_problem(&p);
}

/* ---- trouble on one rank ------------------------------------------------------------------------------------------
 */

static void refuse_everywhere(problem *p, int ranks, gpis_status status, const char *text) {
    world_run(ranks, ranks % 2, -1, 0, solve, p);
    same_everywhere(p, ranks, status);
    if (!strstr(p->message[0], text)) fail_msg("'%s' does not say '%s'", p->message[0], text);
}

static void bad_rows_are_named(void **state) {
    (void)state;
    problem p = make_problem(4 * 1024, 3, 1);
    double *A = (double *)p.A, *Y = (double *)p.Y;
    const double a = A[(2 * 1024 + 16) * 3 + 1], y = Y[3 * 1024 + 5];
    for (int sketched = 0; sketched < 2; sketched++) {
        p.settings.method = "newton";
        p.settings.m = sketched ? 30 : 0;
        A[(2 * 1024 + 16) * 3 + 1] = NAN;
        refuse_everywhere(&p, 4, GPIS_BAD_DATA, "rank 2: A: row 17, column 2 is nan");
        A[(2 * 1024 + 16) * 3 + 1] = a;
        Y[3 * 1024 + 5] = INFINITY;
        refuse_everywhere(&p, 4, GPIS_BAD_DATA, "rank 3: y: row 3078, column 1 is inf");
        Y[3 * 1024 + 5] = y;
        A[7] = 1e200;
        refuse_everywhere(&p, 3, GPIS_BAD_DATA, "overflow");
        A[7] = 1.0;
    }
    p.how = MADE;
    p.fail_rank = 1;
    refuse_everywhere(&p, 3, GPIS_BAD_DATA, "rank 1: A: rows 1 to");
    end_problem(&p);
}

/* Shapes that do not fit together. */
typedef struct odd {
    problem *p;
    int64_t d[3], k[3], rows[3]; /* of each rank */
} odd;

static void solve_oddly(member *m) {
    const odd *o = m->user;
    const int rank = m->ranks.rank;
    problem *p = o->p;
    gpis_source *part = NULL, *A = NULL;
    gpis_set *set = NULL;
    gpis_result *result = NULL;
    gpis_status status = GPIS_OK;
    if (o->rows[rank] > 0)
        assert_ok(m->context, gpis_source_dense(m->context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, o->rows[rank],
                                                o->d[rank], o->d[rank], &part));
    status = gpis_source_join(m->context, &part, part ? 1 : 0, &m->ranks, &A);
    assert_ok(m->context, test_set(m->context, "none", o->d[rank], o->k[rank], &set));
    if (status == GPIS_OK) status = test_solve(m->context, A, p->Y, o->k[rank], set, &p->settings, &result);
    keep(m, p, status, result, o->d[rank] * o->k[rank]);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    gpis_source_destroy(part);
}

/* Rank 1 gives y with a row too few, is refused, and goes on as if nothing had happened: so nobody waits for it. */
static void solve_without_y(member *m) {
    problem *p = m->user;
    holding h;
    gpis_problem *posed = NULL;
    gpis_result *result = NULL;
    gpis_status status = take_hold(m, p, GPIS_OK, &h);
    assert_ok(m->context, status);
    assert_ok(m->context, gpis_problem_create(m->context, h.A, &posed));
    const int64_t rows = h.end - h.begin - (m->ranks.rank == 1);
    status = gpis_problem_response(posed, p->Y + h.begin * p->k, rows, p->k);
    assert_int_equal(status, m->ranks.rank == 1 ? GPIS_BAD_SHAPE : GPIS_OK);
    if (m->ranks.rank == 1) assert_non_null(strstr(gpis_last_error(m->context), "on this rank; y needs one row"));
    double objective = 0.0;
    const double x[4] = {0};
    assert_int_equal(gpis_evaluate(posed, x, 4, &objective, NULL), GPIS_BAD_ARGUMENT);
    status = gpis_solve(posed, NULL, &result);
    assert_null(result);
    keep(m, p, status, NULL, 0);
    gpis_problem_destroy(posed);
    let_go(&h);
}

static void a_response_that_is_refused(void **state) {
    (void)state;
    problem p = make_problem(5000, 4, 1);
    world_run(3, true, -1, 0, solve_without_y, &p);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(p.status[r], GPIS_BAD_ARGUMENT);
        assert_non_null(strstr(p.message[r], "rank 1: the problem has no y"));
    }
    end_problem(&p);
}

/* A call that one rank gets wrong fails on all of them, instead of leaving the others to wait. */
static void a_result_needs_a_place(void **state) {
    (void)state;
    problem p = make_problem(3000, 4, 1);
    const double x[4] = {0};
    for (int checks = 0; checks < 2; checks++) {
        p.x = checks ? x : NULL;
        world_run(3, true, -1, 0, solve_without_place, &p);
        same_everywhere(&p, 3, GPIS_BAD_ARGUMENT);
        assert_non_null(strstr(p.message[0], "no place to put the result"));
    }
    end_problem(&p);
}

static void shapes_must_fit(void **state) {
    (void)state;
    problem p = make_problem(100, 4, 2);
    static const struct {
        int64_t d[3], k[3], rows[3];
        gpis_status status;
        const char *text;
    } cases[] = {
        {{4, 4, 4}, {1, 1, 1}, {30, 20, 10}, GPIS_OK, ""},
        {{4, 4, 4}, {1, 1, 1}, {30, 0, 10}, GPIS_OK, ""},
        {{4, 4, 4}, {1, 1, 1}, {0, 20, 0}, GPIS_OK, ""},
        {{4, 3, 4}, {1, 1, 1}, {30, 20, 10}, GPIS_BAD_SHAPE, "the rows of rank 1 have 3 columns, those of rank 0 4"},
        {{4, 4, 4}, {1, 1, 2}, {30, 20, 10}, GPIS_BAD_SHAPE, "rank 2: y has 2 columns here and 1 on rank 0"},
        {{4, 4, 4}, {1, 1, 1}, {0, 0, 0}, GPIS_BAD_SHAPE, "no rank has any rows"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        odd o = {.p = &p};
        memcpy(o.d, cases[i].d, sizeof o.d);
        memcpy(o.k, cases[i].k, sizeof o.k);
        memcpy(o.rows, cases[i].rows, sizeof o.rows);
        world_run(3, true, -1, 0, solve_oddly, &o);
        same_everywhere(&p, 3, cases[i].status);
        if (!strstr(p.message[0], cases[i].text)) fail_msg("'%s', not '%s'", p.message[0], cases[i].text);
        forget(&p);
    }
    end_problem(&p);
}

/* Each allocation of one rank fails in turn: all ranks say so, nothing is left, nobody waits for ever. */
static void every_allocation_of_a_rank(problem *p, int ranks, int fail_rank, void (*work)(member *)) {
    long failures = 0;
    for (long at = 1;; at++) {
        world_run(ranks, at % 2, fail_rank, at, work, p);
        const gpis_status status = p->status[0];
        forget(p);
        free(p->out);
        p->out = NULL;
        if (status == GPIS_OK) break;
        assert_int_equal(status, GPIS_NO_MEMORY);
        failures++;
        assert_true(at < 2000);
    }
    for (int r = 0; r < ranks; r++) assert_int_equal(p->status[r], GPIS_OK);
    assert_true(failures >= 10);
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    problem p = make_problem(3 * 1024, 3, 1);
    p.m = 20;
    p.sketch = "count";
    for (int rank = 0; rank < 3; rank++) every_allocation_of_a_rank(&p, 3, rank, sketch);
    p.settings.method = "newton";
    for (int sketched = 0; sketched < 2; sketched++) {
        p.settings.m = sketched ? 20 : 0;
        for (int rank = 0; rank < 2; rank++) every_allocation_of_a_rank(&p, 2, rank, solve);
    }
    end_problem(&p);
}

/* The last rank may take less memory than the others. */
static void path_with_little_memory(member *m) {
    problem *p = m->user;
    holding h;
    gpis_problem *posed = NULL;
    gpis_path *path = NULL;
    gpis_path_options options = gpis_path_options_default();
    options.points = 4;
    gpis_status status = take_hold(m, p, GPIS_OK, &h);
    if (status == GPIS_OK) status = test_problem(m->context, h.A, p->Y + h.begin * p->k, p->k, NULL, &posed);
    if (m->ranks.rank == m->ranks.ranks - 1) assert_ok(m->context, gpis_context_set_memory(m->context, 200000));
    if (status == GPIS_OK) status = gpis_path_make(posed, &options, &p->settings, &path);
    keep(m, p, status, NULL, 0);
    gpis_path_destroy(path);
    gpis_problem_destroy(posed);
    let_go(&h);
}

/* A path is made of a summary if memory has room for one, and otherwise of the rows: all ranks do the same. */
static void ranks_of_unequal_memory(void **state) {
    (void)state;
    problem p = make_problem(3000, 40, 1);
    for (int ranks = 2; ranks <= 3; ranks++) {
        world_run(ranks, false, -1, 0, path_with_little_memory, &p);
        same_everywhere(&p, ranks, GPIS_NO_MEMORY);
    }
    end_problem(&p);
}

/* ---- parts and slices ---------------------------------------------------------------------------------------------
 */

static void shares_cover_all_rows(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 1023, 1024, 1025, 5000, 1000000, INT64_C(10000000000)};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int ranks = 1; ranks <= 1000; ranks += ranks < 5 ? 1 : 331) {
            assert_int_equal(gpis_share_begin(sizes[i], 0, ranks), 0);
            assert_int_equal(gpis_share_begin(sizes[i], ranks, ranks), sizes[i]);
            for (int r = 0; r < ranks; r++) {
                const int64_t begin = gpis_share_begin(sizes[i], r, ranks),
                              end = gpis_share_begin(sizes[i], r + 1, ranks);
                assert_true(begin % 1024 == 0 || begin == sizes[i]);
                assert_true(end >= begin && end - begin <= (sizes[i] / 1024 + 1) / ranks * 1024 + 2 * 1024);
            }
        }
}

static void slices(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = small_numbers(50 * 3, 1), rows[20 * 3];
    for (int how = 0; how < STORAGES; how++) {
        matrix stored = store(a, 50, 3, (storage)how);
        const gpis_block *b = &stored.block;
        gpis_source *whole = NULL, *slice = NULL, *inner = NULL;
        if (b->kind == GPIS_BLOCK_CSR)
            assert_ok(context, gpis_source_csr(context, 50, 3, b->indptr, b->indices, b->values, b->type, &whole));
        else
            assert_ok(context, gpis_source_dense(context, b->values, b->type,
                                                 b->col_stride == 1 ? GPIS_ROW_MAJOR : GPIS_COLUMN_MAJOR, 50, 3,
                                                 b->col_stride == 1 ? b->row_stride : b->col_stride, &whole));
        assert_ok(context, gpis_source_slice(context, whole, 10, 30, &slice));
        assert_ok(context, gpis_source_slice(context, slice, 5, 20, &inner));
        assert_ok(context, gpis_source_rows(context, inner, 2, 10, rows));
        assert_memory_equal(rows, a + 17 * 3, sizeof(double) * 30);
        gpis_source_info info;
        gpis_source_describe(inner, &info);
        int64_t entries = 0;
        for (int64_t i = 15 * 3; i < 35 * 3; i++) entries += b->kind == GPIS_BLOCK_DENSE || a[i] != 0.0;
        assert_int_equal(info.nonzeros, entries);
        gpis_source_destroy(inner);
        assert_int_equal(gpis_source_slice(context, whole, 45, 6, &inner), GPIS_BAD_ARGUMENT);
        assert_int_equal(gpis_source_slice(context, whole, -1, 6, &inner), GPIS_BAD_ARGUMENT);
        assert_int_equal(gpis_source_slice(context, whole, 0, 0, &inner), GPIS_BAD_ARGUMENT);
        /* messages give the number of the row in the whole of A */
        put(stored.values, b->type, b->kind == GPIS_BLOCK_CSR ? b->indptr[16] : 16 * b->row_stride, NAN);
        assert_int_equal(gpis_source_audit(context, slice), GPIS_BAD_DATA);
        assert_non_null(strstr(gpis_last_error(context), "row 17,"));
        gpis_source_destroy(slice);
        gpis_source_destroy(whole);
        matrix_clear(&stored);
    }
    free(a);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sketches_have_the_same_bits),
        cmocka_unit_test(same_bits_over_several_leaves),
        cmocka_unit_test(srht_is_refused),
        cmocka_unit_test(sums_agree),
        cmocka_unit_test(every_method),
        cmocka_unit_test(several_responses_and_a_large_sketch),
        cmocka_unit_test(dependent_columns),
        cmocka_unit_test(check_of_a_point),
        cmocka_unit_test(saga_is_refused),
        cmocka_unit_test(bad_rows_are_named),
        cmocka_unit_test(shapes_must_fit),
        cmocka_unit_test(a_response_that_is_refused),
        cmocka_unit_test(a_result_needs_a_place),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(ranks_of_unequal_memory),
        cmocka_unit_test(shares_cover_all_rows),
        cmocka_unit_test(slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
