/*
 * The counts of roundings (gpis_pass_roundings) against what the additions of real passes lose, on data that make each
 * rounding visible (worst_rows.h). For every storage, kind of pass and precision a count must never be less than the
 * longest path that is found, including the rounding of the product, and never more than about twice as large: a count
 * that forgets rows, chunks, strips, responses or probes fails, and so does one that is no count at all.
 */
#include "worst_pass.h"

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

static void check_storage(gpis_context *context, int64_t n, int64_t d, const kind_of_pass *how, int stored_as) {
    worst_rows w = worst_rows_new(n, d, how->k, worst_terms_of(DBL_MANT_DIG));
    worst_rows fine = worst_rows_new(n, d, how->k, worst_terms_of(LDBL_MANT_DIG));
    paths count, longest = longest_of_storage(context, &w, how, stored_as, &count);
    if (how->extended && how->k > 1) {
        const paths found = longest_of_storage(context, &fine, how, stored_as, &count);
        take_larger(&longest, &found);
    }
    check_paths(&longest, &count, !by_blas(how, d), how->name, "one source");
    worst_rows_clear(&w);
    worst_rows_clear(&fine);
}

/* Few rows; many chunks; and several chunks for each strip, for one of the storages that have the same cut. */
static void every_storage_and_pass(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (int p = 0; p < PASSES; p++)
        for (int stored_as = 0; stored_as < ALL_STORAGES; stored_as++) {
            const bool first_of_its_kind = stored_as == ROW_64 || stored_as == COLUMN_64 || stored_as == CSR_64;
            check_storage(context, 70, 2, &passes[p], stored_as);
            check_storage(context, passes[p].k == 1 ? 3000 : 1100, 70, &passes[p], stored_as);
            if (passes[p].k == 1 && first_of_its_kind) check_storage(context, 20000, 3, &passes[p], stored_as);
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
            if (gpis_gram_by_blocks(D)) assert_int_equal(cut.part_rows, 64);
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
    static const kind_of_pass with = {"sparse rows and 64 probes", 1, 64, false, NO_GRAM, false, 0};
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_storage_and_pass), cmocka_unit_test(chunks_in_many_parts),
                                       cmocka_unit_test(many_chunks_in_few_strips)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
