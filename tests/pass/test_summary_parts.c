/*
 * The summary of rows in several parts and on several ranks: its errors are within their bounds, and the bounds count
 * every addition in double-double, on data that make each of them visible.
 */
#include "pass/summaries.h"
#include "ranks.h"
#include "ranks/ranks.h"

/* ---- parts and ranks --------------------------------------------------------------------------------------------- */

static void parts_of_mixed_storage(void **state) {
    (void)state;
    enum { N = 2500, D = 7, K = 1, SPLIT = 1100 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem t = problem_make(N, D, K, true);
    for (int first = 0; first < STORAGES; first++)
        for (int second = 0; second < STORAGES; second++) {
            matrix halves[2] = {store(t.a, SPLIT, D, first), store(t.a + SPLIT * D, N - SPLIT, D, second)};
            gpis_source *parts[2] = {source_of(context, &halves[0], first), source_of(context, &halves[1], second)}, *A;
            assert_ok(context, gpis_source_join(context, parts, 2, NULL, &A));
            double bound, *W = summary_of(context, A, &t, false, &bound);
            check(&t, W, bound, "two parts");
            free(W);
            gpis_source_destroy(A);
            for (int i = 0; i < 2; i++) gpis_source_destroy(parts[i]), matrix_clear(&halves[i]);
        }
    problem_clear(&t);
    test_context_end(context, &memory);
}

/* What the ranks share: the problem, and the result of rank 0. */
typedef struct shared {
    const problem *t;
    double *W, bound;
    gpis_status status;
} shared;

/* The rows of a rank, which are uneven: the last has the rest, and the one before it none. */
static int64_t first_row(const problem *t, int rank, int ranks) {
    return rank == ranks ? t->n : gpis_min64(rank, ranks - 2) * (t->n / ranks);
}

static void rank_work(member *m) {
    shared *s = m->user;
    const problem *t = s->t;
    const int rank = m->ranks.rank, ranks = m->ranks.ranks;
    const int64_t begin = first_row(t, rank, ranks), rows = first_row(t, rank + 1, ranks) - begin;
    gpis_source *part = NULL, *A = NULL;
    gpis_status status = GPIS_OK;
    if (rows > 0)
        status =
            gpis_source_dense(m->context, t->a + begin * t->d, GPIS_FLOAT64, GPIS_ROW_MAJOR, rows, t->d, t->d, &part);
    const int64_t count = status == GPIS_OK ? rows > 0 : -(int64_t)status;
    status = gpis_source_join(m->context, &part, count, &m->ranks, &A);
    if (status == GPIS_OK && rank == 0) {
        const gpis_pass pass = {.k = t->k, .Y = t->Y, .summary = s->W};
        const gpis_load load = gpis_load_of(&pass, t->d);
        status = gpis_pass_run(m->context, A, &pass);
        s->bound = gpis_pass_roundings(A, &load).summary;
        status = gpis_ranks_dismiss(m->context, A, status);
    } else if (status == GPIS_OK) {
        status = gpis_ranks_serve(m->context, A, t->Y + begin * t->k, &(gpis_terms){0});
    }
    if (rank == 0) s->status = status;
    gpis_source_destroy(A);
    gpis_source_destroy(part);
}

static void rows_on_several_ranks(void **state) {
    (void)state;
    enum { N = 2003, D = 9, K = 2, P = D + K };
    problem t = problem_make(N, D, K, false);
    for (int ranks = 2; ranks <= 7; ranks++) {
        double *W[2];
        for (int direct = 0; direct < 2; direct++) {
            shared s = {.t = &t, .W = W[direct] = malloc(2 * P * P * sizeof(double))};
            world_run(ranks, direct, -1, 0, rank_work, &s);
            assert_int_equal(s.status, GPIS_OK);
            check(&t, s.W, s.bound, "ranks");
        }
        assert_memory_equal(W[0], W[1], 2 * P * P * sizeof(double)); /* however the numbers travel */
        free(W[0]), free(W[1]);
    }
    problem_clear(&t);
}

static void a_rank_without_memory(void **state) {
    (void)state;
    enum { N = 300, D = 3, K = 1, P = D + K, RANKS = 3 };
    problem t = problem_make(N, D, K, false);
    double W[2 * P * P];
    for (int rank = 0; rank < RANKS; rank++)
        for (long fail_at = 1;; fail_at++) {
            shared s = {.t = &t, .W = W};
            world_run(RANKS, fail_at % 2, rank, fail_at, rank_work, &s);
            if (s.status == GPIS_OK) {
                check(&t, W, s.bound, "after failures");
                assert_true(fail_at > 5);
                break;
            }
            assert_int_equal(s.status, GPIS_NO_MEMORY);
        }
    problem_clear(&t);
}

/* ---- the bound is needed ----------------------------------------------------------------------------------------- */

/*
 * Data on which additions in double-double can be counted. The first row has the product 2^108 + 2^55 in entry (0, 1)
 * of the summary, whose low part is 2^55; the product of every other row is 3.9, less than half an ulp of that, and is
 * lost, which is 3.9 / 4 of 2^-106 relative to ||a_0|| ||a_1||.
 */
static problem worst_case(int64_t n) {
    problem t = {.n = n, .d = 2, .p = 2, .a = calloc((size_t)(2 * n), sizeof(double))};
    for (int64_t i = 0; i < n; i++) {
        t.a[2 * i] = i ? 2.0 : 0x3p55;
        t.a[2 * i + 1] = i ? 1.95 : 3002399751580331.0; /* (2^53 + 1) / 3 */
    }
    t.exact = quad_summary(t.a, NULL, n, 2, 0);
    return t;
}

/* Compressed rows: each is added to the strip by an addition of its own. */
static void every_compressed_row_counts(void **state) {
    (void)state;
    enum { N = 60 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem t = worst_case(N);
    matrix stored = store(t.a, N, 2, CSR_64);
    gpis_source *A = source_of(context, &stored, CSR_64);
    double bound, *W = summary_of(context, A, &t, false, &bound);
    assert_true(check(&t, W, bound, "compressed rows") * bound > 0.9 * (N - 1) * 0x1p-106);
    free(W);
    gpis_source_destroy(A);
    matrix_clear(&stored);
    problem_clear(&t);
    test_context_end(context, &memory);
}

/* Parts of one row each: the error is due to the merges alone. */
static void every_part_counts(void **state) {
    (void)state;
    enum { N = 600 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem t = worst_case(N);
    gpis_source *parts[N], *A;
    for (int i = 0; i < N; i++)
        assert_ok(context, gpis_source_dense(context, t.a + 2 * i, GPIS_FLOAT64, GPIS_ROW_MAJOR, 1, 2, 2, &parts[i]));
    assert_ok(context, gpis_source_join(context, parts, N, NULL, &A));
    double bound, *W = summary_of(context, A, &t, false, &bound);
    assert_true(check(&t, W, bound, "parts of one row") * bound > 0.9 * (N - 1) * 0x1p-106);
    free(W);
    gpis_source_destroy(A);
    for (int i = 0; i < N; i++) gpis_source_destroy(parts[i]);
    problem_clear(&t);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_mixed_storage),
                                       cmocka_unit_test(rows_on_several_ranks), cmocka_unit_test(a_rank_without_memory),
                                       cmocka_unit_test(every_compressed_row_counts),
                                       cmocka_unit_test(every_part_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
