/*
 * Problems that an x in double precision cannot prove: columns whose sizes differ by 1e16, over every kind of set that
 * has a flat form, with more rows than columns and with fewer. All of them are solved, to a tolerance of 1e-8, and no
 * member that is tried is better than the gap allows.
 */
#include "calls.h"
#include "certificate/problems.h"
#include "inner/flat.h"

enum { D = 6 };

/* Column j is 10^(16 j / (D - 1) - 8) times as long as before. */
static problem spread(int64_t n, uint64_t seed) {
    problem p = problem_make(FINE, n, D, 1, seed);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < D; j++) p.A[i * D + j] *= pow(10.0, 16.0 * (double)j / (D - 1) - 8.0);
    return p;
}

static void check_members(gpis_context *context, const problem *p, gpis_set *set, const gpis_result *r) {
    for (uint64_t seed = 0; seed < 4; seed++) {
        double s[D];
        fill_normal(s, D, seed, pow(10.0, 3.0 * (double)seed - 6.0));
        for (int64_t j = 0; j < D; j++) s[j] += r->x[j];
        assert_ok(context, gpis_set_project(set, s, s));
        const long double f = problem_value(p, s, NULL) + (long double)membership_noise(p, s);
        if (!(f >= (long double)r->objective - (long double)r->gap))
            fail_msg("%s: f is %.17Lg, and %.17g less %g was claimed", gpis_set_spec(set), f, r->objective, r->gap);
    }
}

static void columns_of_all_sizes(void **state) {
    (void)state;
    static const char *const radii[] = {"1.5", "1e6", "1e-3"};
    test_memory memory;
    gpis_context *context = test_context(&memory);
    world w;
    world_begin(&w, D);
    for (int spec = 0; spec < TEXT_SPECS; spec++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            problem p = spread(seed % 2 ? 20 : 4, 50 + 3 * seed);
            gpis_set *set = problem_set(context, &w, SPECS[spec], radii[seed / 2], 1);
            gpis_source *A = problem_source(context, &p);
            gpis_settings settings = gpis_settings_default();
            gpis_result *r = NULL;
            assert_ok(context, test_solve(context, A, p.Y, 1, set, &settings, &r));
            if (r->outcome != GPIS_SOLVED && gpis_flat_exists(set))
                fail_msg("%s, seed %d: %s, gap %g of %g; %s", gpis_set_spec(set), (int)seed,
                         gpis_outcome_text(r->outcome), r->gap, r->objective, r->warning);
            if (!(r->horizon > 0.0)) check_members(context, &p, set, r);
            gpis_result_destroy(r);
            gpis_source_destroy(A);
            gpis_set_destroy(set);
            problem_clear(&p);
        }
    world_end(&w);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_of_all_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
