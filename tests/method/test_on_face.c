/*
 * newton that ends on a face: proven, from a sketch, with the answer of the whole Gram matrix; for every kind of set
 * that has faces, every storage, tight tolerances; and when the face does not hold, or is too large, the answer still
 * comes.
 */
#include <omp.h>

#include "calls.h"
#include "certificate/problems.h"
#include "sketch/matrices.h"

enum { N = 6000, D = 120, FREE = 12 };

/* y is made of a few columns: an answer that few entries are free in. */
static problem sparse_problem(int64_t n, int64_t d, int64_t free_entries, double noise, uint64_t seed) {
    problem p = {n, d, 1, new_vector(n * d), new_vector(n)};
    fill_normal(p.A, n * d, seed, 1.0);
    fill_normal(p.Y, n, seed + 1, noise);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < free_entries; j++)
            p.Y[i] += p.A[i * d + j * (d / free_entries)] * (1.0 + (double)(j % 3)) / (double)free_entries;
    return p;
}

static gpis_result *solve(gpis_context *context, gpis_source *A, const problem *p, const char *spec, int64_t m,
                          double tol, gpis_certificate certificate) {
    gpis_settings settings = gpis_settings_default();
    gpis_set *set = NULL;
    gpis_result *r = NULL;
    settings.method = "newton";
    settings.m = m;
    settings.tol = tol;
    settings.certificate = certificate;
    assert_ok(context, test_set(context, spec, p->d, 1, &set));
    assert_ok(context, test_solve(context, A, p->Y, 1, set, &settings, &r));
    gpis_set_destroy(set);
    return r;
}

/* From a sketch alone, without the whole Gram matrix, a proof. */
static void check(gpis_context *context, gpis_source *A, const problem *p, const char *spec, double tol, bool faced) {
    gpis_result *exact = solve(context, A, p, spec, 0, tol, GPIS_CERTIFICATE_PROVEN),
                *r = solve(context, A, p, spec, 8 * p->d, tol, GPIS_CERTIFICATE_ANY);
    if (r->outcome != GPIS_SOLVED || (faced && (r->gap_kind != GPIS_GAP_PROVEN || r->passes > 9)))
        fail_msg("%s: outcome %d, gap %g, kind %d, %d passes", spec, r->outcome, r->gap / r->objective, r->gap_kind,
                 (int)r->passes);
    assert_int_equal(r->sketches, 1);
    assert_close(r->objective, exact->objective, 2.0 * tol * exact->objective + exact->gap);
    gpis_result_destroy(exact);
    gpis_result_destroy(r);
}

static void every_set(void **state) {
    (void)state;
    static const char *const SPECS_HERE[] = {"l1:1", "l1:1.2", "simplex:1.5", "nonneg", "box:0,0.1", "box:-inf,0.05"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem p = sparse_problem(N, D, FREE, 1.0, 11);
    for (int how = 0; how < STORAGES; how++) {
        matrix m = store(p.A, N, D, how);
        const gpis_block *b = &m.block;
        const bool columns = how == COLUMN_64 || how == COLUMN_32;
        gpis_source *A = NULL;
        if (b->kind == GPIS_BLOCK_CSR)
            assert_ok(context, gpis_source_csr(context, N, D, b->indptr, b->indices, b->values, b->type, &A));
        else
            assert_ok(context,
                      gpis_source_dense(context, b->values, b->type, columns ? GPIS_COLUMN_MAJOR : GPIS_ROW_MAJOR, N, D,
                                        columns ? b->col_stride : b->row_stride, &A));
        for (size_t i = 0; i < sizeof SPECS_HERE / sizeof *SPECS_HERE; i++)
            check(context, A, &p, SPECS_HERE[i], 1e-10, i < 3);
        gpis_source_destroy(A);
        matrix_clear(&m);
    }
    problem_clear(&p);
    test_context_end(context, &memory);
}

/* Many problems: what is called solved is, whether or not the first face held. */
static void many(void **state) {
    (void)state;
    static const char *const SPECS_HERE[] = {"l1:0.5", "l1:1", "simplex:1", "simplex:2", "nonneg", "linf:0.02"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 0; seed < 60; seed++) {
        problem p = sparse_problem(1500, 60, 4 + (int64_t)(seed % 5) * 5, seed % 2 ? 3.0 : 0.3, 100 + 7 * seed);
        gpis_source *A = problem_source(context, &p);
        check(context, A, &p, SPECS_HERE[seed % 6], seed % 3 ? 1e-8 : 1e-11, false);
        gpis_source_destroy(A);
        problem_clear(&p);
    }
    test_context_end(context, &memory);
}

/* Only a proof will do: the face gives it, and where there is none, the Gram matrix. Rounding in the way: extended. */
static void proofs_to_the_last_digits(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    problem p = sparse_problem(N, D, FREE, 1.0, 12);
    gpis_source *A = problem_source(context, &p);
    for (int i = 0; i < 3; i++) {
        gpis_result *r =
            solve(context, A, &p, i == 2 ? "l1:50" : "l1:1", 8 * D, i == 1 ? 4e-14 : 1e-9, GPIS_CERTIFICATE_PROVEN);
        assert_int_equal(r->outcome, GPIS_SOLVED);
        assert_int_equal(r->gap_kind, GPIS_GAP_PROVEN);
        assert_true(r->passes <= 15);
        gpis_result_destroy(r);
    }
    gpis_source_destroy(A);
    problem_clear(&p);
    test_context_end(context, &memory);
}

static gpis_status work(gpis_context *context, void *user) {
    const problem *p = user;
    gpis_settings settings = gpis_settings_default();
    gpis_source *A = NULL;
    gpis_set *set = NULL;
    gpis_result *r = NULL;
    settings.method = "newton";
    settings.m = 8 * p->d;
    gpis_status status = gpis_source_dense(context, p->A, GPIS_FLOAT64, GPIS_ROW_MAJOR, p->n, p->d, p->d, &A);
    if (status == GPIS_OK) status = test_set(context, "l1:1", p->d, 1, &set);
    if (status == GPIS_OK) status = test_solve(context, A, p->Y, 1, set, &settings, &r);
    if (status == GPIS_OK) {
        assert_int_equal(r->gap_kind, GPIS_GAP_PROVEN);
        gpis_result_destroy(r);
    }
    gpis_set_destroy(set);
    gpis_source_destroy(A);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    problem p = sparse_problem(1500, 60, 6, 1.0, 13);
    assert_true(test_every_allocation(work, &p) > 40);
    problem_clear(&p);
}

static void same_bits(void **state) {
    (void)state;
    problem p = sparse_problem(N, D, FREE, 1.0, 14);
    double first[D];
    for (int threads = 1; threads <= 3; threads++) {
        test_memory memory;
        gpis_context *context = test_context(&memory);
        assert_ok(context, gpis_context_set_threads(context, threads));
        gpis_source *A = problem_source(context, &p);
        gpis_result *r = solve(context, A, &p, "l1:1", 8 * D, 1e-10, GPIS_CERTIFICATE_ANY);
        if (threads == 1) memcpy(first, r->x, sizeof first);
        assert_memory_equal(first, r->x, sizeof first);
        gpis_result_destroy(r);
        gpis_source_destroy(A);
        test_context_end(context, &memory);
    }
    problem_clear(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_set), cmocka_unit_test(many),
                                       cmocka_unit_test(proofs_to_the_last_digits), cmocka_unit_test(memory_runs_out),
                                       cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
