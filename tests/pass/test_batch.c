/* Minibatches: the largest eigenvalue of A_j'A_j, which the step of saga is made of. */
#include "pass/batch.h"
#include "sketch/matrices.h"

enum { ROWS = 3, COLUMNS = 4 };

static double norm2_of(gpis_context *context, const double *A, bool csr) {
    const gpis_terms none = {0};
    matrix stored = store(A, ROWS, COLUMNS, csr ? CSR_64 : ROW_64);
    const gpis_block *b = &stored.block;
    gpis_source *source;
    gpis_batches batches;
    gpis_block rows;
    double work[ROWS * (ROWS + 1)];
    for (int i = 0; i < ROWS * (ROWS + 1); i++) work[i] = 1e300; /* what is not written shows */
    if (csr)
        assert_ok(context, gpis_source_csr(context, ROWS, COLUMNS, b->indptr, b->indices, b->values, b->type, &source));
    else
        assert_ok(context,
                  gpis_source_dense(context, b->values, b->type, GPIS_ROW_MAJOR, ROWS, COLUMNS, COLUMNS, &source));
    assert_ok(context, gpis_batches_start(context, source, A, 1, &none, ROWS, &batches));
    gpis_batch_take(&batches, 0, &rows);
    const double norm2 = gpis_batch_norm2(&batches, &rows, work);
    gpis_batches_end(context, &batches);
    gpis_source_destroy(source);
    matrix_clear(&stored);
    return norm2;
}

static void largest_eigenvalue(void **state) {
    (void)state;
    /* the second row is orthogonal to the others, whose A A' = (5 3; 3 5) has the eigenvalues 2 and 8 */
    double A[ROWS * COLUMNS] = {1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 2.0, 1.0, -1.0, 2.0, 0.0, 0.0};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int csr = 0; csr < 2; csr++) {
        A[0] = 1.0;
        assert_true(fabs(norm2_of(context, A, csr) - 8.0) < 1e-14);
        A[0] = NAN;
        assert_true(isnan(norm2_of(context, A, csr)));
    }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_eigenvalue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
