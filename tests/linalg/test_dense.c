/* The dense kernels against long double, in every storage, for shapes around the width of the vectors. */
#include "linalg/dense.h"
#include "linalg/simd_level.h"
#include "sketch/matrices.h"

typedef struct sample {
    int64_t n, d, y_stride;
    double *a, *x, *y, *g0; /* a: row-major, entries that float32 holds */
} sample;

static sample sample_make(int64_t n, int64_t d, int64_t y_stride) {
    sample s = {n, d, y_stride, small_numbers(n * d, (uint64_t)(100 * n + d)), NULL, NULL, NULL};
    double *v = calloc((size_t)(2 * d + n * y_stride), sizeof *v);
    gpis_random_normal(3, 0, 0, 2 * d + n * y_stride, v);
    s.x = v;
    s.g0 = v + d;
    s.y = v + 2 * d;
    return s;
}

static void sample_clear(sample *s) {
    free(s->a);
    free(s->x);
}

/* r = A x - y and g = g0 + A'r, each with the sum of the absolute values of its terms, to which its rounding errors are
 * relative. */
static void check_sample(const gpis_dense_kernels *kernels, const sample *s, const gpis_block *block, bool with_x,
                         bool with_y, bool with_g) {
    double *r = malloc((size_t)s->n * sizeof *r), *g = malloc((size_t)s->d * sizeof *g);
    memcpy(g, s->g0, (size_t)s->d * sizeof *g);
    const double norm2 =
        kernels->gradient(block, with_x ? s->x : NULL, with_y ? s->y : NULL, s->y_stride, r, with_g ? g : NULL);
    long double expected = 0;
    for (int64_t i = 0; i < s->n; i++) {
        long double sum = with_y ? -(long double)s->y[i * s->y_stride] : 0, size = fabsl(sum);
        for (int64_t j = 0; with_x && j < s->d; j++) {
            sum += (long double)s->a[i * s->d + j] * s->x[j];
            size += fabsl((long double)s->a[i * s->d + j] * s->x[j]);
        }
        assert_close(r[i], (double)sum, (double)((s->d + 2) * size) * 1.2e-16);
        expected += (long double)r[i] * r[i];
    }
    assert_close(norm2, (double)expected, (double)((s->n + 2) * expected) * 1.2e-16);
    for (int64_t j = 0; j < s->d; j++) {
        long double sum = s->g0[j], size = fabsl(sum);
        for (int64_t i = 0; with_g && i < s->n; i++) {
            sum += (long double)s->a[i * s->d + j] * r[i];
            size += fabsl((long double)s->a[i * s->d + j] * r[i]);
        }
        assert_close(g[j], (double)sum, (double)((s->n + 2) * size) * 1.2e-16);
    }
    free(r);
    free(g);
}

/* Several vectors at once, the first with y: each must agree with long double, as a single vector does. */
static void check_many(const gpis_dense_kernels *kernels, const sample *s, const gpis_block *block, int count) {
    const int64_t n = s->n, d = s->d;
    double *X = malloc((size_t)(2 * count * d) * sizeof *X), *G = X + count * d, norm2;
    gpis_random_normal(4, 0, 0, 2 * count * d, X);
    double *before = malloc((size_t)(count * d) * sizeof *before), *r = malloc((size_t)n * sizeof *r);
    memcpy(before, G, (size_t)(count * d) * sizeof *G);
    norm2 = kernels ? kernels->gradients(block, count, X, s->y, s->y_stride, G)
                    : gpis_dense_gradients(block, count, X, s->y, s->y_stride, r, G);
    for (int v = 0; v < count; v++) {
        long double squares = 0, scale = 0, a2 = 0;
        long double *residual = calloc((size_t)n, sizeof *residual);
        for (int64_t i = 0; i < n; i++) {
            long double size = residual[i] = v == 0 ? -(long double)s->y[i * s->y_stride] : 0;
            size = fabsl(size);
            for (int64_t j = 0; j < d; j++) {
                residual[i] += (long double)s->a[i * d + j] * X[v * d + j];
                size += fabsl((long double)s->a[i * d + j] * X[v * d + j]);
                a2 += (long double)s->a[i * d + j] * s->a[i * d + j];
            }
            squares += residual[i] * residual[i];
            scale += size * size;
        }
        const double slack = (double)(n + d + 8) * 1.2e-16 * (double)sqrtl(scale);
        if (v == 0) assert_close(norm2, (double)squares, 2.0 * slack * (double)sqrtl(scale));
        for (int64_t j = 0; j < d; j++) {
            long double sum = before[v * d + j];
            for (int64_t i = 0; i < n; i++) sum += (long double)s->a[i * d + j] * residual[i];
            assert_close(G[v * d + j], (double)sum, slack * (double)sqrtl(a2) + 1e-15 * fabs(before[v * d + j]));
        }
        free(residual);
    }
    free(X), free(before), free(r);
}

static void check_norms(const sample *s, const gpis_block *block) {
    double *norms2 = malloc((size_t)s->d * sizeof *norms2);
    for (int64_t j = 0; j < s->d; j++) norms2[j] = 0.5; /* the kernels add to what is there */
    gpis_dense_column_norms(block, norms2);
    for (int64_t j = 0; j < s->d; j++) {
        double sum = 0.5; /* multiples of 1/64: exact */
        for (int64_t i = 0; i < s->n; i++) sum += s->a[i * s->d + j] * s->a[i * s->d + j];
        assert_true(norms2[j] == sum);
    }
    free(norms2);
}

static void check_shape(int64_t n, int64_t d, int64_t y_stride) {
    static const storage dense[] = {ROW_64, ROW_32, ROW_64_PADDED, COLUMN_64, COLUMN_32};
    sample s = sample_make(n, d, y_stride);
    for (size_t i = 0; i < sizeof dense / sizeof *dense; i++) {
        matrix a = store(s.a, n, d, dense[i]);
        for (int level = 0; level < GPIS_SIMD_LEVELS; level++) {
            const gpis_dense_kernels *kernels = gpis_dense_kernels_at(level);
            if (!kernels) continue;
            check_sample(kernels, &s, &a.block, true, true, true);
            check_sample(kernels, &s, &a.block, false, true, true);
            check_sample(kernels, &s, &a.block, true, false, true);
            check_sample(kernels, &s, &a.block, true, true, false);
            if (gpis_block_is_row_major(&a.block)) check_many(kernels, &s, &a.block, 1 + (int)(n + d) % 5);
        }
        check_many(NULL, &s, &a.block, 1 + (int)(n + 2 * d) % 5);
        check_norms(&s, &a.block);
        matrix_clear(&a);
    }
    sample_clear(&s);
}

static void every_small_shape(void **state) {
    (void)state;
    for (int64_t n = 1; n <= 40; n++)
        for (int64_t d = 1; d <= 40; d++) check_shape(n, d, 1 + (n + d) % 3);
}

static void shapes_around_multiples_of_eight(void **state) {
    (void)state;
    static const int64_t sizes[] = {63, 64, 65, 127, 128, 129, 255, 257};
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 8; j++) check_shape(sizes[i], sizes[j], 1);
}

/* NaN around the rows and columns: a kernel that reads beyond them computes NaN, one that writes changes them. */
static void nothing_beside_the_chunk_is_touched(void **state) {
    (void)state;
    enum { N = 21, D = 13, PAD = 16 };
    for (int column = 0; column < 2; column++)
        for (int single = 0; single < 2; single++) {
            const int64_t ld = (column ? N : D) + PAD, lines = column ? D : N, length = column ? N : D;
            void *values = malloc((size_t)(ld * (lines + PAD)) * sizeof(double));
            for (int64_t p = 0; p < ld * (lines + PAD); p++)
                put(values, single ? GPIS_FLOAT32 : GPIS_FLOAT64, p, p / ld < lines && p % ld < length ? 1.0 : NAN);
            const gpis_block block = {.type = single ? GPIS_FLOAT32 : GPIS_FLOAT64,
                                      .nrows = N,
                                      .d = D,
                                      .values = values,
                                      .row_stride = column ? 1 : ld,
                                      .col_stride = column ? ld : 1};
            double x[D + PAD], y[N + PAD], r[N + PAD], g[D + PAD];
            for (int i = 0; i < D + PAD; i++) x[i] = i < D ? 1.0 : NAN, g[i] = i < D ? 0.0 : -7.0;
            for (int i = 0; i < N + PAD; i++) y[i] = i < N ? 3.0 : NAN, r[i] = -7.0;
            const double norm2 = gpis_dense_gradient(&block, x, y, 1, r, g);
            assert_true(norm2 == N * (D - 3.0) * (D - 3.0));
            for (int i = 0; i < N + PAD; i++) assert_true(r[i] == (i < N ? D - 3.0 : -7.0));
            for (int i = 0; i < D + PAD; i++) assert_true(g[i] == (i < D ? N * (D - 3.0) : -7.0));
            free(values);
        }
}

/* ---- weights and the column of ones ---- */

enum { MOST_ROWS = 40, MOST_WIDTH = 18, VECTORS = 5 };

/* Whole numbers and multiples of 1/8, for which every sum is exact in whatever order it is made. */
typedef struct exact_case {
    const sample *s;
    int count; /* of vectors, of which the first has y */
    double X[VECTORS * MOST_WIDTH], weights[MOST_ROWS];
} exact_case;

/* The sum of w r^2 for vector v, and G += [A 1]'(w r); rows and columns one by one. */
static double expect(const exact_case *c, const gpis_block *b, int v, bool with_x, double *g) {
    const int64_t d = c->s->d, width = gpis_block_width(b);
    const double *x = c->X + v * width;
    double squares = 0.0;
    for (int64_t i = 0; i < c->s->n; i++) {
        double r = v == 0 ? -c->s->y[i * c->s->y_stride] : 0.0;
        for (int64_t j = 0; with_x && j < d; j++) r += c->s->a[i * d + j] * x[j];
        if (with_x && b->constant) r += x[d];
        const double factor = b->weights ? b->weights[i] * r : r;
        squares += factor * r;
        for (int64_t j = 0; j < d; j++) g[j] += c->s->a[i * d + j] * factor;
        if (b->constant) g[d] += factor;
    }
    return squares;
}

static void check_terms(const exact_case *c, const gpis_dense_kernels *kernels, const gpis_block *b) {
    const int64_t width = gpis_block_width(b);
    double r[MOST_ROWS], G[VECTORS * MOST_WIDTH], expected[VECTORS * MOST_WIDTH];
    for (int with_x = 0; with_x < 2; with_x++) {
        for (int64_t j = 0; j < width; j++) G[j] = expected[j] = (double)j;
        const double squares = expect(c, b, 0, with_x, expected);
        const double found = kernels->gradient(b, with_x ? c->X : NULL, c->s->y, c->s->y_stride, r, G);
        assert_true(found == squares && memcmp(G, expected, (size_t)width * sizeof *G) == 0);
        assert_true(kernels->gradient(b, with_x ? c->X : NULL, c->s->y, c->s->y_stride, r, NULL) == squares);
    }
    if (!gpis_block_is_row_major(b)) return;
    double squares = 0.0;
    for (int64_t j = 0; j < c->count * width; j++) G[j] = expected[j] = (double)j;
    for (int v = c->count - 1; v >= 0; v--) squares = expect(c, b, v, true, expected + v * width);
    assert_true(kernels->gradients(b, c->count, c->X, c->s->y, c->s->y_stride, G) == squares);
    for (int64_t j = 0; j < c->count * width; j++) assert_true(G[j] == expected[j]);
}

static void check_terms_of_shape(int64_t n, int64_t d, int64_t y_stride) {
    static const storage dense[] = {ROW_64, ROW_32, COLUMN_64, COLUMN_32};
    sample s = sample_make(n, d, y_stride);
    exact_case c = {.s = &s, .count = 1 + (int)(n + d) % VECTORS};
    for (int64_t i = 0; i < n * y_stride; i++) s.y[i] = (double)(i * 7 % 11 - 5);
    for (int i = 0; i < VECTORS * MOST_WIDTH; i++) c.X[i] = (double)(i * 5 % 9 - 4);
    for (int i = 0; i < MOST_ROWS; i++) c.weights[i] = 0.5 * (double)(i * 3 % 7);
    for (size_t k = 0; k < sizeof dense / sizeof *dense; k++)
        for (int which = 0; which < 4; which++) {
            matrix a = store(s.a, n, d, dense[k]);
            a.block.weights = which & 1 ? c.weights : NULL;
            a.block.constant = which & 2;
            for (int level = 0; level < GPIS_SIMD_LEVELS; level++) {
                const gpis_dense_kernels *kernels = gpis_dense_kernels_at(level);
                if (kernels) check_terms(&c, kernels, &a.block);
            }
            matrix_clear(&a);
        }
    sample_clear(&s);
}

/* As if the rows had been written down with their weights, and the column of ones with them. */
static void weights_and_the_column_of_ones(void **state) {
    (void)state;
    for (int64_t n = 1; n <= MOST_ROWS; n++)
        for (int64_t d = 1; d < MOST_WIDTH; d++) check_terms_of_shape(n, d, 1 + (n + d) % 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_shape), cmocka_unit_test(shapes_around_multiples_of_eight),
        cmocka_unit_test(nothing_beside_the_chunk_is_touched), cmocka_unit_test(weights_and_the_column_of_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
