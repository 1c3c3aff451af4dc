/*
 * The counts of roundings of a pass over rows in parts and on ranks, as in test_longest_path.c: one count has to cover
 * all parts, whatever their storage and length, and the additions of their sums.
 */
#include "ranks.h"
#include "ranks/join.h"
#include "ranks/ranks.h"
#include "worst_pass.h"

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
    const int tried = first > 1 ? list_choices(&cut, &load, list) : 1; /* of a single row there is nothing to choose */
    if (first == 1) list[0] = (choice){.mask = 1, .block = 1};
    for (int c = 0; c < tried; c++) {
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
    } shapes[] = {{1, 150}, {2500, 3}, {300, 20}};
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
        assert_ok(m->context, gpis_ranks_serve(m->context, A, w.Y + how->k, &(gpis_terms){0}));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_every_storage), cmocka_unit_test(parts_on_ranks),
                                       cmocka_unit_test(machines_that_differ), cmocka_unit_test(any_part_is_covered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
