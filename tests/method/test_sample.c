/*
 * Samples of rows: which rows, how they are weighed, in every storage and for any number of threads; and newton on a
 * model of them: the right answer with a bound that holds, also where a sample says nothing of A.
 */
#include <omp.h>

#include "calls.h"
#include "certificate/problems.h"
#include "method/run.h"
#include "sketch/matrices.h"

static double *gram_of(const double *B, int64_t rows, int64_t d) {
    double *H = calloc((size_t)(d * d), sizeof *H);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j < d; j++) H[i * d + j] += B[r * d + i] * B[r * d + j];
    return H;
}

static gpis_source *source_of(gpis_context *context, const matrix *m) {
    const gpis_block *b = &m->block;
    const bool rows = gpis_block_is_row_major(b);
    gpis_source *A = NULL;
    if (b->kind == GPIS_BLOCK_CSR)
        assert_ok(context, gpis_source_csr(context, b->nrows, b->d, b->indptr, b->indices, b->values, b->type, &A));
    else
        assert_ok(context, gpis_source_dense(context, b->values, b->type, rows ? GPIS_ROW_MAJOR : GPIS_COLUMN_MAJOR,
                                             b->nrows, b->d, rows ? b->row_stride : b->col_stride, &A));
    return A;
}

/* ---- the sample ---------------------------------------------------------------------------------------------------
 */

/* The rows, and their weight, are those of the sketch of the same name. */
static void is_the_sketch_of_its_name(void **state) {
    (void)state;
    enum { N = 500, D = 7, K = 3, M = 60 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = small_numbers((int64_t)N * D, 3), *Y = small_numbers((int64_t)N * K, 4);
    double X[D * K], SA[M * D], SY[M * K], R[M * K], H[D * D], G[D * K], norms2[D] = {0};
    gpis_point point;
    gpis_random_normal(5, 0, 0, D * K, X);
    for (int how = 0; how < STORAGES; how++)
        for (uint64_t round = 0; round < 3; round++) {
            matrix stored = store(a, N, D, how);
            gpis_source *A = source_of(context, &stored);
            gpis_sample *s = NULL;
            assert_ok(context, test_sketch(context, A, Y, K, "sample", M, 8, round, SA, SY));
            assert_ok(context, gpis_sample_create(context, A, Y, K, &(gpis_terms){0}, M, 8, round, &s));
            assert_ok(context, gpis_sample_gram(s, NULL, H, X, G, norms2, &point));
            double sum = 0.0, *expected = gram_of(SA, M, D);
            for (int r = 0; r < M * K; r++) {
                R[r] = -SY[r];
                for (int j = 0; j < D; j++) R[r] += SA[r / K * D + j] * X[j * K + r % K];
                sum += R[r] * R[r];
            }
            assert_close(point.objective, sum, 1e-12 * sum);
            for (int i = 0; i < D * D; i++) assert_close(H[i], expected[i], 1e-12 * expected[0]);
            for (int i = 0; i < D * K; i++) {
                double g = 0.0;
                for (int r = 0; r < M; r++) g += SA[r * D + i / K] * R[r * K + i % K];
                assert_close(G[i], g, 1e-12 * sum);
            }
            assert_int_equal(s->rows->block_kind, stored.block.kind);
            free(expected);
            gpis_sample_destroy(s);
            gpis_source_destroy(A);
            matrix_clear(&stored);
        }
    free(a), free(Y);
    test_context_end(context, &memory);
}

/* E[H] = A'A: the mean of many rounds comes as near as their spread says. All n rows are A itself. */
static void is_unbiased(void **state) {
    (void)state;
    enum { N = 40, D = 3, M = 8, ROUNDS = 4000 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    assert_ok(context, gpis_context_set_threads(context, 1));
    double *a = small_numbers((int64_t)N * D, 6), H[D * D], sum[D * D] = {0}, squares[D * D] = {0};
    double *exact = gram_of(a, N, D);
    matrix stored = store(a, N, D, CSR_64);
    gpis_source *A = source_of(context, &stored);
    for (uint64_t round = 0; round <= ROUNDS; round++) {
        gpis_sample *s = NULL;
        const bool all = round == ROUNDS;
        assert_ok(context, gpis_sample_create(context, A, NULL, 0, &(gpis_terms){0}, all ? N : M, 1, round, &s));
        assert_ok(context, gpis_sample_gram(s, NULL, H, NULL, NULL, NULL, NULL));
        gpis_sample_destroy(s);
        for (int i = 0; i < D * D && !all; i++) sum[i] += H[i], squares[i] += H[i] * H[i];
    }
    for (int i = 0; i < D * D; i++) {
        const double mean = sum[i] / ROUNDS, spread = sqrt((squares[i] / ROUNDS - mean * mean) / ROUNDS);
        assert_close(mean, exact[i], 4.5 * spread);
        assert_close(H[i], exact[i], 1e-12 * exact[0]);
    }
    gpis_source_destroy(A);
    matrix_clear(&stored);
    free(a), free(exact);
    test_context_end(context, &memory);
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    enum { N = 30000, D = 12, M = 9000 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = small_numbers((int64_t)N * D, 7), H[2][D * D];
    static const storage forms[] = {ROW_64, ROW_32, COLUMN_64, CSR_64};
    for (int f = 0; f < 4; f++) {
        matrix stored = store(a, N, D, forms[f]);
        gpis_source *A = source_of(context, &stored);
        for (int threads = 1; threads <= 4; threads++) {
            gpis_sample *s = NULL;
            assert_ok(context, gpis_context_set_threads(context, threads));
            assert_ok(context, gpis_sample_create(context, A, NULL, 0, &(gpis_terms){0}, M, 2, 5, &s));
            assert_ok(context, gpis_sample_gram(s, NULL, H[threads > 1], NULL, NULL, NULL, NULL));
            if (threads > 1) assert_memory_equal(H[0], H[1], sizeof *H);
            gpis_sample_destroy(s);
        }
        gpis_source_destroy(A);
        matrix_clear(&stored);
    }
    free(a);
    test_context_end(context, &memory);
}

/* ---- newton -------------------------------------------------------------------------------------------------------
 */

typedef struct task {
    problem p;
    storage how;
    const char *spec, *sketch;
    int64_t m, limit;
} task;

static gpis_status solve_in(gpis_context *context, const task *t, gpis_result **result) {
    matrix stored = store(t->p.A, t->p.n, t->p.d, t->how);
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_settings settings = gpis_settings_default();
    settings.method = "newton";
    settings.sketch = t->sketch;
    settings.m = t->m;
    settings.memory = t->limit;
    if (t->m == 0) settings.certificate = GPIS_CERTIFICATE_PROVEN;
    const gpis_block *b = &stored.block;
    gpis_status status = b->kind == GPIS_BLOCK_CSR
                             ? gpis_source_csr(context, b->nrows, b->d, b->indptr, b->indices, b->values, b->type, &A)
                             : gpis_source_dense(context, b->values, b->type, GPIS_ROW_MAJOR, b->nrows, b->d, b->d, &A);
    if (status == GPIS_OK) status = test_set(context, t->spec, t->p.d, t->p.k, &set);
    if (status == GPIS_OK) status = test_solve(context, A, t->p.Y, t->p.k, set, &settings, result);
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    matrix_clear(&stored);
    return status;
}

/* Solved by a sample, and the same as with the Gram matrix. Returns the passes. */
static int64_t assert_solved(gpis_context *context, task t, const char *what) {
    gpis_result *sampled = NULL, *exact = NULL;
    assert_ok(context, solve_in(context, &t, &sampled));
    t.m = 0;
    assert_ok(context, solve_in(context, &t, &exact));
    const double f = (double)problem_value(&t.p, sampled->x, NULL), best = (double)problem_value(&t.p, exact->x, NULL);
    if (sampled->outcome != GPIS_SOLVED || exact->outcome != GPIS_SOLVED || fabs(f - best) > 2e-8 * best ||
        sampled->objective - sampled->gap > best * (1.0 + 1e-12))
        fail_msg("%s, %s: %s with f = %.17g, gap %g; the Gram matrix: %s with %.17g", what, t.spec,
                 gpis_outcome_text(sampled->outcome), f, sampled->gap, gpis_outcome_text(exact->outcome), best);
    assert_true(sampled->sketches >= 1);
    const int64_t passes = sampled->passes;
    gpis_result_destroy(sampled);
    gpis_result_destroy(exact);
    return passes;
}

static const char *const SETS[] = {"none", "l1:0.5", "nonneg", "l2:0.3", "simplex:1", "box:-1,2"};
enum { SET_COUNT = sizeof SETS / sizeof *SETS };

static void solves_ordinary_problems(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < 2 * SET_COUNT; i++) {
        task t = {.p = problem_make(i % 3 ? FINE : SCALED, 2000, 10, 1 + i % 2, 70 + (uint64_t)i),
                  .how = i % 4 == 0   ? ROW_64
                         : i % 4 == 1 ? CSR_64
                         : i % 4 == 2 ? ROW_32
                                      : CSR_32,
                  .spec = SETS[i % SET_COUNT],
                  .sketch = "sample",
                  .m = 200};
        for (int64_t j = 0; j < 20000; j++) t.p.A[j] = j % 4 == 1 ? 0.0 : (double)(float)t.p.A[j];
        assert_in_range(assert_solved(context, t, "ordinary"), 2, 24);
        problem_clear(&t.p);
    }
    test_context_end(context, &memory);
}

/* A few rows carry nearly all weight: a sample of one row in ten has all of them, some, or none. */
static void heavy_rows_are_found_out(void **state) {
    (void)state;
    enum { N = 1500, D = 8, HEAVY = 3 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    assert_ok(context, gpis_context_set_threads(context, 1));
    for (int i = 0; i < 60; i++) {
        task t = {.p = problem_make(FINE, N, D, 1, 400 + (uint64_t)i),
                  .how = i % 2 ? CSR_64 : ROW_64,
                  .spec = SETS[i % SET_COUNT],
                  .sketch = "sample",
                  .m = 150};
        const double weight = pow(10.0, 2 + i % 4);
        for (int64_t h = 0; h < HEAVY; h++)
            for (int64_t j = 0; j < D; j++) t.p.A[(h * 511 + i) * D + j] *= weight;
        assert_in_range(assert_solved(context, t, "heavy rows"), 2, 60);
        problem_clear(&t.p);
    }
    test_context_end(context, &memory);
}

/* Columns with few entries: most samples have none of them. They are known by their norms, and the rest goes on. */
static void rare_columns_cost_a_pass(void **state) {
    (void)state;
    enum { N = 4000, D = 12, RARE = 5 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < SET_COUNT; i++) {
        task t = {.p = problem_make(FINE, N, D, 1, 500 + (uint64_t)i),
                  .how = CSR_64,
                  .spec = SETS[i],
                  .sketch = "sample",
                  .m = 400};
        for (int64_t r = 0; r < N; r++)
            for (int64_t j = 0; j < RARE; j++)
                if ((r + 7 * j) % 1900 != 0) t.p.A[r * D + j] = 0.0;
        const int64_t last_digits =
            strcmp(SETS[i], "none") == 0 ? 16 : 0; /* of x, at more than a digit in two passes */
        assert_in_range(assert_solved(context, t, "rare columns"), 2, 12 + last_digits);
        problem_clear(&t.p);
    }
    test_context_end(context, &memory);
}

/* Nearly parallel columns: H has lost digits, and some of the rows are unpacked to hold it. */
static void ill_conditioned_models_are_held_by_rows(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem p = problem_make(ILL, 3000, 6, 1, 9);
    for (int64_t i = 0; i < p.n; i++)
        for (int64_t j = 1; j < p.d; j++) p.A[i * p.d + j] = p.A[i * p.d] + 1e-5 * (p.A[i * p.d + j] - p.A[i * p.d]);
    matrix stored = store(p.A, p.n, p.d, CSR_64);
    gpis_source *A = source_of(context, &stored);
    gpis_sample *s = NULL;
    gpis_model *model = NULL;
    double *H = gpis_alloc(context, 36, sizeof *H);
    assert_ok(context, gpis_sample_create(context, A, NULL, 0, &(gpis_terms){0}, 900, 1, 0, &s));
    assert_ok(context, gpis_sample_gram(s, NULL, H, NULL, NULL, NULL, NULL));
    assert_ok(context, gpis_model_create(context, 6, H, 900.0, &model));
    assert_true(model->shift > 0.0 && !model->by_rows);
    assert_ok(context, gpis_context_set_memory(context, 500000));
    assert_ok(context, gpis_sample_hold(s, model)); /* no memory: the model stays as it is */
    assert_false(model->by_rows);
    assert_ok(context, gpis_context_set_memory(context, 0));
    const double before = model->H[0];
    assert_ok(context, gpis_sample_hold(s, model));
    assert_true(model->by_rows);
    assert_close(model->H[0], before, 0.5 * before); /* of other rows, but of the same A'A */
    gpis_model_destroy(model);
    gpis_sample_destroy(s);
    gpis_source_destroy(A);
    matrix_clear(&stored);
    problem_clear(&p);
    test_context_end(context, &memory);
}

/* ---- the account, bad data, memory --------------------------------------------------------------------------------
 */

static void is_entered_in_the_account(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    task t = {.p = problem_make(FINE, 4000, 5, 1, 3), .how = ROW_64, .spec = "none", .sketch = "sample", .m = 400};
    gpis_result *r = NULL;
    assert_ok(context, solve_in(context, &t, &r));
    const double a_pass = 8.0 * 4000 * 5;
    assert_int_equal(r->sketches, 1);
    assert_close(r->bytes_read, ((double)r->passes + 0.1) * a_pass, 1e-6 * a_pass);
    assert_non_null(strstr(r->plan, "sample of 400 rows"));
    gpis_result_destroy(r);
    problem_clear(&t.p);
    test_context_end(context, &memory);
}

static int copy_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    (void)user, (void)row0;
    memset(rows, 0, (size_t)nrows * sizeof *rows);
    return 0;
}

static void refusals(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem p = problem_make(FINE, 300, 4, 1, 3);
    gpis_source *A = problem_source(context, &p), *made, *joined;
    gpis_sample *s = NULL;
    assert_true(gpis_sample_is_at_hand(A));
    assert_ok(context, gpis_source_callback(context, 10, 1, copy_rows, NULL, 0, &made));
    assert_false(gpis_sample_is_at_hand(made));
    assert_ok(context, gpis_source_join(context, &A, 1, NULL, &joined));
    assert_false(gpis_sample_is_at_hand(joined));
    assert_int_equal(gpis_sample_create(context, A, NULL, 0, &(gpis_terms){0}, 301, 0, 0, &s), GPIS_BAD_ARGUMENT);
    assert_int_equal(gpis_sample_create(context, A, NULL, 0, &(gpis_terms){0}, 0, 0, 0, &s), GPIS_BAD_ARGUMENT);
    assert_null(s);
    gpis_sample_destroy(NULL);
    gpis_source_destroy(joined);
    gpis_source_destroy(made);
    gpis_source_destroy(A);
    /* in the sample or not, the place is that in A */
    for (int64_t row = 100; row < 140; row++) {
        task t = {.p = p, .how = ROW_64, .spec = "none", .sketch = "sample", .m = 60};
        gpis_result *r = NULL;
        char place[32];
        const double kept = p.A[row * 4 + 2];
        p.A[row * 4 + 2] = NAN;
        assert_int_equal(solve_in(context, &t, &r), GPIS_BAD_DATA);
        snprintf(place, sizeof place, "row %d, column 3", (int)row + 1);
        if (!strstr(gpis_last_error(context), place)) fail_msg("'%s' is not %s", gpis_last_error(context), place);
        p.A[row * 4 + 2] = kept;
    }
    problem_clear(&p);
    test_context_end(context, &memory);
}

static gpis_status solve_once(gpis_context *context, void *user) {
    gpis_result *result = NULL;
    const gpis_status status = solve_in(context, user, &result);
    gpis_result_destroy(result);
    return status;
}

/* Nearly parallel columns, so that rows are held, too; of all storages. */
static void lack_of_memory(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        task t = {.p = problem_make(i ? ILL : FINE, 60, 3, 2, 1),
                  .how = i ? ROW_32 : CSR_64,
                  .spec = "none",
                  .sketch = "sample",
                  .m = 20};
        assert_true(test_every_allocation(solve_once, &t) > 40);
        problem_clear(&t.p);
    }
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library: BLAS has no threads of its own */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_sketch_of_its_name),
        cmocka_unit_test(is_unbiased),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(solves_ordinary_problems),
        cmocka_unit_test(heavy_rows_are_found_out),
        cmocka_unit_test(rare_columns_cost_a_pass),
        cmocka_unit_test(ill_conditioned_models_are_held_by_rows),
        cmocka_unit_test(is_entered_in_the_account),
        cmocka_unit_test(refusals),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
