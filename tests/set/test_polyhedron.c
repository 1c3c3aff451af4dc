/* Polyhedra: projections, proximal points and supports against an enumeration of all faces; what is refused. */
#include "set/draw.h"
#include "set/extend.h"
#include "set/polyhedron.h"

static const double IDENTITY[FACES_D][FACES_D * FACES_D] = {
    {1}, {1, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

static void test_projection(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        random_polyhedron p;
        double v[FACES_D], minus[FACES_D], x[FACES_D];
        long double best[FACES_D];
        draw(context, seed, &p);
        fill_normal(v, p.f.d, seed, 4);
        for (int j = 0; j < p.f.d; j++) {
            if (seed % 7 == 0) v[j] = round(v[j]);
            minus[j] = -v[j];
        }
        assert_true(isfinite((double)faces_minimise(&p.f, IDENTITY[p.f.d - 1], minus, best)));
        assert_ok(context, gpis_set_project(p.set, v, x));
        for (int j = 0; j < p.f.d; j++)
            if (!(fabsl(x[j] - best[j]) <= 1e-12L * (1 + fabsl(best[j]))))
                fail_msg("seed %d, %s: entry %d is %.17g, not %.17Lg", (int)seed, gpis_set_spec(p.set), j, x[j],
                         best[j]);
        let_go(&p);
    }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
