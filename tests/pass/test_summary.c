/*
 * The summary [A Y]'[A Y] of a pass against sums in quadruple precision: for every storage and many shapes, over
 * threads and windows, the error of an entry is at most what gpis_pass_roundings says. Its memory, and what it refuses.
 */
#include "calls.h"
#include "files.h"
#include "pass/summaries.h"

static void every_storage_and_shape(void **state) {
    (void)state;
    static const int64_t rows[] = {1, 63, 64, 65, 5000};
    static const int64_t columns[][2] = {{1, 0}, {2, 1}, {3, 5}, {16, 1}, {63, 1}, {62, 3}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double share[2] = {0.0};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            for (int single = 0; single < 2; single++) {
                problem t = problem_make(rows[r], columns[c][0], columns[c][1], single);
                for (int stored_as = 0; stored_as < STORAGES; stored_as++) {
                    if (holds_singles(stored_as) != single) continue;
                    matrix stored = store(t.a, t.n, t.d, stored_as);
                    gpis_source *A = source_of(context, &stored, stored_as);
                    for (int quick = 0; quick < 2; quick++) {
                        double bound, *W = summary_of(context, A, &t, quick, &bound);
                        share[quick] = fmax(share[quick], check(&t, W, bound, NAMES[stored_as]));
                        free(W);
                    }
                    gpis_source_destroy(A);
                    matrix_clear(&stored);
                }
                problem_clear(&t);
            }
    print_message("errors take up at most %.2g of their bounds, those of quick sums %.2g\n", share[0], share[1]);
    test_context_end(context, &memory);
}

/* ---- the same bits however the rows are walked ------------------------------------------------------------------- */

static int make_rows(void *user, int64_t row0, int64_t nrows, double *out) {
    const problem *t = user;
    memcpy(out, t->a + row0 * t->d, (size_t)(nrows * t->d) * sizeof *out);
    return 0;
}

/* In memory, on demand, and from a file by windows, with other sums or without; on one, two and three threads. */
static void check_walks(bool quick) {
    enum { N = 9001, D = 21, K = 2, P = D + K };
    problem t = problem_make(N, D, K, false);
    double *first = NULL;
    for (int threads = 1; threads <= 3; threads++)
        for (int walk = 0; walk < 4; walk++) {
            test_memory memory;
            gpis_context *context = test_context(&memory);
            gpis_source *A;
            double X[D * K] = {1.0}, G[D * K], norms2[D], f, *W = malloc(2 * P * P * sizeof *W);
            assert_ok(context, gpis_context_set_threads(context, threads));
            if (walk == 0 || walk == 1)
                assert_ok(context, gpis_source_dense(context, t.a, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &A));
            if (walk == 2) assert_ok(context, gpis_source_callback(context, N, D, make_rows, &t, 1, &A));
            if (walk == 3) {
                const gpis_open_options small = {.size = sizeof small, .memory = 1 << 18};
                assert_ok(context, gpis_array_write(context, "summary.npy", t.a, N, D, 2));
                assert_ok(context, gpis_context_set_memory(context, 1 << 21));
                assert_ok(context, gpis_source_open_with(context, "summary.npy", &small, &A));
                assert_false(A->resident);
            }
            gpis_pass pass = {.k = K, .Y = t.Y, .quick = quick, .summary = W};
            if (walk == 1) pass.X = X, pass.G = G, pass.objective = &f, pass.norms2 = norms2;
            assert_ok(context, gpis_pass_run(context, A, &pass));
            if (first)
                assert_memory_equal(W, first, 2 * P * P * sizeof *W);
            else
                first = memcpy(malloc(2 * P * P * sizeof *W), W, 2 * P * P * sizeof *W);
            free(W);
            gpis_source_destroy(A);
            test_context_end(context, &memory);
        }
    unlink("summary.npy");
    problem_clear(&t);
    free(first);
}

static void same_bits_for_any_walk(void **state) {
    (void)state;
    check_walks(false);
    check_walks(true);
}

/* Together with everything else, the Gram matrix included, which cuts the rows in another way. */
static void with_all_other_sums(void **state) {
    (void)state;
    enum { N = 3000, D = 12, K = 1, P = D + K };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int single = 0; single < 2; single++) {
        problem t = problem_make(N, D, K, single);
        for (int stored_as = 0; stored_as < STORAGES; stored_as++)
            for (int extended = 0; extended < 2; extended++) {
                if (holds_singles(stored_as) != single) continue;
                matrix stored = store(t.a, N, D, stored_as);
                gpis_source *A = source_of(context, &stored, stored_as);
                double X[D * K] = {0}, G[D * K], norms2[D], f, gram[D * D], W[2 * P * P];
                const gpis_pass pass = {.k = K,
                                        .Y = t.Y,
                                        .X = X,
                                        .extended = extended,
                                        .objective = &f,
                                        .G = G,
                                        .norms2 = norms2,
                                        .gram = gram,
                                        .quick = extended,
                                        .summary = W};
                assert_ok(context, gpis_pass_run(context, A, &pass));
                const gpis_load load = gpis_load_of(&pass, D);
                const gpis_roundings roundings = gpis_pass_roundings(A, &load);
                check(&t, W, roundings.summary, NAMES[stored_as]);
                /* the other sums are the same numbers in double, with more roundings */
                const double unit = 0x1p-53;
                assert_close(f, W[P * P - 1], (roundings.objective + 1.0) * unit * f);
                for (int i = 0; i < D; i++) {
                    assert_close(norms2[i], W[i * P + i], 2.0 * N * unit * norms2[i]);
                    assert_close(-G[i], W[i * P + D], (roundings.gradient + 1.0) * unit * sqrt(norms2[i] * f));
                    for (int j = 0; j < D; j++)
                        assert_close(gram[i * D + j], W[i * P + j],
                                     (roundings.gram + 1.0) * unit * sqrt(norms2[i]) * sqrt(norms2[j]));
                }
                gpis_source_destroy(A);
                matrix_clear(&stored);
            }
        problem_clear(&t);
    }
    test_context_end(context, &memory);
}

/* More strips, and more blocks in each of them: the bound grows with the rows, but far more slowly than they do. */
static void the_bound_is_useful(void **state) {
    (void)state;
    static const double NO_DATA[8] __attribute__((aligned(64))) = {0};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double before = 0.0;
    for (int64_t n = 1; n <= INT64_C(1) << 30; n *= 4) {
        double W;
        const gpis_pass pass = {.summary = &W};
        const gpis_load load = gpis_load_of(&pass, 5);
        gpis_source *A;
        assert_ok(context, gpis_source_dense(context, NO_DATA, GPIS_FLOAT64, GPIS_ROW_MAJOR, n, 5, 5, &A));
        const double bound = gpis_pass_roundings(A, &load).summary;
        assert_true(bound >= before && bound < (5000.0 + (double)n / 300.0) * 0x1p-106);
        before = bound;
        gpis_source_destroy(A);
    }
    test_context_end(context, &memory);
}

/* ---- memory and refusals ----------------------------------------------------------------------------------------- */

static void memory_is_predicted(void **state) {
    (void)state;
    enum { N = 4000, D = 60, K = 2, P = D + K };
    problem t = problem_make(N, D, K, true);
    for (int stored_as = 0; stored_as < STORAGES; stored_as++)
        for (int threads = 1; threads <= 4; threads++) {
            test_memory memory;
            gpis_context *context = test_context(&memory);
            matrix stored = store(t.a, N, D, stored_as);
            gpis_source *A = source_of(context, &stored, stored_as);
            double *W = malloc(2 * P * P * sizeof *W);
            const gpis_pass pass = {.k = K, .Y = t.Y, .quick = threads > 2, .summary = W};
            const gpis_load load = gpis_load_of(&pass, D);
            assert_ok(context, gpis_context_set_threads(context, (threads - 1) % 2 + 1));
            const double before = (double)gpis_account_used(context), predicted = gpis_pass_memory(context, A, &load);
            atomic_store(&context->peak, 0);
            assert_ok(context, gpis_pass_run(context, A, &pass));
            const double taken = (double)gpis_context_memory_peak(context) - before;
            assert_true(taken <= predicted && predicted <= 1.5 * taken);
            free(W);
            gpis_source_destroy(A);
            matrix_clear(&stored);
            test_context_end(context, &memory);
        }
    problem_clear(&t);
}

static gpis_status one_summary(gpis_context *context, void *user) {
    const problem *t = user;
    gpis_source *A = NULL;
    double *W = malloc((size_t)(2 * t->p * t->p) * sizeof *W);
    const gpis_pass pass = {.k = t->k, .Y = t->Y, .summary = W};
    gpis_status status = gpis_source_dense(context, t->a, GPIS_FLOAT64, GPIS_ROW_MAJOR, t->n, t->d, t->d, &A);
    if (status == GPIS_OK) status = gpis_pass_run(context, A, &pass);
    gpis_source_destroy(A);
    free(W);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    problem t = problem_make(100, 5, 1, false);
    assert_true(test_every_allocation(one_summary, &t) > 3);
    problem_clear(&t);
}

static void too_large(void **state) {
    (void)state;
    static const double NO_DATA[8] __attribute__((aligned(64))) = {0};
    static const int64_t shapes[][2] = {{INT64_C(1) << 30, 1}, {4, INT64_C(1) << 30}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int i = 0; i < 2; i++) {
        const int64_t d = shapes[i][0], k = shapes[i][1];
        double W;
        gpis_source *A;
        const gpis_pass pass = {.k = k, .summary = &W};
        assert_ok(context, gpis_source_dense(context, NO_DATA, GPIS_FLOAT64, GPIS_ROW_MAJOR, 1, d, d, &A));
        assert_int_equal(gpis_pass_run(context, A, &pass), GPIS_TOO_LARGE);
        assert_message(context, "too large");
        gpis_source_destroy(A);
    }
    test_context_end(context, &memory);
}

/* Numbers that are not finite, in A or in Y, are found by their place; sums that overflow are named. */
static void not_finite(void **state) {
    (void)state;
    enum { N = 200, D = 3, K = 1 };
    static const struct {
        double value;
        bool in_Y;
        const char *text;
    } cases[] = {{NAN, false, "row 151, column 2 is nan"},   {INFINITY, false, "row 151, column 2 is inf"},
                 {NAN, true, "y: row 151, column 1 is nan"}, {-INFINITY, true, "y: row 151, column 1 is -inf"},
                 {1e160, false, "sums of squares overflow"}, {1e305, false, "sums of squares overflow"},
                 {1e160, true, "sums of squares overflow"}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int stored_as = ROW_64; stored_as < STORAGES; stored_as += CSR_64 - ROW_64) {
            problem t = problem_make(N, D, K, false);
            double W[2 * (D + K) * (D + K)];
            *(cases[c].in_Y ? &t.Y[150] : &t.a[150 * D + 1]) = cases[c].value;
            matrix stored = store(t.a, N, D, stored_as);
            gpis_source *A = source_of(context, &stored, stored_as);
            for (int quick = 0; quick < 2; quick++) {
                const gpis_pass pass = {.k = K, .Y = t.Y, .quick = quick, .summary = W};
                assert_int_equal(gpis_pass_run(context, A, &pass), GPIS_BAD_DATA);
                assert_message(context, cases[c].text);
            }
            gpis_source_destroy(A);
            matrix_clear(&stored);
            problem_clear(&t);
        }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_storage_and_shape),
                                       cmocka_unit_test(same_bits_for_any_walk),
                                       cmocka_unit_test(with_all_other_sums),
                                       cmocka_unit_test(the_bound_is_useful),
                                       cmocka_unit_test(memory_is_predicted),
                                       cmocka_unit_test(lack_of_memory),
                                       cmocka_unit_test(too_large),
                                       cmocka_unit_test(not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
