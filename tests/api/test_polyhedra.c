/* Solves over random polyhedra, degenerate and redundant ones among them, against an enumeration of all faces; over
 * intersections with curved sets; and within bounds that are far away. */
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

/* ---- curved sets beside polyhedra -------------------------------------------------------------------------------- */

enum { ROWS = 60, COLUMNS = 8 };

static const char *const curved[][3] = {
    {"l2:0.3", "nonneg"},           {"l2:0.3", "simplex:0.4"},
    {"group:0.3:2", "nonneg"},      {"group:0.3:2", "box:-0.1,0.1"},
    {"tv:0.3", "nonneg"},           {"l1:0.4@dct", "nonneg"},
    {"l2:0.3", "l1:0.4"},           {"group:0.3:2", "l2:0.2", "l1:0.25"},
    {"monotone@dct", "box:-1,0.2"},
};

/* f(x) - f* <= gap, for all the members that projections of random points find. */
static void check_members(gpis_context *context, gpis_set *set, const double *A, const double *y,
                          const gpis_result *r) {
    for (uint64_t seed = 1; seed < 20; seed++) {
        double v[COLUMNS], f = 0;
        fill_normal(v, COLUMNS, seed, seed % 2 ? 0.01 : 1);
        for (int j = 0; j < COLUMNS; j++) v[j] += r->x[j];
        assert_ok(context, gpis_set_project(set, v, v));
        for (int i = 0; i < ROWS; i++) {
            double residual = -y[i];
            for (int j = 0; j < COLUMNS; j++) residual += A[i * COLUMNS + j] * v[j];
            f += residual * residual;
        }
        assert_true(f >= (r->objective - r->gap) * (1 - 1e-13));
    }
}

static void test_curved(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_settings settings = gpis_settings_default();
    double A[ROWS * COLUMNS], y[ROWS];
    settings.tol = 1e-10;
    for (size_t c = 0; c < sizeof curved / sizeof *curved; c++) {
        gpis_set *parts[3] = {NULL}, *set = NULL;
        gpis_source *source = NULL;
        gpis_result *r = NULL;
        int count = 0;
        fill_normal(A, ROWS * COLUMNS, c + 1, 1);
        fill_normal(y, ROWS, c + 6, 1);
        for (; count < 3 && curved[c][count]; count++)
            assert_ok(context, test_set(context, curved[c][count], COLUMNS, 1, &parts[count]));
        assert_ok(context, gpis_set_intersection(context, count, parts, &set));
        assert_ok(context,
                  gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, ROWS, COLUMNS, COLUMNS, &source));
        assert_ok(context, test_solve(context, source, y, 1, set, &settings, &r));
        if (r->outcome != GPIS_SOLVED || r->gap_kind != GPIS_GAP_PROVEN || !(r->violation <= 1e-15))
            fail_msg("%s: gap %g of %g, violation %g", gpis_set_spec(set), r->gap, r->objective, r->violation);
        /* beside a transform x may meet its bounds only up to rounding, and bounds that are not met have no price */
        if (r->active_count == 0 && !strchr(gpis_set_spec(set), '@'))
            fail_msg("%s: no constraint has a price", gpis_set_spec(set));
        check_members(context, set, A, y, r);
        gpis_result_destroy(r);
        gpis_source_destroy(source);
        gpis_set_destroy(set);
        for (int i = 0; i < count; i++) gpis_set_destroy(parts[i]);
    }
    test_context_end(context, &memory);
}

/* Bounds of 1e9 that do not matter do no harm. */
static void test_huge_bounds(void **state) {
    (void)state;
    test_memory memory;
    gpis_context *context = test_context(&memory);
    gpis_settings settings = gpis_settings_default();
    double A[ROWS * COLUMNS], y[ROWS], lo[COLUMNS], hi[COLUMNS];
    gpis_set *parts[2] = {NULL}, *set = NULL;
    gpis_source *source = NULL;
    gpis_result *r = NULL;
    settings.tol = 1e-12;
    fill_normal(A, ROWS * COLUMNS, 1, 1);
    fill_normal(y, ROWS, 2, 1);
    for (int j = 0; j < COLUMNS; j++) lo[j] = j == 0 ? 0.2 : -1e9, hi[j] = 1e9;
    assert_ok(context, gpis_set_box(context, lo, hi, COLUMNS, &parts[0]));
    assert_ok(context, gpis_set_sum(context, 1, 1, COLUMNS, &parts[1]));
    assert_ok(context, gpis_set_intersection(context, 2, parts, &set));
    assert_ok(context, gpis_source_dense(context, A, GPIS_FLOAT64, GPIS_ROW_MAJOR, ROWS, COLUMNS, COLUMNS, &source));
    assert_ok(context, test_solve(context, source, y, 1, set, &settings, &r));
    assert_int_equal(r->outcome, GPIS_SOLVED);
    assert_true(r->gap_kind == GPIS_GAP_PROVEN && r->violation <= 4e-16);
    gpis_result_destroy(r);
    gpis_source_destroy(source);
    gpis_set_destroy(set);
    for (int i = 0; i < 2; i++) gpis_set_destroy(parts[i]);
    test_context_end(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves),
        cmocka_unit_test(test_curved),
        cmocka_unit_test(test_huge_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
