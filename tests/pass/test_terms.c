/*
 * Weights, the constant column and the ridge in every sum of a pass, for every storage: compared with the larger matrix
 * sqrt(w_i) [a_i 1], sqrt(ridge_j) e_j in quadruple precision. Errors must stay within what the measured point and
 * gpis_pass_roundings allow, with weights over twelve orders of magnitude, some of them zero.
 */
#include "pass/pass.h"

#include "linalg/rounding.h"
#include "support.h"

typedef __float128 quad;

enum { N = 1500, COLUMNS = 11, D = COLUMNS + 1, MOST = 12, STORAGES = 6 };

static double A[N * COLUMNS], AT[COLUMNS * N], Y[N * MOST], weights[N], X[D * MOST], V[D * MOST], ridge[D];
static float AF[N * COLUMNS];
static double stored[N * COLUMNS]; /* what the storage holds */
static int64_t indptr[N + 1];
static int32_t indices[N * COLUMNS];
static double values[N * COLUMNS];

static double draw(uint64_t stream, uint64_t i) {
    double v;
    gpis_random_normal(11, stream, i, 1, &v);
    return v;
}

/* Entries are sums of few bits, so that floats hold them too; some are zero. */
static void make_data(void) {
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < COLUMNS; j++) {
            const double v = i % 7 == j % 7 ? 0.0 : (float)(draw(1, (uint64_t)(i * COLUMNS + j)) + (double)j);
            A[i * COLUMNS + j] = AT[j * N + i] = v;
            AF[i * COLUMNS + j] = (float)v;
        }
        weights[i] = i % 13 == 5 ? 0.0 : pow(10.0, 3.0 * draw(2, (uint64_t)i));
        for (int64_t c = 0; c < MOST; c++) Y[i * MOST + c] = draw(3, (uint64_t)(i * MOST + c));
    }
    for (int64_t j = 0; j < D; j++) {
        ridge[j] = j == COLUMNS || j % 3 == 0 ? 0.0 : pow(10.0, draw(4, (uint64_t)j));
        for (int64_t c = 0; c < MOST; c++) {
            X[j * MOST + c] = draw(5, (uint64_t)(j * MOST + c));
            V[j * MOST + c] = draw(6, (uint64_t)(j * MOST + c));
        }
    }
    int64_t count = 0;
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < COLUMNS; j++)
            if (A[i * COLUMNS + j] != 0.0) {
                indices[count] = (int32_t)j;
                values[count++] = A[i * COLUMNS + j];
            }
        indptr[i + 1] = count;
    }
    memcpy(stored, A, sizeof A);
}

static int give_rows(void *user, int64_t row0, int64_t nrows, double *rows) {
    (void)user;
    memcpy(rows, A + row0 * COLUMNS, (size_t)(nrows * COLUMNS) * sizeof *rows);
    return 0;
}

/* Rows, columns, floats, compressed rows, rows on demand, and parts of several storages. */
typedef struct sources {
    gpis_source *whole, *parts[3], *compressed;
} sources;

static sources open_source(gpis_context *context, int storage) {
    enum { FIRST = 600, SECOND = 500 };
    sources s = {0};
    switch (storage) {
    case 0:
        assert_ok(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, COLUMNS, COLUMNS, &s.whole));
        break;
    case 1:
        assert_ok(context, gpis_source_dense(context, AT, GPIS_FLOAT64, GPIS_COLUMN_MAJOR, N, COLUMNS, N, &s.whole));
        break;
    case 2:
        assert_ok(context, gpis_source_dense(context, AF, GPIS_FLOAT32, GPIS_ROW_MAJOR, N, COLUMNS, COLUMNS, &s.whole));
        break;
    case 3:
        assert_ok(context, gpis_source_csr(context, N, COLUMNS, indptr, indices, values, GPIS_FLOAT64, &s.whole));
        break;
    case 4: assert_ok(context, gpis_source_callback(context, N, COLUMNS, give_rows, NULL, 1, &s.whole)); break;
    default:
        assert_ok(context,
                  gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, FIRST, COLUMNS, COLUMNS, &s.parts[0]));
        assert_ok(context, gpis_source_csr(context, N, COLUMNS, indptr, indices, values, GPIS_FLOAT64, &s.compressed));
        assert_ok(context, gpis_source_slice(context, s.compressed, FIRST, SECOND, &s.parts[1]));
        assert_ok(context, gpis_source_dense(context, AF + (FIRST + SECOND) * COLUMNS, GPIS_FLOAT32, GPIS_ROW_MAJOR,
                                             N - FIRST - SECOND, COLUMNS, COLUMNS, &s.parts[2]));
        assert_ok(context, gpis_source_join(context, s.parts, 3, NULL, &s.whole));
    }
    return s;
}

static void close_source(sources *s) {
    gpis_source_destroy(s->whole);
    for (int i = 0; i < 3; i++) gpis_source_destroy(s->parts[i]);
    gpis_source_destroy(s->compressed);
}

/* ---- the reference ---- */

static quad entry(const gpis_terms *t, int64_t i, int64_t j) {
    return j < COLUMNS ? (quad)stored[i * COLUMNS + j] : t->constant ? 1 : 0;
}

static quad weight(const gpis_terms *t, int64_t i) { return t->weights ? t->weights[i] : 1; }

/* R = [A 1] X - Y, without weights. */
static quad residual(const gpis_terms *t, int64_t d, int64_t i, const double *x, int64_t k, int64_t c,
                     const double *y) {
    quad sum = y ? -(quad)y[i * k + c] : 0;
    for (int64_t j = 0; j < d; j++) sum += entry(t, i, j) * x[j * k + c];
    return sum;
}

/* The gradient and the objective of the larger problem. */
static quad reference(const gpis_terms *t, int64_t d, const double *x, int64_t k, const double *y, quad *G) {
    quad f = 0;
    memset(G, 0, (size_t)(d * k) * sizeof *G);
    for (int64_t i = 0; i < N; i++)
        for (int64_t c = 0; c < k; c++) {
            const quad r = residual(t, d, i, x, k, c, y);
            f += weight(t, i) * r * r;
            for (int64_t j = 0; j < d; j++) G[j * k + c] += weight(t, i) * r * entry(t, i, j);
        }
    for (int64_t j = 0; t->ridge && j < d; j++)
        for (int64_t c = 0; c < k; c++) {
            f += (quad)t->ridge[j] * x[j * k + c] * x[j * k + c];
            G[j * k + c] += (quad)t->ridge[j] * x[j * k + c];
        }
    return f;
}

/* [A 1 Y]'[A 1 Y] with weights and ridge, (d + k)^2. */
static void reference_summary(const gpis_terms *t, int64_t d, int64_t k, quad *W) {
    const int64_t size = d + k;
    quad row[D + MOST];
    memset(W, 0, (size_t)(size * size) * sizeof *W);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < d; j++) row[j] = entry(t, i, j);
        for (int64_t c = 0; c < k; c++) row[d + c] = Y[i * k + c];
        for (int64_t a = 0; a < size; a++)
            for (int64_t b = 0; b <= a; b++) W[a * size + b] += weight(t, i) * row[a] * row[b];
    }
    for (int64_t j = 0; t->ridge && j < d; j++) W[j * (size + 1)] += t->ridge[j];
    for (int64_t a = 0; a < size; a++)
        for (int64_t b = 0; b < a; b++) W[b * size + a] = W[a * size + b];
}

static double size_of(quad v) { return fabs((double)v); }

/* ---- the comparisons ---- */

typedef struct vectors {
    int64_t k, probes;
    bool extended;
} vectors;

static void check_point(const gpis_source *S, const gpis_pass *pass, int64_t d, const double *norms2) {
    static quad G[D * MOST];
    const quad f = reference(&pass->terms, d, pass->X, pass->k, pass->Y, G);
    const gpis_point point = gpis_pass_point(S, pass, norms2);
    assert_true(size_of(point.objective - f) <= point.errors.objective);
    for (int64_t i = 0; i < d * pass->k; i++) {
        const double error = size_of(pass->G[i] - G[i]);
        const double allowed = sqrt(norms2[i / pass->k]) * (point.errors.residual + point.errors.product);
        if (error > allowed) fail_msg("entry %d of the gradient: %g > %g", (int)i, error, allowed);
    }
    /* the bounds are of the size of rounding errors: nothing is hidden in them */
    assert_true(point.errors.objective <= 1e-9 * point.objective);
}

static void check_products(const gpis_source *S, const gpis_pass *pass, int64_t d, const double *norms2) {
    static quad G[D * MOST];
    const gpis_load load = gpis_load_of(pass, COLUMNS);
    const gpis_roundings roundings = gpis_pass_roundings(S, &load);
    const double unit = pass->extended ? GPIS_EXTENDED_UNIT : GPIS_UNIT;
    const quad f = reference(&pass->terms, d, pass->V, pass->probes, NULL, G);
    double terms = 0.0;
    for (int64_t j = 0; j < d * pass->probes; j++) terms += sqrt(norms2[j / pass->probes]) * fabs(pass->V[j]);
    const double e = (roundings.residual + 2.0) * unit * terms + GPIS_UNIT * sqrt((double)f);
    for (int64_t i = 0; i < d * pass->probes; i++) {
        const double h = roundings.products * GPIS_UNIT * sqrt((double)f);
        assert_true(size_of(pass->AAV[i] - G[i]) <= 1.001 * sqrt(norms2[i / pass->probes]) * (e + h));
    }
}

static void check_norms(const gpis_pass *pass, int64_t d, const double *norms2) {
    quad W[D * D];
    reference_summary(&pass->terms, d, 0, W);
    for (int64_t j = 0; j < d; j++) assert_close(norms2[j], (double)W[j * (d + 1)], 1e-12 * norms2[j]);
}

/* Objective, gradient, direction, products and norms, by one pass. */
static void check_vectors(gpis_context *context, const sources *s, const gpis_terms *terms, vectors shape) {
    const int64_t d = COLUMNS + terms->constant, k = shape.k;
    double f, AP2, G[D * MOST], AAV[D * MOST], norms2[D];
    quad unused[D * MOST];
    const gpis_pass pass = {.k = k,
                            .Y = Y,
                            .terms = *terms,
                            .X = X,
                            .P = V,
                            .V = shape.probes ? V : NULL,
                            .probes = shape.probes,
                            .extended = shape.extended,
                            .objective = &f,
                            .G = G,
                            .AP2 = &AP2,
                            .AAV = shape.probes ? AAV : NULL,
                            .norms2 = norms2};
    assert_ok(context, gpis_pass_run(context, s->whole, &pass));
    check_norms(&pass, d, norms2);
    check_point(s->whole, &pass, d, norms2);
    if (shape.probes) check_products(s->whole, &pass, d, norms2);
    assert_close(AP2, (double)reference(terms, d, V, k, NULL, unused), 1e-12 * AP2);
}

static void check_gram(gpis_context *context, const sources *s, const gpis_terms *terms, bool extended) {
    static const int64_t some[5] = {0, 3, 4, 10, COLUMNS};
    const int64_t d = COLUMNS + terms->constant;
    double f, G[D], H[D * D], norms2[D];
    quad W[D * D];
    reference_summary(terms, d, 0, W);
    for (int selected = 0; selected < 2; selected++) {
        const int64_t count = selected ? 4 + terms->constant : d;
        const gpis_pass pass = {.k = 1,
                                .Y = Y,
                                .terms = *terms,
                                .X = X,
                                .extended = extended,
                                .objective = &f,
                                .G = G,
                                .norms2 = norms2,
                                .columns = selected ? some : NULL,
                                .count = selected ? count : 0,
                                .gram = H};
        const gpis_load load = gpis_load_of(&pass, COLUMNS);
        const double roundings = gpis_pass_roundings(s->whole, &load).gram;
        assert_ok(context, gpis_pass_run(context, s->whole, &pass));
        check_point(s->whole, &pass, d, norms2);
        for (int64_t a = 0; a < count; a++)
            for (int64_t b = 0; b < count; b++) {
                const int64_t i = selected ? some[a] : a, j = selected ? some[b] : b;
                const double size = sqrt((double)W[i * (d + 1)] * (double)W[j * (d + 1)]);
                assert_true(size_of(H[a * count + b] - W[i * d + j]) <= roundings * GPIS_UNIT * size);
            }
    }
}

static void check_summary(gpis_context *context, const sources *s, const gpis_terms *terms) {
    enum { K = 2 };
    const int64_t d = COLUMNS + terms->constant, size = d + K;
    double S[2 * (D + K) * (D + K)];
    quad W[(D + K) * (D + K)];
    const gpis_pass pass = {.k = K, .Y = Y, .terms = *terms, .summary = S};
    const gpis_load load = gpis_load_of(&pass, COLUMNS);
    const double bound = gpis_pass_roundings(s->whole, &load).summary;
    assert_true(bound < 1e-26);
    assert_ok(context, gpis_pass_run(context, s->whole, &pass));
    reference_summary(terms, d, K, W);
    for (int64_t i = 0; i < size * size; i++) {
        const quad error = (quad)S[i] + S[size * size + i] - W[i];
        const double scale = sqrt((double)W[i / size * (size + 1)] * (double)W[i % size * (size + 1)]);
        assert_true(size_of(error) <= bound * scale);
    }
}

/* The combinations of terms. */
static gpis_terms combination(int which) {
    return (gpis_terms){
        .weights = which & 1 ? weights : NULL, .constant = which & 2, .ridge = which & 4 ? ridge : NULL};
}

static void test_sums(void **state) {
    static const vectors shapes[] = {{1, 0, false},  {1, 2, false}, {3, 1, false}, {12, 0, false},
                                     {2, 12, false}, {1, 0, true},  {2, 3, true}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    (void)state;
    make_data();
    for (int storage = 0; storage < STORAGES; storage++) {
        sources s = open_source(context, storage);
        for (int which = 0; which < 8; which++) {
            const gpis_terms terms = combination(which);
            for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) check_vectors(context, &s, &terms, shapes[i]);
            check_gram(context, &s, &terms, false);
            check_gram(context, &s, &terms, true);
            check_summary(context, &s, &terms);
        }
        close_source(&s);
    }
    test_context_end(context, &memory);
}

/* Rows of weight zero do not count, the constant takes part, and a ridge leaves no null vector where it is not zero. */
static void test_misses(void **state) {
    enum { ROWS = 6 };
    /* a_1 + a_2 = 2 in all rows but row 4, whose weight is zero */
    static const double rows[ROWS * 2] = {1, 1, 0.5, 1.5, 3, -1, 0.25, 1.75, 7, 7, 2, 0};
    static const double w[ROWS] = {1, 2, 1e-9, 4, 0, 1}, null[3] = {1, 1, -2}, shrinks[3] = {0, 1e-30, 0};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_source *S;
    double misses, nonzeros[3];
    (void)state;
    assert_ok(context, gpis_source_dense(context, rows, GPIS_FLOAT64, GPIS_ROW_MAJOR, ROWS, 2, 2, &S));
    for (int which = 0; which < 3; which++) {
        const gpis_terms terms = {
            .weights = which == 0 ? NULL : w, .constant = true, .ridge = which == 2 ? shrinks : NULL};
        const gpis_pass pass = {.terms = terms, .V = null, .probes = 1, .misses = &misses, .nonzeros = nonzeros};
        assert_ok(context, gpis_pass_run(context, S, &pass));
        assert_true(misses == (which == 1 ? 0.0 : 1.0));
        assert_true(nonzeros[2] == (which == 0 ? 6.0 : 5.0));
        assert_true(nonzeros[1] == (which == 0 ? 5.0 : which == 1 ? 4.0 : 5.0));
    }
    gpis_source_destroy(S);
    test_context_end(context, &memory);
}

/* Same bits on 1 and on 2 threads. */
static void test_threads(void **state) {
    const gpis_terms terms = combination(7);
    double first[2][D + D * D + 1];
    test_memory memory;
    gpis_context *context = test_context(&memory);
    (void)state;
    make_data();
    for (int storage = 0; storage < STORAGES; storage++) {
        sources s = open_source(context, storage);
        for (int threads = 1; threads <= 2; threads++) {
            double *at = first[threads - 1];
            const gpis_pass pass = {
                .k = 1, .Y = Y, .terms = terms, .X = X, .objective = at, .G = at + 1, .gram = at + 1 + D};
            assert_ok(context, gpis_context_set_threads(context, threads));
            assert_ok(context, gpis_pass_run(context, s.whole, &pass));
        }
        assert_memory_equal(first[0], first[1], sizeof first[0]);
        close_source(&s);
    }
    test_context_end(context, &memory);
}

/* Moments about any numbers, from which variances follow, against sums in quadruple precision. */
static void test_moments(void **state) {
    const gpis_terms terms = {.weights = weights, .constant = true};
    double about[D], moments[3 * D];
    test_memory memory;
    gpis_context *context = test_context(&memory);
    (void)state;
    make_data();
    for (int64_t j = 0; j < D; j++) about[j] = j == COLUMNS ? 0.0 : (double)j + 0.125;
    for (int storage = 0; storage < STORAGES; storage++) {
        sources s = open_source(context, storage);
        const gpis_pass pass = {.terms = terms, .V = about, .probes = 1, .moments = moments};
        assert_ok(context, gpis_pass_run(context, s.whole, &pass));
        for (int64_t j = 0; j < D; j++) {
            quad sums[3] = {0}, all = 0;
            for (int64_t i = 0; i < N; i++) {
                const quad a = entry(&terms, i, j), off = a - about[j], w = weight(&terms, i);
                all += w;
                sums[0] += w;
                sums[1] += w * off;
                sums[2] += w * off * off;
            }
            /* what compressed rows leave out are zeros */
            const double rest = (double)all - moments[j];
            assert_close(moments[D + j] - rest * about[j], (double)sums[1], 1e-12 * sqrt((double)(all * sums[2])));
            assert_close(moments[2 * D + j] + rest * about[j] * about[j], (double)sums[2], 1e-12 * (double)sums[2]);
        }
        close_source(&s);
    }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_misses),
                                       cmocka_unit_test(test_threads), cmocka_unit_test(test_moments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
