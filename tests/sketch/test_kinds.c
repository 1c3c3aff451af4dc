/* What is particular to each kind of sketch: the shape of its S, and where it does not apply. */
#include <cblas.h>

#include "sketch/kinds.h"
#include "sketch/matrices.h"
#include "sketch/permutation.h"

/* Every column of S has exactly `stacks` entries, one in each stack of rows, of size 1/sqrt(stacks). */
static void check_stacks(gpis_context *context, const gpis_sketch_class *kind, int64_t m, int64_t n, int64_t stacks) {
    double *S = matrix_of(context, kind, m, n, 21, 1);
    int64_t minus = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < stacks; t++) {
            int64_t entries = 0;
            for (int64_t r = m * t / stacks; r < m * (t + 1) / stacks; r++) {
                if (S[r * n + i] == 0.0) continue;
                entries++;
                minus += S[r * n + i] < 0.0;
                assert_close(fabs(S[r * n + i]), 1.0 / sqrt((double)stacks), 1e-15);
            }
            assert_int_equal(entries, 1);
        }
    const double all = (double)(n * stacks);
    assert_close((double)minus, 0.5 * all, 3.0 * sqrt(all)); /* six standard deviations */
    free(S);
}

static void columns_of_bucket_sketches(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    check_stacks(context, &gpis_sketch_count, 1, 50, 1);
    check_stacks(context, &gpis_sketch_count, 13, 301, 1);
    check_stacks(context, &gpis_sketch_sparse_sign, 100, 301, 8);
    check_stacks(context, &gpis_sketch_sparse_sign, 8, 50, 8);
    check_stacks(context, &gpis_sketch_sparse_sign, 3, 50, 3);
    test_context_end(context, &memory);
}

/* The rows of S are sqrt(N/m) times orthonormal ones when n = N. */
static void srht_rows_are_orthogonal(void **state) {
    (void)state;
    enum { M = 20, N = 64 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *S = matrix_of(context, &gpis_sketch_srht, M, N, 21, 3);
    for (int r = 0; r < M; r++)
        for (int q = 0; q < M; q++) {
            double dot = 0.0;
            for (int i = 0; i < N; i++) dot += S[r * N + i] * S[q * N + i];
            assert_close(dot, r == q ? (double)N / M : 0.0, 1e-13);
        }
    free(S);
    test_context_end(context, &memory);
}

/* Row 0 of H is all ones: with m = n = N it is in S, and only the random signs make it look random. */
static void srht_has_random_signs(void **state) {
    (void)state;
    enum { N = 64 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *S = matrix_of(context, &gpis_sketch_srht, N, N, 21, 3);
    for (int r = 0; r < N; r++) {
        int minus = 0;
        for (int i = 0; i < N; i++) minus += S[r * N + i] < 0.0;
        assert_true(minus > 0 && minus < N);
    }
    free(S);
    test_context_end(context, &memory);
}

static void srht_wants_all_rows(void **state) {
    (void)state;
    const int64_t n = 2 * GPIS_SKETCH_QUANTUM;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = small_numbers(n, 1);
    matrix A = store(a, n, 1, ROW_64);
    gpis_sketch *s = NULL;
    assert_ok(context, gpis_sketch_create(context, &gpis_sketch_srht, 4, n, 1, 0, 1, 1, &s));
    assert_int_equal(feed(s, &A.block, NULL, GPIS_SKETCH_QUANTUM, 1), GPIS_NOT_APPLICABLE);
    assert_non_null(strstr(gpis_last_error(context), "'srht' needs all 2048 rows"));
    gpis_sketch_destroy(s);
    matrix_clear(&A);
    free(a);
    test_context_end(context, &memory);
}

/* Each row of S takes one row of A, no row twice; with m = n that is a permutation, and S'S = I to the last bit. */
static void sample_takes_distinct_rows(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t n = 1; n <= 40; n += 3)
        for (int64_t m = (n + 1) / 2; m <= n; m += gpis_max64(1, n - m)) {
            double *S = matrix_of(context, &gpis_sketch_sample, m, n, 21, 1);
            int64_t entries = 0;
            for (int64_t i = 0; i < n; i++) {
                int64_t times = 0;
                for (int64_t r = 0; r < m; r++) {
                    if (S[r * n + i] == 0.0) continue;
                    times++;
                    assert_true(S[r * n + i] == sqrt((double)n / (double)m));
                }
                assert_true(times <= 1);
                entries += times;
            }
            assert_int_equal(entries, m);
            free(S);
            if (m == n) break;
        }
    test_context_end(context, &memory);
}

static void distinct_rows_need_m_at_most_n(void **state) {
    (void)state;
    const gpis_sketch_class *kinds[] = {&gpis_sketch_sample, &gpis_sketch_srht};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < 2; i++) {
        gpis_sketch *s = NULL;
        assert_int_equal(gpis_sketch_create(context, kinds[i], 10, 9, 2, 0, 1, 1, &s), GPIS_BAD_ARGUMENT);
        assert_non_null(strstr(gpis_last_error(context), "at most m = 9 here, not 10"));
        assert_non_null(strstr(gpis_last_error(context), kinds[i]->name));
        assert_ok(context, gpis_sketch_create(context, kinds[i], 9, 9, 2, 0, 1, 1, &s));
        gpis_sketch_destroy(s);
    }
    test_context_end(context, &memory);
}

static void permutation_is_one_to_one(void **state) {
    (void)state;
    char seen[1500];
    for (uint64_t size = 1; size < sizeof seen; size += 1 + size / 8) {
        memset(seen, 0, sizeof seen);
        for (uint64_t i = 0; i < size; i++) {
            const uint64_t image = gpis_permute(size, 2, size, i);
            assert_true(image < size);
            assert_false(seen[image]);
            seen[image] = 1;
        }
    }
}

/* The images of a pair are each pair of distinct places equally often. */
static void permutation_is_fair(void **state) {
    (void)state;
    enum { TIMES = 20000, MAX_SIZE = 7 };
    for (uint64_t size = 2; size <= MAX_SIZE; size++) {
        int64_t count[MAX_SIZE][MAX_SIZE] = {{0}};
        for (uint64_t t = 0; t < TIMES; t++) count[gpis_permute(t, 9, size, 0)][gpis_permute(t, 9, size, size - 1)]++;
        const double p = 1.0 / (double)(size * (size - 1));
        for (uint64_t a = 0; a < size; a++)
            for (uint64_t b = 0; b < size; b++)
                assert_close((double)count[a][b], a == b ? 0.0 : p * TIMES, 5.5 * sqrt(TIMES * p * (1 - p)));
    }
}

int main(void) {
    openblas_set_num_threads(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_bucket_sketches), cmocka_unit_test(srht_rows_are_orthogonal),
        cmocka_unit_test(srht_has_random_signs),      cmocka_unit_test(srht_wants_all_rows),
        cmocka_unit_test(sample_takes_distinct_rows), cmocka_unit_test(distinct_rows_need_m_at_most_n),
        cmocka_unit_test(permutation_is_one_to_one),  cmocka_unit_test(permutation_is_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
