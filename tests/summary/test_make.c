/*
 * Summaries by one sweep: the sums of every fold against quadruple precision, within the bound that the summary states;
 * the rows are read once; folds do not depend on storage, parts and threads.
 */
#include "summary/summaries.h"

#include "pass/folds.h"

/* The sums of fold f are within gamma of the exact ones; the offset costs its rounding besides. */
static void check_sums(const table *t, const gpis_quadratic *s, const quad *exact) {
    const int64_t p = t->d + 1 + t->k;
    assert_true(s->gamma > 0.0 && s->gamma < 1e-12);
    assert_true(quad_error(exact, s->W, p) <= s->gamma + (t->shifted ? 1e-15 : 0.0));
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = 0; j < i; j++) assert_true(s->W[i * p + j] == s->W[j * p + i]);
}

static void check_summary(table *t, int storage, bool given) {
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_context_set_threads(context, 1 + storage % 3);
    int64_t *fold = calloc((size_t)t->n, sizeof *fold), all = 0;
    const gpis_folds folds = {.count = t->folds, .seed = 42};
    for (int64_t i = 0; i < t->n; i++) fold[i] = t->folds < 2 ? 0 : given ? t->fold[i] : gpis_fold_of(&folds, i);
    t->rows_read = 0;
    gpis_summary *s = summaries_make(context, t, storage, 0, t->n, given);
    if (storage == 4) assert_int_equal(t->rows_read, t->n);
    assert_int_equal(s->folds, t->folds);
    for (int64_t f = 0; f < t->folds; f++) {
        quad *exact = summaries_exact(t, fold, f);
        int64_t here = 0;
        for (int64_t i = 0; i < t->n; i++) here += fold[i] == f;
        assert_int_equal(gpis_summary_fold_rows(s, f), here);
        all += here;
        check_sums(t, s->fold[f], exact);
        free(exact);
    }
    quad *exact = summaries_exact(t, fold, -1);
    check_sums(t, s->whole, exact);
    gpis_summary_info info = {.size = sizeof info};
    assert_int_equal(gpis_summary_describe(s, &info), GPIS_OK);
    assert_int_equal(info.rows, all);
    assert_int_equal(info.columns, t->d);
    assert_int_equal(info.responses, t->k);
    assert_int_equal(info.weighted, t->weighted);
    free(exact);
    free(fold);
    gpis_summary_destroy(s);
    test_context_end(context, &memory);
}

static void test_sums(void **state) {
    (void)state;
    for (int storage = 0; storage < STORAGES; storage++)
        for (int terms = 0; terms < 4; terms++)
            for (int64_t folds = 1; folds <= 5; folds += 4) {
                table t = summaries_table(2000 + 37 * storage, 9, 1 + terms % 2, 0.3);
                t.weighted = terms & 1;
                t.shifted = terms & 2;
                t.folds = folds;
                check_summary(&t, storage, false);
                if (folds > 1) check_summary(&t, storage, true);
                summaries_free(&t);
            }
}

/* Ten folds of many rows: chunks of all folds, several runs and strips. */
static void test_many_rows(void **state) {
    (void)state;
    table t = summaries_table(30011, 4, 1, 0.3);
    t.folds = 10;
    for (int storage = 0; storage < STORAGES; storage++) check_summary(&t, storage, false);
    summaries_free(&t);
}

/* The same bits for any number of threads. */
static void test_threads(void **state) {
    (void)state;
    table t = summaries_table(30011, 5, 1, 0.3);
    t.folds = 4;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_summary *first = NULL;
    for (int threads = 1; threads <= 5; threads += 2) {
        gpis_context_set_threads(context, threads);
        gpis_summary *s = summaries_make(context, &t, 0, 0, t.n, false);
        const int64_t p = t.d + 1 + t.k;
        for (int64_t f = 0; first && f < t.folds; f++)
            assert_memory_equal(s->fold[f]->W, first->fold[f]->W, (size_t)(2 * p * p) * sizeof(double));
        if (first)
            gpis_summary_destroy(s);
        else
            first = s;
    }
    gpis_summary_destroy(first);
    test_context_end(context, &memory);
    summaries_free(&t);
}

/* A column of zeros is known to be one, without a second pass; entries whose squares underflow are refused; a column of
 * which only the last entry is not zero is none. */
static void test_zero_columns(void **state) {
    (void)state;
    for (int storage = 0; storage < STORAGES; storage++)
        for (int what = 0; what < 3; what++) {
            table t = summaries_table(3000, 4, 1, 0.3);
            test_memory memory;
            gpis_context *context = test_context(&memory);
            gpis_summary *s;
            gpis_problem *problem;
            t.folds = storage % 2 ? 3 : 1;
            for (int64_t i = 0; i < t.n; i++) t.A[i * t.d + 2] = 0.0;
            if (what == 1) t.A[2900 * t.d + 2] = 1e-200;
            if (what == 2) t.A[2999 * t.d + 2] = 2.0;
            if (what == 1 && (storage == 2 || storage == 5)) t.A[2900 * t.d + 2] = 0.0; /* no float */
            const bool refused = t.A[2900 * t.d + 2] != 0.0;
            rows h = summaries_hold(context, &t, storage, 0, t.n);
            problem = summaries_pose(context, h.source, &t, 0, t.n);
            gpis_summary_options options = gpis_summary_options_default();
            options.folds = t.folds;
            t.rows_read = 0;
            assert_int_equal(gpis_summary_make(problem, &options, &s), refused ? GPIS_BAD_DATA : GPIS_OK);
            if (storage == 4) assert_int_equal(t.rows_read, t.n);
            if (!refused) assert_true(gpis_quadratic_entry(s->whole, 2, 2).high == (what == 2 ? 4.0 : 0.0));
            if (refused) assert_non_null(strstr(gpis_last_error(context), "column 3"));
            gpis_summary_destroy(s);
            gpis_problem_destroy(problem);
            summaries_release(&h);
            test_context_end(context, &memory);
            summaries_free(&t);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_zero_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
