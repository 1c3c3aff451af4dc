/* Two methods that share little, newton and apgd, must agree on every set; and newton must refine what its Gram matrix
 * alone cannot tell. */
#include <omp.h>

#include "calls.h"
#include "certificate/problems.h"

static gpis_result *solve(gpis_context *context, const problem *p, gpis_set *set, const char *method, double tol,
                          int64_t passes) {
    gpis_settings settings = gpis_settings_default();
    gpis_result *result = NULL;
    settings.method = method;
    settings.tol = tol;
    settings.max_passes = passes;
    gpis_source *A = problem_source(context, p);
    assert_ok(context, test_solve(context, A, p->Y, p->k, set, &settings, &result));
    assert_string_equal(result->method, method);
    gpis_source_destroy(A);
    return result;
}

/* What a result says about itself is so: its objective is f(x), x is in K, solved means certified. */
static void check_result(const problem *p, gpis_set *set, const gpis_result *r, double tol) {
    const double f = (double)problem_value(p, r->x, NULL);
    double y2 = 0.0, away, size = 1.0;
    for (int64_t i = 0; i < p->n * p->k; i++) y2 += p->Y[i] * p->Y[i];
    for (int64_t i = 0; i < p->d * p->k; i++) size += fabs(r->x[i]);
    assert_close(r->objective, f, 1e-11 * f + 1e-24 * y2 * size * size);
    assert_int_equal(gpis_set_distance(set, r->x, &away), GPIS_OK);
    assert_true(away <= 1e-11 * size && r->feasibility == away);
    const double residual = 1e-13 * sqrt(y2) * size; /* more than rounding can make of a residual */
    const double noise = 2.0 * residual * sqrt(f) + residual * residual;
    assert_true(r->gap >= 0.0 && r->gap <= r->objective + noise);
    assert_true(r->gap_kind == GPIS_GAP_PROVEN && r->gap_delta == 0.0);
    if (r->outcome == GPIS_SOLVED) assert_true(gpis_relative_gap(r) <= tol * 1.0001 || r->objective <= 1e-20 * y2);
}

static void on_every_set(void **state) {
    (void)state;
    static const flavour flavours[] = {FINE, COHERENT, DUPLICATE, ZERO, ZERO_AND_DUPLICATE, WIDE, EXACT_FIT};
    static const char *const radii[] = {"1.5", "0.2", "30"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    uint64_t seed = 1;
    for (int64_t d = 1; d <= 6; d += 2) {
        world w;
        world_begin(&w, d);
        for (size_t i = 0; i < sizeof flavours / sizeof *flavours; i++)
            for (int spec = 0; spec < SPEC_COUNT; spec++)
                for (int64_t k = 1; k <= 2; k++, seed += 3) {
                    problem p = problem_make(flavours[i], 40, d, k, seed);
                    gpis_set *set = problem_set(context, &w, SPECS[spec], radii[seed % 3], k);
                    gpis_result *newton = solve(context, &p, set, "newton", 1e-10, 200);
                    gpis_result *apgd = solve(context, &p, set, "apgd", 1e-9, 800);
                    check_result(&p, set, newton, 1e-10);
                    check_result(&p, set, apgd, 1e-9);
                    double y2 = 0.0;
                    for (int64_t j = 0; j < p.n * k; j++) y2 += p.Y[j] * p.Y[j];
                    if (!(fabs(newton->objective - apgd->objective) <= 1e-7 * newton->objective + 1e-12 * y2))
                        fail_msg(
                            "%s, flavour %d, d %lld, k %lld: newton %.15g (%s, %lld passes), apgd %.15g (%s, %lld)",
                            gpis_set_spec(set), flavours[i], (long long)d, (long long)k, newton->objective,
                            gpis_outcome_text(newton->outcome), (long long)newton->passes, apgd->objective,
                            gpis_outcome_text(apgd->outcome), (long long)apgd->passes);
                    if (flavours[i] == FINE && newton->outcome != GPIS_SOLVED)
                        fail_msg("%s, d %lld, k %lld: newton %s, gap %g", gpis_set_spec(set), (long long)d,
                                 (long long)k, gpis_outcome_text(newton->outcome), gpis_relative_gap(newton));
                    if (flavours[i] == FINE && apgd->outcome != GPIS_SOLVED)
                        fail_msg("%s, d %lld, k %lld: apgd %s, gap %g", gpis_set_spec(set), (long long)d, (long long)k,
                                 gpis_outcome_text(apgd->outcome), gpis_relative_gap(apgd));
                    gpis_result_destroy(newton);
                    gpis_result_destroy(apgd);
                    gpis_set_destroy(set);
                    problem_clear(&p);
                }
        world_end(&w);
    }
    test_context_end(context, &memory);
}

/*
 * Columns nearer and nearer to parallel, up to where the Gram matrix no longer knows them apart: the residual must be
 * orthogonal to every column all the same, since it is always recomputed from A.
 */
static void newton_refines(void **state) {
    (void)state;
    enum { N = 100, D = 4 };
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    for (double apart = 1e-3; apart > 1e-6; apart /= 1.25) {
        problem p = problem_make(FINE, N, D, 1, 12);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 1; j < D; j++) p.A[i * D + j] = p.A[i * D] + apart * p.A[i * D + j];
        gpis_set *set = problem_set(context, &w, "none", "1", 1);
        gpis_result *r = solve(context, &p, set, "newton", 1e-10, 60);
        assert_true(r->passes <= 30 && (apart < 1e-5 || r->outcome == GPIS_SOLVED));
        gpis_result_destroy(r);
        r = solve(context, &p, set, "newton", 1e-15, 60); /* as far as it goes */
        long double g[D];
        const long double f = problem_value(&p, r->x, g);
        for (int64_t j = 0; j < D; j++) {
            long double norm2 = 0;
            for (int64_t i = 0; i < N; i++) norm2 += (long double)p.A[i * D + j] * p.A[i * D + j];
            const double cosine = (double)(fabsl(g[j]) / sqrtl(norm2 * f));
            if (!(cosine <= 1e-9))
                fail_msg("apart by %g: column %lld at a cosine of %g, %s after %lld passes", apart, (long long)j,
                         cosine, gpis_outcome_text(r->outcome), (long long)r->passes);
        }
        gpis_result_destroy(r);
        gpis_set_destroy(set);
        problem_clear(&p);
    }
    world_end(&w);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_every_set), cmocka_unit_test(newton_refines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
