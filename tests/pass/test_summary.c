/*
 * The summary [A Y]'[A Y] of a pass against sums in quadruple precision: for every storage, many shapes, threads, parts
 * and ranks, the error of an entry is at most what gpis_pass_roundings says.
 */
#include "pass/cut.h"
#include "pass/pass.h"
#include "sketch/matrices.h"

__extension__ typedef __float128 quad; /* 113 bits: the products of two doubles are exact */

static gpis_source *source_of(gpis_context *context, const matrix *m, int stored_as) {
    const gpis_block *b = &m->block;
    gpis_source *A = NULL;
    if (b->kind == GPIS_BLOCK_CSR) {
        assert_ok(context, gpis_source_csr(context, b->nrows, b->d, b->indptr, b->indices, b->values, b->type, &A));
    } else {
        const bool columns = stored_as == COLUMN_64 || stored_as == COLUMN_32;
        assert_ok(context, gpis_source_dense(context, b->values, b->type, columns ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR,
                                             b->nrows, b->d, columns ? b->col_stride : b->row_stride, &A));
    }
    return A;
}

/* Data, and their summary in quadruple precision. */
typedef struct problem {
    int64_t n, d, k, p;
    double *a, *Y; /* owned: n x d, n x k */
    quad *W;       /* owned: p x p, upper triangle */
    double *norms; /* owned: of the columns of [A Y] */
} problem;

static double column_scale(int64_t j) { return pow(10.0, (double)(5 * j % 17 - 8)); }

/* Normal numbers; columns of very different scales, a third of the entries zero, and a few rows that are heavy by 1e6.
 * `single`: numbers that float32 holds. */
static problem make_problem(int64_t n, int64_t d, int64_t k, bool single) {
    problem t = {.n = n, .d = d, .k = k, .p = d + k};
    t.a = calloc((size_t)(n * d) + 1, sizeof(double)), t.Y = calloc((size_t)(n * k) + 1, sizeof(double));
    t.W = calloc((size_t)(t.p * t.p), sizeof(quad)), t.norms = calloc((size_t)t.p, sizeof(double));
    gpis_random_normal(1, 0, 0, n * d, t.a);
    gpis_random_normal(2, 0, 0, n * k, t.Y);
    for (int64_t i = 0; i < n * d; i++) {
        if (gpis_random_bits(3, 0, (uint64_t)i).v[0] % 3 == 0) t.a[i] = 0.0;
        t.a[i] *= column_scale(i % d) * (i / d % 97 == 11 ? 1e6 : 1.0);
        if (single) t.a[i] = (float)t.a[i];
    }
    return t;
}

static void make_reference(problem *t) {
    double *row = calloc((size_t)t->p, sizeof *row);
    for (int64_t r = 0; r < t->n; r++) {
        memcpy(row, t->a + r * t->d, (size_t)t->d * sizeof *row);
        memcpy(row + t->d, t->Y + r * t->k, (size_t)t->k * sizeof *row);
        for (int64_t i = 0; i < t->p; i++)
            for (int64_t j = i; j < t->p; j++) t->W[i * t->p + j] += (quad)row[i] * row[j];
    }
    for (int64_t i = 0; i < t->p; i++) t->norms[i] = sqrt((double)t->W[i * t->p + i]);
    free(row);
}

static void problem_clear(problem *t) { free(t->a), free(t->Y), free(t->W), free(t->norms); }

/* The largest error of an entry, in units of the norms of its two columns. */
static double largest_error(const problem *t, const double *W) {
    const double *low = W + t->p * t->p;
    double largest = 0.0;
    for (int64_t i = 0; i < t->p; i++)
        for (int64_t j = i; j < t->p; j++) {
            const int64_t at = i * t->p + j, mirrored = j * t->p + i;
            assert_true(W[at] == W[mirrored] && low[at] == low[mirrored]);
            assert_true(W[at] + low[at] == W[at]);
            const double error = fabs((double)((quad)W[at] + low[at] - t->W[at])), size = t->norms[i] * t->norms[j];
            if (size == 0.0) assert_true(error == 0.0);
            if (size > 0.0) largest = fmax(largest, error / size);
        }
    return largest;
}

/* The summary by one pass; the caller frees it. */
static double *summary_of(gpis_context *context, gpis_source *A, const problem *t, double *bound) {
    double *W = malloc((size_t)(2 * t->p * t->p) * sizeof *W);
    const gpis_pass pass = {.k = t->k, .Y = t->Y, .summary = W};
    assert_ok(context, gpis_pass_run(context, A, &pass));
    const gpis_load load = gpis_load_of(&pass, t->d);
    *bound = gpis_pass_roundings(A, &load).summary;
    return W;
}

static double worst_share; /* of the bound that an error has used up */

static void check(const problem *t, const double *W, double bound, const char *what) {
    const double error = largest_error(t, W);
    worst_share = fmax(worst_share, error / bound);
    if (!(error <= bound))
        fail_msg("%s, %lld x (%lld + %lld): an error of %.3g, and a bound of %.3g", what, (long long)t->n,
                 (long long)t->d, (long long)t->k, error, bound);
}

static bool holds_singles(int stored_as) {
    return stored_as == ROW_32 || stored_as == COLUMN_32 || stored_as == CSR_32;
}

static const char *const names[STORAGES] = {"rows",
                                            "rows of floats",
                                            "padded rows",
                                            "columns",
                                            "columns of floats",
                                            "compressed rows",
                                            "compressed rows of floats"};

static void every_storage_and_shape(void **state) {
    (void)state;
    static const int64_t rows[] = {1, 63, 64, 65, 5000},
                         columns[][2] = {{1, 0}, {2, 1}, {3, 5}, {16, 1}, {63, 1}, {62, 3}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            for (int single = 0; single < 2; single++) {
                problem t = make_problem(rows[r], columns[c][0], columns[c][1], single);
                make_reference(&t);
                for (int stored_as = 0; stored_as < STORAGES; stored_as++) {
                    if (holds_singles(stored_as) != single) continue;
                    matrix stored = store(t.a, t.n, t.d, stored_as);
                    gpis_source *A = source_of(context, &stored, stored_as);
                    double bound, *W = summary_of(context, A, &t, &bound);
                    check(&t, W, bound, names[stored_as]);
                    free(W);
                    gpis_source_destroy(A);
                    matrix_clear(&stored);
                }
                problem_clear(&t);
            }
    printf("errors use up to %.2g of their bounds\n", worst_share);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_storage_and_shape)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
