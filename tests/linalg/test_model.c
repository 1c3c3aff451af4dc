/* The model of A'A: its factor, its inverse, and the bound A'A >= c H_R - slack D^2, checked by eigenvalues. */
#include "linalg/model.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <omp.h>

#include "support.h"

enum { N = 60 };

/* What happens to the columns of a random matrix. */
typedef enum shape { FINE, SCALED, ILL, DUPLICATE, ZERO, ZERO_AND_DUPLICATE, WIDE, SHAPES } shape;

/* N x d (WIDE: fewer rows than columns), row-major, freed by the caller. */
static double *matrix_of(shape what, int64_t d, int64_t *n, uint64_t seed) {
    *n = what == WIDE ? (d + 1) / 2 : N;
    double *a = malloc((size_t)(*n * d) * sizeof *a);
    gpis_random_normal(seed, 1, 0, *n * d, a);
    for (int64_t i = 0; i < *n; i++)
        for (int64_t j = 0; j < d; j++) {
            double *v = &a[i * d + j];
            if (what == SCALED) *v *= pow(10.0, (double)(j % 9 - 4) * 12.0);
            if (what == ILL && j > 0) *v = a[i * d] + 1e-6 * *v;
            if ((what == DUPLICATE || what == ZERO_AND_DUPLICATE) && j == d - 1) *v = -3.0 * a[i * d];
            if ((what == ZERO || what == ZERO_AND_DUPLICATE) && j == d / 2) *v = 0.0;
        }
    return a;
}

static long double *exact_gram(const double *a, int64_t n, int64_t d) {
    long double *H = calloc((size_t)(d * d), sizeof *H);
    for (int64_t i = 0; i < n; i++)
        for (int64_t p = 0; p < d; p++)
            for (int64_t q = 0; q < d; q++) H[p * d + q] += (long double)a[i * d + p] * a[i * d + q];
    return H;
}

static gpis_model *model_of(gpis_context *context, const double *a, int64_t n, int64_t d) {
    double *H = gpis_alloc_zero(context, d * d, sizeof *H);
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)n, 1.0, a, (int)d, 0.0, H, (int)d);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < i; j++) H[i * d + j] = H[j * d + i];
    gpis_model *model = NULL;
    assert_ok(context, gpis_model_create(context, d, H, (double)n + 8.0, &model));
    return model;
}

/* The least eigenvalue of D^-1 (A'A - c D R'R D) D^-1 + slack I over the columns that are not zero, in units of the
 * rounding errors of its own evaluation. The bounds are made with the factor R. */
static double least_eigenvalue(const gpis_model *m, const long double *gram) {
    const int64_t d = m->d;
    double *M = malloc((size_t)(d * d) * sizeof *M), *values = malloc((size_t)d * sizeof *values);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) {
            const bool zero = gram[i * d + i] == 0 || gram[j * d + j] == 0;
            long double RR = 0;
            for (int64_t p = 0; p <= i; p++) RR += (long double)m->R[p * d + i] * m->R[p * d + j];
            const long double T = gram[i * d + j] * m->scale[i] * m->scale[j] - m->c * RR + (i == j ? m->slack : 0.0);
            M[i * d + j] = zero ? (i == j ? 1.0 : 0.0) : (double)T;
        }
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (int)d, M, (int)d, values), 0);
    const double least = values[0];
    free(M), free(values);
    return least;
}

static void lower_bound_of_the_gram_matrix(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int what = 0; what < SHAPES; what++)
        for (int64_t d = 1; d <= 40; d += 3)
            for (uint64_t seed = 0; seed < 4; seed++) {
                if (d < 4 && what > SCALED) continue;
                int64_t n;
                double *a = matrix_of(what, d, &n, seed);
                long double *gram = exact_gram(a, n, d);
                gpis_model *m = model_of(context, a, n, d);
                assert_true(m->c > 0.0 && m->c <= 1.0 && m->slack >= 0.0);
                const double least = least_eigenvalue(m, gram);
                if (!(least >= -8.0 * (double)d * DBL_EPSILON))
                    fail_msg("shape %d, d = %lld: least eigenvalue %g, c %g, slack %g", what, (long long)d, least, m->c,
                             m->slack);
                if (what == FINE || what == SCALED || what == ZERO) assert_true(m->slack == 0.0 && m->c > 0.999);
                if (what == DUPLICATE || what == WIDE) assert_true(m->slack > 0.0 && m->slack < 1e-9);
                gpis_model_destroy(m);
                free(a), free(gram);
            }
    test_context_end(context, &memory);
}

/* inverse >= ||T^-1||, and not much larger; columns of zeros are left out. */
static void inverse_bounds_the_norm(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int what = 0; what < SHAPES; what++) {
        enum { D = 12 };
        int64_t n;
        double *a = matrix_of(what, D, &n, 9), T[D * D], values[D];
        gpis_model *m = model_of(context, a, n, D);
        for (int i = 0; i < D; i++)
            for (int j = i; j < D; j++) {
                long double RR = 0;
                for (int p = 0; p <= i; p++) RR += (long double)m->R[p * D + i] * m->R[p * D + j];
                T[i * D + j] = (double)RR;
            }
        assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', D, T, D, values), 0);
        const double own = 8.0 * D * DBL_EPSILON; /* the rounding errors of dsyev */
        assert_true(m->inverse >= (1.0 - 1e-6) / (fmax(values[0], 0.0) + own));
        if (values[0] > 2.0 * own) assert_true(m->inverse <= D * 1.01 / (values[0] - own));
        gpis_model_destroy(m);
        free(a);
    }
    test_context_end(context, &memory);
}

/* solve undoes apply; whiten's square is <v, H^-1 v>; apply is a plain product. */
static void apply_solve_whiten(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    static const int64_t sizes[] = {1, 2, 7, 25};
    for (size_t i = 0; i < 4; i++)
        for (int64_t k = 1; k <= 4; k++)
            for (int what = FINE; what <= SCALED; what++) {
                const int64_t d = sizes[i];
                int64_t n;
                double *a = matrix_of(what, d, &n, i), *V = malloc((size_t)(3 * d * k) * sizeof *V);
                double *HV = V + d * k, *W = HV + d * k;
                gpis_model *m = model_of(context, a, n, d);
                gpis_random_normal(4, 4, 0, d * k, V);
                for (int64_t j = 0; j < d * k; j++) V[j] *= m->scale[j / k];
                gpis_model_apply(m, k, V, HV);
                double quadratic = 0.0, whitened = 0.0;
                for (int64_t j = 0; j < d; j++)
                    for (int64_t c = 0; c < k; c++) {
                        long double sum = 0;
                        for (int64_t q = 0; q < d; q++) sum += (long double)m->H[j * d + q] * V[q * k + c];
                        assert_close(HV[j * k + c] * m->scale[j], (double)(sum * m->scale[j]), 1e-12);
                        quadratic += V[j * k + c] * HV[j * k + c];
                    }
                memcpy(W, HV, (size_t)(d * k) * sizeof *W);
                gpis_model_whiten(m, k, W);
                for (int64_t j = 0; j < d * k; j++) whitened += W[j] * W[j];
                assert_close(whitened, quadratic, 1e-10 * quadratic);
                gpis_model_solve(m, k, HV);
                for (int64_t j = 0; j < d * k; j++)
                    assert_close(HV[j] / m->scale[j / k], V[j] / m->scale[j / k], 1e-10);
                gpis_model_destroy(m);
                free(a), free(V);
            }
    test_context_end(context, &memory);
}

/* A column of zeros has no curvature: it is zero in H, and 1 on the diagonal of the factor. */
static void zero_columns_stand_apart(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int what = ZERO; what <= ZERO_AND_DUPLICATE; what++) {
        enum { D = 8, J = D / 2 };
        int64_t n;
        double *a = matrix_of(what, D, &n, 2);
        gpis_model *m = model_of(context, a, n, D);
        for (int j = 0; j < D; j++) {
            assert_true(m->H[J * D + j] == 0.0 && m->H[j * D + J] == 0.0);
            if (j != J) assert_true(m->R[gpis_min64(j, J) * D + gpis_max64(j, J)] == 0.0);
        }
        gpis_model_destroy(m);
        free(a);
    }
    test_context_end(context, &memory);
}

static gpis_status create_and_destroy(gpis_context *context, void *user) {
    (void)user;
    double *H = gpis_alloc_zero(context, 9, sizeof *H);
    if (!H) return GPIS_NO_MEMORY;
    H[0] = H[4] = H[8] = 2.0;
    gpis_model *model = NULL;
    const gpis_status status = gpis_model_create(context, 3, H, 10.0, &model);
    assert_true((model != NULL) == (status == GPIS_OK));
    gpis_model_destroy(model);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    assert_int_equal(test_every_allocation(create_and_destroy, NULL), 5);
}

/* Two nearly parallel columns, 1e-10 apart and in other units: lost in H, kept by the rows; equal ones change nothing.
 */
static void rows_keep_what_the_gram_matrix_loses(void **state) {
    (void)state;
    enum { M = 9, D = 2 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int equal = 0; equal < 2; equal++) {
        double B[M * D], *H = gpis_alloc_zero(context, D * D, sizeof *H);
        for (int i = 0; i < M; i++) {
            B[i * D] = 1.0;
            B[i * D + 1] = 1000.0 * (1.0 + (equal ? 0.0 : ldexp(i % 3 - 1.0, -33)));
            for (int j = 0; j < D * D; j++) H[j] += B[i * D + j / D] * B[i * D + j % D];
        }
        gpis_model *model = NULL;
        assert_ok(context, gpis_model_create(context, D, H, 20.0, &model));
        assert_true(model->shift > 0.0);
        assert_ok(context, gpis_model_hold_rows(model, M, B));
        assert_int_equal(model->by_rows, !equal);
        /* p = (1000, -1) has B p = -1000 ldexp(i % 3 - 1, -33): its energy is 6e6 2^-66 */
        double p[D] = {1000.0, -1.0}, Hp[D];
        gpis_model_apply(model, 1, p, Hp);
        if (!equal) {
            assert_close((p[0] * Hp[0] + p[1] * Hp[1]) / ldexp(6e6, -66), 1.0, 1e-4);
            gpis_model_solve(model, 1, Hp); /* back again */
            assert_close(Hp[0], 1000.0, 0.1);
            assert_close(Hp[1], -1.0, 1e-4);
        }
        gpis_model_destroy(model);
    }
    test_context_end(context, &memory);
}

int main(void) {
    omp_set_num_threads(1); /* as inside the library */
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_keep_what_the_gram_matrix_loses),
                                       cmocka_unit_test(lower_bound_of_the_gram_matrix),
                                       cmocka_unit_test(inverse_bounds_the_norm),
                                       cmocka_unit_test(apply_solve_whiten),
                                       cmocka_unit_test(zero_columns_stand_apart),
                                       cmocka_unit_test(lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
