/*
 * The counts of roundings (gpis_pass_roundings) against what the additions of real passes lose, on data that make each
 * rounding visible (worst_rows.h). For every storage, kind of pass, precision, and for rows in parts and on ranks, a
 * count must never be less than the longest path that is found, including the rounding of the product, and never more
 * than about twice as large: a count that forgets rows, chunks, strips, responses, parts or ranks fails, and so does
 * one that is no count at all.
 */
#include "pass/pass.h"

#include "ranks.h"
#include "ranks/join.h"
#include "ranks/ranks.h"
#include "worst_rows.h"

typedef enum gram_columns { NO_GRAM, ALL_COLUMNS, SOME_COLUMNS } gram_columns;

typedef struct kind_of_pass {
    const char *name;
    int64_t k, probes;
    bool extended;
    gram_columns gram;
} kind_of_pass;

static const kind_of_pass passes[] = {
    {"one response", 1, 0, false, NO_GRAM},
    {"8 responses", 8, 0, false, NO_GRAM},
    {"60 responses", 60, 0, false, NO_GRAM},
    {"4 probes", 1, 4, false, NO_GRAM},
    {"8 probes", 1, 8, false, NO_GRAM},
    {"20 probes", 1, 20, false, NO_GRAM},
    {"Gram matrix", 1, 0, false, ALL_COLUMNS},
    {"Gram matrix of some columns", 1, 0, false, SOME_COLUMNS},
    {"Gram matrix, 12 responses", 12, 0, false, ALL_COLUMNS},
    {"extended precision", 1, 0, true, NO_GRAM},
    {"extended precision, probes", 1, 4, true, NO_GRAM},
    {"extended precision, 60 responses", 60, 0, true, NO_GRAM},
    {"extended precision, Gram matrix", 1, 0, true, ALL_COLUMNS},
};
enum { PASSES = sizeof passes / sizeof passes[0] };

/* The roundings of the sums of a pass: counted, or found. */
enum { OBJECTIVE, GRADIENT, PRODUCTS, GRAM, SUMS };
static const char *const sum_names[] = {"objective", "gradient", "products A'A V", "Gram matrix"};
typedef struct paths {
    double of[SUMS];
} paths;

static void take_larger(paths *longest, const paths *other) {
    for (int s = 0; s < SUMS; s++) longest->of[s] = fmax(longest->of[s], other->of[s]);
}

/* One pass over the rows at X = 0, where the residual is -Y, with a probe along column 0. */
static paths run_pass(gpis_context *context, gpis_source *A, const worst_rows *w, const kind_of_pass *how,
                      paths *count) {
    static const int64_t columns[] = {0, 1};
    const int64_t d = w->d, vectors = d * how->k, products = d * how->probes;
    const int64_t gram_size = how->gram == ALL_COLUMNS ? d * d : 4;
    double *memory = calloc((size_t)(2 * vectors + 2 * products + gram_size), sizeof *memory), objective;
    double *X = memory, *G = X + vectors, *V = G + vectors, *AAV = V + products, *gram = AAV + products;
    if (how->probes) V[0] = 1.0;
    const gpis_pass pass = {.k = how->k,
                            .Y = w->Y,
                            .X = X,
                            .extended = how->extended,
                            .objective = &objective,
                            .G = G,
                            .V = how->probes ? V : NULL,
                            .probes = how->probes,
                            .AAV = how->probes ? AAV : NULL,
                            .columns = how->gram == SOME_COLUMNS ? columns : NULL,
                            .count = how->gram == SOME_COLUMNS ? 2 : 0,
                            .gram = how->gram ? gram : NULL};
    assert_ok(context, gpis_pass_run(context, A, &pass));
    const gpis_load load = gpis_load_of(&pass, d);
    const gpis_roundings roundings = gpis_pass_roundings(A, &load);
    *count = (paths){{roundings.objective, roundings.gradient, roundings.products, roundings.gram}};
    const paths found = {{
        [OBJECTIVE] = units_off(w->terms, objective, w->squares),
        [GRADIENT] = units_off(w->terms, G[0], w->chosen),
        [PRODUCTS] = how->probes ? units_off(w->terms, AAV[0], w->chosen) : 0.0,
        [GRAM] = how->gram ? units_off(w->terms, gram[0], w->chosen) : 0.0,
    }};
    free(memory);
    return found;
}

/* The product of each term is exact on these data, and need not be on others: one more rounding. */
static void check_paths(const paths *found, const paths *count, bool sharp, const char *pass, const char *where) {
    for (int s = 0; s < SUMS; s++) {
        if (found->of[s] == 0.0) continue;
        if (found->of[s] + 1.0 > count->of[s])
            fail_msg("%s, %s, %s: %.2f roundings and one of the product were found, and %.2f counted", where, pass,
                     sum_names[s], found->of[s], count->of[s]);
        if (sharp && count->of[s] > 2.0 * found->of[s] + 24.0)
            fail_msg("%s, %s, %s: only %.2f roundings were found, and %.2f counted", where, pass, sum_names[s],
                     found->of[s], count->of[s]);
    }
}

/* ---- a source in one piece --------------------------------------------------------------------------------------- */

static gpis_load load_for(const kind_of_pass *how, int64_t d) {
    double place = 0.0;
    static const int64_t columns[] = {0, 1};
    const gpis_pass pass = {.k = how->k,
                            .X = &place,
                            .extended = how->extended,
                            .objective = &place,
                            .G = &place,
                            .V = how->probes ? &place : NULL,
                            .probes = how->probes,
                            .AAV = how->probes ? &place : NULL,
                            .columns = how->gram == SOME_COLUMNS ? columns : NULL,
                            .count = how->gram == SOME_COLUMNS ? 2 : 0,
                            .gram = how->gram ? &place : NULL};
    return gpis_load_of(&pass, d);
}

/* The longest paths of all choices; *count is the count of roundings, which does not depend on the choice. */
static paths longest_of_storage(gpis_context *context, worst_rows *w, const kind_of_pass *how, int stored_as,
                                paths *count) {
    const gpis_load load = load_for(how, w->d);
    choice list[MAX_CHOICES];
    paths longest = {0};
    for (int64_t i = 0; i < w->n; i++) worst_rows_set(w, i, true, false);
    matrix m = stored_rows(w->A, w->n, w->d, stored_as);
    gpis_source *A = source_of(context, &m, stored_as);
    const gpis_cut cut = gpis_cut_make(A, &load);
    gpis_source_destroy(A);
    matrix_clear(&m);
    for (int c = list_choices(&cut, &load, list) - 1; c >= 0; c--) {
        worst_rows_fill(w, &cut, list[c]);
        m = stored_rows(w->A, w->n, w->d, stored_as);
        A = source_of(context, &m, stored_as);
        const paths found = run_pass(context, A, w, how, count);
        take_larger(&longest, &found);
        gpis_source_destroy(A);
        matrix_clear(&m);
    }
    return longest;
}

/* Sums by BLAS, whose order is not ours to know, are counted as if all rows were added one after the other. */
static bool by_blas(const kind_of_pass *how) { return how->k > 8 || how->probes > 8; }

static void check_storages(gpis_context *context, int64_t n, int64_t d, const kind_of_pass *how) {
    paths most_found[ALL_STORAGES];
    worst_rows w = worst_rows_new(n, d, how->k, worst_terms_of(DBL_MANT_DIG));
    worst_rows fine = worst_rows_new(n, d, how->k, worst_terms_of(LDBL_MANT_DIG));
    for (int stored_as = 0; stored_as < ALL_STORAGES; stored_as++) {
        paths count;
        most_found[stored_as] = longest_of_storage(context, &w, how, stored_as, &count);
        if (how->extended && how->k > 1) {
            const paths found = longest_of_storage(context, &fine, how, stored_as, &count);
            take_larger(&most_found[stored_as], &found);
        }
        check_paths(&most_found[stored_as], &count, !by_blas(how), how->name, "one source");
    }
    worst_rows_clear(&w);
    worst_rows_clear(&fine);
}

/* Few rows, several chunks for each strip, and chunks that are worked on in parts. */
static void every_storage_and_pass(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int p = 0; p < PASSES; p++) {
        check_storages(context, 70, 2, &passes[p]);
        check_storages(context, passes[p].k == 1 ? 5000 : 1100, 70, &passes[p]);
        if (passes[p].k == 1) check_storages(context, 20000, 3, &passes[p]);
    }
    test_context_end(context, &memory);
}

/* Long rows: a chunk is worked on in many parts, which are summed by themselves. */
static void chunks_in_many_parts(void **state) {
    (void)state;
    enum { N = 20000, D = 300 };
    static const choice tried[] = {{0xff, 64, false, 0}, {0x01, 64, false, 0}};
    static const struct { int stored_as, pass; } runs[] = {{ROW_64, 6}, {COLUMN_64, 7}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int r = 0; r < 2; r++) {
        const kind_of_pass *how = &passes[runs[r].pass];
        const gpis_load load = load_for(how, D);
        worst_rows w = worst_rows_new(N, D, 1, worst_terms_of(DBL_MANT_DIG));
        paths longest = {0}, count;
        for (int t = 0; t < 2; t++) {
            matrix m = stored_rows(w.A, N, D, runs[r].stored_as);
            gpis_source *A = source_of(context, &m, runs[r].stored_as);
            const gpis_cut cut = gpis_cut_make(A, &load);
            assert_int_equal(cut.part_rows, 64);
            worst_rows_fill(&w, &cut, tried[t]);
            for (int64_t i = 0; i < N * 2; i++)
                put(m.values, GPIS_FLOAT64, i / 2 * m.block.row_stride + i % 2 * m.block.col_stride,
                    w.A[i / 2 * D + i % 2]);
            const paths found = run_pass(context, A, &w, how, &count);
            take_larger(&longest, &found);
            gpis_source_destroy(A);
            matrix_clear(&m);
        }
        check_paths(&longest, &count, false, how->name, "long rows");
        worst_rows_clear(&w);
    }
    test_context_end(context, &memory);
}

/* Probes make the sums of a strip so large that there are only two strips, with many chunks each: the cut is that of
 * the pass with its probes. */
static void many_chunks_in_few_strips(void **state) {
    (void)state;
    enum { N = 40000, D = 130000 };
    static const choice tried[] = {{0xff, 1, false, 0}, {0xff, 1024, false, 0}};
    static const kind_of_pass with = {"sparse rows and 64 probes", 1, 64, false, NO_GRAM};
    const gpis_load load = load_for(&with, D);
    test_memory memory;
    gpis_context *context = test_context(&memory);
    worst_rows w = worst_rows_new(N, 2, 1, worst_terms_of(DBL_MANT_DIG));
    paths longest = {0}, count;
    for (int64_t i = 0; i < N; i++) worst_rows_set(&w, i, true, false);
    for (int t = 0; t < 2; t++) {
        matrix m = stored_rows(w.A, N, 2, CSR_64);
        m.block.d = D;
        gpis_source *A = source_of(context, &m, CSR_64);
        const gpis_cut cut = gpis_cut_make(A, &load);
        assert_true(cut.strips == 2 && cut.chunk_rows == 1024);
        worst_rows_fill(&w, &cut, tried[t]);
        for (int64_t i = 0; i < N; i++) put(m.values, GPIS_FLOAT64, 2 * i, w.A[2 * i]);
        w.d = D;
        const paths found = run_pass(context, A, &w, &with, &count);
        w.d = 2;
        take_larger(&longest, &found);
        gpis_source_destroy(A);
        matrix_clear(&m);
        for (int64_t i = 0; i < N; i++) worst_rows_set(&w, i, true, false);
    }
    check_paths(&longest, &count, true, with.name, "two strips");
    worst_rows_clear(&w);
    test_context_end(context, &memory);
}

/* ---- products of rows -------------------------------------------------------------------------------------------- */

/* The residual of row 0 is LARGE and some SMALL terms, those in `mask`, and one more for y. The last column of A has a
 * one in row 0 alone, and X is zero there, so that the last entry of the gradient is that residual. */
static double residual_off(gpis_context *context, gpis_source *A, const kind_of_pass *how, int mask, double *count) {
    const int64_t d = A->d, k = how->k;
    const worst_terms terms = worst_terms_of(how->extended ? LDBL_MANT_DIG : DBL_MANT_DIG);
    static const int64_t columns[] = {0, 1};
    double *X = calloc((size_t)(d * k), 8), *G = calloc((size_t)(d * k), 8), *Y = calloc((size_t)(A->n * k), 8);
    double *gram = calloc((size_t)(d * d), 8), *V = calloc((size_t)(d * how->probes + 1), 8), objective;
    double *AAV = calloc((size_t)(d * how->probes + 1), 8);
    int64_t smalls = 0;
    for (int64_t j = 0; j + 1 < d; j++) {
        X[j * k] = j == 0 ? terms.root_of_large : mask >> (j % 8) & 1 ? terms.root_of_small : 0.0;
        smalls += j > 0 && X[j * k] != 0.0;
    }
    Y[0] = -terms.root_of_small * terms.root_of_small;
    const gpis_pass pass = {.k = k,
                            .Y = Y,
                            .X = X,
                            .extended = how->extended,
                            .objective = &objective,
                            .G = G,
                            .V = how->probes ? V : NULL,
                            .probes = how->probes,
                            .AAV = how->probes ? AAV : NULL,
                            .columns = how->gram == SOME_COLUMNS ? columns : NULL,
                            .count = how->gram == SOME_COLUMNS ? 2 : 0,
                            .gram = how->gram ? gram : NULL};
    assert_ok(context, gpis_pass_run(context, A, &pass));
    const gpis_load load = gpis_load_of(&pass, d);
    *count = gpis_pass_roundings(A, &load).residual;
    const double off = units_off(terms, G[(d - 1) * k], smalls + 1);
    free(X), free(G), free(Y), free(gram), free(V), free(AAV);
    return off;
}

/* A row with the roots of LARGE and SMALL, and the one at its end; two more rows of zeros. */
static double *row_of_roots(int64_t d, int bits) {
    const worst_terms terms = worst_terms_of(bits);
    double *a = calloc((size_t)(3 * d), sizeof *a);
    for (int64_t j = 0; j + 1 < d; j++) a[j] = j == 0 ? terms.root_of_large : terms.root_of_small;
    a[d - 1] = 1.0;
    return a;
}

/* Besides the roundings that are counted, gpis_pass_point allows for two: of the product, and of y. Where residuals are
 * rounded to double, the unit of extended precision is invisible. */
static void products_of_rows(void **state) {
    (void)state;
    static const int masks[] = {0xff, 0x57, 0x55, 0x11, 0x01};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int64_t d = 2; d <= 400; d += d < 30 ? 1 : 185)
        for (int p = 0; p < PASSES; p++) {
            if (passes[p].extended) continue;
            double *a = row_of_roots(d, DBL_MANT_DIG);
            for (int stored_as = 0; stored_as < ALL_STORAGES; stored_as++) {
                double most = 0.0, count = 0.0;
                matrix m = stored_rows(a, 3, d, stored_as);
                gpis_source *A = source_of(context, &m, stored_as);
                for (int t = 0; t < 5; t++) most = fmax(most, residual_off(context, A, &passes[p], masks[t], &count));
                if (most + 1.0 > count + 2.0 ||
                    (stored_as != CSR_64 && stored_as != CSR_32 && !by_blas(&passes[p]) && count > 2.0 * most + 12.0))
                    fail_msg("%s, %d columns, storage %d: %.2f roundings of a product were found, and %.2f counted",
                             passes[p].name, (int)d, stored_as, most, count);
                gpis_source_destroy(A);
                matrix_clear(&m);
            }
            free(a);
        }
    test_context_end(context, &memory);
}

/* ---- parts and ranks --------------------------------------------------------------------------------------------- */

/* A long part of one storage, then parts of one or two rows of all storages in turn. Of each short part the first row
 * is SMALL. */
typedef struct divided {
    matrix *stored;
    gpis_source **parts;
    int count;
} divided;

static divided divide(gpis_context *context, const double *A, int64_t d, int64_t first, int count, int stored_as) {
    divided v = {.stored = calloc((size_t)count, sizeof *v.stored),
                 .parts = calloc((size_t)count, sizeof(gpis_source *)),
                 .count = count};
    for (int i = 0; i < count; i++) {
        const int64_t row = i == 0 ? 0 : first + i - 1;
        const int how = (stored_as + i) % ALL_STORAGES;
        v.stored[i] = stored_rows(A + row * d, i == 0 ? first : 1, d, how);
        v.parts[i] = source_of(context, &v.stored[i], how);
    }
    return v;
}

static void divided_clear(divided *v) {
    for (int i = 0; i < v->count; i++) gpis_source_destroy(v->parts[i]), matrix_clear(&v->stored[i]);
    free(v->stored), free(v->parts);
}

static paths longest_of_parts(gpis_context *context, worst_rows *w, int64_t first, int count, const kind_of_pass *how,
                              int stored_as, paths *counted) {
    const gpis_load load = load_for(how, w->d);
    choice list[MAX_CHOICES];
    paths longest = {0};
    for (int64_t i = 0; i < w->n; i++) worst_rows_set(w, i, true, false);
    divided v = divide(context, w->A, w->d, first, count, stored_as);
    const gpis_cut cut = gpis_cut_make(v.parts[0], &load);
    divided_clear(&v);
    for (int c = list_choices(&cut, &load, list) - 1; c >= 0; c--) {
        gpis_source *A;
        w->heavy = list[c].strip * cut.run * cut.chunk_rows;
        for (int64_t i = 0; i < w->n; i++)
            worst_rows_set(w, i, i >= first || is_chosen(&cut, list[c], i), list[c].every_response);
        v = divide(context, w->A, w->d, first, count, stored_as);
        assert_ok(context, gpis_source_join(context, v.parts, count, NULL, &A));
        const paths found = run_pass(context, A, w, how, counted);
        take_larger(&longest, &found);
        gpis_source_destroy(A);
        divided_clear(&v);
    }
    return longest;
}

/* One count for all parts: at least what is found in any of them, and each part is one more addition. */
static void parts_of_every_storage(void **state) {
    (void)state;
    static const struct {
        int64_t first;
        int count;
    } shapes[] = {{1, 200}, {3000, 3}, {700, 90}};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int p = 0; p < PASSES; p++)
        for (int shape = 0; shape < 3; shape++)
            for (int stored_as = 0; stored_as < ALL_STORAGES; stored_as++) {
                const int64_t first = shapes[shape].first, n = first + shapes[shape].count - 1;
                worst_rows w = worst_rows_new(n, 3, passes[p].k, worst_terms_of(DBL_MANT_DIG));
                paths count;
                const paths found =
                    longest_of_parts(context, &w, first, shapes[shape].count, &passes[p], stored_as, &count);
                check_paths(&found, &count, first == 1, passes[p].name, "parts");
                worst_rows_clear(&w);
            }
    test_context_end(context, &memory);
}

enum { RANKS = MAX_RANKS, PARTS_OF_A_RANK = 40 };

/* Each rank has parts of one row: its own sums go through the parts of its rank, then through the other ranks. On ranks
 * other than 0 only one row is SMALL, so that their sums are a single term. */
static void work_of_a_rank(member *m) {
    const kind_of_pass *how = m->user;
    const bool first = m->ranks.rank == 0;
    worst_rows w = worst_rows_new(PARTS_OF_A_RANK + 1, 2, how->k, worst_terms_of(DBL_MANT_DIG));
    for (int64_t i = 0; i < w.n; i++) worst_rows_set(&w, i, first || i == 1, false);
    const int64_t skipped = first ? 0 : 1; /* row 0, which holds LARGE, is on rank 0 alone */
    divided v = divide(m->context, w.A + skipped * w.d, w.d, 1, PARTS_OF_A_RANK, m->ranks.rank);
    gpis_source *A;
    assert_ok(m->context, gpis_source_join(m->context, v.parts, PARTS_OF_A_RANK, &m->ranks, &A));
    if (first) {
        paths count;
        w.chosen = w.chosen - 1 + RANKS - 1; /* row PARTS_OF_A_RANK is not used */
        w.squares = w.chosen + how->k - 1;
        const paths found = run_pass(m->context, A, &w, how, &count);
        assert_true(found.of[OBJECTIVE] > PARTS_OF_A_RANK + RANKS - 4);
        check_paths(&found, &count, true, how->name, "ranks");
        assert_ok(m->context, gpis_ranks_dismiss(m->context, A, GPIS_OK));
    } else {
        assert_ok(m->context, gpis_ranks_serve(m->context, A, w.Y + how->k));
    }
    gpis_source_destroy(A);
    divided_clear(&v);
    worst_rows_clear(&w);
}

static void parts_on_ranks(void **state) {
    (void)state;
    for (int p = 0; p < PASSES; p++) world_run(RANKS, p % 2, -1, 0, work_of_a_rank, (void *)&passes[p]);
}

/* Where the machines of the ranks have vectors of different lengths, none of our own kernels may be assumed: products
 * of rows go through as many roundings as there are columns, and Gram matrices through as many as there are rows. */
static void machines_that_differ(void **state) {
    (void)state;
    enum { N = 3000, D = 300 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double *a = calloc(N * D, sizeof *a);
    for (int stored_as = 0; stored_as < ALL_STORAGES; stored_as++) {
        matrix m = stored_rows(a, N, D, stored_as);
        gpis_source *part = source_of(context, &m, stored_as), *A;
        assert_ok(context, gpis_source_join(context, &part, 1, NULL, &A));
        gpis_join *join = A->state;
        const gpis_load load = load_for(&passes[6], D);
        const gpis_cut cut = gpis_cut_make(part, &load);
        const gpis_roundings same = gpis_pass_roundings(A, &load);
        assert_true(join->alike);
        join->alike = false;
        const gpis_roundings any = gpis_pass_roundings(A, &load);
        const double rows = (double)gpis_min64(N, cut.chunk_rows * ((cut.chunks + cut.strips - 1) / cut.strips));
        assert_true(any.residual >= D && any.gradient >= rows && any.gram >= rows && any.products >= rows);
        assert_true(any.objective >= (double)gpis_min64(N, cut.chunk_rows));
        assert_true(any.residual >= same.residual && any.gram >= same.gram && any.objective >= same.objective);
        gpis_source_destroy(A);
        gpis_source_destroy(part);
        matrix_clear(&m);
    }
    free(a);
    test_context_end(context, &memory);
}

/* The count for parts of at most n rows covers the count of each single part, whatever its number of rows and, for
 * compressed rows, their mean length. */
static void any_part_is_covered(void **state) {
    (void)state;
    enum { MAX_N = 400000, D = 40 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    double a[3 * D] = {1.0};
    for (int stored_as = 0; stored_as < ALL_STORAGES; stored_as++) {
        matrix m = stored_rows(a, 3, D, stored_as);
        gpis_source *made = source_of(context, &m, stored_as);
        for (int p = 0; p < PASSES; p++) {
            const gpis_load load = load_for(&passes[p], D);
            for (int64_t n = 1; n <= MAX_N; n += 1 + n / 37) {
                gpis_source part = *made, longest = *made;
                part.n = n;
                part.nonzeros = n * (n % 3 == 0 ? D : 1 + n % 5);
                longest.n = n + n % 50 * (n / 40);
                longest.nonzeros = longest.n * (n % 2 ? 2 : D);
                const gpis_roundings one = gpis_pass_roundings(&part, &load);
                const gpis_roundings any = gpis_cut_worst_roundings(&longest, &load, true);
                if (one.residual > any.residual || one.objective > any.objective || one.gradient > any.gradient ||
                    one.products > any.products || one.gram > any.gram)
                    fail_msg("%s, storage %d, %d rows and at most %d: %.1f %.1f %.1f %.1f, and %.1f %.1f %.1f %.1f",
                             passes[p].name, stored_as, (int)n, (int)longest.n, one.objective, one.gradient,
                             one.products, one.gram, any.objective, any.gradient, any.products, any.gram);
            }
        }
        gpis_source_destroy(made);
        matrix_clear(&m);
    }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_storage_and_pass),    cmocka_unit_test(chunks_in_many_parts),
        cmocka_unit_test(many_chunks_in_few_strips), cmocka_unit_test(products_of_rows),
        cmocka_unit_test(parts_of_every_storage),    cmocka_unit_test(parts_on_ranks),
        cmocka_unit_test(machines_that_differ),      cmocka_unit_test(any_part_is_covered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
