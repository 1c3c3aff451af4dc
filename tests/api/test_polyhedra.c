/* Solves over random polyhedra, degenerate and redundant ones among them, against an enumeration of all faces. */
#include "calls.h"
#include "set/draw.h"

enum { N = 12 };

typedef struct data {
    double A[N * FACES_D], y[N];
    double H[FACES_D * FACES_D], g[FACES_D]; /* ||y - A x||^2 = 1/2 x'Hx + g'x + constant */
    long double constant;
} data;

static void draw_data(data *t, int d, uint64_t seed) {
    *t = (data){.constant = 0};
    fill_normal(t->A, N * d, seed, 1);
    fill_normal(t->y, N, seed + 7, 3);
    for (int i = 0; i < N; i++) t->constant += (long double)t->y[i] * t->y[i];
    for (int a = 0; a < d; a++) {
        long double ay = 0;
        for (int i = 0; i < N; i++) ay += (long double)t->A[i * d + a] * t->y[i];
        t->g[a] = (double)(-2 * ay);
        for (int b = 0; b < d; b++) {
            long double ab = 0;
            for (int i = 0; i < N; i++) ab += (long double)t->A[i * d + a] * t->A[i * d + b];
            t->H[a * d + b] = (double)(2 * ab);
        }
    }
}

static void check_result(const gpis_result *r, const random_polyhedron *p, double truth, int seed) {
    const double error = r->objective - truth;
    if (r->outcome != GPIS_SOLVED || r->gap_kind != GPIS_GAP_PROVEN)
        fail_msg("seed %d, %s: not solved, gap %g of %g, error %g: %s", seed, gpis_set_spec(p->set), r->gap, truth,
                 error, r->warning);
    if (!(fabs(error) <= 1e-10 * fmax(truth, 1e-3)) || !(error <= r->gap + 1e-13 * truth))
        fail_msg("seed %d, %s: off by %g, gap %g, of %g", seed, gpis_set_spec(p->set), error, r->gap, truth);
}

static void test_solves(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_settings settings = gpis_settings_default();
    settings.tol = 1e-10;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        random_polyhedron p;
        data t;
        long double x[FACES_D];
        gpis_source *A = NULL;
        gpis_result *r = NULL;
        draw(context, seed, &p);
        draw_data(&t, p.f.d, seed);
        const long double best = faces_minimise(&p.f, t.H, t.g, x) + t.constant;
        assert_ok(context, gpis_source_dense(context, t.A, GPIS_FLOAT64, GPIS_ROW_MAJOR, N, p.f.d, p.f.d, &A));
        assert_ok(context, test_solve(context, A, t.y, 1, p.set, &settings, &r));
        check_result(r, &p, (double)best, (int)seed);
        gpis_result_destroy(r);
        gpis_source_destroy(A);
        let_go(&p);
    }
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
