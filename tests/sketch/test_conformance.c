/* What every kind of sketch must do, for all kinds. */
#include <cblas.h>
#include <lapacke.h>

#include "calls.h"
#include "sketch/kinds.h"
#include "sketch/matrices.h"

static const gpis_sketch_class *const kinds[] = {
#define ADDRESS(symbol, name) &gpis_sketch_##symbol,
    GPIS_SKETCH_LIST(ADDRESS)
#undef ADDRESS
};
enum { KINDS = sizeof kinds / sizeof *kinds, QUANTUM = GPIS_SKETCH_QUANTUM };

static gpis_sketch *sketch_of(gpis_context *context, const gpis_sketch_class *kind, int64_t m, const gpis_block *A,
                              const double *Y, int64_t k, uint64_t seed, uint64_t round) {
    gpis_sketch *s = NULL;
    assert_ok(context, gpis_sketch_create(context, kind, m, A->nrows, A->d, k, seed, round, &s));
    assert_ok(context, feed(s, A, Y, A->nrows, 2));
    return s;
}

/* The mean of S'S over many rounds lies within 6 of its own standard errors of I. */
static void check_mean(gpis_context *context, const gpis_sketch_class *kind, int64_t m, int64_t n) {
    enum { TIMES = 400 };
    double *sum = calloc((size_t)(n * n), sizeof *sum), *squares = calloc((size_t)(n * n), sizeof *squares);
    for (int t = 0; t < TIMES; t++) {
        double *S = matrix_of(context, kind, m, n, 77, (uint64_t)t);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                double v = 0.0;
                for (int64_t r = 0; r < m; r++) v += S[r * n + i] * S[r * n + j];
                sum[i * n + j] += v;
                squares[i * n + j] += v * v;
            }
        free(S);
    }
    for (int64_t p = 0; p < n * n; p++) {
        const double mean = sum[p] / TIMES, variance = fmax(0.0, squares[p] / TIMES - mean * mean);
        const double target = p / n == p % n ? 1.0 : 0.0, bound = 6.0 * sqrt(variance / TIMES) + 1e-12;
        if (!(fabs(mean - target) <= bound))
            fail_msg("%s, m %d, n %d: mean of S'S[%d] is %g, bound %g", kind->name, (int)m, (int)n, (int)p, mean,
                     bound);
    }
    free(sum);
    free(squares);
}

static void mean_is_identity(void **state) {
    (void)state;
    const int64_t sizes[][2] = {{1, 1}, {1, 6}, {7, 7}, {5, 12}, {16, 33}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < KINDS; i++)
        for (int z = 0; z < 5; z++) check_mean(context, kinds[i], sizes[z][0], sizes[z][1]);
    test_context_end(context, &memory);
}

/* One n x d matrix with k responses, sketched in every storage, in blocks of several sizes, by 1 to 4 threads. */
static void check_bits(gpis_context *context, const gpis_sketch_class *kind, int64_t m, int64_t n, int64_t d,
                       int64_t k) {
    const int64_t steps[] = {n, QUANTUM, 2 * QUANTUM};
    double *a = small_numbers(n * d, 3), *Y = small_numbers(n * k + 1, 4);
    matrix first = store(a, n, d, ROW_64);
    gpis_sketch *want = sketch_of(context, kind, m, &first.block, Y, k, 5, 6), *got = NULL;
    assert_ok(context, gpis_sketch_create(context, kind, m, n, d, k, 5, 0, &got));
    for (int how = 0; how < STORAGES; how++) {
        matrix A = store(a, n, d, (storage)how);
        for (int threads = 1; threads <= 4; threads++) {
            const int64_t step = kind->whole ? n : steps[threads % 3];
            assert_ok(context, gpis_sketch_restart(got, 6));
            assert_ok(context, feed(got, &A.block, Y, step, threads));
            if (memcmp(got->SA, want->SA, (size_t)(m * d) * sizeof(double)) != 0 ||
                (k && memcmp(got->SY, want->SY, (size_t)(m * k) * sizeof(double)) != 0))
                fail_msg("%s: other bits with storage %d, blocks of %d, %d threads", kind->name, how, (int)step,
                         threads);
        }
        matrix_clear(&A);
    }
    gpis_sketch_destroy(want);
    gpis_sketch_destroy(got);
    matrix_clear(&first);
    free(a);
    free(Y);
}

static void same_bits(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < KINDS; i++) {
        check_bits(context, kinds[i], 70, 2 * QUANTUM + 333, 37, 3);
        check_bits(context, kinds[i], 3, QUANTUM + 1, 1, 0);
    }
    test_context_end(context, &memory);
}

/* So many rows that one block is processed in several slabs. */
static void same_bits_when_tall(void **state) {
    (void)state;
    enum { M = 11 };
    const int64_t n = 200 * QUANTUM + 5, step = 70 * QUANTUM;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = small_numbers(n, 3), *Y = small_numbers(n, 4);
    for (int how = ROW_64; how <= COLUMN_64; how++) {
        matrix A = store(a, n, 1, (storage)how);
        gpis_sketch *whole = sketch_of(context, &gpis_sketch_sparse_sign, M, &A.block, Y, 1, 1, 2), *parts = NULL;
        assert_ok(context, gpis_sketch_create(context, &gpis_sketch_sparse_sign, M, n, 1, 1, 1, 2, &parts));
        assert_ok(context, feed(parts, &A.block, Y, step, 2));
        assert_memory_equal(whole->SA, parts->SA, M * sizeof(double));
        assert_memory_equal(whole->SY, parts->SY, M * sizeof(double));
        gpis_sketch_destroy(whole);
        gpis_sketch_destroy(parts);
        matrix_clear(&A);
    }
    free(a);
    free(Y);
    test_context_end(context, &memory);
}

/* out is S times B, entry by entry, to 1e-13 of the sum of the absolute values of its terms. */
static void check_product(const double *S, int64_t m, int64_t n, const double *B, int64_t cols, const double *out) {
    for (int64_t r = 0; r < m; r++)
        for (int64_t j = 0; j < cols; j++) {
            long double sum = 0.0L, size = 0.0L;
            for (int64_t i = 0; i < n; i++) {
                const long double term = (long double)S[r * n + i] * B[i * cols + j];
                sum += term;
                size += fabsl(term);
            }
            assert_close(out[r * cols + j], (double)sum, 1e-13 * (double)size);
        }
}

static void equals_explicit_product(void **state) {
    (void)state;
    const int64_t m = 40, n = QUANTUM + 76, d = 9, k = 2;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *A = malloc((size_t)(n * d) * sizeof *A), *Y = malloc((size_t)(n * k) * sizeof *Y);
    gpis_random_normal(1, 2, 0, n * d, A);
    gpis_random_normal(1, 3, 0, n * k, Y);
    matrix stored = store(A, n, d, COLUMN_64);
    for (int i = 0; i < KINDS; i++) {
        double *S = matrix_of(context, kinds[i], m, n, 8, 9);
        gpis_sketch *s = sketch_of(context, kinds[i], m, &stored.block, Y, k, 8, 9);
        check_product(S, m, n, A, d, s->SA);
        check_product(S, m, n, Y, k, s->SY);
        gpis_sketch_destroy(s);
        free(S);
    }
    matrix_clear(&stored);
    free(A);
    free(Y);
    test_context_end(context, &memory);
}

static void seeds_and_rounds_differ(void **state) {
    (void)state;
    enum { M = 20, N = 50 };
    const uint64_t keys[][2] = {{1, 0}, {2, 0}, {1, 1}, {1, 2}, {UINT64_C(1) << 40, 0}, {1, UINT64_C(1) << 40}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < KINDS; i++) {
        double *S[6];
        for (int a = 0; a < 6; a++) {
            S[a] = matrix_of(context, kinds[i], M, N, keys[a][0], keys[a][1]);
            for (int b = 0; b < a; b++) assert_memory_not_equal(S[a], S[b], M * N * sizeof(double));
        }
        for (int a = 0; a < 6; a++) free(S[a]);
    }
    test_context_end(context, &memory);
}

/* Q: an orthonormal basis of a matrix with a row that dwarfs the others. Only one: two such rows share a bucket of the
 * count sketch with probability 1/m, and are then lost, as theory predicts (it requires m near d^2). */
static double *coherent_basis(int64_t n, int64_t d) {
    double *Q = malloc((size_t)(n * d) * sizeof *Q), *tau = malloc((size_t)d * sizeof *tau);
    gpis_random_normal(4, 4, 0, n * d, Q);
    for (int64_t j = 0; j < d; j++) Q[n / 3 * d + j] *= 1e3;
    assert_int_equal(LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, (int)n, (int)d, Q, (int)d, tau), 0);
    assert_int_equal(LAPACKE_dorgqr(LAPACK_ROW_MAJOR, (int)n, (int)d, (int)d, Q, (int)d, tau), 0);
    free(tau);
    return Q;
}

/* A Gaussian S of m = 8d rows keeps the singular values of SQ within 1 -+ sqrt(1/8), about; the other sketches come
 * near that. */
static void embeds_subspaces(void **state) {
    (void)state;
    enum { N = 3000, D = 10, M = 8 * D };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *Q = coherent_basis(N, D), values[D], unused[D];
    matrix A = store(Q, N, D, ROW_64);
    for (int i = 0; i < KINDS; i++)
        for (uint64_t round = 0; round < 4; round++) {
            if (kinds[i] == &gpis_sketch_sample) continue;
            gpis_sketch *s = sketch_of(context, kinds[i], M, &A.block, NULL, 0, 10, round);
            assert_int_equal(
                LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', M, D, s->SA, D, values, NULL, D, NULL, D, unused), 0);
            if (!(values[0] < 1.65 && values[D - 1] > 0.4))
                fail_msg("%s: singular values from %g to %g", kinds[i]->name, values[D - 1], values[0]);
            gpis_sketch_destroy(s);
        }
    matrix_clear(&A);
    free(Q);
    test_context_end(context, &memory);
}

static gpis_status sketch_once(gpis_context *context, void *user) {
    const gpis_sketch_class *kind = user;
    double *a = small_numbers(300, 1), *Y = small_numbers(200, 2);
    matrix A = store(a, 100, 3, ROW_64);
    gpis_sketch *s = NULL;
    gpis_status status = gpis_sketch_create(context, kind, 7, 100, 3, 2, 1, 1, &s);
    if (status == GPIS_OK) status = feed(s, &A.block, Y, 100, 2);
    if (status == GPIS_OK) status = gpis_sketch_restart(s, 2);
    gpis_sketch_destroy(s);
    matrix_clear(&A);
    free(a);
    free(Y);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    for (int i = 0; i < KINDS; i++) assert_true(test_every_allocation(sketch_once, (void *)kinds[i]) >= 5);
}

static void refuses_bad_sizes(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_sketch *s = NULL;
    for (int i = 0; i < KINDS; i++) {
        assert_int_equal(gpis_sketch_create(context, kinds[i], 0, 9, 2, 0, 1, 1, &s), GPIS_BAD_ARGUMENT);
        assert_non_null(strstr(gpis_last_error(context), "at least 1 row, not 0"));
        assert_int_equal(gpis_sketch_create(context, kinds[i], -5, 9, 2, 0, 1, 1, &s), GPIS_BAD_ARGUMENT);
        assert_int_equal(gpis_sketch_create(context, kinds[i], 2, 0, 2, 0, 1, 1, &s), GPIS_BAD_ARGUMENT);
        assert_int_equal(gpis_sketch_create(context, kinds[i], 2, 9, 0, 0, 1, 1, &s), GPIS_BAD_ARGUMENT);
        assert_int_equal(gpis_sketch_create(context, kinds[i], 2, 9, 2, -1, 1, 1, &s), GPIS_BAD_ARGUMENT);
        assert_int_equal(gpis_sketch_create(context, kinds[i], INT64_MAX / 2, INT64_MAX, 5, 0, 1, 1, &s),
                         GPIS_TOO_LARGE);
        assert_null(s);
    }
    test_context_end(context, &memory);
}

static void names_and_costs(void **state) {
    (void)state;
    char expected[200] = "";
    for (int i = 0; i < KINDS; i++) {
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s", i ? ", " : "",
                 kinds[i]->name);
        assert_ptr_equal(gpis_sketch_find(kinds[i]->name), kinds[i]);
        assert_true(kinds[i]->cost(100000, 100, 800) > 0.0);
        assert_true(kinds[i]->cost(100000, 100, 800) <= gpis_sketch_gaussian.cost(100000, 100, 800)); /* the slowest */
    }
    assert_string_equal(gpis_sketch_names(), expected);
    assert_null(gpis_sketch_find("counts"));
    assert_null(gpis_sketch_find(""));
    assert_null(gpis_sketch_find(NULL));
    gpis_sketch_destroy(NULL);
}

int main(void) {
    openblas_set_num_threads(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_is_identity),        cmocka_unit_test(same_bits),
        cmocka_unit_test(same_bits_when_tall),     cmocka_unit_test(equals_explicit_product),
        cmocka_unit_test(seeds_and_rounds_differ), cmocka_unit_test(embeds_subspaces),
        cmocka_unit_test(survives_lack_of_memory), cmocka_unit_test(refuses_bad_sizes),
        cmocka_unit_test(names_and_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
