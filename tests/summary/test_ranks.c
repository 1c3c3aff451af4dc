/* Summaries on several ranks: the sums of all rows on every rank, with the same folds as on one; and a rank that fails.
 */
#include "ranks.h"
#include "summary/summaries.h"

typedef struct job {
    table *t;
    bool given;
    gpis_summary *alone; /* of the same rows, on one rank */
} job;

static void work(member *m) {
    job *j = m->user;
    table *t = j->t;
    const int ranks = m->ranks.ranks, rank = m->ranks.rank;
    const int64_t begin = t->n * rank / ranks, rows_here = t->n * (rank + 1) / ranks - begin;
    gpis_source *part, *A = NULL;
    gpis_problem *problem = NULL;
    gpis_summary *s = NULL;
    gpis_summary_options options = gpis_summary_options_default();
    options.folds = t->folds;
    options.seed = 42;
    options.fold = j->given ? t->fold + begin : NULL;
    options.fold_rows = j->given ? rows_here : 0;
    assert_ok(m->context, gpis_source_dense(m->context, t->A + begin * t->d, GPIS_FLOAT64, GPIS_ROW_MAJOR, rows_here,
                                            t->d, t->d, &part));
    assert_ok(m->context, gpis_source_join(m->context, &part, 1, &m->ranks, &A));
    assert_ok(m->context, gpis_problem_create(m->context, A, &problem));
    assert_ok(m->context, gpis_problem_response(problem, t->Y + begin * t->k, rows_here, t->k));
    assert_ok(m->context, gpis_problem_weights(problem, t->weights + begin, rows_here));
    assert_ok(m->context, gpis_summary_make(problem, &options, &s));
    for (int64_t f = 0; f < t->folds; f++) {
        const gpis_quadratic *a = j->alone->fold[f], *b = s->fold[f];
        assert_int_equal(s->rows[f], j->alone->rows[f]);
        for (int64_t i = 0; i < (a->d + a->k) * (a->d + a->k); i++) {
            const int64_t p = a->d + a->k;
            const double size = sqrt(a->W[i / p * (p + 1)] * a->W[i % p * (p + 1)]);
            assert_true(fabs(a->W[i] - b->W[i]) <= (a->gamma + b->gamma) * size);
        }
    }
    if (rank == 1) options.folds++; /* what is not the same everywhere is refused everywhere */
    gpis_summary *none;
    assert_int_equal(gpis_summary_make(problem, &options, &none), GPIS_BAD_ARGUMENT);
    assert_null(none);
    gpis_summary_destroy(s);
    gpis_problem_destroy(problem);
    gpis_source_destroy(A);
    gpis_source_destroy(part);
}

static void test_ranks(void **state) {
    (void)state;
    for (int ranks = 2; ranks <= 4; ranks++)
        for (int direct = 0; direct < 2; direct++) {
            table t = summaries_table(3001, 5, 2, 0.2);
            test_memory memory;
            gpis_context *context = test_context(&memory);
            job j = {.t = &t, .given = direct};
            t.weighted = true;
            t.folds = 5;
            j.alone = summaries_make(context, &t, 0, 0, t.n, j.given);
            world_run(ranks, direct, -1, 0, work, &j);
            gpis_summary_destroy(j.alone);
            test_context_end(context, &memory);
            summaries_free(&t);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
