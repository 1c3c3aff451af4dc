/*
 * The residual of a row, A x - y, is a sum over the columns. Its count of roundings against the roundings of real
 * passes, as in test_longest_path.c; and the errors of a measured point, which follow from all the counts, against what
 * was measured wrongly.
 */
#include "linalg/dense.h"
#include "linalg/simd_level.h"
#include "worst_pass.h"

static const int masks[] = {0xff, 0x57, 0x55, 0x11, 0x01};
enum { MASKS = sizeof masks / sizeof masks[0] };

/* Row 0 of A has the roots of LARGE and of SMALL terms, and a one at its end. Two more rows are zero. */
static double *row_of_roots(int64_t d, worst_terms terms) {
    double *a = calloc((size_t)(3 * d), sizeof *a);
    for (int64_t j = 0; j + 1 < d; j++) a[j] = j == 0 ? terms.root_of_large : terms.root_of_small;
    a[d - 1] = 1.0;
    return a;
}

/* X makes the product of row 0 LARGE and some SMALL terms, those in `mask`; it is zero in the last column, so that the
 * last entry of the gradient is the residual of row 0. Returns the number of SMALL terms. */
static int64_t fill_point(double *X, int64_t d, int64_t k, worst_terms terms, int mask) {
    int64_t smalls = 0;
    for (int64_t j = 0; j + 1 < d; j++) {
        X[j * k] = j == 0 ? terms.root_of_large : mask >> (j % 8) & 1 ? terms.root_of_small : 0.0;
        smalls += j > 0 && X[j * k] != 0.0;
    }
    return smalls;
}

/* One more SMALL term comes from y. */
static double residual_off(gpis_context *context, gpis_source *A, const kind_of_pass *how, int mask, double *count) {
    const worst_terms terms = worst_terms_of(DBL_MANT_DIG);
    const int64_t d = A->d, k = how->k;
    double *Y = calloc((size_t)(A->n * k), sizeof *Y);
    made_pass m;
    made_pass_start(&m, how, d, Y);
    const int64_t smalls = fill_point(m.X, d, k, terms, mask);
    Y[0] = -terms.root_of_small * terms.root_of_small;
    assert_ok(context, gpis_pass_run(context, A, &m.pass));
    const gpis_load load = gpis_load_of(&m.pass, d);
    *count = gpis_pass_roundings(A, &load).residual;
    const double off = units_off(terms, m.G[(d - 1) * k], smalls + 1);
    made_pass_clear(&m);
    free(Y);
    return off;
}

/* Besides the roundings that are counted, gpis_pass_point allows for two: of the product, and of y. In extended
 * precision the residual is rounded to double at the end, which hides the others. */
static void every_storage_and_pass(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t d = 2; d <= 400; d += d < 30 ? 1 : 185)
        for (int p = 0; p < PASSES; p++) {
            const kind_of_pass *how = &passes[p];
            if (how->extended) continue;
            double *a = row_of_roots(d, worst_terms_of(DBL_MANT_DIG));
            for (int stored_as = 0; stored_as < ALL_STORAGES; stored_as++) {
                const bool any_order = stored_as == CSR_64 || stored_as == CSR_32 || by_blas(how, d);
                double most = 0.0, count = 0.0;
                matrix m = stored_rows(a, 3, d, stored_as);
                gpis_source *A = source_of(context, &m, stored_as);
                for (int t = 0; t < MASKS; t++) most = fmax(most, residual_off(context, A, how, masks[t], &count));
                if (most + 1.0 > count + 2.0 || (!any_order && count > 2.0 * most + 12.0))
                    fail_msg("%s, %d columns, storage %d: %.2f roundings of a product were found, and %.2f counted",
                             how->name, (int)d, stored_as, most, count);
                gpis_source_destroy(A);
                matrix_clear(&m);
            }
            free(a);
        }
    test_context_end(context, &memory);
}

/*
 * y_0 is LARGE or zero. In the first case LARGE cancels and the residual is the sum of the SMALL terms, most of which
 * are lost: its error is that of the terms before they cancel. In the second the square of the residual and A'r are off
 * as well. Returns the error of the residual as a fraction of the stated one.
 */
static double check_point(gpis_context *context, int64_t d, int stored_as, bool cancel, bool extended, int mask) {
    const kind_of_pass how = {"point", 1, 0, extended, NO_GRAM, false, 0};
    const worst_terms terms = worst_terms_of(extended ? LDBL_MANT_DIG : DBL_MANT_DIG);
    const double small = terms.root_of_small * terms.root_of_small;
    double *a = row_of_roots(d, terms), *norms2 = calloc((size_t)d, sizeof *norms2), Y[3] = {0};
    matrix m = stored_rows(a, 3, d, stored_as);
    gpis_source *A = source_of(context, &m, stored_as);
    made_pass made;
    made_pass_start(&made, &how, d, Y);
    made.pass.norms2 = norms2;
    const int64_t smalls = fill_point(made.X, d, 1, terms, mask);
    if (cancel) Y[0] = terms.root_of_large * terms.root_of_large; /* what is left are the SMALL terms, exactly */
    assert_ok(context, gpis_pass_run(context, A, &made.pass));
    const gpis_point point = gpis_pass_point(A, &made.pass, norms2);
    const long double large = cancel ? 0.0L : (long double)terms.root_of_large * terms.root_of_large;
    const long double r = large + (long double)smalls * small, computed = made.G[d - 1];
    const double e = (double)fabsl(computed - r), f_off = (double)fabsl(made.objective - r * r);
    if (e > point.errors.residual * (1.0 + 1e-12) + point.errors.product || f_off > point.errors.objective)
        fail_msg("%d columns, storage %d: residual off by %g, %g stated; objective off by %g, %g stated", (int)d,
                 stored_as, e, point.errors.residual, f_off, point.errors.objective);
    for (int64_t j = 0; j < d; j++) /* of the error h of A'(r + e) */
        assert_true(fabsl(made.G[j] - a[j] * computed) <= sqrt(norms2[j]) * point.errors.product);
    made_pass_clear(&made);
    gpis_source_destroy(A);
    matrix_clear(&m);
    free(a), free(norms2);
    return e / point.errors.residual;
}

static void errors_of_a_point(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t d = 3; d <= 400; d += d < 20 ? 1 : 185)
        for (int stored_as = 0; stored_as < ALL_STORAGES; stored_as++)
            for (int how = 0; how < 4; how++) {
                const bool cancel = how & 1, extended = how & 2;
                double most = 0.0;
                for (int t = 0; t < MASKS; t++)
                    most = fmax(most, check_point(context, d, stored_as, cancel, extended, masks[t]));
                if (stored_as == COLUMN_64 && !extended) assert_true(most > 0.05); /* the bound is not idle */
            }
    test_context_end(context, &memory);
}

/* The kernels of all instruction sets that this machine has, by themselves: products of rows, sums of squares, and the
 * Gram matrix of a block. */
static void check_kernels(int level, int64_t n) {
    const gpis_dense_kernels *kernels = gpis_dense_kernels_at(level);
    const worst_terms terms = worst_terms_of(DBL_MANT_DIG);
    double *a = row_of_roots(n, terms), *x = calloc((size_t)(2 * n), 8), *r = calloc((size_t)n, 8);
    double *g = calloc((size_t)(2 * n), 8), dots = 0.0, squares = 0.0, gram = 0.0;
    const gpis_block row = gpis_block_dense(GPIS_FLOAT64, 0, 1, n, a);
    for (int t = 0; t < MASKS; t++) {
        const int64_t smalls = fill_point(x, n, 1, terms, masks[t]);
        kernels->gradient(&row, x, NULL, 1, r, NULL);
        dots = fmax(dots, units_off(terms, r[0], smalls));
    }
    memset(x, 0, (size_t)(2 * n) * sizeof *x);
    for (int64_t block = 1; block <= 8; block *= 2) { /* n rows of one column, of which every `block`-th is SMALL */
        int64_t smalls = 0;
        for (int64_t i = 0; i < n; i++) {
            const bool chosen = i < block || i % block == 0;
            a[i] = i == 0 ? terms.root_of_large : chosen ? terms.root_of_small : 0.0;
            smalls += i > 0 && chosen;
        }
        const gpis_block rows = gpis_block_dense(GPIS_FLOAT64, 0, n, 1, a);
        double H = 0.0;
        squares = fmax(squares, units_off(terms, kernels->gradient(&rows, NULL, a, 1, r, g), smalls));
        squares = fmax(squares, units_off(terms, kernels->gradients(&rows, 2, x, a, 1, g), smalls));
        gpis_gram_add_at(level, &rows, (gpis_ahead){NULL, 0}, &H);
        gram = fmax(gram, units_off(terms, H, smalls));
    }
    if (dots + 1.0 > (double)gpis_dense_dot_roundings(n, kernels->lanes) ||
        squares + 1.0 > (double)gpis_dense_square_roundings(n) || gram > (double)n)
        fail_msg("instruction set %d, length %d: %.1f, %.1f and %.1f roundings found", level, (int)n, dots, squares,
                 gram);
    free(a), free(x), free(r), free(g);
}

static void every_instruction_set(void **state) {
    (void)state;
    for (int level = 0; level < GPIS_SIMD_LEVELS; level++)
        for (int64_t n = 2; n <= 3000 && gpis_dense_kernels_at(level); n += n < 70 ? 1 : n / 2) check_kernels(level, n);
}

/* Many rows at X = 0: the errors are those of the sums over rows. */
static void errors_of_long_sums(void **state) {
    (void)state;
    enum { N = 1000, D = 2 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    worst_rows w = worst_rows_new(N, D, 1, worst_terms_of(DBL_MANT_DIG));
    for (int64_t i = 0; i < N; i++) worst_rows_set(&w, i, true, false);
    for (int stored_as = 0; stored_as < ALL_STORAGES; stored_as++) {
        matrix m = stored_rows(w.A, N, D, stored_as);
        gpis_source *A = source_of(context, &m, stored_as);
        double norms2[D];
        made_pass made;
        made_pass_start(&made, &passes[0], D, w.Y);
        made.pass.norms2 = norms2;
        assert_ok(context, gpis_pass_run(context, A, &made.pass));
        const gpis_errors errors = gpis_pass_point(A, &made.pass, norms2).errors;
        const double sum = (double)(N - 1) * w.terms.root_of_small * w.terms.root_of_small, large = 0x1p54;
        assert_true(fabs((large - made.objective) + sum) <= errors.objective);
        assert_true(fabs((large + made.G[0]) + sum) <= sqrt(norms2[0]) * errors.product);
        made_pass_clear(&made);
        gpis_source_destroy(A);
        matrix_clear(&m);
    }
    worst_rows_clear(&w);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_storage_and_pass), cmocka_unit_test(errors_of_a_point),
                                       cmocka_unit_test(errors_of_long_sums), cmocka_unit_test(every_instruction_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
