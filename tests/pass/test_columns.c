/* The Gram matrix of selected columns, together with a gradient, in every storage: against long double, and with the
 * same bits for any number of threads. */
#include "pass/pass.h"
#include "sketch/matrices.h"

enum { N = 2500, D = 23, COUNT = 7 };
static const int64_t COLUMNS[COUNT] = {0, 1, 4, 9, 10, 17, 22};

static gpis_source *source_of(gpis_context *context, const matrix *m, storage how) {
    const gpis_block *b = &m->block;
    gpis_source *A = NULL;
    const bool columns = how == COLUMN_64 || how == COLUMN_32;
    if (b->kind == GPIS_BLOCK_CSR)
        assert_ok(context, gpis_source_csr(context, N, D, b->indptr, b->indices, b->values, b->type, &A));
    else
        assert_ok(context, gpis_source_dense(context, b->values, b->type, columns ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR,
                                             N, D, columns ? b->col_stride : b->row_stride, &A));
    return A;
}

typedef struct answers {
    double objective, G[2 * D], norms2[D], gram[COUNT * COUNT];
} answers;

static answers run(gpis_context *context, gpis_source *A, int64_t k, const double *X, const double *Y, bool extended) {
    answers t = {0};
    const gpis_pass pass = {.k = k,
                            .Y = Y,
                            .X = X,
                            .extended = extended,
                            .columns = COLUMNS,
                            .count = COUNT,
                            .objective = &t.objective,
                            .G = t.G,
                            .norms2 = t.norms2,
                            .gram = t.gram};
    assert_ok(context, gpis_pass_run(context, A, &pass));
    return t;
}

static void check(const double *a, int64_t k, const double *X, const double *Y, const answers *t) {
    long double objective = 0, G[2 * D] = {0}, H[D][D] = {{0}};
    for (int64_t i = 0; i < N; i++) {
        const double *row = a + i * D;
        for (int64_t c = 0; c < k; c++) {
            long double r = -(long double)Y[i * k + c];
            for (int j = 0; j < D; j++) r += (long double)row[j] * X[j * k + c];
            for (int j = 0; j < D; j++) G[j * k + c] += r * row[j];
            objective += r * r;
        }
        for (int j = 0; j < D; j++)
            for (int q = 0; q < D; q++) H[j][q] += (long double)row[j] * row[q];
    }
    assert_close(t->objective, (double)objective, 1e-12 * (double)objective);
    for (int64_t j = 0; j < D * k; j++)
        assert_close(t->G[j], (double)G[j], 1e-11 * sqrt((double)(objective * H[0][0])));
    for (int j = 0; j < D; j++) assert_close(t->norms2[j], (double)H[j][j], 1e-12 * (double)H[j][j]);
    for (int p = 0; p < COUNT; p++)
        for (int q = 0; q < COUNT; q++)
            assert_close(t->gram[p * COUNT + q], (double)H[COLUMNS[p]][COLUMNS[q]], 1e-12 * (double)H[0][0]);
}

static void every_storage(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = small_numbers(N * D, 3), Y[2 * N], X[2 * D];
    gpis_random_normal(3, 1, 0, 2 * N, Y);
    gpis_random_normal(3, 2, 0, 2 * D, X);
    for (int how = 0; how < STORAGES; how++) {
        matrix m = store(a, N, D, how);
        gpis_source *A = source_of(context, &m, how);
        for (int64_t k = 1; k <= 2; k++)
            for (int extended = 0; extended < 2; extended++) {
                assert_ok(context, gpis_context_set_threads(context, 1));
                const answers one = run(context, A, k, X, Y, extended);
                check(a, k, X, Y, &one);
                assert_ok(context, gpis_context_set_threads(context, 3));
                const answers three = run(context, A, k, X, Y, extended);
                assert_memory_equal(&one, &three, sizeof one);
            }
        gpis_source_destroy(A);
        matrix_clear(&m);
    }
    free(a);
    test_context_end(context, &memory);
}

static gpis_status work(gpis_context *context, void *user) {
    double *a = user, gram[COUNT * COUNT];
    gpis_source *A = NULL;
    gpis_status status = gpis_source_dense(context, a, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, D, D, &A);
    const gpis_pass pass = {.columns = COLUMNS, .count = COUNT, .gram = gram};
    if (status == GPIS_OK) status = gpis_pass_run(context, A, &pass);
    gpis_source_destroy(A);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    double *a = small_numbers(N * D, 3);
    assert_true(test_every_allocation(work, a) >= 5);
    free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_storage), cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
