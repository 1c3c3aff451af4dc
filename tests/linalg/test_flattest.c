/* The flattest direction of a model: the smallest singular value of A with columns of unit norm, by LAPACK, and the
 * columns that take part in it, which are known. */
#include "linalg/flattest.h"

#include <lapacke.h>

#include "support.h"

enum { N = 60, D = 7 };

static void nearly_dependent_columns(void **state) {
    (void)state;
    for (double apart = 1.0; apart > 5e-6; apart *= 0.1) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        double A[N * D], S[D], superb[D], z[D], scale[D] = {0};
        gpis_random_normal(5, 0, 0, N * D, A);
        for (int i = 0; i < N; i++) {
            A[i * D + 6] = A[i * D + 1] - 2 * A[i * D + 4] + apart * A[i * D + 6];
            A[i * D + 3] *= 1e6; /* units do not matter */
        }
        double *H = gpis_alloc_zero(context, D * D, sizeof *H);
        assert_non_null(H);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < D; j++)
                for (int l = 0; l < D; l++) H[j * D + l] += A[i * D + j] * A[i * D + l];
        for (int j = 0; j < D; j++) scale[j] = 1 / sqrt(H[j * (D + 1)]);
        for (int i = 0; i < N * D; i++) A[i] *= scale[i % D];
        gpis_model *model = NULL;
        assert_ok(context, gpis_model_create(context, D, H, N, &model));
        const double norm = gpis_model_flattest(model, z);
        assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', N, D, A, D, S, NULL, 1, NULL, 1, superb), 0);
        if (fabs(norm - S[D - 1]) > 0.02 * S[D - 1]) fail_msg("apart %g: %g, not %g", apart, norm, S[D - 1]);
        for (int j = 0; apart < 0.01 && j < D; j++) {
            const bool involved = j == 1 || j == 4 || j == 6;
            if ((fabs(z[j]) > 0.03) != involved) fail_msg("apart %g: column %d has a part of %g", apart, j, z[j]);
        }
        gpis_model_destroy(model);
        test_context_end(context, &memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nearly_dependent_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
