/*
 * Terms of a problem all at once: weights (some of them zero), offset, intercept, ridge, l1 penalty, standardised
 * columns, a set and several responses, as they are drawn; in each storage, from files, parts, ranks, checkpoints and
 * summaries. The reference is an ordinary dense problem: rows [a_i / s, 1] and y_i - o_i times the roots of the
 * weights, the roots of the ridge below them. It has no term but the penalty, which does not touch the column of ones.
 */
#include "files.h"
#include "ranks.h"

enum { N = 90, MOST_D = 6, MOST_K = 3, COPIES = 3, MOST_ROWS = N * COPIES + MOST_D, DRAWN = 24 };
#define CSV "together.tmp.csv"
#define CHECKPOINT "together.tmp.checkpoint"
#define SUMMARY "together.tmp.summary"

typedef struct drawn {
    int64_t n, d, k;
    double A[MOST_ROWS * (MOST_D + 1)], Y[MOST_ROWS * MOST_K], weights[MOST_ROWS], offset[MOST_ROWS * MOST_K];
    bool weighted, shifted, intercept, standardize, exempt;
    double ridge, lambda, penalty[MOST_D + 1], tol;
    const char *spec; /* of all columns */
    char set[64];     /* of those without the constant */
} drawn;

static double uniform(uint64_t number, uint64_t i) {
    double v;
    gpis_random_normal(11, number, i, 1, &v);
    return 0.5 * erfc(-v / sqrt(2.0));
}

/* Whole numbers over 64, so that floats and decimals hold them. */
static double entry(uint64_t stream, uint64_t i) {
    double v;
    gpis_random_normal(12, stream, i, 1, &v);
    return round(64.0 * v) / 64.0;
}

static void draw(uint64_t number, drawn *p) {
    static const char *const sets[] = {"none", "nonneg", "box:-0.2,0.3", "l1:0.7", "simplex:1", "l2:0.5"};
    memset(p, 0, sizeof *p);
    p->n = N;
    p->d = 2 + (int64_t)(5 * uniform(number, 0));
    p->k = 1 + (int64_t)(3 * uniform(number, 1));
    p->tol = 1e-10;
    p->weighted = uniform(number, 2) < 0.7;
    p->shifted = uniform(number, 3) < 0.6;
    p->intercept = uniform(number, 4) < 0.6;
    p->standardize = uniform(number, 5) < 0.5;
    p->exempt = uniform(number, 6) < 0.5;
    p->ridge = uniform(number, 7) < 0.5 ? 8.0 * uniform(number, 8) : 0.0;
    p->spec = sets[(int)(6 * uniform(number, 9))];
    snprintf(p->set, sizeof p->set, "%s", p->spec);
    p->lambda = uniform(number, 10) < 0.6 ? 40.0 * uniform(number, 11) : 0.0;
    for (int64_t j = 0; j < p->d; j++) p->penalty[j] = p->exempt ? fmax(0.0, 1.5 * uniform(number, 20 + j) - 0.4) : 1.0;
    for (int64_t i = 0; i < N; i++) {
        const uint64_t at = (number * N + (uint64_t)i) * 16;
        for (int64_t j = 0; j < p->d; j++)
            p->A[i * p->d + j] = (i + j) % 3 == 0 ? 0.0 : (1.0 + (double)j) * entry(1, at + (uint64_t)j);
        for (int64_t c = 0; c < p->k; c++) {
            p->offset[i * p->k + c] = 4.0 * entry(2, at + (uint64_t)c);
            p->Y[i * p->k + c] = 3.0 + entry(3, at + (uint64_t)c) + 0.25 * p->A[i * p->d] - 0.5 * p->A[i * p->d + 1];
        }
        p->weights[i] = floor((COPIES + 1) * uniform(number, 40 + (uint64_t)i));
    }
}

/* The deviations of the columns, by weights. */
static void deviations(const drawn *p, double *s) {
    for (int64_t j = 0; j < p->d; j++) {
        long double all = 0, mean = 0, square = 0;
        for (int64_t i = 0; i < p->n; i++) {
            const long double w = p->weighted ? p->weights[i] : 1;
            all += w, mean += w * p->A[i * p->d + j];
        }
        mean /= all;
        for (int64_t i = 0; i < p->n; i++) {
            const long double off = p->A[i * p->d + j] - mean;
            square += (p->weighted ? p->weights[i] : 1) * off * off / all;
        }
        s[j] = p->standardize ? (double)sqrtl(square) : 1.0;
    }
}

/* The same problem without its terms. */
static void make_plain(const drawn *p, drawn *to) {
    double s[MOST_D];
    deviations(p, s);
    memset(to, 0, sizeof *to);
    to->d = p->d + p->intercept, to->k = p->k, to->lambda = p->lambda, to->tol = 1e-12;
    memcpy(to->penalty, p->penalty, sizeof to->penalty);
    for (int64_t i = 0; i < p->n; i++) {
        const double root = p->weighted ? sqrt(p->weights[i]) : 1.0;
        if (root == 0.0) continue;
        double *a = to->A + to->n * to->d;
        for (int64_t j = 0; j < p->d; j++) a[j] = root * p->A[i * p->d + j] / s[j];
        if (p->intercept) a[p->d] = root;
        for (int64_t c = 0; c < p->k; c++)
            to->Y[to->n * p->k + c] = root * (p->Y[i * p->k + c] - (p->shifted ? p->offset[i * p->k + c] : 0.0));
        to->n++;
    }
    for (int64_t j = 0; p->ridge > 0 && j < p->d; j++) to->A[to->n++ * to->d + j] = sqrt(p->ridge);
    snprintf(to->set, sizeof to->set, "(%s)[1-%d]", p->spec, (int)p->d);
}

/* Each row as often as its weight says. */
static void make_copies(const drawn *p, drawn *to) {
    *to = *p;
    to->weighted = false;
    to->n = 0;
    for (int64_t i = 0; i < p->n; i++)
        for (int copy = 0; copy < (int)p->weights[i]; copy++, to->n++) {
            memcpy(to->A + to->n * p->d, p->A + i * p->d, (size_t)p->d * sizeof(double));
            memcpy(to->Y + to->n * p->k, p->Y + i * p->k, (size_t)p->k * sizeof(double));
            memcpy(to->offset + to->n * p->k, p->offset + i * p->k, (size_t)p->k * sizeof(double));
        }
}

/* ---- ways to solve it ---- */

typedef enum way {
    ROWS,
    COLUMNS,
    FLOATS,
    SPARSE,
    MADE,
    PARTS,
    TEXT,
    FIRST_ORDER,
    SKETCHED,
    RESUMED,
    RESUMED_NEWTON,
    SUMMARISED,
    MERGED,
    FOLDED,
    WAYS
} way;

typedef struct answer {
    double objective, gap;
    gpis_outcome outcome;
} answer;

static int give_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    const drawn *p = user;
    memcpy(rows, p->A + row0 * p->d, (size_t)(nrows * p->d) * sizeof *rows);
    return 0;
}

static void write_csv(const drawn *p) {
    FILE *file = fopen(CSV, "w");
    assert_non_null(file);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->d; j++) fprintf(file, "%.17g%c", p->A[i * p->d + j], j + 1 < p->d ? ',' : '\n');
    assert_int_equal(fclose(file), 0);
}

/* What the rows are kept in. */
typedef struct holder {
    gpis_source *parts[2], *A;
    double columns[MOST_ROWS * (MOST_D + 1)];
    float floats[MOST_ROWS * (MOST_D + 1)];
    int64_t indptr[MOST_ROWS + 1];
    int32_t indices[MOST_ROWS * (MOST_D + 1)];
} holder;

static gpis_status hold(gpis_context *context, const drawn *p, int64_t begin, int64_t end, way how, holder *h) {
    const int64_t n = end - begin, d = p->d;
    const double *A = p->A + begin * d;
    int64_t count = 0;
    memset(h, 0, sizeof *h);
    switch (how) {
    case COLUMNS:
        for (int64_t i = 0; i < n * d; i++) h->columns[i % d * n + i / d] = A[i];
        return gpis_source_dense(context, h->columns, GPIS_FLOAT64, GPIS_COLUMN_MAJOR, n, d, n, &h->A);
    case FLOATS:
        for (int64_t i = 0; i < n * d; i++) h->floats[i] = (float)A[i];
        return gpis_source_dense(context, h->floats, GPIS_FLOAT32, GPIS_ROW_MAJOR, n, d, d, &h->A);
    case SPARSE:
    case RESUMED_NEWTON:
    case MERGED:
        for (int64_t i = 0; i < n * d; i++) {
            if (A[i] != 0.0) h->indices[count] = (int32_t)(i % d), h->columns[count++] = A[i];
            h->indptr[i / d + 1] = count;
        }
        return gpis_source_csr(context, n, d, h->indptr, h->indices, h->columns, GPIS_FLOAT64, &h->A);
    case MADE: return gpis_source_callback(context, n, d, give_rows, (void *)p, 1, &h->A);
    case TEXT: write_csv(p); return gpis_source_open(context, CSV, NULL, &h->A);
    case PARTS:
        for (int i = 0; i < 2; i++) {
            const int64_t first = i ? n / 3 : 0, last = i ? n : n / 3;
            const gpis_status status = gpis_source_dense(context, A + first * d, GPIS_FLOAT64, GPIS_ROW_MAJOR,
                                                         last - first, d, d, &h->parts[i]);
            if (status != GPIS_OK) return status;
        }
        return gpis_source_join(context, h->parts, 2, NULL, &h->A);
    default: return gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, d, d, &h->A);
    }
}

static void release(holder *h) {
    gpis_source_destroy(h->A);
    for (int i = 0; i < 2; i++) gpis_source_destroy(h->parts[i]);
    free(h);
}

/* The terms that belong to the rows. */
static gpis_problem *pose_rows(gpis_context *context, gpis_source *A, const drawn *p, int64_t begin, int64_t end) {
    gpis_problem *problem;
    assert_ok(context, gpis_problem_create(context, A, &problem));
    assert_ok(context, gpis_problem_response(problem, p->Y + begin * p->k, end - begin, p->k));
    if (p->weighted) assert_ok(context, gpis_problem_weights(problem, p->weights + begin, end - begin));
    if (p->shifted) assert_ok(context, gpis_problem_offset(problem, p->offset + begin * p->k, end - begin, p->k));
    return problem;
}

/* The others. */
static void pose_terms(gpis_context *context, gpis_problem *problem, const drawn *p, gpis_set **set) {
    assert_ok(context, gpis_set_parse(context, p->set, problem, set));
    assert_ok(context, gpis_problem_intercept(problem, p->intercept));
    assert_ok(context, gpis_problem_standardize(problem, p->standardize));
    assert_ok(context, gpis_problem_ridge(problem, p->ridge));
    assert_ok(context, gpis_problem_penalty(problem, p->lambda, p->penalty, p->d));
    assert_ok(context, gpis_problem_constrain(problem, *set));
}

static answer solve_problem(gpis_context *context, const gpis_problem *problem, const gpis_settings *settings) {
    gpis_result *result;
    assert_ok(context, gpis_solve(problem, settings, &result));
    const answer a = {result->objective, result->gap, result->outcome};
    gpis_result_destroy(result);
    return a;
}

static gpis_settings settings_of(const drawn *p, way how) {
    gpis_settings settings = gpis_settings_default();
    settings.tol = p->tol;
    settings.method = how == FIRST_ORDER || how == RESUMED ? "apgd" : how == SKETCHED ? "newton" : "auto";
    if (how == RESUMED_NEWTON) settings.method = "newton";
    if (how == SKETCHED) settings.sketch = "count", settings.m = 40;
    settings.max_passes = 20000;
    return settings;
}

/* Stops after a few passes, and goes on from the file. */
static answer resume(gpis_context *context, const gpis_problem *problem, gpis_settings settings) {
    unlink(CHECKPOINT);
    settings.checkpoint = CHECKPOINT;
    settings.max_passes = strcmp(settings.method, "apgd") == 0 ? 5 : 1;
    solve_problem(context, problem, &settings);
    settings.max_passes = 20000;
    settings.resume = 1;
    const answer a = solve_problem(context, problem, &settings);
    unlink(CHECKPOINT);
    return a;
}

static gpis_summary *summarise(gpis_context *context, const drawn *p, int64_t begin, int64_t end, way how) {
    gpis_summary_options options = gpis_summary_options_default();
    gpis_summary *summary;
    holder *h = malloc(sizeof *h);
    options.folds = how == FOLDED ? 3 : 0;
    options.first_row = begin;
    assert_ok(context, hold(context, p, begin, end, how, h));
    gpis_problem *problem = pose_rows(context, h->A, p, begin, end);
    assert_ok(context, gpis_summary_make(problem, &options, &summary));
    gpis_problem_destroy(problem);
    release(h);
    return summary;
}

/* From a summary: of all rows, of three parts added up, or of folds, which goes through a file. */
static answer solve_summary(gpis_context *context, const drawn *p, way how) {
    const gpis_settings settings = settings_of(p, how);
    gpis_summary *parts[3] = {0}, *all;
    gpis_problem *problem;
    gpis_set *set;
    const int64_t cuts[] = {0, 17, 60, p->n};
    for (int i = 0; how == MERGED && i < 3; i++) parts[i] = summarise(context, p, cuts[i], cuts[i + 1], how);
    if (how == MERGED)
        assert_ok(context, gpis_summary_merge(context, (const gpis_summary *const *)parts, 3, &all));
    else
        all = summarise(context, p, 0, p->n, how);
    if (how == FOLDED) {
        assert_ok(context, gpis_summary_save(all, SUMMARY));
        gpis_summary_destroy(all);
        assert_ok(context, gpis_summary_load(context, SUMMARY, &all));
        unlink(SUMMARY);
    }
    assert_ok(context, gpis_problem_of_summary(context, all, &problem));
    pose_terms(context, problem, p, &set);
    const answer a = solve_problem(context, problem, &settings);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    gpis_summary_destroy(all);
    for (int i = 0; i < 3; i++) gpis_summary_destroy(parts[i]);
    return a;
}

static answer solve_rows(gpis_context *context, const drawn *p, way how) {
    const gpis_settings settings = settings_of(p, how);
    holder *h = malloc(sizeof *h);
    gpis_set *set;
    assert_ok(context, hold(context, p, 0, p->n, how, h));
    gpis_problem *problem = pose_rows(context, h->A, p, 0, p->n);
    pose_terms(context, problem, p, &set);
    const bool resumed = how == RESUMED || how == RESUMED_NEWTON;
    const answer a = resumed ? resume(context, problem, settings) : solve_problem(context, problem, &settings);
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    release(h);
    unlink(CSV);
    return a;
}

static answer solve(const drawn *p, way how) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    const answer a = how >= SUMMARISED ? solve_summary(context, p, how) : solve_rows(context, p, how);
    test_context_end(context, &memory);
    return a;
}

/* ---- ranks ---- */

typedef struct shared {
    const drawn *p;
    answer a;
} shared;

static void solve_on_rank(member *m) {
    shared *s = m->user;
    const drawn *p = s->p;
    const int64_t cut = 37, begin = m->ranks.rank ? cut : 0, end = m->ranks.rank ? p->n : cut;
    const gpis_settings settings = settings_of(p, ROWS);
    holder *h = malloc(sizeof *h);
    gpis_source *A;
    gpis_set *set;
    assert_ok(m->context, hold(m->context, p, begin, end, m->ranks.rank ? ROWS : SPARSE, h));
    assert_ok(m->context, gpis_source_join(m->context, &h->A, 1, &m->ranks, &A));
    gpis_problem *problem = pose_rows(m->context, A, p, begin, end);
    pose_terms(m->context, problem, p, &set);
    const answer a = solve_problem(m->context, problem, &settings);
    if (m->ranks.rank == 1) s->a = a;
    gpis_problem_destroy(problem);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    release(h);
}

/* ---- what must hold ---- */

static void describe(const drawn *p, char *text, size_t size) {
    snprintf(text, size, "%s, d %d, k %d%s%s%s%s, ridge %g, lambda %g%s", p->set, (int)p->d, (int)p->k,
             p->weighted ? ", weights" : "", p->shifted ? ", offset" : "", p->intercept ? ", intercept" : "",
             p->standardize ? ", standardize" : "", p->ridge, p->lambda, p->exempt ? " with weights" : "");
}

/* a, to tolerance p->tol, against the reference, whose objective is at most gap above the least. */
static void judge(const drawn *p, const answer *a, const answer *reference, const char *name, int number) {
    const double above = a->objective - reference->objective, grain = 1e-12 * reference->objective;
    char text[256];
    describe(p, text, sizeof text);
    if (a->outcome != GPIS_SOLVED) fail_msg("%d (%s), %s: not solved, gap %g", number, text, name, a->gap);
    if (!(fabs(above) <= p->tol * reference->objective + grain))
        fail_msg("%d (%s), %s: %.17g and not %.17g", number, text, name, a->objective, reference->objective);
    if (!(a->gap >= above - grain)) fail_msg("%d (%s), %s: gap %g, error %g", number, text, name, a->gap, above);
}

static const char *const names[WAYS] = {"rows",           "columns", "floats", "sparse",  "callback",
                                        "parts",          "csv",     "apgd",   "sketch",  "resumed",
                                        "resumed newton", "summary", "merged", "by folds"};

static void all_ways_have_the_same_answer(void **state) {
    static drawn p, plain;
    (void)state;
    for (int number = 0; number < DRAWN; number++) {
        draw((uint64_t)number, &p);
        make_plain(&p, &plain);
        const answer reference = solve(&plain, ROWS);
        for (int how = 0; how < WAYS; how++) {
            const answer a = solve(&p, (way)how);
            judge(&p, &a, &reference, names[how], number);
        }
        shared s = {.p = &p};
        world_run(2, number % 2, -1, 0, solve_on_rank, &s);
        judge(&p, &s.a, &reference, "two ranks", number);
    }
}

/* A weight w is w copies of the row, to 1e-12. */
static void weights_are_copies(void **state) {
    static drawn p, copies;
    (void)state;
    for (int number = 0; number < DRAWN; number++) {
        draw((uint64_t)(100 + number), &p);
        p.weighted = true;
        p.tol = 1e-12;
        make_copies(&p, &copies);
        for (int how = ROWS; how <= SPARSE; how++) {
            const answer a = solve(&p, (way)how), b = solve(&copies, (way)how);
            char text[256];
            describe(&p, text, sizeof text);
            if (!(fabs(a.objective - b.objective) <= 1e-12 * b.objective))
                fail_msg("%d (%s), %s: %.17g and not %.17g", number, text, names[how], a.objective, b.objective);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_ways_have_the_same_answer),
                                       cmocka_unit_test(weights_are_copies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
